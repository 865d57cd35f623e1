// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels of float_psnr: the integer sum of its terms.
#pragma once

#include "features/device/device_kernel.h"
#include "features/float_psnr/float_psnr_arithmetic.h"

namespace lockstep {

struct FloatPsnrArgs {
  const void* reference;  // first sample of the plane
  const void* distorted;
  u64* parts;  // [height][kKernelLanes]
  i32 width;
  i32 height;
  i32 stride;  // in samples, of both planes
};

/// Noise of every lane's columns, in units of 1/scaler^2.
/// in      Sample is u8 for 8 bit, u16 above
/// exact   below 2^47 a row
template <class Sample>
LOCKSTEP_KERNEL void FloatPsnrKernel(const FloatPsnrArgs& args, KernelItem item) {
  const i32 y = LiveRow(item.row, args.height);
  const i64 offset = i64{y} * args.stride;
  const Sample* reference = static_cast<const Sample*>(args.reference) + offset;
  const Sample* distorted = static_cast<const Sample*>(args.distorted) + offset;
  u64 sum = 0;
  for (i32 x = item.lane; x < args.width; x += item.lanes) {
    sum += FloatPsnrSquare(static_cast<i32>(reference[x]) - static_cast<i32>(distorted[x]));
  }
  if (item.row < args.height) args.parts[i64{y} * item.lanes + item.lane] = sum;
}

}  // namespace lockstep

// name, type of the arguments, body
#define LOCKSTEP_FLOAT_PSNR_KERNELS(X)                             \
  X(float_psnr_u8, FloatPsnrArgs, FloatPsnrKernel<lockstep::u8>)   \
  X(float_psnr_u16, FloatPsnrArgs, FloatPsnrKernel<lockstep::u16>) \
  X(sum_lanes, LaneSumArgs, SumLanes)
