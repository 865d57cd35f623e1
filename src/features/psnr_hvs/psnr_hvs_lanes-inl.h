// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr_hvs on lanes: groups of neighbouring blocks, one block a lane; read once for each target.
#if defined(LOCKSTEP_FEATURES_PSNR_HVS_PSNR_HVS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_PSNR_HVS_PSNR_HVS_LANES_INL_H_
#undef LOCKSTEP_FEATURES_PSNR_HVS_PSNR_HVS_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_PSNR_HVS_PSNR_HVS_LANES_INL_H_
#endif

#include <bit>
#include <cstring>

#include "features/psnr_hvs/psnr_hvs_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

/// Samples of `count` blocks, one place of all blocks after the other; blocks that are missing have zeros.
template <class L, class Sample>
LOCKSTEP_LANE_PASS void PsnrHvsGather(const Sample* first, i64 stride, i32 count, i16* samples) {
  constexpr i32 kEights = 2 * L::N / kPsnrHvsSide;
  constexpr i32 kRow = kPsnrHvsGroup * kPsnrHvsSide;
  // Of each row the eight samples of every block: block i of each eight makes register i of a group of registers.
  // All are copied before any is loaded, because a load that spans several pending stores waits for them.
  Sample lines[kPsnrHvsSide * kRow];
  if (count < kPsnrHvsGroup) std::memset(lines, 0, sizeof(lines));
  for (i32 row = 0; row < kPsnrHvsSide; ++row) {
    const Sample* const in = first + row * stride;
    Sample* const line = lines + row * kRow;
    for (i32 block = 0; block < count; ++block) {
      const i32 group = block / (2 * L::N);
      const i32 eight = block % (2 * L::N) / kPsnrHvsSide;
      const i32 place = (group * kPsnrHvsSide + block % kPsnrHvsSide) * kEights + eight;
      std::memcpy(line + place * kPsnrHvsSide, in + kPsnrHvsStep * block, kPsnrHvsSide * sizeof(Sample));
    }
  }
  for (i32 row = 0; row < kPsnrHvsSide; ++row) {
    for (i32 block = 0; block < kPsnrHvsGroup; block += 2 * L::N) {
      const Sample* const line = lines + row * kRow + block * kPsnrHvsSide;
      i16* const out = samples + row * kRow + block;
      typename L::I16 registers[kPsnrHvsSide];
      Unroll<0, kPsnrHvsSide>([&](auto i)
                                  __attribute__((always_inline)) { registers[i] = L::Load(line + i * 2 * L::N); });
      L::TransposeEights(registers);
      Unroll<0, kPsnrHvsSide>([&](auto i)
                                  __attribute__((always_inline)) { L::Store(registers[i], out + i * kPsnrHvsGroup); });
    }
  }
}

template <class L>
LOCKSTEP_LANE_INLINE typename L::I16 PsnrHvsHalf16(typename L::I16 v) {
  return L::template Sar16<1>(L::Add16(v, L::template Shr16<15>(v)));
}

