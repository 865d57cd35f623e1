// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs metrics over a stream of picture pairs on a device.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/device.h"
#include "engine/frame_pipeline.h"
#include "engine/pair_source.h"
#include "engine/staging_threads.h"
#include "features/device/device_session.h"
#include "features/feature.h"
#include "lockstep/result.h"
#include "lockstep/score.h"

namespace lockstep {

struct DevicePipelineOptions {
  int batch = 0;  // frames in one launch, 1 … DeviceRequest::kMaximumBatch; 0: by the size of the pictures
  GraphUse graphs = GraphUse::kAutomatic;
  int segment = 0;  // pairs that one of several devices takes at a time; 0: by their size and number
};

struct DevicePipelineResult {
  PipelineResult facts;
  std::vector<DeviceTiming> timings;  // empty unless the device was opened for profiling
};

/// RunPipeline() on a device: the same facts. Pairs held at once: HeldPairs() and two more, besides the source's own
/// queue.
///
/// errors  what the source and the device report; kUnsupported: a metric or GraphUse::kAlways that the device cannot
///         do; kCancelled; kOutOfMemory
[[nodiscard]] Result<DevicePipelineResult> RunDevicePipeline(std::span<const Feature* const> features,
                                                             const VideoFormat& format, PairSource& source,
                                                             const PipelineOptions& options, Device& device,
                                                             const DevicePipelineOptions& device_options);

/// Frames in one launch: what the options say, or as many as suit the device and the size of the pictures.
[[nodiscard]] int BatchOf(const DevicePipelineOptions& options, const VideoFormat& format, const Device& device);

struct OpenSession {
  std::unique_ptr<DeviceSession> session;
  int batch = 0;
};

/// The metrics on the device, as the options want it used. An automatic batch is halved while the device's memory is
/// too small for it.
///
/// in      threads outlive the session
/// errors  kUnsupported: a metric or GraphUse::kAlways that the device cannot do; what the device reports
[[nodiscard]] Result<OpenSession> MakeDeviceSession(std::span<const Feature* const> features, const VideoFormat& format,
                                                    Device& device, const DevicePipelineOptions& options,
                                                    StagingThreads& threads);

}  // namespace lockstep
