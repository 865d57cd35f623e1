// SPDX-License-Identifier: BSD-2-Clause-Patent
// CIEDE2000 on lanes, one pixel a lane: what the definition takes from correctly rounded functions is known to within a
// bound, and tested for whether the bound decides the binary32 number that is kept; read once for each target.
#if defined(LOCKSTEP_FEATURES_CIEDE_CIEDE_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_CIEDE_CIEDE_LANES_INL_H_
#undef LOCKSTEP_FEATURES_CIEDE_CIEDE_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_CIEDE_CIEDE_LANES_INL_H_
#endif

#include <cstring>

#include "features/ciede/ciede_elementary_lanes-inl.h"
#include "features/ciede/ciede_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

// Errors are in units of u = 2^-53, and are differences from what the definition computes, whose own functions and
// operations are off by a unit each. Operations on equal values are the definition's own and give its bits.

/// Values of a chunk's pixels; index 0: reference, 1: distorted picture.
struct CiedeChunk {
  float lightness[2][kCiedeChunk];
  float a[2][kCiedeChunk];
  float b[2][kCiedeChunk];
  float chroma[2][kCiedeChunk];
  float turn[kCiedeChunk];
  float hue_mean[kCiedeChunk];
  float hue_scale[kCiedeChunk];
  float rotation[kCiedeChunk];
  i32 undecided[kCiedeChunk];  // not 0: some value is not known to the last bit
};

/// Values that are known to lie between two numbers, rounded to binary32.
template <class L>
class CiedeRounding {
 public:
  LOCKSTEP_LANE_INLINE explicit CiedeRounding(i32* undecided) : place_(undecided), undecided_(L::Load(undecided)) {}
  LOCKSTEP_LANE_INLINE typename L::F32 Between(typename L::F64 low, typename L::F64 high) {
    const auto result = L::ToF(low);
    undecided_ = L::Or(undecided_, L::Xor(L::BitsF(result), L::BitsF(L::ToF(high))));
    return result;
  }
  /// In      value: within 15 u, relative
  LOCKSTEP_LANE_INLINE typename L::F32 Within15(typename L::F64 value) {
    return Between(L::MulD(value, L::SetD(1.0 - 0x1p-49)), L::MulD(value, L::SetD(1.0 + 0x1p-49)));
  }
  LOCKSTEP_LANE_INLINE void Keep() const { L::Store(undecided_, place_); }

 private:
  i32* place_;
  typename L::I32 undecided_;
};

template <class L>
LOCKSTEP_LANE_INLINE typename L::F32 CiedeSelect(typename L::Mask mask, typename L::F32 x, typename L::F32 y) {
  return L::AsF(L::Select(mask, L::BitsF(x), L::BitsF(y)));
}

template <class L>
LOCKSTEP_LANE_INLINE typename L::F32 CiedeHalf(typename L::F32 x) {
  return L::MulF(x, L::SetF(0.5f));
}

/// CiedeLinear(): x^2.4 = (x x^(-1/5))^3.
/// exact   within 14 u, relative
template <class L>
LOCKSTEP_LANE_INLINE typename L::F64 CiedeLinearLanes(typename L::F64 channel) {
  constexpr double kLeastBase = 0.0893;
  const auto base = L::MulD(L::AddD(channel, L::SetD(0.055)), L::SetD(1.0 / 1.055));
  const auto positive = L::MaxD(base, L::SetD(kLeastBase));
  const auto root = L::MulD(positive, CiedeInverseRoot<L, 5>(positive));
  const auto power = L::MulD(L::MulD(root, root), root);
  return L::SelectGtD(channel, L::SetD(kCiedeLinearThreshold), power, L::MulD(channel, L::SetD(1.0 / 12.92)));
}

