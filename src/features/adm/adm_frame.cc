// SPDX-License-Identifier: BSD-2-Clause-Patent
// The walk through a frame pair: one output row at a time, each scale feeding the next from a few line buffers. Here it
// is over the scalar row bodies; vector code has a walk of its own.
#include "features/adm/adm_frame.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/adm/adm_simd.h"

namespace lockstep {
namespace {

constexpr std::array<i32, kAdmReciprocals> MakeReciprocals() {
  std::array<i32, kAdmReciprocals> table{};
  for (i32 i = 1; i < kAdmReciprocals; ++i) table[static_cast<std::size_t>(i)] = kAdmReciprocalOne / i;
  return table;
}

// Rows that a ring must keep: a wavelet reads 4 rows of the scale before, a threshold 3; a numerator follows one row
// behind what it is made of.
constexpr i32 kLowRing = 4;
constexpr i32 kTripleRing = 4;
constexpr i32 kSubjectRing = 2;

template <class T>
AdmRows<const T> ReadOnly(const AdmRows<T>& rows) {
  return {rows.data, rows.stride, rows.row_mask};
}
template <class T>
AdmLines<const T> ReadOnly(const AdmLines<T>& lines) {
  return {ReadOnly(lines.even), ReadOnly(lines.odd)};
}

class LineMemory {
 public:
  /// `rows` (a power of two) lines of `columns` elements with a cache line to spare on either side.
  template <class T>
  AdmRows<T> Rows(i32 columns, i32 rows) {
    constexpr std::size_t kAlignment = AlignedBuffer::kAlignment;
    const std::size_t line =
        (static_cast<std::size_t>(columns) * sizeof(T) + 3 * kAlignment - 1) / kAlignment * kAlignment;
    buffers_.emplace_back(line * static_cast<std::size_t>(rows));
    T* data = buffers_.back().template as<T>() + kAlignment / sizeof(T);
    return {data, static_cast<i64>(line / sizeof(T)), rows - 1};
  }
  template <class T>
  AdmLines<T> Lines(i32 columns) {
    const AdmRows<T> even = Rows<T>(columns, 1);
    return {even, Rows<T>(columns, 1)};
  }

 private:
  std::vector<AlignedBuffer> buffers_;
};

/// Arguments of the row bodies of one scale; [0] reference, [1] distorted, or [0] restored, [1] impairment.
template <i32 S, class Input>
struct ScaleArgs {
  using Band = typename AdmScale<S>::Band;
  using Low = typename AdmScale<S>::Low;

  AdmVerticalArgs<S, Input> vertical[2];
  AdmLowBandArgs<S> low[2];
  AdmDetailBandsArgs<S> detail[2];
  AdmDecoupleArgs<S, AdmBinary64Steps> decouple;
  AdmThresholdArgs<S> threshold[2];
  AdmDenominatorArgs<S> denominator;
  AdmNumeratorArgs<S> numerator[2];
  AdmRows<Low> low_band[2];
  AdmAxis rows;
  i32 next_row = 0;

