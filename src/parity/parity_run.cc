// SPDX-License-Identifier: BSD-2-Clause-Patent
// Metric by metric, clip by clip: one reference run, then one run for each way of computing.
#include "parity/parity_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "engine/device_choice.h"
#include "engine/frame_pipeline.h"
#include "engine/input_pair.h"
#include "engine/multi_device_pipeline.h"
#include "engine/score_plan.h"
#include "features/feature_list.h"
#include "lanes/cpu_target.h"
#include "parity/comparison.h"
#include "parity/option_cases.h"
#include "parity/synthetic_clip.h"

namespace lockstep {
namespace {

// One way of computing scores.
struct Way {
  std::string backend;
  std::string name;  // what tells it from the backend's other ways
  CpuTarget target = CpuTarget::kScalar;
  unsigned threads = 1;
  std::vector<Device*> devices;  // none: the processor
  DevicePipelineOptions device_options;
};

class OutcomeSink : public ScoreSink {
 public:
  OutcomeSink(const PlannedFeature& feature, Outcome& outcome) : feature_(feature), outcome_(outcome) {}
  void Put(int column, std::int64_t frame, double value) override {
    outcome_.scores.Put(feature_.table_columns[static_cast<std::size_t>(column)], frame, value);
  }
  void PutAggregate(std::string_view name, double value) override {
    outcome_.aggregates.emplace_back(std::string(name), value);
  }
  void Warn(std::int64_t /*frame*/, std::string_view /*text*/) override {}

 private:
  const PlannedFeature& feature_;
  Outcome& outcome_;
};

// Of luma; larger pictures are most of the work.
constexpr int kLargePicture = 200 * 200;

// What is scored: a built-in clip, or the user's files opened anew for each run.
class ClipSource {
 public:
  explicit ClipSource(const SyntheticClip& clip)
      : name_(clip.Name()), pictures_(std::make_unique<SyntheticPictures>(clip)) {}
  explicit ClipSource(const ParityRequest& request) : name_(request.inputs->second.path) {
    files_.reference = request.inputs->first;
    files_.distorted = request.inputs->second;
    if (request.frame_limit > 0) end_ = request.frame_limit;
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_large() const {
    if (!pictures_) return false;
    const VideoFormat& format = pictures_->clip().format;
    return format.width * format.height > kLargePicture;
  }

  struct Opened {
    std::unique_ptr<PairSource> source;
    VideoFormat format;
  };
  [[nodiscard]] Result<Opened> Open() const {
    if (pictures_) return Opened{std::make_unique<SyntheticSource>(*pictures_), pictures_->clip().format};
    Result<std::unique_ptr<InputPair>> inputs = InputPair::Open(files_);
    if (!inputs) return std::move(inputs).error();
    const VideoFormat format = (*inputs)->format();
    (*inputs)->Start(0, end_);
    return Opened{*std::move(inputs), format};
  }

 private:
  std::string name_;
  std::unique_ptr<SyntheticPictures> pictures_;
  ScoreRequest files_;
  std::optional<std::int64_t> end_;
};

class ParityRun {
 public:
  explicit ParityRun(const ParityRequest& request) : request_(request) {}

  Result<ParityReport> Run() {
    if (Status status = ChooseWays(); !status) return std::move(status).error();
    if (Status status = ChooseFeatures(); !status) return std::move(status).error();
    if (Status status = ChooseClips(); !status) return std::move(status).error();
    const bool has_processor =
        std::any_of(ways_.begin(), ways_.end(), [](const Way& way) { return way.devices.empty(); });
    std::vector<Case> cases;
    for (const FeatureDescription* feature : features_) {
      // Nothing would be compared with the reference.
      if (!has_processor && !feature->on_devices) continue;
      std::size_t turn = 0;
      for (OptionList& options : OptionCases(*feature, request_.default_options_only)) {
        cases.push_back({feature, std::move(options), turn++});
      }
    }
    report_.reference = "cpu, scalar, one thread";
    for (const FeatureDescription* feature : features_) {
      if (!feature->on_devices) report_.processor_only.emplace_back(feature->name);
    }
    const int total = static_cast<int>(cases.size() * clips_.size() * ways_.size());
    int done = 0;
    for (const Case& each : cases) {
      if (Status status = CompareCase(each, total, done); !status) return std::move(status).error();
    }
    return std::move(report_);
  }

