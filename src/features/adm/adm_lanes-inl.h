// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm on lanes: the passes over one row, and the walk through a frame pair; read once for each target.
#if defined(LOCKSTEP_FEATURES_ADM_ADM_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_ADM_ADM_LANES_INL_H_
#undef LOCKSTEP_FEATURES_ADM_ADM_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_ADM_ADM_LANES_INL_H_
#endif

#include <algorithm>

#include "features/adm/adm_detail_lanes-inl.h"
#include "features/adm/adm_wavelet_lanes-inl.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

inline bool AdmContains(AdmRange range, i32 row) { return row >= range.begin && row < range.end; }

/// L::N columns from column j on of which the inner ones count.
template <class L>
LOCKSTEP_LANE_INLINE typename L::Mask AdmInside(i32 j, AdmRange inner) {
  return L::AndNotM(L::FirstN(inner.begin - j), L::FirstN(inner.end - j));
}

/// function(masked, j) for each register of the columns [0, end), kStep to a register. masked: not all of them are
/// inner ones.
template <int kStep, class Function>
LOCKSTEP_LANE_INLINE void AdmForColumns(i32 end, AdmRange inner, const Function& function) {
  for (i32 j = 0; j < end; j += kStep) {
    if (j < inner.begin || j + kStep > inner.end) {
      function(std::true_type(), j);
    } else {
      function(std::false_type(), j);
    }
  }
}

// What a row's detail goes through is a pass for each step rather than one for all: a coefficient takes a long chain of
// operations, and in shorter loops more coefficients are under way at the same time. All rows below start at the first
// column of detail.

/// What a coefficient is at scale kScale, a register of them, and how many that has.
template <int kScale>
using AdmValue = std::conditional_t<kScale == 0, i16, i32>;
template <class L, int kScale>
using AdmRegister = std::conditional_t<kScale == 0, typename L::I16, typename L::I32>;
template <class L, int kScale>
inline constexpr int kAdmStep = kScale == 0 ? 2 * L::N : L::N;

struct AdmColumns {
  i32 count;
  AdmRange inner;
};

/// Vertical results of a picture as [pass][half]: the column that the first coefficient's first tap reads.
struct AdmVerticalResults {
  const i16* rows[2][2];
};

/// Detail bands of kAdmStep coefficients.
template <class L, int kScale, class Value>
LOCKSTEP_LANE_INLINE void AdmBands(const AdmVerticalResults& vertical, i32 j, Value (&bands)[3]) {
  const i16* const low = vertical.rows[kAdmLowPass][0] + 2 * j;
  const i16* const high = vertical.rows[kAdmHighPass][0] + 2 * j;
  if constexpr (kScale == 0) {
    bands[0] = AdmHorizontal16<L, kAdmLowPass>(high);
    bands[1] = AdmHorizontal16<L, kAdmHighPass>(low);
    bands[2] = AdmHorizontal16<L, kAdmHighPass>(high);
  } else {
    const i16* const low_rest = vertical.rows[kAdmLowPass][1] + 2 * j;
    const i16* const high_rest = vertical.rows[kAdmHighPass][1] + 2 * j;
    bands[0] = AdmHorizontal32<L, kScale, kAdmLowPass>(high, high_rest);
    bands[1] = AdmHorizontal32<L, kScale, kAdmHighPass>(low, low_rest);
    bands[2] = AdmHorizontal32<L, kScale, kAdmHighPass>(high, high_rest);
  }
}

/// Adds denominators of kAdmStep coefficients of one band.
template <class L, int kScale, bool kMasked, class Value>
LOCKSTEP_LANE_INLINE typename L::U64 AdmAddDenominators(typename L::U64 sum, Value band, const AdmCubeRounding& cube,
                                                        i32 j, AdmRange inner) {
  if constexpr (kScale == 0) {
    const auto zero = L::Set16(0);
    const auto magnitude = L::Abs16(band);
    auto low = L::ZipLo(magnitude, zero);
    auto high = L::ZipHi(magnitude, zero);
    if constexpr (kMasked) {
      low = L::Keep(AdmInside<L>(j, inner), low);
      high = L::Keep(AdmInside<L>(j + L::N, inner), high);
    }
    return AdmAddWholeCube<L>(AdmAddWholeCube<L>(sum, low), high);
  } else {
    auto magnitude = L::Abs(band);
    if constexpr (kMasked) magnitude = L::Keep(AdmInside<L>(j, inner), magnitude);
    constexpr int kSquareShift = kScale == 2 ? 30 : 31;
    return AdmAddCube<L, kSquareShift>(sum, magnitude, cube);
  }
}

