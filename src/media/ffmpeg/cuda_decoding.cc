// SPDX-License-Identifier: BSD-2-Clause-Patent
// Decoding by the video engine of a CUDA device, through FFmpeg.
#include "media/ffmpeg/cuda_decoding.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>
}

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <new>
#include <string>
#include <utility>

namespace lockstep {
namespace {

// The context in which the addresses of the cuda backend are valid. FFmpeg would refuse it: it wants other flags for a
// primary context that it takes itself.
Result<void*> PrimaryContext(int number) {
  const auto unusable = [](const std::string& reason) {
    return Error{ErrorCode::kUnsupported, "cannot decode on the CUDA device: " + reason, {}, {}, {}};
  };
  // Stays loaded, as the context stays.
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return unusable("NVIDIA's driver is not installed");
  const auto init = reinterpret_cast<int (*)(unsigned)>(::dlsym(driver, "cuInit"));
  const auto get = reinterpret_cast<int (*)(int*, int)>(::dlsym(driver, "cuDeviceGet"));
  const auto retain = reinterpret_cast<int (*)(void**, int)>(::dlsym(driver, "cuDevicePrimaryCtxRetain"));
  if (init == nullptr || get == nullptr || retain == nullptr) return unusable("NVIDIA's driver is too old");
  int device = 0;
  void* context = nullptr;
  int code = init(0);
  if (code == 0) code = get(&device, number);
  if (code == 0) code = retain(&context, device);
  if (code != 0) return unusable(fmt::format("its driver gives no context (CUDA error {})", code));
  return context;
}

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
  const Result<void*> context = PrimaryContext(device);
  if (!context) return context.error();
  decoding->device_.reset(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA));
  if (decoding->device_ == nullptr) {
    return Error{ErrorCode::kUnsupported, "FFmpeg's libraries here cannot decode on a CUDA device", {}, {}, {}};
  }
  // The first field of FFmpeg's AVCUDADeviceContext, whose header needs CUDA's.
  *static_cast<void**>(reinterpret_cast<AVHWDeviceContext*>(decoding->device_->data)->hwctx) = *context;
  if (const int code = av_hwdevice_ctx_init(decoding->device_.get()); code < 0) {
    return Failure(ErrorCode::kUnsupported, "FFmpeg's libraries cannot decode on the CUDA device", code);
  }
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
