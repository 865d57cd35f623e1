// SPDX-License-Identifier: BSD-2-Clause-Patent
// The arithmetic of ssimulacra2 in binary32: from samples to light, to its colour space, the blur, and the error maps.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// Every operation below is rounded to binary32 by itself, in the order written.

/// How samples become R'G'B' of 0 … 1. Chroma comes in eighths of a code value, black and neutral are 0.
struct Ssimulacra2Colour {
  float luma;
  float red_cr;
  float green_cb;
  float green_cr;
  float blue_cb;
};

/// A curve from R'G'B' to light: a straight line below `threshold`, a polynomial above.
struct Ssimulacra2Transfer {
  float threshold;
  float slope;
  float factors[9];  // of x^0 … x^8
};

// The polynomials were fitted to the curves so that the greatest error in the colour space below is least.
// exact   within 4.1e-6 of ((x + 0.055) / 1.055)^2.4, and 1.4e-6 in the colour space
inline constexpr Ssimulacra2Transfer kSsimulacra2Srgb = {
    0.04045f,
    static_cast<float>(1.0 / 12.92),
    {0.000844169f, 0.035753034f, 0.47849402f, 0.91140354f, -1.0499643f, 1.3353653f, -1.192705f, 0.6196891f,
     -0.1388837f}};
// exact   within 6e-7 of ((x + 0.0993) / 1.0993)^(1 / 0.45), and 2e-7 in the colour space
inline constexpr Ssimulacra2Transfer kSsimulacra2Bt709 = {
    0.08124286f,
    static_cast<float>(1.0 / 4.5),
    {0.004793907f, 0.106539026f, 0.66671276f, 0.41178074f, -0.4208443f, 0.4536343f, -0.35336748f, 0.16445868f,
     -0.03370805f}};

struct Ssimulacra2Rgb {
  float red;
  float green;
  float blue;
};

/// Chroma at a luma column: samples lie at even columns, between them is their mean.
/// in      v: samples of one row, already interpolated between rows, in quarters
/// out     in eighths
LOCKSTEP_KERNEL i32 Ssimulacra2BetweenColumns(const i32* v, i32 x) {
  const i32 i = x >> 1;
  return (x & 1) == 0 ? 2 * v[i] : v[i] + v[i + 1];
}

LOCKSTEP_KERNEL float Ssimulacra2Clamp(float x) {
  const float above = x > 0.0f ? x : 0.0f;
  return above < 1.0f ? above : 1.0f;
}

/// Light of one R', G' or B' value, which is clamped to 0 … 1 first.
LOCKSTEP_KERNEL float Ssimulacra2Light(const Ssimulacra2Transfer& transfer, float value) {
  const float x = Ssimulacra2Clamp(value);
  float power = transfer.factors[8];
  LOCKSTEP_UNROLL
  for (i32 i = 7; i >= 0; --i) power = power * x + transfer.factors[i];
  return x < transfer.threshold ? x * transfer.slope : power;
}

/// in      luma minus black, chroma minus neutral in eighths
LOCKSTEP_KERNEL Ssimulacra2Rgb Ssimulacra2LightOf(const Ssimulacra2Colour& colour, const Ssimulacra2Transfer& transfer,
                                                  float luma, float cb, float cr) {
  const float grey = luma * colour.luma;
  const float red = grey + cr * colour.red_cr;
  const float green = (grey - cb * colour.green_cb) - cr * colour.green_cr;
  const float blue = grey + cb * colour.blue_cb;
  return {Ssimulacra2Light(transfer, red), Ssimulacra2Light(transfer, green), Ssimulacra2Light(transfer, blue)};
}

/// Mean of four values.
LOCKSTEP_KERNEL float Ssimulacra2Quarter(float a, float b, float below_a, float below_b) {
  return (((a + b) + below_a) + below_b) * 0.25f;
}

// The opponent colour space of JPEG XL: three mixtures of light, plus an offset, under the cube root.
inline constexpr float kSsimulacra2Mix[3][3] = {
    {0.3f, static_cast<float>(1.0 - 0.078 - 0.3), 0.078f},
    {0.23f, static_cast<float>(1.0 - 0.078 - 0.23), 0.078f},
    {static_cast<float>(0.24342268924547819), static_cast<float>(0.20476744424496821),
     static_cast<float>(1.0 - 0.24342268924547819 - 0.20476744424496821)}};
inline constexpr float kSsimulacra2Offset = static_cast<float>(0.0037930732552754493);
/// The cube root of the offset.
inline constexpr float kSsimulacra2OffsetRoot = static_cast<float>(0.15595420054924863);

// Cube root by iteration towards the reciprocal root, without divisions.
/// Bits of the first guess for bits 0.
/// exact   for arguments 0.0037 … 1.01 the guess is at most 3.6 % off: the least for a multiple of 2^13
inline constexpr i32 kSsimulacra2RootBits = 0x54a20000;
inline constexpr float kSsimulacra2Third = static_cast<float>(1.0 / 3.0);
inline constexpr float kSsimulacra2TwoThirds = static_cast<float>(2.0 / 3.0);
inline constexpr float kSsimulacra2TwoNinths = static_cast<float>(2.0 / 9.0);
inline constexpr float kSsimulacra2Cubic = static_cast<float>(14.0 / 81.0);

