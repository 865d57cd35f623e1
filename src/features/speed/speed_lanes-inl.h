// SPDX-License-Identifier: BSD-2-Clause-Patent
// SpEED's filters and covariances on lanes; read once for each target.
#if defined(LOCKSTEP_FEATURES_SPEED_SPEED_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_SPEED_SPEED_LANES_INL_H_
#undef LOCKSTEP_FEATURES_SPEED_SPEED_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_SPEED_SPEED_LANES_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "features/speed/speed_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

/// SpeedFilterStep(): the product is rounded before it is added.
template <class L>
LOCKSTEP_LANE_INLINE typename L::F32 SpeedFilterStepOnLanes(typename L::F32 sum, typename L::F32 tap,
                                                            typename L::F32 value) {
  return L::AddF(sum, L::MulF(tap, value));
}

template <class L, class Sample, bool kDifference>
LOCKSTEP_LANE_INLINE typename L::F32 SpeedSamples(const SpeedLowPassArgs& args, i32 row, i32 x) {
  const auto later = L::Load32(static_cast<const Sample*>(args.later[row]) + x);
  const auto scaler = L::SetF(args.inverse_scaler);
  if constexpr (kDifference) {
    const auto earlier = L::Load32(static_cast<const Sample*>(args.earlier[row]) + x);
    return L::MulF(L::ToF(L::Sub(earlier, later)), scaler);
  } else {
    return L::AddF(L::MulF(L::ToF(later), scaler), L::SetF(-128.0f));
  }
}

template <class L, class Sample, bool kDifference, i32 kVectors>
LOCKSTEP_LANE_INLINE void SpeedLowPassColumns(const SpeedLowPassArgs& args, i32 x) {
  typename L::F32 sums[kVectors];
  Unroll<0, kVectors>([&](auto v) __attribute__((always_inline)) { sums[v] = L::SetF(0.0f); });
  for (i32 k = 0; k < args.count; ++k) {
    const auto tap = L::SetF(args.taps[k]);
    Unroll<0, kVectors>([&](auto v) __attribute__((always_inline)) {
      sums[v] = SpeedFilterStepOnLanes<L>(sums[v], tap, SpeedSamples<L, Sample, kDifference>(args, k, x + v * L::N));
    });
  }
  Unroll<0, kVectors>([&](auto v) __attribute__((always_inline)) { L::Store(sums[v], args.filtered + x + v * L::N); });
}

template <class L, class Sample, bool kDifference>
LOCKSTEP_LANE_PASS void SpeedLowPassRow(const SpeedLowPassArgs& args) {
  constexpr i32 kVectors = 4;
  i32 x = 0;
  for (; x + kVectors * L::N <= args.width; x += kVectors * L::N) {
    SpeedLowPassColumns<L, Sample, kDifference, kVectors>(args, x);
  }
  for (; x < args.width; x += L::N) SpeedLowPassColumns<L, Sample, kDifference, 1>(args, x);
}

template <class L, class Sample>
LOCKSTEP_LANE_INLINE void SpeedLowPassOnLanes(const SpeedLowPassArgs& args) {
  if (args.earlier == nullptr) {
    SpeedLowPassRow<L, Sample, false>(args);
  } else {
    SpeedLowPassRow<L, Sample, true>(args);
  }
}

template <class L, i32 kSide, bool kNormalised>
LOCKSTEP_LANE_PASS void SpeedResizeRow(const SpeedResizeArgs& args) {
  const auto tap = L::SetF(args.tap);
  for (i32 x = 0; x < args.width; x += L::N) {
    auto sum = L::SetF(0.0f);
    auto weights = L::SetF(0.0f);
    for (i32 j = 0; j < kSide; ++j) {
      const auto line_weight = L::SetF(args.line_weights[j]);
      Unroll<0, kSide>([&](auto i) __attribute__((always_inline)) {
        const auto weight = L::MulF(L::Load(args.weights + i * args.pitch + x), line_weight);
        if constexpr (kNormalised) weights = L::AddF(weights, weight);
        const auto value = L::GatherF(args.lines[j], L::Load(args.positions + i * args.pitch + x));
        sum = L::AddF(sum, L::MulF(value, weight));
      });
    }
    if constexpr (kNormalised) sum = L::DivF(sum, weights);
    L::Store(SpeedFilterStepOnLanes<L>(L::Load(args.sums + x), tap, sum), args.sums + x);
  }
}

