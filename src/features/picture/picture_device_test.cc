// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures that are on the device already, wherever their rows begin: the facts of the same pictures on the host.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "features/device/test_device_run.h"
#include "features/motion/motion.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

struct Place {
  std::size_t offset = 0;   // of the first sample from an address that is a multiple of 64
  std::size_t padding = 0;  // behind each row
  int shift = 0;
};

// A copy of the picture as an application or a decoder has it on its device.
Frame OnDevice(const Frame& picture, const Place& place) {
  const VideoFormat& format = picture.format();
  const auto row_bytes = static_cast<std::size_t>(format.width * format.bytes_per_sample());
  const std::size_t pitch = row_bytes + place.padding;
  // Nothing behind the last sample, so that a sanitizer sees a read there.
  const auto memory = std::make_shared<std::vector<std::byte>>(
      place.offset + pitch * static_cast<std::size_t>(format.height - 1) + row_bytes);
  const PlaneView luma = picture.plane(0);
  for (int y = 0; y < format.height; ++y) {
    std::byte* const row = memory->data() + place.offset + static_cast<std::size_t>(y) * pitch;
    std::memcpy(row, luma.row<std::byte>(y), row_bytes);
    for (std::size_t x = 0; place.shift != 0 && x < row_bytes; x += 2) {
      std::uint16_t sample = 0;
      std::memcpy(&sample, row + x, sizeof(sample));
      sample = static_cast<std::uint16_t>(sample << place.shift);
      std::memcpy(row + x, &sample, sizeof(sample));
    }
  }
  const std::array<PlaneView, 3> planes = {
      {{memory->data() + place.offset, static_cast<std::ptrdiff_t>(pitch), format.width, format.height}, {}, {}}};
  return Frame::Wrap(format, planes, FrameMemory::kDevice, memory, 0, place.shift);
}

TEST(PictureDeviceTest, OnDeviceOrOnHostTheFactsAreEqual) {
  for (const int width : {3, 8, 17, 64, 75}) {
    for (const int depth : {8, 10}) {
      const VideoFormat format = {PixelFormat::kYuv400, width, 11, depth};
      const std::unique_ptr<Feature> feature = test_run::MakeFeature(kMotion, {}, format);
      std::vector<Frame> host;
      for (std::uint64_t seed = 0; seed < 7; ++seed) host.push_back(test_run::NoiseFrame(format, seed));
      const std::vector<std::vector<Fact>> expected = test_run::ScalarFacts(*feature, host, host);
      for (const Place& place :
           {Place{0, 0, 0}, Place{64, 64, 0}, Place{2, 6, 0}, Place{8, 16, 0}, Place{0, 2, 6}, Place{6, 26, 4}}) {
        if (depth == 8 && place.shift != 0) continue;
        for (const int batch : {1, 3}) {
          std::vector<Frame> on_device;
          on_device.reserve(host.size());
          // Some pictures of a batch may come from the host.
          for (std::size_t n = 0; n < host.size(); ++n) {
            on_device.push_back(n == 4 ? test_run::NoiseFrame(format, n) : OnDevice(host[n], place));
          }
          const std::unique_ptr<Device> device = MakeHostDevice(HostOrder::kLate);
          EXPECT_EQ(test_run::DeviceFactsOn(*device, *feature, on_device, on_device, {batch, batch == 3}), expected)
              << width << " wide, " << depth << " bits, offset " << place.offset << ", padding " << place.padding
              << ", shift " << place.shift << ", batch " << batch;
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
