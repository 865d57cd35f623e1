// SPDX-License-Identifier: BSD-2-Clause-Patent
// The rows of ssimulacra2's strips on lanes; read once for each target.
#if defined(LOCKSTEP_FEATURES_SSIMULACRA2_SSIMULACRA2_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_SSIMULACRA2_SSIMULACRA2_LANES_INL_H_
#undef LOCKSTEP_FEATURES_SSIMULACRA2_SSIMULACRA2_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_SSIMULACRA2_SSIMULACRA2_LANES_INL_H_
#endif

#include "features/ssimulacra2/ssimulacra2_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

template <class L>
LOCKSTEP_LANE_INLINE auto Ssimulacra2Times(float factor, typename L::F32 x) {
  return L::MulF(L::SetF(factor), x);
}

template <class L>
LOCKSTEP_LANE_INLINE auto Ssimulacra2LightLanes(const Ssimulacra2Transfer& transfer, typename L::F32 value) {
  const auto one = L::SetF(1.0f);
  const auto above = L::MaxF(value, L::SetF(0.0f));
  const auto x = L::SelectF(L::LtF(above, one), above, one);
  auto power = L::SetF(transfer.factors[8]);
  Unroll<0, 8>([&](auto i) __attribute__((always_inline)) {
    power = L::AddF(L::MulF(power, x), L::SetF(transfer.factors[7 - i]));
  });
  return L::SelectF(L::LtF(x, L::SetF(transfer.threshold)), Ssimulacra2Times<L>(transfer.slope, x), power);
}

template <class L>
LOCKSTEP_LANE_INLINE auto Ssimulacra2CubeRootLanes(typename L::F32 x) {
  const auto one = L::SetF(1.0f);
  const auto third = L::TruncF(Ssimulacra2Times<L>(kSsimulacra2Third, L::ToF(L::BitsF(x))));
  auto r = L::AsF(L::Sub(L::Set(kSsimulacra2RootBits), third));
  const auto e = L::SubF(one, L::MulF(x, L::MulF(L::MulF(r, r), r)));
  auto series = L::AddF(Ssimulacra2Times<L>(kSsimulacra2Cubic, e), L::SetF(kSsimulacra2TwoNinths));
  series = L::AddF(L::MulF(series, e), L::SetF(kSsimulacra2Third));
  r = L::AddF(r, L::MulF(r, L::MulF(e, series)));
  const auto root = L::MulF(x, L::MulF(r, r));
  const auto rest = L::MulF(L::SubF(one, L::MulF(root, r)), L::SetF(kSsimulacra2TwoThirds));
  return L::AddF(root, L::MulF(root, rest));
}

template <class L>
struct Ssimulacra2XybLanes {
  typename L::F32 x;
  typename L::F32 y;
  typename L::F32 b;
};

template <class L>
LOCKSTEP_LANE_INLINE Ssimulacra2XybLanes<L> Ssimulacra2XybOfLanes(const float* const* light, i32 x) {
  const auto red = L::Load(light[0] + x);
  const auto green = L::Load(light[1] + x);
  const auto blue = L::Load(light[2] + x);
  const auto root = [&](const float(&mix)[3]) __attribute__((always_inline)) {
    const auto two = L::AddF(Ssimulacra2Times<L>(mix[0], red), Ssimulacra2Times<L>(mix[1], green));
    const auto mixed = L::AddF(L::AddF(two, Ssimulacra2Times<L>(mix[2], blue)), L::SetF(kSsimulacra2Offset));
    return L::SubF(Ssimulacra2CubeRootLanes<L>(mixed), L::SetF(kSsimulacra2OffsetRoot));
  };
  const auto half = L::SetF(0.5f);
  const auto first = root(kSsimulacra2Mix[0]);
  const auto second = root(kSsimulacra2Mix[1]);
  const auto third = root(kSsimulacra2Mix[2]);
  const auto opponent = L::MulF(half, L::SubF(first, second));
  const auto y = L::MulF(half, L::AddF(first, second));
  return {L::AddF(L::MulF(opponent, L::SetF(14.0f)), L::SetF(0.42f)), L::AddF(y, L::SetF(0.01f)),
          L::AddF(L::SubF(third, y), L::SetF(0.55f))};
}

/// in      value(i): the i-th of nine registers
template <class L, class Value>
LOCKSTEP_LANE_INLINE auto Ssimulacra2BlurLanes(const Value& value) {
  auto sum = Ssimulacra2Times<L>(kSsimulacra2Blur[0], value(kSsimulacra2Reach));
  Unroll<1, kSsimulacra2Reach + 1>([&](auto i) __attribute__((always_inline)) {
    const auto both = L::AddF(value(kSsimulacra2Reach - i), value(kSsimulacra2Reach + i));
    sum = L::AddF(sum, Ssimulacra2Times<L>(kSsimulacra2Blur[i], both));
  });
  return sum;
}

