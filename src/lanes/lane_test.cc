// SPDX-License-Identifier: BSD-2-Clause-Patent
// Operations of every target's lane give the scalar lane's bits, for random and extreme values.
#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lanes/lane_test.cc"
#include <hwy/foreach_target.h>

#include <array>
#include <cstdint>

#include "lanes/highway_lane-inl.h"

#ifndef LOCKSTEP_LANES_LANE_TEST_CC_
#define LOCKSTEP_LANES_LANE_TEST_CC_
namespace lockstep {

inline constexpr int kValues = 16;
inline constexpr int kResults = 64;

struct LaneInput {
  std::array<std::int32_t, kValues> x;
  std::array<std::int32_t, kValues> y;
  std::array<std::int16_t, 2 * kValues> s;
  std::array<std::int16_t, 2 * kValues> t;
  std::array<std::uint16_t, 66> table;
};
using LaneOutput = std::array<std::array<std::int32_t, kValues>, kResults>;

}  // namespace lockstep
#endif

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {

template <class L>
int RunOperations(const LaneInput& in, LaneOutput& out) {
  int used = 0;
  for (int i = 0; i < kValues; i += L::N) {
    int n = 0;
    const auto put = [&](typename L::I32 v) __attribute__((always_inline)) { L::Store(v, &out[n++][i]); };
    const auto put16 = [&](typename L::I16 v) __attribute__((always_inline)) {
      L::Store(v, reinterpret_cast<std::int16_t*>(&out[n++][0]) + 2 * i);
    };
    const auto x = L::Load(&in.x[i]);
    const auto y = L::Load(&in.y[i]);
    const auto s = L::Load(&in.s[2 * i]);
    const auto t = L::Load(&in.t[2 * i]);
    const auto shift = L::And(y, L::Set(31));
    const auto m = L::Gt(x, y);
    const auto p = L::Gt(x, L::Set(0));
    put(L::Add(x, y));
    put(L::Sub(x, y));
    put(L::Mul(x, y));
    put(L::Xor(x, y));
    put(L::Or(x, y));
    put(L::Max(x, y));
    put(L::Min(x, y));
    put(L::Abs(x));
    put(L::template Shl<7>(x));
    put(L::template Sar<7>(x));
    put(L::template Shr<7>(x));
    put(L::ShrSame(x, 5));
    put(L::ShlSame(x, 5));
    put(L::SarSame(x, 5));
    put(L::ShrVar(x, shift));
    put(L::ShlVar(x, shift));
    put(L::SarVar(x, shift));
    put(L::MulHighRound(x, y));
    put(L::template MulShiftRound<15>(x, y));
    put(L::template MulShiftRound<32>(x, y));
    put(L::FloorLog2(L::Or(L::And(x, L::Set(INT32_MAX)), L::Set(1))));
    put(L::Gather(in.x.data(), L::And(x, L::Set(kValues - 1))));
    put(L::LookupU16(in.table.data(), L::And(x, L::Set(126))));
    put(L::Dot(y, x, L::Set(0x7fff8001)));
    put(L::MulPair(x, L::Set(-0x7ffe7fff)));
    put(L::RoundShift64(L::MulAcc64(L::MulLow(L::Split(x), L::Split(x)), x, y), 77, 13));
    put(L::RoundShift64(L::template Shr64<9>(L::Add64(L::Set64(12345), L::MulAcc64(L::Zero64(), x, y))), 0, 3));
    put(L::Keep(m, x));
    put(L::KeepNot(m, x));
    put(L::Select(m, x, y));
    put(L::Keep(L::AndM(m, p), x));
    put(L::Keep(L::OrM(m, p), x));
    put(L::Keep(L::AndNotM(m, p), x));
    put(L::TopWord(L::DivD(L::ToD(x), L::AddD(L::ToD(y), L::SetD(0.25)))));
    put(L::TopWord(L::MulD(L::SubD(L::ToD(x), L::SetD(0.3)), L::ToD(y))));
    put(L::TopWord(L::MinD(L::MaxD(L::ToD(x), L::ToD(y)), L::SetD(1e9))));
    put(L::FromD(L::TruncD(L::MulD(L::ToD(x), L::SetD(0.7)))));
    put(L::TruncF(L::MulF(L::ToF(x), L::SetF(0.7f))));
    put(L::TruncF(L::DivF(L::AddF(L::ToF(x), L::SetF(3.0f)), L::SetF(-7.3f))));
    put(L::Keep(L::GeF(L::AbsF(L::ToF(x)), L::SubF(L::ToF(y), L::SetF(1.0f))), x));
    put(L::Keep(L::LtF(L::ToF(x), L::ToF(y)), x));
    put16(L::Add16(s, t));
    put16(L::Sub16(s, t));
    put16(L::Xor16(s, t));
    put16(L::And16(s, t));
    put16(L::AndNot16(s, t));
    put16(L::Abs16(s));
    put16(L::Min16(s, t));
    put16(L::MulLo16(s, t));
    put16(L::MulHi16(s, t));
    put16(L::MulHiU16(s, t));
    put16(L::MulHrs16(s, t));
    put16(L::template Sar16<3>(s));
    put16(L::Gt16(s, t));
    put16(L::Select16(L::Gt16(s, t), s, t));
    put16(L::PackLow(L::ZipLo(s, t), L::ZipHi(s, t)));
    put16(L::PackHigh(L::ZipLo(s, t), L::ZipHi(s, t)));
    used = n;
  }
  return used;
}

int RunOnTarget(const LaneInput& in, LaneOutput& out) { return RunOperations<HighwayLane>(in, out); }

}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <random>

namespace lockstep {
namespace {

TEST(LaneTest, EveryTargetEqualsScalarLane) {
  constexpr std::int32_t kExtremes[] = {0, 1, -1, 2, INT32_MAX, INT32_MIN + 1, 65535, 65536, 32767, -32768, 0x7fffffc0};
  std::mt19937 random(1);
  const auto next = [&]() -> std::int32_t {
    if (random() % 4 == 0) return kExtremes[random() % 11];
    return static_cast<std::int32_t>(random()) >> (random() % 31);
  };
  for (int round = 0; round < 5000; ++round) {
    LaneInput in;
    for (std::int32_t& v : in.x) v = next();
    for (std::int32_t& v : in.y) v = next();
    for (std::int16_t& v : in.s) v = static_cast<std::int16_t>(next());
    for (std::int16_t& v : in.t) v = static_cast<std::int16_t>(next() | 1);
    for (std::uint16_t& v : in.table) v = static_cast<std::uint16_t>(next());
    LaneOutput expected{};
    const int count = HWY_NAMESPACE::RunOperations<ScalarLane>(in, expected);
    ASSERT_LE(count, kResults);
    for (const CpuTarget target : AvailableCpuTargets()) {
      const auto run = LOCKSTEP_CHOOSE_SIMD(target, RunOnTarget);
      if (run == nullptr) continue;
      LaneOutput actual{};
      ASSERT_EQ(run(in, actual), count);
      for (std::size_t i = 0; i < kResults; ++i) {
        ASSERT_EQ(actual[i], expected[i]) << CpuTargetName(target) << ", operation " << i;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
#endif
