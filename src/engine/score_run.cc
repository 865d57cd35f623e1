// SPDX-License-Identifier: BSD-2-Clause-Patent
// Inputs -> plan -> pipeline -> finish -> models -> pooling -> report.
#include "engine/score_run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "backend/device_list.h"
#include "engine/device_pipeline.h"
#include "engine/frame_pipeline.h"
#include "engine/input_pair.h"
#include "engine/score_plan.h"
#include "features/score_name.h"
#include "model/pooling.h"

namespace lockstep {
namespace {

constexpr std::chrono::milliseconds kProgressInterval{100};

using Clock = std::chrono::steady_clock;

// Puts one metric's scores into the table of the run.
class TableSink : public ScoreSink {
 public:
  TableSink(const PlannedFeature& feature, ScoreTable& table, Report& report)
      : feature_(feature), table_(table), report_(report) {}

  void Put(int column, std::int64_t frame, double value) override {
    table_.Put(feature_.table_columns[static_cast<std::size_t>(column)], frame, value);
  }
  void PutAggregate(std::string_view name, double value) override {
    report_.aggregates.emplace_back(std::string(name) + feature_.aggregate_suffix, value);
  }
  void Warn(std::int64_t frame, std::string_view text) override {
    report_.warnings.push_back({{}, frame, fmt::format("{}: {}", feature_.description->name, text)});
  }

 private:
  const PlannedFeature& feature_;
  ScoreTable& table_;
  Report& report_;
};

// A model's features as columns of the table.
class FeatureReader {
 public:
  FeatureReader(const ScoreTable& table, const std::vector<ModelInput>& inputs)
      : table_(table), values_(inputs.size()) {
    for (const ModelInput& input : inputs) columns_.push_back(table.Find(input.key));
  }
  /// The frame's feature scores, or nullptr when one is missing.
  const std::vector<double>* Read(std::int64_t frame) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::optional<double> value = columns_[i] ? table_.Get(*columns_[i], frame) : std::nullopt;
      if (!value) return nullptr;
      values_[i] = *value;
    }
    return &values_;
  }

 private:
  const ScoreTable& table_;
  std::vector<std::optional<std::size_t>> columns_;
  std::vector<double> values_;
};

template <class Visit>
void ForUsedFrames(const ScoreTable& table, int subsample, Visit visit) {
  for (std::int64_t frame = table.first(); frame < table.first() + table.count(); ++frame) {
    if (frame % subsample == 0) visit(frame);
  }
}

void PredictModel(const PlannedModel& planned, ScoreTable& table, int subsample) {
  FeatureReader main(table, planned.main_inputs);
  const std::size_t column = table.AddColumn(planned.name);
  ForUsedFrames(table, subsample, [&](std::int64_t frame) {
    if (const std::vector<double>* values = main.Read(frame))
      table.Put(column, frame, planned.model.main.Predict(*values));
  });
  if (!planned.model.is_collection()) return;

  const BootstrapColumnNames names = MakeBootstrapColumnNames(planned);
  std::vector<FeatureReader> readers;
  std::vector<std::size_t> member_columns;
  for (std::size_t i = 0; i < planned.model.members.size(); ++i) {
    readers.emplace_back(table, planned.member_inputs[i]);
    member_columns.push_back(table.AddColumn(names.members[i]));
  }
  const std::size_t bagging = table.AddColumn(names.bagging);
  const std::size_t stddev = table.AddColumn(names.stddev);
  const std::size_t low = table.AddColumn(names.ci_p95_low);
  const std::size_t high = table.AddColumn(names.ci_p95_high);
  std::vector<std::vector<double>> member_features(readers.size());
  ForUsedFrames(table, subsample, [&](std::int64_t frame) {
    for (std::size_t i = 0; i < readers.size(); ++i) {
      const std::vector<double>* values = readers[i].Read(frame);
      if (values == nullptr) return;
      member_features[i] = *values;
    }
    const BootstrapScore score = PredictBootstrap(planned.model.members, member_features);
    for (std::size_t i = 0; i < member_columns.size(); ++i) table.Put(member_columns[i], frame, score.members[i]);
    table.Put(bagging, frame, score.bagging);
    table.Put(stddev, frame, score.stddev);
    table.Put(low, frame, score.ci_p95_low);
    table.Put(high, frame, score.ci_p95_high);
  });
}

