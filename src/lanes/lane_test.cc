// SPDX-License-Identifier: BSD-2-Clause-Patent
// Operations of every target's lane give the scalar lane's bits, for random and extreme values.
#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lanes/lane_test.cc"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "lanes/highway_lane-inl.h"

#ifndef LOCKSTEP_LANES_LANE_TEST_CC_
#define LOCKSTEP_LANES_LANE_TEST_CC_
namespace lockstep {

inline constexpr int kValues = 16;
inline constexpr int kGuard = 64;

/// Each array has a block of its own and exactly the size, so that the address sanitizer sees what reads beyond it.
struct LaneInput {
  std::vector<std::int32_t> x = std::vector<std::int32_t>(kValues);
  std::vector<std::int32_t> y = std::vector<std::int32_t>(kValues);
  std::vector<std::int32_t> sparse = std::vector<std::int32_t>(kValues);
  std::vector<std::int32_t> small = std::vector<std::int32_t>(2 * kValues);
  std::vector<std::int16_t> s = std::vector<std::int16_t>(2 * kValues);
  std::vector<std::int16_t> t = std::vector<std::int16_t>(2 * kValues);
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(2 * kValues);
  std::vector<std::uint8_t> few_bytes = std::vector<std::uint8_t>(kValues);
  std::vector<std::uint16_t> words = std::vector<std::uint16_t>(2 * kValues);
  std::vector<std::uint16_t> few_words = std::vector<std::uint16_t>(kValues);
  std::vector<float> f = std::vector<float>(kValues);
  std::vector<float> g = std::vector<float>(kValues);
  int count = 0;
  int shift = 0;
  int shift16 = 0;
};

/// Results of an operation, and the line of this file that asked for it.
template <class T, int kCount>
struct LaneResult {
  std::array<T, kCount> values{};
  int line = 0;
};

struct LaneOutput {
  std::vector<LaneResult<std::int32_t, kValues>> words;
  std::vector<LaneResult<std::int16_t, 2 * kValues>> halves;
  std::vector<LaneResult<float, kValues>> floats;
  // Stored in place, with a guard behind the last value.
  std::array<std::uint16_t, kValues + kGuard> stored_few{};
  std::array<std::uint16_t, 2 * kValues + kGuard> stored_u16{};
  std::array<std::int16_t, 2 * kValues + kGuard> stored_i16{};
  std::array<std::int32_t, kValues + kGuard> stored_i32{};
  std::array<float, kValues + kGuard> stored_float{};
  std::array<double, kValues> stored_double{};
  std::array<double, kValues> stored_registers{};
  std::int64_t sum = 0;
  std::int64_t sum_unsigned = 0;
  std::int64_t sum_64 = 0;
  std::uint64_t bits = 0;
  bool all_zero = true;
  bool all_false = true;
};

}  // namespace lockstep
#endif

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {

template <class L>
void RunOperations(const LaneInput& in, LaneOutput& out) {
  for (int i = 0; i < kValues; i += L::N) {
    std::size_t words = 0;
    std::size_t halves = 0;
    std::size_t floats = 0;
    const auto put = [&](typename L::I32 v, int line = __builtin_LINE()) __attribute__((always_inline)) {
      if (out.words.size() == words) out.words.emplace_back();
      out.words[words].line = line;
      L::Store(v, &out.words[words++].values[static_cast<std::size_t>(i)]);
    };
    const auto put16 = [&](typename L::I16 v, int line = __builtin_LINE()) __attribute__((always_inline)) {
      if (out.halves.size() == halves) out.halves.emplace_back();
      out.halves[halves].line = line;
      L::Store(v, &out.halves[halves++].values[static_cast<std::size_t>(2 * i)]);
    };
    const auto put_float = [&](typename L::F32 v, int line = __builtin_LINE()) __attribute__((always_inline)) {
      if (out.floats.size() == floats) out.floats.emplace_back();
      out.floats[floats].line = line;
      L::Store(v, &out.floats[floats++].values[static_cast<std::size_t>(i)]);
    };
    // All bits of a value whose integer part fits 32 bits: that part, then its fraction in two more.
    const auto put_double = [&](typename L::F64 v, int line = __builtin_LINE()) __attribute__((always_inline)) {
      put(L::FromD(v), line);
      const typename L::F64 scaled = L::MulD(L::SubD(v, L::TruncD(v)), L::SetD(4194304.0));
      put(L::FromD(scaled), line);
      put(L::FromD(L::MulD(L::SubD(scaled, L::TruncD(scaled)), L::SetD(1073741824.0))), line);
      put(L::TopWord(L::AddD(v, L::SetD(0.0))), line);
    };
    const auto x = L::Load(in.x.data() + i);
    const auto y = L::Load(in.y.data() + i);
    const auto sparse = L::Load(in.sparse.data() + i);
    const auto s = L::Load(in.s.data() + 2 * i);
    const auto t = L::Load(in.t.data() + 2 * i);
    const auto f = L::Load(in.f.data() + i);
    const auto g = L::Load(in.g.data() + i);
    const auto shift = L::And(y, L::Set(31));
    const auto m = L::Gt(x, y);
    const auto p = L::Gt(x, L::Set(0));
    L::Prefetch(in.x.data());

    // Memory.
    put16(L::Load(in.bytes.data() + 2 * i));
    put16(L::Load(in.words.data() + 2 * i));
    put(L::Load32(in.few_bytes.data() + i));
    put(L::Load32(in.few_words.data() + i));
    put(L::Load32(in.s.data() + i));
    put(L::LoadPairs(in.s.data() + 2 * i));
    L::Store(x, out.stored_i32.data() + i);
    L::Store(s, out.stored_i16.data() + 2 * i);
    L::Store(s, out.stored_u16.data() + 2 * i);
    L::Store(f, out.stored_float.data() + i);
    L::StoreU16(L::And(x, L::Set(0xffff)), out.stored_few.data() + i);

    // i16.
    put16(L::Set16(-12345));
    put16(L::Add16(s, t));
    put16(L::Sub16(s, t));
    put16(L::Xor16(s, t));
    put16(L::And16(s, t));
    put16(L::Or16(s, t));
    // The first 0 … 32 values of the whole input.
    put16(L::First16(std::clamp((in.y[0] & 31) + (in.y[1] & 1) - 2 * i, 0, 2 * L::N)));
    put16(L::Abs16(s));
    put16(L::Min16(s, t));
    put16(L::Max16(s, t));
    put16(L::AverageU16(s, t));
    put16(L::AbsDiffU16(s, t));
    put16(L::MulLo16(s, t));
    put16(L::MulHi16(s, t));
    put16(L::MulHiU16(s, t));
    put16(L::MulHrs16(s, t));
    put16(L::template Sar16<3>(s));
    put16(L::template Shr16<15>(s));
    put16(L::Shl16Same(s, in.shift16));
    put16(L::Gt16(s, t));
    put16(L::Select16(L::Gt16(s, t), s, t));
    const auto few = L::And16(t, L::Set16(1));
    put16(L::Eq16(L::And16(s, L::Set16(1)), few));
    out.bits |= L::Bits16(L::Eq16(L::And16(s, L::Set16(1)), few)) << (2 * i);

    // Between i16 and i32. Zips and packs have an order of their own; together they restore that of memory.
    put16(L::PackLow(L::ZipLo(s, t), L::ZipHi(s, t)));
    put16(L::PackHigh(L::ZipLo(s, t), L::ZipHi(s, t)));
    put16(L::Pack(L::template Sar<16>(L::ZipLo(s, t)), L::template Sar<16>(L::ZipHi(s, t))));
    const auto a = L::Load(in.small.data() + 2 * i);
    const auto b = L::Load(in.small.data() + 2 * i + L::N);
    put16(L::Natural(L::Pack(a, b)));
    put16(L::Natural(L::MaskPack16(L::Gt(a, L::Set(5)), L::Gt(b, L::Set(5)))));
    put(L::PairEven(s, t));
    put(L::PairOdd(s, t));
    put16(L::MergeHalves(x, y));
    put(L::AsPairs(s));
    put(L::InRegister(x));
    put(L::TopWord(L::MulD(L::LoadD(&in.x[i]), L::SetD(0.3))));
    put(L::Keep(L::LtF(L::AsF(L::And(x, L::Set(0x7f7fffff))), L::SetF(3.0f)), y));
    put(L::MulPair(x, y));
    put(L::Dot(y, x, L::Set(0x7fff8001)));
    put(L::Dot(x, y, x));

    // i32.
    put(L::Add(x, y));
    put(L::Sub(x, y));
    put(L::Mul(x, y));
    put(L::Xor(x, y));
    put(L::And(x, y));
    put(L::Or(x, y));
    put(L::Max(x, y));
    put(L::Min(x, y));
    put(L::Abs(x));
    put(L::template Shl<7>(x));
    put(L::template Sar<7>(x));
    put(L::template Shr<7>(x));
    put(L::SarSame(x, in.shift));
    put(L::ShrVar(x, shift));
    put(L::ShlVar(x, shift));
    put(L::MulHighRound(x, y));
    put(L::template MulShiftRound<1>(x, y));
    put(L::template MulShiftRound<15>(x, y));
    put(L::template MulShiftRound<32>(x, y));
    put(L::FloorLog2(L::Or(L::And(x, L::Set(INT32_MAX)), L::Set(1))));
    put(L::template Sar<31>(L::FloorLog2(L::And(sparse, L::Set(INT32_MAX)))));
    put(L::Gather(in.x.data(), L::And(x, L::Set(kValues - 1))));
    out.all_zero &= L::AllZero(sparse);
    out.sum += L::Sum(x);
    out.sum_unsigned += L::SumU(x);

    // u64.
    const auto product = L::MulLow(L::Split(x), L::Split(y));
    put(L::RoundShift64(product, 0, 32));
    put(L::RoundShift64(product, 77, in.shift));
    put(L::RoundShift64(L::MulAcc64(product, x, x), 0, 13));
    put(L::RoundShift64(L::template Shr64<9>(L::Add64(L::Set64(0x123456789abcdef), product)), 0, 3));
    put(L::RoundShift64(L::ShrVar64(product, L::MulLow(L::Split(shift), L::Set64(1))), 0, 0));
    put(L::RoundShift64(L::MulAcc64(L::Zero64(), x, y), 0, 0));
    out.sum_64 += L::Sum64(L::template Shr64<8>(product));

    // Masks.
    put(L::Keep(m, x));
    put(L::KeepNot(m, x));
    put(L::Select(m, x, y));
    put(L::Keep(L::AndM(m, p), x));
    put(L::Keep(L::OrM(m, p), x));
    put(L::Keep(L::AndNotM(m, p), x));
    put(L::Keep(L::FirstN(in.count - i), L::Set(1)));
    out.all_false &= L::AllFalse(L::Gt(sparse, L::Set(0)));

    // binary32.
    put_float(L::SetF(0.1f));
    put_float(L::ToF(x));
    put_float(L::AddF(f, g));
    put_float(L::SubF(f, g));
    put_float(L::MulF(f, g));
    put_float(L::DivF(f, g));
    put_float(L::AbsF(f));
    put_float(L::MaxF(f, g));
    put_float(L::SqrtF(L::AbsF(f)));
    put_float(L::KeepNotF(m, f));
    put_float(L::SelectF(m, f, g));
    // Contracted to one operation, the product would not be rounded.
    put_float(L::AddF(L::MulF(f, g), L::ToF(x)));
    put_float(L::GatherF(in.f.data(), L::And(x, L::Set(kValues - 1))));
    put(L::TruncF(L::MulF(L::ToF(x), L::SetF(0.7f))));
    put(L::Keep(L::GeF(f, g), x));
    put(L::Keep(L::LtF(f, g), x));
    put(L::Keep(L::GeF(f, f), x));
    put(L::Keep(L::LtF(f, f), x));

    // binary64.
    const auto d = L::ToD(x);
    const auto e = L::ToD(y);
    put_double(L::AddD(d, L::SetD(0.25)));
    put_double(L::SubD(d, L::SetD(0.3)));
    put_double(L::MulD(d, L::SetD(0.7)));
    put_double(L::DivD(d, L::AddD(L::MulD(e, e), L::SetD(1.25))));
    put_double(L::SubD(L::MulD(d, L::SetD(0.1)), L::MulD(e, L::SetD(0.3))));
    put_double(L::SqrtD(L::AddD(L::MulD(d, d), L::SetD(0.3))));
    put_double(L::SelectGtD(d, e, L::MulD(d, L::SetD(0.7)), L::MulD(e, L::SetD(0.9))));
    put_double(L::MinD(d, L::MulD(e, L::SetD(0.9))));
    put_double(L::MaxD(d, L::MulD(e, L::SetD(0.9))));
    // Sums of binary32 numbers that binary32 cannot hold.
    const auto wide = L::AddD(L::ToD(f), L::MulD(L::ToD(g), L::SetD(0.7)));
    put_float(L::ToF(wide));
    put_float(L::ToF(L::ToD(g)));
    put(L::BitsF(f));
    double stored[L::N];
    L::StoreD(wide, stored);
    put(L::TopWord(L::LoadD(stored)));
    for (int k = 0; k < L::N; ++k) out.stored_double[static_cast<std::size_t>(i + k)] = stored[k];
    for (int k = 0; k < L::N; k += L::N64) {
      double* const some = stored + k;
      // Contracted to one operation, the product would not be rounded.
      L::StoreR(L::AddR(L::MulR(L::LoadR(some), L::SetR(0.3)), L::LoadR(some)), some);
    }
    for (int k = 0; k < L::N; ++k) out.stored_registers[static_cast<std::size_t>(i + k)] = stored[k];
    put(L::TopWord(L::AddD(L::TruncD(L::AddD(L::MulD(d, e), L::SetD(1.25))), L::SetD(0.0))));
    put(L::TopWord(L::DivD(L::SetD(1.0), L::AddD(d, L::SetD(0.5)))));
  }
}

void RunOnTarget(const LaneInput& in, LaneOutput& out) { RunOperations<HighwayLane>(in, out); }

/// Returns the number of rows and columns.
template <class L>
int RunTranspose(const float* in, float* out) {
  typename L::F32 block[L::N];
  for (int i = 0; i < L::N; ++i) block[i] = L::Load(in + i * L::N);
  L::Transpose(block);
  for (int i = 0; i < L::N; ++i) L::Store(block[i], out + i * L::N);
  return L::N;
}

int TransposeOnTarget(const float* in, float* out) { return RunTranspose<HighwayLane>(in, out); }

/// Returns the number of values in a register.
template <class L>
int RunEvensAndOdds(const float* in, float* evens, float* odds) {
  L::Store(L::EvensF(L::Load(in), L::Load(in + L::N)), evens);
  L::Store(L::OddsF(L::Load(in), L::Load(in + L::N)), odds);
  return L::N;
}

int EvensAndOddsOnTarget(const float* in, float* evens, float* odds) {
  return RunEvensAndOdds<HighwayLane>(in, evens, odds);
}

/// Returns how many values a register has.
int TransposeEightsOnTarget(const std::int16_t* in, std::int16_t* out) {
  using L = HighwayLane;
  L::I16 rows[8];
  for (int i = 0; i < 8; ++i) rows[i] = L::Load(in + i * 2 * L::N);
  L::TransposeEights(rows);
  for (int i = 0; i < 8; ++i) L::Store(rows[i], out + i * 2 * L::N);
  return 2 * L::N;
}

/// Returns the number of values that the table has, and as many results as there are indices.
int LookupOnTarget(const float* table, const std::int32_t* indices, float* out) {
  using L = HighwayLane;
  for (int i = 0; i < kValues; i += L::N) {
    L::Store(L::Lookup(L::Load(table), L::Load(indices + i)), out + i);
  }
  return L::kTableSize;
}

}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace lockstep {
namespace {

/// Powers of two around which rounding, signs and carries change, and plain noise of every magnitude.
class Numbers {
 public:
  std::int32_t Next() {
    constexpr std::int32_t kExtremes[] = {0,     1,     -1,    2,      INT32_MAX,  INT32_MIN + 1, INT32_MIN,  65535,
                                          65536, 32767, 32768, -32768, 0x7fffffc0, 0x7fff7fff,    -0x7fff8000};
    if (random_() % 4 == 0) return kExtremes[random_() % std::size(kExtremes)];
    return static_cast<std::int32_t>(random_()) >> (random_() % 31);
  }

  /// Finite, not zero, subnormal ones among them.
  float NextFloat() {
    for (;;) {
      const auto bits = static_cast<std::uint32_t>(random_());
      // Exponents close to each other give sums that round.
      const float v = std::bit_cast<float>(random_() % 2 == 0 ? bits : (bits & 0x81ffffffu) + 0x3e000000u);
      if (std::isfinite(v) && v != 0.0f) return v;
    }
  }

  int Below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }

 private:
  std::mt19937 random_{1};
};

LaneInput MakeInput(Numbers& numbers) {
  LaneInput in;
  for (std::int32_t& v : in.x) v = numbers.Next();
  for (std::int32_t& v : in.y) v = numbers.Next();
  for (std::int32_t& v : in.small) v = static_cast<std::int16_t>(numbers.Next());
  for (std::int16_t& v : in.s) v = static_cast<std::int16_t>(numbers.Next());
  for (std::int16_t& v : in.t) v = static_cast<std::int16_t>(numbers.Next());
  for (std::uint8_t& v : in.bytes) v = static_cast<std::uint8_t>(numbers.Next());
  for (std::uint8_t& v : in.few_bytes) v = static_cast<std::uint8_t>(numbers.Next());
  for (std::uint16_t& v : in.words) v = static_cast<std::uint16_t>(numbers.Next());
  for (std::uint16_t& v : in.few_words) v = static_cast<std::uint16_t>(numbers.Next());
  for (float& v : in.f) v = numbers.NextFloat();
  for (float& v : in.g) v = numbers.NextFloat();
  // None or one value that is not zero.
  if (numbers.Below(3) != 0) in.sparse[static_cast<std::size_t>(numbers.Below(kValues))] = numbers.Next();
  constexpr int kCounts[] = {-1, 255, 256, 257, 65536, INT32_MAX};
  in.count = numbers.Below(4) == 0 ? kCounts[numbers.Below(6)] : numbers.Below(kValues + 2);
  in.shift = numbers.Below(32);
  in.shift16 = numbers.Below(16);
  return in;
}

template <class T, int kCount>
void ExpectSame(const std::vector<LaneResult<T, kCount>>& actual, const std::vector<LaneResult<T, kCount>>& expected,
                CpuTarget target) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t j = 0; j < kCount; ++j) {
      if constexpr (std::is_same_v<T, float>) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(actual[i].values[j]),
                  std::bit_cast<std::uint32_t>(expected[i].values[j]))
            << CpuTargetName(target) << ", value " << j << " of line " << expected[i].line;
      } else {
        ASSERT_EQ(actual[i].values[j], expected[i].values[j])
            << CpuTargetName(target) << ", value " << j << " of line " << expected[i].line;
      }
    }
  }
}

