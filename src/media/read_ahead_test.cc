// SPDX-License-Identifier: BSD-2-Clause-Patent
// The reading threads: order, bounds, errors, files that change, and stopping while a pipe says nothing.
#include "media/read_ahead.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "media/test_clips.h"

namespace {

thread_local bool has_memory = true;

}  // namespace

// Not inlined: the compiler would take what they call for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const memory = has_memory ? std::malloc(std::max<std::size_t>(bytes, 1)) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }

namespace lockstep {
namespace {

using test::NoiseFrame;
using test::NoiseSamples;
using test::PlaneBytes;
using test::TemporaryFolder;

constexpr VideoFormat kFormat{PixelFormat::kYuv420, 33, 34, 8};

std::unique_ptr<VideoReader> Open(const std::string& path, const OpenOptions& options = {.raw = kFormat}) {
  Result<std::unique_ptr<VideoReader>> reader = OpenVideo(path, options);
  EXPECT_TRUE(reader);
  return std::move(*reader);
}

TEST(ReadAhead, DeliversEverythingInOrder) {
  const TemporaryFolder folder;
  std::string bytes;
  std::vector<std::string> frames;
  for (unsigned i = 0; i < 40; ++i) {
    frames.push_back(NoiseFrame(kFormat, i));
    bytes += frames.back();
  }
  const std::string path = folder.Write("clip.yuv", bytes + "tail");
  for (const std::size_t depth : {0U, 1U, 3U, 100U}) {
    Pool<Frame> pool;
    {
      ReadAhead ahead(Open(path), pool, depth);
      EXPECT_EQ(ahead.info().format, kFormat);
      for (const std::string& frame : frames) {
        auto next = ahead.Next();
        ASSERT_TRUE(next && *next);
        EXPECT_EQ(PlaneBytes(**next), frame);
      }
      for (int i = 0; i < 2; ++i) {
        auto next = ahead.Next();
        ASSERT_TRUE(next);
        EXPECT_FALSE(*next);
      }
      ASSERT_EQ(ahead.warnings().size(), 1U);
    }
    // The queue, the picture being read, and the one in this test's hands.
    EXPECT_LE(pool.size(), std::max<std::size_t>(depth, 1) + 2);
  }
}

// The thread has seen the cut-off tail long before; a report must not depend on that.
TEST(ReadAhead, WarnsOfWhatWasDelivered) {
  const TemporaryFolder folder;
  std::string bytes;
  for (unsigned i = 0; i < 6; ++i) bytes += NoiseFrame(kFormat, i);
  const std::string path = folder.Write("clip.yuv", bytes + "tail");
  Pool<Frame> pool;
  ReadAhead ahead(Open(path), pool, 100);
  for (int i = 0; i < 6; ++i) {
    auto next = ahead.Next();
    ASSERT_TRUE(next && *next);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_TRUE(ahead.warnings().empty()) << i;
  }
  auto end = ahead.Next();
  ASSERT_TRUE(end);
  EXPECT_FALSE(*end);
  EXPECT_EQ(ahead.warnings().size(), 1U);
}

class CountingReader final : public VideoReader {
 public:
  explicit CountingReader(std::atomic<int>& reads) : reads_(reads) { info_.format = kFormat; }
  [[nodiscard]] const VideoInfo& info() const override { return info_; }
  Result<bool> Read(Frame& frame) override {
    frame.Reset(kFormat);
    ++reads_;
    return true;
  }

 private:
  std::atomic<int>& reads_;
  VideoInfo info_;
};

class ReaderWithoutMemory final : public VideoReader {
 public:
  ReaderWithoutMemory() { info_.path = "a path that is longer than what a string holds without memory"; }
  [[nodiscard]] const VideoInfo& info() const override { return info_; }
  Result<bool> Read(Frame& /*frame*/) override {
    has_memory = false;
    throw std::bad_alloc();
  }

