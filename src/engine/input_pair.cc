// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pairing of two inputs. Every step that changes pictures is written down as a decision.
#include "engine/input_pair.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "media/picture_conversion.h"
#include "media/planar_reader.h"

namespace lockstep {
namespace {

// Pictures an input may be ahead of scoring. Enough to hide decoding jitter; 4K 16-bit 4:4:4 stays below 200 MB. More
// of small ones, which are read several at a time.
constexpr std::size_t kReadAheadDepth = 4;
constexpr std::size_t kMostSmallPictures = 64;
constexpr std::size_t kSmallPicturesBytes = std::size_t{1} << 22;

// Two files that were cut off alike lost their last block; anything more is no accident.
constexpr std::uintmax_t kBlockBytes = 4096;

bool IsRaw(const VideoInfo& info) { return info.container == "yuv"; }

// What is read through a descriptor that the caller opened, with that descriptor's position.
bool IsDescriptor(const std::string& path) {
  return path == "-" || path.starts_with("/dev/") || path.starts_with("/proc/");
}

bool Identify(const std::string& path, struct stat& status) {
  return path == "-" ? ::fstat(STDIN_FILENO, &status) == 0 : ::stat(path.c_str(), &status) == 0;
}

// Whether two readers would take bytes from each other: one pipe, or one descriptor of a file.
bool ShareOneStream(const std::string& a, const std::string& b) {
  struct stat of_a {};
  struct stat of_b {};
  if (!Identify(a, of_a) || !Identify(b, of_b) || of_a.st_dev != of_b.st_dev || of_a.st_ino != of_b.st_ino)
    return false;
  if (S_ISDIR(of_a.st_mode)) return false;
  return !S_ISREG(of_a.st_mode) || (IsDescriptor(a) && IsDescriptor(b));
}

Error Cancelled() { return {ErrorCode::kCancelled, "cancelled", {}, {}, {}}; }

}  // namespace

InputPair::~InputPair() = default;

Result<std::unique_ptr<InputPair>> InputPair::Open(const ScoreRequest& request, std::optional<int> cuda_decoder) {
  if (ShareOneStream(request.reference.path, request.distorted.path)) {
    return Error{ErrorCode::kInvalidArgument,
                 "is one stream, which cannot be both the reference and the distorted input",
                 request.distorted.path,
                 {},
                 {}};
  }
  std::unique_ptr<InputPair> pair(new InputPair());
  pair->strict_ = request.strict;
  pair->decodes_on_device_ = cuda_decoder.has_value();
  for (const bool is_reference : {true, false}) {
    const InputRequest& input = is_reference ? request.reference : request.distorted;
    Side& side = is_reference ? pair->reference_ : pair->distorted_;
    Result<std::unique_ptr<VideoReader>> reader =
        OpenVideo(input.path, {input.raw, request.strict, request.stop, cuda_decoder});
    if (!reader) return std::move(reader).error();
    side.reader = *std::move(reader);
    side.info = side.reader->info();
    side.skip = input.skip_frames;
  }
  if (request.reference.path == request.distorted.path) {
    pair->warnings_.push_back({request.reference.path, {}, "is both the reference and the distorted input"});
  }
  if (Status status = pair->SettleFormat(request); !status) return std::move(status).error();
  return pair;
}

Status InputPair::SettleFormat(const ScoreRequest& request) {
  const VideoFormat& reference = reference_.info.format;
  const VideoFormat& distorted = distorted_.info.format;
  format_ = reference;
  format_.bit_depth = std::max(reference.bit_depth, distorted.bit_depth);

  const bool containers = !IsRaw(reference_.info) && !IsRaw(distorted_.info);
  const bool may_scale = request.size_mismatch == SizeMismatch::kScaleContainers && containers;
  VideoFormat same_depth = distorted;
  same_depth.bit_depth = reference.bit_depth;
  const bool size_differs = same_depth != reference;
  const bool depth_differs = reference.bit_depth != distorted.bit_depth;
  if ((size_differs && !may_scale) || (depth_differs && !may_scale && !request.common_bit_depth)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the inputs differ: reference {} is {}, distorted {} is {}", reference_.info.path,
                             DescribeFormat(reference), distorted_.info.path, DescribeFormat(distorted)),
                 distorted_.info.path,
                 {},
                 {}};
  }
  if (Status status = CheckRawSizes(); !status) return status;
  if (Status status = PrepareSide(reference_, "reference"); !status) return status;
  if (Status status = PrepareSide(distorted_, "distorted"); !status) return status;

  const double rate = reference_.info.frame_rate;
  const double other = distorted_.info.frame_rate;
  if (rate > 0.0 && other > 0.0 && rate != other) {
    const std::string text = fmt::format("frame rates differ ({:.6g} and {:.6g} fps)", rate, other);
    if (strict_) return Error{ErrorCode::kInvalidArgument, text, distorted_.info.path, {}, {}};
    decisions_.push_back({"pairing", text + "; frames are paired by index"});
    warnings_.push_back({distorted_.info.path, {}, text + "; frames are paired by index"});
  }
  return CheckRanges();
}

