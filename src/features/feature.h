// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a metric is to the rest of the system: facts of one window of frames, then scores of the whole sequence.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/frame.h"
#include "features/option_table.h"
#include "lanes/cpu_target.h"
#include "lockstep/result.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// One 64-bit fact: an exact integer, or the bits of a float or double whose order of additions is fixed.
using Fact = std::uint64_t;
[[nodiscard]] inline Fact FactOf(double value) { return std::bit_cast<std::uint64_t>(value); }
[[nodiscard]] inline double DoubleOf(Fact fact) { return std::bit_cast<double>(fact); }

/// How far a metric looks along the sequence. A segment [a, b) of scores needs the facts of
/// [a - fact_lead_in, b + fact_lead_out), and each fact the pictures up to picture_lead_in frames before it.
struct TemporalReach {
  int picture_lead_in = 0;  // 0, 1 or 2
  int fact_lead_in = 0;
  int fact_lead_out = 0;
};

/// Scratch memory of one thread for one metric, made once and used for many frames.
struct Workspace {
  virtual ~Workspace() = default;
};

/// Rows [begin, end) of a picture, or of whatever a metric cuts.
struct RowBand {
  int begin = 0;
  int end = 0;
};

/// Threads that have no frame of their own and take bands of this one. Facts must not depend on the number of bands:
/// they are integers that add up, or rows that are added in order afterwards.
class BandRunner {
 public:
  virtual ~BandRunner() = default;
  /// How many bands keep every idle thread busy now; at least 1.
  [[nodiscard]] virtual int band_count() const = 0;
  /// Calls work(context, band, lines) once for each band in [0, bands), several at the same time. `lines` is what
  /// Feature::MakeLineBuffers() made, and no other band's meanwhile.
  virtual void Run(int bands, void (*work)(void* context, int band, Workspace* lines), void* context) = 0;
};

inline constexpr int kMaximumBands = 32;

/// The pictures that the facts of one frame depend on.
struct FrameWindow {
  std::int64_t index = 0;  // frame number in the whole sequence
  const Frame* reference = nullptr;
  const Frame* distorted = nullptr;
  /// [k] is the reference picture k frames earlier; nullptr before the first frame of the sequence. [0] is `reference`.
  std::array<const Frame*, 3> earlier_reference{};
  /// The same of the distorted pictures. Only Extract() is given them; devices keep earlier reference pictures alone.
  std::array<const Frame*, 3> earlier_distorted{};
  /// What Prepare() made of those pictures for this metric; nullptr where there is no picture or nothing to prepare.
  std::array<const std::byte*, 3> prepared{};
  /// nullptr: the whole frame is one band.
  BandRunner* band_runner = nullptr;

  /// How many bands `rows` are cut into so that each has at least `minimum_rows`; 1 … kMaximumBands.
  [[nodiscard]] int BandCount(int rows, int minimum_rows) const {
    const int wanted = band_runner == nullptr ? 1 : std::min(band_runner->band_count(), kMaximumBands);
    return std::clamp(rows / minimum_rows, 1, wanted);
  }
  /// Calls work(band, lines) for each band, with `own_lines` where there is one band only.
  template <class Work>
  void RunBands(int bands, Workspace* own_lines, Work&& work) const {
    if (bands == 1 || band_runner == nullptr) {
      for (int band = 0; band < bands; ++band) work(band, own_lines);
      return;
    }
    const auto call = [](void* context, int band, Workspace* lines) {
      (*static_cast<std::remove_reference_t<Work>*>(context))(band, lines);
    };
    band_runner->Run(bands, call, &work);
  }
};

/// Band `index` of `count` equal ones over [0, rows); the cuts are multiples of `multiple`.
[[nodiscard]] inline RowBand CutBand(int rows, int multiple, int count, int index) {
  const auto cut = [&](int i) {
    if (i == count) return rows;
    return static_cast<int>(static_cast<std::int64_t>(rows) * i / count) / multiple * multiple;
  };
  return {cut(index), cut(index + 1)};
}

/// Facts of one metric, rows by frame number. Subsampling leaves rows out.
class FactTable {
 public:
  FactTable(int columns, std::int64_t first) : columns_(columns), first_(first) {}

  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t end() const { return first_ + static_cast<std::int64_t>(present_.size()); }
  [[nodiscard]] bool Has(std::int64_t frame) const {
    return frame >= first_ && frame < end() && present_[static_cast<std::size_t>(frame - first_)] != 0;
  }
  [[nodiscard]] std::span<const Fact> Row(std::int64_t frame) const {
    return {facts_.data() + static_cast<std::size_t>(frame - first_) * static_cast<std::size_t>(columns_),
            static_cast<std::size_t>(columns_)};
  }
  /// Sets the facts of a frame; frames may come in any order.
  void Set(std::int64_t frame, std::span<const Fact> facts) {
    Extend(frame + 1);
    for (std::size_t i = 0; i < facts.size(); ++i) {
      facts_[static_cast<std::size_t>(frame - first_) * static_cast<std::size_t>(columns_) + i] = facts[i];
    }
    present_[static_cast<std::size_t>(frame - first_)] = 1;
  }
  /// Makes the table cover frames up to `end`, without facts for the new ones.
  void Extend(std::int64_t end) {
    const auto rows = static_cast<std::size_t>(end - first_);
    if (rows <= present_.size()) return;
    present_.resize(rows, 0);
    facts_.resize(rows * static_cast<std::size_t>(columns_), 0);
  }

