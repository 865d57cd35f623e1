// SPDX-License-Identifier: BSD-2-Clause-Patent
// The similarity terms and the decimation on lanes, a column each; read once for each target.
#if defined(LOCKSTEP_FEATURES_FLOAT_SSIM_SSIM_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_FLOAT_SSIM_SSIM_LANES_INL_H_
#undef LOCKSTEP_FEATURES_FLOAT_SSIM_SSIM_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_FLOAT_SSIM_SSIM_LANES_INL_H_
#endif

#include <type_traits>

#include "features/float_ssim/float_ssim_arithmetic.h"
#include "features/float_ssim/ssim_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

template <class L, class Sample>
LOCKSTEP_LANE_INLINE typename L::F32 SsimLoad(const Sample* samples, typename L::F32 scale) {
  if constexpr (std::is_same_v<Sample, float>) {
    return L::MulF(L::Load(samples), scale);
  } else {
    return L::MulF(L::ToF(L::Load32(samples)), scale);
  }
}

/// function(first sample of the plane), with the type that the plane has.
template <class Function>
LOCKSTEP_LANE_INLINE void SsimWithType(const SsimPlane& plane, const Function& function) {
  switch (plane.type) {
    case SsimSampleType::kU8:
      function(static_cast<const u8*>(plane.data));
      break;
    case SsimSampleType::kU16:
      function(static_cast<const u16*>(plane.data));
      break;
    case SsimSampleType::kFloat:
      function(static_cast<const float*>(plane.data));
      break;
  }
}

/// SsimWindowed() for a column each.
/// in      load(k): what tap k multiplies
template <class L, class Load>
LOCKSTEP_LANE_INLINE typename L::F32 SsimWindowedOnLanes(const Load& load) {
  auto sum = L::ToD(L::MulF(load(0), L::SetF(kSsimWindow[0])));
  Unroll<1, kSsimTaps>([&](auto k) __attribute__((always_inline)) {
    constexpr float kTap = kSsimWindow[decltype(k)::value];
    sum = L::AddD(sum, L::ToD(L::MulF(load(k), L::SetF(kTap))));
  });
  return L::ToF(sum);
}

/// Samples of a row of both planes, their squares and their product, `pitch` apart.
template <class L, class Sample>
LOCKSTEP_LANE_PASS void SsimProducts(const Sample* reference, const Sample* distorted, i32 width, float inverse_scaler,
                                     float* lines, i64 pitch) {
  const auto scale = L::SetF(inverse_scaler);
  for (i32 x = 0; x < width; x += L::N) {
    const auto r = SsimLoad<L>(reference + x, scale);
    const auto c = SsimLoad<L>(distorted + x, scale);
    L::Store(r, lines + x);
    L::Store(c, lines + pitch + x);
    L::Store(L::MulF(r, r), lines + 2 * pitch + x);
    L::Store(L::MulF(c, c), lines + 3 * pitch + x);
    L::Store(L::MulF(r, c), lines + 4 * pitch + x);
  }
}

template <class L>
LOCKSTEP_LANE_PASS void SsimFilterAlong(const float* line, i32 count, float* out) {
  for (i32 x = 0; x < count; x += L::N) {
    const float* const first = line + x;
    L::Store(SsimWindowedOnLanes<L>([&](i32 k) __attribute__((always_inline)) { return L::Load(first + k); }), out + x);
  }
}

/// Terms of one row; those that are wanted.
struct SsimTermLines {
  double* product;
  double* luminance;
  double* contrast;
  double* structure;
};

