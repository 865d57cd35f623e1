// SPDX-License-Identifier: BSD-2-Clause-Patent
// Inputs -> plan -> pipeline -> finish -> models -> pooling -> report.
#include "engine/score_run.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "backend/device_list.h"
#include "engine/device_choice.h"
#include "engine/frame_pipeline.h"
#include "engine/input_pair.h"
#include "engine/mixed_pipeline.h"
#include "engine/picture_pairs.h"
#include "engine/pinned_frames.h"
#include "engine/run_input.h"
#include "engine/score_plan.h"
#include "features/score_name.h"
#include "model/pooling.h"

namespace lockstep {
namespace {

constexpr std::chrono::milliseconds kProgressInterval{100};
// Of one metric: a film may have something to say of every frame.
constexpr std::int64_t kMostWarnings = 20;

using Clock = std::chrono::steady_clock;

// Puts one metric's scores into the table of the run.
class TableSink : public ScoreSink {
 public:
  using Warnings = std::set<std::pair<std::int64_t, std::string>>;

  /// in  warnings: what metrics have said already; two requests of one metric say the same of the same pictures
  TableSink(const PlannedFeature& feature, ScoreTable& table, Warnings& warnings, Report& report)
      : feature_(feature), table_(table), warnings_(warnings), report_(report) {}

  void Put(int column, std::int64_t frame, double value) override {
    table_.Put(feature_.table_columns[static_cast<std::size_t>(column)], frame, value);
  }
  void PutAggregate(std::string_view name, double value) override {
    report_.aggregates.emplace_back(std::string(name) + feature_.aggregate_suffix, value);
  }
  void Warn(std::int64_t frame, std::string_view text) override {
    if (frame < table_.first() || frame >= table_.first() + table_.count()) return;
    std::string line = fmt::format("{}: {}", feature_.description->name, text);
    if (!warnings_.emplace(frame, line).second) return;
    if (++warning_count_ > kMostWarnings) return;
    report_.warnings.push_back({{}, frame, std::move(line)});
  }
  /// Says how many warnings were left out.
  void EndWarnings() {
    if (warning_count_ <= kMostWarnings) return;
    report_.warnings.push_back(
        {{},
         std::nullopt,
         fmt::format("{}: {} more warnings", feature_.description->name, warning_count_ - kMostWarnings)});
  }

