// SPDX-License-Identifier: BSD-2-Clause-Patent
// Every kind of difference is seen.
#include "parity/comparison.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace lockstep {
namespace {

Outcome Example() {
  Outcome outcome;
  outcome.facts = FactTable(2, 0);
  outcome.scores = ScoreTable(0, 3);
  const std::size_t column = outcome.scores.AddColumn("score");
  for (std::int64_t frame = 0; frame < 3; ++frame) {
    outcome.facts.Set(frame, std::array<Fact, 2>{static_cast<Fact>(frame), 7});
    outcome.scores.Put(column, frame, 0.5 * static_cast<double>(frame));
  }
  outcome.aggregates = {{"whole", 1.25}};
  return outcome;
}

ParityCell CellOf(const Outcome& expected, const Outcome& actual) {
  ParityCell cell;
  CompareOutcomes(expected, actual, cell);
  return cell;
}

TEST(ComparisonTest, EqualOutcomes) {
  const ParityCell cell = CellOf(Example(), Example());
  EXPECT_EQ(cell.state, ParityState::kEqual);
  EXPECT_EQ(cell.differences, 0);
  // Six facts, three scores, an aggregate; and that the tables, rows and columns are there.
  EXPECT_EQ(cell.values, 6 + 3 + 1 + 1 + 3 + 2 + 1);
}

TEST(ComparisonTest, OneFact) {
  Outcome actual = Example();
  actual.facts.Set(1, std::array<Fact, 2>{1, 8});
  const ParityCell cell = CellOf(Example(), actual);
  EXPECT_EQ(cell.state, ParityState::kDiffers);
  EXPECT_EQ(cell.differences, 1);
  EXPECT_EQ(cell.detail, "frame 1, fact 1: 0x8, expected 0x7");
}

TEST(ComparisonTest, ScoresByTheirBits) {
  Outcome expected = Example();
  Outcome actual = Example();
  expected.scores.Put(0, 0, 0.0);
  actual.scores.Put(0, 0, -0.0);
  EXPECT_EQ(CellOf(expected, actual).differences, 1);
  expected.scores.Put(0, 0, std::numeric_limits<double>::quiet_NaN());
  actual.scores.Put(0, 0, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(CellOf(expected, actual).differences, 0);
  actual.scores.Put(0, 2, 1.0000000000000002);
  const ParityCell cell = CellOf(expected, actual);
  EXPECT_EQ(cell.differences, 1);
  EXPECT_EQ(cell.detail, "frame 2, score: 1.0000000000000002, expected 1");
}

TEST(ComparisonTest, WhatIsMissing) {
  Outcome fewer_frames = Example();
  fewer_frames.facts = FactTable(2, 0);
  fewer_frames.facts.Set(0, std::array<Fact, 2>{0, 7});
  EXPECT_GT(CellOf(Example(), fewer_frames).differences, 0);
  EXPECT_GT(CellOf(fewer_frames, Example()).differences, 0);
  Outcome no_scores = Example();
  no_scores.scores = ScoreTable(0, 3);
  EXPECT_GT(CellOf(Example(), no_scores).differences, 0);
  EXPECT_GT(CellOf(no_scores, Example()).differences, 0);
  Outcome no_aggregate = Example();
  no_aggregate.aggregates.clear();
  EXPECT_GT(CellOf(Example(), no_aggregate).differences, 0);
  Outcome other_aggregate = Example();
  other_aggregate.aggregates = {{"whole", 1.5}};
  EXPECT_EQ(CellOf(Example(), other_aggregate).differences, 1);
}

}  // namespace
}  // namespace lockstep
