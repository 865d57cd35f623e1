// SPDX-License-Identifier: BSD-2-Clause-Patent
// Tables of positions and weights, and the resizing of rows by them.
#include "features/resize/resize.h"

#include <algorithm>
#include <cstddef>

#include "exact/elementary.h"

namespace lockstep {
namespace {

constexpr double kPi = 3.14159265358979323846;

int Floor(float x) {
  const int truncated = static_cast<int>(x);
  return static_cast<float>(truncated) > x ? truncated - 1 : truncated;
}

int Ceil(float x) {
  const int floor = Floor(x);
  return static_cast<float>(floor) < x ? floor + 1 : floor;
}

// Keys' cubic with a = -0.75.
float CubicWeight(float t) {
  constexpr float kA = -0.75f;
  const float x = t < 0.0f ? -t : t;
  if (x < 1.0f) return ((kA + 2.0f) * x - (kA + 3.0f)) * x * x + 1.0f;
  if (x < 2.0f) return (((x - 5.0f) * x + 8.0f) * x - 4.0f) * kA;
  return 0.0f;
}

float LanczosWeight(float t) {
  constexpr double kLobes = 4.0;
  if (t == 0.0f) return 1.0f;
  if (!(t > -4.0f && t < 4.0f)) return 0.0f;
  const auto x = static_cast<double>(t);
  const double sines = (kLobes * exact::Sin(kPi * x)) * exact::Sin((kPi * x) / kLobes);
  return static_cast<float>(sines / (((kPi * kPi) * x) * x));
}

int FirstOffset(ResizeMethod method) {
  switch (method) {
    case ResizeMethod::kBicubic:
      return -1;
    case ResizeMethod::kLanczos4:
      return -3;
    default:
      return 0;
  }
}

template <i32 kTaps, bool kNormalised>
void ResizeRows(const float* source, i64 source_stride, const ResizeAxisView& columns, const ResizeAxisView& rows,
                i32 width, i32 begin, i32 end, float* target, i64 target_stride) {
  for (i32 y = begin; y < end; ++y) {
    float* const out = target + y * target_stride;
    for (i32 x = 0; x < width; ++x) {
      out[x] = ResizedSample<kTaps, kNormalised>(source, source_stride, columns, rows, x, y);
    }
  }
}

}  // namespace

std::optional<ResizeMethod> ParseResizeMethod(std::string_view name) {
  if (name == "nearest") return ResizeMethod::kNearest;
  if (name == "bilinear") return ResizeMethod::kBilinear;
  if (name == "bicubic") return ResizeMethod::kBicubic;
  if (name == "lanczos4") return ResizeMethod::kLanczos4;
  return std::nullopt;
}

int ResizeTaps(ResizeMethod method) {
  switch (method) {
    case ResizeMethod::kNearest:
      return 1;
    case ResizeMethod::kBilinear:
      return 2;
    case ResizeMethod::kBicubic:
      return 4;
    case ResizeMethod::kLanczos4:
      return 8;
  }
  return 1;
}

int ResizeMinimum(ResizeMethod method) {
  // The position before the first sample, and what is read before that.
  return method == ResizeMethod::kNearest ? 1 : 2 - FirstOffset(method);
}

ResizeAxis::ResizeAxis(ResizeMethod method, int source, int target) {
  const int taps = ResizeTaps(method);
  positions_.reserve(static_cast<std::size_t>(target) * static_cast<std::size_t>(taps));
  weights_.reserve(positions_.capacity());
  const float ratio = static_cast<float>(source) / static_cast<float>(target);
  const auto add = [&](int position, float weight) {
    positions_.push_back(position);
    weights_.push_back(weight);
  };
  for (int i = 0; i < target; ++i) {
    if (method == ResizeMethod::kNearest) {
      // Rounding alone cannot reach the end: a step is at least a quarter of a sample.
      add(std::min(static_cast<int>(static_cast<float>(i) * ratio), source - 1), 1.0f);
      continue;
    }
    const float at = static_cast<float>((static_cast<double>(i) + 0.5) * static_cast<double>(ratio) - 0.5);
    if (method == ResizeMethod::kBilinear) {
      const int lower = Mirror(Floor(at), source);
      const float fraction = at - static_cast<float>(lower);
      add(lower, 1.0f - fraction);
      add(Mirror(Ceil(at), source), fraction);
      continue;
    }
    const int floor = Floor(at);
    const float fraction = at - static_cast<float>(floor);
    for (int offset = FirstOffset(method); offset < FirstOffset(method) + taps; ++offset) {
      const float distance = static_cast<float>(offset) - fraction;
      add(Mirror(floor + offset, source),
          method == ResizeMethod::kBicubic ? CubicWeight(distance) : LanczosWeight(distance));
    }
  }
}

PlaneResize::PlaneResize(ResizeMethod method, PlaneSize source, PlaneSize target)
    : method_(method),
      source_(source),
      target_(target),
      columns_(method, source.width, target.width),
      rows_(method, source.height, target.height) {}

void PlaneResize::Rows(const float* source, std::int64_t source_stride, int begin, int end, float* target,
                       std::int64_t target_stride) const {
  if (source_ == target_) {
    for (int y = begin; y < end; ++y)
      std::copy_n(source + y * source_stride, source_.width, target + y * target_stride);
    return;
  }
  const auto rows = [&](auto function) {
    function(source, source_stride, columns_.view(), rows_.view(), target_.width, begin, end, target, target_stride);
  };
  switch (method_) {
    case ResizeMethod::kNearest:
      return rows(ResizeRows<1, false>);
    case ResizeMethod::kBilinear:
      return rows(ResizeRows<2, false>);
    case ResizeMethod::kBicubic:
      return rows(ResizeRows<4, false>);
    case ResizeMethod::kLanczos4:
      return rows(ResizeRows<8, true>);
  }
}

}  // namespace lockstep
