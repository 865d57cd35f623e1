// SPDX-License-Identifier: BSD-2-Clause-Patent
// Metrics of one run on one device: pictures uploaded once for all of them, batches of frames, results read back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/device.h"
#include "features/device/device_program.h"
#include "features/feature.h"

namespace lockstep {

struct DeviceSessionOptions {
  int batch = 1;            // frames in one launch, at least 1
  bool use_graphs = false;  // full batches are recorded once and replayed; the device must have graphs
};

/// One frame of a batch.
struct BatchFrame {
  const Frame* reference = nullptr;
  const Frame* distorted = nullptr;  // may be nullptr when no metric needs it
  /// [f]: whether the facts of metric f are wanted.
  std::vector<std::uint8_t> wanted;
};

/// One thread at a time.
class DeviceSession {
 public:
  /// Allocates everything that the run needs and loads the kernels.
  /// in      frames come with this format; the features outlive the session
  /// errors  kUnsupported: a metric has no device program; what the device reports
  [[nodiscard]] static Result<std::unique_ptr<DeviceSession>> Create(Device& device, const VideoFormat& format,
                                                                     std::span<const Feature* const> features,
                                                                     const DeviceSessionOptions& options);
  /// Batches that have been submitted and not taken.
  [[nodiscard]] int pending() const { return pending_; }
  /// Submit() may be called while fewer are pending.
  static constexpr int kMaximumPending = 2;

  /// Copies the frames to pinned memory and starts their work; returns without waiting for the device. Frames follow
  /// each other in the sequence, also from one batch to the next; only the last batch may be shorter than the others.
  void Submit(std::span<const BatchFrame> frames);

  /// Waits for the oldest pending batch. Its results stay until the next Submit().
  /// errors  what the device reports
  [[nodiscard]] Status Take();
  /// Results of the batch that was taken last.
  [[nodiscard]] const std::byte* results(std::size_t feature, std::size_t frame) const;
  [[nodiscard]] const DeviceProgram& program(std::size_t feature) const { return *metrics_[feature].program; }

  [[nodiscard]] std::vector<DeviceTiming> TakeTimings();

 private:
  struct Step {
    const DeviceKernel* kernel = nullptr;
    int work_items = 0;  // of one frame
    int lanes_shift = 0;
    std::size_t argument_bytes = 0;
    std::size_t arguments = 0;  // offset of the first frame's block in the slot's arguments
  };
  struct Metric {
    const Feature* feature = nullptr;
    std::unique_ptr<DeviceProgram> program;
    DeviceNeeds needs;
    std::size_t table = 0;     // offsets: in the tables,
    std::size_t prepared = 0;  // in a picture's prepared data,
    std::size_t results = 0;   // in a slot's results
    std::vector<Step> picture_steps;
    std::vector<Step> steps;
  };
  struct Slot {
    DeviceMemory arguments;
    DeviceMemory staging;
    DeviceMemory device_results;
    DeviceMemory results;
    std::shared_ptr<DeviceEvent> done;
    std::unique_ptr<DeviceGraph> graph;
  };
  struct PlaneLayout {
    std::size_t offset = 0;  // in a frame
    std::size_t pitch = 0;   // bytes
    PlaneSize size;
    bool is_distorted = false;
    int plane = 0;
  };

  DeviceSession(Device& device, const VideoFormat& format, const DeviceSessionOptions& options)
      : device_(device), format_(format), options_(options) {}

  [[nodiscard]] Status Prepare(std::span<const Feature* const> features);
  void LayOutFrame();
  [[nodiscard]] Status Allocate();
  [[nodiscard]] Status FillTables();
  [[nodiscard]] Status MakeSteps();
  [[nodiscard]] DeviceFrame FrameAt(const Metric& metric, std::size_t slot, std::size_t frame) const;
  void Stage(Slot& slot, std::span<const BatchFrame> frames) const;
  void Upload(DeviceStream& stream, std::size_t slot, std::size_t frames) const;
  void Compute(std::size_t slot, std::span<const BatchFrame> frames);
  void Launch(const Step& step, const Slot& slot, std::size_t begin, std::size_t end);

  Device& device_;
  VideoFormat format_;
  DeviceSessionOptions options_;
  std::vector<Metric> metrics_;
  std::vector<PlaneLayout> planes_;
  std::size_t frame_bytes_ = 0;
  std::size_t prepared_bytes_ = 0;
  std::size_t scratch_bytes_ = 0;
  std::size_t results_bytes_ = 0;  // of a batch
  DeviceMemory tables_;
  DeviceMemory pictures_;
  DeviceMemory prepared_;
  DeviceMemory scratch_;
  std::vector<Slot> slots_;
  std::vector<DeviceMemory> setup_;  // what the copies of Prepare() read
  // After the memory, so that they are destroyed first: their destructors wait for what still uses it.
  std::unique_ptr<DeviceStream> upload_;
  std::unique_ptr<DeviceStream> compute_;
  std::size_t submitted_ = 0;
  std::size_t taken_ = 0;
  int pending_ = 0;
};

}  // namespace lockstep
