// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options of libvmaf's tool, the ones that Lockstep adds, and the presets.
#include "apps/vmaf/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "apps/command_line/number_arguments.h"
#include "apps/command_line/option_strings.h"
#include "apps/vmaf/option_scanner.h"

namespace lockstep {
namespace {

// libvmaf's limits, presets included.
constexpr std::size_t kMaxModels = 32;
constexpr std::size_t kMaxFeatures = 32;

constexpr std::array<OptionName, 42> kOptions = {{
    {"reference", 'r', true, true},
    {"distorted", 'd', true, true},
    {"width", 'w', true, true},
    {"height", 'h', true, true},
    {"pixel_format", 'p', true, true},
    {"bitdepth", 'b', true, true},
    {"model", 'm', true, true},
    {"output", 'o', true, true},
    {"xml", 0, false, true},
    {"json", 0, false, true},
    {"csv", 0, false, true},
    {"sub", 0, false, true},
    {"threads", 0, true, true},
    {"feature", 0, true, true},
    {"cpumask", 0, true, true},
    {"gpumask", 0, true, true},
    {"frame_cnt", 0, true, true},
    {"frame_skip_ref", 0, true, true},
    {"frame_skip_dist", 0, true, true},
    {"subsample", 0, true, true},
    {"quiet", 'q', false, true},
    {"no_prediction", 'n', false, true},
    {"version", 'v', false, true},
    {"aom_ctc", 0, true, true},
    {"nflx_ctc", 0, true, true},
    {"", 'c', true, true},
    {"backend", 0, true, false},
    {"gpus", 0, true, false},
    {"device", 0, true, false},
    {"graphs", 0, true, false},
    {"batch", 0, true, false},
    {"device_timing", 0, false, false},
    {"hwaccel", 0, true, false},
    {"sycl_device", 0, true, false},
    {"sycl_graph", 0, true, false},
    {"sycl_batch", 0, true, false},
    {"sycl_queue", 0, true, false},
    {"sycl_timing", 0, false, false},
    {"precision", 0, true, false},
    {"strict", 0, false, false},
    {"pool", 0, true, false},
    {"help", 0, false, false},
}};

Error Usage(std::string message, std::string field = {}) {
  return Error{ErrorCode::kInvalidArgument, std::move(message), {}, std::nullopt, std::move(field)};
}

class ArgumentReader {
 public:
  Result<VmafArguments> Read(const std::vector<std::string>& texts) {
    OptionScanner scanner(kOptions, texts);
    for (;;) {
      const Result<std::optional<ScannedOption>> option = scanner.Next();
      if (!option) return option.error();
      if (!*option) break;
      const Status status = Apply(**option);
      if (!status) return status.error();
      if (arguments_.action != VmafArguments::Action::kScore) return std::move(arguments_);
    }
    const Status status = Complete();
    if (!status) return status.error();
    return std::move(arguments_);
  }

