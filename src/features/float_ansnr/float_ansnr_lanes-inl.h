// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ansnr on lanes: a group of rows is filtered, a lane a column, then turned so that a lane is a row, and added
// column by column; read once for each target.
#if defined(LOCKSTEP_FEATURES_FLOAT_ANSNR_FLOAT_ANSNR_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_FLOAT_ANSNR_FLOAT_ANSNR_LANES_INL_H_
#undef LOCKSTEP_FEATURES_FLOAT_ANSNR_FLOAT_ANSNR_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_FLOAT_ANSNR_FLOAT_ANSNR_LANES_INL_H_
#endif

#include "features/float_ansnr/float_ansnr_arithmetic.h"
#include "features/float_ansnr/float_ansnr_simd.h"
#include "features/float_motion/float_samples_lanes-inl.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

/// Converts a row, with mirrored samples on either side.
template <class L, class Sample>
LOCKSTEP_LANE_PASS void AnsnrLoadRow(const Sample* row, i32 width, float inverse_scaler, float* out) {
  for (i32 x = 0; x < width; x += L::N) {
    L::Store(FloatSamples<L>(row + x, inverse_scaler), out + x);
  }
  for (i32 k = 1; k <= kAnsnrDistortedRadius; ++k) {
    out[-k] = out[AnsnrMirror(-k, width)];
    out[width - 1 + k] = out[AnsnrMirror(width - 1 + k, width)];
  }
}

/// The tap at a row and a column, counted from the centre.
template <i32 kRadius>
constexpr float AnsnrTap(i32 row, i32 column) {
  const i32 v = kRadius - (row < 0 ? -row : row);
  const i32 u = kRadius - (column < 0 ? -column : column);
  if constexpr (kRadius == kAnsnrReferenceRadius) {
    return kAnsnrReferenceTaps[v][u];
  } else {
    return kAnsnrDistortedTaps[v][u];
  }
}

/// L::N columns of a filtered row; each product is rounded before it is added.
/// in      rows: the middle one, with those around it before and after it
template <class L, i32 kRadius>
LOCKSTEP_LANE_INLINE typename L::F32 AnsnrFiltered(const float* const* rows, i32 x) {
  auto sum = L::SetF(0.0f);
  Unroll<-kRadius, kRadius + 1>([&](auto row) __attribute__((always_inline)) {
    constexpr i32 kRow = decltype(row)::value;
    auto inner = L::SetF(0.0f);
    Unroll<-kRadius, kRadius + 1>([&](auto column) __attribute__((always_inline)) {
      constexpr i32 kColumn = decltype(column)::value;
      constexpr float kTap = AnsnrTap<kRadius>(kRow, kColumn);
      const auto product = L::MulF(L::Load(rows[kRow] + x + kColumn), L::SetF(kTap));
      inner = kColumn == -kRadius ? product : L::AddF(inner, product);
    });
    sum = kRow == -kRadius ? inner : L::AddF(sum, inner);
  });
  return sum;
}

/// Squares of a row's columns begin … end - 1.
template <class L>
LOCKSTEP_LANE_PASS void AnsnrTermsOfRow(const float* const* reference, const float* const* distorted, i32 begin,
                                        i32 end, float* signal, float* noise) {
  for (i32 x = begin; x < end; x += L::N) {
    const auto a = AnsnrFiltered<L, kAnsnrReferenceRadius>(reference, x);
    const auto difference = L::SubF(a, AnsnrFiltered<L, kAnsnrDistortedRadius>(distorted, x));
    L::Store(L::MulF(a, a), signal + (x - begin));
    L::Store(L::MulF(difference, difference), noise + (x - begin));
  }
}

/// Adds `count` columns of a group's rows to their sums, left to right.
/// in      terms: rows of kFloatAnsnrSimdStrip
template <class L>
LOCKSTEP_LANE_PASS void AnsnrAddColumns(const float* terms, i32 count, float* sums) {
  constexpr i32 kVectors = kFloatAnsnrSimdRows / L::N;
  typename L::F32 totals[kVectors];
  Unroll<0, kVectors>([&](auto vector)
                          __attribute__((always_inline)) { totals[vector] = L::Load(sums + vector * L::N); });
  for (i32 x = 0; x < count; x += L::N) {
    const i32 left = count - x;
    // Several chains at a time, because each waits for its own additions.
    Unroll<0, kVectors>([&](auto vector) __attribute__((always_inline)) {
      typename L::F32 block[L::N];
      Unroll<0, L::N>([&](auto i) __attribute__((always_inline)) {
        block[i] = L::Load(terms + (vector * L::N + i) * kFloatAnsnrSimdStrip + x);
      });
      L::Transpose(block);
      Unroll<0, L::N>([&](auto i) __attribute__((always_inline)) {
        if (i < left) totals[vector] = L::AddF(totals[vector], block[i]);
      });
    });
  }
  Unroll<0, kVectors>([&](auto vector)
                          __attribute__((always_inline)) { L::Store(totals[vector], sums + vector * L::N); });
}

