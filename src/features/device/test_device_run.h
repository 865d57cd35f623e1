// SPDX-License-Identifier: BSD-2-Clause-Patent
// For the tests of metrics: a device program run on the host, work-item by work-item.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/device/device_program.h"
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
    const KernelDescription* const kernel = FindKernel(module, step.kernel);
    ASSERT_NE(kernel, nullptr) << module << " " << step.kernel;
    ASSERT_EQ(kernel->argument_bytes, step.argument_bytes) << step.kernel;
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

/// Facts of every frame, by the metric's device program; planes are used where they are.
inline std::vector<std::vector<Fact>> DeviceFacts(const Feature& feature, std::span<const Frame> reference,
                                                  std::span<const Frame> distorted) {
  const std::unique_ptr<DeviceProgram> program = feature.MakeDeviceProgram();
  EXPECT_NE(program, nullptr);
  if (program == nullptr) return {};
  const DeviceNeeds needs = program->needs();
  const AlignedBuffer table = PatternBuffer(needs.table);
  program->FillTable(const_cast<std::byte*>(table.data()));
  const auto picture = [](const Frame& frame) {
    DevicePicture planes;
    for (int p = 0; p < frame.format().plane_count(); ++p) {
      const PlaneView view = frame.plane(p);
      planes[static_cast<std::size_t>(p)] = {view.data,
                                             static_cast<int>(view.stride_bytes / frame.format().bytes_per_sample())};
    }
    return planes;
  };
  std::vector<AlignedBuffer> prepared;
  std::vector<std::vector<Fact>> all;
  for (std::size_t n = 0; n < reference.size(); ++n) {
    prepared.push_back(PatternBuffer(needs.prepared));
    const AlignedBuffer scratch = PatternBuffer(needs.scratch);
    const AlignedBuffer results = PatternBuffer(needs.results);
    DeviceFrame frame;
    frame.reference = picture(reference[n]);
    if (feature.needs_distorted()) frame.distorted = picture(distorted[n]);
    FrameWindow window;
    window.index = static_cast<std::int64_t>(n);
    window.reference = &reference[n];
    window.distorted = feature.needs_distorted() ? &distorted[n] : nullptr;
    for (std::size_t k = 0; k < 3; ++k) {
      // Before the first frame: any picture.
      const std::size_t earlier = n >= k ? n - k : 0;
      frame.earlier_reference[k] = picture(reference[earlier]);
      frame.prepared[k] = prepared[earlier].data();
      if (n >= k && static_cast<int>(k) <= feature.reach().picture_lead_in) {
        window.earlier_reference[k] = &reference[n - k];
      }
    }
    frame.scratch = const_cast<std::byte*>(scratch.data());
    frame.results = const_cast<std::byte*>(results.data());
    frame.table = table.data();
    DeviceSteps picture_steps;
    program->AddPictureSteps(frame, picture_steps);
    RunSteps(program->module(), picture_steps);
    DeviceSteps steps;
    program->AddSteps(frame, steps);
    RunSteps(program->module(), steps);
    std::vector<Fact> facts(static_cast<std::size_t>(feature.fact_count()));
    program->Collect(window, results.data(), facts);
    all.push_back(facts);
  }
  return all;
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
    FrameWindow window;
    window.index = static_cast<std::int64_t>(n);
    window.reference = &reference[n];
    window.distorted = feature.needs_distorted() ? &distorted[n] : nullptr;
    for (std::size_t k = 0; k <= static_cast<std::size_t>(feature.reach().picture_lead_in) && k <= n; ++k) {
      window.earlier_reference[k] = &reference[n - k];
      if (feature.prepared_bytes() != 0) window.prepared[k] = prepared[n - k].data();
    }
    std::vector<Fact> facts(static_cast<std::size_t>(feature.fact_count()));
    feature.Extract(window, workspace.get(), facts);
    all.push_back(facts);
  }
  return all;
}

}  // namespace lockstep::test_run
