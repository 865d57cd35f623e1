// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options of motion and motion_v2.
#pragma once

#include "features/option_table.h"

namespace lockstep {

inline constexpr OptionSpec kMotionOptions[] = {
    {"debug", nullptr, OptionType::kBool, OptionEffect::kOutputOnly, 0, 0, 1,
     "also write the score under the name of the plain motion score"},
    {"motion_force_zero", "force_0", OptionType::kBool, OptionEffect::kInName, 0, 0, 1, "every score is 0"},
    {"motion_blend_factor", "mbf", OptionType::kDouble, OptionEffect::kInName, 1.0, 0.0, 1.0,
     "motion3: how much of the part above the blend offset counts"},
    {"motion_blend_offset", "mbo", OptionType::kDouble, OptionEffect::kInName, 40.0, 0.0, 1000.0,
     "motion3: value from which blending starts"},
    {"motion_fps_weight", "mfw", OptionType::kDouble, OptionEffect::kInName, 1.0, 0.0, 5.0,
     "multiplies the score, to make up for the frame rate"},
    {"motion_max_val", "mmxv", OptionType::kDouble, OptionEffect::kInName, 10000.0, 0.0, 10000.0,
     "no score is above it"},
    {"motion_five_frame_window", "mffw", OptionType::kBool, OptionEffect::kInName, 0, 0, 1,
     "compare with the picture two frames earlier instead of one"},
    {"motion_moving_average", "mma", OptionType::kBool, OptionEffect::kInName, 0, 0, 1,
     "motion3: average with the frame before"},
    {"motion_add_uv", "mau", OptionType::kBool, OptionEffect::kInName, 0, 0, 1,
     "add the motion of Cb and Cr (not in libvmaf)"},
};

}  // namespace lockstep