 private:
  VideoInfo info_;
};

// Saying that there is no memory must not need any: nothing would catch what leaves the thread.
TEST(ReadAhead, RunsOutOfMemory) {
  Pool<Frame> pool;
  ReadAhead ahead(std::make_unique<ReaderWithoutMemory>(), pool, 3);
  const auto next = ahead.Next();
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(next.error().file, ahead.info().path);
}

TEST(ReadAhead, StopsWhenTheQueueIsFull) {
  Pool<Frame> pool;
  std::atomic<int> reads = 0;
  {
    ReadAhead ahead(std::make_unique<CountingReader>(reads), pool, 3);
    while (reads < 3) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_EQ(reads, 3);
    ASSERT_TRUE(ahead.Next());
    while (reads < 4) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_EQ(reads, 4);
  }
  // The fourth picture may be begun before the first reference ends.
  EXPECT_LE(pool.size(), 4U);
}

TEST(ReadAhead, DeliversPicturesBeforeAnError) {
  const TemporaryFolder folder;
  const std::string frame = NoiseFrame(kFormat, 1);
  const std::string path =
      folder.Write("bad.y4m", "YUV4MPEG2 W33 H34\nFRAME\n" + frame + "FRAME\n" + frame + "garbage" + frame);
  Pool<Frame> pool;
  ReadAhead ahead(Open(path, {}), pool, 8);
  for (int i = 0; i < 2; ++i) {
    auto next = ahead.Next();
    ASSERT_TRUE(next && *next);
  }
  for (int i = 0; i < 2; ++i) {
    auto next = ahead.Next();
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().code, ErrorCode::kFormat);
    EXPECT_EQ(next.error().frame, 2);
  }
}

class ThrowingReader final : public VideoReader {
 public:
  [[nodiscard]] const VideoInfo& info() const override { return info_; }
  Result<bool> Read(Frame& /*frame*/) override { throw std::bad_alloc(); }

 private:
  VideoInfo info_;
};

TEST(ReadAhead, TurnsExceptionsIntoErrors) {
  Pool<Frame> pool;
  ReadAhead ahead(std::make_unique<ThrowingReader>(), pool, 2);
  auto next = ahead.Next();
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, ErrorCode::kOutOfMemory);
}

// A FIFO that holds one frame and whose writer stays silent. Without the wake-up these tests would never end.
class SilentFifo {
 public:
  SilentFifo() : path_(folder_.File("fifo")) {
    EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    fd_ = ::open(path_.c_str(), O_RDWR);
    const std::string frame = NoiseFrame(kFormat, 1);
    EXPECT_EQ(::write(fd_, frame.data(), frame.size()), static_cast<ssize_t>(frame.size()));
  }
  SilentFifo(const SilentFifo&) = delete;
  SilentFifo& operator=(const SilentFifo&) = delete;
  ~SilentFifo() { ::close(fd_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::string path_;
  int fd_ = -1;
};

TEST(ReadAhead, DestructionEndsABlockedRead) {
  const SilentFifo fifo;
  Pool<Frame> pool;
  ReadAhead ahead(Open(fifo.path()), pool, 4);
  auto next = ahead.Next();
  ASSERT_TRUE(next && *next);
}

TEST(ReadAhead, CancelEndsABlockedNext) {
  const SilentFifo fifo;
  Pool<Frame> pool;
  ReadAhead ahead(Open(fifo.path()), pool, 4);
  ASSERT_TRUE(ahead.Next());
  std::thread canceller([&ahead] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    ahead.Cancel();
  });
  auto next = ahead.Next();
  canceller.join();
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, ErrorCode::kCancelled);
}

TEST(ReadAhead, AStopTokenEndsABlockedRead) {
  const SilentFifo fifo;
  Pool<Frame> pool;
  std::stop_source stop;
  ReadAhead ahead(Open(fifo.path(), {.raw = kFormat, .stop = stop.get_token()}), pool, 4);
  ASSERT_TRUE(ahead.Next());
  stop.request_stop();
  auto next = ahead.Next();
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, ErrorCode::kCancelled);
}

