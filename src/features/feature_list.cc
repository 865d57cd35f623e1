// SPDX-License-Identifier: BSD-2-Clause-Patent
// The only list of metrics.
#include "features/feature_list.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "features/adm/adm.h"
#include "features/cambi/cambi.h"
#include "features/ciede/ciede.h"
#include "features/float_adm/float_adm.h"
#include "features/float_ansnr/float_ansnr.h"
#include "features/float_moment/float_moment.h"
#include "features/float_motion/float_motion.h"
#include "features/float_ms_ssim/float_ms_ssim.h"
#include "features/float_psnr/float_psnr.h"
#include "features/float_ssim/float_ssim.h"
#include "features/float_vif/float_vif.h"
#include "features/motion/motion.h"
#include "features/psnr/psnr.h"
#include "features/psnr_hvs/psnr_hvs.h"
#include "features/speed/speed.h"
#include "features/ssim/ssim.h"
#include "features/ssimulacra2/ssimulacra2.h"
#include "features/vif/vif.h"
#include "features/xpsnr/xpsnr.h"

namespace lockstep {
namespace {

// The order decides which metric a model's score name finds first.
constexpr const FeatureDescription* kFeatures[] = {
    &kFloatPsnr,     &kFloatAnsnr,  &kFloatAdm,  &kFloatVif, &kFloatMotion, &kFloatMoment, &kSpeedChroma,
    &kSpeedTemporal, &kFloatMsSsim, &kFloatSsim, &kSsim,     &kCiede,       &kPsnr,        &kPsnrHvs,
    &kAdm,           &kMotion,      &kMotionV2,  &kVif,      &kCambi,       &kSsimulacra2, &kXpsnr,
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
