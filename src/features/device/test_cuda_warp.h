// SPDX-License-Identifier: BSD-2-Clause-Patent
// For tests: CUDA kernels on the host. Every lane is a coroutine; what lanes do together waits until all have come.
// Included before a kernel's source, in place of cuda_warp.cuh.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/kernel_prelude.h"

// NOLINTBEGIN
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __global__
#define __grid_constant__
#define __launch_bounds__(...)
// NOLINTEND

namespace lockstep::test_cuda {

inline constexpr int kWarpLanes = 32;

/// One block, which runs on one thread of the host.
class Block {
 public:
  /// Runs `kernel` as every thread of the block.
  static void Run(int index, int blocks, int threads, std::size_t shared_bytes, const std::function<void()>& kernel) {
    Block block(index, blocks, threads, shared_bytes, kernel);
    Block* const outer = std::exchange(current_, &block);
    block.RunAll();
    current_ = outer;
  }
  static Block& Current() { return *current_; }

  [[nodiscard]] unsigned thread() const { return static_cast<unsigned>(running_); }
  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(lanes_.size()); }
  [[nodiscard]] unsigned index() const { return static_cast<unsigned>(index_); }
  [[nodiscard]] unsigned blocks() const { return static_cast<unsigned>(blocks_); }
  [[nodiscard]] int lane() const { return running_ % kWarpLanes; }
  [[nodiscard]] u8* shared() { return shared_.data() + kSharedOffset; }

  /// All lanes of the warp give an input; when the last has come, `work(inputs, outputs)` makes everybody's output.
  template <class In, class Out, class Work>
  Out Together(const In& in, const Work& work) {
    static_assert(sizeof(In) <= kSlot && sizeof(Out) <= kSlot);
    Warp& warp = warps_[static_cast<std::size_t>(running_ / kWarpLanes)];
    const int lane_index = lane();
    std::memcpy(warp.inputs[static_cast<std::size_t>(lane_index)].data(), &in, sizeof(In));
    if (++warp.arrived == kWarpLanes) {
      std::array<In, kWarpLanes> inputs;
      std::array<Out, kWarpLanes> outputs;
      for (std::size_t i = 0; i < kWarpLanes; ++i) std::memcpy(&inputs[i], warp.inputs[i].data(), sizeof(In));
      work(inputs, outputs);
      for (std::size_t i = 0; i < kWarpLanes; ++i) std::memcpy(warp.outputs[i].data(), &outputs[i], sizeof(Out));
      warp.arrived = 0;
      ++warp.meetings;
    } else {
      const int meeting = warp.meetings;
      while (warp.meetings == meeting) Yield();
    }
    Out out;
    std::memcpy(&out, warp.outputs[static_cast<std::size_t>(lane_index)].data(), sizeof(Out));
    return out;
  }
  void SynchronizeWarp() {
    Together<int, int>(0, [](const auto&, auto& outputs) { outputs.fill(0); });
  }
  void SynchronizeBlock() {
    if (++arrived_ == static_cast<int>(lanes_.size())) {
      arrived_ = 0;
      ++meetings_;
      return;
    }
    const int meeting = meetings_;
    while (meetings_ == meeting) Yield();
  }

  /// An asynchronous copy happens as late as it may: when its group is waited for.
  void CopyLater(u32 to, const void* from, int bytes) {
    lanes_[static_cast<std::size_t>(running_)].open.push_back({to, from, bytes});
  }
  void CloseGroup() {
    Lane& lane_now = lanes_[static_cast<std::size_t>(running_)];
    lane_now.groups.push_back(std::exchange(lane_now.open, {}));
  }
  void FinishGroups(std::size_t pending) {
    Lane& lane_now = lanes_[static_cast<std::size_t>(running_)];
    while (lane_now.groups.size() > pending) {
      for (const LateCopy& copy : lane_now.groups.front()) {
        std::memcpy(shared_.data() + copy.to, copy.from, static_cast<std::size_t>(copy.bytes));
      }
      lane_now.groups.erase(lane_now.groups.begin());
    }
  }
  u8* SharedAt(u32 address) { return shared_.data() + address; }
  u32 AddressOf(const void* memory) { return static_cast<u32>(static_cast<const u8*>(memory) - shared_.data()); }

