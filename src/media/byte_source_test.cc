// SPDX-License-Identifier: BSD-2-Clause-Patent
// Streams: pipes, FIFOs, descriptors; whatever the pieces in which bytes arrive.
#include "media/byte_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "media/test_clips.h"

namespace lockstep {
namespace {

using test::NoiseFrame;
using test::NoiseSamples;
using test::ReadAll;
using test::ReadClip;
using test::TemporaryFolder;

void WriteInPieces(int fd, const std::string& bytes, std::size_t piece) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(fd, bytes.data() + done, std::min(piece, bytes.size() - done));
    if (count < 0) break;
    done += static_cast<std::size_t>(count);
  }
}

std::string Y4mOf(const VideoFormat& format, const std::vector<std::string>& frames) {
  std::string bytes = "YUV4MPEG2 W" + std::to_string(format.width) + " H" + std::to_string(format.height) +
                      (format.bit_depth == 10 ? " C420p10" : "") + "\n";
  for (const std::string& frame : frames) bytes += "FRAME\n" + frame;
  return bytes;
}

TEST(ByteSource, PipesDeliverTheSameAsFiles) {
  for (const PlaneSize& size : {PlaneSize{19, 19}, PlaneSize{400, 301}}) {
    const VideoFormat format{PixelFormat::kYuv420, size.width, size.height, 10};
    const std::vector<std::string> frames{NoiseFrame(format, 1), NoiseFrame(format, 2), NoiseFrame(format, 3)};
    for (const bool raw : {false, true}) {
      for (const std::size_t piece : {std::size_t{7}, std::size_t{4099}, std::size_t{1} << 20}) {
        // Single bytes of the larger clip would only take long.
        if (piece == 7 && size.width == 400) continue;
        std::array<int, 2> ends{};
        ASSERT_EQ(::pipe(ends.data()), 0);
        std::thread writer([&] {
          WriteInPieces(ends[1], raw ? frames[0] + frames[1] + frames[2] : Y4mOf(format, frames), piece);
          ::close(ends[1]);
        });
        OpenOptions options;
        if (raw) options.raw = format;
        const ReadClip clip = ReadAll("/dev/fd/" + std::to_string(ends[0]), options);
        writer.join();
        ::close(ends[0]);
        EXPECT_EQ(clip.error, "");
        EXPECT_TRUE(clip.frames == frames);
        EXPECT_EQ(clip.info.frame_count, std::nullopt);
      }
    }
  }
}

TEST(ByteSource, ReadsSocketsAndFifos) {
  const VideoFormat format{PixelFormat::kYuv420, 33, 34, 8};
  const std::vector<std::string> frames{NoiseFrame(format, 1), NoiseFrame(format, 2)};
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  std::thread socket_writer([&] {
    WriteInPieces(ends[1], Y4mOf(format, frames), 100);
    ::close(ends[1]);
  });
  EXPECT_TRUE(ReadAll("/dev/fd/" + std::to_string(ends[0])).frames == frames);
  socket_writer.join();
  ::close(ends[0]);

  const TemporaryFolder folder;
  const std::string path = folder.File("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread fifo_writer([&] {
    // Late, so that the reader is there first.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const int fd = ::open(path.c_str(), O_WRONLY);
    WriteInPieces(fd, Y4mOf(format, frames), 1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::close(fd);
  });
  EXPECT_TRUE(ReadAll(path).frames == frames);
  fifo_writer.join();
}

