// SPDX-License-Identifier: BSD-2-Clause-Patent
// How fast pairs of raw and y4m files come into memory: in order on one thread an input, and by place on several.
//
//   reader_throughput [--folder=/dev/shm] [--megabytes=512] [--benchmark_filter=REGEX] ...
//
// Two files of the given size are written to the folder for every format, which ought to be in memory. Pictures are
// luma only, in rows without gaps as pinned memory has them (or with gaps, as the heap has them), and some are held
// before they go back, as a device's batches are.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/frame.h"
#include "base/pool.h"
#include "media/read_ahead.h"
#include "media/video_reader.h"

namespace lockstep {
namespace {

struct Clip {
  PlaneSize size;
  int bit_depth;
  bool is_y4m;
};
constexpr std::array<Clip, 8> kClips = {{{{3840, 2160}, 8, false},
                                         {{3840, 2160}, 8, true},
                                         {{3840, 2160}, 10, false},
                                         {{1920, 1080}, 8, false},
                                         {{576, 324}, 8, false},
                                         {{576, 324}, 8, true},
                                         {{176, 144}, 8, false},
                                         {{16, 16}, 8, false}}};

constexpr std::size_t kHeldBytes = std::size_t{1} << 27;
constexpr std::size_t kMostHeld = 64;
constexpr std::int64_t kMostPictures = 20000;

struct Settings {
  std::string folder = "/dev/shm";
  std::int64_t megabytes = 512;
};

VideoFormat FormatOf(const Clip& clip) {
  return {PixelFormat::kYuv420, clip.size.width, clip.size.height, clip.bit_depth};
}

std::string NameOf(const Clip& clip) {
  return fmt::format("{}x{}_{}bit_{}", clip.size.width, clip.size.height, clip.bit_depth, clip.is_y4m ? "y4m" : "yuv");
}

// Two files that go away with their owner.
class ClipFiles {
 public:
  ClipFiles(const Clip& clip, const Settings& settings) {
    const VideoFormat format = FormatOf(clip);
    const auto bytes = static_cast<std::int64_t>(format.frame_bytes());
    pictures_ = std::clamp<std::int64_t>(settings.megabytes * 1000000 / bytes, 2, kMostPictures);
    std::string picture(static_cast<std::size_t>(bytes), '\0');
    // Small values, so that they fit every depth.
    for (std::size_t i = 0; i < picture.size(); ++i)
      picture[i] = static_cast<char>(clip.bit_depth == 8 ? i * i >> 5 : i % 2 == 0 ? i >> 7 : (i >> 9) & 3);
    for (std::size_t f = 0; f < paths_.size(); ++f) {
      paths_[f] =
          fmt::format("{}/lockstep_reader_{}_{}.{}", settings.folder, ::getpid(), f, clip.is_y4m ? "y4m" : "yuv");
      std::ofstream file(paths_[f], std::ios::binary);
      if (clip.is_y4m) file << fmt::format("YUV4MPEG2 W{} H{} C420\n", clip.size.width, clip.size.height);
      for (std::int64_t i = 0; i < pictures_; ++i) {
        if (clip.is_y4m) file << "FRAME\n";
        file.write(picture.data(), static_cast<std::streamsize>(picture.size()));
      }
      written_ = written_ && file.good();
    }
  }
  ClipFiles(const ClipFiles&) = delete;
  ClipFiles& operator=(const ClipFiles&) = delete;
  ~ClipFiles() {
    for (const std::string& path : paths_) std::filesystem::remove(path);
  }

  [[nodiscard]] bool written() const { return written_; }
  [[nodiscard]] std::int64_t pictures() const { return pictures_; }
  [[nodiscard]] const std::string& path(std::size_t f) const { return paths_[f]; }

 private:
  std::array<std::string, 2> paths_;
  std::int64_t pictures_ = 0;
  bool written_ = true;
};

// As tight as pinned memory, but no device knows it.
class TightMemory final : public FrameAllocator {
 public:
  std::byte* Allocate(std::size_t bytes) override {
    constexpr std::size_t kPage = 4096;
    return static_cast<std::byte*>(std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage));
  }
  void Free(std::byte* memory) override { std::free(memory); }
};

// A reader whose pictures have no places.
class InOrder final : public VideoReader {
 public:
  explicit InOrder(std::unique_ptr<VideoReader> reader) : reader_(std::move(reader)) {}
  [[nodiscard]] const VideoInfo& info() const override { return reader_->info(); }
  Result<bool> Read(Frame& frame) override { return reader_->Read(frame); }
  void Cancel() override { reader_->Cancel(); }

