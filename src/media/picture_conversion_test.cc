// SPDX-License-Identifier: BSD-2-Clause-Patent
// Depth shifts, the range check and the scaler.
#include "media/picture_conversion.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "media/frame_scaler.h"
#include "media/test_clips.h"

namespace lockstep {
namespace {

Frame NoisePicture(const VideoFormat& format, unsigned seed) {
  const std::string bytes = test::NoiseFrame(format, seed);
  Frame frame(format);
  std::size_t position = 0;
  for (int p = 0; p < format.plane_count(); ++p) {
    const MutablePlaneView plane = frame.mutable_plane(p);
    for (int y = 0; y < plane.height; ++y) {
      const std::size_t row = static_cast<std::size_t>(plane.width * format.bytes_per_sample());
      std::memcpy(plane.row<char>(y), bytes.data() + position, row);
      position += row;
    }
  }
  return frame;
}

int Sample(const Frame& frame, int p, int x, int y) {
  return frame.format().bit_depth > 8 ? frame.plane(p).row<std::uint16_t>(y)[x]
                                      : frame.plane(p).row<std::uint8_t>(y)[x];
}

TEST(PictureConversion, ShiftsEveryDepthToEveryDepth) {
  for (int from = 8; from <= 16; ++from) {
    const Frame in = NoisePicture({PixelFormat::kYuv420, 19, 5, from}, 3);
    for (int to = 7; to <= 17; ++to) {
      Frame out;
      const Status status = ShiftToDepth(out, in, to);
      ASSERT_EQ(status.ok(), to >= from && to <= 16);
      if (!status) {
        EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
        continue;
      }
      EXPECT_EQ(out.format(), (VideoFormat{PixelFormat::kYuv420, 19, 5, to}));
      for (int p = 0; p < 3; ++p) {
        const PlaneSize size = in.format().plane_size(p);
        for (int y = 0; y < size.height; ++y) {
          for (int x = 0; x < size.width; ++x) ASSERT_EQ(Sample(out, p, x, y), Sample(in, p, x, y) << (to - from));
        }
      }
    }
  }
}

TEST(PictureConversion, FindsTheFirstSampleOutOfRange) {
  for (int depth = 9; depth <= 15; ++depth) {
    const Frame fine = NoisePicture({PixelFormat::kYuv444, 35, 3, depth}, 3);
    EXPECT_FALSE(FindSampleOutOfRange(fine));
    for (int x = 0; x < 35; ++x) {
      Frame bad = NoisePicture({PixelFormat::kYuv444, 35, 3, depth}, 3);
      bad.mutable_plane(2).row<std::uint16_t>(1)[x] = static_cast<std::uint16_t>(1 << depth);
      const auto found = FindSampleOutOfRange(bad);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->plane, 2);
      EXPECT_EQ(found->x, x);
      EXPECT_EQ(found->y, 1);
      EXPECT_EQ(found->value, 1 << depth);
    }
    // Alone among zeros, so that the OR of the row is the limit itself.
    Frame zeros({PixelFormat::kYuv400, 35, 3, depth});
    zeros.mutable_plane(0).row<std::uint16_t>(2)[0] = static_cast<std::uint16_t>(1 << depth);
    EXPECT_TRUE(FindSampleOutOfRange(zeros));
    // What lies behind the row is nobody's sample.
    Frame padded = NoisePicture({PixelFormat::kYuv444, 35, 3, depth}, 3);
    padded.mutable_plane(0).row<std::uint16_t>(1)[35] = 0xffff;
    EXPECT_FALSE(FindSampleOutOfRange(padded));
  }
}

TEST(FrameScaler, KeepsPicturesOfTheSameFormat) {
  for (const auto pixel_format :
       {PixelFormat::kYuv400, PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    for (const int depth : {8, 9, 10, 12, 14, 16}) {
      const VideoFormat format{pixel_format, 35, 33, depth};
      const Frame in = NoisePicture(format, 1);
      auto scaler = FrameScaler::Create(format, format);
      ASSERT_TRUE(scaler);
      Frame out;
      ASSERT_TRUE((*scaler)->Scale(in, out));
      EXPECT_EQ(test::PlaneBytes(out), test::PlaneBytes(in));
    }
  }
}

TEST(FrameScaler, ShiftsWhereOnlyTheDepthGrows) {
  for (const auto pixel_format :
       {PixelFormat::kYuv400, PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    for (const auto& [from, to] : std::vector<std::pair<int, int>>{{8, 10}, {8, 12}, {8, 16}, {10, 12}, {10, 16}}) {
      SCOPED_TRACE(fmt::format("{} {} {}", PixelFormatName(pixel_format), from, to));
      const Frame in = NoisePicture({pixel_format, 35, 33, from}, 1);
      auto scaler = FrameScaler::Create(in.format(), {pixel_format, 35, 33, to});
      ASSERT_TRUE(scaler);
      Frame scaled;
      ASSERT_TRUE((*scaler)->Scale(in, scaled));
      Frame shifted;
      ASSERT_TRUE(ShiftToDepth(shifted, in, to));
      EXPECT_EQ(test::PlaneBytes(scaled), test::PlaneBytes(shifted));
    }
  }
}

TEST(FrameScaler, KeepsFlatPicturesFlat) {
  const std::vector<VideoFormat> formats{{PixelFormat::kYuv420, 64, 48, 8}, {PixelFormat::kYuv420, 35, 33, 10},
                                         {PixelFormat::kYuv422, 17, 19, 8}, {PixelFormat::kYuv444, 48, 64, 12},
                                         {PixelFormat::kYuv400, 33, 35, 8}, {PixelFormat::kYuv400, 40, 40, 16}};
  for (const VideoFormat& from : formats) {
    for (const VideoFormat& to : formats) {
      SCOPED_TRACE(fmt::format("{} {} -> {} {}", PixelFormatName(from.pixel_format), from.bit_depth,
                               PixelFormatName(to.pixel_format), to.bit_depth));
      Frame in(from);
      for (int p = 0; p < from.plane_count(); ++p) {
        const MutablePlaneView plane = in.mutable_plane(p);
        const int value = (p == 0 ? 200 : 90) << (from.bit_depth - 8);
        for (int y = 0; y < plane.height; ++y) {
          for (int x = 0; x < plane.width; ++x) {
            if (from.bit_depth > 8) {
              plane.row<std::uint16_t>(y)[x] = static_cast<std::uint16_t>(value);
            } else {
              plane.row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(value);
            }
          }
        }
      }
      auto scaler = FrameScaler::Create(from, to);
      ASSERT_TRUE(scaler);
      Frame out;
      ASSERT_TRUE((*scaler)->Scale(in, out));
      for (int p = 0; p < to.plane_count(); ++p) {
        const int grey = from.plane_count() == 1 ? 128 : 90;
        const int value = (p == 0 ? 200 : grey) << (to.bit_depth - 8);
        const PlaneSize size = to.plane_size(p);
        for (int y = 0; y < size.height; ++y) {
          for (int x = 0; x < size.width; ++x) ASSERT_EQ(Sample(out, p, x, y), value) << p << " " << x << " " << y;
        }
      }
    }
  }
}

TEST(FrameScaler, RefusesDepthsWithoutAName) {
  const VideoFormat odd{PixelFormat::kYuv420, 32, 32, 11};
  const VideoFormat fine{PixelFormat::kYuv420, 32, 32, 10};
  for (const auto& result : {FrameScaler::Create(odd, fine).error(), FrameScaler::Create(fine, odd).error()}) {
    EXPECT_EQ(result.code, ErrorCode::kUnsupported);
    EXPECT_TRUE(test::Contains(result.message, "11 bit"));
  }
  auto scaler = FrameScaler::Create(fine, fine);
  Frame out;
  EXPECT_FALSE((*scaler)->Scale(Frame(odd), out));
}

}  // namespace
}  // namespace lockstep
