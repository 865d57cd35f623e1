// SPDX-License-Identifier: BSD-2-Clause-Patent
// CIEDE2000 of one pixel: from Y'CbCr (BT.709, limited range) to L*a*b*, and the difference of two colours.
#pragma once

#include "base/kernel_prelude.h"
#include "exact/elementary.h"

namespace lockstep {

/// Everything is binary64 in the order written, except what is stored as float.
/// source  libvmaf 3.2.0, ciede.c; Sharma, Wu, Dalal, "The CIEDE2000 Color-Difference Formula", 2005

struct CiedeLab {
  float lightness;
  float a;
  float b;
};

/// From samples to Y' in 0 … 1 and Cb, Cr in -1/2 … 1/2.
struct CiedeScale {
  double luma_offset;
  double chroma_offset;
  double luma_factor;
  double chroma_factor;
};

LOCKSTEP_KERNEL CiedeScale MakeCiedeScale(i32 bit_depth) {
  const double unit = static_cast<double>(1 << (bit_depth - 8));
  return {16.0 * unit, 128.0 * unit, 1.0 / (219.0 * unit), 1.0 / (224.0 * unit)};
}

inline constexpr double kCiedePi = 3.14159265358979323846;
/// 25^7: where chroma counts half in the rotation and in the correction of a.
inline constexpr double kCiedeChromaPivot = 6103515625.0;
inline constexpr float kCiedeChromaPivotFloat = 6103515648.0f;
/// Weights of lightness, chroma and hue.
inline constexpr float kCiedeLightnessWeight = 0.65f;
inline constexpr float kCiedeChromaWeight = 1.0f;
inline constexpr float kCiedeHueWeight = 4.0f;

/// Linear light of a gamma-coded channel; below the threshold, which is not sRGB's, it may be negative.
inline constexpr double kCiedeLinearThreshold = 10.0 / 255.0;
LOCKSTEP_KERNEL double CiedeLinear(double channel) {
  if (channel > kCiedeLinearThreshold) return exact::Pow((channel + 0.055) * (1.0 / 1.055), 2.4);
  return channel * (1.0 / 12.92);
}

/// The lightness curve of CIE 1976.
inline constexpr double kCiedeCubeRootThreshold = 216.0 / 24389.0;
LOCKSTEP_KERNEL float CiedeCurve(double t) {
  if (t > kCiedeCubeRootThreshold) return static_cast<float>(exact::Pow(t, 1.0 / 3.0));
  return static_cast<float>(((24389.0 / 27.0) * t + 16.0) * (1.0 / 116.0));
}

/// in      samples of the scale's bit depth
LOCKSTEP_KERNEL CiedeLab CiedeLabOf(const CiedeScale& scale, i32 luma, i32 cb, i32 cr) {
  const double y = (static_cast<double>(luma) - scale.luma_offset) * scale.luma_factor;
  const double u = (static_cast<double>(cb) - scale.chroma_offset) * scale.chroma_factor;
  const double v = (static_cast<double>(cr) - scale.chroma_offset) * scale.chroma_factor;
  const double red = CiedeLinear(y + 1.28033 * v);
  const double green = CiedeLinear(y - 0.21482 * u - 0.38059 * v);
  const double blue = CiedeLinear(y + 2.12798 * u);
  const double x_light = red * 0.4124564390896921 + green * 0.357576077643909 + blue * 0.18043748326639894;
  const double y_light = red * 0.21267285140562248 + green * 0.715152155287818 + blue * 0.07217499330655958;
  const double z_light = red * 0.019333895582329317 + green * 0.119192025881303 + blue * 0.9503040785363677;
  const double x = static_cast<double>(CiedeCurve(x_light * (1.0 / 0.95047)));
  const double yy = static_cast<double>(CiedeCurve(y_light));
  const double z = static_cast<double>(CiedeCurve(z_light * (1.0 / 1.08883)));
  return {static_cast<float>(116.0 * yy - 16.0), static_cast<float>(500.0 * (x - yy)),
          static_cast<float>(200.0 * (yy - z))};
}

LOCKSTEP_KERNEL float CiedeChroma(float a, float b) {
  const double wide_a = static_cast<double>(a);
  const double wide_b = static_cast<double>(b);
  return static_cast<float>(exact::Sqrt(wide_a * wide_a + wide_b * wide_b));
}

/// How much a is stretched, more where colours are neutral.
/// in      chroma_mean: of both colours, before the correction
LOCKSTEP_KERNEL double CiedeStretch(float chroma_mean) {
  const double power = exact::Pow(static_cast<double>(chroma_mean), 7.0);
  return 1.0 - exact::Sqrt(power / (power + kCiedeChromaPivot));
}
LOCKSTEP_KERNEL float CiedeStretched(float a, double stretch) {
  return static_cast<float>(static_cast<double>(a) + static_cast<double>(a / 2.0f) * stretch);
}

/// Angle in 0 … 2 pi; 0 without chroma.
LOCKSTEP_KERNEL float CiedeHue(float a, float b) {
  if (a == 0.0f && b == 0.0f) return 0.0f;
  const float angle = static_cast<float>(exact::Atan2(static_cast<double>(b), static_cast<double>(a)));
  if (!(angle < 0.0f)) return angle;
  return static_cast<float>(static_cast<double>(angle) + 2.0 * kCiedePi);
}

/// Smaller way around from hue 1 to hue 2.
LOCKSTEP_KERNEL float CiedeHueDifference(float hue1, float hue2) {
  const double back = static_cast<double>(hue1 - hue2);
  const float forward = hue2 - hue1;
  if (back <= kCiedePi && back >= -kCiedePi) return forward;
  if (hue2 <= hue1) return static_cast<float>(static_cast<double>(forward) + 2.0 * kCiedePi);
  return static_cast<float>(static_cast<double>(forward) - 2.0 * kCiedePi);
}

LOCKSTEP_KERNEL float CiedeHueMean(float hue1, float hue2) {
  const double difference = static_cast<double>(hue1 - hue2);
  const double sum = static_cast<double>(hue1 + hue2);
  if (difference > kCiedePi || difference < -kCiedePi) return static_cast<float>((sum + 2.0 * kCiedePi) / 2.0);
  return static_cast<float>(sum / 2.0);
}

/// How hue differences count at this hue.
LOCKSTEP_KERNEL float CiedeHueTerm(float hue_mean) {
  const double hue = static_cast<double>(hue_mean);
  return static_cast<float>(1.0 - 0.17 * exact::Cos(hue - kCiedePi / 6.0) + 0.24 * exact::Cos(2.0 * hue) +
                            0.32 * exact::Cos(3.0 * hue + kCiedePi / 30.0) -
                            0.20 * exact::Cos(4.0 * hue - 7.0 * kCiedePi / 20.0));
}

/// Chroma and hue turn into each other around blue.
LOCKSTEP_KERNEL float CiedeRotation(float chroma_mean, float hue_mean) {
  const float degrees = static_cast<float>(static_cast<double>(hue_mean) * (180.0 / kCiedePi));
  const float distance = static_cast<float>((static_cast<double>(degrees) - 275.0) * (1.0 / 25.0));
  const float power = exact::Powf(chroma_mean, 7.0f);
  const float ratio = power / (power + kCiedeChromaPivotFloat);
  const float angle = static_cast<float>(60.0 * exact::Exp(-static_cast<double>(distance * distance)));
  const float radians = static_cast<float>(static_cast<double>(angle) * (kCiedePi / 180.0));
  return static_cast<float>(-2.0 * exact::Sqrt(static_cast<double>(ratio)) * exact::Sin(static_cast<double>(radians)));
}

/// The difference from the weighted ones of lightness, chroma and hue.
LOCKSTEP_KERNEL float CiedeTotal(float lightness, float chroma, float hue, float rotation) {
  const double l = static_cast<double>(lightness);
  const double c = static_cast<double>(chroma);
  const double h = static_cast<double>(hue);
  const float turned = rotation * chroma;
  return static_cast<float>(exact::Sqrt(l * l + c * c + h * h + static_cast<double>(turned * hue)));
}

LOCKSTEP_KERNEL float CiedeDifference(const CiedeLab& colour1, const CiedeLab& colour2) {
  const float lightness_difference = colour2.lightness - colour1.lightness;
  const float lightness_mean = (colour1.lightness + colour2.lightness) / 2.0f;
  const float plain_chroma1 = CiedeChroma(colour1.a, colour1.b);
  const float plain_chroma2 = CiedeChroma(colour2.a, colour2.b);
  const double stretch = CiedeStretch((plain_chroma1 + plain_chroma2) / 2.0f);
  const float a1 = CiedeStretched(colour1.a, stretch);
  const float a2 = CiedeStretched(colour2.a, stretch);
  const float chroma1 = CiedeChroma(a1, colour1.b);
  const float chroma2 = CiedeChroma(a2, colour2.b);
  const float chroma_mean = (chroma1 + chroma2) / 2.0f;
  const float chroma_difference = chroma2 - chroma1;

  const double from_middle = static_cast<double>(lightness_mean - 50.0f);
  const double squared = from_middle * from_middle;
  const float lightness_scale = static_cast<float>(1.0 + 0.015 * squared / exact::Sqrt(20.0 + squared));
  const float chroma_scale = static_cast<float>(1.0 + 0.045 * static_cast<double>(chroma_mean));

  const float hue1 = CiedeHue(a1, colour1.b);
  const float hue2 = CiedeHue(a2, colour2.b);
  const bool neutral = plain_chroma1 == 0.0f || plain_chroma2 == 0.0f;
  const float turn = neutral ? 0.0f : CiedeHueDifference(hue1, hue2);
  const float hue_difference = static_cast<float>(2.0 * exact::Sqrt(static_cast<double>(chroma1 * chroma2)) *
                                                  exact::Sin(static_cast<double>(turn) / 2.0));
  const float hue_mean = CiedeHueMean(hue1, hue2);
  const float hue_scale =
      static_cast<float>(1.0 + 0.015 * static_cast<double>(chroma_mean) * static_cast<double>(CiedeHueTerm(hue_mean)));

  return CiedeTotal(lightness_difference / (kCiedeLightnessWeight * lightness_scale),
                    chroma_difference / (kCiedeChromaWeight * chroma_scale),
                    hue_difference / (kCiedeHueWeight * hue_scale), CiedeRotation(chroma_mean, hue_mean));
}

}  // namespace lockstep
