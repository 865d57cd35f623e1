// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_moment on the host: integer sums, and the order of the reference where it rounds.
#include "features/float_moment/float_moment.h"

#include <array>
#include <memory>
#include <vector>

#include "features/float_moment/float_moment_arithmetic.h"
#include "features/float_moment/float_moment_simd.h"

namespace lockstep {
namespace {

double Scaler(int bit_depth) { return static_cast<double>(1 << (bit_depth - 8)); }

template <class Sample>
FloatMomentSums IntegerSums(const PlaneView& plane) {
  FloatMomentSums sums = {0, 0};
  for (int y = 0; y < plane.height; ++y) {
    const Sample* row = plane.row<Sample>(y);
    for (int x = 0; x < plane.width; ++x) {
      sums.first += row[x];
      sums.second += FloatMomentSquare(row[x]);
    }
  }
  return sums;
}

template <class Sample>
double RasterSquares(const PlaneView& plane, float scaler) {
  double sum = 0.0;
  for (int y = 0; y < plane.height; ++y) {
    const Sample* row = plane.row<Sample>(y);
    for (int x = 0; x < plane.width; ++x) {
      const float value = static_cast<float>(row[x]) / scaler;
      const float square = value * value;
      sum += static_cast<double>(square);
    }
  }
  return sum;
}

class FloatMomentFeature final : public Feature {
 public:
  FloatMomentFeature(const VideoFormat& format, CpuTarget target)
      : format_(format), simd_(ChooseFloatMomentSimd(target, format.bit_depth)) {}

  int fact_count() const override { return 4; }

  std::vector<FeatureColumn> columns() const override {
    return {{"float_moment_ref1st"}, {"float_moment_dis1st"}, {"float_moment_ref2nd"}, {"float_moment_dis2nd"}};
  }

  void Extract(const FrameWindow& window, Workspace* /*workspace*/, std::span<Fact> facts) const override {
    const std::array<const Frame*, 2> pictures = {window.reference, window.distorted};
    const double scaler = Scaler(format_.bit_depth);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      const PlaneView plane = pictures[i]->plane(0);
      const FloatMomentSums sums = Sums(plane);
      facts[i] = FactOf(static_cast<double>(sums.first) / scaler);
      facts[2 + i] =
          FactOf(sums.second <= kFloatMomentExactSum ? static_cast<double>(sums.second) / (scaler * scaler)
                                                     : FloatMomentSquaresInRasterOrder(plane, format_.bit_depth));
    }
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    const auto pixels = static_cast<double>(static_cast<std::int64_t>(format_.width) * format_.height);
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (!facts.Has(frame)) continue;
      int column = 0;
      for (const Fact fact : facts.Row(frame)) sink.Put(column++, frame, DoubleOf(fact) / pixels);
    }
  }

 private:
  FloatMomentSums Sums(const PlaneView& plane) const {
    if (simd_ != nullptr) {
      return simd_({plane.data, plane.stride_bytes / format_.bytes_per_sample(), plane.width, plane.height});
    }
    return format_.bit_depth == 8 ? IntegerSums<u8>(plane) : IntegerSums<u16>(plane);
  }

  VideoFormat format_;
  FloatMomentSimd simd_;  // nullptr: the scalar code
};

constexpr std::array<const char*, 4> kProvided = {"float_moment_ref1st", "float_moment_dis1st", "float_moment_ref2nd",
                                                  "float_moment_dis2nd"};

}  // namespace

double FloatMomentSquaresInRasterOrder(const PlaneView& plane, int bit_depth) {
  const auto scaler = static_cast<float>(Scaler(bit_depth));
  return bit_depth == 8 ? RasterSquares<u8>(plane, scaler) : RasterSquares<u16>(plane, scaler);
}

constinit const FeatureDescription kFloatMoment = {
    "float_moment",
    "mean and mean square of luma of either picture",
    {},
    kProvided,
    {1, 1},
    [](const OptionValues& /*options*/, const VideoFormat& format,
       CpuTarget target) -> Result<std::unique_ptr<Feature>> {
      return std::unique_ptr<Feature>(std::make_unique<FloatMomentFeature>(format, target));
    },
};

}  // namespace lockstep