/// in      side 1, 2, 4 without and 8 with division
template <class L>
LOCKSTEP_LANE_INLINE void SpeedResizeOnLanes(const SpeedResizeArgs& args) {
  if (args.side == 1) return SpeedResizeRow<L, 1, false>(args);
  if (args.side == 2) return SpeedResizeRow<L, 2, false>(args);
  if (args.side == 4) return SpeedResizeRow<L, 4, false>(args);
  SpeedResizeRow<L, 8, true>(args);
}

/// Rows follow each other without a gap, and the last register of one may reach into the next, which comes later.
template <class L>
LOCKSTEP_LANE_INLINE void SpeedLocalMeanOnLanes(const SpeedLocalMeanArgs& args) {
  const i32 reach = args.count / 2;
  for (i32 y = 0; y < args.height; ++y) {
    for (i32 x = 0; x < args.width; x += L::N) {
      auto sum = L::SetF(0.0f);
      for (i32 k = 0; k < args.count; ++k) {
        const float* row = args.decimated + Mirror(y - reach + k, args.height) * args.width;
        sum = SpeedFilterStepOnLanes<L>(sum, L::SetF(args.taps[k]), L::Load(row + x));
      }
      L::Store(sum, args.vertical + y * args.width + x);
    }
  }
  for (i32 y = 0; y < args.height; ++y) {
    const float* row = args.vertical + y * args.width;
    for (i32 i = 0; i < reach; ++i) {
      args.line[i] = row[Mirror(i - reach, args.width)];
      args.line[reach + args.width + i] = row[Mirror(args.width + i, args.width)];
    }
    std::copy_n(row, args.width, args.line + reach);
    for (i32 x = 0; x < args.width; x += L::N) {
      auto sum = L::SetF(0.0f);
      for (i32 k = 0; k < args.count; ++k) {
        sum = SpeedFilterStepOnLanes<L>(sum, L::SetF(args.taps[k]), L::Load(args.line + x + k));
      }
      const i32 place = y * args.width + x;
      L::Store(L::SubF(L::Load(args.decimated + place), sum), args.prepared + place);
    }
  }
}

/// Values between one position of the window and the next in buffers: those of all positions of a block, filled up.
inline constexpr i32 kSpeedRow = 32;
/// Places of the window whose values are laid out at a time.
inline constexpr i32 kSpeedChunk = 64;

/// SpeedMean() of all positions: a lane is a column of the block.
template <class L>
LOCKSTEP_LANE_INLINE void SpeedMeansOnLanes(const SpeedCovarianceArgs& args, double* means) {
  constexpr i32 kVectors = (kSpeedBlock + L::N - 1) / L::N;
  typename L::F32 sums[kSpeedBlock][kVectors];
  Unroll<0, kSpeedBlock>([&](auto r) __attribute__((always_inline)) {
    Unroll<0, kVectors>([&](auto v) __attribute__((always_inline)) { sums[r][v] = L::SetF(0.0f); });
  });
  for (i32 y = 0; y < args.window.height; ++y) {
    const float* start = args.prepared + y * args.stride;
    for (i32 x = 0; x < args.window.width; ++x) {
      Unroll<0, kSpeedBlock>([&](auto r) __attribute__((always_inline)) {
        const float* row = start + r * args.stride + x;
        Unroll<0, kVectors>([&](auto v) __attribute__((always_inline)) {
          sums[r][v] = L::AddF(sums[r][v], L::Load(row + v * L::N));
        });
      });
    }
  }
  const auto count = static_cast<float>(args.window.width * args.window.height);
  float stored[kVectors * L::N];
  for (i32 r = 0; r < kSpeedBlock; ++r) {
    for (i32 v = 0; v < kVectors; ++v) L::Store(sums[r][v], stored + v * L::N);
    for (i32 c = 0; c < kSpeedBlock; ++c) means[kSpeedBlock * r + c] = static_cast<double>(stored[c] / count);
  }
}

struct SpeedCovarianceBuffers {
  alignas(64) double means[kSpeedRow];
  alignas(64) double sums[kSpeedPositions * kSpeedRow];
  alignas(64) float values[kSpeedChunk * kSpeedRow + kSpeedSlack];
  alignas(64) double from_mean[kSpeedChunk * kSpeedRow];
};

