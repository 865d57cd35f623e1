// SPDX-License-Identifier: BSD-2-Clause-Patent
// Demuxing with libavformat, decoding with libavcodec.
#include "media/ffmpeg/ffmpeg_reader.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/log.h>
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "media/ffmpeg/cuda_decoding.h"
#include "media/ffmpeg/ffmpeg_picture.h"
#include "media/picture_conversion.h"

namespace lockstep {
namespace {

std::string FfmpegText(int code) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(code, text.data(), text.size());
  return text.data();
}

// Owns a ByteSource and shows it to FFmpeg. Exceptions must not pass through FFmpeg's frames.
class FfmpegInput {
 public:
  explicit FfmpegInput(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
    constexpr int kBufferBytes = 1 << 16;
    auto* buffer = static_cast<unsigned char*>(av_malloc(kBufferBytes));
    if (buffer == nullptr) throw std::bad_alloc();
    context_ = avio_alloc_context(buffer, kBufferBytes, 0, this, &FfmpegInput::Read, nullptr,
                                  source_->seekable() ? &FfmpegInput::Seek : nullptr);
    if (context_ == nullptr) {
      av_free(buffer);
      throw std::bad_alloc();
    }
  }
  FfmpegInput(const FfmpegInput&) = delete;
  FfmpegInput& operator=(const FfmpegInput&) = delete;
  ~FfmpegInput() {
    av_freep(&context_->buffer);
    avio_context_free(&context_);
  }

  [[nodiscard]] AVIOContext* context() { return context_; }
  [[nodiscard]] const std::string& path() const { return source_->path(); }
  [[nodiscard]] bool seekable() const { return source_->seekable(); }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  void Cancel() {
    cancelled_.store(true);
    source_->Cancel();
  }
  [[nodiscard]] bool cancelled() const { return cancelled_.load(); }

  static int Interrupted(void* opaque) { return static_cast<FfmpegInput*>(opaque)->cancelled() ? 1 : 0; }

 private:
  static int Read(void* opaque, std::uint8_t* out, int size) {
    auto* self = static_cast<FfmpegInput*>(opaque);
    try {
      Result<std::size_t> count =
          self->source_->ReadSome({reinterpret_cast<std::byte*>(out), static_cast<std::size_t>(size)});
      if (count) return *count == 0 ? AVERROR_EOF : static_cast<int>(*count);
      self->error_ = std::move(count).error();
    } catch (const std::bad_alloc&) {
      return AVERROR(ENOMEM);
    }
    return self->error_->code == ErrorCode::kCancelled ? AVERROR_EXIT : AVERROR(EIO);
  }

  static std::int64_t Seek(void* opaque, std::int64_t offset, int whence) {
    auto* self = static_cast<FfmpegInput*>(opaque);
    try {
      const std::int64_t size = self->source_->size().value_or(-1);
      whence &= ~AVSEEK_FORCE;
      if (whence == AVSEEK_SIZE) return size >= 0 ? size : AVERROR(ENOSYS);
      if (whence == SEEK_CUR) offset += self->source_->position();
      if (whence == SEEK_END) {
        if (size < 0) return AVERROR(ENOSYS);
        offset += size;
      }
      if (offset < 0) return AVERROR(EINVAL);
      if (self->source_->Seek(offset)) return offset;
    } catch (const std::bad_alloc&) {
      return AVERROR(ENOMEM);
    }
    return AVERROR(EIO);
  }

