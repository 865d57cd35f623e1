// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi on NVIDIA devices from compute capability 8.0 on: few launches for a batch, contrasts of all scales in one.
#include "features/cambi/cambi_cuda.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "features/cambi/cambi_cuda_arguments.h"
#include "features/cambi/cambi_device_pooling.h"

namespace lockstep {
namespace {

constexpr i64 kMostPixels = i64{1} << 26;
constexpr int kWarpThreads = kCambiCudaWarps * kCambiCudaWarpLanes;

std::uint64_t Blocks(i64 warps) { return static_cast<std::uint64_t>((warps + kCambiCudaWarps - 1) / kCambiCudaWarps); }

/// Digits of the smallest contrast that is pooled, from the highest one on; see CambiCudaSums.
CambiPooledSum SumOf(const CambiCudaSums& sums, u32 pooled) {
  if (sums.positive <= pooled) return {sums.units, 0};
  u32 digits = 0;
  u32 remaining = pooled;
  CambiPooledSum sum = {sums.greater, 0};
  for (int digit = 0; digit < kCambiDigits; ++digit) {
    const u32* const totals = sums.totals[digit];
    const bool is_last = digit == kCambiDigits - 1;
    int value = kCambiDigitValues - 1;
    for (; totals[value] < remaining; --value) {
      if (is_last) sum.units += totals[value] * CambiUnitsOfKey(digits << kCambiDigitBits | static_cast<u32>(value));
      remaining -= totals[value];
    }
    digits = digits << kCambiDigitBits | static_cast<u32>(value);
  }
  sum.least_key = digits;
  sum.units += remaining * CambiUnitsOfKey(digits);
  return sum;
}

class CambiCudaProgram final : public DeviceProgram {
 public:
  CambiCudaProgram(const CambiSettings& settings, const DeviceTraits& traits, const Feature& feature)
      : settings_(settings), traits_(traits), feature_(feature) {
    const CambiCodes codes = CambiCodesThatCount(settings_.visibility);
    first_code_ = codes.first;
    code_count_ = std::max(codes.end - codes.first, 1);
    reciprocals_ = table_.Take<float>(CambiReciprocals().size());
    visibility_ = table_.Take<CambiVisibility>(1);
    for (std::size_t p = 0; p < picture_count(); ++p) {
      needs_.scratch = std::max(needs_.scratch, PlacePicture(shape(p), places_[p]));
    }
    needs_.table = table_.bytes();
    needs_.results = picture_count() * kCambiScales * sizeof(CambiCudaSums);
    needs_.zero_results = true;
  }

  std::string_view module() const override { return "cambi"; }
  DeviceNeeds needs() const override { return needs_; }

  void FillTable(std::byte* table) const override {
    std::copy(CambiReciprocals().begin(), CambiReciprocals().end(), At<float>(table, reciprocals_));
    *At<CambiVisibility>(table, visibility_) = settings_.visibility;
  }

  void AddSteps(const DeviceFrame& frame, DeviceSteps& steps) const override {
    AddPicture(frame, frame.distorted[0], 0, steps);
    if (settings_.has_reference) AddPicture(frame, frame.reference[0], 1, steps);
  }

  // The host's frames take longer than a batch does on the device.
  bool collects_long() const override { return CambiSumsMayRound(settings_); }

  bool NeedsPictures(const std::byte* results) const override {
    for (std::size_t p = 0; p < picture_count(); ++p) {
      for (std::size_t s = 0; s < kCambiScales; ++s) {
        if (!ScaleSum(results, p, s).IsExact()) return true;
      }
    }
    return false;
  }

  void Collect(const FrameWindow& window, const std::byte* results, std::span<Fact> facts) const override {
    if (NeedsPictures(results)) {
      CambiExtractOnHost(feature_, window, facts);
      return;
    }
    for (std::size_t p = 0; p < picture_count(); ++p) {
      for (std::size_t s = 0; s < kCambiScales; ++s) {
        facts[p * kCambiScales + s] = FactOf(ScaleSum(results, p, s).Value());
      }
    }
  }

 private:
  /// Where the things of a picture are in scratch memory.
  struct Places {
    std::size_t codes;
    std::size_t flat;
    std::array<std::size_t, kCambiScales> marked;
    std::array<std::size_t, kCambiScales> contrasts;
  };

  [[nodiscard]] int sample_bytes() const { return settings_.bit_depth == 8 ? 1 : 2; }
  [[nodiscard]] std::size_t picture_count() const { return settings_.has_reference ? 2 : 1; }
  [[nodiscard]] const CambiShape& shape(std::size_t picture) const {
    return picture == 0 ? settings_.distorted : settings_.reference;
  }

