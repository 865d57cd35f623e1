// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion on lanes: a group of rows is filtered down its columns, turned so that a lane is a row, filtered along
// its rows and added column by column; read once for each target.
#if defined(LOCKSTEP_FEATURES_FLOAT_MOTION_FLOAT_MOTION_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_FLOAT_MOTION_FLOAT_MOTION_LANES_INL_H_
#undef LOCKSTEP_FEATURES_FLOAT_MOTION_FLOAT_MOTION_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_FLOAT_MOTION_FLOAT_MOTION_LANES_INL_H_
#endif

#include <utility>

#include "features/float_motion/float_motion_arithmetic.h"
#include "features/float_motion/float_motion_simd.h"
#include "features/float_motion/float_samples_lanes-inl.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

/// FloatMotionFilter5(), FloatMotionFilter3() or the middle value; each product is rounded before it is added.
template <class L, i32 kTapCount>
LOCKSTEP_LANE_INLINE typename L::F32 FloatMotionFilter(typename L::F32 a, typename L::F32 b, typename L::F32 c,
                                                       typename L::F32 d, typename L::F32 e) {
  if constexpr (kTapCount == 1) {
    return c;
  } else {
    constexpr FloatMotionTaps kTaps = kTapCount == 3 ? kFloatMotionTaps3 : kFloatMotionTaps5;
    const auto inner = L::SetF(kTaps.inner);
    const auto centre = L::SetF(kTaps.centre);
    if constexpr (kTapCount == 3) {
      return L::AddF(L::AddF(L::MulF(inner, b), L::MulF(centre, c)), L::MulF(inner, d));
    } else {
      const auto outer = L::SetF(kTaps.outer);
      auto sum = L::AddF(L::MulF(outer, a), L::MulF(inner, b));
      sum = L::AddF(sum, L::MulF(centre, c));
      sum = L::AddF(sum, L::MulF(inner, d));
      return L::AddF(sum, L::MulF(outer, e));
    }
  }
}

/// Row vectors of a group and the buffer of its vertically filtered columns: of each plane and row vector, columns of
/// L::N rows.
template <class L>
struct FloatMotionColumns {
  static constexpr i32 kVectors = kFloatMotionSimdRows / L::N;
  static constexpr i32 kColumns = kFloatMotionSimdCarry + kFloatMotionSimdStrip + kFloatMotionSimdMirrored;
  static constexpr i64 kPlane = i64{kVectors} * kColumns * L::N;

  float* data;

  [[nodiscard]] float* At(i32 vector, i32 column) const { return data + (i64{vector} * kColumns + column) * L::N; }
};

/// Filters L::N columns of a group down its rows.
/// in      rows: the group's rows with two on either side
template <class L, class Sample, i32 kTapCount>
LOCKSTEP_LANE_INLINE void FloatMotionVerticalBlock(const Sample* const* rows, i32 x, float inverse_scaler,
                                                   const FloatMotionColumns<L>& columns, i32 column) {
  const auto load = [&](i32 row) __attribute__((always_inline)) {
    return FloatSamples<L>(rows[row] + x, inverse_scaler);
  };
  auto a = load(0);
  auto b = load(1);
  auto c = load(2);
  auto d = load(3);
  for (i32 vector = 0; vector < FloatMotionColumns<L>::kVectors; ++vector) {
    typename L::F32 block[L::N];
    Unroll<0, L::N>([&](auto i) __attribute__((always_inline)) {
      const auto e = load(vector * L::N + i + 4);
      block[i] = FloatMotionFilter<L, kTapCount>(a, b, c, d, e);
      a = b;
      b = c;
      c = d;
      d = e;
    });
    L::Transpose(block);
    Unroll<0, L::N>([&](auto i) __attribute__((always_inline)) { L::Store(block[i], columns.At(vector, column + i)); });
  }
}

template <class L, class Sample, i32 kTapCount>
LOCKSTEP_LANE_PASS void FloatMotionVerticalStrip(const Sample* const* rows, i32 begin, i32 end, float inverse_scaler,
                                                 const FloatMotionColumns<L>& columns) {
  for (i32 x = begin; x < end; x += L::N) {
    FloatMotionVerticalBlock<L, Sample, kTapCount>(rows, x, inverse_scaler, columns, kFloatMotionSimdCarry + x - begin);
  }
}

/// Filters columns along the rows and adds the differences to the row chains, left to right.
template <class L, i32 kTapCount>
LOCKSTEP_LANE_PASS void FloatMotionAddColumns(const float* previous, const float* current, i32 count, float* sums) {
  const auto filter = [](const float* column) __attribute__((always_inline)) {
    return FloatMotionFilter<L, kTapCount>(L::Load(column - 2 * L::N), L::Load(column - L::N), L::Load(column),
                                           L::Load(column + L::N), L::Load(column + 2 * L::N));
  };
  auto sum = L::Load(sums);
  for (i32 i = 0; i < count; ++i) {
    sum = L::AddF(sum, L::AbsF(L::SubF(filter(previous + i64{i} * L::N), filter(current + i64{i} * L::N))));
  }
  L::Store(sum, sums);
}

template <class L>
LOCKSTEP_LANE_INLINE void FloatMotionCopyColumn(const FloatMotionColumns<L>& columns, i32 from, i32 to) {
  for (i32 vector = 0; vector < FloatMotionColumns<L>::kVectors; ++vector) {
    L::Store(L::Load(columns.At(vector, from)), columns.At(vector, to));
  }
}

/// Row `y` of the picture, mirrored; below the rows that a wanted sum needs, some row inside.
template <class Sample>
const Sample* FloatMotionRow(const void* plane, i64 stride, i32 y, i32 height) {
  const i32 last_needed = height + 1;
  return static_cast<const Sample*>(plane) + Mirror(y < last_needed ? y : last_needed, height) * stride;
}

