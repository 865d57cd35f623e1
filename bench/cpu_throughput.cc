// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time a frame takes, by metric and model, with the instruction sets of this machine side by side.
//
//   cpu_throughput [--benchmark_filter=REGEX] [--benchmark_repetitions=N] [--benchmark_min_time=SECONDS]
//                  [--benchmark_out=FILE.json] ...
//
// Pictures come from memory. A metric runs on one thread and its figure is that thread's CPU time; a model runs through
// the engine's pipeline, and has the wall time a frame as well; a single pair shows what bands of rows gain. Of several
// repetitions the fastest counts: the others were disturbed.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/aligned_buffer.h"
#include "engine/frame_pipeline.h"
#include "engine/score_plan.h"
#include "features/feature_list.h"
#include "lanes/cpu_target.h"
#include "parity/synthetic_clip.h"

namespace lockstep {
namespace {

constexpr int kPictures = 4;
// Several for each of 16 threads, so that the first and the last ones weigh little.
constexpr int kModelFrames = 64;

struct Picture {
  PlaneSize size;
  int bit_depth;
};
constexpr std::array<Picture, 5> kPictureSizes = {
    {{{576, 324}, 8}, {{1920, 1080}, 8}, {{1920, 1080}, 10}, {{3840, 2160}, 8}, {{3840, 2160}, 10}}};

// Made on first use and kept: every benchmark of a size reads the same pictures.
const SyntheticPictures& PicturesOf(const Picture& picture) {
  static std::map<std::string, std::unique_ptr<SyntheticPictures>> made;
  const VideoFormat format{PixelFormat::kYuv420, picture.size.width, picture.size.height, picture.bit_depth};
  SyntheticClip clip{format, ClipContent::kNatural, kPictures};
  std::unique_ptr<SyntheticPictures>& pictures = made[clip.Name()];
  if (!pictures) pictures = std::make_unique<SyntheticPictures>(clip);
  return *pictures;
}

void MetricFrames(benchmark::State& state, const FeatureDescription& metric, const Picture& picture, CpuTarget target) {
  const SyntheticPictures& pictures = PicturesOf(picture);
  const Result<std::unique_ptr<Feature>> created =
      CreateFeature(metric, OptionValues(metric.options), pictures.clip().format, target);
  if (!created) {
    state.SkipWithError(created.error().Describe().c_str());
    return;
  }
  const Feature& feature = **created;
  const std::unique_ptr<Workspace> workspace = feature.MakeWorkspace();
  std::array<AlignedBuffer, kPictures> prepared;
  for (int i = 0; i < kPictures && feature.prepared_bytes() > 0; ++i) {
    AlignedBuffer& buffer = prepared[static_cast<std::size_t>(i)];
    buffer.Resize(feature.prepared_bytes());
    feature.Prepare(pictures.reference(i), workspace.get(), buffer.data());
  }
  std::vector<Fact> facts(static_cast<std::size_t>(feature.fact_count()));
  int frame = 2;
  for (auto _ : state) {
    FrameWindow window;
    window.index = frame;
    for (int k = 0; k < 3; ++k) {
      const int earlier = (frame - k) % kPictures;
      window.earlier_distorted[static_cast<std::size_t>(k)] = &pictures.distorted(earlier);
      window.earlier_reference[static_cast<std::size_t>(k)] = &pictures.reference(earlier);
      window.prepared[static_cast<std::size_t>(k)] = prepared[static_cast<std::size_t>(earlier)].data();
    }
    window.reference = window.earlier_reference[0];
    window.distorted = window.earlier_distorted[0];
    if (feature.prepared_bytes() > 0) {
      AlignedBuffer& buffer = prepared[static_cast<std::size_t>(frame % kPictures)];
      feature.Prepare(*window.reference, workspace.get(), buffer.data());
    }
    feature.Extract(window, workspace.get(), facts);
    benchmark::DoNotOptimize(facts.data());
    ++frame;
  }
}

// The pictures of a benchmark again and again, without a copy.
class LoopSource : public PairSource {
 public:
  LoopSource(const SyntheticPictures& pictures, int frames) : source_(pictures), frames_(frames) {
    for (FramePair& pair : pairs_) static_cast<void>(source_.Next(pair));
  }
  void Rewind() { next_ = 0; }
  Result<bool> Next(FramePair& pair) override {
    if (next_ == frames_) return false;
    pair = pairs_[static_cast<std::size_t>(next_++ % kPictures)];
    return true;
  }
  void Cancel() override {}