TEST(ByteSource, TruncatedAndEmptyPipes) {
  const VideoFormat format{PixelFormat::kYuv420, 33, 34, 8};
  const std::string frame = NoiseFrame(format, 1);
  const auto read = [&format](const std::string& bytes, bool raw) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    WriteInPieces(ends[1], bytes, bytes.size());
    ::close(ends[1]);
    OpenOptions options;
    if (raw) options.raw = format;
    ReadClip clip = ReadAll("/dev/fd/" + std::to_string(ends[0]), options);
    ::close(ends[0]);
    return clip;
  };
  for (const bool raw : {false, true}) EXPECT_EQ(read("", raw).code, ErrorCode::kInputOutput);
  EXPECT_EQ(read("YUV4MPEG2 W33 H34\n", false).code, ErrorCode::kTruncated);
  EXPECT_EQ(read(frame.substr(1), true).code, ErrorCode::kTruncated);
  ReadClip clip = read(frame + "abc", true);
  EXPECT_EQ(clip.frames.size(), 1U);
  ASSERT_EQ(clip.warnings.size(), 1U);
  EXPECT_TRUE(test::Contains(clip.warnings[0], "3 bytes after frame 0"));
}

TEST(ByteSource, DescriptorsAreReadFromWhereTheyStand) {
  const TemporaryFolder folder;
  const VideoFormat format{PixelFormat::kYuv420, 33, 34, 8};
  const std::string frame = NoiseFrame(format, 1);
  const std::string path = folder.Write("a.yuv", "12345" + frame);
  const int fd = ::open(path.c_str(), O_RDONLY);
  ASSERT_EQ(::lseek(fd, 5, SEEK_SET), 5);
  const ReadClip clip = ReadAll("/dev/fd/" + std::to_string(fd), {.raw = format});
  ::close(fd);
  EXPECT_EQ(clip.info.frame_count, 1);
  EXPECT_EQ(clip.frames, std::vector<std::string>{frame});
  EXPECT_FALSE(OpenByteSource("/dev/fd/987654"));
}

TEST(ByteSource, MixesPeeksLinesAndReads) {
  const TemporaryFolder folder;
  const std::string bytes = NoiseSamples(300000, 8, 5);
  const std::string path = folder.Write("bytes", bytes);
  auto source = OpenByteSource(path);
  ASSERT_TRUE(source);
  ByteSource& in = **source;
  EXPECT_EQ(in.size(), 300000);
  std::string seen;
  for (std::size_t step = 1; seen.size() < bytes.size(); step = step * 3 + 1) {
    if (step > 150000) step = 2;
    const auto peeked = in.Peek(step);
    ASSERT_TRUE(peeked);
    EXPECT_EQ(peeked->size(), std::min({step, ByteSource::kBufferBytes, bytes.size() - seen.size()}));
    EXPECT_EQ(bytes.compare(seen.size(), peeked->size(), reinterpret_cast<const char*>(peeked->data()), peeked->size()),
              0);
    std::string piece(step, '\0');
    const auto count = in.Read(std::as_writable_bytes(std::span(piece)));
    ASSERT_TRUE(count);
    seen.append(piece, 0, *count);
    std::string line;
    const auto end = in.ReadLine(&line, 1000);
    ASSERT_TRUE(end);
    seen += line;
    if (*end == ByteSource::LineEnd::kNewline) seen += '\n';
    EXPECT_EQ(in.position(), static_cast<std::int64_t>(seen.size()));
  }
  EXPECT_EQ(seen, bytes);

  ASSERT_TRUE(in.Seek(100));
  EXPECT_EQ(static_cast<char>(in.Peek(1)->front()), bytes[100]);
  EXPECT_EQ(*in.Skip(200000), 200000);
  EXPECT_EQ(static_cast<char>(in.Peek(1)->front()), bytes[200100]);
  EXPECT_EQ(*in.Skip(200000), 99900);
  EXPECT_TRUE(in.Peek(1)->empty());
}

// The plane's rows without what is between them; that is checked to be untouched.
std::string RowsOf(const std::string& memory, std::size_t stride, std::size_t row_bytes, std::size_t rows) {
  std::string bytes;
  for (std::size_t y = 0; y < rows; ++y) {
    bytes += memory.substr(y * stride, row_bytes);
    EXPECT_EQ(memory.substr(y * stride + row_bytes, stride - row_bytes), std::string(stride - row_bytes, '#'));
  }
  return bytes;
}