 private:
  int columns_;
  std::int64_t first_;
  std::vector<std::uint8_t> present_;
  std::vector<Fact> facts_;
};

/// Where Finish() puts scores. Frames outside the requested segment are dropped by the receiver.
class ScoreSink {
 public:
  virtual ~ScoreSink() = default;
  /// `column` counts the metric's own columns().
  virtual void Put(int column, std::int64_t frame, double value) = 0;
  virtual void PutAggregate(std::string_view name, double value) = 0;
  /// Something a reader of the report should know about a frame.
  virtual void Warn(std::int64_t frame, std::string_view text) = 0;
};

/// When libvmaf would write a column first; decides the order of columns in a report.
enum class ColumnPhase { kFrame, kFlush };

struct FeatureColumn {
  std::string raw_name;  // undecorated, e.g. "VMAF_integer_feature_adm2_score"
  ColumnPhase phase = ColumnPhase::kFrame;
  bool decorated = true;  // false where libvmaf never adds option suffixes (psnr, ...)
};

class DeviceProgram;
struct DeviceTraits;

/// A metric with its options, bound to a picture format. Immutable after creation; every method is const and thread
/// safe.
class Feature {
 public:
  virtual ~Feature() = default;

  [[nodiscard]] virtual TemporalReach reach() const { return {}; }
  /// Sees every frame, also those that subsampling leaves out of the report.
  [[nodiscard]] virtual bool every_frame() const { return false; }
  [[nodiscard]] virtual bool needs_distorted() const { return true; }
  [[nodiscard]] virtual bool needs_chroma() const { return false; }
  [[nodiscard]] virtual int fact_count() const = 0;
  [[nodiscard]] virtual std::vector<FeatureColumn> columns() const = 0;

  /// Scratch memory of a frame; may throw std::bad_alloc. nullptr where none is needed.
  [[nodiscard]] virtual std::unique_ptr<Workspace> MakeWorkspace() const { return nullptr; }
  /// Scratch memory of one band of a frame, see BandRunner.
  [[nodiscard]] virtual std::unique_ptr<Workspace> MakeLineBuffers() const { return nullptr; }

  /// Bytes that Prepare() fills for a reference picture (64-byte aligned, kept while a later window needs them).
  [[nodiscard]] virtual std::size_t prepared_bytes() const { return 0; }
  /// Work on a reference picture alone, done once though several windows use it.
  virtual void Prepare(const Frame& /*reference*/, Workspace* /*workspace*/, std::byte* /*prepared*/) const {}

  /// Facts of one frame. Allocates nothing, cannot fail.
  virtual void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const = 0;

  /// How a device with these traits computes the same facts; nullptr where it cannot.
  [[nodiscard]] virtual std::unique_ptr<DeviceProgram> MakeDeviceProgram(const DeviceTraits& traits) const;

  /// Scores of the sequence, on one thread, in frame order. `facts` covers the segment and its lead-in and lead-out;
  /// its end is the end of the sequence unless a lead-out was available.
  virtual void Finish(const FactTable& facts, ScoreSink& sink) const = 0;

  /// Completes files that Extract() wrote, once, after all facts are there. Without it a metric removes them.
  ///
  /// errors  kInputOutput: one of them could not be written
  [[nodiscard]] virtual Status FinishFiles() const { return {}; }
};

/// What the registry knows of a metric before it is created.
struct FeatureDescription {
  const char* name;
  const char* summary;
  std::span<const OptionSpec> options;
  /// Undecorated score names by which a model finds this metric.
  std::span<const char* const> provided;
  PlaneSize minimum_size;
  /// `target` chooses code, never values. The size has been checked against minimum_size already.
  ///
  /// errors  kUnsupported, kInvalidArgument: the format or the options do not fit the metric
  Result<std::unique_ptr<Feature>> (*create)(const OptionValues& options, const VideoFormat& format, CpuTarget target);
  /// Whether every device computes it too, that is, MakeDeviceProgram() gives a program.
  bool on_devices = false;
};

}  // namespace lockstep
