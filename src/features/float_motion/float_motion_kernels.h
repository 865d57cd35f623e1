// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels of float_motion: filter and half resolution of one picture, and the row chains of two.
#pragma once

#include "features/device/device_kernel.h"
#include "features/float_motion/float_motion_arithmetic.h"

namespace lockstep {

/// Every lane filters neighbouring columns, so that its window slides.
template <class Sample, i32 kTapCount>
LOCKSTEP_KERNEL void FloatMotionBlurKernel(const FloatMotionBlurRowArgs& args, KernelItem item) {
  const KernelColumns columns = ColumnsOfLane(args.width, item);
  FloatMotionBlurColumns<Sample, kTapCount>(args, item.row, columns.begin, columns.end);
}

LOCKSTEP_KERNEL void FloatMotionHalveKernel(const FloatMotionHalveRowArgs& args, KernelItem item) {
  FloatMotionHalveRow(args, item.row, item.lane, item.lanes);
}

/// One work-item adds one row: the order of a float sum is part of its value.
LOCKSTEP_KERNEL void FloatMotionSadKernel(const FloatMotionSadRowArgs& args, KernelItem item) {
  FloatMotionSadRow(args, item.row);
}

#define LOCKSTEP_FLOAT_MOTION_BLUR(Name, Sample, taps)                             \
  LOCKSTEP_KERNEL void Name(const FloatMotionBlurRowArgs& args, KernelItem item) { \
    FloatMotionBlurKernel<Sample, taps>(args, item);                               \
  }
LOCKSTEP_FLOAT_MOTION_BLUR(FloatMotionBlur1Narrow, u8, 1)
LOCKSTEP_FLOAT_MOTION_BLUR(FloatMotionBlur3Narrow, u8, 3)
LOCKSTEP_FLOAT_MOTION_BLUR(FloatMotionBlur5Narrow, u8, 5)
LOCKSTEP_FLOAT_MOTION_BLUR(FloatMotionBlur1Wide, u16, 1)
LOCKSTEP_FLOAT_MOTION_BLUR(FloatMotionBlur3Wide, u16, 3)
LOCKSTEP_FLOAT_MOTION_BLUR(FloatMotionBlur5Wide, u16, 5)
#undef LOCKSTEP_FLOAT_MOTION_BLUR

}  // namespace lockstep

// name, type of the arguments, body
#define LOCKSTEP_FLOAT_MOTION_KERNELS(X)                      \
  X(blur1_u8, FloatMotionBlurRowArgs, FloatMotionBlur1Narrow) \
  X(blur3_u8, FloatMotionBlurRowArgs, FloatMotionBlur3Narrow) \
  X(blur5_u8, FloatMotionBlurRowArgs, FloatMotionBlur5Narrow) \
  X(blur1_u16, FloatMotionBlurRowArgs, FloatMotionBlur1Wide)  \
  X(blur3_u16, FloatMotionBlurRowArgs, FloatMotionBlur3Wide)  \
  X(blur5_u16, FloatMotionBlurRowArgs, FloatMotionBlur5Wide)  \
  X(halve, FloatMotionHalveRowArgs, FloatMotionHalveKernel)   \
  X(row_sads, FloatMotionSadRowArgs, FloatMotionSadKernel)