TEST(ByteSource, ReadsRowsFromAnywhere) {
  const TemporaryFolder folder;
  const std::string bytes = NoiseSamples(300000, 8, 5);
  const std::string path = folder.Write("bytes", "0123456" + bytes);
  const int fd = ::open(path.c_str(), O_RDONLY);
  ASSERT_EQ(::lseek(fd, 7, SEEK_SET), 7);
  auto file = OpenByteSource("/dev/fd/" + std::to_string(fd));
  ASSERT_TRUE(file);
  const std::unique_ptr<ByteSource> memory = MemoryByteSource("memory", std::as_bytes(std::span(bytes)));
  for (ByteSource* source : {file->get(), memory.get()}) {
    ASSERT_TRUE(source->seekable());
    ASSERT_EQ(*source->Skip(1000), 1000);
    EXPECT_EQ(static_cast<char>(source->Peek(1)->front()), bytes[1000]);
    // More rows than one call takes, one row, and rows without gaps.
    struct Shape {
      std::size_t row_bytes;
      std::size_t stride;
      std::size_t rows;
    };
    for (const Shape& shape :
         {Shape{50, 64, 3000}, Shape{100, 100, 2900}, Shape{299000, 300000, 1}, Shape{1, 3, 1025}}) {
      for (const std::size_t position : {std::size_t{0}, std::size_t{7}, 300000 - shape.row_bytes * shape.rows}) {
        std::string room(shape.stride * shape.rows, '#');
        const MutablePlaneView plane{reinterpret_cast<std::byte*>(room.data()),
                                     static_cast<std::ptrdiff_t>(shape.stride), static_cast<int>(shape.row_bytes),
                                     static_cast<int>(shape.rows)};
        ASSERT_TRUE(source->ReadRowsAt(static_cast<std::int64_t>(position), plane, shape.row_bytes));
        EXPECT_EQ(RowsOf(room, shape.stride, shape.row_bytes, shape.rows),
                  bytes.substr(position, shape.row_bytes * shape.rows));
        // One byte is missing, or all of them.
        for (const std::size_t late : {300001 - shape.row_bytes * shape.rows, std::size_t{300000}, std::size_t{400000}})
          EXPECT_FALSE(source->ReadRowsAt(static_cast<std::int64_t>(late), plane, shape.row_bytes));
      }
    }
    EXPECT_EQ(source->position(), 1000);
    std::string next(100, ' ');
    ASSERT_EQ(*source->Read(std::as_writable_bytes(std::span(next))), 100U);
    EXPECT_EQ(next, bytes.substr(1000, 100));
  }
  (*file)->Cancel();
  std::byte byte{};
  EXPECT_FALSE((*file)->ReadRowsAt(0, {&byte, 1, 1, 1}, 1));
  ::close(fd);
}

// What was peeked ends within a row; nothing behind the plane may be written.
TEST(ByteSource, ReadsRowsWithoutGaps) {
  constexpr std::size_t kRowBytes = 1000;
  constexpr std::size_t kRows = 300;
  static_assert(ByteSource::kBufferBytes % kRowBytes != 0);
  const std::string bytes = NoiseSamples(kRowBytes * kRows * 3, 8, 6);
  const std::unique_ptr<ByteSource> source = MemoryByteSource("memory", std::as_bytes(std::span(bytes)));
  for (std::size_t plane = 0; plane < 3; ++plane) {
    ASSERT_TRUE(source->Peek(1));
    std::string room(kRowBytes * (kRows + 1), '#');
    const auto read =
        source->ReadRows({reinterpret_cast<std::byte*>(room.data()), kRowBytes, kRowBytes, kRows}, kRowBytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, kRowBytes * kRows);
    EXPECT_TRUE(room == bytes.substr(plane * kRowBytes * kRows, kRowBytes * kRows) + std::string(kRowBytes, '#'));
  }
}

TEST(ByteSource, AStopEndsABlockedOpen) {
  const TemporaryFolder folder;
  const std::string path = folder.File("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::stop_source stop;
  std::thread canceller([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  const auto reader = OpenVideo(path, {.stop = stop.get_token()});
  canceller.join();
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace lockstep