 private:
  struct Case {
    const FeatureDescription* feature;
    OptionList options;
    std::size_t turn;  // among the metric's cases; the first one has the defaults
  };

  // Every clip, but of the large ones of a selection the defaults alone see all. Other options have every second, and
  // the last where no other took them: large clips of equal kind follow one another.
  Status CompareCase(const Case& each, int total, int& done) {
    std::string refusal;
    bool is_scored = false;
    bool is_scored_large = false;
    std::size_t large = 0;
    for (const ClipSource& clip : clips_) {
      if (request_.stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled", {}, {}, {}};
      const bool is_large = !request_.all_sizes && clip.is_large();
      if (is_large) ++large;
      const bool is_last = &clip == &clips_.back() && !is_scored_large;
      if (!is_large || each.turn == 0 || is_last || (each.turn + large) % 2 == 0) {
        Result<bool> scored = CompareClip(*each.feature, each.options, clip, refusal);
        if (!scored) return std::move(scored).error();
        is_scored = is_scored || *scored;
        is_scored_large = is_scored_large || (*scored && is_large);
      }
      done += static_cast<int>(ways_.size());
      if (request_.on_progress) request_.on_progress(done, total);
    }
    if (!is_scored) report_.refusals.push_back({each.feature->name, OptionText(each.options), refusal});
    return {};
  }

  Status ChooseWays() {
    for (const std::string& backend : request_.backends) {
      if (Status status = backend == "cpu" ? AddProcessor() : AddDevices(backend); !status) return status;
    }
    if (ways_.empty()) return Error{ErrorCode::kInvalidArgument, "none is given", {}, {}, "backend"};
    return {};
  }

  Status AddProcessor() {
    const unsigned machine = std::max(2U, std::thread::hardware_concurrency());
    const unsigned threads = request_.threads != 0 ? request_.threads : machine;
    std::vector<std::string> names = request_.targets;
    if (names.empty()) {
      for (const CpuTarget target : AvailableCpuTargets()) names.emplace_back(CpuTargetName(target));
    }
    for (const std::string& name : names) {
      Result<CpuTarget> target = ChooseCpuTarget(name, 0);
      if (!target) {
        Error error = std::move(target).error();
        error.field = "targets";
        return error;
      }
      ways_.push_back({"cpu", std::string(CpuTargetName(*target)), *target, threads, {}, {}});
    }
    return {};
  }

  // Frame by frame, and in batches of two that are recorded where the device can; on each device that is named, and on
  // all of them at once with a frame or two for each.
  Status AddDevices(const std::string& backend) {
    Result<std::vector<std::shared_ptr<Device>>> opened = OpenDevices(backend, request_.device);
    if (!opened) return std::move(opened).error();
    std::vector<Device*> all;
    for (std::shared_ptr<Device>& device : *opened) {
      if (std::find(all.begin(), all.end(), device.get()) == all.end()) {
        const std::string number = all.empty() ? "" : fmt::format(" {}", all.size() + 1);
        const bool has_graphs = device->properties().has_graphs;
        const auto add = [&](const char* name, const DevicePipelineOptions& options) {
          ways_.push_back({backend, name + number, CpuTarget::kScalar, 1, {device.get()}, options});
        };
        add("frames", {1, GraphUse::kNever});
        add(has_graphs ? "graphs" : "batches", {2, has_graphs ? GraphUse::kAlways : GraphUse::kNever});
      }
      all.push_back(device.get());
      devices_.push_back(std::move(device));
    }
    if (all.size() == 1) return {};
    for (const int segment : {1, 2}) {
      const std::string name = fmt::format("{} at once/{}", all.size(), segment);
      ways_.push_back({backend, name, CpuTarget::kScalar, 1, all, {1, GraphUse::kAutomatic, segment}});
    }
    return {};
  }

  Status ChooseFeatures() {
    std::string known;
    for (const FeatureDescription* feature : FeatureList()) {
      known += (known.empty() ? "" : ", ") + std::string(feature->name);
      if (request_.features.empty()) features_.push_back(feature);
    }
    for (const std::string& name : request_.features) {
      const FeatureDescription* const feature = FindFeature(name);
      if (feature == nullptr) {
        return Error{
            ErrorCode::kNotFound, fmt::format("there is no metric '{}'; there are {}", name, known), {}, {}, "feature"};
      }
      if (std::find(features_.begin(), features_.end(), feature) == features_.end()) features_.push_back(feature);
    }
    return {};
  }

  Status ChooseClips() {
    if (!request_.inputs) {
      for (const SyntheticClip& clip : BuiltInClips(request_.all_sizes)) clips_.emplace_back(clip);
      return {};
    }
    for (const InputRequest* input : {&request_.inputs->first, &request_.inputs->second}) {
      std::error_code ignored;
      const bool is_file =
          !std::filesystem::exists(input->path, ignored) || std::filesystem::is_regular_file(input->path, ignored);
      if (is_file && input->path != "-") continue;
      return Error{ErrorCode::kInvalidArgument, "is read many times; expected a regular file", input->path, {}, {}};
    }
    clips_.emplace_back(request_);
    // Files that cannot be read end the run here, not as a refusal of a metric.
    Result<ClipSource::Opened> opened = clips_.back().Open();
    if (!opened) return std::move(opened).error();
    opened->source->Cancel();
    return {};
  }

  // False where the reference refuses this metric, these options or this format; `refusal` then says why.
  Result<bool> CompareClip(const FeatureDescription& feature, const OptionList& options, const ClipSource& clip,
                           std::string& refusal) {
    Result<Outcome> expected = Compute(feature, options, clip, {"cpu", "scalar", CpuTarget::kScalar, 1, {}, {}});
    if (!expected) {
      if (!IsRefusal(expected.error())) return std::move(expected).error();
      refusal = expected.error().Describe();  // of the last clip: the first ones are small
      return false;
    }
    for (const Way& way : ways_) {
      if (!way.devices.empty() && !feature.on_devices) continue;
      ParityCell cell;
      cell.feature = feature.name;
      cell.options = OptionText(options);
      cell.clip = clip.name();
      cell.backend = way.backend;
      cell.target = way.name;
      const Result<Outcome> actual = Compute(feature, options, clip, way);
      if (actual) {
        CompareOutcomes(*expected, *actual, cell);
      } else if (IsRefusal(actual.error())) {
        cell.state = ParityState::kMissing;
        cell.detail = actual.error().Describe();
      } else {
        return actual.error();
      }
      report_.cells.push_back(std::move(cell));
    }
    return true;
  }

  static bool IsRefusal(const Error& error) {
    return error.code == ErrorCode::kUnsupported || error.code == ErrorCode::kInvalidArgument;
  }

  [[nodiscard]] Result<Outcome> Compute(const FeatureDescription& feature, const OptionList& options,
                                        const ClipSource& clip, const Way& way) const {
    ScoreRequest score;
    score.features.push_back({feature.name, options});
    Result<ScorePlan> plan = ScorePlan::Create(score);
    if (!plan) return std::move(plan).error();
    Result<ClipSource::Opened> opened = clip.Open();
    if (!opened) return std::move(opened).error();
    if (Status status = plan->Bind(opened->format, way.target); !status) return std::move(status).error();

    std::vector<const Feature*> features;
    for (const PlannedFeature& planned : plan->features()) features.push_back(planned.feature.get());
    PipelineOptions pipeline;
    pipeline.threads = way.threads;
    pipeline.stop = request_.stop;
    Result<PipelineResult> result = Extract(features, *opened, pipeline, way);
    if (!result) return std::move(result).error();
    Outcome outcome;
    outcome.facts = std::move(result->facts[0]);
    outcome.scores = plan->MakeScoreTable(0, result->end_picture);
    OutcomeSink sink(plan->features()[0], outcome);
    features[0]->Finish(outcome.facts, sink);
    return outcome;
  }

  static Result<PipelineResult> Extract(std::span<const Feature* const> features, const ClipSource::Opened& opened,
                                        const PipelineOptions& options, const Way& way) {
    if (way.devices.empty()) return RunPipeline(features, *opened.source, options);
    Result<DevicePipelineResult> result =
        RunMultiDevicePipeline(features, opened.format, *opened.source, options, way.devices, way.device_options);
    if (!result) return std::move(result).error();
    return std::move(result->facts);
  }

  const ParityRequest& request_;
  std::vector<std::shared_ptr<Device>> devices_;
  std::vector<Way> ways_;
  std::vector<const FeatureDescription*> features_;
  std::vector<ClipSource> clips_;
  ParityReport report_;
};

}  // namespace

Result<ParityReport> CompareAll(const ParityRequest& request) { return ParityRun(request).Run(); }

}  // namespace lockstep
