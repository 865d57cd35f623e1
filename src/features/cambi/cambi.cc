// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi on the host: five scales of masked codes, their contrasts, and scores from the sums of the greatest ones.
#include "features/cambi/cambi.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/cambi/cambi_cuda.h"
#include "features/cambi/cambi_device.h"
#include "features/cambi/cambi_heatmaps.h"
#include "features/cambi/cambi_options.h"
#include "features/cambi/cambi_passes.h"
#include "features/cambi/cambi_pooling.h"
#include "features/cambi/cambi_settings.h"
#include "features/cambi/cambi_simd.h"

namespace lockstep {
namespace {

/// Memory for planes of any size up to the one it was made for.
template <class T>
class PlaneMemory {
 public:
  PlaneMemory(i32 width, i32 height) : memory_(static_cast<std::size_t>(StrideOf(width) * height) * sizeof(T)) {}

  [[nodiscard]] CambiPlane<T> Plane(PlaneSize size) {
    return {memory_.template as<T>(), StrideOf(size.width), size.width, size.height};
  }

 private:
  static i64 StrideOf(i32 width) {
    constexpr i64 kLine = AlignedBuffer::kAlignment / sizeof(T);
    return (i64{width} + kLine - 1) / kLine * kLine + kCambiRowPadding;
  }

  AlignedBuffer memory_;
};

/// Rows of 16-bit values with room before and behind them, all 0.
class LineMemory {
 public:
  LineMemory(i64 row_stride, i32 rows) : memory_(static_cast<std::size_t>(row_stride * rows) * sizeof(u16)) {}
  [[nodiscard]] u16* Rows() { return memory_.as<u16>() + kCambiLead; }

 private:
  AlignedBuffer memory_;
};

// Buffers of one band of rows for the vector code.
class CambiLines final : public Workspace {
 public:
  CambiLines(i32 width, const CambiCodes& codes, i32 steps)
      : row_stride_((i64{width} + 31) / 32 * 32 + kCambiLead + kCambiRowPadding),
        samples_(row_stride_, 4),
        codes_(row_stride_, 16),
        flat_(row_stride_, 16),
        sums_(row_stride_, 1),
        full_(row_stride_, 1),
        marked_(row_stride_, 4),
        modes_(row_stride_, 4),
        counts_(static_cast<std::size_t>(kCambiCountStride * CountRows(codes, steps)) * sizeof(u16)),
        present_(static_cast<std::size_t>(CountRows(codes, steps)) * sizeof(u32)),
        runs_(sizeof(CambiRun) * kCambiRunRows * kCambiStripRuns) {}

  [[nodiscard]] CambiLineBuffers Buffers() {
    return {row_stride_,    samples_.Rows(), codes_.Rows(),     flat_.Rows(),       sums_.Rows(),        full_.Rows(),
            marked_.Rows(), modes_.Rows(),   counts_.as<u16>(), present_.as<u32>(), runs_.as<CambiRun>()};
  }

 private:
  static i64 CountRows(const CambiCodes& codes, i32 steps) { return std::max(codes.end - codes.first, 0) + steps; }

  i64 row_stride_;
  LineMemory samples_;
  LineMemory codes_;
  LineMemory flat_;
  LineMemory sums_;
  LineMemory full_;
  LineMemory marked_;
  LineMemory modes_;
  AlignedBuffer counts_;
  AlignedBuffer present_;
  AlignedBuffer runs_;
};

class CambiWorkspace final : public Workspace {
 public:
  explicit CambiWorkspace(PlaneSize size)
      : codes(size.width, size.height), marked(size.width, size.height), contrasts(size.width, size.height) {}

