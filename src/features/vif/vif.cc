// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif on the host: fused row passes over line buffers, and scores from the exact sums.
#include "features/vif/vif.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "exact/elementary.h"
#include "features/vif/vif_cuda.h"
#include "features/vif/vif_device.h"
#include "features/vif/vif_gain_binary64.h"
#include "features/vif/vif_options.h"
#include "features/vif/vif_rows.h"
#include "features/vif/vif_simd.h"

namespace lockstep {
namespace {

constexpr int kFactsPerScale = 4;

// A band starts with the rows above it that its filter reads, up to 16: fewer rows would not be worth that.
constexpr int kMinimumBandRows = 32;

/// Parts of one allocation. Makers run twice: the first time adds up sizes, the second hands out addresses.
class VifMemory {
 public:
  template <class Layout>
  explicit VifMemory(const Layout& layout) {
    layout(*this);
    memory_.Resize(used_);
    used_ = 0;
    layout(*this);
  }

  // Column 0 is aligned, and kVifPadding elements before and after the row may be written.
  template <class T>
  T* Take(i64 row_stride, i64 rows) {
    constexpr std::size_t kMargin = AlignedBuffer::kAlignment;
    static_assert(kMargin >= kVifPadding * sizeof(T));
    const std::size_t start = used_ + kMargin;
    const std::size_t bytes = static_cast<std::size_t>(row_stride * rows) * sizeof(T);
    used_ = (start + bytes + 2 * kMargin - 1) / kMargin * kMargin;
    return memory_.size() == 0 ? nullptr : reinterpret_cast<T*>(memory_.data() + start);
  }

 private:
  AlignedBuffer memory_;
  std::size_t used_ = 0;
};

// Line buffers of one band of rows.
class VifLines final : public Workspace {
 public:
  VifLines(int width, bool for_simd) : memory_([&](VifMemory& memory) { Lay(memory, width, for_simd); }) {}

  VifMomentRow moments{};
  VifVarianceRow variances{};
  VifSamplePlanes filtered{};
  VifSimdBuffers simd{};

 private:
  void Lay(VifMemory& memory, int width, bool for_simd) {
    if (for_simd) {
      const VifSimdSizes sizes(width);
      simd.ring = memory.Take<i32>(sizes.ring_size(), 1);
      simd.rows = memory.Take<i16>(sizes.rows_size(), 1);
      simd.variances = memory.Take<i32>(sizes.variances_size(), 1);
      simd.words = memory.Take<i32>(sizes.words_size(), 1);
      simd.filtered = memory.Take<i16>(sizes.filtered_size(), 1);
      simd.source = memory.Take<u16>(sizes.source_size(), 1);
      return;
    }
    moments = {memory.Take<u16>(width, 1), memory.Take<u16>(width, 1), memory.Take<u32>(width, 1),
               memory.Take<u32>(width, 1), memory.Take<u32>(width, 1)};
    variances = {memory.Take<i32>(width, 1), memory.Take<i32>(width, 1), memory.Take<i32>(width, 1)};
    filtered = {memory.Take<u16>(width, 1), memory.Take<u16>(width, 1), 0};
  }

  VifMemory memory_;
};

// The pictures of scales 1 … 3, and the lines of a frame that is one band.
class VifWorkspace final : public Workspace {
 public:
  VifWorkspace(int width, int height, bool for_simd)
      : lines(width, for_simd), memory_([&](VifMemory& memory) { Lay(memory, width, height); }) {}

  std::array<VifSamplePlanes, kVifScales> pictures{};  // [0] is unused: the frames themselves
  VifLines lines;

 private:
  void Lay(VifMemory& memory, int width, int height) {
    for (int scale = 1; scale < kVifScales; ++scale) {
      // Whole vectors are written at the end of a row; the next row may be another band's and finished already.
      constexpr i64 kLargestVector = 32;  // samples
      const i64 stride = ((width >> scale) + kLargestVector - 1) / kLargestVector * kLargestVector;
      const i64 rows = height >> scale;
      pictures[static_cast<std::size_t>(scale)] = {memory.Take<u16>(stride, rows), memory.Take<u16>(stride, rows),
                                                   stride};
    }
  }

