// SPDX-License-Identifier: BSD-2-Clause-Patent
// The lane vocabulary with one value a register: what every operation of the other lanes means.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace lockstep {

// Texts of metrics are templates of a lane L. L::I32 holds L::N values of 32 bits, L::I16 twice as many of 16 bits.
// Operations that say "in range" agree between lanes only there. An I32 may also hold pairs of i16 (the even one in the
// low half). Sums and products of integers wrap.
#define LOCKSTEP_LANE [[gnu::always_inline]] static inline

struct ScalarLane {
  using I32 = std::int32_t;
  struct I16 {
    std::int16_t a;
    std::int16_t b;
  };
  using Mask = bool;
  using F32 = float;
  using F64 = double;
  using R64 = double;
  using U64 = std::uint64_t;
  static constexpr int N = 1;
  /// Values in one register of binary64.
  static constexpr int N64 = 1;
  static constexpr int kRegs = 16;
  /// Values in the table of Lookup().
  static constexpr int kTableSize = N;

  // Memory.
  LOCKSTEP_LANE I16 Load(const std::uint8_t* p) { return {I16Of(p[0]), I16Of(p[1])}; }
  LOCKSTEP_LANE I16 Load(const std::uint16_t* p) { return {I16Of(p[0]), I16Of(p[1])}; }
  LOCKSTEP_LANE I16 Load(const std::int16_t* p) { return {p[0], p[1]}; }
  LOCKSTEP_LANE I32 Load(const std::int32_t* p) { return *p; }
  LOCKSTEP_LANE F32 Load(const float* p) { return *p; }
  LOCKSTEP_LANE I32 Load32(const std::uint8_t* p) { return *p; }
  LOCKSTEP_LANE I32 Load32(const std::uint16_t* p) { return *p; }
  LOCKSTEP_LANE I32 Load32(const std::int16_t* p) { return *p; }
  /// Pairs (p[0], p[1]), (p[2], p[3]), …
  LOCKSTEP_LANE I32 LoadPairs(const std::int16_t* p) {
    I32 v;
    std::memcpy(&v, p, sizeof(v));
    return v;
  }
  LOCKSTEP_LANE void Store(I32 v, std::int32_t* p) { *p = v; }
  LOCKSTEP_LANE void Store(I16 v, std::int16_t* p) {
    p[0] = v.a;
    p[1] = v.b;
  }
  LOCKSTEP_LANE void Store(I16 v, std::uint16_t* p) {
    p[0] = static_cast<std::uint16_t>(v.a);
    p[1] = static_cast<std::uint16_t>(v.b);
  }
  LOCKSTEP_LANE void Store(F32 v, float* p) { *p = v; }
  /// In range: 0 … 65535.
  LOCKSTEP_LANE void StoreU16(I32 v, std::uint16_t* p) { *p = static_cast<std::uint16_t>(v); }
  LOCKSTEP_LANE void Prefetch(const void* p) { __builtin_prefetch(p); }

