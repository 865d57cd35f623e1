// SPDX-License-Identifier: BSD-2-Clause-Patent
// Scoring a pair of clips: the request, the call, and lists of what there is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/report.h"
#include "lockstep/result.h"
#include "lockstep/video_format.h"

namespace lockstep {

using OptionList = std::vector<std::pair<std::string, std::string>>;

/// One input file. Raw planar video needs its format; everything else says it itself.
struct InputRequest {
  std::string path;                // "-" is standard input
  std::optional<VideoFormat> raw;  // set: planar .yuv of this format
  std::int64_t skip_frames = 0;    // pictures dropped at the start
};

/// A metric on its own.
struct FeatureRequest {
  std::string name;
  OptionList options;
};

/// A model and how it is applied. Exactly one of version (built in) and path (JSON file) is set.
struct ModelRequest {
  std::string version;
  std::string path;
  std::string name = "vmaf";
  bool disable_clip = false;
  bool enable_transform = false;
  std::vector<std::pair<std::string, OptionList>> overloads;  // feature name, options merged over the model's own
};

struct Progress {
  std::int64_t frames_done = 0;
  std::optional<std::int64_t> frames_total;  // when the inputs say how long they are
};

enum class SizeMismatch {
  kRefuse,           // an error that names both sizes
  kScaleContainers,  // bicubic to the reference's size and format where the distorted input is a container; raw inputs
                     // are refused
};

/// Commands of a whole batch recorded once and replayed.
enum class GraphUse {
  kAutomatic,  // where the device can and gains from it
  kNever,
  kAlways,  // an error where the device cannot; parts of a batch, at the end or left by subsampling, are not recorded
};

/// Which device of a backend computes, and how. Nothing of it ever changes a score. With the cpu backend only the
/// defaults are accepted.
struct DeviceRequest {
  static constexpr int kMaximumBatch = 64;

  /// Its number as ListDevices() gives it, or a part of its name; empty: the backend's best. Several with commas
  /// between them share the frames; one may be named several times. "all": every one that can be used.
  std::string device;
  GraphUse graphs = GraphUse::kAutomatic;
  int batch = 0;              // frames in one launch, 1 … kMaximumBatch; 0: by the size of the pictures
  bool out_of_order = false;  // queues without an order of their own; events keep their commands in order
  bool timing = false;        // fills Report::device_timings; not together with GraphUse::kAlways
  friend bool operator==(const DeviceRequest&, const DeviceRequest&) = default;
};

struct ScoreRequest {
  InputRequest reference;
  InputRequest distorted;
  std::vector<ModelRequest> models;
  std::vector<FeatureRequest> features;
  std::string backend = "cpu";  // "cpu", "cuda", "hip", "sycl", "metal" or "auto", which is cpu
  DeviceRequest device;
  /// "cuda": containers are decoded by the video engine of the cuda backend's device, the first one of a list; empty:
  /// by the processor.
  std::string hwaccel;
  unsigned threads = 0;        // 0: as many as the machine has
  std::uint64_t cpu_mask = 0;  // libvmaf's --cpumask: bits switch instruction sets off
  std::string cpu_target;      // an instruction set's name as ListDevices() gives it; empty: the best that is left
  int subsample = 1;
  std::int64_t frame_limit = 0;  // at most this many pairs; 0: all
  /// Scores frames [first, second) with the bits that a run over everything gives them.
  std::optional<std::pair<std::int64_t, std::int64_t>> segment;
  bool strict = false;            // warnings about the inputs (truncated tail, unequal length) become errors
  bool common_bit_depth = false;  // inputs of different depth: shift the lower one up
  SizeMismatch size_mismatch = SizeMismatch::kRefuse;
  std::function<void(const Progress&)> on_progress;  // called from one thread at a time, a few times a second
  std::stop_token stop;
};

/// Scores the pair. Blocks until done, cancelled or failed; no exception leaves it.
/// errors  every ErrorCode; the error names file, frame and field where they apply
[[nodiscard]] Result<Report> Score(const ScoreRequest& request);

/// Checks everything that can be checked without reading pictures: feature and option names, models, whether the
/// backend's plugin can be loaded. Score does it too.
[[nodiscard]] Status CheckRequest(const ScoreRequest& request);

struct OptionInfo {
  std::string name;
  std::string alias;  // empty where there is none
  std::string type;   // "bool", "int", "double" or "string"
  std::string default_value;
  std::string range;  // empty where it does not apply
  std::string meaning;
};

struct FeatureInfo {
  std::string name;
  std::string summary;
  PlaneSize minimum_size;
  std::vector<std::string> scores;  // names with default options
  std::vector<OptionInfo> options;
  bool on_devices = false;  // false: the cpu backend alone computes it
};

struct ModelInfo {
  std::string version;
  std::string summary;
  std::vector<std::string> features;
  PlaneSize minimum_size;
  bool available = true;  // false while a metric that it needs is not part of this build
  std::string unavailable_reason;
  bool is_collection = false;
};

[[nodiscard]] std::vector<FeatureInfo> ListFeatures();
[[nodiscard]] std::vector<ModelInfo> ListModels();

/// A way to run on a device: for processors an instruction set.
struct DeviceTarget {
  std::string name;
  bool is_used = false;
  std::string missing;  // why it cannot be used; empty where it can
};

/// A processor or device; or, with an empty name, why a backend has none here (`unusable`).
struct DeviceInfo {
  std::string backend;
  std::string name;
  std::string detail;
  std::vector<DeviceTarget> targets;
  int index = 0;         // by which a request may choose it among its backend's devices
  std::string unusable;  // why nothing can be computed on it; empty where it can
};

/// The processor, and which instruction set a request with this cpu_target uses. The choice never changes a score.
/// errors  kInvalidArgument, kUnsupported: no such instruction set, or not on this machine
[[nodiscard]] Result<DeviceInfo> DescribeProcessor(const std::string& cpu_target = {});

/// DescribeProcessor(), followed by the devices of every other backend, or why there are none. This and Score() with
/// such a backend load its plugin and the drivers of its devices, which stay to the end of the process. Drivers may
/// install signal handlers, and one environment variable is set and removed meanwhile: do it before other threads use
/// the environment. errors  as DescribeProcessor()
[[nodiscard]] Result<std::vector<DeviceInfo>> ListDevices(const std::string& cpu_target = {});

/// "lockstep 0.1.0"
[[nodiscard]] std::string VersionText();

}  // namespace lockstep