 private:
  static constexpr std::size_t kSlot = 64;
  static constexpr std::size_t kStackBytes = std::size_t{96} << 10;
  static constexpr std::size_t kSharedOffset = 1024;  // where a launch's part begins is not 0 on devices either

  struct LateCopy {
    u32 to;
    const void* from;
    int bytes;
  };
  struct Lane {
    ucontext_t context;
    std::unique_ptr<std::byte[]> stack;  // NOLINT(modernize-avoid-c-arrays)
    bool finished = false;
    std::vector<LateCopy> open;
    std::vector<std::vector<LateCopy>> groups;
  };
  struct Warp {
    std::array<std::array<std::byte, kSlot>, kWarpLanes> inputs;
    std::array<std::array<std::byte, kSlot>, kWarpLanes> outputs;
    int arrived = 0;
    int meetings = 0;
  };

  Block(int index, int blocks, int threads, std::size_t shared_bytes, const std::function<void()>& kernel)
      : kernel_(kernel),
        index_(index),
        blocks_(blocks),
        shared_(shared_bytes + kSharedOffset, 0xa5),
        lanes_(static_cast<std::size_t>(threads)),
        warps_(static_cast<std::size_t>(threads / kWarpLanes)) {}

  static void Enter() {
    Block& block = Current();
    block.kernel_();
    block.lanes_[static_cast<std::size_t>(block.running_)].finished = true;
  }
  void Yield() { swapcontext(&lanes_[static_cast<std::size_t>(running_)].context, &scheduler_); }

  void RunAll() {
    for (Lane& lane_now : lanes_) {
      getcontext(&lane_now.context);
      lane_now.stack = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);  // NOLINT(modernize-avoid-c-arrays)
      lane_now.context.uc_stack.ss_sp = lane_now.stack.get();
      lane_now.context.uc_stack.ss_size = kStackBytes;
      lane_now.context.uc_link = &scheduler_;
      makecontext(&lane_now.context, Enter, 0);
    }
    bool unfinished = true;
    while (unfinished) {
      unfinished = false;
      // A warp goes on as long as it can, so that warps are far apart where nothing holds them together.
      for (std::size_t warp = 0; warp < warps_.size(); ++warp) unfinished = RunWarp(warp) || unfinished;
    }
  }
  // Until no lane of the warp meets another any more; whether one has not finished.
  bool RunWarp(std::size_t warp) {
    bool unfinished = true;
    for (int before = -1; unfinished && before != warps_[warp].meetings;) {
      before = warps_[warp].meetings;
      unfinished = false;
      for (std::size_t i = 0; i < kWarpLanes; ++i) {
        Lane& lane_now = lanes_[warp * kWarpLanes + i];
        if (lane_now.finished) continue;
        running_ = static_cast<int>(warp * kWarpLanes + i);
        swapcontext(&scheduler_, &lane_now.context);
        unfinished = unfinished || !lane_now.finished;
      }
    }
    return unfinished;
  }

  inline static Block* current_ = nullptr;

  const std::function<void()>& kernel_;
  int index_;
  int blocks_;
  std::vector<u8> shared_;
  std::vector<Lane> lanes_;
  std::vector<Warp> warps_;
  ucontext_t scheduler_{};
  int running_ = 0;
  int arrived_ = 0;
  int meetings_ = 0;
};

/// A built-in variable's x.
template <unsigned (Block::*kValue)() const>
struct Index {
  struct X {
    operator unsigned() const { return (Block::Current().*kValue)(); }  // NOLINT(google-explicit-constructor)
  };
  X x;
};

/// A sum rounded down, whatever rounding is set: the nearest one, and the one below it if that is too large.
template <class Float>
Float RoundDown(Float nearest, Float error) {
  return error < 0 ? std::nextafter(nearest, -std::numeric_limits<Float>::infinity()) : nearest;
}

}  // namespace lockstep::test_cuda

// What the kernels use of CUDA's names.
inline constexpr lockstep::test_cuda::Index<&lockstep::test_cuda::Block::thread> threadIdx;
inline constexpr lockstep::test_cuda::Index<&lockstep::test_cuda::Block::threads> blockDim;
inline constexpr lockstep::test_cuda::Index<&lockstep::test_cuda::Block::index> blockIdx;
inline constexpr lockstep::test_cuda::Index<&lockstep::test_cuda::Block::blocks> gridDim;

