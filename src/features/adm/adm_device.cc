// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm on devices: one scale after the other through the same few planes; rows are rounded and added on the host.
#include "features/adm/adm_device.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <type_traits>

#include "features/adm/adm_kernels.h"

namespace lockstep {
namespace {

// A low band is what the next scale's vertical pass takes for its input.
static_assert(std::is_same_v<AdmScale<0>::Low, AdmScale<0>::Band> && std::is_same_v<AdmScale<1>::Low, i32> &&
              std::is_same_v<AdmScale<1>::Input, AdmScale<0>::Low>);

i32 Length(AdmRange range) { return range.end - range.begin; }

/// The range as a plane counts that starts at `begin`.
AdmRange InPlane(AdmRange range, i32 begin) { return {range.begin - begin, range.end - begin}; }

/// Elements from row to row, so that rows start at cache lines.
i32 StrideOf(i32 columns) {
  constexpr i32 kMultiple = 32;
  return (columns + kMultiple - 1) / kMultiple * kMultiple;
}

/// Inputs that the wavelet's taps read for these outputs of an axis.
AdmRange TapsOf(const AdmAxis& axis) {
  return {std::max(2 * axis.wavelet.begin - 1, 0), std::min(2 * axis.wavelet.end + 1, axis.inputs)};
}

// The order in which the sums of a scale stand in the results.
constexpr AdmSum kSums[] = {AdmSum::kReference, AdmSum::kRestored, AdmSum::kImpairment};

class AdmDeviceProgram final : public DeviceProgram {
 public:
  explicit AdmDeviceProgram(const AdmPlan& plan) : plan_(plan) {
    std::size_t bands = 0;
    std::size_t passing = 0;
    std::array<std::size_t, 2> low{};
    i32 sum_rows = 0;
    for (std::size_t s = 0; s < kAdmScales; ++s) {
      const AdmAxis& columns = plan_.columns[s];
      const AdmAxis& rows = plan_.rows[s];
      Scale& scale = scales_[s];
      scale.element = s == 0 ? sizeof(i16) : sizeof(i32);
      scale.lines = TapsOf(columns);
      scale.line_stride = StrideOf(Length(scale.lines));
      scale.stride = StrideOf(Length(columns.wavelet));
      scale.line_plane = i64{scale.line_stride} * Length(rows.wavelet);
      scale.plane = i64{scale.stride} * Length(rows.wavelet);
      scale.first_sum_row = sum_rows;
      sum_rows += sums() * Length(rows.inner);
      const auto plane = static_cast<std::size_t>(scale.plane);
      bands = std::max(bands, plane * scale.element);
      passing = std::max({passing, static_cast<std::size_t>(scale.line_plane) * scale.element, plane * sizeof(i32)});
      low[s % 2] = std::max(low[s % 2], plane * scale.element);
    }
    sum_rows_ = sum_rows;
    DeviceLayout scratch;
    bands_ = scratch.Take<std::byte>(6 * bands);
    passing_ = scratch.Take<std::byte>(4 * passing);
    for (std::size_t i = 0; i < low_.size(); ++i) low_[i] = scratch.Take<std::byte>(2 * low[i]);
    parts_ = scratch.Take<u64>(static_cast<std::size_t>(sum_rows_) * kKernelLanes * 3);
    needs_.table = kAdmReciprocals * sizeof(i32);
    needs_.scratch = scratch.bytes();
    needs_.results = static_cast<std::size_t>(sum_rows_) * 3 * sizeof(u64);
  }

  std::string_view module() const override { return "adm"; }
  DeviceNeeds needs() const override { return needs_; }

  void FillTable(std::byte* table) const override {
    std::copy(kAdmReciprocalTable.begin(), kAdmReciprocalTable.end(), At<i32>(table, 0));
  }

  void AddSteps(const DeviceFrame& frame, DeviceSteps& steps) const override {
    for (std::size_t s = 0; s < kAdmScales; ++s) {
      AddWavelet(s, frame, steps);
      if (Length(plan_.rows[s].inner) == 0) continue;
      AddDenominator(s, frame, steps);
      if (static_cast<double>(static_cast<i32>(plan_.gain_limit)) == plan_.gain_limit) {
        AddDecoupling<i32>(s, s == 0 ? "decouple_s0" : "decouple_s1", static_cast<i32>(plan_.gain_limit), frame, steps);
      } else {
        AddDecoupling<Binary64Bits>(s, s == 0 ? "decouple_s0_any_limit" : "decouple_s1_any_limit",
                                    std::bit_cast<Binary64Bits>(plan_.gain_limit), frame, steps);
      }
      AddNumerators(s, frame, steps);
    }
    steps.AddRows("sum_lanes", sum_rows_,
                  LaneSumArgs{At<u64>(frame.scratch, parts_), At<u64>(frame.results, 0), sum_rows_, 3});
  }