  // I16.
  LOCKSTEP_LANE I16 Set16(std::int16_t v) { return {v, v}; }
  /// All ones in the first n values; n >= 0.
  LOCKSTEP_LANE I16 First16(int n) { return {I16Of(-(n > 0)), I16Of(-(n > 1))}; }
  LOCKSTEP_LANE I16 Add16(I16 x, I16 y) { return {I16Of(x.a + y.a), I16Of(x.b + y.b)}; }
  LOCKSTEP_LANE I16 Sub16(I16 x, I16 y) { return {I16Of(x.a - y.a), I16Of(x.b - y.b)}; }
  LOCKSTEP_LANE I16 Xor16(I16 x, I16 y) { return {I16Of(x.a ^ y.a), I16Of(x.b ^ y.b)}; }
  LOCKSTEP_LANE I16 And16(I16 x, I16 y) { return {I16Of(x.a & y.a), I16Of(x.b & y.b)}; }
  LOCKSTEP_LANE I16 Or16(I16 x, I16 y) { return {I16Of(x.a | y.a), I16Of(x.b | y.b)}; }
  /// ~x & y
  /// -32768 stays what it is.
  LOCKSTEP_LANE I16 Abs16(I16 x) { return {I16Of(x.a < 0 ? -x.a : x.a), I16Of(x.b < 0 ? -x.b : x.b)}; }
  LOCKSTEP_LANE I16 Min16(I16 x, I16 y) { return {x.a < y.a ? x.a : y.a, x.b < y.b ? x.b : y.b}; }
  LOCKSTEP_LANE I16 Max16(I16 x, I16 y) { return {x.a > y.a ? x.a : y.a, x.b > y.b ? x.b : y.b}; }
  /// (x + y + 1) >> 1 without a carry lost, unsigned.
  LOCKSTEP_LANE I16 AverageU16(I16 x, I16 y) {
    return {I16Of((U16(x.a) + U16(y.a) + 1) >> 1), I16Of((U16(x.b) + U16(y.b) + 1) >> 1)};
  }
  /// Of unsigned values.
  LOCKSTEP_LANE I16 AbsDiffU16(I16 x, I16 y) {
    return {I16Of(std::abs(U16(x.a) - U16(y.a))), I16Of(std::abs(U16(x.b) - U16(y.b)))};
  }
  LOCKSTEP_LANE I16 MulLo16(I16 x, I16 y) { return {I16Of(x.a * y.a), I16Of(x.b * y.b)}; }
  LOCKSTEP_LANE I16 MulHi16(I16 x, I16 y) { return {I16Of((x.a * y.a) >> 16), I16Of((x.b * y.b) >> 16)}; }
  LOCKSTEP_LANE I16 MulHiU16(I16 x, I16 y) { return {HighOfUnsigned(x.a, y.a), HighOfUnsigned(x.b, y.b)}; }
  /// (x * y + 2^14) >> 15; -32768 times itself wraps.
  LOCKSTEP_LANE I16 MulHrs16(I16 x, I16 y) {
    return {I16Of((x.a * y.a + 16384) >> 15), I16Of((x.b * y.b + 16384) >> 15)};
  }
  template <int kShift>
  LOCKSTEP_LANE I16 Sar16(I16 x) {
    return {I16Of(x.a >> kShift), I16Of(x.b >> kShift)};
  }
  template <int kShift>
  LOCKSTEP_LANE I16 Shr16(I16 x) {
    return {I16Of(U16(x.a) >> kShift), I16Of(U16(x.b) >> kShift)};
  }
  LOCKSTEP_LANE I16 Shl16Same(I16 x, int shift) { return {I16Of(U16(x.a) << shift), I16Of(U16(x.b) << shift)}; }
  /// All ones where x > y.
  LOCKSTEP_LANE I16 Gt16(I16 x, I16 y) { return {I16Of(-(x.a > y.a)), I16Of(-(x.b > y.b))}; }
  /// All ones where x = y.
  LOCKSTEP_LANE I16 Eq16(I16 x, I16 y) { return {I16Of(-(x.a == y.a)), I16Of(-(x.b == y.b))}; }
  /// Bit i is set where value number i is all ones; `mask`: all ones or zero.
  LOCKSTEP_LANE std::uint64_t Bits16(I16 mask) {
    return static_cast<std::uint64_t>((mask.a != 0 ? 1 : 0) | (mask.b != 0 ? 2 : 0));
  }
  /// `mask`: all ones or zero.
  LOCKSTEP_LANE I16 Select16(I16 mask, I16 x, I16 y) { return {mask.a != 0 ? x.a : y.a, mask.b != 0 ? x.b : y.b}; }

  // Between i16 and i32. ZipLo and ZipHi make pairs of values of two registers, in an order that Pack… undo.
  LOCKSTEP_LANE I32 ZipLo(I16 x, I16 y) { return PairOf(x.a, y.a); }
  LOCKSTEP_LANE I32 ZipHi(I16 x, I16 y) { return PairOf(x.b, y.b); }
  /// Pairs (x[0], y[0]), (x[2], y[2]), …
  LOCKSTEP_LANE I32 PairEven(I16 x, I16 y) { return PairOf(x.a, y.a); }
  /// Pairs (x[1], y[1]), (x[3], y[3]), …
  LOCKSTEP_LANE I32 PairOdd(I16 x, I16 y) { return PairOf(x.b, y.b); }
  /// Low halves of x at even places, high halves of y at odd ones.
  LOCKSTEP_LANE I16 MergeHalves(I32 x, I32 y) { return {I16Of(x), I16Of(y >> 16)}; }
  LOCKSTEP_LANE I32 AsPairs(I16 x) { return PairOf(x.a, x.b); }
  /// In range: i16.
  LOCKSTEP_LANE I16 Pack(I32 x, I32 y) { return {I16Of(x), I16Of(y)}; }
  LOCKSTEP_LANE I16 PackHigh(I32 x, I32 y) { return {I16Of(x >> 16), I16Of(y >> 16)}; }
  LOCKSTEP_LANE I16 PackLow(I32 x, I32 y) { return {I16Of(x), I16Of(y)}; }
  /// Groups of eight values that follow each other: value j of row i becomes value i of row j, in each group. A scalar
  /// register has no group.
  LOCKSTEP_LANE void TransposeEights(I16 (&/*rows*/)[8]) {}
  LOCKSTEP_LANE I16 MaskPack16(Mask x, Mask y) { return {I16Of(-x), I16Of(-y)}; }
  /// From the order of Pack to that of memory, when the packed registers were in that of memory.
  LOCKSTEP_LANE I16 Natural(I16 x) { return x; }
  /// Sum of the two products of pairs. A pair of -32768 with another wraps.
  LOCKSTEP_LANE I32 MulPair(I32 x, I32 y) { return Dot(0, x, y); }
  LOCKSTEP_LANE I32 Dot(I32 sum, I32 x, I32 y) {
    return I32Of(U(sum) + U(static_cast<std::int16_t>(x) * static_cast<std::int16_t>(y)) + U((x >> 16) * (y >> 16)));
  }

