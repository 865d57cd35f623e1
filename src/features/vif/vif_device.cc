// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif on devices: the kernels of four scales, one after the other in the same memory, and the addition of rows.
#include "features/vif/vif_device.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <span>

#include "features/vif/vif.h"
#include "features/vif/vif_kernels.h"

namespace lockstep {
namespace {

constexpr int kSums = 4;               // of a scale
constexpr std::size_t kTapSlots = 16;  // for each scale

template <int kScale>
void FillTaps(u16* taps) {
  for (i32 k = 0; k <= VifFilter<kScale>::kRadius; ++k) taps[k] = VifFilter<kScale>::Tap(k);
}

constexpr std::array<i32, kVifScales> kRadii = {VifFilter<0>::kRadius, VifFilter<1>::kRadius, VifFilter<2>::kRadius,
                                                VifFilter<3>::kRadius};

class VifDeviceProgram final : public DeviceProgram {
 public:
  VifDeviceProgram(const VideoFormat& format, const VifDeviceSettings& settings)
      : format_(format), settings_(settings), first_scored_(settings.skip_scale0 ? 1 : 0) {
    DeviceLayout table;
    log_table_ = table.Take<u16>(VifLogTable().size());
    taps_ = table.Take<u16>(kTapSlots * kVifScales);
    needs_.table = table.bytes();

    // Moments and undecided pixels of one scale are done with when the next one starts; filtered rows are needed when
    // the moments are not any more.
    DeviceLayout scratch;
    const std::size_t pixels = Pixels(first_scored_);
    means_ = scratch.Take<u32>(std::max(pixels, static_cast<std::size_t>(Width(0)) * Rows(1)));
    square_reference_ = scratch.Take<u32>(pixels);
    square_distorted_ = scratch.Take<u32>(pixels);
    product_ = scratch.Take<u32>(pixels);
    undecided_ = scratch.Take<u32>(Rows(first_scored_) * kKernelLanes);
    for (int scale = 1; scale < kVifScales; ++scale) {
      pictures_[static_cast<std::size_t>(scale)] = {scratch.Take<u16>(Pixels(scale)), scratch.Take<u16>(Pixels(scale))};
    }
    std::size_t rows = 0;
    for (int scale = first_scored_; scale < kVifScales; ++scale) rows += Rows(scale);
    parts_ = scratch.Take<u64>(rows * kKernelLanes * kSums);
    needs_.scratch = scratch.bytes();
    needs_.results = rows * kSums * sizeof(u64);
  }

  std::string_view module() const override { return "vif"; }
  DeviceNeeds needs() const override { return needs_; }

  void FillTable(std::byte* table) const override {
    const std::span<const std::uint16_t> log_table = VifLogTable();
    std::copy(log_table.begin(), log_table.end(), At<u16>(table, log_table_));
    u16* const taps = At<u16>(table, taps_);
    std::fill_n(taps, kTapSlots * kVifScales, 0);
    FillTaps<0>(taps);
    FillTaps<1>(taps + kTapSlots);
    FillTaps<2>(taps + 2 * kTapSlots);
    FillTaps<3>(taps + 3 * kTapSlots);
  }

  void AddSteps(const DeviceFrame& frame, DeviceSteps& steps) const override {
    std::size_t first_row = 0;
    for (int scale = 0; scale < kVifScales; ++scale) {
      if (scale >= first_scored_) {
        AddScoreSteps(frame, scale, first_row, steps);
        first_row += Rows(scale);
      }
      if (scale + 1 < kVifScales) AddHalvingSteps(frame, scale, steps);
    }
    const auto rows = static_cast<int>(first_row);
    steps.AddRows("sum_lanes", rows,
                  LaneSumArgs{At<u64>(frame.scratch, parts_), At<u64>(frame.results, 0), rows, kSums});
  }

  void Collect(const FrameWindow& /*window*/, const std::byte* results, std::span<Fact> facts) const override {
    const u64* row = At<u64>(results, 0);
    std::fill(facts.begin(), facts.end(), 0);
    for (int scale = first_scored_; scale < kVifScales; ++scale) {
      const std::span<Fact> sums = facts.subspan(static_cast<std::size_t>(scale) * kSums, kSums);
      for (std::size_t y = 0; y < Rows(scale); ++y, row += kSums) {
        for (std::size_t i = 0; i < kSums; ++i) sums[i] += row[i];
      }
    }
  }

 private:
  int Width(int scale) const { return format_.width >> scale; }
  int Height(int scale) const { return format_.height >> scale; }
  std::size_t Rows(int scale) const { return static_cast<std::size_t>(Height(scale)); }
  std::size_t Pixels(int scale) const { return static_cast<std::size_t>(Width(scale)) * Rows(scale); }

