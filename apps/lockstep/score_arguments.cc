// SPDX-License-Identifier: BSD-2-Clause-Patent
// Defaults for people: sizes from the files, all cores, containers scaled to the reference.
#include "apps/lockstep/score_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <string_view>

#include "apps/command_line/number_arguments.h"
#include "apps/command_line/option_strings.h"
#include "apps/command_line/terminal_text.h"

namespace lockstep {
namespace {

Error Usage(std::string message, std::string field = {}) {
  return Error{ErrorCode::kInvalidArgument, std::move(message), {}, std::nullopt, std::move(field)};
}

bool IsNamedRaw(std::string_view path) {
  if (path.size() < 4) return false;
  std::string extension(path.substr(path.size() - 4));
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension == ".yuv" || extension == ".raw";
}

// A stream has no name that tells; a described one is raw.
bool IsStream(std::string_view path) { return path == "-" || path.starts_with("/dev/") || path.starts_with("/proc/"); }

template <class T>
Status ParseNumber(const ScoreTexts::Text& text, std::uint64_t minimum, std::uint64_t maximum, std::string_view option,
                   T& target) {
  if (!text) return {};
  const Result<std::uint64_t> value = ParseUnsigned(*text, maximum, option);
  if (!value) return value.error();
  if (*value < minimum)
    return Usage(fmt::format("{} is too small; expected at least {}", *text, minimum), std::string(option));
  target = static_cast<T>(*value);
  return {};
}

class ScoreArgumentReader {
 public:
  explicit ScoreArgumentReader(const ScoreTexts& texts) : texts_(texts) {}

  Result<ScoreArguments> Read() {
    ScoreRequest& request = arguments_.request;
    request.reference.path = texts_.reference;
    request.distorted.path = texts_.distorted;
    request.strict = texts_.strict;
    request.size_mismatch = SizeMismatch::kScaleContainers;
    request.common_bit_depth = true;
    arguments_.quiet = texts_.quiet;
    for (auto step : {&ScoreArgumentReader::RawFormats, &ScoreArgumentReader::Numbers, &ScoreArgumentReader::Models,
                      &ScoreArgumentReader::Features, &ScoreArgumentReader::Outputs}) {
      if (Status status = (this->*step)(); !status) return status.error();
    }
    return std::move(arguments_);
  }

 private:
  Status RawFormats() {
    InputRequest& reference = arguments_.request.reference;
    InputRequest& distorted = arguments_.request.distorted;
    const bool is_described = texts_.width || texts_.height || texts_.pixel_format || texts_.bit_depth;
    if (!is_described) {
      for (const InputRequest* input : {&reference, &distorted}) {
        if (!IsNamedRaw(input->path)) continue;
        return Error{ErrorCode::kInvalidArgument,
                     "raw video says nothing about itself; give --width and --height (and --pixel-format, --bit-depth "
                     "where they are not 420 and 8)",
                     input->path,
                     std::nullopt,
                     {}};
      }
      return {};
    }
    if (!texts_.width || !texts_.height) return Usage("raw video needs both --width and --height");
    const Result<int> width = ParseDimension(*texts_.width, "--width");
    if (!width) return width.error();
    const Result<int> height = ParseDimension(*texts_.height, "--height");
    if (!height) return height.error();
    VideoFormat format{PixelFormat::kYuv420, *width, *height, 8};
    if (texts_.pixel_format) {
      const Result<PixelFormat> pixel_format = ParsePixelFormat(*texts_.pixel_format, "--pixel-format");
      if (!pixel_format) return pixel_format.error();
      format.pixel_format = *pixel_format;
    }
    if (texts_.bit_depth) {
      const Result<int> bit_depth = ParseBitDepth(*texts_.bit_depth, "--bit-depth");
      if (!bit_depth) return bit_depth.error();
      format.bit_depth = *bit_depth;
    }
    const bool neither = !IsNamedRaw(reference.path) && !IsNamedRaw(distorted.path);
    for (InputRequest* input : {&reference, &distorted}) {
      if (neither || IsNamedRaw(input->path) || IsStream(input->path)) input->raw = format;
    }
    return {};
  }

  Status Numbers() {
    ScoreRequest& request = arguments_.request;
    constexpr std::uint64_t kMaxFrames = std::numeric_limits<std::int64_t>::max();
    if (Status s = ParseNumber(texts_.threads, 0, kMaxThreads, "--threads", request.threads); !s) return s;
    if (Status s = ParseNumber(texts_.subsample, 1, std::numeric_limits<int>::max(), "--subsample", request.subsample);
        !s) {
      return s;
    }
    if (Status s = ParseNumber(texts_.skip_reference, 0, kMaxFrames, "--skip-reference", request.reference.skip_frames);
        !s) {
      return s;
    }
    if (Status s = ParseNumber(texts_.skip_distorted, 0, kMaxFrames, "--skip-distorted", request.distorted.skip_frames);
        !s) {
      return s;
    }
    if (texts_.cpu_mask) {
      const Result<std::uint64_t> mask = ParseMask(*texts_.cpu_mask, "--cpumask");
      if (!mask) return mask.error();
      request.cpu_mask = *mask;
    }
    if (texts_.frames) {
      const auto range = ParseFrameRange(*texts_.frames, "--frames");
      if (!range) return range.error();
      request.segment = *range;
    }
    if (texts_.precision) {
      const Result<NumberFormat> numbers = ParsePrecision(*texts_.precision, "--precision");
      if (!numbers) return numbers.error();
      arguments_.numbers = *numbers;
    }
    // Only a graphics processor can be meant; hip has to be said.
    const char* const unsaid = texts_.gpus ? "cuda" : "auto";
    const Result<std::string_view> backend = ParseBackend(texts_.backend.value_or(unsaid), "--backend");
    if (!backend) return backend.error();
    request.backend = std::string(*backend);
    return Device();
  }

