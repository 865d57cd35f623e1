// SPDX-License-Identifier: BSD-2-Clause-Patent
// Hostile names, numbers, times, warnings, and inputs that must not be overwritten.
#include "apps/command_line/terminal_text.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>

#include "apps/command_line/usage_error.h"

namespace lockstep {
namespace {

TEST(TerminalTexts, HarmlessTextStays) {
  const std::string text = "a b~\u00e9\u20ac\U0001F600.mkv";
  EXPECT_EQ(TerminalText(text), text);
}

TEST(TerminalTexts, WhatATerminalObeysDoesNotReachIt) {
  EXPECT_EQ(TerminalText("\x1b[31mred\x07\n\r\t\x7f"), "?[31mred?????");
  EXPECT_EQ(TerminalText("\xC2\x9B"
                         "31m"),
            "??31m");  // the one-character form of ESC [
  EXPECT_EQ(TerminalText("\x9B"
                         "31m"),
            "?31m");
  EXPECT_EQ(TerminalText("\u202Egpj.exe"), "???gpj.exe");  // reversed direction
  EXPECT_EQ(TerminalText("\u2066\u2028"), "??????");
  EXPECT_EQ(TerminalText("\xC0\x8A\xE0\x80\x8A\xED\xA0\x80\xF4\x90\x80\x80\xE2\x82"), std::string(14, '?'));
}

TEST(TerminalTexts, Scores) {
  EXPECT_EQ(ScoreText(97.42804267547, {NumberFormat::Kind::kLegacy, 6}), "97.428043");
  EXPECT_EQ(ScoreText(0.1, {NumberFormat::Kind::kMax, 6}), "0.10000000000000001");
  EXPECT_EQ(ScoreText(97.42804267547, {NumberFormat::Kind::kDigits, 4}), "97.43");
  EXPECT_EQ(ScoreText(std::numeric_limits<double>::infinity(), {}), "inf");
  EXPECT_EQ(ScoreText(-std::numeric_limits<double>::quiet_NaN(), {}), "nan");
}

TEST(TerminalTexts, Times) {
  EXPECT_EQ(TimeText(0.0), "0:00.000");
  EXPECT_EQ(TimeText(0.44), "0:00.440");
  EXPECT_EQ(TimeText(59.9996), "1:00.000");
  EXPECT_EQ(TimeText(3599.25), "59:59.250");
  EXPECT_EQ(TimeText(3723.25), "1:02:03.250");
  EXPECT_EQ(TimeText(-1.0), "0:00.000");
}

TEST(TerminalTexts, Warnings) {
  EXPECT_EQ(WarningText({"a.yuv", std::nullopt, "1000 bytes ignored"}), "a.yuv: 1000 bytes ignored");
  EXPECT_EQ(WarningText({"", 7, "flat"}), "frame 7: flat");
  EXPECT_EQ(WarningText({"a", 7, "\"a\" ended before \"b\""}), "frame 7: \"a\" ended before \"b\"");
  EXPECT_EQ(WarningText({"\x1b.yuv", std::nullopt, "cut"}), "?.yuv: cut");
}

TEST(Outputs, InputsAreNotOverwritten) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "inputs_are_not_overwritten";
  std::filesystem::create_directories(folder);
  const std::string a = folder / "a.y4m";
  const std::string b = folder / "b.y4m";
  std::ofstream(a) << "a";
  std::ofstream(b) << "b";
  EXPECT_FALSE(CheckNotAnInput(a, a, b).ok());
  EXPECT_FALSE(CheckNotAnInput(folder / "." / "b.y4m", a, b).ok());
  EXPECT_TRUE(CheckNotAnInput(folder / "c.xml", a, b).ok());
  EXPECT_TRUE(CheckNotAnInput("-", "-", b).ok());
  EXPECT_TRUE(CheckNotAnInput("/dev/null", "/dev/null", b).ok());
  std::filesystem::remove_all(folder);
}

TEST(UsageErrors, AreAboutTheCommandLine) {
  EXPECT_TRUE(IsUsageError({ErrorCode::kNotFound, "unknown feature", {}, std::nullopt, {}}));
  EXPECT_TRUE(IsUsageError({ErrorCode::kInvalidArgument, "", {}, std::nullopt, "feature psnr"}));
  EXPECT_FALSE(IsUsageError({ErrorCode::kNotFound, "", "a.y4m", std::nullopt, {}}));
  EXPECT_FALSE(IsUsageError({ErrorCode::kUnsupported, "", {}, std::nullopt, {}}));
}

}  // namespace
}  // namespace lockstep