/// CiedeCurve(): x^(1/3) = x (x^(-1/3))^2.
/// in      t <= 7, known to within 110 u, which is less than 2^-46
/// exact   The slope of the curve is a third of x^(-2/3), and to the left of the threshold that of the threshold; the
///         root itself is within 7 u. Together below 2^-45 x^(-2/3). Next to the threshold both sides have the same
///         value and slope, so it does not matter which is taken.
template <class L>
LOCKSTEP_LANE_INLINE typename L::F64 CiedeCurveLanes(typename L::F64 t, CiedeRounding<L>& rounding) {
  const auto threshold = L::SetD(kCiedeCubeRootThreshold);
  const auto steep = L::MaxD(t, threshold);
  const auto inverse = CiedeInverseRoot<L, 3>(steep);
  const auto square = L::MulD(inverse, inverse);
  const auto line = L::MulD(L::AddD(L::MulD(L::SetD(24389.0 / 27.0), t), L::SetD(16.0)), L::SetD(1.0 / 116.0));
  const auto value = L::SelectGtD(t, threshold, L::MulD(steep, square), line);
  const auto bound = L::MulD(square, L::SetD(0x1p-45));
  return L::ToD(rounding.Between(L::SubD(value, bound), L::AddD(value, bound)));
}

template <class L>
LOCKSTEP_LANE_INLINE typename L::F64 CiedeSum(typename L::F64 x, double x_factor, typename L::F64 y, double y_factor,
                                              typename L::F64 z, double z_factor) {
  return L::AddD(L::AddD(L::MulD(x, L::SetD(x_factor)), L::MulD(y, L::SetD(y_factor))), L::MulD(z, L::SetD(z_factor)));
}

/// CiedeLabOf() of a chunk.
/// exact   channels are at most 1.82, 1.4 and 2.3, so linear light is at most 4.2, 2.2 and 6.9, and the three sums
///         below 7; errors of 14 u of their parts and their roundings make less than 110 u
template <class L>
LOCKSTEP_LANE_PASS void CiedeLabPass(const CiedeRow& row, i32 x, const CiedeScale& scale, i32 picture,
                                     CiedeChunk& chunk) {
  for (i32 i = 0; i < kCiedeChunk; i += L::N) {
    CiedeRounding<L> rounding(chunk.undecided + i);
    const auto sample = [&](const u16* samples, double offset, double factor) __attribute__((always_inline)) {
      return L::MulD(L::SubD(L::ToD(L::Load32(samples + x + i)), L::SetD(offset)), L::SetD(factor));
    };
    const auto y = sample(row.luma, scale.luma_offset, scale.luma_factor);
    const auto u = sample(row.cb, scale.chroma_offset, scale.chroma_factor);
    const auto v = sample(row.cr, scale.chroma_offset, scale.chroma_factor);
    const auto red = CiedeLinearLanes<L>(L::AddD(y, L::MulD(v, L::SetD(1.28033))));
    const auto green =
        CiedeLinearLanes<L>(L::SubD(L::SubD(y, L::MulD(u, L::SetD(0.21482))), L::MulD(v, L::SetD(0.38059))));
    const auto blue = CiedeLinearLanes<L>(L::AddD(y, L::MulD(u, L::SetD(2.12798))));
    const auto x_light = CiedeSum<L>(red, 0.4124564390896921, green, 0.357576077643909, blue, 0.18043748326639894);
    const auto y_light = CiedeSum<L>(red, 0.21267285140562248, green, 0.715152155287818, blue, 0.07217499330655958);
    const auto z_light = CiedeSum<L>(red, 0.019333895582329317, green, 0.119192025881303, blue, 0.9503040785363677);
    const auto fx = CiedeCurveLanes<L>(L::MulD(x_light, L::SetD(1.0 / 0.95047)), rounding);
    const auto fy = CiedeCurveLanes<L>(y_light, rounding);
    const auto fz = CiedeCurveLanes<L>(L::MulD(z_light, L::SetD(1.0 / 1.08883)), rounding);
    L::Store(L::ToF(L::SubD(L::MulD(fy, L::SetD(116.0)), L::SetD(16.0))), chunk.lightness[picture] + i);
    L::Store(L::ToF(L::MulD(L::SubD(fx, fy), L::SetD(500.0))), chunk.a[picture] + i);
    L::Store(L::ToF(L::MulD(L::SubD(fy, fz), L::SetD(200.0))), chunk.b[picture] + i);
    rounding.Keep();
  }
}