struct uint2 {
  unsigned x;
  unsigned y;
};

namespace lockstep {

using std::max;
using std::min;

inline u32 __byte_perm(u32 a, u32 b, u32 selector) {
  const u64 bytes = u64{b} << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 nibble = selector >> (4 * i) & 15;
    u32 byte = static_cast<u32>(bytes >> (8 * (nibble & 7))) & 0xffu;
    if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

inline i32 __popc(u32 value) { return std::popcount(value); }
inline u32 __funnelshift_r(u32 low, u32 high, i32 shift) {
  return static_cast<u32>((u64{high} << 32 | low) >> (shift & 31));
}
inline u32 __dp4a(u32 a, u32 b, u32 sum) {
  for (int i = 0; i < 32; i += 8) sum += (a >> i & 0xffu) * (b >> i & 0xffu);
  return sum;
}

inline double __hiloint2double(i32 high, i32 low) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<u32>(high)) << 32 | static_cast<u32>(low));
}
inline i32 __double2hiint(double value) { return static_cast<i32>(std::bit_cast<std::uint64_t>(value) >> 32); }
inline i32 __double2loint(double value) {
  return static_cast<i32>(static_cast<u32>(std::bit_cast<std::uint64_t>(value)));
}
inline float __uint_as_float(u32 value) { return std::bit_cast<float>(value); }
inline i32 __float_as_int(float value) { return std::bit_cast<i32>(value); }
inline double __int2double_rn(i32 value) { return value; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline double __dadd_rd(double a, double b) {
  const double sum = a + b;
  // The error of a sum is a number of the same format.
  const double b_part = sum - a;
  return test_cuda::RoundDown(sum, (a - (sum - b_part)) + (b - b_part));
}
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
/// in    operands whose result is exact in binary64
inline float __fmaf_rd(float a, float b, float c) {
  const double exact = static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c);
  const auto nearest = static_cast<float>(exact);
  return test_cuda::RoundDown(nearest, static_cast<double>(nearest) > exact ? -1.0f : 0.0f);
}

inline void __syncwarp() { test_cuda::Block::Current().SynchronizeWarp(); }
inline void __syncthreads() { test_cuda::Block::Current().SynchronizeBlock(); }

template <class T>
T __reduce_add_sync(u32 /*lanes*/, T value) {
  return test_cuda::Block::Current().Together<T, T>(value, [](const auto& inputs, auto& outputs) {
    T sum = 0;
    for (const T input : inputs) sum = static_cast<T>(static_cast<u32>(sum) + static_cast<u32>(input));
    outputs.fill(sum);
  });
}
/// Lane i has what lane source(i) gave; its own where there is none.
template <class T, class Source>
T Shuffle(T value, const Source& source) {
  return test_cuda::Block::Current().Together<T, T>(value, [&](const auto& inputs, auto& outputs) {
    for (int i = 0; i < test_cuda::kWarpLanes; ++i) {
      const int from = source(i);
      outputs[static_cast<std::size_t>(i)] =
          inputs[static_cast<std::size_t>(from < 0 || from >= test_cuda::kWarpLanes ? i : from)];
    }
  });
}
template <class T>
T __shfl_xor_sync(u32 /*lanes*/, T value, int mask) {
  return Shuffle(value, [&](int i) { return i ^ mask; });
}
template <class T>
T __shfl_up_sync(u32 /*lanes*/, T value, int distance) {
  return Shuffle(value, [&](int i) { return i - distance; });
}
template <class T>
T __shfl_down_sync(u32 /*lanes*/, T value, int distance) {
  return Shuffle(value, [&](int i) { return i + distance; });
}
inline void atomicAdd(u64* sum, u64 value) { *sum += value; }
inline void atomicAdd(u32* sum, u32 value) { *sum += value; }

// cuda_warp.cuh on the host; that file says what these do.

inline u8* DynamicShared() { return test_cuda::Block::Current().shared(); }
inline u32 SharedAddress(const void* memory) { return test_cuda::Block::Current().AddressOf(memory); }
inline void StoreShared(u32 address, u32 value) {
  std::memcpy(test_cuda::Block::Current().SharedAt(address), &value, sizeof(value));
}
template <class T>
T* Global(T* memory) {
  return memory;
}

