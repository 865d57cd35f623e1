// SPDX-License-Identifier: BSD-2-Clause-Patent
// The SYCL plugin in a process like ours: oneTBB's threads are running, and FFmpeg's libraries, which bring the
// system's OpenCL loader with them, were there first. A program of its own, because drivers are looked for once.
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "backend/device_list.h"
#include "base/plugin.h"

namespace lockstep {
namespace {

std::set<std::string> TemporaryDriverFolders() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("lockstep-opencl-")) names.insert(name);
  }
  return names;
}

std::int64_t SumOnThreads() {
  std::atomic<std::int64_t> sum{0};
  tbb::parallel_for(0, 1000, [&](int i) { sum += i; });
  return sum;
}

TEST(SyclLoaderTest, TheCpuDeviceWorksBesideOurLibraries) {
  // One thread is the hardest: the runtime's own work must not starve.
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  ASSERT_EQ(SumOnThreads(), 499500);
  const PluginEntry ffmpeg = LoadPlugin("liblockstep_ffmpeg.so", "LockstepFfmpegLibrary");
  ASSERT_NE(ffmpeg.address, nullptr) << ffmpeg.reason;

  const std::set<std::string> folders = TemporaryDriverFolders();
  Result<std::shared_ptr<Device>> device = OpenDevice("sycl", {});
  ASSERT_TRUE(device) << device.error().Describe();
  EXPECT_EQ(TemporaryDriverFolders(), folders);
  const bool is_announced = std::getenv("OCL_ICD_VENDORS") != nullptr;
  EXPECT_FALSE(is_announced) << "the variable names a folder that is gone";

  constexpr std::size_t kBytes = 1 << 20;
  const DeviceMemory memory(**device, *(*device)->AllocateOnDevice(kBytes));
  const DeviceMemory pinned(**device, *(*device)->AllocatePinned(kBytes));
  const auto stream = *(*device)->MakeStream();
  for (int round = 0; round < 50; ++round) {
    stream->Fill(memory.data(), static_cast<std::uint8_t>(round), kBytes);
    stream->Copy(pinned.data(), memory.data(), kBytes);
    EXPECT_EQ(SumOnThreads(), 499500);
    ASSERT_TRUE(stream->Wait(*stream->Mark()));
    EXPECT_EQ(pinned.data()[kBytes - 1], static_cast<std::byte>(round));
  }
}

}  // namespace
}  // namespace lockstep
