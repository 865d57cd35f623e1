// SPDX-License-Identifier: BSD-2-Clause-Patent
// For gpu_parity: an application that makes its pictures on a CUDA stream of its own and hands them over before they
// are finished, as arrays with `__cuda_array_interface__`.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/device_feed.h"

namespace lockstep {

/// The calls that such an application needs of NVIDIA's driver.
class CudaCalls {
 public:
  CudaCalls() {
    library_ = ::dlopen("libcuda.so.1", RTLD_NOW);
    Load("cuInit", init_);
    Load("cuDevicePrimaryCtxRetain", retain_);
    Load("cuCtxSetCurrent", set_current_);
    Load("cuStreamCreate", create_stream_);
    Load("cuStreamSynchronize", synchronize_);
    Load("cuMemsetD8Async", fill_);
    Load("cuMemcpyDtoDAsync_v2", copy_);
    Check(init_(0));
    void* context = nullptr;
    Check(retain_(&context, 0));
    context_ = context;
    MakeCurrent();
    // Not the kind that waits for the default stream.
    constexpr unsigned kNonBlocking = 1;
    Check(create_stream_(&stream_, kNonBlocking));
  }
  void MakeCurrent() const { Check(set_current_(context_)); }
  void Fill(std::byte* to, std::size_t bytes) const { Check(fill_(Address(to), 0, bytes, stream_)); }
  void Copy(std::byte* to, const std::byte* from, std::size_t bytes) const {
    Check(copy_(Address(to), Address(from), bytes, stream_));
  }
  void Wait() const { Check(synchronize_(stream_)); }
  [[nodiscard]] std::uintptr_t stream() const { return reinterpret_cast<std::uintptr_t>(stream_); }

 private:
  template <class Function>
  void Load(const char* name, Function& function) {
    function = library_ == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(library_, name));
    if (function == nullptr) Check(-1);
  }
  static unsigned long long Address(const std::byte* data) { return reinterpret_cast<std::uintptr_t>(data); }
  static void Check(int code) {
    if (code != 0) Must(Error{ErrorCode::kInternal, std::to_string(code), {}, {}, "a call of CUDA's driver"});
  }

  void* library_ = nullptr;
  void* context_ = nullptr;
  void* stream_ = nullptr;
  int (*init_)(unsigned) = nullptr;
  int (*retain_)(void**, int) = nullptr;
  int (*set_current_)(void*) = nullptr;
  int (*create_stream_)(void**, unsigned) = nullptr;
  int (*synchronize_)(void*) = nullptr;
  int (*fill_)(unsigned long long, unsigned char, std::size_t, void*) = nullptr;
  int (*copy_)(unsigned long long, unsigned long long, std::size_t, void*) = nullptr;
};

/// The pictures of a feed in device memory, copied on the stream to places that are used again and again, after enough
/// other work that a reader who does not wait sees what was there before.
class CudaProducer : public PictureSource {
 public:
  CudaProducer(const DeviceFeed& feed, const VideoFormat& format, std::int64_t frames, Device& device)
      : feed_(feed),
        format_(format),
        frames_(frames),
        device_(device),
        delay_(device, Must(device.AllocateOnDevice(kDelayBytes))) {}
  ~CudaProducer() override { cuda_.Wait(); }
  CudaProducer(const CudaProducer&) = delete;
  CudaProducer& operator=(const CudaProducer&) = delete;

  Result<bool> Next(Picture& reference, Picture& distorted) override {
    if (next_ == frames_) return false;
    cuda_.MakeCurrent();
    for (int i = 0; i < kDelays; ++i) cuda_.Fill(delay_.data(), kDelayBytes);
    reference = Produce(feed_.reference(next_));
    distorted = Produce(feed_.distorted(next_));
    ++next_;
    return true;
  }

 private:
  static constexpr std::size_t kDelayBytes = std::size_t{1} << 27;
  static constexpr int kDelays = 8;

  struct Place {
    std::vector<DeviceMemory> planes;
    std::atomic<bool> is_used{false};
  };

  Place& FreePlace(const Picture& like) {
    for (const std::unique_ptr<Place>& place : places_) {
      if (!place->is_used.exchange(true)) return *place;
    }
    Place& place = *places_.emplace_back(std::make_unique<Place>());
    place.is_used = true;
    for (int p = 0; p < format_.plane_count(); ++p) {
      place.planes.emplace_back(device_, Must(device_.AllocateOnDevice(BytesOf(like, p))));
    }
    return place;
  }

  [[nodiscard]] std::size_t BytesOf(const Picture& picture, int p) const {
    return static_cast<std::size_t>(picture.planes[static_cast<std::size_t>(p)].pitch_bytes) *
           static_cast<std::size_t>(format_.plane_size(p).height);
  }

  Picture Produce(const Picture& from) {
    Place& place = FreePlace(from);
    const std::shared_ptr<const void> owner(&place, [](Place* used) { used->is_used = false; });
    std::vector<PictureArray> planes;
    for (int p = 0; p < format_.plane_count(); ++p) {
      const PicturePlane& plane = from.planes[static_cast<std::size_t>(p)];
      std::byte* const to = place.planes[static_cast<std::size_t>(p)].data();
      cuda_.Copy(to, static_cast<const std::byte*>(plane.data), BytesOf(from, p));
      CudaArrayInterface array;
      array.shape = {format_.plane_size(p).height, format_.plane_size(p).width};
      array.strides = {plane.pitch_bytes, format_.bytes_per_sample()};
      array.typestr = format_.bytes_per_sample() == 1 ? "|u1" : "<u2";
      array.data = reinterpret_cast<std::uintptr_t>(to);
      array.stream = static_cast<std::int64_t>(cuda_.stream());
      planes.push_back(Must(DescribeCudaArray(array, owner)));
    }
    return Must(MakePicture(format_, planes));
  }

  const DeviceFeed& feed_;
  VideoFormat format_;
  std::int64_t frames_;
  Device& device_;
  CudaCalls cuda_;
  DeviceMemory delay_;
  std::vector<std::unique_ptr<Place>> places_;
  std::int64_t next_ = 0;
};

}  // namespace lockstep