// A reader whose pictures have no places, so that one thread reads them in order.
class InOrder final : public VideoReader {
 public:
  explicit InOrder(std::unique_ptr<VideoReader> reader) : reader_(std::move(reader)) {}
  [[nodiscard]] const VideoInfo& info() const override { return reader_->info(); }
  Result<bool> Read(Frame& frame) override {
    Result<bool> read = reader_->Read(frame);
    warnings_ = reader_->warnings();
    return read;
  }
  void LeaveOutChroma() override { reader_->LeaveOutChroma(); }
  void Cancel() override { reader_->Cancel(); }

 private:
  std::unique_ptr<VideoReader> reader_;
};

// Memory of which there is a given amount.
class ScarceMemory final : public FrameAllocator {
 public:
  explicit ScarceMemory(int allocations) : left_(allocations) {}
  std::byte* Allocate(std::size_t bytes) override {
    if (left_.fetch_sub(1) <= 0) return nullptr;
    return static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  }
  void Free(std::byte* memory) override {
    std::free(memory);
    left_.fetch_add(1);
  }

 private:
  std::atomic<int> left_;
};

// How a file is read.
struct Reading {
  std::size_t depth = 4;
  unsigned threads = 0;  // 0: in order, whatever the reader offers
  bool luma_only = false;
  std::int64_t skipped = 0;
  bool pinned = false;
};

// What a user sees of it.
struct Seen {
  std::vector<std::string> frames;
  std::vector<std::size_t> warnings_then;  // how many there were after each of them
  std::vector<std::string> warnings;
  std::string error;
  std::optional<std::int64_t> error_frame;
  std::size_t pool_size = 0;

  // The pool's size may differ.
  friend bool operator==(const Seen& a, const Seen& b) {
    return a.frames == b.frames && a.warnings_then == b.warnings_then && a.warnings == b.warnings &&
           a.error == b.error && a.error_frame == b.error_frame;
  }
};

std::string Describe(const Seen& seen) {
  std::string text = fmt::format("{} frames, error \"{}\"", seen.frames.size(), seen.error);
  for (const std::string& warning : seen.warnings) text += ", " + warning;
  return text;
}

std::string BytesOf(const Frame& frame, bool luma_only) {
  const std::string bytes = PlaneBytes(frame);
  const PlaneSize luma = frame.format().plane_size(0);
  return luma_only ? bytes.substr(0, static_cast<std::size_t>(luma.width) * static_cast<std::size_t>(luma.height) *
                                         static_cast<std::size_t>(frame.format().bytes_per_sample()))
                   : bytes;
}

std::unique_ptr<ReadAhead> StartReading(std::unique_ptr<VideoReader> reader, Pool<Frame>& pool,
                                        const Reading& reading) {
  if (reading.luma_only) reader->LeaveOutChroma();
  EXPECT_TRUE(reader->Skip(reading.skipped));
  if (reading.threads == 0) reader = std::make_unique<InOrder>(std::move(reader));
  return std::make_unique<ReadAhead>(std::move(reader), pool, reading.depth, reading.threads);
}

void ReadToEnd(ReadAhead& ahead, bool luma_only, Seen& seen) {
  while (true) {
    Result<Pool<Frame>::Ref> next = ahead.Next();
    if (!next) {
      seen.error = next.error().Describe();
      seen.error_frame = next.error().frame;
      const Result<Pool<Frame>::Ref> again = ahead.Next();
      EXPECT_TRUE(!again && again.error().Describe() == seen.error);
      break;
    }
    if (!*next) {
      const Result<Pool<Frame>::Ref> again = ahead.Next();
      EXPECT_TRUE(again && !*again);
      break;
    }
    seen.frames.push_back(BytesOf(**next, luma_only));
    seen.warnings_then.push_back(ahead.warnings().size());
  }
  seen.warnings = ahead.warnings();
}

