// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm on CUDA devices: a launch for every scale, then one that rounds and adds the sums of rows.
#include "features/adm/adm_cuda.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>

#include "lockstep/video_format.h"

namespace lockstep {
namespace {

int DivideUp(int value, int divisor) { return (value + divisor - 1) / divisor; }

i32 Length(AdmRange range) { return range.end - range.begin; }

/// Columns that are stored: whole quads.
AdmRange WholeQuads(AdmRange columns) {
  return {columns.begin / kAdmQuad * kAdmQuad, DivideUp(columns.end, kAdmQuad) * kAdmQuad};
}

/// Elements from row to row, so that rows start at cache lines.
i32 StrideOf(i32 columns) {
  constexpr i32 kMultiple = 64;
  return DivideUp(columns, kMultiple) * kMultiple;
}

constexpr AdmSum kSums[] = {AdmSum::kReference, AdmSum::kRestored, AdmSum::kImpairment};
static_assert(kAdmRowSums == 3 * std::size(kSums));

constexpr const char* kFastKernels[] = {"strip_s0_u8", "strip_s1", "strip_s2", "strip_s3"};
constexpr const char* kGeneralKernels[] = {"general_s0_u8", "general_s1", "general_s2", "general_s3"};
// By their registers, see adm_cuda_kernels.cuh.
constexpr int kFastGroups[] = {16, 16, 12, 12};
constexpr int kGeneralGroups = 8;
constexpr int kWarp = 32;

class AdmCudaProgram final : public DeviceProgram {
 public:
  AdmCudaProgram(const AdmPlan& plan, const DeviceTraits& traits)
      : plan_(plan), multiprocessors_(std::max(traits.multiprocessors, 1)) {
    DeviceLayout scratch;
    for (std::size_t s = 0; s < kAdmScales; ++s) {
      const AdmAxis& columns = plan_.columns[s];
      Scale& scale = scales_[s];
      scale.low_columns = WholeQuads(columns.low);
      scale.low_stride = StrideOf(Length(scale.low_columns));
      scale.low_bytes = s == 0 ? sizeof(AdmScale<0>::Low) : sizeof(AdmScale<1>::Low);
      const bool has_low = Length(columns.low) > 0;
      const i32 begin = has_low ? std::min(columns.wavelet.begin, scale.low_columns.begin) : columns.wavelet.begin;
      const i32 end = has_low ? std::max(columns.wavelet.end, scale.low_columns.end) : columns.wavelet.end;
      scale.first_column = begin / 2 * 2;
      scale.strips = DivideUp(end - scale.first_column, kAdmStripColumns);
      scale.has_fast = AdmHasFastKernels(plan_, s);
      const auto low_elements = static_cast<std::size_t>(scale.low_stride) * Rows(plan_.rows[s].low);
      for (std::size_t& low : scale.low) low = scratch.Take<std::byte>(low_elements * scale.low_bytes);
      scale.row_sums =
          scratch.Take<u64>(static_cast<std::size_t>(kAdmRowSums * scale.strips) * Rows(plan_.rows[s].inner));
    }
    needs_.table = kAdmReciprocals * sizeof(i32);
    needs_.scratch = scratch.bytes();
    needs_.results = kAdmScales * kAdmRowSums * sizeof(u64);
  }

  std::string_view module() const override { return "adm"; }
  DeviceNeeds needs() const override { return needs_; }

  void FillTable(std::byte* table) const override {
    std::copy(kAdmReciprocalTable.begin(), kAdmReciprocalTable.end(), At<i32>(table, 0));
  }

  void AddSteps(const DeviceFrame& frame, DeviceSteps& steps) const override {
    for (std::size_t s = 0; s < kAdmScales; ++s) AddScale(s, frame, steps);
    AddSums(frame, steps);
  }

  void Collect(const FrameWindow& /*window*/, const std::byte* results, std::span<Fact> facts) const override {
    const u64* sum = At<u64>(results, 0);
    for (std::size_t s = 0; s < kAdmScales; ++s) {
      for (const AdmSum kind : kSums) {
        for (std::size_t band = 0; band < 3; ++band) {
          const bool is_left_out = plan_.skip_aim && kind == AdmSum::kImpairment;
          facts[AdmFactIndex(s, kind, band)] = is_left_out ? Fact{0} : Fact{*sum};
          ++sum;
        }
      }
    }
  }