  // I32.
  LOCKSTEP_LANE I32 Set(std::int32_t v) { return v; }
  /// x, which the compiler will not load again for each use.
  LOCKSTEP_LANE I32 InRegister(I32 x) { return x; }
  LOCKSTEP_LANE I32 Add(I32 x, I32 y) { return I32Of(U(x) + U(y)); }
  LOCKSTEP_LANE I32 Sub(I32 x, I32 y) { return I32Of(U(x) - U(y)); }
  LOCKSTEP_LANE I32 Mul(I32 x, I32 y) { return I32Of(U(x) * U(y)); }
  LOCKSTEP_LANE I32 Xor(I32 x, I32 y) { return x ^ y; }
  LOCKSTEP_LANE I32 And(I32 x, I32 y) { return x & y; }
  LOCKSTEP_LANE I32 Or(I32 x, I32 y) { return x | y; }
  LOCKSTEP_LANE I32 Max(I32 x, I32 y) { return x > y ? x : y; }
  LOCKSTEP_LANE I32 Min(I32 x, I32 y) { return x < y ? x : y; }
  /// INT32_MIN stays what it is.
  LOCKSTEP_LANE I32 Abs(I32 x) { return x < 0 ? I32Of(0u - U(x)) : x; }
  template <int kShift>
  LOCKSTEP_LANE I32 Shl(I32 x) {
    return I32Of(U(x) << kShift);
  }
  template <int kShift>
  LOCKSTEP_LANE I32 Sar(I32 x) {
    return x >> kShift;
  }
  template <int kShift>
  LOCKSTEP_LANE I32 Shr(I32 x) {
    return I32Of(U(x) >> kShift);
  }
  // Shifts by a number that is known at run time only: the same for all values, then one for each; 0 … 31.
  LOCKSTEP_LANE I32 SarSame(I32 x, int shift) { return x >> shift; }
  LOCKSTEP_LANE I32 ShrVar(I32 x, I32 shift) { return I32Of(U(x) >> shift); }
  LOCKSTEP_LANE I32 ShlVar(I32 x, I32 shift) { return I32Of(U(x) << shift); }
  /// (x * y + 2^31) >> 32, unsigned.
  LOCKSTEP_LANE I32 MulHighRound(I32 x, I32 y) {
    return I32Of((std::uint64_t{U(x)} * U(y) + (std::uint64_t{1} << 31)) >> 32);
  }
  /// (x * y + 2^(kShift - 1)) >> kShift, signed, modulo 2^32; 1 <= kShift <= 32.
  template <int kShift>
  LOCKSTEP_LANE I32 MulShiftRound(I32 x, I32 y) {
    return I32Of((std::int64_t{x} * y + (std::int64_t{1} << (kShift - 1))) >> kShift);
  }
  /// In range: x >= 0; for 0 some negative number.
  LOCKSTEP_LANE I32 FloorLog2(I32 x) { return x != 0 ? 31 - __builtin_clz(U(x)) : -1; }
  LOCKSTEP_LANE I32 Gather(const std::int32_t* table, I32 index) { return table[index]; }
  /// Value number index modulo kTableSize of the table.
  LOCKSTEP_LANE F32 Lookup(F32 table, I32 /*index*/) { return table; }
  LOCKSTEP_LANE bool AllZero(I32 x) { return x == 0; }
  LOCKSTEP_LANE std::int64_t Sum(I32 x) { return x; }
  LOCKSTEP_LANE std::int64_t SumU(I32 x) { return U(x); }