 private:
  const PlannedFeature& feature_;
  ScoreTable& table_;
  Warnings& warnings_;
  Report& report_;
  std::int64_t warning_count_ = 0;
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

// The columns of a model's scores.
struct PredictionColumns {
  std::size_t main = 0;
  std::vector<std::size_t> members;
  std::size_t bagging = 0;
  std::size_t stddev = 0;
  std::size_t ci_p95_low = 0;
  std::size_t ci_p95_high = 0;
};

PredictionColumns AddPredictionColumns(const PlannedModel& planned, ScoreTable& table) {
  PredictionColumns columns;
  columns.main = table.AddColumn(planned.name);
  if (!planned.model.is_collection()) return columns;
  const BootstrapColumnNames names = MakeBootstrapColumnNames(planned);
  for (std::size_t i = 0; i < planned.model.members.size(); ++i) {
    columns.members.push_back(table.AddColumn(names.members[i]));
  }
  columns.bagging = table.AddColumn(names.bagging);
  columns.stddev = table.AddColumn(names.stddev);
  columns.ci_p95_low = table.AddColumn(names.ci_p95_low);
  columns.ci_p95_high = table.AddColumn(names.ci_p95_high);
  return columns;
}

// Scores of frames [begin, end). Other threads may fill other frames of the table meanwhile.
void PredictFrames(const PlannedModel& planned, const PredictionColumns& columns, int subsample, std::int64_t begin,
                   std::int64_t end, ScoreTable& table) {
  FeatureReader main(table, planned.main_inputs);
  std::vector<FeatureReader> readers;
  for (const std::vector<ModelInput>& inputs : planned.member_inputs) readers.emplace_back(table, inputs);
  std::vector<std::vector<double>> member_features(columns.members.size());
  for (std::int64_t frame = begin; frame < end; ++frame) {
    if (frame % subsample != 0) continue;
    if (const std::vector<double>* values = main.Read(frame)) {
      table.Put(columns.main, frame, planned.model.main.Predict(*values));
    }
    if (columns.members.empty()) continue;
    bool is_complete = true;
    for (std::size_t i = 0; i < member_features.size(); ++i) {
      const std::vector<double>* values = readers[i].Read(frame);
      is_complete = is_complete && values != nullptr;
      if (values != nullptr) member_features[i] = *values;
    }
    if (!is_complete) continue;
    const BootstrapScore score = PredictBootstrap(planned.model.members, member_features);
    for (std::size_t i = 0; i < columns.members.size(); ++i) table.Put(columns.members[i], frame, score.members[i]);
    table.Put(columns.bagging, frame, score.bagging);
    table.Put(columns.stddev, frame, score.stddev);
    table.Put(columns.ci_p95_low, frame, score.ci_p95_low);
    table.Put(columns.ci_p95_high, frame, score.ci_p95_high);
  }
}

// A device delivers the facts of small pictures faster than one thread predicts their scores.
void PredictModel(const PlannedModel& planned, int subsample, unsigned threads, ScoreTable& table) {
  constexpr std::int64_t kFramesOfATask = 256;
  const PredictionColumns columns = AddPredictionColumns(planned, table);
  const std::int64_t end = table.first() + table.count();
  // Without it TBB writes a warning where there are fewer processors than threads.
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    tbb::parallel_for(std::int64_t{0}, (table.count() + kFramesOfATask - 1) / kFramesOfATask, [&](std::int64_t task) {
      const std::int64_t first = table.first() + task * kFramesOfATask;
      PredictFrames(planned, columns, subsample, first, std::min(first + kFramesOfATask, end), table);
    });
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
  if (!request.hwaccel.empty() && request.hwaccel != "cuda") {
    return Invalid("hwaccel", fmt::format("'{}' is not known; expected cuda", request.hwaccel));
  }
  if (!request.hwaccel.empty() && request.backend != "cuda") {
    return Invalid("hwaccel", "decoding on a CUDA device needs the backend cuda");
  }
  if (!UsesProcessor(request)) {
    if (Result<const DeviceBackend*> backend = LoadDeviceBackend(request.backend); !backend) {
      return std::move(backend).error();
    }
    if (Status status = CheckDeviceList(request.device.device); !status) return status;
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

  Result<Report> RunFiles() {
    // Before anything is read: a device that is not there should not cost a pipe its first pictures.
    if (Status status = ChooseDevices(); !status) return std::move(status).error();
    std::optional<int> cuda_decoder;
    if (!request_.hwaccel.empty()) {
      if (AreDifferent(devices_)) {
        return Invalid("hwaccel", "what one device has decoded the others cannot read; choose one device");
      }
      cuda_decoder = NumberOfDevice(request_.backend, request_.device.device, *devices_[0]);
    }
    Result<std::unique_ptr<InputPair>> inputs = InputPair::Open(request_, cuda_decoder);
    if (!inputs) return std::move(inputs).error();
    (*inputs)->UseThreads(ThreadCount());
    if (!devices_.empty()) {
      // One batch is read while another one is on its way.
      const int batch = BatchOf({request_.device.batch}, (*inputs)->format(), *devices_[0]);
      (*inputs)->UseQueueDepth(2 * static_cast<std::size_t>(batch));
      if (!devices_[0]->properties().is_processor) (*inputs)->UseMemory(std::make_shared<PinnedFrames>(devices_[0]));
    }
    inputs_ = *std::move(inputs);
    return Run();
  }

  Result<Report> RunPictures(const VideoFormat& format, PictureSource& source) {
    if (Status status = ChooseDevices(); !status) return std::move(status).error();
    PictureUse use;
    use.reads_on_host = devices_.empty();
    // A device cannot read what lies in the memory of another one.
    use.reads_device_memory = (request_.backend == "cuda" || request_.backend == "hip") && !AreDifferent(devices_);
    inputs_ = std::make_unique<PicturePairs>(source, format, use);
    return Run();
  }

 private:
  Result<Report> Run() {
    const Result<CpuTarget> target = ChooseCpuTarget(request_.cpu_target, request_.cpu_mask);
    if (!target) return target.error();
    cpu_target_ = *target;
    if (Status status = plan_.Bind(inputs_->format(), cpu_target_, inputs_->frame_rate()); !status) {
      return std::move(status).error();
    }
    Result<PipelineResult> facts = Extract();
    if (!facts) return std::move(facts).error();
    for (const PlannedFeature& planned : plan_.features()) {
      if (Status status = planned.feature->FinishFiles(); !status) return std::move(status).error();
    }
    return Finish(*facts);
  }

  [[nodiscard]] unsigned ThreadCount() const {
    return request_.threads != 0 ? request_.threads : std::max(1U, std::thread::hardware_concurrency());
  }

  [[nodiscard]] std::optional<std::int64_t> EndOfScores() const {
    return request_.segment ? std::optional(request_.segment->second) : std::nullopt;
  }

  Status ChooseDevices() {
    if (UsesProcessor(request_)) return {};
    Result<std::vector<std::shared_ptr<Device>>> devices = OpenDevices(request_.backend, request_.device);
    if (!devices) return std::move(devices).error();
    devices_ = *std::move(devices);
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

    if (!devices_.empty()) ChooseProcessorMetrics(features);
    if (std::none_of(features.begin(), features.end(), [](const Feature* f) { return f->needs_chroma(); })) {
      inputs_->LeaveOutChroma();
    }
    PipelineOptions options;
    options.threads = ThreadCount();
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
    options.expected_pictures = total;
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
    if (Status status = CheckSegment(result->end_picture); !status) return std::move(status).error();
    return result;
  }

  // A part that is shorter than was asked for, or in which nothing is scored, is not passed over in silence.
  Status CheckSegment(std::int64_t end_picture) {
    if (!request_.segment) return {};
    const auto [first, end] = *request_.segment;
    if (end_picture < end && request_.frame_limit == 0) {
      const std::string text = fmt::format("ends before frame {}, but the inputs have {}", end, end_picture);
      if (request_.strict) return Error{ErrorCode::kTruncated, text, {}, {}, "segment"};
      warnings_.push_back({{}, std::nullopt, "segment: " + text});
    }
    if ((first + request_.subsample - 1) / request_.subsample * request_.subsample >= end) {
      warnings_.push_back(
          {{},
           std::nullopt,
           fmt::format("segment: of frames {} to {} none is a multiple of {}", first, end - 1, request_.subsample)});
    }
    return {};
  }

  // Metrics that the devices have no kernels for run on the processor beside them.
  void ChooseProcessorMetrics(std::span<const Feature* const> features) {
    on_processor_ = FindProcessorMetrics(features, *devices_[0]);
    for (std::size_t f = 0; f < features.size(); ++f) {
      if (!on_processor_[f]) continue;
      const FeatureDescription& description = *plan_.features()[f].description;
      decisions_.push_back({fmt::format("feature {}", description.name),
                            fmt::format("computed on the processor: the backend {} has no kernels for it{}",
                                        request_.backend, description.on_devices ? " with these options" : "")});
    }
    if (std::find(on_processor_.begin(), on_processor_.end(), true) != on_processor_.end()) inputs_->ReadOnHost();
  }

  Result<PipelineResult> Compute(std::span<const Feature* const> features, const PipelineOptions& options) {
    if (devices_.empty()) return RunPipeline(features, *inputs_, options);
    DevicePipelineOptions device_options;
    device_options.batch = request_.device.batch;
    // What is inside a replayed graph cannot be timed.
    device_options.graphs = request_.device.timing ? GraphUse::kNever : request_.device.graphs;
    std::vector<Device*> devices;
    for (const std::shared_ptr<Device>& device : devices_) devices.push_back(device.get());
    Result<DevicePipelineResult> result =
        RunMixedPipeline(features, on_processor_, inputs_->format(), *inputs_, options, devices, device_options);
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
    if (devices_.empty()) {
      report.cpu_target = CpuTargetName(cpu_target_);
    } else {
      report.backend = request_.backend;
      report.device = DeviceNames(devices_);
      report.device_timings = std::move(device_timings_);
    }
    report.peak_memory_bytes = PeakMemoryBytes();
    report.reference = inputs_->DescribeReference();
    report.distorted = inputs_->DescribeDistorted();
    report.first_frame = request_.segment ? request_.segment->first : 0;
    report.frame_count = std::min(facts.end_picture, EndOfScores().value_or(facts.end_picture)) - report.first_frame;
    report.decisions = inputs_->decisions();
    report.decisions.insert(report.decisions.end(), plan_.decisions().begin(), plan_.decisions().end());
    report.decisions.insert(report.decisions.end(), decisions_.begin(), decisions_.end());
    report.warnings = inputs_->CollectWarnings();
    report.warnings.insert(report.warnings.end(), warnings_.begin(), warnings_.end());

    ScoreTable table = plan_.MakeScoreTable(report.first_frame, report.frame_count);
    TableSink::Warnings warnings;
    for (std::size_t f = 0; f < plan_.features().size(); ++f) {
      TableSink sink(plan_.features()[f], table, warnings, report);
      plan_.features()[f].feature->Finish(facts.facts[f], sink);
      sink.EndWarnings();
    }
    for (const PlannedModel& model : plan_.models()) PredictModel(model, request_.subsample, ThreadCount(), table);
    FillColumns(table, request_.subsample, report);
    for (const PlannedModel& model : plan_.models()) {
      report.models.push_back(SummariseModel(model, table, request_.subsample));
    }
    return report;
  }

  const ScoreRequest& request_;
  ScorePlan plan_;
  std::unique_ptr<RunInput> inputs_;
  CpuTarget cpu_target_ = CpuTarget::kScalar;
  std::vector<std::shared_ptr<Device>> devices_;  // none: the processor computes
  std::vector<bool> on_processor_;                // with devices, for each metric: they have no kernels for it
  std::vector<ReportDecision> decisions_;         // of the run, besides those of the inputs and the plan
  std::vector<ReportWarning> warnings_;           // of the run, besides those of the inputs and the metrics
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
  return ScoreRun(request, *std::move(plan)).RunFiles();
}

Result<Report> RunScorePictures(const ScoreRequest& request, const VideoFormat& format, PictureSource& source) {
  for (const InputRequest* input : {&request.reference, &request.distorted}) {
    if (input->path.empty() && !input->raw && input->skip_frames == 0) continue;
    return Invalid("inputs", "pictures come from the application; the request must not name files too");
  }
  if (!request.hwaccel.empty())
    return Invalid("hwaccel", "pictures come from the application; there is no file to decode");
  if (Status status = PicturePairs::CheckFormat(format); !status) return std::move(status).error();
  if (Status status = CheckNumbers(request); !status) return std::move(status).error();
  Result<ScorePlan> plan = ScorePlan::Create(request);
  if (!plan) return std::move(plan).error();
  return ScoreRun(request, *std::move(plan)).RunPictures(format, source);
}

}  // namespace lockstep