double PooledMean(const ScoreTable& table, const std::string& key, int subsample) {
  const std::optional<std::size_t> column = table.Find(key);
  const std::optional<PooledScore> pooled = column ? PoolScores(table, *column, subsample) : std::nullopt;
  return pooled ? pooled->mean : 0.0;
}

ReportModel SummariseModel(const PlannedModel& planned, const ScoreTable& table, int subsample) {
  ReportModel model;
  model.name = planned.name;
  model.label = planned.label;
  model.pooled = PoolScores(table, *table.Find(planned.name), subsample);
  model.is_collection = planned.model.is_collection();
  if (model.is_collection) {
    const BootstrapColumnNames names = MakeBootstrapColumnNames(planned);
    model.bagging = PooledMean(table, names.bagging, subsample);
    model.stddev = PooledMean(table, names.stddev, subsample);
    model.ci_p95_low = PooledMean(table, names.ci_p95_low, subsample);
    model.ci_p95_high = PooledMean(table, names.ci_p95_high, subsample);
  }
  return model;
}

void FillColumns(const ScoreTable& table, int subsample, Report& report) {
  for (std::size_t c = 0; c < table.column_count(); ++c) {
    ReportColumn column;
    column.key = table.key(c);
    column.name = ShortScoreName(table.key(c));
    column.values.resize(static_cast<std::size_t>(table.count()));
    for (std::int64_t i = 0; i < table.count(); ++i) {
      column.values[static_cast<std::size_t>(i)] = table.Get(c, table.first() + i);
    }
    column.pooled = PoolScores(table, c, subsample);
    report.columns.push_back(std::move(column));
  }
}

std::int64_t PeakMemoryBytes() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  constexpr std::int64_t kUnit = 1024;  // of ru_maxrss on Linux
  return usage.ru_maxrss * kUnit;
}

Error Invalid(std::string field, std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message), {}, {}, std::move(field)};
}

bool UsesProcessor(const ScoreRequest& request) { return request.backend == "cpu" || request.backend == "auto"; }

Status CheckNumbers(const ScoreRequest& request) {
  if (request.subsample < 1) return Invalid("subsample", fmt::format("{} is not at least 1", request.subsample));
  if (request.frame_limit < 0) return Invalid("frame count", fmt::format("{} is negative", request.frame_limit));
  for (const InputRequest* input : {&request.reference, &request.distorted}) {
    if (input->skip_frames < 0) return Invalid("frames to skip", fmt::format("{} is negative", input->skip_frames));
  }
  if (request.segment && (request.segment->first < 0 || request.segment->second <= request.segment->first)) {
    return Invalid("segment", fmt::format("[{}, {}) holds no frames", request.segment->first, request.segment->second));
  }
  if (!UsesProcessor(request)) {
    if (Result<const DeviceBackend*> backend = LoadDeviceBackend(request.backend); !backend) {
      return std::move(backend).error();
    }
    if (request.device.timing && request.device.graphs == GraphUse::kAlways) {
      return Invalid("graphs", "what is inside a replayed graph cannot be timed; leave out one of the two");
    }
    constexpr int kMaximum = DeviceRequest::kMaximumBatch;
    if (request.device.batch < 0 || request.device.batch > kMaximum) {
      return Invalid("batch", fmt::format("{} is not from 0 to {}", request.device.batch, kMaximum));
    }
  } else if (!(request.device == DeviceRequest())) {
    return Invalid("device",
                   "the backend is cpu, which has no device, graphs, batches, queues or device times to choose");
  }
  if (const Result<CpuTarget> target = ChooseCpuTarget(request.cpu_target, request.cpu_mask); !target) {
    return target.error();
  }
  return {};
}

