// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs metrics over a stream of picture pairs on a device.
#pragma once

#include <span>
#include <vector>

#include "backend/device.h"
#include "engine/frame_pipeline.h"
#include "engine/pair_source.h"
#include "features/feature.h"
#include "lockstep/result.h"
#include "lockstep/score.h"

namespace lockstep {

struct DevicePipelineOptions {
  int batch = 0;  // frames in one launch, 1 … DeviceRequest::kMaximumBatch; 0: by the size of the pictures
  GraphUse graphs = GraphUse::kAutomatic;
};

struct DevicePipelineResult {
  PipelineResult facts;
  std::vector<DeviceTiming> timings;  // empty unless the device was opened for profiling
};

/// RunPipeline() on a device: the same facts. Memory on the host: at most four batches of pairs besides the source's
/// own queue.
///
/// errors  what the source and the device report; kUnsupported: a metric or GraphUse::kAlways that the device cannot
/// do;
///         kCancelled; kOutOfMemory
[[nodiscard]] Result<DevicePipelineResult> RunDevicePipeline(std::span<const Feature* const> features,
                                                             const VideoFormat& format, PairSource& source,
                                                             const PipelineOptions& options, Device& device,
                                                             const DevicePipelineOptions& device_options);

}  // namespace lockstep
