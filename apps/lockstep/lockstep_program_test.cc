// SPDX-License-Identifier: BSD-2-Clause-Patent
// Arguments, summary, progress line and lists of `lockstep`.
#include <gtest/gtest.h>

#include "apps/lockstep/listing.h"
#include "apps/lockstep/progress_bar.h"
#include "apps/lockstep/score_arguments.h"
#include "apps/lockstep/score_summary.h"

namespace lockstep {
namespace {

ScoreTexts Texts(const char* reference = "a.y4m", const char* distorted = "b.mkv") {
  ScoreTexts texts;
  texts.reference = reference;
  texts.distorted = distorted;
  return texts;
}

std::string Refusal(const ScoreTexts& texts) {
  const Result<ScoreArguments> arguments = ParseScoreArguments(texts);
  EXPECT_FALSE(arguments.ok());
  return arguments ? "" : arguments.error().Describe();
}

TEST(ScoreArgumentsTest, Defaults) {
  const Result<ScoreArguments> arguments = ParseScoreArguments(Texts());
  ASSERT_TRUE(arguments.ok());
  EXPECT_EQ(arguments->request.threads, 0U);
  EXPECT_EQ(arguments->request.size_mismatch, SizeMismatch::kScaleContainers);
  EXPECT_TRUE(arguments->is_default_model);
  ASSERT_EQ(arguments->request.models.size(), 1U);
  EXPECT_EQ(arguments->request.models[0].version, "vmaf_v0.6.1");
  EXPECT_EQ(arguments->request.models[0].name, "vmaf");
  EXPECT_TRUE(arguments->outputs.empty());
}

TEST(ScoreArgumentsTest, RawInputs) {
  ScoreTexts texts = Texts("a.yuv", "b.mkv");
  EXPECT_NE(Refusal(texts).find("--width"), std::string::npos);
  texts.width = "64";
  EXPECT_NE(Refusal(texts).find("--height"), std::string::npos);
  texts.height = "48";
  const VideoFormat format{PixelFormat::kYuv420, 64, 48, 8};
  Result<ScoreArguments> arguments = ParseScoreArguments(texts);
  ASSERT_TRUE(arguments.ok());
  EXPECT_EQ(arguments->request.reference.raw, format);
  EXPECT_FALSE(arguments->request.distorted.raw);

  texts.reference = "-";
  texts.pixel_format = "422";
  texts.bit_depth = "10";
  arguments = ParseScoreArguments(texts);
  ASSERT_TRUE(arguments.ok());
  EXPECT_EQ(arguments->request.reference.raw, (VideoFormat{PixelFormat::kYuv422, 64, 48, 10}));
  EXPECT_EQ(arguments->request.distorted.raw, arguments->request.reference.raw);
}

TEST(ScoreArgumentsTest, ModelsGetNamesThatTellThemApart) {
  ScoreTexts texts = Texts();
  texts.models = {"vmaf_v0.6.1", "dir/my.model.json", "version=vmaf_v0.6.1:name=again:disable_clip"};
  const Result<ScoreArguments> arguments = ParseScoreArguments(texts);
  ASSERT_TRUE(arguments.ok());
  EXPECT_EQ(arguments->request.models[0].name, "vmaf_v0.6.1");
  EXPECT_EQ(arguments->request.models[1].name, "my.model");
  EXPECT_EQ(arguments->request.models[1].path, "dir/my.model.json");
  EXPECT_EQ(arguments->request.models[2].name, "again");
  texts.models = {"vmaf_v0.6.1", "vmaf_v0.6.1"};
  EXPECT_NE(Refusal(texts).find("both named"), std::string::npos);
}

TEST(ScoreArgumentsTest, NumbersAndRanges) {
  ScoreTexts texts = Texts();
  texts.frames = "4:8";
  texts.subsample = "2";
  texts.threads = "3";
  texts.precision = "max";
  texts.skip_distorted = "5";
  texts.cpu_mask = "-1";
  const Result<ScoreArguments> arguments = ParseScoreArguments(texts);
  ASSERT_TRUE(arguments.ok());
  EXPECT_EQ(arguments->request.segment, (std::pair<std::int64_t, std::int64_t>{4, 8}));
  EXPECT_EQ(arguments->request.subsample, 2);
  EXPECT_EQ(arguments->request.threads, 3U);
  EXPECT_EQ(arguments->request.distorted.skip_frames, 5);
  EXPECT_EQ(arguments->numbers.kind, NumberFormat::Kind::kMax);
}

TEST(ScoreArgumentsTest, Refused) {
  const auto refused = [](ScoreTexts::Text ScoreTexts::*member, const char* value) {
    ScoreTexts texts = Texts();
    texts.*member = value;
    EXPECT_NE(Refusal(texts), "") << value;
  };
  for (const char* value : {"", "abc", "-1", "5000"}) refused(&ScoreTexts::threads, value);
  for (const char* value : {"", "0", "x"}) refused(&ScoreTexts::subsample, value);
  for (const char* value : {"", "8:4"}) refused(&ScoreTexts::frames, value);
  for (const char* value : {"", "0", "18"}) refused(&ScoreTexts::precision, value);
  for (const char* value : {"", "gpu", "CUDA"}) refused(&ScoreTexts::backend, value);
  for (const char* value : {"", "yes"}) refused(&ScoreTexts::graphs, value);
  for (const char* value : {"", "65"}) refused(&ScoreTexts::batch, value);
  for (const char* value : {"", "fast"}) refused(&ScoreTexts::queue, value);
  refused(&ScoreTexts::bit_depth, "8");
  ScoreTexts texts = Texts();
  texts.json = "out";
  texts.csv = "out";
  EXPECT_NE(Refusal(texts).find("one place"), std::string::npos);
  texts = Texts();
  texts.no_model = true;
  EXPECT_NE(Refusal(texts).find("--feature"), std::string::npos);
  texts.features = {"psnr"};
  EXPECT_TRUE(ParseScoreArguments(texts).ok());
  texts.models = {"vmaf_v0.6.1"};
  EXPECT_NE(Refusal(texts).find("exclude"), std::string::npos);
}

TEST(ScoreArgumentsTest, Devices) {
  ScoreTexts texts = Texts();
  texts.gpus = "0,0,1";
  EXPECT_EQ(ParseScoreArguments(texts)->request.backend, "cuda");
  EXPECT_EQ(ParseScoreArguments(texts)->request.device.device, "0,0,1");
  texts.backend = "hip";
  EXPECT_EQ(ParseScoreArguments(texts)->request.backend, "hip");
  texts.device = "1";
  EXPECT_NE(Refusal(texts).find("--gpus"), std::string::npos);
  texts.gpus.reset();
  EXPECT_EQ(ParseScoreArguments(texts)->request.device.device, "1");
}

TEST(ScoreArgumentsTest, ReportOnStandardOutput) {
  ScoreTexts texts = Texts();
  texts.json = "-";
  EXPECT_TRUE(ParseScoreArguments(texts)->report_on_stdout());
  texts.json = "x.json";
  EXPECT_FALSE(ParseScoreArguments(texts)->report_on_stdout());
}

Report SmallReport() {
  Report report;
  report.format = {PixelFormat::kYuv420, 64, 48, 8};
  report.frames_per_second = 12.5;
  report.cpu_target = "avx2";
  report.peak_memory_bytes = 76 * 1024 * 1024 + 5;
  report.first_frame = 100;
  report.frame_count = 3;
  for (ReportInput* input : {&report.reference, &report.distorted}) {
    input->path = "a\x1b[2J.y4m";
    input->container = "y4m";
    input->format = report.format;
    input->frame_rate = 25.0;
  }
  ReportColumn vmaf;
  vmaf.name = "vmaf";
  vmaf.values = {90.0, 70.0, 80.0};
  vmaf.pooled = PooledScore{70.0, 90.0, 80.0, 79.5};
  ReportColumn psnr;
  psnr.name = "psnr_y";
  psnr.values = {40.0, 30.0, 35.0};
  psnr.pooled = PooledScore{30.0, 40.0, 35.0, 34.5};
  report.models.push_back({"vmaf", "vmaf_v0.6.1", vmaf.pooled, false, 0.0, 0.0, 0.0, 0.0});
  report.columns = {psnr, vmaf};
  report.decisions.push_back({"scaling", "b scaled"});
  return report;
}

TEST(Summary, Text) {
  EXPECT_EQ(SummaryText(SmallReport(), {}),
            "reference  a?[2J.y4m  64x48 yuv420 8 bit, y4m, 25 frames/s\n"
            "distorted  a?[2J.y4m  64x48 yuv420 8 bit, y4m, 25 frames/s\n"
            "frames     100 to 102, backend cpu (avx2), 12.50 frames/s, 76 MiB of memory\n"
            "\n"
            "VMAF, model vmaf_v0.6.1\n"
            "  mean              80.000000\n"
            "  harmonic mean     79.500000\n"
            "  10 % low          72.000000\n"
            "  5 % low           71.000000\n"
            "  1 % low           70.200000\n"
            "  minimum           70.000000  frame 101, 0:04.040\n"
            "  worst frames\n"
            "         101     70.000000       0:04.040\n"
            "         102     80.000000       0:04.080\n"
            "         100     90.000000       0:04.000\n"
            "\n"
            "other scores             mean        minimum        maximum\n"
            "  psnr_y            35.000000      30.000000      40.000000\n"
            "\n"
            "decided: scaling: b scaled\n");
}

TEST(Summary, NoFramesAndNoFrameRate) {
  Report report = SmallReport();
  report.reference.frame_rate = report.distorted.frame_rate = 0.0;
  EXPECT_NE(SummaryText(report, {}).find("frame 101\n"), std::string::npos);
  report.frame_count = 0;
  for (ReportColumn& column : report.columns) {
    column.values.clear();
    column.pooled.reset();
  }
  report.models[0].pooled.reset();
  const std::string text = SummaryText(report, {});
  EXPECT_NE(text.find("frames     none\n"), std::string::npos);
  EXPECT_NE(text.find("  no score\n"), std::string::npos);
  EXPECT_EQ(BriefText(report, {}), "vmaf_v0.6.1 no score\n");
}

TEST(Summary, WholeClip) {
  Report report = SmallReport();
  report.aggregates = {{"apsnr_y", 36.5}};
  EXPECT_NE(SummaryText(report, {}).find("\nwhole clip\n  apsnr_y           36.500000\n"), std::string::npos);
  report.aggregates.push_back({"axpsnr_min_fps_25", 28.522361335898921});
  EXPECT_NE(SummaryText(report, {NumberFormat::Kind::kDigits, 17})
                .find("\nwhole clip\n  apsnr_y                   36.5\n  axpsnr_min_fps_25 28.522361335898921\n"),
            std::string::npos);
}

TEST(Summary, NamedModel) {
  Report report = SmallReport();
  report.models[0].name = "phone";
  report.columns[1].name = "phone";
  EXPECT_NE(SummaryText(report, {}).find("\nVMAF, model vmaf_v0.6.1, named phone\n"), std::string::npos);
}

TEST(Summary, Brief) {
  Report report = SmallReport();
  EXPECT_EQ(BriefText(report, {NumberFormat::Kind::kDigits, 3}), "vmaf_v0.6.1 80\n");
  report.models.clear();
  EXPECT_EQ(BriefText(report, {}), "psnr_y 35.000000\nvmaf 80.000000\n");
}

TEST(ProgressBar, Text) {
  EXPECT_EQ(ProgressText({60, 240}, 2.0),
            "[######                  ]  25 %   60/240 frames   30.0 frames/s   0:06 left");
  EXPECT_EQ(ProgressText({240, 240}, 2.0), "[########################] 100 %   240/240 frames   120.0 frames/s");
  EXPECT_EQ(ProgressText({300, 240}, 0.5), "[########################] 100 %   240/240 frames   600.0 frames/s");
  EXPECT_EQ(ProgressText({0, 240}, 0.0), "[                        ]   0 %   0/240 frames   0.0 frames/s");
  EXPECT_EQ(ProgressText({7, std::nullopt}, 2.0), "7 frames   3.5 frames/s");
  EXPECT_EQ(ProgressText({1, 7201}, 1.0),
            "[                        ]   0 %   1/7201 frames   1.0 frames/s   2:00:00 left");
}

TEST(Listing, FeaturesAndModels) {
  FeatureInfo psnr;
  psnr.name = "psnr";
  psnr.summary = "Peak signal-to-noise ratio";
  psnr.minimum_size = {1, 1};
  psnr.scores = {"psnr_y", "psnr_cb"};
  psnr.on_devices = true;
  psnr.options = {{"min_sse", "mss", "double", "0", "0 to 1", "floor of the error"},
                  {"path", "", "string", "", "", "where"},
                  {"method", "", "string", "nearest", "nearest, bilinear", "how"}};
  FeatureInfo vif;
  vif.name = "vif";
  vif.summary = "Visual information fidelity";
  vif.minimum_size = {16, 16};
  EXPECT_EQ(ListFeaturesText({psnr, vif}, false),
            "psnr: Peak signal-to-noise ratio (smallest picture: any)\n"
            "  options: min_sse, path, method\n"
            "vif: Visual information fidelity (smallest picture: 16x16)\n");
  EXPECT_EQ(*DescribeFeatureText({psnr, vif}, "psnr"),
            "psnr: Peak signal-to-noise ratio\n"
            "  smallest picture: any\n"
            "  scores: psnr_y, psnr_cb\n"
            "  backends: all\n"
            "  options:\n"
            "    min_sse (double, in names: mss, default 0, 0 to 1)\n"
            "      floor of the error\n"
            "    path (string, default empty)\n"
            "      where\n"
            "    method (string, default nearest, one of nearest, bilinear)\n"
            "      how\n");
  EXPECT_EQ(*DescribeFeatureText({psnr, vif}, "vif"),
            "vif: Visual information fidelity\n"
            "  smallest picture: 16x16\n"
            "  scores: \n"
            "  backends: cpu\n"
            "  no options\n");
  EXPECT_EQ(DescribeFeatureText({psnr, vif}, "nope").error().message, "unknown feature \"nope\"; expected psnr, vif");

  ModelInfo model;
  model.version = "vmaf_v0.6.1";
  model.summary = "default";
  model.features = {"integer_adm2", "integer_motion2"};
  model.minimum_size = {33, 33};
  EXPECT_EQ(ListModelsText({model}),
            "vmaf_v0.6.1: default\n  features: integer_adm2, integer_motion2\n  smallest picture: 33x33\n");
  model.available = false;
  model.unavailable_reason = "no metric of this build provides cambi";
  EXPECT_NE(ListModelsText({model}).find("not available: no metric"), std::string::npos);
}

}  // namespace
}  // namespace lockstep