class ScoreRun {
 public:
  ScoreRun(const ScoreRequest& request, ScorePlan plan) : request_(request), plan_(std::move(plan)) {}

  Result<Report> Run() {
    // Before anything is read: a device that is not there should not cost a pipe its first pictures.
    if (Status status = ChooseDevice(); !status) return std::move(status).error();
    Result<std::unique_ptr<InputPair>> inputs = InputPair::Open(request_);
    if (!inputs) return std::move(inputs).error();
    inputs_ = *std::move(inputs);
    const Result<CpuTarget> target = ChooseCpuTarget(request_.cpu_target, request_.cpu_mask);
    if (!target) return target.error();
    cpu_target_ = *target;
    if (Status status = plan_.Bind(inputs_->format(), cpu_target_); !status) return std::move(status).error();
    Result<PipelineResult> facts = Extract();
    if (!facts) return std::move(facts).error();
    return Finish(*facts);
  }

 private:
  [[nodiscard]] std::optional<std::int64_t> EndOfScores() const {
    return request_.segment ? std::optional(request_.segment->second) : std::nullopt;
  }

  Status ChooseDevice() {
    if (UsesProcessor(request_)) return {};
    DeviceSelection selection;
    selection.device = request_.device.device;
    selection.out_of_order = request_.device.out_of_order;
    selection.profiling = request_.device.timing;
    Result<std::shared_ptr<Device>> device = OpenDevice(request_.backend, selection);
    if (!device) return std::move(device).error();
    device_ = *std::move(device);
    return {};
  }

  Result<PipelineResult> Extract() {
    std::vector<const Feature*> features;
    std::int64_t lead_in = 0;
    int lead_out = 0;
    for (const PlannedFeature& planned : plan_.features()) {
      features.push_back(planned.feature.get());
      const TemporalReach reach = planned.feature->reach();
      lead_in = std::max<std::int64_t>(lead_in, reach.fact_lead_in + reach.picture_lead_in);
      lead_out = std::max(lead_out, reach.fact_lead_out);
    }

    if (std::none_of(features.begin(), features.end(), [](const Feature* f) { return f->needs_chroma(); })) {
      inputs_->LeaveOutChroma();
    }
    PipelineOptions options;
    options.threads = request_.threads != 0 ? request_.threads : std::max(1U, std::thread::hardware_concurrency());
    options.subsample = request_.subsample;
    options.stop = request_.stop;
    std::optional<std::int64_t> end_picture;
    if (request_.segment) {
      options.first_score = request_.segment->first;
      options.end_score = EndOfScores();
      options.first_picture = std::max<std::int64_t>(options.first_score - lead_in, 0);
      end_picture = *options.end_score + lead_out;
    }
    if (request_.frame_limit > 0)
      end_picture = std::min(end_picture.value_or(request_.frame_limit), request_.frame_limit);

    std::optional<std::int64_t> total = inputs_->expected_pairs();
    if (end_picture) total = std::min(total.value_or(*end_picture), *end_picture);
    if (total) *total = std::max<std::int64_t>(*total - options.first_picture, 0);
    Clock::time_point last_report{};
    if (request_.on_progress) {
      options.on_progress = [&, total](std::int64_t done) {
        const Clock::time_point now = Clock::now();
        if (now - last_report < kProgressInterval && done != total) return;
        last_report = now;
        request_.on_progress({done, total});
      };
    }
    const Clock::time_point start = Clock::now();
    inputs_->Start(options.first_picture, end_picture);
    Result<PipelineResult> result = Compute(features, options);
    seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
    if (!result) return result;
    pictures_read_ = result->end_picture - options.first_picture;

    if (result->end_picture <= options.first_score) {
      if (request_.segment) {
        return Invalid("segment", fmt::format("starts at frame {}, but the inputs have {}", options.first_score,
                                              result->end_picture));
      }
      return Error{ErrorCode::kFormat, "holds no frame to score", inputs_->ended_path(), {}, {}};
    }
    return result;
  }

