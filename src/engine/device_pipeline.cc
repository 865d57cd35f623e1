// SPDX-License-Identifier: BSD-2-Clause-Patent
// One thread: reads a pair, gives it to the device's batches, and receives the facts of earlier ones.
#include "engine/device_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>
#include <stop_token>
#include <utility>

#include "engine/device_batches.h"
#include "engine/wanted_frames.h"

namespace lockstep {
namespace {

Result<PipelineResult> Run(std::span<const Feature* const> features, PairSource& source, const PipelineOptions& options,
                           DeviceSession& session, int batch) {
  const std::stop_callback on_stop(options.stop, [&] { source.Cancel(); });
  const WantedFrames wanted(options);
  DeviceFacts facts(features, wanted, options);
  DeviceBatches batches(features, wanted, session, batch, facts);
  std::int64_t next_picture = options.first_picture;
  for (;;) {
    if (options.stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled", {}, {}, {}};
    FramePair pair;
    Result<bool> more = source.Next(pair);
    if (!more) return std::move(more).error();
    if (!*more) break;
    if (Status status = batches.Add(std::move(pair), next_picture++, false); !status) return std::move(status).error();
  }
  if (Status status = batches.Finish(); !status) return std::move(status).error();
  PipelineResult result{facts.Take(), next_picture};
  wanted.Complete(features, next_picture, result.facts);
  return result;
}

}  // namespace

int BatchOf(const DevicePipelineOptions& options, const VideoFormat& format, const Device& device) {
  return options.batch != 0 ? options.batch : AutomaticBatch(format, device.properties().traits);
}

Result<OpenSession> MakeDeviceSession(std::span<const Feature* const> features, const VideoFormat& format,
                                      Device& device, const DevicePipelineOptions& options, StagingThreads& threads) {
  const DeviceProperties& properties = device.properties();
  if (options.graphs == GraphUse::kAlways && !properties.has_graphs) {
    return Error{ErrorCode::kUnsupported, fmt::format("{} cannot record graphs", properties.name), {}, {}, "graph"};
  }
  DeviceSessionOptions session_options;
  session_options.batch = BatchOf(options, format, device);
  // A graph saves launches, which cost nothing to speak of on a processor.
  session_options.use_graphs =
      options.graphs == GraphUse::kAlways ||
      (options.graphs == GraphUse::kAutomatic && properties.has_graphs && !properties.is_processor);
  session_options.for_each = threads.for_each();
  for (;;) {
    Result<std::unique_ptr<DeviceSession>> session = DeviceSession::Create(device, format, features, session_options);
    if (session) return OpenSession{*std::move(session), session_options.batch};
    const bool may_halve = options.batch == 0 && session_options.batch > 1;
    if (!may_halve || session.error().code != ErrorCode::kOutOfMemory) return std::move(session).error();
    session_options.batch /= 2;
  }
}

Result<DevicePipelineResult> RunDevicePipeline(std::span<const Feature* const> features, const VideoFormat& format,
                                               PairSource& source, const PipelineOptions& options, Device& device,
                                               const DevicePipelineOptions& device_options) {
  try {
    StagingThreads threads(options.threads);
    Result<OpenSession> open = MakeDeviceSession(features, format, device, device_options, threads);
    if (!open) return std::move(open).error();
    Result<PipelineResult> facts = Run(features, source, options, *open->session, open->batch);
    if (!facts) return std::move(facts).error();
    DevicePipelineResult result;
    result.facts = *std::move(facts);
    result.timings = open->session->TakeTimings();
    return result;
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "not enough memory for the pictures and the results", {}, {}, {}};
  }
}

}  // namespace lockstep
