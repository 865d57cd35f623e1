// SPDX-License-Identifier: BSD-2-Clause-Patent
// The lane vocabulary on the registers of one Highway target; read once for each target.
#if defined(LOCKSTEP_LANES_HIGHWAY_LANE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_LANES_HIGHWAY_LANE_INL_H_
#undef LOCKSTEP_LANES_HIGHWAY_LANE_INL_H_
#else
#define LOCKSTEP_LANES_HIGHWAY_LANE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "lanes/scalar_lane.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {

template <int kBegin, int... kIndex, class Function>
LOCKSTEP_LANE_INLINE void UnrollSequence(std::integer_sequence<int, kIndex...> /*indices*/, const Function& function) {
  (function(std::integral_constant<int, kBegin + kIndex>()), ...);
}

/// function(constant) for kBegin … kEnd - 1: compilers leave loops over arrays of registers rolled.
template <int kBegin, int kEnd, class Function>
LOCKSTEP_LANE_INLINE void Unroll(const Function& function) {
  UnrollSequence<kBegin>(std::make_integer_sequence<int, kEnd - kBegin>(), function);
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
// Never chosen; texts that mention the lane need not care.
using HighwayLane = ScalarLane;
#else
namespace hn = hwy::HWY_NAMESPACE;

#define LOCKSTEP_LANE static HWY_INLINE HWY_ATTR

/// Operations are described at ScalarLane.
struct HighwayLane {
  using D32 = hn::ScalableTag<std::int32_t>;
  using D16 = hn::Repartition<std::int16_t, D32>;
  using D64 = hn::Repartition<std::int64_t, D32>;
  using DU16 = hn::Repartition<std::uint16_t, D32>;
  using DU32 = hn::Repartition<std::uint32_t, D32>;
  using DU64 = hn::Repartition<std::uint64_t, D32>;
  using DF32 = hn::Repartition<float, D32>;
  using DF64 = hn::Repartition<double, D32>;
  using DHalf32 = hn::Half<D32>;
  using DHalfF32 = hn::Half<DF32>;
  using DBytes = hn::Half<hn::Repartition<std::uint8_t, D32> >;
  using DFewBytes = hn::Rebind<std::uint8_t, D32>;
  using DFewU16 = hn::Rebind<std::uint16_t, D32>;
  using DFew16 = hn::Rebind<std::int16_t, D32>;

  using I32 = hn::Vec<D32>;
  using I16 = hn::Vec<D16>;
  using Mask = hn::Mask<D32>;
  using F32 = hn::Vec<DF32>;
  struct F64 {
    hn::Vec<DF64> low;  // of the lower half of the values
    hn::Vec<DF64> high;
  };
  using R64 = hn::Vec<DF64>;
  // NEON widens the lower and the upper half of a register, x86 the values with even numbers.
  struct U64 {
    hn::Vec<DU64> first;   // of the values in the lower half, or of those with even numbers
    hn::Vec<DU64> second;  // of the others
  };
  static constexpr int N = HWY_LANES(std::int32_t);
  static constexpr int N64 = N / 2;
  static constexpr int kRegs = HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3 ? 16 : 32;
  static constexpr int kTableSize = N;

  // Memory.
  LOCKSTEP_LANE I16 Load(const std::uint8_t* p) { return hn::PromoteTo(D16(), hn::LoadU(DBytes(), p)); }
  LOCKSTEP_LANE I16 Load(const std::uint16_t* p) { return hn::BitCast(D16(), hn::LoadU(DU16(), p)); }
  LOCKSTEP_LANE I16 Load(const std::int16_t* p) { return hn::LoadU(D16(), p); }
  LOCKSTEP_LANE I32 Load(const std::int32_t* p) { return hn::LoadU(D32(), p); }
  LOCKSTEP_LANE F32 Load(const float* p) { return hn::LoadU(DF32(), p); }
  LOCKSTEP_LANE I32 Load32(const std::uint8_t* p) { return hn::PromoteTo(D32(), hn::LoadU(DFewBytes(), p)); }
  LOCKSTEP_LANE I32 Load32(const std::uint16_t* p) { return hn::PromoteTo(D32(), hn::LoadU(DFewU16(), p)); }
  LOCKSTEP_LANE I32 Load32(const std::int16_t* p) { return hn::PromoteTo(D32(), hn::LoadU(DFew16(), p)); }
  LOCKSTEP_LANE I32 LoadPairs(const std::int16_t* p) { return hn::BitCast(D32(), hn::LoadU(D16(), p)); }
  LOCKSTEP_LANE void Store(I32 v, std::int32_t* p) { hn::StoreU(v, D32(), p); }
  LOCKSTEP_LANE void Store(I16 v, std::int16_t* p) { hn::StoreU(v, D16(), p); }
  LOCKSTEP_LANE void Store(I16 v, std::uint16_t* p) { hn::StoreU(hn::BitCast(DU16(), v), DU16(), p); }
  LOCKSTEP_LANE void Store(F32 v, float* p) { hn::StoreU(v, DF32(), p); }
  LOCKSTEP_LANE void StoreU16(I32 v, std::uint16_t* p) { hn::StoreU(hn::DemoteTo(DFewU16(), v), DFewU16(), p); }
  LOCKSTEP_LANE void Prefetch(const void* p) { __builtin_prefetch(p); }

  // I16.
  LOCKSTEP_LANE I16 Set16(std::int16_t v) { return hn::Set(D16(), v); }
  LOCKSTEP_LANE I16 First16(int n) { return hn::VecFromMask(D16(), hn::FirstN(D16(), static_cast<std::size_t>(n))); }
  LOCKSTEP_LANE I16 Add16(I16 x, I16 y) { return hn::Add(x, y); }
  LOCKSTEP_LANE I16 Sub16(I16 x, I16 y) { return hn::Sub(x, y); }
  LOCKSTEP_LANE I16 Xor16(I16 x, I16 y) { return hn::Xor(x, y); }
  LOCKSTEP_LANE I16 And16(I16 x, I16 y) { return hn::And(x, y); }
  LOCKSTEP_LANE I16 Or16(I16 x, I16 y) { return hn::Or(x, y); }
  LOCKSTEP_LANE I16 Abs16(I16 x) { return hn::Abs(x); }
  LOCKSTEP_LANE I16 Min16(I16 x, I16 y) { return hn::Min(x, y); }
  LOCKSTEP_LANE I16 Max16(I16 x, I16 y) { return hn::Max(x, y); }
  LOCKSTEP_LANE I16 AverageU16(I16 x, I16 y) {
    return hn::BitCast(D16(), hn::AverageRound(hn::BitCast(DU16(), x), hn::BitCast(DU16(), y)));
  }
  LOCKSTEP_LANE I16 AbsDiffU16(I16 x, I16 y) {
    const auto u = hn::BitCast(DU16(), x);
    const auto v = hn::BitCast(DU16(), y);
#if HWY_ARCH_ARM_A64
    return hn::BitCast(D16(), hn::AbsDiff(u, v));
#else
    return hn::BitCast(D16(), hn::Or(hn::SaturatedSub(u, v), hn::SaturatedSub(v, u)));
#endif
  }
  LOCKSTEP_LANE I16 MulLo16(I16 x, I16 y) { return hn::Mul(x, y); }
  LOCKSTEP_LANE I16 MulHi16(I16 x, I16 y) { return hn::MulHigh(x, y); }
  LOCKSTEP_LANE I16 MulHiU16(I16 x, I16 y) {
    return hn::BitCast(D16(), hn::MulHigh(hn::BitCast(DU16(), x), hn::BitCast(DU16(), y)));
  }
  LOCKSTEP_LANE I16 MulHrs16(I16 x, I16 y) {
#if HWY_ARCH_ARM_A64
    // The instruction for it saturates where others wrap.
    const int16x4_t low = vrshrn_n_s32(vmull_s16(vget_low_s16(x.raw), vget_low_s16(y.raw)), 15);
    return I16(vrshrn_high_n_s32(low, vmull_high_s16(x.raw, y.raw), 15));
#else
    return hn::MulFixedPoint15(x, y);
#endif
  }
  template <int kShift>
  LOCKSTEP_LANE I16 Sar16(I16 x) {
    return hn::ShiftRight<kShift>(x);
  }
  template <int kShift>
  LOCKSTEP_LANE I16 Shr16(I16 x) {
    return hn::BitCast(D16(), hn::ShiftRight<kShift>(hn::BitCast(DU16(), x)));
  }
  LOCKSTEP_LANE I16 Shl16Same(I16 x, int shift) { return hn::ShiftLeftSame(x, shift); }
  LOCKSTEP_LANE I16 Gt16(I16 x, I16 y) { return hn::VecFromMask(D16(), hn::Gt(x, y)); }
  LOCKSTEP_LANE I16 Eq16(I16 x, I16 y) { return hn::VecFromMask(D16(), hn::Eq(x, y)); }
  LOCKSTEP_LANE std::uint64_t Bits16(I16 mask) {
    std::uint64_t bits = 0;
    hn::StoreMaskBits(D16(), hn::MaskFromVec(mask), reinterpret_cast<std::uint8_t*>(&bits));
    return bits;
  }
  LOCKSTEP_LANE I16 Select16(I16 mask, I16 x, I16 y) { return hn::IfVecThenElse(mask, x, y); }

  // Between i16 and i32: zips and packs stay inside blocks of 128 bits.
  LOCKSTEP_LANE I32 ZipLo(I16 x, I16 y) { return hn::ZipLower(D32(), x, y); }
  LOCKSTEP_LANE I32 ZipHi(I16 x, I16 y) { return hn::ZipUpper(D32(), x, y); }
#if HWY_ARCH_ARM_A64
  LOCKSTEP_LANE I32 PairEven(I16 x, I16 y) { return AsPairs(hn::InterleaveEven(D16(), x, y)); }
  LOCKSTEP_LANE I32 PairOdd(I16 x, I16 y) { return AsPairs(hn::InterleaveOdd(D16(), x, y)); }
#else
  LOCKSTEP_LANE I32 PairEven(I16 x, I16 y) { return AsPairs(MergeHalves(AsPairs(x), Shl<16>(AsPairs(y)))); }
  LOCKSTEP_LANE I32 PairOdd(I16 x, I16 y) { return AsPairs(MergeHalves(Shr<16>(AsPairs(x)), AsPairs(y))); }
#endif
  LOCKSTEP_LANE I16 MergeHalves(I32 x, I32 y) { return hn::OddEven(hn::BitCast(D16(), y), hn::BitCast(D16(), x)); }
  LOCKSTEP_LANE I32 AsPairs(I16 x) { return hn::BitCast(D32(), x); }
#if HWY_ARCH_ARM_A64
  LOCKSTEP_LANE I16 Pack(I32 x, I32 y) { return PackLow(x, y); }
  LOCKSTEP_LANE I16 PackHigh(I32 x, I32 y) {
    return hn::ConcatOdd(D16(), hn::BitCast(D16(), y), hn::BitCast(D16(), x));
  }
  LOCKSTEP_LANE I16 PackLow(I32 x, I32 y) {
    return hn::ConcatEven(D16(), hn::BitCast(D16(), y), hn::BitCast(D16(), x));
  }
#else
  LOCKSTEP_LANE I16 Pack(I32 x, I32 y) { return hn::ReorderDemote2To(D16(), x, y); }
  LOCKSTEP_LANE I16 PackHigh(I32 x, I32 y) { return Pack(Sar<16>(x), Sar<16>(y)); }
  LOCKSTEP_LANE I16 PackLow(I32 x, I32 y) {
    const I32 low = Set(0xffff);
    return hn::BitCast(D16(), hn::ReorderDemote2To(DU16(), hn::And(x, low), hn::And(y, low)));
  }
#endif
  LOCKSTEP_LANE void TransposeEights(I16 (&rows)[8]) {
    I32 fours[8];
    Unroll<0, 4>([&](auto pair) HWY_ATTR __attribute__((always_inline)) {
      constexpr int i = 2 * pair;
      fours[i] = AsPairs(hn::InterleaveLower(D16(), rows[i], rows[i + 1]));
      fours[i + 1] = AsPairs(hn::InterleaveUpper(D16(), rows[i], rows[i + 1]));
    });
    // Two columns of four rows each.
    hn::Vec<D64> eights[8];
    Unroll<0, 4>([&](auto pair) HWY_ATTR __attribute__((always_inline)) {
      constexpr int i = pair % 2 + pair / 2 * 4;
      constexpr int to = pair % 2 * 2 + pair / 2 * 4;
      eights[to] = hn::BitCast(D64(), hn::InterleaveLower(D32(), fours[i], fours[i + 2]));
      eights[to + 1] = hn::BitCast(D64(), hn::InterleaveUpper(D32(), fours[i], fours[i + 2]));
    });
    Unroll<0, 4>([&](auto pair) HWY_ATTR __attribute__((always_inline)) {
      rows[2 * pair] = hn::BitCast(D16(), hn::InterleaveLower(D64(), eights[pair], eights[pair + 4]));
      rows[2 * pair + 1] = hn::BitCast(D16(), hn::InterleaveUpper(D64(), eights[pair], eights[pair + 4]));
    });
  }
  LOCKSTEP_LANE I16 MaskPack16(Mask x, Mask y) { return Pack(hn::VecFromMask(D32(), x), hn::VecFromMask(D32(), y)); }
  LOCKSTEP_LANE I16 Natural(I16 x) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    return I16{_mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), x.raw)};
