// SPDX-License-Identifier: BSD-2-Clause-Patent
// libFuzzer target: whatever stands in a feature, model or number argument, parsing ends and keeps its promises.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "apps/command_line/number_arguments.h"
#include "apps/command_line/option_strings.h"
#include "apps/command_line/pooling.h"
#include "apps/command_line/terminal_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto feature = ParseFeatureString(text); feature && feature->name.empty()) std::abort();
  for (const auto& model : {ParseModelString(text), ParseModelArgument(text)}) {
    if (model && model->request.version.empty() == model->request.path.empty()) std::abort();
  }
  if (const auto value = ParseUnsigned(text, 1000, "x"); value && *value > 1000) std::abort();
  if (const auto value = ParseBitDepth(text, "x"); value && (*value < 8 || *value > 16)) std::abort();
  if (const auto range = ParseFrameRange(text, "x"); range && range->first >= range->second) std::abort();
  (void)ParseMask(text, "x");
  (void)ParsePrecision(text, "x");
  (void)ParseBackend(text, "x");
  if (const auto methods = ParsePoolMethods(text, "x"); methods && methods->empty()) std::abort();
  for (const char c : TerminalText(text)) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) std::abort();
  }
  return 0;
}
