// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs metrics over a stream of picture pairs on devices and, where they have no kernels, on the processor.
#pragma once

#include <span>
#include <vector>

#include "backend/device.h"
#include "engine/device_pipeline.h"
#include "engine/frame_pipeline.h"
#include "engine/pair_source.h"
#include "features/feature.h"
#include "lockstep/result.h"

namespace lockstep {

/// For each metric whether the device has no kernels for it, its options and the format of its pictures.
[[nodiscard]] std::vector<bool> FindProcessorMetrics(std::span<const Feature* const> features, const Device& device);

/// RunMultiDevicePipeline() for some metrics and RunPipeline() for those that are marked, at the same time: the same
/// facts, in the order of `features`. Each picture is read once; those of marked metrics lie on the host.
///
/// Pairs held at once: those of both pipelines, and as many as make a batch.
///
/// errors  of either pipeline: the first one ends both
[[nodiscard]] Result<DevicePipelineResult> RunMixedPipeline(std::span<const Feature* const> features,
                                                            const std::vector<bool>& on_processor,
                                                            const VideoFormat& format, PairSource& source,
                                                            const PipelineOptions& options,
                                                            std::span<Device* const> devices,
                                                            const DevicePipelineOptions& device_options);

}  // namespace lockstep
