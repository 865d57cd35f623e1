// SPDX-License-Identifier: BSD-2-Clause-Patent
// Metrics of one run on one device: pictures uploaded once for all of them, batches of frames, results read back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/device.h"
#include "features/device/device_program.h"
#include "features/feature.h"
#include "features/picture/picture_kernels.h"

namespace lockstep {

struct DeviceSessionOptions {
  int batch = 1;            // frames in one launch, at least 1
  bool use_graphs = false;  // full batches are recorded once and replayed; the device must have graphs
  /// Calls work(0) … work(count - 1), some of them at the same time; empty: one after the other on this thread.
  std::function<void(int count, const std::function<void(int)>& work)> for_each = {};
};

/// One frame of a batch. Pictures in pinned or device memory stay as they are until the batch has been taken.
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
  static constexpr int kMaximumPending = 3;

  /// Starts the work on the frames and returns without waiting for the device. Pictures on the host are copied to
  /// pinned memory first. Frames follow each other in the sequence, also from one batch to the next; only the last
  /// batch may be shorter than the others.
  void Submit(std::span<const BatchFrame> frames);

  /// Waits for the oldest pending batch. Its results stay until the next Submit().
  /// errors  what the device reports
  [[nodiscard]] Status Take();
  /// Waits until nothing of the session runs any more, also after a failure: pictures may then go. Nothing may be
  /// called afterwards.
  void Close();
  /// Results of the batch that was taken last.
  [[nodiscard]] const std::byte* results(std::size_t feature, std::size_t frame) const;
  [[nodiscard]] const DeviceProgram& program(std::size_t feature) const { return *metrics_[feature].program; }
  /// A picture of the batch that was taken last, on the host; its planes that no metric needs are undefined.
  /// in    before the next Submit()
  /// errors  what the device reports
  [[nodiscard]] Status ReadPicture(std::size_t frame, bool is_distorted, Frame& picture);

  [[nodiscard]] std::vector<DeviceTiming> TakeTimings();

  /// Calls work(i) for i in [0, count) on the threads of DeviceSessionOptions::for_each.
  void ForEach(int count, const std::function<void(int)>& work) const;

 private:
  struct Step {
    std::vector<const DeviceKernel*> kernels;
    int work_items = 0;  // of one frame
    int lanes_shift = 0;
    std::vector<GroupPlan> plans;  // [n - 1]: for n frames; empty: rows and lanes
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
    std::size_t scratch = 0;
    std::size_t stream = 0;
    std::vector<Step> picture_steps;
    std::vector<Step> steps;
  };
  struct Slot {
    DeviceMemory arguments;
    DeviceMemory staging;
    DeviceMemory gathered;          // arguments of the copies on the device,
    DeviceMemory gathered_staging;  // in pinned memory
    DeviceMemory device_results;
    DeviceMemory results;
    std::shared_ptr<DeviceEvent> done;
    std::vector<std::unique_ptr<DeviceGraph>> graphs;  // one for each compute stream
  };
  // Rows that one thread copies into pinned memory.
  struct StagedRows {
    PlaneView from;
    std::byte* to = nullptr;
    std::size_t pitch = 0;
    std::size_t row_bytes = 0;
    int begin = 0;
    int end = 0;
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
  [[nodiscard]] std::byte* PictureAt(std::size_t slot, std::size_t frame) const {
    return pictures_.data() + (slot * static_cast<std::size_t>(options_.batch) + frame) * frame_bytes_;
  }
  [[nodiscard]] Status EnsureStaging(Slot& slot);
  [[nodiscard]] Status Gather(Slot& slot);
  [[nodiscard]] Status Upload(std::size_t slot, std::span<const BatchFrame> frames);
  void StageRows(Slot& slot, std::span<const BatchFrame> frames);
  void Compute(std::size_t stream, std::size_t slot, std::span<const BatchFrame> frames);
  void Launch(DeviceStream& stream, const Step& step, const Slot& slot, std::size_t begin, std::size_t end);

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
  // Of one Upload(); members, so that their memory is used again.
  std::vector<StagedRows> staged_rows_;
  std::vector<std::uintptr_t> awaited_;
  std::vector<GatherArgs> gathered_;
  std::vector<GatherArgs> gathered_shifted_;
  std::vector<DeviceMemory> setup_;  // what the copies of Prepare() read
  // After the memory, so that they are destroyed first: their destructors wait for what still uses it.
  std::unique_ptr<DeviceStream> upload_;
  std::vector<std::unique_ptr<DeviceStream>> compute_;  // one for all metrics, or one for each
  std::unique_ptr<DeviceStream> download_;
  std::optional<Error> failure_;  // of a Submit(), for the next Take()
  std::size_t submitted_ = 0;
  std::size_t taken_ = 0;
  int pending_ = 0;
};

}  // namespace lockstep
