// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a scoring run asks of its pictures, wherever they come from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/pair_source.h"
#include "lockstep/report.h"
#include "lockstep/video_format.h"

namespace lockstep {

class RunInput : public PairSource {
 public:
  /// Of the pictures that are scored.
  [[nodiscard]] virtual const VideoFormat& format() const = 0;
  /// Frames a second; 0 when unknown.
  [[nodiscard]] virtual double frame_rate() const = 0;
  /// The input that ended the run, once Next() returned false at its end.
  [[nodiscard]] virtual const std::string& ended_path() const = 0;
  /// Pairs of the whole run, when known.
  [[nodiscard]] virtual std::optional<std::int64_t> expected_pairs() const = 0;
  /// Before LeaveOutChroma() and Start() of a run on devices: the processor reads the pictures too.
  virtual void ReadOnHost() = 0;
  /// Before Start(): no metric looks at chroma, so that it need not be there.
  virtual void LeaveOutChroma() = 0;
  /// The first pair of Next() is pair `first_pair` of the run; no more than `end_pair` - `first_pair` are delivered.
  virtual void Start(std::int64_t first_pair, std::optional<std::int64_t> end_pair) = 0;

  /// What was read and decided; complete after Next() returned false.
  [[nodiscard]] virtual ReportInput DescribeReference() const = 0;
  [[nodiscard]] virtual ReportInput DescribeDistorted() const = 0;
  [[nodiscard]] virtual const std::vector<ReportDecision>& decisions() const = 0;
  [[nodiscard]] virtual std::vector<ReportWarning> CollectWarnings() const = 0;
};

}  // namespace lockstep