Status InputPair::CheckRanges() {
  // Raw video has no tag, and tells nothing by that; what else has none is limited by convention.
  if (IsRaw(reference_.info) || IsRaw(distorted_.info)) return {};
  const std::string& range = reference_.info.range;
  const std::string& other = distorted_.info.range;
  if ((range == "full") == (other == "full")) return {};
  const auto name = [](const std::string& text) { return text.empty() ? std::string("not tagged") : text; };
  const std::string text =
      fmt::format("ranges of code values differ (reference {}, distorted {})", name(range), name(other));
  if (strict_) return Error{ErrorCode::kInvalidArgument, text, distorted_.info.path, {}, {}};
  warnings_.push_back({distorted_.info.path, {}, text + "; they are compared as they are"});
  return {};
}

Status InputPair::CheckRawSizes() const {
  if (!IsRaw(reference_.info) || !IsRaw(distorted_.info)) return {};
  std::error_code failure;
  if (std::filesystem::equivalent(reference_.info.path, distorted_.info.path, failure) || failure) return {};
  const auto frame_bytes = static_cast<std::uintmax_t>(reference_.info.format.frame_bytes());
  const std::uintmax_t bytes = std::filesystem::file_size(reference_.info.path, failure);
  if (failure || std::filesystem::file_size(distorted_.info.path, failure) != bytes || failure) return {};
  const std::uintmax_t tail = bytes % frame_bytes;
  if (tail == 0 || frame_bytes - tail <= kBlockBytes) return {};
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("both inputs have {} bytes, which is no whole number of frames of {} ({} bytes each); are "
                           "width, height, pixel format and bit depth right?",
                           bytes, DescribeFormat(reference_.info.format), frame_bytes),
               distorted_.info.path,
               {},
               {}};
}

Status InputPair::PrepareSide(Side& side, const char* role) {
  const VideoFormat& from = side.info.format;
  side.convert = from != format_;
  if (!side.convert) return {};
  VideoFormat scaled = format_;
  scaled.bit_depth = from.bit_depth;
  if (scaled != from) {
    Result<std::unique_ptr<FrameScaler>> scaler = FrameScaler::Create(from, scaled);
    if (!scaler) return std::move(scaler).error();
    side.scaler = *std::move(scaler);
    decisions_.push_back({"scaling", fmt::format("{} {} scaled from {} to {} (bicubic)", role, side.info.path,
                                                 DescribeFormat(from), DescribeFormat(scaled))});
  }
  if (from.bit_depth != format_.bit_depth) {
    decisions_.push_back({"bit depth", fmt::format("{} {} shifted from {} to {} bit", role, side.info.path,
                                                   from.bit_depth, format_.bit_depth)});
  }
  return {};
}

std::optional<std::int64_t> InputPair::expected_pairs() const {
  if (!reference_.info.frame_count || !distorted_.info.frame_count) return std::nullopt;
  return std::max<std::int64_t>(
      std::min(*reference_.info.frame_count - reference_.skip, *distorted_.info.frame_count - distorted_.skip), 0);
}

void InputPair::LeaveOutChroma() {
  // Luma alone would stay on the device that decodes it; whole pictures are fetched.
  if (reads_on_host_ && decodes_on_device_) return;
  for (Side* side : {&reference_, &distorted_}) {
    // Scaling and shifting work on whole pictures.
    if (!side->convert) side->reader->LeaveOutChroma();
  }
}

void InputPair::UseMemory(std::shared_ptr<FrameAllocator> allocator) {
  frames_.PrepareWith([allocator = std::move(allocator)](Frame& frame) { frame.UseAllocator(allocator); });
}

std::size_t InputPair::QueueDepth(const VideoFormat& format, std::size_t pairs) {
  const std::size_t picture = format.frame_bytes();
  if (pairs == 0) return std::clamp(kSmallPicturesBytes / picture, kReadAheadDepth, kMostSmallPictures);
  return std::clamp(kQueueBytes / picture, kReadAheadDepth, std::max(pairs, kReadAheadDepth));
}

