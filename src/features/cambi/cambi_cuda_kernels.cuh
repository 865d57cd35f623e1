// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernels of cambi for CUDA from compute capability 8.0 on: flat pixels as bits, the mode filter down strips, and
// contrasts from one byte for each column and code in shared memory.
#pragma once

#include "features/cambi/cambi_arithmetic.h"
#include "features/cambi/cambi_cuda_arguments.h"
#include "features/device/device_kernel.h"
#if defined(__CUDACC__)
#include "features/device/cuda_warp.cuh"
#endif

// Code for older devices, which a newer one gets as well where a build has nothing better for it, must not pass for
// the kernel.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define LOCKSTEP_CAMBI_CUDA_BODY(...) __trap();
#else
#define LOCKSTEP_CAMBI_CUDA_BODY(...) __VA_ARGS__

namespace lockstep {

inline constexpr u32 kCambiCudaAllLanes = 0xffffffffu;

/// Where a warp's work lies among strips of columns, segments of rows and frames.
struct CambiCudaPlace {
  i32 frame;
  i32 strip;
  i32 segment;
};

__device__ __forceinline__ CambiCudaPlace CambiCudaPlaceOf(i32 index, i32 strips, i32 segments) {
  return {index / strips / segments, index % strips, index / strips % segments};
}

__device__ __forceinline__ i32 CambiCudaLane() { return static_cast<i32>(threadIdx.x) % kCambiCudaWarpLanes; }
__device__ __forceinline__ i32 CambiCudaWarp() {
  return (static_cast<i32>(blockIdx.x) * static_cast<i32>(blockDim.x) + static_cast<i32>(threadIdx.x)) /
         kCambiCudaWarpLanes;
}

/// Samples of columns x … x + 5 of a row, as they are in memory.
template <class Sample>
struct CambiCudaSamples {
  static constexpr int kWords = kCambiCudaLaneColumns * static_cast<int>(sizeof(Sample)) / 4 + 1;
  static constexpr int kBits = 8 * static_cast<int>(sizeof(Sample));
  u32 words[kWords];

