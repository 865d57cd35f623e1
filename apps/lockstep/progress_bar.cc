// SPDX-License-Identifier: BSD-2-Clause-Patent
// Text of the progress line; printing it is up to the program.
#include "apps/lockstep/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace lockstep {
namespace {

constexpr std::int64_t kBarWidth = 24;
// Before that the estimate jumps too much to be of use.
constexpr double kSecondsBeforeEstimate = 1.0;

std::string LeftText(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e8) + 0.5);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02} left", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02} left", whole / 60, whole % 60);
}

}  // namespace

std::string ProgressText(const Progress& progress, double seconds) {
  const double speed = seconds > 0.0 ? static_cast<double>(progress.frames_done) / seconds : 0.0;
  const std::int64_t total = progress.frames_total.value_or(0);
  if (total <= 0) return fmt::format("{} frames   {:.1f} frames/s", progress.frames_done, speed);
  const std::int64_t done = std::clamp<std::int64_t>(progress.frames_done, 0, total);
  const double share = static_cast<double>(done) / static_cast<double>(total);
  const auto filled = static_cast<std::int64_t>(share * static_cast<double>(kBarWidth));
  std::string text = fmt::format("[{:<{}}] {:>3} %   {}/{} frames   {:.1f} frames/s",
                                 std::string(static_cast<std::size_t>(filled), '#'), kBarWidth,
                                 static_cast<int>(share * 100.0), done, total, speed);
  if (seconds >= kSecondsBeforeEstimate && speed > 0.0 && done < total) {
    text += "   " + LeftText(static_cast<double>(total - done) / speed);
  }
  return text;
}

}  // namespace lockstep