  // U64: as many as an I32 has values.
  LOCKSTEP_LANE U64 Zero64() { return 0; }
  LOCKSTEP_LANE U64 Set64(std::uint64_t v) { return v; }
  /// Zero-extends.
  LOCKSTEP_LANE U64 Split(I32 x) { return U(x); }
  LOCKSTEP_LANE U64 Add64(U64 x, U64 y) { return x + y; }
  /// Product of the low halves.
  LOCKSTEP_LANE U64 MulLow(U64 x, U64 y) { return std::uint64_t{U(x)} * U(y); }
  /// sum + x * y, unsigned.
  LOCKSTEP_LANE U64 MulAcc64(U64 sum, I32 x, I32 y) { return sum + std::uint64_t{U(x)} * U(y); }
  /// The low half of (x + rounding) >> shift.
  LOCKSTEP_LANE I32 RoundShift64(U64 x, std::uint64_t rounding, int shift) { return I32Of((x + rounding) >> shift); }
  template <int kShift>
  LOCKSTEP_LANE U64 Shr64(U64 x) {
    return x >> kShift;
  }
  LOCKSTEP_LANE U64 ShrVar64(U64 x, U64 shift) { return x >> shift; }
  LOCKSTEP_LANE std::int64_t Sum64(U64 x) { return static_cast<std::int64_t>(x); }

  // Masks.
  LOCKSTEP_LANE Mask Gt(I32 x, I32 y) { return x > y; }
  LOCKSTEP_LANE Mask AndM(Mask x, Mask y) { return x && y; }
  LOCKSTEP_LANE Mask OrM(Mask x, Mask y) { return x || y; }
  /// Not x, and y.
  LOCKSTEP_LANE Mask AndNotM(Mask x, Mask y) { return !x && y; }
  LOCKSTEP_LANE Mask FirstN(int n) { return n > 0; }
  LOCKSTEP_LANE I32 Keep(Mask mask, I32 x) { return mask ? x : 0; }
  LOCKSTEP_LANE I32 KeepNot(Mask mask, I32 x) { return mask ? 0 : x; }
  LOCKSTEP_LANE I32 Select(Mask mask, I32 x, I32 y) { return mask ? x : y; }
  LOCKSTEP_LANE bool AllFalse(Mask mask) { return !mask; }

  // Binary32.
  LOCKSTEP_LANE F32 SetF(float v) { return v; }
  LOCKSTEP_LANE F32 ToF(I32 x) { return static_cast<float>(x); }
  /// The number with these bits.
  LOCKSTEP_LANE F32 AsF(I32 x) {
    F32 v;
    std::memcpy(&v, &x, sizeof(v));
    return v;
  }
  /// The bits of a number.
  LOCKSTEP_LANE I32 BitsF(F32 x) {
    I32 v;
    std::memcpy(&v, &x, sizeof(v));
    return v;
  }
  LOCKSTEP_LANE F32 GatherF(const float* table, I32 index) { return table[index]; }
  /// Toward zero; in range: i32.
  LOCKSTEP_LANE I32 TruncF(F32 x) { return x < 2147483648.0f && x >= -2147483648.0f ? static_cast<I32>(x) : INT32_MIN; }
  LOCKSTEP_LANE F32 AddF(F32 x, F32 y) { return x + y; }
  LOCKSTEP_LANE F32 SubF(F32 x, F32 y) { return x - y; }
  LOCKSTEP_LANE F32 MulF(F32 x, F32 y) { return x * y; }
  LOCKSTEP_LANE F32 DivF(F32 x, F32 y) { return x / y; }
  LOCKSTEP_LANE F32 AbsF(F32 x) { return __builtin_fabsf(x); }
  /// No NaN; which zero of two is unspecified.
  LOCKSTEP_LANE F32 MaxF(F32 x, F32 y) { return x > y ? x : y; }
  /// In range: x >= 0.
  LOCKSTEP_LANE F32 SqrtF(F32 x) { return __builtin_sqrtf(x); }
  LOCKSTEP_LANE F32 KeepNotF(Mask mask, F32 x) { return mask ? 0.0f : x; }
  LOCKSTEP_LANE F32 SelectF(Mask mask, F32 x, F32 y) { return mask ? x : y; }
  /// Of two registers that follow each other in memory, the values at even places.
  LOCKSTEP_LANE F32 EvensF(F32 x, F32 /*y*/) { return x; }
  LOCKSTEP_LANE F32 OddsF(F32 /*x*/, F32 y) { return y; }
  /// Rows of N values become columns.
  LOCKSTEP_LANE void Transpose(F32 (&/*block*/)[N]) {}
  LOCKSTEP_LANE Mask GeF(F32 x, F32 y) { return x >= y; }
  LOCKSTEP_LANE Mask LtF(F32 x, F32 y) { return x < y; }