  __device__ __forceinline__ u32 At(int i) const {
    return words[i * kBits / 32] >> (i * kBits % 32) & ((1u << kBits) - 1);
  }
};

/// in      x is a multiple of 4 and in the row; y beyond the last row stands for it
template <class Sample>
__device__ __forceinline__ void CambiCudaLoadSamples(const CambiCudaArguments& args, i32 y, i32 x,
                                                     CambiCudaSamples<Sample>& samples) {
  constexpr i32 kBytes = static_cast<i32>(sizeof(Sample));
  const u8* const own = Global(args.luma) + i64{min(y, args.height - 1)} * args.pitch + kBytes * x;
  if constexpr (kBytes == 1) {
    samples.words[0] = *reinterpret_cast<const u32*>(own);
  } else {
    const uint2 words = *reinterpret_cast<const uint2*>(own);
    samples.words[0] = words.x;
    samples.words[1] = words.y;
  }
  const bool has_next = x + kCambiCudaLaneColumns < args.width;
  samples.words[kBytes] = has_next ? *reinterpret_cast<const u32*>(own + kBytes * kCambiCudaLaneColumns) : 0;
}

/// What a row of samples gives to the codes of columns x … x + 4: with the anti-dithering filter the sums of
/// neighbours, else the codes themselves. edge    beyond the row's end the last code is repeated
template <class Sample>
__device__ __forceinline__ void CambiCudaSumRow(const CambiCudaArguments& args, i32 x,
                                                const CambiCudaSamples<Sample>& samples, u32 (&row)[5]) {
  u32 codes[6];
  LOCKSTEP_UNROLL
  for (int i = 0; i < 6; ++i) {
    codes[i] = CambiCode(samples.At(i), args.bit_depth);
    if (i > 0 && x + i >= args.width) codes[i] = codes[i - 1];
  }
  LOCKSTEP_UNROLL
  for (int i = 0; i < 5; ++i) row[i] = codes[i] + (args.removes_dither != 0 ? codes[i + 1] : 0);
}

/// Codes without dither, and the bits of flat pixels. A warp does a strip of columns down so many rows.
template <class Sample>
__device__ __forceinline__ void CambiCudaCodes(const GroupLaunch& launch) {
  constexpr int kColumns = kCambiCudaLaneColumns;
  const auto* const frames = Global(static_cast<const CambiCudaArguments*>(launch.frames));
  const i32 strips = CambiCudaParts(frames->width, kCambiCudaCodeColumns);
  const i32 segments = CambiCudaParts(frames->height, kCambiCudaCodeRows);
  const CambiCudaPlace place = CambiCudaPlaceOf(CambiCudaWarp(), strips, segments);
  if (place.frame >= launch.frame_count) return;
  const CambiCudaArguments& args = frames[place.frame];
  const i32 lane = CambiCudaLane();
  const i32 x = place.strip * kCambiCudaCodeColumns + lane * kColumns;
  const bool is_inside = x < args.width;
  const i32 y_begin = place.segment * kCambiCudaCodeRows;
  const i32 y_end = min(y_begin + kCambiCudaCodeRows, args.height);
  const bool removes_dither = args.removes_dither != 0;
  u16* const codes = Global(args.codes);
  const i32 codes_stride = args.scales[0].stride;
  const auto finish = [&](const u32(&above)[5], const u32(&below)[5], u32(&row)[5]) __attribute__((always_inline)) {
    LOCKSTEP_UNROLL
    for (int i = 0; i < 5; ++i) row[i] = removes_dither ? (above[i] + below[i]) >> 2 : above[i];
  };
  u32 first[5] = {0, 0, 0, 0, 0};  // rows of samples
  u32 second[5] = {0, 0, 0, 0, 0};
  u32 own[5] = {0, 0, 0, 0, 0};  // rows of codes
  u32 below[5] = {0, 0, 0, 0, 0};
  CambiCudaSamples<Sample> samples = {};
  if (is_inside) {
    CambiCudaLoadSamples(args, y_begin, x, samples);
    CambiCudaSumRow(args, x, samples, first);
    CambiCudaLoadSamples(args, y_begin + 1, x, samples);
    CambiCudaSumRow(args, x, samples, second);
    finish(first, second, own);
    CambiCudaLoadSamples(args, y_begin + 2, x, samples);
  }
  LOCKSTEP_ROLLED
  for (i32 y = y_begin; y < y_end; ++y) {
    u32 flat = 0;
    if (is_inside) {
      LOCKSTEP_UNROLL
      for (int i = 0; i < 5; ++i) first[i] = second[i];
      CambiCudaSumRow(args, x, samples, second);
      // On its way while this row is worked on.
      CambiCudaLoadSamples(args, y + 3, x, samples);
      // Below the last row it is repeated, in samples and thus in codes.
      finish(first, second, below);
      LOCKSTEP_UNROLL
      for (int i = 0; i < kColumns; ++i) {
        if (x + i < args.width) flat |= static_cast<u32>(CambiIsFlat(own[i], own[i + 1], below[i])) << i;
      }
      if (args.step == 1) {
        *reinterpret_cast<uint2*>(codes + i64{y} * codes_stride + x) = {own[0] | own[1] << 16, own[2] | own[3] << 16};
      } else if (y % 2 == 0) {
        *reinterpret_cast<u32*>(codes + i64{y / 2} * codes_stride + x / 2) = own[0] | own[2] << 16;
      }
    }
    flat <<= lane % 8 * kColumns;
    flat |= __shfl_xor_sync(kCambiCudaAllLanes, flat, 1);
    flat |= __shfl_xor_sync(kCambiCudaAllLanes, flat, 2);
    flat |= __shfl_xor_sync(kCambiCudaAllLanes, flat, 4);
    u32* const words = Global(args.flat) + i64{y} * args.flat_stride;
    if (lane % 8 == 0) words[1 + (place.strip * kCambiCudaWarpLanes + lane) / 8] = flat;
    if (place.strip == 0 && lane == 1) words[0] = 0;
    if (place.strip == strips - 1 && lane == 2) words[args.flat_stride - 1] = 0;
    LOCKSTEP_UNROLL
    for (int i = 0; i < 5; ++i) own[i] = below[i];
  }
}

/// Rows of flat pixels' bits that the mask of a warp's rows looks at.
template <int kStep>
inline constexpr i32 kCambiCudaFlatRows = (kCambiCudaModeRows - 1) * kStep + 2 * kCambiMaskRadius + 1;
static_assert(kCambiCudaFlatRows<2> <= kCambiCudaWarpLanes);
static_assert(kCambiCudaWarps * kCambiCudaFlatRows<2> * 4 * 4 == kCambiCudaMaskBytes);

/// Sums of flat pixels among the 7 x 7 around the pixels of a column, which has every kStep-th pixel of the picture.
/// in      bits: shared memory of a warp, for kCambiCudaFlatRows rows of kStep + 2 words
template <int kStep>
__device__ __forceinline__ void CambiCudaCountFlat(const CambiCudaArguments& args, i32 strip, i32 y_begin, u32* bits,
                                                   i32 (&sums)[kCambiCudaModeRows]) {
  constexpr i32 kFlatRows = kCambiCudaFlatRows<kStep>;
  constexpr int kWords = kStep + 2;
  const i32 lane = CambiCudaLane();
  if (lane < kFlatRows) {
    const i32 y = y_begin * kStep - kCambiMaskRadius + lane;
    const bool is_row = y >= 0 && y < args.height;
    const u32* const words = Global(args.flat) + i64{is_row ? y : 0} * args.flat_stride + strip * kStep;
    LOCKSTEP_UNROLL
    for (int i = 0; i < kWords; ++i) bits[lane * kWords + i] = is_row ? words[i] : 0;
  }
  __syncwarp();
  // Of the row above the strip's first word, the bit of the first of the 7 pixels.
  const i32 first = 32 - kCambiMaskRadius + lane * kStep;
  const u32* const own_bits = bits + first / 32;
  i32 totals[kFlatRows + 1];
  totals[0] = 0;
  LOCKSTEP_UNROLL
  for (int i = 0; i < kFlatRows; ++i) {
    const u32 flat = __funnelshift_r(own_bits[i * kWords], own_bits[i * kWords + 1], first % 32) & 0x7fu;
    totals[i + 1] = totals[i] + __popc(flat);
  }
  LOCKSTEP_UNROLL
  for (int i = 0; i < kCambiCudaModeRows; ++i) {
    sums[i] = totals[i * kStep + 2 * kCambiMaskRadius + 1] - totals[i * kStep];
  }
}

/// The mode filter on scale launch.plan, whose codes it takes from the larger one. For scale 0, which has every
/// kFirstStep-th pixel of the picture, also the mask; for the others kFirstStep is 0. A warp does a strip of columns
/// down so many rows.
template <int kFirstStep>
__device__ __forceinline__ void CambiCudaModes(const GroupLaunch& launch) {
  constexpr int kRows = kCambiCudaModeRows;
  constexpr bool kIsFirst = kFirstStep != 0;
  const auto* const frames = Global(static_cast<const CambiCudaArguments*>(launch.frames));
  const i32 number = kIsFirst ? 0 : launch.plan;
  const i32 strips = CambiCudaParts(frames->scales[number].width, kCambiCudaWarpLanes);
  const i32 segments = CambiCudaParts(frames->scales[number].height, kRows);
  const CambiCudaPlace place = CambiCudaPlaceOf(CambiCudaWarp(), strips, segments);
  if (place.frame >= launch.frame_count) return;
  const CambiCudaArguments& args = frames[place.frame];
  const CambiCudaScale& scale = args.scales[number];
  const i32 width = scale.width;
  const i32 height = scale.height;
  const i32 x = place.strip * kCambiCudaWarpLanes + CambiCudaLane();
  const i32 y_begin = place.segment * kRows;
  constexpr i32 kStep = kIsFirst ? 1 : 2;  // the mask's step has been taken by codes already
  const u16* source = Global(args.codes);
  i32 stride = scale.stride;
  if constexpr (!kIsFirst) {
    source = Global(args.scales[number - 1].marked);
    stride = args.scales[number - 1].stride;
  }
  source += kStep * min(x, width - 1);
  const bool is_inner_column = x > 0 && x + 1 < width;
  // Rows from the one above the first on, along which the filter has gone already.
  u32 own[kRows + 2];
  u32 left[kRows + 2];
  u32 right[kRows + 2];
  LOCKSTEP_UNROLL
  for (int i = 0; i < kRows + 2; ++i) {
    const u16* const row = source + i64{kStep} * min(max(y_begin + i - 1, 0), height - 1) * stride;
    own[i] = row[0];
    left[i] = is_inner_column ? row[-kStep] : own[i];
    right[i] = is_inner_column ? row[kStep] : own[i];
  }
  i32 sums[kRows];
  if constexpr (kIsFirst) {
    u32* const bits = reinterpret_cast<u32*>(DynamicShared()) + static_cast<i32>(threadIdx.x) / kCambiCudaWarpLanes *
                                                                    kCambiCudaFlatRows<kFirstStep> * (kFirstStep + 2);
    CambiCudaCountFlat<kFirstStep>(args, place.strip, y_begin, bits, sums);
  }
  u16 modes[kRows + 2];
  LOCKSTEP_UNROLL
  for (int i = 0; i < kRows + 2; ++i) {
    // In the first and the last column all three are the same.
    modes[i] = CambiMode(static_cast<u16>(left[i] & 0x7fffu), static_cast<u16>(own[i] & 0x7fffu),
                         static_cast<u16>(right[i] & 0x7fffu));
  }
  u16* const marked = Global(scale.marked) + x;
  LOCKSTEP_UNROLL
  for (int i = 0; i < kRows; ++i) {
    const i32 y = y_begin + i;
    const bool is_inner = y > 0 && y + 1 < height;
    const u32 code = is_inner ? CambiMode(modes[i], modes[i + 1], modes[i + 2]) : own[i + 1] & 0x7fffu;
    u32 mark = own[i + 1] & kCambiMark;
    if constexpr (kIsFirst) mark = sums[i] > args.mask_threshold ? 0 : kCambiMark;
    if (x < width && y < height) marked[i64{y} * scale.stride] = static_cast<u16>(code | mark);
  }
}

/// A block's part of a scale.
struct CambiCudaTask {
  i32 frame;
  i32 scale;
  i32 part;
};

/// The part that block `block` of all does, where a frame's scale s has parts(s).
template <class Parts>
__device__ __forceinline__ CambiCudaTask CambiCudaTaskOf(i32 block, const Parts& parts) {
  i32 all = 0;
  for (i32 s = 0; s < kCambiScales; ++s) all += parts(s);
  CambiCudaTask task = {block / all, 0, block % all};
  for (i32 s = 0; s < kCambiScales - 1; ++s) {
    if (task.scale == s && task.part >= parts(s)) {
      task.part -= parts(s);
      task.scale = s + 1;
    }
  }
  return task;
}

/// Adds a sum of each lane of a warp to a result.
__device__ __forceinline__ void CambiCudaAdd(u64 sum, u64* result) {
  LOCKSTEP_UNROLL
  for (int distance = 16; distance >= 1; distance /= 2) sum += __shfl_xor_sync(kCambiCudaAllLanes, sum, distance);
  if (CambiCudaLane() == 0 && sum != 0) atomicAdd(Global(result), sum);
}

/// The columns of a window as weights of bytes, which are the same for a lane's pixels in all rows.
struct CambiCudaWindow {
  u32 first;  // weights in the first word
  u32 last_but_one;
  u32 last;
};

__device__ __forceinline__ u32 CambiCudaByteWeights(i32 count) {
  return count >= 4 ? 0x01010101u : count <= 0 ? 0 : 0x01010101u & ((1u << (8 * count)) - 1);
}

/// in      column: of the block, where the window begins
__device__ __forceinline__ CambiCudaWindow CambiCudaWindowAt(i32 column, i32 radius, i32 words) {
  const i32 phase = column % 4;
  const i32 bytes = phase + 2 * radius + 1;
  CambiCudaWindow window;
  window.first = 0x01010101u << (8 * phase);
  window.last_but_one = CambiCudaByteWeights(bytes - 4 * (words - 2));
  window.last = CambiCudaByteWeights(bytes - 4 * (words - 1));
  // Of a window of up to two words the first is one of these, too.
  if (words == 2) window.first &= window.last_but_one;
  return window;
}

/// Pixels of a code in the window.
/// in      kWords, or 0 for `words`, at least 2
/// exact   at most 65 of each of 65 columns
template <int kWords>
__device__ __forceinline__ u32 CambiCudaCount(const u32* counts, const CambiCudaWindow& window, i32 words) {
  u32 sum = __dp4a(counts[0], window.first, 0u);
  if constexpr (kWords != 0) {
    LOCKSTEP_UNROLL
    for (int i = 1; i < kWords - 2; ++i) sum = __dp4a(counts[i], 0x01010101u, sum);
    sum = __dp4a(counts[kWords - 2], window.last_but_one, sum);
    return __dp4a(counts[kWords - 1], window.last, sum);
  } else {
    LOCKSTEP_ROLLED
    for (i32 i = 1; i < words - 2; ++i) sum = __dp4a(counts[i], 0x01010101u, sum);
    if (words > 2) sum = __dp4a(counts[words - 2], window.last_but_one, sum);
    return __dp4a(counts[words - 1], window.last, sum);
  }
}

/// What a pixel's contrasts take beside counts.
struct CambiCudaContrastFigures {
  const float* reciprocals;
  i32 first_code;
  i32 row_words;  // of counts
  i32 words;      // of a window
  CambiCudaWindow window;
};

/// The greatest contrast of a pixel.
/// in      counts: the first word of its window among those of its code; kContrasts, or 0 for the visibility's
template <int kWords, int kContrasts>
__device__ __forceinline__ float CambiCudaGreatest(const CambiCudaContrastFigures& figures,
                                                   const CambiVisibility& visibility, const u32* counts, i32 code) {
  const i32 own = static_cast<i32>(CambiCudaCount<kWords>(counts, figures.window, figures.words));
  float greatest = 0.0f;
  // Without branches, so that all loads of shared memory are on their way at the same time.
  const auto compare = [&](i32 d) __attribute__((always_inline)) {
    const bool is_visible = CambiIsVisible(visibility, code, d);
    const bool has_below = is_visible && code - figures.first_code >= d;
    const i32 distance = d * figures.row_words;
    const u32 above = CambiCudaCount<kWords>(counts + (is_visible ? distance : 0), figures.window, figures.words);
    const u32 below = CambiCudaCount<kWords>(counts - (has_below ? distance : 0), figures.window, figures.words);
    const i32 others = static_cast<i32>(max(is_visible ? above : 0, has_below ? below : 0));
    const float contrast = CambiContrast(CambiContrastWeight(d), own, others, figures.reciprocals[own + others]);
    greatest = max(greatest, contrast);
  };
  if constexpr (kContrasts != 0) {
    LOCKSTEP_UNROLL
    for (int d = 1; d <= kContrasts; ++d) compare(d);
  } else {
    LOCKSTEP_ROLLED
    for (i32 d = 1; d <= visibility.contrasts; ++d) compare(d);
  }
  return greatest;
}

/// The limits of so many contrasts, which stay in registers.
template <int kContrasts>
__device__ __forceinline__ CambiVisibility CambiCudaLimits(const CambiVisibility& visibility) {
  CambiVisibility limits = {};
  limits.contrasts = kContrasts;
  limits.low_limit = visibility.low_limit;
  LOCKSTEP_UNROLL
  for (int d = 1; d <= kContrasts; ++d) limits.limits[d] = visibility.limits[d];
  return limits;
}

/// A lane's column of a scale, and its byte of each code.
struct CambiCudaColumn {
  const u16* marked;  // of row 0
  i32 stride;
  i32 height;
  bool is_inside;
  u32 first_code;
  u32 code_count;
  u32* counts;  // the word of the first code
  i32 row_words;
  u32 one;

