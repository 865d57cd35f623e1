// SPDX-License-Identifier: BSD-2-Clause-Patent
// Only rows and columns that the decimated plane depends on are read, resized and filtered.
#include "features/speed/speed_preparation.h"

#include <algorithm>
#include <utility>

namespace lockstep {
namespace {

std::size_t PaddedRow(int width) {
  return (static_cast<std::size_t>(width) + kSpeedSlack - 1) / kSpeedSlack * kSpeedSlack;
}

template <class Sample>
void LowPassSamples(const SpeedLowPassArgs& args) {
  float* __restrict filtered = args.filtered;
  std::fill_n(filtered, args.width, 0.0f);
  for (i32 k = 0; k < args.count; ++k) {
    const float tap = args.taps[k];
    const auto* later = static_cast<const Sample*>(args.later[k]);
    if (args.earlier == nullptr) {
      for (i32 x = 0; x < args.width; ++x) {
        filtered[x] = SpeedFilterStep(filtered[x], tap, SpeedSample(later[x], args.inverse_scaler));
      }
      continue;
    }
    const auto* earlier = static_cast<const Sample*>(args.earlier[k]);
    for (i32 x = 0; x < args.width; ++x) {
      filtered[x] = SpeedFilterStep(filtered[x], tap, SpeedDifference(earlier[x], later[x], args.inverse_scaler));
    }
  }
}

/// ResizedSample() from rows of the source that lie apart.
float ResizedFromLines(const SpeedResizeArgs& args, i32 x) {
  float sum = 0.0f;
  float weights = 0.0f;
  for (i32 j = 0; j < args.side; ++j) {
    for (i32 i = 0; i < args.side; ++i) {
      const float weight = args.weights[i * args.pitch + x] * args.line_weights[j];
      weights = weights + weight;
      sum = sum + args.lines[j][args.positions[i * args.pitch + x]] * weight;
    }
  }
  return args.normalised ? sum / weights : sum;
}

/// Pointers to rows of a source.
class SourceRows {
 public:
  explicit SourceRows(const SpeedSource& source) : source_(source) {}

  void Add(int y) {
    later_[count_] = source_.plane.data + source_.plane.stride_bytes * y;
    if (source_.earlier != nullptr) earlier_[count_] = source_.earlier->data + source_.earlier->stride_bytes * y;
    ++count_;
  }
  [[nodiscard]] SpeedLowPassArgs Args(const float* taps, int width, float* filtered) const {
    return {later_.data(), source_.earlier == nullptr ? nullptr : earlier_.data(),
            taps,          static_cast<i32>(count_),
            width,         source_.inverse_scaler(),
            filtered};
  }

 private:
  const SpeedSource& source_;
  std::array<const void*, kSpeedMaximumLowPass> later_{};
  std::array<const void*, kSpeedMaximumLowPass> earlier_{};
  std::size_t count_ = 0;
};

}  // namespace

SpeedPreparationBuffers::SpeedPreparationBuffers(const SpeedGeometry& geometry)
    : source_pitch_(PaddedRow(geometry.plane.width)),
      source_(geometry.resized ? kSourceRows * source_pitch_ * sizeof(float) : 0),
      filtered_row_((PaddedRow(geometry.scaled.width) + kSpeedSlack) * sizeof(float)),
      decimated_(SpeedPlaneFloats(geometry.prepared) * sizeof(float)),
      vertical_(SpeedPlaneFloats(geometry.prepared) * sizeof(float)),
      line_((PaddedRow(geometry.prepared.width + kSpeedMaximumLocalMean) + kSpeedSlack) * sizeof(float)) {}

SpeedPreparation::SpeedPreparation(const SpeedGeometry& geometry, ResizeMethod method, SpeedTaps taps,
                                   const SpeedSimd& simd)
    : geometry_(geometry), method_(method), taps_(std::move(taps)), simd_(simd) {
  ChooseColumns();
  if (geometry_.resized) TabulateResize();
}

void SpeedPreparation::ChooseColumns() {
  const int width = geometry_.scaled.width;
  const int reach = static_cast<int>(taps_.low_pass.size()) / 2;
  places_.assign(static_cast<std::size_t>(width), -1);
  for (int x = 0; x < width; ++x) {
    const int nearest = std::min((x + kSpeedDecimation / 2) / kSpeedDecimation, geometry_.prepared.width - 1);
    const int distance = x - nearest * kSpeedDecimation;
    // Where nothing is resized, a row without gaps is the faster one.
    if (geometry_.resized && (distance < -reach || distance > reach)) continue;
    places_[static_cast<std::size_t>(x)] = static_cast<i32>(columns_.size());
    columns_.push_back(x);
  }
}

void SpeedPreparation::TabulateResize() {
  const ResizeAxis all(method_, geometry_.plane.width, geometry_.scaled.width);
  rows_ = ResizeAxis(method_, geometry_.plane.height, geometry_.scaled.height);
  const auto taps = static_cast<std::size_t>(ResizeTaps(method_));
  pitch_ = PaddedRow(static_cast<int>(columns_.size()));
  positions_.resize(taps * pitch_);
  weights_.resize(taps * pitch_);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (std::size_t k = 0; k < taps; ++k) {
      const std::size_t from = static_cast<std::size_t>(columns_[i]) * taps + k;
      positions_[k * pitch_ + i] = all.positions()[from];
      weights_[k * pitch_ + i] = all.weights()[from];
    }
  }
}

