// SPDX-License-Identifier: BSD-2-Clause-Patent
// y4m: every tag, odd sizes, header limits, and damage of every kind.
#include "media/y4m_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "media/picture_conversion.h"
#include "media/test_clips.h"

namespace lockstep {
namespace {

using test::Contains;
using test::NoiseFrame;
using test::NoiseSamples;
using test::ReadAll;
using test::ReadClip;
using test::TemporaryFolder;

std::string Y4m(const std::string& header, const std::vector<std::string>& frames) {
  std::string bytes = "YUV4MPEG2 " + header + "\n";
  for (const std::string& frame : frames) bytes += "FRAME\n" + frame;
  return bytes;
}

struct Tag {
  std::string_view tag;
  PixelFormat pixel_format;
  int bit_depth;
  std::string_view chroma_location;
};

TEST(Y4mReader, ReadsEveryTagAtOddSizes) {
  const TemporaryFolder folder;
  constexpr auto k400 = PixelFormat::kYuv400;
  constexpr auto k420 = PixelFormat::kYuv420;
  constexpr auto k422 = PixelFormat::kYuv422;
  constexpr auto k444 = PixelFormat::kYuv444;
  const std::vector<Tag> tags{{"", k420, 8, ""},
                              {" C420", k420, 8, ""},
                              {" C420jpeg", k420, 8, "center"},
                              {" C420mpeg2", k420, 8, "left"},
                              {" C420paldv", k420, 8, "topleft"},
                              {" C420p9", k420, 9, ""},
                              {" C420p10", k420, 10, ""},
                              {" C420p12", k420, 12, ""},
                              {" C420p14", k420, 14, ""},
                              {" C420p16", k420, 16, ""},
                              {" C422", k422, 8, ""},
                              {" C422p9", k422, 9, ""},
                              {" C422p10", k422, 10, ""},
                              {" C422p12", k422, 12, ""},
                              {" C422p14", k422, 14, ""},
                              {" C422p16", k422, 16, ""},
                              {" C444", k444, 8, ""},
                              {" C444p9", k444, 9, ""},
                              {" C444p10", k444, 10, ""},
                              {" C444p12", k444, 12, ""},
                              {" C444p14", k444, 14, ""},
                              {" C444p16", k444, 16, ""},
                              {" Cmono", k400, 8, ""},
                              {" Cmono9", k400, 9, ""},
                              {" Cmono10", k400, 10, ""},
                              {" Cmono12", k400, 12, ""},
                              {" Cmono14", k400, 14, ""},
                              {" Cmono16", k400, 16, ""}};
  constexpr std::array<PlaneSize, 8> kSizes{
      {{19, 19}, {33, 34}, {65, 64}, {64, 65}, {1, 1}, {2, 1}, {1, 3}, {353, 289}}};
  for (const Tag& tag : tags) {
    for (const PlaneSize& size : kSizes) {
      const VideoFormat format{tag.pixel_format, size.width, size.height, tag.bit_depth};
      SCOPED_TRACE(fmt::format("{} {}x{}", tag.tag, size.width, size.height));
      const std::vector<std::string> frames{NoiseFrame(format, 1), NoiseFrame(format, 2), NoiseFrame(format, 3)};
      // The extension must not matter.
      const std::string path = folder.Write(
          "clip.yuv", Y4m(fmt::format("W{} H{} F30000:1001 Ip A1:1{}", size.width, size.height, tag.tag), frames));
      const ReadClip clip = ReadAll(path);
      EXPECT_EQ(clip.error, "");
      EXPECT_EQ(clip.info.container, "y4m");
      EXPECT_EQ(clip.info.format, format);
      EXPECT_EQ(clip.info.frame_rate, 30000.0 / 1001.0);
      EXPECT_EQ(clip.info.frame_count, 3);
      EXPECT_EQ(clip.info.interlacing, "progressive");
      EXPECT_EQ(clip.info.chroma_location, tag.chroma_location);
      EXPECT_TRUE(clip.frames == frames);
      EXPECT_TRUE(clip.warnings.empty());

      // The same samples as raw video.
      const std::string raw = folder.Write("clip.raw", frames[0] + frames[1] + frames[2]);
      EXPECT_TRUE(ReadAll(raw, {.raw = format}).frames == frames);
    }
  }
}

TEST(Y4mReader, SkipsAlpha) {
  const TemporaryFolder folder;
  const VideoFormat format{PixelFormat::kYuv444, 21, 5, 8};
  const std::vector<std::string> frames{NoiseFrame(format, 1), NoiseFrame(format, 2)};
  const std::string alpha = NoiseSamples(21 * 5, 8, 9);
  const std::string bytes = Y4m("W21 H5 C444alpha XYSCSS=444", {frames[0] + alpha, frames[1] + alpha});
  ReadClip clip = ReadAll(folder.Write("a.y4m", bytes));
  EXPECT_EQ(clip.error, "");
  EXPECT_TRUE(clip.frames == frames);
  ASSERT_EQ(clip.warnings.size(), 1U);
  EXPECT_TRUE(Contains(clip.warnings[0], "alpha"));

  // Cut inside the alpha plane: that frame is not whole.
  clip = ReadAll(folder.Write("cut.y4m", bytes.substr(0, bytes.size() - 1)));
  EXPECT_EQ(clip.frames.size(), 1U);
  ASSERT_EQ(clip.warnings.size(), 2U);
  EXPECT_TRUE(Contains(clip.warnings[1], fmt::format("{} bytes", 6 + 21 * 5 * 4 - 1)));
}

TEST(Y4mReader, Interpolates411) {
  const TemporaryFolder folder;
  for (const int width : {1, 2, 3, 4, 5, 6, 7, 8, 33}) {
    SCOPED_TRACE(width);
    constexpr int kHeight = 3;
    const int chroma_width = (width + 3) / 4;
    const std::string luma = NoiseSamples(static_cast<std::size_t>(width * kHeight), 8, 1);
    const std::string cb = NoiseSamples(static_cast<std::size_t>(chroma_width * kHeight), 8, 2);
    const std::string cr = NoiseSamples(static_cast<std::size_t>(chroma_width * kHeight), 8, 3);
    std::string expected = luma;
    const int out_width = (width + 1) / 2;
    for (const std::string& plane : {cb, cr}) {
      for (int y = 0; y < kHeight; ++y) {
        const auto at = [&plane, chroma_width, y](int x) {
          x = std::min(std::max(x, 0), chroma_width - 1);
          return static_cast<int>(static_cast<unsigned char>(plane[static_cast<std::size_t>(y * chroma_width + x)]));
        };
        for (int x = 0; x < out_width; ++x) {
          const int i = x / 2;
          const int sum = x % 2 == 0 ? at(i - 1) + 110 * at(i) + 18 * at(i + 1) - at(i + 2)
                                     : -3 * at(i - 1) + 50 * at(i) + 86 * at(i + 1) - 5 * at(i + 2);
          expected += static_cast<char>(std::min(std::max((sum + 64) >> 7, 0), 255));
        }
      }
    }
    const std::string frame = luma + cb + cr;
    const std::string path = folder.Write("411.y4m", Y4m(fmt::format("W{} H{} C411", width, kHeight), {frame, frame}));
    const ReadClip clip = ReadAll(path);
    EXPECT_EQ(clip.error, "");
    EXPECT_EQ(clip.info.format.pixel_format, PixelFormat::kYuv422);
    EXPECT_EQ(clip.info.frame_count, 2);
    EXPECT_EQ(clip.frames, (std::vector<std::string>{expected, expected}));
    ASSERT_EQ(clip.warnings.size(), 1U);
    EXPECT_TRUE(Contains(clip.warnings[0], "4:1:1"));
  }
}

TEST(Y4mReader, SkipsLongParameters) {
  const TemporaryFolder folder;
  const VideoFormat format{PixelFormat::kYuv420, 19, 19, 8};
  const std::string frame = NoiseFrame(format, 1);
  for (const std::size_t length : {0U, 1U, 250U, 300U, 4000U, 65000U}) {
    SCOPED_TRACE(length);
    std::string bytes = "YUV4MPEG2 X" + std::string(length, 'a') + "  W19   H19 P1 XCOLORRANGE=FULL \n";
    bytes += "FRAME\n" + frame + "FRAME Ip X" + std::string(length * 10, 'b') + "\n" + frame + "FRAME \n" + frame;
    const ReadClip clip = ReadAll(folder.Write("x.y4m", bytes));
    EXPECT_EQ(clip.error, "");
    EXPECT_EQ(clip.frames, (std::vector<std::string>{frame, frame, frame}));
  }
  const ReadClip clip =
      ReadAll(folder.Write("x.y4m", "YUV4MPEG2 X" + std::string(70000, 'a') + " W19 H19\nFRAME\n" + frame));
  EXPECT_EQ(clip.code, ErrorCode::kFormat);
  EXPECT_TRUE(Contains(clip.error, "no line end in the first 65536 bytes")) << clip.error;
}

TEST(Y4mReader, ParsesOptionalFields) {
  for (const auto& [text, name] : std::vector<std::pair<std::string, std::string>>{{"", "unknown"},
                                                                                   {" I?", "unknown"},
                                                                                   {" Ip", "progressive"},
                                                                                   {" It", "top field first"},
                                                                                   {" Ib", "bottom field first"},
                                                                                   {" Im", "mixed"}}) {
    const auto header = ParseY4mHeader("YUV4MPEG2 W2 H2" + text);
    ASSERT_TRUE(header) << text;
    EXPECT_EQ(header->interlacing, name);
    EXPECT_EQ(header->frame_rate, 0.0);
  }
  EXPECT_EQ(ParseY4mHeader("YUV4MPEG2 W2 H2 XYSCSS=420JPEG")->range, "");
  EXPECT_EQ(ParseY4mHeader("YUV4MPEG2 W2 H2 XCOLORRANGE=FULL Ip")->range, "full");
  EXPECT_EQ(ParseY4mHeader("YUV4MPEG2 W2 H2 XCOLORRANGE=LIMITED")->range, "limited");
  EXPECT_EQ(ParseY4mHeader("YUV4MPEG2 W2 H2 F0:0 A0:0")->frame_rate, 0.0);
  EXPECT_EQ(ParseY4mHeader("YUV4MPEG2 F24:1 H32768 W32768")->frame_rate, 24.0);
}

TEST(Y4mReader, NamesTheFieldOfABadHeader) {
  struct Case {
    std::string_view header;
    std::string_view field;
    std::string_view text;
  };
  const std::vector<Case> cases{
      {"YUV4MPEG", "header", "version"},
      {"YUV4MPEG3 W2 H2", "header", "version \"3\""},
      {"YUV4MPEG2", "width W", "missing"},
      {"YUV4MPEG2 W2", "height H", "missing"},
      {"YUV4MPEG2 W H2", "width W", "\"\""},
      {"YUV4MPEG2 W0 H2", "width W", "\"0\""},
      {"YUV4MPEG2 W-2 H2", "width W", "\"-2\""},
      {"YUV4MPEG2 W+2 H2", "width W", "\"+2\""},
      {"YUV4MPEG2 W2 H2x", "height H", "\"2x\""},
      {"YUV4MPEG2 W2 H32769", "height H", "32768"},
      {"YUV4MPEG2 W99999999999999999999 H2", "width W", "32768"},
      {"YUV4MPEG2 W2 W2 H2", "W", "more than once"},
      {"YUV4MPEG2 W2 H2 Cmono Cmono", "C", "more than once"},
      {"YUV4MPEG2 W2 H2 F25", "frame rate F", "\"25\""},
      {"YUV4MPEG2 W2 H2 F25:0", "frame rate F", "\"25:0\""},
      {"YUV4MPEG2 W2 H2 F25:-1", "frame rate F", "\"25:-1\""},
      {"YUV4MPEG2 W2 H2 F:", "frame rate F", "\":\""},
      {"YUV4MPEG2 W2 H2 A1:x", "pixel aspect A", "\"1:x\""},
      {"YUV4MPEG2 W2 H2 Iq", "interlacing I", "\"q\""},
      {"YUV4MPEG2 W2 H2 I", "interlacing I", "\"\""},
      {"YUV4MPEG2 W2 H2 Ipp", "interlacing I", "\"pp\""},
      {"YUV4MPEG2 W2 H2 C420p11", "colour space C", "\"420p11\"; known are 420, 420jpeg"},
      {"YUV4MPEG2 W2 H2 C420\r", "colour space C", "\"420\\x0d\""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.header);
    const auto header = ParseY4mHeader(c.header);
    ASSERT_FALSE(header);
    EXPECT_EQ(header.error().field, "y4m " + std::string(c.field));
    EXPECT_TRUE(Contains(header.error().message, c.text)) << header.error().message;
  }
}

TEST(Y4mReader, DeliversWholeFramesOfACutFile) {
  const TemporaryFolder folder;
  const VideoFormat format{PixelFormat::kYuv420, 33, 34, 10};
  const std::vector<std::string> frames{NoiseFrame(format, 1), NoiseFrame(format, 2), NoiseFrame(format, 3)};
  const std::string bytes = Y4m("W33 H34 C420p10", frames);
  const std::size_t frame_bytes = 6 + format.frame_bytes();
  for (const std::size_t tail : {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{6}, std::size_t{7},
                                 std::size_t{1000}, frame_bytes - 1}) {
    SCOPED_TRACE(tail);
    const std::string path = folder.Write("cut.y4m", bytes.substr(0, bytes.size() - frame_bytes + tail));
    ReadClip clip = ReadAll(path);
    EXPECT_EQ(clip.error, "");
    EXPECT_EQ(clip.frames, std::vector<std::string>(frames.begin(), frames.begin() + 2));
    EXPECT_EQ(clip.info.frame_count, std::nullopt);
    ASSERT_EQ(clip.warnings.size(), 1U);
    EXPECT_TRUE(Contains(clip.warnings[0], path + ": truncated: " + std::to_string(tail) + " bytes after frame 1 "))
        << clip.warnings[0];

    clip = ReadAll(path, {.strict = true});
    EXPECT_EQ(clip.code, ErrorCode::kTruncated);
    EXPECT_EQ(clip.frames.size(), 2U);
    EXPECT_TRUE(Contains(clip.error, path + ": frame 2: ")) << clip.error;
  }
}

TEST(Y4mReader, RefusesFilesWithoutAWholeFrame) {
  const TemporaryFolder folder;
  const std::string frame = NoiseFrame({PixelFormat::kYuv420, 16, 16, 8}, 1);
  const std::string whole = Y4m("W16 H16", {frame});
  for (std::size_t size = 8; size < whole.size(); size += size < 40 ? 1 : 29) {
    const std::string path = folder.Write("none.y4m", whole.substr(0, size));
    const ReadClip clip = ReadAll(path);
    ASSERT_TRUE(clip.frames.empty());
    ASSERT_EQ(clip.code, ErrorCode::kTruncated) << size << clip.error;
    ASSERT_TRUE(clip.error.starts_with(path + ": ")) << clip.error;
  }
  // A header that claims 6 GB: refused by the size of the file, before memory is asked for.
  const ReadClip clip = ReadAll(folder.Write("huge.y4m", "YUV4MPEG2 W32768 H32768 C444p16\nFRAME\nabc"));
  EXPECT_EQ(clip.code, ErrorCode::kTruncated);
  EXPECT_TRUE(Contains(clip.error, "6442450944")) << clip.error;
}

TEST(Y4mReader, ReportsLostFraming) {
  const TemporaryFolder folder;
  const std::string frame = NoiseFrame({PixelFormat::kYuv420, 16, 16, 8}, 1);
  for (const std::string bad : {"frame\n", "FRAMES\n", "\n\n\n\n\n\n", "FRAMF "}) {
    const std::string path = folder.Write("bad.y4m", Y4m("W16 H16", {frame, frame}) + bad + frame);
    const ReadClip clip = ReadAll(path);
    EXPECT_EQ(clip.code, ErrorCode::kFormat);
    EXPECT_EQ(clip.frames.size(), 2U);
    EXPECT_TRUE(Contains(clip.error, path + ": frame 2: lost y4m framing")) << clip.error;
  }
}

TEST(Y4mReader, RefusesSamplesAboveTheDepth) {
  const TemporaryFolder folder;
  for (const int depth : {9, 10, 12, 14}) {
    const VideoFormat format{PixelFormat::kYuv422, 19, 2, depth};
    const std::string good = NoiseFrame(format, 1);
    // Every position, so that no tail of a row escapes.
    for (std::size_t position = 0; position < good.size(); position += 2) {
      std::string bad = good;
      bad[position] = 1;
      bad[position + 1] = static_cast<char>(1 << (depth - 8));
      const std::string path = folder.Write("deep.y4m", Y4m(fmt::format("W19 H2 C422p{}", depth), {good, bad}));
      const ReadClip clip = ReadAll(path);
      ASSERT_EQ(clip.frames.size(), 1U);
      ASSERT_EQ(clip.code, ErrorCode::kFormat);
      ASSERT_TRUE(
          Contains(clip.error, fmt::format("{}: frame 1: sample {} exceeds {} bits", path, (1 << depth) + 1, depth)))
          << clip.error;
    }
  }
}

TEST(Y4mReader, SkipsFrames) {
  const TemporaryFolder folder;
  const VideoFormat format{PixelFormat::kYuv420, 33, 34, 8};
  std::vector<std::string> frames;
  for (unsigned i = 0; i < 5; ++i) frames.push_back(NoiseFrame(format, i));
  const std::string bytes = Y4m("W33 H34", frames);
  auto reader = OpenVideo(folder.Write("skip.y4m", bytes.substr(0, bytes.size() - 10)), {});
  ASSERT_TRUE(reader);
  Frame frame;
  EXPECT_EQ(*(*reader)->Skip(2), 2);
  ASSERT_TRUE(*(*reader)->Read(frame));
  EXPECT_EQ(test::PlaneBytes(frame), frames[2]);
  EXPECT_EQ(*(*reader)->Skip(7), 1);
  EXPECT_FALSE(*(*reader)->Read(frame));
  ASSERT_EQ((*reader)->warnings().size(), 1U);
  EXPECT_TRUE(Contains((*reader)->warnings()[0], "after frame 3 "));
}

}  // namespace
}  // namespace lockstep