  /// The code of a row, less the first one that counts. Marked codes and what is outside are above all that count.
  __device__ __forceinline__ u32 Code(i32 y) const {
    const u32 code = is_inside && y >= 0 && y < height ? u32{marked[y * stride]} : u32{0xffff};
    return code - first_code;
  }
  __device__ __forceinline__ void Count(u32 code, u32 by) const {
    if (code < code_count) atomicAdd(counts + code * row_words, by);
  }
  /// Counts rows from `begin` on, so many of which are on their way at the same time.
  template <int kRows>
  __device__ __forceinline__ void CountRows(i32 begin, i32 end) const {
    LOCKSTEP_ROLLED
    for (i32 y = begin; y < end; y += kRows) {
      u32 codes[kRows];
      LOCKSTEP_UNROLL
      for (int i = 0; i < kRows; ++i) codes[i] = Code(y + i < end ? y + i : -1);
      LOCKSTEP_UNROLL
      for (int i = 0; i < kRows; ++i) Count(codes[i], one);
    }
  }
};

/// Contrasts of a scale. A block slides down a segment of launch.plan rows: each lane counts the codes of a column in
/// the rows of the window, in a byte for each code, and adds up those of the window's columns for its own pixel.
template <int kWords, int kContrasts>
__device__ __forceinline__ void CambiCudaContrasts(const GroupLaunch& launch) {
  const auto* const frames = Global(static_cast<const CambiCudaArguments*>(launch.frames));
  const i32 columns = static_cast<i32>(blockDim.x);
  const i32 thread = static_cast<i32>(threadIdx.x);
  const i32 radius = frames->radius;
  const i32 halo = CambiCudaHalo(radius);
  const i32 own_columns = columns - 2 * halo;
  const CambiCudaTask task = CambiCudaTaskOf(
      static_cast<i32>(blockIdx.x), [&](i32 s) __attribute__((always_inline)) {
        return CambiCudaParts(frames->scales[s].width, own_columns) *
               CambiCudaParts(frames->scales[s].height, launch.plan);
      });
  if (task.frame >= launch.frame_count) return;
  const CambiCudaArguments& args = frames[task.frame];
  const CambiCudaScale& scale = args.scales[task.scale];
  const CambiVisibility* const visibility = Global(args.visibility);
  const CambiVisibility few_limits = CambiCudaLimits<kContrasts>(*visibility);
  const i32 width = scale.width;
  const i32 strips = CambiCudaParts(width, own_columns);
  const i32 x = task.part % strips * own_columns - halo + thread;
  const i32 y_begin = task.part / strips * launch.plan;
  const i32 y_end = min(y_begin + launch.plan, scale.height);
  const bool is_inside = x >= 0 && x < width;
  const bool is_own = is_inside && thread >= halo && thread < columns - halo;

  u32* const counts = reinterpret_cast<u32*>(DynamicShared());
  const i32 row_words = columns / 4;
  LOCKSTEP_ROLLED
  for (i32 i = thread; i < args.code_count * row_words + 1; i += columns) counts[i] = 0;
  __syncthreads();
  CambiCudaColumn column;
  column.marked = Global(scale.marked) + x;
  column.stride = scale.stride;
  column.height = scale.height;
  column.is_inside = is_inside;
  column.first_code = static_cast<u32>(args.first_code);
  column.code_count = static_cast<u32>(args.code_count);
  column.counts = counts + thread / 4;
  column.row_words = row_words;
  column.one = 1u << (thread % 4 * 8);
  // Of the window around the row before the first one the last row comes with the first row's own.
  column.CountRows<kContrasts != 0 ? 8 : 4>(max(y_begin - radius, 0), min(y_begin + radius, scale.height));

  const i32 begin = is_own ? thread - radius : 0;  // of the window
  CambiCudaContrastFigures figures;
  figures.reciprocals = Global(args.reciprocals);
  figures.first_code = args.first_code;
  figures.row_words = row_words;
  figures.words = kWords != 0 ? kWords : CambiCudaWindowWords(radius);
  figures.window = CambiCudaWindowAt(begin, radius, figures.words);
  const u32* const window_counts = counts + begin / 4;
  float* const contrasts = Global(scale.contrasts) + x;
  u64 units = 0;
  u32 positive = 0;
  // Of this row and the next one: what comes into the windows, what leaves them, the row itself.
  u32 in = column.Code(y_begin + radius);
  u32 out = 0xffff;
  u32 center = column.Code(y_begin);
  u32 next_in = column.Code(y_begin + radius + 1);
  u32 next_out = column.Code(y_begin - radius);
  u32 next_center = column.Code(y_begin + 1);
  LOCKSTEP_ROLLED
  for (i32 y = y_begin; y < y_end; ++y) {
    // Of a column that does not change nothing has to be counted.
    if (in != out) {
      column.Count(in, column.one);
      column.Count(out, 0u - column.one);
    }
    __syncthreads();
    const u32 own = center;
    in = next_in;
    out = next_out;
    center = next_center;
    next_in = column.Code(y + radius + 2);
    next_out = column.Code(y - radius + 1);
    next_center = column.Code(y + 2);
    if (is_own) {
      float contrast = 0.0f;
      if (own < column.code_count) {
        const u32* const code_counts = window_counts + own * row_words;
        const i32 code = static_cast<i32>(own) + figures.first_code;
        if constexpr (kContrasts != 0) {
          contrast = CambiCudaGreatest<kWords, kContrasts>(figures, few_limits, code_counts, code);
        } else {
          contrast = CambiCudaGreatest<kWords, kContrasts>(figures, *visibility, code_counts, code);
        }
      }
      contrasts[y * width] = contrast;
      const u32 key = CambiKeyOfBits(static_cast<u32>(__float_as_int(contrast)));
      units += CambiUnitsOfKey(key);
      positive += key != 0 ? 1 : 0;
    }
    __syncthreads();
  }
  CambiCudaSums& sums = args.sums[task.scale];
  CambiCudaAdd(units, &sums.units);
  CambiCudaAdd(positive, &sums.positive);
}

/// The digit of the smallest contrast that is pooled, and how many of that digit are; all lanes of a warp together.
/// in      at least `remaining` in all
__device__ __forceinline__ CambiChoice CambiCudaChoose(const u32* totals, u32 digits, u32 remaining) {
  constexpr i32 kLaneValues = kCambiDigitValues / kCambiCudaWarpLanes;
  const i32 lane = CambiCudaLane();
  // The first lane has the greatest values.
  const i32 greatest = kCambiDigitValues - 1 - lane * kLaneValues;
  u32 own = 0;
  for (i32 i = 0; i < kLaneValues; ++i) own += totals[greatest - i];
  u32 before = own;
  LOCKSTEP_UNROLL
  for (int distance = 1; distance < kCambiCudaWarpLanes; distance *= 2) {
    const u32 other = __shfl_up_sync(kCambiCudaAllLanes, before, distance);
    before += lane >= distance ? other : 0;
  }
  before -= own;
  const bool has_it = before < remaining && remaining <= before + own;
  u32 left = remaining - before;
  i32 value = greatest;
  if (has_it) {
    for (; totals[value] < left; --value) left -= totals[value];
  }
  // One lane has it.
  const u32 digit = __reduce_add_sync(kCambiCudaAllLanes, has_it ? static_cast<u32>(value) : 0u);
  left = __reduce_add_sync(kCambiCudaAllLanes, has_it ? left : 0u);
  return {digits << kCambiDigitBits | digit, left};
}

/// Counts contrasts by digit launch.plan where more of them than are pooled are not 0.
__device__ __forceinline__ void CambiCudaCountDigits(const GroupLaunch& launch) {
  const auto* const frames = Global(static_cast<const CambiCudaArguments*>(launch.frames));
  const CambiCudaTask task = CambiCudaTaskOf(
      static_cast<i32>(blockIdx.x), [&](i32 s) __attribute__((always_inline)) {
        return CambiCudaParts(frames->scales[s].width * frames->scales[s].height, kCambiCudaPoolPixels);
      });
  if (task.frame >= launch.frame_count) return;
  const CambiCudaArguments& args = frames[task.frame];
  const CambiCudaScale& scale = args.scales[task.scale];
  CambiCudaSums& sums = *Global(args.sums + task.scale);
  const u32 pooled = static_cast<u32>(scale.pooled);
  if (sums.positive <= pooled) return;

  const i32 thread = static_cast<i32>(threadIdx.x);
  const i32 threads = static_cast<i32>(blockDim.x);
  u32* const counts = reinterpret_cast<u32*>(DynamicShared());
  const i32 digit = launch.plan;
  // Every warp chooses for itself.
  CambiChoice choice = {0, pooled};
  LOCKSTEP_ROLLED
  for (i32 i = 0; i < digit; ++i) choice = CambiCudaChoose(sums.totals[i], choice.digits, choice.remaining);
  LOCKSTEP_ROLLED
  for (i32 i = thread; i < kCambiDigitValues; i += threads) counts[i] = 0;
  __syncthreads();
  const i32 shift = (kCambiDigits - 1 - digit) * kCambiDigitBits;
  const i32 begin = task.part * kCambiCudaPoolPixels;
  const i32 end = min(begin + kCambiCudaPoolPixels, scale.width * scale.height);
  const float* const contrasts = Global(scale.contrasts);
  u64 greater = 0;
  // A lane takes pixels next to each other, whose digits are often the same, and counts them before it adds.
  constexpr i32 kPixels = 16;
  static_assert(kCambiCudaPoolPixels % kPixels == 0);
  LOCKSTEP_ROLLED
  for (i32 i = begin + kPixels * thread; i < end; i += kPixels * threads) {
    const uint2* const pairs = reinterpret_cast<const uint2*>(contrasts + i);
    u32 value = kCambiDigitValues;  // none
    u32 count = 0;
    LOCKSTEP_UNROLL
    for (int k = 0; k < kPixels; ++k) {
      // The room of a scale's contrasts is a multiple of 16 of them.
      const uint2 pair = pairs[k / 2];
      const u32 key = i + k < end ? CambiKeyOfBits(k % 2 == 0 ? pair.x : pair.y) : 0;
      const u32 begins = key >> shift >> kCambiDigitBits;
      const bool counts_it = key != 0 && begins == choice.digits;
      const u32 own = counts_it ? key >> shift & (kCambiDigitValues - 1) : u32{kCambiDigitValues};
      if (own != value) {
        if (value != kCambiDigitValues) atomicAdd(counts + value, count);
        value = own;
        count = 0;
      }
      ++count;
      if (begins > choice.digits) greater += CambiUnitsOfKey(key);
    }
    if (value != kCambiDigitValues) atomicAdd(counts + value, count);
  }
  __syncthreads();
  LOCKSTEP_ROLLED
  for (i32 i = thread; i < kCambiDigitValues; i += threads) {
    if (counts[i] != 0) atomicAdd(&sums.totals[digit][i], counts[i]);
  }
  if (digit == kCambiDigits - 1) CambiCudaAdd(greater, &sums.greater);
}

}  // namespace lockstep