  PlaneMemory<u16> codes;
  PlaneMemory<u16> marked;
  PlaneMemory<float> contrasts;
  CambiContrastClasses classes;
  AlignedBuffer heatmap;  // what drawing a frame needs
  // Of the scalar code.
  std::optional<PlaneMemory<u8>> flat;
  std::optional<PlaneMemory<u16>> counts;
  // Of the vector code.
  std::optional<CambiLines> lines;
};

// What a pass over a band needs at least to be worth it: half a window above it is counted first.
constexpr int kMinimumBandRows = 64;

class CambiFeature final : public Feature {
 public:
  CambiFeature(CambiSettings settings, std::unique_ptr<CambiHeatmaps> heatmaps, CpuTarget target)
      : settings_(std::move(settings)),
        heatmaps_(std::move(heatmaps)),
        codes_(CambiCodesThatCount(settings_.visibility)),
        simd_(ChooseCambiSimd(target)) {
    for (i32 d = 1; d <= kCambiMaximumContrasts; ++d) {
      weights_[static_cast<std::size_t>(d)] = static_cast<float>(CambiContrastWeight(d));
    }
    for (i32 code = codes_.first; code < codes_.end; ++code) {
      u32 visible = 0;
      for (i32 d = 1; d <= settings_.visibility.contrasts; ++d) {
        if (CambiIsVisible(settings_.visibility, code, d)) visible |= u32{1} << (d - 1);
      }
      visible_.push_back(visible);
    }
  }

  int fact_count() const override { return settings_.has_reference ? 2 * kCambiScales : kCambiScales; }

  std::vector<FeatureColumn> columns() const override {
    std::vector<FeatureColumn> columns = {{"Cambi_feature_cambi_score"}};
    if (settings_.has_reference) {
      columns.push_back({"cambi_source", ColumnPhase::kFrame, false});
      columns.push_back({"cambi_full_reference", ColumnPhase::kFrame, false});
    }
    return columns;
  }

  std::unique_ptr<Workspace> MakeWorkspace() const override {
    const PlaneSize size = LargestSize();
    auto workspace = std::make_unique<CambiWorkspace>(size);
    if (heatmaps_ != nullptr) workspace->heatmap.Resize(heatmaps_->scratch_bytes());
    if (simd_.first_scale != nullptr) {
      workspace->lines.emplace(size.width, codes_, settings_.visibility.contrasts);
    } else {
      workspace->flat.emplace(size.width, size.height);
      workspace->counts.emplace(size.width, std::max(codes_.end - codes_.first, 0));
    }
    return workspace;
  }

  std::unique_ptr<Workspace> MakeLineBuffers() const override {
    if (simd_.first_scale == nullptr) return nullptr;
    return std::make_unique<CambiLines>(LargestSize().width, codes_, settings_.visibility.contrasts);
  }

  void Extract(const FrameWindow& window, Workspace* scratch, std::span<Fact> facts) const override {
    auto& workspace = static_cast<CambiWorkspace&>(*scratch);
    const auto extract = [&](const Picture& picture, std::span<Fact> sums) {
      if (simd_.first_scale != nullptr) {
        ExtractBySimd(window, picture, workspace, sums);
      } else {
        ExtractByScalar(window, picture, workspace, sums);
      }
    };
    extract({*window.distorted, settings_.distorted, heatmaps_ != nullptr}, facts.first(kCambiScales));
    if (settings_.has_reference) {
      extract({*window.reference, settings_.reference, false}, facts.last(kCambiScales));
    }
  }

  // Heatmaps are drawn from contrasts on the host.
  std::unique_ptr<DeviceProgram> MakeDeviceProgram(const DeviceTraits& traits) const override {
    if (heatmaps_ != nullptr) return nullptr;
    std::unique_ptr<DeviceProgram> tuned = MakeCambiCudaProgram(settings_, traits, *this);
    return tuned != nullptr ? std::move(tuned) : MakeCambiDeviceProgram(settings_, *this);
  }

  Status FinishFiles() const override { return heatmaps_ == nullptr ? Status() : heatmaps_->Finish(); }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (!facts.Has(frame)) continue;
      const double distorted = ScoreOf(settings_.distorted, facts.Row(frame).first(kCambiScales));
      sink.Put(0, frame, Limited(distorted));
      if (!settings_.has_reference) continue;
      const double reference = ScoreOf(settings_.reference, facts.Row(frame).last(kCambiScales));
      const double worse = distorted - reference;
      sink.Put(1, frame, Limited(reference));
      sink.Put(2, frame, Limited(worse > 0.0 ? worse : 0.0));
    }
  }

