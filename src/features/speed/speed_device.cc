// SPDX-License-Identifier: BSD-2-Clause-Patent
// speed_chroma on devices: a launch for each step of all planes of a frame; the algebra of blocks on the host.
#include "features/speed/speed_device.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/pool.h"
#include "features/speed/speed_cuda.h"
#include "features/speed/speed_kernels.h"

namespace lockstep {
namespace {

// By ResizeMethod.
constexpr const char* kFilterColumnsNarrow[] = {"filter_columns_nearest_u8", "filter_columns_bilinear_u8",
                                                "filter_columns_bicubic_u8", "filter_columns_lanczos4_u8"};
constexpr const char* kFilterColumnsWide[] = {"filter_columns_nearest_u16", "filter_columns_bilinear_u16",
                                              "filter_columns_bicubic_u16", "filter_columns_lanczos4_u16"};

std::size_t Area(PlaneSize size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

/// What one call of Collect() needs, see SpeedBlocksArgs.
struct BlockBuffers {
  AlignedBuffer samples;
  AlignedBuffer solution;
  std::array<AlignedBuffer, 2> variances;  // of reference and distorted plane
  std::array<AlignedBuffer, 2> entropies;

  void Resize(i32 blocks) {
    const std::size_t floats = static_cast<std::size_t>(SpeedPitch(blocks)) * sizeof(float);
    samples.Resize(kSpeedPositions * floats);
    solution.Resize(kSpeedPositions * floats);
    for (AlignedBuffer& buffer : variances) buffer.Resize(floats);
    for (AlignedBuffer& buffer : entropies) buffer.Resize(floats);
  }
};

class SpeedChromaDeviceProgram final : public DeviceProgram {
 public:
  SpeedChromaDeviceProgram(const VideoFormat& format, const SpeedPlanes& planes, const DeviceTraits& traits)
      : format_(format),
        planes_(planes),
        geometry_(planes.geometry()),
        prepared_{kSpeedBlock * geometry_.blocks_across, kSpeedBlock * geometry_.blocks_down},
        taps_(planes.preparation().taps()),
        // Without a resize, every position takes its own sample.
        method_(geometry_.resized ? planes.preparation().method() : ResizeMethod::kNearest),
        has_cuda_filter_(SpeedCudaHasFilter(geometry_, method_, static_cast<int>(taps_.low_pass.size()), traits)),
        chunk_rows_(SpeedCudaChunkRows(geometry_, traits)) {
    buffers_.PrepareWith([&geometry = geometry_](BlockBuffers& buffers) { buffers.Resize(geometry.blocks()); });
    columns_ = FilteredTaps(geometry_.plane.width, geometry_.scaled.width, geometry_.prepared.width);
    rows_ = FilteredTaps(geometry_.plane.height, geometry_.scaled.height, geometry_.prepared.height);
    DeviceLayout table;
    low_pass_ = table.Take<float>(taps_.low_pass.size());
    local_mean_ = table.Take<float>(taps_.local_mean.size());
    pairs_ = table.Take<i32>(kSpeedPairs);
    column_taps_ = table.Take<SpeedResizeTap>(columns_.size());
    row_taps_ = table.Take<SpeedResizeTap>(rows_.size());
    DeviceLayout scratch;
    if (!has_cuda_filter_) {
      filtered_ = scratch.Take<float>(kSpeedPlanes * Area(geometry_.prepared) * taps_.low_pass.size());
    }
    decimated_ = scratch.Take<float>(kSpeedPlanes * Area(geometry_.prepared));
    means_ = scratch.Take<float>(kSpeedPositions * kSpeedPlanes);
    DeviceLayout results;
    prepared_planes_ = results.Take<float>(kSpeedPlanes * Area(prepared_));
    sums_ = results.Take<Binary64Bits>(kSpeedPairs * kSpeedPlanes);
    needs_.table = table.bytes();
    needs_.scratch = scratch.bytes();
    needs_.results = results.bytes();
  }

  std::string_view module() const override { return "speed"; }
  DeviceNeeds needs() const override { return needs_; }
  bool collects_long() const override { return true; }

  void FillTable(std::byte* table) const override {
    const auto fill = [table](std::size_t offset, const auto& values) {
      using T = typename std::remove_cvref_t<decltype(values)>::value_type;
      std::copy(values.begin(), values.end(), At<T>(table, offset));
    };
    fill(low_pass_, taps_.low_pass);
    fill(local_mean_, taps_.local_mean);
    fill(column_taps_, columns_);
    fill(row_taps_, rows_);
    i32* const pairs = At<i32>(table, pairs_);
    for (i32 p = 0; p < kSpeedPositions; ++p) {
      for (i32 q = 0; q <= p; ++q) pairs[SpeedPair(p, q)] = (p << kSpeedPairShift) + q;
    }
  }

  void AddSteps(const DeviceFrame& frame, DeviceSteps& steps) const override {
    AddFilter(frame, steps);
    AddPreparation(frame, steps);
    const SpeedWindow window = geometry_.window();
    const float* const prepared = At<float>(frame.results, prepared_planes_);
    const i32* const pairs = At<i32>(frame.table, pairs_);
    if (chunk_rows_ > 0) {
      AddSpeedCudaStatistics({prepared, At<double>(frame.results, sums_), pairs, window.width, window.height},
                             chunk_rows_, steps);
      return;
    }
    const SpeedStatisticsArgs args = {
        prepared,     At<float>(frame.scratch, means_), At<Binary64Bits>(frame.results, sums_), pairs, window.width,
        window.height};
    steps.AddRows("means", kSpeedPositions * kSpeedPlanes, args);
    steps.AddRows("covariances", kSpeedPairs * kSpeedPlanes, args);
  }

  void Collect(const FrameWindow& /*window*/, const std::byte* results, std::span<Fact> facts) const override {
    const Pool<BlockBuffers>::Ref buffers = buffers_.Acquire();
    facts[2] = 0;
    for (std::size_t pair = 0; pair < 2; ++pair) {
      const SpeedPairScore score = Score(results, pair, *buffers);
      facts[pair] = FactOf(static_cast<double>(score.score));
      facts[2] |= Fact{score.bits()} << (2 * pair);
    }
  }

 private:
  /// Of the reference's and the distorted picture's plane U or V.
  SpeedPairScore Score(const std::byte* results, std::size_t pair, BlockBuffers& buffers) const {
    std::array<SpeedStatistics, 2> statistics;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t plane = 2 * side + pair;
      const u64* const sums = At<u64>(results, sums_) + plane;
      std::array<float, kSpeedPairs> covariances;
      for (std::size_t i = 0; i < kSpeedPairs; ++i) {
        covariances[i] = SpeedCovariance(std::bit_cast<double>(sums[i * kSpeedPlanes]), geometry_.window());
      }
      float* const variances = buffers.variances[side].as<float>();
      float* const entropies = buffers.entropies[side].as<float>();
      const bool is_singular = planes_.blocks()(
          {covariances.data(), At<float>(results, prepared_planes_) + plane * static_cast<std::size_t>(prepared_.width),
           i64{kSpeedPlanes} * prepared_.width, geometry_.blocks_across, geometry_.blocks_down,
           planes_.score_options().sigma, buffers.samples.as<float>(), buffers.solution.as<float>(), variances,
           entropies});
      statistics[side] = {variances, entropies, is_singular};
    }
    return {SpeedScore(statistics[0], statistics[1], geometry_.blocks(), planes_.score_options()),
            statistics[0].singular, statistics[1].singular};
  }

  /// What the anti-alias filter reads along one axis: for each position of the decimated plane and tap of the filter,
  /// the taps of the resize.
  /// edge    mirror, border sample not repeated
  [[nodiscard]] std::vector<SpeedResizeTap> FilteredTaps(int plane, int scaled, int decimated) const {
    const int count = static_cast<int>(taps_.low_pass.size());
    const ResizeAxis resize = geometry_.resized ? ResizeAxis(method_, plane, scaled) : ResizeAxis();
    const int resize_taps = ResizeTaps(method_);
    std::vector<SpeedResizeTap> taps;
    for (int i = 0; i < decimated; ++i) {
      for (int k = 0; k < count; ++k) {
        const int position = Mirror(i * kSpeedDecimation - count / 2 + k, scaled);
        if (!geometry_.resized) taps.push_back({position, 1.0f});
        for (int tap = 0; geometry_.resized && tap < resize_taps; ++tap) {
          const auto at = static_cast<std::size_t>(position * resize_taps + tap);
          taps.push_back({resize.positions()[at], resize.weights()[at]});
        }
      }
    }
    return taps;
  }

  /// Resize, anti-alias filter and decimation.
  void AddFilter(const DeviceFrame& frame, DeviceSteps& steps) const {
    SpeedCudaFilterArgs filter = {};
    for (std::size_t plane = 0; plane < kSpeedPlanes; ++plane) {
      const DevicePlane& from = (plane < 2 ? frame.reference : frame.distorted)[1 + plane % 2];
      filter.planes[plane] = from.data;
      filter.strides[plane] = from.stride;
    }
    filter.decimated = At<float>(frame.scratch, decimated_);
    filter.taps = At<float>(frame.table, low_pass_);
    filter.columns = At<SpeedResizeTap>(frame.table, column_taps_);
    filter.rows = At<SpeedResizeTap>(frame.table, row_taps_);
    filter.width = geometry_.prepared.width;
    filter.inverse_scaler = 1.0f / static_cast<float>(1 << (format_.bit_depth - 8));
    const i32 height = geometry_.prepared.height;
    if (has_cuda_filter_) {
      AddSpeedCudaFilter(filter, method_, format_.bytes_per_sample(), height, steps);
      return;
    }
    SpeedFilterColumnsArgs columns = {};
    std::copy(std::begin(filter.planes), std::end(filter.planes), columns.planes);
    std::copy(std::begin(filter.strides), std::end(filter.strides), columns.strides);
    columns.filtered = At<float>(frame.scratch, filtered_);
    columns.taps = filter.taps;
    columns.columns = filter.columns;
    columns.rows = filter.rows;
    columns.tap_count = static_cast<i32>(taps_.low_pass.size());
    columns.width = filter.width * columns.tap_count;
    columns.height = height;
    columns.inverse_scaler = filter.inverse_scaler;
    const auto method = static_cast<std::size_t>(method_);
    const bool is_narrow = format_.bytes_per_sample() == 1;
    steps.AddLanes(is_narrow ? kFilterColumnsNarrow[method] : kFilterColumnsWide[method], height * kSpeedPlanes,
                   columns);
    steps.AddLanes(
        "filter_rows", height * kSpeedPlanes,
        SpeedFilterRowsArgs{columns.filtered, filter.decimated, filter.taps, columns.tap_count, filter.width, height});
  }

  void AddPreparation(const DeviceFrame& frame, DeviceSteps& steps) const {
    SpeedPrepareArgs prepare = {};
    prepare.decimated = At<float>(frame.scratch, decimated_);
    prepare.taps = At<float>(frame.table, local_mean_);
    prepare.prepared = At<float>(frame.results, prepared_planes_);
    prepare.tap_count = static_cast<i32>(taps_.local_mean.size());
    prepare.width = geometry_.prepared.width;
    prepare.height = geometry_.prepared.height;
    prepare.prepared_width = prepared_.width;
    prepare.prepared_height = prepared_.height;
    steps.AddLanes("prepare", prepared_.height * kSpeedPlanes, prepare);
  }

  VideoFormat format_;
  const SpeedPlanes& planes_;
  SpeedGeometry geometry_;
  PlaneSize prepared_;  // whole blocks of it
  SpeedTaps taps_;
  ResizeMethod method_;
  std::vector<SpeedResizeTap> columns_;
  std::vector<SpeedResizeTap> rows_;
  // Whether CUDA devices have kernels of their own.
  bool has_cuda_filter_;
  i32 chunk_rows_;  // 0: not for the statistics
  mutable Pool<BlockBuffers> buffers_;
  // Offsets in the table,
  std::size_t low_pass_ = 0;
  std::size_t local_mean_ = 0;
  std::size_t pairs_ = 0;
  std::size_t column_taps_ = 0;
  std::size_t row_taps_ = 0;
  // in the scratch memory,
  std::size_t filtered_ = 0;
  std::size_t decimated_ = 0;
  std::size_t means_ = 0;
  // and in the results.
  std::size_t prepared_planes_ = 0;
  std::size_t sums_ = 0;
  DeviceNeeds needs_;
};

}  // namespace

std::unique_ptr<DeviceProgram> MakeSpeedChromaDeviceProgram(const VideoFormat& format, const SpeedPlanes& planes,
                                                            const DeviceTraits& traits) {
  // Kernels count samples and what they store in 32 bits.
  const std::size_t filtered =
      kSpeedPlanes * Area(planes.geometry().prepared) * planes.preparation().taps().low_pass.size();
  const std::size_t most = std::numeric_limits<i32>::max();
  if (filtered > most || Area(planes.geometry().plane) > most / 2) return nullptr;
  return std::make_unique<SpeedChromaDeviceProgram>(format, planes, traits);
}

}  // namespace lockstep
