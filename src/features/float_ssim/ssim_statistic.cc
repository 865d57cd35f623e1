// SPDX-License-Identifier: BSD-2-Clause-Patent
// Similarity terms and decimation in plain order: the oracle of the vector code.
#include "features/float_ssim/ssim_statistic.h"

#include <limits>

#include "exact/elementary.h"
#include "exact/integer_math.h"

namespace lockstep {
namespace {

template <class Sample>
void LoadSamples(const SsimPlane& plane, i32 y, float* out) {
  const auto* row = static_cast<const Sample*>(plane.data) + y * plane.stride;
  for (i32 x = 0; x < plane.width; ++x) out[x] = SsimSample(row[x], plane.inverse_scaler);
}

void LoadRow(const SsimPlane& plane, i32 y, float* out) {
  switch (plane.type) {
    case SsimSampleType::kU8:
      LoadSamples<u8>(plane, y, out);
      break;
    case SsimSampleType::kU16:
      LoadSamples<u16>(plane, y, out);
      break;
    case SsimSampleType::kFloat: {
      const float* row = static_cast<const float*>(plane.data) + y * plane.stride;
      for (i32 x = 0; x < plane.width; ++x) out[x] = row[x];
      break;
    }
  }
}

void AddPixel(SsimWanted wanted, const SsimMoments& moments, SsimSums& sums) {
  const SsimVariances variances = SsimVariancesOf(moments);
  // For a binary32 argument the binary64 root, rounded, is the binary32 root.
  const float product = variances.reference * variances.distorted;
  const auto deviations = static_cast<float>(exact::Sqrt(static_cast<double>(product)));
  const double luminance = SsimLuminance(moments.reference, moments.distorted);
  const double contrast = SsimContrast(variances, deviations);
  const auto structure = static_cast<double>(SsimStructure(variances, deviations));
  if (wanted == SsimWanted::kProduct || wanted == SsimWanted::kProductAndTerms) {
    sums.product += luminance * contrast * structure;
  }
  if (wanted == SsimWanted::kProduct) return;
  if (wanted != SsimWanted::kContrastAndStructure) sums.luminance += luminance;
  sums.contrast += contrast;
  sums.structure += structure;
}

}  // namespace

SsimPlane SsimPlaneOf(const PlaneView& plane, int bit_depth) {
  const bool narrow = bit_depth == 8;
  return {plane.data,
          narrow ? plane.stride_bytes : plane.stride_bytes / 2,
          plane.width,
          plane.height,
          narrow ? SsimSampleType::kU8 : SsimSampleType::kU16,
          1.0f / static_cast<float>(1 << (bit_depth - 8))};
}

SsimPlane SsimPlaneOf(const float* data, i64 stride, i32 width, i32 height) {
  return {data, stride, width, height, SsimSampleType::kFloat, 1.0f};
}

std::size_t SsimStatisticBytes(i32 width) {
  // Samples and products, a ring of rows that are filtered along, and the terms of a row in binary64.
  constexpr i64 kLines = kSsimPlanes + kSsimTaps * kSsimPlanes + 4 * 2;
  return static_cast<std::size_t>(kLines * SsimPitch(width)) * sizeof(float);
}

SsimSums SsimStatistic(const SsimStatisticArgs& args) {
  const i32 width = args.reference.width;
  const i64 pitch = SsimPitch(width);
  auto* const samples = static_cast<float*>(args.lines);
  float* const ring = samples + kSsimPlanes * pitch;
  float* const r = samples;
  float* const c = samples + pitch;
  SsimSums sums = {0.0, 0.0, 0.0, 0.0};
  for (i32 y = 0; y < args.reference.height; ++y) {
    LoadRow(args.reference, y, r);
    LoadRow(args.distorted, y, c);
    for (i32 x = 0; x < width; ++x) {
      samples[2 * pitch + x] = r[x] * r[x];
      samples[3 * pitch + x] = c[x] * c[x];
      samples[4 * pitch + x] = r[x] * c[x];
    }
    for (i32 plane = 0; plane < kSsimPlanes; ++plane) {
      float* const filtered = ring + (plane * kSsimTaps + y % kSsimTaps) * pitch;
      for (i32 x = 0; x < width - kSsimBorder; ++x) filtered[x] = SsimWindowed(samples + plane * pitch + x, 1);
    }
    if (y < kSsimBorder) continue;
    for (i32 x = 0; x < width - kSsimBorder; ++x) {
      float values[kSsimPlanes];
      for (i32 plane = 0; plane < kSsimPlanes; ++plane) {
        float column[kSsimTaps];
        for (i32 k = 0; k < kSsimTaps; ++k) {
          column[k] = ring[(plane * kSsimTaps + (y - kSsimBorder + k) % kSsimTaps) * pitch + x];
        }
        values[plane] = SsimWindowed(column, 1);
      }
      AddPixel(args.wanted, {values[0], values[1], values[2], values[3], values[4]}, sums);
    }
  }
  return sums;
}

std::size_t SsimDecimateBytes(i32 width, i32 taps) {
  // A row in binary64, or rows with mirrored samples on either side, which the vector form splits in two.
  const i64 pitch = SsimPitch(width + 2 * taps + 96);
  return static_cast<std::size_t>((taps > 2 ? taps : 2) * pitch) * sizeof(float);
}

void SsimDecimate(const SsimDecimateArgs& args) {
  const SsimPlane& plane = args.plane;
  const i32 centre = args.taps / 2;
  const i64 pitch = SsimPitch(plane.width + 2 * args.taps + 96);
  auto* const lines = static_cast<float*>(args.lines);
  const i32 width = SsimDecimatedLength(plane.width, args.factor);
  const i32 height = SsimDecimatedLength(plane.height, args.factor);
  for (i32 y = 0; y < height; ++y) {
    for (i32 v = 0; v < args.taps; ++v) {
      float* const line = lines + v * pitch + args.taps;
      LoadRow(plane, SsimMirror(y * args.factor + v - centre, plane.height), line);
      for (i32 k = 1; k <= args.taps; ++k) {
        line[-k] = line[SsimMirror(-k, plane.width)];
        line[plane.width - 1 + k] = line[SsimMirror(plane.width - 1 + k, plane.width)];
      }
    }
    for (i32 x = 0; x < width; ++x) {
      double sum = 0.0;
      for (i32 v = 0; v < args.taps; ++v) {
        const float* const first = lines + v * pitch + args.taps + x * args.factor - centre;
        for (i32 u = 0; u < args.taps; ++u) {
          const float product = first[u] * args.kernel[v * args.taps + u];
          sum += static_cast<double>(product);
        }
      }
      args.out[y * args.out_stride + x] = static_cast<float>(sum);
    }
  }
}

double SsimDecibelLimit(const VideoFormat& format, bool clip_db) {
  if (!clip_db) return std::numeric_limits<double>::infinity();
  const u32 peak = (1u << format.bit_depth) - 1;
  const auto squared_peak = static_cast<double>(peak * peak);
  const double error = 0.5 / static_cast<double>(static_cast<u32>(format.width) * static_cast<u32>(format.height));
  return exact::Ceil(10.0 * exact::Log10(squared_peak / error));
}

double SsimDecibels(double score, double limit) {
  const double decibels = -10.0 * exact::Log10(1.0 - score);
  return decibels < limit ? decibels : limit;
}

}  // namespace lockstep
