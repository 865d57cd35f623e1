// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr on the host: integer sums, and the order of the reference where it rounds.
#include "features/float_psnr/float_psnr.h"

#include <array>

#include "exact/elementary.h"
#include "features/float_psnr/float_psnr_arithmetic.h"
#include "features/float_psnr/float_psnr_device.h"
#include "features/float_psnr/float_psnr_options.h"
#include "features/float_psnr/float_psnr_simd.h"
#include "features/psnr/squared_error.h"

namespace lockstep {
namespace {

double Scaler(int bit_depth) { return static_cast<double>(1 << (bit_depth - 8)); }

u64 WideSum(const u16* reference, const u16* distorted, int width) {
  u64 sum = 0;
  for (int x = 0; x < width; ++x) {
    sum += FloatPsnrSquare(static_cast<i32>(reference[x]) - static_cast<i32>(distorted[x]));
  }
  return sum;
}

u64 IntegerSum(const PlaneView& reference, const PlaneView& distorted, int bit_depth) {
  u64 sum = 0;
  for (int y = 0; y < reference.height; ++y) {
    // Up to 12 bits binary32 does not round the square, so that integers give it too.
    if (bit_depth == 8) {
      sum += NarrowSquaredErrorSum(reference.row<u8>(y), distorted.row<u8>(y), reference.width);
    } else if (bit_depth <= 12) {
      sum += NarrowSquaredErrorSum(reference.row<u16>(y), distorted.row<u16>(y), reference.width);
    } else {
      sum += WideSum(reference.row<u16>(y), distorted.row<u16>(y), reference.width);
    }
  }
  return sum;
}

template <class Sample>
double RasterSum(const PlaneView& reference, const PlaneView& distorted, float scaler) {
  double noise = 0.0;
  for (int y = 0; y < reference.height; ++y) {
    const Sample* r = reference.row<Sample>(y);
    const Sample* s = distorted.row<Sample>(y);
    for (int x = 0; x < reference.width; ++x) {
      const float difference = static_cast<float>(r[x]) / scaler - static_cast<float>(s[x]) / scaler;
      const float square = difference * difference;
      noise += static_cast<double>(square);
    }
  }
  return noise;
}

class FloatPsnrFeature final : public Feature {
 public:
  FloatPsnrFeature(const OptionValues& options, const VideoFormat& format, CpuTarget target)
      : format_(format), uncapped_(options.GetBool("uncapped")), simd_(ChooseFloatPsnrSimd(target, format.bit_depth)) {}

  int fact_count() const override { return 1; }
  std::vector<FeatureColumn> columns() const override { return {{"float_psnr"}}; }

  void Extract(const FrameWindow& window, Workspace* /*workspace*/, std::span<Fact> facts) const override {
    const PlaneView reference = window.reference->plane(0);
    const PlaneView distorted = window.distorted->plane(0);
    facts[0] = FactOf(FloatPsnrNoise(Sum(reference, distorted), reference, distorted, format_.bit_depth));
  }

  std::unique_ptr<DeviceProgram> MakeDeviceProgram(const DeviceTraits& /*traits*/) const override {
    return MakeFloatPsnrDeviceProgram(format_);
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    const std::int64_t pixels = static_cast<std::int64_t>(format_.width) * format_.height;
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (!facts.Has(frame)) continue;
      sink.Put(0, frame, FloatPsnrScore(DoubleOf(facts.Row(frame)[0]), pixels, format_.bit_depth, uncapped_));
    }
  }

 private:
  u64 Sum(const PlaneView& reference, const PlaneView& distorted) const {
    if (simd_ == nullptr) return IntegerSum(reference, distorted, format_.bit_depth);
    const int sample_bytes = format_.bytes_per_sample();
    return simd_({reference.data, distorted.data, reference.stride_bytes / sample_bytes,
                  distorted.stride_bytes / sample_bytes, reference.width, 0, reference.height});
  }

  VideoFormat format_;
  bool uncapped_;
  SquaredErrorSimd simd_;  // nullptr: the scalar code
};

constexpr std::array<const char*, 1> kProvided = {"float_psnr"};

}  // namespace

double FloatPsnrNoiseFromIntegerSum(std::uint64_t sum, int bit_depth) {
  const double scaler = Scaler(bit_depth);
  return static_cast<double>(sum) / (scaler * scaler);
}

double FloatPsnrNoiseInRasterOrder(const PlaneView& reference, const PlaneView& distorted, int bit_depth) {
  const auto scaler = static_cast<float>(Scaler(bit_depth));
  return bit_depth == 8 ? RasterSum<u8>(reference, distorted, scaler) : RasterSum<u16>(reference, distorted, scaler);
}

double FloatPsnrNoise(std::uint64_t sum, const PlaneView& reference, const PlaneView& distorted, int bit_depth) {
  return sum <= kFloatPsnrExactSum ? FloatPsnrNoiseFromIntegerSum(sum, bit_depth)
                                   : FloatPsnrNoiseInRasterOrder(reference, distorted, bit_depth);
}

double FloatPsnrScore(double noise, std::int64_t pixels, int bit_depth, bool uncapped) {
  const double peak = static_cast<double>((1 << bit_depth) - 1) / Scaler(bit_depth);
  const double mean = noise / static_cast<double>(pixels);
  const double value = 10 * exact::Log10((peak * peak) / (mean > 1e-10 ? mean : 1e-10));
  const double cap = 6 * bit_depth + 12;
  return uncapped || value < cap ? value : cap;
}

constinit const FeatureDescription kFloatPsnr = {
    .name = "float_psnr",
    .summary = "peak signal-to-noise ratio of luma, squares in binary32",
    .options = kFloatPsnrOptions,
    .provided = kProvided,
    .minimum_size = {1, 1},
    .create = [](const OptionValues& options, const VideoFormat& format,
                 CpuTarget target) -> Result<std::unique_ptr<Feature>> {
      return std::unique_ptr<Feature>(std::make_unique<FloatPsnrFeature>(options, format, target));
    },
    .on_devices = true,
};

}  // namespace lockstep
