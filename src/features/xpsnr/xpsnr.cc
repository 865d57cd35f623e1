// SPDX-License-Identifier: BSD-2-Clause-Patent
// xpsnr on the host: sums of blocks, their weights, weighted errors, then decibels.
#include "features/xpsnr/xpsnr.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "exact/elementary.h"
#include "features/score_name.h"
#include "features/xpsnr/xpsnr_options.h"
#include "features/xpsnr/xpsnr_simd.h"
#include "features/xpsnr/xpsnr_weights.h"

namespace lockstep {
namespace {

constexpr std::array<const char*, 3> kNames = {"xpsnr_y", "xpsnr_cb", "xpsnr_cr"};
constexpr std::array<const char*, 3> kAggregateNames = {"axpsnr_y", "axpsnr_cb", "axpsnr_cr"};
constexpr const char* kMinimumName = "axpsnr_min";

class XpsnrWorkspace final : public Workspace {
 public:
  explicit XpsnrWorkspace(const XpsnrGeometry& geometry)
      : sums(static_cast<std::size_t>(geometry.block_count())), weights(sums.size()) {
    for (std::size_t p = 0; p < errors.size(); ++p) {
      errors[p].resize(static_cast<std::size_t>(geometry.planes[p].columns) *
                       static_cast<std::size_t>(geometry.planes[p].rows));
    }
  }

  std::vector<XpsnrBlockSums> sums;  // of luma's blocks, row by row
  std::vector<double> weights;
  std::array<std::vector<u64>, 3> errors;  // of each plane's blocks
};

class XpsnrFeature final : public Feature {
 public:
  XpsnrFeature(const OptionValues& options, const VideoFormat& format, CpuTarget target)
      : format_(format),
        planes_(options.GetBool("enable_chroma") ? format.plane_count() : 1),
        is_second_order_(options.GetDouble("fps") >= kXpsnrSecondOrderRate),
        geometry_(MakeXpsnrGeometry(format)),
        simd_(ChooseXpsnrSimd(target, format.bit_depth)),
        // Rows may be read 64 bytes beyond their end.
        black_row_(static_cast<std::size_t>(format.width) + 64) {
    if (simd_.block == nullptr) simd_ = ScalarXpsnr(format.bit_depth);
    for (std::size_t p = 0; p < kAggregateNames.size(); ++p) {
      aggregate_names_[p] = DecoratedScoreName({kAggregateNames[p]}, options);
    }
    minimum_name_ = DecoratedScoreName({kMinimumName}, options);
  }

  TemporalReach reach() const override {
    TemporalReach reach;
    if (geometry_.block != 0) reach.picture_lead_in = is_second_order_ ? 2 : 1;
    return reach;
  }
  bool needs_chroma() const override { return planes_ > 1; }
  int fact_count() const override { return planes_; }

  std::vector<FeatureColumn> columns() const override {
    std::vector<FeatureColumn> columns;
    for (std::size_t p = 0; p < static_cast<std::size_t>(planes_); ++p) columns.push_back({kNames[p]});
    return columns;
  }

  std::unique_ptr<Workspace> MakeWorkspace() const override { return std::make_unique<XpsnrWorkspace>(geometry_); }

  void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const override {
    auto& scratch = static_cast<XpsnrWorkspace&>(*workspace);
    const int rows = std::max(geometry_.rows, 1);
    const int bands = window.BandCount(rows, 2);
    window.RunBands(bands, nullptr, [&](int band, Workspace* /*lines*/) {
      const RowBand cut = CutBand(rows, 1, bands, band);
      for (int row = cut.begin; row < cut.end; ++row) SumRow(window, row, scratch);
    });
    XpsnrWeights(geometry_, scratch.sums, scratch.weights);
    for (std::size_t p = 0; p < static_cast<std::size_t>(planes_); ++p) {
      const std::vector<u64>& errors = scratch.errors[p];
      facts[p] = geometry_.block == 0 ? errors[0] : XpsnrWeightedError(geometry_, errors, scratch.weights);
    }
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    std::array<double, 3> roots{};
    std::array<double, 3> decibels{};
    i64 frames = 0;
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (!facts.Has(frame)) continue;
      ++frames;
      for (int p = 0; p < planes_; ++p) {
        const auto i = static_cast<std::size_t>(p);
        const double root = exact::Sqrt(static_cast<double>(facts.Row(frame)[i]));
        const double score = MeanDecibels(p, root, std::numeric_limits<double>::infinity(), 1);
        sink.Put(p, frame, score);
        roots[i] += root;
        decibels[i] += score;
      }
    }
    if (frames == 0) return;
    double minimum = std::numeric_limits<double>::infinity();
    for (int p = 0; p < planes_; ++p) {
      const auto i = static_cast<std::size_t>(p);
      const double score = MeanDecibels(p, roots[i], decibels[i], frames);
      sink.PutAggregate(aggregate_names_[i], score);
      minimum = std::min(minimum, score);
    }
    if (planes_ > 1) sink.PutAggregate(minimum_name_, minimum);
  }

