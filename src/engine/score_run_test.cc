// SPDX-License-Identifier: BSD-2-Clause-Patent
// Whole runs: the same bits for every thread count and every cut into segments; names, merging, order of columns.
#include "engine/score_run.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace lockstep {
namespace {

constexpr VideoFormat kFormat{PixelFormat::kYuv420, 49, 37, 8};
constexpr int kFrames = 12;

// A moving pattern with noise, so that every metric has something to measure.
std::string MakeClip(const std::string& name, int frames, std::uint32_t noise, const VideoFormat& format = kFormat) {
  static const std::filesystem::path folder = [] {
    std::string name_template = (std::filesystem::temp_directory_path() / "lockstep_score_run_XXXXXX").string();
    return std::filesystem::path(mkdtemp(name_template.data()));
  }();
  const std::string path = (folder / name).string();
  std::ofstream file(path, std::ios::binary);
  std::uint32_t state = 12345;
  for (int f = 0; f < frames; ++f) {
    for (int p = 0; p < format.plane_count(); ++p) {
      const PlaneSize size = format.plane_size(p);
      for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
          state = state * 1664525U + 1013904223U;
          const std::uint32_t base = static_cast<std::uint32_t>(((x + 2 * f) * 9) ^ ((y + f * f) * 5)) % 180U;
          const std::uint32_t sample = base + (noise == 0 ? 0 : (state >> 8) % noise);
          file.put(static_cast<char>(sample));
          if (format.bit_depth > 8) file.put(static_cast<char>(sample >> 7));
        }
      }
    }
  }
  return path;
}

ScoreRequest MakeRequest() {
  static const std::string reference = MakeClip("reference.yuv", kFrames, 0);
  static const std::string distorted = MakeClip("distorted.yuv", kFrames, 40);
  ScoreRequest request;
  request.reference = {reference, kFormat, 0};
  request.distorted = {distorted, kFormat, 0};
  request.threads = 1;
  return request;
}

ScoreRequest MakeFullRequest() {
  ScoreRequest request = MakeRequest();
  request.models.push_back({"vmaf_v0.6.1", "", "vmaf", false, false, {}});
  request.models.push_back({"vmaf_b_v0.6.3", "", "boot", false, false, {}});
  request.features.push_back({"psnr", {}});
  request.features.push_back({"float_psnr", {}});
  request.features.push_back({"float_motion", {}});
  request.features.push_back({"motion", {{"motion_five_frame_window", "true"}, {"motion_moving_average", "true"}}});
  request.features.push_back({"motion_v2", {{"motion_add_uv", "true"}}});
  return request;
}

Report MustRun(const ScoreRequest& request) {
  Result<Report> report = RunScore(request);
  EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().Describe());
  return report.ok() ? *std::move(report) : Report{};
}

const ReportColumn* FindColumn(const Report& report, const std::string& name) {
  for (const ReportColumn& column : report.columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

void ExpectSameBits(const ReportColumn& whole, const ReportColumn& part, std::int64_t offset) {
  for (std::size_t i = 0; i < part.values.size(); ++i) {
    const std::optional<double>& a = whole.values[i + static_cast<std::size_t>(offset)];
    const std::optional<double>& b = part.values[i];
    ASSERT_EQ(a.has_value(), b.has_value()) << whole.name << " frame " << i + static_cast<std::size_t>(offset);
    if (a) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(*a), std::bit_cast<std::uint64_t>(*b))
          << whole.name << " frame " << i + static_cast<std::size_t>(offset) << ": " << *a << " against " << *b;
    }
  }
}

TEST(ScoreRun, EveryThreadCountGivesTheSameReport) {
  ScoreRequest request = MakeFullRequest();
  const Report one = MustRun(request);
  ASSERT_EQ(one.frame_count, kFrames);
  for (const unsigned threads : {2U, 3U, 7U}) {
    request.threads = threads;
    const Report many = MustRun(request);
    ASSERT_EQ(many.columns.size(), one.columns.size());
    for (std::size_t c = 0; c < one.columns.size(); ++c) {
      EXPECT_EQ(many.columns[c].key, one.columns[c].key);
      ExpectSameBits(one.columns[c], many.columns[c], 0);
    }
  }
}

