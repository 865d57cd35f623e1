// SPDX-License-Identifier: BSD-2-Clause-Patent
// Walks down the rows of each scale: wavelet, decoupling and, one row later, masking and sums.
#include "features/float_adm/float_adm_frame.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/resize/plane_pair.h"

namespace lockstep {
namespace {

// A band computes the row above its own and the one below again.
constexpr int kMinimumBandRows = 16;

constexpr int kRing = 3;

/// Rows of coefficients of one band.
class Lines final : public Workspace {
 public:
  explicit Lines(int columns)
      : stride_(FloatRowStride(columns) + 2 * kFloatAdmMargin),
        memory_(static_cast<std::size_t>(kRows * stride_) * sizeof(float)) {}

  [[nodiscard]] FloatAdmSplitRow Split(int index) { return {Row(2 * index), Row(2 * index + 1)}; }
  [[nodiscard]] float* Detail(int picture, int band) { return Row(kDetails + kFloatAdmBands * picture + band); }
  /// in      row: any row of the scale; the last kRing rows are kept
  [[nodiscard]] FloatAdmMaskRow Mask(int row, bool restored) {
    FloatAdmMaskRow mask{};
    const int first = kMasks + (row % kRing * 2 + (restored ? 1 : 0)) * 2 * kFloatAdmBands;
    for (int band = 0; band < kFloatAdmBands; ++band) {
      mask.magnitude[band] = Row(first + band);
      mask.mask[band] = Row(first + kFloatAdmBands + band);
    }
    return mask;
  }
  /// in      index: FloatAdmSum
  [[nodiscard]] float* Terms(int index) { return Row(kTerms + index); }

 private:
  static constexpr int kDetails = 4;
  static constexpr int kMasks = kDetails + 2 * kFloatAdmBands;
  static constexpr int kTerms = kMasks + kRing * 4 * kFloatAdmBands;
  static constexpr int kRows = kTerms + kFloatAdmSums;

  [[nodiscard]] float* Row(int index) { return memory_.as<float>() + index * stride_ + kFloatAdmMargin; }

  i64 stride_;
  AlignedBuffer memory_;
};

class FloatAdmWorkspace final : public Workspace {
 public:
  explicit FloatAdmWorkspace(const FloatAdmPlan& plan)
      : lines(plan.columns[0].outputs),
        row_sums(static_cast<std::size_t>(kFloatAdmSums) * static_cast<std::size_t>(plan.rows[0].outputs)) {
    for (std::size_t scale = 1; scale < kAdmScales; ++scale) {
      inputs[scale].Reset(plan.columns[scale].inputs, plan.rows[scale].inputs);
    }
  }

  std::array<FloatPlanePair, kAdmScales> inputs;  // [0] is unused: the frames themselves
  Lines lines;
  std::vector<float> row_sums;  // [sum][row] of the scale at hand
};

/// Adds the terms of kCount rows to as many sums. They wait for their own additions, so they go side by side.
template <int kCount>
void AddTerms(float* const* terms, AdmRange columns, float* sums) {
  float totals[kCount] = {};
  for (i32 x = columns.begin; x < columns.end; ++x) {
    for (int i = 0; i < kCount; ++i) totals[i] = totals[i] + terms[i][x];
  }
  std::copy_n(totals, kCount, sums);
}

/// One scale of a frame, and where its parts are.
class ScaleWalk {
 public:
  ScaleWalk(const FloatAdmPlan& plan, std::size_t scale, const FrameWindow& window, FloatAdmWorkspace& workspace)
      : plan_(plan),
        columns_(plan.columns[scale]),
        rows_(plan.rows[scale]),
        factors_(plan.factors[scale]),
        row_sums_(workspace.row_sums.data()) {
    for (const int picture : {0, 1}) {
      Source& source = sources_[static_cast<std::size_t>(picture)];
      if (scale == 0) {
        const PlaneView plane = (picture == 0 ? window.reference : window.distorted)->plane(0);
        source = {plane.data, plane.stride_bytes};
      } else {
        FloatPlanePair& planes = workspace.inputs[scale];
        source = {reinterpret_cast<const std::byte*>(planes.plane(picture)),
                  planes.stride() * static_cast<i64>(sizeof(float))};
      }
    }
    wavelet_ = scale > 0 ? plan.passes.floats : (plan.bit_depth == 8 ? plan.passes.bytes : plan.passes.words);
    next_ = scale + 1 < kAdmScales ? &workspace.inputs[scale + 1] : nullptr;
  }

