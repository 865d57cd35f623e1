// SPDX-License-Identifier: BSD-2-Clause-Patent
// Files of heat maps: names, bytes, and what happens when they cannot be written.
#include "features/cambi/cambi_heatmaps.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "features/cambi/cambi.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class CambiHeatmapsTest : public testing::Test {
 protected:
  CambiHeatmapsTest() : folder_(fs::temp_directory_path() / ("cambi_heatmaps_test_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
  }
  ~CambiHeatmapsTest() override { fs::remove_all(folder_); }

  [[nodiscard]] std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) names.insert(entry.path().filename());
    return names;
  }
  [[nodiscard]] std::string Read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

CambiHeatmapSizes Sizes(int width, int height) {
  CambiHeatmapSizes sizes;
  for (std::size_t i = 0; i < kCambiScales; ++i) {
    sizes.named[i] = sizes.drawn[i] = {width, height};
    width = CambiHalf(width);
    height = CambiHalf(height);
  }
  return sizes;
}

TEST(CambiHeatmapSampleTest, Values) {
  // 4 * 9 * 9 / 4 is the greatest contrast.
  const double unit = CambiHeatmapUnit(9, 4);
  EXPECT_EQ(unit, 65535.0 / 81.0);
  EXPECT_EQ(CambiHeatmapSample(0.0f, unit), 0);
  EXPECT_EQ(CambiHeatmapSample(0.5f, unit), 404);
  // The rounded unit takes it just below 65535.
  EXPECT_EQ(CambiHeatmapSample(81.0f, unit), 65534);
  EXPECT_EQ(CambiHeatmapSample(81.1f, unit), 65535);
  // The integer division gives 40 of 40.5.
  EXPECT_EQ(CambiHeatmapUnit(9, 2), 65535.0 / 40.0);
}

std::vector<std::byte> Scratch(const CambiHeatmaps& heatmaps) {
  return std::vector<std::byte>(heatmaps.scratch_bytes());
}

TEST_F(CambiHeatmapsTest, GrayFilesHoldFramesAtTheirPlaces) {
  auto heatmaps = CambiHeatmaps::Create(folder_ / "a" / "b", CambiHeatmapFormat::kGray, Sizes(3, 2), 1000.0).value();
  std::vector<std::byte> scratch = Scratch(*heatmaps);
  // Rows with padding.
  float values[] = {0.5f, 1.0f, 2.0f, -1.0f, 3.0f, 4.0f, 5.0f, -1.0f};
  const CambiContrastPlane plane = {values, 4, 3, 2};
  heatmaps->Write(0, 2, plane, scratch);
  values[0] = 9.0f;
  heatmaps->Write(0, 0, plane, scratch);
  folder_ /= "a/b";
  for (const std::string& name : Names()) EXPECT_TRUE(name.ends_with("_16b.gray.unfinished")) << name;
  ASSERT_TRUE(heatmaps->Finish().ok());
  EXPECT_EQ(Names(), (std::set<std::string>{"cambi_heatmap_scale_0_3x2_16b.gray", "cambi_heatmap_scale_1_2x1_16b.gray",
                                            "cambi_heatmap_scale_2_1x1_16b.gray", "cambi_heatmap_scale_3_1x1_16b.gray",
                                            "cambi_heatmap_scale_4_1x1_16b.gray"}));
  const std::string bytes = Read("cambi_heatmap_scale_0_3x2_16b.gray");
  ASSERT_EQ(bytes.size(), 3u * 12u);
  std::vector<u16> samples(18);
  std::memcpy(samples.data(), bytes.data(), bytes.size());
  EXPECT_EQ(samples, (std::vector<u16>{9000, 1000, 2000, 3000, 4000, 5000, 0, 0, 0, 0, 0, 0, 500, 1000, 2000, 3000,
                                       4000, 5000}));
  folder_ = folder_.parent_path().parent_path();
}

TEST_F(CambiHeatmapsTest, UnfinishedFilesAreRemoved) {
  {
    auto heatmaps = CambiHeatmaps::Create(folder_, CambiHeatmapFormat::kGray, Sizes(8, 8), 1.0).value();
    EXPECT_EQ(Names().size(), 5u);
  }
  EXPECT_EQ(Names(), std::set<std::string>());
}

TEST_F(CambiHeatmapsTest, LeftoversOfADeadRunAreInNobodysWay) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "cambi_heatmap_scale_0_8x8_16b.gray.unfinished")
      << "much more than one frame has, and older"
         " than the run that follows, of 8 x 8 x 2";
  auto heatmaps = CambiHeatmaps::Create(folder_, CambiHeatmapFormat::kGray, Sizes(8, 8), 1.0).value();
  ASSERT_TRUE(heatmaps->Finish().ok());
  EXPECT_EQ(Read("cambi_heatmap_scale_0_8x8_16b.gray"), "");
}