  std::unique_ptr<ByteSource> source_;
  AVIOContext* context_ = nullptr;
  std::optional<Error> error_;
  std::atomic<bool> cancelled_{false};
};

// A playlist must not make a scoring run open other files or the network. Demuxers that open files by themselves are
// held back by an empty list of protocols.
constexpr const char* kNoProtocol = "none";

int RefuseToOpen(AVFormatContext* /*context*/, AVIOContext** /*out*/, const char* /*url*/, int /*flags*/,
                 AVDictionary** /*options*/) {
  return AVERROR(EPERM);
}

// Some damage shows nowhere but in FFmpeg's log: a wrong slice checksum, a file that ends early. The log's callback is
// one for the process, so it looks for the listener of the thread that it is called on.
thread_local std::string* log_of_this_thread = nullptr;

class LogListener {
 public:
  explicit LogListener(std::string* first_error) { log_of_this_thread = first_error; }
  LogListener(const LogListener&) = delete;
  LogListener& operator=(const LogListener&) = delete;
  ~LogListener() { log_of_this_thread = nullptr; }
};

void KeepFirstError(void* /*context*/, int level, const char* format, va_list arguments) {
  constexpr int kLevelBits = 0xff;  // the rest is a colour
  if ((level & kLevelBits) > AV_LOG_ERROR || log_of_this_thread == nullptr || !log_of_this_thread->empty()) return;
  std::array<char, 200> line{};
  std::vsnprintf(line.data(), line.size(), format, arguments);
  std::string_view text(line.data());
  text = text.substr(0, text.find('\n'));
  *log_of_this_thread = text.empty() ? "an error without words" : std::string(text);
}

struct FormatDeleter {
  void operator()(AVFormatContext* context) const { avformat_close_input(&context); }
};
struct CodecDeleter {
  void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
};
struct PacketDeleter {
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};

template <class Pointer>
Pointer NotNull(typename Pointer::pointer raw) {
  if (raw == nullptr) throw std::bad_alloc();
  return Pointer(raw);
}

std::string Interlacing(const AVFrame& picture, AVFieldOrder order) {
  if (picture.interlaced_frame != 0) return picture.top_field_first != 0 ? "top field first" : "bottom field first";
  switch (order) {
    case AV_FIELD_TT:
    case AV_FIELD_BT:
      return "top field first";
    case AV_FIELD_BB:
    case AV_FIELD_TB:
      return "bottom field first";
    default:
      return "progressive";
  }
}

// Strict: every check of the decoder is on and the first damage is an error. Otherwise the decoder conceals, and the
// damage that it admits to is counted for a warning.
class FfmpegReader final : public VideoReader {
 public:
  FfmpegReader(std::unique_ptr<ByteSource> source, const OpenOptions& options)
      : input_(std::move(source)),
        strict_(options.strict),
        cuda_decoder_(options.cuda_decoder),
        packet_(NotNull<decltype(packet_)>(av_packet_alloc())),
        picture_(NotNull<decltype(picture_)>(av_frame_alloc())) {
    info_.path = input_.path();
  }

  [[nodiscard]] const VideoInfo& info() const override { return info_; }
  void LeaveOutChroma() override { leave_out_chroma_ = true; }
  void Cancel() override { input_.Cancel(); }

  [[nodiscard]] Status Open() {
    if (Status status = OpenContainer(); !status) return status;
    if (Status status = OpenDecoder(); !status) return status;
    Result<bool> first = Decode();
    if (!first) return std::move(first).error();
    if (!*first) {
      return Error{ErrorCode::kTruncated,
                   fmt::format("no picture of its {} stream could be decoded{}", info_.codec,
                               input_.seekable() ? ""
                                                 : "; through a pipe only containers without an index at their end "
                                                   "can be read"),
                   info_.path,
                   {},
                   {}};
    }
    picture_waits_ = true;
    Result<const AVFrame*> first_on_host = OnHost();
    if (!first_on_host) return std::move(first_on_host).error();
    Result<std::unique_ptr<FfmpegPictureConverter>> converter = FfmpegPictureConverter::Create(**first_on_host);
    if (!converter) return std::move(converter).error().WithFile(info_.path);
    converter_ = std::move(*converter);
    pixel_format_ = static_cast<AVPixelFormat>(picture_->format);
    info_.format = converter_->format();
    if (cuda_ != nullptr && !CudaDecoding::IsOnDevice(*picture_)) {
      warnings_.push_back(fmt::format("{}: the CUDA device does not decode this {} stream; the processor does",
                                      info_.path, info_.codec));
    }
    if (!converter_->note().empty()) warnings_.push_back(info_.path + ": " + converter_->note());
    info_.interlacing = Interlacing(*picture_, codec_->field_order);
    if (picture_->chroma_location != AVCHROMA_LOC_UNSPECIFIED)
      info_.chroma_location = av_chroma_location_name(picture_->chroma_location);
    if (converter_->is_from_rgb() || picture_->color_range == AVCOL_RANGE_MPEG) {
      info_.range = "limited";
    } else if (picture_->color_range == AVCOL_RANGE_JPEG) {
      info_.range = "full";
    }
    return {};
  }