  void Collect(const FrameWindow& /*window*/, const std::byte* results, std::span<Fact> facts) const override {
    std::fill(facts.begin(), facts.end(), Fact{0});
    for (std::size_t s = 0; s < kAdmScales; ++s) {
      const u64* sums = At<u64>(results, 0) + std::size_t{3} * static_cast<std::size_t>(scales_[s].first_sum_row);
      for (i32 i = 0; i < this->sums(); ++i) {
        const bool reference = kSums[i] == AdmSum::kReference;
        const i32 shift = reference ? plan_.shifts[s].denominator_row : plan_.shifts[s].numerator.row;
        for (i32 row = 0; row < Length(plan_.rows[s].inner); ++row) {
          for (std::size_t band = 0; band < 3; ++band) {
            const u64 sum = *sums++;
            facts[AdmFactIndex(s, kSums[i], band)] +=
                reference ? AdmRoundReferenceRow(sum, shift) : AdmRoundRow(sum, shift);
          }
        }
      }
    }
  }

 private:
  /// Planes of one scale. They have the rows and columns of AdmAxis::wavelet, vertical results more columns.
  struct Scale {
    std::size_t element = 0;  // bytes of a coefficient or vertical result
    AdmRange lines{};         // columns of the vertical results
    i32 line_stride = 0;
    i32 stride = 0;
    i64 line_plane = 0;  // elements from plane to plane
    i64 plane = 0;
    i32 first_sum_row = 0;  // in the results
  };

  /// How many of kSums.
  [[nodiscard]] i32 sums() const { return plan_.skip_aim ? 2 : 3; }

  [[nodiscard]] std::byte* Band(std::size_t s, const DeviceFrame& frame, std::size_t picture, std::size_t band) const {
    return frame.scratch + bands_ +
           (3 * picture + band) * static_cast<std::size_t>(scales_[s].plane) * scales_[s].element;
  }
  /// Vertical results of the low pass (0, 1: of the reference, the distorted picture), then of the high pass (2, 3).
  [[nodiscard]] std::byte* Lines(std::size_t s, const DeviceFrame& frame, std::size_t index) const {
    return frame.scratch + passing_ + index * static_cast<std::size_t>(scales_[s].line_plane) * scales_[s].element;
  }
  /// Masking terms: 0 … 3. They take the place of the vertical results.
  [[nodiscard]] i32* Terms(std::size_t s, const DeviceFrame& frame, std::size_t index) const {
    return At<i32>(frame.scratch, passing_) + index * static_cast<std::size_t>(scales_[s].plane);
  }
  /// Two scales at a time have a low band.
  [[nodiscard]] std::byte* LowBand(std::size_t s, const DeviceFrame& frame, std::size_t picture) const {
    return frame.scratch + low_[s % 2] + picture * static_cast<std::size_t>(scales_[s].plane) * scales_[s].element;
  }
  [[nodiscard]] u64* Parts(std::size_t s, const DeviceFrame& frame, i32 sum) const {
    const i32 row = scales_[s].first_sum_row + sum * Length(plan_.rows[s].inner);
    return At<u64>(frame.scratch, parts_) + i64{row} * kKernelLanes * 3;
  }

  void AddWavelet(std::size_t s, const DeviceFrame& frame, DeviceSteps& steps) const {
    const AdmAxis& columns = plan_.columns[s];
    const AdmAxis& rows = plan_.rows[s];
    const Scale& scale = scales_[s];

    AdmVerticalKernelArgs vertical{};
    AdmHorizontalKernelArgs horizontal{};
    for (std::size_t p = 0; p < 2; ++p) {
      if (s == 0) {
        const DevicePlane& plane = p == 0 ? frame.reference[0] : frame.distorted[0];
        vertical.input[p] = static_cast<const std::byte*>(plane.data) +
                            static_cast<std::size_t>(scale.lines.begin) * (plan_.bit_depth == 8 ? 1 : 2);
        vertical.input_stride[p] = plane.stride;
      } else {
        const i32 column = scale.lines.begin - plan_.columns[s - 1].wavelet.begin;
        vertical.input[p] = LowBand(s - 1, frame, p) + static_cast<std::size_t>(column) * scales_[s - 1].element;
        vertical.input_stride[p] = scales_[s - 1].stride;
      }
      vertical.low[p] = Lines(s, frame, p);
      vertical.high[p] = Lines(s, frame, p + 2);
      horizontal.lines[p] = vertical.low[p];
      horizontal.lines[p + 2] = vertical.high[p];
      horizontal.low_pass[p] = LowBand(s, frame, p);
      horizontal.low_pass[p + 2] = Band(s, frame, p, 0);
      horizontal.high_pass[p] = Band(s, frame, p, 1);
      horizontal.high_pass[p + 2] = Band(s, frame, p, 2);
    }
    vertical.input_begin = s == 0 ? 0 : plan_.rows[s - 1].wavelet.begin;
    vertical.input_height = rows.inputs;
    vertical.row_begin = rows.wavelet.begin;
    vertical.rows = Length(rows.wavelet);
    vertical.columns = Length(scale.lines);
    vertical.stride = scale.line_stride;
    vertical.bit_depth = plan_.bit_depth;
    const char* const vertical_kernels[] = {plan_.bit_depth == 8 ? "vertical_s0_u8" : "vertical_s0_u16", "vertical_s1",
                                            "vertical_s2", "vertical_s2"};
    steps.AddLanes(vertical_kernels[s], 2 * vertical.rows, vertical);

    horizontal.planes = Length(rows.inner) == 0 ? 2 : 4;
    horizontal.rows = vertical.rows;
    horizontal.columns = Length(columns.wavelet);
    horizontal.column_begin = columns.wavelet.begin;
    horizontal.line_begin = scale.lines.begin;
    horizontal.line_width = columns.inputs;
    horizontal.line_stride = scale.line_stride;
    horizontal.stride = scale.stride;
    constexpr const char* kHorizontalKernels[] = {"horizontal_s0", "horizontal_s1", "horizontal_s2", "horizontal_s1"};
    steps.AddLanes(kHorizontalKernels[s], horizontal.planes * horizontal.rows, horizontal);
  }