#endif

#define LOCKSTEP_CAMBI_CUDA_KERNEL(name, threads, ...)                              \
  extern "C" __global__ void __launch_bounds__(threads)                             \
      lockstep_cambi_##name(const __grid_constant__ lockstep::GroupLaunch launch) { \
    LOCKSTEP_CAMBI_CUDA_BODY(lockstep::__VA_ARGS__(launch);)                        \
  }

LOCKSTEP_CAMBI_CUDA_KERNEL(code_strips_u8, 256, CambiCudaCodes<lockstep::u8>)
LOCKSTEP_CAMBI_CUDA_KERNEL(code_strips_u16, 256, CambiCudaCodes<lockstep::u16>)
LOCKSTEP_CAMBI_CUDA_KERNEL(mask_strips, 256, CambiCudaModes<1>)
LOCKSTEP_CAMBI_CUDA_KERNEL(mask_strips_half, 256, CambiCudaModes<2>)
LOCKSTEP_CAMBI_CUDA_KERNEL(mode_strips, 256, CambiCudaModes<0>)
LOCKSTEP_CAMBI_CUDA_KERNEL(contrast_strips_5, lockstep::kCambiCudaMostColumns, CambiCudaContrasts<5, 4>)
LOCKSTEP_CAMBI_CUDA_KERNEL(contrast_strips_9, lockstep::kCambiCudaMostColumns, CambiCudaContrasts<9, 4>)
LOCKSTEP_CAMBI_CUDA_KERNEL(contrast_strips_17, lockstep::kCambiCudaMostColumns, CambiCudaContrasts<17, 4>)
LOCKSTEP_CAMBI_CUDA_KERNEL(contrast_strips, lockstep::kCambiCudaMostColumns, CambiCudaContrasts<0, 0>)
LOCKSTEP_CAMBI_CUDA_KERNEL(digit_strips, 256, CambiCudaCountDigits)