 private:
  struct Scale {
    AdmRange low_columns{};
    i32 low_stride = 0;
    std::size_t low_bytes = 0;         // of an element
    std::array<std::size_t, 2> low{};  // offsets in the scratch memory
    std::size_t row_sums = 0;
    i32 first_column = 0;
    i32 strips = 0;
    bool has_fast = false;
  };

  static std::size_t Rows(AdmRange range) { return static_cast<std::size_t>(Length(range)); }

  /// Where row 0 and column 0 of a low band would be.
  [[nodiscard]] std::byte* LowBand(std::size_t s, const DeviceFrame& frame, std::size_t picture) const {
    const Scale& scale = scales_[s];
    const std::ptrdiff_t first = std::ptrdiff_t{plan_.rows[s].low.begin} * scale.low_stride + scale.low_columns.begin;
    return frame.scratch + scale.low[picture] - first * static_cast<std::ptrdiff_t>(scale.low_bytes);
  }

  void AddScale(std::size_t s, const DeviceFrame& frame, DeviceSteps& steps) const {
    const AdmAxis& columns = plan_.columns[s];
    const AdmAxis& rows = plan_.rows[s];
    const Scale& scale = scales_[s];
    AdmCudaScaleArgs args{};
    for (std::size_t p = 0; p < 2; ++p) {
      if (s == 0) {
        const DevicePlane& plane = p == 0 ? frame.reference[0] : frame.distorted[0];
        args.input[p] = plane.data;
        args.input_stride[p] = plane.stride;
      } else {
        args.input[p] = LowBand(s - 1, frame, p);
        args.input_stride[p] = scales_[s - 1].low_stride;
      }
      // Where there is none, nothing is stored, but places are computed from it.
      args.low[p] = Length(columns.low) > 0 ? LowBand(s, frame, p) : frame.scratch;
    }
    args.input_columns = s == 0 ? WholeQuads({0, columns.inputs}) : scales_[s - 1].low_columns;
    args.row_sums = At<u64>(frame.scratch, scale.row_sums);
    args.reciprocals = At<i32>(frame.table, 0);
    args.gain_limit = std::bit_cast<u64>(plan_.gain_limit);
    args.whole_gain_limit = static_cast<i32>(plan_.gain_limit);
    args.low_stride = scale.low_stride;
    args.input_width = columns.inputs;
    args.input_height = rows.inputs;
    args.bit_depth = plan_.bit_depth;
    args.first_column = scale.first_column;
    args.outputs = columns.outputs;
    args.low_columns = scale.low_columns;
    args.inner_columns = columns.inner;
    args.output_rows = rows.outputs;
    args.rows = rows.wavelet;
    args.low_rows = rows.low;
    args.detail_rows = rows.detail;
    args.inner_rows = rows.inner;
    args.factors = plan_.csf.scales[s].fixed;
    args.shifts = plan_.shifts[s].numerator;
    args.denominator_cube_shift = plan_.shifts[s].denominator_cube;
    const char* kernel = scale.has_fast ? kFastKernels[s] : kGeneralKernels[s];
    if (s == 0 && plan_.bit_depth > 8) kernel = scale.has_fast ? "strip_s0_u16" : "general_s0_u16";
    const int resident = scale.has_fast ? kFastGroups[s] : kGeneralGroups;
    const auto plan = [row_count = Length(rows.wavelet), strips = scale.strips, count = multiprocessors_,
                       resident](int frames) {
      const AdmSegmentPlan segments = PlanAdmSegments(row_count, strips, frames, count, resident);
      return GroupPlan{0, static_cast<std::uint64_t>(frames) * static_cast<std::uint64_t>(strips * segments.segments),
                       kWarp, 0, AdmPackPlan(segments)};
    };
    steps.AddGroups({kernel}, plan, args);
  }

