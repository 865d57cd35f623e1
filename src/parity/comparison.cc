// SPDX-License-Identifier: BSD-2-Clause-Patent
// Fact by fact, score by score, bit by bit.
#include "parity/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

namespace lockstep {
namespace {

class Comparison {
 public:
  explicit Comparison(ParityCell& cell) : cell_(cell) {}

  void Compare(const Outcome& expected, const Outcome& actual) {
    CompareFacts(expected.facts, actual.facts);
    CompareScores(expected.scores, actual.scores);
    Note(expected.aggregates.size() == actual.aggregates.size(), [] { return std::string("aggregates are missing"); });
    for (std::size_t i = 0; i < std::min(expected.aggregates.size(), actual.aggregates.size()); ++i) {
      const std::string& name = expected.aggregates[i].first;
      const double value = expected.aggregates[i].second;
      const double other = actual.aggregates[i].second;
      Note(actual.aggregates[i].first == name && SameBits(value, other),
           [&] { return fmt::format("{}: {:.17g}, expected {:.17g}", name, other, value); });
    }
    if (cell_.differences > 0) cell_.state = ParityState::kDiffers;
  }

 private:
  static bool SameBits(double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  }

  template <class Describe>
  void Note(bool is_equal, const Describe& describe) {
    ++cell_.values;
    if (is_equal) return;
    if (cell_.differences++ == 0) cell_.detail = describe();
  }

  void CompareFacts(const FactTable& expected, const FactTable& actual) {
    Note(expected.first() == actual.first() && expected.end() == actual.end(),
         [] { return std::string("the number of frames"); });
    for (std::int64_t frame = expected.first(); frame < expected.end(); ++frame) {
      const bool is_there = actual.Has(frame) == expected.Has(frame);
      Note(is_there, [&] { return fmt::format("frame {}: facts are missing", frame); });
      if (!is_there || !expected.Has(frame)) continue;
      const std::span<const Fact> facts = expected.Row(frame);
      for (std::size_t i = 0; i < facts.size(); ++i) {
        const Fact other = actual.Row(frame)[i];
        Note(facts[i] == other,
             [&] { return fmt::format("frame {}, fact {}: {:#x}, expected {:#x}", frame, i, other, facts[i]); });
      }
    }
  }

  void CompareScores(const ScoreTable& expected, const ScoreTable& actual) {
    Note(expected.column_count() == actual.column_count() && expected.count() == actual.count(),
         [] { return std::string("the number of scores"); });
    for (std::size_t c = 0; c < expected.column_count(); ++c) {
      const std::optional<std::size_t> column = actual.Find(expected.key(c));
      Note(column.has_value(), [&] { return expected.key(c) + " is missing"; });
      if (!column) continue;
      for (std::int64_t frame = expected.first(); frame < expected.first() + expected.count(); ++frame) {
        const std::optional<double> value = expected.Get(c, frame);
        const std::optional<double> other = actual.Get(*column, frame);
        if (!value && !other) continue;
        Note(value && other && SameBits(*value, *other), [&] {
          const auto text = [](const std::optional<double>& x) { return x ? fmt::format("{:.17g}", *x) : "nothing"; };
          return fmt::format("frame {}, {}: {}, expected {}", frame, expected.key(c), text(other), text(value));
        });
      }
    }
  }

  ParityCell& cell_;
};

}  // namespace

void CompareOutcomes(const Outcome& expected, const Outcome& actual, ParityCell& cell) {
  Comparison(cell).Compare(expected, actual);
}

}  // namespace lockstep