 private:
  std::unique_ptr<VideoReader> reader_;
};

struct Way {
  bool by_place = false;
  unsigned threads = 1;
  bool has_gaps = false;
};

// What outlives a run: neither making files nor first touching memory is part of reading.
struct Material {
  Material(const Clip& clip, const Settings& settings) : files(clip, settings) {
    tight.PrepareWith([](Frame& frame) { frame.UseAllocator(std::make_shared<TightMemory>()); });
  }
  ClipFiles files;
  Pool<Frame> tight;
  Pool<Frame> with_gaps;
};

// Pairs without anything else of a run, so that the old way and the new one differ in nothing but themselves.
class Streams {
 public:
  Streams(const Clip& clip, Material& material, const Way& way, std::size_t depth) {
    OpenOptions options;
    if (!clip.is_y4m) options.raw = FormatOf(clip);
    for (std::size_t f = 0; f < streams_.size(); ++f) {
      Result<std::unique_ptr<VideoReader>> reader = OpenVideo(material.files.path(f), options);
      if (!reader) continue;
      (*reader)->LeaveOutChroma();
      if (!way.by_place) reader = std::unique_ptr<VideoReader>(std::make_unique<InOrder>(*std::move(reader)));
      streams_[f] = std::make_unique<ReadAhead>(*std::move(reader), way.has_gaps ? material.with_gaps : material.tight,
                                                depth, way.threads);
    }
  }

  // Pairs that were there.
  std::int64_t ReadAll(std::size_t held_pairs) {
    std::vector<std::array<Pool<Frame>::Ref, 2>> held(held_pairs);
    std::int64_t pairs = 0;
    while (streams_[0] && streams_[1]) {
      Result<Pool<Frame>::Ref> reference = streams_[0]->Next();
      Result<Pool<Frame>::Ref> distorted = streams_[1]->Next();
      if (!reference || !distorted || !*reference || !*distorted) break;
      held[static_cast<std::size_t>(pairs) % held.size()] = {*std::move(reference), *std::move(distorted)};
      ++pairs;
    }
    return pairs;
  }

 private:
  std::array<std::unique_ptr<ReadAhead>, 2> streams_;
};

void ReadPairs(benchmark::State& state, const Clip& clip, const Settings& settings, const Way& way) {
  // Of one clip at a time: all together would be too much for some memories.
  static std::string made;
  static std::unique_ptr<Material> material;
  const bool is_new = made != NameOf(clip);
  if (is_new) {
    material.reset();
    material = std::make_unique<Material>(clip, settings);
    made = NameOf(clip);
  }
  if (!material->files.written()) {
    state.SkipWithError("the folder does not take the files");
    return;
  }
  const std::size_t luma = static_cast<std::size_t>(clip.size.width) * static_cast<std::size_t>(clip.size.height) *
                           static_cast<std::size_t>(FormatOf(clip).bytes_per_sample());
  const std::size_t held = std::clamp<std::size_t>(kHeldBytes / (2 * luma), 1, kMostHeld);
  // Touches the memory of every picture that a run can need.
  Pool<Frame>& frames = way.has_gaps ? material->with_gaps : material->tight;
  std::vector<Pool<Frame>::Ref> touched(2 * (2 * held + way.threads + 1));
  for (Pool<Frame>::Ref& frame : touched) {
    frame = frames.Acquire();
    frame->Reset(FormatOf(clip));
    const MutablePlaneView plane = frame->mutable_plane(0);
    std::memset(plane.data, 1, static_cast<std::size_t>(plane.stride_bytes) * static_cast<std::size_t>(plane.height));
  }
  touched.clear();
  // The first two passes over a file's pages also sort them into the system's lists of those in use.
  constexpr int kPasses = 2;
  for (int pass = 0; is_new && pass < kPasses; ++pass) Streams(clip, *material, way, held).ReadAll(held);
  std::int64_t pairs = 0;
  for (auto _ : state) {
    Streams streams(clip, *material, way, held);
    const std::int64_t read = streams.ReadAll(held);
    if (read != material->files.pictures()) {
      state.SkipWithError("the clip was not read to its end");
      return;
    }
    pairs += read;
  }
  state.counters["pairs/s"] = benchmark::Counter(static_cast<double>(pairs), benchmark::Counter::kIsRate);
  state.counters["GB/s"] =
      benchmark::Counter(2e-9 * static_cast<double>(pairs) * static_cast<double>(luma), benchmark::Counter::kIsRate);
}

void Register(const Clip& clip, const Settings& settings, const std::string& name, const Way& way) {
  benchmark::RegisterBenchmark(
      fmt::format("{}/{}", NameOf(clip), name).c_str(),
      [&clip, &settings, way](benchmark::State& state) { ReadPairs(state, clip, settings, way); })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

void RegisterAll(const Settings& settings) {
  const unsigned most = std::max(std::thread::hardware_concurrency() / 2, 2U);
  for (const Clip& clip : kClips) {
    Register(clip, settings, "in_order", {});
    for (unsigned threads = 1; threads <= most; threads += threads < 4 ? 1 : 2) {
      Register(clip, settings, fmt::format("by_place/threads:{}", threads), {true, threads, false});
    }
    Register(clip, settings, "by_place_with_gaps", {true, most, true});
  }
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::Settings settings;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    constexpr std::string_view kFolder = "--folder=";
    constexpr std::string_view kMegabytes = "--megabytes=";
    if (argument.starts_with(kFolder)) {
      settings.folder = argument.substr(kFolder.size());
    } else if (argument.starts_with(kMegabytes)) {
      settings.megabytes = std::atoll(argv[i] + kMegabytes.size());
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  lockstep::RegisterAll(settings);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