/// Cube root.
/// in      0.0037 … 1.01
/// exact   within 1.4 units in the last place, by this sequence of operations
LOCKSTEP_KERNEL float Ssimulacra2CubeRoot(float x) {
  i32 bits;
  static_assert(sizeof(bits) == sizeof(x));
  __builtin_memcpy(&bits, &x, sizeof(bits));
  const i32 guess = kSsimulacra2RootBits - static_cast<i32>(static_cast<float>(bits) * kSsimulacra2Third);
  float r;
  __builtin_memcpy(&r, &guess, sizeof(r));
  // With 1 - x r^3 = e the reciprocal root is r (1 - e)^(-1/3): three terms of that series, then one.
  const float e = 1.0f - x * ((r * r) * r);
  r = r + r * (e * ((kSsimulacra2Cubic * e + kSsimulacra2TwoNinths) * e + kSsimulacra2Third));
  const float root = x * (r * r);
  return root + root * ((1.0f - root * r) * kSsimulacra2TwoThirds);
}

struct Ssimulacra2Xyb {
  float x;
  float y;
  float b;
};

/// The colour space, moved and stretched so that its components lie in about 0 … 1.
LOCKSTEP_KERNEL Ssimulacra2Xyb Ssimulacra2XybOf(const Ssimulacra2Rgb& light) {
  float roots[3];
  LOCKSTEP_UNROLL
  for (i32 i = 0; i < 3; ++i) {
    const float mixed = ((kSsimulacra2Mix[i][0] * light.red + kSsimulacra2Mix[i][1] * light.green) +
                         kSsimulacra2Mix[i][2] * light.blue) +
                        kSsimulacra2Offset;
    roots[i] = Ssimulacra2CubeRoot(mixed) - kSsimulacra2OffsetRoot;
  }
  const float x = 0.5f * (roots[0] - roots[1]);
  const float y = 0.5f * (roots[0] + roots[1]);
  return {x * 14.0f + 0.42f, y + 0.01f, (roots[2] - y) + 0.55f};
}

// Blur with a standard deviation of 1.5.
inline constexpr i32 kSsimulacra2Reach = 4;
inline constexpr i32 kSsimulacra2Taps = 2 * kSsimulacra2Reach + 1;
/// Factors of the middle sample and of those 1 … 4 beside it: the impulse response of the recursive filter of
/// libjxl, which ends after four samples.
/// source  Charalampidis, "Recursive implementation of the Gaussian filter using truncated cosine functions", 2016,
///         with radius 5
inline constexpr float kSsimulacra2Blur[kSsimulacra2Reach + 1] = {
    static_cast<float>(0.26462110548819856), static_cast<float>(0.2129285920104222),
    static_cast<float>(0.10933537277746032), static_cast<float>(0.036011114658364374),
    static_cast<float>(0.0094143678096537)};

/// Filtered middle one of nine values; outside the picture they are 0.
/// in      value(i): the i-th of the nine
template <class Value>
LOCKSTEP_KERNEL float Ssimulacra2Blur(const Value& value) {
  float sum = kSsimulacra2Blur[0] * value(kSsimulacra2Reach);
  LOCKSTEP_UNROLL
  for (i32 i = 1; i <= kSsimulacra2Reach; ++i) {
    sum = sum + kSsimulacra2Blur[i] * (value(kSsimulacra2Reach - i) + value(kSsimulacra2Reach + i));
  }
  return sum;
}

/// Keeps flat places from having an infinite error.
inline constexpr float kSsimulacra2Stability = 0.0009f;

/// Errors at one place of one colour plane.
struct Ssimulacra2Errors {
  float similarity;  // 1 - structural similarity, at least 0
  float ringing;     // edges that only the distorted picture has
  float blur;        // edges that it has lost
};

/// With a the reference and b the distorted picture.
/// in      blurred a, a - b, a^2 + b^2 and (a - b)^2; a and a - b at this place
/// exact   The public definition blurs a^2, b^2 and a b instead. Sums and differences say the same and leave nothing
///         to cancel between pictures that are nearly equal. The denominators are at least 0.0008 and 1. Equal pictures
///         give 0.
LOCKSTEP_KERNEL Ssimulacra2Errors Ssimulacra2ErrorsOf(float mean, float mean_difference, float energy,
                                                      float squared_difference, float value, float difference) {
  const float distorted_mean = mean - mean_difference;
  const float total = (energy - (mean * mean + distorted_mean * distorted_mean)) + kSsimulacra2Stability;
  const float square = mean_difference * mean_difference;
  const float unlike = squared_difference - square;
  const float edge = value - mean;
  const float distorted_edge = edge - (difference - mean_difference);
  const float edge_total = 1.0f + __builtin_fabsf(edge);
  // One division for both quotients.
  const float reciprocal = 1.0f / (total * edge_total);
  const float similarity = ((unlike + square * (total - unlike)) * edge_total) * reciprocal;
  const float change = ((__builtin_fabsf(distorted_edge) - __builtin_fabsf(edge)) * total) * reciprocal;
  return {similarity > 0.0f ? similarity : 0.0f, change > 0.0f ? change : 0.0f, change < 0.0f ? 0.0f - change : 0.0f};
}

LOCKSTEP_KERNEL float Ssimulacra2Fourth(float x) {
  const float square = x * x;
  return square * square;
}

}  // namespace lockstep
