// SPDX-License-Identifier: BSD-2-Clause-Patent
// From the samples of a plane, or the difference of two planes, to the prepared plane of SpEED.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/frame.h"
#include "features/resize/resize.h"
#include "features/speed/speed_plane.h"
#include "features/speed/speed_simd.h"

namespace lockstep {

/// Samples of a plane, or what an earlier plane has more than a later one.
struct SpeedSource {
  PlaneView plane;
  const PlaneView* earlier = nullptr;  // nullptr: the plane itself
  int bit_depth = 8;

  [[nodiscard]] float inverse_scaler() const { return 1.0f / static_cast<float>(1 << (bit_depth - 8)); }
};

/// Floats of a plane without gaps between its rows, and what vector code needs behind it.
[[nodiscard]] inline std::size_t SpeedPlaneFloats(PlaneSize size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) + kSpeedSlack;
}

/// Buffers of one plane's preparation.
class SpeedPreparationBuffers {
 public:
  explicit SpeedPreparationBuffers(const SpeedGeometry& geometry);

 private:
  friend class SpeedPreparation;
  /// More than the source rows that one resized row reads.
  static constexpr int kSourceRows = 16;

  float* SourceRow(int y) { return source_.as<float>() + static_cast<std::size_t>(y % kSourceRows) * source_pitch_; }

  std::size_t source_pitch_;
  AlignedBuffer source_;
  std::array<int, kSourceRows> held_{};  // which source row a buffer has; -1: none
  AlignedBuffer filtered_row_;
  AlignedBuffer decimated_;
  AlignedBuffer vertical_;  // the local mean's filter down the columns
  AlignedBuffer line_;
};

/// How planes of one size are prepared; immutable, thread safe.
class SpeedPreparation {
 public:
  SpeedPreparation(const SpeedGeometry& geometry, ResizeMethod method, SpeedTaps taps, const SpeedSimd& simd);

  [[nodiscard]] const SpeedGeometry& geometry() const { return geometry_; }
  [[nodiscard]] const SpeedTaps& taps() const { return taps_; }
  [[nodiscard]] ResizeMethod method() const { return method_; }

  /// out     prepared: SpeedPlaneFloats() of geometry.prepared, without gaps between rows
  void Run(const SpeedSource& source, SpeedPreparationBuffers& buffers, float* prepared) const;

 private:
  /// Columns of the scaled plane that the decimated one depends on.
  void ChooseColumns();
  void TabulateResize();
  /// Row i of the decimated plane before it is filtered along the row.
  void FilterColumns(const SpeedSource& source, int i, SpeedPreparationBuffers& buffers) const;
  void FilterResizedColumns(const SpeedSource& source, int i, SpeedPreparationBuffers& buffers) const;
  void DecimateRow(const float* filtered, float* decimated) const;
  void SubtractLocalMean(SpeedPreparationBuffers& buffers, float* prepared) const;

  /// Anti-alias filter down the columns.
  void LowPass(const SpeedSource& source, const SpeedLowPassArgs& args) const;
  void AddResized(const SpeedResizeArgs& args) const;

  SpeedGeometry geometry_;
  ResizeMethod method_;
  SpeedTaps taps_;
  SpeedSimd simd_;
  std::vector<i32> columns_;  // of the scaled plane, ascending
  std::vector<i32> places_;   // of the scaled plane's columns in columns_
  // The resize, where there is one: tap by tap at columns_, and of all rows.
  std::vector<i32> positions_;
  std::vector<float> weights_;
  std::size_t pitch_ = 0;
  ResizeAxis rows_;
};

}  // namespace lockstep
