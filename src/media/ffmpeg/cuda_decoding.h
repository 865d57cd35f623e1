// SPDX-License-Identifier: BSD-2-Clause-Patent
// Decoding by the video engine of a CUDA device, through FFmpeg.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/buffer.h>
#include <libavutil/frame.h>
}

#include <memory>
#include <string>

#include "base/frame.h"
#include "lockstep/result.h"

namespace lockstep {

struct FrameDeleter {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};
using FramePointer = std::unique_ptr<AVFrame, FrameDeleter>;

struct BufferDeleter {
  void operator()(AVBufferRef* buffer) const { av_buffer_unref(&buffer); }
};
using BufferPointer = std::unique_ptr<AVBufferRef, BufferDeleter>;

/// One stream. Whether the device can decode it is known when the decoder has seen it: pictures that IsOnDevice() are
/// its own, others came from the processor.
class CudaDecoding {
 public:
  /// The primary context of the device, in which the addresses of its pictures are valid.
  /// errors  kUnsupported: FFmpeg cannot use the device, with its words
  [[nodiscard]] static Result<std::unique_ptr<CudaDecoding>> Create(int device);

  /// Before avcodec_open2().
  void Attach(AVCodecContext& codec) const;

  [[nodiscard]] static bool IsOnDevice(const AVFrame& picture);

  /// The picture in host memory, owned by this object until the next call; FFmpeg's code on failure.
  [[nodiscard]] Result<const AVFrame*> OnHost(const AVFrame& picture);

  /// A copy of the picture's luma in device memory, so that the decoder gets its own back at once.
  [[nodiscard]] Result<Frame> LumaOnDevice(const AVFrame& picture, const VideoFormat& format);

 private:
  CudaDecoding() = default;

  BufferPointer device_;
  BufferPointer copies_;  // a pool, made for the first picture
  FramePointer on_host_;
};

}  // namespace lockstep