/// Lines of chroma between rows and columns. Whole numbers below 2^24 are exact in any order of additions.
template <class Sample>
LOCKSTEP_LANE_PASS void Ssimulacra2ChromaLine(const Ssimulacra2Picture& picture, i32 plane, i32 y, i32 begin, i32 count,
                                              float* quarters, float* out) {
  const i32 row = picture.halves_height ? y / 2 : y;
  i32 neighbour = row;
  if (picture.halves_height) {
    const i32 other = y % 2 == 0 ? row - 1 : row + 1;
    if (other >= 0 && other < picture.chroma_height) neighbour = other;
  }
  const i32 first = picture.halves_width ? begin / 2 : begin;
  const i32 wanted = picture.halves_width ? (count + 1) / 2 + 1 : count;
  const i32 there = picture.chroma_width - first < wanted ? picture.chroma_width - first : wanted;
  const Sample* const near = picture.row<Sample>(plane, row) + first;
  const Sample* const far = picture.row<Sample>(plane, neighbour) + first;
  const i32 neutral = 4 * picture.neutral;
  for (i32 i = 0; i < there; ++i) quarters[i] = static_cast<float>(3 * near[i] + far[i] - neutral);
  for (i32 i = there; i < wanted; ++i) quarters[i] = quarters[there - 1];
  if (!picture.halves_width) {
    for (i32 i = 0; i < count; ++i) out[i] = 2.0f * quarters[i];
    return;
  }
  for (i32 i = 0; i < wanted - 1; ++i) {
    out[2 * i] = 2.0f * quarters[i];
    out[2 * i + 1] = quarters[i] + quarters[i + 1];
  }
}

template <class L, class Sample>
struct Ssimulacra2LaneRows {
  LOCKSTEP_LANE_PASS static void MakeLight(const Ssimulacra2StripArgs& args, i32 picture_index, i32 y, i32 begin,
                                           i32 count, float* scratch, float* const* light) {
    const Ssimulacra2Picture& picture = args.pictures[static_cast<std::size_t>(picture_index)];
    const Sample* const luma = picture.row<Sample>(0, y) + begin;
    float* const cb_line = scratch;
    float* const cr_line = scratch + kSsimulacra2Line;
    float* const quarters = scratch + 2 * kSsimulacra2Line;
    const bool has_chroma = picture.chroma_width != 0;
    if (has_chroma) {
      Ssimulacra2ChromaLine<Sample>(picture, 1, y, begin, count, quarters, cb_line);
      Ssimulacra2ChromaLine<Sample>(picture, 2, y, begin, count, quarters, cr_line);
    }
    const Ssimulacra2Colour colour = args.colour;
    const Ssimulacra2Transfer transfer = args.transfer;
    const auto black = L::Set(picture.black);
    for (i32 x = 0; x < count; x += L::N) {
      const auto grey = Ssimulacra2Times<L>(colour.luma, L::ToF(L::Sub(L::Load32(luma + x), black)));
      // Without chroma 0 is added, which changes no bit that counts.
      const auto cb = has_chroma ? L::Load(cb_line + x) : L::SetF(0.0f);
      const auto cr = has_chroma ? L::Load(cr_line + x) : L::SetF(0.0f);
      const auto red = L::AddF(grey, Ssimulacra2Times<L>(colour.red_cr, cr));
      const auto green =
          L::SubF(L::SubF(grey, Ssimulacra2Times<L>(colour.green_cb, cb)), Ssimulacra2Times<L>(colour.green_cr, cr));
      const auto blue = L::AddF(grey, Ssimulacra2Times<L>(colour.blue_cb, cb));
      L::Store(Ssimulacra2LightLanes<L>(transfer, red), light[0] + x);
      L::Store(Ssimulacra2LightLanes<L>(transfer, green), light[1] + x);
      L::Store(Ssimulacra2LightLanes<L>(transfer, blue), light[2] + x);
    }
  }

  LOCKSTEP_LANE_PASS static void MakeColour(const float* const* light, i32 count, float* const* colour) {
    for (i32 x = 0; x < count; x += L::N) {
      const Ssimulacra2XybLanes<L> a = Ssimulacra2XybOfLanes<L>(light, x);
      const Ssimulacra2XybLanes<L> b = Ssimulacra2XybOfLanes<L>(light + 3, x);
      const auto put = [&](i32 plane, auto reference, auto distorted) __attribute__((always_inline)) {
        L::Store(reference, colour[3 * plane] + x);
        L::Store(L::SubF(reference, distorted), colour[3 * plane + 1] + x);
        L::Store(L::AddF(L::MulF(reference, reference), L::MulF(distorted, distorted)), colour[3 * plane + 2] + x);
      };
      put(0, a.x, b.x);
      put(1, a.y, b.y);
      put(2, a.b, b.b);
    }
  }

  LOCKSTEP_LANE_PASS static void Halve(const float* upper, const float* lower, i32 count, float* out) {
    for (i32 x = 0; x < count; x += L::N) {
      const auto first = L::Load(upper + 2 * x);
      const auto second = L::Load(upper + 2 * x + L::N);
      const auto below_first = L::Load(lower + 2 * x);
      const auto below_second = L::Load(lower + 2 * x + L::N);
      auto sum = L::AddF(L::EvensF(first, second), L::OddsF(first, second));
      sum = L::AddF(sum, L::EvensF(below_first, below_second));
      sum = L::AddF(sum, L::OddsF(below_first, below_second));
      L::Store(L::MulF(sum, L::SetF(0.25f)), out + x);
    }
  }

