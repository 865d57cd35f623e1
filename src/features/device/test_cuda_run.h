// SPDX-License-Identifier: BSD-2-Clause-Patent
// For the tests of tuned CUDA programs: a program's steps over a batch of frames, by kernels that the host runs.
// Included after test_cuda_warp.h and the kernels.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "features/device/device_program.h"
#include "features/device/test_device_run.h"

namespace lockstep::test_cuda {

/// Kernels of a module by their names in steps.
using Kernels = std::map<std::string, void (*)(GroupLaunch)>;

inline DeviceTraits Traits(int multiprocessors, int local_bytes = 99 << 10) {
  return {"cuda80", multiprocessors, local_bytes, true};
}

/// Pictures with rows as a device has them: bytes beyond a row are noise, and beyond the last one there is nothing.
class Pictures {
 public:
  explicit Pictures(const Frame& frame) {
    const VideoFormat& format = frame.format();
    for (int p = 0; p < format.plane_count(); ++p) {
      const auto plane = static_cast<std::size_t>(p);
      const PlaneView view = frame.plane(p);
      const auto row_bytes = static_cast<std::size_t>(view.width * format.bytes_per_sample());
      constexpr std::size_t kAlignment = AlignedBuffer::kAlignment;
      const std::size_t pitch = (row_bytes + kAlignment - 1) / kAlignment * kAlignment;
      memory_[plane] = test_run::PatternBuffer(pitch * static_cast<std::size_t>(view.height));
      for (int y = 0; y < view.height; ++y) {
        std::memcpy(memory_[plane].data() + static_cast<std::size_t>(y) * pitch, view.row<std::byte>(y), row_bytes);
      }
      picture_[plane] = {memory_[plane].data(), static_cast<int>(pitch) / format.bytes_per_sample()};
    }
  }
  [[nodiscard]] const DevicePicture& picture() const { return picture_; }

 private:
  std::array<AlignedBuffer, 3> memory_;
  DevicePicture picture_;
};

/// Facts of all frames as one batch. Steps that are not in groups run as on other devices.
inline std::vector<std::vector<Fact>> BatchFacts(const DeviceProgram& program, const Feature& feature,
                                                 const Kernels& kernels, std::span<const Frame> reference,
                                                 std::span<const Frame> distorted) {
  const DeviceNeeds needs = program.needs();
  const std::size_t count = reference.size();
  AlignedBuffer table = test_run::PatternBuffer(needs.table);
  program.FillTable(table.data());
  std::vector<Pictures> reference_pictures;
  std::vector<Pictures> distorted_pictures;
  std::vector<AlignedBuffer> scratch;
  std::vector<AlignedBuffer> results;
  std::vector<DeviceSteps> steps(count);
  for (std::size_t n = 0; n < count; ++n) {
    reference_pictures.emplace_back(reference[n]);
    if (!distorted.empty()) distorted_pictures.emplace_back(distorted[n]);
    scratch.push_back(test_run::PatternBuffer(needs.scratch));
    results.push_back(test_run::PatternBuffer(needs.results));
    if (needs.zero_results) std::fill_n(results.back().data(), needs.results, std::byte{0});
  }
  for (std::size_t n = 0; n < count; ++n) {
    DeviceFrame frame;
    frame.reference = reference_pictures[n].picture();
    if (!distorted.empty()) frame.distorted = distorted_pictures[n].picture();
    for (std::size_t k = 0; k < 3; ++k) frame.earlier_reference[k] = reference_pictures[n < k ? 0 : n - k].picture();
    frame.scratch = scratch[n].data();
    frame.results = results[n].data();
    frame.table = table.data();
    program.AddSteps(frame, steps[n]);
  }
  for (std::size_t i = 0; i < steps[0].steps().size(); ++i) {
    const DeviceStep& step = steps[0].steps()[i];
    AlignedBuffer arguments = test_run::PatternBuffer(count * step.argument_bytes);
    for (std::size_t n = 0; n < count; ++n) {
      const std::span<const std::byte> block = steps[n].arguments(steps[n].steps()[i]);
      std::copy(block.begin(), block.end(), arguments.data() + n * step.argument_bytes);
    }
    if (!step.plan) {
      const KernelDescription* const portable = test_run::FindKernel(program.module(), step.kernels.front());
      EXPECT_NE(portable, nullptr) << step.kernels.front();
      const KernelLaunch launch = {arguments.data(), step.work_items(), step.lanes_shift};
      const int work_items = step.work_items() * static_cast<int>(count);
      for (int item = 0; portable != nullptr && item < work_items; ++item) portable->run(launch, item);
      continue;
    }
    const GroupPlan plan = step.plan(static_cast<int>(count));
    const auto kernel = kernels.at(step.kernels.at(static_cast<std::size_t>(plan.kernel)));
    const GroupLaunch launch = {arguments.data(), static_cast<i32>(count), plan.plan};
    for (std::uint64_t group = 0; group < plan.groups; ++group) {
      Block::Run(static_cast<int>(group), static_cast<int>(plan.groups), plan.group_size,
                 static_cast<std::size_t>(plan.local_bytes), [&] { kernel(launch); });
    }
  }
  std::vector<std::vector<Fact>> all;
  for (std::size_t n = 0; n < count; ++n) {
    std::vector<Fact> facts(static_cast<std::size_t>(feature.fact_count()));
    program.Collect(test_run::WindowOf(feature, reference, distorted, n), results[n].data(), facts);
    all.push_back(facts);
  }
  return all;
}

}  // namespace lockstep::test_cuda
