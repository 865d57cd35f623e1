// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion on CUDA devices: one launch a plane; the rows are added by the host's code.
#include "features/float_motion/float_motion_cuda.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "features/float_motion/float_motion_cuda_arguments.h"

namespace lockstep {
namespace {

/// Taps of the five-tap filter that gives the facts of a shorter one.
/// exact   The taps left out multiply finite samples, so their products are zeros. Adding a zero can only change the
///         sign of a zero, which no difference of two filtered samples shows.
FloatMotionTaps TapsOf(int taps_count) {
  if (taps_count == 1) return {0.0f, 0.0f, 1.0f};
  return taps_count == 3 ? kFloatMotionTaps3 : kFloatMotionTaps5;
}

class FloatMotionCudaProgram final : public DeviceProgram {
 public:
  FloatMotionCudaProgram(const VideoFormat& format, int planes, int taps_count)
      : format_(format), taps_(TapsOf(taps_count)) {
    DeviceLayout results;
    for (int p = 0; p < planes; ++p) {
      const PlaneSize size = format.scored_plane_size(p);
      planes_.push_back({size, results.Take<float>(static_cast<std::size_t>(size.height))});
    }
    needs_.results = results.bytes();
  }

  std::string_view module() const override { return "float_motion"; }
  DeviceNeeds needs() const override { return needs_; }

  void AddSteps(const DeviceFrame& frame, DeviceSteps& steps) const override {
    const char* const kernel = format_.bytes_per_sample() == 1 ? "filter_and_add_u8" : "filter_and_add_u16";
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      const Plane& plane = planes_[p];
      FloatMotionCudaArgs args{};
      args.previous = frame.earlier_reference[1][p].data;
      args.previous_stride = frame.earlier_reference[1][p].stride;
      args.current = frame.earlier_reference[0][p].data;
      args.current_stride = frame.earlier_reference[0][p].stride;
      args.row_sads = At<float>(frame.results, plane.row_sads);
      args.width = plane.size.width;
      args.height = plane.size.height;
      args.inverse_scaler = 1.0f / static_cast<float>(1 << (format_.bit_depth - 8));
      args.taps = taps_;
      const i32 groups = (plane.size.height + kFloatMotionGroupRows - 1) / kFloatMotionGroupRows;
      const auto plan = [groups](int frames) {
        return GroupPlan{0, static_cast<std::uint64_t>(FloatMotionFrameGroups(frames) * groups),
                         kFloatMotionGroupThreads, 0, groups};
      };
      steps.AddGroups({kernel}, plan, args);
    }
  }

  void Collect(const FrameWindow& window, const std::byte* results, std::span<Fact> facts) const override {
    std::fill(facts.begin(), facts.end(), FactOf(0.0));
    if (window.earlier_reference[1] == nullptr) return;
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      const Plane& plane = planes_[p];
      const float score =
          FloatMotionScoreFromRowSads(At<float>(results, plane.row_sads), plane.size.width, plane.size.height);
      facts[p] = FactOf(static_cast<double>(score));
    }
  }

 private:
  struct Plane {
    PlaneSize size;
    std::size_t row_sads = 0;  // offset in the results
  };

  VideoFormat format_;
  FloatMotionTaps taps_;
  std::vector<Plane> planes_;
  DeviceNeeds needs_;
};

}  // namespace

std::unique_ptr<DeviceProgram> MakeFloatMotionCudaProgram(const VideoFormat& format, int planes, int taps_count) {
  return std::make_unique<FloatMotionCudaProgram>(format, planes, taps_count);
}

}  // namespace lockstep
