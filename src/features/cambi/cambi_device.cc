// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi on devices: codes and their scales, contrasts down segments of columns, and three digits of the smallest of the
// greatest contrasts.
#include "features/cambi/cambi_device.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "features/cambi/cambi_device_pooling.h"
#include "features/cambi/cambi_kernels.h"

namespace lockstep {
namespace {

constexpr i64 kMostPixels = i64{1} << 26;

std::size_t Pixels(PlaneSize size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

/// Rows of a scale that a work-item slides down: so many that clearing the counts and filling the first window cost
/// less than the rest, and that the counts of all segments have room.
int SegmentRows(PlaneSize size, int window, int code_count) {
  constexpr i64 kCountBytes = i64{64} << 20;
  constexpr int kLeastRows = 64;
  const int rows = std::max(2 * window, kLeastRows);
  const i64 segment_bytes = i64{(size.width + 1) / 2} * code_count * i64{sizeof(u32)};
  const i64 segments = std::clamp<i64>(kCountBytes / segment_bytes, 1, (size.height + rows - 1) / rows);
  return static_cast<int>((size.height + segments - 1) / segments);
}

class CambiDeviceProgram final : public DeviceProgram {
 public:
  CambiDeviceProgram(const CambiSettings& settings, const Feature& feature) : settings_(settings), feature_(feature) {
    const CambiCodes codes = CambiCodesThatCount(settings_.visibility);
    first_code_ = codes.first;
    code_count_ = std::max(codes.end - codes.first, 1);
    reciprocals_ = table_.Take<float>(CambiReciprocals().size());
    visibility_ = table_.Take<CambiVisibility>(1);
    std::size_t scratch_bytes = 0;
    for (Picture& picture : pictures()) scratch_bytes = std::max(scratch_bytes, PlacePicture(picture));
    needs_.table = table_.bytes();
    needs_.scratch = scratch_bytes;
    needs_.results = results_.bytes();
  }

  std::string_view module() const override { return "cambi"; }
  DeviceNeeds needs() const override { return needs_; }

  void FillTable(std::byte* table) const override {
    std::copy(CambiReciprocals().begin(), CambiReciprocals().end(), At<float>(table, reciprocals_));
    *At<CambiVisibility>(table, visibility_) = settings_.visibility;
    for (const Picture& picture : pictures()) {
      const CambiShape& shape = *picture.shape;
      if (shape.columns.empty()) continue;
      i32* const columns = std::copy(shape.columns.begin(), shape.columns.end(), At<i32>(table, picture.columns));
      *columns = shape.columns.back();
      i32* const rows = std::copy(shape.rows.begin(), shape.rows.end(), At<i32>(table, picture.rows));
      *rows = shape.rows.back();
    }
  }

  void AddSteps(const DeviceFrame& frame, DeviceSteps& steps) const override {
    AddPicture(frame, frame.distorted[0], pictures_[0], steps);
    if (settings_.has_reference) AddPicture(frame, frame.reference[0], pictures_[1], steps);
  }

  // The host's frames take longer than a batch does on the device.
  bool collects_long() const override { return CambiSumsMayRound(settings_); }

  bool NeedsPictures(const std::byte* results) const override {
    for (const Picture& picture : pictures()) {
      for (int scale = 0; scale < kCambiScales; ++scale) {
        if (!SumOf(picture, results, scale).IsExact()) return true;
      }
    }
    return false;
  }

  void Collect(const FrameWindow& window, const std::byte* results, std::span<Fact> facts) const override {
    if (NeedsPictures(results)) {
      CambiExtractOnHost(feature_, window, facts);
      return;
    }
    std::size_t fact = 0;
    for (const Picture& picture : pictures()) {
      for (int scale = 0; scale < kCambiScales; ++scale) facts[fact++] = FactOf(SumOf(picture, results, scale).Value());
    }
  }

 private:
  using ScaleOffsets = std::array<std::size_t, kCambiScales>;

  /// One of the two pictures: where its things are.
  struct Picture {
    const CambiShape* shape;
    std::size_t columns;  // in the table
    std::size_t rows;
    std::size_t codes;  // in scratch memory
    std::size_t flat;
    std::size_t flat_rows;
    std::size_t marked;
    ScaleOffsets scales;
    ScaleOffsets contrasts;
    std::size_t counts;  // of codes
    std::size_t digit_counts;
    std::size_t digit_sums;
    std::size_t digit_totals;
    std::size_t choices;  // in results, as all that follow
    std::size_t last_totals;
    std::size_t total_sums;
  };

  [[nodiscard]] int sample_bytes() const { return settings_.bit_depth == 8 ? 1 : 2; }
  [[nodiscard]] std::span<Picture> pictures() { return std::span(pictures_).first(settings_.has_reference ? 2 : 1); }
  [[nodiscard]] std::span<const Picture> pictures() const {
    return std::span(pictures_).first(settings_.has_reference ? 2 : 1);
  }

  /// Returns the bytes of scratch memory.
  std::size_t PlacePicture(Picture& picture) {
    const CambiShape& shape = &picture == pictures_.data() ? settings_.distorted : settings_.reference;
    picture.shape = &shape;
    picture.columns = table_.Take<i32>(static_cast<std::size_t>(shape.width) + 1);
    picture.rows = table_.Take<i32>(static_cast<std::size_t>(shape.height) + 1);
    const std::size_t pixels = Pixels({shape.width, shape.height});
    DeviceLayout kept;
    picture.marked = kept.Take<u16>(pixels);
    for (std::size_t s = 0; s < kCambiScales; ++s) {
      picture.scales[s] = kept.Take<u16>(Pixels(settings_.ScaleSize(shape, static_cast<int>(s))));
    }
    // What the mask is made of and what comes after it share their place.
    DeviceLayout early = kept;
    picture.codes = early.Take<u16>(pixels);
    picture.flat = early.Take<u8>(pixels);
    picture.flat_rows = early.Take<u8>(pixels);
    DeviceLayout late = kept;
    std::size_t counts = 0;
    for (std::size_t s = 0; s < kCambiScales; ++s) {
      const PlaneSize size = settings_.ScaleSize(shape, static_cast<int>(s));
      picture.contrasts[s] = late.Take<float>(Pixels(size));
      counts = std::max(counts, static_cast<std::size_t>(ContrastItems(shape, size)));
    }
    picture.counts = late.Take<u32>(counts * static_cast<std::size_t>(code_count_));
    picture.digit_counts = late.Take<u32>(std::size_t{kCambiScales} * kCambiDigitValues * kCambiCounters);
    picture.digit_sums = late.Take<u64>(std::size_t{kCambiScales} * kCambiCounters);
    picture.digit_totals = late.Take<u32>(std::size_t{kCambiScales} * kCambiDigitValues);
    picture.choices = results_.Take<CambiChoice>(kCambiScales);
    picture.last_totals = results_.Take<u32>(std::size_t{kCambiScales} * kCambiDigitValues);
    picture.total_sums = results_.Take<u64>(kCambiScales);
    return std::max(early.bytes(), late.bytes());
  }

  /// Pairs of columns times segments.
  [[nodiscard]] int ContrastItems(const CambiShape& shape, PlaneSize size) const {
    const int rows = SegmentRows(size, shape.window, code_count_);
    return (size.width + 1) / 2 * ((size.height + rows - 1) / rows);
  }

  void AddPicture(const DeviceFrame& frame, const DevicePlane& luma, const Picture& picture, DeviceSteps& steps) const {
    AddMask(frame, luma, picture, steps);
    const CambiShape& shape = *picture.shape;
    PlaneSize larger = {shape.width, shape.height};
    const u16* source = At<u16>(frame.scratch, picture.marked);
    for (std::size_t s = 0; s < kCambiScales; ++s) {
      const PlaneSize size = settings_.ScaleSize(shape, static_cast<int>(s));
      auto* const marked = At<u16>(frame.scratch, picture.scales[s]);
      const int step = s > 0 || settings_.has_speedup ? 2 : 1;
      steps.AddLanes("modes", size.height, CambiModesArgs{source, marked, larger.width, step, size.width, size.height});
      const int items = ContrastItems(shape, size);
      steps.AddRows(
          "contrasts", items,
          CambiContrastsArgs{marked, At<u32>(frame.scratch, picture.counts),
                             At<float>(frame.scratch, picture.contrasts[s]), At<float>(frame.table, reciprocals_),
                             At<CambiVisibility>(frame.table, visibility_), size.width, size.height, shape.window / 2,
                             first_code_, code_count_, SegmentRows(size, shape.window, code_count_), items});
      larger = size;
      source = marked;
    }
    AddPooling(frame, picture, steps);
  }

  void AddMask(const DeviceFrame& frame, const DevicePlane& luma, const Picture& picture, DeviceSteps& steps) const {
    const CambiShape& shape = *picture.shape;
    auto* const codes = At<u16>(frame.scratch, picture.codes);
    auto* const flat = At<u8>(frame.scratch, picture.flat);
    auto* const flat_rows = At<u8>(frame.scratch, picture.flat_rows);
    steps.AddLanes(sample_bytes() == 1 ? "codes_u8" : "codes_u16", shape.height,
                   CambiCodesArgs{luma.data, At<i32>(frame.table, picture.columns), At<i32>(frame.table, picture.rows),
                                  codes, shape.width, shape.height, luma.stride, settings_.bit_depth,
                                  shape.columns.empty() ? 0 : 1, settings_.removes_dither ? 1 : 0});
    steps.AddLanes("flat", shape.height, CambiFlatArgs{codes, flat, shape.width, shape.height});
    steps.AddLanes("flat_rows", shape.height, CambiFlatRowsArgs{flat, flat_rows, shape.width, shape.height});
    steps.AddLanes("mask", shape.height,
                   CambiMaskArgs{codes, flat_rows, At<u16>(frame.scratch, picture.marked), shape.width, shape.height,
                                 CambiMaskThreshold(shape.width, shape.height)});
  }

  void AddPooling(const DeviceFrame& frame, const Picture& picture, DeviceSteps& steps) const {
    CambiPoolArgs args = {};
    for (std::size_t s = 0; s < kCambiScales; ++s) {
      const int scale = static_cast<int>(s);
      args.contrasts[s] = At<u32>(frame.scratch, picture.contrasts[s]);
      args.pixels[s] = static_cast<i32>(Pixels(settings_.ScaleSize(*picture.shape, scale)));
      args.pooled[s] = static_cast<i32>(settings_.PooledCount(*picture.shape, scale));
    }
    args.counts = At<u32>(frame.scratch, picture.digit_counts);
    args.sums = At<u64>(frame.scratch, picture.digit_sums);
    args.total_sums = At<u64>(frame.results, picture.total_sums);
    args.choices = At<CambiChoice>(frame.results, picture.choices);
    for (args.digit = 0; args.digit < kCambiDigits; ++args.digit) {
      const bool is_last = args.digit == kCambiDigits - 1;
      args.totals =
          is_last ? At<u32>(frame.results, picture.last_totals) : At<u32>(frame.scratch, picture.digit_totals);
      steps.AddRows("count_digits", kCambiScales * kCambiCounters, args);
      steps.AddRows("add_counts", kCambiScales * kCambiDigitValues, args);
      if (is_last) {
        steps.AddRows("add_sums", kCambiScales, args);
      } else {
        steps.AddRows("choose_digit", kCambiScales, args);
      }
    }
  }

  /// What the device knows of a scale: how many contrasts have each last digit behind those chosen, and the sum of the
  /// greater ones.
  [[nodiscard]] CambiPooledSum SumOf(const Picture& picture, const std::byte* results, int scale) const {
    const CambiChoice choice = At<CambiChoice>(results, picture.choices)[scale];
    const u32* const totals = At<u32>(results, picture.last_totals) + i64{scale} * kCambiDigitValues;
    CambiPooledSum sum = {At<u64>(results, picture.total_sums)[scale], 0};
    u32 remaining = choice.remaining;
    for (i32 value = kCambiDigitValues - 1; remaining > 0 && value >= 0; --value) {
      const u32 count = std::min(totals[value], remaining);
      if (count == 0) continue;
      sum.least_key = choice.digits << kCambiDigitBits | static_cast<u32>(value);
      sum.units += count * CambiUnitsOfKey(sum.least_key);
      remaining -= count;
    }
    return sum;
  }

  CambiSettings settings_;
  const Feature& feature_;
  int first_code_ = 0;
  int code_count_ = 0;
  DeviceLayout table_;
  DeviceLayout results_;
  std::size_t reciprocals_ = 0;
  std::size_t visibility_ = 0;
  std::array<Picture, 2> pictures_{};
  DeviceNeeds needs_;
};

}  // namespace

std::unique_ptr<DeviceProgram> MakeCambiDeviceProgram(const CambiSettings& settings, const Feature& feature) {
  for (const CambiShape* shape : {&settings.distorted, &settings.reference}) {
    if (i64{shape->width} * shape->height > kMostPixels) return nullptr;
  }
  return std::make_unique<CambiDeviceProgram>(settings, feature);
}

}  // namespace lockstep