  void AddDenominator(std::size_t s, const DeviceFrame& frame, DeviceSteps& steps) const {
    const AdmAxis& columns = plan_.columns[s];
    const AdmAxis& rows = plan_.rows[s];
    AdmDenominatorKernelArgs args{};
    args.reference = Band(s, frame, 0, 0);
    args.parts = Parts(s, frame, 0);
    args.band_stride = scales_[s].plane;
    args.stride = scales_[s].stride;
    args.row_begin = rows.inner.begin - rows.wavelet.begin;
    args.rows = Length(rows.inner);
    args.columns = InPlane(columns.inner, columns.wavelet.begin);
    args.cube_shift = plan_.shifts[s].denominator_cube;
    constexpr const char* kKernels[] = {"denominator_s0", "denominator_s1", "denominator_s2", "denominator_s1"};
    steps.AddLanes(kKernels[s], args.rows, args);
  }

  template <class Limit>
  void AddDecoupling(std::size_t s, const char* kernel, Limit limit, const DeviceFrame& frame,
                     DeviceSteps& steps) const {
    const AdmAxis& columns = plan_.columns[s];
    const AdmAxis& rows = plan_.rows[s];
    AdmDecoupleKernelArgs<Limit> args{};
    args.reference = Band(s, frame, 0, 0);
    args.distorted = Band(s, frame, 1, 0);
    for (std::size_t part = 0; part < 2; ++part) {
      args.neighbour[part] = Terms(s, frame, 2 * part);
      args.centre[part] = Terms(s, frame, 2 * part + 1);
    }
    args.reciprocals = At<i32>(frame.table, 0);
    args.gain_limit = limit;
    args.band_stride = scales_[s].plane;
    args.stride = scales_[s].stride;
    args.row_begin = rows.detail.begin - rows.wavelet.begin;
    args.rows = Length(rows.detail);
    args.columns = InPlane(columns.detail, columns.wavelet.begin);
    args.factors = plan_.csf.scales[s].fixed;
    steps.AddLanes(kernel, args.rows, args);
  }

  void AddNumerators(std::size_t s, const DeviceFrame& frame, DeviceSteps& steps) const {
    const AdmAxis& columns = plan_.columns[s];
    const AdmAxis& rows = plan_.rows[s];
    AdmNumeratorKernelArgs args{};
    for (std::size_t part = 0; part < 2; ++part) {
      args.subject[part] = Band(s, frame, part, 0);
      args.neighbour[part] = Terms(s, frame, 2 * part);
      args.centre[part] = Terms(s, frame, 2 * part + 1);
    }
    args.parts = Parts(s, frame, 1);
    args.band_stride = scales_[s].plane;
    args.stride = scales_[s].stride;
    args.width = Length(columns.wavelet);
    args.height = Length(rows.wavelet);
    args.planes = sums() - 1;
    args.row_begin = rows.inner.begin - rows.wavelet.begin;
    args.rows = Length(rows.inner);
    args.columns = InPlane(columns.inner, columns.wavelet.begin);
    args.factors = plan_.csf.scales[s].fixed;
    args.shifts = plan_.shifts[s].numerator;
    steps.AddLanes(s == 0 ? "numerator_s0" : "numerator_s1", args.planes * args.rows, args);
  }

  AdmPlan plan_;
  std::array<Scale, kAdmScales> scales_{};
  i32 sum_rows_ = 0;
  std::size_t bands_ = 0;
  std::size_t passing_ = 0;  // vertical results, then masking terms
  std::array<std::size_t, 2> low_{};
  std::size_t parts_ = 0;
  DeviceNeeds needs_;
};

}  // namespace

std::unique_ptr<DeviceProgram> MakeAdmDeviceProgram(const AdmPlan& plan) {
  return std::make_unique<AdmDeviceProgram>(plan);
}

}  // namespace lockstep