TEST_F(CambiHeatmapsTest, TwoRunsCannotWriteTheSameFiles) {
  auto first = CambiHeatmaps::Create(folder_, CambiHeatmapFormat::kGray, Sizes(8, 8), 1.0).value();
  const auto second = CambiHeatmaps::Create(folder_, CambiHeatmapFormat::kGray, Sizes(8, 8), 1.0);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().Describe(), (folder_ / "cambi_heatmap_scale_0_8x8_16b.gray").string() +
                                           ": heatmaps_path: another run writes this heat map; choose another folder");
  EXPECT_TRUE(CambiHeatmaps::Create(folder_, CambiHeatmapFormat::kGray, Sizes(90, 80), 1.0).ok());
  EXPECT_TRUE(first->Finish().ok());
}

TEST_F(CambiHeatmapsTest, FoldersThatCannotBe) {
  std::ofstream(folder_) << "a file";
  const auto heatmaps = CambiHeatmaps::Create(folder_ / "below", CambiHeatmapFormat::kGray, Sizes(8, 8), 1.0);
  ASSERT_FALSE(heatmaps.ok());
  EXPECT_EQ(heatmaps.error().code, ErrorCode::kInputOutput);
  EXPECT_EQ(heatmaps.error().file, folder_ / "below");
  EXPECT_EQ(heatmaps.error().field, "heatmaps_path");
  EXPECT_FALSE(CambiHeatmaps::Create(folder_, CambiHeatmapFormat::kPng, Sizes(8, 8), 1.0).ok());
}

// Limits the size of files for a scope, as a full disk does.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    before_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    rlimit small = limit_;
    small.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, before_);
  }

 private:
  rlimit limit_{};
  void (*before_)(int);
};

TEST_F(CambiHeatmapsTest, FailedWritesAreReported) {
  for (const CambiHeatmapFormat format : {CambiHeatmapFormat::kGray, CambiHeatmapFormat::kPng}) {
    std::vector<float> values(64, 1.0f);
    const CambiContrastPlane plane = {values.data(), 8, 8, 8};
    {
      auto heatmaps = CambiHeatmaps::Create(folder_, format, Sizes(8, 8), 1.0).value();
      std::vector<std::byte> scratch = Scratch(*heatmaps);
      {
        const FileLimit limit(100);
        heatmaps->Write(0, 3, plane, scratch);
      }
      heatmaps->Write(0, 4, plane, scratch);
      const Status status = heatmaps->Finish();
      ASSERT_FALSE(const_cast<Status&>(status).ok());
      EXPECT_EQ(const_cast<Status&>(status).error().code, ErrorCode::kInputOutput);
      EXPECT_EQ(const_cast<Status&>(status).error().frame, 3);
    }
    EXPECT_EQ(Names(), std::set<std::string>());
  }
}

u32 Number(const std::string& bytes, std::size_t at) {
  u32 value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

// What a reader of PNG pictures sees: rows of stored bytes behind a checked header.
std::string PngRows(const std::string& png, u32& width, u32& height) {
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(12, 4), "IHDR");
  width = Number(png, 16);
  height = Number(png, 20);
  EXPECT_EQ(png.substr(24, 5), std::string("\x10\0\0\0\0", 5));
  std::string data;
  std::string last;
  for (std::size_t at = 8; at < png.size();) {
    const u32 size = Number(png, at);
    last = png.substr(at + 4, 4);
    if (last == "IDAT") data += png.substr(at + 8, size);
    at += size + 12;
  }
  EXPECT_EQ(last, "IEND");
  // The CRC of a chunk without data is known.
  EXPECT_EQ(Number(png, png.size() - 4), 0xae426082u);
  EXPECT_EQ(data.substr(0, 2), "\x78\x01");
  std::string rows;
  std::size_t at = 2;
  for (bool is_last = false; !is_last;) {
    is_last = data.at(at) != 0;
    const std::size_t size =
        static_cast<unsigned char>(data.at(at + 1)) + 256u * static_cast<unsigned char>(data.at(at + 2));
    EXPECT_EQ(size ^ 0xffffu,
              static_cast<unsigned char>(data.at(at + 3)) + 256u * static_cast<unsigned char>(data.at(at + 4)));
    rows += data.substr(at + 5, size);
    at += 5 + size;
  }
  u32 low = 1;
  u32 high = 0;
  for (const char byte : rows) {
    low = (low + static_cast<unsigned char>(byte)) % 65521;
    high = (high + low) % 65521;
  }
  EXPECT_EQ(Number(data, at), high << 16 | low);
  EXPECT_EQ(data.size(), at + 4);
  return rows;
}

