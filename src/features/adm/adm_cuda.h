// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm on CUDA devices that have kernels of their own.
#pragma once

#include <cstddef>
#include <memory>

#include "backend/device.h"
#include "features/adm/adm_cuda_arguments.h"
#include "features/adm/adm_frame.h"
#include "features/device/device_program.h"

namespace lockstep {

/// Whether the fast kernels give the sums of a scale; the general ones always do.
/// exact   They know no edge of a row, they multiply by whole gain limits only, and weighted coefficients must fit:
///         at scale 0 16 bits, neighbour terms included, above signed factors.
[[nodiscard]] bool AdmHasFastKernels(const AdmPlan& plan, std::size_t scale);

/// The segments of a launch: a strip takes about as long as its rows and one more for every one that it starts with,
/// and a multiprocessor works on a number of strips at a time.
/// in      rows, strips: of a frame; resident: groups on a multiprocessor
/// out     segments cover the rows, none is empty
[[nodiscard]] AdmSegmentPlan PlanAdmSegments(int rows, int strips, int frames, int multiprocessors, int resident);

/// The facts of AdmFrame, for pictures whose rows start at multiples of 64 bytes.
[[nodiscard]] std::unique_ptr<DeviceProgram> MakeAdmCudaProgram(const AdmPlan& plan, const DeviceTraits& traits);

}  // namespace lockstep
