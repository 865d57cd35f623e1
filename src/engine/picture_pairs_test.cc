// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a device gets to see of an application's pictures, and when they are given back.
#include "engine/picture_pairs.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace lockstep {
namespace {

constexpr VideoFormat kFormat = {PixelFormat::kYuv420, 49, 37, 8};
constexpr PictureUse kDevice = {false, true};
constexpr PictureUse kProcessor = {true, false};

class OnePicture : public PictureSource {
 public:
  Result<bool> Next(Picture& reference, Picture& distorted) override {
    ++calls;
    reference = distorted = picture;
    return true;
  }
  Picture picture;
  int calls = 0;
};

class PicturePairsTest : public ::testing::Test {
 protected:
  PicturePairsTest() {
    for (std::size_t p = 0; p < 3; ++p) {
      memory_[p].resize(std::size_t{64} * 200);
      const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory_[p].data()) % 64;
      source.picture.planes[p] = {memory_[p].data() + (64 - beyond) % 64, 128};
    }
    source.picture.owner = owner;
  }
  std::shared_ptr<int> owner = std::make_shared<int>(0);
  OnePicture source;

 private:
  std::array<std::vector<std::byte>, 3> memory_;
};

TEST_F(PicturePairsTest, DevicesGetThePicturesThemselves) {
  source.picture.memory = PictureMemory::kDevice;
  source.picture.native_stream = 77;
  PicturePairs pairs(source, kFormat, kDevice);
  pairs.Start(0, {});
  FramePair pair;
  ASSERT_TRUE(*pairs.Next(pair));
  EXPECT_EQ(pair.reference->memory(), FrameMemory::kDevice);
  EXPECT_EQ(pair.reference->native_stream(), 77U);
  EXPECT_EQ(pair.reference->format(), kFormat);
  for (int p = 0; p < 3; ++p) {
    const PlaneView plane = pair.distorted->plane(p);
    EXPECT_EQ(plane.data, source.picture.planes[static_cast<std::size_t>(p)].data);
    EXPECT_EQ(plane.stride_bytes, 128);
    EXPECT_EQ(plane.width, kFormat.plane_size(p).width);
    EXPECT_EQ(plane.height, kFormat.plane_size(p).height);
  }
  source.picture.memory = PictureMemory::kPinned;
  source.picture.native_stream = 0;
  source.picture.planes[0].pitch_bytes = 50;
  ASSERT_TRUE(*pairs.Next(pair));
  EXPECT_EQ(pair.reference->memory(), FrameMemory::kPinned);
  EXPECT_EQ(pair.reference->plane(0).stride_bytes, 50);
}

TEST_F(PicturePairsTest, OwnersAreReleasedWithTheLastReference) {
  source.picture.has_readable_padding = true;
  for (const PictureUse& use : {kDevice, kProcessor}) {
    PicturePairs pairs(source, kFormat, use);
    pairs.Start(0, {});
    FramePair first;
    FramePair second;
    ASSERT_TRUE(*pairs.Next(first));
    ASSERT_TRUE(*pairs.Next(second));
    EXPECT_EQ(owner.use_count(), 2 + 4);
    const Pool<Frame>::Ref kept = first.reference;
    first = {};
    EXPECT_EQ(owner.use_count(), 2 + 3);
    second = {};
    EXPECT_EQ(owner.use_count(), 2 + 1);
  }
  EXPECT_EQ(owner.use_count(), 2);
}

TEST_F(PicturePairsTest, TheProcessorCopiesWhatItCannotReadInPlace) {
  const auto is_copied = [&](const Picture& picture) {
    source.picture = picture;
    PicturePairs pairs(source, kFormat, kProcessor);
    pairs.Start(0, {});
    FramePair pair;
    EXPECT_TRUE(*pairs.Next(pair));
    return pair.reference->plane(0).data != picture.planes[0].data;
  };
  Picture picture = source.picture;
  EXPECT_TRUE(is_copied(picture));
  picture.has_readable_padding = true;
  EXPECT_FALSE(is_copied(picture));
  picture.memory = PictureMemory::kPinned;
  EXPECT_FALSE(is_copied(picture));
  Picture other = picture;
  other.planes[2].pitch_bytes = 100;
  EXPECT_TRUE(is_copied(other));
  other = picture;
  other.planes[1].pitch_bytes = 64;  // 39 bytes behind 25 samples
  EXPECT_TRUE(is_copied(other));
  other = picture;
  other.planes[0].data = static_cast<const std::byte*>(other.planes[0].data) + 32;
  EXPECT_TRUE(is_copied(other));
}

TEST_F(PicturePairsTest, StreamsAreForPicturesOnDevices) {
  PicturePairs pairs(source, kFormat, kDevice);
  FramePair pair;
  source.picture.native_stream = 5;
  for (const PictureMemory memory : {PictureMemory::kHost, PictureMemory::kPinned}) {
    source.picture.memory = memory;
    const Result<bool> refused = pairs.Next(pair);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().field, "stream");
  }
  source.picture.memory = PictureMemory::kDevice;
  EXPECT_TRUE(pairs.Next(pair).ok());
}

TEST_F(PicturePairsTest, PicturesBeforeTheFirstPairAreDropped) {
  PicturePairs pairs(source, kFormat, kDevice);
  pairs.Start(3, 5);
  FramePair pair;
  ASSERT_TRUE(*pairs.Next(pair));
  EXPECT_EQ(source.calls, 4);
  ASSERT_TRUE(*pairs.Next(pair));
  EXPECT_FALSE(*pairs.Next(pair));
  EXPECT_FALSE(*pairs.Next(pair));
  EXPECT_EQ(source.calls, 5);
  EXPECT_EQ(pairs.DescribeReference().frames, 2);
  pairs.Cancel();
  EXPECT_EQ(pairs.Next(pair).error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace lockstep