#elif HWY_TARGET == HWY_AVX2
    return I16{_mm256_permute4x64_epi64(x.raw, 0xD8)};
#else
    static_assert(HWY_LANES(std::int32_t) == 4, "one block, which needs no reordering");
    return x;
#endif
  }
  LOCKSTEP_LANE I32 MulPair(I32 x, I32 y) {
    return hn::WidenMulPairwiseAdd(D32(), hn::BitCast(D16(), x), hn::BitCast(D16(), y));
  }
  LOCKSTEP_LANE I32 Dot(I32 sum, I32 x, I32 y) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
    // One instruction, and x86 does not use the second sum.
    I32 unused = hn::Zero(D32());
    return hn::ReorderWidenMulAccumulate(D32(), hn::BitCast(D16(), x), hn::BitCast(D16(), y), sum, unused);
#else
    I32 result = hn::Add(sum, MulPair(x, y));
#if HWY_ARCH_X86 && !defined(__clang__)
    // GCC 12 otherwise moves products away from their sums, and spills.
    asm("" : "+v"(result.raw));
#endif
    return result;
#endif
  }

  // I32.
  LOCKSTEP_LANE I32 Set(std::int32_t v) { return hn::Set(D32(), v); }
  LOCKSTEP_LANE I32 InRegister(I32 x) {
#if HWY_ARCH_X86 && !defined(__clang__)
    // GCC otherwise folds a constant or a load into each instruction that uses it, until loads are the limit. With 32
    // registers it keeps them by itself.
    if constexpr (kRegs == 16) asm volatile("" : "+x"(x.raw));
#endif
    return x;
  }
  LOCKSTEP_LANE I32 Add(I32 x, I32 y) { return hn::Add(x, y); }
  LOCKSTEP_LANE I32 Sub(I32 x, I32 y) { return hn::Sub(x, y); }
  LOCKSTEP_LANE I32 Mul(I32 x, I32 y) { return hn::Mul(x, y); }
  LOCKSTEP_LANE I32 Xor(I32 x, I32 y) { return hn::Xor(x, y); }
  LOCKSTEP_LANE I32 And(I32 x, I32 y) { return hn::And(x, y); }
  LOCKSTEP_LANE I32 Or(I32 x, I32 y) { return hn::Or(x, y); }
  LOCKSTEP_LANE I32 Max(I32 x, I32 y) { return hn::Max(x, y); }
  LOCKSTEP_LANE I32 Min(I32 x, I32 y) { return hn::Min(x, y); }
  LOCKSTEP_LANE I32 Abs(I32 x) { return hn::Abs(x); }
  template <int kShift>
  LOCKSTEP_LANE I32 Shl(I32 x) {
    return hn::ShiftLeft<kShift>(x);
  }
  template <int kShift>
  LOCKSTEP_LANE I32 Sar(I32 x) {
    return hn::ShiftRight<kShift>(x);
  }
  template <int kShift>
  LOCKSTEP_LANE I32 Shr(I32 x) {
    return Signed(hn::ShiftRight<kShift>(Unsigned(x)));
  }
  LOCKSTEP_LANE I32 SarSame(I32 x, int shift) { return hn::ShiftRightSame(x, shift); }
  LOCKSTEP_LANE I32 ShrVar(I32 x, I32 shift) { return Signed(hn::Shr(Unsigned(x), Unsigned(shift))); }
  LOCKSTEP_LANE I32 ShlVar(I32 x, I32 shift) { return hn::Shl(x, shift); }
