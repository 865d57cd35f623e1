// SPDX-License-Identifier: BSD-2-Clause-Patent
// The pipeline's promise: every metric sees the windows it asks for, once each, whatever the number of threads.
#include "engine/frame_pipeline.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "engine/test_pair_source.h"

namespace lockstep {
namespace {

constexpr VideoFormat kFormat{PixelFormat::kYuv400, 16, 4, 8};

constexpr std::int64_t kDistorted = 10000;

// Pictures whose first samples hold their number; those of distorted ones begin at kDistorted.
class NumberedSource : public TestPairSource {
 public:
  using TestPairSource::TestPairSource;

 protected:
  void Fill(std::int64_t number, Frame& reference, Frame& distorted) const override {
    for (Frame* frame : {&reference, &distorted}) {
      const std::int64_t content = frame == &reference ? number : kDistorted + number;
      frame->Reset(kFormat);
      std::memcpy(frame->mutable_plane(0).data, &content, sizeof content);
    }
  }
};

std::int64_t NumberIn(const Frame* frame) {
  std::int64_t number = -1;
  if (frame != nullptr) std::memcpy(&number, frame->plane(0).data, sizeof number);
  return number;
}

// Facts: the numbers of the current and the earlier pictures, and of what was prepared two frames ago.
class WindowFeature : public Feature {
 public:
  WindowFeature(TemporalReach reach, bool every_frame) : reach_(reach), every_frame_(every_frame) {}
  [[nodiscard]] TemporalReach reach() const override { return reach_; }
  [[nodiscard]] bool every_frame() const override { return every_frame_; }
  [[nodiscard]] int fact_count() const override { return 6; }
  [[nodiscard]] std::vector<FeatureColumn> columns() const override { return {}; }
  [[nodiscard]] std::size_t prepared_bytes() const override { return sizeof(std::int64_t); }
  void Prepare(const Frame& reference, Workspace* /*workspace*/, std::byte* prepared) const override {
    const std::int64_t value = 1000 + NumberIn(&reference);
    std::memcpy(prepared, &value, sizeof value);
  }
  void Extract(const FrameWindow& window, Workspace* /*workspace*/, std::span<Fact> facts) const override {
    // Uneven work, so that frames overtake each other.
    std::this_thread::sleep_for(std::chrono::microseconds((window.index * 7919) % 5 * 200));
    facts[0] = static_cast<Fact>(NumberIn(window.distorted));
    facts[1] = static_cast<Fact>(NumberIn(window.earlier_reference[1]));
    facts[2] = static_cast<Fact>(NumberIn(window.earlier_reference[2]));
    std::int64_t prepared = -1;
    if (window.prepared[2] != nullptr) std::memcpy(&prepared, window.prepared[2], sizeof prepared);
    facts[3] = static_cast<Fact>(prepared);
    facts[4] = static_cast<Fact>(NumberIn(window.earlier_distorted[1]));
    facts[5] = static_cast<Fact>(NumberIn(window.earlier_distorted[2]));
  }
  void Finish(const FactTable& /*facts*/, ScoreSink& /*sink*/) const override {}

