// SPDX-License-Identifier: BSD-2-Clause-Patent
// Raw video, and what can be said when its size does not fit the declared format.
#include "media/yuv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "media/planar_reader.h"

namespace lockstep {
namespace {

// What cameras, test sequences and encoders' test suites use.
constexpr std::array<PlaneSize, 21> kCommonSizes{
    {{176, 144},  {320, 240},   {352, 240},   {352, 288},   {416, 240},   {480, 270},   {576, 324},
     {640, 360},  {640, 480},   {720, 480},   {720, 576},   {832, 480},   {960, 540},   {1024, 768},
     {1280, 720}, {1920, 1080}, {1920, 1088}, {2560, 1440}, {2560, 1600}, {3840, 2160}, {4096, 2160}}};

constexpr std::array<PixelFormat, 4> kPixelFormats{PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444,
                                                   PixelFormat::kYuv400};

Status CheckFormat(const VideoFormat& format) {
  const auto error = [](std::string field, int value, int low, int high) {
    return Error{
        ErrorCode::kInvalidArgument, fmt::format("{} is not in {} … {}", value, low, high), {}, {}, std::move(field)};
  };
  constexpr int kMax = VideoFormat::kMaxDimension;
  if (format.width < 1 || format.width > kMax) return error("width", format.width, 1, kMax);
  if (format.height < 1 || format.height > kMax) return error("height", format.height, 1, kMax);
  if (format.bit_depth < 8 || format.bit_depth > 16) return error("bit depth", format.bit_depth, 8, 16);
  return {};
}

// Whether a usual size divides the file evenly, so that the declared one is wrong and the file is not cut off. Other
// pixel formats and depths prove nothing: a file cut off between two planes fits them.
bool HasAnotherSize(std::int64_t file_bytes, const VideoFormat& declared) {
  return std::any_of(kCommonSizes.begin(), kCommonSizes.end(), [&](const PlaneSize& size) {
    const VideoFormat other{declared.pixel_format, size.width, size.height, declared.bit_depth};
    const auto frame_bytes = static_cast<std::int64_t>(other.frame_bytes());
    return file_bytes >= frame_bytes && file_bytes % frame_bytes == 0;
  });
}

class YuvReader final : public PlanarReader {
 public:
  static Result<std::unique_ptr<VideoReader>> Create(std::unique_ptr<ByteSource> source, const OpenOptions& options) {
    if (!options.raw) return Error{ErrorCode::kInvalidArgument, "raw video needs a format", source->path(), {}, {}};
    if (Status status = CheckFormat(*options.raw); !status) return std::move(status).error().WithFile(source->path());

    auto reader = std::unique_ptr<YuvReader>(new YuvReader(std::move(source), *options.raw, options.strict));
    if (Status status = reader->CheckHoldsFrame(0); !status) return std::move(status).error();
    if (const auto size = reader->source_->size()) {
      const std::int64_t tail = *size % reader->payload_bytes();
      if (tail != 0 && HasAnotherSize(*size, *options.raw)) {
        return Error{ErrorCode::kInvalidArgument,
                     fmt::format("{} bytes are no whole number of frames of {} ({} bytes each){}", *size,
                                 DescribeFormat(*options.raw), reader->payload_bytes(), reader->SizeHint()),
                     reader->info_.path,
                     {},
                     {}};
      }
      reader->info_.frame_count = *size / reader->payload_bytes();
      if (tail != 0 && options.strict) {
        return Error{ErrorCode::kTruncated,
                     fmt::format("{} bytes are {} frames of {} ({} bytes each) and {} bytes more{}", *size,
                                 *reader->info_.frame_count, DescribeFormat(*options.raw), reader->payload_bytes(),
                                 tail, reader->SizeHint()),
                     reader->info_.path,
                     {},
                     {}};
      }
    }
    return std::unique_ptr<VideoReader>(std::move(reader));
  }

 protected:
  Result<bool> ReadMarker() override {
    Result<std::span<const std::byte>> next = source_->Peek(1);
    if (!next) return std::move(next).error();
    return !next->empty();
  }

  std::string SizeHint() const override {
    return source_->size() ? FormatsThatFit(*source_->size(), info_.format) : std::string();
  }

