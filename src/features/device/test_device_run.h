// SPDX-License-Identifier: BSD-2-Clause-Patent
// For the tests of metrics: a device program run on the host, work-item by work-item, or on a device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "backend/device.h"
#include "base/aligned_buffer.h"
#include "features/device/device_program.h"
#include "features/device/device_session.h"
#include "features/device/host_device.h"
#include "features/device/kernel_list.h"
#include "features/feature.h"
#include "features/test_run.h"

namespace lockstep::test_run {

inline const KernelDescription* FindKernel(std::string_view module, std::string_view name) {
  for (const KernelDescription& kernel : KernelList()) {
    if (kernel.module == module && kernel.name == name) return &kernel;
  }
  return nullptr;
}

/// Runs every work-item of every step, idle ones included.
inline void RunSteps(std::string_view module, const DeviceSteps& steps) {
  for (const DeviceStep& step : steps.steps()) {
    const KernelDescription* const kernel = FindKernel(module, step.kernels.front());
    ASSERT_NE(kernel, nullptr) << module << " " << step.kernels.front();
    ASSERT_EQ(kernel->argument_bytes, step.argument_bytes) << step.kernels.front();
    AlignedBuffer arguments;
    arguments.Resize(step.argument_bytes);
    const std::span<const std::byte> bytes = steps.arguments(step);
    std::copy(bytes.begin(), bytes.end(), arguments.data());
    const KernelLaunch launch = {arguments.data(), step.work_items(), step.lanes_shift};
    for (int item = 0; item < step.work_items(); ++item) kernel->run(launch, item);
  }
}

/// Memory filled with a pattern, so that a read of what nobody wrote shows.
inline AlignedBuffer PatternBuffer(std::size_t bytes) {
  AlignedBuffer buffer;
  buffer.Resize(std::max<std::size_t>(bytes, 1));
  std::fill_n(buffer.data(), bytes, std::byte{0xa5});
  return buffer;
}

/// The window of frame `n`, without what Prepare() makes.
inline FrameWindow WindowOf(const Feature& feature, std::span<const Frame> reference, std::span<const Frame> distorted,
                            std::size_t n) {
  FrameWindow window;
  window.index = static_cast<std::int64_t>(n);
  window.reference = &reference[n];
  window.distorted = feature.needs_distorted() ? &distorted[n] : nullptr;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(feature.reach().picture_lead_in) && k <= n; ++k) {
    window.earlier_reference[k] = &reference[n - k];
  }
  return window;
}

/// Facts of every frame, by the metric's device program in a session as the engine has it.
inline std::vector<std::vector<Fact>> DeviceFactsOn(Device& device, const Feature& feature,
                                                    std::span<const Frame> reference, std::span<const Frame> distorted,
                                                    const DeviceSessionOptions& options) {
  const Feature* const features[] = {&feature};
  Result<std::unique_ptr<DeviceSession>> made =
      DeviceSession::Create(device, reference.front().format(), features, options);
  EXPECT_TRUE(made) << made.error().Describe();
  if (!made) return {};
  DeviceSession& session = **made;
  std::vector<std::vector<Fact>> all;
  const auto take = [&] {
    const Status status = session.Take();
    EXPECT_TRUE(status) << status.error().Describe();
    const std::size_t end = std::min(reference.size(), all.size() + static_cast<std::size_t>(options.batch));
    for (std::size_t i = 0; all.size() < end; ++i) {
      std::vector<Fact> facts(static_cast<std::size_t>(feature.fact_count()));
      session.program(0).Collect(WindowOf(feature, reference, distorted, all.size()), session.results(0, i), facts);
      all.push_back(facts);
    }
  };
  for (std::size_t begin = 0; begin < reference.size(); begin += static_cast<std::size_t>(options.batch)) {
    std::vector<BatchFrame> frames;
    for (std::size_t n = begin; n < reference.size() && frames.size() < static_cast<std::size_t>(options.batch); ++n) {
      frames.push_back({&reference[n], feature.needs_distorted() ? &distorted[n] : nullptr, {1}});
    }
    if (session.pending() == DeviceSession::kMaximumPending) take();
    session.Submit(frames);
  }
  while (session.pending() > 0) take();
  return all;
}

/// The same on the host, frame by frame.
inline std::vector<std::vector<Fact>> DeviceFacts(const Feature& feature, std::span<const Frame> reference,
                                                  std::span<const Frame> distorted) {
  const std::unique_ptr<Device> device = MakeHostDevice(HostOrder::kLate);
  return DeviceFactsOn(*device, feature, reference, distorted, {1, false});
}

/// Facts of every frame, by the scalar code.
inline std::vector<std::vector<Fact>> ScalarFacts(const Feature& feature, std::span<const Frame> reference,
                                                  std::span<const Frame> distorted) {
  const std::unique_ptr<Workspace> workspace = feature.MakeWorkspace();
  std::vector<AlignedBuffer> prepared;
  std::vector<std::vector<Fact>> all;
  for (std::size_t n = 0; n < reference.size(); ++n) {
    AlignedBuffer buffer;
    if (feature.prepared_bytes() != 0) {
      buffer.Resize(feature.prepared_bytes());
      feature.Prepare(reference[n], workspace.get(), buffer.data());
    }
    prepared.push_back(std::move(buffer));
    FrameWindow window = WindowOf(feature, reference, distorted, n);
    for (std::size_t k = 0; k < window.prepared.size(); ++k) {
      const bool has_picture = feature.prepared_bytes() != 0 && window.earlier_reference[k] != nullptr;
      if (has_picture) window.prepared[k] = prepared[n - k].data();
    }
    std::vector<Fact> facts(static_cast<std::size_t>(feature.fact_count()));
    feature.Extract(window, workspace.get(), facts);
    all.push_back(facts);
  }
  return all;
}

}  // namespace lockstep::test_run
