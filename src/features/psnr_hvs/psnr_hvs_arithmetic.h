// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr_hvs of one 8x8 block: the integer transform, the masking and the weighted squared differences.
#pragma once

#include "base/kernel_prelude.h"
#include "exact/elementary.h"

namespace lockstep {

inline constexpr i32 kPsnrHvsSide = 8;
inline constexpr i32 kPsnrHvsCoefficients = 64;
/// Blocks overlap by a row and a column.
inline constexpr i32 kPsnrHvsStep = 7;
inline constexpr int kPsnrHvsMaximumDepth = 12;

/// How many blocks a side of so many samples has; those that do not fit are left out.
LOCKSTEP_KERNEL constexpr i32 PsnrHvsBlockCount(i32 samples) { return (samples - 1) / kPsnrHvsStep; }

/// Of the coefficients of a plane, row by row: how visible each is, and how much each hides of others.
struct PsnrHvsWeights {
  float visibility[kPsnrHvsCoefficients];
  float masking[kPsnrHvsCoefficients];
};

/// From the upper triangle of the symmetric matrix, each row from its diagonal on.
constexpr PsnrHvsWeights MakePsnrHvsWeights(const double (&triangle)[36]) {
  constexpr double kMaskingScale = 0.3885746225901003;
  PsnrHvsWeights weights{};
  i32 next = 0;
  for (i32 row = 0; row < kPsnrHvsSide; ++row) {
    for (i32 column = row; column < kPsnrHvsSide; ++column) {
      const float visibility = static_cast<float>(triangle[next++]);
      const double scaled = static_cast<double>(visibility) * kMaskingScale;
      const i32 above = row * kPsnrHvsSide + column;
      const i32 below = column * kPsnrHvsSide + row;
      weights.visibility[above] = weights.visibility[below] = visibility;
      weights.masking[above] = weights.masking[below] = static_cast<float>(scaled * scaled);
    }
  }
  return weights;
}

/// Y, Cb, Cr: contrast sensitivity at the frequencies of 4:2:0, whatever the chroma format.
/// source  libvmaf 3.2.0, third_party/xiph/psnr_hvs.c
inline constexpr PsnrHvsWeights kPsnrHvsWeights[3] = {
    MakePsnrHvsWeights(
        {1.6193873005,   2.2901594831,   2.08509755623,  1.48366094411,  1.00227514334,  0.678296995242,
         0.466224900598, 0.3265091542,   1.94321815382,  2.04793073064,  1.68731108984,  1.2305666963,
         0.868920337363, 0.61280991668,  0.436405793551, 1.34329019223,  1.09205635862,  0.875748795257,
         0.670882927016, 0.501731932449, 0.372504254596, 0.772819797575, 0.605636379554, 0.48309405692,
         0.380429446972, 0.295774038565, 0.448996256676, 0.352889268808, 0.283006984131, 0.226951348204,
         0.27032073436,  0.215017739696, 0.17408067321,  0.168869545842, 0.136153931001, 0.109083846276}),
    MakePsnrHvsWeights(
        {1.91113096927,  2.46074210438,  1.18284184739,  1.14982565193,  1.05017074788,  0.898018824055,
         0.74725392039,  0.615105596242, 1.58529308355,  1.21363250036,  1.38190029285,  1.33100189972,
         1.17428548929,  0.996404342439, 0.830890433625, 0.978712413627, 1.02624506078,  1.03145147362,
         0.960060382087, 0.849823426169, 0.731221236837, 0.861317501629, 0.801821139099, 0.751437590932,
         0.685398513368, 0.608694761374, 0.676555426187, 0.605503172737, 0.55002013668,  0.495804539034,
         0.514674450957, 0.454353482512, 0.407050308965, 0.389234902883, 0.342353999733, 0.295530605237}),
    MakePsnrHvsWeights(
        {2.03871978502,  2.62502345193,  1.26180942886,  1.11019789803,  1.01397751469,  0.867069376285,
         0.721500455585, 0.593906509971, 1.69112867013,  1.17180569821,  1.3342742857,   1.28513006198,
         1.13381474809,  0.962064122248, 0.802254508198, 0.944981930573, 0.990876405848, 0.995903384143,
         0.926972725286, 0.820534991409, 0.706020324706, 0.831632933426, 0.77418706195,  0.725539939514,
         0.661776842059, 0.587716619023, 0.653238524286, 0.584635025748, 0.531064164893, 0.478717061273,
         0.496936637883, 0.438694579826, 0.393021669543, 0.375820256136, 0.330555063063, 0.285345396658})};

/// Toward zero.
LOCKSTEP_KERNEL i32 PsnrHvsHalf(i32 value) { return value / 2; }

/// value * kFactor / 2^15, halves rounded up.
template <i32 kFactor>
LOCKSTEP_KERNEL i32 PsnrHvsScaled(i32 value) {
  return (value * kFactor + (1 << 14)) >> 15;
}

/// The eight frequencies of eight samples by lifting steps; factors have 15 fraction bits.
/// in      v: samples, `stride` apart
/// out     frequencies, one after the other
/// exact   for samples of 12 bits every value of both passes, and thus every coefficient, stays within 32760 and a few
///         units of rounding, and every product below 2^30
/// source  libvmaf 3.2.0, third_party/xiph/psnr_hvs.c
LOCKSTEP_KERNEL void PsnrHvsTransformLine(const i32* v, i32 stride, i32* out) {
  i32 t0 = v[0];
  i32 t4 = v[stride];
  i32 t2 = v[2 * stride];
  i32 t6 = v[3 * stride];
  i32 t7 = v[4 * stride];
  i32 t3 = v[5 * stride];
  i32 t5 = v[6 * stride];
  i32 t1 = v[7 * stride];
  t1 = t0 - t1;
  const i32 half1 = PsnrHvsHalf(t1);
  t0 -= half1;
  t4 += t5;
  const i32 half4 = PsnrHvsHalf(t4);
  t5 -= half4;
  t3 = t2 - t3;
  t2 -= PsnrHvsHalf(t3);
  t6 += t7;
  const i32 half6 = PsnrHvsHalf(t6);
  t7 = half6 - t7;
  // Even frequencies.
  t0 += half6;
  t6 = t0 - t6;
  t2 = half4 - t2;
  t4 = t2 - t4;
  t0 -= PsnrHvsScaled<13573>(t4);
  t4 += PsnrHvsScaled<23170>(t0);
  t0 -= PsnrHvsScaled<13573>(t4);
  t6 -= PsnrHvsScaled<21895>(t2);
  t2 += PsnrHvsScaled<30274>(t6);
  t6 -= PsnrHvsScaled<21895>(t2);
  // Odd frequencies.
  t3 += PsnrHvsScaled<19195>(t5);
  t5 += PsnrHvsScaled<23170>(t3);
  t3 -= PsnrHvsScaled<29956>(t5);
  t7 = PsnrHvsHalf(t5) - t7;
  t5 -= t7;
  t3 = half1 - t3;
  t1 -= t3;
  t7 += PsnrHvsScaled<3227>(t1);
  t1 -= PsnrHvsScaled<6393>(t7);
  t7 += PsnrHvsScaled<3227>(t1);
  t5 += PsnrHvsScaled<9940>(t3);
  t3 -= PsnrHvsScaled<18205>(t5);
  t5 += PsnrHvsScaled<9940>(t3);
  out[0] = t0;
  out[1] = t1;
  out[2] = t2;
  out[3] = t3;
  out[4] = t4;
  out[5] = t5;
  out[6] = t6;
  out[7] = t7;
}

/// in      block: samples row by row
/// out     coefficients, a row for each vertical frequency
LOCKSTEP_KERNEL void PsnrHvsTransform(const i32* block, i32* coefficients) {
  i32 turned[kPsnrHvsCoefficients];
  for (i32 i = 0; i < kPsnrHvsSide; ++i) PsnrHvsTransformLine(block + i, kPsnrHvsSide, turned + i * kPsnrHvsSide);
  for (i32 i = 0; i < kPsnrHvsSide; ++i)
    PsnrHvsTransformLine(turned + i, kPsnrHvsSide, coefficients + i * kPsnrHvsSide);
}

/// Quarter of the block that a sample belongs to.
LOCKSTEP_KERNEL constexpr i32 PsnrHvsQuarter(i32 place) { return (place / 32) + 2 * (place % 8 / 4); }

/// n / (n - 1) as the reference has it, for the variance of n samples from the sum of squares over n - 1.
inline constexpr float kPsnrHvsBlockVariance = 1 / 63.0f * 64;
inline constexpr float kPsnrHvsQuarterVariance = 1 / 15.0f * 16;

/// Variance of the quarters by that of the block: small where only an edge makes it vary. 0 for a flat block.
/// exact   sums of samples are integers below 2^18, so means and differences from them are not rounded
LOCKSTEP_KERNEL float PsnrHvsTexture(const i32* block) {
  i32 block_sum = 0;
  i32 sums[4] = {};
  for (i32 i = 0; i < kPsnrHvsCoefficients; ++i) {
    block_sum += block[i];
    sums[PsnrHvsQuarter(i)] += block[i];
  }
  const float mean = static_cast<float>(block_sum) / 64.0f;
  float variance = 0.0f;
  float variances[4] = {};
  for (i32 i = 0; i < kPsnrHvsCoefficients; ++i) {
    const i32 quarter = PsnrHvsQuarter(i);
    const float difference = static_cast<float>(block[i]) - mean;
    const float local = static_cast<float>(block[i]) - static_cast<float>(sums[quarter]) / 16.0f;
    variance += difference * difference;
    variances[quarter] += local * local;
  }
  variance *= kPsnrHvsBlockVariance;
  for (float& v : variances) v *= kPsnrHvsQuarterVariance;
  if (!(variance > 0.0f)) return 0.0f;
  return (variances[0] + variances[1] + variances[2] + variances[3]) / variance;
}

/// How much of a difference the picture hides.
/// exact   the square root of a binary32 number by way of binary64 is the correctly rounded binary32 root
LOCKSTEP_KERNEL float PsnrHvsMasking(const i32* coefficients, float texture, const PsnrHvsWeights& weights) {
  float energy = 0.0f;
  for (i32 i = 1; i < kPsnrHvsCoefficients; ++i) {
    energy += static_cast<float>(coefficients[i] * coefficients[i]) * weights.masking[i];
  }
  return static_cast<float>(exact::Sqrt(static_cast<double>(energy * texture)) / 32.0);
}

/// What coefficient `place` adds to the error; `masking`: the greater one of the two pictures.
LOCKSTEP_KERNEL float PsnrHvsTerm(i32 reference, i32 distorted, float masking, const PsnrHvsWeights& weights,
                                  i32 place) {
  const i32 difference = reference - distorted;
  float error = static_cast<float>(difference < 0 ? -difference : difference);
  if (place != 0) {
    const float hidden = masking / weights.masking[place];
    error = error < hidden ? 0.0f : error - hidden;
  }
  const float weighted = error * weights.visibility[place];
  return weighted * weighted;
}

/// Adds a block's terms to the plane's chain, row by row.
LOCKSTEP_KERNEL float PsnrHvsAddBlock(float sum, const i32* reference, const i32* distorted,
                                      const PsnrHvsWeights& weights) {
  i32 reference_coefficients[kPsnrHvsCoefficients];
  i32 distorted_coefficients[kPsnrHvsCoefficients];
  PsnrHvsTransform(reference, reference_coefficients);
  PsnrHvsTransform(distorted, distorted_coefficients);
  const float reference_masking = PsnrHvsMasking(reference_coefficients, PsnrHvsTexture(reference), weights);
  const float distorted_masking = PsnrHvsMasking(distorted_coefficients, PsnrHvsTexture(distorted), weights);
  const float masking = reference_masking > distorted_masking ? reference_masking : distorted_masking;
  for (i32 i = 0; i < kPsnrHvsCoefficients; ++i) {
    sum += PsnrHvsTerm(reference_coefficients[i], distorted_coefficients[i], masking, weights, i);
  }
  return sum;
}

/// The plane's error relative to the squared peak.
/// in      sum of all terms, blocks: at least one
LOCKSTEP_KERNEL float PsnrHvsError(float sum, i32 blocks, i32 bit_depth) {
  const i32 peak = (1 << bit_depth) - 1;
  return sum / static_cast<float>(blocks * kPsnrHvsCoefficients) / static_cast<float>(peak * peak);
}

}  // namespace lockstep