Seen ReadFileAhead(const std::string& path, const OpenOptions& options, const Reading& reading) {
  Seen seen;
  Pool<Frame> pool;
  if (reading.pinned) {
    const auto memory = std::make_shared<ScarceMemory>(1000);
    pool.PrepareWith([memory](Frame& frame) { frame.UseAllocator(memory); });
  }
  {
    Result<std::unique_ptr<VideoReader>> reader = OpenVideo(path, options);
    if (!reader) {
      seen.error = reader.error().Describe();
      return seen;
    }
    const std::unique_ptr<ReadAhead> ahead = StartReading(std::move(*reader), pool, reading);
    ReadToEnd(*ahead, reading.luma_only, seen);
  }
  seen.pool_size = pool.size();
  return seen;
}

void ExpectTheSameByPlace(const std::string& path, const OpenOptions& options, Reading reading,
                          const std::string& what) {
  reading.threads = 0;
  const Seen in_order = ReadFileAhead(path, options, reading);
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    reading.threads = threads;
    const Seen by_place = ReadFileAhead(path, options, reading);
    ASSERT_TRUE(by_place == in_order) << what << ", " << threads << " threads:\n"
                                      << Describe(by_place) << "\nin order:\n"
                                      << Describe(in_order);
    // The queue, and what Next() just gave and gives.
    EXPECT_LE(by_place.pool_size, std::max<std::size_t>(reading.depth, 1) + threads + 1) << what;
  }
}

// Files of everything that can be in one, more often than a user would have it.
TEST(ReadAhead, RawFilesByPlaceAreThoseInOrder) {
  const TemporaryFolder folder;
  constexpr std::array kPixelFormats{PixelFormat::kYuv400, PixelFormat::kYuv420, PixelFormat::kYuv422,
                                     PixelFormat::kYuv444};
  constexpr std::array kSizes{PlaneSize{1, 1}, PlaneSize{33, 34}, PlaneSize{64, 31}, PlaneSize{301, 211}};
  constexpr std::array kDepths{8, 10, 16};
  std::mt19937 random(1);
  const auto below = [&random](std::size_t end) { return static_cast<std::size_t>(random()) % end; };
  int out_of_range = 0;
  int cut_off = 0;
  for (int round = 0; round < 120; ++round) {
    const PlaneSize size = kSizes[below(kSizes.size())];
    const VideoFormat format{kPixelFormats[below(kPixelFormats.size())], size.width, size.height,
                             kDepths[below(kDepths.size())]};
    const std::size_t frames = 1 + below(20);
    std::string bytes;
    for (std::size_t i = 0; i < frames; ++i) bytes += NoiseFrame(format, random());
    if (below(3) == 0) bytes.resize(bytes.size() - below(format.frame_bytes()));
    if (format.bit_depth == 10 && below(2) == 0) bytes[below(bytes.size() / 2) * 2 + 1] = '\x7f';
    const std::string path = folder.Write("clip.yuv", bytes);
    const OpenOptions options{.raw = format, .strict = below(4) == 0};
    const Reading reading{.depth = below(9),
                          .luma_only = below(2) == 0,
                          .skipped = below(3) == 0 ? static_cast<std::int64_t>(below(frames)) : 0,
                          .pinned = below(2) == 0};
    ExpectTheSameByPlace(path, options, reading, fmt::format("round {}", round));
    if (HasFatalFailure()) return;
    const Seen seen = ReadFileAhead(path, options, reading);
    out_of_range += test::Contains(seen.error, "exceeds") ? 1 : 0;
    cut_off += seen.warnings.empty() ? 0 : 1;
  }
  EXPECT_GT(out_of_range, 5);
  EXPECT_GT(cut_off, 5);
}

struct Y4mClip {
  std::string tag;
  int samples_of_luma = 1;  // bytes
  std::size_t chroma_bytes = 0;
};