  /// Sums of the inner rows and low-band rows that lie in `band`.
  void Rows(RowBand band, Lines& lines) {
    const RowBand inner = {std::max(rows_.inner.begin, band.begin), std::min(rows_.inner.end, band.end)};
    const bool sums = inner.begin < inner.end;
    const int first = sums ? std::max(std::min(band.begin, inner.begin - 1), rows_.wavelet.begin) : band.begin;
    const int end = sums ? std::min(std::max(band.end, inner.end + 1), rows_.wavelet.end) : band.end;
    for (int y = first; y < end; ++y) {
      const bool low = next_ != nullptr && y >= band.begin && y < band.end && y >= rows_.low.begin && y < rows_.low.end;
      const bool detail =
          sums && y >= inner.begin - 1 && y <= inner.end && y >= rows_.detail.begin && y < rows_.detail.end;
      Wavelet(y, low, detail, lines);
      if (!detail) continue;
      Decouple(y, y >= inner.begin && y < inner.end, lines);
      if (y - 1 >= inner.begin && y - 1 < inner.end) Mask(y - 1, lines);
      // The last row stands for the one below it.
      if (y == rows_.outputs - 1 && y >= inner.begin && y < inner.end) Mask(y, lines);
    }
  }

 private:
  struct Source {
    const std::byte* data = nullptr;
    i64 stride_bytes = 0;
  };

  void Wavelet(int y, bool low, bool detail, Lines& lines) const {
    for (const int picture : {0, 1}) {
      const Source& source = sources_[static_cast<std::size_t>(picture)];
      FloatAdmWaveletArgs args{};
      for (int tap = 0; tap < 4; ++tap) {
        args.rows[tap] = source.data + AdmMirror(2 * y - 1 + tap, rows_.inputs) * source.stride_bytes;
      }
      args.inputs = columns_.inputs;
      args.outputs = columns_.outputs;
      args.columns = columns_.wavelet;
      args.inverse_scaler = 1.0f / static_cast<float>(1 << (plan_.bit_depth - 8));
      args.low = lines.Split(0);
      args.high = lines.Split(1);
      if (low) args.low_band = next_->plane(picture) + y * next_->stride();
      for (int band = 0; band < kFloatAdmBands && detail; ++band) args.details[band] = lines.Detail(picture, band);
      wavelet_(args);
    }
  }

  void Decouple(int y, bool inner, Lines& lines) const {
    FloatAdmDecoupleArgs args{};
    args.columns = columns_.detail;
    args.gain_limit = plan_.gain_limit;
    args.cubed = plan_.exponent == 3.0;
    args.impaired = lines.Mask(y, false);
    args.restored = lines.Mask(y, true);
    for (int band = 0; band < kFloatAdmBands; ++band) {
      args.reference[band] = lines.Detail(0, band);
      args.distorted[band] = lines.Detail(1, band);
      args.factors[band] = band == 2 ? factors_.d : factors_.hv;
      args.terms[band] = lines.Terms(kFloatAdmReference + band);
    }
    plan_.passes.decouple(args);
    for (const FloatAdmMaskRow& row : {args.impaired, args.restored}) {
      for (float* const mask : row.mask) {
        if (args.columns.begin == 0) mask[-1] = mask[1];
        if (args.columns.end == columns_.outputs) mask[columns_.outputs] = mask[columns_.outputs - 1];
      }
    }
    if (inner) Add<kFloatAdmBands>(y, kFloatAdmReference, lines);
  }

