// SPDX-License-Identifier: BSD-2-Clause-Patent
// A Metal device that is open. Written, never run.
#include "backend/metal/metal_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "backend/metal/metal_source.h"
#include "backend/metal/metal_stream.h"

namespace lockstep {
namespace {

NS::String* Text(const std::string& text) { return NS::String::string(text.c_str(), NS::UTF8StringEncoding); }

std::string WordsOf(const NS::Error* error) {
  if (error == nullptr) return "no reason is given";
  std::string words = error->localizedDescription()->utf8String();
  std::replace(words.begin(), words.end(), '\n', ' ');
  return words;
}

}  // namespace

MetalDevice::MetalDevice(NS::SharedPtr<MTL::Device> device, bool profiling)
    : device_(std::move(device)), profiling_(profiling) {
  properties_.backend = "metal";
  properties_.name = device_->name()->utf8String();
  properties_.traits.concurrent_streams = true;
  for (const MetalSource& source : MetalSources()) modules_[source.module];
}

Result<std::byte*> MetalDevice::Allocate(std::size_t bytes, bool pinned) {
  const auto pool = NS::TransferPtr(NS::AutoreleasePool::alloc()->init());
  const auto refuse = [&](const char* reason) {
    return Error{ErrorCode::kOutOfMemory,
                 fmt::format("{}: no room for {} bytes of {}{}", properties_.name, bytes,
                             pinned ? "host memory for copies" : "device memory", reason),
                 {},
                 {},
                 {}};
  };
  Block block;
  // Never nothing, so that an address says whether there is memory.
  block.bytes = std::max<std::size_t>(bytes, 64);
  block.buffer = NS::TransferPtr(
      device_->newBuffer(block.bytes, pinned ? MTL::ResourceStorageModeShared : MTL::ResourceStorageModePrivate));
  if (!block.buffer) return refuse("");
  block.address = block.buffer->gpuAddress();
  auto* const handed_out = pinned ? static_cast<std::byte*>(block.buffer->contents())
                                  : reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(block.address));
  const std::lock_guard lock(memory_mutex_);
  // The device's addresses and the host's are not of one space; a place must mean one block.
  if (FindBlock(handed_out) != nullptr || FindBlock(handed_out + block.bytes - 1) != nullptr) {
    return refuse(", because its address is taken on the other side");
  }
  blocks_.emplace(handed_out, std::move(block));
  return handed_out;
}

Result<std::byte*> MetalDevice::AllocateOnDevice(std::size_t bytes) { return Allocate(bytes, false); }

Result<std::byte*> MetalDevice::AllocatePinned(std::size_t bytes) { return Allocate(bytes, true); }

void MetalDevice::Free(std::byte* memory) {
  const std::lock_guard lock(memory_mutex_);
  blocks_.erase(memory);
}

const MetalDevice::Block* MetalDevice::FindBlock(const std::byte* place) const {
  const auto after = blocks_.upper_bound(place);
  if (after == blocks_.begin()) return nullptr;
  const auto& [begin, block] = *std::prev(after);
  return static_cast<std::size_t>(place - begin) < block.bytes ? &block : nullptr;
}

std::uint64_t MetalDevice::AddressOf(const void* place) const {
  const std::lock_guard lock(memory_mutex_);
  const auto* const byte = static_cast<const std::byte*>(place);
  const Block* const block = FindBlock(byte);
  if (block == nullptr) return 0;
  const auto begin = std::prev(blocks_.upper_bound(byte))->first;
  return block->address + static_cast<std::uint64_t>(byte - begin);
}

void MetalDevice::UseMemory(MTL::ComputeCommandEncoder& encoder) const {
  const std::lock_guard lock(memory_mutex_);
  for (const auto& [begin, block] : blocks_) {
    encoder.useResource(block.buffer.get(), MTL::ResourceUsageRead | MTL::ResourceUsageWrite);
  }
}

Result<const DeviceKernel*> MetalDevice::FindKernel(std::string_view module, std::string_view name) {
  const auto pool = NS::TransferPtr(NS::AutoreleasePool::alloc()->init());
  const auto fail = [&](ErrorCode code, const std::string& reason) {
    return Error{code, fmt::format("{}: kernel module {}: {}", properties_.name, module, reason), {}, {}, {}};
  };
  const std::lock_guard lock(modules_mutex_);
  const auto found = modules_.find(module);
  if (found == modules_.end()) return fail(ErrorCode::kNotFound, "there is none");
  Module& own = found->second;
  if (const auto known = own.kernels.find(name); known != own.kernels.end()) return &known->second;
  NS::Error* error = nullptr;
  if (!own.library) {
    const auto sources = MetalSources();
    const auto source =
        std::find_if(sources.begin(), sources.end(), [&](const MetalSource& one) { return one.module == module; });
    const auto options = NS::TransferPtr(MTL::CompileOptions::alloc()->init());
    // The default lets the compiler re-associate, and fuse products with sums.
    options->setFastMathEnabled(false);
    options->setLanguageVersion(MTL::LanguageVersion3_0);
    own.library = NS::TransferPtr(device_->newLibrary(Text(source->text), options.get(), &error));
    if (!own.library) return fail(ErrorCode::kInternal, WordsOf(error));
  }
  const std::string entry = fmt::format("lockstep_{}_{}", module, name);
  const auto function = NS::TransferPtr(own.library->newFunction(Text(entry)));
  if (!function) return fail(ErrorCode::kNotFound, fmt::format("there is no kernel {}", name));
  auto pipeline = NS::TransferPtr(device_->newComputePipelineState(function.get(), &error));
  if (!pipeline) return fail(ErrorCode::kInternal, fmt::format("kernel {}: {}", name, WordsOf(error)));
  return &own.kernels.try_emplace(std::string(name), fmt::format("{} {}", module, name), std::move(pipeline))
              .first->second;
}

Result<std::unique_ptr<DeviceStream>> MetalDevice::MakeStream() {
  const auto copy_rows = FindKernel("copy", "rows");
  if (!copy_rows) return copy_rows.error();
  const auto fill = FindKernel("copy", "fill");
  if (!fill) return fill.error();
  auto queue = NS::TransferPtr(device_->newCommandQueue());
  auto event = NS::TransferPtr(device_->newSharedEvent());
  if (!queue || !event) {
    return Error{ErrorCode::kInternal, properties_.name + ": a stream cannot be made", {}, {}, {}};
  }
  return std::unique_ptr<DeviceStream>(
      std::make_unique<MetalStream>(*this, std::move(queue), std::move(event), **copy_rows, **fill));
}

DeviceCounters MetalDevice::counters() const { return {counters_.host_waits, counters_.launches, counters_.copies, 0}; }

}  // namespace lockstep