  // 16-bit words read as bytes always fit a file's size. Their high bytes give them away: in every second byte, small
  // and yet not all zero, which no picture of 8 bit samples has.
  Status InspectFirst(const Frame& frame) override {
    if (info_.format.bit_depth != 8) return {};
    const PlaneView luma = frame.plane(0);
    const int rows = std::min(luma.height, kRowsToJudge);
    if (static_cast<std::int64_t>(luma.width) * rows < kSamplesToJudge) return {};
    std::array<unsigned, 2> any{};
    for (int y = 0; y < rows; ++y) {
      const auto* row = luma.row<std::uint8_t>(y);
      // Rows of odd width start with the second byte of a word every other time.
      const std::size_t first = static_cast<std::size_t>(luma.width) * static_cast<std::size_t>(y) % 2;
      unsigned even = 0;
      unsigned odd = 0;
      for (int x = 0; x + 1 < luma.width; x += 2) {
        even |= row[x];
        odd |= row[x + 1];
      }
      if (luma.width % 2 != 0) even |= row[luma.width - 1];
      any[first] |= even;
      any[1 - first] |= odd;
    }
    if (any[1] == 0 || any[1] > 15 || any[0] < 128) return {};
    std::string text = fmt::format(
        "looks like {} bit video read as 8 bit: in frame 0 every second byte of luma is at most {}; is the bit depth "
        "right?",
        any[1] <= 3 ? 10 : 12, any[1]);
    if (strict_) return Error{ErrorCode::kInvalidArgument, std::move(text), info_.path, 0, {}};
    warnings_.push_back(info_.path + ": " + text);
    return {};
  }

 private:
  static constexpr std::int64_t kSamplesToJudge = 256;
  static constexpr int kRowsToJudge = 256;

  YuvReader(std::unique_ptr<ByteSource> source, const VideoFormat& format, bool strict)
      : PlanarReader(std::move(source), strict) {
    info_.path = source_->path();
    info_.container = "yuv";
    info_.format = format;
    info_.interlacing = "unknown";
  }
};

}  // namespace

std::string FormatsThatFit(std::int64_t file_bytes, const VideoFormat& declared) {
  constexpr std::size_t kMostSuggestions = 4;
  const std::array<int, 2> depths =
      declared.bit_depth == 8 ? std::array<int, 2>{8, 10} : std::array<int, 2>{declared.bit_depth, 8};
  std::vector<VideoFormat> candidates;
  for (const PixelFormat pixel_format :
       {declared.pixel_format, kPixelFormats[0], kPixelFormats[1], kPixelFormats[2], kPixelFormats[3]}) {
    for (const int depth : depths) candidates.push_back({pixel_format, declared.width, declared.height, depth});
  }
  for (const int depth : depths) {
    for (const PlaneSize& size : kCommonSizes)
      candidates.push_back({declared.pixel_format, size.width, size.height, depth});
  }

  std::vector<std::string> fits;
  std::vector<VideoFormat> seen{declared};
  for (const VideoFormat& candidate : candidates) {
    const auto frame_bytes = static_cast<std::int64_t>(candidate.frame_bytes());
    if (file_bytes < frame_bytes || file_bytes % frame_bytes != 0) continue;
    bool repeated = false;
    for (const VideoFormat& other : seen) repeated = repeated || other == candidate;
    if (repeated) continue;
    seen.push_back(candidate);
    const std::int64_t frames = file_bytes / frame_bytes;
    fits.push_back(fmt::format("{} {} of {}", frames, frames == 1 ? "frame" : "frames", DescribeFormat(candidate)));
    if (fits.size() == kMostSuggestions) break;
  }
  if (fits.empty()) return {};
  std::string text = "; the size would fit ";
  for (std::size_t i = 0; i < fits.size(); ++i) text += (i == 0 ? "" : " or ") + fits[i];
  return text;
}

Result<std::unique_ptr<VideoReader>> OpenYuv(std::unique_ptr<ByteSource> source, const OpenOptions& options) {
  return YuvReader::Create(std::move(source), options);
}

}  // namespace lockstep
