// SPDX-License-Identifier: BSD-2-Clause-Patent
// Program of the build: compiles one kernel source to the SPIR-V module that the plugin embeds.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sycl/sycl.hpp>
#include <vector>

#include "backend/sycl/cpu_runtime.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
namespace syclexp = sycl::ext::oneapi::experimental;

constexpr std::string_view kUsage =
    "usage: compile_kernels [--headers FOLDER] [--depend FILE] SOURCE MODULE\n"
    "Compiles SOURCE with SYCL's run-time compiler and writes its SPIR-V to MODULE. Headers in quotes are looked for\n"
    "below FOLDER (default: the working directory). --depend writes what was read, as a rule for make.\n";

struct Arguments {
  fs::path headers = ".";
  fs::path depend;
  fs::path source;
  fs::path module;
};

Arguments Parse(const std::vector<std::string>& words) {
  Arguments arguments;
  std::vector<fs::path> files;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--headers" && i + 1 < words.size()) {
      arguments.headers = words[++i];
    } else if (words[i] == "--depend" && i + 1 < words.size()) {
      arguments.depend = words[++i];
    } else {
      files.emplace_back(words[i]);
    }
  }
  if (files.size() != 2) throw std::invalid_argument(std::string(kUsage));
  arguments.source = files[0];
  arguments.module = files[1];
  return arguments;
}

std::string Read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

void Write(const fs::path& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) throw std::runtime_error(path.string() + ": cannot be written");
}

using Headers = std::map<std::string, std::string>;

// The compiler sees no file system of ours: every header is handed over with its name.
void AddHeaders(const std::string& text, const fs::path& folder, Headers& headers) {
  constexpr std::string_view kInclude = "#include \"";
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with(kInclude)) continue;
    const std::string name(line.substr(kInclude.size(), line.find('"', kInclude.size()) - kInclude.size()));
    if (headers.contains(name)) continue;
    const std::string& content = headers.emplace(name, Read(folder / name)).first->second;
    AddHeaders(content, folder, headers);
  }
}

// The runtime compiles nothing without a device, although the module is for all of them.
sycl::device AnyDevice() {
  LoadDrivers();
  try {
    return sycl::device();
  } catch (const sycl::exception& exception) {
    throw std::runtime_error(std::string("the compiler needs a SYCL device: ") + exception.what() + "\n" +
                             CpuRuntimeState() + "\nConfigure with -DLOCKSTEP_COMPILE_KERNELS=OFF to do without it.");
  }
}

std::vector<char> Compile(const std::string& source, const Headers& headers) {
  const sycl::context context(AnyDevice());
  syclexp::include_files files;
  for (const auto& [name, content] : headers) files.add(name, content);
  auto bundle = syclexp::create_kernel_bundle_from_source(context, syclexp::source_language::sycl, source,
                                                          syclexp::properties{files});
  // Headers are named from the root of the sources, wherever the one stands that includes them.
  const std::vector<std::string> options = {"-ffp-contract=off", "-I."};
  std::string log;
  auto object = syclexp::compile(bundle, syclexp::properties{syclexp::build_options{options}, syclexp::save_log{&log}});
  if (!log.empty()) std::fprintf(stderr, "%s\n", log.c_str());
  const auto content = object.ext_oneapi_get_content();
  return {content.begin(), content.end()};
}

// One SPIR-V module inside a larger file. The container gives no offsets that could be relied on: its own format
// changes with the compiler. The instructions themselves say where the module ends.
struct Module {
  std::size_t bytes = 0;
  int entry_points = 0;
};

constexpr std::uint32_t kMagic = 0x07230203;
constexpr std::size_t kHeaderWords = 5;

std::uint32_t Word(const std::vector<char>& content, std::size_t offset) {
  std::uint32_t word = 0;
  std::memcpy(&word, content.data() + offset, sizeof(word));
  return word;
}

