// SPDX-License-Identifier: BSD-2-Clause-Patent
// Contrast sensitivity models of adm: Watson 1997, Barten, and two tables.
#include "features/adm/adm_csf.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>

#include "exact/elementary.h"
#include "exact/integer_math.h"

namespace lockstep {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kReferenceCondition = 3.0 * 1080.0;  // lines of display times display heights of distance

/// One viewing condition of the tables. Conditions nearer than 3240 lines times heights are refused before.
struct BlendRow {
  int display_height;
  double view_distance;
  float factors[2][2][4];  // [mode 2, mode 3][h and v, d][scale]
};

constexpr BlendRow kBlendRows[] = {
    {1080,
     3.0,
     {{{0.01183f, 0.025026f, 0.04295f, 0.058621f}, {0.004302f, 0.011778f, 0.023918f, 0.035901f}},
      {{0.011249f, 0.022606f, 0.035930f, 0.045673f}, {0.004097f, 0.010921f, 0.021430f, 0.031313f}}}},
    {2160,
     1.5,
     {{{0.01183f, 0.025026f, 0.04295f, 0.058621f}, {0.004302f, 0.011778f, 0.023918f, 0.035901f}},
      {{0.011249f, 0.022606f, 0.035930f, 0.045673f}, {0.004097f, 0.010921f, 0.021430f, 0.031313f}}}},
    {1080,
     5.0,
     {{{0.004212f, 0.014809f, 0.029642f, 0.047464f}, {0.000984f, 0.005852f, 0.0146f, 0.027574f}},
      {{0.004052f, 0.013939f, 0.026298f, 0.038833f}, {0.000927f, 0.005544f, 0.013415f, 0.024515f}}}},
    {2160,
     3.0,
     {{{0.00226f, 0.01183f, 0.025026f, 0.04295f}, {0.000479f, 0.004302f, 0.011778f, 0.023918f}},
      {{0.002166f, 0.011249f, 0.022606f, 0.035930f}, {0.000447f, 0.004097f, 0.010921f, 0.021430f}}}},
    {2160,
     5.0,
     {{{0.000092f, 0.004212f, 0.014809f, 0.029642f}, {0.000050f, 0.000984f, 0.005852f, 0.0146f}},
      {{0.000077f, 0.004052f, 0.013939f, 0.026298f}, {0.000045f, 0.000927f, 0.005544f, 0.013415f}}}},
    {720,
     5.0,
     {{{0.010144f, 0.022561f, 0.040309f, 0.05672f}, {0.003463f, 0.010282f, 0.021839f, 0.034641f}},
      {{0.009689f, 0.020577f, 0.034162f, 0.044523f}, {0.003302f, 0.009579f, 0.019661f, 0.030318f}}}},
};

const BlendRow* FindBlendRow(const AdmCsfOptions& options) {
  for (const BlendRow& row : kBlendRows) {
    if (row.display_height == options.display_height && row.view_distance == options.view_distance) return &row;
  }
  return nullptr;
}

// What cvttsd2si leaves: the truncated value, or the least integer when it does not fit.
std::int32_t TruncateTo32(double value) {
  return value > -2147483649.0 && value < 2147483648.0 ? static_cast<std::int32_t>(value)
                                                       : std::numeric_limits<std::int32_t>::min();
}
std::int64_t TruncateTo64(double value) {
  return value >= -0x1p63 && value < 0x1p63 ? static_cast<std::int64_t>(value)
                                            : std::numeric_limits<std::int64_t>::min();
}

AdmFactors FixedFactors(int scale, float hv, float d) {
  if (scale == 0) {
    return {static_cast<std::uint16_t>(TruncateTo32(static_cast<double>(hv) * 0x1p21)),
            static_cast<std::uint16_t>(TruncateTo32(static_cast<double>(d) * 0x1p23))};
  }
  return {static_cast<std::uint32_t>(TruncateTo64(static_cast<double>(hv) * 0x1p32)),
          static_cast<std::uint32_t>(TruncateTo64(static_cast<double>(d) * 0x1p32))};
}

}  // namespace

float AdmPixelsPerDegree(double view_distance, int display_height) {
  return static_cast<float>(view_distance * display_height * kPi / 180.0);
}

float AdmWatsonFactor(float pixels_per_degree, int scale, bool diagonal) {
  constexpr float kA = 0.495f;
  constexpr float kK = 0.466f;
  constexpr float kF0 = 0.401f;
  constexpr float kAmplitudes[2][4] = {{0.67234f, 0.41317f, 0.22727f, 0.11792f},
                                       {0.72709f, 0.49428f, 0.28688f, 0.15214f}};
  const float gain = diagonal ? 0.534f : 1.0f;
  const double frequency = exact::Ldexp1(scale + 1) * static_cast<double>(kF0) * static_cast<double>(gain);
  const float logarithm = static_cast<float>(exact::Log10(frequency / static_cast<double>(pixels_per_degree)));
  const float exponent = (kK * logarithm) * logarithm;
  const double amplitude = kAmplitudes[diagonal ? 1 : 0][scale];
  const float step =
      static_cast<float>(2.0 * static_cast<double>(kA) * exact::Pow(10.0, static_cast<double>(exponent)) / amplitude);
  return 1.0f / step;
}

