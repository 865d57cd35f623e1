// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr on the host: squared errors by row, then decibels.
#include "features/psnr/psnr.h"

#include <array>
#include <string>

#include "exact/elementary.h"
#include "exact/integer_math.h"
#include "features/psnr/psnr_arithmetic.h"
#include "features/psnr/psnr_device.h"
#include "features/psnr/psnr_options.h"
#include "features/psnr/psnr_simd.h"
#include "features/psnr/squared_error.h"

namespace lockstep {
namespace {

constexpr std::array<const char*, 3> kPsnrNames = {"psnr_y", "psnr_cb", "psnr_cr"};
constexpr std::array<const char*, 3> kMseNames = {"mse_y", "mse_cb", "mse_cr"};
constexpr std::array<const char*, 3> kAggregateNames = {"apsnr_y", "apsnr_cb", "apsnr_cr"};

u64 WideSum(const u16* reference, const u16* distorted, int width) {
  u64 sum = 0;
  for (int x = 0; x < width; ++x) sum += SquaredError(reference[x], distorted[x]);
  return sum;
}

u64 PlaneSquaredError(const PlaneView& reference, const PlaneView& distorted, PlaneSize size, int bit_depth) {
  u64 sum = 0;
  for (int y = 0; y < size.height; ++y) {
    if (bit_depth == 8) {
      sum += NarrowSquaredErrorSum(reference.row<u8>(y), distorted.row<u8>(y), size.width);
    } else if (bit_depth <= 12) {
      sum += NarrowSquaredErrorSum(reference.row<u16>(y), distorted.row<u16>(y), size.width);
    } else {
      sum += WideSum(reference.row<u16>(y), distorted.row<u16>(y), size.width);
    }
  }
  return sum;
}

class PsnrFeature final : public Feature {
 public:
  PsnrFeature(const OptionValues& options, const VideoFormat& format, CpuTarget target)
      : format_(format),
        planes_(options.GetBool("enable_chroma") ? format.plane_count() : 1),
        writes_mse_(options.GetBool("enable_mse")),
        writes_aggregate_(options.GetBool("enable_apsnr")),
        peak_(options.GetBool("reduced_hbd_peak") ? 255u << (format.bit_depth - 8) : (1u << format.bit_depth) - 1),
        squared_peak_(static_cast<double>(peak_ * peak_)),
        simd_(ChooseSquaredErrorSimd(target, format.bit_depth)) {
    const double minimum_error = options.GetDouble("min_sse");
    for (int p = 0; p < 3; ++p) {
      double& cap = caps_[static_cast<std::size_t>(p)];
      if (minimum_error != 0.0 && PixelCount(p) != 0) {
        const double mse = minimum_error / static_cast<double>(PixelCount(p));
        cap = exact::Ceil(10.0 * exact::Log10(squared_peak_ / mse));
      } else {
        cap = 6 * format.bit_depth + 12;
      }
    }
  }

  bool every_frame() const override { return true; }
  bool needs_chroma() const override { return planes_ > 1; }
  int fact_count() const override { return planes_; }

  std::vector<FeatureColumn> columns() const override {
    std::vector<FeatureColumn> columns;
    for (std::size_t p = 0; p < static_cast<std::size_t>(planes_); ++p) {
      columns.push_back({kPsnrNames[p], ColumnPhase::kFrame, false});
      if (writes_mse_) columns.push_back({kMseNames[p], ColumnPhase::kFrame, false});
    }
    return columns;
  }

  void Extract(const FrameWindow& window, Workspace* /*workspace*/, std::span<Fact> facts) const override {
    for (int p = 0; p < planes_; ++p) {
      facts[static_cast<std::size_t>(p)] = SquaredErrorOfPlane(*window.reference, *window.distorted, p);
    }
  }