// Predictions are made in pieces of 256 frames.
TEST(ScoreRun, PredictionsOfManyFramesOnSeveralThreads) {
  constexpr VideoFormat kSmall{PixelFormat::kYuv420, 34, 33, 8};
  constexpr int kMany = 600;
  ScoreRequest request;
  request.reference = {MakeClip("many_a.yuv", kMany, 0, kSmall), kSmall, 0};
  request.distorted = {MakeClip("many_b.yuv", kMany, 40, kSmall), kSmall, 0};
  request.models.push_back({"vmaf_v0.6.1", "", "vmaf", false, false, {}});
  request.models.push_back({"vmaf_b_v0.6.3", "", "boot", false, false, {}});
  request.subsample = 3;
  request.threads = 1;
  const Report one = MustRun(request);
  ASSERT_EQ(one.frame_count, kMany);
  ASSERT_TRUE(FindColumn(one, "boot_bagging")->values[kMany - 3].has_value());
  EXPECT_FALSE(FindColumn(one, "boot_bagging")->values[kMany - 1].has_value());
  request.threads = 4;
  const Report four = MustRun(request);
  ASSERT_EQ(four.columns.size(), one.columns.size());
  for (std::size_t c = 0; c < one.columns.size(); ++c) ExpectSameBits(one.columns[c], four.columns[c], 0);
}

TEST(ScoreRun, EverySegmentHasTheBitsOfTheWholeRun) {
  ScoreRequest request = MakeFullRequest();
  const Report whole = MustRun(request);
  request.threads = 2;
  for (std::int64_t first = 0; first < kFrames; ++first) {
    for (std::int64_t end = first + 1; end <= kFrames + 1; end += (first % 3 == 0 ? 1 : 3)) {
      request.segment = {first, end};
      const Report part = MustRun(request);
      EXPECT_EQ(part.first_frame, first);
      ASSERT_EQ(part.frame_count, std::min<std::int64_t>(end, kFrames) - first);
      ASSERT_EQ(part.columns.size(), whole.columns.size());
      for (std::size_t c = 0; c < whole.columns.size(); ++c) ExpectSameBits(whole.columns[c], part.columns[c], first);
    }
  }
}

TEST(ScoreRun, SegmentPastTheEndIsRefused) {
  ScoreRequest request = MakeFullRequest();
  request.segment = {kFrames, kFrames + 4};
  const Result<Report> report = RunScore(request);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
}

TEST(ScoreRun, ShortAndEmptySegmentsAreSaid) {
  ScoreRequest request = MakeRequest();
  request.features.push_back({"psnr", {}});
  const auto warnings = [&](std::int64_t first, std::int64_t end, int subsample) {
    request.segment = {first, end};
    request.subsample = subsample;
    std::string text;
    for (const ReportWarning& warning : MustRun(request).warnings) text += warning.text + "\n";
    return text;
  };
  EXPECT_EQ(warnings(3, kFrames, 1), "");
  EXPECT_EQ(warnings(3, kFrames + 1, 1), "segment: ends before frame 13, but the inputs have 12\n");
  EXPECT_EQ(warnings(4, 6, 3), "segment: of frames 4 to 5 none is a multiple of 3\n");
  EXPECT_EQ(warnings(4, 7, 3), "");
  EXPECT_EQ(warnings(6, 7, 3), "");
  request.strict = true;
  EXPECT_EQ(warnings(3, kFrames, 1), "");
  request.segment = {3, kFrames + 1};
  const Result<Report> report = RunScore(request);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kTruncated);
}

TEST(ScoreRun, ColumnsComeInLibvmafsOrder) {
  ScoreRequest request = MakeRequest();
  request.models.push_back({"vmaf_v0.6.1", "", "vmaf", false, false, {}});
  request.features.push_back({"psnr", {}});
  std::vector<std::string> names;
  for (const ReportColumn& column : MustRun(request).columns) names.push_back(column.name);
  const std::vector<std::string> expected = {"integer_adm2",
                                             "integer_aim",
                                             "integer_adm3",
                                             "integer_adm_scale0",
                                             "integer_adm_scale1",
                                             "integer_adm_scale2",
                                             "integer_adm_scale3",
                                             "VMAF_integer_feature_motion_sad_score",
                                             "integer_vif_scale0",
                                             "integer_vif_scale1",
                                             "integer_vif_scale2",
                                             "integer_vif_scale3",
                                             "psnr_y",
                                             "psnr_cb",
                                             "psnr_cr",
                                             "integer_motion2",
                                             "integer_motion3",
                                             "vmaf"};
  EXPECT_EQ(names, expected);
}

