// SPDX-License-Identifier: BSD-2-Clause-Patent
// Scoring pictures that an application holds: in its own memory, in pinned memory, or on a graphics processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lockstep/report.h"
#include "lockstep/result.h"
#include "lockstep/score.h"
#include "lockstep/video_format.h"

namespace lockstep {

enum class PictureMemory {
  kHost,    // anywhere in the process's memory
  kPinned,  // host memory that the backend's driver has locked (cuMemHostAlloc, cuMemHostRegister, …): copied from
            // where it is
  kDevice,  // memory of the run's device; needs the backend cuda or hip, and one device, which may be listed often
};

/// `pitch_bytes` is the distance of two rows, at least a row's length. With 16-bit samples both are even.
struct PicturePlane {
  const void* data = nullptr;
  std::ptrdiff_t pitch_bytes = 0;
};

/// A picture of the format that ScorePictures() was called with. Its content must not change while `owner` is held.
/// Samples beyond the format's bit depth are refused by the cpu backend; other backends do not look for them, and the
/// scores are then undefined.
struct Picture {
  /// Luma, then chroma rounded up as VideoFormat says. Chroma may be absent (nullptr) where no metric of the run looks
  /// at it, as in every model of the v0.6.1 family.
  std::array<PicturePlane, 3> planes;
  PictureMemory memory = PictureMemory::kHost;
  /// All pitch_bytes of every row, also of the last one, may be read. The cpu backend then uses a plane where it lies
  /// if rows start at multiples of 64 bytes and pitch_bytes is at least 64 more than a row; it copies all others.
  bool has_readable_padding = false;
  /// Kept until the picture is no longer needed, then released on any thread. May be empty where the pictures outlive
  /// the call.
  std::shared_ptr<const void> owner;
  /// The stream on which the content is being produced, as the driver's handle (CUstream, cudaStream_t, hipStream_t):
  /// work that it has been given so far comes first. 0: the content is complete. kDevice only: what is on the host is
  /// read by the host as well.
  std::uintptr_t native_stream = 0;
};

/// Where ScorePictures() gets its pictures.
class PictureSource {
 public:
  virtual ~PictureSource() = default;
  /// The next pair, from the first one of the sequence on; false at the end. May block. Called by one thread at a time,
  /// though not always the same one, nor the one that called ScorePictures(): a driver's current device there is not
  /// the application's. Exceptions must not leave it.
  [[nodiscard]] virtual Result<bool> Next(Picture& reference, Picture& distorted) = 0;
  /// The run ends early: a blocked Next() should return ErrorCode::kCancelled. Called from any thread.
  virtual void Cancel() {}
  /// How many pairs there will be, when known: for progress, and for how several devices share them.
  [[nodiscard]] virtual std::optional<std::int64_t> pair_count() const { return std::nullopt; }
  /// Frames a second, for metrics that depend on it; 0 when unknown.
  [[nodiscard]] virtual double frame_rate() const { return 0.0; }
};

/// Score() for pictures that `source` delivers in `format`. `request.reference` and `request.distorted` must be empty;
/// the report calls them kReferencePictures and kDistortedPictures.
/// Pairs held at once: threads + 4 with the cpu backend; with a device three batches and two pairs more. With several
/// devices besides four batches each: as many segments as there are devices and one more, of at most 256 pairs and, as
/// far as a batch allows, 1 GiB of luma, or of whole pictures where a metric looks at chroma. Where the processor
/// computes metrics beside a device, those of both and one batch more.
/// errors  as Score(); kInvalidArgument: a picture's planes, pitches or memory do not fit, naming the frame
[[nodiscard]] Result<Report> ScorePictures(const ScoreRequest& request, const VideoFormat& format,
                                           PictureSource& source);

inline constexpr const char* kReferencePictures = "reference pictures";
inline constexpr const char* kDistortedPictures = "distorted pictures";

/// A two-dimensional array of 8- or 16-bit unsigned samples, as array libraries hand it out: one plane of a picture.
struct PictureArray {
  PicturePlane plane;
  int width = 0;
  int height = 0;
  int bytes_per_sample = 0;
  PictureMemory memory = PictureMemory::kHost;
  std::uintptr_t native_stream = 0;
  std::shared_ptr<const void> owner;
};

/// The fields of `__cuda_array_interface__`, version 2 or 3.
struct CudaArrayInterface {
  int version = 3;
  std::vector<std::int64_t> shape;
  std::optional<std::vector<std::int64_t>> strides;  // in bytes; absent (None): rows follow each other without a gap
  std::string typestr;                               // "|u1" or "<u2"
  std::uintptr_t data = 0;                           // the first element of the entry `data`
  std::optional<std::int64_t> stream;                // absent (None): nothing to wait for; 1 and 2: default streams
  bool has_mask = false;
};

/// errors  kInvalidArgument: not two dimensions, not u8 or u16, rows that are not contiguous, a mask, stream 0, which
///         the interface forbids; the message says what was found
[[nodiscard]] Result<PictureArray> DescribeCudaArray(const CudaArrayInterface& array,
                                                     std::shared_ptr<const void> owner = nullptr);

/// DLPack's public structures, of which Lockstep needs no header: pointers to DLManagedTensor and
/// DLManagedTensorVersioned may be cast to these.
namespace dlpack {

struct Device {
  std::int32_t type;  // kCpu …
  std::int32_t id;
};
inline constexpr std::int32_t kCpu = 1;
inline constexpr std::int32_t kCuda = 2;
inline constexpr std::int32_t kCudaHost = 3;
inline constexpr std::int32_t kRocm = 10;
inline constexpr std::int32_t kRocmHost = 11;
inline constexpr std::int32_t kCudaManaged = 13;

struct DataType {
  std::uint8_t code;  // kUnsigned
  std::uint8_t bits;
  std::uint16_t lanes;
};
inline constexpr std::uint8_t kUnsigned = 1;

struct Tensor {
  void* data;
  Device device;
  std::int32_t dimensions;
  DataType type;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; nullptr: rows follow each other without a gap
  std::uint64_t byte_offset;
};

struct ManagedTensor {
  Tensor tensor;
  void* manager;
  void (*deleter)(ManagedTensor* self);
};

struct Version {
  std::uint32_t major;
  std::uint32_t minor;
};

struct ManagedTensorVersioned {
  Version version;
  void* manager;
  void (*deleter)(ManagedTensorVersioned* self);
  std::uint64_t flags;
  Tensor tensor;
};

}  // namespace dlpack

/// Takes the tensor over: its deleter is called, on any thread, when the last copy of the result's owner goes away.
/// With an error the tensor stays the caller's.
/// in      native_stream: where the producer's work is still running, see Picture; 0 when it has been waited for
/// errors  kInvalidArgument: a null pointer, not two dimensions, not u8 or u16, rows that are not contiguous, another
///         kind of device, another major version than 1
[[nodiscard]] Result<PictureArray> TakeTensor(dlpack::ManagedTensor* tensor, std::uintptr_t native_stream = 0);
[[nodiscard]] Result<PictureArray> TakeTensor(dlpack::ManagedTensorVersioned* tensor, std::uintptr_t native_stream = 0);

/// A picture made of luma alone, or of luma and both chroma planes.
/// errors  kInvalidArgument: number, sizes or sample size are not those of the format; planes in different kinds of
///         memory or produced on different streams
[[nodiscard]] Result<Picture> MakePicture(const VideoFormat& format, std::span<const PictureArray> planes);

}  // namespace lockstep