/// Nothing when no module begins at `offset`.
Module ModuleAt(const std::vector<char>& content, std::size_t offset) {
  constexpr std::uint32_t kOpLine = 8;
  constexpr std::uint32_t kOpEntryPoint = 15;
  constexpr std::uint32_t kOpFunction = 54;
  constexpr std::uint32_t kOpFunctionEnd = 56;
  constexpr std::uint32_t kOpNoLine = 317;
  const std::size_t header = kHeaderWords * sizeof(std::uint32_t);
  if (offset + header > content.size() || Word(content, offset) != kMagic) return {};
  const std::uint32_t version = Word(content, offset + 4);
  const std::uint32_t schema = Word(content, offset + 16);
  if ((version & 0xff0000ffu) != 0 || schema != 0) return {};
  Module module;
  std::size_t at = offset + header;
  while (at + sizeof(std::uint32_t) <= content.size()) {
    const std::uint32_t instruction = Word(content, at);
    const std::uint32_t operation = instruction & 0xffffu;
    const std::size_t length = std::size_t{instruction >> 16} * sizeof(std::uint32_t);
    if (length == 0 || length > content.size() - at) return {};
    if (operation == kOpEntryPoint) ++module.entry_points;
    at += length;
    if (operation != kOpFunctionEnd) continue;
    // Functions are a module's last part: after one comes another, perhaps with a line number, or the end.
    const std::uint32_t next = at + sizeof(std::uint32_t) <= content.size() ? Word(content, at) & 0xffffu : 0;
    if (next != kOpFunction && next != kOpLine && next != kOpNoLine) {
      module.bytes = at - offset;
      return module;
    }
  }
  return {};
}

/// The only module with kernels.
std::string_view KernelsOf(const std::vector<char>& content) {
  std::string_view kernels;
  for (std::size_t offset = 0; offset + sizeof(std::uint32_t) <= content.size();) {
    const Module module = ModuleAt(content, offset);
    if (module.entry_points > 0) {
      if (!kernels.empty()) throw std::runtime_error("the compiler made two modules with kernels");
      kernels = {content.data() + offset, module.bytes};
    }
    offset += module.bytes > 0 ? module.bytes : 1;
  }
  if (kernels.empty()) throw std::runtime_error("the compiler made no SPIR-V module with kernels");
  return kernels;
}

/// The module with what the driver may not do said on every kernel: it fuses no multiplication with an addition. The
/// compiler says so only where it sees both, and marks products of integers as never being NaN, which is true and
/// of no use; without the marks an audit can ask that there be none.
std::string WithStrictFloats(std::string_view kernels) {
  constexpr std::uint32_t kOpEntryPoint = 15;
  constexpr std::uint32_t kOpExecutionMode = 16;
  constexpr std::uint32_t kOpDecorate = 71;
  constexpr std::uint32_t kContractionOff = 31;
  constexpr std::uint32_t kFastMathMode = 40;
  std::vector<std::uint32_t> words(kernels.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), kernels.data(), kernels.size());
  std::vector<std::uint32_t> entries;
  std::vector<std::uint32_t> result(words.begin(), words.begin() + kHeaderWords);
  bool modes_added = false;
  for (std::size_t at = kHeaderWords; at < words.size();) {
    const std::size_t length = words[at] >> 16;
    const std::uint32_t operation = words[at] & 0xffffu;
    const auto operand = [&](std::size_t n) { return n < length ? words[at + n] : 0; };
    if (operation == kOpEntryPoint) entries.push_back(operand(2));
    // Modes follow the last entry point.
    if (!modes_added && !entries.empty() && operation != kOpEntryPoint) {
      for (const std::uint32_t entry : entries) {
        result.insert(result.end(), {std::uint32_t{3} << 16 | kOpExecutionMode, entry, kContractionOff});
      }
      modes_added = true;
    }
    const bool drop = (operation == kOpExecutionMode && operand(2) == kContractionOff) ||
                      (operation == kOpDecorate && operand(2) == kFastMathMode);
    if (!drop) {
      result.insert(result.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                    words.begin() + static_cast<std::ptrdiff_t>(at + length));
    }
    at += length;
  }
  return {reinterpret_cast<const char*>(result.data()), result.size() * sizeof(std::uint32_t)};
}

std::string DependencyRule(const Arguments& arguments, const Headers& headers) {
  const auto escaped = [](const fs::path& path) {
    std::string text;
    for (const char letter : path.string()) {
      if (letter == ' ' || letter == '#') text += '\\';
      text += letter;
    }
    return text;
  };
  std::string rule = escaped(arguments.module) + ": " + escaped(arguments.source);
  for (const auto& [name, content] : headers) rule += " \\\n  " + escaped(arguments.headers / name);
  return rule + "\n";
}

void Run(const Arguments& arguments) {
  const std::string source = Read(arguments.source);
  Headers headers;
  AddHeaders(source, arguments.headers, headers);
  const std::vector<char> content = Compile(source, headers);
  Write(arguments.module, WithStrictFloats(KernelsOf(content)));
  if (!arguments.depend.empty()) Write(arguments.depend, DependencyRule(arguments, headers));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  try {
    lockstep::Run(lockstep::Parse({argv + 1, argv + argc}));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compile_kernels: %s\n", error.what());
    return 1;
  }
}