template <class L>
LOCKSTEP_LANE_INLINE typename L::F32 CiedeChromaLanes(typename L::F32 a, typename L::F32 b) {
  const auto wide_a = L::ToD(a);
  const auto wide_b = L::ToD(b);
  return L::ToF(L::SqrtD(L::AddD(L::MulD(wide_a, wide_a), L::MulD(wide_b, wide_b))));
}

/// x^7; the square of a binary32 number is exact.
/// exact   within 4 u, relative
template <class L>
LOCKSTEP_LANE_INLINE typename L::F64 CiedeSeventhPower(typename L::F32 x) {
  const auto wide = L::ToD(x);
  const auto square = L::MulD(wide, wide);
  return L::MulD(L::MulD(L::MulD(square, square), square), wide);
}

/// The corrected a and chroma of a chunk, and whether a colour is neutral: then `turn` is 0, else 1.
/// exact   CiedeStretch() from a power within 4 u is within 5 u, absolute, and CiedeStretched() within 6 u, relative
template <class L>
LOCKSTEP_LANE_PASS void CiedeChromaPass(CiedeChunk& chunk) {
  for (i32 i = 0; i < kCiedeChunk; i += L::N) {
    CiedeRounding<L> rounding(chunk.undecided + i);
    const typename L::F32 a[2] = {L::Load(chunk.a[0] + i), L::Load(chunk.a[1] + i)};
    const typename L::F32 b[2] = {L::Load(chunk.b[0] + i), L::Load(chunk.b[1] + i)};
    const auto plain1 = CiedeChromaLanes<L>(a[0], b[0]);
    const auto plain2 = CiedeChromaLanes<L>(a[1], b[1]);
    const auto power = CiedeSeventhPower<L>(CiedeHalf<L>(L::AddF(plain1, plain2)));
    const auto ratio = L::DivD(power, L::AddD(power, L::SetD(kCiedeChromaPivot)));
    const auto stretch = L::SubD(L::SetD(1.0), L::SqrtD(ratio));
    for (i32 k = 0; k < 2; ++k) {
      const auto change = L::MulD(L::ToD(CiedeHalf<L>(a[k])), stretch);
      const auto stretched = rounding.Within15(L::AddD(L::ToD(a[k]), change));
      L::Store(stretched, chunk.a[k] + i);
      L::Store(CiedeChromaLanes<L>(stretched, b[k]), chunk.chroma[k] + i);
    }
    const auto zero = L::SetF(0.0f);
    const auto neutral = L::OrM(L::GeF(zero, plain1), L::GeF(zero, plain2));
    L::Store(L::KeepNotF(neutral, L::SetF(1.0f)), chunk.turn + i);
    rounding.Keep();
  }
}

/// CiedeHue().
template <class L>
LOCKSTEP_LANE_INLINE typename L::F32 CiedeHueLanes(typename L::F32 a, typename L::F32 b, CiedeRounding<L>& rounding) {
  const auto angle = rounding.Within15(CiedeAngle<L>(b, a));
  const auto below = L::ToF(L::SubD(L::SetD(2.0 * kCiedePi), L::ToD(angle)));
  return CiedeSelect<L>(L::LtF(b, L::SetF(0.0f)), below, angle);
}

