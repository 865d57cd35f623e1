// SPDX-License-Identifier: BSD-2-Clause-Patent
// The part of Apple's metal-cpp that the Metal backend uses, as declarations: it shows that the backend is C++ that
// fits its interface. It does not show that Apple's headers agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace NS {
using UInteger = std::uintptr_t;
enum StringEncoding : UInteger { UTF8StringEncoding = 4 };

template <class T>
class SharedPtr {
 public:
  SharedPtr();
  SharedPtr(const SharedPtr& other);
  SharedPtr(SharedPtr&& other) noexcept;
  SharedPtr& operator=(const SharedPtr& other);
  SharedPtr& operator=(SharedPtr&& other) noexcept;
  ~SharedPtr();
  T* get() const;
  T* operator->() const;
  T& operator*() const;
  explicit operator bool() const;
  void reset();
};
template <class T>
SharedPtr<T> TransferPtr(T* object);
template <class T>
SharedPtr<T> RetainPtr(T* object);

class Object {};
class String : public Object {
 public:
  static String* string(const char* text, StringEncoding encoding);
  const char* utf8String() const;
};
class Error : public Object {
 public:
  String* localizedDescription() const;
};
class Array : public Object {
 public:
  UInteger count() const;
  Object* object(UInteger index) const;
};
class AutoreleasePool : public Object {
 public:
  static AutoreleasePool* alloc();
  AutoreleasePool* init();
};
}  // namespace NS

namespace MTL {
using ResourceOptions = NS::UInteger;
using ResourceUsage = NS::UInteger;
constexpr ResourceOptions ResourceStorageModeShared = 0;
constexpr ResourceOptions ResourceStorageModePrivate = 32;
constexpr ResourceUsage ResourceUsageRead = 1;
constexpr ResourceUsage ResourceUsageWrite = 2;
enum LanguageVersion : NS::UInteger { LanguageVersion3_0 = 3 << 16 };
enum GPUFamily : NS::UInteger { GPUFamilyMetal3 = 5001 };
enum DispatchType : NS::UInteger { DispatchTypeSerial = 0 };
enum CommandBufferStatus : NS::UInteger { CommandBufferStatusError = 5 };

struct Size {
  Size(NS::UInteger width, NS::UInteger height, NS::UInteger depth);
};
class Resource : public NS::Object {};
class Buffer : public Resource {
 public:
  void* contents();
  std::uint64_t gpuAddress() const;
};
class Function : public NS::Object {};
class Library : public NS::Object {
 public:
  Function* newFunction(const NS::String* name);
};
class ComputePipelineState : public NS::Object {};
class CompileOptions : public NS::Object {
 public:
  static CompileOptions* alloc();
  CompileOptions* init();
  void setFastMathEnabled(bool enabled);
  void setLanguageVersion(LanguageVersion version);
};
class Event : public NS::Object {};
class SharedEvent : public Event {
 public:
  bool waitUntilSignaledValue(std::uint64_t value, std::uint64_t milliseconds);
};
class ComputeCommandEncoder : public NS::Object {
 public:
  void endEncoding();
  void useResource(const Resource* resource, ResourceUsage usage);
  void setComputePipelineState(const ComputePipelineState* state);
  void setBytes(const void* bytes, NS::UInteger length, NS::UInteger index);
  void dispatchThreadgroups(Size groups, Size threads);
};
class CommandBuffer : public NS::Object {
 public:
  ComputeCommandEncoder* computeCommandEncoder(DispatchType type);
  void encodeSignalEvent(const Event* event, std::uint64_t value);
  void encodeWait(const Event* event, std::uint64_t value);
  void addCompletedHandler(const std::function<void(CommandBuffer*)>& handler);
  void commit();
  void waitUntilCompleted();
  CommandBufferStatus status() const;
  NS::Error* error() const;
  double GPUStartTime() const;
  double GPUEndTime() const;
};
class CommandQueue : public NS::Object {
 public:
  CommandBuffer* commandBuffer();
};
class Device : public NS::Object {
 public:
  NS::String* name() const;
  bool isLowPower() const;
  bool supportsFamily(GPUFamily family);
  Buffer* newBuffer(NS::UInteger length, ResourceOptions options);
  Library* newLibrary(const NS::String* source, const CompileOptions* options, NS::Error** error);
  ComputePipelineState* newComputePipelineState(const Function* function, NS::Error** error);
  CommandQueue* newCommandQueue();
  SharedEvent* newSharedEvent();
};
NS::Array* CopyAllDevices();
}  // namespace MTL
