// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm's device program gives the scalar code's facts, and its steps on integers those of binary64.
#include "features/adm/adm_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "features/adm/adm.h"
#include "features/adm/adm_integer_steps.h"
#include "features/adm/adm_test_pictures.h"
#include "features/device/test_device_run.h"

namespace lockstep {
namespace {

using test_run::DeviceFacts;
using test_run::MakeFeature;
using test_run::NextRandom;
using test_run::OptionTexts;
using test_run::ScalarFacts;
using test_targets::PicturePair;

void Compare(const VideoFormat& format, const OptionTexts& options, int every = 1) {
  const std::unique_ptr<Feature> feature = MakeFeature(kAdm, options, format);
  int number = format.width;
  for (const PicturePair& pair : MakeAdmPairs(format, test_targets::SeedOf(format))) {
    if (number++ % every != 0) continue;
    const std::span<const Frame> frames = pair.frames;
    ASSERT_EQ(DeviceFacts(*feature, frames.first(1), frames.last(1)),
              ScalarFacts(*feature, frames.first(1), frames.last(1)))
        << format.width << "x" << format.height << ", " << format.bit_depth << " bit, " << pair.name
        << (options.empty() ? "" : ", " + options[0].first + "=" + options[0].second);
  }
}

VideoFormat Luma(int width, int height, int bit_depth) { return {PixelFormat::kYuv400, width, height, bit_depth}; }

TEST(AdmDeviceTest, FactsAreThoseOfTheScalarCode) {
  const PlaneSize sizes[] = {{33, 33}, {34, 47}, {47, 34}, {64, 64}, {70, 50}, {257, 145}};
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 10, 12, 16}) Compare(Luma(size.width, size.height, depth), {});
  }
  for (const int depth : {8, 16}) Compare(Luma(576, 324, depth), {}, 3);
}

TEST(AdmDeviceTest, SmallSizes) {
  const int depths[] = {8, 10, 9, 16, 12};
  for (int i = 0; i < 43; ++i) {
    Compare(Luma(33 + i, 33 + i * 29 % 43, depths[i % 5]), {}, 3);
    Compare(Luma(33 + i * 17 % 43, 33 + i, depths[(i + 2) % 5]), {}, 3);
  }
}

TEST(AdmDeviceTest, Options) {
  for (const OptionTexts& options : AdmOptionFamilies()) {
    for (const int depth : {8, 10, 12, 16}) Compare(Luma(101 + depth, 67, depth), options);
    Compare(Luma(33, 33, 8), options);
  }
}

AdmPlan MakePlan(const VideoFormat& format, bool skip_scale0) {
  AdmPlan plan;
  plan.skip_scale0 = skip_scale0;
  plan.columns = MakeAdmAxes(format.width, skip_scale0);
  plan.rows = MakeAdmAxes(format.height, skip_scale0);
  plan.csf = MakeAdmCsf({}).value();
  plan.bit_depth = format.bit_depth;
  for (std::size_t s = 0; s < kAdmScales; ++s) {
    plan.shifts[s] = MakeAdmShifts(static_cast<int>(s), plan.columns[s], plan.rows[s]);
  }
  return plan;
}

std::vector<Fact> ScalarFactsOf(const AdmPlan& plan, const PicturePair& pair) {
  std::vector<Fact> facts(kAdmFacts);
  AdmFrame::Make(plan, CpuTarget::kScalar)
      ->ExtractBand(pair.frames[0].plane(0), pair.frames[1].plane(0), {0, plan.rows[3].outputs}, facts);
  return facts;
}