inline i32 MatrixGroup() { return test_cuda::Block::Current().lane() / 4; }
inline i32 MatrixMember() { return test_cuda::Block::Current().lane() % 4; }

struct MatrixSums {
  i32 at[4];
};

inline void MultiplyBytes(MatrixSums& sums, const u32 (&a)[4], u32 b0, u32 b1) {
  struct Operands {
    u32 a[4];
    u32 b[2];
    MatrixSums sums;
  };
  const auto byte = [](u32 word, int i) { return static_cast<i32>(word >> (8 * i) & 0xffu); };
  sums = test_cuda::Block::Current().Together<Operands, MatrixSums>(
      {{a[0], a[1], a[2], a[3]}, {b0, b1}, sums}, [&](const auto& inputs, auto& outputs) {
        std::array<std::array<i32, 32>, 16> first;
        std::array<std::array<i32, 32>, 8> second;  // [column][row]
        for (int lane = 0; lane < 32; ++lane) {
          const int group = lane / 4;
          const int member = lane % 4;
          const Operands& in = inputs[static_cast<std::size_t>(lane)];
          for (int word = 0; word < 4; ++word) {
            for (int i = 0; i < 4; ++i) {
              first[static_cast<std::size_t>(group + word % 2 * 8)]
                   [static_cast<std::size_t>(word / 2 * 16 + 4 * member + i)] = byte(in.a[word], i);
              if (word < 2) {
                second[static_cast<std::size_t>(group)][static_cast<std::size_t>(word * 16 + 4 * member + i)] =
                    byte(in.b[word], i);
              }
            }
          }
        }
        for (int lane = 0; lane < 32; ++lane) {
          for (int place = 0; place < 4; ++place) {
            const auto row = static_cast<std::size_t>(lane / 4 + place / 2 * 8);
            const auto column = static_cast<std::size_t>(2 * (lane % 4) + place % 2);
            i32 sum = inputs[static_cast<std::size_t>(lane)].sums.at[place];
            for (std::size_t k = 0; k < 32; ++k) sum += first[row][k] * second[column][k];
            outputs[static_cast<std::size_t>(lane)].at[place] = sum;
          }
        }
      });
}

inline void LoadSharedWords(u32 (&words)[4], u32 address) {
  std::memcpy(words, test_cuda::Block::Current().SharedAt(address), sizeof(words));
}
inline MatrixSums LoadSharedSums(u32 address) {
  MatrixSums sums;
  std::memcpy(&sums, test_cuda::Block::Current().SharedAt(address), sizeof(sums));
  return sums;
}

inline void LoadMatrices(u32 (&matrix)[4], u32 address) {
  struct Words {
    u32 at[4];
  };
  test_cuda::Block& block = test_cuda::Block::Current();
  const Words words = block.Together<u32, Words>(address, [&](const auto& addresses, auto& outputs) {
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (std::size_t i = 0; i < 4; ++i) {
        u32 word = 0;
        for (std::size_t k = 0; k < 2; ++k) {
          u16 element = 0;
          std::memcpy(&element, block.SharedAt(addresses[8 * i + 2 * (lane % 4) + k]) + 2 * (lane / 4), 2);
          word |= u32{element} << (16 * k);
        }
        outputs[lane].at[i] = word;
      }
    }
  });
  std::copy_n(words.at, 4, matrix);
}

inline void Copy16ToShared(u32 to, const void* from) { test_cuda::Block::Current().CopyLater(to, from, 16); }
inline void Copy8ToShared(u32 to, const void* from) { test_cuda::Block::Current().CopyLater(to, from, 8); }
template <int kBytes>
u32 LoadSharedSample(u32 address) {
  u32 sample = 0;
  std::memcpy(&sample, test_cuda::Block::Current().SharedAt(address), kBytes);
  return sample;
}
template <int kBytes>
void StoreSharedSample(u32 address, u32 sample) {
  std::memcpy(test_cuda::Block::Current().SharedAt(address), &sample, kBytes);
}
inline void CloseCopyGroup() { test_cuda::Block::Current().CloseGroup(); }
template <int kPending>
void WaitForCopyGroups() {
  test_cuda::Block::Current().FinishGroups(kPending);
}
/// As good as a device's, or worse: 20 bits.
inline double ApproximateReciprocal(double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(1.0 / value) & 0xffffffff00000000u);
}

}  // namespace lockstep