/// Detail bands of one row; with kReference its denominators too, before their rounding.
template <class L, int kScale, bool kReference>
LOCKSTEP_LANE_PASS void AdmBandsOfRow(const AdmVerticalResults& vertical, AdmValue<kScale>* const (&out)[3],
                                      const AdmColumns& columns, const AdmCubeRounding& cube, u64 (&sums)[3]) {
  // Stores through vector types may alias anything that is not local.
  const AdmVerticalResults rows = vertical;
  const AdmCubeRounding rounding = cube;
  const AdmRange inner = columns.inner;
  AdmValue<kScale>* const to[3] = {out[0], out[1], out[2]};
  typename L::U64 lane_sums[3] = {L::Zero64(), L::Zero64(), L::Zero64()};
  AdmForColumns<kAdmStep<L, kScale>>(
      columns.count, inner, [&](auto masked, i32 j) __attribute__((always_inline)) {
        AdmRegister<L, kScale> bands[3];
        AdmBands<L, kScale>(rows, j, bands);
        Unroll<0, 3>([&](auto band) __attribute__((always_inline)) {
          L::Store(bands[band], to[band] + j);
          if constexpr (kReference) {
            lane_sums[band] = AdmAddDenominators<L, kScale, decltype(masked)::value>(lane_sums[band], bands[band],
                                                                                     rounding, j, inner);
          }
        });
      });
  if constexpr (kReference) {
    for (int band = 0; band < 3; ++band) sums[band] = static_cast<u64>(L::Sum64(lane_sums[band]));
  }
}

template <int kScale>
struct AdmPartsRows {
  const AdmValue<kScale>* bands[2][3];  // [picture]
  AdmValue<kScale>* parts[2][3];        // restored detail, additive impairment
};

/// Restored detail and additive impairment of one row.
template <class L, int kScale, AdmGain kGain>
LOCKSTEP_LANE_PASS void AdmPartsOfRow(const AdmPartsRows<kScale>& all_rows, const AdmColumns& columns,
                                      const AdmGainLimit& gain_limit) {
  const AdmPartsRows<kScale> rows = all_rows;
  const AdmGainLimit gain = gain_limit;
  const i32 count = columns.count;
  for (i32 j = 0; j < count; j += kAdmStep<L, kScale>) {
    AdmRegister<L, kScale> o[3];
    AdmRegister<L, kScale> t[3];
    Unroll<0, 3>([&](auto band) __attribute__((always_inline)) {
      o[band] = L::Load(rows.bands[0][band] + j);
      t[band] = L::Load(rows.bands[1][band] + j);
    });
    if constexpr (kScale == 0) {
      const auto near = AdmNear16<L>(o[0], o[1], t[0], t[1]);
      Unroll<0, 3>([&](auto band) __attribute__((always_inline)) {
        const auto restored = AdmRestore16<L, kGain>(o[band], t[band], near, gain);
        L::Store(restored, rows.parts[0][band] + j);
        L::Store(L::Sub16(t[band], restored), rows.parts[1][band] + j);
      });
    } else {
      const auto near = AdmNear32<L>(o[0], o[1], t[0], t[1]);
      const AdmDivisor<L> divisors[3] = {AdmDivisor<L>(o[0]), AdmDivisor<L>(o[1]), AdmDivisor<L>(o[2])};
      typename L::I32 reciprocals[3];
      AdmReciprocals32<L>(divisors, reciprocals);
      Unroll<0, 3>([&](auto band) __attribute__((always_inline)) {
        const auto restored = AdmRestore32<L, kGain>(o[band], t[band], divisors[band], reciprocals[band], near, gain);
        L::Store(restored, rows.parts[0][band] + j);
        L::Store(L::Sub(t[band], restored), rows.parts[1][band] + j);
      });
    }
  }
}

template <int kScale>
struct AdmTermsRows {
  const AdmValue<kScale>* part[3];
  i32* weighted[3];  // scales 1 … 3
  i32* neighbours;
  i32* centres;
};