/// Filters down the columns and takes the terms.
/// in      rows: of each plane, those of the window from top to bottom
template <class L, SsimWanted kWanted>
LOCKSTEP_LANE_PASS void SsimTermsOfRow(const float* const (*rows)[kSsimTaps], i32 count, const SsimTermLines& out) {
  const auto c1 = L::SetF(kSsimC1);
  const auto c2 = L::SetF(kSsimC2);
  const auto c3 = L::SetF(kSsimC3);
  const auto zero = L::SetF(0.0f);
  for (i32 x = 0; x < count; x += L::N) {
    const auto filter = [&](i32 plane) __attribute__((always_inline)) {
      return SsimWindowedOnLanes<L>([&](i32 k) __attribute__((always_inline)) { return L::Load(rows[plane][k] + x); });
    };
    const auto mr = filter(0);
    const auto mc = filter(1);
    const auto rr = L::MulF(mr, mr);
    const auto cc = L::MulF(mc, mc);
    const auto reference = L::MaxF(L::SubF(filter(2), rr), zero);
    const auto distorted = L::MaxF(L::SubF(filter(3), cc), zero);
    const auto covariance = L::SubF(filter(4), L::MulF(mr, mc));
    const auto deviations = L::SqrtF(L::MulF(reference, distorted));
    const auto contrast = L::DivD(L::AddD(L::MulD(L::SetD(2.0), L::ToD(deviations)), L::SetD(kSsimC2)),
                                  L::ToD(L::AddF(L::AddF(reference, distorted), c2)));
    // Deviations are never negative.
    const auto rounding = L::AndM(L::LtF(covariance, zero), L::GeF(zero, deviations));
    const auto structure = L::ToD(L::DivF(L::AddF(L::KeepNotF(rounding, covariance), c3), L::AddF(deviations, c3)));
    if constexpr (kWanted != SsimWanted::kContrastAndStructure) {
      const auto numerator = L::AddD(L::MulD(L::MulD(L::SetD(2.0), L::ToD(mr)), L::ToD(mc)), L::SetD(kSsimC1));
      const auto luminance = L::DivD(numerator, L::ToD(L::AddF(L::AddF(rr, cc), c1)));
      if constexpr (kWanted != SsimWanted::kProduct) L::StoreD(luminance, out.luminance + x);
      if constexpr (kWanted != SsimWanted::kTerms)
        L::StoreD(L::MulD(L::MulD(luminance, contrast), structure), out.product + x);
    }
    if constexpr (kWanted != SsimWanted::kProduct) {
      L::StoreD(contrast, out.contrast + x);
      L::StoreD(structure, out.structure + x);
    }
  }
}

/// Adds a row of terms, left to right. The chains run side by side, because each waits for its own additions.
template <SsimWanted kWanted>
inline void SsimAddRow(const SsimTermLines& row, i32 count, SsimSums& sums) {
  SsimSums total = sums;
  for (i32 x = 0; x < count; ++x) {
    if constexpr (kWanted == SsimWanted::kProduct || kWanted == SsimWanted::kProductAndTerms) {
      total.product += row.product[x];
    }
    if constexpr (kWanted == SsimWanted::kTerms || kWanted == SsimWanted::kProductAndTerms) {
      total.luminance += row.luminance[x];
    }
    if constexpr (kWanted != SsimWanted::kProduct) {
      total.contrast += row.contrast[x];
      total.structure += row.structure[x];
    }
  }
  sums = total;
}

template <class L, SsimWanted kWanted>
LOCKSTEP_LANE_PASS SsimSums SsimSumsOnLanes(const SsimStatisticArgs& args) {
  const i32 width = args.reference.width;
  const i32 count = width - kSsimBorder;
  const i64 pitch = SsimPitch(width);
  auto* const lines = static_cast<float*>(args.lines);
  float* const ring = lines + kSsimPlanes * pitch;
  auto* const terms = reinterpret_cast<double*>(ring + kSsimPlanes * kSsimTaps * pitch);
  const SsimTermLines row = {terms, terms + pitch, terms + 2 * pitch, terms + 3 * pitch};
  SsimSums sums = {0.0, 0.0, 0.0, 0.0};
  for (i32 y = 0; y < args.reference.height; ++y) {
    SsimWithType(
        args.reference, [&](const auto* reference) __attribute__((always_inline)) {
          const auto* const distorted = static_cast<decltype(reference)>(args.distorted.data);
          SsimProducts<L>(reference + y * args.reference.stride, distorted + y * args.distorted.stride, width,
                          args.reference.inverse_scaler, lines, pitch);
        });
    for (i32 plane = 0; plane < kSsimPlanes; ++plane) {
      SsimFilterAlong<L>(lines + plane * pitch, count, ring + (plane * kSsimTaps + y % kSsimTaps) * pitch);
    }
    if (y < kSsimBorder) continue;
    const float* rows[kSsimPlanes][kSsimTaps];
    for (i32 plane = 0; plane < kSsimPlanes; ++plane) {
      for (i32 k = 0; k < kSsimTaps; ++k) {
        rows[plane][k] = ring + (plane * kSsimTaps + (y - kSsimBorder + k) % kSsimTaps) * pitch;
      }
    }
    SsimTermsOfRow<L, kWanted>(rows, count, row);
    SsimAddRow<kWanted>(row, count, sums);
  }
  return sums;
}

