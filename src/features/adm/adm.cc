// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm as a metric: options, columns, and the scores that a frame's sums give.
#include "features/adm/adm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "exact/elementary.h"
#include "exact/integer_math.h"
#include "features/adm/adm_cuda.h"
#include "features/adm/adm_device.h"
#include "features/adm/adm_frame.h"
#include "features/adm/adm_options.h"
#include "features/adm/adm_scores.h"

namespace lockstep {
namespace {

constexpr std::array<const char*, 7> kProvided = {
    "VMAF_integer_feature_adm2_score",
    "VMAF_integer_feature_aim_score",
    "VMAF_integer_feature_adm3_score",
    "integer_adm_scale0",
    "integer_adm_scale1",
    "integer_adm_scale2",
    "integer_adm_scale3",
};

// Of the last scale; a band computes about 40 rows of the picture again that the one above has computed, and a row of
// the last scale covers 16.
constexpr int kMinimumBandRows = 8;

float CubeRoot(float value) { return exact::Powf(value, 0x1.555556p-2f); }

/// How the sums of one scale become binary32 numbers.
struct ScalePooling {
  std::array<double, 3> numerator_unit{};  // [h, v, d]: a sum divided by it is in squared units of the pictures, cubed
  double denominator_unit = 0.0;
  std::array<double, 3> factor_cube{};
  float noise = 0.0f;
};

ScalePooling MakePooling(std::size_t scale, const AdmPlan& plan, double noise_weight) {
  const AdmShifts& shifts = plan.shifts[scale];
  const AdmCsf::Scale& csf = plan.csf.scales[scale];
  ScalePooling pooling;
  for (std::size_t band = 0; band < 3; ++band) {
    // Fraction bits of the cubes, by the reference's choice of fixed-point formats.
    constexpr int kNumeratorBits[4][3] = {{52, 52, 57}, {45, 45, 45}, {39, 39, 39}, {36, 36, 36}};
    const int cube_shift = band == 2 ? shifts.numerator.d : shifts.numerator.hv;
    pooling.numerator_unit[band] = exact::Ldexp1(kNumeratorBits[scale][band] - cube_shift - shifts.numerator.row);
    pooling.factor_cube[band] = exact::Pow(static_cast<double>(band == 2 ? csf.d : csf.hv), 3.0);
  }
  constexpr int kDenominatorBits[4] = {18, 32, 27, 23};
  pooling.denominator_unit = exact::Ldexp1(kDenominatorBits[scale] - shifts.denominator_row - shifts.denominator_cube);
  const double area = AdmInnerArea(plan.columns[scale], plan.rows[scale]);
  pooling.noise = CubeRoot(static_cast<float>(area * noise_weight));
  return pooling;
}

/// Cube root of a numerator. Scale 0 divides in binary64, the others in binary32.
float NumeratorRoot(std::size_t scale, Fact sum, double unit) {
  const auto value = static_cast<std::int64_t>(sum);
  if (scale == 0) return CubeRoot(static_cast<float>(static_cast<double>(value) / unit));
  return CubeRoot(static_cast<float>(value) / static_cast<float>(unit));
}

class AdmFeature final : public Feature {
 public:
  AdmFeature(const OptionValues& options, const VideoFormat& format, const AdmCsf& csf, CpuTarget target)
      : target_(target),
        debug_(options.GetBool("debug")),
        dlm_weight_(options.GetDouble("adm_dlm_weight")),
        minimum_(options.GetDouble("adm_min_val")) {
    plan_.skip_aim = options.GetBool("adm_skip_aim");
    plan_.skip_scale0 = options.GetBool("adm_skip_scale0");
    plan_.columns = MakeAdmAxes(format.width, plan_.skip_scale0);
    plan_.rows = MakeAdmAxes(format.height, plan_.skip_scale0);
    plan_.csf = csf;
    plan_.gain_limit = options.GetDouble("adm_enhn_gain_limit");
    plan_.bit_depth = format.bit_depth;
    for (std::size_t s = 0; s < kAdmScales; ++s) {
      plan_.shifts[s] = MakeAdmShifts(static_cast<int>(s), plan_.columns[s], plan_.rows[s]);
      pooling_[s] = MakePooling(s, plan_, options.GetDouble("adm_noise_weight"));
    }
    const double pixels = format.width * format.height;
    least_total_ = 1e-10 * pixels / (1920.0 * 1080.0);
  }

  int fact_count() const override { return kAdmFacts; }

  std::vector<FeatureColumn> columns() const override {
    std::vector<FeatureColumn> columns;
    for (const char* name : kProvided) columns.push_back({name});
    if (debug_) {
      for (const char* name : {"integer_adm", "integer_adm_num", "integer_adm_den"}) columns.push_back({name});
      for (int s = 0; s < kAdmScales; ++s) {
        columns.push_back({fmt::format("integer_adm_num_scale{}", s)});
        columns.push_back({fmt::format("integer_adm_den_scale{}", s)});
      }
    }
    return columns;
  }

  std::unique_ptr<Workspace> MakeWorkspace() const override { return AdmFrame::Make(plan_, target_); }

  std::unique_ptr<Workspace> MakeLineBuffers() const override { return AdmFrame::Make(plan_, target_); }