/// Masking terms of one part for one row, and its weighted magnitudes at scales 1 … 3.
template <class L, int kScale>
LOCKSTEP_LANE_PASS void AdmTermsOfRow(const AdmTermsRows<kScale>& all_rows, const AdmColumns& columns,
                                      AdmFactors factors) {
  const AdmTermsRows<kScale> rows = all_rows;
  const i32 count = columns.count;
  const AdmWeights16<L> weights(factors);  // of scale 0
  for (i32 j = 0; j < count; j += kAdmStep<L, kScale>) {
    AdmRegister<L, kScale> part[3];
    Unroll<0, 3>([&](auto band) __attribute__((always_inline)) { part[band] = L::Load(rows.part[band] + j); });
    if constexpr (kScale == 0) {
      AdmTerms<L> terms[2];
      AdmTerms16<L>(part, weights, terms);
      Unroll<0, 2>([&](auto half) __attribute__((always_inline)) {
        L::Store(terms[half].neighbour, rows.neighbours + j + half * L::N);
        L::Store(terms[half].centre, rows.centres + j + half * L::N);
      });
    } else {
      typename L::I32 weighted[3];
      const AdmTerms<L> terms = AdmTerms32<L>(part, factors, weighted);
      Unroll<0, 3>([&](auto band)
                       __attribute__((always_inline)) { L::Store(weighted[band], rows.weighted[band] + j); });
      L::Store(terms.neighbour, rows.neighbours + j);
      L::Store(terms.centre, rows.centres + j);
    }
  }
}

/// Neighbour terms of columns x - 1, x, x + 1.
template <class L>
LOCKSTEP_LANE_PASS void AdmTriplesOfRow(const i32* neighbours, const AdmColumns& columns, i32* triples) {
  const i32 count = columns.count;
  for (i32 j = 0; j < count; j += L::N) {
    const auto outer = L::Add(L::Load(neighbours + j - 1), L::Load(neighbours + j + 1));
    L::Store(L::Add(outer, L::Load(neighbours + j)), triples + j);
  }
}

/// Rows that a numerator reads, all from the first column of detail on.
struct AdmNumeratorRows {
  const i32* triples[3];  // of the other part: above, level, below
  const i32* centres;
  const i16* parts[3];     // scale 0
  const i32* weighted[3];  // scales 1 … 3
};

/// What is visible of L::N pixels.
/// in      above: the weighted magnitude less the threshold
template <class L, bool kMasked>
LOCKSTEP_LANE_INLINE void AdmStoreVisible(typename L::I32 above, i32* out, i32 j, AdmRange inner) {
  auto visible = L::Max(above, L::Set(0));
  if constexpr (kMasked) visible = L::Keep(AdmInside<L>(j, inner), visible);
  L::Store(visible, out + j);
}

/// AdmVisible() of the three bands of one part for one row, and 0 in columns that do not count.
template <class L, int kScale>
LOCKSTEP_LANE_PASS void AdmVisibleOfRow(const AdmNumeratorRows& all_rows, const AdmColumns& columns, AdmFactors factors,
                                        i32* const (&out)[3]) {
  const AdmNumeratorRows rows = all_rows;
  const AdmRange inner = columns.inner;
  i32* const to[3] = {out[0], out[1], out[2]};
  const auto threshold_at = [&](i32 x) __attribute__((always_inline)) {
    const auto outer = L::Add(L::Load(rows.triples[0] + x), L::Load(rows.triples[1] + x));
    return L::Add(outer, L::Add(L::Load(rows.triples[2] + x), L::Load(rows.centres + x)));
  };
  if constexpr (kScale == 0) {
    // Pairs that add up to the factor.
    const auto hv = static_cast<i32>(factors.hv);
    const auto d = static_cast<i32>(factors.d);
    const auto pair_hv = L::Set(AdmPair(hv / 2, hv - hv / 2));
    const auto pair_d = L::Set(AdmPair(d / 2, d - d / 2));
    AdmForColumns<2 * L::N>(
        columns.count, inner, [&](auto masked, i32 j) __attribute__((always_inline)) {
          const auto threshold0 = threshold_at(j);
          const auto threshold1 = threshold_at(j + L::N);
          Unroll<0, 3>([&](auto band) __attribute__((always_inline)) {
            constexpr int kShift = band == 2 ? 12 : 10;
            const auto factor = band == 2 ? pair_d : pair_hv;
            const auto magnitude = L::Abs16(L::Load(rows.parts[band] + j));
            const auto weighted0 = L::MulPair(L::ZipLo(magnitude, magnitude), factor);
            const auto weighted1 = L::MulPair(L::ZipHi(magnitude, magnitude), factor);
            constexpr bool kMasked = decltype(masked)::value;
            AdmStoreVisible<L, kMasked>(L::Sub(weighted0, L::template Shl<kShift>(threshold0)), to[band], j, inner);
            AdmStoreVisible<L, kMasked>(L::Sub(weighted1, L::template Shl<kShift>(threshold1)), to[band], j + L::N,
                                        inner);
          });
        });
  } else {
    AdmForColumns<L::N>(
        columns.count, inner, [&](auto masked, i32 j) __attribute__((always_inline)) {
          const auto threshold = L::Sub(threshold_at(j), L::Set(kAdmTermsOfThreshold));
          Unroll<0, 3>([&](auto band) __attribute__((always_inline)) {
            AdmStoreVisible<L, decltype(masked)::value>(L::Sub(L::Load(rows.weighted[band] + j), threshold), to[band],
                                                        j, inner);
          });
        });
  }
}