  std::unique_ptr<DeviceProgram> MakeDeviceProgram(const DeviceTraits& /*traits*/) const override {
    return MakePsnrDeviceProgram(format_, planes_);
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    std::array<u64, 3> errors{};
    u64 frames = 0;
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (!facts.Has(frame)) continue;
      ++frames;
      int column = 0;
      for (int p = 0; p < planes_; ++p) {
        const u64 error = facts.Row(frame)[static_cast<std::size_t>(p)];
        errors[static_cast<std::size_t>(p)] += error;
        const double mse = PixelCount(p) == 0 ? 0.0 : static_cast<double>(error) / static_cast<double>(PixelCount(p));
        sink.Put(column++, frame, Decibels(mse, caps_[static_cast<std::size_t>(p)]));
        if (writes_mse_) sink.Put(column++, frame, mse);
      }
    }
    if (!writes_aggregate_ || frames == 0) return;
    for (int p = 0; p < planes_; ++p) {
      if (PixelCount(p) == 0) continue;
      const auto i = static_cast<std::size_t>(p);
      sink.PutAggregate(kAggregateNames[i], AggregateDecibels(errors[i], PixelCount(p) * frames));
    }
  }

 private:
  u64 SquaredErrorOfPlane(const Frame& reference_frame, const Frame& distorted_frame, int plane) const {
    const PlaneView reference = reference_frame.plane(plane);
    const PlaneView distorted = distorted_frame.plane(plane);
    const PlaneSize size = format_.scored_plane_size(plane);
    if (simd_ == nullptr) return PlaneSquaredError(reference, distorted, size, format_.bit_depth);
    const int sample_bytes = format_.bytes_per_sample();
    return simd_({reference.data, distorted.data, reference.stride_bytes / sample_bytes,
                  distorted.stride_bytes / sample_bytes, size.width, 0, size.height});
  }

  u64 PixelCount(int plane) const {
    const PlaneSize size = format_.scored_plane_size(plane);
    return static_cast<u64>(size.width) * static_cast<u64>(size.height);
  }

  double Decibels(double mse, double cap) const {
    const double value = 10.0 * exact::Log10(squared_peak_ / (mse > 1e-16 ? mse : 1e-16));
    return value < cap ? value : cap;
  }

  /// PSNR of a squared error summed over a sequence.
  /// edge    no error: the cap, which is the PSNR of half a squared code value in total, rounded up
  /// exact   the cap's product wraps at 2^64 as in libvmaf (at 16 bits from 2^31 samples on)
  /// source  libvmaf 3.2.0, integer_psnr.c
  double AggregateDecibels(u64 error, u64 pixels) const {
    const double value = 10 * ((exact::Log10(squared_peak_) + exact::Log10(static_cast<double>(pixels))) -
                               exact::Log10(static_cast<double>(error)));
    const u64 doubled = static_cast<u64>(peak_ * peak_) * pixels * 2;
    const double cap = exact::Ceil(10 * exact::Log10(static_cast<double>(doubled)));
    return value < cap ? value : cap;
  }

  VideoFormat format_;
  int planes_;
  bool writes_mse_;
  bool writes_aggregate_;
  u32 peak_;  // its square fits 32 bits: 65535^2
  double squared_peak_;
  std::array<double, 3> caps_{};
  SquaredErrorSimd simd_;  // nullptr: the scalar code
};

constexpr std::array<const char*, 3> kProvided = kPsnrNames;

}  // namespace

constinit const FeatureDescription kPsnr = {
    .name = "psnr",
    .summary = "peak signal-to-noise ratio of each plane",
    .options = kPsnrOptions,
    .provided = kProvided,
    .minimum_size = {1, 1},
    .create = [](const OptionValues& options, const VideoFormat& format,
                 CpuTarget target) -> Result<std::unique_ptr<Feature>> {
      return std::unique_ptr<Feature>(std::make_unique<PsnrFeature>(options, format, target));
    },
    .on_devices = true,
};

}  // namespace lockstep