  Result<PipelineResult> Compute(std::span<const Feature* const> features, const PipelineOptions& options) {
    if (device_ == nullptr) return RunPipeline(features, *inputs_, options);
    DevicePipelineOptions device_options;
    device_options.batch = request_.device.batch;
    // What is inside a replayed graph cannot be timed.
    device_options.graphs = request_.device.timing ? GraphUse::kNever : request_.device.graphs;
    Result<DevicePipelineResult> result =
        RunDevicePipeline(features, inputs_->format(), *inputs_, options, *device_, device_options);
    if (!result) return std::move(result).error();
    for (const DeviceTiming& timing : result->timings) {
      constexpr double kNanosecondsPerMillisecond = 1e6;
      device_timings_.push_back(
          {timing.name, timing.count, static_cast<double>(timing.nanoseconds) / kNanosecondsPerMillisecond});
    }
    return std::move(result->facts);
  }

  Report Finish(const PipelineResult& facts) {
    Report report;
    report.format = inputs_->format();
    report.frames_per_second = static_cast<double>(pictures_read_) / seconds_;
    report.subsample = request_.subsample;
    if (device_ == nullptr) {
      report.cpu_target = CpuTargetName(cpu_target_);
    } else {
      report.backend = request_.backend;
      report.device = device_->properties().name;
      report.device_timings = std::move(device_timings_);
    }
    report.peak_memory_bytes = PeakMemoryBytes();
    report.reference = inputs_->DescribeReference();
    report.distorted = inputs_->DescribeDistorted();
    report.first_frame = request_.segment ? request_.segment->first : 0;
    report.frame_count = std::min(facts.end_picture, EndOfScores().value_or(facts.end_picture)) - report.first_frame;
    report.decisions = inputs_->decisions();
    report.decisions.insert(report.decisions.end(), plan_.decisions().begin(), plan_.decisions().end());
    report.warnings = inputs_->CollectWarnings();

    ScoreTable table = plan_.MakeScoreTable(report.first_frame, report.frame_count);
    for (std::size_t f = 0; f < plan_.features().size(); ++f) {
      TableSink sink(plan_.features()[f], table, report);
      plan_.features()[f].feature->Finish(facts.facts[f], sink);
    }
    for (const PlannedModel& model : plan_.models()) PredictModel(model, table, request_.subsample);
    FillColumns(table, request_.subsample, report);
    for (const PlannedModel& model : plan_.models()) {
      report.models.push_back(SummariseModel(model, table, request_.subsample));
    }
    return report;
  }

  const ScoreRequest& request_;
  ScorePlan plan_;
  std::unique_ptr<InputPair> inputs_;
  CpuTarget cpu_target_ = CpuTarget::kScalar;
  std::shared_ptr<Device> device_;  // nullptr: the processor computes
  std::vector<DeviceTimingRow> device_timings_;
  double seconds_ = 0.0;
  std::int64_t pictures_read_ = 0;
};

}  // namespace

Status CheckScoreRequest(const ScoreRequest& request) {
  if (Status status = CheckNumbers(request); !status) return status;
  // A model that comes through a pipe can be read once, and that is for the run.
  ScoreRequest readable = request;
  const std::size_t streams = std::erase_if(readable.models, [](const ModelRequest& model) {
    std::error_code ignored;
    return model.version.empty() && std::filesystem::exists(model.path, ignored) &&
           !std::filesystem::is_regular_file(model.path, ignored) &&
           !std::filesystem::is_directory(model.path, ignored);
  });
  if (streams > 0 && readable.models.empty() && readable.features.empty()) return {};
  Result<ScorePlan> plan = ScorePlan::Create(readable);
  if (!plan) return std::move(plan).error();
  return {};
}

Result<Report> RunScore(const ScoreRequest& request) {
  if (Status status = CheckNumbers(request); !status) return std::move(status).error();
  Result<ScorePlan> plan = ScorePlan::Create(request);
  if (!plan) return std::move(plan).error();
  return ScoreRun(request, *std::move(plan)).Run();
}

}  // namespace lockstep