unsigned InputPair::Readers(const VideoFormat& format, unsigned threads) {
  const std::size_t fit = std::min<std::size_t>(kQueueBytes / format.frame_bytes(), kMostReaders);
  return std::clamp(threads / 2, 1U, std::max(static_cast<unsigned>(fit), 1U));
}

void InputPair::Start(std::int64_t first_pair, std::optional<std::int64_t> end_pair) {
  first_pair_ = first_pair;
  end_pair_ = end_pair;
  for (Side* side : {&reference_, &distorted_}) {
    const VideoFormat& format = side->info.format;
    side->stream = std::make_unique<ReadAhead>(std::move(side->reader), frames_, QueueDepth(format, queue_depth_),
                                               Readers(format, threads_));
  }
}

void InputPair::Cancel() {
  cancelled_.store(true);
  for (Side* side : {&reference_, &distorted_}) {
    if (side->stream) side->stream->Cancel();
  }
}

Status InputPair::SkipPictures(Side& side, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    Result<Pool<Frame>::Ref> frame = side.stream->Next();
    if (!frame) return std::move(frame).error();
    if (!*frame) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("has only {} frames, but those before frame {} were to be skipped", i, count),
                   side.info.path,
                   {},
                   {}};
    }
  }
  return {};
}

Result<Pool<Frame>::Ref> InputPair::NextOf(Side& side) {
  Result<Pool<Frame>::Ref> next = side.stream->Next();
  if (!next || !*next || !side.convert) return next;
  const Frame* current = next->get();
  if (side.scaler) {
    Frame* scaled = &side.scaled;
    Pool<Frame>::Ref target;
    if (side.info.format.bit_depth == format_.bit_depth) {
      target = frames_.Acquire();
      scaled = target.get();
    }
    if (Status status = side.scaler->Scale(*current, *scaled); !status) return std::move(status).error();
    if (target) return target;
    current = scaled;
  }
  Pool<Frame>::Ref shifted = frames_.Acquire();
  if (Status status = ShiftToDepth(*shifted, *current, format_.bit_depth); !status) return std::move(status).error();
  return shifted;
}

Status InputPair::ReportUnequalLength(const Side& ended, const Side& longer) {
  const std::string text = fmt::format("\"{}\" ended before \"{}\"", ended.info.path, longer.info.path);
  if (strict_) return Error{ErrorCode::kTruncated, text, ended.info.path, first_pair_ + delivered_, {}};
  warnings_.push_back({ended.info.path, first_pair_ + delivered_, text + "; the common part is scored"});
  return {};
}

Result<bool> InputPair::Next(FramePair& pair) {
  if (cancelled_.load()) return Cancelled();
  if (ended_) return false;
  if (!started_) {
    started_ = true;
    for (Side* side : {&reference_, &distorted_}) {
      if (Status status = SkipPictures(*side, side->skip + first_pair_); !status) return std::move(status).error();
    }
  }
  if (end_pair_ && first_pair_ + delivered_ >= *end_pair_) {
    ended_ = true;
    return false;
  }
  Result<Pool<Frame>::Ref> reference = NextOf(reference_);
  if (!reference) return std::move(reference).error();
  Result<Pool<Frame>::Ref> distorted = NextOf(distorted_);
  if (!distorted) return std::move(distorted).error();
  if (!*reference || !*distorted) {
    ended_ = true;
    ended_path_ = (*reference ? distorted_ : reference_).info.path;
    if (*reference || *distorted) {
      const Side& ended = *reference ? distorted_ : reference_;
      const Side& longer = *reference ? reference_ : distorted_;
      if (Status status = ReportUnequalLength(ended, longer); !status) return std::move(status).error();
    }
    return false;
  }
  pair.reference = *std::move(reference);
  pair.distorted = *std::move(distorted);
  ++delivered_;
  return true;
}

ReportInput InputPair::Describe(const Side& side) const {
  ReportInput input;
  input.path = side.info.path;
  input.container = side.info.container;
  input.codec = side.info.codec;
  input.format = side.info.format;
  input.interlacing = side.info.interlacing;
  input.chroma_location = side.info.chroma_location;
  input.frame_rate = side.info.frame_rate;
  input.frames = delivered_;
  return input;
}

std::vector<ReportWarning> InputPair::CollectWarnings() const {
  std::vector<ReportWarning> warnings = warnings_;
  for (const Side* side : {&reference_, &distorted_}) {
    if (!side->stream) continue;
    for (std::string text : side->stream->warnings()) {
      // A reader's texts name the file themselves.
      const std::string prefix = side->info.path + ": ";
      if (text.starts_with(prefix)) text.erase(0, prefix.size());
      warnings.push_back({side->info.path, {}, std::move(text)});
    }
  }
  return warnings;
}

}  // namespace lockstep
