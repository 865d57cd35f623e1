// SPDX-License-Identifier: BSD-2-Clause-Patent
// Copies and fills of any size at any address: Metal's own want multiples of four bytes.
#include <metal_stdlib>

struct CopyRows {
  const device unsigned char* from;
  device unsigned char* to;
  unsigned long from_pitch;
  unsigned long to_pitch;
  unsigned long row_bytes;
  unsigned long rows;
};

struct Fill {
  device unsigned char* to;
  unsigned long bytes;
  unsigned int value;
};

// A group goes through rows of its own, so that any number of groups does the work.
kernel void lockstep_copy_rows(constant CopyRows& copy [[buffer(0)]], uint group [[threadgroup_position_in_grid]],
                               uint groups [[threadgroups_per_grid]], uint lane [[thread_position_in_threadgroup]],
                               uint lanes [[threads_per_threadgroup]]) {
  for (unsigned long y = group; y < copy.rows; y += groups) {
    for (unsigned long x = lane; x < copy.row_bytes; x += lanes) {
      copy.to[y * copy.to_pitch + x] = copy.from[y * copy.from_pitch + x];
    }
  }
}

kernel void lockstep_copy_fill(constant Fill& fill [[buffer(0)]], uint item [[thread_position_in_grid]],
                               uint items [[threads_per_grid]]) {
  for (unsigned long i = item; i < fill.bytes; i += items) fill.to[i] = static_cast<unsigned char>(fill.value);
}
