// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums of one frame pair on the host: adm's facts.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "base/frame.h"
#include "features/adm/adm_csf.h"
#include "features/adm/adm_geometry.h"
#include "features/feature.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// What the sums of a frame depend on besides its pixels.
struct AdmPlan {
  std::array<AdmAxis, kAdmScales> columns;
  std::array<AdmAxis, kAdmScales> rows;
  std::array<AdmShifts, kAdmScales> shifts;
  AdmCsf csf;
  double gain_limit = 100.0;
  bool skip_aim = false;
  bool skip_scale0 = false;
  int bit_depth = 8;
};

/// The facts of a frame: for each scale and band the numerator of restored detail (i64), of additive impairment (i64,
/// 0 with skip_aim) and the denominator (u64). Those of scale 0 are 0 with skip_scale0.
enum class AdmSum { kRestored, kImpairment, kReference };
inline constexpr std::size_t kAdmFacts = 36;
[[nodiscard]] constexpr std::size_t AdmFactIndex(std::size_t scale, AdmSum sum, std::size_t band) {
  return scale * 9 + static_cast<std::size_t>(sum) * 3 + band;
}

/// Entry i: floor(2^30 / i), and 0 for i = 0.
extern const std::array<i32, kAdmReciprocals> kAdmReciprocalTable;

/// Line buffers and sums of one thread.
class AdmFrame : public Workspace {
 public:
  /// May throw std::bad_alloc.
  [[nodiscard]] static std::unique_ptr<AdmFrame> Make(const AdmPlan& plan, CpuTarget target);

  /// Sums of the rows of a band, see AdmBandRows(); those of the bands of a picture add up.
  /// in      luma planes of the size and depth of the plan
  /// out     [kAdmFacts]
  virtual void ExtractBand(const PlaneView& reference, const PlaneView& distorted, AdmRange band,
                           std::span<Fact> facts) = 0;
};

}  // namespace lockstep