  void AddSums(const DeviceFrame& frame, DeviceSteps& steps) const {
    AdmCudaSumArgs args{};
    i32 most_rows = 1;
    for (std::size_t s = 0; s < kAdmScales; ++s) {
      args.row_sums[s] = At<u64>(frame.scratch, scales_[s].row_sums);
      args.rows[s] = Length(plan_.rows[s].inner);
      args.strips[s] = scales_[s].strips;
      args.denominator_shift[s] = plan_.shifts[s].denominator_row;
      args.numerator_shift[s] = plan_.shifts[s].numerator.row;
      most_rows = std::max(most_rows, args.rows[s]);
    }
    args.sums = At<u64>(frame.results, 0);
    constexpr i32 kMostThreads = 1024;
    const i32 threads = std::min(DivideUp(most_rows, kWarp) * kWarp, kMostThreads);
    const auto plan = [threads](int frames) {
      return GroupPlan{0, static_cast<std::uint64_t>(frames) * kAdmScales * kAdmRowSums, threads, 0, 0};
    };
    steps.AddGroups({"add_rows"}, plan, args);
  }

  AdmPlan plan_;
  int multiprocessors_;
  std::array<Scale, kAdmScales> scales_{};
  DeviceNeeds needs_;
};

}  // namespace

bool AdmHasFastKernels(const AdmPlan& plan, std::size_t scale) {
  const AdmAxis& columns = plan.columns[scale];
  const bool touches_edges = columns.wavelet.begin == 0 || 2 * columns.wavelet.end >= columns.inputs ||
                             columns.inner.begin == 0 || columns.inner.end == columns.outputs;
  const bool has_whole_limit = static_cast<double>(static_cast<i32>(plan.gain_limit)) == plan.gain_limit;
  const AdmFactors& factors = plan.csf.scales[scale].fixed;
  // A coefficient of 22930 weighted to 30719 at most, whose neighbour term is 32766.
  constexpr u32 kGreatestFactor = (30719u * 32768u + 16383u) / 22930u;
  const bool fits = scale == 0 ? factors.hv <= kGreatestFactor : std::max(factors.hv, factors.d) < 1u << 28;
  return !touches_edges && has_whole_limit && fits;
}

AdmSegmentPlan PlanAdmSegments(int rows, int strips, int frames, int multiprocessors, int resident) {
  // Fitted to times on an H200. The unit is a row of a group on a multiprocessor that is busy.
  constexpr double kExtraRows = 1.2;   // of a group: computed again, and its start
  constexpr double kRowLatency = 2.0;  // of a row, besides the rows of the other groups
  constexpr double kLeastLatency = 6.0;
  constexpr double kRowCost = 1.06;  // where new groups follow those that end
  // While the last groups end, by their length; groups that all start together end together.
  constexpr double kTail = 6.0;
  constexpr double kTailTogether = 2.0;
  constexpr int kSchedulers = 4;  // of a multiprocessor; the one with the most groups is the last
  constexpr int kMostRows = 96;
  static_assert(kMostRows <= AdmSegmentPlan::kMaximumRows &&
                VideoFormat::kMaxDimension / 4 <= AdmSegmentPlan::kMaximumSegments &&
                VideoFormat::kMaxDimension / 2 / kAdmStripColumns < AdmSegmentPlan::kMaximumStrips);
  AdmSegmentPlan best = {std::max(rows, 1), strips, 1};
  double least = 0.0;
  for (int length = 2; length <= std::min(kMostRows, std::max(rows, 2)); ++length) {
    const int segments = std::max(DivideUp(rows, length), 1);
    const int groups = strips * segments * frames;
    const bool together = groups <= resident * multiprocessors;
    const int at_once = DivideUp(DivideUp(groups, multiprocessors), kSchedulers) * kSchedulers;
    const double row = together ? std::max(kRowLatency + at_once, kLeastLatency) : kRowCost * groups / multiprocessors;
    const double cost = (length + kExtraRows) * row + (together ? kTailTogether : kTail) * length;
    if (length > 2 && cost >= least) continue;
    least = cost;
    best = {length, strips, segments};
  }
  return best;
}

std::unique_ptr<DeviceProgram> MakeAdmCudaProgram(const AdmPlan& plan, const DeviceTraits& traits) {
  return std::make_unique<AdmCudaProgram>(plan, traits);
}

}  // namespace lockstep
