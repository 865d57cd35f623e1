// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif's kernels for CUDA from compute capability 8.0 on: filters as products of byte matrices, the statistic for four
// pixels a lane.
#pragma once

#include "features/device/device_kernel.h"
#include "features/vif/vif_arithmetic.h"
#include "features/vif/vif_cuda_arguments.h"
#if defined(__CUDACC__)
#include "features/device/cuda_warp.cuh"
#endif

// Code for older devices, which a newer one gets as well where a build has nothing better for it, must not pass for
// the kernel.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define LOCKSTEP_VIF_CUDA_BODY(...) __trap();
#else
#define LOCKSTEP_VIF_CUDA_BODY(...) __VA_ARGS__

namespace lockstep {

// A filter is the product of a banded matrix: 16 outputs of a filter of up to 17 taps need 32 inputs. Samples, moments
// and taps are cut into bytes, whose products tensor cores add without rounding; those of equal weight share sums.
//
// A warp filters 16 rows and 16 columns a step. Taps are the first operand of both passes. In the vertical pass its
// rows are picture rows and the second operand's columns are picture columns. What a lane gets, two columns of a row
// and of the one 8 below, is, cut into bytes, what it must hold of the second operand of the horizontal pass, where the
// matrices' rows are picture columns and the other way round. So nothing moves between lanes.

/// Samples that a kernel reads: 8 bits, up to 12, up to 15 and 16 bits at scale 0; 16 bits at scales 1 … 3. Those with
/// fewer than 12 or 16 bits are shifted to that many: with a sample 2^n times as large, the filters' rounding constants
/// and shifts for means are 2^n and for squares 2^(2n) times as large, too.
enum class VifCudaSamples { k8Bit, k12Bit, k15Bit, k16Bit };

template <VifCudaSamples kSamples>
struct VifCudaForm {
  static constexpr bool k8Bit = kSamples == VifCudaSamples::k8Bit;
  static constexpr bool k12Bit = kSamples == VifCudaSamples::k12Bit;
  static constexpr bool k16Bit = kSamples == VifCudaSamples::k15Bit || kSamples == VifCudaSamples::k16Bit;
  static constexpr bool kShifted = kSamples == VifCudaSamples::k12Bit || kSamples == VifCudaSamples::k15Bit;
  static constexpr i32 kDepth = k8Bit ? 8 : k12Bit ? 12 : 16;       // after that
  static constexpr int kBytes = k8Bit ? 1 : 2;                      // of a sample
  static constexpr int kProductBytes = k8Bit ? 2 : k12Bit ? 3 : 4;  // of a product of two
  static constexpr int kMeanByte = k8Bit ? 1 : k12Bit ? 0 : 2;      // where 16 bits of a mean's sum begin
  static constexpr u32 kStageBytes = kVifCudaWarpLanes * kVifCudaStepColumns * kBytes;  // of one picture
};

/// What a lane holds all the time. Registers decide how many warps hide each other's waiting, so what a step needs once
/// or twice is in shared memory.
struct VifCudaLane {
  u32 low[4];  // VifCudaTaps
  u32 high[4];
  u32 down;       // VifCudaTaps::down in shared memory
  u32* previous;  // of VifCudaColumns
};

/// Vertically filtered values in bytes, of the last 16 columns in registers and of the 16 before them in shared memory,
/// where lanes have words of their own, 32 words apart.
struct VifCudaColumns {
  static constexpr int kMeans1 = 0;  // of the reference: two bytes
  static constexpr int kMeans2 = 2;
  static constexpr int kSquares1 = 4;  // four bytes
  static constexpr int kSquares2 = 8;
  static constexpr int kProducts = 12;
  static constexpr int kValues = 16;
  static constexpr int kWords = 2 * kValues + 4;
  static_assert(kWords * 4 * kVifCudaWarpLanes == kVifCudaPreviousBytes);

  u32 values[2][kValues];  // of picture rows 0 … 7 and 8 … 15
  u32 down[4];             // 8 rows of the next scale's samples, two bytes for each picture

  [[nodiscard]] __device__ __forceinline__ u32 Word(int word) const {
    return word < 2 * kValues ? values[word / kValues][word % kValues] : down[word - 2 * kValues];
  }
  /// Leaves a word for the next step.
  __device__ __forceinline__ void Leave(const VifCudaLane& lane, int word) const {
    lane.previous[word * kVifCudaWarpLanes] = Word(word);
  }
  /// The word that the last step has left.
  [[nodiscard]] __device__ __forceinline__ u32 Exchange(const VifCudaLane& lane, int word) const {
    const u32 previous = lane.previous[word * kVifCudaWarpLanes];
    Leave(lane, word);
    return previous;
  }
};

/// exact   of a segment of at most kVifCudaLongestSegment steps: see VifCudaAddPixel()
struct VifCudaLaneSums {
  i32 num;  // in units of 1 / 32768
  u32 den;  // modulo 2^32, until kVifCudaLogOffset is taken off
  u64 non_log_num;
  i32 log_count;
};

__device__ __forceinline__ MatrixSums VifCudaZero() { return {{0, 0, 0, 0}}; }

/// Rounding constants that sums begin with: 2^7 and 2^15.
__device__ __forceinline__ MatrixSums VifCudaHalfByte() { return LoadSharedSums(SharedAddress(DynamicShared())); }
__device__ __forceinline__ MatrixSums VifCudaHalfWord() { return LoadSharedSums(SharedAddress(DynamicShared()) + 16); }

/// An index that any row or column can have: mirrored where the filter reads, and somewhere in the picture beyond that.
__device__ __forceinline__ i32 VifCudaMirror(i32 index, i32 length) {
  return min(max(Mirror(index, length), 0), length - 1);
}

/// Four values' bytes kFirst and kFirst + 1, a word for each byte.
template <int kFirst>
__device__ __forceinline__ void VifCudaCutPair(const u32 (&values)[4], u32& low, u32& high) {
  constexpr u32 kSelector = kFirst == 0 ? 0x5140 : kFirst == 1 ? 0x6251 : 0x7362;
  const u32 first = __byte_perm(values[0], values[1], kSelector);
  const u32 second = __byte_perm(values[2], values[3], kSelector);
  low = __byte_perm(first, second, 0x5410);
  high = __byte_perm(first, second, 0x7632);
}

/// Four values' kBytes lowest bytes, a word for each byte.
template <int kBytes>
__device__ __forceinline__ void VifCudaCut(const u32 (&values)[4], u32 (&bytes)[kBytes]) {
  VifCudaCutPair<0>(values, bytes[0], bytes[1]);
  if constexpr (kBytes == 4) VifCudaCutPair<2>(values, bytes[2], bytes[3]);
  if constexpr (kBytes == 3) {
    u32 nothing;
    VifCudaCutPair<2>(values, bytes[2], nothing);
  }
}

/// Sums of taps times values of kBytes bytes; weight[i] counts multiples of 2^(8 i).
/// exact   below 2^21: 17 low bytes of taps add up to less than 2^13, the high ones to 256 at most
template <int kBytes>
struct VifCudaByteSums {
  MatrixSums weight[kBytes + 1];

