// SPDX-License-Identifier: BSD-2-Clause-Patent
// speed_chroma on CUDA devices that have kernels of their own.
#pragma once

#include "backend/device.h"
#include "features/device/device_program.h"
#include "features/speed/speed_cuda_arguments.h"
#include "features/speed/speed_plane.h"

namespace lockstep {

/// Whether the anti-alias filter has a kernel there.
/// in    method: of the resize; kNearest also where there is none
[[nodiscard]] bool SpeedCudaHasFilter(const SpeedGeometry& geometry, ResizeMethod method, int taps,
                                      const DeviceTraits& traits);

/// Resize, filter and decimation of all planes, in place of the kernels "filter_columns_…" and "filter_rows".
/// in    height: of the decimated planes; sample_bytes: 1 or 2
void AddSpeedCudaFilter(const SpeedCudaFilterArgs& args, ResizeMethod method, int sample_bytes, i32 height,
                        DeviceSteps& steps);

/// Rows of the window that the kernel has in shared memory at a time; 0 where the device has no such kernel or not
/// enough of that memory.
[[nodiscard]] i32 SpeedCudaChunkRows(const SpeedGeometry& geometry, const DeviceTraits& traits);

/// Means and sums of products of all planes, in place of the kernels "means" and "covariances".
/// in    chunk_rows: of SpeedCudaChunkRows(), not 0
void AddSpeedCudaStatistics(const SpeedCudaArgs& args, i32 chunk_rows, DeviceSteps& steps);

}  // namespace lockstep