#if HWY_ARCH_ARM_A64
  LOCKSTEP_LANE I32 MulHighRound(I32 x, I32 y) {
    const uint32x4_t u = Unsigned(x).raw;
    const uint32x4_t v = Unsigned(y).raw;
    const uint32x2_t low = vrshrn_n_u64(vmull_u32(vget_low_u32(u), vget_low_u32(v)), 32);
    return Signed(hn::Vec<DU32>(vrshrn_high_n_u64(low, vmull_high_u32(u, v), 32)));
  }
  template <int kShift>
  LOCKSTEP_LANE I32 MulShiftRound(I32 x, I32 y) {
    const int32x2_t low = vrshrn_n_s64(vmull_s32(vget_low_s32(x.raw), vget_low_s32(y.raw)), kShift);
    return I32(vrshrn_high_n_s64(low, vmull_high_s32(x.raw, y.raw), kShift));
  }
#else
  LOCKSTEP_LANE I32 MulHighRound(I32 x, I32 y) {
    const auto rounding = hn::Set(DU64(), std::uint64_t{1} << 31);
    const auto even = hn::Add(hn::MulEven(Unsigned(x), Unsigned(y)), rounding);
    const auto odd = hn::Add(hn::MulEven(Unsigned(OddDown(x)), Unsigned(OddDown(y))), rounding);
    return hn::OddEven(hn::BitCast(D32(), odd), hn::BitCast(D32(), hn::ShiftRight<32>(even)));
  }
  template <int kShift>
  LOCKSTEP_LANE I32 MulShiftRound(I32 x, I32 y) {
    const auto rounding = hn::Set(D64(), std::int64_t{1} << (kShift - 1));
    const auto even = hn::BitCast(DU64(), hn::Add(hn::MulEven(x, y), rounding));
    const auto odd = hn::BitCast(DU64(), hn::Add(hn::MulEven(OddDown(x), OddDown(y)), rounding));
    // Only 32 bits are kept, so that the kind of shift does not matter.
    return hn::OddEven(hn::BitCast(D32(), hn::ShiftLeft<32 - kShift>(odd)),
                       hn::BitCast(D32(), hn::ShiftRight<kShift>(even)));
  }
