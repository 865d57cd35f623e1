// SPDX-License-Identifier: BSD-2-Clause-Patent
// Whole runs on a device against the cpu backend, bit by bit: every metric and model that a size allows, from every
// kind of memory, in batches, from recorded graphs, on one device and on several.
//
//   gpu_parity [--backend cuda] [--devices LIST]... [--size 33x33,...] [--depth 8,...] [--content noise,...]
//              [--feed app,...] [--batch N,...] [--graphs auto,...] [--frames N] [--pictures N] [--threads N]
//
// `lockstep parity` compares facts of single metrics with the scalar code, with many options. Here the instruction set
// is the processor's best, so that large pictures and long sequences take seconds.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/device_list.h"
#include "bench/cuda_producer.h"
#include "bench/device_feed.h"
#include "engine/device_choice.h"
#include "lockstep/pictures.h"
#include "parity/synthetic_clip.h"

namespace lockstep {
namespace {

struct Options {
  std::string backend = "cuda";
  std::vector<std::string> devices = {""};
  std::vector<std::string> sizes = {"3x3",     "4x5",      "17x17",     "19x23",    "31x9",    "33x33",
                                    "64x64",   "66x120",   "161x91",    "257x145",  "576x324", "854x480",
                                    "960x540", "1283x723", "1920x1080", "3840x2160"};
  std::vector<int> depths = {8, 10, 12, 16};
  std::vector<std::string> contents = {"natural"};
  std::vector<std::string> feeds = {"app"};
  std::vector<int> batches = {1, 16};
  std::vector<std::string> graphs = {"auto"};
  std::int64_t frames = 35;
  int pictures = 5;
  unsigned threads = 0;
  bool is_quiet = false;
};

const std::map<std::string, ClipContent> kContents = {{"noise", ClipContent::kNoise},
                                                      {"stripes", ClipContent::kStripes},
                                                      {"natural", ClipContent::kNatural},
                                                      {"identical", ClipContent::kIdentical},
                                                      {"flat", ClipContent::kFlat}};
const std::map<std::string, GraphUse> kGraphs = {
    {"auto", GraphUse::kAutomatic}, {"on", GraphUse::kAlways}, {"off", GraphUse::kNever}};

// Every metric with its defaults and with options that lead to other kernels; every model of fixed-point metrics.
ScoreRequest RequestFor(const VideoFormat& format, unsigned threads) {
  ScoreRequest request;
  request.threads = threads;
  const auto fits = [&](const PlaneSize& minimum) {
    return format.width >= minimum.width && format.height >= minimum.height;
  };
  for (const FeatureInfo& feature : ListFeatures()) {
    if (!feature.on_devices || !fits(feature.minimum_size)) continue;
    request.features.push_back({feature.name, {}});
    if (feature.name == "motion") {
      request.features.push_back({feature.name, {{"motion_five_frame_window", "true"}}});
      if (fits({6, 6})) request.features.push_back({feature.name, {{"motion_add_uv", "true"}}});
    }
    if (feature.name == "float_motion") request.features.push_back({feature.name, {{"motion_add_scale1", "true"}}});
  }
  for (const ModelInfo& model : ListModels()) {
    if (model.version.starts_with("vmaf_float") || !fits(model.minimum_size)) continue;
    ModelRequest& added = request.models.emplace_back();
    added.version = model.version;
    added.name = model.version;
  }
  return request;
}

class ParityProgram {
 public:
  explicit ParityProgram(Options options) : options_(std::move(options)) {}

  int Run() {
    DeviceRequest request;
    request.device = options_.devices[0];
    opened_ = Must(OpenDevices(options_.backend, request));
    std::printf("%s against the cpu backend, %lld frames each\n", DeviceNames(opened_).c_str(),
                static_cast<long long>(options_.frames));
    for (const std::string& size : options_.sizes) {
      for (const int depth : options_.depths) {
        for (const std::string& content : options_.contents) CompareClip(size, depth, content);
      }
    }
    std::printf("%lld of %lld values differ, %d runs\n", static_cast<long long>(differences_),
                static_cast<long long>(values_), runs_);
    return differences_ == 0 && runs_ > 0 ? 0 : 1;
  }