  __device__ __forceinline__ explicit VifCudaByteSums(const MatrixSums& first) {
    weight[0] = first;
    LOCKSTEP_UNROLL
    for (int i = 1; i <= kBytes; ++i) weight[i] = VifCudaZero();
  }
  __device__ __forceinline__ void Add(const VifCudaLane& lane, int byte, u32 data0, u32 data1) {
    MultiplyBytes(weight[byte], lane.low, data0, data1);
    MultiplyBytes(weight[byte + 1], lane.high, data0, data1);
  }
  __device__ __forceinline__ u32 At(int weight_index, int place) const {
    return static_cast<u32>(weight[weight_index].at[place]);
  }
  /// Modulo 2^32.
  __device__ __forceinline__ u32 Low(int place) const { return At(0, place) + (At(1, place) << 8); }
};

/// A row of a stage has 16 bytes, and 16-bit samples' second half so many bytes further on.
inline constexpr u32 kVifCudaSecondHalf = 512;

/// One row of 16 columns from x on, this lane's, into shared memory; of columns that the row has not, only what fills
/// up 8 bytes. Left of the row: the columns from 0 on, for VifCudaMirrorColumns().
template <int kBytes>
__device__ __forceinline__ void VifCudaStageRow(u32 to, const u8* row, i32 x, i32 width) {
  if (x >= 0 && x + kVifCudaStepColumns <= width) {
    Copy16ToShared(to, row + x * kBytes);
    if constexpr (kBytes == 2) Copy16ToShared(to + kVifCudaSecondHalf, row + x * kBytes + 16);
    return;
  }
  const i32 first = max(x, 0);
  const u8* const from = row + first * kBytes;
  const i32 bytes = (width - first) * kBytes;
  LOCKSTEP_UNROLL
  for (int i = 0; i < 2 * kBytes; ++i) {
    if (8 * i < bytes) Copy8ToShared(to + (i / 2) * kVifCudaSecondHalf + (i % 2) * 8, from + 8 * i);
  }
}

/// Where column 0 … 15 of a row of a stage is.
template <int kBytes>
__device__ __forceinline__ u32 VifCudaStageColumn(i32 column) {
  if constexpr (kBytes == 1) return static_cast<u32>(column);
  return static_cast<u32>(2 * column) + (column >= 8 ? kVifCudaSecondHalf - 16 : 0);
}

/// Fills in the columns beyond either end of a row that a filter reads: this lane's row in the stage of the step from
/// column x on.
/// in      what is copied to `stage` is there and, at a row's end, what the step before had is still in `before`; a
///         segment that begins with the end needs none of that
/// edge    mirror, border sample not repeated. A picture narrower than kVifCudaReach gets columns that mean nothing,
///         but its filter reads less far
template <int kBytes>
__device__ __forceinline__ void VifCudaMirrorColumns(u32 stage, u32 before, i32 x, i32 width) {
  u32 samples[kVifCudaReach];
  LOCKSTEP_UNROLL
  for (int i = 0; i < kVifCudaReach; ++i) {
    // Of columns 1, 2, … or of those from the last but one on to the left.
    const i32 column = x < 0 ? 1 + i : width - 2 - i - x;
    samples[i] = LoadSharedSample<kBytes>((column < 0 ? before : stage) +
                                          VifCudaStageColumn<kBytes>(column & (kVifCudaStepColumns - 1)));
  }
  LOCKSTEP_UNROLL
  for (int i = 0; i < kVifCudaReach; ++i) {
    const i32 column = (x < 0 ? -1 - i : width + i) - x;
    if (column >= 0 && column < kVifCudaStepColumns) {
      StoreSharedSample<kBytes>(stage + VifCudaStageColumn<kBytes>(column), samples[i]);
    }
  }
}

/// Where a lane's row goes in a stage, as LoadMatrices() wants it. A register of an operand has four rows of a column:
/// of 8-bit samples 4 member … 4 member + 3, made of two matrices' rows; of 16-bit samples rows 2 member, 2 member + 1
/// and those 8 below, as the matrices have them.
template <int kBytes>
__device__ __forceinline__ u32 VifCudaStagePlace(i32 lane) {
  if constexpr (kBytes == 2) return static_cast<u32>(lane) * 16;
  return static_cast<u32>(((lane >> 4) * 2 + ((lane >> 1) & 1)) * 8 + ((lane >> 2) & 3) * 2 + (lane & 1)) * 16;
}

/// Samples of one picture as a lane gets them: [8 columns][16 rows][register]. 8-bit samples: four rows of a column.
/// 16-bit samples: two rows, and two of those 8 below. The first index's columns are the even and the odd ones of
/// 8-bit samples, the left and the right ones of 16-bit samples.
template <int kBytes>
struct VifCudaSampleTile {
  u32 at[2][2][kBytes];