LaneOutput MakeOutput() {
  LaneOutput out;
  out.stored_few.fill(0x5a5a);
  out.stored_u16.fill(0x5a5a);
  out.stored_i16.fill(0x5a5a);
  out.stored_i32.fill(0x5a5a5a5a);
  out.stored_float.fill(-7.0f);
  return out;
}

TEST(LaneTest, EveryTargetEqualsScalarLane) {
  Numbers numbers;
  for (int round = 0; round < 5000; ++round) {
    const LaneInput in = MakeInput(numbers);
    LaneOutput expected = MakeOutput();
    HWY_NAMESPACE::RunOperations<ScalarLane>(in, expected);
    for (const CpuTarget target : AvailableCpuTargets()) {
      const auto run = LOCKSTEP_CHOOSE_SIMD(target, RunOnTarget);
      ASSERT_EQ(run == nullptr, target == CpuTarget::kScalar) << CpuTargetName(target);
      if (run == nullptr) continue;
      LaneOutput actual = MakeOutput();
      run(in, actual);
      ASSERT_NO_FATAL_FAILURE(ExpectSame(actual.words, expected.words, target));
      ASSERT_NO_FATAL_FAILURE(ExpectSame(actual.halves, expected.halves, target));
      ASSERT_NO_FATAL_FAILURE(ExpectSame(actual.floats, expected.floats, target));
      ASSERT_EQ(actual.stored_few, expected.stored_few) << CpuTargetName(target);
      ASSERT_EQ(actual.stored_u16, expected.stored_u16) << CpuTargetName(target);
      ASSERT_EQ(actual.stored_i16, expected.stored_i16) << CpuTargetName(target);
      ASSERT_EQ(actual.stored_i32, expected.stored_i32) << CpuTargetName(target);
      ASSERT_EQ(actual.stored_float, expected.stored_float) << CpuTargetName(target);
      ASSERT_EQ(actual.stored_double, expected.stored_double) << CpuTargetName(target);
      ASSERT_EQ(actual.stored_registers, expected.stored_registers) << CpuTargetName(target);
      ASSERT_EQ(actual.sum, expected.sum) << CpuTargetName(target);
      ASSERT_EQ(actual.sum_unsigned, expected.sum_unsigned) << CpuTargetName(target);
      ASSERT_EQ(actual.sum_64, expected.sum_64) << CpuTargetName(target);
      ASSERT_EQ(actual.bits, expected.bits) << CpuTargetName(target);
      ASSERT_EQ(actual.all_zero, expected.all_zero) << CpuTargetName(target);
      ASSERT_EQ(actual.all_false, expected.all_false) << CpuTargetName(target);
    }
  }
}