  LOCKSTEP_LANE_PASS static void BlurRows(const Ssimulacra2Window& window, i32 count, float* const* blurred) {
    constexpr i32 kRows = kSsimulacra2WindowRows;
    // Both rows of one of the four lines from ten registers.
    const auto blur = [&](const typename L::F32(&rows)[kRows], i32 line, i32 x) __attribute__((always_inline)) {
      Unroll<0, 2>([&](auto k) __attribute__((always_inline)) {
        const auto row = [&](i32 i) __attribute__((always_inline)) { return rows[k + i]; };
        L::Store(Ssimulacra2BlurLanes<L>(row), blurred[k] + line * kSsimulacra2Line + x);
      });
    };
    for (i32 x = 0; x < count; x += L::N) {
      typename L::F32 rows[kRows];
      const auto load = [&](const float* const(&lines)[kRows]) __attribute__((always_inline)) {
        Unroll<0, kRows>([&](auto i) __attribute__((always_inline)) { rows[i] = L::Load(lines[i] + x); });
      };
      load(window.value);
      blur(rows, 0, x);
      load(window.energy);
      blur(rows, 2, x);
      load(window.difference);
      blur(rows, 1, x);
      Unroll<0, kRows>([&](auto i) __attribute__((always_inline)) { rows[i] = L::MulF(rows[i], rows[i]); });
      blur(rows, 3, x);
    }
  }

  LOCKSTEP_LANE_PASS static void SumErrors(const float* blurred, const float* value, const float* difference,
                                           i32 columns, Ssimulacra2PartialSums& partials) {
    for (i32 part = 0; part < kSsimulacra2Partials; part += L::N) {
      typename L::F32 sums[kSsimulacra2Sums];
      Unroll<0, kSsimulacra2Sums>([&](auto i) __attribute__((always_inline)) { sums[i] = L::SetF(0.0f); });
      i32 x = part;
      for (; x + L::N <= columns; x += kSsimulacra2Partials) {
        AddErrors(
            blurred + x, L::Load(value + x), L::Load(difference + x),
            [](auto error) __attribute__((always_inline)) { return error; }, sums);
      }
      if (x < columns) {
        const auto inside = L::FirstN(columns - x);
        const auto keep = [&](auto error) __attribute__((always_inline)) {
          return L::SelectF(inside, error, L::SetF(0.0f));
        };
        AddErrors(blurred + x, L::Load(value + x), L::Load(difference + x), keep, sums);
      }
      Unroll<0, kSsimulacra2Sums>([&](auto i) __attribute__((always_inline)) {
        L::Store(sums[i], partials[static_cast<std::size_t>(i)].data() + part);
      });
    }
  }

 private:
  template <class Keep>
  LOCKSTEP_LANE_INLINE static void AddErrors(const float* blurred, typename L::F32 value, typename L::F32 difference,
                                             const Keep& keep, typename L::F32 (&sums)[kSsimulacra2Sums]) {
    const auto along = [&](i32 line) __attribute__((always_inline)) {
      const float* const at = blurred + line * kSsimulacra2Line;
      return Ssimulacra2BlurLanes<L>([&](i32 i) __attribute__((always_inline)) { return L::Load(at + i); });
    };
    const auto zero = L::SetF(0.0f);
    const auto one = L::SetF(1.0f);
    const auto mean = along(0);
    const auto mean_difference = along(1);
    const auto distorted_mean = L::SubF(mean, mean_difference);
    const auto means = L::AddF(L::MulF(mean, mean), L::MulF(distorted_mean, distorted_mean));
    const auto total = L::AddF(L::SubF(along(2), means), L::SetF(kSsimulacra2Stability));
    const auto square = L::MulF(mean_difference, mean_difference);
    const auto unlike = L::SubF(along(3), square);
    const auto edge = L::SubF(value, mean);
    const auto distorted_edge = L::SubF(edge, L::SubF(difference, mean_difference));
    const auto edge_total = L::AddF(one, L::AbsF(edge));
    const auto reciprocal = L::DivF(one, L::MulF(total, edge_total));
    const auto numerator = L::AddF(unlike, L::MulF(square, L::SubF(total, unlike)));
    const auto similarity = L::MulF(L::MulF(numerator, edge_total), reciprocal);
    const auto change = L::MulF(L::MulF(L::SubF(L::AbsF(distorted_edge), L::AbsF(edge)), total), reciprocal);
    const typename L::F32 errors[3] = {keep(L::MaxF(similarity, zero)), keep(L::MaxF(change, zero)),
                                       keep(L::MaxF(L::SubF(zero, change), zero))};
    Unroll<0, 3>([&](auto i) __attribute__((always_inline)) {
      const auto squared = L::MulF(errors[i], errors[i]);
      sums[2 * i] = L::AddF(sums[2 * i], errors[i]);
      sums[2 * i + 1] = L::AddF(sums[2 * i + 1], L::MulF(squared, squared));
    });
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