  void Mask(int y, Lines& lines) const {
    FloatAdmMaskArgs args{};
    args.columns = columns_.inner;
    args.bypass = plan_.bypass_masking;
    args.cubed = plan_.exponent == 3.0;
    const int near[3] = {y > 0 ? y - 1 : 1, y, y + 1 < rows_.outputs ? y + 1 : y};
    for (const int pass : {0, 1}) {
      FloatAdmMasking& masking = args.passes[pass];
      for (int band = 0; band < kFloatAdmBands; ++band) {
        for (int i = 0; i < 3; ++i) masking.masks[band][i] = lines.Mask(near[i], pass == 1).mask[band];
        masking.maskers[band] = lines.Mask(y, pass == 1).magnitude[band];
        masking.masked[band] = lines.Mask(y, pass == 0).magnitude[band];
        masking.terms[band] = lines.Terms(kFloatAdmBands * pass + band);
      }
    }
    plan_.passes.mask(args);
    Add<2 * kFloatAdmBands>(y, kFloatAdmRestored, lines);
  }

  template <int kCount>
  void Add(int y, int first, Lines& lines) const {
    float* terms[kCount];
    float sums[kCount];
    for (int i = 0; i < kCount; ++i) {
      terms[i] = lines.Terms(first + i);
      if (plan_.exponent != 3.0) {
        plan_.passes.power(terms[i], columns_.inner, static_cast<float>(plan_.exponent));
      }
    }
    AddTerms<kCount>(terms, columns_.inner, sums);
    for (int i = 0; i < kCount; ++i) row_sums_[static_cast<i64>(first + i) * rows_.outputs + y] = sums[i];
  }

  const FloatAdmPlan& plan_;
  const AdmAxis& columns_;
  const AdmAxis& rows_;
  const FloatAdmFactors& factors_;
  std::array<Source, 2> sources_;
  FloatAdmWavelet wavelet_ = nullptr;
  FloatPlanePair* next_ = nullptr;
  float* row_sums_;
};

}  // namespace

std::unique_ptr<Workspace> MakeFloatAdmWorkspace(const FloatAdmPlan& plan) {
  return std::make_unique<FloatAdmWorkspace>(plan);
}

std::unique_ptr<Workspace> MakeFloatAdmLines(const FloatAdmPlan& plan) {
  return std::make_unique<Lines>(plan.columns[0].outputs);
}

void ExtractFloatAdm(const FloatAdmPlan& plan, const FrameWindow& window, Workspace* scratch, std::span<Fact> facts) {
  auto& workspace = static_cast<FloatAdmWorkspace&>(*scratch);
  for (std::size_t scale = 0; scale < kAdmScales; ++scale) {
    const AdmAxis& rows = plan.rows[scale];
    const int count = rows.wavelet.end - rows.wavelet.begin;
    const int bands = window.BandCount(count, kMinimumBandRows);
    ScaleWalk walk(plan, scale, window, workspace);
    window.RunBands(bands, &workspace.lines, [&](int band, Workspace* lines) {
      const RowBand cut = CutBand(count, 1, bands, band);
      walk.Rows({rows.wavelet.begin + cut.begin, rows.wavelet.begin + cut.end}, static_cast<Lines&>(*lines));
    });
    for (int sum = 0; sum < kFloatAdmSums; ++sum) {
      const float* const row_sums = workspace.row_sums.data() + static_cast<i64>(sum) * rows.outputs;
      float total = 0.0f;
      for (int y = rows.inner.begin; y < rows.inner.end; ++y) total = total + row_sums[y];
      facts[scale * kFloatAdmSums + static_cast<std::size_t>(sum)] = FactOf(static_cast<double>(total));
    }
  }
}

}  // namespace lockstep