// What the scalar lane, the measure of the others, must itself give for values where they tend to differ.
TEST(LaneTest, ScalarLane) {
  using L = ScalarLane;
  const L::I16 least = L::Set16(-32768);
  EXPECT_EQ(L::MulHrs16(least, least).a, -32768);
  EXPECT_EQ(L::MulHrs16(L::Set16(32767), L::Set16(-32768)).b, -32767);
  EXPECT_EQ(L::Abs16(least).a, -32768);
  EXPECT_EQ(L::AverageU16(L::Set16(-1), L::Set16(-2)).a, -1);
  EXPECT_EQ(L::AbsDiffU16(L::Set16(-1), L::Set16(1)).b, -2);
  EXPECT_EQ(L::MulHiU16(L::Set16(-1), L::Set16(-1)).a, -2);
  EXPECT_EQ(L::MulPair(-0x7fff8000, -0x7fff8000), INT32_MIN);
  EXPECT_EQ(L::Abs(INT32_MIN), INT32_MIN);
  EXPECT_EQ(L::MulHighRound(-1, -1), -2);
  EXPECT_EQ(L::MulShiftRound<32>(INT32_MIN, INT32_MIN), 1 << 30);
  EXPECT_EQ(L::MulShiftRound<15>(-3, 16384), -1);
  EXPECT_EQ(L::FloorLog2(INT32_MAX), 30);
  EXPECT_EQ(L::RoundShift64(L::MulAcc64(L::Set64(1), -1, -1), 1, 1), 1);
  EXPECT_EQ(L::TruncF(-1.75f), -1);
  EXPECT_EQ(L::FromD(-1.75), -1);
  EXPECT_EQ(L::TruncD(-9007199254740993.0), -9007199254740992.0);
}

