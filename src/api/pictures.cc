// SPDX-License-Identifier: BSD-2-Clause-Patent
// Arrays of other libraries as planes of pictures.
#include "lockstep/pictures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

// The layout that the public header of DLPack has on 64-bit machines.
static_assert(sizeof(dlpack::Tensor) == 48 && offsetof(dlpack::Tensor, byte_offset) == 40);
static_assert(offsetof(dlpack::Tensor, device) == 8 && offsetof(dlpack::Tensor, dimensions) == 16);
static_assert(offsetof(dlpack::Tensor, type) == 20 && offsetof(dlpack::Tensor, shape) == 24);
static_assert(sizeof(dlpack::ManagedTensor) == 64 && offsetof(dlpack::ManagedTensor, deleter) == 56);
static_assert(sizeof(dlpack::ManagedTensorVersioned) == 80 && offsetof(dlpack::ManagedTensorVersioned, tensor) == 32);

Error Refuse(std::string field, std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message), {}, {}, std::move(field)};
}

// Rows and columns of an array; the strides are in bytes, absent where the array is compact.
Status SetShape(std::span<const std::int64_t> shape, std::optional<std::span<const std::int64_t>> strides,
                PictureArray& array) {
  if (shape.size() != 2) {
    return Refuse("shape", fmt::format("({}) is not (rows, columns)", fmt::join(shape, ", ")));
  }
  for (const std::int64_t count : shape) {
    if (count < 1 || count > VideoFormat::kMaxDimension) {
      return Refuse("shape", fmt::format("({}) is not from 1 to {} rows and columns", fmt::join(shape, ", "),
                                         VideoFormat::kMaxDimension));
    }
  }
  array.height = static_cast<int>(shape[0]);
  array.width = static_cast<int>(shape[1]);
  const std::int64_t row_bytes = shape[1] * array.bytes_per_sample;
  array.plane.pitch_bytes = row_bytes;
  if (!strides) return {};
  if (strides->size() != 2) return Refuse("strides", fmt::format("are {} for two dimensions", strides->size()));
  const std::int64_t between_rows = (*strides)[0];
  const std::int64_t between_samples = (*strides)[1];
  // Of a dimension with one element libraries write what they like.
  if (array.width > 1 && between_samples != array.bytes_per_sample) {
    return Refuse("strides", fmt::format("samples of a row are {} bytes apart instead of {}", between_samples,
                                         array.bytes_per_sample));
  }
  if (array.height == 1) return {};
  if (between_rows < row_bytes) {
    return Refuse("strides", fmt::format("rows are {} bytes apart and {} bytes long", between_rows, row_bytes));
  }
  array.plane.pitch_bytes = between_rows;
  return {};
}

Status CheckAddress(const PictureArray& array) {
  if (array.plane.data == nullptr) return Refuse("data", "is a null pointer");
  const auto size = static_cast<std::uintptr_t>(array.bytes_per_sample);
  if (reinterpret_cast<std::uintptr_t>(array.plane.data) % size != 0) {
    return Refuse("data", "16-bit samples start at an odd address");
  }
  if (array.plane.pitch_bytes % array.bytes_per_sample != 0) {
    return Refuse("strides", fmt::format("rows of 16-bit samples are {} bytes apart", array.plane.pitch_bytes));
  }
  return {};
}

Result<PictureMemory> MemoryOf(const dlpack::Device& device) {
  switch (device.type) {
    case dlpack::kCpu:
      return PictureMemory::kHost;
    case dlpack::kCudaHost:
    case dlpack::kRocmHost:
      return PictureMemory::kPinned;
    case dlpack::kCuda:
    case dlpack::kCudaManaged:
    case dlpack::kRocm:
      return PictureMemory::kDevice;
    default:
      return Refuse("device", fmt::format("kind {} of DLPack is not CPU, CUDA or ROCm", device.type));
  }
}

Result<PictureArray> DescribeTensor(const dlpack::Tensor& tensor, std::uintptr_t native_stream) {
  const dlpack::DataType& type = tensor.type;
  if (type.code != dlpack::kUnsigned || type.lanes != 1 || (type.bits != 8 && type.bits != 16)) {
    return Refuse("dtype",
                  fmt::format("code {}, {} bits, {} lanes is not uint8 or uint16", type.code, type.bits, type.lanes));
  }
  PictureArray array;
  array.bytes_per_sample = type.bits / 8;
  const Result<PictureMemory> memory = MemoryOf(tensor.device);
  if (!memory) return memory.error();
  array.memory = *memory;
  if (tensor.dimensions != 2 || tensor.shape == nullptr) {
    return Refuse("shape", fmt::format("has {} dimensions instead of (rows, columns)", tensor.dimensions));
  }
  const std::span<const std::int64_t> shape(tensor.shape, 2);
  if (tensor.strides == nullptr) {
    if (Status status = SetShape(shape, std::nullopt, array); !status) return std::move(status).error();
  } else {
    std::array<std::int64_t, 2> strides{};
    for (std::size_t i = 0; i < strides.size(); ++i) {
      if (__builtin_mul_overflow(tensor.strides[i], std::int64_t{array.bytes_per_sample}, &strides[i])) {
        return Refuse("strides", fmt::format("{} is too large", tensor.strides[i]));
      }
    }
    if (Status status = SetShape(shape, strides, array); !status) return std::move(status).error();
  }
  if (tensor.data != nullptr) array.plane.data = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
  if (Status status = CheckAddress(array); !status) return std::move(status).error();
  array.native_stream = native_stream;
  return array;
}