  VifMemory memory_;
};

struct Settings {
  bool skip_scale0;
  double gain_limit;
  VifSimd simd;
  const u16* log_table;  // of the scalar code; nullptr where no scale needs it
};

// The passes are functions of their own, because GCC spills twice as much where several of them share a loop nest.

template <int kScale, class Sample>
[[gnu::noinline]] void VerticalPass(const VifPictures& pictures, i32 y, const VifMomentRow& out) {
  VifVerticalRow<kScale, Sample>(pictures, y, out);
}

template <int kScale>
[[gnu::noinline]] void HorizontalPass(const VifMomentRow& moments, i32 width, const VifVarianceRow& out) {
  VifHorizontalRow<kScale>(moments, width, out);
}

[[gnu::noinline]] VifSums StatisticPass(const VifVarianceRow& variances, i32 width, const Settings& settings) {
  return VifStatisticRow<VifGainBinary64>(variances, width, settings.log_table, settings.gain_limit);
}

template <int kScale, class Sample>
[[gnu::noinline]] void DownsampleVerticalPass(const VifPictures& pictures, i32 y, const VifSamplePlanes& out) {
  VifDownsampleVerticalRow<kScale, Sample>(pictures, y, out);
}

template <int kScale>
[[gnu::noinline]] void DownsampleHorizontalPass(const VifSamplePlanes& filtered, i32 width,
                                                const VifSamplePlanes& out) {
  VifDownsampleHorizontalRow<kScale>(filtered, width, out);
}

// The sums of a band of one scale, and the rows of the next scale that lie in it. A band begins at an even row, and
// ends at one or at the last row.
template <int kScale, class Sample>
VifSums BandSums(const VifPictures& pictures, const VifSamplePlanes& next, const Settings& settings, RowBand band,
                 const VifLines& lines) {
  const bool scored = kScale > 0 || !settings.skip_scale0;
  if (const VifSimdScale simd = settings.simd.scales[kScale]; simd != nullptr) {
    return simd({pictures, next, lines.simd, settings.gain_limit, scored, band.begin, band.end});
  }
  VifSums sums = {0, 0, 0, 0};
  for (i32 y = band.begin; y < band.end; ++y) {
    if (scored) {
      VerticalPass<kScale, Sample>(pictures, y, lines.moments);
      HorizontalPass<kScale>(lines.moments, pictures.width, lines.variances);
      VifAddSums(sums, StatisticPass(lines.variances, pictures.width, settings));
    }
    if constexpr (kScale + 1 < kVifScales) {
      // While these source rows are in the cache. An odd last row has no successor.
      if (y % 2 == 0 && y / 2 < pictures.height / 2) {
        DownsampleVerticalPass<kScale + 1, Sample>(pictures, y, lines.filtered);
        DownsampleHorizontalPass<kScale + 1>(lines.filtered, pictures.width / 2, next.Row(y / 2));
      }
    }
  }
  return sums;
}

// The sums of one scale, and the pictures of the next one.
template <int kScale, class Sample>
VifSums ScaleSums(const VifPictures& pictures, const Settings& settings, const FrameWindow& window,
                  VifWorkspace& workspace) {
  // The last scale has no next one.
  const VifSamplePlanes& next = workspace.pictures[(kScale + 1) % kVifScales];
  const int bands = window.BandCount(pictures.height, kMinimumBandRows);
  std::array<VifSums, kMaximumBands> parts;
  window.RunBands(bands, &workspace.lines, [&](int band, Workspace* lines) {
    parts[static_cast<std::size_t>(band)] = BandSums<kScale, Sample>(
        pictures, next, settings, CutBand(pictures.height, 2, bands, band), static_cast<const VifLines&>(*lines));
  });
  VifSums sums = {0, 0, 0, 0};
  for (int band = 0; band < bands; ++band) VifAddSums(sums, parts[static_cast<std::size_t>(band)]);
  return sums;
}

VifPictures SmallerPictures(const VifWorkspace& workspace, int scale, const VideoFormat& format) {
  const VifSamplePlanes& planes = workspace.pictures[static_cast<std::size_t>(scale)];
  return {planes.reference,      planes.distorted,       planes.row_stride, planes.row_stride,
          format.width >> scale, format.height >> scale, format.bit_depth};
}

// Numerator and denominator of a scale, each rounded once to binary32.
struct Ratio {
  float num;
  float den;
};

Ratio RatioOf(std::span<const Fact> facts) {
  const auto num_log = static_cast<double>(facts[0]);
  const auto den_log = static_cast<double>(facts[1]);
  const auto non_log_num = static_cast<double>(facts[2]);
  const auto non_log_count = static_cast<double>(facts[3]);
  return {static_cast<float>(num_log / 2048.0 + (non_log_count - (non_log_num / 16384.0) / 65025.0)),
          static_cast<float>(den_log / 2048.0 + non_log_count)};
}

class VifFeature final : public Feature {
 public:
  VifFeature(const OptionValues& options, const VideoFormat& format, CpuTarget target)
      : format_(format),
        debug_(options.GetBool("debug")),
        settings_{options.GetBool("vif_skip_scale0"), options.GetDouble("vif_enhn_gain_limit"),
                  ChooseVifSimd(target, format.bit_depth), nullptr} {
    const auto is_scalar = [](VifSimdScale scale) { return scale == nullptr; };
    if (std::any_of(std::begin(settings_.simd.scales), std::end(settings_.simd.scales), is_scalar)) {
      settings_.log_table = VifLogTable().data();
    }
  }