 private:
  SyntheticSource source_;  // owns the pictures
  std::array<FramePair, kPictures> pairs_;
  int frames_;
  int next_ = 0;
};

void ModelFrames(benchmark::State& state, const std::string& version, const Picture& picture, CpuTarget target,
                 unsigned threads, int frames) {
  const SyntheticPictures& pictures = PicturesOf(picture);
  ScoreRequest request;
  request.models.emplace_back().version = version;
  Result<ScorePlan> plan = ScorePlan::Create(request);
  if (!plan) {
    state.SkipWithError(plan.error().Describe().c_str());
    return;
  }
  if (const Status status = plan->Bind(pictures.clip().format, target); !status) {
    state.SkipWithError(status.error().Describe().c_str());
    return;
  }
  std::vector<const Feature*> features;
  for (const PlannedFeature& planned : plan->features()) features.push_back(planned.feature.get());
  PipelineOptions options;
  options.threads = threads;
  LoopSource source(pictures, frames);
  for (auto _ : state) {
    source.Rewind();
    const Result<PipelineResult> result = RunPipeline(features, source, options);
    if (!result) state.SkipWithError(result.error().Describe().c_str());
  }
  state.SetItemsProcessed(state.iterations() * frames);
}

// "kind/name/size/depth[/threads]" with the target as the last part.
std::string RowName(const std::string& name) { return name.substr(0, name.rfind('/')); }

// A table with a row a metric or model and a column a target: milliseconds a frame.
class TableReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override {
    std::fputs(fmt::format("{}; ms a frame\n{:<44}", CpuModelName(), "CPU time").c_str(), stdout);
    for (const CpuTarget target : AvailableCpuTargets()) {
      std::fputs(fmt::format("{:>10}", CpuTargetName(target)).c_str(), stdout);
    }
    std::fputs("   best of it: wall, times scalar\n", stdout);
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      std::string name = run.run_name.function_name;
      if (RowName(name) != row_) Flush();
      row_ = RowName(name);
      const std::string target = name.substr(name.rfind('/') + 1);
      if (run.error_occurred) {
        error_ = run.error_message;
        continue;
      }
      const double frames = static_cast<double>(run.iterations) * (name.starts_with("model/") ? kModelFrames : 1);
      Keep(cpu_[target], run.cpu_accumulated_time * 1e3 / frames);
      Keep(wall_[target], run.real_accumulated_time * 1e3 / frames);
    }
  }

  void Finalize() override { Flush(); }

 private:
  static void Keep(double& least, double value) { least = least == 0.0 ? value : std::min(least, value); }

  void Flush() {
    if (row_.empty()) return;
    std::string line = fmt::format("{:<44}", row_);
    if (cpu_.empty()) line += "  " + error_;
    double fastest = 0.0;
    double wall = 0.0;
    for (const CpuTarget target : AvailableCpuTargets()) {
      const auto cpu = cpu_.find(std::string(CpuTargetName(target)));
      line += cpu == cpu_.end() ? fmt::format("{:>10}", "-") : fmt::format("{:>10.3f}", cpu->second);
      if (cpu == cpu_.end()) continue;
      Keep(fastest, cpu->second);
      Keep(wall, wall_[cpu->first]);
    }
    const auto scalar = cpu_.find("scalar");
    line += fmt::format("   {:.3f}", wall);
    if (scalar != cpu_.end() && fastest > 0.0) line += fmt::format(", {:.1f}", scalar->second / fastest);
    std::fputs((line + "\n").c_str(), stdout);
    std::fflush(stdout);
    row_.clear();
    cpu_.clear();
    wall_.clear();
    error_.clear();
  }

  std::string row_;
  std::string error_;
  std::map<std::string, double> cpu_;
  std::map<std::string, double> wall_;
};

void RegisterAll() {
  for (const Picture& picture : kPictureSizes) {
    const std::string size = fmt::format("{}x{}/{}", picture.size.width, picture.size.height, picture.bit_depth);
    for (const FeatureDescription* metric : FeatureList()) {
      for (const CpuTarget target : AvailableCpuTargets()) {
        const std::string name = fmt::format("metric/{}/{}/{}", metric->name, size, CpuTargetName(target));
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
          MetricFrames(state, *metric, picture, target);
        })->MinTime(0.2);
      }
    }
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    for (const char* const model : {"vmaf_v0.6.1", "vmaf_v1.0.16_3d0h"}) {
      for (const bool is_single : {false, true}) {
        for (unsigned threads = 1; threads <= cores; threads *= 2) {
          for (const CpuTarget target : AvailableCpuTargets()) {
            const std::string name = fmt::format("{}/{}/{}/{} threads/{}", is_single ? "single pair" : "model", model,
                                                 size, threads, CpuTargetName(target));
            const auto run = [=](benchmark::State& state) {
              ModelFrames(state, model, picture, target, threads, is_single ? 1 : kModelFrames);
            };
            benchmark::RegisterBenchmark(name.c_str(), run)->MeasureProcessCPUTime()->UseRealTime()->MinTime(0.2);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  lockstep::RegisterAll();
  lockstep::TableReporter table;
  benchmark::RunSpecifiedBenchmarks(&table);
  benchmark::Shutdown();
  return 0;
}
