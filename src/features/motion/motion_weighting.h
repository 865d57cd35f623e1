// SPDX-License-Identifier: BSD-2-Clause-Patent
// What turns a frame's difference into a motion score; the same for integer and float motion.
#pragma once

#include "features/option_table.h"

namespace lockstep {

/// exact   binary64, in the order written; a minimum takes its second operand when both are equal
/// source  libvmaf 3.2.0, motion_blend_tools.h
struct MotionWeighting {
  double fps_weight = 1.0;
  double max_value = 10000.0;
  double blend_factor = 1.0;
  double blend_offset = 40.0;

  explicit MotionWeighting(const OptionValues& options)
      : fps_weight(options.GetDouble("motion_fps_weight")),
        max_value(options.GetDouble("motion_max_val")),
        blend_factor(options.GetDouble("motion_blend_factor")),
        blend_offset(options.GetDouble("motion_blend_offset")) {}

  [[nodiscard]] static double Minimum(double a, double b) { return a < b ? a : b; }
  [[nodiscard]] double Weigh(double value) const { return value * fps_weight; }
  [[nodiscard]] double Clip(double value) const { return Minimum(value, max_value); }
  [[nodiscard]] double Blend(double value) const {
    return (value * blend_factor) + ((1 - blend_factor) * Minimum(blend_offset, value));
  }
};

}  // namespace lockstep