float AdmBartenFactor(float pixels_per_degree, int scale, double factor) {
  constexpr float kAt20[4] = {0.334278f, 3.79542f, 1.07327f, 6.4635f};
  constexpr float kAt150[4] = {0.394533f, 2.7755f, 1.16577f, 7.45665f};
  constexpr float kTransferWeights[4] = {0.424838596301290f, 0.572435103936480f, 0.000167576239164937f,
                                         0.00255872352306433f};
  constexpr float kTransferDecays[4] = {0.028f, 0.37f, 37.0f, 360.0f};

  const float frequency = static_cast<float>(static_cast<double>(pixels_per_degree) / exact::Ldexp1(scale + 1));
  const float left = static_cast<float>(exact::Log10(20.0));
  const float right = static_cast<float>(exact::Log10(150.0));
  const float here = static_cast<float>(exact::Log10(100.0));
  float p[4];
  for (int i = 0; i < 4; ++i) p[i] = kAt20[i] + ((kAt150[i] - kAt20[i]) / (right - left)) * (here - left);

  const float rise =
      static_cast<float>(1.0 + exact::Pow(static_cast<double>(p[0] * frequency), static_cast<double>(p[1])));
  const double low_cut = 1.0 - exact::Exp(-exact::Pow(static_cast<double>(frequency / 7.0f), 2.0));
  const float fall = static_cast<float>(1.0 / exact::Pow(low_cut, static_cast<double>(p[2])));
  const float neural =
      static_cast<float>(static_cast<double>(p[3]) / exact::Pow(static_cast<double>(rise * fall), 0.5));

  float transfer = 0.0f;
  for (int i = 0; i < 4; ++i) {
    transfer = static_cast<float>(static_cast<double>(transfer) +
                                  static_cast<double>(kTransferWeights[i]) *
                                      exact::Exp(static_cast<double>(-kTransferDecays[i] * frequency)));
  }
  const double rods = exact::Pow(static_cast<double>(4.0627f / 100.0f), static_cast<double>(1.6596f)) + 1.0;
  const float adaptation =
      static_cast<float>(static_cast<double>(30.162f) * exact::Pow(rods, static_cast<double>(-0.2712f)));
  return static_cast<float>(static_cast<double>((neural * transfer) * adaptation) * factor);
}

Result<AdmCsf> MakeAdmCsf(const AdmCsfOptions& options) {
  const double condition = options.view_distance * options.display_height;
  const auto refuse = [&](std::string message) {
    return Error{ErrorCode::kInvalidArgument, std::move(message), {}, {}, {}};
  };
  if (condition < kReferenceCondition) {
    return refuse(
        fmt::format("adm_norm_view_dist * adm_ref_display_height is {:g} * {} = {:g}, but adm needs at least "
                    "{:g} (for instance 3 * 1080 or 1.5 * 2160)",
                    options.view_distance, options.display_height, condition, kReferenceCondition));
  }
  const BlendRow* blend = nullptr;
  if (options.mode == AdmCsfMode::kBlend || options.mode == AdmCsfMode::kBlendMae) {
    blend = FindBlendRow(options);
    if (blend == nullptr) {
      std::string pairs;
      for (const BlendRow& row : kBlendRows) {
        pairs += fmt::format("{}{:g} with {}", pairs.empty() ? "" : ", ", row.view_distance, row.display_height);
      }
      return refuse(
          fmt::format("adm_csf_mode={} has no entry for adm_norm_view_dist={:g} with "
                      "adm_ref_display_height={}; it knows {}",
                      static_cast<int>(options.mode), options.view_distance, options.display_height, pairs));
    }
  }

  AdmCsf csf;
  const float pixels_per_degree = AdmPixelsPerDegree(options.view_distance, options.display_height);
  for (int s = 0; s < 4; ++s) {
    AdmCsf::Scale& scale = csf.scales[static_cast<std::size_t>(s)];
    switch (options.mode) {
      case AdmCsfMode::kWatson:
        scale.hv = AdmWatsonFactor(pixels_per_degree, s, false);
        scale.d = AdmWatsonFactor(pixels_per_degree, s, true);
        break;
      case AdmCsfMode::kBarten:
        scale.hv = AdmBartenFactor(pixels_per_degree, s, options.scale);
        scale.d = AdmBartenFactor(pixels_per_degree, s, options.diagonal_scale);
        break;
      case AdmCsfMode::kBlend:
      case AdmCsfMode::kBlendMae: {
        const auto& factors = blend->factors[options.mode == AdmCsfMode::kBlendMae ? 1 : 0];
        scale.hv = factors[0][s];
        scale.d = factors[1][s];
        break;
      }
    }
    scale.fixed = FixedFactors(s, scale.hv, scale.d);
  }
  // The reference keeps constants of an earlier formula for its default viewing condition.
  const double distance_to_default = condition - kReferenceCondition;  // not negative here
  if (options.mode == AdmCsfMode::kWatson && distance_to_default < 1e-8) csf.scales[0].fixed = {36453, 49417};
  return csf;
}

}  // namespace lockstep
