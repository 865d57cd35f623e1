// SPDX-License-Identifier: BSD-2-Clause-Patent
// The reading thread: order, bounds, errors, and stopping while a pipe says nothing.
#include "media/read_ahead.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "media/test_clips.h"

namespace lockstep {
namespace {

using test::NoiseFrame;
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

TEST(ReadAhead, DestructionWithAFullQueue) {
  Pool<Frame> pool;
  std::atomic<int> reads = 0;
  { const ReadAhead ahead(std::make_unique<CountingReader>(reads), pool, 2); }
  { const ReadAhead ahead(std::make_unique<CountingReader>(reads), pool, 0); }
  SUCCEED();
}

}  // namespace
}  // namespace lockstep
