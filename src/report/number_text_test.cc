// SPDX-License-Identifier: BSD-2-Clause-Patent
// Number formats against the C library's printf, libvmaf's rule re-stated, and foreign locales.
#include "report/number_text.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <locale>
#include <random>

namespace lockstep {
namespace {

constexpr NumberFormat kLegacy{NumberFormat::Kind::kLegacy, 6};
constexpr NumberFormat kMax{NumberFormat::Kind::kMax, 6};

std::string Number(double value, const NumberFormat& numbers) {
  std::string out;
  AppendNumber(value, numbers, out);
  return out;
}

template <class... Arguments>
std::string Printf(const char* format, Arguments... arguments) {
  std::array<char, 1024> text{};
  std::snprintf(text.data(), text.size(), format, arguments...);
  return text.data();
}

TEST(NumberText, LegacyKeepsSixDecimals) {
  EXPECT_EQ(Number(76.66890519623612, kLegacy), "76.668905");
  EXPECT_EQ(Number(100.0, kLegacy), "100.000000");
  EXPECT_EQ(Number(0.0, kLegacy), "0.000000");
  EXPECT_EQ(Number(-3.25, kLegacy), "-3.250000");
  EXPECT_EQ(Number(0.5, kLegacy), "0.500000");
}

TEST(NumberText, LegacySwitchesWhereTheFractionIsTiny) {
  // Six shifts of the fraction still print six decimals, seven do not.
  EXPECT_EQ(Number(0.000002, kLegacy), "0.000002");
  EXPECT_EQ(Number(0.0000002, kLegacy), "0.0000002000000000");
  EXPECT_EQ(Number(97.0000001, kLegacy), Printf("%.16f", 97.0000001));
  EXPECT_EQ(Number(-97.0000001, kLegacy), Printf("%.16f", -97.0000001));
  EXPECT_EQ(Number(1e-300, kLegacy), "0.0000000000000000");
}

TEST(NumberText, LegacyBeyondInt32IsSixDecimals) {
  EXPECT_EQ(Number(2147483648.0, kLegacy), "2147483648.000000");
  EXPECT_EQ(Number(2147483647.0000002, kLegacy), Printf("%.16f", 2147483647.0000002));
  EXPECT_EQ(Number(2147483648.0000005, kLegacy), "2147483648.000000");
  EXPECT_EQ(Number(-1e300, kLegacy), Printf("%.6f", -1e300));
}

TEST(NumberText, WordsForWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const NumberFormat& numbers : {kLegacy, kMax, NumberFormat{NumberFormat::Kind::kDigits, 3}}) {
    EXPECT_EQ(Number(infinity, numbers), "inf");
    EXPECT_EQ(Number(-infinity, numbers), "-inf");
    EXPECT_EQ(Number(nan, numbers), "nan");
    EXPECT_EQ(Number(-nan, numbers), "nan");
  }
  EXPECT_EQ(NonFiniteReason(infinity), "infinite");
  EXPECT_EQ(NonFiniteReason(-infinity), "negative infinite");
  EXPECT_EQ(NonFiniteReason(nan), "not a number");
  EXPECT_EQ(NonFiniteReason(1.0), "");
}

TEST(NumberText, MaxReadsBackToTheSameBits) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const std::string text = Number(value, kMax);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)), std::bit_cast<std::uint64_t>(value));
    EXPECT_EQ(text, Printf("%.17g", value));
  }
}

TEST(NumberText, DigitsAreSignificantDigits) {
  EXPECT_EQ(Number(97.428042675471, {NumberFormat::Kind::kDigits, 3}), "97.4");
  EXPECT_EQ(Number(0.00012345, {NumberFormat::Kind::kDigits, 2}), "0.00012");
  EXPECT_EQ(Number(97.428042675471, {NumberFormat::Kind::kDigits, 0}), "1e+02");
  EXPECT_EQ(Number(0.1, {NumberFormat::Kind::kDigits, 400}), "0.10000000000000001");
}

TEST(NumberText, FixedDecimalsEqualPrintfAlsoAtTies) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 100000; ++i) {
    // Multiples of 2^-7 end in a 5 at the seventh decimal: exact ties.
    const double tie = static_cast<double>(random() % 16384) / 128.0;
    EXPECT_EQ(Number(tie, kLegacy), Printf("%.6f", tie));
    const double any = static_cast<double>(random() % 1000000000) / 7e6;
    const std::string expected = Printf(Number(any, kLegacy).size() > 11 ? "%.16f" : "%.6f", any);
    EXPECT_EQ(Number(any, kLegacy), expected);
  }
}

class CommaDecimal : public std::numpunct<char> {
 protected:
  [[nodiscard]] char do_decimal_point() const override { return ','; }
  [[nodiscard]] char do_thousands_sep() const override { return '.'; }
  [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

TEST(NumberText, LocaleDoesNotMatter) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaDecimal));
  // Where the system has it, the C library speaks German as well.
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_EQ(Number(1234567.5, kLegacy), "1234567.500000");
  EXPECT_EQ(Number(1234567.5, kMax), "1234567.5");
  EXPECT_EQ(Number(0.5, {NumberFormat::Kind::kDigits, 3}), "0.5");
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
}

}  // namespace
}  // namespace lockstep