  void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const override {
    // Rows outside the inner part go to the first and the last band; they cost nothing.
    const AdmAxis& rows = plan_.rows[kAdmScales - 1];
    const int inner_rows = rows.inner.end - rows.inner.begin;
    const int bands = window.BandCount(inner_rows, kMinimumBandRows);
    std::array<std::array<Fact, kAdmFacts>, kMaximumBands> parts;
    window.RunBands(bands, workspace, [&](int index, Workspace* lines) {
      const RowBand cut = CutBand(inner_rows, 1, bands, index);
      const AdmRange band = {index == 0 ? 0 : rows.inner.begin + cut.begin,
                             index == bands - 1 ? rows.outputs : rows.inner.begin + cut.end};
      static_cast<AdmFrame*>(lines)->ExtractBand(window.reference->plane(0), window.distorted->plane(0), band,
                                                 parts[static_cast<std::size_t>(index)]);
    });
    std::fill(facts.begin(), facts.end(), 0);
    for (int band = 0; band < bands; ++band) {
      for (std::size_t i = 0; i < kAdmFacts; ++i) facts[i] += parts[static_cast<std::size_t>(band)][i];
    }
  }

  std::unique_ptr<DeviceProgram> MakeDeviceProgram(const DeviceTraits& traits) const override {
    return traits.tuned == "cuda80" ? MakeAdmCudaProgram(plan_, traits) : MakeAdmDeviceProgram(plan_);
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (facts.Has(frame)) PutAdmScores(Combine(facts.Row(frame)), debug_, frame, sink);
    }
  }

 private:
  /// exact   binary32 within a scale, bands added in the order h, v, d; binary64 across scales
  AdmScores Combine(std::span<const Fact> facts) const {
    AdmScores scores;
    double impairment = 0.0;
    for (std::size_t s = 0; s < kAdmScales; ++s) {
      if (s == 0 && plan_.skip_scale0) {
        scores.denominator[s] = 1e-10f;  // the reference's stand-in; it enters the total as well
      } else {
        const ScalePooling& pooling = pooling_[s];
        std::array<float, 3> restored;
        std::array<float, 3> impaired;
        std::array<float, 3> reference;
        for (std::size_t band = 0; band < 3; ++band) {
          const double unit = pooling.numerator_unit[band];
          restored[band] = NumeratorRoot(s, facts[AdmFactIndex(s, AdmSum::kRestored, band)], unit) + pooling.noise;
          impaired[band] = NumeratorRoot(s, facts[AdmFactIndex(s, AdmSum::kImpairment, band)], unit);
          const auto sum = static_cast<double>(facts[AdmFactIndex(s, AdmSum::kReference, band)]);
          reference[band] = CubeRoot(static_cast<float>((sum / pooling.denominator_unit) * pooling.factor_cube[band])) +
                            pooling.noise;
        }
        scores.numerator[s] = (restored[0] + restored[1]) + restored[2];
        scores.denominator[s] = (reference[0] + reference[1]) + reference[2];
        impairment += static_cast<double>((impaired[0] + impaired[1]) + impaired[2]);
      }
      scores.total_numerator += static_cast<double>(scores.numerator[s]);
      scores.total_denominator += static_cast<double>(scores.denominator[s]);
    }
    // Comparisons are false for NaN, which csf mode 1 can produce: NaN stays NaN, except in adm3.
    if (scores.total_numerator < least_total_) scores.total_numerator = 0.0;
    if (scores.total_denominator < least_total_) scores.total_denominator = 0.0;
    if (scores.total_denominator == 0.0) {
      scores.adm2 = 1.0;
      scores.aim = 0.0;
    } else {
      scores.adm2 = scores.total_numerator / scores.total_denominator;
      scores.aim = impairment / scores.total_denominator;
    }
    const double blend = scores.adm2 * dlm_weight_ + (1.0 - scores.aim) * (1.0 - dlm_weight_);
    scores.adm3 = blend > minimum_ ? blend : minimum_;
    return scores;
  }

  AdmPlan plan_;
  std::array<ScalePooling, kAdmScales> pooling_{};
  CpuTarget target_;
  bool debug_;
  double dlm_weight_;
  double minimum_;
  double least_total_ = 0.0;  // totals below count as nothing
};

Result<std::unique_ptr<Feature>> CreateAdm(const OptionValues& options, const VideoFormat& format, CpuTarget target) {
  AdmCsfOptions viewing;
  viewing.mode = static_cast<AdmCsfMode>(options.GetInt("adm_csf_mode"));
  viewing.scale = options.GetDouble("adm_csf_scale");
  viewing.diagonal_scale = options.GetDouble("adm_csf_diag_scale");
  viewing.view_distance = options.GetDouble("adm_norm_view_dist");
  viewing.display_height = options.GetInt("adm_ref_display_height");
  Result<AdmCsf> csf = MakeAdmCsf(viewing);
  if (!csf) return std::move(csf).error();
  return std::unique_ptr<Feature>(std::make_unique<AdmFeature>(options, format, *csf, target));
}

}  // namespace

const FeatureDescription kAdm = {
    .name = "adm",
    .summary = "detail loss and additive impairment over four wavelet scales",
    .options = kAdmOptions,
    .provided = kProvided,
    .minimum_size = {33, 33},
    .create = CreateAdm,
    .on_devices = true,
};

}  // namespace lockstep