 private:
  struct Picture {
    const Frame& frame;
    const CambiShape& shape;
    bool has_heatmaps;
  };

  [[nodiscard]] PlaneSize LargestSize() const {
    PlaneSize size = {settings_.distorted.width, settings_.distorted.height};
    if (settings_.has_reference) {
      size.width = std::max(size.width, settings_.reference.width);
      size.height = std::max(size.height, settings_.reference.height);
    }
    return size;
  }

  void ExtractByScalar(const FrameWindow& window, const Picture& picture, CambiWorkspace& workspace,
                       std::span<Fact> sums) const {
    const CambiShape& shape = picture.shape;
    const PlaneSize full = {shape.width, shape.height};
    const CambiCodePlane codes = workspace.codes.Plane(full);
    CambiConvert(picture.frame.plane(0), settings_.bit_depth, shape, codes);
    if (settings_.removes_dither) CambiRemoveDither(codes);
    CambiMarkMask(codes, FirstStep(), workspace.flat->Plane(full),
                  workspace.marked.Plane(settings_.ScaleSize(shape, 0)));
    for (int scale = 0; scale < kCambiScales; ++scale) {
      const PlaneSize size = settings_.ScaleSize(shape, scale);
      const CambiCodePlane marked = workspace.marked.Plane(size);
      if (scale > 0) CambiDecimate(workspace.codes.Plane(settings_.ScaleSize(shape, scale - 1)), marked);
      const CambiCodePlane filtered = workspace.codes.Plane(size);
      CambiFilterModes(marked, filtered);
      const CambiContrastPlane contrasts = workspace.contrasts.Plane(size);
      CambiFindContrasts(filtered, settings_.visibility, shape.window,
                         workspace.counts->Plane({size.width, codes_.end - codes_.first}), contrasts);
      sums[static_cast<std::size_t>(scale)] =
          Pool(window.index, picture, scale, contrasts, CambiTotalOf(contrasts), workspace);
    }
  }

  void ExtractBySimd(const FrameWindow& window, const Picture& picture, CambiWorkspace& workspace,
                     std::span<Fact> sums) const {
    const CambiShape& shape = picture.shape;
    CambiCodePlane larger;
    for (int scale = 0; scale < kCambiScales; ++scale) {
      const PlaneSize size = settings_.ScaleSize(shape, scale);
      const CambiCodePlane filtered = (scale % 2 == 0 ? workspace.codes : workspace.marked).Plane(size);
      const CambiContrastPlane contrasts = workspace.contrasts.Plane(size);
      const int bands = window.BandCount(size.height, kMinimumBandRows);
      window.RunBands(bands, &*workspace.lines, [&](int index, Workspace* lines) {
        const RowBand band = CutBand(size.height, 1, bands, index);
        const CambiLineBuffers buffers = static_cast<CambiLines*>(lines)->Buffers();
        if (scale == 0) {
          const PlaneView luma = picture.frame.plane(0);
          const bool is_resampled = !shape.columns.empty();
          simd_.first_scale({reinterpret_cast<const u8*>(luma.data), luma.stride_bytes, settings_.bit_depth,
                             shape.width, shape.height, is_resampled ? shape.columns.data() : nullptr,
                             is_resampled ? shape.rows.data() : nullptr, settings_.removes_dither, FirstStep(),
                             filtered, buffers, band.begin, band.end});
        } else {
          simd_.next_scale({larger, filtered, buffers, band.begin, band.end});
        }
      });
      std::array<CambiTotal, kMaximumBands> parts;
      window.RunBands(bands, &*workspace.lines, [&](int index, Workspace* lines) {
        const RowBand band = CutBand(size.height, 1, bands, index);
        parts[static_cast<std::size_t>(index)] =
            simd_.contrasts({filtered, contrasts, codes_, settings_.visibility.contrasts, visible_.data(),
                             weights_.data(), CambiReciprocals().data(), shape.window,
                             static_cast<CambiLines*>(lines)->Buffers(), band.begin, band.end});
      });
      CambiTotal total;
      for (int i = 0; i < bands; ++i) total.Add(parts[static_cast<std::size_t>(i)]);
      sums[static_cast<std::size_t>(scale)] = Pool(window.index, picture, scale, contrasts, total, workspace);
      larger = filtered;
    }
  }

