// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels that bring pictures which are on the device already to where the metrics look for them.
#pragma once

#include "features/device/device_kernel.h"

namespace lockstep {

/// One plane.
struct GatherArgs {
  const u8* from;
  u8* to;
  i64 from_pitch;  // bytes
  i64 to_pitch;
  i32 words;  // of 8 bytes, that the kernel copies as such; 0 where an address or a pitch is not aligned to them
  i32 row_bytes;
  i32 height;
  i32 shift;  // samples of two bytes lie this far above their value: 0 … 15; 0 for gather
};

LOCKSTEP_KERNEL void GatherKernel(const GatherArgs& args, KernelItem item) {
  const i32 y = LiveRow(item.row, args.height);
  const u8* const from = args.from + y * args.from_pitch;
  u8* const to = args.to + y * args.to_pitch;
  for (i32 x = item.lane; x < args.words; x += item.lanes) {
    const u64 word = reinterpret_cast<const u64*>(from)[x];
    if (item.row < args.height) reinterpret_cast<u64*>(to)[x] = word;
  }
  constexpr i32 kWordBytes = 8;
  for (i32 x = args.words * kWordBytes + item.lane; x < args.row_bytes; x += item.lanes) {
    const u8 byte = from[x];
    if (item.row < args.height) to[x] = byte;
  }
}

/// Brings samples of two bytes down to their value.
LOCKSTEP_KERNEL void GatherShiftedKernel(const GatherArgs& args, KernelItem item) {
  const i32 y = LiveRow(item.row, args.height);
  const u16* const from = reinterpret_cast<const u16*>(args.from + y * args.from_pitch);
  u16* const to = reinterpret_cast<u16*>(args.to + y * args.to_pitch);
  const i32 width = args.row_bytes / 2;
  for (i32 x = item.lane; x < width; x += item.lanes) {
    const i32 sample = static_cast<i32>(from[x]) >> args.shift;
    if (item.row < args.height) to[x] = static_cast<u16>(sample);
  }
}

}  // namespace lockstep

// name, type of the arguments, body
#define LOCKSTEP_PICTURE_KERNELS(X)   \
  X(gather, GatherArgs, GatherKernel) \
  X(gather_shifted, GatherArgs, GatherShiftedKernel)