  [[nodiscard]] CambiPooledSum ScaleSum(const std::byte* results, std::size_t picture, std::size_t scale) const {
    return SumOf(At<CambiCudaSums>(results, 0)[picture * kCambiScales + scale],
                 static_cast<u32>(settings_.PooledCount(shape(picture), static_cast<int>(scale))));
  }

  /// Returns the bytes of scratch memory.
  std::size_t PlacePicture(const CambiShape& shape, Places& places) const {
    DeviceLayout scratch;
    const auto rows = [](int height, int stride) {
      return static_cast<std::size_t>(height) * static_cast<std::size_t>(stride);
    };
    const PlaneSize first = settings_.ScaleSize(shape, 0);
    places.codes = scratch.Take<u16>(rows(first.height, CambiCudaStride(first.width)));
    places.flat = scratch.Take<u32>(rows(shape.height, CambiCudaFlatStride(shape.width)));
    for (std::size_t s = 0; s < kCambiScales; ++s) {
      const PlaneSize size = settings_.ScaleSize(shape, static_cast<int>(s));
      places.marked[s] = scratch.Take<u16>(rows(size.height, CambiCudaStride(size.width)));
      places.contrasts[s] = scratch.Take<float>(rows(size.height, size.width));
    }
    return scratch.bytes();
  }

  [[nodiscard]] CambiCudaArguments ArgumentsOf(const DeviceFrame& frame, const DevicePlane& luma,
                                               std::size_t picture) const {
    const CambiShape& picture_shape = shape(picture);
    const Places& places = places_[picture];
    CambiCudaArguments args = {};
    args.luma = static_cast<const u8*>(luma.data);
    args.codes = At<u16>(frame.scratch, places.codes);
    args.flat = At<u32>(frame.scratch, places.flat);
    args.sums = At<CambiCudaSums>(frame.results, 0) + picture * kCambiScales;
    args.reciprocals = At<float>(frame.table, reciprocals_);
    args.visibility = At<CambiVisibility>(frame.table, visibility_);
    for (std::size_t s = 0; s < kCambiScales; ++s) {
      const int scale = static_cast<int>(s);
      const PlaneSize size = settings_.ScaleSize(picture_shape, scale);
      args.scales[s] = {At<u16>(frame.scratch, places.marked[s]),
                        At<float>(frame.scratch, places.contrasts[s]),
                        size.width,
                        size.height,
                        CambiCudaStride(size.width),
                        static_cast<i32>(settings_.PooledCount(picture_shape, scale))};
    }
    args.width = picture_shape.width;
    args.height = picture_shape.height;
    args.pitch = luma.stride * sample_bytes();
    args.bit_depth = settings_.bit_depth;
    args.removes_dither = settings_.removes_dither ? 1 : 0;
    args.step = settings_.has_speedup ? 2 : 1;
    args.flat_stride = CambiCudaFlatStride(picture_shape.width);
    args.mask_threshold = CambiMaskThreshold(picture_shape.width, picture_shape.height);
    args.radius = picture_shape.window / 2;
    args.first_code = first_code_;
    args.code_count = code_count_;
    return args;
  }

  void AddPicture(const DeviceFrame& frame, const DevicePlane& luma, std::size_t picture, DeviceSteps& steps) const {
    const CambiCudaArguments args = ArgumentsOf(frame, luma, picture);
    const i64 code_warps =
        i64{CambiCudaParts(args.width, kCambiCudaCodeColumns)} * CambiCudaParts(args.height, kCambiCudaCodeRows);
    steps.AddGroups(
        {sample_bytes() == 1 ? "code_strips_u8" : "code_strips_u16"},
        [code_warps](int frames) {
          return GroupPlan{0, Blocks(code_warps * frames), kWarpThreads, 0, 0};
        },
        args);
    for (int scale = 0; scale < kCambiScales; ++scale) {
      const PlaneSize size = settings_.ScaleSize(shape(picture), scale);
      const i64 warps =
          i64{CambiCudaParts(size.width, kCambiCudaWarpLanes)} * CambiCudaParts(size.height, kCambiCudaModeRows);
      const char* const kernel = scale > 0 ? "mode_strips" : settings_.has_speedup ? "mask_strips_half" : "mask_strips";
      steps.AddGroups(
          {kernel},
          [warps, scale](int frames) {
            return GroupPlan{0, Blocks(warps * frames), kWarpThreads, scale == 0 ? kCambiCudaMaskBytes : 0, scale};
          },
          args);
    }
    const PlaneSizes sizes = SizesOf(picture);
    steps.AddGroups(
        {"contrast_strips", "contrast_strips_5", "contrast_strips_9", "contrast_strips_17"},
        [this, sizes, radius = args.radius](int frames) { return PlanContrasts(sizes, radius, frames); }, args);
    i64 pool_blocks = 0;
    for (const PlaneSize& size : sizes) pool_blocks += CambiCudaParts(size.width * size.height, kCambiCudaPoolPixels);
    for (int digit = 0; digit < kCambiDigits; ++digit) {
      steps.AddGroups(
          {"digit_strips"},
          [pool_blocks, digit](int frames) {
            return GroupPlan{0, static_cast<std::uint64_t>(pool_blocks * frames), kWarpThreads,
                             kCambiDigitValues * static_cast<int>(sizeof(u32)), digit};
          },
          args);
    }
  }

