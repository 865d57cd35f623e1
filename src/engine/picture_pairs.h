// SPDX-License-Identifier: BSD-2-Clause-Patent
// The pictures of an application as the input of a run: checked, wrapped where they lie, or copied.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/frame.h"
#include "base/pool.h"
#include "engine/run_input.h"
#include "lockstep/pictures.h"
#include "lockstep/result.h"

namespace lockstep {

/// What the backend of the run can do with pictures.
struct PictureUse {
  bool reads_on_host = true;         // metrics read rows with vector loads, and trust the samples' range
  bool reads_device_memory = false;  // and waits for streams of the application
};

class PicturePairs : public RunInput {
 public:
  /// errors  kInvalidArgument: no format for pictures
  [[nodiscard]] static Status CheckFormat(const VideoFormat& format);

  PicturePairs(PictureSource& source, const VideoFormat& format, const PictureUse& use);

  [[nodiscard]] const VideoFormat& format() const override { return format_; }
  [[nodiscard]] double frame_rate() const override { return source_.frame_rate(); }
  [[nodiscard]] const std::string& ended_path() const override { return ended_path_; }
  [[nodiscard]] std::optional<std::int64_t> expected_pairs() const override { return source_.pair_count(); }
  void ReadOnHost() override { use_ = {true, false}; }
  void LeaveOutChroma() override { planes_ = 1; }
  void Start(std::int64_t first_pair, std::optional<std::int64_t> end_pair) override;

  /// errors  kInvalidArgument, naming the picture: what does not fit the format or the backend; what the source reports
  [[nodiscard]] Result<bool> Next(FramePair& pair) override;
  void Cancel() override;

  [[nodiscard]] ReportInput DescribeReference() const override { return Describe(kReferencePictures); }
  [[nodiscard]] ReportInput DescribeDistorted() const override { return Describe(kDistortedPictures); }
  [[nodiscard]] const std::vector<ReportDecision>& decisions() const override { return decisions_; }
  [[nodiscard]] std::vector<ReportWarning> CollectWarnings() const override { return {}; }

 private:
  [[nodiscard]] Result<Pool<Frame>::Ref> Accept(Picture& picture) const;
  [[nodiscard]] Status Check(const Picture& picture) const;
  [[nodiscard]] bool IsReadableInPlace(const Picture& picture) const;
  [[nodiscard]] Status CheckSamples(const Frame& frame) const;
  [[nodiscard]] ReportInput Describe(const char* name) const;

  // Both outlive every picture that was delivered.
  mutable Pool<Frame> wrapped_;
  mutable Pool<Frame> copies_;
  PictureSource& source_;
  VideoFormat format_;
  PictureUse use_;
  int planes_;
  std::int64_t first_pair_ = 0;
  std::optional<std::int64_t> end_pair_;
  std::int64_t next_pair_ = 0;  // of the source
  bool ended_ = false;
  std::atomic<bool> cancelled_{false};
  std::string ended_path_ = kReferencePictures;
  std::vector<ReportDecision> decisions_;
};

}  // namespace lockstep