TEST(ScoreRun, RequestsThatDifferInOutputsAreMerged) {
  ScoreRequest request = MakeRequest();
  request.features.push_back({"psnr", {}});
  request.features.push_back({"psnr", {{"enable_mse", "true"}}});
  const Report report = MustRun(request);
  EXPECT_EQ(report.columns.size(), 6U);
  EXPECT_NE(FindColumn(report, "mse_y"), nullptr);
  EXPECT_TRUE(report.decisions.empty());
}

TEST(ScoreRun, RequestsThatDifferInValuesKeepTheirOwnNames) {
  ScoreRequest request = MakeRequest();
  request.features.push_back({"psnr", {{"enable_chroma", "false"}}});
  request.features.push_back({"psnr", {{"enable_chroma", "false"}, {"min_sse", "0.5"}}});
  request.features.push_back({"adm", {}});
  request.features.push_back({"adm", {{"adm_enhn_gain_limit", "1.0"}}});
  const Report report = MustRun(request);
  EXPECT_NE(FindColumn(report, "psnr_y"), nullptr);
  EXPECT_NE(FindColumn(report, "psnr_y_min_sse_0.5"), nullptr);
  EXPECT_NE(FindColumn(report, "integer_adm2"), nullptr);
  EXPECT_NE(FindColumn(report, "integer_adm2_egl_1"), nullptr);
  EXPECT_FALSE(report.decisions.empty());
}

TEST(ScoreRun, OptionsBeforeThePlainRequestKeepBothToo) {
  ScoreRequest request = MakeRequest();
  request.features.push_back({"psnr", {{"enable_chroma", "false"}, {"min_sse", "0.5"}}});
  request.features.push_back({"psnr", {{"enable_chroma", "false"}}});
  const Report report = MustRun(request);
  ASSERT_EQ(report.columns.size(), 2U);
  EXPECT_EQ(report.columns[0].name, "psnr_y_min_sse_0.5");
  EXPECT_EQ(report.columns[1].name, "psnr_y");
}

TEST(ScoreRun, ModelReadsItsOwnScoresBesideAnotherRequest) {
  ScoreRequest request = MakeRequest();
  request.models.push_back({"vmaf_v0.6.1", "", "vmaf", false, false, {}});
  const Report alone = MustRun(request);
  request.features.push_back({"adm", {{"adm_skip_aim", "true"}}});
  const Report both = MustRun(request);
  ASSERT_NE(FindColumn(alone, "vmaf"), nullptr);
  ASSERT_NE(FindColumn(both, "vmaf"), nullptr);
  ExpectSameBits(*FindColumn(alone, "vmaf"), *FindColumn(both, "vmaf"), 0);
  EXPECT_NE(FindColumn(both, "integer_aim_adm_skip_aim"), nullptr);
}

TEST(ScoreRun, NamesOfBootstrapScoresAreTaken) {
  for (const char* name : {"v_bagging", "v_0001", "v_ci_p95_hi", "integer_motion2"}) {
    ScoreRequest request = MakeRequest();
    request.models.push_back({"vmaf_b_v0.6.3", "", "v", false, false, {}});
    request.models.push_back({"vmaf_v0.6.1", "", name, false, false, {}});
    EXPECT_FALSE(RunScore(request).ok()) << name;
  }
}

TEST(ScoreRun, OneStreamIsNotTwoInputs) {
  ScoreRequest request = MakeRequest();
  const std::string pipe = request.reference.path + ".fifo";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  request.reference.path = pipe;
  request.distorted.path = pipe;
  request.features.push_back({"psnr", {}});
  const Result<Report> report = RunScore(request);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
  std::filesystem::remove(pipe);
}