  // Binary64: as many as an I32 has values; no NaN.
  LOCKSTEP_LANE F64 SetD(double v) { return v; }
  LOCKSTEP_LANE F64 ToD(I32 x) { return x; }
  /// ToD(Load(p)) without a register to take apart.
  LOCKSTEP_LANE F64 LoadD(const std::int32_t* p) { return *p; }
  LOCKSTEP_LANE F64 ToD(F32 x) { return static_cast<F64>(x); }
  LOCKSTEP_LANE F64 LoadD(const double* p) { return *p; }
  LOCKSTEP_LANE void StoreD(F64 v, double* p) { *p = v; }
  /// Toward zero; in range: i32.
  LOCKSTEP_LANE I32 FromD(F64 x) { return static_cast<I32>(x); }
  /// Rounded to nearest even.
  LOCKSTEP_LANE F32 ToF(F64 x) { return static_cast<F32>(x); }
  LOCKSTEP_LANE F64 AddD(F64 x, F64 y) { return x + y; }
  LOCKSTEP_LANE F64 SubD(F64 x, F64 y) { return x - y; }
  LOCKSTEP_LANE F64 MulD(F64 x, F64 y) { return x * y; }
  LOCKSTEP_LANE F64 DivD(F64 x, F64 y) { return x / y; }
  /// In range: x >= 0.
  LOCKSTEP_LANE F64 SqrtD(F64 x) { return __builtin_sqrt(x); }
  /// a where x > y, else b.
  LOCKSTEP_LANE F64 SelectGtD(F64 x, F64 y, F64 a, F64 b) { return x > y ? a : b; }
  LOCKSTEP_LANE F64 MinD(F64 x, F64 y) { return x < y ? x : y; }
  LOCKSTEP_LANE F64 MaxD(F64 x, F64 y) { return x > y ? x : y; }
  /// Toward zero; the sign of a zero is unspecified.
  LOCKSTEP_LANE F64 TruncD(F64 x) {
    constexpr double kAllIntegers = 4503599627370496.0;  // 2^52
    const bool has_fraction = x < kAllIntegers && x > -kAllIntegers;
    return has_fraction ? static_cast<double>(static_cast<std::int64_t>(x)) : x;
  }
  /// Bits 63 … 32 of the representation.
  LOCKSTEP_LANE I32 TopWord(F64 x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return I32Of(bits >> 32);
  }

  // One register of binary64.
  LOCKSTEP_LANE R64 LoadR(const double* p) { return *p; }
  LOCKSTEP_LANE void StoreR(R64 v, double* p) { *p = v; }
  LOCKSTEP_LANE R64 SetR(double v) { return v; }
  LOCKSTEP_LANE R64 AddR(R64 x, R64 y) { return x + y; }
  LOCKSTEP_LANE R64 MulR(R64 x, R64 y) { return x * y; }

 private:
  LOCKSTEP_LANE std::uint32_t U(I32 x) { return static_cast<std::uint32_t>(x); }
  LOCKSTEP_LANE std::uint32_t U(U64 x) { return static_cast<std::uint32_t>(x); }
  LOCKSTEP_LANE std::int32_t I32Of(std::uint64_t x) { return static_cast<std::int32_t>(x); }
  LOCKSTEP_LANE std::int32_t I32Of(std::int64_t x) { return static_cast<std::int32_t>(x); }
  LOCKSTEP_LANE std::int32_t I32Of(std::uint32_t x) { return static_cast<std::int32_t>(x); }
  LOCKSTEP_LANE std::int16_t I16Of(int x) { return static_cast<std::int16_t>(x); }
  LOCKSTEP_LANE int U16(std::int16_t x) { return static_cast<std::uint16_t>(x); }
  LOCKSTEP_LANE std::int16_t HighOfUnsigned(std::int16_t x, std::int16_t y) {
    return I16Of(I32Of((std::uint32_t{static_cast<std::uint16_t>(x)} * static_cast<std::uint16_t>(y)) >> 16));
  }
  LOCKSTEP_LANE I32 PairOf(std::int16_t low, std::int16_t high) {
    return I32Of(std::uint32_t{static_cast<std::uint16_t>(low)} | std::uint32_t{static_cast<std::uint16_t>(high)}
                                                                      << 16);
  }
};

#undef LOCKSTEP_LANE

}  // namespace lockstep