  ScaleArgs(const AdmPlan& plan, LineMemory& memory) {
    const AdmAxis& columns = plan.columns[S];
    rows = plan.rows[S];
    const AdmRange pairs = {std::max(columns.wavelet.begin - 1, 0), std::min(columns.wavelet.end + 1, columns.outputs)};
    const i32 width = columns.outputs;
    const AdmRows<u64> row_sums = memory.Rows<u64>(3, 1);

    for (int p = 0; p < 2; ++p) {
      using Line = typename AdmScale<S>::Line;
      const AdmLines<Line> low_lines = memory.Lines<Line>(width + 1);
      const AdmLines<Line> high_lines = memory.Lines<Line>(width + 1);
      vertical[p] = {{}, low_lines, high_lines, pairs, columns.inputs, rows.inputs, rows.outputs, plan.bit_depth};
      low_band[p] = memory.Rows<Low>(width, kLowRing);
      low[p] = {ReadOnly(low_lines), low_band[p], columns.low, rows.outputs};
      detail[p] = {ReadOnly(low_lines),
                   ReadOnly(high_lines),
                   {memory.Rows<Band>(width, 1), memory.Rows<Band>(width, 1), memory.Rows<Band>(width, 1)},
                   columns.detail,
                   rows.outputs};
    }

    decouple.reciprocals = kAdmReciprocalTable.data();
    decouple.gain_limit = plan.gain_limit;
    decouple.columns = columns.detail;
    decouple.row_end = rows.outputs;
    const AdmRows<i32> neighbour = memory.Rows<i32>(width + 1, 1);
    const AdmShifts& shifts = plan.shifts[S];
    for (int part = 0; part < 2; ++part) {
      AdmThresholdArgs<S>& terms = threshold[part];
      terms.neighbour = neighbour;
      terms.triples = memory.Rows<i32>(width, kTripleRing);
      terms.centre = memory.Rows<i32>(width, kSubjectRing);
      terms.factors = plan.csf.scales[S].fixed;
      terms.columns = columns.detail;
      terms.inner = columns.inner;
      terms.width = width;
      terms.row_end = rows.outputs;
    }
    for (int part = 0; part < 2; ++part) {
      AdmNumeratorArgs<S>& sums = numerator[part];
      sums.triples = ReadOnly(threshold[1 - part].triples);
      sums.centre = ReadOnly(threshold[1 - part].centre);
      sums.row_sums = row_sums;
      sums.factors = plan.csf.scales[S].fixed;
      sums.shifts = shifts.numerator;
      sums.inner = columns.inner;
      sums.height = rows.outputs;
      sums.row_end = rows.outputs;
    }
    for (int band = 0; band < 3; ++band) {
      decouple.reference[band] = denominator.reference[band] = ReadOnly(detail[0].bands[band]);
      decouple.distorted[band] = ReadOnly(detail[1].bands[band]);
      decouple.restored[band] = memory.Rows<Band>(width, S == 0 ? kSubjectRing : 1);
      decouple.impairment[band] = memory.Rows<Band>(width, S == 0 ? kSubjectRing : 1);
      for (int part = 0; part < 2; ++part) {
        const AdmRows<Band> source = part == 0 ? decouple.restored[band] : decouple.impairment[band];
        threshold[part].source[band] = ReadOnly(source);
        if constexpr (S == 0) {
          threshold[part].weighted[band] = {};
          numerator[part].subject[band] = ReadOnly(source);
        } else {
          threshold[part].weighted[band] = memory.Rows<i32>(width, kSubjectRing);
          numerator[part].subject[band] = ReadOnly(threshold[part].weighted[band]);
        }
      }
    }
    denominator.row_sums = row_sums;
    denominator.cube_shift = shifts.denominator_cube;
    denominator.row_shift = shifts.denominator_row;
    denominator.inner = columns.inner;
    denominator.row_end = rows.outputs;
  }
};

bool Contains(AdmRange range, i32 row) { return row >= range.begin && row < range.end; }

template <class Sample>
class ScalarFrame final : public AdmFrame {
 public:
  explicit ScalarFrame(const AdmPlan& plan)
      : rows_(plan.rows),
        skip_aim_(plan.skip_aim),
        scales_(ScaleArgs<0, Sample>(plan, memory_), ScaleArgs<1, i16>(plan, memory_), ScaleArgs<2, i32>(plan, memory_),
                ScaleArgs<3, i32>(plan, memory_)) {
    ConnectTo<1>();
    ConnectTo<2>();
    ConnectTo<3>();
  }

  void ExtractBand(const PlaneView& reference, const PlaneView& distorted, AdmRange band,
                   std::span<Fact> facts) override {
    const std::array<AdmAxis, kAdmScales> rows = AdmBandRows(rows_, band);
    std::fill(facts.begin(), facts.end(), Fact{0});
    facts_ = facts.data();
    auto& first = std::get<0>(scales_);
    const PlaneView* planes[2] = {&reference, &distorted};
    for (int p = 0; p < 2; ++p) {
      first.vertical[p].input = {planes[p]->row<Sample>(0),
                                 planes[p]->stride_bytes / static_cast<std::ptrdiff_t>(sizeof(Sample)), -1};
    }
    StartAt<0>(rows);
    StartAt<1>(rows);
    StartAt<2>(rows);
    StartAt<3>(rows);
    for (i32 row = first.rows.wavelet.begin; row < first.rows.wavelet.end; ++row) ComputeRow<0>(row);
  }