  [[nodiscard]] Result<bool> Read(Frame& frame) override {
    if (failure_) return *failure_;
    if (ended_) return false;
    Result<bool> read = false;
    try {
      read = ReadFrame(frame);
    } catch (const std::bad_alloc&) {
      read = FrameError(ErrorCode::kOutOfMemory, "no memory for a picture");
    }
    if (!read) failure_ = read.error();
    return read;
  }

 private:
  [[nodiscard]] Error FrameError(ErrorCode code, std::string message) const {
    return Error{code, std::move(message), info_.path, frames_read_, {}};
  }

  Status OpenContainer() {
    AVFormatContext* context = avformat_alloc_context();
    if (context == nullptr) throw std::bad_alloc();
    context->pb = input_.context();
    context->flags |= AVFMT_FLAG_CUSTOM_IO;
    context->io_open = &RefuseToOpen;
    context->interrupt_callback = {&FfmpegInput::Interrupted, &input_};
    context->protocol_whitelist = av_strdup(kNoProtocol);
    if (context->protocol_whitelist == nullptr) {
      avformat_free_context(context);
      throw std::bad_alloc();
    }
    // On failure FFmpeg frees the context itself.
    int code = avformat_open_input(&context, info_.path.c_str(), nullptr, nullptr);
    if (code >= 0) container_.reset(context);
    if (code >= 0 && std::string_view(container_->iformat->name) == "rawvideo") return RawFormatMissing(info_.path);
    if (code >= 0 && std::string_view(container_->iformat->name) == "tty") {
      return Error{ErrorCode::kUnsupported, "is text, not video", info_.path, {}, {}};
    }
    if (code >= 0) code = avformat_find_stream_info(container_.get(), nullptr);
    if (input_.error()) return *input_.error();
    if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
    if (code < 0) {
      return Error{ErrorCode::kFormat,
                   fmt::format("is neither y4m nor a video file that FFmpeg's libraries can read ({}); raw video needs "
                               "width, height, pixel format and bit depth",
                               FfmpegText(code)),
                   info_.path,
                   {},
                   {}};
    }
    info_.container = container_->iformat->name;
    return {};
  }