TEST(ScoreRun, WrongRawSizeIsNotATruncatedFile) {
  constexpr VideoFormat kLarge{PixelFormat::kYuv420, 98, 74, 8};
  ScoreRequest request = MakeRequest();
  request.features.push_back({"psnr", {}});
  request.reference = {MakeClip("large_a.yuv", 3, 0, kLarge), kLarge, 0};
  request.distorted = {MakeClip("large_b.yuv", 3, 9, kLarge), kLarge, 0};
  EXPECT_TRUE(RunScore(request).ok());
  VideoFormat wrong = kLarge;
  wrong.width = 120;
  request.reference.raw = wrong;
  request.distorted.raw = wrong;
  const Result<Report> report = RunScore(request);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("120x74"), std::string::npos) << report.error().Describe();
}

TEST(ScoreRun, FilesCutAlikeAreTruncatedFiles) {
  ScoreRequest request = MakeRequest();
  request.features.push_back({"psnr", {}});
  for (InputRequest* input : {&request.reference, &request.distorted}) {
    const std::string cut = input->path + ".cut";
    std::filesystem::copy_file(input->path, cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, std::filesystem::file_size(cut) - 1000);
    input->path = cut;
  }
  const Report report = MustRun(request);
  EXPECT_EQ(report.frame_count, kFrames - 1);
  EXPECT_EQ(report.warnings.size(), 2U);
}

TEST(ScoreRun, SubsamplingKeepsFullRateMotion) {
  ScoreRequest request = MakeRequest();
  request.features.push_back({"motion", {}});
  request.features.push_back({"vif", {}});
  const Report full = MustRun(request);
  request.subsample = 5;
  const Report some = MustRun(request);
  for (const std::int64_t frame : {0, 5, 10}) {
    const auto i = static_cast<std::size_t>(frame);
    EXPECT_EQ(FindColumn(some, "integer_motion2")->values[i], FindColumn(full, "integer_motion2")->values[i]);
    EXPECT_EQ(FindColumn(some, "integer_vif_scale0")->values[i], FindColumn(full, "integer_vif_scale0")->values[i]);
  }
  EXPECT_FALSE(FindColumn(some, "integer_vif_scale0")->values[1].has_value());
  ASSERT_TRUE(FindColumn(some, "integer_vif_scale0")->pooled.has_value());
}

TEST(ScoreRun, UnequalLengthScoresTheCommonPart) {
  for (const bool shorter_reference : {true, false}) {
    ScoreRequest request = MakeRequest();
    const std::string shorter = MakeClip("shorter.yuv", 7, 11);
    (shorter_reference ? request.reference : request.distorted).path = shorter;
    request.features.push_back({"psnr", {}});
    const Report report = MustRun(request);
    EXPECT_EQ(report.frame_count, 7);
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_NE(report.warnings[0].text.find("shorter.yuv\" ended before"), std::string::npos);
    request.strict = true;
    EXPECT_FALSE(RunScore(request).ok());
  }
}

TEST(ScoreRun, InputsThatDifferAreRefusedWithBothFormats) {
  ScoreRequest request = MakeRequest();
  VideoFormat other = kFormat;
  other.width = 50;
  request.distorted = {MakeClip("other.yuv", 3, 5, other), other, 0};
  request.features.push_back({"psnr", {}});
  const Result<Report> report = RunScore(request);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("49x37"), std::string::npos);
  EXPECT_NE(report.error().message.find("50x37"), std::string::npos);
}

TEST(ScoreRun, TooSmallPicturesAreRefusedWithTheMinimum) {
  ScoreRequest request = MakeRequest();
  VideoFormat small = kFormat;
  small.width = 20;
  request.reference = {MakeClip("small_a.yuv", 3, 0, small), small, 0};
  request.distorted = {MakeClip("small_b.yuv", 3, 9, small), small, 0};
  request.models.push_back({"vmaf_v0.6.1", "", "vmaf", false, false, {}});
  Result<Report> report = RunScore(request);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().Describe().find("33x33"), std::string::npos) << report.error().Describe();
  EXPECT_NE(report.error().Describe().find("(model vmaf_v0.6.1 reads it)"), std::string::npos);
  request.models.clear();
  request.features.push_back({"psnr", {}});
  request.features.push_back({"motion", {}});
  EXPECT_TRUE(RunScore(request).ok());
}

