// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernel of motion and motion_v2: difference first, then the filter, then magnitudes.
#pragma once

#include "features/device/device_kernel.h"
#include "features/motion/motion_arithmetic.h"

namespace lockstep {

struct MotionArgs {
  const void* previous;  // first sample of the plane
  const void* current;
  u64* parts;  // [height][kKernelLanes]
  i32 width;   // >= 3
  i32 height;  // >= 3
  i32 stride;  // in samples, of both planes
  i32 bit_depth;
};

/// Every lane does neighbouring columns, so that its window of filtered differences slides.
template <class Sample, bool kWide>
LOCKSTEP_KERNEL void MotionKernel(const MotionArgs& args, KernelItem item) {
  const i32 y = LiveRow(item.row, args.height);
  const MotionRowArgs row = {args.previous, args.current, nullptr,     args.width,
                             args.height,   args.stride,  args.stride, args.bit_depth};
  const KernelColumns columns = ColumnsOfLane(args.width, item);
  const u32 sad = MotionColumnsSad<Sample, kWide>(row, y, columns.begin, columns.end);
  if (item.row < args.height) args.parts[i64{y} * item.lanes + item.lane] = sad;
}

LOCKSTEP_KERNEL void MotionKernel8(const MotionArgs& args, KernelItem item) { MotionKernel<u8, false>(args, item); }
LOCKSTEP_KERNEL void MotionKernel15(const MotionArgs& args, KernelItem item) { MotionKernel<u16, false>(args, item); }
LOCKSTEP_KERNEL void MotionKernel16(const MotionArgs& args, KernelItem item) { MotionKernel<u16, true>(args, item); }

}  // namespace lockstep

// name, type of the arguments, body
#define LOCKSTEP_MOTION_KERNELS(X)           \
  X(motion_u8, MotionArgs, MotionKernel8)    \
  X(motion_u16, MotionArgs, MotionKernel15)  \
  X(motion_wide, MotionArgs, MotionKernel16) \
  X(sum_lanes, LaneSumArgs, SumLanes)