#endif
  LOCKSTEP_LANE I32 FloorLog2(I32 x) {
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
    // Without the bit below the top one the conversion cannot round up to the next power of two.
    const I32 top = hn::AndNot(hn::ShiftRight<1>(x), x);
    return hn::Sub(hn::ShiftRight<23>(hn::BitCast(D32(), ToF(top))), Set(127));
#else
    return hn::Sub(Set(31), hn::LeadingZeroCount(x));
#endif
  }
#if HWY_ARCH_ARM_A64
  LOCKSTEP_LANE I32 Gather(const std::int32_t* table, I32 index) {
    int32x4_t v = vld1q_dup_s32(table + vgetq_lane_s32(index.raw, 0));
    v = vld1q_lane_s32(table + vgetq_lane_s32(index.raw, 1), v, 1);
    v = vld1q_lane_s32(table + vgetq_lane_s32(index.raw, 2), v, 2);
    return I32(vld1q_lane_s32(table + vgetq_lane_s32(index.raw, 3), v, 3));
  }
#else
  LOCKSTEP_LANE I32 Gather(const std::int32_t* table, I32 index) { return hn::GatherIndex(D32(), table, index); }
#endif
  LOCKSTEP_LANE F32 Lookup(F32 table, I32 index) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    return F32{_mm512_permutexvar_ps(index.raw, table.raw)};