TEST(ScoreRun, NamesThatCollideAreRefused) {
  ScoreRequest request = MakeRequest();
  request.models.push_back({"vmaf_v0.6.1", "", "vmaf", false, false, {}});
  request.models.push_back({"vmaf_v0.6.1neg", "", "vmaf", false, false, {}});
  EXPECT_FALSE(CheckScoreRequest(request).ok());
  request.models[1].name = "psnr_y";
  EXPECT_TRUE(CheckScoreRequest(request).ok());
  request.features.push_back({"psnr", {}});
  EXPECT_FALSE(RunScore(request).ok());
}

TEST(ScoreRun, BadRequestsAreRefusedBeforeReading) {
  for (const auto& spoil : std::vector<void (*)(ScoreRequest&)>{
           [](ScoreRequest& r) {
             r.features.push_back({"psrn", {}});
           },
           [](ScoreRequest& r) {
             r.features.push_back({"psnr", {{"enable_msee", "true"}}});
           },
           [](ScoreRequest& r) {
             r.features.push_back({"vif", {{"vif_enhn_gain_limit", "nan"}}});
           },
           [](ScoreRequest& r) {
             r.features.push_back({"psnr", {{"enable_mse", "true"}, {"enable_mse", "false"}}});
           },
           [](ScoreRequest& r) {
             r.models.push_back({"vmaf_v9", "", "vmaf", false, false, {}});
           },
           [](ScoreRequest& r) {
             r.models.push_back({"", "/missing.json", "vmaf", false, false, {}});
           },
           [](ScoreRequest& r) {
             r.models.push_back({"", "", "vmaf", false, false, {}});
           },
           [](ScoreRequest& r) { r.subsample = 0; },
           [](ScoreRequest& r) { r.backend = "quantum"; },
           [](ScoreRequest& r) { r.hwaccel = "cuda"; },
           [](ScoreRequest& r) {
             r.backend = "cuda";
             r.hwaccel = "vaapi";
           },
           [](ScoreRequest& r) {
             r.segment = {5, 5};
           },
           [](ScoreRequest& r) { r.features.clear(); },
       }) {
    ScoreRequest request = MakeRequest();
    request.features.push_back({"float_psnr", {}});
    spoil(request);
    EXPECT_FALSE(CheckScoreRequest(request).ok());
    EXPECT_FALSE(RunScore(request).ok());
  }
}

TEST(ScoreRun, FilesOfMetricsAreCompletedOrTheRunFails) {
  constexpr VideoFormat kLuma{PixelFormat::kYuv400, 216, 20, 8};
  ScoreRequest request;
  request.reference = {MakeClip("heatmaps.yuv", 5, 0, kLuma), kLuma, 0};
  request.distorted = request.reference;
  request.distorted.path = MakeClip("heatmaps2.yuv", 5, 3, kLuma);
  request.threads = 3;
  const std::filesystem::path folder = request.reference.path + ".heatmaps";
  request.features.push_back({"cambi", {{"heatmaps_path", folder}}});
  MustRun(request);
  const std::filesystem::path last = folder / "cambi_heatmap_scale_4_14x2_16b.gray";
  EXPECT_EQ(std::filesystem::file_size(last), 5u * 14u * 2u * 2u);
  // Something is in the way of the last file.
  std::filesystem::remove(last);
  std::filesystem::create_directories(last / "folder");
  const Result<Report> report = RunScore(request);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kInputOutput);
  EXPECT_EQ(report.error().file, last);
  EXPECT_FALSE(std::filesystem::exists(last.string() + ".unfinished"));
}