template <class L>
LOCKSTEP_LANE_INLINE SsimSums SsimStatisticOnLanes(const SsimStatisticArgs& args) {
  switch (args.wanted) {
    case SsimWanted::kProduct:
      return SsimSumsOnLanes<L, SsimWanted::kProduct>(args);
    case SsimWanted::kContrastAndStructure:
      return SsimSumsOnLanes<L, SsimWanted::kContrastAndStructure>(args);
    case SsimWanted::kTerms:
      return SsimSumsOnLanes<L, SsimWanted::kTerms>(args);
    case SsimWanted::kProductAndTerms:
      break;
  }
  return SsimSumsOnLanes<L, SsimWanted::kProductAndTerms>(args);
}

/// Sums of `factor` rows' products, for each column.
/// in      row(v): row v of them
template <class L, class Row>
LOCKSTEP_LANE_INLINE void SsimBoxColumns(const Row& row, i32 factor, i32 width, float scale, double* sums) {
  const auto tap = L::SetF(scale);
  for (i32 x = 0; x < width; x += L::N) {
    auto sum = L::ToD(SsimLoad<L>(row(0) + x, tap));
    for (i32 v = 1; v < factor; ++v) sum = L::AddD(sum, L::ToD(SsimLoad<L>(row(v) + x, tap)));
    L::StoreD(sum, sums + x);
  }
}

/// exact   Every product is a multiple of 2^-8 * 2^-24 / factor^2, and their sum is at most 256: while factor <=
///         kSsimExactFactor binary64 holds every partial sum, so that columns may be added first.
template <class L>
LOCKSTEP_LANE_INLINE void SsimBoxDecimateOnLanes(const SsimDecimateArgs& args) {
  const SsimPlane& plane = args.plane;
  const i32 factor = args.factor;
  const i32 centre = factor / 2;
  const i32 width = SsimDecimatedLength(plane.width, factor);
  const i32 height = SsimDecimatedLength(plane.height, factor);
  // A power of two: the product with the sample is rounded as the one with the scaled sample is.
  const float scale = plane.inverse_scaler * args.kernel[0];
  auto* const sums = static_cast<double*>(args.lines);
  for (i32 y = 0; y < height; ++y) {
    SsimWithType(
        plane, [&](const auto* first) __attribute__((always_inline)) {
          const auto row = [&](i32 v) __attribute__((always_inline)) {
            return first + SsimMirror(y * factor + v - centre, plane.height) * plane.stride;
          };
          SsimBoxColumns<L>(row, factor, plane.width, scale, sums);
        });
    float* const out = args.out + y * args.out_stride;
    for (i32 x = 0; x < width; ++x) {
      const i32 begin = x * factor - centre;
      double sum = 0.0;
      if (begin >= 0 && begin + factor <= plane.width) {
        for (i32 u = 0; u < factor; ++u) sum += sums[begin + u];
      } else {
        for (i32 u = 0; u < factor; ++u) sum += sums[SsimMirror(begin + u, plane.width)];
      }
      out[x] = static_cast<float>(sum);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