#elif HWY_TARGET == HWY_AVX2
    return F32{_mm256_permutevar8x32_ps(table.raw, index.raw)};
#else
    static_assert(N == 4, "16 bytes");
    using DBytes16 = hn::Repartition<std::uint8_t, D32>;
    const I32 bytes = Add(Mul(And(index, Set(3)), Set(0x04040404)), Set(0x03020100));
    return hn::BitCast(DF32(), hn::TableLookupBytes(hn::BitCast(DBytes16(), table), hn::BitCast(DBytes16(), bytes)));
#endif
  }
  LOCKSTEP_LANE bool AllZero(I32 x) { return hn::AllTrue(D32(), hn::Eq(x, hn::Zero(D32()))); }
#if HWY_ARCH_ARM_A64
  LOCKSTEP_LANE std::int64_t Sum(I32 x) { return vaddlvq_s32(x.raw); }
  LOCKSTEP_LANE std::int64_t SumU(I32 x) { return static_cast<std::int64_t>(vaddlvq_u32(Unsigned(x).raw)); }
#else
  LOCKSTEP_LANE std::int64_t Sum(I32 x) {
    const auto both = hn::BitCast(D64(), x);
    const auto odd = hn::ShiftRight<32>(both);
    const auto even = hn::ShiftRight<32>(hn::ShiftLeft<32>(both));
    return hn::ReduceSum(D64(), hn::Add(odd, even));
  }
  LOCKSTEP_LANE std::int64_t SumU(I32 x) {
    const auto both = hn::BitCast(DU64(), x);
    const auto even = hn::And(both, hn::Set(DU64(), 0xffffffffu));
    return static_cast<std::int64_t>(hn::ReduceSum(DU64(), hn::Add(hn::ShiftRight<32>(both), even)));
  }
#endif

  // U64.
  LOCKSTEP_LANE U64 Zero64() { return {hn::Zero(DU64()), hn::Zero(DU64())}; }
  LOCKSTEP_LANE U64 Set64(std::uint64_t v) { return {hn::Set(DU64(), v), hn::Set(DU64(), v)}; }
  LOCKSTEP_LANE U64 Add64(U64 x, U64 y) { return {hn::Add(x.first, y.first), hn::Add(x.second, y.second)}; }
#if HWY_ARCH_ARM_A64
  LOCKSTEP_LANE U64 Split(I32 x) {
    const uint32x4_t u = Unsigned(x).raw;
    return {hn::Vec<DU64>(vmovl_u32(vget_low_u32(u))), hn::Vec<DU64>(vmovl_high_u32(u))};
  }
  LOCKSTEP_LANE U64 MulLow(U64 x, U64 y) {
    return {hn::Vec<DU64>(vmull_u32(vmovn_u64(x.first.raw), vmovn_u64(y.first.raw))),
            hn::Vec<DU64>(vmull_u32(vmovn_u64(x.second.raw), vmovn_u64(y.second.raw)))};
  }
  LOCKSTEP_LANE U64 MulAcc64(U64 sum, I32 x, I32 y) {
    const uint32x4_t u = Unsigned(x).raw;
    const uint32x4_t v = Unsigned(y).raw;
    return {hn::Vec<DU64>(vmlal_u32(sum.first.raw, vget_low_u32(u), vget_low_u32(v))),
            hn::Vec<DU64>(vmlal_high_u32(sum.second.raw, u, v))};
  }
