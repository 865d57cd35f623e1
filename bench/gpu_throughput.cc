// SPDX-License-Identifier: BSD-2-Clause-Patent
// Frames a second of a device, by size, depth and where the pictures are, beside what the bus and launches allow.
//
//   gpu_throughput [--backend cuda] [--device all|LIST] [--model VERSION,... | --feature NAME] [--feed
//   app,pinned,device]
//                  [--size 3840x2160,...] [--depth 8,10] [--batch N] [--threads N] [--seconds S] [--repetitions N]
//
// Everything goes through ScorePictures(). A few made pictures come again and again: from the application's own memory,
// from pinned memory, or from the device's. Before anything is timed, the scores are compared with those of the cpu
// backend bit by bit. Timed are the frames between an early report of progress and the last one; the scores of models,
// which the host computes when the sequence has ended, are timed apart.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backend/device_list.h"
#include "bench/device_feed.h"
#include "engine/device_choice.h"
#include "features/device/device_kernel.h"
#include "lockstep/pictures.h"
#include "parity/synthetic_clip.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPictures = 4;
constexpr std::int64_t kFewestFrames = 600;
constexpr std::int64_t kMostFrames = 400'000;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Options {
  std::string backend = "cuda";
  std::string device;
  std::vector<std::string> models = {"vmaf_v0.6.1"};
  std::string feature;
  std::vector<std::string> feeds = {"app", "pinned", "device"};
  std::vector<std::string> sizes = {"3840x2160", "1920x1080", "576x324"};
  std::vector<int> depths = {8, 10};
  std::vector<int> batches = {0};
  unsigned threads = 0;
  double seconds = 0.7;
  int repetitions = 3;
};

ScoreRequest RequestOf(const Options& options) {
  ScoreRequest request;
  if (options.feature.empty()) {
    for (const std::string& version : options.models) {
      ModelRequest& model = request.models.emplace_back();
      model.version = version;
      model.name = version;
    }
  } else {
    request.features.push_back({options.feature, {}});
  }
  request.threads = options.threads;
  return request;
}

struct Timing {
  double frames_per_second = 0.0;
  double finish_seconds = 0.0;  // scores of metrics and models from the facts
};

Timing Run(const Options& options, const VideoFormat& format, const DeviceFeed& feed, int batch, std::int64_t frames) {
  ScoreRequest request = RequestOf(options);
  request.backend = options.backend;
  request.device.device = options.device;
  request.device.batch = batch;
  // Of frames that are done, a few times a second: what the engine has read ahead is no work.
  std::vector<std::pair<std::int64_t, Clock::time_point>> marks;
  request.on_progress = [&](const Progress& progress) { marks.emplace_back(progress.frames_done, Clock::now()); };
  marks.emplace_back(0, Clock::now());
  CyclingPictures source(feed, frames);
  Must(ScorePictures(request, format, source));
  const auto [last_frame, end] = marks.back();
  Timing timing;
  timing.finish_seconds = SecondsSince(end);
  auto from = std::find_if(marks.begin(), marks.end(), [&](const auto& mark) { return mark.first >= frames / 5; });
  if (from->first == last_frame) from = marks.begin() + (marks.size() > 2 ? 1 : 0);
  timing.frames_per_second =
      static_cast<double>(last_frame - from->first) / std::chrono::duration<double>(end - from->second).count();
  return timing;
}

// Of as many frames as take about the time that was asked for.
std::vector<Timing> RunRepeatedly(const Options& options, const VideoFormat& format, const DeviceFeed& feed,
                                  int batch) {
  std::int64_t frames = kFewestFrames;
  const double guess = Run(options, format, feed, batch, frames).frames_per_second;
  frames = std::clamp(static_cast<std::int64_t>(guess * options.seconds), kFewestFrames, kMostFrames);
  std::vector<Timing> timings;
  for (int i = 0; i < options.repetitions; ++i) timings.push_back(Run(options, format, feed, batch, frames));
  std::sort(timings.begin(), timings.end(),
            [](const Timing& a, const Timing& b) { return a.frames_per_second < b.frames_per_second; });
  return timings;
}

// How many values differ from the cpu backend's, over some cycles of the pictures.
std::int64_t DifferencesFromProcessor(const Options& options, const VideoFormat& format, const DeviceFeed& app,
                                      const DeviceFeed& feed, int batch) {
  constexpr std::int64_t kCompared = 3 * kPictures + 1;
  ScoreRequest request = RequestOf(options);
  CyclingPictures on_host(app, kCompared);
  const Report expected = Must(ScorePictures(request, format, on_host));
  request.backend = options.backend;
  request.device.device = options.device;
  request.device.batch = batch;
  CyclingPictures on_device(feed, kCompared);
  std::int64_t values = 0;
  return CountDifferences(Must(ScorePictures(request, format, on_device)), expected, values);
}