  Fact Pool(std::int64_t frame, const Picture& picture, int scale, const CambiContrastPlane& contrasts,
            const CambiTotal& total, CambiWorkspace& workspace) const {
    // Before the sum, which may reorder the contrasts.
    if (picture.has_heatmaps) {
      heatmaps_->Write(scale, frame, contrasts, {workspace.heatmap.data(), workspace.heatmap.size()});
    }
    const i64 count = settings_.PooledCount(picture.shape, scale);
    return FactOf(CambiSumOfGreatest(contrasts, count, total, workspace.classes));
  }

  [[nodiscard]] i32 FirstStep() const { return settings_.has_speedup ? 2 : 1; }

  [[nodiscard]] double ScoreOf(const CambiShape& shape, std::span<const Fact> facts) const {
    double sum = 0.0;
    for (int scale = 0; scale < kCambiScales; ++scale) {
      const double count = static_cast<double>(settings_.PooledCount(shape, scale));
      sum += DoubleOf(facts[static_cast<std::size_t>(scale)]) / count * CambiScaleWeight(scale);
    }
    return sum / (shape.window * shape.window);
  }

  [[nodiscard]] double Limited(double score) const { return score < settings_.maximum ? score : settings_.maximum; }

  CambiSettings settings_;
  std::unique_ptr<CambiHeatmaps> heatmaps_;  // nullptr: none are asked for
  CambiCodes codes_;
  CambiSimd simd_;
  std::array<float, kCambiMaximumContrasts + 1> weights_{};
  std::vector<u32> visible_;  // for each code that counts; bit d - 1: a step of d is visible
};

Result<std::unique_ptr<CambiHeatmaps>> MakeHeatmaps(const OptionValues& options, const CambiSettings& settings) {
  if (options.GetString("heatmaps_path").empty()) return std::unique_ptr<CambiHeatmaps>();
  const bool is_png = options.GetString("heatmaps_format") == "png";
  const CambiHeatmapFormat format = is_png ? CambiHeatmapFormat::kPng : CambiHeatmapFormat::kGray;
  const CambiShape& shape = settings.distorted;
  CambiHeatmapSizes sizes;
  PlaneSize named = {shape.width, shape.height};
  for (int scale = 0; scale < kCambiScales; ++scale) {
    // Names start with the full size even where the first scale has half of it.
    sizes.named[static_cast<std::size_t>(scale)] = named;
    sizes.drawn[static_cast<std::size_t>(scale)] = settings.ScaleSize(shape, scale);
    named = {CambiHalf(named.width), CambiHalf(named.height)};
  }
  return CambiHeatmaps::Create(options.GetString("heatmaps_path"), format, sizes,
                               CambiHeatmapUnit(shape.window, settings.visibility.contrasts));
}

constexpr std::array<const char*, 1> kProvided = {"Cambi_feature_cambi_score"};

}  // namespace

constinit const FeatureDescription kCambi = {
    .name = "cambi",
    .summary = "visibility of banding in luma, 0 is none",
    .options = kCambiOptions,
    .provided = kProvided,
    .minimum_size = {1, 1},
    .create = [](const OptionValues& options, const VideoFormat& format,
                 CpuTarget target) -> Result<std::unique_ptr<Feature>> {
      Result<CambiSettings> settings = MakeCambiSettings(options, format);
      if (!settings) return std::move(settings).error();
      Result<std::unique_ptr<CambiHeatmaps>> heatmaps = MakeHeatmaps(options, *settings);
      if (!heatmaps) return std::move(heatmaps).error();
      return std::unique_ptr<Feature>(
          std::make_unique<CambiFeature>(*std::move(settings), *std::move(heatmaps), target));
    },
    .on_devices = true,
};

}  // namespace lockstep