  int fact_count() const override { return kFactsPerScale * kVifScales; }

  std::vector<FeatureColumn> columns() const override {
    std::vector<FeatureColumn> columns;
    for (int scale = 0; scale < kVifScales; ++scale) {
      columns.push_back({"VMAF_integer_feature_vif_scale" + std::to_string(scale) + "_score"});
    }
    if (debug_) {
      columns.insert(columns.end(), {{"integer_vif"}, {"integer_vif_num"}, {"integer_vif_den"}});
      for (int scale = 0; scale < kVifScales; ++scale) {
        columns.push_back({"integer_vif_num_scale" + std::to_string(scale)});
        columns.push_back({"integer_vif_den_scale" + std::to_string(scale)});
      }
    }
    return columns;
  }

  std::unique_ptr<Workspace> MakeWorkspace() const override {
    return std::make_unique<VifWorkspace>(format_.width, format_.height, settings_.simd.scales[0] != nullptr);
  }

  std::unique_ptr<Workspace> MakeLineBuffers() const override {
    return std::make_unique<VifLines>(format_.width, settings_.simd.scales[0] != nullptr);
  }

  void Extract(const FrameWindow& window, Workspace* scratch, std::span<Fact> facts) const override {
    auto& workspace = static_cast<VifWorkspace&>(*scratch);
    const PlaneView reference = window.reference->plane(0);
    const PlaneView distorted = window.distorted->plane(0);
    const int sample_bytes = format_.bytes_per_sample();
    const VifPictures frames = {reference.data,
                                distorted.data,
                                reference.stride_bytes / sample_bytes,
                                distorted.stride_bytes / sample_bytes,
                                format_.width,
                                format_.height,
                                format_.bit_depth};
    const std::array<VifSums, kVifScales> sums = {
        sample_bytes == 1 ? ScaleSums<0, u8>(frames, settings_, window, workspace)
                          : ScaleSums<0, u16>(frames, settings_, window, workspace),
        ScaleSums<1, u16>(SmallerPictures(workspace, 1, format_), settings_, window, workspace),
        ScaleSums<2, u16>(SmallerPictures(workspace, 2, format_), settings_, window, workspace),
        ScaleSums<3, u16>(SmallerPictures(workspace, 3, format_), settings_, window, workspace)};
    std::size_t i = 0;
    for (const VifSums& scale : sums) {
      facts[i++] = scale.num_log;
      facts[i++] = scale.den_log;
      facts[i++] = scale.non_log_num;
      facts[i++] = scale.non_log_count;
    }
  }