TEST(ReadAhead, Y4mFilesByPlaceAreThoseInOrder) {
  constexpr std::size_t kWidth = 67;
  constexpr std::size_t kHeight = 45;
  constexpr std::size_t kLuma = kWidth * kHeight;
  const std::array<Y4mClip, 6> clips{{{"420jpeg", 1, 2 * 34 * 23},
                                      {"411", 1, 2 * 17 * kHeight},
                                      {"444alpha", 1, 3 * kLuma},
                                      {"mono", 1, 0},
                                      {"422p10", 2, 2 * 2 * 34 * kHeight},
                                      {"444p16", 2, 4 * kLuma}}};
  const TemporaryFolder folder;
  std::mt19937 random(2);
  const auto below = [&random](std::size_t end) { return static_cast<std::size_t>(random()) % end; };
  int lost_framing = 0;
  for (int round = 0; round < 120; ++round) {
    const Y4mClip& clip = clips[static_cast<std::size_t>(round) % clips.size()];
    const std::size_t frames = 1 + below(20);
    // 0: nothing; 1: parameters once; 2: in every frame; 3: garbage; 4: a marker of the same length that is none.
    const std::size_t trouble = below(5);
    const std::size_t place = below(frames);
    std::string bytes = fmt::format("YUV4MPEG2 W{} H{} F25:1 C{}\n", kWidth, kHeight, clip.tag);
    for (std::size_t i = 0; i < frames; ++i) {
      const bool here = i == place;
      bytes += trouble == 2 || (trouble == 1 && here) ? "FRAME Ip\n"
               : trouble == 3 && here                 ? "garbage"
               : trouble == 4 && here                 ? "FRAMED"
                                                      : "FRAME\n";
      bytes += NoiseSamples((kLuma * static_cast<std::size_t>(clip.samples_of_luma) + clip.chroma_bytes), 8, random());
      // Every high byte within 10 bits, but for one now and then.
      if (clip.tag == "422p10") {
        const std::size_t frame_bytes = 2 * kLuma + clip.chroma_bytes;
        for (std::size_t k = 1; k < frame_bytes; k += 2) bytes[bytes.size() - frame_bytes + k] &= 3;
        if (here && below(2) == 0) bytes[bytes.size() - 1 - 2 * below(frame_bytes / 2)] = '\x04';
      }
    }
    if (below(3) == 0) bytes.resize(bytes.size() - below(kLuma));
    const std::string path = folder.Write("clip.y4m", bytes);
    const OpenOptions options{.strict = below(4) == 0};
    const Reading reading{.depth = below(9), .luma_only = below(2) == 0, .pinned = below(2) == 0};
    ExpectTheSameByPlace(path, options, reading, fmt::format("round {}, {}, trouble {}", round, clip.tag, trouble));
    if (HasFatalFailure()) return;
    lost_framing += test::Contains(ReadFileAhead(path, options, reading).error, "lost y4m framing") ? 1 : 0;
  }
  EXPECT_GT(lost_framing, 10);
}

// Their way into pinned memory leads past the caches: in one piece where rows have no gaps, or row by row.
TEST(ReadAhead, LargePicturesInPinnedMemory) {
  const TemporaryFolder folder;
  constexpr std::array kFormats{
      VideoFormat{PixelFormat::kYuv444, 1024, 1030, 8}, VideoFormat{PixelFormat::kYuv420, 1283, 723, 10},
      VideoFormat{PixelFormat::kYuv422, 1056, 1000, 10}, VideoFormat{PixelFormat::kYuv400, 1055, 777, 16},
      VideoFormat{PixelFormat::kYuv400, 32768, 33, 16}};
  for (const VideoFormat& format : kFormats) {
    std::string bytes;
    for (unsigned i = 0; i < 4; ++i) bytes += NoiseFrame(format, i);
    bytes += bytes.substr(0, 1000);
    std::string bad = bytes;
    bad[3 * format.frame_bytes() + 700001] = '\x70';
    for (const bool luma_only : {false, true}) {
      const Reading reading{.luma_only = luma_only, .pinned = true};
      ExpectTheSameByPlace(folder.Write("clip.yuv", bytes), {.raw = format}, reading, "whole");
      EXPECT_EQ(ReadFileAhead(folder.File("clip.yuv"), {.raw = format}, reading).frames.size(), 4U);
      ExpectTheSameByPlace(folder.Write("bad.yuv", bad), {.raw = format}, reading, "bad");
      EXPECT_EQ(ReadFileAhead(folder.File("bad.yuv"), {.raw = format}, reading).frames.size(),
                format.bit_depth == 10 ? 3U : 4U);
    }
  }
}