/// CiedeHueDifference() and CiedeHueMean() of a chunk.
/// exact   no binary32 number lies between pi and the binary32 number above it
template <class L>
LOCKSTEP_LANE_PASS void CiedeHuePass(CiedeChunk& chunk) {
  constexpr float kAbovePi = 3.14159274f;
  const auto turn = L::SetD(2.0 * kCiedePi);
  for (i32 i = 0; i < kCiedeChunk; i += L::N) {
    CiedeRounding<L> rounding(chunk.undecided + i);
    const auto hue1 = CiedeHueLanes<L>(L::Load(chunk.a[0] + i), L::Load(chunk.b[0] + i), rounding);
    const auto hue2 = CiedeHueLanes<L>(L::Load(chunk.a[1] + i), L::Load(chunk.b[1] + i), rounding);
    const auto forward = L::SubF(hue2, hue1);
    const auto around = L::GeF(L::AbsF(forward), L::SetF(kAbovePi));
    const auto wide = L::ToD(forward);
    const auto other_way = L::ToF(L::SelectGtD(L::ToD(hue2), L::ToD(hue1), L::SubD(wide, turn), L::AddD(wide, turn)));
    const auto counts = L::Load(chunk.turn + i);
    L::Store(L::MulF(counts, CiedeSelect<L>(around, other_way, forward)), chunk.turn + i);
    const auto sum = L::AddF(hue1, hue2);
    const auto opposite = L::ToF(L::MulD(L::AddD(L::ToD(sum), turn), L::SetD(0.5)));
    L::Store(CiedeSelect<L>(around, opposite, CiedeHalf<L>(sum)), chunk.hue_mean + i);
    rounding.Keep();
  }
}

/// CiedeHueTerm() and from it the scale of hue differences.
/// exact   Sine and cosine of the hue are within 6 u, absolute, those of multiples of it within 26, 48 and 106 u, which
///         makes 60 u of the sum. The definition's own arguments are rounded by up to 16 u, which makes 20 u more.
template <class L>
LOCKSTEP_LANE_PASS void CiedeHueScalePass(CiedeChunk& chunk) {
  // Half turns are taken off; 38 fraction bits of pi make the first product and difference exact.
  constexpr double kPiHigh = 0x1.921fb54442p+1;
  constexpr double kPiLow = 0x1.a308d313198a3p-40;
  constexpr double kBound = 0x1p-45;
  // Cosine and sine of pi / 6, pi / 30 and 7 pi / 20.
  constexpr double kCosines[] = {0.8660254037844386, 0.9945218953682733, 0.45399049973954675};
  constexpr double kSines[] = {0.5, 0.10452846326765347, 0.8910065241883679};
  for (i32 i = 0; i < kCiedeChunk; i += L::N) {
    CiedeRounding<L> rounding(chunk.undecided + i);
    const auto hue = L::Load(chunk.hue_mean + i);
    const auto half_turns = L::TruncF(L::AddF(L::MulF(hue, L::SetF(0.318309886f)), L::SetF(0.5f)));
    const auto wide = L::ToD(half_turns);
    const auto rest = L::SubD(L::SubD(L::ToD(hue), L::MulD(wide, L::SetD(kPiHigh))), L::MulD(wide, L::SetD(kPiLow)));
    const auto odd = L::And(half_turns, L::Set(1));
    const auto sign = L::ToD(L::Sub(L::Set(1), L::Add(odd, odd)));
    const auto sine = L::MulD(sign, CiedeSine<L>(rest));
    const auto cosine = L::MulD(sign, CiedeCosine<L>(rest));
    const auto one = L::SetD(1.0);
    const auto twice = [](typename L::F64 v) __attribute__((always_inline)) { return L::AddD(v, v); };
    const auto cosine2 = L::SubD(twice(L::MulD(cosine, cosine)), one);
    const auto sine2 = twice(L::MulD(sine, cosine));
    const auto cosine3 = L::SubD(L::MulD(cosine2, cosine), L::MulD(sine2, sine));
    const auto sine3 = L::AddD(L::MulD(sine2, cosine), L::MulD(cosine2, sine));
    const auto cosine4 = L::SubD(twice(L::MulD(cosine2, cosine2)), one);
    const auto sine4 = twice(L::MulD(sine2, cosine2));
    const auto shifted =
        [](typename L::F64 c, double c_factor, typename L::F64 s, double s_factor) __attribute__((always_inline)) {
      return L::AddD(L::MulD(c, L::SetD(c_factor)), L::MulD(s, L::SetD(s_factor)));
    };
    auto term = L::SubD(one, shifted(cosine, 0.17 * kCosines[0], sine, 0.17 * kSines[0]));
    term = L::AddD(term, L::MulD(cosine2, L::SetD(0.24)));
    term = L::AddD(term, shifted(cosine3, 0.32 * kCosines[1], sine3, -0.32 * kSines[1]));
    term = L::SubD(term, shifted(cosine4, 0.20 * kCosines[2], sine4, 0.20 * kSines[2]));
    const auto bound = L::SetD(kBound);
    const auto rounded = rounding.Between(L::SubD(term, bound), L::AddD(term, bound));
    const auto chroma_mean = CiedeHalf<L>(L::AddF(L::Load(chunk.chroma[0] + i), L::Load(chunk.chroma[1] + i)));
    const auto part = L::MulD(L::MulD(L::SetD(0.015), L::ToD(chroma_mean)), L::ToD(rounded));
    L::Store(L::ToF(L::AddD(one, part)), chunk.hue_scale + i);
    rounding.Keep();
  }
}