/// Copies of both planes, each with a stride of its own, between samples that do not belong to them.
std::vector<Fact> DeviceFactsOf(const AdmPlan& plan, const PicturePair& pair, const int (&more)[2]) {
  const std::unique_ptr<DeviceProgram> program = MakeAdmDeviceProgram(plan);
  const AlignedBuffer table = test_run::PatternBuffer(program->needs().table);
  const AlignedBuffer scratch = test_run::PatternBuffer(program->needs().scratch);
  const AlignedBuffer results = test_run::PatternBuffer(program->needs().results);
  program->FillTable(const_cast<std::byte*>(table.data()));
  DeviceFrame frame;
  std::vector<AlignedBuffer> planes;
  for (std::size_t p = 0; p < 2; ++p) {
    const PlaneView view = pair.frames[p].plane(0);
    const int bytes = pair.frames[p].format().bytes_per_sample();
    const int stride = view.width + more[p];
    planes.push_back(test_run::PatternBuffer(static_cast<std::size_t>((view.height + 2) * stride * bytes)));
    std::byte* const first = const_cast<std::byte*>(planes.back().data()) + stride * bytes;
    for (int y = 0; y < view.height; ++y) {
      const auto* const row = view.row<std::byte>(y);
      std::copy(row, row + view.width * bytes, first + y * stride * bytes);
    }
    (p == 0 ? frame.reference : frame.distorted)[0] = {first, stride};
  }
  frame.scratch = const_cast<std::byte*>(scratch.data());
  frame.results = const_cast<std::byte*>(results.data());
  frame.table = table.data();
  DeviceSteps steps;
  program->AddSteps(frame, steps);
  test_run::RunSteps(program->module(), steps);
  std::vector<Fact> facts(kAdmFacts);
  program->Collect({}, results.data(), facts);
  return facts;
}

TEST(AdmDeviceTest, AnyStrides) {
  for (const int depth : {8, 12}) {
    const VideoFormat format = Luma(95, 70, depth);
    for (const bool skip_scale0 : {false, true}) {
      const AdmPlan plan = MakePlan(format, skip_scale0);
      for (const PicturePair& pair : MakeAdmPairs(format, 11)) {
        const std::vector<Fact> expected = ScalarFactsOf(plan, pair);
        EXPECT_EQ(DeviceFactsOf(plan, pair, {0, 0}), expected) << pair.name;
        EXPECT_EQ(DeviceFactsOf(plan, pair, {1, 90}), expected) << pair.name;
        EXPECT_EQ(DeviceFactsOf(plan, pair, {33, 2}), expected) << pair.name;
      }
    }
  }
}

TEST(AdmDeviceTest, AnyFactors) {
  const std::vector<AdmFactors> fine = {{65535, 65535}, {65535, 0}, {0, 65535}, {32768, 32767}, {1, 1}};
  const std::vector<AdmFactors> coarse = {{~0u, ~0u}, {1u << 31, 1u << 28}, {(1u << 28) - 1, 1}, {1, 0}};
  const VideoFormat format = Luma(67, 83, 16);
  for (std::size_t i = 0; i < fine.size(); ++i) {
    AdmPlan plan = MakePlan(format, false);
    plan.csf.scales[0].fixed = fine[i];
    for (std::size_t s = 1; s < kAdmScales; ++s) plan.csf.scales[s].fixed = coarse[(i + s) % coarse.size()];
    for (const PicturePair& pair : MakeAdmPairs(format, 5)) {
      EXPECT_EQ(DeviceFactsOf(plan, pair, {3, 4}), ScalarFactsOf(plan, pair)) << i << ", " << pair.name;
    }
  }
}

// Memory of a frame grows no faster than its area; a frame of 3840x2160 stays below 64 MB.
TEST(AdmDeviceTest, ScratchIsSmall) {
  const auto scratch = [](int width, int height) {
    return MakeAdmDeviceProgram(MakePlan(Luma(width, height, 8), false))->needs().scratch;
  };
  EXPECT_LT(scratch(3840, 2160), std::size_t{64} << 20);
  EXPECT_LT(scratch(1920, 1080), std::size_t{16} << 20);
}

class AngleTest : public testing::Test {
 protected:
  template <class Integer>
  void Check(Integer product, Integer reference_square, Integer distorted_square) {
    const bool expected = AdmBinary64Steps::IsNear<Integer>(product, reference_square, distorted_square);
    const bool near = AdmIntegerSteps<i32>::IsNear<Integer>(product, reference_square, distorted_square);
    if (near != expected) {
      ADD_FAILURE() << product << ", " << reference_square << ", " << distorted_square << ": " << near;
    }
    ++count_[expected ? 1 : 0];
  }
  /// Of a magnitude that is as likely small as large.
  i64 Random(int bits) {
    const std::uint64_t value = NextRandom(state_) >> (64 - bits);
    return static_cast<i64>(value >> (NextRandom(state_) % static_cast<unsigned>(bits)));
  }

  std::uint64_t state_ = 1;
  i64 count_[2] = {0, 0};
};