/// PsnrHvsTransformLine() in 16 bits.
/// exact   for samples of 12 bits the greatest value of both passes, that of a white block's constant coefficient, is
///         32759; all others stay within 23172
template <class L>
LOCKSTEP_LANE_INLINE void PsnrHvsTransformLine16(const i16* in, i16* out) {
  constexpr i32 kStride = kPsnrHvsSide * kPsnrHvsGroup;
  const auto half = [](typename L::I16 v) __attribute__((always_inline)) { return PsnrHvsHalf16<L>(v); };
  const auto scaled = [](typename L::I16 v, i16 factor) __attribute__((always_inline)) {
    return L::MulHrs16(v, L::Set16(factor));
  };
  auto t0 = L::Load(in);
  auto t4 = L::Load(in + kStride);
  auto t2 = L::Load(in + 2 * kStride);
  auto t6 = L::Load(in + 3 * kStride);
  auto t7 = L::Load(in + 4 * kStride);
  auto t3 = L::Load(in + 5 * kStride);
  auto t5 = L::Load(in + 6 * kStride);
  auto t1 = L::Load(in + 7 * kStride);
  t1 = L::Sub16(t0, t1);
  const auto half1 = half(t1);
  t0 = L::Sub16(t0, half1);
  t4 = L::Add16(t4, t5);
  const auto half4 = half(t4);
  t5 = L::Sub16(t5, half4);
  t3 = L::Sub16(t2, t3);
  t2 = L::Sub16(t2, half(t3));
  t6 = L::Add16(t6, t7);
  const auto half6 = half(t6);
  t7 = L::Sub16(half6, t7);
  // Even frequencies.
  t0 = L::Add16(t0, half6);
  t6 = L::Sub16(t0, t6);
  t2 = L::Sub16(half4, t2);
  t4 = L::Sub16(t2, t4);
  t0 = L::Sub16(t0, scaled(t4, 13573));
  t4 = L::Add16(t4, scaled(t0, 23170));
  t0 = L::Sub16(t0, scaled(t4, 13573));
  t6 = L::Sub16(t6, scaled(t2, 21895));
  t2 = L::Add16(t2, scaled(t6, 30274));
  t6 = L::Sub16(t6, scaled(t2, 21895));
  // Odd frequencies.
  t3 = L::Add16(t3, scaled(t5, 19195));
  t5 = L::Add16(t5, scaled(t3, 23170));
  t3 = L::Sub16(t3, scaled(t5, 29956));
  t7 = L::Sub16(half(t5), t7);
  t5 = L::Sub16(t5, t7);
  t3 = L::Sub16(half1, t3);
  t1 = L::Sub16(t1, t3);
  t7 = L::Add16(t7, scaled(t1, 3227));
  t1 = L::Sub16(t1, scaled(t7, 6393));
  t7 = L::Add16(t7, scaled(t1, 3227));
  t5 = L::Add16(t5, scaled(t3, 9940));
  t3 = L::Sub16(t3, scaled(t5, 18205));
  t5 = L::Add16(t5, scaled(t3, 9940));
  L::Store(t0, out);
  L::Store(t1, out + kPsnrHvsGroup);
  L::Store(t2, out + 2 * kPsnrHvsGroup);
  L::Store(t3, out + 3 * kPsnrHvsGroup);
  L::Store(t4, out + 4 * kPsnrHvsGroup);
  L::Store(t5, out + 5 * kPsnrHvsGroup);
  L::Store(t6, out + 6 * kPsnrHvsGroup);
  L::Store(t7, out + 7 * kPsnrHvsGroup);
}

/// One pass of the transform, which also turns the blocks.
template <class L>
LOCKSTEP_LANE_PASS void PsnrHvsTransformPass(const i16* in, i16* out) {
  for (i32 block = 0; block < kPsnrHvsGroup; block += 2 * L::N) {
    for (i32 i = 0; i < kPsnrHvsSide; ++i) {
      PsnrHvsTransformLine16<L>(in + i * kPsnrHvsGroup + block, out + i * kPsnrHvsSide * kPsnrHvsGroup + block);
    }
  }
}

template <class L>
LOCKSTEP_LANE_INLINE typename L::F32 PsnrHvsValue(const i16* values, i32 place) {
  return L::ToF(L::Load32(values + place * kPsnrHvsGroup));
}

