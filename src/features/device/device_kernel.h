// SPDX-License-Identifier: BSD-2-Clause-Patent
// How a kernel finds its frame, row and lane, on every backend; and the sum over lanes that most metrics end with.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// Lanes of a row: neighbouring work-items that share it. Work-item = (frame, row, lane).
inline constexpr i32 kKernelLanes = 32;
/// Work-items of one frame are a multiple of this, so that no group belongs to two frames.
inline constexpr i32 kKernelGroup = 64;

/// Where a work-item stands. Rows past the last one are idle: they redo the last row and store nothing.
struct KernelItem {
  i32 row;
  i32 lane;   // 0 … lanes - 1
  i32 lanes;  // 1 where one work-item does a whole row
};

/// The only argument of a kernel: one block of arguments for each frame of the batch, in device memory.
struct KernelLaunch {
  const void* frames;
  i32 items_per_frame;  // a multiple of kKernelGroup
  i32 lanes_shift;      // lanes = 1 << lanes_shift
};

/// The only argument of a kernel that plans its own groups, for one kind of device.
struct GroupLaunch {
  const void* frames;  // argument blocks, one for each frame of the batch, 16-byte aligned
  i32 frame_count;
  i32 plan;  // GroupPlan::plan
};

/// Runs the body of one work-item.
/// in    Body(const Args&, KernelItem): no return before its end, no array of its own, no function that is not inlined
template <class Args, void (*Body)(const Args&, KernelItem)>
LOCKSTEP_KERNEL void RunKernel(const KernelLaunch& launch, i32 work_item) {
  const i32 frame = work_item / launch.items_per_frame;
  const i32 item = work_item - frame * launch.items_per_frame;
  const i32 lanes = 1 << launch.lanes_shift;
  Body(static_cast<const Args*>(launch.frames)[frame], {item >> launch.lanes_shift, item & (lanes - 1), lanes});
}

/// Columns of a row that one lane does, next to each other; the other way of sharing a row is lane, lane + lanes, ….
struct KernelColumns {
  i32 begin;
  i32 end;
};

LOCKSTEP_KERNEL KernelColumns ColumnsOfLane(i32 width, KernelItem item) {
  const i32 share = (width + item.lanes - 1) / item.lanes;
  const i32 begin = share * item.lane;
  const i32 end = begin + share;
  return {begin < width ? begin : width, end < width ? end : width};
}

/// Sums over the lanes of each row: one work-item a row.
struct LaneSumArgs {
  const u64* parts;  // [height][kKernelLanes][values]
  u64* sums;         // [height][values]
  i32 height;
  i32 values;
};

/// exact   modulo 2^64, in any order
LOCKSTEP_KERNEL void SumLanes(const LaneSumArgs& args, KernelItem item) {
  const i32 y = LiveRow(item.row, args.height);
  const i64 values = args.values;
  for (i32 value = 0; value < args.values; ++value) {
    u64 sum = 0;
    LOCKSTEP_ROLLED
    for (i32 lane = 0; lane < kKernelLanes; ++lane) sum += args.parts[(i64{y} * kKernelLanes + lane) * values + value];
    if (item.row < args.height) args.sums[y * values + value] = sum;
  }
}

}  // namespace lockstep