/// Sum of AdmVisibleCube() over one row of one band.
template <class L, int kSquareShift>
LOCKSTEP_LANE_PASS u64 AdmCubesOfRow(const i32* visible, const AdmColumns& columns, const AdmCubeRounding& rounding) {
  auto sum = L::Zero64();
  for (i32 j = 0; j < columns.count; j += L::N) sum = AdmAddCube<L, kSquareShift>(sum, L::Load(visible + j), rounding);
  return static_cast<u64>(L::Sum64(sum));
}

/// One pass through a band of a frame pair: an output row of one scale at a time, each feeding the next scale.
template <class L>
class AdmWalk {
 public:
  explicit AdmWalk(const AdmSimdArgs& args)
      : args_(args), plan_(args.plan), rows_(AdmBandRows(args.plan.rows, args.band)) {
    for (std::size_t s = 0; s < kAdmScales; ++s) {
      const AdmShifts& shifts = plan_.shifts[s];
      Scale& scale = scales_[s];
      scale.next_row = rows_[s].wavelet.begin;
      scale.columns = plan_.columns[s];
      const AdmRange wavelet = scale.columns.wavelet;
      // Whole cache lines.
      scale.inputs = {std::max(2 * wavelet.begin - 1, 0) & ~31, std::min(2 * wavelet.end + 1, scale.columns.inputs)};
      const AdmRange detail = scale.columns.detail;
      scale.inner = {scale.columns.inner.begin - detail.begin, scale.columns.inner.end - detail.begin};
      const auto whole_limit = static_cast<i32>(plan_.gain_limit);
      scale.gain = {plan_.gain_limit, whole_limit, (s == 0 ? 32767 : 2147483647) / whole_limit};
      // The reference rounds the squares of denominators with twice the half.
      scale.denominator = AdmCubeRounding(s == 2 ? 31 : 32, shifts.denominator_cube);
      scale.hv = AdmCubeRounding(s == 0 ? 29 : 30, shifts.numerator.hv);
      scale.d = AdmCubeRounding(30, shifts.numerator.d);
    }
  }

  void Run() {
    std::fill(args_.facts.begin(), args_.facts.end(), Fact{0});
    for (i32 row = rows_[0].wavelet.begin; row < rows_[0].wavelet.end; ++row) ComputeRow<0>(row);
  }

 private:
  struct Scale {
    i32 next_row;
    AdmAxis columns;
    AdmRange inputs;  // columns of vertical results
    AdmRange inner;   // counted from the first column of detail
    AdmGainLimit gain;
    AdmCubeRounding denominator;
    AdmCubeRounding hv;
    AdmCubeRounding d;
  };

  /// Output row `row` of scale kScale, and every row of the coarser scales that it completes.
  template <int kScale>
  void ComputeRow(i32 row) {
    const AdmAxis& rows = rows_[kScale];
    const bool detail = AdmContains(rows.detail, row);
    for (int picture = 0; picture < 2; ++picture) ComputeVertical<kScale>(row, picture, detail);
    if constexpr (kScale < 3) {
      if (AdmContains(rows.low, row)) {
        for (int picture = 0; picture < 2; ++picture) ComputeLowBand<kScale>(row, picture);
      }
    }
    if (detail) {
      ComputeDetail<kScale>(row);
      // A threshold looks one row down, except at the bottom edge.
      if (AdmContains(rows.inner, row - 1)) AddNumerators<kScale>(row - 1);
      if (row == rows.outputs - 1 && AdmContains(rows.inner, row)) AddNumerators<kScale>(row);
    }
    if constexpr (kScale < 3) {
      i32& next_row = scales_[kScale + 1].next_row;
      const AdmAxis& next = rows_[kScale + 1];
      while (next_row < next.wavelet.end && std::min(2 * next_row + 2, next.inputs - 1) <= row) {
        ComputeRow<kScale + 1>(next_row++);
      }
    }
  }