#else
  /// The first half keeps garbage above bit 31: only for MulLow.
  LOCKSTEP_LANE U64 Split(I32 x) {
    const auto both = hn::BitCast(DU64(), x);
    return {both, hn::ShiftRight<32>(both)};
  }
  LOCKSTEP_LANE U64 MulLow(U64 x, U64 y) {
    return {hn::MulEven(hn::BitCast(DU32(), x.first), hn::BitCast(DU32(), y.first)),
            hn::MulEven(hn::BitCast(DU32(), x.second), hn::BitCast(DU32(), y.second))};
  }
  LOCKSTEP_LANE U64 MulAcc64(U64 sum, I32 x, I32 y) { return Add64(sum, MulLow(Split(x), Split(y))); }
#endif
  LOCKSTEP_LANE I32 RoundShift64(U64 x, std::uint64_t rounding, int shift) {
    const auto add = hn::Set(DU64(), rounding);
    const auto first = hn::ShiftRightSame(hn::Add(x.first, add), shift);
    const auto second = hn::ShiftRightSame(hn::Add(x.second, add), shift);
    return LowWords({first, second});
  }
  template <int kShift>
  LOCKSTEP_LANE U64 Shr64(U64 x) {
    return {hn::ShiftRight<kShift>(x.first), hn::ShiftRight<kShift>(x.second)};
  }
  LOCKSTEP_LANE U64 ShrVar64(U64 x, U64 shift) {
    return {hn::Shr(x.first, shift.first), hn::Shr(x.second, shift.second)};
  }
  LOCKSTEP_LANE std::int64_t Sum64(U64 x) {
    return static_cast<std::int64_t>(hn::ReduceSum(DU64(), hn::Add(x.first, x.second)));
  }

  // Masks.
  LOCKSTEP_LANE Mask Gt(I32 x, I32 y) { return hn::Gt(x, y); }
  LOCKSTEP_LANE Mask AndM(Mask x, Mask y) { return hn::And(x, y); }
  LOCKSTEP_LANE Mask OrM(Mask x, Mask y) { return hn::Or(x, y); }
  LOCKSTEP_LANE Mask AndNotM(Mask x, Mask y) { return hn::AndNot(x, y); }
  LOCKSTEP_LANE Mask FirstN(int n) { return hn::FirstN(D32(), static_cast<std::size_t>(n < 0 ? 0 : n)); }
  LOCKSTEP_LANE I32 Keep(Mask mask, I32 x) { return hn::IfThenElseZero(mask, x); }
  LOCKSTEP_LANE I32 KeepNot(Mask mask, I32 x) { return hn::IfThenZeroElse(mask, x); }
  LOCKSTEP_LANE I32 Select(Mask mask, I32 x, I32 y) { return hn::IfThenElse(mask, x, y); }
  LOCKSTEP_LANE bool AllFalse(Mask mask) { return hn::AllFalse(D32(), mask); }

  // Binary32.
  LOCKSTEP_LANE F32 SetF(float v) { return hn::Set(DF32(), v); }
  LOCKSTEP_LANE F32 ToF(I32 x) { return hn::ConvertTo(DF32(), x); }
  LOCKSTEP_LANE F32 AsF(I32 x) { return hn::BitCast(DF32(), x); }
  LOCKSTEP_LANE I32 BitsF(F32 x) { return hn::BitCast(D32(), x); }
#if HWY_ARCH_ARM_A64
  LOCKSTEP_LANE F32 GatherF(const float* table, I32 index) {
    float32x4_t v = vld1q_dup_f32(table + vgetq_lane_s32(index.raw, 0));
    v = vld1q_lane_f32(table + vgetq_lane_s32(index.raw, 1), v, 1);
    v = vld1q_lane_f32(table + vgetq_lane_s32(index.raw, 2), v, 2);
    return F32(vld1q_lane_f32(table + vgetq_lane_s32(index.raw, 3), v, 3));
  }
#else
  LOCKSTEP_LANE F32 GatherF(const float* table, I32 index) { return hn::GatherIndex(DF32(), table, index); }
