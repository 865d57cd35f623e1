// SPDX-License-Identifier: BSD-2-Clause-Patent
// Every flag of libvmaf's tool, the rules of getopt_long, presets, and what is refused.
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "apps/vmaf/arguments.h"

namespace lockstep {
namespace {

std::vector<std::string> Words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

Result<VmafArguments> Parse(const std::string& line) { return ParseVmafArguments(Words(line)); }

VmafArguments Accept(const std::string& line) {
  Result<VmafArguments> arguments = Parse("-r a -d b " + line);
  EXPECT_TRUE(arguments.ok()) << line << ": " << (arguments ? "" : arguments.error().Describe());
  return arguments ? *std::move(arguments) : VmafArguments{};
}

std::string Refuse(const std::string& line) {
  const Result<VmafArguments> arguments = Parse("-r a -d b " + line);
  EXPECT_FALSE(arguments.ok()) << line;
  if (arguments) return {};
  EXPECT_EQ(arguments.error().code, ErrorCode::kInvalidArgument) << line;
  return arguments.error().Describe();
}

TEST(VmafArgumentsTest, Defaults) {
  const VmafArguments arguments = Accept("");
  EXPECT_EQ(arguments.action, VmafArguments::Action::kScore);
  EXPECT_EQ(arguments.request.reference.path, "a");
  EXPECT_EQ(arguments.request.distorted.path, "b");
  EXPECT_FALSE(arguments.request.reference.raw);
  EXPECT_EQ(arguments.request.threads, 1U);
  EXPECT_EQ(arguments.request.subsample, 1);
  EXPECT_EQ(arguments.request.size_mismatch, SizeMismatch::kRefuse);
  EXPECT_EQ(arguments.request.backend, "cpu");
  EXPECT_EQ(arguments.format, ReportFormat::kXml);
  EXPECT_EQ(arguments.numbers.kind, NumberFormat::Kind::kLegacy);
  EXPECT_EQ(arguments.output, "");
  ASSERT_EQ(arguments.request.models.size(), 1U);
  EXPECT_EQ(arguments.request.models[0].version, "vmaf_v0.6.1");
  EXPECT_EQ(arguments.request.models[0].name, "vmaf");
  EXPECT_TRUE(arguments.is_default_model);
}

TEST(VmafArgumentsTest, EveryFlag) {
  const VmafArguments arguments = Accept(
      "--width 64 --height 48 --pixel_format 422 --bitdepth 10 --output o.json --json --threads 4 --subsample 5 "
      "--frame_cnt 100 --frame_skip_ref 3 --frame_skip_dist 0x10 --cpumask 63 --gpumask -1 --quiet "
      "--feature psnr=enable_mse=true --feature adm --model version=v:name=m --no_prediction --backend auto "
      "--precision max --strict --pool min,p5 -c anything");
  const VideoFormat format{PixelFormat::kYuv422, 64, 48, 10};
  EXPECT_EQ(arguments.request.reference.raw, format);
  EXPECT_EQ(arguments.request.distorted.raw, format);
  EXPECT_EQ(arguments.output, "o.json");
  EXPECT_EQ(arguments.format, ReportFormat::kJson);
  EXPECT_EQ(arguments.request.threads, 4U);
  EXPECT_EQ(arguments.request.subsample, 5);
  EXPECT_EQ(arguments.request.frame_limit, 100);
  EXPECT_EQ(arguments.request.reference.skip_frames, 3);
  EXPECT_EQ(arguments.request.distorted.skip_frames, 16);
  EXPECT_EQ(arguments.request.cpu_mask, 63U);
  EXPECT_TRUE(arguments.quiet);
  ASSERT_EQ(arguments.request.features.size(), 2U);
  EXPECT_EQ(arguments.request.features[0].options, (OptionList{{"enable_mse", "true"}}));
  ASSERT_EQ(arguments.request.models.size(), 1U);
  EXPECT_EQ(arguments.request.models[0].name, "m");
  EXPECT_TRUE(arguments.no_prediction);
  EXPECT_FALSE(arguments.is_default_model);
  EXPECT_EQ(arguments.request.backend, "cpu");
  EXPECT_EQ(arguments.numbers.kind, NumberFormat::Kind::kMax);
  EXPECT_TRUE(arguments.request.strict);
  EXPECT_EQ(arguments.pool, (std::vector{PoolMethod::kMin, PoolMethod::kPercentile5}));
}

TEST(VmafArgumentsTest, ShortOptionsAndClusters) {
  const VmafArguments arguments = Accept("-w64 -h 48 -p420 -b8 -nqox.csv --csv");
  EXPECT_EQ(arguments.request.reference.raw, (VideoFormat{PixelFormat::kYuv420, 64, 48, 8}));
  EXPECT_TRUE(arguments.no_prediction);
  EXPECT_TRUE(arguments.quiet);
  EXPECT_EQ(arguments.output, "x.csv");
  EXPECT_TRUE(arguments.request.models.empty());
  EXPECT_EQ(Accept("-o -").output, "-");
  EXPECT_EQ(Accept("-o --json").output, "--json");
}

TEST(VmafArgumentsTest, PrefixesMeanWhatTheyMeanInLibvmaf) {
  const VmafArguments arguments =
      Accept("--w 64 --he 48 --p 444 --b 12 --out=x --q --no --th 2 --feat psnr --m version=v");
  EXPECT_EQ(arguments.request.reference.raw, (VideoFormat{PixelFormat::kYuv444, 64, 48, 12}));
  EXPECT_EQ(arguments.output, "x");
  EXPECT_EQ(arguments.request.threads, 2U);
  EXPECT_EQ(Accept("--back cpu --pre 3 --st").numbers.digits, 3);
  // A whole name wins over longer ones.
  EXPECT_EQ(Accept("--sub").format, ReportFormat::kSub);
  EXPECT_EQ(Accept("--subs 7").request.subsample, 7);
  EXPECT_NE(Refuse("--su 7").find("--sub, --subsample"), std::string::npos);
  EXPECT_NE(Refuse("--frame 7").find("ambiguous"), std::string::npos);
}

TEST(VmafArgumentsTest, LastFormatWins) {
  EXPECT_EQ(Accept("--json --xml").format, ReportFormat::kXml);
  EXPECT_EQ(Accept("--json --csv").format, ReportFormat::kCsv);
}

TEST(VmafArgumentsTest, VersionAndHelpEndTheReading) {
  EXPECT_EQ(Parse("--version --frobnicate")->action, VmafArguments::Action::kVersion);
  EXPECT_EQ(Parse("-v")->action, VmafArguments::Action::kVersion);
  EXPECT_EQ(Parse("--help")->action, VmafArguments::Action::kHelp);
  EXPECT_FALSE(Parse("--frobnicate --version").ok());
}

TEST(VmafArgumentsTest, HelpNamesEveryOption) {
  for (const char* name :
       {"--reference",       "--distorted", "--width",     "--height",        "--pixel_format", "--bitdepth",
        "--model",           "--output",    "--xml",       "--json",          "--csv",          "--sub",
        "--threads",         "--feature",   "--cpumask",   "--gpumask",       "--frame_cnt",    "--frame_skip_ref",
        "--frame_skip_dist", "--subsample", "--quiet",     "--no_prediction", "--version",      "--aom_ctc",
        "--nflx_ctc",        "--backend",   "--precision", "--strict",        "--pool",         "--help"}) {
    EXPECT_NE(VmafHelp().find(name), std::string_view::npos) << name;
  }
}

TEST(VmafArgumentsTest, Refused) {
  EXPECT_NE(Refuse("--frobnicate").find("--feature"), std::string::npos);
  EXPECT_NE(Refuse("-z").find("unknown option -z"), std::string::npos);
  EXPECT_NE(Refuse("stray").find("stray"), std::string::npos);
  EXPECT_NE(Refuse("-- stray").find("stray"), std::string::npos);
  EXPECT_NE(Refuse("-").find("\"-\""), std::string::npos);
  EXPECT_NE(Refuse("--threads").find("needs a value"), std::string::npos);
  EXPECT_NE(Refuse("-w").find("needs a value"), std::string::npos);
  EXPECT_NE(Refuse("--quiet=yes").find("takes no value"), std::string::npos);
  EXPECT_NE(Refuse("--=x").find("unknown option"), std::string::npos);
  for (const char* line : {"--threads abc",
                           "--threads -1",
                           "--threads 99999",
                           "--threads=",
                           "--subsample x",
                           "--subsample 2147483648",
                           "--frame_cnt 4294967296",
                           "--frame_skip_ref -1",
                           "--frame_skip_dist 1.5",
                           "--cpumask all",
                           "--gpumask -2",
                           "--precision 0",
                           "--pool perc5",
                           "--backend gpu",
                           "--model vmaf_v0.6.1",
                           "--feature psnr=x",
                           "--output=",
                           "--aom_ctc proposed",
                           "--aom_ctc v8.0",
                           "--aom_ctc v0.0",
                           "--aom_ctc v1.1",
                           "--nflx_ctc v2.0",
                           "-w 0 -h 1 -p 420 -b 8",
                           "-w 1 -h 1 -p 411 -b 8",
                           "-w 1 -h 1 -p 420 -b 7",
                           "-w 1 -h 1 -p 420",
                           "-w 1",
                           "-b 8"}) {
    EXPECT_NE(Refuse(line), "") << line;
  }
  EXPECT_FALSE(ParseVmafArguments({}).ok());
  EXPECT_FALSE(Parse("-r a").ok());
  EXPECT_FALSE(Parse("-d a").ok());
  EXPECT_FALSE(ParseVmafArguments({"-r", "", "-d", "b"}).ok());
}

TEST(VmafArgumentsTest, Devices) {
  const VmafArguments arguments =
      Accept("--backend sycl --sycl_device arc --sycl_graph on --sycl_batch 4 --sycl_queue out_of_order --sycl_timing");
  EXPECT_EQ(arguments.request.backend, "sycl");
  const DeviceRequest& device = arguments.request.device;
  EXPECT_EQ(device.device, "arc");
  EXPECT_EQ(device.graphs, GraphUse::kAlways);
  EXPECT_EQ(device.batch, 4);
  EXPECT_TRUE(device.out_of_order);
  EXPECT_TRUE(device.timing);
  EXPECT_EQ(Accept("--backend cuda --device 1 --graphs off --batch 16 --device_timing").request.device,
            (DeviceRequest{"1", GraphUse::kNever, 16, false, true}));
  EXPECT_EQ(Accept("--backend cuda --hwaccel cuda").request.hwaccel, "cuda");
  const VmafArguments gpus = Accept("--gpus 0,0,1");
  EXPECT_EQ(gpus.request.backend, "cuda");
  EXPECT_EQ(gpus.request.device.device, "0,0,1");
  EXPECT_EQ(Accept("--gpus all --backend hip").request.backend, "hip");
  EXPECT_EQ(Accept("--backend auto --gpus 1").request.backend, "cpu");
  EXPECT_EQ(Accept("--backend auto --gpus 1").request.threads, 1U);
  EXPECT_EQ(gpus.request.threads, 0U);
  EXPECT_EQ(Accept("--gpus 0 --threads 1").request.threads, 1U);
  EXPECT_FALSE(Refuse("--gpus=").empty());
  for (const char* line : {"--sycl_graph yes", "--sycl_batch 65", "--sycl_queue any", "--sycl_timing=1"}) {
    EXPECT_NE(Refuse(line), "") << line;
  }
}

TEST(VmafArgumentsTest, ModelNamesDiffer) {
  EXPECT_NE(Refuse("-m version=a -m version=b").find("\"vmaf\""), std::string::npos);
  EXPECT_EQ(Accept("-m version=a -m version=b:name=c").request.models.size(), 2U);
}

TEST(VmafArgumentsTest, LimitsCountPresets) {
  std::string models;
  std::string features;
  for (int i = 0; i < 31; ++i) models += " -m version=v:name=m" + std::to_string(i);
  for (int i = 0; i < 27; ++i) features += " --feature psnr";
  EXPECT_TRUE(Parse("-r a -d b -m version=v" + models).ok());
  Refuse("-m version=v:name=x -m version=v" + models);
  EXPECT_EQ(Accept(features + " --aom_ctc v1.0").request.features.size(), 32U);
  Refuse(features + " --aom_ctc v3.0");
  Refuse(models + " --nflx_ctc v1.0");
}

std::vector<std::string> FeatureTexts(const VmafArguments& arguments) {
  std::vector<std::string> texts;
  for (const FeatureRequest& feature : arguments.request.features) {
    std::string text = feature.name;
    for (const auto& [key, value] : feature.options) text += " " + key + "=" + value;
    texts.push_back(text);
  }
  return texts;
}

TEST(VmafArgumentsTest, AomPresets) {
  const std::vector<std::string> first = {"psnr reduced_hbd_peak=true enable_apsnr=true min_sse=0.5", "ciede",
                                          "float_ssim enable_db=true clip_db=true",
                                          "float_ms_ssim enable_db=true clip_db=true", "psnr_hvs"};
  std::vector<std::string> third = first;
  third.push_back("cambi");
  std::vector<std::string> seventh = third;
  seventh[2] = "float_ssim scale=1 enable_db=true clip_db=true";
  const std::pair<std::string, std::vector<std::string>> presets[] = {
      {"v1.0", first}, {"v2.0", first}, {"v3.0", third},  {"v4.0", third},
      {"v5.0", third}, {"v6.0", third}, {"v7.0", seventh}};
  for (const auto& [version, features] : presets) {
    const VmafArguments arguments = Accept("--aom_ctc " + version);
    EXPECT_EQ(FeatureTexts(arguments), features) << version;
    ASSERT_EQ(arguments.request.models.size(), 2U);
    EXPECT_EQ(arguments.request.models[0].version, "vmaf_v0.6.1");
    EXPECT_EQ(arguments.request.models[0].name, "vmaf");
    EXPECT_EQ(arguments.request.models[1].version, "vmaf_v0.6.1neg");
    EXPECT_EQ(arguments.request.models[1].name, "vmaf_neg");
    EXPECT_EQ(arguments.request.common_bit_depth, version >= "v6.0");
    EXPECT_FALSE(arguments.is_default_model);
  }
}

TEST(VmafArgumentsTest, NetflixPreset) {
  const VmafArguments arguments = Accept("--feature vif --nflx_ctc v1.0 --feature adm");
  EXPECT_EQ(FeatureTexts(arguments),
            (std::vector<std::string>{"vif", "psnr enable_chroma=true enable_apsnr=true",
                                      "float_ssim enable_db=true clip_db=true", "cambi", "adm"}));
  ASSERT_EQ(arguments.request.models.size(), 2U);
  EXPECT_EQ(arguments.request.models[0].version, "vmaf_4k_v0.6.1");
  EXPECT_EQ(arguments.request.models[1].version, "vmaf_4k_v0.6.1neg");
}

}  // namespace
}  // namespace lockstep
