// SPDX-License-Identifier: BSD-2-Clause-Patent
// Planes of one size and what both metrics do with a pair of them.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "base/aligned_buffer.h"
#include "features/feature.h"
#include "features/option_table.h"
#include "features/speed/speed_algebra.h"
#include "features/speed/speed_preparation.h"
#include "lockstep/result.h"

namespace lockstep {

/// Of one pair of planes.
struct SpeedPairScore {
  float score = 0.0f;
  bool reference_singular = false;
  bool distorted_singular = false;

  [[nodiscard]] unsigned bits() const { return (reference_singular ? 1u : 0u) | (distorted_singular ? 2u : 0u); }
};

class SpeedPairWorkspace final : public Workspace {
 public:
  explicit SpeedPairWorkspace(const SpeedGeometry& geometry);

 private:
  friend class SpeedPlanes;

  SpeedPreparationBuffers preparation_;
  AlignedBuffer prepared_;
  AlignedBuffer covariances_;
  AlignedBuffer samples_;
  AlignedBuffer solution_;
  std::array<AlignedBuffer, 2> variances_;  // of reference and distorted plane
  std::array<AlignedBuffer, 2> entropies_;
};

/// A metric's planes with its options; immutable, thread safe.
class SpeedPlanes {
 public:
  /// in      plane: the samples that are read of planes called `name` in messages
  /// errors  kInvalidArgument: kernel scale; kUnsupported: too small
  [[nodiscard]] static Result<SpeedPlanes> Create(const OptionValues& options, PlaneSize plane, std::string_view name,
                                                  int bit_depth, int weighting, CpuTarget target);

  [[nodiscard]] const SpeedPreparation& preparation() const { return preparation_; }
  [[nodiscard]] const SpeedGeometry& geometry() const { return preparation_.geometry(); }
  [[nodiscard]] SpeedBlocksFunction blocks() const { return blocks_; }
  [[nodiscard]] const SpeedScoreOptions& score_options() const { return score_options_; }
  [[nodiscard]] std::unique_ptr<Workspace> MakeWorkspace() const {
    return std::make_unique<SpeedPairWorkspace>(geometry());
  }

  [[nodiscard]] SpeedPairScore Score(const SpeedSource& reference, const SpeedSource& distorted,
                                     Workspace* workspace) const;

 private:
  SpeedPlanes(SpeedPreparation preparation, const SpeedScoreOptions& options, const SpeedSimd& simd);

  SpeedPreparation preparation_;
  SpeedCovarianceFunction covariances_;
  SpeedBlocksFunction blocks_;
  SpeedScoreOptions score_options_;
};

}  // namespace lockstep
