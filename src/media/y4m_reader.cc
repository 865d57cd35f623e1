// SPDX-License-Identifier: BSD-2-Clause-Patent
// The y4m header, frame markers, and the tags that FFmpeg, mjpegtools and VapourSynth write.
#include "media/y4m_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "media/planar_reader.h"

namespace lockstep {
namespace {

constexpr std::string_view kMagic = "YUV4MPEG";
constexpr std::string_view kMarker = "FRAME";
constexpr std::string_view kUsualMarker = "FRAME\n";

// Comments may be long, but a file without line ends must not be read to its end.
constexpr std::size_t kHeaderLimit = std::size_t{1} << 16;

struct ColourSpace {
  std::string_view tag;
  PixelFormat pixel_format;
  int bit_depth;
  std::string_view chroma_location = {};
  bool is_411 = false;
  bool has_alpha = false;
};

constexpr std::array kColourSpaces{
    ColourSpace{"420", PixelFormat::kYuv420, 8},
    ColourSpace{"420jpeg", PixelFormat::kYuv420, 8, "center"},
    ColourSpace{"420mpeg2", PixelFormat::kYuv420, 8, "left"},
    ColourSpace{"420paldv", PixelFormat::kYuv420, 8, "topleft"},
    ColourSpace{"420p9", PixelFormat::kYuv420, 9},
    ColourSpace{"420p10", PixelFormat::kYuv420, 10},
    ColourSpace{"420p12", PixelFormat::kYuv420, 12},
    ColourSpace{"420p14", PixelFormat::kYuv420, 14},
    ColourSpace{"420p16", PixelFormat::kYuv420, 16},
    ColourSpace{"411", PixelFormat::kYuv422, 8, "", true},
    ColourSpace{"422", PixelFormat::kYuv422, 8},
    ColourSpace{"422p9", PixelFormat::kYuv422, 9},
    ColourSpace{"422p10", PixelFormat::kYuv422, 10},
    ColourSpace{"422p12", PixelFormat::kYuv422, 12},
    ColourSpace{"422p14", PixelFormat::kYuv422, 14},
    ColourSpace{"422p16", PixelFormat::kYuv422, 16},
    ColourSpace{"444", PixelFormat::kYuv444, 8},
    ColourSpace{"444alpha", PixelFormat::kYuv444, 8, "", false, true},
    ColourSpace{"444p9", PixelFormat::kYuv444, 9},
    ColourSpace{"444p10", PixelFormat::kYuv444, 10},
    ColourSpace{"444p12", PixelFormat::kYuv444, 12},
    ColourSpace{"444p14", PixelFormat::kYuv444, 14},
    ColourSpace{"444p16", PixelFormat::kYuv444, 16},
    ColourSpace{"mono", PixelFormat::kYuv400, 8},
    ColourSpace{"mono9", PixelFormat::kYuv400, 9},
    ColourSpace{"mono10", PixelFormat::kYuv400, 10},
    ColourSpace{"mono12", PixelFormat::kYuv400, 12},
    ColourSpace{"mono14", PixelFormat::kYuv400, 14},
    ColourSpace{"mono16", PixelFormat::kYuv400, 16},
};

constexpr std::array<std::pair<char, std::string_view>, 5> kInterlacings{
    {{'p', "progressive"}, {'t', "top field first"}, {'b', "bottom field first"}, {'m', "mixed"}, {'?', "unknown"}}};

Error HeaderError(std::string field, std::string message, ErrorCode code = ErrorCode::kFormat) {
  return Error{code, std::move(message), {}, {}, "y4m " + std::move(field)};
}

// Bytes of a broken file as one short line that a terminal can show.
std::string Quoted(std::string_view bytes) {
  constexpr std::size_t kLongest = 40;
  std::string text = "\"";
  for (const char c : bytes.substr(0, kLongest)) {
    const bool printable = c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
    text += printable ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text + (bytes.size() > kLongest ? "…\"" : "\"");
}

template <class Number>
std::optional<Number> ParseDigits(std::string_view text) {
  Number number{};
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

Result<int> ParseDimension(std::string_view name, std::string_view text) {
  const auto value = ParseDigits<std::uint32_t>(text);
  if (!value || *value == 0 || *value > VideoFormat::kMaxDimension) {
    return HeaderError(std::string(name),
                       fmt::format("{} is not a whole number from 1 to {}", Quoted(text), VideoFormat::kMaxDimension));
  }
  return static_cast<int>(*value);
}

// "n:d" as n/d; 0 for 0:0, which means unknown.
Result<double> ParseRatio(std::string_view name, std::string_view text) {
  const std::size_t colon = text.find(':');
  std::optional<std::uint32_t> numerator;
  std::optional<std::uint32_t> denominator;
  if (colon != std::string_view::npos) {
    numerator = ParseDigits<std::uint32_t>(text.substr(0, colon));
    denominator = ParseDigits<std::uint32_t>(text.substr(colon + 1));
  }
  if (!numerator || !denominator || (*denominator == 0 && *numerator != 0))
    return HeaderError(std::string(name), Quoted(text) + " is not a ratio like 30000:1001");
  if (*denominator == 0) return 0.0;
  return static_cast<double>(*numerator) / static_cast<double>(*denominator);
}

Result<std::string_view> ParseInterlacing(std::string_view text) {
  std::string known;
  for (const auto& [letter, name] : kInterlacings) {
    if (text.size() == 1 && text[0] == letter) return name;
    known += fmt::format("{}I{} ({})", known.empty() ? "" : ", ", letter, name);
  }
  return HeaderError("interlacing I", fmt::format("unknown tag {}; known are {}", Quoted(text), known));
}

Result<const ColourSpace*> FindColourSpace(std::string_view tag) {
  std::string known;
  for (const ColourSpace& space : kColourSpaces) {
    if (space.tag == tag) return &space;
    known += (known.empty() ? "" : ", ") + std::string(space.tag);
  }
  return HeaderError("colour space C", fmt::format("unknown tag {}; known are {}", Quoted(tag), known),
                     ErrorCode::kUnsupported);
}

class Y4mReader final : public PlanarReader {
 public:
  static Result<std::unique_ptr<VideoReader>> Create(std::unique_ptr<ByteSource> source, const OpenOptions& options) {
    const std::string path = source->path();
    std::string line;
    Result<ByteSource::LineEnd> end = source->ReadLine(&line, kHeaderLimit);
    if (!end) return std::move(end).error();
    if (*end == ByteSource::LineEnd::kTooLong) {
      return HeaderError("header", fmt::format("no line end in the first {} bytes", kHeaderLimit)).WithFile(path);
    }
    if (*end == ByteSource::LineEnd::kStreamEnd) {
      return HeaderError("header", "the file ends inside it", ErrorCode::kTruncated).WithFile(path);
    }
    Result<Y4mHeader> header = ParseY4mHeader(line);
    if (!header) return std::move(header).error().WithFile(path);

    auto reader = std::unique_ptr<Y4mReader>(new Y4mReader(std::move(source), *header, options.strict));
    if (Status status = reader->CheckHoldsFrame(kPlainMarkerBytes); !status) return std::move(status).error();
    if (Status status = reader->CountFrames(); !status) return std::move(status).error();
    return std::unique_ptr<VideoReader>(std::move(reader));
  }

 protected:
  Result<bool> ReadMarker() override {
    Result<std::span<const std::byte>> peeked = source_->Peek(kPlainMarkerBytes);
    if (!peeked) return std::move(peeked).error();
    const std::string_view bytes(reinterpret_cast<const char*>(peeked->data()), peeked->size());
    if (bytes.size() < kPlainMarkerBytes) {
      // Consumed, so that the tail's bytes are counted.
      Result<std::int64_t> rest = source_->Skip(static_cast<std::int64_t>(bytes.size()));
      if (!rest) return std::move(rest).error();
      return false;
    }
    const char after = bytes[kMarker.size()];
    if (!bytes.starts_with(kMarker) || (after != '\n' && after != ' ')) {
      return FrameError(ErrorCode::kFormat,
                        fmt::format("lost y4m framing: {} where FRAME was expected, at byte {}; do width, height and "
                                    "colour space in the header fit the data?",
                                    Quoted(bytes), source_->position()));
    }
    // Parameters of a frame say nothing that is of use here, and may be of any length.
    Result<ByteSource::LineEnd> end = source_->ReadLine(nullptr, SIZE_MAX);
    if (!end) return std::move(end).error();
    return *end == ByteSource::LineEnd::kNewline;
  }

  std::string_view UsualMarker() const override { return kUsualMarker; }

 private:
  static constexpr std::size_t kPlainMarkerBytes = kUsualMarker.size();
  static_assert(kPlainMarkerBytes <= kLongestMarker);

  Y4mReader(std::unique_ptr<ByteSource> source, const Y4mHeader& header, bool strict)
      : PlanarReader(std::move(source), strict) {
    info_.path = source_->path();
    info_.container = "y4m";
    info_.format = header.format;
    info_.frame_rate = header.frame_rate;
    info_.interlacing = header.interlacing;
    info_.chroma_location = header.chroma_location;
    info_.range = header.range;
    chroma_is_411_ = header.chroma_is_411;
    has_alpha_ = header.has_alpha;
    if (chroma_is_411_)
      warnings_.push_back(info_.path + ": 4:1:1 chroma is interpolated to 4:2:2 (filter of libvmaf's y4m reader)");
    if (has_alpha_) warnings_.push_back(info_.path + ": the alpha plane is ignored");
  }

  // The size of a regular file tells the number of frames only where no frame has parameters.
  Status CountFrames() {
    if (!source_->size()) return {};
    Result<std::span<const std::byte>> marker = source_->Peek(kPlainMarkerBytes);
    if (!marker) return std::move(marker).error();
    const std::int64_t frame_bytes = static_cast<std::int64_t>(kPlainMarkerBytes) + payload_bytes();
    const std::int64_t available = *source_->size() - source_->position();
    if (marker->size() == kPlainMarkerBytes && marker->back() == std::byte{'\n'} && available % frame_bytes == 0)
      info_.frame_count = available / frame_bytes;
    return {};
  }
};

}  // namespace

Result<Y4mHeader> ParseY4mHeader(std::string_view line) {
  if (!line.starts_with(kMagic)) return HeaderError("header", "does not start with YUV4MPEG2");
  line.remove_prefix(kMagic.size());
  const std::string_view version = line.substr(0, line.find(' '));
  if (version != "2") return HeaderError("header", fmt::format("version {} is not known, only 2 is", Quoted(version)));
  line.remove_prefix(version.size());

  Y4mHeader header;
  header.interlacing = "unknown";
  const ColourSpace* space = &kColourSpaces[0];
  std::string seen;
  while (!line.empty()) {
    const std::string_view token = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(token.size() + 1, line.size()));
    if (token.empty()) continue;
    if (token == "XCOLORRANGE=FULL") header.range = "full";
    if (token == "XCOLORRANGE=LIMITED") header.range = "limited";
    const char tag = token[0];
    const std::string_view value = token.substr(1);
    if (std::string_view("WHFIAC").find(tag) == std::string_view::npos) continue;
    if (seen.find(tag) != std::string::npos) return HeaderError(std::string(1, tag), "is there more than once");
    seen += tag;
    switch (tag) {
      case 'W':
      case 'H': {
        Result<int> size = ParseDimension(tag == 'W' ? "width W" : "height H", value);
        if (!size) return std::move(size).error();
        (tag == 'W' ? header.format.width : header.format.height) = *size;
        break;
      }
      case 'F':
      case 'A': {
        Result<double> ratio = ParseRatio(tag == 'F' ? "frame rate F" : "pixel aspect A", value);
        if (!ratio) return std::move(ratio).error();
        if (tag == 'F') header.frame_rate = *ratio;
        break;
      }
      case 'I': {
        Result<std::string_view> name = ParseInterlacing(value);
        if (!name) return std::move(name).error();
        header.interlacing = *name;
        break;
      }
      default: {
        Result<const ColourSpace*> found = FindColourSpace(value);
        if (!found) return std::move(found).error();
        space = *found;
        break;
      }
    }
  }
  if (header.format.width == 0) return HeaderError("width W", "is missing");
  if (header.format.height == 0) return HeaderError("height H", "is missing");
  header.format.pixel_format = space->pixel_format;
  header.format.bit_depth = space->bit_depth;
  header.chroma_location = space->chroma_location;
  header.chroma_is_411 = space->is_411;
  header.has_alpha = space->has_alpha;
  return header;
}

Result<bool> IsY4m(ByteSource& source) {
  Result<std::span<const std::byte>> head = source.Peek(kMagic.size());
  if (!head) return std::move(head).error();
  return std::string_view(reinterpret_cast<const char*>(head->data()), head->size()) == kMagic;
}

Result<std::unique_ptr<VideoReader>> OpenY4m(std::unique_ptr<ByteSource> source, const OpenOptions& options) {
  return Y4mReader::Create(std::move(source), options);
}

}  // namespace lockstep