#endif
  LOCKSTEP_LANE I32 TruncF(F32 x) { return hn::ConvertInRangeTo(D32(), x); }
  LOCKSTEP_LANE F32 AddF(F32 x, F32 y) { return hn::Add(x, y); }
  LOCKSTEP_LANE F32 SubF(F32 x, F32 y) { return hn::Sub(x, y); }
  LOCKSTEP_LANE F32 MulF(F32 x, F32 y) { return hn::Mul(x, y); }
  LOCKSTEP_LANE F32 DivF(F32 x, F32 y) { return hn::Div(x, y); }
  LOCKSTEP_LANE F32 AbsF(F32 x) { return hn::Abs(x); }
  LOCKSTEP_LANE F32 MaxF(F32 x, F32 y) { return hn::Max(x, y); }
  LOCKSTEP_LANE F32 SqrtF(F32 x) { return hn::Sqrt(x); }
  LOCKSTEP_LANE F32 KeepNotF(Mask mask, F32 x) { return hn::IfThenZeroElse(hn::RebindMask(DF32(), mask), x); }
  LOCKSTEP_LANE F32 SelectF(Mask mask, F32 x, F32 y) { return hn::IfThenElse(hn::RebindMask(DF32(), mask), x, y); }
  LOCKSTEP_LANE F32 EvensF(F32 x, F32 y) { return hn::ConcatEven(DF32(), y, x); }
  LOCKSTEP_LANE F32 OddsF(F32 x, F32 y) { return hn::ConcatOdd(DF32(), y, x); }
  LOCKSTEP_LANE void Transpose(F32 (&block)[N]) {
    const DF32 f32;
    const DF64 f64;
    F32 mixed[N];
    // Inside blocks of 128 bits: four rows by four columns each.
    Unroll<0, N / 4>([&](auto group) HWY_ATTR __attribute__((always_inline)) {
      constexpr int i = 4 * group;
      const auto low01 = hn::BitCast(f64, hn::InterleaveLower(f32, block[i], block[i + 1]));
      const auto low23 = hn::BitCast(f64, hn::InterleaveLower(f32, block[i + 2], block[i + 3]));
      const auto high01 = hn::BitCast(f64, hn::InterleaveUpper(f32, block[i], block[i + 1]));
      const auto high23 = hn::BitCast(f64, hn::InterleaveUpper(f32, block[i + 2], block[i + 3]));
      mixed[i] = hn::BitCast(f32, hn::InterleaveLower(f64, low01, low23));
      mixed[i + 1] = hn::BitCast(f32, hn::InterleaveUpper(f64, low01, low23));
      mixed[i + 2] = hn::BitCast(f32, hn::InterleaveLower(f64, high01, high23));
      mixed[i + 3] = hn::BitCast(f32, hn::InterleaveUpper(f64, high01, high23));
    });
    // Then the blocks.
    Unroll<0, 4>([&](auto i) HWY_ATTR __attribute__((always_inline)) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
      const __m512 low01 = _mm512_shuffle_f32x4(mixed[i].raw, mixed[i + 4].raw, 0x88);
      const __m512 high01 = _mm512_shuffle_f32x4(mixed[i].raw, mixed[i + 4].raw, 0xDD);
      const __m512 low23 = _mm512_shuffle_f32x4(mixed[i + 8].raw, mixed[i + 12].raw, 0x88);
      const __m512 high23 = _mm512_shuffle_f32x4(mixed[i + 8].raw, mixed[i + 12].raw, 0xDD);
      block[i] = F32{_mm512_shuffle_f32x4(low01, low23, 0x88)};
      block[i + 4] = F32{_mm512_shuffle_f32x4(high01, high23, 0x88)};
      block[i + 8] = F32{_mm512_shuffle_f32x4(low01, low23, 0xDD)};
      block[i + 12] = F32{_mm512_shuffle_f32x4(high01, high23, 0xDD)};
#elif HWY_TARGET == HWY_AVX2
      block[i] = hn::ConcatLowerLower(f32, mixed[i + 4], mixed[i]);
      block[i + 4] = hn::ConcatUpperUpper(f32, mixed[i + 4], mixed[i]);
#else
      static_assert(N == 4, "one block");
      block[i] = mixed[i];
#endif
    });
  }
  LOCKSTEP_LANE Mask GeF(F32 x, F32 y) { return hn::RebindMask(D32(), hn::Ge(x, y)); }
  LOCKSTEP_LANE Mask LtF(F32 x, F32 y) { return hn::RebindMask(D32(), hn::Lt(x, y)); }

  // Binary64.
  LOCKSTEP_LANE F64 SetD(double v) { return {hn::Set(DF64(), v), hn::Set(DF64(), v)}; }
  LOCKSTEP_LANE F64 ToD(I32 x) {
    return {hn::PromoteTo(DF64(), hn::LowerHalf(DHalf32(), x)), hn::PromoteTo(DF64(), hn::UpperHalf(DHalf32(), x))};
  }
  LOCKSTEP_LANE F64 LoadD(const std::int32_t* p) {
    return {hn::PromoteTo(DF64(), hn::LoadU(DHalf32(), p)), hn::PromoteTo(DF64(), hn::LoadU(DHalf32(), p + N / 2))};
  }
  LOCKSTEP_LANE F64 ToD(F32 x) { return {hn::PromoteLowerTo(DF64(), x), hn::PromoteUpperTo(DF64(), x)}; }
  LOCKSTEP_LANE F64 LoadD(const double* p) { return {hn::LoadU(DF64(), p), hn::LoadU(DF64(), p + N / 2)}; }
  LOCKSTEP_LANE void StoreD(F64 v, double* p) {
    hn::StoreU(v.low, DF64(), p);
    hn::StoreU(v.high, DF64(), p + N / 2);
  }
  LOCKSTEP_LANE F32 ToF(F64 x) {
    return hn::Combine(DF32(), hn::DemoteTo(DHalfF32(), x.high), hn::DemoteTo(DHalfF32(), x.low));
  }
  LOCKSTEP_LANE I32 FromD(F64 x) {
    return hn::Combine(D32(), hn::DemoteInRangeTo(DHalf32(), x.high), hn::DemoteInRangeTo(DHalf32(), x.low));
  }
  LOCKSTEP_LANE F64 AddD(F64 x, F64 y) { return {hn::Add(x.low, y.low), hn::Add(x.high, y.high)}; }
  LOCKSTEP_LANE F64 SubD(F64 x, F64 y) { return {hn::Sub(x.low, y.low), hn::Sub(x.high, y.high)}; }
  LOCKSTEP_LANE F64 MulD(F64 x, F64 y) { return {hn::Mul(x.low, y.low), hn::Mul(x.high, y.high)}; }
  LOCKSTEP_LANE F64 DivD(F64 x, F64 y) { return {hn::Div(x.low, y.low), hn::Div(x.high, y.high)}; }
  LOCKSTEP_LANE F64 SqrtD(F64 x) { return {hn::Sqrt(x.low), hn::Sqrt(x.high)}; }
  LOCKSTEP_LANE F64 SelectGtD(F64 x, F64 y, F64 a, F64 b) {
    return {hn::IfThenElse(hn::Gt(x.low, y.low), a.low, b.low), hn::IfThenElse(hn::Gt(x.high, y.high), a.high, b.high)};
  }
  LOCKSTEP_LANE F64 MinD(F64 x, F64 y) { return {hn::Min(x.low, y.low), hn::Min(x.high, y.high)}; }
  LOCKSTEP_LANE F64 MaxD(F64 x, F64 y) { return {hn::Max(x.low, y.low), hn::Max(x.high, y.high)}; }
  LOCKSTEP_LANE F64 TruncD(F64 x) { return {hn::Trunc(x.low), hn::Trunc(x.high)}; }
  LOCKSTEP_LANE I32 TopWord(F64 x) {
    return hn::ConcatOdd(D32(), hn::BitCast(D32(), x.high), hn::BitCast(D32(), x.low));
  }

  // One register of binary64.
  LOCKSTEP_LANE R64 LoadR(const double* p) { return hn::LoadU(DF64(), p); }
  LOCKSTEP_LANE void StoreR(R64 v, double* p) { hn::StoreU(v, DF64(), p); }
  LOCKSTEP_LANE R64 SetR(double v) { return hn::Set(DF64(), v); }
  LOCKSTEP_LANE R64 AddR(R64 x, R64 y) { return hn::Add(x, y); }
  LOCKSTEP_LANE R64 MulR(R64 x, R64 y) { return hn::Mul(x, y); }

 private:
  LOCKSTEP_LANE hn::Vec<DU32> Unsigned(I32 x) { return hn::BitCast(DU32(), x); }
  LOCKSTEP_LANE I32 Signed(hn::Vec<DU32> x) { return hn::BitCast(D32(), x); }
  /// The lower 32 bits of every value.
  LOCKSTEP_LANE I32 LowWords(U64 x) {
#if HWY_ARCH_ARM_A64
    return hn::ConcatEven(D32(), hn::BitCast(D32(), x.second), hn::BitCast(D32(), x.first));
#else
    return hn::OddEven(hn::BitCast(D32(), hn::ShiftLeft<32>(x.second)), hn::BitCast(D32(), x.first));
#endif
  }
  /// Values with odd numbers, each where the even one before it was.
  LOCKSTEP_LANE I32 OddDown(I32 x) { return hn::BitCast(D32(), hn::ShiftRight<32>(hn::BitCast(DU64(), x))); }
};

#undef LOCKSTEP_LANE
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
