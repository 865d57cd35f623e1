// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which facts a run needs, whoever computes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/frame_pipeline.h"
#include "features/feature.h"

namespace lockstep {

class WantedFrames {
 public:
  explicit WantedFrames(const PipelineOptions& options) : options_(options) {}

  [[nodiscard]] std::int64_t FirstFact(const Feature& feature) const {
    return std::max<std::int64_t>(options_.first_score - feature.reach().fact_lead_in, 0);
  }
  /// End of the facts that scores up to end_score need.
  [[nodiscard]] std::int64_t EndFact(const Feature& feature) const {
    return options_.end_score ? *options_.end_score + feature.reach().fact_lead_out
                              : std::numeric_limits<std::int64_t>::max();
  }
  /// Whether the metric's facts of this frame are wanted and its earlier pictures are there.
  [[nodiscard]] bool Wants(const Feature& feature, std::int64_t index) const {
    if (index < FirstFact(feature) || index >= EndFact(feature)) return false;
    if (std::min<std::int64_t>(index, feature.reach().picture_lead_in) > index - options_.first_picture) return false;
    return feature.every_frame() || index % options_.subsample == 0;
  }
  /// Makes the tables cover every frame of a sequence that ended at `end_picture`, also those without facts.
  void Complete(std::span<const Feature* const> features, std::int64_t end_picture,
                std::vector<FactTable>& facts) const {
    for (std::size_t f = 0; f < features.size(); ++f) {
      facts[f].Extend(std::max(std::min(end_picture, EndFact(*features[f])), facts[f].first()));
    }
  }

 private:
  const PipelineOptions& options_;
};

}  // namespace lockstep