TEST(ReadAhead, WarnsOfTheFirstPicture) {
  const TemporaryFolder folder;
  std::string bytes;
  for (unsigned i = 0; i < 9; ++i) bytes += NoiseFrame({PixelFormat::kYuv420, 64, 48, 10}, i);
  const std::string path = folder.Write("words.yuv", bytes);
  for (const bool strict : {false, true}) {
    const OpenOptions options{.raw = VideoFormat{PixelFormat::kYuv420, 64, 48, 8}, .strict = strict};
    ExpectTheSameByPlace(path, options, {}, "words");
    const Seen seen = ReadFileAhead(path, options, {.threads = 4});
    EXPECT_EQ(seen.frames.size(), strict ? 0U : 18U);
    EXPECT_EQ(seen.warnings.size(), strict ? 0U : 1U);
    EXPECT_EQ(seen.error.empty(), !strict);
  }
}

// A descriptor is left where it would be after reading in order, and read from where it stands.
TEST(ReadAhead, ADescriptorsPositionCounts) {
  const TemporaryFolder folder;
  const std::string tail = "0123456789";
  std::string bytes = tail;
  for (unsigned i = 0; i < 12; ++i) bytes += NoiseFrame(kFormat, i);
  const std::string path = folder.Write("clip.yuv", bytes);
  for (const unsigned threads : {0U, 1U, 4U}) {
    const int fd = ::open(path.c_str(), O_RDONLY);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(::lseek(fd, static_cast<off_t>(tail.size()), SEEK_SET), static_cast<off_t>(tail.size()));
    const Seen seen = ReadFileAhead(fmt::format("/dev/fd/{}", fd), {.raw = kFormat}, {.threads = threads});
    EXPECT_EQ(::lseek(fd, 0, SEEK_CUR), static_cast<off_t>(bytes.size()));
    ::close(fd);
    EXPECT_EQ(seen.error, "");
    ASSERT_EQ(seen.frames.size(), 12U);
    for (unsigned i = 0; i < 12; ++i) EXPECT_TRUE(seen.frames[i] == NoiseFrame(kFormat, i)) << i;
  }
}

// Reads three pictures of a file, changes it, and reads the rest. Ahead of the change there is only what the queue
// holds.
Seen ReadAroundAChange(const std::string& path, const OpenOptions& options, const Reading& reading,
                       const std::function<void()>& change) {
  Seen seen;
  Pool<Frame> pool;
  const std::unique_ptr<ReadAhead> ahead = StartReading(Open(path, options), pool, reading);
  for (int i = 0; i < 3; ++i) {
    Result<Pool<Frame>::Ref> next = ahead->Next();
    EXPECT_TRUE(next && *next);
    seen.frames.push_back(BytesOf(**next, reading.luma_only));
    seen.warnings_then.push_back(0);
  }
  change();
  ReadToEnd(*ahead, reading.luma_only, seen);
  return seen;
}

TEST(ReadAhead, AFileThatShrinksEndsWhereItEnds) {
  const TemporaryFolder folder;
  std::string bytes;
  for (unsigned i = 0; i < 60; ++i) bytes += NoiseFrame(kFormat, i);
  constexpr std::size_t kCut = 40 * kFormat.frame_bytes() + 17;
  for (const bool luma_only : {false, true}) {
    for (const bool strict : {false, true}) {
      Seen in_order;
      for (const unsigned threads : {0U, 1U, 2U, 5U, 8U}) {
        const std::string path = folder.Write("clip.yuv", bytes);
        const Seen seen = ReadAroundAChange(path, {.raw = kFormat, .strict = strict}, {2, threads, luma_only}, [&path] {
          EXPECT_EQ(::truncate(path.c_str(), static_cast<off_t>(kCut)), 0);
        });
        if (threads == 0) in_order = seen;
        EXPECT_TRUE(seen == in_order) << threads << ": " << Describe(seen) << "\n" << Describe(in_order);
        EXPECT_EQ(seen.frames.size(), 40U);
        EXPECT_EQ(seen.warnings.size(), strict ? 0U : 1U);
        EXPECT_EQ(test::Contains(seen.error, "its last 17 bytes"), strict) << seen.error;
      }
    }
  }
}