// Vectors as they come, and vectors of nearly the same direction.
TEST_F(AngleTest, OfVectors) {
  for (int i = 0; i < 4'000'000; ++i) {
    const auto coefficient = [&] {
      const i64 value = std::min<i64>(Random(15), 22930);
      return NextRandom(state_) % 2 == 0 ? value : -value;
    };
    const i64 oh = coefficient();
    const i64 ov = coefficient();
    const bool turned = i % 2 == 0;
    const i64 gain = 1 + Random(10);
    // One degree is 1 / 57.29.
    const i64 th = turned ? (oh * 5729 - ov * (99 + i % 3)) * gain / 5729 / 1024 : coefficient();
    const i64 tv = turned ? (ov * 5729 + oh * (99 + i % 3)) * gain / 5729 / 1024 : coefficient();
    Check<i32>(static_cast<i32>(oh * th + ov * tv), static_cast<i32>(oh * oh + ov * ov),
               static_cast<i32>(th * th + tv * tv));
    const i64 unit = 1 + Random(16);
    const i64 wide_h = oh * unit + Random(8);
    const i64 wide_v = ov * unit - Random(8);
    const i64 wide_th = turned ? th * 7919 : th * unit;
    const i64 wide_tv = turned ? tv * 7919 : tv * unit;
    Check<i64>(wide_h * wide_th + wide_v * wide_tv, wide_h * wide_h + wide_v * wide_v,
               wide_th * wide_th + wide_tv * wide_tv);
  }
  EXPECT_GT(count_[0], 1'000'000);
  EXPECT_GT(count_[1], 1'000'000);
}

// product^2 next to cos(1 degree)^2 * squares, by one unit of binary32 and less.
TEST_F(AngleTest, OfNearlyOneDegree) {
  for (int i = 0; i < 3'000'000; ++i) {
    const i64 o = Random(62);
    const i64 t = Random(62);
    const double root = std::sqrt(0x1.ffd814p-1 * static_cast<double>(o) * static_cast<double>(t));
    const i64 nearest = static_cast<i64>(root);
    const i64 unit = 1 + (nearest >> 24);
    for (const i64 step : {-unit, i64{0}, unit}) Check<i64>(nearest + step, o, t);
    Check<i64>(-nearest, o, t);
    const auto o32 = static_cast<i32>(o >> 32);
    const auto t32 = static_cast<i32>(t >> 32);
    const auto nearest32 =
        static_cast<i32>(std::sqrt(0x1.ffd814p-1 * static_cast<double>(o32) * static_cast<double>(t32)));
    for (const i32 step : {-1, 0, 1}) Check<i32>(nearest32 + step, o32, t32);
  }
  EXPECT_GT(count_[0], 1'000'000);
  EXPECT_GT(count_[1], 1'000'000);
}

// product^2 next to cos(1 degree)^2 * squares, by half a unit of binary64: the rounding of the product of squares
// decides.
TEST_F(AngleTest, OfTies) {
  struct Case {
    i64 p, o, t;  // significands of binary32
    int shift;    // p^2 * 2^shift = 0x7ff605 * o * t, nearly
  };
  // Found by a search over p, with the factors of the nearest multiples of 0x7ff605. By how many units of its 53 bits
  // the right side is above the left one:
  constexpr Case kCases[] = {
      {13036045, 14175577, 11991769, 23},  // 0.4943
      {14718674, 10475266, 10343669, 22},  // 0.4933
      {15300717, 11038461, 10607605, 22},  // 0.4876
      {15300717, 15769230, 14850647, 23},  // 0.4876
      {13913547, 14978518, 12928233, 23},  // 0.4872
      {9339379, 15767214, 11067342, 24},   // 0.4864
      {16672141, 14937599, 9306883, 22},   // 0.5018
      {12563797, 13763278, 11472346, 23},  // 0.5069
      {15075703, 15784898, 14402758, 23},  // 0.5080
      {11917199, 12535533, 11332817, 23},  // 0.5151
      {15846143, 16576354, 15152714, 23},  // 0.5153
      {11883503, 13316944, 10607589, 23},  // 0.5164
      {13577711, 15529373, 11874942, 23},  // 0.0062
      {16393251, 12176633, 11038378, 22},  // 0.0093
      {13796312, 10577812, 8999792, 22},   // -0.0005
      {13624230, 10867719, 8542556, 22},   // -0.0008
  };
  for (const Case& c : kCases) {
    const i64 product = c.p << 12;
    const i64 o = c.o << 12;
    const i64 t = c.t << (35 - c.shift);
    // Half a unit of binary32 more or less is rounded away, where it is not a tie to the other side.
    for (const i64 more : {-2049, -2048, -2047, 0, 2047, 2048, 2049}) {
      Check<i64>(product + more, o, t);
      Check<i64>(product, o + more, t);
      Check<i64>(-product + more, o, t);
    }
  }
  // Equal sides.
  for (int i = 0; i <= 30; ++i) {
    for (const i64 step : {-1, 0, 1}) Check<i64>((0x7ff605ll << i) + step, 0x7ff605ll << i, i64{1} << (23 + i));
  }
  EXPECT_GT(count_[0], 50);
  EXPECT_GT(count_[1], 50);
}