/// The sums of kFloatMotionSimdRows rows from row `y` on.
template <class L, class Sample, i32 kTapCount>
LOCKSTEP_LANE_INLINE void FloatMotionGroup(const FloatMotionSimdArgs& args, i32 y, float* sums) {
  constexpr i32 kRows = kFloatMotionSimdRows;
  constexpr i32 kCarry = kFloatMotionSimdCarry;
  const Sample* previous_rows[kRows + 4];
  const Sample* current_rows[kRows + 4];
  for (i32 i = 0; i < kRows + 4; ++i) {
    previous_rows[i] = FloatMotionRow<Sample>(args.previous, args.previous_stride, y - 2 + i, args.height);
    current_rows[i] = FloatMotionRow<Sample>(args.current, args.current_stride, y - 2 + i, args.height);
  }
  auto* const lines = static_cast<float*>(args.lines);
  const FloatMotionColumns<L> both[2] = {{lines}, {lines + FloatMotionColumns<L>::kPlane}};
  for (i32 i = 0; i < kRows; ++i) sums[i] = 0.0f;
  for (i32 begin = 0; begin < args.width; begin += kFloatMotionSimdStrip) {
    const i32 left = args.width - begin;
    const i32 count = left < kFloatMotionSimdStrip ? left : kFloatMotionSimdStrip;
    // Outputs lag two columns behind the columns that are there.
    i32 first = kCarry - 2;
    i32 outputs = count;
    FloatMotionVerticalStrip<L, Sample, kTapCount>(previous_rows, begin, begin + count, args.inverse_scaler, both[0]);
    FloatMotionVerticalStrip<L, Sample, kTapCount>(current_rows, begin, begin + count, args.inverse_scaler, both[1]);
    if (begin == 0) {
      for (const FloatMotionColumns<L>& columns : both) {
        FloatMotionCopyColumn(columns, kCarry + 1, kCarry - 1);
        FloatMotionCopyColumn(columns, kCarry + 2, kCarry - 2);
      }
      first += 2;
      outputs -= 2;
    }
    if (count == left) {
      for (const FloatMotionColumns<L>& columns : both) {
        FloatMotionCopyColumn(columns, kCarry + count - 2, kCarry + count);
        FloatMotionCopyColumn(columns, kCarry + count - 3, kCarry + count + 1);
      }
      outputs += 2;
    }
    for (i32 vector = 0; vector < FloatMotionColumns<L>::kVectors; ++vector) {
      FloatMotionAddColumns<L, kTapCount>(both[0].At(vector, first), both[1].At(vector, first), outputs,
                                          sums + vector * L::N);
    }
    for (const FloatMotionColumns<L>& columns : both) {
      for (i32 i = 0; i < kCarry; ++i) FloatMotionCopyColumn(columns, count + i, i);
    }
  }
}

template <class L, class Sample, i32 kTapCount>
LOCKSTEP_LANE_INLINE void FloatMotionOnLanes(const FloatMotionSimdArgs& args) {
  for (i32 y = args.begin; y < args.end; y += kFloatMotionSimdRows) {
    float sums[kFloatMotionSimdRows];
    FloatMotionGroup<L, Sample, kTapCount>(args, y, sums);
    for (i32 i = 0; i < kFloatMotionSimdRows && y + i < args.end; ++i) args.row_sads[y + i] = sums[i];
  }
}

/// The sums of kFloatMotionSimdRows rows from row `y` on; rows from args.end on repeat the last one.
template <class L>
LOCKSTEP_LANE_PASS void FloatMotionStoredGroup(const FloatMotionStoredArgs& args, i32 y, float* sums) {
  constexpr i32 kVectors = kFloatMotionSimdRows / L::N;
  i64 rows[kFloatMotionSimdRows];
  for (i32 i = 0; i < kFloatMotionSimdRows; ++i) rows[i] = (y + i < args.end ? y + i : args.end - 1) * args.stride;
  typename L::F32 totals[kVectors];
  Unroll<0, kVectors>([&](auto vector) __attribute__((always_inline)) { totals[vector] = L::SetF(0.0f); });
  for (i32 x = 0; x < args.width; x += L::N) {
    const i32 left = args.width - x;
    // Several chains at a time, because each waits for its own additions.
    Unroll<0, kVectors>([&](auto vector) __attribute__((always_inline)) {
      typename L::F32 block[L::N];
      Unroll<0, L::N>([&](auto i) __attribute__((always_inline)) {
        const i64 at = rows[vector * L::N + i] + x;
        block[i] = L::AbsF(L::SubF(L::Load(args.previous + at), L::Load(args.current + at)));
      });
      L::Transpose(block);
      if (left >= L::N) {
        Unroll<0, L::N>([&](auto i)
                            __attribute__((always_inline)) { totals[vector] = L::AddF(totals[vector], block[i]); });
      } else {
        Unroll<0, L::N>([&](auto i) __attribute__((always_inline)) {
          if (i < left) totals[vector] = L::AddF(totals[vector], block[i]);
        });
      }
    });
  }
  Unroll<0, kVectors>([&](auto vector)
                          __attribute__((always_inline)) { L::Store(totals[vector], sums + vector * L::N); });
}

template <class L>
LOCKSTEP_LANE_INLINE void FloatMotionStoredOnLanes(const FloatMotionStoredArgs& args) {
  for (i32 y = args.begin; y < args.end; y += kFloatMotionSimdRows) {
    float sums[kFloatMotionSimdRows];
    FloatMotionStoredGroup<L>(args, y, sums);
    for (i32 i = 0; i < kFloatMotionSimdRows && y + i < args.end; ++i) args.row_sads[y + i] = sums[i];
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
