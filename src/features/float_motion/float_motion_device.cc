// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion on devices: every picture is filtered once, then row chains; the rows are added by the host's code.
#include "features/float_motion/float_motion_device.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "features/float_motion/float_motion_kernels.h"
#include "features/float_motion/float_motion_planes.h"

namespace lockstep {
namespace {

class FloatMotionDeviceProgram final : public DeviceProgram {
 public:
  FloatMotionDeviceProgram(const VideoFormat& format, int planes, int taps_count, bool halves)
      : format_(format), taps_count_(taps_count), planes_(MakeFloatMotionPlanes(format, planes, halves)) {
    DeviceLayout table;
    DeviceLayout results;
    for (const FloatMotionPlane& plane : planes_) {
      Offsets offsets;
      offsets.row_sads = results.Take<float>(static_cast<std::size_t>(plane.size.height));
      offsets.half_row_sads = results.Take<float>(static_cast<std::size_t>(plane.half_size.height));
      offsets.half_columns = table.Take<BilinearTap>(plane.half_columns.size());
      offsets.half_rows = table.Take<BilinearTap>(plane.half_rows.size());
      offsets_.push_back(offsets);
    }
    needs_.table = table.bytes();
    needs_.results = results.bytes();
    if (!planes_.empty()) needs_.prepared = planes_.back().end() * sizeof(float);
  }

  std::string_view module() const override { return "float_motion"; }
  DeviceNeeds needs() const override { return needs_; }

  void FillTable(std::byte* table) const override {
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      std::copy(planes_[p].half_columns.begin(), planes_[p].half_columns.end(),
                At<BilinearTap>(table, offsets_[p].half_columns));
      std::copy(planes_[p].half_rows.begin(), planes_[p].half_rows.end(),
                At<BilinearTap>(table, offsets_[p].half_rows));
    }
  }

  void AddPictureSteps(const DeviceFrame& frame, DeviceSteps& steps) const override {
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      const FloatMotionPlane& plane = planes_[p];
      auto* const blurred = At<float>(frame.prepared[0], plane.offset * sizeof(float));
      FloatMotionBlurRowArgs blur = {};
      blur.picture = frame.reference[p].data;
      blur.blurred = blurred;
      blur.width = plane.size.width;
      blur.height = plane.size.height;
      blur.picture_stride = frame.reference[p].stride;
      blur.blurred_stride = static_cast<i32>(plane.pitch);
      blur.inverse_scaler = 1.0f / static_cast<float>(1 << (format_.bit_depth - 8));
      blur.taps = taps_count_ == 3 ? kFloatMotionTaps3 : kFloatMotionTaps5;
      steps.AddLanes(BlurKernel(), plane.size.height, blur);
      if (plane.half_rows.empty()) continue;
      steps.AddLanes("halve", plane.half_size.height,
                     FloatMotionHalveRowArgs{blurred, At<float>(frame.prepared[0], plane.half_offset * sizeof(float)),
                                             At<BilinearTap>(frame.table, offsets_[p].half_columns),
                                             At<BilinearTap>(frame.table, offsets_[p].half_rows), plane.half_size.width,
                                             plane.half_size.height, static_cast<i32>(plane.pitch),
                                             static_cast<i32>(plane.half_pitch)});
    }
  }

  void AddSteps(const DeviceFrame& frame, DeviceSteps& steps) const override {
    const auto add = [&](std::size_t offset, PlaneSize size, std::size_t pitch, std::size_t row_sads) {
      const std::size_t bytes = offset * sizeof(float);
      steps.AddRows(
          "row_sads", size.height,
          FloatMotionSadRowArgs{At<float>(frame.prepared[1], bytes), At<float>(frame.prepared[0], bytes),
                                At<float>(frame.results, row_sads), size.width, size.height, static_cast<i32>(pitch)});
    };
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      const FloatMotionPlane& plane = planes_[p];
      add(plane.offset, plane.size, plane.pitch, offsets_[p].row_sads);
      if (plane.half_rows.empty()) continue;
      add(plane.half_offset, plane.half_size, plane.half_pitch, offsets_[p].half_row_sads);
    }
  }

  void Collect(const FrameWindow& window, const std::byte* results, std::span<Fact> facts) const override {
    std::fill(facts.begin(), facts.end(), FactOf(0.0));
    if (window.earlier_reference[1] == nullptr) return;
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      const FloatMotionPlane& plane = planes_[p];
      float score =
          FloatMotionScoreFromRowSads(At<float>(results, offsets_[p].row_sads), plane.size.width, plane.size.height);
      if (!plane.half_rows.empty()) {
        score = score + FloatMotionScoreFromRowSads(At<float>(results, offsets_[p].half_row_sads),
                                                    plane.half_size.width, plane.half_size.height);
      }
      facts[p] = FactOf(static_cast<double>(score));
    }
  }

 private:
  struct Offsets {
    std::size_t row_sads = 0;
    std::size_t half_row_sads = 0;
    std::size_t half_columns = 0;
    std::size_t half_rows = 0;
  };

  [[nodiscard]] const char* BlurKernel() const {
    const bool narrow = format_.bytes_per_sample() == 1;
    if (taps_count_ == 1) return narrow ? "blur1_u8" : "blur1_u16";
    if (taps_count_ == 3) return narrow ? "blur3_u8" : "blur3_u16";
    return narrow ? "blur5_u8" : "blur5_u16";
  }

  VideoFormat format_;
  int taps_count_;
  std::vector<FloatMotionPlane> planes_;
  std::vector<Offsets> offsets_;
  DeviceNeeds needs_;
};

}  // namespace

std::unique_ptr<DeviceProgram> MakeFloatMotionDeviceProgram(const VideoFormat& format, int planes, int taps_count,
                                                            bool halves) {
  return std::make_unique<FloatMotionDeviceProgram>(format, planes, taps_count, halves);
}

}  // namespace lockstep
