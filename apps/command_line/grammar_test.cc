// SPDX-License-Identifier: BSD-2-Clause-Patent
// What may stand in feature strings, model strings and number arguments, and what may not.
#include <gtest/gtest.h>

#include <limits>

#include "apps/command_line/device_timing.h"
#include "apps/command_line/number_arguments.h"
#include "apps/command_line/option_strings.h"

namespace lockstep {
namespace {

OptionList Options(std::string_view text) {
  const Result<FeatureRequest> feature = ParseFeatureString(text);
  EXPECT_TRUE(feature.ok()) << text;
  return feature ? feature->options : OptionList{};
}

ModelRequest Model(std::string_view text) {
  const Result<ParsedModel> model = ParseModelString(text);
  EXPECT_TRUE(model.ok()) << text << ": " << (model ? "" : model.error().Describe());
  return model ? model->request : ModelRequest{};
}

TEST(FeatureString, NameAndOptions) {
  EXPECT_EQ(ParseFeatureString("psnr")->name, "psnr");
  EXPECT_EQ(ParseFeatureString("psnr=enable_mse=true")->name, "psnr");
  EXPECT_EQ(Options("psnr"), OptionList{});
  EXPECT_EQ(Options("psnr=enable_mse=true:min_sse=0.5"), (OptionList{{"enable_mse", "true"}, {"min_sse", "0.5"}}));
  // Numbers go to the engine as they were written: it alone knows how they are normalised.
  EXPECT_EQ(Options("adm=adm_p_norm=3.000000000001"), (OptionList{{"adm_p_norm", "3.000000000001"}}));
}

TEST(FeatureString, ColonsAndEqualsSignsInValues) {
  EXPECT_EQ(Options("cambi=heatmaps_path=a\\:b"), (OptionList{{"heatmaps_path", "a:b"}}));
  EXPECT_EQ(Options("cambi=heatmaps_path=a=b"), (OptionList{{"heatmaps_path", "a=b"}}));
  EXPECT_EQ(Options("x=p=a\\b"), (OptionList{{"p", "a\\b"}}));
  EXPECT_EQ(Options("x=p=a\\"), (OptionList{{"p", "a\\"}}));
  EXPECT_EQ(Options("x=:p=1::q=2:"), (OptionList{{"p", "1"}, {"q", "2"}}));
}

TEST(FeatureString, Refused) {
  for (const char* text :
       {"", "=a=b", "psnr:enable_mse=true", "psnr=enable_mse", "psnr=enable_mse=", "psnr==true", "psnr=a=1:b"}) {
    const Result<FeatureRequest> feature = ParseFeatureString(text);
    ASSERT_FALSE(feature.ok()) << text;
    EXPECT_EQ(feature.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(feature.error().field, "feature");
  }
}

TEST(ModelString, VersionNameAndFlags) {
  const ModelRequest plain = Model("version=vmaf_v0.6.1");
  EXPECT_EQ(plain.version, "vmaf_v0.6.1");
  EXPECT_EQ(plain.path, "");
  EXPECT_EQ(plain.name, "vmaf");
  EXPECT_FALSE(plain.disable_clip);
  EXPECT_FALSE(plain.enable_transform);
  EXPECT_FALSE(ParseModelString("version=a")->has_name);

  const ModelRequest full = Model("name=phone:enable_transform:version=v:disable_clip=true");
  EXPECT_EQ(full.name, "phone");
  EXPECT_TRUE(full.enable_transform);
  EXPECT_TRUE(full.disable_clip);
  EXPECT_TRUE(ParseModelString("version=a:name=vmaf")->has_name);
  EXPECT_FALSE(Model("version=v:disable_clip=false").disable_clip);
}

TEST(ModelString, Overloads) {
  const ModelRequest model = Model("version=v:adm.adm_enhn_gain_limit=1.0:vif.vif_enhn_gain_limit=1:adm.x=2:adm.x=3");
  ASSERT_EQ(model.overloads.size(), 4U);
  EXPECT_EQ(model.overloads[0].first, "adm");
  EXPECT_EQ(model.overloads[0].second, (OptionList{{"adm_enhn_gain_limit", "1.0"}}));
  EXPECT_EQ(model.overloads[1].first, "vif");
  EXPECT_EQ(model.overloads[3].second, (OptionList{{"x", "3"}}));
  EXPECT_EQ(Model("version=v:adm.a.b=2").overloads[0].second, (OptionList{{"a.b", "2"}}));
}

TEST(ModelString, PathsWithColons) {
  EXPECT_EQ(Model("path=di:r/m.json").path, "di:r/m.json");
  EXPECT_EQ(Model("path=di\\:r/m.json").path, "di:r/m.json");
  EXPECT_EQ(Model("path=C:\\models\\m.json:name=a").path, "C:\\models\\m.json");
  EXPECT_EQ(Model("path=a:b:c:name=n").path, "a:b:c");
  EXPECT_EQ(Model("path=a:b:c:name=n").name, "n");
  EXPECT_EQ(Model("path=a::b.json").path, "a::b.json");
  EXPECT_EQ(Model("path=a.json:").path, "a.json");
  EXPECT_EQ(Model("path=a.json::name=n").path, "a.json");
  EXPECT_EQ(Model("path=a=b.json").path, "a=b.json");
  EXPECT_EQ(Model("path=a:disable_clip").path, "a");
  EXPECT_TRUE(Model("path=a:disable_clip").disable_clip);
  EXPECT_EQ(Model("path=a\\:disable_clip").path, "a:disable_clip");
  EXPECT_EQ(Model("path=a\\:r=1/m.json").path, "a:r=1/m.json");
}

TEST(ModelString, VersionWinsOverPath) {
  EXPECT_EQ(Model("path=p:version=v").path, "");
  EXPECT_EQ(Model("version=v:path=p").version, "v");
  EXPECT_EQ(Model("version=v:path=p").path, "");
}

TEST(ModelString, Refused) {
  for (const char* text :
       {"", "name=a", "disable_clip", "vmaf_v0.6.1", "version",
        "version=", "path=", "version=v:name=", "version=v:nonsense=1", "version=v:name=n:stray", "version=v:.x=1",
        "version=v:adm.=1", "version=v:adm.x=", "version=v:adm.x", "version=v:disable_clip=1", "path=a:r=1/m.json"}) {
    const Result<ParsedModel> model = ParseModelString(text);
    ASSERT_FALSE(model.ok()) << text;
    EXPECT_EQ(model.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(model.error().field, "model");
  }
  std::string many = "version=v";
  for (int i = 0; i < 32; ++i) many += ":adm.x=1";
  EXPECT_TRUE(ParseModelString(many).ok());
  EXPECT_FALSE(ParseModelString(many + ":adm.x=1").ok());
}

TEST(ModelArgument, ShortForms) {
  EXPECT_EQ(ParseModelArgument("vmaf_v0.6.1neg")->request.version, "vmaf_v0.6.1neg");
  EXPECT_EQ(ParseModelArgument("my.json")->request.path, "my.json");
  EXPECT_EQ(ParseModelArgument("dir/my")->request.path, "dir/my");
  EXPECT_EQ(ParseModelArgument("path=my:name=n")->request.name, "n");
  EXPECT_FALSE(ParseModelArgument("").ok());
}

TEST(ModelNames, MustDiffer) {
  ModelRequest a;
  a.version = "one";
  ModelRequest b;
  b.path = "two.json";
  EXPECT_FALSE(CheckModelNames({a, b}).ok());
  b.name = "other";
  EXPECT_TRUE(CheckModelNames({a, b}).ok());
  EXPECT_TRUE(CheckModelNames({}).ok());
}

TEST(Numbers, Unsigned) {
  EXPECT_EQ(*ParseUnsigned("0", 10, "x"), 0U);
  EXPECT_EQ(*ParseUnsigned("10", 10, "x"), 10U);
  EXPECT_EQ(*ParseUnsigned("0x1F", 100, "x"), 31U);
  EXPECT_EQ(*ParseUnsigned("017", 100, "x"), 15U);
  EXPECT_EQ(*ParseUnsigned("00", 100, "x"), 0U);
  const std::uint64_t maximum = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(*ParseUnsigned("18446744073709551615", maximum, "x"), maximum);
  for (const char* text : {"", "abc", "-1", "+1", " 1", "1 ", "1.5", "1e3", "11", "08", "0x", "0xg", "x10", "1,000",
                           "18446744073709551616", "99999999999999999999999999", "nan", "--1", "0x-1"}) {
    const Result<std::uint64_t> value = ParseUnsigned(text, 10, "--threads");
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_EQ(value.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(value.error().field, "--threads");
  }
}

TEST(Numbers, Masks) {
  EXPECT_EQ(*ParseMask("-1", "x"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(*ParseMask("0xffffffff", "x"), 0xffffffffU);
  EXPECT_FALSE(ParseMask("-2", "x").ok());
}

TEST(Numbers, VideoFormats) {
  EXPECT_EQ(*ParsePixelFormat("400", "p"), PixelFormat::kYuv400);
  EXPECT_EQ(*ParsePixelFormat("420", "p"), PixelFormat::kYuv420);
  EXPECT_EQ(*ParsePixelFormat("422", "p"), PixelFormat::kYuv422);
  EXPECT_EQ(*ParsePixelFormat("444", "p"), PixelFormat::kYuv444);
  for (const char* text : {"", "410", "yuv420p", "4200", "42"}) EXPECT_FALSE(ParsePixelFormat(text, "p").ok());
  for (int depth = 8; depth <= 16; ++depth) EXPECT_EQ(*ParseBitDepth(std::to_string(depth), "b"), depth);
  for (const char* text : {"", "7", "17", "0", "eight"}) EXPECT_FALSE(ParseBitDepth(text, "b").ok());
  EXPECT_EQ(*ParseDimension("32768", "w"), 32768);
  for (const char* text : {"", "0", "32769", "4294967297"}) EXPECT_FALSE(ParseDimension(text, "w").ok());
}

TEST(Numbers, Precision) {
  EXPECT_EQ(ParsePrecision("legacy", "p")->kind, NumberFormat::Kind::kLegacy);
  EXPECT_EQ(ParsePrecision("max", "p")->kind, NumberFormat::Kind::kMax);
  EXPECT_EQ(ParsePrecision("9", "p")->kind, NumberFormat::Kind::kDigits);
  EXPECT_EQ(ParsePrecision("9", "p")->digits, 9);
  for (const char* text : {"", "0", "18", "maximum", "-3", "1.5"}) EXPECT_FALSE(ParsePrecision(text, "p").ok());
}

TEST(Numbers, FrameRanges) {
  EXPECT_EQ(*ParseFrameRange("4:8", "f"), (std::pair<std::int64_t, std::int64_t>{4, 8}));
  for (const char* text : {"", "4", "4:", ":8", "8:4", "4:4", "4:8:9", "-1:4", "a:b", "0:9223372036854775808"}) {
    EXPECT_FALSE(ParseFrameRange(text, "f").ok()) << text;
  }
}

TEST(Backend, Names) {
  EXPECT_EQ(*ParseBackend("cpu", "b"), "cpu");
  EXPECT_EQ(*ParseBackend("auto", "b"), "cpu");
  EXPECT_EQ(*ParseBackend("sycl", "b"), "sycl");
  for (const char* text : {"", "CPU", "gpu"}) {
    const Result<std::string_view> backend = ParseBackend(text, "--backend");
    ASSERT_FALSE(backend.ok());
    EXPECT_EQ(backend.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(backend.error().message.find("sycl"), std::string::npos);
  }
}

TEST(Backend, HowADeviceIsUsed) {
  EXPECT_EQ(*ParseGraphUse("auto", "g"), GraphUse::kAutomatic);
  EXPECT_EQ(*ParseGraphUse("on", "g"), GraphUse::kAlways);
  EXPECT_EQ(*ParseGraphUse("off", "g"), GraphUse::kNever);
  EXPECT_FALSE(ParseGraphUse("1", "g").ok());
  EXPECT_EQ(*ParseBatch("0", "b"), 0);
  EXPECT_EQ(*ParseBatch("64", "b"), 64);
  for (const char* text : {"", "-1", "65", "2x"}) EXPECT_FALSE(ParseBatch(text, "b").ok()) << text;
  EXPECT_FALSE(*ParseQueueOrder("in_order", "q"));
  EXPECT_TRUE(*ParseQueueOrder("out_of_order", "q"));
  EXPECT_FALSE(ParseQueueOrder("", "q").ok());
}

TEST(DeviceTiming, SlowestFirstAndAFramesShare) {
  Report report;
  EXPECT_EQ(DeviceTimingText(report), "");
  report.frame_count = 4;
  report.device_timings = {{"a", 8, 2.0}, {"b", 4, 6.0}};
  const std::string text = DeviceTimingText(report);
  EXPECT_LT(text.find("  b "), text.find("  a "));
  EXPECT_NE(text.find("1.5000"), std::string::npos);  // b, each frame
  EXPECT_NE(text.find("2.0000"), std::string::npos);  // all of it
}

}  // namespace
}  // namespace lockstep