  template <int kScale>
  void ComputeVertical(i32 row, int picture, bool detail) {
    const Scale& scale = scales_[kScale];
    const AdmSimdLines& lines = args_.buffers.scale(kScale);
    i32 inputs[4];
    for (int k = 0; k < 4; ++k) inputs[k] = AdmMirror(2 * row - 1 + k, rows_[kScale].inputs);
    if constexpr (kScale == 0) {
      if (plan_.bit_depth == 8) {
        ComputeVerticalSamples<u8>(row, inputs, picture, detail);
      } else {
        ComputeVerticalSamples<u16>(row, inputs, picture, detail);
      }
    } else {
      const AdmSimdLines& before = args_.buffers.scale(kScale - 1);
      AdmVerticalRows rows;
      for (int half = 0; half < 2; ++half) {
        for (int k = 0; k < 4; ++k) rows.inputs[k][half] = before.Low(inputs[k], picture, half);
        for (int pass = 0; pass < 2; ++pass) rows.outputs[pass][half] = lines.Vertical(picture, pass, half);
      }
      if (detail) {
        AdmVerticalBands<L, kScale, true>(rows, scale.inputs);
      } else {
        AdmVerticalBands<L, kScale, false>(rows, scale.inputs);
      }
    }
    for (int pass = 0; pass < (detail ? 2 : 1); ++pass) {
      for (int half = 0; half < (kScale == 0 ? 1 : 2); ++half) {
        AdmMirrorColumns(lines.Vertical(picture, pass, half), scale.inputs, scale.columns.inputs);
      }
    }
  }

  template <class Sample>
  void ComputeVerticalSamples(i32 row, const i32 (&inputs)[4], int picture, bool detail) {
    const PlaneView& plane = args_.pictures[picture];
    const AdmSimdLines& lines = args_.buffers.scale(0);
    const Scale& scale = scales_[0];
    const Sample* samples[4];
    for (int k = 0; k < 4; ++k) samples[k] = plane.row<Sample>(inputs[k]);
    const Sample* ahead[2];
    for (int k = 0; k < 2; ++k) ahead[k] = plane.row<Sample>(std::min(2 * row + 3 + k, rows_[0].inputs - 1));
    const auto pass = detail ? &AdmVerticalSamples<L, Sample, true> : &AdmVerticalSamples<L, Sample, false>;
    pass(samples, ahead, plan_.bit_depth, scale.inputs, scale.columns.inputs, lines.Vertical(picture, kAdmLowPass, 0),
         lines.Vertical(picture, kAdmHighPass, 0));
  }

  template <int kScale>
  void ComputeLowBand(i32 row, int picture) {
    const AdmSimdLines& lines = args_.buffers.scale(kScale);
    const i16* const from[2] = {lines.Vertical(picture, kAdmLowPass, 0), lines.Vertical(picture, kAdmLowPass, 1)};
    i16* const to[2] = {lines.Low(row, picture, 0), lines.Low(row, picture, 1)};
    AdmLowBand<L, kScale>(from, scales_[kScale].columns.low, to);
  }

  template <int kScale>
  void ComputeDetail(i32 row) {
    using Value = AdmValue<kScale>;
    const Scale& scale = scales_[kScale];
    const AdmSimdLines& lines = args_.buffers.scale(kScale);
    const AdmRange detail = scale.columns.detail;
    const AdmColumns columns = {detail.end - detail.begin, scale.inner};
    AdmPartsRows<kScale> rows;
    for (int picture = 0; picture < 2; ++picture) {
      AdmVerticalResults vertical;
      for (int pass = 0; pass < 2; ++pass) {
        for (int half = 0; half < 2; ++half) {
          vertical.rows[pass][half] = lines.Vertical(picture, pass, half) + 2 * detail.begin - 1;
        }
      }
      Value* bands[3];
      for (int band = 0; band < 3; ++band) {
        bands[band] = lines.template Band<Value>(picture, band);
        rows.bands[picture][band] = bands[band];
      }
      u64 sums[3];
      if (picture == 1) {
        AdmBandsOfRow<L, kScale, false>(vertical, bands, columns, scale.denominator, sums);
        continue;
      }
      AdmBandsOfRow<L, kScale, true>(vertical, bands, columns, scale.denominator, sums);
      if (!AdmContains(rows_[kScale].inner, row)) continue;
      const i32 shift = plan_.shifts[kScale].denominator_row;
      for (u64& sum : sums) sum = (sum + AdmHalf(shift)) >> shift;
      AddRow(kScale, AdmSum::kReference, sums);
    }

    for (int part = 0; part < 2; ++part) {
      for (int band = 0; band < 3; ++band) rows.parts[part][band] = lines.template Part<Value>(row, part, band);
    }
    const bool whole = plan_.gain_limit == static_cast<double>(scale.gain.whole);
    const auto decouple =
        whole ? &AdmPartsOfRow<L, kScale, AdmGain::kWhole> : &AdmPartsOfRow<L, kScale, AdmGain::kFractional>;
    decouple(rows, columns, scale.gain);
    // Restored detail masks additive impairment only; at the other scales its terms come with its weighted magnitudes.
    const int first = kScale == 0 && plan_.skip_aim ? 1 : 0;
    for (int part = first; part < 2; ++part) ComputeTerms<kScale>(row, part, columns);
  }

