// SPDX-License-Identifier: BSD-2-Clause-Patent
// The only list of metrics.
#include "features/feature_list.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#ifdef LOCKSTEP_HAS_FLOAT_ANSNR
#include "features/float_ansnr/float_ansnr.h"
#endif
#ifdef LOCKSTEP_HAS_FLOAT_ADM
#include "features/float_adm/float_adm.h"
#endif
#ifdef LOCKSTEP_HAS_FLOAT_VIF
#include "features/float_vif/float_vif.h"
#endif
#ifdef LOCKSTEP_HAS_FLOAT_MOMENT
#include "features/float_moment/float_moment.h"
#endif
#ifdef LOCKSTEP_HAS_SPEED
#include "features/speed/speed.h"
#endif
#ifdef LOCKSTEP_HAS_FLOAT_MS_SSIM
#include "features/float_ms_ssim/float_ms_ssim.h"
#endif
#ifdef LOCKSTEP_HAS_FLOAT_SSIM
#include "features/float_ssim/float_ssim.h"
#endif
#ifdef LOCKSTEP_HAS_SSIM
#include "features/ssim/ssim.h"
#endif
#ifdef LOCKSTEP_HAS_CIEDE
#include "features/ciede/ciede.h"
#endif
#ifdef LOCKSTEP_HAS_PSNR_HVS
#include "features/psnr_hvs/psnr_hvs.h"
#endif
#ifdef LOCKSTEP_HAS_CAMBI
#include "features/cambi/cambi.h"
#endif
#ifdef LOCKSTEP_HAS_SSIMULACRA2
#include "features/ssimulacra2/ssimulacra2.h"
#endif
#ifdef LOCKSTEP_HAS_XPSNR
#include "features/xpsnr/xpsnr.h"
#endif
#include "features/adm/adm.h"
#include "features/float_motion/float_motion.h"
#include "features/float_psnr/float_psnr.h"
#include "features/motion/motion.h"
#include "features/psnr/psnr.h"
#include "features/vif/vif.h"

namespace lockstep {
namespace {

// The order decides which metric a model's score name finds first.
constexpr const FeatureDescription* kFeatures[] = {
    &kFloatPsnr,
#ifdef LOCKSTEP_HAS_FLOAT_ANSNR
    &kFloatAnsnr,
#endif
#ifdef LOCKSTEP_HAS_FLOAT_ADM
    &kFloatAdm,
#endif
#ifdef LOCKSTEP_HAS_FLOAT_VIF
    &kFloatVif,
#endif
    &kFloatMotion,
#ifdef LOCKSTEP_HAS_FLOAT_MOMENT
    &kFloatMoment,
#endif
#ifdef LOCKSTEP_HAS_SPEED
    &kSpeedChroma,
    &kSpeedTemporal,
#endif
#ifdef LOCKSTEP_HAS_FLOAT_MS_SSIM
    &kFloatMsSsim,
#endif
#ifdef LOCKSTEP_HAS_FLOAT_SSIM
    &kFloatSsim,
#endif
#ifdef LOCKSTEP_HAS_SSIM
    &kSsim,
#endif
#ifdef LOCKSTEP_HAS_CIEDE
    &kCiede,
#endif
    &kPsnr,
#ifdef LOCKSTEP_HAS_PSNR_HVS
    &kPsnrHvs,
#endif
    &kAdm,
    &kMotion,
    &kMotionV2,
    &kVif,
#ifdef LOCKSTEP_HAS_CAMBI
    &kCambi,
#endif
#ifdef LOCKSTEP_HAS_SSIMULACRA2
    &kSsimulacra2,
#endif
#ifdef LOCKSTEP_HAS_XPSNR
    &kXpsnr,
#endif
};

}  // namespace

std::span<const FeatureDescription* const> FeatureList() { return kFeatures; }

const FeatureDescription* FindFeature(std::string_view name) {
  for (const FeatureDescription* feature : kFeatures) {
    if (feature->name == name) return feature;
  }
  return nullptr;
}

const FeatureDescription* FindFeatureByScore(std::string_view raw_name) {
  for (const FeatureDescription* feature : kFeatures) {
    for (const char* provided : feature->provided) {
      if (provided == raw_name) return feature;
    }
  }
  return nullptr;
}

Result<std::unique_ptr<Feature>> CreateFeature(const FeatureDescription& description, const OptionValues& options,
                                               const VideoFormat& format, CpuTarget target) {
  const PlaneSize minimum = description.minimum_size;
  if (format.width < minimum.width || format.height < minimum.height) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("pictures are {}x{}, but this metric needs at least {}x{}", format.width, format.height,
                             minimum.width, minimum.height),
                 {},
                 {},
                 fmt::format("feature {}", description.name)};
  }
  Result<std::unique_ptr<Feature>> feature = description.create(options, format, target);
  if (!feature && feature.error().field.empty()) feature.error().field = fmt::format("feature {}", description.name);
  return feature;
}

}  // namespace lockstep