 private:
  Status Apply(const ScannedOption& option) {
    const std::string_view name = option.name->long_name;
    ScoreRequest& request = arguments_.request;
    if (name == "reference") return Path(option, request.reference.path);
    if (name == "distorted") return Path(option, request.distorted.path);
    if (name == "output") return Path(option, arguments_.output);
    if (name == "width" || name == "height" || name == "pixel_format" || name == "bitdepth") return RawFormat(option);
    if (name == "model") return AddModel(option.value);
    if (name == "feature") return AddFeature(option.value);
    if (name == "aom_ctc") return AomPreset(option.value);
    if (name == "nflx_ctc") return NetflixPreset(option.value);
    if (name == "threads") return Unsigned(option, request.threads, kMaxThreads);
    if (name == "subsample") return Unsigned(option, request.subsample);
    if (name == "frame_cnt") return Unsigned(option, request.frame_limit);
    if (name == "frame_skip_ref") return Unsigned(option, request.reference.skip_frames);
    if (name == "frame_skip_dist") return Unsigned(option, request.distorted.skip_frames);
    if (name == "cpumask") return Mask(option, request.cpu_mask);
    if (name == "gpumask") return Mask(option, ignored_gpu_mask_);
    if (name == "backend") return Backend(option);
    if (name == "gpus") {
      has_gpus_ = true;
      return Devices(option);
    }
    if (name == "hwaccel") {
      if (option.value.empty()) return Usage("--hwaccel needs a value; expected cuda");
      request.hwaccel = option.value;
      return {};
    }
    if (name == "sycl_device" || name == "device") return Devices(option);
    if (name == "sycl_graph" || name == "graphs")
      return Assign(ParseGraphUse(option.value, option.spelling), request.device.graphs);
    if (name == "sycl_batch" || name == "batch")
      return Assign(ParseBatch(option.value, option.spelling), request.device.batch);
    if (name == "sycl_queue") {
      return Assign(ParseQueueOrder(option.value, option.spelling), request.device.out_of_order);
    }
    if (name == "precision") return Assign(ParsePrecision(option.value, option.spelling), arguments_.numbers);
    if (name == "pool") return Assign(ParsePoolMethods(option.value, option.spelling), arguments_.pool);
    Switch(name);
    return {};
  }

  // Options without a value; -c is accepted for the sake of old scripts.
  void Switch(std::string_view name) {
    if (name == "xml") arguments_.format = ReportFormat::kXml;
    if (name == "json") arguments_.format = ReportFormat::kJson;
    if (name == "csv") arguments_.format = ReportFormat::kCsv;
    if (name == "sub") arguments_.format = ReportFormat::kSub;
    if (name == "quiet") arguments_.quiet = true;
    if (name == "no_prediction") arguments_.no_prediction = true;
    if (name == "strict") arguments_.request.strict = true;
    if (name == "sycl_timing" || name == "device_timing") arguments_.request.device.timing = true;
    if (name == "version") arguments_.action = VmafArguments::Action::kVersion;
    if (name == "help") arguments_.action = VmafArguments::Action::kHelp;
  }

  template <class T>
  static Status Assign(Result<T> parsed, T& target) {
    if (!parsed) return parsed.error();
    target = *std::move(parsed);
    return {};
  }

  static Status Path(const ScannedOption& option, std::string& target) {
    if (option.value.empty()) return Usage("expected a path", option.spelling);
    target = option.value;
    return {};
  }

  /// libvmaf's unsigned numbers have 32 bits.
  template <class T>
  static Status Unsigned(const ScannedOption& option, T& target,
                         std::uint64_t limit = std::numeric_limits<std::uint32_t>::max()) {
    const std::uint64_t maximum = std::min<std::uint64_t>(limit, std::numeric_limits<T>::max());
    const Result<std::uint64_t> value = ParseUnsigned(option.value, maximum, option.spelling);
    if (!value) return value.error();
    target = static_cast<T>(*value);
    return {};
  }

  static Status Mask(const ScannedOption& option, std::uint64_t& target) {
    return Assign(ParseMask(option.value, option.spelling), target);
  }

  Status Backend(const ScannedOption& option) {
    const Result<std::string_view> backend = ParseBackend(option.value, option.spelling);
    if (!backend) return backend.error();
    arguments_.request.backend = std::string(*backend);
    has_backend_ = true;
    return {};
  }

  Status Devices(const ScannedOption& option) {
    if (option.value.empty()) return Usage("expected all, or numbers or names of devices", option.spelling);
    arguments_.request.device.device = option.value;
    return {};
  }

  Status RawFormat(const ScannedOption& option) {
    is_raw_ = true;
    const std::string_view name = option.name->long_name;
    if (name == "pixel_format") {
      const Result<PixelFormat> format = ParsePixelFormat(option.value, option.spelling);
      if (!format) return format.error();
      pixel_format_ = *format;
      return {};
    }
    const Result<int> number = name == "bitdepth" ? ParseBitDepth(option.value, option.spelling)
                                                  : ParseDimension(option.value, option.spelling);
    if (!number) return number.error();
    (name == "width" ? width_ : name == "height" ? height_ : bit_depth_) = *number;
    return {};
  }