  std::unique_ptr<DeviceProgram> MakeDeviceProgram(const DeviceTraits& traits) const override {
    const VifDeviceSettings settings = {settings_.skip_scale0, settings_.gain_limit};
    std::unique_ptr<DeviceProgram> tuned = MakeVifCudaProgram(format_, settings, traits);
    return tuned != nullptr ? std::move(tuned) : MakeVifDeviceProgram(format_, settings);
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (facts.Has(frame)) FinishFrame(frame, facts.Row(frame), sink);
    }
  }

 private:
  void FinishFrame(std::int64_t frame, std::span<const Fact> facts, ScoreSink& sink) const {
    double num_sum = 0.0;
    double den_sum = 0.0;
    for (int scale = 0; scale < kVifScales; ++scale) {
      // The values that libvmaf gives a skipped scale.
      double score = 0.0;
      double num = 0.0;
      double den = -1.0;
      if (scale > 0 || !settings_.skip_scale0) {
        const Ratio ratio = RatioOf(facts.subspan(static_cast<std::size_t>(scale) * kFactsPerScale, kFactsPerScale));
        score = static_cast<double>(ratio.num / ratio.den);
        num = static_cast<double>(ratio.num);
        den = static_cast<double>(ratio.den);
        num_sum += num;
        den_sum += den;
      }
      sink.Put(scale, frame, score);
      if (debug_) {
        sink.Put(kVifScales + 3 + 2 * scale, frame, num);
        sink.Put(kVifScales + 4 + 2 * scale, frame, den);
      }
    }
    if (debug_) {
      // Every pixel adds at least 1 to a denominator.
      sink.Put(kVifScales, frame, num_sum / den_sum);
      sink.Put(kVifScales + 1, frame, num_sum);
      sink.Put(kVifScales + 2, frame, den_sum);
    }
  }

  VideoFormat format_;
  bool debug_;
  Settings settings_;
};

constexpr std::array<const char*, kVifScales> kProvided = {
    "VMAF_integer_feature_vif_scale0_score", "VMAF_integer_feature_vif_scale1_score",
    "VMAF_integer_feature_vif_scale2_score", "VMAF_integer_feature_vif_scale3_score"};

constexpr std::size_t kLogTableSize = 32768;

std::vector<u16> MakeLogTable() {
  std::vector<u16> table(kLogTableSize);
  for (std::size_t i = 0; i < kLogTableSize; ++i) {
    // The product is exact in binary32, and half a unit more in binary64.
    const float scaled = exact::Log2f(static_cast<float>(32768 + i)) * 2048.0f;
    table[i] = static_cast<u16>(static_cast<double>(scaled) + 0.5);
  }
  return table;
}

}  // namespace

std::span<const std::uint16_t> VifLogTable() {
  static const std::vector<u16> table = MakeLogTable();
  return table;
}

constinit const FeatureDescription kVif = {
    .name = "vif",
    .summary = "visual information fidelity of luma at four scales, fixed point",
    .options = kVifOptions,
    .provided = kProvided,
    .minimum_size = {16, 16},
    .create = [](const OptionValues& options, const VideoFormat& format,
                 CpuTarget target) -> Result<std::unique_ptr<Feature>> {
      return std::unique_ptr<Feature>(std::make_unique<VifFeature>(options, format, target));
    },
    .on_devices = true,
};

}  // namespace lockstep