 private:
  XpsnrPlane PlaneOf(const Frame* frame, int plane) const {
    // Before the first picture everything is black.
    if (frame == nullptr) return {black_row_.data(), 0};
    const PlaneView view = frame->plane(plane);
    return {view.data, view.stride_bytes / format_.bytes_per_sample()};
  }

  /// Sums of the row of blocks of every plane. Without blocks there is one row, and in it each plane is one block.
  void SumRow(const FrameWindow& window, int row, XpsnrWorkspace& scratch) const {
    if (geometry_.block != 0) SumLumaRow(window, row, scratch);
    for (int p = geometry_.block == 0 ? 0 : 1; p < planes_; ++p) {
      const XpsnrGeometry::Plane& plane = geometry_.planes[static_cast<std::size_t>(p)];
      if (row >= plane.rows) continue;
      const XpsnrPlane reference = PlaneOf(window.reference, p);
      const XpsnrPlane distorted = PlaneOf(window.distorted, p);
      XpsnrBlock block;
      block.top = row * plane.block.height;
      block.bottom = std::min(block.top + plane.block.height, plane.size.height);
      for (int column = 0; column < plane.columns; ++column) {
        block.left = column * plane.block.width;
        block.right = std::min(block.left + plane.block.width, plane.size.width);
        scratch.errors[static_cast<std::size_t>(p)][BlockIndex(plane.columns, column, row)] =
            simd_.error(reference, distorted, block);
      }
    }
  }

  void SumLumaRow(const FrameWindow& window, int row, XpsnrWorkspace& scratch) const {
    XpsnrPictures pictures;
    pictures.reference = PlaneOf(window.reference, 0);
    pictures.distorted = PlaneOf(window.distorted, 0);
    pictures.previous = PlaneOf(window.earlier_reference[1], 0);
    if (is_second_order_) pictures.earlier = PlaneOf(window.earlier_reference[2], 0);
    pictures.width = geometry_.width;
    pictures.height = geometry_.height;
    pictures.of_four = geometry_.of_four;
    for (int column = 0; column < geometry_.columns; ++column) {
      const std::size_t i = BlockIndex(geometry_.columns, column, row);
      scratch.sums[i] = simd_.block(pictures, MakeXpsnrBlock(geometry_, column, row));
      scratch.errors[0][i] = scratch.sums[i].squared_error;
    }
  }

  static std::size_t BlockIndex(int columns, int column, int row) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
  }

  /// PSNR of the square of the frames' mean root error. Where that is less than one code value in the whole plane, the
  /// mean of the frames' decibels.
  /// edge    no error in any frame, or in one of nearly equal frames: infinity
  double MeanDecibels(int plane, double roots, double decibels, i64 frames) const {
    const double count = static_cast<double>(frames);
    if (roots < count) return decibels / count;
    const double mean = roots / count;
    const PlaneSize size = format_.plane_size(plane);
    const u64 peak = (u64{1} << format_.bit_depth) - 1;
    const u64 greatest = static_cast<u64>(size.width) * static_cast<u64>(size.height) * (peak * peak);
    return 10.0 * exact::Log10(static_cast<double>(greatest) / (mean * mean));
  }

  VideoFormat format_;
  int planes_;
  bool is_second_order_;
  XpsnrGeometry geometry_;
  XpsnrSimd simd_;
  std::vector<u16> black_row_;
  std::array<std::string, 3> aggregate_names_;
  std::string minimum_name_;
};

constexpr std::array<const char*, 3> kProvided = kNames;

}  // namespace

constinit const FeatureDescription kXpsnr = {
    "xpsnr",
    "peak signal-to-noise ratio weighted by the activity of the reference",
    kXpsnrOptions,
    kProvided,
    {1, 1},
    [](const OptionValues& options, const VideoFormat& format, CpuTarget target) -> Result<std::unique_ptr<Feature>> {
      return std::unique_ptr<Feature>(std::make_unique<XpsnrFeature>(options, format, target));
    },
};

}  // namespace lockstep
