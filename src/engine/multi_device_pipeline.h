// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs metrics over a stream of picture pairs on several devices at once.
#pragma once

#include <span>

#include "backend/device.h"
#include "engine/device_pipeline.h"
#include "engine/frame_pipeline.h"
#include "engine/pair_source.h"
#include "features/feature.h"
#include "lockstep/result.h"

namespace lockstep {

/// RunDevicePipeline() on every device of the list, which may name one several times: the same facts. The sequence is
/// cut into segments as the source delivers it; a device that has none takes the next one, so that a faster device does
/// more of them. The pictures that the first facts of a segment look back to are sent to its device again. With one
/// device there are no segments.
///
/// Pairs held at once: for each device a segment, HeldPairs() and one batch more; and one segment besides. A segment is
/// as long as SegmentLength() says.
///
/// errors  as RunDevicePipeline(): the first one that any device or the source reports ends the run on all
[[nodiscard]] Result<DevicePipelineResult> RunMultiDevicePipeline(std::span<const Feature* const> features,
                                                                  const VideoFormat& format, PairSource& source,
                                                                  const PipelineOptions& options,
                                                                  std::span<Device* const> devices,
                                                                  const DevicePipelineOptions& device_options);

/// Pairs of a segment: at most 256, at most 1 GiB of what the metrics look at unless a batch has more, and four for
/// each device where the length of the sequence is known. With `lead_in` pairs before it, it fills whole batches.
[[nodiscard]] int SegmentLength(std::int64_t pair_bytes, int batch, int lead_in, std::size_t devices,
                                std::optional<std::int64_t> pairs);

}  // namespace lockstep
