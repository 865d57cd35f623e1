// SPDX-License-Identifier: BSD-2-Clause-Patent
// Containers and codecs through FFmpeg. Clips are written here, by its muxers and native encoders.
#include "media/ffmpeg/ffmpeg_reader.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "media/ffmpeg/ffmpeg_picture.h"
#include "media/test_clips.h"

namespace lockstep {
namespace {

using test::Contains;
using test::NoiseFrame;
using test::ReadAll;
using test::ReadClip;
using test::ReadFile;
using test::TemporaryFolder;

struct FrameDeleter {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};
using Picture = std::unique_ptr<AVFrame, FrameDeleter>;

// Planar samples laid out as `format` wants them; alpha is filled with noise of its own.
Picture MakePicture(AVPixelFormat format, const VideoFormat& video, const std::string& planes) {
  Picture picture(av_frame_alloc());
  picture->format = format;
  picture->width = video.width;
  picture->height = video.height;
  EXPECT_EQ(av_frame_get_buffer(picture.get(), 0), 0);
  const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(format);
  for (int p = 0; p < 4 && picture->data[p] != nullptr; ++p) {
    const int rows = p == 1 || p == 2 ? AV_CEIL_RSHIFT(video.height, descriptor->log2_chroma_h) : video.height;
    memset(picture->data[p], 0, static_cast<std::size_t>(picture->linesize[p]) * static_cast<std::size_t>(rows));
  }
  std::size_t position = 0;
  std::vector<std::uint16_t> line;
  for (int c = 0; c < descriptor->nb_components; ++c) {
    const bool chroma = c > 0 && descriptor->nb_components >= 3 && c < 3;
    const int width = chroma ? AV_CEIL_RSHIFT(video.width, descriptor->log2_chroma_w) : video.width;
    const int height = chroma ? AV_CEIL_RSHIFT(video.height, descriptor->log2_chroma_h) : video.height;
    const bool alpha = position >= planes.size();
    for (int y = 0; y < height; ++y) {
      line.clear();
      for (int x = 0; x < width; ++x) {
        if (alpha) {
          line.push_back(static_cast<std::uint16_t>((x * 7 + y) & 0xff));
          continue;
        }
        unsigned value = static_cast<unsigned char>(planes[position++]);
        if (video.bit_depth > 8) value |= static_cast<unsigned>(static_cast<unsigned char>(planes[position++])) << 8;
        line.push_back(static_cast<std::uint16_t>(value));
      }
      av_write_image_line(line.data(), picture->data, picture->linesize, descriptor, 0, y, c, width);
    }
  }
  return picture;
}

// Writes pictures to `path`; the container follows from its extension.
void WriteVideo(const std::string& path, AVCodecID codec_id, const std::vector<Picture>& pictures) {
  AVFormatContext* container = nullptr;
  ASSERT_GE(avformat_alloc_output_context2(&container, nullptr, nullptr, path.c_str()), 0);
  const AVCodec* encoder = avcodec_find_encoder(codec_id);
  AVCodecContext* codec = avcodec_alloc_context3(encoder);
  const AVFrame& first = *pictures[0];
  codec->width = first.width;
  codec->height = first.height;
  codec->pix_fmt = static_cast<AVPixelFormat>(first.format);
  codec->time_base = {1, 24};
  codec->framerate = {24, 1};
  codec->color_range = first.color_range;
  codec->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
  if ((container->oformat->flags & AVFMT_GLOBALHEADER) != 0) codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  ASSERT_GE(avcodec_open2(codec, encoder, nullptr), 0);
  AVStream* stream = avformat_new_stream(container, nullptr);
  stream->time_base = codec->time_base;
  stream->avg_frame_rate = codec->framerate;
  ASSERT_GE(avcodec_parameters_from_context(stream->codecpar, codec), 0);
  ASSERT_GE(avio_open(&container->pb, path.c_str(), AVIO_FLAG_WRITE), 0);
  ASSERT_GE(avformat_write_header(container, nullptr), 0);
  AVPacket* packet = av_packet_alloc();
  for (std::size_t i = 0; i <= pictures.size(); ++i) {
    AVFrame* picture = i < pictures.size() ? pictures[i].get() : nullptr;
    if (picture != nullptr) picture->pts = static_cast<std::int64_t>(i);
    ASSERT_GE(avcodec_send_frame(codec, picture), 0);
    while (avcodec_receive_packet(codec, packet) >= 0) {
      av_packet_rescale_ts(packet, codec->time_base, stream->time_base);
      packet->stream_index = 0;
      ASSERT_GE(av_write_frame(container, packet), 0);
      av_packet_unref(packet);
    }
  }
  ASSERT_GE(av_write_trailer(container), 0);
  av_packet_free(&packet);
  avio_closep(&container->pb);
  avcodec_free_context(&codec);
  avformat_free_context(container);
}

std::string Stream() { return std::string(LOCKSTEP_SOURCE_DIR) + "/tests/data/n_carphone_176x144_10.h265"; }

// FNV-1a, 64 bit.
std::uint64_t Hash(const std::vector<std::string>& frames) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::string& frame : frames) {
    for (const char c : frame) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return hash;
}

TEST(FfmpegReader, RangeOfCodeValues) {
  const TemporaryFolder folder;
  constexpr VideoFormat kVideo{PixelFormat::kYuv420, 16, 16, 8};
  const auto range_of = [&](AVPixelFormat format, AVColorRange range, const std::string& name) {
    std::vector<Picture> pictures;
    pictures.push_back(MakePicture(format, kVideo, NoiseFrame(kVideo, 1)));
    pictures[0]->color_range = range;
    const std::string path = folder.File(name);
    WriteVideo(path, AV_CODEC_ID_FFV1, pictures);
    const ReadClip clip = ReadAll(path, {});
    EXPECT_EQ(clip.error, "");
    return clip.info.range;
  };
  EXPECT_EQ(range_of(AV_PIX_FMT_YUV420P, AVCOL_RANGE_JPEG, "full.mkv"), "full");
  EXPECT_EQ(range_of(AV_PIX_FMT_YUV420P, AVCOL_RANGE_MPEG, "limited.mkv"), "limited");
  EXPECT_EQ(range_of(AV_PIX_FMT_YUV420P, AVCOL_RANGE_UNSPECIFIED, "untagged.mkv"), "");
  // Converted.
  EXPECT_EQ(range_of(AV_PIX_FMT_BGR0, AVCOL_RANGE_JPEG, "rgb.mkv"), "limited");
}

TEST(FfmpegReader, DecodesAnElementaryStream) {
  const ReadClip clip = ReadAll(Stream(), {.strict = true});
  EXPECT_EQ(clip.error, "");
  EXPECT_EQ(clip.info.container, "hevc");
  EXPECT_EQ(clip.info.codec, "hevc");
  EXPECT_EQ(clip.info.format, (VideoFormat{PixelFormat::kYuv420, 176, 144, 10}));
  EXPECT_EQ(clip.info.interlacing, "progressive");
  EXPECT_EQ(clip.info.frame_count, std::nullopt);
  ASSERT_EQ(clip.frames.size(), 8U);
  // Of the samples that another build of FFmpeg (9.0.2, one thread, no SIMD) decoded.
  EXPECT_EQ(Hash(clip.frames), 0x2115c5987e4e4d86U);
  EXPECT_TRUE(clip.warnings.empty());
}

TEST(FfmpegReader, DecodesFromAPipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const std::string bytes = ReadFile(Stream());
  ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  const ReadClip clip = ReadAll("/dev/fd/" + std::to_string(ends[0]));
  ::close(ends[0]);
  EXPECT_EQ(clip.error, "");
  EXPECT_TRUE(clip.frames == ReadAll(Stream()).frames);
}

struct Layout {
  AVPixelFormat format;
  PixelFormat pixel_format;
  int bit_depth;
  std::string_view note = {};
};

TEST(FfmpegPictureConverter, KeepsEverySampleOfEveryYuvLayout) {
  constexpr auto k400 = PixelFormat::kYuv400;
  constexpr auto k420 = PixelFormat::kYuv420;
  constexpr auto k422 = PixelFormat::kYuv422;
  constexpr auto k444 = PixelFormat::kYuv444;
  const std::vector<Layout> layouts{{AV_PIX_FMT_GRAY8, k400, 8},
                                    {AV_PIX_FMT_GRAY10LE, k400, 10},
                                    {AV_PIX_FMT_GRAY12LE, k400, 12},
                                    {AV_PIX_FMT_GRAY16LE, k400, 16},
                                    {AV_PIX_FMT_GRAY16BE, k400, 16},
                                    {AV_PIX_FMT_YA8, k400, 8, "alpha"},
                                    {AV_PIX_FMT_YUV420P, k420, 8},
                                    {AV_PIX_FMT_YUV422P, k422, 8},
                                    {AV_PIX_FMT_YUV444P, k444, 8},
                                    {AV_PIX_FMT_YUV420P9LE, k420, 9},
                                    {AV_PIX_FMT_YUV420P10LE, k420, 10},
                                    {AV_PIX_FMT_YUV422P10BE, k422, 10},
                                    {AV_PIX_FMT_YUV422P12LE, k422, 12},
                                    {AV_PIX_FMT_YUV444P14LE, k444, 14},
                                    {AV_PIX_FMT_YUV420P16LE, k420, 16},
                                    {AV_PIX_FMT_YUV444P16LE, k444, 16},
                                    {AV_PIX_FMT_NV12, k420, 8},
                                    {AV_PIX_FMT_NV21, k420, 8},
                                    {AV_PIX_FMT_NV16, k422, 8},
                                    {AV_PIX_FMT_NV24, k444, 8},
                                    {AV_PIX_FMT_P010LE, k420, 10},
                                    {AV_PIX_FMT_P016LE, k420, 16},
                                    {AV_PIX_FMT_P210LE, k422, 10},
                                    {AV_PIX_FMT_P010BE, k420, 10},
                                    {AV_PIX_FMT_YUYV422, k422, 8},
                                    {AV_PIX_FMT_UYVY422, k422, 8},
                                    {AV_PIX_FMT_P410LE, k444, 10},
                                    {AV_PIX_FMT_Y210LE, k422, 10},
                                    {AV_PIX_FMT_YVYU422, k422, 8},
                                    {AV_PIX_FMT_AYUV64LE, k444, 16, "alpha"},
                                    {AV_PIX_FMT_YUVJ444P, k444, 8},
                                    {AV_PIX_FMT_YUVA420P, k420, 8, "alpha"},
                                    {AV_PIX_FMT_YUVA444P10LE, k444, 10, "alpha"}};
  for (const Layout& layout : layouts) {
    SCOPED_TRACE(av_get_pix_fmt_name(layout.format));
    const bool packed = layout.format == AV_PIX_FMT_YUYV422 || layout.format == AV_PIX_FMT_UYVY422 ||
                        layout.format == AV_PIX_FMT_YVYU422 || layout.format == AV_PIX_FMT_Y210LE;
    const VideoFormat format{layout.pixel_format, packed ? 34 : 35, 19, layout.bit_depth};
    const std::vector<std::string> frames{NoiseFrame(format, 1), NoiseFrame(format, 2)};
    std::unique_ptr<FfmpegPictureConverter> converter;
    for (const std::string& samples : frames) {
      const Picture picture = MakePicture(layout.format, format, samples);
      if (!converter) {
        auto created = FfmpegPictureConverter::Create(*picture);
        ASSERT_TRUE(created);
        converter = std::move(*created);
      }
      EXPECT_EQ(converter->format(), format);
      Frame frame;
      ASSERT_TRUE(converter->Convert(*picture, frame));
      EXPECT_TRUE(test::PlaneBytes(frame) == samples);
    }
    EXPECT_EQ(converter->note().empty(), layout.note.empty());
    EXPECT_TRUE(Contains(converter->note(), layout.note));
  }
}

TEST(FfmpegReader, DecodesLosslessVideoExactly) {
  const TemporaryFolder folder;
  for (const auto& [name, format] :
       std::vector<std::pair<AVPixelFormat, VideoFormat>>{{AV_PIX_FMT_YUV420P, {PixelFormat::kYuv420, 65, 64, 8}},
                                                          {AV_PIX_FMT_YUV422P10, {PixelFormat::kYuv422, 64, 65, 10}},
                                                          {AV_PIX_FMT_YUV444P16, {PixelFormat::kYuv444, 33, 34, 16}},
                                                          {AV_PIX_FMT_GRAY8, {PixelFormat::kYuv400, 19, 19, 8}}}) {
    std::vector<std::string> frames;
    std::vector<Picture> pictures;
    for (unsigned i = 0; i < 9; ++i) {
      frames.push_back(NoiseFrame(format, i));
      pictures.push_back(MakePicture(name, format, frames.back()));
    }
    const std::string path = folder.File("clip.mkv");
    WriteVideo(path, AV_CODEC_ID_FFV1, pictures);
    const ReadClip clip = ReadAll(path, {.strict = true});
    EXPECT_EQ(clip.error, "");
    EXPECT_EQ(clip.info.codec, "ffv1");
    EXPECT_TRUE(clip.frames == frames);
    EXPECT_TRUE(clip.warnings.empty());
  }
}

TEST(FfmpegReader, Interpolates411LikeY4m) {
  const TemporaryFolder folder;
  const VideoFormat luma{PixelFormat::kYuv400, 33, 5, 8};
  const std::string samples = NoiseFrame(luma, 1) + test::NoiseSamples(2 * 9 * 5, 8, 2);
  std::vector<Picture> pictures;
  pictures.push_back(MakePicture(AV_PIX_FMT_YUV411P, luma, samples));
  WriteVideo(folder.File("clip.nut"), AV_CODEC_ID_RAWVIDEO, pictures);
  const ReadClip ours = ReadAll(folder.Write("clip.y4m", "YUV4MPEG2 W33 H5 C411\nFRAME\n" + samples));
  const ReadClip theirs = ReadAll(folder.File("clip.nut"));
  EXPECT_EQ(theirs.error, "");
  EXPECT_EQ(theirs.info.format, ours.info.format);
  EXPECT_TRUE(theirs.frames == ours.frames);
  ASSERT_EQ(theirs.warnings.size(), 1U);
}

TEST(FfmpegReader, ConvertsTheRestAndSaysSo) {
  const TemporaryFolder folder;
  const VideoFormat rgb{PixelFormat::kYuv444, 35, 19, 8};
  std::vector<Picture> pictures;
  pictures.push_back(MakePicture(AV_PIX_FMT_RGB24, rgb, std::string(35 * 19 * 3, '\x80')));
  WriteVideo(folder.File("rgb.nut"), AV_CODEC_ID_RAWVIDEO, pictures);
  ReadClip clip = ReadAll(folder.File("rgb.nut"));
  EXPECT_EQ(clip.error, "");
  EXPECT_EQ(clip.info.format, rgb);
  ASSERT_EQ(clip.frames.size(), 1U);
  // 128 grey in limited range: 16 + 128 * 219 / 255 = 125.9.
  EXPECT_EQ(clip.frames[0], std::string(35 * 19, '\x7e') + std::string(35 * 19 * 2, '\x80'));
  ASSERT_EQ(clip.warnings.size(), 1U);
  EXPECT_TRUE(Contains(clip.warnings[0], "from rgb24 to yuv444p by libswscale"));

  // 4:4:0 keeps its luma.
  const VideoFormat luma{PixelFormat::kYuv400, 34, 20, 8};
  const std::string samples = NoiseFrame(luma, 1);
  pictures.clear();
  pictures.push_back(MakePicture(AV_PIX_FMT_YUV440P, luma, samples + std::string(34 * 10 * 2, '\x55')));
  WriteVideo(folder.File("440.nut"), AV_CODEC_ID_RAWVIDEO, pictures);
  clip = ReadAll(folder.File("440.nut"));
  EXPECT_EQ(clip.error, "");
  EXPECT_EQ(clip.info.format, (VideoFormat{PixelFormat::kYuv444, 34, 20, 8}));
  ASSERT_EQ(clip.frames.size(), 1U);
  EXPECT_EQ(clip.frames[0], samples + std::string(34 * 20 * 2, '\x55'));
}

TEST(FfmpegReader, RefusesSamplesAboveTheDepth) {
  const TemporaryFolder folder;
  const VideoFormat format{PixelFormat::kYuv420, 36, 20, 10};
  std::string samples = NoiseFrame(format, 1);
  std::vector<Picture> pictures;
  pictures.push_back(MakePicture(AV_PIX_FMT_YUV420P10LE, format, samples));
  pictures.push_back(MakePicture(AV_PIX_FMT_YUV420P10LE, format, samples));
  reinterpret_cast<std::uint16_t*>(pictures[1]->data[0])[3] = 5000;
  WriteVideo(folder.File("deep.nut"), AV_CODEC_ID_RAWVIDEO, pictures);
  const ReadClip clip = ReadAll(folder.File("deep.nut"));
  EXPECT_EQ(clip.frames.size(), 1U);
  EXPECT_EQ(clip.code, ErrorCode::kFormat);
  EXPECT_EQ(clip.error, folder.File("deep.nut") +
                            ": frame 1: sample 5000 exceeds 10 bits (luma, x 3, y 0); is the bit depth right?");
}

std::vector<Picture> GreyPictures(int width, int height, std::size_t count) {
  const VideoFormat format{PixelFormat::kYuv420, width, height, 8};
  std::vector<Picture> pictures;
  for (std::size_t i = 0; i < count; ++i) {
    pictures.push_back(
        MakePicture(AV_PIX_FMT_YUVJ420P, format, std::string(format.frame_bytes(), static_cast<char>(60 + i))));
  }
  return pictures;
}

TEST(FfmpegReader, ReportsAChangeOfSize) {
  const TemporaryFolder folder;
  WriteVideo(folder.File("a.mjpeg"), AV_CODEC_ID_MJPEG, GreyPictures(32, 32, 3));
  WriteVideo(folder.File("b.mjpeg"), AV_CODEC_ID_MJPEG, GreyPictures(48, 32, 2));
  const std::string path = folder.Write("c.mjpeg", ReadFile(folder.File("a.mjpeg")) + ReadFile(folder.File("b.mjpeg")));
  EXPECT_EQ(ReadAll(folder.File("a.mjpeg")).frames.size(), 3U);
  const ReadClip clip = ReadAll(path);
  EXPECT_EQ(clip.frames.size(), 3U);
  EXPECT_EQ(clip.code, ErrorCode::kUnsupported);
  EXPECT_TRUE(Contains(clip.error, path + ": frame 3: the picture changes from 32x32 yuvj420p to 48x32")) << clip.error;
}

TEST(FfmpegReader, ReadsMp4ByItsIndex) {
  const TemporaryFolder folder;
  const std::string path = folder.File("clip.mp4");
  WriteVideo(path, AV_CODEC_ID_MJPEG, GreyPictures(64, 48, 12));
  ReadClip clip = ReadAll(path);
  EXPECT_EQ(clip.error, "");
  EXPECT_EQ(clip.info.frame_count, 12);
  EXPECT_EQ(clip.info.frame_rate, 24.0);
  EXPECT_EQ(clip.frames.size(), 12U);

  // Without its end, where the index is, there is nothing to be read.
  const std::string bytes = ReadFile(path);
  clip = ReadAll(folder.Write("cut.mp4", bytes.substr(0, bytes.size() / 2)));
  EXPECT_EQ(clip.code, ErrorCode::kFormat);
  EXPECT_TRUE(clip.error.starts_with(folder.File("cut.mp4") + ": ")) << clip.error;
}

// The bytes of an MPEG-2 clip with a stretch of its middle lost.
std::string DamagedClip(const TemporaryFolder& folder) {
  const VideoFormat format{PixelFormat::kYuv420, 128, 96, 8};
  std::vector<Picture> pictures;
  for (unsigned i = 0; i < 24; ++i) pictures.push_back(MakePicture(AV_PIX_FMT_YUV420P, format, NoiseFrame(format, i)));
  WriteVideo(folder.File("whole.m2v"), AV_CODEC_ID_MPEG2VIDEO, pictures);
  std::string bytes = ReadFile(folder.File("whole.m2v"));
  return bytes.erase(bytes.size() / 2, 3000);
}

TEST(FfmpegReader, ConcealsDamageTheSameWayEveryTime) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("bad.m2v", DamagedClip(folder));
  EXPECT_TRUE(ReadAll(folder.File("whole.m2v"), {.strict = true}).warnings.empty());
  const ReadClip first = ReadAll(path);
  EXPECT_EQ(first.error, "");
  EXPECT_GE(first.frames.size(), 20U);
  ASSERT_EQ(first.warnings.size(), 1U);
  EXPECT_TRUE(first.warnings[0].starts_with(path + ": is damaged or truncated (")) << first.warnings[0];
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(ReadAll(path).frames == first.frames);