template <class Run>
void ExpectTransposed(const Run& run, CpuTarget target) {
  std::array<float, 256> in;
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  std::array<float, 256> out{};
  const auto n = static_cast<std::size_t>(run(in.data(), out.data()));
  for (std::size_t i = 0; i < n * n; ++i) ASSERT_EQ(out[i], in[i % n * n + i / n]) << CpuTargetName(target);
}

TEST(LaneTest, Lookup) {
  std::array<float, kValues> table;
  std::array<std::int32_t, kValues> indices;
  for (std::size_t i = 0; i < kValues; ++i) {
    table[i] = static_cast<float>(100 + i);
    // Only the lowest bits count.
    indices[i] = static_cast<std::int32_t>(i * 7 % 16 + (i << 20)) - 64;
  }
  for (const CpuTarget target : AvailableCpuTargets()) {
    const auto run = LOCKSTEP_CHOOSE_SIMD(target, LookupOnTarget);
    if (run == nullptr) continue;
    std::array<float, kValues> out{};
    const int size = run(table.data(), indices.data(), out.data());
    for (std::size_t i = 0; i < kValues; ++i) {
      ASSERT_EQ(out[i], table[static_cast<std::size_t>(indices[i] & (size - 1))]) << CpuTargetName(target);
    }
  }
}