/// CiedeRotation() of a chunk. What is too small to count is 0: a rotation r adds at most r / 2 of the sum of the
/// squares of chroma and hue to that sum, which below 2^-57 is less than a quarter of its last place.
/// exact   Beyond a squared distance of 48 the sine is below 2^-69. Below a chroma of 2^-13 the root of the ratio is
///         below 2^-61. All other values are far from the subnormal numbers.
template <class L>
LOCKSTEP_LANE_PASS void CiedeRotationPass(CiedeChunk& chunk) {
  constexpr float kFarthest = 48.0f;
  constexpr float kLeastChroma = 0x1p-13f;
  for (i32 i = 0; i < kCiedeChunk; i += L::N) {
    CiedeRounding<L> rounding(chunk.undecided + i);
    const auto degrees = L::ToF(L::MulD(L::ToD(L::Load(chunk.hue_mean + i)), L::SetD(180.0 / kCiedePi)));
    const auto distance = L::ToF(L::MulD(L::SubD(L::ToD(degrees), L::SetD(275.0)), L::SetD(1.0 / 25.0)));
    const auto square = L::MulF(distance, distance);
    const auto exponent = L::MaxF(L::SubF(L::SetF(0.0f), square), L::SetF(-kFarthest));
    const auto angle = L::KeepNotF(L::GeF(square, L::SetF(kFarthest)),
                                   rounding.Within15(L::MulD(L::SetD(60.0), CiedeExponential<L>(exponent))));
    const auto radians = L::ToF(L::MulD(L::ToD(angle), L::SetD(kCiedePi / 180.0)));
    const auto chroma = CiedeHalf<L>(L::AddF(L::Load(chunk.chroma[0] + i), L::Load(chunk.chroma[1] + i)));
    const auto counted = L::KeepNotF(L::LtF(chroma, L::SetF(kLeastChroma)), chroma);
    const auto power = rounding.Within15(CiedeSeventhPower<L>(counted));
    const auto ratio = L::DivF(power, L::AddF(power, L::SetF(kCiedeChromaPivotFloat)));
    const auto root = L::MulD(L::SetD(-2.0), L::SqrtD(L::ToD(ratio)));
    L::Store(rounding.Within15(L::MulD(root, CiedeSine<L>(L::ToD(radians)))), chunk.rotation + i);
    rounding.Keep();
  }
}

