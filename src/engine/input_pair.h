// SPDX-License-Identifier: BSD-2-Clause-Patent
// The two inputs of a run: opened, brought to one picture format, read on a thread each and paired by index.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/run_input.h"
#include "lockstep/report.h"
#include "lockstep/score.h"
#include "media/frame_scaler.h"
#include "media/read_ahead.h"
#include "media/video_reader.h"

namespace lockstep {

class InputPair : public RunInput {
 public:
  /// Opens both inputs and settles the picture format that is scored.
  /// errors  what OpenVideo reports; kInvalidArgument: the inputs do not fit together (both formats are named)
  /// in      cuda_decoder: the CUDA device that decodes containers
  [[nodiscard]] static Result<std::unique_ptr<InputPair>> Open(const ScoreRequest& request,
                                                               std::optional<int> cuda_decoder = {});
  ~InputPair() override;

  [[nodiscard]] const VideoFormat& format() const override { return format_; }

  /// The input that ended the run, once Next() returned false at its end.
  [[nodiscard]] const std::string& ended_path() const override { return ended_path_; }

  /// Pairs of the whole run, when both inputs tell how long they are.
  [[nodiscard]] std::optional<std::int64_t> expected_pairs() const override;

  void ReadOnHost() override { reads_on_host_ = true; }

  /// Before Start(): no metric looks at chroma, so that it need not be read.
  void LeaveOutChroma() override;

  /// Before Start(): pictures are kept in memory from there.
  void UseMemory(std::shared_ptr<FrameAllocator> allocator);

  /// Before Start(): how many pairs may wait; 0: by the size of the pictures.
  void UseQueueDepth(std::size_t pairs) { queue_depth_ = pairs; }

  /// Before Start(): threads of the run, some of which may read.
  void UseThreads(unsigned threads) { threads_ = threads; }

  /// Pictures of an input that may wait when `pairs` are asked for: no more than take kQueueBytes, but at least four.
  [[nodiscard]] static std::size_t QueueDepth(const VideoFormat& format, std::size_t pairs);

  /// Threads that read an input whose pictures have known places in a file: half of the run's, at most kMostReaders.
  /// Every one after the first adds a picture to those that may wait, so that there are no more than kQueueBytes hold.
  [[nodiscard]] static unsigned Readers(const VideoFormat& format, unsigned threads);

  static constexpr std::size_t kQueueBytes = std::size_t{1} << 29;
  static constexpr unsigned kMostReaders = 8;

  /// Of the reference, or of the distorted input where the reference has none.
  [[nodiscard]] double frame_rate() const override {
    return reference_.info.frame_rate > 0.0 ? reference_.info.frame_rate : distorted_.info.frame_rate;
  }
  /// Starts the reading threads. The first pair of Next() is pair `first_pair` of the run; no more than
  /// `end_pair` - `first_pair` are delivered.
  void Start(std::int64_t first_pair, std::optional<std::int64_t> end_pair) override;

  [[nodiscard]] Result<bool> Next(FramePair& pair) override;
  void Cancel() override;

  /// What was read and decided; complete after Next() returned false.
  [[nodiscard]] ReportInput DescribeReference() const override { return Describe(reference_); }
  [[nodiscard]] ReportInput DescribeDistorted() const override { return Describe(distorted_); }
  [[nodiscard]] const std::vector<ReportDecision>& decisions() const override { return decisions_; }
  [[nodiscard]] std::vector<ReportWarning> CollectWarnings() const override;

 private:
  // One input and how its pictures become pictures of the scored format.
  struct Side {
    std::unique_ptr<VideoReader> reader;  // until Start
    std::unique_ptr<ReadAhead> stream;    // from Start on
    VideoInfo info;
    std::int64_t skip = 0;
    std::unique_ptr<FrameScaler> scaler;
    bool convert = false;
    Frame scaled;  // between scaler and depth
  };

  InputPair() = default;
  [[nodiscard]] Status SettleFormat(const ScoreRequest& request);
  /// Limited against full range is scored as it is, and said.
  [[nodiscard]] Status CheckRanges();
  /// Two files of one size that is no whole number of frames were described wrongly, unless just the end of a block is
  /// missing from both.
  [[nodiscard]] Status CheckRawSizes() const;
  [[nodiscard]] Status PrepareSide(Side& side, const char* role);
  [[nodiscard]] Result<Pool<Frame>::Ref> NextOf(Side& side);
  [[nodiscard]] Status SkipPictures(Side& side, std::int64_t count);
  [[nodiscard]] Status ReportUnequalLength(const Side& ended, const Side& longer);
  [[nodiscard]] ReportInput Describe(const Side& side) const;

  Pool<Frame> frames_;  // outlives every picture of both sides
  Side reference_;
  Side distorted_;
  VideoFormat format_;
  bool strict_ = false;
  bool decodes_on_device_ = false;
  bool reads_on_host_ = false;
  std::size_t queue_depth_ = 0;
  unsigned threads_ = 1;
  bool started_ = false;
  bool ended_ = false;
  std::string ended_path_;
  std::int64_t delivered_ = 0;
  std::int64_t first_pair_ = 0;
  std::optional<std::int64_t> end_pair_;
  std::vector<ReportDecision> decisions_;
  std::vector<ReportWarning> warnings_;
  std::atomic<bool> cancelled_{false};
};

}  // namespace lockstep