TEST_F(CambiHeatmapsTest, PngPictures) {
  // The second one has rows of more bytes than a block can store.
  for (const auto& [width, height] : {std::pair(3, 2), std::pair(32768, 2)}) {
    auto heatmaps = CambiHeatmaps::Create(folder_, CambiHeatmapFormat::kPng, Sizes(width, height), 3.0).value();
    std::vector<std::byte> scratch = Scratch(*heatmaps);
    std::vector<float> values(static_cast<std::size_t>(width * height));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 21845);
    heatmaps->Write(0, 41, {values.data(), width, width, height}, scratch);
    ASSERT_TRUE(heatmaps->Finish().ok());
    const std::string name =
        "cambi_heatmap_scale_0_" + std::to_string(width) + "x" + std::to_string(height) + "_000041.png";
    ASSERT_EQ(Names(), std::set<std::string>{name});
    u32 seen_width = 0;
    u32 seen_height = 0;
    const std::string rows = PngRows(Read(name), seen_width, seen_height);
    EXPECT_EQ(seen_width, static_cast<u32>(width));
    EXPECT_EQ(seen_height, static_cast<u32>(height));
    std::string expected;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % static_cast<std::size_t>(width) == 0) expected += '\0';
      expected += static_cast<char>(i % 21845 * 3 >> 8);
      expected += static_cast<char>(i % 21845 * 3 & 255);
    }
    EXPECT_EQ(rows, expected);
    fs::remove_all(folder_);
  }
}

TEST_F(CambiHeatmapsTest, MetricDrawsTheDistortedPicture) {
  const VideoFormat format{PixelFormat::kYuv400, 217, 40, 10};
  std::vector<Frame> reference;
  std::vector<Frame> distorted;
  for (int i = 0; i < 3; ++i) {
    reference.push_back(test_run::MakeFrame(format, 1, [](int, int, int) { return 100; }));
    distorted.push_back(
        test_run::MakeFrame(format, 2, [i](int, int x, int) { return i == 1 ? 100 : 100 + x / 60 % 2; }));
  }
  std::set<std::string> contents;
  for (const CpuTarget target : AvailableCpuTargets()) {
    const test_run::OptionTexts options = {{"heatmaps_path", folder_.string()}, {"full_ref", "true"}};
    const auto feature = test_run::TryMakeFeature(kCambi, options, format, target).value();
    test_run::RunAll(*feature, reference, distorted);
    ASSERT_TRUE(feature->FinishFiles().ok());
    EXPECT_EQ(Names(),
              (std::set<std::string>{"cambi_heatmap_scale_0_217x40_16b.gray", "cambi_heatmap_scale_1_109x20_16b.gray",
                                     "cambi_heatmap_scale_2_55x10_16b.gray", "cambi_heatmap_scale_3_28x5_16b.gray",
                                     "cambi_heatmap_scale_4_14x3_16b.gray"}));
    const std::string bytes = Read("cambi_heatmap_scale_0_217x40_16b.gray");
    ASSERT_EQ(bytes.size(), 3u * 217u * 40u * 2u);
    const std::size_t frame = bytes.size() / 3;
    EXPECT_EQ(bytes.substr(0, frame), bytes.substr(2 * frame));
    EXPECT_EQ(bytes.substr(frame, frame), std::string(frame, '\0'));
    EXPECT_NE(bytes.substr(0, frame), std::string(frame, '\0'));
    std::string all;
    for (const std::string& name : Names()) all += Read(name);
    contents.insert(all);
  }
  EXPECT_EQ(contents.size(), 1u);
}

// With the pictures halved at once, names still say the full size.
TEST_F(CambiHeatmapsTest, NamesOfHalvedPictures) {
  const VideoFormat format{PixelFormat::kYuv400, 1920, 1080, 8};
  const auto feature =
      test_run::MakeFeature(kCambi, {{"heatmaps_path", folder_.string()}, {"cambi_high_res_speedup", "1080"}}, format);
  const auto frames = test_run::ListOf(test_run::MakeFrame(format, 1, [](int, int x, int) { return 50 + x / 300; }));
  test_run::RunAll(*feature, frames, frames);
  ASSERT_TRUE(feature->FinishFiles().ok());
  EXPECT_EQ(fs::file_size(folder_ / "cambi_heatmap_scale_0_1920x1080_16b.gray"), 960u * 540u * 2u);
  EXPECT_EQ(fs::file_size(folder_ / "cambi_heatmap_scale_4_120x68_16b.gray"), 60u * 34u * 2u);
}

TEST_F(CambiHeatmapsTest, OptionsAreChecked) {
  const VideoFormat format{PixelFormat::kYuv400, 217, 40, 10};
  const auto feature = test_run::TryMakeFeature(kCambi, {{"heatmaps_format", "jpeg"}}, format);
  ASSERT_FALSE(feature.ok());
  EXPECT_EQ(feature.error().message, "option heatmaps_format: 'jpeg' is none of gray, png");
  EXPECT_FALSE(fs::exists(folder_));
}

}  // namespace
}  // namespace lockstep