  Status Device() {
    DeviceRequest& device = arguments_.request.device;
    if (texts_.device && texts_.gpus) return Usage("--device and --gpus say the same; give one of them");
    for (const auto& [text, option] : {std::pair(&texts_.device, "--device"), std::pair(&texts_.gpus, "--gpus")}) {
      if (*text && (*text)->empty()) {
        return Usage(fmt::format("{} needs numbers or parts of names with commas between them, or all", option));
      }
    }
    if (texts_.hwaccel && texts_.hwaccel->empty()) return Usage("--hwaccel needs a value; expected cuda");
    device.device = texts_.gpus ? *texts_.gpus : texts_.device.value_or("");
    device.timing = texts_.device_timing;
    arguments_.request.hwaccel = texts_.hwaccel.value_or("");
    if (texts_.graphs) {
      const Result<GraphUse> graphs = ParseGraphUse(*texts_.graphs, "--graphs");
      if (!graphs) return graphs.error();
      device.graphs = *graphs;
    }
    if (texts_.batch) {
      const Result<int> batch = ParseBatch(*texts_.batch, "--batch");
      if (!batch) return batch.error();
      device.batch = *batch;
    }
    if (texts_.queue) {
      const Result<bool> out_of_order = ParseQueueOrder(*texts_.queue, "--queue");
      if (!out_of_order) return out_of_order.error();
      device.out_of_order = *out_of_order;
    }
    return {};
  }

  Status Models() {
    std::vector<ModelRequest>& models = arguments_.request.models;
    if (texts_.no_model) {
      if (!texts_.models.empty()) return Usage("--no-model and --model exclude each other");
      if (texts_.features.empty()) return Usage("--no-model leaves nothing to score; give --feature");
      return {};
    }
    for (const std::string& text : texts_.models) {
      Result<ParsedModel> model = ParseModelArgument(text);
      if (!model) return model.error();
      // One model is called vmaf, as everywhere. Several need names that tell them apart.
      if (!model->has_name && texts_.models.size() > 1) model->request.name = ShortLabel(model->request);
      models.push_back(std::move(model->request));
    }
    if (models.empty()) {
      arguments_.is_default_model = true;
      ModelRequest model;
      model.version = std::string(kDefaultModelVersion);
      models.push_back(std::move(model));
    }
    return CheckModelNames(models);
  }

  /// The version, or the file's name without folder and suffix.
  static std::string ShortLabel(const ModelRequest& model) {
    if (!model.version.empty()) return model.version;
    std::string_view name = model.path;
    name.remove_prefix(name.rfind('/') + 1);
    if (name.ends_with(".json") && name.size() > 5) name.remove_suffix(5);
    return std::string(name);
  }

  Status Features() {
    for (const std::string& text : texts_.features) {
      Result<FeatureRequest> feature = ParseFeatureString(text);
      if (!feature) return feature.error();
      arguments_.request.features.push_back(*std::move(feature));
    }
    return {};
  }

  Status Outputs() {
    const std::pair<ReportFormat, const ScoreTexts::Text*> outputs[] = {{ReportFormat::kJson, &texts_.json},
                                                                        {ReportFormat::kXml, &texts_.xml},
                                                                        {ReportFormat::kCsv, &texts_.csv},
                                                                        {ReportFormat::kSub, &texts_.sub}};
    for (const auto& [format, text] : outputs) {
      if (!*text) continue;
      const std::string& path = **text;
      for (const auto& [other_format, other_path] : arguments_.outputs) {
        if (path == other_path) return Usage("two reports cannot be written to one place", path);
      }
      const Status status = CheckNotAnInput(path, texts_.reference, texts_.distorted);
      if (!status) return status;
      arguments_.outputs.emplace_back(format, path);
    }
    return {};
  }

  const ScoreTexts& texts_;
  ScoreArguments arguments_;
};

}  // namespace

bool ScoreArguments::report_on_stdout() const {
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const auto& output) { return output.second == "-" || output.second == "/dev/stdout"; });
}

Result<ScoreArguments> ParseScoreArguments(const ScoreTexts& texts) { return ScoreArgumentReader(texts).Read(); }

}  // namespace lockstep