  struct Picture {
    const void* reference;
    const void* distorted;
    int reference_stride;
    int distorted_stride;
    bool bytes;  // else 16-bit samples
    int depth;   // of the samples, which decides how they are rounded
  };

  Picture PictureOf(const DeviceFrame& frame, int scale) const {
    if (scale == 0) {
      return {frame.reference[0].data,   frame.distorted[0].data,         frame.reference[0].stride,
              frame.distorted[0].stride, format_.bytes_per_sample() == 1, format_.bit_depth};
    }
    const PictureOffsets& offsets = pictures_[static_cast<std::size_t>(scale)];
    return {At<u16>(frame.scratch, offsets.reference),
            At<u16>(frame.scratch, offsets.distorted),
            Width(scale),
            Width(scale),
            false,
            16};
  }

  VifKernelFilter FilterOf(const DeviceFrame& frame, int scale) const {
    const auto s = static_cast<std::size_t>(scale);
    return {At<u16>(frame.table, taps_) + s * kTapSlots, kRadii[s]};
  }

  void AddScoreSteps(const DeviceFrame& frame, int scale, std::size_t first_row, DeviceSteps& steps) const {
    const Picture picture = PictureOf(frame, scale);
    const VifKernelFilter filter = FilterOf(frame, scale);
    const VifKernelMoments moments = {At<u32>(frame.scratch, means_), At<u32>(frame.scratch, square_reference_),
                                      At<u32>(frame.scratch, square_distorted_), At<u32>(frame.scratch, product_)};
    const int width = Width(scale);
    const int height = Height(scale);
    steps.AddLanes(
        picture.bytes ? "moments_u8" : "moments_u16", height,
        VifMomentsArgs{picture.reference, picture.distorted, filter, moments, width, height, picture.reference_stride,
                       picture.distorted_stride, picture.depth, 2 * (picture.depth - 8)});
    const double limit = settings_.gain_limit;
    const auto whole_limit = static_cast<u32>(limit);
    const VifSumsArgs sums = {moments,
                              filter,
                              At<u16>(frame.table, log_table_),
                              At<u64>(frame.scratch, parts_) + first_row * kKernelLanes * kSums,
                              At<u32>(frame.scratch, undecided_),
                              std::bit_cast<Binary64Bits>(limit),
                              {whole_limit, static_cast<double>(whole_limit) == limit ? 1u : 0u},
                              width,
                              height,
                              static_cast<u32>(settings_.forced_undecided)};
    steps.AddLanes("sums", height, sums);
    steps.AddLanes("undecided_sums", height, sums);
  }

  // From a scale to the next one.
  void AddHalvingSteps(const DeviceFrame& frame, int scale, DeviceSteps& steps) const {
    const Picture picture = PictureOf(frame, scale);
    const VifKernelFilter filter = FilterOf(frame, scale + 1);
    const PictureOffsets& next = pictures_[static_cast<std::size_t>(scale) + 1];
    u32* const filtered = At<u32>(frame.scratch, means_);
    const int rows = Height(scale + 1);
    steps.AddLanes(picture.bytes ? "halve_rows_u8" : "halve_rows_u16", rows,
                   VifHalveRowsArgs{picture.reference, picture.distorted, filter, filtered, Width(scale), Height(scale),
                                    picture.reference_stride, picture.distorted_stride, picture.depth});
    steps.AddLanes("halve_columns", rows,
                   VifHalveColumnsArgs{filtered, filter, At<u16>(frame.scratch, next.reference),
                                       At<u16>(frame.scratch, next.distorted), Width(scale), rows});
  }

  struct PictureOffsets {
    std::size_t reference = 0;
    std::size_t distorted = 0;
  };

  VideoFormat format_;
  VifDeviceSettings settings_;
  int first_scored_;  // scale
  std::size_t log_table_ = 0;
  std::size_t taps_ = 0;
  std::size_t means_ = 0;
  std::size_t square_reference_ = 0;
  std::size_t square_distorted_ = 0;
  std::size_t product_ = 0;
  std::size_t undecided_ = 0;
  std::size_t parts_ = 0;
  std::array<PictureOffsets, kVifScales> pictures_{};  // [0] is unused
  DeviceNeeds needs_;
};

}  // namespace

std::unique_ptr<DeviceProgram> MakeVifDeviceProgram(const VideoFormat& format, const VifDeviceSettings& settings) {
  return std::make_unique<VifDeviceProgram>(format, settings);
}

}  // namespace lockstep
