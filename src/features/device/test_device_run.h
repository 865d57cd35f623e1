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

/// Memory of a test on a device; a failure to get it fails the test.
class TestMemory {
 public:
  explicit TestMemory(Device& device) : device_(device) {}
  std::byte* OnDevice(std::size_t bytes) { return Keep(device_.AllocateOnDevice(bytes)); }
  std::byte* Pinned(std::size_t bytes) { return Keep(device_.AllocatePinned(bytes)); }

 private:
  std::byte* Keep(Result<std::byte*> memory) {
    EXPECT_TRUE(memory) << memory.error().Describe();
    if (!memory) return nullptr;
    kept_.emplace_back(device_, *memory);
    return *memory;
  }

  Device& device_;
  std::vector<DeviceMemory> kept_;
};

/// Launches each step once for all frames of a batch, whose steps differ in their arguments only.
inline void LaunchSteps(Device& device, DeviceStream& stream, TestMemory& memory, std::string_view module,
                        std::span<const DeviceSteps> batch) {
  const std::span<const DeviceStep> first = batch.front().steps();
  for (std::size_t s = 0; s < first.size(); ++s) {
    const DeviceStep& step = first[s];
    Result<const DeviceKernel*> kernel = device.FindKernel(module, step.kernel);
    ASSERT_TRUE(kernel) << kernel.error().Describe();
    const std::size_t bytes = step.argument_bytes * batch.size();
    std::byte* const staged = memory.Pinned(bytes);
    std::byte* const arguments = memory.OnDevice(bytes);
    ASSERT_TRUE(staged != nullptr && arguments != nullptr);
    for (std::size_t n = 0; n < batch.size(); ++n) {
      const DeviceStep& own = batch[n].steps()[s];
      ASSERT_TRUE(batch[n].steps().size() == first.size() && std::string_view(own.kernel) == step.kernel &&
                  own.rows == step.rows && own.lanes_shift == step.lanes_shift &&
                  own.argument_bytes == step.argument_bytes);
      const std::span<const std::byte> block = batch[n].arguments(own);
      std::copy(block.begin(), block.end(), staged + n * step.argument_bytes);
    }
    stream.Copy(arguments, staged, bytes);
    const KernelLaunch launch = {arguments, step.work_items(), step.lanes_shift};
    stream.Launch(**kernel, &launch, sizeof(launch), static_cast<std::uint64_t>(step.work_items()) * batch.size());
  }
}

/// Facts of every frame, by the metric's device program on a device, `batch` frames a launch. Memory that nobody wrote
/// holds a pattern.
inline std::vector<std::vector<Fact>> DeviceFactsOn(Device& device, const Feature& feature,
                                                    std::span<const Frame> reference, std::span<const Frame> distorted,
                                                    int batch) {
  const std::unique_ptr<DeviceProgram> program = feature.MakeDeviceProgram();
  EXPECT_NE(program, nullptr);
  if (program == nullptr) return {};
  Result<std::unique_ptr<DeviceStream>> made = device.MakeStream();
  EXPECT_TRUE(made) << made.error().Describe();
  if (!made) return {};
  // After the memory, so that the stream, which waits for its commands, goes first.
  TestMemory memory(device);
  const std::unique_ptr<DeviceStream> stream = std::move(*made);
  const DeviceNeeds needs = program->needs();
  constexpr std::uint8_t kPattern = 0xa5;
  const auto upload = [&](const std::byte* data, std::size_t bytes) {
    std::byte* const staged = memory.Pinned(bytes);
    std::byte* const copy = memory.OnDevice(bytes);
    if (staged == nullptr || copy == nullptr) return copy;
    std::copy_n(data, bytes, staged);
    stream->Copy(copy, staged, bytes);
    return copy;
  };
  const auto blank = [&](std::size_t bytes) {
    std::byte* const made_memory = memory.OnDevice(bytes);
    if (made_memory != nullptr) stream->Fill(made_memory, kPattern, bytes);
    return made_memory;
  };
  const auto picture = [&](const Frame& frame) {
    DevicePicture planes;
    for (int p = 0; p < frame.format().plane_count(); ++p) {
      const PlaneView view = frame.plane(p);
      const auto bytes = static_cast<std::size_t>(view.stride_bytes) * static_cast<std::size_t>(view.height);
      planes[static_cast<std::size_t>(p)] = {upload(view.row<std::byte>(0), bytes),
                                             static_cast<int>(view.stride_bytes / frame.format().bytes_per_sample())};
    }
    return planes;
  };
  AlignedBuffer table = PatternBuffer(needs.table);
  program->FillTable(table.data());
  const std::byte* const device_table = upload(table.data(), needs.table);
  std::vector<DevicePicture> references;
  std::vector<DevicePicture> distortions;
  std::vector<std::byte*> prepared;
  for (std::size_t n = 0; n < reference.size(); ++n) {
    references.push_back(picture(reference[n]));
    distortions.push_back(feature.needs_distorted() ? picture(distorted[n]) : DevicePicture());
    prepared.push_back(blank(needs.prepared));
  }
  std::vector<std::vector<Fact>> all;
  for (std::size_t begin = 0; begin < reference.size(); begin += static_cast<std::size_t>(batch)) {
    const std::size_t end = std::min(reference.size(), begin + static_cast<std::size_t>(batch));
    std::vector<DeviceSteps> picture_steps;
    std::vector<DeviceSteps> steps;
    std::vector<std::byte*> results;
    for (std::size_t n = begin; n < end; ++n) {
      DeviceFrame frame;
      frame.reference = references[n];
      frame.distorted = distortions[n];
      for (std::size_t k = 0; k < 3; ++k) {
        // Before the first frame: any picture.
        const std::size_t earlier = n >= k ? n - k : 0;
        frame.earlier_reference[k] = references[earlier];
        frame.prepared[k] = prepared[earlier];
      }
      frame.scratch = blank(needs.scratch);
      frame.results = blank(needs.results);
      frame.table = device_table;
      results.push_back(frame.results);
      program->AddPictureSteps(frame, picture_steps.emplace_back());
      program->AddSteps(frame, steps.emplace_back());
    }
    LaunchSteps(device, *stream, memory, program->module(), picture_steps);
    LaunchSteps(device, *stream, memory, program->module(), steps);
    std::vector<std::byte*> fetched;
    for (std::byte* const result : results) {
      fetched.push_back(memory.Pinned(needs.results));
      if (fetched.back() != nullptr) stream->Copy(fetched.back(), result, needs.results);
    }
    const Status status = stream->Wait(*stream->Mark());
    EXPECT_TRUE(status) << status.error().Describe();
    if (!status) return {};
    for (std::size_t n = begin; n < end; ++n) {
      FrameWindow window;
      window.index = static_cast<std::int64_t>(n);
      window.reference = &reference[n];
      window.distorted = feature.needs_distorted() ? &distorted[n] : nullptr;
      for (std::size_t k = 0; k <= static_cast<std::size_t>(feature.reach().picture_lead_in) && k <= n; ++k) {
        window.earlier_reference[k] = &reference[n - k];
      }
      std::vector<Fact> facts(static_cast<std::size_t>(feature.fact_count()));
      program->Collect(window, fetched[n - begin], facts);
      all.push_back(facts);
    }
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