template <class Managed>
Result<PictureArray> Take(Managed* managed, std::uintptr_t native_stream) {
  Result<PictureArray> array = DescribeTensor(managed->tensor, native_stream);
  if (!array) return array;
  array->owner = std::shared_ptr<const void>(managed, [](Managed* self) {
    if (self->deleter != nullptr) self->deleter(self);
  });
  return array;
}

}  // namespace

Result<PictureArray> DescribeCudaArray(const CudaArrayInterface& array, std::shared_ptr<const void> owner) {
  if (array.version < 2) return Refuse("version", fmt::format("{} of the interface is older than 2", array.version));
  PictureArray out;
  if (array.typestr == "|u1" || array.typestr == "<u1") {
    out.bytes_per_sample = 1;
  } else if (array.typestr == "<u2") {
    out.bytes_per_sample = 2;
  } else {
    return Refuse("typestr", fmt::format("\"{}\" is not \"|u1\" or \"<u2\"", array.typestr));
  }
  if (array.has_mask) return Refuse("mask", "masked arrays are not pictures");
  if (array.stream && *array.stream == 0) return Refuse("stream", "0 does not say which default stream is meant");
  if (array.stream && *array.stream < 0) return Refuse("stream", fmt::format("{} is no stream", *array.stream));
  std::optional<std::span<const std::int64_t>> strides;
  if (array.strides) strides = *array.strides;
  if (Status status = SetShape(array.shape, strides, out); !status) return std::move(status).error();
  out.plane.data =
      reinterpret_cast<const void*>(array.data);  // NOLINT(performance-no-int-to-ptr): the interface's form
  if (Status status = CheckAddress(out); !status) return std::move(status).error();
  out.memory = PictureMemory::kDevice;
  // The interface's 1 and 2 are the driver's handles of the default streams.
  out.native_stream = static_cast<std::uintptr_t>(array.stream.value_or(0));
  out.owner = std::move(owner);
  return out;
}

Result<PictureArray> TakeTensor(dlpack::ManagedTensor* tensor, std::uintptr_t native_stream) {
  if (tensor == nullptr) return Refuse("tensor", "is a null pointer");
  return Take(tensor, native_stream);
}

Result<PictureArray> TakeTensor(dlpack::ManagedTensorVersioned* tensor, std::uintptr_t native_stream) {
  if (tensor == nullptr) return Refuse("tensor", "is a null pointer");
  // What follows the version may have moved in another major version.
  if (tensor->version.major != 1) {
    return Refuse("version", fmt::format("{}.{} of DLPack is not 1.x", tensor->version.major, tensor->version.minor));
  }
  return Take(tensor, native_stream);
}

Result<Picture> MakePicture(const VideoFormat& format, std::span<const PictureArray> planes) {
  const auto all = static_cast<std::size_t>(format.plane_count());
  if (planes.size() != 1 && planes.size() != all) {
    return Refuse("planes", fmt::format("are {}; expected luma alone or {}", planes.size(), all));
  }
  Picture picture;
  picture.memory = planes[0].memory;
  picture.native_stream = planes[0].native_stream;
  std::vector<std::shared_ptr<const void>> owners;
  for (std::size_t p = 0; p < planes.size(); ++p) {
    const PictureArray& plane = planes[p];
    const PlaneSize size = format.plane_size(static_cast<int>(p));
    const std::string field = fmt::format("plane {}", p);
    if (plane.width != size.width || plane.height != size.height) {
      return Refuse(field,
                    fmt::format("is {}x{}; the format has {}x{}", plane.width, plane.height, size.width, size.height));
    }
    if (plane.bytes_per_sample != format.bytes_per_sample()) {
      return Refuse(field, fmt::format("has {} bytes a sample; {} bits take {}", plane.bytes_per_sample,
                                       format.bit_depth, format.bytes_per_sample()));
    }
    if (plane.memory != picture.memory) return Refuse(field, "is in another kind of memory than luma");
    if (plane.native_stream != picture.native_stream) return Refuse(field, "is produced on another stream than luma");
    picture.planes[p] = plane.plane;
    if (plane.owner) owners.push_back(plane.owner);
  }
  if (owners.size() == 1) {
    picture.owner = std::move(owners[0]);
  } else if (!owners.empty()) {
    picture.owner = std::make_shared<std::vector<std::shared_ptr<const void>>>(std::move(owners));
  }
  return picture;
}

}  // namespace lockstep