// What the machine allows.
struct Roofline {
  double upload_gigabytes = 0.0;  // pinned memory to the device, a second
  double copy_gigabytes = 0.0;    // pageable to pinned memory, one thread
  double all_copy_gigabytes = 0.0;
  double launch_microseconds = 0.0;
  double node_microseconds = 0.0;  // of a recorded launch
};

double CopyRate(std::byte* to, const std::byte* from, std::size_t bytes, unsigned threads) {
  constexpr int kRounds = 8;
  const Clock::time_point start = Clock::now();
  {
    std::vector<std::jthread> copying;
    for (unsigned t = 0; t < threads; ++t) {
      copying.emplace_back([=] {
        const std::size_t begin = bytes / threads * t;
        for (int round = 0; round < kRounds; ++round) std::memcpy(to + begin, from + begin, bytes / threads);
      });
    }
  }
  return kRounds * static_cast<double>(bytes) / SecondsSince(start) / 1e9;
}

Roofline MeasureRoofline(Device& device, unsigned threads) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  constexpr int kRounds = 32;
  Roofline roofline;
  const DeviceMemory pinned(device, Must(device.AllocatePinned(kBytes)));
  const DeviceMemory memory(device, Must(device.AllocateOnDevice(kBytes)));
  std::unique_ptr<DeviceStream> stream = Must(device.MakeStream());
  const auto time = [&](auto give) {
    give();
    Must(stream->Wait(*stream->Mark()));
    const Clock::time_point start = Clock::now();
    give();
    Must(stream->Wait(*stream->Mark()));
    return SecondsSince(start);
  };
  const double upload = time([&] {
    for (int i = 0; i < kRounds; ++i) stream->Copy(memory.data(), pinned.data(), kBytes);
  });
  roofline.upload_gigabytes = kRounds * static_cast<double>(kBytes) / upload / 1e9;
  const std::vector<std::byte> pageable(kBytes, std::byte{1});
  for (const unsigned count : {1U, threads}) {
    CopyRate(pinned.data(), pageable.data(), kBytes, count);
    (count == 1 ? roofline.copy_gigabytes : roofline.all_copy_gigabytes) =
        CopyRate(pinned.data(), pageable.data(), kBytes, count);
  }

  // One row of no values: nothing is read or written.
  const LaneSumArgs nothing = {nullptr, nullptr, 1, 0};
  std::memcpy(pinned.data(), &nothing, sizeof(nothing));
  stream->Copy(memory.data(), pinned.data(), sizeof(nothing));
  const DeviceKernel* const kernel = Must(device.FindKernel("psnr", "sum_lanes"));
  const KernelLaunch launch = {memory.data(), LaunchShape::kGroupSize, 0};
  constexpr int kLaunches = 1000;
  const auto launch_all = [&] {
    for (int i = 0; i < kLaunches; ++i)
      stream->Launch(*kernel, &launch, sizeof(launch), {1, LaunchShape::kGroupSize, 0});
  };
  roofline.launch_microseconds = time(launch_all) / kLaunches * 1e6;
  if (device.properties().has_graphs) {
    stream->BeginRecording();
    launch_all();
    std::unique_ptr<DeviceGraph> graph = Must(stream->EndRecording());
    roofline.node_microseconds = time([&] { stream->Replay(*graph); }) / kLaunches * 1e6;
    Must(stream->Wait(*stream->Mark()));
  }
  return roofline;
}

std::string TextOf(const std::string& size, int depth, const std::string& feed, int batch) {
  return fmt::format("{:<10}{:>3} bit  {:<7}{:>6}", size, depth, feed, batch == 0 ? "auto" : std::to_string(batch));
}

