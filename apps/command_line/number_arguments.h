// SPDX-License-Identifier: BSD-2-Clause-Patent
// Numbers and short words that users write on a command line. Errors carry the option in `field`.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "lockstep/report.h"
#include "lockstep/result.h"
#include "lockstep/score.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// More threads than any machine has cores; beyond it a number is a slip of the keyboard.
inline constexpr std::uint64_t kMaxThreads = 4096;

/// A whole number from 0 to `maximum`: decimal, 0x hexadecimal or, as in libvmaf, octal after a leading 0.
/// errors  kInvalidArgument: anything else, also signs, blanks and trailing characters
[[nodiscard]] Result<std::uint64_t> ParseUnsigned(std::string_view text, std::uint64_t maximum,
                                                  std::string_view option);

/// A bit mask: an unsigned number, or -1 for all bits, which scripts written for libvmaf use.
[[nodiscard]] Result<std::uint64_t> ParseMask(std::string_view text, std::string_view option);

/// "400", "420", "422" or "444".
[[nodiscard]] Result<PixelFormat> ParsePixelFormat(std::string_view text, std::string_view option);

/// 8 … 16.
[[nodiscard]] Result<int> ParseBitDepth(std::string_view text, std::string_view option);

/// 1 … VideoFormat::kMaxDimension.
[[nodiscard]] Result<int> ParseDimension(std::string_view text, std::string_view option);

/// "legacy", "max", or a count of significant digits from 1 to 17.
[[nodiscard]] Result<NumberFormat> ParsePrecision(std::string_view text, std::string_view option);

/// "A:B": frames A … B - 1.
[[nodiscard]] Result<std::pair<std::int64_t, std::int64_t>> ParseFrameRange(std::string_view text,
                                                                            std::string_view option);

/// A backend's name, "auto" resolved. Whether this build and machine have it is the run's business.
[[nodiscard]] Result<std::string_view> ParseBackend(std::string_view text, std::string_view option);

/// "auto", "on" or "off".
[[nodiscard]] Result<GraphUse> ParseGraphUse(std::string_view text, std::string_view option);

/// Frames in one launch: 1 … DeviceRequest::kMaximumBatch, or 0 for automatic.
[[nodiscard]] Result<int> ParseBatch(std::string_view text, std::string_view option);

/// "in_order" or "out_of_order"; true for the latter.
[[nodiscard]] Result<bool> ParseQueueOrder(std::string_view text, std::string_view option);

}  // namespace lockstep