  Status AddModel(std::string_view text) {
    if (arguments_.request.models.size() == kMaxModels) return Usage(fmt::format("more than {} models", kMaxModels));
    Result<ParsedModel> model = ParseModelString(text);
    if (!model) return model.error();
    arguments_.request.models.push_back(std::move(model->request));
    return {};
  }

  Status AddFeature(std::string_view text) {
    if (arguments_.request.features.size() == kMaxFeatures) {
      return Usage(fmt::format("more than {} features", kMaxFeatures));
    }
    Result<FeatureRequest> feature = ParseFeatureString(text);
    if (!feature) return feature.error();
    arguments_.request.features.push_back(*std::move(feature));
    return {};
  }

  Status AddPreset(std::span<const std::string_view> models, std::span<const std::string_view> features) {
    for (const std::string_view model : models) {
      if (Status status = AddModel(model); !status) return status;
    }
    for (const std::string_view feature : features) {
      if (Status status = AddFeature(feature); !status) return status;
    }
    return {};
  }

  /// The common test conditions of the Alliance for Open Media, by the version of their text.
  Status AomPreset(std::string_view text) {
    if (text.size() != 4 || text.front() != 'v' || text[1] < '1' || text[1] > '7' || text.substr(2) != ".0") {
      return Usage(fmt::format("unknown version \"{}\"; expected v1.0 to v7.0", text), "--aom_ctc");
    }
    const int version = text[1] - '0';
    constexpr std::array<std::string_view, 2> kModels = {"version=vmaf_v0.6.1:name=vmaf",
                                                         "version=vmaf_v0.6.1neg:name=vmaf_neg"};
    std::vector<std::string_view> features = {
        "psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5",
        "ciede",
        version >= 7 ? "float_ssim=scale=1:enable_db=true:clip_db=true" : "float_ssim=enable_db=true:clip_db=true",
        "float_ms_ssim=enable_db=true:clip_db=true",
        "psnr_hvs",
    };
    if (version >= 3) features.push_back("cambi");
    if (version >= 6) arguments_.request.common_bit_depth = true;
    return AddPreset(kModels, features);
  }

  Status NetflixPreset(std::string_view text) {
    if (text != "v1.0") return Usage(fmt::format("unknown version \"{}\"; expected v1.0", text), "--nflx_ctc");
    constexpr std::array<std::string_view, 2> kModels = {"version=vmaf_4k_v0.6.1:name=vmaf",
                                                         "version=vmaf_4k_v0.6.1neg:name=vmaf_neg"};
    constexpr std::array<std::string_view, 3> kFeatures = {"psnr=enable_chroma=true:enable_apsnr=true",
                                                           "float_ssim=enable_db=true:clip_db=true", "cambi"};
    return AddPreset(kModels, kFeatures);
  }

  /// What can be said only when the whole command line is known.
  Status Complete() {
    ScoreRequest& request = arguments_.request;
    if (request.reference.path.empty()) return Usage("no reference; give --reference PATH (-r)");
    if (request.distorted.path.empty()) return Usage("no distorted input; give --distorted PATH (-d)");
    if (is_raw_) {
      if (!width_ || !height_ || !pixel_format_ || !bit_depth_) {
        return Usage("raw video needs all of --width, --height, --pixel_format and --bitdepth");
      }
      request.reference.raw = VideoFormat{*pixel_format_, *width_, *height_, *bit_depth_};
      request.distorted.raw = request.reference.raw;
    }
    if (request.subsample == 0) request.subsample = 1;
    // Only a graphics processor can be meant; hip has to be said.
    if (has_gpus_ && !has_backend_) request.backend = "cuda";
    // libvmaf without worker threads scores on its own thread; 0 would mean all cores to the engine. Threads that read
    // and copy for a device compute nothing, and one alone would leave the device waiting.
    if (request.threads == 0 && request.backend == "cpu") request.threads = 1;
    if (request.models.empty() && !arguments_.no_prediction) {
      arguments_.is_default_model = true;
      ModelRequest model;
      model.version = std::string(kDefaultModelVersion);
      request.models.push_back(std::move(model));
    }
    return CheckModelNames(request.models);
  }

