// SPDX-License-Identifier: BSD-2-Clause-Patent
// Makes any bytes (file names, model names) safe to stand in the text of a report.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

/// `text` with every byte that is not part of well-formed UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string ValidUtf8(std::string_view text);

/// Appends the text of a double-quoted XML attribute. Characters that XML 1.0 cannot hold become U+FFFD.
void AppendXmlText(std::string_view text, std::string& out);

/// A name as an XML attribute name: every character but ASCII letters, digits, `_`, `-` and `.` becomes `_xHHHH_`
/// (its code point; the convention of ISO 9075-14), as does an underscore that would otherwise look like one of these.
[[nodiscard]] std::string XmlName(std::string_view name);

/// Appends a JSON string with its quotes.
void AppendJsonString(std::string_view text, std::string& out);

/// Appends a CSV field, quoted where RFC 4180 asks for it.
void AppendCsvField(std::string_view text, std::string& out);

/// A name inside a MicroDVD subtitle line: `{`, `}`, `|` and control characters become `_`.
[[nodiscard]] std::string SubtitleName(std::string_view name);

}  // namespace lockstep