  using PlaneSizes = std::array<PlaneSize, kCambiScales>;
  [[nodiscard]] PlaneSizes SizesOf(std::size_t picture) const {
    PlaneSizes sizes;
    for (std::size_t s = 0; s < kCambiScales; ++s) sizes[s] = settings_.ScaleSize(shape(picture), static_cast<int>(s));
    return sizes;
  }

  [[nodiscard]] GroupPlan PlanContrasts(const PlaneSizes& sizes, int radius, int frames) const {
    const int columns = CambiCudaColumns(radius, code_count_, traits_.local_bytes);
    const int own_columns = columns - 2 * CambiCudaHalo(radius);
    // Before its first row a block counts the rows of a window, at a fraction of the cost of a row. Segments are short
    // enough that every multiprocessor has several blocks.
    constexpr i64 kBlocks = 8;
    const int least_rows = std::max(2 * radius, 16);
    constexpr int kMostRows = 256;
    i64 rows_of_strips = 0;
    for (const PlaneSize& size : sizes) rows_of_strips += i64{CambiCudaParts(size.width, own_columns)} * size.height;
    const int rows = static_cast<int>(std::clamp<i64>(rows_of_strips * frames / (kBlocks * traits_.multiprocessors),
                                                      least_rows, std::max(least_rows, kMostRows)));
    i64 blocks = 0;
    for (const PlaneSize& size : sizes) {
      blocks += i64{CambiCudaParts(size.width, own_columns)} * CambiCudaParts(size.height, rows);
    }
    int kernel = 0;
    constexpr int kUsualContrasts = 4;
    if (settings_.visibility.contrasts == kUsualContrasts) {
      const int words = CambiCudaWindowWords(radius);
      kernel = words == 5 ? 1 : words == 9 ? 2 : words == 17 ? 3 : 0;
    }
    return {kernel, static_cast<std::uint64_t>(blocks * frames), columns, CambiCudaContrastBytes(columns, code_count_),
            rows};
  }

  CambiSettings settings_;
  DeviceTraits traits_;
  const Feature& feature_;
  int first_code_ = 0;
  int code_count_ = 0;
  DeviceLayout table_;
  std::size_t reciprocals_ = 0;
  std::size_t visibility_ = 0;
  std::array<Places, 2> places_{};
  DeviceNeeds needs_;
};

}  // namespace

int CambiCudaColumns(int radius, int code_count, int local_bytes) {
  // What the driver keeps of a multiprocessor's shared memory for each block.
  constexpr int kReservedBytes = 1024;
  const auto columns_in = [&](int bytes) {
    const int columns = std::min((bytes - CambiCudaContrastBytes(0, code_count)) / code_count, kCambiCudaMostColumns);
    return columns / kCambiCudaWarpLanes * kCambiCudaWarpLanes;
  };
  const int halo_columns = 2 * CambiCudaHalo(radius);
  // Two blocks of a multiprocessor fill each other's waits, unless most of what they count were halo.
  const int columns_of_two = columns_in((local_bytes - kReservedBytes) / 2);
  if (columns_of_two >= 3 * halo_columns && columns_of_two >= 4 * kCambiCudaWarpLanes) return columns_of_two;
  const int columns_of_one = columns_in(local_bytes);
  return columns_of_one >= halo_columns + kCambiCudaWarpLanes ? columns_of_one : 0;
}

std::unique_ptr<DeviceProgram> MakeCambiCudaProgram(const CambiSettings& settings, const DeviceTraits& traits,
                                                    const Feature& feature) {
  if (traits.tuned != "cuda80") return nullptr;
  const CambiCodes codes = CambiCodesThatCount(settings.visibility);
  const auto is_covered = [&](const CambiShape& shape) {
    // Kernels have 32-bit indices of padded rows.
    return shape.columns.empty() && i64{shape.width} * shape.height <= kMostPixels &&
           i64{CambiCudaStride(shape.width)} * shape.height < i64{1} << 31 &&
           CambiCudaColumns(shape.window / 2, std::max(codes.end - codes.first, 1), traits.local_bytes) > 0;
  };
  if (!is_covered(settings.distorted) || (settings.has_reference && !is_covered(settings.reference))) return nullptr;
  return std::make_unique<CambiCudaProgram>(settings, traits, feature);
}

}  // namespace lockstep
