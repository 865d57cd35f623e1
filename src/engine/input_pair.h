// SPDX-License-Identifier: BSD-2-Clause-Patent
// The two inputs of a run: opened, brought to one picture format, read on a thread each and paired by index.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/pair_source.h"
#include "lockstep/report.h"
#include "lockstep/score.h"
#include "media/frame_scaler.h"
#include "media/read_ahead.h"
#include "media/video_reader.h"

namespace lockstep {

class InputPair : public PairSource {
 public:
  /// Opens both inputs and settles the picture format that is scored.
  /// errors  what OpenVideo reports; kInvalidArgument: the inputs do not fit together (both formats are named)
  [[nodiscard]] static Result<std::unique_ptr<InputPair>> Open(const ScoreRequest& request);
  ~InputPair() override;

  [[nodiscard]] const VideoFormat& format() const { return format_; }

  /// The input that ended the run, once Next() returned false at its end.
  [[nodiscard]] const std::string& ended_path() const { return ended_path_; }

  /// Pairs of the whole run, when both inputs tell how long they are.
  [[nodiscard]] std::optional<std::int64_t> expected_pairs() const;

  /// Before Start(): no metric looks at chroma, so that it need not be read.
  void LeaveOutChroma();

  /// Starts the reading threads. The first pair of Next() is pair `first_pair` of the run; no more than
  /// `end_pair` - `first_pair` are delivered.
  void Start(std::int64_t first_pair, std::optional<std::int64_t> end_pair);

  [[nodiscard]] Result<bool> Next(FramePair& pair) override;
  void Cancel() override;

  /// What was read and decided; complete after Next() returned false.
  [[nodiscard]] ReportInput DescribeReference() const { return Describe(reference_); }
  [[nodiscard]] ReportInput DescribeDistorted() const { return Describe(distorted_); }
  [[nodiscard]] const std::vector<ReportDecision>& decisions() const { return decisions_; }
  [[nodiscard]] std::vector<ReportWarning> CollectWarnings() const;

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