// xpsnr measures changes over three pictures from 32 frames a second on.
TEST(ScoreRun, MetricsKnowTheInputsFrameRate) {
  constexpr VideoFormat kSize{PixelFormat::kYuv420, 96, 80, 8};
  const auto with_header = [&](const std::string& name, std::uint32_t noise, const std::string& rate) {
    const std::string raw = MakeClip(name + ".yuv", kFrames, noise, kSize);
    std::string path = raw.substr(0, raw.size() - 4) + ".y4m";
    std::ifstream from(raw, std::ios::binary);
    std::ofstream to(path, std::ios::binary);
    to << "YUV4MPEG2 W96 H80 " << rate << " C420jpeg\n";
    std::vector<char> picture(kSize.frame_bytes());
    while (from.read(picture.data(), static_cast<std::streamsize>(picture.size()))) {
      to << "FRAME\n";
      to.write(picture.data(), static_cast<std::streamsize>(picture.size()));
    }
    return path;
  };
  const auto scores = [&](const std::string& rate, const OptionList& options) {
    ScoreRequest request;
    request.reference = {with_header("rate_a", 0, rate), {}, 0};
    request.distorted = {with_header("rate_b", 40, rate), {}, 0};
    request.features.push_back({"xpsnr", options});
    return MustRun(request);
  };
  const Report slow = scores("F25:1", {});
  const Report fast = scores("F60000:1001", {});
  const Report unknown = scores("", {});
  ASSERT_NE(FindColumn(fast, "xpsnr_y"), nullptr);
  EXPECT_NE(FindColumn(slow, "xpsnr_y")->values[5], FindColumn(fast, "xpsnr_y")->values[5]);
  ExpectSameBits(*FindColumn(slow, "xpsnr_y"), *FindColumn(unknown, "xpsnr_y"), 0);
  ASSERT_EQ(fast.decisions.size(), 1U);
  EXPECT_EQ(fast.decisions[0].subject, "feature xpsnr");
  EXPECT_EQ(fast.decisions[0].text, "fps is 59.9401, the input's");
  ASSERT_FALSE(fast.aggregates.empty());
  EXPECT_EQ(fast.aggregates[0].first, "axpsnr_y");
  EXPECT_TRUE(unknown.decisions.empty());
  // What the user gives is what counts, and is in the name.
  const Report given = scores("F60:1", {{"fps", "25"}});
  ExpectSameBits(*FindColumn(slow, "xpsnr_y"), *FindColumn(given, "xpsnr_y_fps_25"), 0);
  ASSERT_FALSE(given.aggregates.empty());
  EXPECT_EQ(given.aggregates[0].first, "axpsnr_y_fps_25");
  EXPECT_TRUE(given.decisions.empty());
  // Pictures of a rate beyond the option's range are scored too.
  ExpectSameBits(*FindColumn(fast, "xpsnr_y"), *FindColumn(scores("F90000:1", {}), "xpsnr_y"), 0);
}

TEST(ScoreRun, WarningsOfAMetricAreSaidOnceAndNotWithoutEnd) {
  const VideoFormat format = {PixelFormat::kYuv400, 176, 176, 8};
  const std::string reference = MakeClip("contradicted.yuv", 24, 75, format);
  const std::string distorted = reference + "_inverted";
  {
    std::ifstream in(reference, std::ios::binary);
    std::ofstream out(distorted, std::ios::binary);
    for (char byte = 0; in.get(byte);) out.put(static_cast<char>(~byte));
  }
  ScoreRequest request;
  request.reference = {reference, format, 0};
  request.distorted = {distorted, format, 0};
  // Two of one metric, which say the same of every frame.
  request.features = {{"float_ms_ssim", {}}, {"float_ms_ssim", {{"clip_db", "true"}}}};
  const Report report = MustRun(request);
  ASSERT_EQ(report.warnings.size(), 21U);
  EXPECT_EQ(report.warnings[19].frame, 19);
  EXPECT_FALSE(report.warnings[20].frame);
  EXPECT_EQ(report.warnings[20].text, "float_ms_ssim: 4 more warnings");
  request.segment = {3, 6};
  const Report part = MustRun(request);
  ASSERT_EQ(part.warnings.size(), 3U);
  EXPECT_EQ(part.warnings[0].frame, 3);
}

TEST(ScoreRun, StopsWhenAsked) {
  ScoreRequest request = MakeFullRequest();
  std::stop_source stop;
  request.stop = stop.get_token();
  stop.request_stop();
  const Result<Report> report = RunScore(request);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace lockstep