/// PsnrHvsTexture() of L::N blocks.
/// exact   a variance of 0 belongs to a flat block, whose quarters have none either
template <class L>
LOCKSTEP_LANE_PASS typename L::F32 PsnrHvsTextures(const i16* samples) {
  using F32 = typename L::F32;
  const F32 zero = L::SetF(0.0f);
  F32 sums[4] = {zero, zero, zero, zero};
  for (i32 row = 0; row < kPsnrHvsSide; ++row) {
    F32 left = zero;
    F32 right = zero;
    Unroll<0, 4>([&](auto column) __attribute__((always_inline)) {
      left = L::AddF(left, PsnrHvsValue<L>(samples, kPsnrHvsSide * row + column));
      right = L::AddF(right, PsnrHvsValue<L>(samples, kPsnrHvsSide * row + column + 4));
    });
    sums[row / 4] = L::AddF(sums[row / 4], left);
    sums[row / 4 + 2] = L::AddF(sums[row / 4 + 2], right);
  }
  const F32 mean = L::MulF(L::AddF(L::AddF(sums[0], sums[1]), L::AddF(sums[2], sums[3])), L::SetF(1.0f / 64.0f));
  F32 variance = zero;
  F32 variances[4];
  for (i32 half = 0; half < 2; ++half) {
    const F32 left_mean = L::MulF(sums[half], L::SetF(1.0f / 16.0f));
    const F32 right_mean = L::MulF(sums[half + 2], L::SetF(1.0f / 16.0f));
    F32 left = zero;
    F32 right = zero;
    for (i32 row = 4 * half; row < 4 * half + 4; ++row) {
      Unroll<0, kPsnrHvsSide>([&](auto column) __attribute__((always_inline)) {
        const F32 value = PsnrHvsValue<L>(samples, kPsnrHvsSide * row + column);
        const F32 difference = L::SubF(value, mean);
        variance = L::AddF(variance, L::MulF(difference, difference));
        if constexpr (column < 4) {
          const F32 local = L::SubF(value, left_mean);
          left = L::AddF(left, L::MulF(local, local));
        } else {
          const F32 local = L::SubF(value, right_mean);
          right = L::AddF(right, L::MulF(local, local));
        }
      });
    }
    variances[half] = left;
    variances[half + 2] = right;
  }
  const F32 factor = L::SetF(kPsnrHvsQuarterVariance);
  F32 local_sum = L::MulF(variances[0], factor);
  for (i32 i = 1; i < 4; ++i) local_sum = L::AddF(local_sum, L::MulF(variances[i], factor));
  variance = L::MulF(variance, L::SetF(kPsnrHvsBlockVariance));
  constexpr float kBelowAnyVariance = 0x1p-30f;
  return L::DivF(local_sum, L::MaxF(variance, L::SetF(kBelowAnyVariance)));
}

/// PsnrHvsMasking() of L::N blocks.
/// exact   squares of these coefficients stay below 2^30, so rounding the product rounds the integer
template <class L>
LOCKSTEP_LANE_PASS typename L::F32 PsnrHvsMaskings(const i16* coefficients, typename L::F32 texture,
                                                   const PsnrHvsWeights& weights) {
  auto energy = L::SetF(0.0f);
  for (i32 i = 1; i < kPsnrHvsCoefficients; ++i) {
    const auto value = PsnrHvsValue<L>(coefficients, i);
    energy = L::AddF(energy, L::MulF(L::MulF(value, value), L::SetF(weights.masking[i])));
  }
  return L::MulF(L::SqrtF(L::MulF(energy, texture)), L::SetF(1.0f / 32.0f));
}

/// The chain of a plane's additions, a group of terms at a time.
///
/// While the sum s stays in [p, 2 p), p a power of two, it is a multiple of u = p / 2^23, and adding x >= 0 adds x
/// rounded to a multiple of u. Whether s is even counts only where x is half-way between two multiples. So without
/// such an x the rounded terms may be added in any order, exactly, and if the result is below 2 p, that of the chain
/// is the same. Otherwise the group is added one by one.
template <class L>
struct PsnrHvsChain {
  typename L::F32 power;  // p; p + x - p is x rounded
  typename L::F32 sum;    // of rounded terms
  typename L::F32 error;  // greatest of the roundings

  LOCKSTEP_LANE_INLINE explicit PsnrHvsChain(float chain)
      : power(L::SetF(PowerOf(chain))), sum(L::SetF(0.0f)), error(L::SetF(0.0f)) {}

  LOCKSTEP_LANE_INLINE static float PowerOf(float chain) {
    return std::bit_cast<float>(std::bit_cast<u32>(chain) & 0x7f800000u);
  }
  LOCKSTEP_LANE_INLINE void Add(typename L::F32 term) {
    const auto rounded = L::SubF(L::AddF(power, term), power);
    sum = L::AddF(sum, rounded);
    error = L::MaxF(error, L::AbsF(L::SubF(term, rounded)));
  }
};

