// SPDX-License-Identifier: BSD-2-Clause-Patent
// How the groups of speed_chroma's CUDA kernels cover frames.
#include "features/speed/speed_cuda.h"

#include <algorithm>
#include <cstdint>

namespace lockstep {

bool SpeedCudaHasFilter(const SpeedGeometry& geometry, ResizeMethod method, int taps, const DeviceTraits& traits) {
  return traits.tuned == "cuda80" && taps == kSpeedCudaTaps &&
         (method == ResizeMethod::kNearest || method == ResizeMethod::kBilinear) &&
         SpeedFilterSharedBytes(geometry.prepared.width) <= traits.local_bytes;
}

void AddSpeedCudaFilter(const SpeedCudaFilterArgs& args, ResizeMethod method, int sample_bytes, i32 height,
                        DeviceSteps& steps) {
  const i32 groups = height * kSpeedPlanes;
  const auto plan = [groups, local_bytes = SpeedFilterSharedBytes(args.width)](int frames) {
    return GroupPlan{0, static_cast<std::uint64_t>(groups) * static_cast<std::uint64_t>(frames), kSpeedFilterThreads,
                     local_bytes, groups};
  };
  const bool is_narrow = sample_bytes == 1;
  const char* const nearest = is_narrow ? "filter_nearest_u8" : "filter_nearest_u16";
  const char* const bilinear = is_narrow ? "filter_bilinear_u8" : "filter_bilinear_u16";
  steps.AddGroups({method == ResizeMethod::kNearest ? nearest : bilinear}, plan, args);
}

i32 SpeedCudaChunkRows(const SpeedGeometry& geometry, const DeviceTraits& traits) {
  if (traits.tuned != "cuda80") return 0;
  const i32 width = geometry.window().width;
  // The kernel has the means there as well.
  const i32 bytes = traits.local_bytes - kSpeedPositions * static_cast<i32>(sizeof(float));
  i32 rows = std::min(kSpeedChunkRows, geometry.window().height);
  while (rows > 0 && SpeedSharedBytes(width, rows) > bytes) --rows;
  return rows;
}

void AddSpeedCudaStatistics(const SpeedCudaArgs& args, i32 chunk_rows, DeviceSteps& steps) {
  const i32 local_bytes = SpeedSharedBytes(args.width, chunk_rows);
  const auto plan = [chunk_rows, local_bytes](int frames) {
    return GroupPlan{0, static_cast<std::uint64_t>(kSpeedGroupsOfFrame) * static_cast<std::uint64_t>(frames),
                     kSpeedGroupThreads, local_bytes, chunk_rows};
  };
  steps.AddGroups({"statistics"}, plan, args);
}

}  // namespace lockstep