  template <int kScale>
  void ComputeTerms(i32 row, int part, const AdmColumns& columns) {
    const Scale& scale = scales_[kScale];
    const AdmSimdLines& lines = args_.buffers.scale(kScale);
    i32* const neighbours = lines.Neighbours(part);
    AdmTermsRows<kScale> rows = {{}, {}, neighbours, lines.Centres(row, part)};
    for (int band = 0; band < 3; ++band) {
      rows.part[band] = lines.template Part<AdmValue<kScale>>(row, part, band);
      if constexpr (kScale > 0) rows.weighted[band] = lines.Weighted(row, part, band);
    }
    AdmTermsOfRow<L, kScale>(rows, columns, plan_.csf.scales[kScale].fixed);
    if (scale.columns.inner.begin == 0) neighbours[-1] = neighbours[1];
    if (scale.columns.inner.end == scale.columns.outputs) neighbours[columns.count] = neighbours[columns.count - 1];
    AdmTriplesOfRow<L>(neighbours, columns, lines.Triples(row, part));
  }

  template <int kScale>
  void AddNumerators(i32 row) {
    AddNumerator<kScale>(row, 0, AdmSum::kRestored);
    if (!plan_.skip_aim) AddNumerator<kScale>(row, 1, AdmSum::kImpairment);
  }

  template <int kScale>
  void AddNumerator(i32 row, int part, AdmSum sum) {
    const Scale& scale = scales_[kScale];
    const AdmSimdLines& lines = args_.buffers.scale(kScale);
    const int other = 1 - part;
    AdmNumeratorRows rows = {};
    rows.triples[0] = lines.Triples(row > 0 ? row - 1 : 1, other);
    rows.triples[1] = lines.Triples(row, other);
    rows.triples[2] = lines.Triples(row + 1 < rows_[kScale].outputs ? row + 1 : row, other);
    rows.centres = lines.Centres(row, other);
    for (int band = 0; band < 3; ++band) {
      if constexpr (kScale == 0) rows.parts[band] = lines.template Part<i16>(row, part, band);
      if constexpr (kScale > 0) rows.weighted[band] = lines.Weighted(row, part, band);
    }
    const AdmColumns columns = {scale.columns.detail.end - scale.columns.detail.begin, scale.inner};
    i32* const visible[3] = {lines.Visible(0), lines.Visible(1), lines.Visible(2)};
    AdmVisibleOfRow<L, kScale>(rows, columns, plan_.csf.scales[kScale].fixed, visible);
    constexpr int kShift = kScale == 0 ? 29 : 30;
    u64 sums[3] = {AdmCubesOfRow<L, kShift>(visible[0], columns, scale.hv),
                   AdmCubesOfRow<L, kShift>(visible[1], columns, scale.hv),
                   AdmCubesOfRow<L, 30>(visible[2], columns, scale.d)};
    for (u64& value : sums) value = AdmRoundRow(value, plan_.shifts[kScale].numerator.row);
    AddRow(kScale, sum, sums);
  }

  void AddRow(std::size_t scale, AdmSum sum, const u64 (&row_sums)[3]) {
    for (std::size_t band = 0; band < 3; ++band) args_.facts[AdmFactIndex(scale, sum, band)] += row_sums[band];
  }

  const AdmSimdArgs& args_;
  const AdmPlan& plan_;
  std::array<AdmAxis, kAdmScales> rows_;
  std::array<Scale, kAdmScales> scales_{};
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
