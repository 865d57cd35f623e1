// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_adm as a metric: options, columns, and the scores that a frame's sums give.
#include "features/float_adm/float_adm.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "exact/elementary.h"
#include "features/adm/adm_scores.h"
#include "features/float_adm/float_adm_frame.h"
#include "features/float_adm/float_adm_options.h"
#include "features/float_adm/float_adm_simd.h"

namespace lockstep {
namespace {

constexpr std::array<const char*, 7> kProvided = {
    "VMAF_feature_adm2_score",       "VMAF_feature_aim_score",        "VMAF_feature_adm3_score",
    "VMAF_feature_adm_scale0_score", "VMAF_feature_adm_scale1_score", "VMAF_feature_adm_scale2_score",
    "VMAF_feature_adm_scale3_score",
};

FloatAdmPlan MakePlan(const OptionValues& options, const VideoFormat& format, CpuTarget target) {
  FloatAdmPlan plan;
  plan.skip_scale0 = options.GetBool("adm_skip_scale0");
  plan.columns = MakeAdmAxes(format.width, plan.skip_scale0);
  plan.rows = MakeAdmAxes(format.height, plan.skip_scale0);
  plan.factors = MakeFloatAdmCsf(options);
  plan.bit_depth = format.bit_depth;
  plan.bypass_masking = options.GetInt("adm_bypass_cm") == 1;
  plan.gain_limit = options.GetDouble("adm_enhn_gain_limit");
  plan.exponent = options.GetDouble("adm_p_norm");
  plan.passes = ChooseFloatAdmPasses(target, plan.gain_limit);
  return plan;
}

class FloatAdmFeature final : public Feature {
 public:
  FloatAdmFeature(const OptionValues& options, const VideoFormat& format, CpuTarget target)
      : plan_(MakePlan(options, format, target)),
        debug_(options.GetBool("debug")),
        harmonic_(options.GetBool("adm_adm3_apply_hm")),
        skipped_aim_scale_(options.GetInt("adm_skip_aim_scale")),
        dlm_weight_(options.GetDouble("adm_dlm_weight")),
        minimum_(options.GetDouble("adm_min_val")),
        root_(static_cast<float>(1.0 / plan_.exponent)),
        least_total_(1e-10 * (format.width * format.height) / (1920.0 * 1080.0)) {
    for (std::size_t s = 0; s < kAdmScales; ++s) {
      const double area = AdmInnerArea(plan_.columns[s], plan_.rows[s]);
      noise_[s] = exact::Powf(static_cast<float>(area * options.GetDouble("adm_noise_weight")), root_);
    }
  }

  int fact_count() const override { return kFloatAdmSums * kAdmScales; }

  std::vector<FeatureColumn> columns() const override {
    std::vector<FeatureColumn> columns;
    for (const char* name : kProvided) columns.push_back({name});
    if (debug_) {
      // libvmaf does not list this one as provided, and then forgets its suffix.
      columns.push_back({"adm", ColumnPhase::kFrame, false});
      columns.insert(columns.end(), {{"adm_num"}, {"adm_den"}});
      for (int s = 0; s < kAdmScales; ++s) {
        columns.push_back({fmt::format("adm_num_scale{}", s)});
        columns.push_back({fmt::format("adm_den_scale{}", s)});
      }
    }
    return columns;
  }

  std::unique_ptr<Workspace> MakeWorkspace() const override { return MakeFloatAdmWorkspace(plan_); }
  std::unique_ptr<Workspace> MakeLineBuffers() const override { return MakeFloatAdmLines(plan_); }

  void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const override {
    ExtractFloatAdm(plan_, window, workspace, facts);
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (facts.Has(frame)) PutAdmScores(Score(facts.Row(frame)), debug_, frame, sink);
    }
  }

 private:
  // Roots of the sums of the three bands, each with its noise, added in the order h, v, d.
  float Pool(std::span<const Fact> sums, float noise) const {
    const auto root = [&](std::size_t band) {
      return exact::Powf(static_cast<float>(DoubleOf(sums[band])), root_) + noise;
    };
    return (root(0) + root(1)) + root(2);
  }

  AdmScores Score(std::span<const Fact> facts) const {
    AdmScores scores;
    double impairment = 0.0;
    double impairment_base = 0.0;
    for (std::size_t s = 0; s < kAdmScales; ++s) {
      float impaired = 0.0f;
      if (s == 0 && plan_.skip_scale0) {
        scores.denominator[s] = 1e-10f;  // the reference's stand-in; it enters the total as well
      } else {
        const std::span<const Fact> sums = facts.subspan(s * kFloatAdmSums, kFloatAdmSums);
        scores.numerator[s] = Pool(sums.subspan(kFloatAdmRestored), noise_[s]);
        scores.denominator[s] = Pool(sums.subspan(kFloatAdmReference), noise_[s]);
        impaired = Pool(sums.subspan(kFloatAdmImpaired), 0.0f);
      }
      scores.total_numerator += static_cast<double>(scores.numerator[s]);
      scores.total_denominator += static_cast<double>(scores.denominator[s]);
      if (static_cast<int>(s) == skipped_aim_scale_) continue;
      impairment += static_cast<double>(impaired);
      impairment_base += static_cast<double>(scores.denominator[s]);
    }
    if (scores.total_numerator < least_total_) scores.total_numerator = 0.0;
    if (scores.total_denominator < least_total_) scores.total_denominator = 0.0;
    if (scores.total_denominator == 0.0) {
      scores.adm2 = 1.0;
      scores.aim = 0.0;
    } else {
      scores.adm2 = scores.total_numerator / scores.total_denominator;
      const double aim = impairment / impairment_base;
      scores.aim = aim < 1.0 ? aim : 1.0;
    }
    const double blend = harmonic_ ? ((2.0 * scores.adm2) * scores.aim) / (scores.adm2 + scores.aim)
                                   : scores.adm2 * dlm_weight_ + (1.0 - scores.aim) * (1.0 - dlm_weight_);
    scores.adm3 = blend > minimum_ ? blend : minimum_;
    return scores;
  }

  FloatAdmPlan plan_;
  bool debug_;
  bool harmonic_;
  int skipped_aim_scale_;
  double dlm_weight_;
  double minimum_;
  float root_;
  double least_total_;
  std::array<float, kAdmScales> noise_{};
};

}  // namespace

const FeatureDescription kFloatAdm = {
    .name = "float_adm",
    .summary = "detail loss and additive impairment over four wavelet scales, binary32",
    .options = kFloatAdmOptions,
    .provided = kProvided,
    .minimum_size = {17, 17},
    .create = [](const OptionValues& options, const VideoFormat& format,
                 CpuTarget target) -> Result<std::unique_ptr<Feature>> {
      return std::unique_ptr<Feature>(std::make_unique<FloatAdmFeature>(options, format, target));
    },
};

}  // namespace lockstep
