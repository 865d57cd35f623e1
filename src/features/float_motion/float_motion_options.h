// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options of float_motion.
#pragma once

#include "features/option_table.h"

namespace lockstep {

inline constexpr OptionSpec kFloatMotionOptions[] = {
    {"debug", nullptr, OptionType::kBool, OptionEffect::kOutputOnly, 1, 0, 1, "also write the plain motion score"},
    {"motion_force_zero", "force_0", OptionType::kBool, OptionEffect::kInName, 0, 0, 1, "every score is 0"},
    {"motion_fps_weight", "mfw", OptionType::kDouble, OptionEffect::kInName, 1.0, 0.0, 5.0,
     "multiplies the score, to make up for the frame rate"},
    {"motion_blend_factor", "mbf", OptionType::kDouble, OptionEffect::kInName, 1.0, 0.0, 1.0,
     "motion3: how much of the part above the blend offset counts"},
    {"motion_blend_offset", "mbo", OptionType::kDouble, OptionEffect::kInName, 40.0, 0.0, 1000.0,
     "motion3: value from which blending starts"},
    {"motion_add_scale1", "mdc", OptionType::kBool, OptionEffect::kInName, 0, 0, 1,
     "add the difference at half resolution"},
    {"motion_filter_size", "mfs", OptionType::kInt, OptionEffect::kInName, 5, 0, 9,
     "taps of the low-pass filter: 1 (none) or 3; every other value means 5"},
    {"motion_add_uv", "mau", OptionType::kBool, OptionEffect::kInName, 0, 0, 1, "add the motion of Cb and Cr"},
    {"motion_max_val", "mmxv", OptionType::kDouble, OptionEffect::kInName, 10000.0, 0.0, 10000.0,
     "no score is above it"},
};

}  // namespace lockstep