// False where scores differ.
bool MeasureSize(const Options& options, const std::string& size, int depth, const Roofline& roofline, Device& device) {
  int width = 0;
  int height = 0;
  if (std::sscanf(size.c_str(), "%dx%d", &width, &height) != 2)
    Must(Error{ErrorCode::kInvalidArgument, size, {}, {}, "--size"});
  const VideoFormat format = {PixelFormat::kYuv420, width, height, depth};
  const SyntheticPictures pictures({format, ClipContent::kNatural, kPictures});
  const DeviceFeed app("app", pictures, device);
  const double luma_pair = 2.0 * width * height * format.bytes_per_sample();
  bool is_equal = true;
  for (const std::string& kind : options.feeds) {
    const DeviceFeed feed(kind, pictures, device);
    for (const int batch : options.batches) {
      const std::int64_t differences = DifferencesFromProcessor(options, format, app, feed, batch);
      const std::string what = TextOf(size, depth, kind, batch);
      if (differences != 0) {
        std::printf("%s  SCORES DIFFER from the cpu backend: %lld values\n", what.c_str(),
                    static_cast<long long>(differences));
        is_equal = false;
        continue;
      }
      const std::vector<Timing> timings = RunRepeatedly(options, format, feed, batch);
      const Timing& median = timings[timings.size() / 2];
      const double bound = kind == "device" ? 0.0
                           : kind == "pinned"
                               ? roofline.upload_gigabytes * 1e9 / luma_pair
                               : std::min(roofline.all_copy_gigabytes, roofline.upload_gigabytes) * 1e9 / luma_pair;
      const std::string share = bound > 0.0
                                    ? fmt::format("{:>9.0f}{:>5.0f} %", bound, 100.0 * median.frames_per_second / bound)
                                    : std::string(16, ' ');
      std::printf("%s",
                  fmt::format("{}{:>11.0f}{:>11.0f}{:>11.0f}{:>10.2f}{}{:>9.2f}\n", what, median.frames_per_second,
                              timings.front().frames_per_second, timings.back().frames_per_second,
                              1e6 / median.frames_per_second, share, median.finish_seconds)
                      .c_str());
      std::fflush(stdout);
    }
  }
  return is_equal;
}

int Measure(Options options) {
  if (options.threads == 0) options.threads = std::max(1U, std::thread::hardware_concurrency());
  DeviceRequest request;
  request.device = options.device;
  const std::vector<std::shared_ptr<Device>> devices = Must(OpenDevices(options.backend, request));
  // Each would have to read the memory of the others.
  if (AreDifferent(devices)) std::erase(options.feeds, "device");
  const Roofline roofline = MeasureRoofline(*devices[0], options.threads);
  std::printf(
      "%s", fmt::format("{}, {} threads; {}\n", DeviceNames(devices), options.threads,
                        options.feature.empty() ? fmt::format("{}", fmt::join(options.models, " + ")) : options.feature)
                .c_str());
  std::printf(
      "%s",
      fmt::format("upload from pinned memory {:.1f} GB/s, copy into pinned memory {:.1f} GB/s on one thread, {:.1f} "
                  "on {}; a launch {:.2f} us, of a graph {:.2f} us\n",
                  roofline.upload_gigabytes, roofline.copy_gigabytes, roofline.all_copy_gigabytes, options.threads,
                  roofline.launch_microseconds, roofline.node_microseconds)
          .c_str());
  std::printf("%-10s%7s  %-7s%6s%11s%11s%11s%10s%9s%7s%9s\n", "size", "depth", "feed", "batch", "frames/s", "least",
              "most", "us/frame", "bound", "of it", "finish s");
  bool is_equal = true;
  for (const std::string& size : options.sizes) {
    for (const int depth : options.depths)
      is_equal = MeasureSize(options, size, depth, roofline, *devices[0]) && is_equal;
  }
  return is_equal ? 0 : 1;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::Options options;
  CLI::App app("Frames a second of a device");
  app.add_option("--backend", options.backend, "cuda, hip or sycl");
  app.add_option("--device,--gpus", options.device, "all, or numbers or parts of names with commas between them");
  app.add_option("--model", options.models, "Built-in models, in one pass")->delimiter(',');
  app.add_option("--feature", options.feature, "A metric instead of the model");
  app.add_option("--feed", options.feeds, "app, pinned, device")
      ->delimiter(',')
      ->check(CLI::IsMember({"app", "pinned", "device"}));
  app.add_option("--size", options.sizes, "WIDTHxHEIGHT,...")->delimiter(',');
  app.add_option("--depth", options.depths, "Bits a sample")->delimiter(',');
  app.add_option("--batch", options.batches, "Frames in one launch; 0: by their size")->delimiter(',');
  app.add_option("--threads", options.threads, "Threads of the host; 0: all");
  app.add_option("--seconds", options.seconds, "Of one run");
  app.add_option("--repetitions", options.repetitions, "Runs, of which the median counts");
  CLI11_PARSE(app, argc, argv);
  return lockstep::Measure(options);
}