 private:
  template <i32 S>
  void ConnectTo() {
    for (int p = 0; p < 2; ++p) {
      std::get<S>(scales_).vertical[p].input = ReadOnly(std::get<S - 1>(scales_).low_band[p]);
    }
  }

  template <std::size_t S>
  void StartAt(const std::array<AdmAxis, kAdmScales>& rows) {
    std::get<S>(scales_).rows = rows[S];
    std::get<S>(scales_).next_row = rows[S].wavelet.begin;
  }

  /// Output row `row` of scale S, and every row of the coarser scales that it completes.
  template <i32 S>
  void ComputeRow(i32 row) {
    auto& scale = std::get<S>(scales_);
    for (const auto& args : scale.vertical) AdmVerticalRow<S>(args, row);
    if constexpr (S < 3) {
      if (Contains(scale.rows.low, row)) {
        for (const auto& args : scale.low) AdmLowBandRow<S>(args, row);
      }
    }
    if (Contains(scale.rows.detail, row)) {
      ComputeDetail<S>(row);
      // A threshold looks one row down, except at the bottom edge.
      if (Contains(scale.rows.inner, row - 1)) AddNumerators<S>(row - 1);
      if (row == scale.rows.outputs - 1 && Contains(scale.rows.inner, row)) AddNumerators<S>(row);
    }
    if constexpr (S < 3) {
      auto& next = std::get<S + 1>(scales_);
      while (next.next_row < next.rows.wavelet.end && std::min(2 * next.next_row + 2, next.rows.inputs - 1) <= row) {
        ComputeRow<S + 1>(next.next_row++);
      }
    }
  }

  template <i32 S>
  void ComputeDetail(i32 row) {
    auto& scale = std::get<S>(scales_);
    for (const auto& args : scale.detail) AdmDetailBandsRow<S>(args, row);
    AdmDecoupleRow<S, AdmBinary64Steps>(scale.decouple, row);
    for (const auto& args : scale.threshold) AdmThresholdRow<S>(args, row);
    if (!Contains(scale.rows.inner, row)) return;
    AdmDenominatorRow<S>(scale.denominator, row);
    AddRow(S, AdmSum::kReference, scale.denominator.row_sums.Row(row));
  }

  template <i32 S>
  void AddNumerators(i32 row) {
    const auto& scale = std::get<S>(scales_);
    AdmNumeratorRow<S>(scale.numerator[0], row);
    AddRow(S, AdmSum::kRestored, scale.numerator[0].row_sums.Row(row));
    if (skip_aim_) return;
    AdmNumeratorRow<S>(scale.numerator[1], row);
    AddRow(S, AdmSum::kImpairment, scale.numerator[1].row_sums.Row(row));
  }

  void AddRow(std::size_t scale, AdmSum sum, const u64* row_sums) {
    for (std::size_t band = 0; band < 3; ++band) facts_[AdmFactIndex(scale, sum, band)] += row_sums[band];
  }

  LineMemory memory_;
  std::array<AdmAxis, kAdmScales> rows_;
  bool skip_aim_;
  Fact* facts_ = nullptr;
  std::tuple<ScaleArgs<0, Sample>, ScaleArgs<1, i16>, ScaleArgs<2, i32>, ScaleArgs<3, i32>> scales_;
};

class SimdFrame final : public AdmFrame {
 public:
  SimdFrame(const AdmPlan& plan, AdmSimd simd) : plan_(plan), simd_(simd), buffers_(plan.columns) {}

  void ExtractBand(const PlaneView& reference, const PlaneView& distorted, AdmRange band,
                   std::span<Fact> facts) override {
    simd_({plan_, {reference, distorted}, band, buffers_, facts});
  }

 private:
  AdmPlan plan_;
  AdmSimd simd_;
  AdmSimdBuffers buffers_;
};

}  // namespace

constinit const std::array<i32, kAdmReciprocals> kAdmReciprocalTable = MakeReciprocals();

std::unique_ptr<AdmFrame> AdmFrame::Make(const AdmPlan& plan, CpuTarget target) {
  if (const AdmSimd simd = ChooseAdmSimd(target, plan); simd != nullptr) return std::make_unique<SimdFrame>(plan, simd);
  if (plan.bit_depth == 8) return std::make_unique<ScalarFrame<u8>>(plan);
  return std::make_unique<ScalarFrame<u16>>(plan);
}

}  // namespace lockstep