  // A pipe, which cannot be read again, delivers the same.
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::thread writer([&] {
    const std::string bytes = ReadFile(path);
    EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
  });
  const ReadClip piped = ReadAll("/dev/fd/" + std::to_string(ends[0]));
  writer.join();
  ::close(ends[0]);
  EXPECT_TRUE(piped.frames == first.frames);

  const ReadClip strict = ReadAll(path, {.strict = true});
  EXPECT_EQ(strict.code, ErrorCode::kFormat);
  EXPECT_TRUE(strict.error.starts_with(path + ": frame ")) << strict.error;
}

TEST(FfmpegReader, StrictFindsDamageThatTheDecoderPassesOver) {
  const TemporaryFolder folder;
  std::string bytes = ReadFile(Stream());
  // Six bytes of the first picture's slice.
  const std::string path = folder.Write("bad.h265", bytes.erase(513, 6));
  EXPECT_EQ(ReadAll(path).frames.size(), 8U);
  const ReadClip strict = ReadAll(path, {.strict = true});
  EXPECT_EQ(strict.code, ErrorCode::kFormat);
  EXPECT_TRUE(Contains(strict.error, path + ": frame 0: cannot be decoded")) << strict.error;
}

TEST(FfmpegReader, RefusesWhatHoldsNoVideo) {
  const TemporaryFolder folder;
  ReadClip clip = ReadAll(folder.Write("noise.mp4", test::NoiseSamples(5000, 8, 1)));
  EXPECT_EQ(clip.code, ErrorCode::kFormat);
  EXPECT_TRUE(Contains(clip.error, "neither y4m nor a video file")) << clip.error;
  clip = ReadAll(folder.Write("text.txt", "hello\n"));
  EXPECT_FALSE(clip.error.empty());
  // Extensions that libavformat takes for raw video.
  clip = ReadAll(folder.Write("clip.rgb", std::string(5000, 'a')));
  EXPECT_TRUE(Contains(clip.error, "width, height, pixel format and bit depth")) << clip.error;
  // A playlist is not followed.
  const std::string target = folder.Write("clip.h265", ReadFile(Stream()));
  EXPECT_EQ(ReadAll(target).frames.size(), 8U);
  clip = ReadAll(folder.Write("list.ffconcat", "ffconcat version 1.0\nfile clip.h265\n"));
  EXPECT_TRUE(clip.frames.empty());
  EXPECT_FALSE(clip.error.empty());
}

}  // namespace
}  // namespace lockstep
