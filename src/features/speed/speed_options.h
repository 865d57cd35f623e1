// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options of speed_chroma and speed_temporal.
#pragma once

#include "features/option_table.h"
#include "features/resize/gaussian_filter.h"
#include "features/resize/resize.h"

namespace lockstep {

/// What both have.
inline constexpr OptionSpec kSpeedOptions[] = {
    {"speed_kernelscale", "ks", OptionType::kDouble, OptionEffect::kInName, 1.0, 0.1, 4.0,
     "scale of the Gaussian filters", "", kKernelScales},
    {"speed_prescale", "ps", OptionType::kDouble, OptionEffect::kInName, 1.0, 0.1, 4.0,
     "factor by which pictures are resized before everything else"},
    {"speed_prescale_method", "psm", OptionType::kString, OptionEffect::kInName, 0, 0, 0, "how they are resized",
     "nearest", kResizeMethods},
    {"speed_sigma_nn", "snn", OptionType::kDouble, OptionEffect::kInName, 0.29, 0.1, 2.0, "neural noise"},
    {"speed_nn_floor", "nnf", OptionType::kDouble, OptionEffect::kInName, 0.0, 0.0, 1.0,
     "by which fraction the neural noise is raised; blocks with less entropy in both pictures do not count"},
};

inline constexpr OptionSpec kSpeedChromaOptions[] = {
    kSpeedOptions[0],
    kSpeedOptions[1],
    kSpeedOptions[2],
    kSpeedOptions[3],
    kSpeedOptions[4],
    {"speed_max_val", "mxv", OptionType::kDouble, OptionEffect::kInName, 1000.0, 0.0, 1000.0, "no score is above it"},
    {"speed_weight_var_mode", "wvm", OptionType::kInt, OptionEffect::kInName, 0, 0, 6,
     "whose variances weigh the entropies: 0 each its own, 1 the reference's, 2 the distorted picture's, 3 the mean, 4 "
     "to 6 its own for the reference and for the distorted picture a mixture with a half, a quarter or three quarters "
     "of its own"},
};

inline constexpr OptionSpec kSpeedTemporalOptions[] = {
    kSpeedOptions[0],
    kSpeedOptions[1],
    kSpeedOptions[2],
    kSpeedOptions[3],
    kSpeedOptions[4],
    {"speed_max_val", "mxv", OptionType::kDouble, OptionEffect::kInName, 1000.0, 0.0, 1000.0,
     "part of the name only: libvmaf does not apply it either"},
    {"speed_use_ref_diff", "urd", OptionType::kBool, OptionEffect::kInName, 0, 0, 1,
     "the distorted picture's change is that to the reference picture"},
};

}  // namespace lockstep
