// SPDX-License-Identifier: BSD-2-Clause-Patent
// The calling thread runs the devices' pipeline, one more thread the processor's.
#include "engine/mixed_pipeline.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/without_exceptions.h"
#include "engine/multi_device_pipeline.h"
#include "engine/shared_source.h"
#include "features/device/device_program.h"

namespace lockstep {
namespace {

constexpr std::size_t kOnProcessor = 0;
constexpr std::size_t kOnDevices = 1;

// Whatever went wrong ends the other pipeline too.
template <class Call>
auto RunSide(SharedSource& shared, std::size_t side, Call call) -> decltype(call()) {
  auto answer = WithoutExceptions("no memory left", call);
  if (answer) {
    shared.Close(side);
  } else {
    shared.Cancel();
  }
  return answer;
}

Result<DevicePipelineResult> RunBoth(std::span<const Feature* const> on_processor,
                                     std::span<const Feature* const> on_devices, const VideoFormat& format,
                                     PairSource& source, const PipelineOptions& options,
                                     std::span<Device* const> devices, const DevicePipelineOptions& device_options,
                                     std::vector<FactTable>& processor_facts) {
  // The processor's pipeline waits for the devices in whatever thread of TBB reads. A device that is the processor
  // computes on the same threads and may need that one, so the pipeline keeps to its own thread there.
  PipelineOptions beside = options;
  const bool shares_threads =
      std::any_of(devices.begin(), devices.end(), [](const Device* d) { return d->properties().is_processor; });
  if (shares_threads) {
    beside.threads = 1;
    beside.other_threads = options.threads - 1;
  }
  SharedSource shared(source, static_cast<std::size_t>(BatchOf(device_options, format, *devices[0])));
  std::optional<Result<PipelineResult>> of_processor;
  std::optional<std::jthread> thread;
  try {
    thread.emplace([&] {
      of_processor =
          RunSide(shared, kOnProcessor, [&] { return RunPipeline(on_processor, shared.side(kOnProcessor), beside); });
    });
  } catch (const std::system_error& failure) {
    return Error{ErrorCode::kInternal, failure.what(), {}, {}, "thread of the processor's metrics"};
  }
  // Progress is that of the processor, which is the slower one.
  PipelineOptions silent = options;
  silent.on_progress = {};
  Result<DevicePipelineResult> result = RunSide(shared, kOnDevices, [&] {
    return RunMultiDevicePipeline(on_devices, format, shared.side(kOnDevices), silent, devices, device_options);
  });
  thread->join();
  // One side's failure cancels the other.
  if (!*of_processor && (result || result.error().code == ErrorCode::kCancelled)) return of_processor->error();
  if (result) processor_facts = std::move((**of_processor).facts);
  return result;
}

}  // namespace

std::vector<bool> FindProcessorMetrics(std::span<const Feature* const> features, const Device& device) {
  std::vector<bool> on_processor;
  for (const Feature* feature : features) {
    on_processor.push_back(feature->MakeDeviceProgram(device.properties().traits) == nullptr);
  }
  return on_processor;
}

Result<DevicePipelineResult> RunMixedPipeline(std::span<const Feature* const> features,
                                              const std::vector<bool>& on_processor, const VideoFormat& format,
                                              PairSource& source, const PipelineOptions& options,
                                              std::span<Device* const> devices,
                                              const DevicePipelineOptions& device_options) {
  std::vector<const Feature*> of_processor;
  std::vector<const Feature*> of_devices;
  for (std::size_t f = 0; f < features.size(); ++f) {
    (on_processor[f] ? of_processor : of_devices).push_back(features[f]);
  }
  if (of_processor.empty()) {
    return RunMultiDevicePipeline(features, format, source, options, devices, device_options);
  }
  DevicePipelineResult result;
  if (of_devices.empty()) {
    Result<PipelineResult> facts = RunPipeline(features, source, options);
    if (!facts) return std::move(facts).error();
    result.facts = *std::move(facts);
    return result;
  }
  std::vector<FactTable> processor_facts;
  Result<DevicePipelineResult> both =
      RunBoth(of_processor, of_devices, format, source, options, devices, device_options, processor_facts);
  if (!both) return both;
  std::vector<FactTable> device_facts = std::move(both->facts.facts);
  both->facts.facts.clear();
  auto next_of_processor = processor_facts.begin();
  auto next_of_devices = device_facts.begin();
  for (std::size_t f = 0; f < features.size(); ++f) {
    both->facts.facts.push_back(std::move(on_processor[f] ? *next_of_processor++ : *next_of_devices++));
  }
  return both;
}

}  // namespace lockstep