 private:
  void CompareClip(const std::string& size, int depth, const std::string& content) {
    VideoFormat format;
    if (std::sscanf(size.c_str(), "%dx%d", &format.width, &format.height) != 2) {
      Must(Error{ErrorCode::kInvalidArgument, size, {}, {}, "--size"});
    }
    format.bit_depth = depth;
    format.pixel_format = static_cast<PixelFormat>(1 + turn_++ % 3);
    const SyntheticPictures pictures({format, kContents.at(content), options_.pictures});
    const DeviceFeed app("app", pictures, *opened_[0]);
    ScoreRequest request = RequestFor(format, options_.threads);
    CyclingPictures on_host(app, options_.frames);
    const Report expected = Must(ScorePictures(request, format, on_host));
    std::int64_t differences = 0;
    std::int64_t values = 0;
    int runs = 0;
    for (const std::string& kind : options_.feeds) {
      const DeviceFeed feed(kind == "stream" ? "device" : kind, pictures, *opened_[0]);
      for (const std::string& devices : options_.devices) {
        for (const int batch : options_.batches) {
          for (const std::string& graphs : options_.graphs) {
            request.backend = options_.backend;
            request.device.device = devices;
            request.device.batch = batch;
            request.device.graphs = kGraphs.at(graphs);
            const Result<Report> actual = ScoreFeed(request, format, kind, feed);
            ++runs;
            std::int64_t wrong = 1;
            if (actual) {
              wrong = CountDifferences(*actual, expected, values);
            } else {
              std::printf("%s\n", actual.error().Describe().c_str());
            }
            if (wrong != 0) {
              std::printf("DIFFERS: %s, from %s, devices \"%s\", batch %d, graphs %s: %lld values\n",
                          pictures.clip().Name().c_str(), kind.c_str(), devices.c_str(), batch, graphs.c_str(),
                          static_cast<long long>(wrong));
              if (actual) ShowFirst(*actual, expected);
            }
            differences += wrong;
          }
        }
      }
    }
    if (!options_.is_quiet) {
      std::printf("%-32s %2d runs, %zu columns: %lld of %lld values differ\n", pictures.clip().Name().c_str(), runs,
                  expected.columns.size(), static_cast<long long>(differences), static_cast<long long>(values));
    }
    std::fflush(stdout);
    differences_ += differences;
    values_ += values;
    runs_ += runs;
  }

  Result<Report> ScoreFeed(const ScoreRequest& request, const VideoFormat& format, const std::string& kind,
                           const DeviceFeed& feed) {
    if (kind == "stream") {
      CudaProducer produced(feed, format, options_.frames, *opened_[0]);
      return ScorePictures(request, format, produced);
    }
    CyclingPictures on_device(feed, options_.frames);
    return ScorePictures(request, format, on_device);
  }

  // The first wrong value of each column tells which kernel is at fault.
  static void ShowFirst(const Report& actual, const Report& expected) {
    for (std::size_t c = 0; c < std::min(actual.columns.size(), expected.columns.size()); ++c) {
      for (std::size_t i = 0; i < expected.columns[c].values.size(); ++i) {
        const std::optional<double>& from = expected.columns[c].values[i];
        const std::optional<double>& to = actual.columns[c].values[i];
        if (from.has_value() == to.has_value() &&
            (!from || std::bit_cast<std::uint64_t>(*from) == std::bit_cast<std::uint64_t>(*to))) {
          continue;
        }
        std::printf("  %s frame %zu: %s, expected %s\n", expected.columns[c].name.c_str(), i,
                    to ? fmt::format("{:.17g}", *to).c_str() : "nothing",
                    from ? fmt::format("{:.17g}", *from).c_str() : "nothing");
        break;
      }
    }
  }

  Options options_;
  std::vector<std::shared_ptr<Device>> opened_;
  int turn_ = 0;
  int runs_ = 0;
  std::int64_t differences_ = 0;
  std::int64_t values_ = 0;
};

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::Options options;
  CLI::App app("Whole runs on a device against the cpu backend");
  app.add_option("--backend", options.backend, "cuda, hip or sycl");
  app.add_option("--devices", options.devices, "A list of devices, as --gpus takes it; may be repeated")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--size", options.sizes, "WIDTHxHEIGHT,...")->delimiter(',');
  app.add_option("--depth", options.depths, "Bits a sample")->delimiter(',');
  app.add_option("--content", options.contents, "noise, stripes, natural, identical, flat")
      ->delimiter(',')
      ->check(CLI::IsMember({"noise", "stripes", "natural", "identical", "flat"}));
  app.add_option("--feed", options.feeds, "app, pinned, device; stream: on the device, with CUDA, still being made")
      ->delimiter(',')
      ->check(CLI::IsMember({"app", "pinned", "device", "stream"}));
  app.add_option("--batch", options.batches, "Frames in one launch; 0: by their size")->delimiter(',');
  app.add_option("--graphs", options.graphs, "auto, on, off")
      ->delimiter(',')
      ->check(CLI::IsMember({"auto", "on", "off"}));
  app.add_option("--frames", options.frames, "Frames of a run");
  app.add_option("--pictures", options.pictures, "Different pictures that come again and again");
  app.add_option("--threads", options.threads, "Threads of the host; 0: all");
  app.add_flag("--quiet", options.is_quiet, "Differences and the sum only");
  CLI11_PARSE(app, argc, argv);
  return lockstep::ParityProgram(std::move(options)).Run();
}