  VmafArguments arguments_;
  bool is_raw_ = false;
  bool has_backend_ = false;
  bool has_gpus_ = false;
  std::optional<int> width_;
  std::optional<int> height_;
  std::optional<int> bit_depth_;
  std::optional<PixelFormat> pixel_format_;
  std::uint64_t ignored_gpu_mask_ = 0;  // concerns CUDA only
};

}  // namespace

Result<VmafArguments> ParseVmafArguments(const std::vector<std::string>& arguments) {
  return ArgumentReader().Read(arguments);
}

std::string_view VmafHelp() {
  return R"(Usage: vmaf --reference PATH --distorted PATH [options]

Scores a distorted video against its reference. The command line is that of libvmaf's tool;
options marked + are Lockstep's own. Options may be shortened while they stay unambiguous.

Inputs
  -r, --reference PATH        reference: y4m, any file FFmpeg reads, or - for standard input
  -d, --distorted PATH        distorted input
  -w, --width N               any of these four says that both inputs are planar .yuv;
  -h, --height N                then all four are needed
  -p, --pixel_format FORMAT   420, 422, 444 or 400
  -b, --bitdepth N            8 to 16
      --frame_skip_ref N      drop the first N pictures of the reference
      --frame_skip_dist N     drop the first N pictures of the distorted input
      --frame_cnt N           score at most N pairs; 0: all
    + --strict                a truncated last frame or unequal lengths are errors, not warnings

What is scored
  -m, --model STRING          version=NAME or path=FILE, then any of :name=NAME :disable_clip
                                :enable_transform :FEATURE.OPTION=VALUE; may be repeated.
                                Write a colon inside a path as \: where it could be misread.
                                Without this option: version=vmaf_v0.6.1
      --feature STRING        NAME or NAME=OPTION=VALUE:OPTION=VALUE; may be repeated
                                ("lockstep features" lists them)
      --aom_ctc VERSION       models and features of a preset, v1.0 to v7.0
      --nflx_ctc VERSION      the same, v1.0
      --subsample N           score every N-th frame only
  -n, --no_prediction         no model scores, features only

How
      --threads N             worker threads; 0 and 1: one. With a device, which they read and
                                copy for, 0 and no number: all
    + --backend NAME          cpu, sycl, cuda, hip, metal or auto, as far as this build has them
    + --device all|LIST         devices of the backend that share the frames ("lockstep devices"):
                                numbers or parts of names with commas between them
    + --gpus all|LIST           the same; without --backend it means cuda
    + --graphs auto|on|off      record a device's commands once and replay them
    + --batch N                 frames in one launch, 1 to 64; 0: by their size
    + --device_timing           where the device spent its time; without graphs
    + --hwaccel cuda            decode containers on the device of the cuda backend
    + --sycl_queue in_order|out_of_order
                                --sycl_device, --sycl_graph, --sycl_batch, --sycl_timing: as above
      --cpumask N             bits switch instruction sets off; -1: all. Never changes a score
      --gpumask N             accepted

Output
  -o, --output PATH           report; - is standard output
      --xml --json --csv --sub  its format; default XML
    + --precision P           legacy (libvmaf's six decimals), max (reads back to the same bits),
                                or a number of significant digits, 1 to 17
    + --pool METHOD[,METHOD]  what the terminal shows of a model: mean, harmonic_mean, min, max,
                                median, p1, p5, p10 (percentiles); default mean
  -q, --quiet                 no progress; no scores on the terminal when there is a report
  -v, --version               print the version
    + --help                  print this text

Scores and messages go to standard error. Exit status: 0 done, 1 wrong command line, 255 failure,
130 or 143 interrupted.
)";
}

}  // namespace lockstep