  Status OpenDecoder() {
    stream_index_ = av_find_best_stream(container_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (stream_index_ >= 0 && (container_->streams[stream_index_]->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) {
      stream_index_ = -1;  // the cover of an audio file
    }
    if (stream_index_ < 0) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("holds no video stream (FFmpeg takes it for {})", info_.container),
                   info_.path,
                   {},
                   {}};
    }
    for (unsigned i = 0; i < container_->nb_streams; ++i) {
      if (static_cast<int>(i) != stream_index_) container_->streams[i]->discard = AVDISCARD_ALL;
    }
    AVStream* stream = container_->streams[stream_index_];
    info_.codec = avcodec_get_name(stream->codecpar->codec_id);
    const AVCodec* decoder = avcodec_find_decoder(stream->codecpar->codec_id);
    if (decoder == nullptr) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("FFmpeg's libraries here have no decoder for {}", info_.codec),
                   info_.path,
                   {},
                   {}};
    }
    codec_ = NotNull<decltype(codec_)>(avcodec_alloc_context3(decoder));
    if (avcodec_parameters_to_context(codec_.get(), stream->codecpar) < 0) throw std::bad_alloc();
    codec_->pkt_timebase = stream->time_base;
    // What decoders make of damaged data depends on their threads, often without a sign of the damage, so that a score
    // would depend on the machine. The inputs still decode beside each other, each on the thread that reads it.
    codec_->thread_count = 1;
    // Without UNALIGNED the decoder may round the left edge of a cropped picture to its own alignment.
    codec_->flags |= AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_UNALIGNED;
    if (cuda_decoder_) {
      Result<std::unique_ptr<CudaDecoding>> cuda = CudaDecoding::Create(*cuda_decoder_);
      if (!cuda) return std::move(cuda).error().WithFile(info_.path);
      cuda_ = *std::move(cuda);
      cuda_->Attach(*codec_);
    }
    if (strict_) codec_->err_recognition |= AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_EXPLODE;
    if (const int code = avcodec_open2(codec_.get(), decoder, nullptr); code < 0) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("the {} decoder does not open: {}", info_.codec, FfmpegText(code)),
                   info_.path,
                   {},
                   {}};
    }
    if (stream->nb_frames > 0) info_.frame_count = stream->nb_frames;
    // Elementary streams have no clock; what libavformat reports for them is its default of 25.
    const bool has_clock = (container_->iformat->flags & AVFMT_NOTIMESTAMPS) == 0;
    const AVRational rate = has_clock ? av_guess_frame_rate(container_.get(), stream, nullptr) : codec_->framerate;
    if (rate.num > 0 && rate.den > 0) info_.frame_rate = av_q2d(rate);
    return {};
  }

  Result<bool> ReadFrame(Frame& frame) {
    if (!picture_waits_) {
      Result<bool> decoded = Decode();
      if (!decoded) return decoded;
      if (!*decoded) {
        ended_ = true;
        AddWarnings();
        return false;
      }
    }
    picture_waits_ = false;
    if (picture_->width != info_.format.width || picture_->height != info_.format.height ||
        picture_->format != pixel_format_) {
      const char* name = av_get_pix_fmt_name(static_cast<AVPixelFormat>(picture_->format));
      return FrameError(ErrorCode::kUnsupported,
                        fmt::format("the picture changes from {}x{} {} to {}x{} {}; one format per input is supported",
                                    info_.format.width, info_.format.height, av_get_pix_fmt_name(pixel_format_),
                                    picture_->width, picture_->height, name != nullptr ? name : "unknown"));
    }
    if (StaysOnDevice()) {
      Result<Frame> luma = cuda_->LumaOnDevice(*picture_, info_.format);
      if (!luma) return std::move(luma).error().WithFile(info_.path).WithFrame(frames_read_);
      frame = *std::move(luma);
      ++frames_read_;
      return true;
    }
    Result<const AVFrame*> on_host = OnHost();
    if (!on_host) return std::move(on_host).error().WithFrame(frames_read_);
    if (Status status = converter_->Convert(**on_host, frame); !status)
      return std::move(status).error().WithFile(info_.path).WithFrame(frames_read_);
    if (const auto bad = FindSampleOutOfRange(frame))
      return SampleRangeError(*bad, info_.format.bit_depth).WithFile(info_.path).WithFrame(frames_read_);
    ++frames_read_;
    return true;
  }

  // The decoded picture where the processor can read it.
  Result<const AVFrame*> OnHost() {
    if (!CudaDecoding::IsOnDevice(*picture_)) return static_cast<const AVFrame*>(picture_.get());
    // FFmpeg leaves the upper left of such pictures uncropped.
    if (IsCroppedAtTheStart()) {
      return Error{ErrorCode::kUnsupported,
                   "its pictures are cropped at the left or top, which only decoding on the processor does",
                   info_.path,
                   {},
                   {}};
    }
    Result<const AVFrame*> on_host = cuda_->OnHost(*picture_);
    if (!on_host) return std::move(on_host).error().WithFile(info_.path);
    return on_host;
  }

  bool StaysOnDevice() const {
    return leave_out_chroma_ && CudaDecoding::IsOnDevice(*picture_) && !IsCroppedAtTheStart();
  }
  bool IsCroppedAtTheStart() const { return picture_->crop_left != 0 || picture_->crop_top != 0; }

  // The next picture into picture_; false at the end.
  Result<bool> Decode() {
    logged_error_.clear();
    Result<bool> decoded = DecodeOne();
    if (decoded && !logged_error_.empty()) {
      if (Status status = NoteDamage("FFmpeg says: " + logged_error_); !status) return std::move(status).error();
    }
    return decoded;
  }

  Result<bool> DecodeOne() {
    const LogListener listener(&logged_error_);
    while (true) {
      if (input_.cancelled()) return FrameError(ErrorCode::kCancelled, "reading was cancelled");
      const int code = avcodec_receive_frame(codec_.get(), picture_.get());
      if (code == AVERROR_EOF) return false;
      if (code >= 0) {
        if ((picture_->flags & AV_FRAME_FLAG_CORRUPT) == 0 && picture_->decode_error_flags == 0) return true;
        if (Status status = NoteDamage("the picture is damaged"); !status) return std::move(status).error();
        ++damaged_pictures_;
        return true;
      }
      if (code != AVERROR(EAGAIN)) {
        if (Status status = NoteUndecodable(code); !status) return std::move(status).error();
        // A decoder that fails while it drains has been given everything and may fail the same way for ever.
        if (draining_) return false;
        continue;
      }
      if (draining_) return false;
      if (Status status = Feed(); !status) return std::move(status).error();
    }
  }

  // Gives the decoder one packet, or the end.
  Status Feed() {
    int code = 0;
    do {
      av_packet_unref(packet_.get());
      code = av_read_frame(container_.get(), packet_.get());
    } while (code >= 0 && packet_->stream_index != stream_index_);
    if (input_.error()) return Error(*input_.error()).WithFrame(frames_read_);
    if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
    if (code < 0) {
      if (code != AVERROR_EOF) {
        Status status = NoteDamage("the container ends early or is damaged: " + FfmpegText(code));
        if (!status) return status;
      }
      draining_ = true;
      code = avcodec_send_packet(codec_.get(), nullptr);
    } else {
      if ((packet_->flags & AV_PKT_FLAG_CORRUPT) != 0) {
        if (Status status = NoteDamage("a packet of the container is cut or damaged"); !status) return status;
      }
      code = avcodec_send_packet(codec_.get(), packet_.get());
    }
    if (code < 0 && code != AVERROR_EOF) return NoteUndecodable(code);
    return {};
  }

  Status NoteUndecodable(int code) {
    if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
    if (Status status = NoteDamage("cannot be decoded: " + FfmpegText(code)); !status) return status;
    ++undecodable_packets_;
    return {};
  }

  // An error when strict; the first damage is kept for the warning.
  Status NoteDamage(std::string what) {
    if (strict_) return FrameError(ErrorCode::kFormat, std::move(what));
    if (!first_damage_) first_damage_ = fmt::format("frame {}: {}", frames_read_, what);
    return {};
  }

  void AddWarnings() {
    if (!first_damage_) return;
    warnings_.push_back(fmt::format(
        "{}: is damaged or truncated ({}); {} pictures were decoded, {} of them concealed, {} packets given up",
        info_.path, *first_damage_, frames_read_, damaged_pictures_, undecodable_packets_));
  }

  // The container is closed before the input that it reads from.
  FfmpegInput input_;
  bool strict_ = false;
  std::optional<int> cuda_decoder_;
  VideoInfo info_;
  std::unique_ptr<AVFormatContext, FormatDeleter> container_;
  std::unique_ptr<AVCodecContext, CodecDeleter> codec_;
  std::unique_ptr<AVPacket, PacketDeleter> packet_;
  FramePointer picture_;
  std::unique_ptr<CudaDecoding> cuda_;
  std::unique_ptr<FfmpegPictureConverter> converter_;
  AVPixelFormat pixel_format_ = AV_PIX_FMT_NONE;
  int stream_index_ = -1;
  bool picture_waits_ = false;
  bool draining_ = false;
  bool leave_out_chroma_ = false;
  bool ended_ = false;
  std::optional<Error> failure_;
  std::int64_t frames_read_ = 0;
  std::string logged_error_;  // the first one since the last picture
  std::optional<std::string> first_damage_;
  std::int64_t damaged_pictures_ = 0;
  std::int64_t undecodable_packets_ = 0;
};

}  // namespace

Result<std::unique_ptr<VideoReader>> OpenFfmpeg(std::unique_ptr<ByteSource> source, const OpenOptions& options) {
  av_log_set_callback(&KeepFirstError);
  auto reader = std::make_unique<FfmpegReader>(std::move(source), options);
  if (Status status = reader->Open(); !status) return std::move(status).error();
  return std::unique_ptr<VideoReader>(std::move(reader));
}

}  // namespace lockstep