TEST(LaneTest, Transpose) {
  for (const CpuTarget target : AvailableCpuTargets()) {
    const auto run = LOCKSTEP_CHOOSE_SIMD(target, TransposeOnTarget);
    ExpectTransposed(run == nullptr ? &HWY_NAMESPACE::RunTranspose<ScalarLane> : run, target);
  }
}

TEST(LaneTest, EvensAndOdds) {
  float in[2 * kValues];
  for (int i = 0; i < 2 * kValues; ++i) in[i] = static_cast<float>(100 + i);
  for (const CpuTarget target : AvailableCpuTargets()) {
    const auto run = LOCKSTEP_CHOOSE_SIMD(target, EvensAndOddsOnTarget);
    float evens[kValues] = {};
    float odds[kValues] = {};
    const int count = (run == nullptr ? &HWY_NAMESPACE::RunEvensAndOdds<ScalarLane> : run)(in, evens, odds);
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(evens[i], in[2 * i]) << CpuTargetName(target);
      EXPECT_EQ(odds[i], in[2 * i + 1]) << CpuTargetName(target);
    }
  }
}

TEST(LaneTest, TransposeEights) {
  for (const CpuTarget target : AvailableCpuTargets()) {
    const auto run = LOCKSTEP_CHOOSE_SIMD(target, TransposeEightsOnTarget);
    if (run == nullptr) continue;
    std::array<std::int16_t, 256> in;
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int16_t>(i * 259);
    std::array<std::int16_t, 256> out{};
    const int width = run(in.data(), out.data());
    for (int row = 0; row < 8; ++row) {
      for (int x = 0; x < width; ++x) {
        const int from = x % 8 * width + x / 8 * 8 + row;
        ASSERT_EQ(out[static_cast<std::size_t>(row * width + x)], in[static_cast<std::size_t>(from)])
            << CpuTargetName(target) << ", row " << row << ", value " << x;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
#endif