TEST(ReadAhead, AFileThatGrowsIsReadToItsEnd) {
  const TemporaryFolder folder;
  std::string bytes;
  for (unsigned i = 0; i < 30; ++i) bytes += NoiseFrame(kFormat, i);
  for (const unsigned threads : {0U, 1U, 2U, 8U}) {
    const std::string path = folder.Write("clip.yuv", bytes.substr(0, 20 * kFormat.frame_bytes()));
    const Seen seen = ReadAroundAChange(path, {.raw = kFormat}, {2, threads}, [&] {
      std::ofstream(path, std::ios::binary | std::ios::app) << bytes.substr(20 * kFormat.frame_bytes()) << "tail";
    });
    EXPECT_EQ(seen.frames.size(), 30U);
    EXPECT_EQ(seen.frames.back(), NoiseFrame(kFormat, 29));
    EXPECT_EQ(seen.warnings.size(), 1U);
  }
}

std::string LongClip(const TemporaryFolder& folder, unsigned frames) {
  std::string bytes;
  for (unsigned i = 0; i < frames; ++i) bytes += NoiseFrame(kFormat, i);
  return folder.Write("clip.yuv", bytes);
}

TEST(ReadAhead, CancelEndsReadingByPlace) {
  const TemporaryFolder folder;
  const std::string path = LongClip(folder, 200);
  for (const unsigned threads : {1U, 2U, 8U}) {
    for (const int delivered : {0, 1, 3, 50}) {
      Pool<Frame> pool;
      ReadAhead ahead(Open(path), pool, 4, threads);
      for (int i = 0; i < delivered; ++i) ASSERT_TRUE(ahead.Next());
      std::thread canceller([&ahead] { ahead.Cancel(); });
      Result<Pool<Frame>::Ref> next = ahead.Next();
      for (int i = 0; i < 200 && next && *next; ++i) next = ahead.Next();
      canceller.join();
      next = ahead.Next();
      ASSERT_FALSE(next);
      EXPECT_EQ(next.error().code, ErrorCode::kCancelled);
    }
  }
}

TEST(ReadAhead, AStopTokenEndsReadingByPlace) {
  const TemporaryFolder folder;
  const std::string path = LongClip(folder, 200);
  for (const unsigned threads : {1U, 8U}) {
    Pool<Frame> pool;
    std::stop_source stop;
    ReadAhead ahead(Open(path, {.raw = kFormat, .stop = stop.get_token()}), pool, 4, threads);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(ahead.Next());
    stop.request_stop();
    int delivered = 3;
    Result<Pool<Frame>::Ref> next = ahead.Next();
    for (; next && *next; next = ahead.Next()) ++delivered;
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().code, ErrorCode::kCancelled);
    EXPECT_LT(delivered, 200);
  }
}

TEST(ReadAhead, DestructionWhileThreadsRead) {
  const TemporaryFolder folder;
  const std::string path = LongClip(folder, 60);
  for (int delivered = 0; delivered < 20; ++delivered) {
    Pool<Frame> pool;
    ReadAhead ahead(Open(path), pool, 4, 8);
    for (int i = 0; i < delivered; ++i) ASSERT_TRUE(ahead.Next());
  }
}