/// PsnrHvsTerm() of L::N blocks from block `block` of the group on.
template <class L>
LOCKSTEP_LANE_INLINE void PsnrHvsTerms(PsnrHvsScratch& scratch, i32 block, typename L::F32 masking,
                                       const PsnrHvsWeights& weights, PsnrHvsChain<L>& chain) {
  const i16* const reference = scratch.coefficients[0] + block;
  const i16* const distorted = scratch.coefficients[1] + block;
  const auto zero = L::SetF(0.0f);
  for (i32 i = 0; i < kPsnrHvsCoefficients; ++i) {
    auto error = L::AbsF(L::SubF(PsnrHvsValue<L>(reference, i), PsnrHvsValue<L>(distorted, i)));
    if (i != 0) error = L::MaxF(L::SubF(error, L::DivF(masking, L::SetF(weights.masking[i]))), zero);
    const auto weighted = L::MulF(error, L::SetF(weights.visibility[i]));
    const auto term = L::MulF(weighted, weighted);
    L::Store(term, scratch.terms + i * kPsnrHvsGroup + block);
    chain.Add(term);
  }
}

inline float PsnrHvsAddOneByOne(float chain, const float* terms, i32 count) {
  for (i32 block = 0; block < count; ++block) {
    for (i32 i = 0; i < kPsnrHvsCoefficients; ++i) chain += terms[i * kPsnrHvsGroup + block];
  }
  return chain;
}

/// The chain with the terms of a group whose samples are in the scratch.
template <class L>
LOCKSTEP_LANE_PASS float PsnrHvsAddGroup(float chain, i32 count, const PsnrHvsWeights& weights,
                                         PsnrHvsScratch& scratch) {
  for (i32 picture = 0; picture < 2; ++picture) {
    PsnrHvsTransformPass<L>(scratch.samples[picture], scratch.turned);
    PsnrHvsTransformPass<L>(scratch.turned, scratch.coefficients[picture]);
  }
  PsnrHvsChain<L> parallel(chain);
  for (i32 block = 0; block < kPsnrHvsGroup; block += L::N) {
    typename L::F32 maskings[2];
    Unroll<0, 2>([&](auto picture) __attribute__((always_inline)) {
      const auto texture = PsnrHvsTextures<L>(scratch.samples[picture] + block);
      maskings[picture] = PsnrHvsMaskings<L>(scratch.coefficients[picture] + block, texture, weights);
    });
    PsnrHvsTerms<L>(scratch, block, L::MaxF(maskings[0], maskings[1]), weights, parallel);
  }
  float sums[L::N];
  float errors[L::N];
  L::Store(parallel.sum, sums);
  L::Store(parallel.error, errors);
  const float power = PsnrHvsChain<L>::PowerOf(chain);
  float sum = chain;
  float error = 0.0f;
  for (i32 i = 0; i < L::N; ++i) {
    sum += sums[i];
    error = errors[i] > error ? errors[i] : error;
  }
  const bool any_order = power > 0.0f && error < power * 0x1p-24f && sum < 2.0f * power;
  return any_order ? sum : PsnrHvsAddOneByOne(chain, scratch.terms, count);
}

template <class L, class Sample>
LOCKSTEP_LANE_INLINE float PsnrHvsOnLanes(const PsnrHvsSimdArgs& args) {
  PsnrHvsScratch& scratch = *args.scratch;
  float chain = 0.0f;
  for (i64 y = 0; y < args.blocks_down; ++y) {
    for (i32 x = 0; x < args.blocks_across; x += kPsnrHvsGroup) {
      const i32 left = args.blocks_across - x;
      const i32 count = left < kPsnrHvsGroup ? left : kPsnrHvsGroup;
      const i64 column = i64{x} * kPsnrHvsStep;
      const i64 row = y * kPsnrHvsStep;
      PsnrHvsGather<L>(static_cast<const Sample*>(args.reference) + row * args.reference_stride + column,
                       args.reference_stride, count, scratch.samples[0]);
      PsnrHvsGather<L>(static_cast<const Sample*>(args.distorted) + row * args.distorted_stride + column,
                       args.distorted_stride, count, scratch.samples[1]);
      chain = PsnrHvsAddGroup<L>(chain, count, *args.weights, scratch);
    }
  }
  return chain;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