/// What all positions have more than their means, at `count` neighbouring places of the window.
template <class L>
LOCKSTEP_LANE_INLINE void SpeedFromMean(const float* start, i64 stride, i32 count, SpeedCovarianceBuffers& buffers) {
  for (i32 i = 0; i < count; ++i) {
    // The registers overlap: later ones overwrite what earlier ones have stored too much.
    for (i32 r = 0; r < kSpeedBlock; ++r) {
      for (i32 c = 0; c < kSpeedBlock; c += L::N) {
        L::Store(L::Load(start + r * stride + i + c), buffers.values + i * kSpeedRow + kSpeedBlock * r + c);
      }
    }
  }
  for (i32 i = 0; i < count * kSpeedRow; i += kSpeedRow) {
    for (i32 p = 0; p < kSpeedPositions; p += L::N) {
      const auto values = L::ToD(L::Load(buffers.values + i + p));
      L::StoreD(L::SubD(values, L::LoadD(buffers.means + p)), buffers.from_mean + i + p);
    }
  }
}

/// Chains of positions p … p + kRows - 1 with kGroups registers of positions from q on.
template <class L, i32 kRows, i32 kGroups>
LOCKSTEP_LANE_PASS void SpeedCovarianceTile(const double* from_mean, i32 count, i32 p, i32 q, double* sums) {
  typename L::R64 chains[kRows][kGroups];
  double* const first = sums + p * kSpeedRow + q;
  Unroll<0, kRows>([&](auto r) __attribute__((always_inline)) {
    Unroll<0, kGroups>([&](auto g) __attribute__((always_inline)) {
      chains[r][g] = L::LoadR(first + r * kSpeedRow + g * L::N64);
    });
  });
  for (i32 i = 0; i < count; ++i, from_mean += kSpeedRow) {
    typename L::R64 columns[kGroups];
    Unroll<0, kGroups>([&](auto g)
                           __attribute__((always_inline)) { columns[g] = L::LoadR(from_mean + q + g * L::N64); });
    Unroll<0, kRows>([&](auto r) __attribute__((always_inline)) {
      const auto row = L::SetR(from_mean[p + r]);
      Unroll<0, kGroups>([&](auto g) __attribute__((always_inline)) {
        chains[r][g] = L::AddR(chains[r][g], L::MulR(row, columns[g]));
      });
    });
  }
  Unroll<0, kRows>([&](auto r) __attribute__((always_inline)) {
    Unroll<0, kGroups>([&](auto g) __attribute__((always_inline)) {
      L::StoreR(chains[r][g], first + r * kSpeedRow + g * L::N64);
    });
  });
}

/// All chains of rows p … p + kRows - 1 with the positions up to the last of these rows.
template <class L, i32 kRows, i32 kMaximumGroups>
LOCKSTEP_LANE_INLINE void SpeedCovarianceRows(const double* from_mean, i32 count, i32 p, double* sums) {
  i32 groups = (p + kRows + L::N64 - 1) / L::N64;
  i32 q = 0;
  for (; groups >= kMaximumGroups; groups -= kMaximumGroups, q += kMaximumGroups * L::N64) {
    SpeedCovarianceTile<L, kRows, kMaximumGroups>(from_mean, count, p, q, sums);
  }
  Unroll<1, kMaximumGroups>([&](auto g) __attribute__((always_inline)) {
    if (groups == g) SpeedCovarianceTile<L, kRows, g>(from_mean, count, p, q, sums);
  });
}

template <class L>
LOCKSTEP_LANE_INLINE void SpeedCovariancesOnLanes(const SpeedCovarianceArgs& args) {
  constexpr i32 kRows = L::N64 == 8 ? 8 : 4;
  SpeedCovarianceBuffers buffers{};
  SpeedMeansOnLanes<L>(args, buffers.means);
  for (i32 y = 0; y < args.window.height; ++y) {
    for (i32 x = 0; x < args.window.width; x += kSpeedChunk) {
      const i32 count = std::min(kSpeedChunk, args.window.width - x);
      SpeedFromMean<L>(args.prepared + y * args.stride + x, args.stride, count, buffers);
      for (i32 p = 0; p + kRows < kSpeedPositions; p += kRows) {
        SpeedCovarianceRows<L, kRows, 3>(buffers.from_mean, count, p, buffers.sums);
      }
      SpeedCovarianceRows<L, 1, 7>(buffers.from_mean, count, kSpeedPositions - 1, buffers.sums);
    }
  }
  for (i32 p = 0; p < kSpeedPositions; ++p) {
    for (i32 q = 0; q <= p; ++q) {
      args.covariances[SpeedPair(p, q)] = SpeedCovariance(buffers.sums[p * kSpeedRow + q], args.window);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
