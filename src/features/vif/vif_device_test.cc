// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif's device program gives the scalar code's facts.
#include "features/vif/vif_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "features/device/test_device_run.h"
#include "features/vif/vif.h"
#include "features/vif/vif_test_pictures.h"

namespace lockstep {
namespace {

using test_run::DeviceFacts;
using test_run::MakeFeature;
using test_run::OptionTexts;
using test_run::ScalarFacts;
using test_targets::PicturePair;

VideoFormat Format(int width, int height, int bit_depth) { return {PixelFormat::kYuv400, width, height, bit_depth}; }

std::string PlaceOf(const PicturePair& pair) {
  const VideoFormat& format = pair.frames[0].format();
  return pair.name + " " + std::to_string(format.width) + "x" + std::to_string(format.height) + " " +
         std::to_string(format.bit_depth) + " bit";
}

void Compare(const OptionTexts& options, std::span<const PicturePair> pairs) {
  for (const PicturePair& pair : pairs) {
    const auto feature = MakeFeature(kVif, options, pair.frames[0].format());
    const std::span<const Frame> frames = pair.frames;
    EXPECT_EQ(DeviceFacts(*feature, frames.first(1), frames.last(1)),
              ScalarFacts(*feature, frames.first(1), frames.last(1)))
        << PlaceOf(pair) << (options.empty() ? "" : ", " + options[0].first + "=" + options[0].second);
  }
}

// Rows of a plane at a distance of their own, with bytes in between that belong to nobody.
class RowsApart {
 public:
  RowsApart(const Frame& frame, int more) {
    const PlaneView view = frame.plane(0);
    const int sample_bytes = frame.format().bytes_per_sample();
    plane_.stride = view.width + more;
    const auto stride_bytes = static_cast<std::size_t>(plane_.stride * sample_bytes);
    bytes_.assign(stride_bytes * static_cast<std::size_t>(view.height), std::byte{0x5a});
    for (int y = 0; y < view.height; ++y) {
      std::memcpy(bytes_.data() + static_cast<std::size_t>(y) * stride_bytes, view.row<std::byte>(y),
                  static_cast<std::size_t>(view.width * sample_bytes));
    }
    plane_.data = bytes_.data();
  }
  DevicePicture picture() const { return {plane_, {}, {}}; }

 private:
  std::vector<std::byte> bytes_;
  DevicePlane plane_;
};

std::vector<Fact> FactsOf(const VifDeviceSettings& settings, const PicturePair& pair, int more_reference = 0,
                          int more_distorted = 0) {
  const RowsApart reference(pair.frames[0], more_reference);
  const RowsApart distorted(pair.frames[1], more_distorted);
  const std::unique_ptr<DeviceProgram> program = MakeVifDeviceProgram(pair.frames[0].format(), settings);
  const DeviceNeeds needs = program->needs();
  AlignedBuffer table = test_run::PatternBuffer(needs.table);
  AlignedBuffer scratch = test_run::PatternBuffer(needs.scratch);
  AlignedBuffer results = test_run::PatternBuffer(needs.results);
  program->FillTable(table.data());
  DeviceFrame frame;
  frame.reference = reference.picture();
  frame.distorted = distorted.picture();
  frame.scratch = scratch.data();
  frame.results = results.data();
  frame.table = table.data();
  DeviceSteps steps;
  program->AddSteps(frame, steps);
  test_run::RunSteps(program->module(), steps);
  std::vector<Fact> facts(4 * 4);
  program->Collect({}, results.data(), facts);
  return facts;
}

std::vector<Fact> ExpectedFacts(const OptionTexts& options, const PicturePair& pair) {
  const auto feature = MakeFeature(kVif, options, pair.frames[0].format());
  const std::span<const Frame> frames = pair.frames;
  return ScalarFacts(*feature, frames.first(1), frames.last(1))[0];
}

TEST(VifDeviceTest, FactsAreThoseOfTheScalarCode) {
  const PlaneSize sizes[] = {{16, 16}, {17, 17}, {19, 23}, {31, 16}, {33, 33}, {64, 64}, {70, 50}};
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 10, 12, 16}) Compare({}, MakeVifPairs(Format(size.width, size.height, depth)));
  }
}

TEST(VifDeviceTest, LargerPictures) {
  for (const int depth : {8, 10, 12, 16}) {
    Compare({}, MakeVifPairs(Format(257, 145, depth)));
    const std::vector<PicturePair> pairs = MakeVifPairs(Format(576, 324, depth));
    Compare({}, std::span(pairs).first(5));
  }
}

TEST(VifDeviceTest, EveryDepthAndManySizes) {
  for (int i = 0; i < 36; ++i) Compare({}, MakeVifPairs(Format(16 + i, 16 + i * 7 % 36, 8 + i % 9)));
}

TEST(VifDeviceTest, Options) {
  for (const int depth : {8, 10, 16}) {
    const std::vector<PicturePair> pairs = MakeVifPairs(Format(51, 47, depth));
    for (const char* const limit : {"1", "1.5", "1.0000000000000002", "2", "99.5", "100"}) {
      Compare({{"vif_enhn_gain_limit", limit}}, pairs);
    }
    Compare({{"vif_skip_scale0", "true"}}, pairs);
    Compare({{"vif_skip_scale0", "true"}, {"vif_enhn_gain_limit", "1.25"}}, pairs);
    Compare({{"debug", "true"}}, pairs);
  }
}

TEST(VifDeviceTest, RowsOfAnyStride) {
  for (const int depth : {8, 16}) {
    for (const PicturePair& pair : MakeVifPairs(Format(45, 34, depth))) {
      const std::vector<Fact> expected = ExpectedFacts({}, pair);
      EXPECT_EQ(FactsOf({}, pair, 0, 0), expected) << PlaceOf(pair);
      EXPECT_EQ(FactsOf({}, pair, 3, 64), expected) << PlaceOf(pair);
      EXPECT_EQ(FactsOf({}, pair, 19, 1), expected) << PlaceOf(pair);
    }
  }
}

// Software binary64 is the definition, too, so that it may take any pixel.
TEST(VifDeviceTest, FactsDoNotDependOnWhoDecides) {
  for (const PlaneSize size : {PlaneSize{16, 16}, PlaneSize{37, 50}, PlaneSize{257, 145}}) {
    for (const int depth : {8, 10, 16}) {
      for (const PicturePair& pair : MakeVifPairs(Format(size.width, size.height, depth))) {
        for (const int forced : {1, 3, 8}) {
          EXPECT_EQ(FactsOf({false, 100.0, forced}, pair), ExpectedFacts({}, pair)) << PlaceOf(pair) << ", " << forced;
          EXPECT_EQ(FactsOf({true, 1.5, forced}, pair),
                    ExpectedFacts({{"vif_enhn_gain_limit", "1.5"}, {"vif_skip_scale0", "true"}}, pair))
              << PlaceOf(pair) << ", " << forced << ", limit 1.5";
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