  __device__ __forceinline__ void Load(u32 address) {
    u32 matrix[4];
    if constexpr (kBytes == 1) {
      LoadMatrices(matrix, address);
      LOCKSTEP_UNROLL
      for (int half = 0; half < 2; ++half) {
        at[0][half][0] = __byte_perm(matrix[2 * half], matrix[2 * half + 1], 0x6420);
        at[1][half][0] = __byte_perm(matrix[2 * half], matrix[2 * half + 1], 0x7531);
      }
    } else {
      LOCKSTEP_UNROLL
      for (int tile = 0; tile < 2; ++tile) {
        LoadMatrices(matrix, address + 512 * tile);
        LOCKSTEP_UNROLL
        for (int half = 0; half < 2; ++half) {
          at[tile][half][0] = matrix[2 * half];
          at[tile][half][1] = matrix[2 * half + 1];
        }
      }
    }
  }

  /// in      16-bit samples that have the room
  __device__ __forceinline__ void Shift(i32 bits) {
    LOCKSTEP_UNROLL
    for (int i = 0; i < 4 * kBytes; ++i) at[i / (2 * kBytes)][i / kBytes % 2][i % kBytes] <<= bits;
  }

  /// Bytes of the samples as the second operand of a product.
  __device__ __forceinline__ void Bytes(int tile, u32 (&bytes)[kBytes][2]) const {
    LOCKSTEP_UNROLL
    for (int half = 0; half < 2; ++half) {
      if constexpr (kBytes == 1) {
        bytes[0][half] = at[tile][half][0];
      } else {
        bytes[0][half] = __byte_perm(at[tile][half][0], at[tile][half][1], 0x6420);
        bytes[1][half] = __byte_perm(at[tile][half][0], at[tile][half][1], 0x7531);
      }
    }
  }
};

/// Bytes of products of samples as the second operand.
template <int kBytes, int kProductBytes>
__device__ __forceinline__ void VifCudaProductBytes(const VifCudaSampleTile<kBytes>& a,
                                                    const VifCudaSampleTile<kBytes>& b, int tile,
                                                    u32 (&bytes)[kProductBytes][2]) {
  LOCKSTEP_UNROLL
  for (int half = 0; half < 2; ++half) {
    if constexpr (kBytes == 1) {
      // Two products of 16 bits in a register: the upper factors keep their place in the word, 2^8 each.
      const u32 u = a.at[tile][half][0];
      const u32 v = b.at[tile][half][0];
      const u32 lower = (u & 0xff00u) * (v & 0xff00u) + (u & 0xffu) * (v & 0xffu);
      const u32 u_high = u >> 16;
      const u32 v_high = v >> 16;
      const u32 upper = (u_high & 0xff00u) * (v_high & 0xff00u) + (u_high & 0xffu) * (v_high & 0xffu);
      bytes[0][half] = __byte_perm(lower, upper, 0x6420);
      bytes[1][half] = __byte_perm(lower, upper, 0x7531);
    } else {
      u32 products[4];
      LOCKSTEP_UNROLL
      for (int i = 0; i < 2; ++i) {
        const u32 u = a.at[tile][half][i];
        const u32 v = b.at[tile][half][i];
        products[2 * i] = (u & 0xffffu) * (v & 0xffffu);
        products[2 * i + 1] = (u >> 16) * (v >> 16);
      }
      u32 cut[kProductBytes];
      VifCudaCut<kProductBytes>(products, cut);
      LOCKSTEP_UNROLL
      for (int i = 0; i < kProductBytes; ++i) bytes[i][half] = cut[i];
    }
  }
}

/// A vertically filtered mean, rounded; its 16 bits begin at byte VifCudaForm::kMeanByte. The constant of 8 bits is in
/// the sum already.
/// exact   sum + half < 2^32, as VifMomentSums says
template <VifCudaSamples kSamples>
__device__ __forceinline__ u32 VifCudaRoundMean(u32 sum) {
  if constexpr (VifCudaForm<kSamples>::k12Bit) return (sum + (1u << 11)) >> 12;
  if constexpr (VifCudaForm<kSamples>::k16Bit) return sum + (1u << 15);
  return sum;
}

/// Puts the four values that a lane has of a row of both tiles into the order of the second operand's rows.
template <int kBytes>
__device__ __forceinline__ void VifCudaOrder(const u32 (&left)[2], const u32 (&right)[2], u32 (&values)[4]) {
  values[0] = left[0];
  values[1] = kBytes == 1 ? right[0] : left[1];
  values[2] = kBytes == 1 ? left[1] : right[0];
  values[3] = right[1];
}

/// Vertical filter of a picture's samples, for means and for the next scale, into values[.][first …], down[first …].
template <VifCudaSamples kSamples>
__device__ __forceinline__ void VifCudaFilterMeans(const VifCudaLane& lane,
                                                   const VifCudaSampleTile<VifCudaForm<kSamples>::kBytes>& samples,
                                                   int first, VifCudaColumns& columns) {
  using Form = VifCudaForm<kSamples>;
  constexpr int kBytes = Form::kBytes;
  u32 means[2][2][2];  // [row half][tile][column]
  u32 down[2][2];
  u32 down_taps[4];
  LoadSharedWords(down_taps, lane.down);
  LOCKSTEP_UNROLL
  for (int tile = 0; tile < 2; ++tile) {
    u32 bytes[kBytes][2];
    samples.Bytes(tile, bytes);
    VifCudaByteSums<kBytes> sums(Form::k8Bit ? VifCudaHalfByte() : VifCudaZero());
    MatrixSums down_sums[kBytes];
    LOCKSTEP_UNROLL
    for (int i = 0; i < kBytes; ++i) {
      sums.Add(lane, i, bytes[i][0], bytes[i][1]);
      down_sums[i] = VifCudaZero();
      MultiplyBytes(down_sums[i], down_taps, bytes[i][0], bytes[i][1]);
    }
    LOCKSTEP_UNROLL
    for (int place = 0; place < 4; ++place) {
      u32 sum = sums.Low(place);
      if constexpr (kBytes == 2) sum += sums.At(2, place) << 16;
      means[place >> 1][tile][place & 1] = VifCudaRoundMean<kSamples>(sum);
    }
    LOCKSTEP_UNROLL
    for (int place = 0; place < 2; ++place) {
      u32 sum = static_cast<u32>(down_sums[0].at[place]) + (static_cast<u32>(down_sums[0].at[place + 2]) << 8);
      if constexpr (kBytes == 2) {
        sum += (static_cast<u32>(down_sums[1].at[place]) << 8) + (static_cast<u32>(down_sums[1].at[place + 2]) << 16);
      }
      down[tile][place] = VifCudaRoundMean<kSamples>(Form::k8Bit ? sum + 128 : sum);
    }
  }
  u32 values[4];
  LOCKSTEP_UNROLL
  for (int half = 0; half < 2; ++half) {
    VifCudaOrder<kBytes>(means[half][0], means[half][1], values);
    VifCudaCutPair<Form::kMeanByte>(values, columns.values[half][first], columns.values[half][first + 1]);
  }
  VifCudaOrder<kBytes>(down[0], down[1], values);
  VifCudaCutPair<Form::kMeanByte>(values, columns.down[first], columns.down[first + 1]);
}

/// floor(sum / 2^16 + 1/2) of four bytes' sums whose first one began with 2^15.
/// exact   modulo 2^32; the sums of weight 2^16 and more have nothing to round
__device__ __forceinline__ u32 VifCudaRoundWord(const VifCudaByteSums<4>& sums, int place) {
  return (sums.Low(place) >> 16) + sums.At(2, place) + (sums.At(3, place) << 8) + (sums.At(4, place) << 16);
}

/// Vertical filter of products of samples, into values[.][first … first + 3].
template <VifCudaSamples kSamples>
__device__ __forceinline__ void VifCudaFilterProducts(const VifCudaLane& lane,
                                                      const VifCudaSampleTile<VifCudaForm<kSamples>::kBytes>& a,
                                                      const VifCudaSampleTile<VifCudaForm<kSamples>::kBytes>& b,
                                                      int first, VifCudaColumns& columns) {
  using Form = VifCudaForm<kSamples>;
  constexpr int kProductBytes = Form::kProductBytes;
  u32 moments[2][2][2];  // [row half][tile][column]
  LOCKSTEP_UNROLL
  for (int tile = 0; tile < 2; ++tile) {
    u32 bytes[kProductBytes][2];
    VifCudaProductBytes<Form::kBytes, kProductBytes>(a, b, tile, bytes);
    VifCudaByteSums<kProductBytes> sums(Form::k16Bit ? VifCudaHalfWord() : VifCudaZero());
    LOCKSTEP_UNROLL
    for (int i = 0; i < kProductBytes; ++i) sums.Add(lane, i, bytes[i][0], bytes[i][1]);
    LOCKSTEP_UNROLL
    for (int place = 0; place < 4; ++place) {
      u32 moment = 0;
      if constexpr (Form::k8Bit) moment = sums.Low(place) + (sums.At(2, place) << 16);
      // floor(sum / 2^8 + 1/2). Low() < 2^30, so that the rounding constant has room.
      if constexpr (Form::k12Bit) {
        moment = ((sums.Low(place) + (1u << 7)) >> 8) + (sums.At(2, place) << 8) + (sums.At(3, place) << 16);
      }
      if constexpr (Form::k16Bit) moment = VifCudaRoundWord(sums, place);
      moments[place >> 1][tile][place & 1] = moment;
    }
  }
  LOCKSTEP_UNROLL
  for (int half = 0; half < 2; ++half) {
    u32 values[4];
    u32 cut[4];
    VifCudaOrder<Form::kBytes>(moments[half][0], moments[half][1], values);
    VifCudaCut<4>(values, cut);
    LOCKSTEP_UNROLL
    for (int i = 0; i < 4; ++i) columns.values[half][first + i] = cut[i];
  }
}

/// Vertical pass of a step.
template <VifCudaSamples kSamples, bool kScored>
__device__ __forceinline__ void VifCudaFilterColumns(const VifCudaLane& lane, const VifCudaArguments& args, u32 stage,
                                                     VifCudaColumns& columns) {
  using Form = VifCudaForm<kSamples>;
  VifCudaSampleTile<Form::kBytes> reference;
  VifCudaSampleTile<Form::kBytes> distorted;
  reference.Load(stage);
  distorted.Load(stage + Form::kStageBytes);
  if constexpr (Form::kShifted) {
    reference.Shift(Form::kDepth - args.bit_depth);
    distorted.Shift(Form::kDepth - args.bit_depth);
  }
  VifCudaFilterMeans<kSamples>(lane, reference, VifCudaColumns::kMeans1, columns);
  VifCudaFilterMeans<kSamples>(lane, distorted, VifCudaColumns::kMeans2, columns);
  if constexpr (kScored) {
    VifCudaFilterProducts<kSamples>(lane, reference, reference, VifCudaColumns::kSquares1, columns);
    VifCudaFilterProducts<kSamples>(lane, reference, distorted, VifCudaColumns::kProducts, columns);
    VifCudaFilterProducts<kSamples>(lane, distorted, distorted, VifCudaColumns::kSquares2, columns);
  }
}

/// Horizontal filter of kBytes bytes of a value from word `first` on.
template <int kBytes>
__device__ __forceinline__ void VifCudaFilterRows(const VifCudaLane& lane, const VifCudaColumns& columns, int first,
                                                  VifCudaByteSums<kBytes>& sums) {
  LOCKSTEP_UNROLL
  for (int i = 0; i < kBytes; ++i) sums.Add(lane, i, columns.Exchange(lane, first + i), columns.Word(first + i));
}

/// Means: sums without rounding.
__device__ __forceinline__ void VifCudaFilterRowMeans(const VifCudaLane& lane, const VifCudaColumns& columns, int first,
                                                      u32 (&means)[4]) {
  VifCudaByteSums<2> sums(VifCudaZero());
  VifCudaFilterRows<2>(lane, columns, first, sums);
  LOCKSTEP_UNROLL
  for (int place = 0; place < 4; ++place) means[place] = sums.Low(place) + (sums.At(2, place) << 16);
}

/// Second moments.
__device__ __forceinline__ void VifCudaFilterRowMoments(const VifCudaLane& lane, const VifCudaColumns& columns,
                                                        int first, u32 (&moments)[4]) {
  VifCudaByteSums<4> sums(VifCudaHalfWord());
  VifCudaFilterRows<4>(lane, columns, first, sums);
  LOCKSTEP_UNROLL
  for (int place = 0; place < 4; ++place) moments[place] = VifCudaRoundWord(sums, place);
}

/// numerator / denominator, rounded once: what the compiler makes of a division, without its branch for operands that
/// are very large or small. Newton's steps take the reciprocal from 20 bits to all, and the quotient is corrected by
/// the rest that it leaves, which a fused operation gives without error. in      0 <= numerator < 2^31, and 2^17 <=
/// denominator < 2^32 or both 0 and 65536e-10
__device__ __forceinline__ double VifCudaDivide(double numerator, double denominator) {
  double reciprocal = ApproximateReciprocal(denominator);
  double error = __fma_rn(-denominator, reciprocal, 1.0);
  error = __fma_rn(error, error, error);
  reciprocal = __fma_rn(reciprocal, error, reciprocal);
  error = __fma_rn(-denominator, reciprocal, 1.0);
  reciprocal = __fma_rn(reciprocal, error, reciprocal);
  const double quotient = __dmul_rn(numerator, reciprocal);
  const double rest = __fma_rn(-denominator, quotient, numerator);
  return __fma_rn(reciprocal, rest, quotient);
}

/// 32768 (exponent + 1023) plus the first 15 bits of the mantissa. With the table's entry of these bits it is
/// 16 VifLog(value) + 32768 * 1023.
__device__ __forceinline__ i32 VifCudaLogLine(double value) { return __double2hiint(value) >> 5; }

__device__ __forceinline__ i32 VifCudaLogCurve(const i16* logs, i32 line) {
  return logs[line & (kVifCudaLogEntries - 1)];
}

/// What VifCudaAddPixel() adds to `den` beyond 16 VifDenominatorLog(), for every pixel.
inline constexpr u32 kVifCudaLogOffset = (1023u + 17u) << 15;

/// VifAddPixel() with VifGainBinary64, for s1, s2 and s12 that are 0 where the pixel is none of the logarithms: then it
/// adds kVifCudaLogOffset to `den`, else 16 times the logarithms.
///
/// exact   The residual: |s2 - g s12| < 2^31, for which the lower word of the sum with 1.5 * 2^52 + kVifNoise is the
///         difference rounded down, which below 0 stays below kVifNoise as truncation does. Variances are at most 2^30,
///         and the means' rounding moves variances and covariance by 2^16 and a few units at most; from s12^2 <= s1 s2
///         before the rounding and s1 >= 2^17 follows g s12 < 1.5 s2 + 2^26.
///         The signal: at most 100^2 * 2^31 < 2^45; rounded down in a sum with 2^52 and the noise, which is an integer.
///         den adds less than 2^19 and num less than 2^20 a pixel.
__device__ __forceinline__ void VifCudaAddPixel(VifCudaLaneSums& sums, i32 s1, i32 s2, i32 s12, const i16* logs,
                                                double gain_limit) {
  constexpr double kEpsilon = 65536 * 1.0e-10;
  constexpr double kTwoTo52 = 4503599627370496.0;
  const double reference = __int2double_rn(s1);
  const double covariance = __int2double_rn(s12);
  const double distorted = __int2double_rn(s2);
  const double gain = VifCudaDivide(covariance, __dadd_rn(reference, kEpsilon));
  const double residual = __dadd_rn(distorted, -__dmul_rn(gain, covariance));
  const i32 noise = max(__double2loint(__dadd_rd(residual, 1.5 * kTwoTo52 + kVifNoise)), kVifNoise);
  const double limited = gain < gain_limit ? gain : gain_limit;
  // kTwoTo52 plus the noise has it in the lower word.
  const double shifted_noise = __hiloint2double(0x43300000, noise);
  const double signal = __dmul_rn(__dmul_rn(limited, limited), reference);
  const i32 with_signal = VifCudaLogLine(__dadd_rn(__dadd_rd(signal, shifted_noise), -kTwoTo52));
  const i32 without_signal = VifCudaLogLine(__dadd_rn(shifted_noise, -kTwoTo52));
  const i32 denominator = VifCudaLogLine(__dadd_rn(reference, kVifNoise));
  sums.den += static_cast<u32>(denominator + VifCudaLogCurve(logs, denominator));
  sums.num += with_signal - without_signal;
  sums.num += VifCudaLogCurve(logs, with_signal) - VifCudaLogCurve(logs, without_signal);
}

/// Statistic of 16 columns from x on and 8 rows from y on, four pixels a lane; `half` of `columns` are these rows.
__device__ __forceinline__ void VifCudaAddRows(const VifCudaLane& lane, const VifCudaArguments& args,
                                               const VifCudaColumns& columns, int half, i32 x, i32 y, bool cut,
                                               const i16* logs, VifCudaLaneSums& sums) {
  u32 mean1[4];
  u32 mean2[4];
  u32 square1[4];
  u32 square2[4];
  u32 product[4];
  const int first = half * VifCudaColumns::kValues;
  VifCudaFilterRowMeans(lane, columns, first + VifCudaColumns::kMeans1, mean1);
  VifCudaFilterRowMeans(lane, columns, first + VifCudaColumns::kMeans2, mean2);
  VifCudaFilterRowMoments(lane, columns, first + VifCudaColumns::kSquares1, square1);
  VifCudaFilterRowMoments(lane, columns, first + VifCudaColumns::kSquares2, square2);
  VifCudaFilterRowMoments(lane, columns, first + VifCudaColumns::kProducts, product);
  i32 s1[4];
  i32 s2[4];
  i32 s12[4];
  LOCKSTEP_UNROLL
  for (int i = 0; i < 4; ++i) {
    s1[i] = static_cast<i32>(square1[i] - VifMeanProduct(mean1[i], mean1[i]));
    s2[i] = static_cast<i32>(square2[i] - VifMeanProduct(mean2[i], mean2[i]));
    s12[i] = static_cast<i32>(product[i] - VifMeanProduct(mean1[i], mean2[i]));
  }
  if (cut) {
    LOCKSTEP_UNROLL
    for (int i = 0; i < 4; ++i) {
      const i32 column = x + MatrixGroup() + (i >> 1) * 8;
      const i32 row = y + 2 * MatrixMember() + (i & 1);
      const bool inside = static_cast<u32>(column) < static_cast<u32>(args.width) && row < args.height;
      s1[i] = inside ? s1[i] : 0;
      s2[i] = inside ? s2[i] : 0;
    }
  }
  // Two variances fit 32 bits, four need not.
  u32 non_log[2] = {0, 0};
  LOCKSTEP_UNROLL
  for (int i = 0; i < 4; ++i) {
    const bool in_logs = s1[i] >= kVifNoise;
    s2[i] = max(s2[i], 0);
    non_log[i & 1] += in_logs ? 0u : static_cast<u32>(s2[i]);
    sums.log_count += in_logs ? 1 : 0;
    s12[i] = in_logs && s2[i] > 0 ? max(s12[i], 0) : 0;
    s1[i] = in_logs ? s1[i] : 0;
  }
  sums.non_log_num += non_log[0];
  sums.non_log_num += non_log[1];
  LOCKSTEP_UNROLL
  for (int i = 0; i < 4; ++i) VifCudaAddPixel(sums, s1[i], s2[i], s12[i], logs, args.gain_limit);
  // Four pixels at a time: the assembler would mix all eight of a step, whose numbers do not fit the registers. It
  // moves no look-up of a logarithm across this.
  __syncwarp();
}

/// 8 columns from x on and 8 rows from y on of one of the next scale's pictures, whose bytes are words `low` and
/// low + 1.
__device__ __forceinline__ void VifCudaStoreNext(const VifCudaLane& lane, const VifCudaArguments& args,
                                                 const VifCudaColumns& columns, int low, i32 x, i32 y, u16* picture) {
  MatrixSums low_sums = VifCudaZero();
  MatrixSums high_sums = VifCudaZero();
  u32 taps[4];
  LoadSharedWords(taps, lane.down);
  MultiplyBytes(low_sums, taps, columns.Exchange(lane, low), columns.Word(low));
  MultiplyBytes(high_sums, taps, columns.Exchange(lane, low + 1), columns.Word(low + 1));
  const i32 column = x + MatrixGroup();
  const i32 row = y + 2 * MatrixMember();
  // A picture has less than 2^31 samples.
  u16* const first = picture + row * args.next_stride + column;
  LOCKSTEP_UNROLL
  for (int i = 0; i < 2; ++i) {
    const u32 sum = static_cast<u32>(low_sums.at[i]) +
                    ((static_cast<u32>(high_sums.at[i]) + static_cast<u32>(low_sums.at[i + 2])) << 8) +
                    (static_cast<u32>(high_sums.at[i + 2]) << 16) + 32768;
    if (static_cast<u32>(column) < static_cast<u32>(args.next_columns) && row + i < args.next_height) {
      first[i * args.next_stride] = static_cast<u16>(sum >> 16);
    }
  }
}

/// Horizontal pass of a step, and what becomes of it: 16 columns from x on of the strip from row y on.
template <bool kScored>
__device__ __forceinline__ void VifCudaFinishStep(const VifCudaLane& lane, const VifCudaArguments& args,
                                                  const VifCudaColumns& columns, i32 x, i32 y, const i16* logs,
                                                  VifCudaLaneSums& sums) {
  constexpr int kDown = 2 * VifCudaColumns::kValues;
  // x and y are even.
  VifCudaStoreNext(lane, args, columns, kDown, x >> 1, y >> 1, Global(args.next_reference));
  VifCudaStoreNext(lane, args, columns, kDown + 2, x >> 1, y >> 1, Global(args.next_distorted));
  if constexpr (kScored) {
    const bool cut = x < 0 || x + kVifCudaStepColumns > args.width || y + kVifCudaStripRows > args.height;
    LOCKSTEP_UNROLL
    for (int half = 0; half < 2; ++half) {
      VifCudaAddRows(lane, args, columns, half, x, y + 8 * half, cut, logs, sums);
    }
  }
}

/// Adds what the lanes of a warp have to the sums of their picture.
/// in      den without kVifCudaLogOffset
/// exact   multiples of 16 before the shift
__device__ __forceinline__ void VifCudaStoreSums(const VifCudaLaneSums& sums, i32 lane, u64* total) {
  constexpr u32 kAllLanes = 0xffffffffu;
  const i32 num = __reduce_add_sync(kAllLanes, sums.num >> 4);
  const i32 den = __reduce_add_sync(kAllLanes, static_cast<i32>(sums.den) >> 4);
  const i32 log_count = __reduce_add_sync(kAllLanes, sums.log_count);
  u64 non_log_num = sums.non_log_num;
  LOCKSTEP_UNROLL
  for (int distance = 16; distance > 0; distance /= 2) {
    non_log_num += __shfl_xor_sync(kAllLanes, non_log_num, distance);
  }
  if (lane == 0) {
    atomicAdd(total + kVifCudaNumLog, static_cast<u64>(num));
    atomicAdd(total + kVifCudaDenLog, static_cast<u64>(den));
    atomicAdd(total + kVifCudaNonLogNum, non_log_num);
    atomicAdd(total + kVifCudaLogCount, static_cast<u64>(log_count));
  }
}

/// What a block's shared memory begins with.
__device__ __forceinline__ void VifCudaFillShared(const VifCudaArguments& args) {
  const i32 thread = static_cast<i32>(threadIdx.x);
  const u32 shared = SharedAddress(DynamicShared());
  if (thread < 4) {
    StoreShared(shared + 4 * thread, 1u << 7);
    StoreShared(shared + 16 + 4 * thread, 1u << 15);
  }
  if (thread < kVifCudaWarpLanes) {
    LOCKSTEP_UNROLL
    for (int i = 0; i < 4; ++i) {
      StoreShared(shared + kVifCudaDownTaps + 16 * thread + 4 * i, Global(args.taps)[thread].down[i]);
    }
  }
}

/// The logarithms, in this lane's next group of copies; nobody needs them before that.
__device__ __forceinline__ void VifCudaCopyLogs(const VifCudaArguments& args) {
  const u32 shared = SharedAddress(DynamicShared());
  for (i32 i = static_cast<i32>(threadIdx.x) * 16; i < kVifCudaLogBytes; i += static_cast<i32>(blockDim.x) * 16) {
    Copy16ToShared(shared + kVifCudaLogs + i, reinterpret_cast<const u8*>(Global(args.logs)) + i);
  }
}

/// The arguments of a warp's picture in shared memory, from where they are at hand sooner.
__device__ __forceinline__ const VifCudaArguments& VifCudaCopyArguments(const VifCudaArguments& from,
                                                                        VifCudaArguments* to, i32 lane) {
  constexpr i32 kWords = static_cast<i32>(sizeof(VifCudaArguments) / sizeof(u32));
  static_assert(kWords <= kVifCudaWarpLanes);
  // The warp is done with those of the picture before.
  __syncwarp();
  if (lane < kWords) reinterpret_cast<u32*>(to)[lane] = reinterpret_cast<const u32*>(&from)[lane];
  __syncwarp();
  return *to;
}

/// A scale: its sums and the pictures of the next one. A block takes as many strips as it has warps, and
/// launch.plan steps of each.
template <VifCudaSamples kSamples, bool kScored>
__device__ __forceinline__ void VifCudaScale(const GroupLaunch& launch) {
  using Form = VifCudaForm<kSamples>;
  constexpr int kBytes = Form::kBytes;
  constexpr u32 kStagePair = 2 * Form::kStageBytes;
  const auto* const frames = Global(static_cast<const VifCudaArguments*>(launch.frames));
  const i32 lane_index = static_cast<i32>(threadIdx.x) % kVifCudaWarpLanes;
  const i32 warp = static_cast<i32>(threadIdx.x) / kVifCudaWarpLanes;
  const i32 warps = static_cast<i32>(blockDim.x) / kVifCudaWarpLanes;
  u8* const shared = DynamicShared();
  u8* const own = shared + VifCudaSharedBytes(warp, kBytes, kScored);
  auto* const own_arguments = reinterpret_cast<VifCudaArguments*>(own + 2 * kStagePair + kVifCudaPreviousBytes);
  const u32 stages = SharedAddress(own);
  const u32 stage_to = stages + VifCudaStagePlace<kBytes>(lane_index);
  const u32 stage_from = stages + 16 * static_cast<u32>(lane_index);

  VifCudaLane lane;
  LOCKSTEP_UNROLL
  for (int i = 0; i < 4; ++i) {
    lane.low[i] = Global(frames->taps)[lane_index].low[i];
    lane.high[i] = Global(frames->taps)[lane_index].high[i];
  }
  lane.down = SharedAddress(shared) + kVifCudaDownTaps + 16 * static_cast<u32>(lane_index);
  lane.previous = reinterpret_cast<u32*>(own + 2 * kStagePair) + lane_index;

  const i32 steps = VifCudaSteps(frames->width);
  const i32 strips = VifCudaStrips(frames->height);
  const i32 segments = (steps + launch.plan - 1) / launch.plan;
  const i32 all_strips = launch.frame_count * strips;
  const i32 items = (all_strips + warps - 1) / warps * segments;
  for (i32 item = static_cast<i32>(blockIdx.x); item < items; item += static_cast<i32>(gridDim.x)) {
    const i32 strip = item / segments * warps + warp;
    // The last warps have no strip. They go through the motions below the first picture, where nothing counts, so that
    // all warps meet.
    const bool live = strip < all_strips;
    const VifCudaArguments& args = VifCudaCopyArguments(frames[live ? strip / strips : 0], own_arguments, lane_index);
    const i32 y = (live ? strip % strips : strips) * kVifCudaStripRows;
    // Planes have less than 2^32 bytes.
    const u32 row = static_cast<u32>(VifCudaMirror(y - kVifCudaReach + lane_index, args.height));
    const u32 reference_row = row * static_cast<u32>(args.reference_pitch);
    const u32 distorted_row = row * static_cast<u32>(args.distorted_pitch);
    const i32 begin = item % segments * launch.plan;
    const i32 end = min(begin + launch.plan, steps);
    const auto stage_offset = [&](i32 step) { return ((step - begin) & 1) != 0 ? kStagePair : 0; };
    const auto stage = [&](i32 step) {
      const u32 to = stage_to + stage_offset(step);
      const i32 x = step * kVifCudaStepColumns;
      VifCudaStageRow<kBytes>(to, Global(args.reference) + reference_row, x, args.width);
      VifCudaStageRow<kBytes>(to + Form::kStageBytes, Global(args.distorted) + distorted_row, x, args.width);
      CloseCopyGroup();
    };

    VifCudaLaneSums sums = {0, 0, 0, 0};
    stage(begin - 1);
    const bool is_first = item == static_cast<i32>(blockIdx.x);
    if (is_first) {
      // After the first rows are on their way.
      VifCudaFillShared(*frames);
      if constexpr (kScored) VifCudaCopyLogs(*frames);
      __syncthreads();
    }
    LOCKSTEP_ROLLED
    for (i32 step = begin - 1; step < end; ++step) {
      __syncwarp();
      const i32 x = step * kVifCudaStepColumns;
      if (x < 0 || x + kVifCudaStepColumns > args.width) {
        WaitForCopyGroups<0>();
        const u32 here = stage_to + stage_offset(step);
        const u32 before = stage_to + stage_offset(step - 1);
        VifCudaMirrorColumns<kBytes>(here, before, x, args.width);
        VifCudaMirrorColumns<kBytes>(here + Form::kStageBytes, before + Form::kStageBytes, x, args.width);
      }
      stage(step + 1);
      WaitForCopyGroups<1>();
      if (kScored && is_first && step == begin) {
        // All warps' copies of the logarithms have arrived.
        __syncthreads();
      } else {
        __syncwarp();
      }
      VifCudaColumns columns;
      VifCudaFilterColumns<kSamples, kScored>(lane, args, stage_from + stage_offset(step), columns);
      if (step >= begin) {
        VifCudaFinishStep<kScored>(lane, args, columns, x - kVifCudaReach, y,
                                   reinterpret_cast<const i16*>(shared + kVifCudaLogs), sums);
      } else {
        // The step before the segment only leaves its columns.
        LOCKSTEP_UNROLL
        for (int word = 0; word < VifCudaColumns::kWords; ++word) {
          if (kScored || word >= 2 * VifCudaColumns::kValues) columns.Leave(lane, word);
        }
      }
    }
    WaitForCopyGroups<0>();
    __syncwarp();
    if constexpr (kScored) {
      sums.den -= static_cast<u32>(end - begin) * 8 * kVifCudaLogOffset;
      VifCudaStoreSums(sums, lane_index, Global(args.sums));
    }
  }
}

}  // namespace lockstep