/// CiedeTotal() of a chunk.
/// exact   the product with the sine is within 7 u, relative
template <class L>
LOCKSTEP_LANE_PASS void CiedeTotalPass(CiedeChunk& chunk, float* differences) {
  for (i32 i = 0; i < kCiedeChunk; i += L::N) {
    CiedeRounding<L> rounding(chunk.undecided + i);
    const auto lightness1 = L::Load(chunk.lightness[0] + i);
    const auto lightness2 = L::Load(chunk.lightness[1] + i);
    const auto from_middle = L::ToD(L::SubF(CiedeHalf<L>(L::AddF(lightness1, lightness2)), L::SetF(50.0f)));
    const auto squared = L::MulD(from_middle, from_middle);
    const auto bent = L::DivD(L::MulD(L::SetD(0.015), squared), L::SqrtD(L::AddD(L::SetD(20.0), squared)));
    const auto lightness_scale = L::ToF(L::AddD(L::SetD(1.0), bent));
    const auto lightness =
        L::DivF(L::SubF(lightness2, lightness1), L::MulF(L::SetF(kCiedeLightnessWeight), lightness_scale));

    const auto chroma1 = L::Load(chunk.chroma[0] + i);
    const auto chroma2 = L::Load(chunk.chroma[1] + i);
    const auto chroma_mean = L::ToD(CiedeHalf<L>(L::AddF(chroma1, chroma2)));
    const auto chroma_scale = L::ToF(L::AddD(L::SetD(1.0), L::MulD(L::SetD(0.045), chroma_mean)));
    const auto chroma = L::DivF(L::SubF(chroma2, chroma1), L::MulF(L::SetF(kCiedeChromaWeight), chroma_scale));

    const auto root = L::SqrtD(L::ToD(L::MulF(chroma1, chroma2)));
    const auto half_turn = L::MulD(L::ToD(L::Load(chunk.turn + i)), L::SetD(0.5));
    const auto hue_difference = rounding.Within15(L::MulD(L::MulD(L::SetD(2.0), root), CiedeSine<L>(half_turn)));
    const auto hue = L::DivF(hue_difference, L::MulF(L::SetF(kCiedeHueWeight), L::Load(chunk.hue_scale + i)));

    const auto turned = L::MulF(L::MulF(L::Load(chunk.rotation + i), chroma), hue);
    const auto square = [](typename L::F32 v) __attribute__((always_inline)) { return L::MulD(L::ToD(v), L::ToD(v)); };
    const auto sum = L::AddD(L::AddD(L::AddD(square(lightness), square(chroma)), square(hue)), L::ToD(turned));
    L::Store(L::ToF(L::SqrtD(sum)), differences + i);
    rounding.Keep();
  }
}

inline bool CiedeSameChunk(const CiedeRow& reference, const CiedeRow& distorted, i32 x) {
  constexpr std::size_t kBytes = kCiedeChunk * sizeof(u16);
  return std::memcmp(reference.luma + x, distorted.luma + x, kBytes) == 0 &&
         std::memcmp(reference.cb + x, distorted.cb + x, kBytes) == 0 &&
         std::memcmp(reference.cr + x, distorted.cr + x, kBytes) == 0;
}

template <class L>
LOCKSTEP_LANE_INLINE void CiedeOnLanes(const CiedeRowArgs& args) {
  CiedeChunk chunk;
  for (i32 x = 0; x < args.width; x += kCiedeChunk) {
    float* const differences = args.differences + x;
    // Equal colours differ by 0.
    if (CiedeSameChunk(args.reference, args.distorted, x)) {
      std::memset(differences, 0, kCiedeChunk * sizeof(float));
      continue;
    }
    std::memset(chunk.undecided, 0, sizeof(chunk.undecided));
    CiedeLabPass<L>(args.reference, x, args.scale, 0, chunk);
    CiedeLabPass<L>(args.distorted, x, args.scale, 1, chunk);
    CiedeChromaPass<L>(chunk);
    CiedeHuePass<L>(chunk);
    CiedeHueScalePass<L>(chunk);
    CiedeRotationPass<L>(chunk);
    CiedeTotalPass<L>(chunk, differences);
    const i32 count = args.width - x < kCiedeChunk ? args.width - x : kCiedeChunk;
    for (i32 i = 0; i < count; ++i) {
      if (chunk.undecided[i] != 0) differences[i] = CiedePixelDifference(args, x + i);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