TEST(ReadAhead, PicturesBeforeMemoryRunsOutComeFirst) {
  const TemporaryFolder folder;
  const std::string path = LongClip(folder, 60);
  for (const unsigned threads : {0U, 1U, 2U, 8U}) {
    const auto memory = std::make_shared<ScarceMemory>(20);
    Pool<Frame> pool;
    pool.PrepareWith([&memory](Frame& frame) { frame.UseAllocator(memory); });
    std::vector<Pool<Frame>::Ref> kept;
    const std::unique_ptr<ReadAhead> ahead = StartReading(Open(path), pool, {.threads = threads});
    Result<Pool<Frame>::Ref> next = ahead->Next();
    for (; next && *next; next = ahead->Next()) {
      EXPECT_EQ((*next)->memory(), FrameMemory::kPinned);
      EXPECT_EQ(PlaneBytes(**next), NoiseFrame(kFormat, static_cast<unsigned>(kept.size())));
      kept.push_back(*std::move(next));
    }
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().code, ErrorCode::kOutOfMemory);
    EXPECT_EQ(next.error().frame, static_cast<std::int64_t>(kept.size()));
    // The last of it may have gone to later pictures of the queue, which are dropped.
    EXPECT_GE(kept.size(), 20U - (4 + threads));
    EXPECT_LE(kept.size(), 20U);
  }
}

// Memory that is not there once, and says so only after some of it has gone to others.
class FailingOnce final : public FrameAllocator {
 public:
  FailingOnce(int failing, int before_it_fails) : failing_(failing), before_it_fails_(before_it_fails) {}
  std::byte* Allocate(std::size_t bytes) override {
    if (asked_.fetch_add(1) == failing_) {
      while (asked_ < before_it_fails_) std::this_thread::yield();
      failed_ = true;
      return nullptr;
    }
    return static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  }
  void Free(std::byte* memory) override { std::free(memory); }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::atomic<int> asked_{0};
  std::atomic<bool> failed_{false};
  int failing_;
  int before_it_fails_;
};

// Pictures after the one that had no memory are there by then, and are read again in order.
TEST(ReadAhead, WhatWasReadTooEarlyIsDropped) {
  const TemporaryFolder folder;
  const std::string path = LongClip(folder, 60);
  constexpr unsigned kThreads = 8;
  constexpr int kPlaces = 4 + kThreads - 1;
  std::vector<std::string> frames;
  for (unsigned i = 0; i < 60; ++i) frames.push_back(NoiseFrame(kFormat, i));
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    const int failing = 1 + round % (kPlaces - 1);
    const auto memory = std::make_shared<FailingOnce>(failing, kPlaces);
    Pool<Frame> pool;
    pool.PrepareWith([&memory](Frame& frame) { frame.UseAllocator(memory); });
    // Looked at afterwards, so that Next() is asked before the pictures have been read again.
    std::vector<Pool<Frame>::Ref> pictures;
    const std::unique_ptr<ReadAhead> ahead = StartReading(Open(path), pool, {.depth = 4, .threads = kThreads});
    while (!memory->failed()) std::this_thread::yield();
    Result<Pool<Frame>::Ref> next = ahead->Next();
    for (; next && *next; next = ahead->Next()) pictures.push_back(*std::move(next));
    EXPECT_TRUE(next);
    ASSERT_EQ(pictures.size(), frames.size()) << failing;
    for (std::size_t i = 0; i < frames.size(); ++i)
      ASSERT_TRUE(PlaneBytes(*pictures[i]) == frames[i]) << failing << " " << i;
  }
}

// By place, pictures wait as well: no more than the queue has places for.
TEST(ReadAhead, StopsByPlaceWhenTheQueueIsFull) {
  const TemporaryFolder folder;
  const std::string path = LongClip(folder, 60);
  for (const unsigned threads : {1U, 2U, 8U}) {
    for (const std::size_t depth : {1U, 3U, 20U}) {
      Pool<Frame> pool;
      const ReadAhead ahead(Open(path), pool, depth, threads);
      // Small pictures are claimed several at a time, for which there must be places.
      while (4 * pool.size() < 3 * depth) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      EXPECT_LE(pool.size(), depth + threads - 1);
    }
  }
}

TEST(ReadAhead, DestructionWithAFullQueue) {
  Pool<Frame> pool;
  std::atomic<int> reads = 0;
  { const ReadAhead ahead(std::make_unique<CountingReader>(reads), pool, 2); }
  { const ReadAhead ahead(std::make_unique<CountingReader>(reads), pool, 0); }
  SUCCEED();
}

}  // namespace
}  // namespace lockstep