void SpeedPreparation::LowPass(const SpeedSource& source, const SpeedLowPassArgs& args) const {
  if (simd_.is_available()) {
    simd_.low_pass(args);
  } else if (source.bit_depth == 8) {
    LowPassSamples<u8>(args);
  } else {
    LowPassSamples<u16>(args);
  }
}

void SpeedPreparation::AddResized(const SpeedResizeArgs& args) const {
  if (simd_.is_available()) {
    simd_.resize(args);
    return;
  }
  for (i32 x = 0; x < args.width; ++x) {
    args.sums[x] = SpeedFilterStep(args.sums[x], args.tap, ResizedFromLines(args, x));
  }
}

void SpeedPreparation::FilterColumns(const SpeedSource& source, int i, SpeedPreparationBuffers& buffers) const {
  const int count = static_cast<int>(taps_.low_pass.size());
  SourceRows rows(source);
  for (int k = 0; k < count; ++k) rows.Add(Mirror(kSpeedDecimation * i - count / 2 + k, geometry_.scaled.height));
  LowPass(source, rows.Args(taps_.low_pass.data(), geometry_.scaled.width, buffers.filtered_row_.as<float>()));
}

void SpeedPreparation::FilterResizedColumns(const SpeedSource& source, int i, SpeedPreparationBuffers& buffers) const {
  const int count = static_cast<int>(taps_.low_pass.size());
  const auto width = static_cast<i32>(columns_.size());
  const int side = ResizeTaps(method_);
  float* filtered = buffers.filtered_row_.as<float>();
  std::fill_n(filtered, width, 0.0f);
  for (int k = 0; k < count; ++k) {
    const int y = Mirror(kSpeedDecimation * i - count / 2 + k, geometry_.scaled.height);
    std::array<const float*, 8> lines{};
    for (int j = 0; j < side; ++j) {
      const int row = rows_.positions()[static_cast<std::size_t>(y * side + j)];
      float* line = buffers.SourceRow(row);
      int& held = buffers.held_[static_cast<std::size_t>(row % SpeedPreparationBuffers::kSourceRows)];
      if (held != row) {
        // One tap of 1 converts.
        constexpr float kOne = 1.0f;
        SourceRows single(source);
        single.Add(row);
        LowPass(source, single.Args(&kOne, geometry_.plane.width, line));
        held = row;
      }
      lines[static_cast<std::size_t>(j)] = line;
    }
    AddResized({lines.data(), rows_.weights().data() + static_cast<std::ptrdiff_t>(y) * side, positions_.data(),
                weights_.data(), static_cast<i64>(pitch_), side, method_ == ResizeMethod::kLanczos4, width,
                taps_.low_pass[static_cast<std::size_t>(k)], filtered});
  }
}

void SpeedPreparation::DecimateRow(const float* filtered, float* decimated) const {
  const auto count = static_cast<i32>(taps_.low_pass.size());
  const float* taps = taps_.low_pass.data();
  const i32 width = geometry_.scaled.width;
  for (i32 j = 0; j < geometry_.prepared.width; ++j) {
    const i32 first = kSpeedDecimation * j - count / 2;
    if (first < 0 || first + count > width) {
      decimated[j] = SpeedFilter(taps, count, kSpeedDecimation * j, width,
                                 [&](i32 x) { return filtered[places_[static_cast<std::size_t>(x)]]; });
      continue;
    }
    // Columns that are filtered together lie together.
    const float* values = filtered + places_[static_cast<std::size_t>(first)];
    float sum = 0.0f;
    for (i32 k = 0; k < count; ++k) sum = SpeedFilterStep(sum, taps[k], values[k]);
    decimated[j] = sum;
  }
}

void SpeedPreparation::Run(const SpeedSource& source, SpeedPreparationBuffers& buffers, float* prepared) const {
  buffers.held_.fill(-1);
  for (int i = 0; i < geometry_.prepared.height; ++i) {
    if (geometry_.resized) {
      FilterResizedColumns(source, i, buffers);
    } else {
      FilterColumns(source, i, buffers);
    }
    DecimateRow(buffers.filtered_row_.as<float>(), buffers.decimated_.as<float>() + i * geometry_.prepared.width);
  }
  SubtractLocalMean(buffers, prepared);
}

void SpeedPreparation::SubtractLocalMean(SpeedPreparationBuffers& buffers, float* prepared) const {
  const PlaneSize size = geometry_.prepared;
  const int count = static_cast<int>(taps_.local_mean.size());
  const float* taps = taps_.local_mean.data();
  const float* decimated = buffers.decimated_.as<float>();
  float* vertical = buffers.vertical_.as<float>();
  if (simd_.is_available()) {
    simd_.local_mean({decimated, size.width, size.height, taps, count, vertical, buffers.line_.as<float>(), prepared});
    return;
  }
  for (int i = 0; i < size.height; ++i) {
    for (int j = 0; j < size.width; ++j) {
      vertical[i * size.width + j] =
          SpeedFilter(taps, count, i, size.height, [&](i32 y) { return decimated[y * size.width + j]; });
    }
  }
  for (int i = 0; i < size.height; ++i) {
    const i32 row = i * size.width;
    for (int j = 0; j < size.width; ++j) {
      const float mean = SpeedFilter(taps, count, j, size.width, [&](i32 x) { return vertical[row + x]; });
      prepared[row + j] = SpeedPrepared(decimated[row + j], mean);
    }
  }
}

}  // namespace lockstep
