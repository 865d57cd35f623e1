// SPDX-License-Identifier: BSD-2-Clause-Patent
// Decoding by the video engine of a CUDA device, through FFmpeg.
#include "media/ffmpeg/cuda_decoding.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <array>
#include <new>
#include <utility>

namespace lockstep {
namespace {

// FFmpeg's AV_CUDA_USE_PRIMARY_CONTEXT, whose header needs CUDA's.
constexpr int kUsePrimaryContext = 1;

// FFmpeg copies on the stream of its device context, by default CUDA's legacy stream, whose handle this is.
constexpr std::uintptr_t kLegacyStream = 1;

Error Failure(ErrorCode code, const char* action, int ffmpeg_code) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(ffmpeg_code, text.data(), text.size());
  return {code, fmt::format("{}: {}", action, text.data()), {}, {}, {}};
}

AVPixelFormat PreferDevice(AVCodecContext* /*codec*/, const AVPixelFormat* offered) {
  for (const AVPixelFormat* one = offered; *one != AV_PIX_FMT_NONE; ++one) {
    if (*one == AV_PIX_FMT_CUDA) return *one;
  }
  // FFmpeg puts what the processor decodes to last.
  while (offered[0] != AV_PIX_FMT_NONE && offered[1] != AV_PIX_FMT_NONE) ++offered;
  return *offered;
}

FramePointer MakeFrame() {
  FramePointer frame(av_frame_alloc());
  if (frame == nullptr) throw std::bad_alloc();
  return frame;
}

}  // namespace

Result<std::unique_ptr<CudaDecoding>> CudaDecoding::Create(int device) {
  auto decoding = std::unique_ptr<CudaDecoding>(new CudaDecoding);
  AVBufferRef* context = nullptr;
  const std::string number = std::to_string(device);
  const int code = av_hwdevice_ctx_create(&context, AV_HWDEVICE_TYPE_CUDA, number.c_str(), nullptr, kUsePrimaryContext);
  if (code < 0) {
    return Failure(ErrorCode::kUnsupported, "FFmpeg's libraries cannot decode on the CUDA device", code);
  }
  decoding->device_.reset(context);
  decoding->on_host_ = MakeFrame();
  return decoding;
}

void CudaDecoding::Attach(AVCodecContext& codec) const {
  codec.hw_device_ctx = av_buffer_ref(device_.get());
  if (codec.hw_device_ctx == nullptr) throw std::bad_alloc();
  codec.get_format = &PreferDevice;
}

bool CudaDecoding::IsOnDevice(const AVFrame& picture) { return picture.format == AV_PIX_FMT_CUDA; }

Result<const AVFrame*> CudaDecoding::OnHost(const AVFrame& picture) {
  av_frame_unref(on_host_.get());
  int code = av_hwframe_transfer_data(on_host_.get(), &picture, 0);
  if (code >= 0) code = av_frame_copy_props(on_host_.get(), &picture);
  if (code < 0) return Failure(ErrorCode::kInternal, "the picture cannot be fetched from the device", code);
  // Surfaces are larger than pictures.
  on_host_->width = picture.width;
  on_host_->height = picture.height;
  return on_host_.get();
}

Result<Frame> CudaDecoding::LumaOnDevice(const AVFrame& picture, const VideoFormat& format) {
  const auto& surfaces = *reinterpret_cast<const AVHWFramesContext*>(picture.hw_frames_ctx->data);
  if (copies_ == nullptr) {
    copies_.reset(av_hwframe_ctx_alloc(device_.get()));
    if (copies_ == nullptr) throw std::bad_alloc();
    auto& pool = *reinterpret_cast<AVHWFramesContext*>(copies_->data);
    pool.format = AV_PIX_FMT_CUDA;
    pool.sw_format = surfaces.sw_format;
    pool.width = surfaces.width;
    pool.height = surfaces.height;
    if (const int code = av_hwframe_ctx_init(copies_.get()); code < 0) {
      return Failure(ErrorCode::kUnsupported, "no memory for pictures on the device", code);
    }
  }
  auto copy = std::shared_ptr<AVFrame>(MakeFrame().release(), FrameDeleter());
  int code = av_hwframe_get_buffer(copies_.get(), copy.get(), 0);
  if (code >= 0) code = av_hwframe_transfer_data(copy.get(), &picture, 0);
  if (code < 0) return Failure(ErrorCode::kOutOfMemory, "a picture cannot be copied on the device", code);
  const std::array<PlaneView, 3> planes = {
      {{reinterpret_cast<const std::byte*>(copy->data[0]), copy->linesize[0], format.width, format.height}, {}, {}}};
  const int shift = av_pix_fmt_desc_get(surfaces.sw_format)->comp[0].shift;
  return Frame::Wrap(format, planes, FrameMemory::kDevice, copy, kLegacyStream, shift);
}

}  // namespace lockstep
