// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pairs of two files: the same for every number of threads, queue and memory; how far reading goes ahead.
#include "engine/input_pair.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "media/test_clips.h"

namespace lockstep {
namespace {

using test::NoiseFrame;
using test::PlaneBytes;
using test::TemporaryFolder;

constexpr VideoFormat kEightBit{PixelFormat::kYuv420, 65, 34, 8};
constexpr VideoFormat kTenBit{PixelFormat::kYuv420, 65, 34, 10};

std::string Clip(const TemporaryFolder& folder, const std::string& name, const VideoFormat& format, unsigned frames,
                 unsigned seed) {
  std::string bytes;
  for (unsigned i = 0; i < frames; ++i) bytes += NoiseFrame(format, seed + i);
  return folder.Write(name, bytes);
}

class CountingMemory final : public FrameAllocator {
 public:
  std::byte* Allocate(std::size_t bytes) override {
    ++made_;
    ++living_;
    return static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  }
  void Free(std::byte* memory) override {
    --living_;
    std::free(memory);
  }
  [[nodiscard]] std::size_t made() const { return made_; }
  [[nodiscard]] std::size_t living() const { return living_; }

 private:
  std::atomic<std::size_t> made_{0};
  std::atomic<std::size_t> living_{0};
};

struct Pairs {
  std::vector<std::array<std::string, 2>> bytes;
  std::vector<std::string> warnings;
  std::string error;
  bool operator==(const Pairs&) const = default;
};

struct Settings {
  unsigned threads = 1;
  std::size_t queue_depth = 0;
  std::shared_ptr<CountingMemory> memory;
  std::int64_t first_pair = 0;
  std::optional<std::int64_t> end_pair;
};

Pairs ReadPairs(const ScoreRequest& request, const Settings& settings) {
  Pairs pairs;
  Result<std::unique_ptr<InputPair>> inputs = InputPair::Open(request);
  if (!inputs) {
    pairs.error = inputs.error().Describe();
    return pairs;
  }
  if (settings.memory != nullptr) (*inputs)->UseMemory(settings.memory);
  (*inputs)->UseQueueDepth(settings.queue_depth);
  (*inputs)->UseThreads(settings.threads);
  (*inputs)->Start(settings.first_pair, settings.end_pair);
  while (true) {
    FramePair pair;
    const Result<bool> more = (*inputs)->Next(pair);
    if (!more) pairs.error = more.error().Describe();
    if (!more || !*more) break;
    const FrameMemory expected = settings.memory != nullptr ? FrameMemory::kPinned : FrameMemory::kHost;
    EXPECT_EQ(pair.reference->memory(), expected);
    EXPECT_EQ(pair.distorted->memory(), expected);
    pairs.bytes.push_back({PlaneBytes(*pair.reference), PlaneBytes(*pair.distorted)});
  }
  for (const ReportWarning& warning : (*inputs)->CollectWarnings()) pairs.warnings.push_back(warning.text);
  return pairs;
}

TEST(InputPair, ThreadsQueueAndMemoryChangeNothing) {
  const TemporaryFolder folder;
  const std::string reference = Clip(folder, "reference.yuv", kEightBit, 40, 0);
  ScoreRequest request;
  request.reference = {reference, kEightBit, 0};
  request.common_bit_depth = true;
  struct Case {
    ScoreRequest request;
    Settings settings;
    std::size_t pairs;
  };
  std::vector<Case> cases;
  // Of one depth; one that is shifted; one that is shorter and skipped into; a part.
  request.distorted = {Clip(folder, "same.yuv", kEightBit, 40, 100), kEightBit, 0};
  cases.push_back({request, {}, 40});
  request.distorted = {Clip(folder, "deep.yuv", kTenBit, 40, 200), kTenBit, 0};
  cases.push_back({request, {}, 40});
  request.distorted = {Clip(folder, "short.yuv", kEightBit, 30, 300), kEightBit, 3};
  cases.push_back({request, {}, 27});
  Settings part;
  part.first_pair = 7;
  part.end_pair = 20;
  cases.push_back({request, part, 13});
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const Pairs expected = ReadPairs(cases[c].request, cases[c].settings);
    EXPECT_EQ(expected.error, "");
    EXPECT_EQ(expected.bytes.size(), cases[c].pairs);
    for (const unsigned threads : {1U, 2U, 4U, 7U, 16U, 100U}) {
      for (const std::size_t depth : {0U, 1U, 50U}) {
        for (const bool own_memory : {false, true}) {
          Settings settings = cases[c].settings;
          settings.threads = threads;
          settings.queue_depth = depth;
          if (own_memory) settings.memory = std::make_shared<CountingMemory>();
          EXPECT_TRUE(ReadPairs(cases[c].request, settings) == expected)
              << "case " << c << ", " << threads << " threads, depth " << depth << ", own memory " << own_memory;
          if (own_memory) {
            EXPECT_GT(settings.memory->made(), 0U);
            EXPECT_EQ(settings.memory->living(), 0U);
          }
        }
      }
    }
  }
}

TEST(InputPair, PairsAreTheFilesPictures) {
  const TemporaryFolder folder;
  ScoreRequest request;
  request.reference = {Clip(folder, "reference.yuv", kEightBit, 20, 0), kEightBit, 0};
  request.distorted = {Clip(folder, "distorted.yuv", kEightBit, 20, 100), kEightBit, 2};
  Settings settings;
  settings.threads = 8;
  const Pairs pairs = ReadPairs(request, settings);
  ASSERT_EQ(pairs.bytes.size(), 18U);
  for (unsigned i = 0; i < 18; ++i) {
    EXPECT_EQ(pairs.bytes[i][0], NoiseFrame(kEightBit, i));
    EXPECT_EQ(pairs.bytes[i][1], NoiseFrame(kEightBit, 102 + i));
  }
}

// Pictures of both inputs that are there before anybody asks for one.
std::size_t ReadAheadOf(const ScoreRequest& request, std::size_t depth, unsigned threads, std::size_t at_least) {
  const auto memory = std::make_shared<CountingMemory>();
  Result<std::unique_ptr<InputPair>> inputs = InputPair::Open(request);
  EXPECT_TRUE(inputs);
  (*inputs)->UseMemory(memory);
  (*inputs)->UseQueueDepth(depth);
  (*inputs)->UseThreads(threads);
  (*inputs)->Start(0, std::nullopt);
  while (memory->made() < at_least) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return memory->made();
}

TEST(InputPair, RangesThatDifferAreSaid) {
  const TemporaryFolder folder;
  constexpr VideoFormat kSmall{PixelFormat::kYuv420, 16, 16, 8};
  const auto clip = [&](const std::string& name, const std::string& tag) {
    return folder.Write(name, "YUV4MPEG2 W16 H16 F25:1 Ip C420jpeg" + tag + "\nFRAME\n" + NoiseFrame(kSmall, 1));
  };
  const std::string full = clip("full.y4m", " XCOLORRANGE=FULL");
  const std::string limited = clip("limited.y4m", " XCOLORRANGE=LIMITED");
  const std::string untagged = clip("untagged.y4m", "");
  struct Case {
    std::string reference;
    std::string distorted;
    bool is_said;
  };
  const std::vector<Case> cases{
      {full, limited, true}, {limited, full, true}, {untagged, full, true}, {limited, untagged, false}};
  for (const Case& c : cases) {
    ScoreRequest request;
    request.reference.path = c.reference;
    request.distorted.path = c.distorted;
    const Pairs pairs = ReadPairs(request, {});
    EXPECT_EQ(pairs.error, "");
    EXPECT_EQ(pairs.bytes.size(), 1U);
    ASSERT_EQ(pairs.warnings.size(), c.is_said ? 1U : 0U) << c.reference << " " << c.distorted;
    if (c.is_said) {
      EXPECT_NE(pairs.warnings[0].find("ranges of code values differ"), std::string::npos);
    }
    request.strict = true;
    EXPECT_EQ(ReadPairs(request, {}).error.empty(), !c.is_said);
  }
}

TEST(InputPair, ReadsAsFarAheadAsItMay) {
  const TemporaryFolder folder;
  ScoreRequest request;
  request.reference = {Clip(folder, "reference.yuv", kEightBit, 200, 0), kEightBit, 0};
  request.distorted = {Clip(folder, "distorted.yuv", kEightBit, 200, 100), kEightBit, 0};
  EXPECT_LE(ReadAheadOf(request, 40, 1, 2 * 30), 2 * 40U);
  EXPECT_LE(ReadAheadOf(request, 40, 8, 2 * 30), 2 * (40U + 3));
  // Small pictures, of which there may be more than of large ones.
  EXPECT_LE(ReadAheadOf(request, 0, 1, 2 * 48), 2 * 64U);
}

TEST(InputPair, BoundsMemory) {
  constexpr VideoFormat kFourK{PixelFormat::kYuv420, 3840, 2160, 8};
  constexpr VideoFormat kHuge{PixelFormat::kYuv444, 32768, 32768, 16};
  EXPECT_EQ(InputPair::QueueDepth(kFourK, 0), 4U);
  EXPECT_EQ(InputPair::QueueDepth(kFourK, 1), 4U);
  EXPECT_EQ(InputPair::QueueDepth(kFourK, 24), 24U);
  EXPECT_EQ(InputPair::QueueDepth(kFourK, 1000), InputPair::kQueueBytes / kFourK.frame_bytes());
  EXPECT_EQ(InputPair::QueueDepth(kHuge, 0), 4U);
  EXPECT_EQ(InputPair::QueueDepth(kHuge, 1000), 4U);
  EXPECT_EQ(InputPair::QueueDepth({PixelFormat::kYuv400, 1, 1, 8}, 0), 64U);
  EXPECT_EQ(InputPair::QueueDepth({PixelFormat::kYuv400, 1, 1, 8}, 1000), 1000U);
  EXPECT_EQ(InputPair::Readers(kFourK, 0), 1U);
  EXPECT_EQ(InputPair::Readers(kFourK, 3), 1U);
  EXPECT_EQ(InputPair::Readers(kFourK, 8), 4U);
  EXPECT_EQ(InputPair::Readers(kFourK, 1000), InputPair::kMostReaders);
  EXPECT_EQ(InputPair::Readers(kHuge, 1000), 1U);
  EXPECT_EQ(InputPair::Readers({PixelFormat::kYuv400, 16384, 16384, 8}, 1000), 2U);
}

TEST(InputPair, CancelEndsABlockedNext) {
  const TemporaryFolder folder;
  ScoreRequest request;
  request.reference = {Clip(folder, "reference.yuv", kEightBit, 100, 0), kEightBit, 0};
  request.distorted = {Clip(folder, "distorted.yuv", kEightBit, 100, 100), kEightBit, 0};
  Result<std::unique_ptr<InputPair>> inputs = InputPair::Open(request);
  ASSERT_TRUE(inputs);
  (*inputs)->UseThreads(8);
  (*inputs)->Start(0, std::nullopt);
  FramePair pair;
  ASSERT_TRUE((*inputs)->Next(pair));
  std::thread canceller([&inputs] { (*inputs)->Cancel(); });
  canceller.join();
  const Result<bool> next = (*inputs)->Next(pair);
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace lockstep