TEST_F(AngleTest, OfZerosAndTheLargest) {
  const i64 wide[] = {
      0, 1, 2, (1 << 24) - 1, 1 << 24, (1 << 24) + 1, (i64{1} << 62) - 1, i64{1} << 62, ~(u64{1} << 63)};
  for (const i64 product : wide) {
    for (const i64 o : wide) {
      for (const i64 t : wide) {
        Check<i64>(product, o, t);
        Check<i64>(-product, o, t);
      }
    }
  }
  Check<i64>(static_cast<i64>(u64{1} << 63), wide[8], wide[8]);
  const i32 largest = 2 * 22930 * 22930;
  const i32 narrow[] = {0, 1, 2, (1 << 24) - 1, 1 << 24, (1 << 24) + 1, largest - 1, largest, 0x7fffffff};
  for (const i32 product : narrow) {
    for (const i32 o : narrow) {
      for (const i32 t : narrow) {
        Check<i32>(product, o, t);
        Check<i32>(-product, o, t);
      }
    }
  }
}

// Limits of the option's range, and gains that end next to an integer.
TEST(AdmIntegerStepsTest, GainIsThatOfBinary64) {
  std::vector<double> limits = {1.2, 1.0001, 99.99, std::nextafter(1.0, 2.0), std::nextafter(100.0, 0.0)};
  for (int i = 1; i <= 100; ++i) limits.push_back(i);
  std::uint64_t state = 3;
  for (int i = 0; i < 95; ++i) limits.push_back(1.0 + static_cast<double>(NextRandom(state) >> 11) * 0x1p-53 * 99.0);
  const auto random = [&state] {
    const std::uint64_t value = NextRandom(state) >> 33;
    return static_cast<i32>(value >> (NextRandom(state) % 31));
  };
  const auto check = [](i32 restored, i32 distorted, double limit) {
    const i32 expected = AdmBinary64Steps::LimitGain(restored, distorted, limit);
    const auto bits = std::bit_cast<Binary64Bits>(limit);
    if (AdmIntegerSteps<Binary64Bits>::LimitGain(restored, distorted, bits) != expected) {
      ADD_FAILURE() << restored << ", " << distorted << ", " << limit;
    }
    const auto whole = static_cast<i32>(limit);
    if (static_cast<double>(whole) == limit &&
        AdmIntegerSteps<i32>::LimitGain(restored, distorted, whole) != expected) {
      ADD_FAILURE() << restored << ", " << distorted << ", " << whole;
    }
  };
  constexpr i32 kLargest = 0x7fffffff;
  for (const double limit : limits) {
    for (int i = 0; i < 20'000; ++i) {
      const i32 restored = random();
      check(restored, random(), limit);
      check(restored, kLargest, limit);
      const double gained = static_cast<double>(restored) * limit;
      if (gained >= kLargest) continue;
      for (const i32 step : {-1, 0, 1}) check(restored, std::max(static_cast<i32>(gained) + step, 0), limit);
    }
    for (const i32 restored : {0, 1, 22930, kLargest - 1, kLargest}) {
      for (const i32 distorted : {0, 1, 22930, kLargest - 1, kLargest}) check(restored, distorted, limit);
    }
  }
  // The quotient of two integers times the divisor: an integer, or the next number below or above it.
  for (int i = 0; i < 3'000'000; ++i) {
    const i32 restored = 1 + (random() >> 7);
    const i32 gained =
        restored + static_cast<i32>(NextRandom(state) % 99 * static_cast<unsigned>(restored) / 2) + random() % restored;
    const double limit = static_cast<double>(gained) / static_cast<double>(restored);
    if (limit < 1.0 || limit > 100.0) continue;
    check(restored, kLargest, limit);
    check(restored, gained, std::nextafter(limit, 0.0));
    check(restored, gained, std::nextafter(limit, 200.0));
  }
}

}  // namespace
}  // namespace lockstep
