// SPDX-License-Identifier: BSD-2-Clause-Patent
// Raw video: sizes that do not fit, wrong depths, and paths that cannot be read.
#include "media/yuv_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "media/test_clips.h"

namespace lockstep {
namespace {

using test::Contains;
using test::NoiseFrame;
using test::NoiseSamples;
using test::PlaneBytes;
using test::ReadAll;
using test::ReadClip;
using test::TemporaryFolder;

TEST(YuvReader, ReadsEveryDepthAndFormat) {
  const TemporaryFolder folder;
  for (const auto pixel_format :
       {PixelFormat::kYuv400, PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    for (int depth = 8; depth <= 16; ++depth) {
      // The second size is read around the buffer, in batches of rows.
      for (const PlaneSize& size : {PlaneSize{19, 19}, PlaneSize{501, 701}}) {
        const VideoFormat format{pixel_format, size.width, size.height, depth};
        const std::vector<std::string> frames{NoiseFrame(format, 1), NoiseFrame(format, 2)};
        const ReadClip clip = ReadAll(folder.Write("clip.yuv", frames[0] + frames[1]), {.raw = format, .strict = true});
        EXPECT_EQ(clip.error, "");
        EXPECT_EQ(clip.info.frame_count, 2);
        EXPECT_EQ(clip.info.container, "yuv");
        EXPECT_TRUE(clip.frames == frames);
        EXPECT_TRUE(clip.warnings.empty());
      }
    }
  }
}

TEST(YuvReader, DeliversWholeFramesOfACutFile) {
  const TemporaryFolder folder;
  const VideoFormat format{PixelFormat::kYuv420, 176, 144, 8};
  const std::string frame = NoiseFrame(format, 1);
  const std::string path = folder.Write("cut.yuv", frame + frame + frame.substr(1000));
  ReadClip clip = ReadAll(path, {.raw = format});
  EXPECT_EQ(clip.error, "");
  EXPECT_EQ(clip.frames, (std::vector<std::string>{frame, frame}));
  ASSERT_EQ(clip.warnings.size(), 1U);
  EXPECT_TRUE(clip.warnings[0].starts_with(path + ": truncated: 37016 bytes after frame 1 ")) << clip.warnings[0];

  clip = ReadAll(path, {.raw = format, .strict = true});
  EXPECT_EQ(clip.code, ErrorCode::kTruncated);
  EXPECT_TRUE(Contains(clip.error, path) && Contains(clip.error, "37016 bytes")) << clip.error;
}

TEST(YuvReader, SaysWhereASampleIsOutOfRange) {
  const TemporaryFolder folder;
  const VideoFormat format{PixelFormat::kYuv420, 501, 701, 10};
  std::string bytes = NoiseFrame(format, 1);
  // In the third of the bands that the plane is read in.
  const std::size_t position = 2 * (501 * 600 + 7);
  bytes[position] = '\x88';
  bytes[position + 1] = '\x13';
  const std::string path = folder.Write("deep.yuv", bytes);
  EXPECT_EQ(ReadAll(path, {.raw = format}).error,
            path + ": frame 0: sample 5000 exceeds 10 bits (luma, x 7, y 600); is the bit depth right?");
}

TEST(YuvReader, SaysWhatWouldFit) {
  const TemporaryFolder folder;
  const VideoFormat eight{PixelFormat::kYuv420, 176, 144, 8};
  const VideoFormat ten{PixelFormat::kYuv420, 176, 144, 10};
  const std::string frame = NoiseFrame(eight, 1);

  // One 8-bit frame declared as 10 bit.
  ReadClip clip = ReadAll(folder.Write("a.yuv", frame), {.raw = ten});
  EXPECT_EQ(clip.code, ErrorCode::kTruncated);
  EXPECT_TRUE(Contains(clip.error,
                       "holds no whole frame: 38016 bytes where one frame of 176x144 420 10 bit takes 76032; "
                       "the size would fit 1 frame of 176x144 420 8 bit"))
      << clip.error;

  // Three of them: one frame and a tail, whose warning says so.
  const std::string path = folder.Write("b.yuv", std::string(3 * 38016, '\1'));
  clip = ReadAll(path, {.raw = ten});
  EXPECT_EQ(clip.frames.size(), 1U);
  ASSERT_EQ(clip.warnings.size(), 1U);
  EXPECT_EQ(clip.warnings[0], path +
                                  ": truncated: 38016 bytes after frame 0 are not a whole frame and are ignored; the "
                                  "size would fit 3 frames of 176x144 420 8 bit");
}

TEST(YuvReader, AnotherSizeThatFitsIsAnError) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("cif.yuv", std::string(3 * 352 * 288 * 3 / 2, '\1'));
  const ReadClip clip = ReadAll(path, {.raw = VideoFormat{PixelFormat::kYuv420, 320, 240, 8}});
  EXPECT_EQ(clip.code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(clip.frames.empty());
  EXPECT_TRUE(Contains(clip.error, "352x288")) << clip.error;
}

TEST(YuvReader, CutBetweenPlanesIsATruncatedFile) {
  const TemporaryFolder folder;
  // Two frames and the luma of a third: the bytes would fit frames of 4:2:2 and of luma only.
  const std::string path = folder.Write("cut.yuv", std::string(2 * 38016 + 25344, '\1'));
  const ReadClip clip = ReadAll(path, {.raw = VideoFormat{PixelFormat::kYuv420, 176, 144, 8}});
  EXPECT_EQ(clip.frames.size(), 2U);
  ASSERT_EQ(clip.warnings.size(), 1U);
  EXPECT_TRUE(Contains(clip.warnings[0], "25344 bytes")) << clip.warnings[0];
}

TEST(YuvReader, SaysWhatWouldFitForWrongSizes) {
  const VideoFormat declared{PixelFormat::kYuv420, 640, 360, 8};
  EXPECT_EQ(FormatsThatFit(176 * 144 * 3 / 2, declared), "; the size would fit 1 frame of 176x144 420 8 bit");
  EXPECT_EQ(FormatsThatFit(640 * 360 * 2, declared),
            "; the size would fit 1 frame of 640x360 422 8 bit or 2 frames of 640x360 400 8 bit or 1 frame of 640x360 "
            "400 10 bit or 4 frames of 320x240 420 8 bit");
  EXPECT_EQ(FormatsThatFit(17, declared), "");
  EXPECT_EQ(FormatsThatFit(0, declared), "");
}

TEST(YuvReader, NoticesWordsReadAsBytes) {
  const TemporaryFolder folder;
  const VideoFormat declared{PixelFormat::kYuv420, 64, 48, 8};
  for (const int depth : {10, 12}) {
    const std::string path = folder.Write("a.yuv", NoiseFrame({PixelFormat::kYuv420, 64, 48, depth}, 1));
    const ReadClip clip = ReadAll(path, {.raw = declared});
    EXPECT_EQ(clip.frames.size(), 2U);
    ASSERT_EQ(clip.warnings.size(), 1U);
    EXPECT_TRUE(Contains(clip.warnings[0], fmt::format("looks like {} bit video read as 8 bit", depth)));
  }
  // Odd widths: the high bytes change columns from row to row.
  const VideoFormat odd{PixelFormat::kYuv420, 65, 48, 8};
  EXPECT_EQ(
      ReadAll(folder.Write("c.yuv", NoiseFrame({PixelFormat::kYuv420, 65, 48, 10}, 1)), {.raw = odd}).warnings.size(),
      1U);
  // A fine pattern of black and white columns is a picture.
  std::string columns;
  for (std::size_t i = 0; i < declared.frame_bytes() / 2; ++i) columns += std::string("\xff\0", 2);
  EXPECT_TRUE(ReadAll(folder.Write("b.yuv", columns), {.raw = declared}).warnings.empty());
}

TEST(YuvReader, NamesTheFieldOfABadFormat) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("a.yuv", std::string(100, 'a'));
  constexpr int kHuge = std::numeric_limits<int>::max();
  const auto error = [&path](const VideoFormat& format) { return ReadAll(path, {.raw = format}).error; };
  constexpr auto k420 = PixelFormat::kYuv420;
  EXPECT_EQ(error({k420, 0, 2, 8}), path + ": width: 0 is not in 1 … 32768");
  EXPECT_EQ(error({k420, kHuge, kHuge, 8}), path + ": width: 2147483647 is not in 1 … 32768");
  EXPECT_EQ(error({k420, 2, -1, 8}), path + ": height: -1 is not in 1 … 32768");
  EXPECT_EQ(error({k420, 2, 2, 7}), path + ": bit depth: 7 is not in 8 … 16");
  EXPECT_EQ(error({k420, 2, 2, 17}), path + ": bit depth: 17 is not in 8 … 16");
}

TEST(YuvReader, SkipsFrames) {
  const TemporaryFolder folder;
  const VideoFormat format{PixelFormat::kYuv422, 33, 34, 12};
  const std::vector<std::string> frames{NoiseFrame(format, 1), NoiseFrame(format, 2), NoiseFrame(format, 3)};
  auto reader = OpenVideo(folder.Write("clip.yuv", frames[0] + frames[1] + frames[2]), {.raw = format});
  ASSERT_TRUE(reader);
  Frame frame;
  EXPECT_EQ(*(*reader)->Skip(2), 2);
  ASSERT_TRUE(*(*reader)->Read(frame));
  EXPECT_EQ(test::PlaneBytes(frame), frames[2]);
  EXPECT_EQ(*(*reader)->Skip(2), 0);
  EXPECT_FALSE(*(*reader)->Read(frame));
}

// The luma planes of a clip that is read without its chroma, from a file or through a pipe.
std::vector<std::string> LumaOf(const std::string& path, const OpenOptions& options,
                                std::vector<std::string>& warnings) {
  Result<std::unique_ptr<VideoReader>> reader = OpenVideo(path, options);
  std::vector<std::string> planes;
  if (!reader) return planes;
  (*reader)->LeaveOutChroma();
  Frame frame;
  while (true) {
    const Result<bool> read = (*reader)->Read(frame);
    if (!read || !*read) break;
    planes.push_back(PlaneBytes(frame).substr(0, static_cast<std::size_t>(frame.format().plane_size(0).width) *
                                                     static_cast<std::size_t>(frame.format().plane_size(0).height) *
                                                     static_cast<std::size_t>(frame.format().bytes_per_sample())));
  }
  warnings = (*reader)->warnings();
  return planes;
}

TEST(PlanarReader, LumaAloneIsTheLumaOfTheWholePicture) {
  const TemporaryFolder folder;
  for (const auto pixel_format :
       {PixelFormat::kYuv400, PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    for (const int depth : {8, 10, 16}) {
      for (const PlaneSize& size : {PlaneSize{19, 17}, PlaneSize{501, 301}}) {
        const VideoFormat format{pixel_format, size.width, size.height, depth};
        const std::string frames = NoiseFrame(format, 1) + NoiseFrame(format, 2) + NoiseFrame(format, 3);
        // The last picture lacks its last sample: of chroma where there is chroma.
        const std::string path = folder.Write("clip.yuv", frames.substr(0, frames.size() - 1));
        const ReadClip whole = ReadAll(path, {.raw = format});
        std::vector<std::string> warnings;
        const std::vector<std::string> planes = LumaOf(path, {.raw = format}, warnings);
        ASSERT_EQ(planes.size(), whole.frames.size());
        ASSERT_EQ(planes.size(), 2U);
        for (std::size_t i = 0; i < planes.size(); ++i) EXPECT_TRUE(whole.frames[i].starts_with(planes[i]));
        EXPECT_EQ(warnings, whole.warnings);
        EXPECT_EQ(warnings.size(), 1U);
      }
    }
  }
}

TEST(PlanarReader, LumaAloneOfY4mFilesAndPipes) {
  const TemporaryFolder folder;
  for (const std::string tag : {"420jpeg", "411", "444alpha", "mono", "422p10"}) {
    const int sample_bytes = tag == "422p10" ? 2 : 1;
    const std::size_t luma = static_cast<std::size_t>(301 * 211 * sample_bytes);
    const std::size_t rest = tag == "420jpeg"    ? 2 * 151 * 106
                             : tag == "411"      ? 2 * 76 * 211
                             : tag == "444alpha" ? 3 * luma
                             : tag == "mono"     ? 0
                                                 : 2 * 151 * 211 * 2;
    std::string bytes = "YUV4MPEG2 W301 H211 F25:1 C" + tag + "\n";
    for (unsigned i = 0; i < 3; ++i) {
      bytes += "FRAME\n" + NoiseSamples(luma / static_cast<std::size_t>(sample_bytes),
                                        8 * sample_bytes - (sample_bytes - 1) * 6, i);
      bytes += std::string(rest, '\1');
    }
    const std::string path = folder.Write("clip.y4m", bytes);
    const ReadClip whole = ReadAll(path);
    ASSERT_EQ(whole.frames.size(), 3U) << tag << " " << whole.error;
    const std::string pipe = folder.File("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << bytes; });
    for (const std::string& source : {pipe, path}) {
      std::vector<std::string> warnings;
      const std::vector<std::string> planes = LumaOf(source, {}, warnings);
      ASSERT_EQ(planes.size(), 3U) << tag;
      for (std::size_t i = 0; i < planes.size(); ++i) EXPECT_TRUE(whole.frames[i].starts_with(planes[i])) << tag;
      EXPECT_EQ(warnings.size(), whole.warnings.size()) << tag;
    }
    writer.join();
    std::filesystem::remove(pipe);
  }
}

TEST(PlanarReader, PicturesAreReadFromTheirPlaces) {
  const TemporaryFolder folder;
  const VideoFormat format{PixelFormat::kYuv420, 33, 34, 8};
  std::string raw;
  std::string y4m = "YUV4MPEG2 W33 H34\n";
  for (unsigned i = 0; i < 9; ++i) {
    raw += NoiseFrame(format, i);
    y4m += "FRAME\n" + NoiseFrame(format, i);
  }
  for (const bool is_raw : {true, false}) {
    const std::string path = folder.Write("clip", (is_raw ? raw : y4m) + "tail");
    OpenOptions options;
    if (is_raw) options.raw = format;
    Result<std::unique_ptr<VideoReader>> opened = OpenVideo(path, options);
    ASSERT_TRUE(opened);
    VideoReader& reader = **opened;
    // The first picture is looked at.
    EXPECT_EQ(reader.PlacedPictures().end, 0);
    Frame frame;
    ASSERT_TRUE(*reader.Read(frame));
    ASSERT_EQ(reader.PlacedPictures().begin, 1);
    ASSERT_EQ(reader.PlacedPictures().end, 9);
    for (const unsigned number : {8U, 1U, 5U}) {
      ASSERT_TRUE(reader.ReadPlaced(number, frame));
      EXPECT_EQ(PlaneBytes(frame), NoiseFrame(format, number));
    }
    // In between nothing has moved.
    ASSERT_TRUE(*reader.Read(frame));
    EXPECT_EQ(PlaneBytes(frame), NoiseFrame(format, 1));
    reader.ContinueWith(6);
    EXPECT_EQ(reader.PlacedPictures().begin, 6);
    ASSERT_TRUE(*reader.Read(frame));
    EXPECT_EQ(PlaneBytes(frame), NoiseFrame(format, 6));
    ASSERT_TRUE(reader.ReadPlaced(8, frame));
    EXPECT_EQ(PlaneBytes(frame), NoiseFrame(format, 8));
    reader.ContinueWith(9);
    EXPECT_EQ(reader.PlacedPictures().end, 9);
    EXPECT_FALSE(*reader.Read(frame));
    ASSERT_EQ(reader.warnings().size(), 1U);
    EXPECT_TRUE(Contains(reader.warnings()[0], "4 bytes after frame 8")) << reader.warnings()[0];
  }
}

TEST(PlanarReader, NoPlacesWherePicturesAreConverted) {
  const TemporaryFolder folder;
  std::string bytes = "YUV4MPEG2 W8 H2 C411\n";
  for (unsigned i = 0; i < 3; ++i) bytes += "FRAME\n" + NoiseSamples(16 + 2 * 4, 8, i);
  for (const bool luma_only : {false, true}) {
    Result<std::unique_ptr<VideoReader>> reader = OpenVideo(folder.Write("clip.y4m", bytes), {});
    ASSERT_TRUE(reader);
    if (luma_only) (*reader)->LeaveOutChroma();
    Frame frame;
    ASSERT_TRUE(*(*reader)->Read(frame));
    EXPECT_EQ((*reader)->PlacedPictures().end, luma_only ? 3 : 0);
  }
}

TEST(OpenVideo, RefusesWhatIsNoVideoFile) {
  const TemporaryFolder folder;
  const VideoFormat format{PixelFormat::kYuv420, 16, 16, 8};
  for (const OpenOptions& options : {OpenOptions{}, OpenOptions{.raw = format}}) {
    ReadClip clip = ReadAll(folder.File("missing.y4m"), options);
    EXPECT_EQ(clip.code, ErrorCode::kNotFound);
    EXPECT_EQ(clip.error, folder.File("missing.y4m") + ": cannot be opened: No such file or directory");
    clip = ReadAll(folder.File(""), options);
    EXPECT_EQ(clip.code, ErrorCode::kInputOutput);
    EXPECT_EQ(clip.error, folder.File("") + ": is a directory, not a video file");
    clip = ReadAll(folder.Write("empty.y4m", ""), options);
    EXPECT_EQ(clip.code, ErrorCode::kInputOutput);
    EXPECT_EQ(clip.error, folder.File("empty.y4m") + ": is empty");
    clip = ReadAll("/dev/null", options);
    EXPECT_EQ(clip.error, "/dev/null: is empty");
    EXPECT_EQ(ReadAll("", options).code, ErrorCode::kNotFound);
    if (::geteuid() != 0) {
      const std::string path = folder.Write("secret.y4m", "YUV4MPEG2");
      std::filesystem::permissions(path, std::filesystem::perms::none);
      clip = ReadAll(path, options);
      EXPECT_EQ(clip.error, path + ": cannot be opened: Permission denied");
    }
  }
}

TEST(OpenVideo, AsksForTheFormatOfRawVideo) {
  const TemporaryFolder folder;
  for (const std::string name : {"a.yuv", "a.YUV"}) {
    const std::string path = folder.Write(name, std::string(384, 'a'));
    const ReadClip clip = ReadAll(path);
    EXPECT_EQ(clip.code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(clip.error, path + ": is raw video, which needs width, height, pixel format and bit depth to be given");
  }
  const std::string path = folder.Write("y4m.yuv", "YUV4MPEG2 W2 H2\nFRAME\n123456");
  EXPECT_EQ(ReadAll(path).frames.size(), 1U);
  const ReadClip clip = ReadAll(path, {.raw = VideoFormat{PixelFormat::kYuv420, 2, 2, 8}});
  EXPECT_EQ(clip.code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(Contains(clip.error, "is a y4m file"));
}

}  // namespace
}  // namespace lockstep