/// Line buffers: a ring of converted rows of both pictures, and a strip of a group's squares.
struct AnsnrLines {
  static constexpr i32 kRing = kFloatAnsnrSimdRows + 2 * kAnsnrDistortedRadius;

  AnsnrLines(void* lines, i32 width) : pitch(FloatAnsnrSimdPitch(width)), signal(static_cast<float*>(lines)) {}

  /// First sample of row y, -2 and beyond.
  [[nodiscard]] float* Row(i32 picture, i32 y) const {
    const i64 slot = picture * kRing + (y + kAnsnrDistortedRadius) % kRing;
    return noise() + kFloatAnsnrSimdRows * kFloatAnsnrSimdStrip + slot * pitch + kFloatAnsnrSimdMargin;
  }
  [[nodiscard]] float* noise() const { return signal + kFloatAnsnrSimdRows * kFloatAnsnrSimdStrip; }

  i64 pitch;
  float* signal;
};

/// Row sums of `count` rows from row y on, which are loaded with those around them.
template <class L>
LOCKSTEP_LANE_INLINE void AnsnrGroup(const AnsnrLines& lines, i32 y, i32 count, i32 width, float* signal,
                                     float* noise) {
  constexpr i32 kRadius = kAnsnrDistortedRadius;
  const float* reference[AnsnrLines::kRing];
  const float* distorted[AnsnrLines::kRing];
  for (i32 i = 0; i < count + 2 * kRadius; ++i) {
    reference[i] = lines.Row(0, y - kRadius + i);
    distorted[i] = lines.Row(1, y - kRadius + i);
  }
  for (i32 i = 0; i < kFloatAnsnrSimdRows; ++i) {
    signal[i] = 0.0f;
    noise[i] = 0.0f;
  }
  for (i32 begin = 0; begin < width; begin += kFloatAnsnrSimdStrip) {
    const i32 end = width - begin < kFloatAnsnrSimdStrip ? width : begin + kFloatAnsnrSimdStrip;
    for (i32 i = 0; i < count; ++i) {
      AnsnrTermsOfRow<L>(reference + kRadius + i, distorted + kRadius + i, begin, end,
                         lines.signal + i * kFloatAnsnrSimdStrip, lines.noise() + i * kFloatAnsnrSimdStrip);
    }
    AnsnrAddColumns<L>(lines.signal, end - begin, signal);
    AnsnrAddColumns<L>(lines.noise(), end - begin, noise);
  }
}

template <class L, class Sample>
LOCKSTEP_LANE_INLINE FloatAnsnrSums FloatAnsnrOnLanes(const FloatAnsnrSimdArgs& args) {
  const AnsnrLines lines(args.lines, args.width);
  const auto* const reference = static_cast<const Sample*>(args.reference);
  const auto* const distorted = static_cast<const Sample*>(args.distorted);
  FloatAnsnrSums sums = {0.0f, 0.0f};
  i32 loaded = -kAnsnrDistortedRadius;
  for (i32 y = 0; y < args.height; y += kFloatAnsnrSimdRows) {
    const i32 left = args.height - y;
    const i32 count = left < kFloatAnsnrSimdRows ? left : kFloatAnsnrSimdRows;
    for (; loaded < y + count + kAnsnrDistortedRadius; ++loaded) {
      const i64 row = AnsnrMirror(loaded, args.height);
      AnsnrLoadRow<L>(reference + row * args.reference_stride, args.width, args.inverse_scaler, lines.Row(0, loaded));
      AnsnrLoadRow<L>(distorted + row * args.distorted_stride, args.width, args.inverse_scaler, lines.Row(1, loaded));
    }
    float signal[kFloatAnsnrSimdRows];
    float noise[kFloatAnsnrSimdRows];
    AnsnrGroup<L>(lines, y, count, args.width, signal, noise);
    for (i32 i = 0; i < count; ++i) {
      sums.signal += signal[i];
      sums.noise += noise[i];
    }
  }
  return sums;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