 private:
  TemporalReach reach_;
  bool every_frame_;
};

class Threads : public ::testing::TestWithParam<unsigned> {};

TEST_P(Threads, EveryFrameOnceWithItsWindow) {
  const WindowFeature feature({2, 0, 0}, true);
  const std::vector<const Feature*> features = {&feature};
  NumberedSource source(0, 57);
  PipelineOptions options;
  options.threads = GetParam();
  std::int64_t last_progress = 0;
  options.on_progress = [&](std::int64_t done) { EXPECT_EQ(done, ++last_progress); };
  const Result<PipelineResult> result = RunPipeline(features, source, options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->end_picture, 57);
  EXPECT_EQ(last_progress, 57);
  const FactTable& facts = result->facts[0];
  EXPECT_EQ(facts.end(), 57);
  for (std::int64_t i = 0; i < 57; ++i) {
    ASSERT_TRUE(facts.Has(i));
    EXPECT_EQ(static_cast<std::int64_t>(facts.Row(i)[0]), kDistorted + i);
    EXPECT_EQ(static_cast<std::int64_t>(facts.Row(i)[1]), i >= 1 ? i - 1 : -1);
    EXPECT_EQ(static_cast<std::int64_t>(facts.Row(i)[2]), i >= 2 ? i - 2 : -1);
    EXPECT_EQ(static_cast<std::int64_t>(facts.Row(i)[3]), i >= 2 ? 1000 + i - 2 : -1);
    EXPECT_EQ(static_cast<std::int64_t>(facts.Row(i)[4]), i >= 1 ? kDistorted + i - 1 : -1);
    EXPECT_EQ(static_cast<std::int64_t>(facts.Row(i)[5]), i >= 2 ? kDistorted + i - 2 : -1);
  }
  // Two pictures a pair: those in flight, the two earlier ones and the one being read.
  EXPECT_LE(source.frames_made(), 2 * (GetParam() + 5));
}

TEST_P(Threads, SegmentHasLeadInAndLeadOut) {
  const WindowFeature temporal({2, 3, 1}, true);
  const WindowFeature still({0, 0, 0}, true);
  const std::vector<const Feature*> features = {&temporal, &still};
  NumberedSource source(5, 40);
  PipelineOptions options;
  options.threads = GetParam();
  options.first_picture = 5;
  options.first_score = 10;
  options.end_score = 20;
  const Result<PipelineResult> result = RunPipeline(features, source, options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->facts[0].first(), 7);
  EXPECT_EQ(result->facts[0].end(), 21);
  EXPECT_EQ(result->facts[1].first(), 10);
  EXPECT_EQ(result->facts[1].end(), 20);
  for (std::int64_t i = 7; i < 21; ++i) {
    ASSERT_TRUE(result->facts[0].Has(i));
    EXPECT_EQ(static_cast<std::int64_t>(result->facts[0].Row(i)[2]), i - 2);
  }
}

TEST_P(Threads, SubsamplingLeavesOutFramesOfMetricsThatAllowIt) {
  const WindowFeature every({1, 0, 0}, true);
  const WindowFeature some({0, 0, 0}, false);
  const std::vector<const Feature*> features = {&every, &some};
  NumberedSource source(0, 12);
  PipelineOptions options;
  options.threads = GetParam();
  options.subsample = 5;
  const Result<PipelineResult> result = RunPipeline(features, source, options);
  ASSERT_TRUE(result.ok());
  for (std::int64_t i = 0; i < 12; ++i) {
    EXPECT_TRUE(result->facts[0].Has(i));
    EXPECT_EQ(result->facts[1].Has(i), i % 5 == 0);
  }
  EXPECT_EQ(result->facts[1].end(), 12);
}

TEST_P(Threads, SourceErrorStopsTheRun) {
  const WindowFeature feature({0, 0, 0}, true);
  const std::vector<const Feature*> features = {&feature};
  NumberedSource source(0, 100);
  source.FailAt(13);
  PipelineOptions options;
  options.threads = GetParam();
  const Result<PipelineResult> result = RunPipeline(features, source, options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kFormat);
  EXPECT_EQ(result.error().frame, 13);
}

TEST_P(Threads, StopsWhenAsked) {
  const WindowFeature feature({0, 0, 0}, true);
  const std::vector<const Feature*> features = {&feature};
  NumberedSource source(0, 1'000'000'000);
  std::stop_source stop;
  PipelineOptions options;
  options.threads = GetParam();
  options.stop = stop.get_token();
  options.on_progress = [&](std::int64_t done) {
    if (done == 20) stop.request_stop();
  };
  const Result<PipelineResult> result = RunPipeline(features, source, options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
}

// Adds up the rows of its bands, and keeps them busy so that they overlap.
class BandFeature : public Feature {
 public:
  static constexpr int kRows = 1001;
  [[nodiscard]] int fact_count() const override { return 3; }
  [[nodiscard]] std::vector<FeatureColumn> columns() const override { return {}; }
  [[nodiscard]] std::unique_ptr<Workspace> MakeWorkspace() const override { return std::make_unique<Lines>(); }
  [[nodiscard]] std::unique_ptr<Workspace> MakeLineBuffers() const override {
    ++lines_made_;
    return std::make_unique<Lines>();
  }
  void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const override {
    const int bands = window.BandCount(kRows, 16);
    std::array<std::uint64_t, kMaximumBands> sums{};
    std::atomic<int> shared{0};
    window.RunBands(bands, workspace, [&](int band, Workspace* lines) {
      auto& own = static_cast<Lines&>(*lines);
      if (own.in_use.exchange(true)) ++shared;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      const RowBand rows = CutBand(kRows, 2, bands, band);
      for (int row = rows.begin; row < rows.end; ++row) sums[static_cast<std::size_t>(band)] += static_cast<Fact>(row);
      own.in_use = false;
    });
    facts[0] = 0;
    for (const std::uint64_t sum : sums) facts[0] += sum;
    facts[1] = static_cast<Fact>(bands);
    facts[2] = static_cast<Fact>(shared.load());
  }
  void Finish(const FactTable& /*facts*/, ScoreSink& /*sink*/) const override {}
  [[nodiscard]] int lines_made() const { return lines_made_; }

 private:
  struct Lines : Workspace {
    std::atomic<bool> in_use{false};
  };
  mutable std::atomic<int> lines_made_{0};
};

TEST_P(Threads, BandsOfALoneFrameUseTheIdleThreads) {
  const BandFeature first;
  const BandFeature second;
  const std::vector<const Feature*> features = {&first, &second};
  NumberedSource source(0, 1);
  PipelineOptions options;
  options.threads = GetParam();
  const Result<PipelineResult> result = RunPipeline(features, source, options);
  ASSERT_TRUE(result.ok());
  for (const FactTable& facts : result->facts) {
    EXPECT_EQ(facts.Row(0)[0], 500500U);
    EXPECT_EQ(facts.Row(0)[1], GetParam());
    EXPECT_EQ(facts.Row(0)[2], 0U);
  }
  EXPECT_LE(first.lines_made(), static_cast<int>(GetParam()));
}

TEST_P(Threads, BandsNeverChangeAFact) {
  const BandFeature feature;
  const std::vector<const Feature*> features = {&feature};
  NumberedSource source(0, 60);
  PipelineOptions options;
  options.threads = GetParam();
  const Result<PipelineResult> result = RunPipeline(features, source, options);
  ASSERT_TRUE(result.ok());
  for (std::int64_t i = 0; i < 60; ++i) {
    EXPECT_EQ(result->facts[0].Row(i)[0], 500500U);
    EXPECT_EQ(result->facts[0].Row(i)[2], 0U);
  }
}

TEST(RowBands, CoverTheRowsOnce) {
  for (const int rows : {1, 2, 3, 17, 64, 1081}) {
    for (const int multiple : {1, 2, 8}) {
      for (int count = 1; count <= 7; ++count) {
        int next = 0;
        for (int band = 0; band < count; ++band) {
          const RowBand cut = CutBand(rows, multiple, count, band);
          EXPECT_EQ(cut.begin, next);
          EXPECT_LE(cut.begin, cut.end);
          EXPECT_EQ(cut.begin % multiple, 0);
          next = cut.end;
        }
        EXPECT_EQ(next, rows);
      }
    }
  }
}

TEST(RowBands, AWindowWithoutRunnerIsOneBand) {
  const FrameWindow window;
  EXPECT_EQ(window.BandCount(1000, 16), 1);
  int calls = 0;
  window.RunBands(1, nullptr, [&](int band, Workspace* lines) {
    EXPECT_EQ(band, 0);
    EXPECT_EQ(lines, nullptr);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

INSTANTIATE_TEST_SUITE_P(FramePipeline, Threads, ::testing::Values(1U, 2U, 3U, 8U));

}  // namespace
}  // namespace lockstep
