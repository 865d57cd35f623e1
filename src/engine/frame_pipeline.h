// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs metrics over a stream of picture pairs on several threads with a bounded number of frames in flight.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/pair_source.h"
#include "features/feature.h"
#include "lockstep/result.h"

namespace lockstep {

struct PipelineOptions {
  unsigned threads = 1;            // at least 1
  unsigned other_threads = 0;      // of TBB, that run for others in this process meanwhile
  int subsample = 1;               // metrics that do not need every frame see multiples of it only
  std::int64_t first_picture = 0;  // frame number of the source's first pair
  std::int64_t first_score = 0;    // scores wanted for [first_score, end_score)
  std::optional<std::int64_t> end_score;
  std::optional<std::int64_t> expected_pictures;                // from first_picture on, when known
  std::function<void(std::int64_t pictures_done)> on_progress;  // one thread at a time, in order
  std::stop_token stop;
};

struct PipelineResult {
  std::vector<FactTable> facts;  // one for each metric
  std::int64_t end_picture = 0;  // frame number after the last pair that was read
};

/// Facts of every metric for the frames that its scores of [first_score, end_score) depend on. The result is the same
/// for every thread count. Memory: at most threads + 2 frame windows besides the source's own queue.
///
/// errors  what the source reports; kCancelled; kOutOfMemory
[[nodiscard]] Result<PipelineResult> RunPipeline(std::span<const Feature* const> features, PairSource& source,
                                                 const PipelineOptions& options);

}  // namespace lockstep
