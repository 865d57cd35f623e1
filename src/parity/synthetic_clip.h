// SPDX-License-Identifier: BSD-2-Clause-Patent
// Clips made from integers alone, so that they are the same on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/frame.h"
#include "engine/pair_source.h"
#include "lockstep/video_format.h"

namespace lockstep {

enum class ClipContent {
  kNoise,      // independent over the full range: largest sums
  kStripes,    // 0 and the largest sample, across each other: largest differences
  kNatural,    // slopes, edges and a little noise; distorted by blur and coarse steps
  kIdentical,  // the natural clip against itself
  kFlat,       // one value each
  kBands,      // luma: a slow slope in fine steps, distorted in coarse ones; chroma: the natural clip
};

struct SyntheticClip {
  VideoFormat format;
  ClipContent content = ClipContent::kNoise;
  int frames = 3;

  /// e.g. "noise 33x33 420 10 bit"
  [[nodiscard]] std::string Name() const;
};

/// A selection that touches every depth, chroma format, content and vector width's edges; `all`: every size with every
/// depth and content.
[[nodiscard]] std::vector<SyntheticClip> BuiltInClips(bool all);

/// The clip's pictures, made once and given out as often as wanted.
class SyntheticPictures {
 public:
  explicit SyntheticPictures(const SyntheticClip& clip);
  [[nodiscard]] const SyntheticClip& clip() const { return clip_; }
  [[nodiscard]] const Frame& reference(int index) const { return reference_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const Frame& distorted(int index) const { return distorted_[static_cast<std::size_t>(index)]; }

 private:
  SyntheticClip clip_;
  std::vector<Frame> reference_;
  std::vector<Frame> distorted_;
};

/// Those pictures as a run's source. The row padding of what it gives out is noise that no score may depend on.
class SyntheticSource : public PairSource {
 public:
  explicit SyntheticSource(const SyntheticPictures& pictures) : pictures_(pictures) {}
  [[nodiscard]] Result<bool> Next(FramePair& pair) override;
  void Cancel() override {}

 private:
  const SyntheticPictures& pictures_;
  Pool<Frame> frames_;
  int next_ = 0;
};

}  // namespace lockstep