#endif

// A multiprocessor has registers for 12 warps of 168 a lane. Before compute capability 9.0 shared memory has no room
// for that many where samples have two bytes, and their kernels need a few registers more.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define LOCKSTEP_VIF_CUDA_WIDE_WARPS 8
#else
#define LOCKSTEP_VIF_CUDA_WIDE_WARPS lockstep::kVifCudaMostWarps
#endif
#define LOCKSTEP_VIF_CUDA_KERNEL(name, warps, samples, scored)                                         \
  extern "C" __global__ void __launch_bounds__((warps)*lockstep::kVifCudaWarpLanes, 1)                 \
      lockstep_vif_##name(const __grid_constant__ lockstep::GroupLaunch launch) {                      \
    LOCKSTEP_VIF_CUDA_BODY(lockstep::VifCudaScale<lockstep::VifCudaSamples::samples, scored>(launch);) \
  }

LOCKSTEP_VIF_CUDA_KERNEL(scale_8_bit, lockstep::kVifCudaMostWarps, k8Bit, true)
LOCKSTEP_VIF_CUDA_KERNEL(scale_12_bit, LOCKSTEP_VIF_CUDA_WIDE_WARPS, k12Bit, true)
LOCKSTEP_VIF_CUDA_KERNEL(scale_15_bit, LOCKSTEP_VIF_CUDA_WIDE_WARPS, k15Bit, true)
LOCKSTEP_VIF_CUDA_KERNEL(scale_16_bit, LOCKSTEP_VIF_CUDA_WIDE_WARPS, k16Bit, true)
LOCKSTEP_VIF_CUDA_KERNEL(down_8_bit, lockstep::kVifCudaMostWarps, k8Bit, false)
LOCKSTEP_VIF_CUDA_KERNEL(down_12_bit, lockstep::kVifCudaMostWarps, k12Bit, false)
LOCKSTEP_VIF_CUDA_KERNEL(down_15_bit, lockstep::kVifCudaMostWarps, k15Bit, false)
LOCKSTEP_VIF_CUDA_KERNEL(down_16_bit, lockstep::kVifCudaMostWarps, k16Bit, false)
