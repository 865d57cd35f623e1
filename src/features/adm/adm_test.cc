// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm against a second, deliberately plain formulation: whole band planes in 64-bit integers, every rounding and every
// narrowing written where the specification puts it.
#include "features/adm/adm.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "exact/elementary.h"
#include "features/adm/adm_csf.h"
#include "features/adm/adm_frame.h"
#include "features/adm/adm_geometry.h"
#include "features/adm/adm_options.h"
#include "features/score_name.h"

namespace lockstep {
namespace {

using std::int64_t;
using std::uint64_t;
using Options = std::vector<std::pair<std::string, std::string>>;

int64_t Wrap16(int64_t v) { return static_cast<std::int16_t>(static_cast<uint64_t>(v)); }
int64_t Wrap32(int64_t v) { return static_cast<std::int32_t>(static_cast<uint64_t>(v)); }
int64_t Size(int64_t v) { return v < 0 ? -v : v; }

struct Plane {
  int width = 0;
  int height = 0;
  std::vector<int64_t> values;
  Plane() = default;
  Plane(int w, int h) : width(w), height(h), values(static_cast<size_t>(w) * static_cast<size_t>(h)) {}
  int64_t& at(int x, int y) {
    return values[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
  }
  int64_t at(int x, int y) const {
    return values[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
  }
};

using Bands = std::array<Plane, 4>;  // h, v, d, a

constexpr int64_t kLow[4] = {15826, 27411, 7345, -4240};
constexpr int64_t kHigh[4] = {-4240, -7345, 27411, -15826};

int TapIndex(int i, int k, int n) {
  const int p = 2 * i - 1 + k;
  if (p < 0) return -p;
  if (p >= n) return 2 * n - 1 - p;
  return p;
}

Bands PlainWavelet(const Plane& in, int scale, int depth) {
  const int w = (in.width + 1) / 2;
  const int h = (in.height + 1) / 2;
  Plane low(in.width, h);
  Plane high(in.width, h);
  constexpr int kVertical[4] = {0, 0, 16, 16};
  constexpr int kHorizontal[4] = {16, 15, 16, 15};
  const int vertical = scale == 0 ? depth : kVertical[scale];
  const int64_t vertical_add = vertical == 0 ? 0 : int64_t{1} << (vertical - 1);
  const auto narrow = [&](int64_t v) { return scale == 0 ? Wrap16(v) : Wrap32(v); };
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < in.width; ++x) {
      int64_t sum_low = scale == 0 ? -46342 * (int64_t{1} << (depth - 1)) : 0;
      int64_t sum_high = 0;
      for (int k = 0; k < 4; ++k) {
        const int64_t value = in.at(x, TapIndex(y, k, in.height));
        sum_low += kLow[k] * value;
        sum_high += kHigh[k] * value;
      }
      low.at(x, y) = narrow((sum_low + vertical_add) >> vertical);
      high.at(x, y) = narrow((sum_high + vertical_add) >> vertical);
    }
  }
  const int shift = kHorizontal[scale];
  const auto horizontal = [&](const Plane& line, const int64_t(&taps)[4]) {
    Plane out(w, h);
    for (int y = 0; y < h; ++y) {
      for (int x = 0; x < w; ++x) {
        int64_t sum = int64_t{1} << (shift - 1);
        for (int k = 0; k < 4; ++k) sum += taps[k] * line.at(TapIndex(x, k, in.width), y);
        out.at(x, y) = narrow(sum >> shift);
      }
    }
    return out;
  };
  return {horizontal(high, kLow), horizontal(low, kHigh), horizontal(high, kHigh), horizontal(low, kLow)};
}

struct Region {
  int x0, x1, y0, y1;
};
Region InnerRegion(int w, int h) {
  const int left = static_cast<int>(w * 0.1 - 0.5);
  const int top = static_cast<int>(h * 0.1 - 0.5);
  return {left, w - left, top, h - top};
}

bool AngleFlag(int64_t oh, int64_t ov, int64_t th, int64_t tv) {
  const auto q = [](int64_t v) { return static_cast<double>(static_cast<float>(v)) / 4096.0; };
  const double dp = q(oh * th + ov * tv);
  const float c1 = 0x1.ffd814p-1f;
  return dp >= 0.0 && dp * dp >= (static_cast<double>(c1) * q(oh * oh + ov * ov)) * q(th * th + tv * tv);
}

int64_t Division(int64_t i) { return i == 0 ? 0 : i > 0 ? (int64_t{1} << 30) / i : -((int64_t{1} << 30) / -i); }

int64_t PlainRestore(int scale, int64_t o, int64_t t, bool flag, double gain) {
  int64_t k = 32768;
  if (o != 0 && scale == 0) {
    k = (Division(o) * t + 16384) >> 15;
  } else if (o != 0) {
    int64_t m = Size(o);
    int shift = 0;
    if (m >= 32768) {
      while ((m >> shift) >= 32768) ++shift;
      m = (m + (int64_t{1} << (shift - 1))) >> shift;
    }
    k = (Division(m) * t * (o < 0 ? -1 : 1) + (int64_t{1} << (14 + shift))) >> (15 + shift);
  }
  k = k < 0 ? 0 : k > 32768 ? 32768 : k;
  int64_t r = (k * o + 16384) >> 15;
  r = scale == 0 ? Wrap16(r) : Wrap32(r);
  const float sign = (static_cast<float>(k) / 32768) * (static_cast<float>(o) / 64);
  const double gained = static_cast<double>(r) * gain;
  const auto bound = static_cast<double>(t);
  if (flag && sign > 0.0f) r = static_cast<int64_t>(gained < bound ? gained : bound);
  if (flag && sign < 0.0f) r = static_cast<int64_t>(gained > bound ? gained : bound);
  return scale == 0 ? Wrap16(r) : Wrap32(r);
}

/// How often the corners of the arithmetic were reached, so that a test can require it.
struct Coverage {
  int64_t wrapped_centres = 0;
  int64_t negative_squares = 0;
};

struct PlainScale {
  std::array<std::vector<uint64_t>, 3> sums;  // by AdmSum, then h, v, d
};

// One masking pass: X is what is pooled, S is what masks it.
std::vector<uint64_t> PlainNumerator(int scale, const std::array<Plane, 3>& x_bands,
                                     const std::array<Plane, 3>& s_bands, const AdmFactors& factors,
                                     Coverage& coverage) {
  const int w = x_bands[0].width;
  const int h = x_bands[0].height;
  Plane neighbour(w, h);
  Plane centre(w, h);
  for (int b = 0; b < 3; ++b) {
    const int64_t factor = b == 2 ? factors.d : factors.hv;
    for (int y = 0; y < h; ++y) {
      for (int x = 0; x < w; ++x) {
        const int64_t s = s_bands[static_cast<size_t>(b)].at(x, y);
        if (scale == 0) {
          const int64_t c = Size(Wrap16(b == 2 ? (factor * s + 65535) >> 17 : (factor * s + 16384) >> 15));
          neighbour.at(x, y) += Wrap16((4369 * c + 2048) >> 12);
          centre.at(x, y) += Wrap16((8738 * c + 2048) >> 12);
          if (c >= 15360) ++coverage.wrapped_centres;
        } else {
          const int64_t c = Wrap32(Size(Wrap32((factor * s + (int64_t{1} << 27)) >> 28)));
          neighbour.at(x, y) += Wrap32((143165577 * c - (int64_t{1} << 31)) >> 32);
          centre.at(x, y) += Wrap32((286331153 * c - (int64_t{1} << 31)) >> 32);
        }
      }
    }
  }
  const Region region = InnerRegion(w, h);
  const int n_hv = static_cast<int>(std::ceil(std::log2(w) - (scale == 0 ? 4 : 0)));
  const int n_d = static_cast<int>(std::ceil(std::log2(w) - (scale == 0 ? 3 : 0)));
  const int m = static_cast<int>(std::ceil(std::log2(h)));
  std::vector<uint64_t> sums(3, 0);
  for (int y = region.y0; y < region.y1; ++y) {
    std::array<uint64_t, 3> row{};
    for (int x = region.x0; x < region.x1; ++x) {
      int64_t threshold = centre.at(x, y);
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          if (dx == 0 && dy == 0) continue;
          int nx = x + dx;
          int ny = y + dy;
          if (nx == -1) nx = 1;
          if (nx == w) nx = w - 1;
          if (ny == -1) ny = 1;
          if (ny == h) ny = h - 1;
          threshold += neighbour.at(nx, ny);
        }
      }
      threshold = Wrap32(threshold);
      for (int b = 0; b < 3; ++b) {
        const int64_t factor = b == 2 ? factors.d : factors.hv;
        const int64_t value = x_bands[static_cast<size_t>(b)].at(x, y);
        int64_t v;
        int q = 30;
        if (scale == 0) {
          v = Wrap32(Size(Wrap32(value * factor)) - Wrap32(threshold * (b == 2 ? 4096 : 1024)));
          if (b != 2) q = 29;
        } else {
          v = Wrap32(Wrap32(Size(Wrap32((value * factor + (int64_t{1} << 27)) >> 28))) - threshold);
        }
        if (v < 0) v = 0;
        const int64_t square = Wrap32((v * v + (int64_t{1} << (q - 1))) >> q);
        if (square < 0) ++coverage.negative_squares;
        const int n = b == 2 ? n_d : n_hv;
        row[static_cast<size_t>(b)] += static_cast<uint64_t>((square * v + (n == 0 ? 0 : int64_t{1} << (n - 1))) >> n);
      }
    }
    for (size_t b = 0; b < 3; ++b) {
      sums[b] += static_cast<uint64_t>(static_cast<int64_t>(row[b] + (uint64_t{1} << (m - 1))) >> m);
    }
  }
  return sums;
}

std::vector<uint64_t> PlainDenominator(int scale, const Bands& bands) {
  const Region region = InnerRegion(bands[0].width, bands[0].height);
  const double columns = region.x1 - region.x0;
  const double rows = region.y1 - region.y0;
  std::vector<uint64_t> sums(3, 0);
  for (size_t b = 0; b < 3; ++b) {
    for (int y = region.y0; y < region.y1; ++y) {
      uint64_t row = 0;
      for (int x = region.x0; x < region.x1; ++x) {
        const auto v = static_cast<uint64_t>(Size(bands[b].at(x, y)));
        if (scale == 0) {
          row += v * v * v;
        } else {
          const int qs = scale == 2 ? 30 : 31;
          const int sc = static_cast<int>(std::ceil(std::log2(columns)));
          row += (((v * v + (uint64_t{1} << qs)) >> qs) * v + (uint64_t{1} << (sc - 1))) >> sc;
        }
      }
      int shift = static_cast<int>(std::ceil(std::log2(rows)));
      if (scale == 0) shift = std::max(0, static_cast<int>(std::ceil(std::log2(rows * columns) - 20)));
      sums[b] += (row + (shift > 0 ? uint64_t{1} << (shift - 1) : 0)) >> shift;
    }
  }
  return sums;
}

struct PlainSettings {
  AdmCsf csf;
  double gain = 100.0;
  bool skip_aim = false;
  bool skip_scale0 = false;
};

std::vector<Fact> PlainFacts(const Plane& reference, const Plane& distorted, int depth, const PlainSettings& settings,
                             Coverage& coverage) {
  std::vector<Fact> facts(kAdmFacts, 0);
  Plane reference_low = reference;
  Plane distorted_low = distorted;
  for (int s = 0; s < 4; ++s) {
    const Bands o = PlainWavelet(reference_low, s, depth);
    const Bands t = PlainWavelet(distorted_low, s, depth);
    reference_low = o[3];
    distorted_low = t[3];
    if (s == 0 && settings.skip_scale0) continue;
    const int w = o[0].width;
    const int h = o[0].height;
    std::array<Plane, 3> restored = {Plane(w, h), Plane(w, h), Plane(w, h)};
    std::array<Plane, 3> impairment = restored;
    for (int y = 0; y < h; ++y) {
      for (int x = 0; x < w; ++x) {
        const bool flag = AngleFlag(o[0].at(x, y), o[1].at(x, y), t[0].at(x, y), t[1].at(x, y));
        for (size_t b = 0; b < 3; ++b) {
          restored[b].at(x, y) = PlainRestore(s, o[b].at(x, y), t[b].at(x, y), flag, settings.gain);
          const int64_t a = t[b].at(x, y) - restored[b].at(x, y);
          impairment[b].at(x, y) = s == 0 ? Wrap16(a) : Wrap32(a);
        }
      }
    }
    const AdmFactors& factors = settings.csf.scales[static_cast<size_t>(s)].fixed;
    const std::vector<uint64_t> num = PlainNumerator(s, restored, impairment, factors, coverage);
    const std::vector<uint64_t> aim = PlainNumerator(s, impairment, restored, factors, coverage);
    const std::vector<uint64_t> den = PlainDenominator(s, o);
    for (size_t b = 0; b < 3; ++b) {
      const size_t base = static_cast<size_t>(s) * 9 + b;
      facts[base] = num[b];
      facts[base + 3] = settings.skip_aim ? 0 : aim[b];
      facts[base + 6] = den[b];
    }
  }
  return facts;
}

enum class Content {
  kNatural,
  kNoise,
  kBinaryNoise,
  kStripes,
  kFlat,
  kIdentical,
  kBlackReference,
  kEnhanced,
  kCount,
};

struct Picture {
  int depth = 8;
  Plane reference;
  Plane distorted;
};

Picture MakePicture(Content content, int w, int h, int depth, unsigned seed) {
  Picture picture{depth, Plane(w, h), Plane(w, h)};
  const int64_t peak = (int64_t{1} << depth) - 1;
  std::uint32_t state = 12345 + seed * 7919;
  const auto random = [&] {
    state = state * 1664525u + 1013904223u;
    return static_cast<int64_t>(state >> 16);
  };
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      int64_t r = 0;
      int64_t t = 0;
      switch (content) {
        case Content::kNatural: {
          const int64_t base = 64 + ((x >> 2) & 63) + ((y >> 3) & 31) + (((x >> 4) ^ (y >> 4)) & 1) * 48;
          r = ((base + (random() & 7)) << depth) >> 8;
          t = (((base * 15) / 16 + 8 + (random() & 3)) << depth) >> 8;
          break;
        }
        case Content::kNoise:
          r = random() & peak;
          t = random() & peak;
          break;
        case Content::kBinaryNoise:
          r = (random() & 1) != 0 ? peak : 0;
          t = (random() & 3) != 0 ? r : peak - r;
          break;
        case Content::kStripes:
          r = ((x >> 1) & 1) != 0 ? peak : 0;
          t = ((y >> 1) & 1) != 0 ? r : peak - r;
          break;
        case Content::kFlat:
          r = peak / 2;
          t = r + 1;
          break;
        case Content::kIdentical:
          r = t = random() & peak;
          break;
        case Content::kBlackReference:
          t = random() & peak;
          break;
        case Content::kEnhanced: {
          const int64_t wave = ((x / 3 + y / 5) % 9) * 8 + (((x ^ y) & 15) == 0 ? 30 : 0);
          r = ((80 + wave) << depth) >> 8;
          t = ((60 + wave * 13 / 10 + (random() & 1)) << depth) >> 8;
          break;
        }
        case Content::kCount:
          break;
      }
      picture.reference.at(x, y) = r;
      picture.distorted.at(x, y) = t;
    }
  }
  return picture;
}

// The pattern that spec adm.md's check vectors use.
Picture MakeCheckPattern(int w, int h, int depth) {
  Picture picture{depth, Plane(w, h), Plane(w, h)};
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const int64_t v = (7 * x + 13 * y + ((x * y) >> 2) + 40 * (((x >> 3) + (y >> 3)) & 1)) & 255;
      const int64_t t = std::min<int64_t>(255, (7 * v + 4 * ((31 * x + 17 * y) & 31) + 8) >> 3);
      picture.reference.at(x, y) = depth == 8 ? v : 4 * v + ((x + 2 * y) & 3);
      picture.distorted.at(x, y) = depth == 8 ? t : 4 * t + ((3 * x + y) & 3);
    }
  }
  return picture;
}

Frame MakeFrame(const Plane& plane, int depth, int padding) {
  Frame frame(VideoFormat{PixelFormat::kYuv400, plane.width, plane.height, depth});
  const MutablePlaneView view = frame.mutable_plane(0);
  std::memset(view.data, padding, static_cast<size_t>(view.stride_bytes) * static_cast<size_t>(plane.height));
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < plane.width; ++x) {
      if (depth == 8) {
        view.row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(plane.at(x, y));
      } else {
        view.row<std::uint16_t>(y)[x] = static_cast<std::uint16_t>(plane.at(x, y));
      }
    }
  }
  return frame;
}

OptionValues ParseOptions(const Options& options) {
  OptionDictionary dictionary;
  for (const auto& [name, text] : options) dictionary.Set(name, text);
  Result<OptionValues> values = OptionValues::Parse("adm", kAdm.options, dictionary);
  EXPECT_TRUE(values.ok());
  return *values;
}

std::unique_ptr<Feature> MakeFeature(const Options& options, int w, int h, int depth) {
  Result<std::unique_ptr<Feature>> feature =
      kAdm.create(ParseOptions(options), VideoFormat{PixelFormat::kYuv400, w, h, depth}, CpuTarget::kScalar);
  EXPECT_TRUE(feature.ok()) << (feature.ok() ? "" : feature.error().Describe());
  return feature.ok() ? std::move(feature).value() : nullptr;
}

AdmCsfOptions CsfOptions(const OptionValues& values) {
  AdmCsfOptions csf;
  csf.mode = static_cast<AdmCsfMode>(values.GetInt("adm_csf_mode"));
  csf.scale = values.GetDouble("adm_csf_scale");
  csf.diagonal_scale = values.GetDouble("adm_csf_diag_scale");
  csf.view_distance = values.GetDouble("adm_norm_view_dist");
  csf.display_height = values.GetInt("adm_ref_display_height");
  return csf;
}

std::vector<Fact> ExtractFacts(const Feature& feature, Workspace* workspace, const Picture& picture, int padding) {
  const Frame reference = MakeFrame(picture.reference, picture.depth, padding);
  const Frame distorted = MakeFrame(picture.distorted, picture.depth, padding ^ 0xff);
  FrameWindow window;
  window.reference = &reference;
  window.distorted = &distorted;
  std::vector<Fact> facts(static_cast<size_t>(feature.fact_count()), ~Fact{0});
  feature.Extract(window, workspace, facts);
  return facts;
}

class Scores final : public ScoreSink {
 public:
  void Put(int column, int64_t frame, double value) override { values[{column, frame}] = value; }
  void PutAggregate(std::string_view /*name*/, double /*value*/) override { ADD_FAILURE(); }
  void Warn(int64_t /*frame*/, std::string_view /*text*/) override { ADD_FAILURE(); }
  std::map<std::pair<int, int64_t>, double> values;
};

std::map<std::string, double> ScoreOf(const Options& options, const Picture& picture) {
  const std::unique_ptr<Feature> feature =
      MakeFeature(options, picture.reference.width, picture.reference.height, picture.depth);
  const std::unique_ptr<Workspace> workspace = feature->MakeWorkspace();
  FactTable table(feature->fact_count(), 7);
  table.Set(7, ExtractFacts(*feature, workspace.get(), picture, 0));
  Scores scores;
  feature->Finish(table, scores);
  std::map<std::string, double> named;
  const std::vector<FeatureColumn> columns = feature->columns();
  EXPECT_EQ(scores.values.size(), columns.size());
  for (size_t c = 0; c < columns.size(); ++c) named[columns[c].raw_name] = scores.values.at({static_cast<int>(c), 7});
  return named;
}

constexpr const char* kAdm2 = "VMAF_integer_feature_adm2_score";
constexpr const char* kAim = "VMAF_integer_feature_aim_score";
constexpr const char* kAdm3 = "VMAF_integer_feature_adm3_score";

Options ModelOptions(const char* view_distance, const char* display_height) {
  return {{"adm_csf_mode", "2"},
          {"adm_dlm_weight", "0.7"},
          {"adm_enhn_gain_limit", "1"},
          {"adm_noise_weight", "0.02"},
          {"adm_min_val", "0.5"},
          {"adm_norm_view_dist", view_distance},
          {"adm_ref_display_height", display_height}};
}

const std::vector<Options>& OptionSets() {
  static const std::vector<Options> sets = {
      {},
      ModelOptions("3", "1080"),
      ModelOptions("5", "1080"),
      ModelOptions("1.5", "2160"),
      ModelOptions("3", "2160"),
      {{"adm_enhn_gain_limit", "1.2"}},
      {{"adm_enhn_gain_limit", "1"}},
      {{"adm_csf_mode", "1"}},
      {{"adm_csf_mode", "1"}, {"adm_csf_scale", "0.0003"}, {"adm_csf_diag_scale", "0.0002"}},
      {{"adm_csf_mode", "1"}, {"adm_csf_scale", "0.01"}, {"adm_csf_diag_scale", "0.02"}},
      {{"adm_csf_mode", "3"}, {"adm_norm_view_dist", "5"}, {"adm_ref_display_height", "2160"}},
      {{"adm_csf_mode", "3"}, {"adm_norm_view_dist", "5"}, {"adm_ref_display_height", "720"}},
      {{"adm_norm_view_dist", "24"}, {"adm_enhn_gain_limit", "2.75"}},
      {{"adm_skip_aim", "true"}, {"adm_noise_weight", "0"}},
      {{"adm_skip_scale0", "true"}, {"adm_noise_weight", "300"}},
      {{"adm_skip_scale0", "true"}, {"adm_skip_aim", "true"}, {"adm_csf_mode", "2"}},
  };
  return sets;
}

// Facts and scores of one case in both formulations.
void Compare(const Options& options, Content content, int w, int h, int depth, unsigned seed, Coverage& coverage) {
  std::string label = std::to_string(w) + "x" + std::to_string(h) + " depth " + std::to_string(depth) + " content " +
                      std::to_string(static_cast<int>(content));
  for (const auto& [name, text] : options) label += " " + name + "=" + text;
  SCOPED_TRACE(label);
  const OptionValues values = ParseOptions(options);
  const std::unique_ptr<Feature> feature = MakeFeature(options, w, h, depth);
  ASSERT_NE(feature, nullptr);
  const std::unique_ptr<Workspace> workspace = feature->MakeWorkspace();
  const Picture picture = MakePicture(content, w, h, depth, seed);

  // Another picture goes first: nothing of it may be left in the line buffers.
  ExtractFacts(*feature, workspace.get(), MakePicture(Content::kNoise, w, h, depth, seed + 1), 0x33);
  const std::vector<Fact> facts = ExtractFacts(*feature, workspace.get(), picture, 0xa5);
  PlainSettings settings{*MakeAdmCsf(CsfOptions(values)), values.GetDouble("adm_enhn_gain_limit"),
                         values.GetBool("adm_skip_aim"), values.GetBool("adm_skip_scale0")};
  const std::vector<Fact> expected = PlainFacts(picture.reference, picture.distorted, depth, settings, coverage);
  ASSERT_EQ(facts.size(), expected.size());
  for (size_t i = 0; i < facts.size(); ++i) {
    EXPECT_EQ(facts[i], expected[i]) << "scale " << i / 9 << " sum " << i / 3 % 3 << " band " << i % 3;
  }
  EXPECT_EQ(facts, ExtractFacts(*feature, workspace.get(), picture, 0x00)) << "padding entered the sums";
}

TEST(AdmFacts, EveryWidthAndHeight) {
  Coverage coverage;
  unsigned seed = 0;
  for (int size = 33; size <= 75; ++size) {
    const int other = 33 + (size * 17) % 43;
    const auto& sets = OptionSets();
    for (const Content content : {Content::kNatural, Content::kNoise}) {
      Compare(sets[seed % sets.size()], content, size, other, 8, seed, coverage);
      Compare(sets[(seed + 5) % sets.size()], content, other, size, 10, seed, coverage);
      ++seed;
    }
  }
}

TEST(AdmFacts, EveryOptionSetContentAndDepth) {
  Coverage coverage;
  unsigned seed = 0;
  constexpr std::array<std::array<int, 2>, 6> kSizes = {{{33, 33}, {34, 47}, {51, 40}, {64, 64}, {65, 39}, {75, 74}}};
  for (const Options& options : OptionSets()) {
    for (int content = 0; content < static_cast<int>(Content::kCount); ++content) {
      for (const int depth : {8, 10, 12, 16}) {
        const auto& size = kSizes[seed++ % kSizes.size()];
        Compare(options, static_cast<Content>(content), size[0], size[1], depth, seed, coverage);
      }
    }
  }
  EXPECT_GT(coverage.wrapped_centres, 0) << "no centre term reached 15360";
  EXPECT_GT(coverage.negative_squares, 0) << "no square left 32 bits";
}

TEST(AdmFacts, EveryDepth) {
  Coverage coverage;
  for (int depth = 8; depth <= 16; ++depth) Compare({}, Content::kNoise, 41, 35, depth, 3, coverage);
}

TEST(AdmFacts, PictureWithBordersOnEveryScale) {
  // From 16 scale-3 coefficients a side on, the outer tenth is left out at every scale.
  Coverage coverage;
  Compare({}, Content::kNatural, 321, 250, 8, 1, coverage);
  Compare({}, Content::kNoise, 250, 323, 16, 2, coverage);
  Compare(ModelOptions("3", "1080"), Content::kEnhanced, 417, 241, 10, 3, coverage);
}

TEST(AdmFacts, RoundedDenominatorRowsOfScale0) {
  // 2^20 inner coefficients are where the rows of scale 0 start to be rounded.
  Coverage coverage;
  Compare({}, Content::kNoise, 2600, 2580, 8, 1, coverage);
}

TEST(AdmScores, CheckVectors) {
  const Picture small = MakeCheckPattern(64, 64, 8);
  const Picture odd = MakeCheckPattern(70, 50, 10);
  const auto expect = [](const Options& options, const Picture& picture, double adm2, double aim, double adm3) {
    const auto scores = ScoreOf(options, picture);
    EXPECT_EQ(scores.at(kAdm2), adm2);
    EXPECT_EQ(scores.at(kAim), aim);
    EXPECT_EQ(scores.at(kAdm3), adm3);
  };
  const Options no_gain = {{"adm_enhn_gain_limit", "1.0"}};
  expect({}, small, 0.88811152126333703, 0.0014278751030626744, 0.94334182308013714);
  expect(no_gain, small, 0.88802537888903244, 0.0014711958119650189, 0.94327709153853379);
  expect(ModelOptions("3", "1080"), small, 0.88791462748824024, 0.0010164492313376285, 0.9212353044723669);
  expect({}, odd, 0.88839623579413174, 0.0013764452072788219, 0.94350989529342644);
  expect(no_gain, odd, 0.88818005726199956, 0.0014042486070455177, 0.9433879043274771);
  expect(ModelOptions("3", "1080"), odd, 0.88817238554842437, 0.00096682377743454156, 0.92143062275066678);

  const auto debug = ScoreOf({{"debug", "true"}}, small);
  EXPECT_EQ(debug.at("integer_adm_num_scale0"), 29.838752746582031);
  EXPECT_EQ(debug.at("integer_adm_den_scale0"), 33.009391784667969);
  EXPECT_EQ(debug.at("integer_adm_num_scale1"), 47.029037475585938);
  EXPECT_EQ(debug.at("integer_adm_den_scale1"), 53.019992828369141);
  EXPECT_EQ(debug.at("integer_adm_num_scale2"), 86.452377319335938);
  EXPECT_EQ(debug.at("integer_adm_den_scale2"), 98.053619384765625);
  EXPECT_EQ(debug.at("integer_adm_num_scale3"), 67.815216064453125);
  EXPECT_EQ(debug.at("integer_adm_den_scale3"), 76.171905517578125);
  EXPECT_EQ(debug.at("integer_adm"), debug.at(kAdm2));
  EXPECT_EQ(debug.at("integer_adm_num") / debug.at("integer_adm_den"), debug.at(kAdm2));
  EXPECT_EQ(debug.at("integer_adm_scale2"), debug.at("integer_adm_num_scale2") / debug.at("integer_adm_den_scale2"));
}

// Scores by the specification's formulas, by raw name without the common ones' affixes.
std::map<std::string, double> PlainScores(const OptionValues& values, int width, int height,
                                          const std::vector<Fact>& facts) {
  std::map<std::string, double> scores;
  const AdmCsf csf = *MakeAdmCsf(CsfOptions(values));
  const float third = 1.0f / 3.0f;
  double num = 0.0;
  double den = 0.0;
  double aim = 0.0;
  int w = width;
  int h = height;
  for (int s = 0; s < 4; ++s) {
    w = (w + 1) / 2;
    h = (h + 1) / 2;
    float num_s = 0.0f;
    float den_s = 1e-10f;
    float aim_s = 0.0f;
    if (s != 0 || !values.GetBool("adm_skip_scale0")) {
      const Region region = InnerRegion(w, h);
      const int columns = region.x1 - region.x0;
      const int rows = region.y1 - region.y0;
      const float noise = exact::Powf(
          static_cast<float>(static_cast<double>(rows * columns) * values.GetDouble("adm_noise_weight")), third);
      float parts[3][3];
      for (int b = 0; b < 3; ++b) {
        const size_t base = static_cast<size_t>(s * 9 + b);
        const int n = static_cast<int>(std::ceil(std::log2(w) - (s == 0 ? (b == 2 ? 3 : 4) : 0)));
        const int m = static_cast<int>(std::ceil(std::log2(h)));
        for (size_t kind = 0; kind < 2; ++kind) {
          const auto sum = static_cast<int64_t>(facts[base + 3 * kind]);
          constexpr int kBits[4] = {0, 45, 39, 36};
          const float pooled =
              s == 0 ? static_cast<float>(static_cast<double>(sum) / std::ldexp(1.0, (b == 2 ? 57 : 52) - n - m))
                     : static_cast<float>(sum) / static_cast<float>(std::ldexp(1.0, kBits[s] - n - m));
          parts[kind][b] = exact::Powf(pooled, third) + (kind == 0 ? noise : 0.0f);
        }
        double unit = 0.0;
        if (s == 0) {
          unit = std::ldexp(1.0, 18 - std::max(0, static_cast<int>(std::ceil(std::log2(rows * columns) - 20))));
        } else {
          constexpr int kBits[4] = {0, 32, 27, 23};
          unit = std::ldexp(1.0, kBits[s] - static_cast<int>(std::ceil(std::log2(rows))) -
                                     static_cast<int>(std::ceil(std::log2(columns))));
        }
        const AdmCsf::Scale& scale = csf.scales[static_cast<size_t>(s)];
        const auto factor = static_cast<double>(b == 2 ? scale.d : scale.hv);
        const double cubes = (static_cast<double>(facts[base + 6]) / unit) * exact::Pow(factor, 3.0);
        parts[2][b] = exact::Powf(static_cast<float>(cubes), third) + noise;
      }
      num_s = (parts[0][0] + parts[0][1]) + parts[0][2];
      aim_s = (parts[1][0] + parts[1][1]) + parts[1][2];
      den_s = (parts[2][0] + parts[2][1]) + parts[2][2];
    }
    num += static_cast<double>(num_s);
    aim += static_cast<double>(aim_s);
    den += static_cast<double>(den_s);
    const std::string number = std::to_string(s);
    scores["integer_adm_num_scale" + number] = static_cast<double>(num_s);
    scores["integer_adm_den_scale" + number] = static_cast<double>(den_s);
    scores["integer_adm_scale" + number] = static_cast<double>(num_s) / static_cast<double>(den_s);
  }
  const double limit = 1e-10 * (width * height) / (1920.0 * 1080.0);
  num = num < limit ? 0.0 : num;
  den = den < limit ? 0.0 : den;
  const double adm2 = den == 0.0 ? 1.0 : num / den;
  const double ratio = den == 0.0 ? 0.0 : aim / den;
  const double weight = values.GetDouble("adm_dlm_weight");
  const double blend = adm2 * weight + (1 - ratio) * (1 - weight);
  const double minimum = values.GetDouble("adm_min_val");
  scores["integer_adm_num"] = num;
  scores["integer_adm_den"] = den;
  scores["integer_adm"] = adm2;
  scores[kAdm2] = adm2;
  scores[kAim] = ratio;
  scores[kAdm3] = blend > minimum ? blend : minimum;
  return scores;
}

void ExpectSameScores(const std::map<std::string, double>& scores, const std::map<std::string, double>& expected) {
  ASSERT_EQ(scores.size(), expected.size());
  for (const auto& [name, value] : expected) {
    const double found = scores.at(name);
    EXPECT_TRUE(found == value || (std::isnan(found) && std::isnan(value))) << name << " " << found << " " << value;
  }
}

TEST(AdmScores, FollowTheFacts) {
  for (Options options : OptionSets()) {
    options.emplace_back("debug", "true");
    const OptionValues values = ParseOptions(options);
    for (const Content content : {Content::kNatural, Content::kNoise, Content::kBlackReference, Content::kFlat}) {
      const Picture picture = MakePicture(content, 67, 45, 10, 5);
      Coverage coverage;
      const std::vector<Fact> facts =
          PlainFacts(picture.reference, picture.distorted, 10,
                     {*MakeAdmCsf(CsfOptions(values)), values.GetDouble("adm_enhn_gain_limit"),
                      values.GetBool("adm_skip_aim"), values.GetBool("adm_skip_scale0")},
                     coverage);
      ExpectSameScores(ScoreOf(options, picture), PlainScores(values, 67, 45, facts));
    }
  }
}

TEST(AdmScores, RandomFactsOfAnySize) {
  std::uint64_t state = 1;
  const auto random = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ (state >> 29);
  };
  int nans = 0;
  for (Options options : OptionSets()) {
    options.emplace_back("debug", "true");
    const OptionValues values = ParseOptions(options);
    const std::unique_ptr<Feature> feature = MakeFeature(options, 1920, 1080, 8);
    for (int round = 0; round < 200; ++round) {
      std::vector<Fact> facts(kAdmFacts);
      for (Fact& fact : facts) fact = random() >> (1 + random() % 50);
      // Just above the middle between two binary32 numbers: a rounding to binary64 on the way loses the last bit.
      if (round % 4 == 1) facts[0] = (Fact{1} << 62) + ((random() % 1000) << 40) + (Fact{1} << 38) + 1;
      if (round % 4 == 2) facts[3 + random() % 3 + 9 * (random() % 4)] = ~Fact{0} - random() % 1000;  // negative
      FactTable table(feature->fact_count(), 0);
      table.Set(0, facts);
      Scores scores;
      feature->Finish(table, scores);
      std::map<std::string, double> named;
      const std::vector<FeatureColumn> columns = feature->columns();
      for (size_t c = 0; c < columns.size(); ++c)
        named[columns[c].raw_name] = scores.values.at({static_cast<int>(c), 0});
      ExpectSameScores(named, PlainScores(values, 1920, 1080, facts));
      if (std::isnan(named.at(kAim))) ++nans;
    }
  }
  EXPECT_GT(nans, 0);
}

TEST(AdmScores, FlatReferenceWithoutNoiseIsDefined) {
  const auto scores = ScoreOf({{"adm_noise_weight", "0"}}, MakePicture(Content::kFlat, 48, 40, 8, 0));
  EXPECT_EQ(scores.at(kAdm2), 1.0);
  EXPECT_EQ(scores.at(kAim), 0.0);
  EXPECT_EQ(scores.at(kAdm3), 1.0);
  EXPECT_TRUE(std::isnan(scores.at("integer_adm_scale0")));
}

TEST(AdmScores, TinyTotalsCountAsNothing) {
  // Noise of some 1e-11 a band in a picture of 64 million pixels is below the least total of 3.2e-9.
  const std::unique_ptr<Feature> feature = MakeFeature({{"adm_noise_weight", "1e-38"}}, 8192, 8192, 8);
  FactTable table(feature->fact_count(), 0);
  std::vector<Fact> facts(kAdmFacts, 0);
  table.Set(0, facts);
  facts[AdmFactIndex(0, AdmSum::kReference, 0)] = 1000000;
  table.Set(1, facts);
  Scores scores;
  feature->Finish(table, scores);
  EXPECT_EQ(scores.values.at({0, 0}), 1.0);
  EXPECT_EQ(scores.values.at({0, 1}), 0.0);
  EXPECT_GT(scores.values.at({3, 0}), 0.0);
}

TEST(AdmScores, IdenticalPicturesHaveNoImpairment) {
  const auto scores = ScoreOf({}, MakePicture(Content::kIdentical, 48, 40, 8, 0));
  EXPECT_EQ(scores.at(kAim), 0.0);
  EXPECT_GT(scores.at(kAdm2), 0.99);
}

TEST(AdmScores, SkipAimLeavesTheRestAlone) {
  const Picture picture = MakePicture(Content::kNoise, 40, 48, 8, 2);
  const auto all = ScoreOf({}, picture);
  const auto skipped = ScoreOf({{"adm_skip_aim", "true"}}, picture);
  EXPECT_GT(all.at(kAim), 0.0);
  EXPECT_EQ(skipped.at(kAim), 0.0);
  EXPECT_EQ(skipped.at(kAdm2), all.at(kAdm2));
  EXPECT_EQ(skipped.at(kAdm3), skipped.at(kAdm2) * 0.5 + 0.5);
}

TEST(AdmScores, SkipsFramesWithoutFacts) {
  const std::unique_ptr<Feature> feature = MakeFeature({}, 33, 33, 8);
  const std::unique_ptr<Workspace> workspace = feature->MakeWorkspace();
  FactTable table(feature->fact_count(), 10);
  table.Set(13, ExtractFacts(*feature, workspace.get(), MakePicture(Content::kNatural, 33, 33, 8, 0), 0));
  table.Extend(16);
  Scores scores;
  feature->Finish(table, scores);
  EXPECT_EQ(scores.values.size(), 7u);
  for (const auto& [key, value] : scores.values) EXPECT_EQ(key.second, 13);
}

TEST(AdmColumns, OrderAndNames) {
  const Options options = {{"debug", "true"}, {"adm_skip_scale0", "true"}, {"adm_skip_aim", "true"}};
  const OptionValues values = ParseOptions(options);
  std::vector<std::string> names;
  for (const FeatureColumn& column : MakeFeature(options, 33, 33, 8)->columns()) {
    EXPECT_EQ(column.phase, ColumnPhase::kFrame);
    names.push_back(DecoratedScoreName(column, values));
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "integer_adm2_ssz", "integer_aim_ssz", "integer_adm3_ssz", "integer_adm_scale0_ssz",
                       "integer_adm_scale1_ssz", "integer_adm_scale2_ssz", "integer_adm_scale3_ssz", "integer_adm_ssz",
                       "integer_adm_num_ssz", "integer_adm_den_ssz", "integer_adm_num_scale0_ssz",
                       "integer_adm_den_scale0_ssz", "integer_adm_num_scale1_ssz", "integer_adm_den_scale1_ssz",
                       "integer_adm_num_scale2_ssz", "integer_adm_den_scale2_ssz", "integer_adm_num_scale3_ssz",
                       "integer_adm_den_scale3_ssz"}));
  const OptionValues model = ParseOptions(ModelOptions("3.0", "1080"));
  EXPECT_EQ(DecoratedScoreName(MakeFeature({}, 33, 33, 8)->columns()[2], model),
            "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02");
}

TEST(AdmCreation, RefusesViewingConditionsTooNear) {
  for (const Options& options :
       {Options{{"adm_norm_view_dist", "1.5"}}, Options{{"adm_ref_display_height", "1079"}},
        Options{{"adm_csf_mode", "2"}, {"adm_norm_view_dist", "5"}, {"adm_ref_display_height", "480"}}}) {
    const auto feature =
        kAdm.create(ParseOptions(options), VideoFormat{PixelFormat::kYuv420, 64, 64, 8}, CpuTarget::kScalar);
    ASSERT_FALSE(feature.ok());
    EXPECT_EQ(feature.error().code, ErrorCode::kInvalidArgument);
    for (const char* word : {"adm_norm_view_dist", "adm_ref_display_height", "3240"}) {
      EXPECT_NE(feature.error().message.find(word), std::string::npos) << feature.error().message;
    }
  }
  MakeFeature({{"adm_norm_view_dist", "1.5"}, {"adm_ref_display_height", "2160"}}, 64, 64, 8);
}

TEST(AdmCreation, RefusesPairsThatTheTablesLack) {
  for (const char* mode : {"2", "3"}) {
    const Options options = {{"adm_csf_mode", mode}, {"adm_norm_view_dist", "4.5"}, {"adm_ref_display_height", "2160"}};
    const auto feature =
        kAdm.create(ParseOptions(options), VideoFormat{PixelFormat::kYuv420, 64, 64, 8}, CpuTarget::kScalar);
    ASSERT_FALSE(feature.ok());
    EXPECT_EQ(feature.error().code, ErrorCode::kInvalidArgument);
    for (const char* word :
         {"adm_csf_mode", "adm_norm_view_dist=4.5", "adm_ref_display_height=2160", "1.5 with 2160"}) {
      EXPECT_NE(feature.error().message.find(word), std::string::npos) << feature.error().message;
    }
  }
}

TEST(AdmCsf, ValuesOfTheSpecification) {
  const auto make = [](AdmCsfMode mode, double distance, int height) {
    AdmCsfOptions options;
    options.mode = mode;
    options.view_distance = distance;
    options.display_height = height;
    return *MakeAdmCsf(options);
  };
  const auto hv = [](const AdmCsf& csf) {
    return std::array<float, 4>{csf.scales[0].hv, csf.scales[1].hv, csf.scales[2].hv, csf.scales[3].hv};
  };
  const auto d = [](const AdmCsf& csf) {
    return std::array<float, 4>{csf.scales[0].d, csf.scales[1].d, csf.scales[2].d, csf.scales[3].d};
  };
  using Four = std::array<float, 4>;
  const AdmCsf watson = make(AdmCsfMode::kWatson, 3, 1080);
  EXPECT_EQ(hv(watson), (Four{0x1.1cc774p-6f, 0x1.06050cp-5f, 0x1.634f1p-5f, 0x1.762816p-5f}));
  EXPECT_EQ(d(watson), (Four{0x1.820d54p-8f, 0x1.d48d46p-7f, 0x1.8fb80cp-6f, 0x1.008392p-5f}));
  const AdmCsf far_watson = make(AdmCsfMode::kWatson, 5, 1080);
  EXPECT_EQ(hv(far_watson), (Four{0x1.c0364ep-8f, 0x1.dbf058p-7f, 0x1.746c1p-6f, 0x1.c49c48p-6f}));
  EXPECT_EQ(d(far_watson), (Four{0x1.0ad7fep-9f, 0x1.75c678p-8f, 0x1.700066p-7f, 0x1.108d0ep-6f}));
  EXPECT_EQ(hv(make(AdmCsfMode::kBarten, 3, 1080)),
            (Four{0x1.35e31ap+0f, 0x1.42b3c6p+2f, 0x1.d410eap+3f, 0x1.af9d36p+4f}));
  EXPECT_EQ(hv(make(AdmCsfMode::kBlendMae, 5, 720)), (Four{0.009689f, 0.020577f, 0.034162f, 0.044523f}));

  const auto fixed = [](const AdmCsf& csf) {
    std::array<u32, 8> all{};
    for (size_t s = 0; s < 4; ++s) {
      all[2 * s] = csf.scales[s].fixed.hv;
      all[2 * s + 1] = csf.scales[s].fixed.d;
    }
    return all;
  };
  EXPECT_EQ(fixed(watson),
            (std::array<u32, 8>{36453, 49417, 137373792, 61414028, 186284160, 104783920, 196165808, 134487184}));
  EXPECT_EQ(fixed(make(AdmCsfMode::kWatson, 1.5, 2160)), fixed(watson));
  EXPECT_EQ(fixed(make(AdmCsfMode::kBlend, 3, 1080)),
            (std::array<u32, 8>{24809, 36087, 107485848, 50586124, 184468848, 102727024, 251775280, 154193616}));
}

TEST(AdmCsf, OverflowKeepsLowBits) {
  AdmCsfOptions options;
  options.mode = AdmCsfMode::kBarten;
  const AdmCsf csf = *MakeAdmCsf(options);
  EXPECT_EQ(csf.scales[0].fixed.hv, static_cast<u32>(0x1.35e31ap+0 * 2097152.0) & 0xffff);
  EXPECT_EQ(csf.scales[0].fixed.d, static_cast<u32>(0x1.35e31ap+0 * 8388608.0) & 0xffff);
  EXPECT_EQ(csf.scales[3].fixed.hv, static_cast<u32>(static_cast<uint64_t>(0x1.af9d36p+4 * 4294967296.0)));
  // Beyond 32 bits the x86 conversion leaves 0x80000000, whose low half is 0.
  options.diagonal_scale = 50.0;
  options.view_distance = 24.0;
  options.display_height = 4320;
  for (int height = 1080; height <= 4320; height += 1080) {
    for (const double distance : {3.0, 5.0, 8.0}) {
      options.view_distance = distance;
      options.display_height = height;
      const AdmCsf::Scale first = MakeAdmCsf(options)->scales[0];
      const double product = static_cast<double>(first.d) * 8388608.0;
      const u32 expected = product < 2147483648.0 ? static_cast<u32>(product) & 0xffff : 0;
      EXPECT_EQ(first.fixed.d, expected);
    }
  }
}

TEST(AdmGeometry, IntegerBordersMatchTheFormula) {
  for (int size = 33; size <= VideoFormat::kMaxDimension; ++size) {
    const auto axes = MakeAdmAxes(size, false);
    int outputs = size;
    for (const AdmAxis& axis : axes) {
      outputs = (outputs + 1) / 2;
      ASSERT_EQ(axis.outputs, outputs);
      ASSERT_EQ(axis.inner.begin, static_cast<int>(outputs * 0.1 - 0.5));
      ASSERT_EQ(axis.inner.end, outputs - axis.inner.begin);
    }
  }
}

TEST(AdmArithmetic, OddRoundings) {
  EXPECT_EQ((AdmWeight<0, true>(4096, 16)), 0);  // 65536: just not rounded up
  EXPECT_EQ((AdmWeight<0, true>(4097, 16)), 1);
  EXPECT_EQ((AdmWeight<0, false>(1024, 16)), 1);
  EXPECT_EQ((AdmWeight<0, false>(-1024, 16)), 0);  // a half goes up
  EXPECT_EQ(AdmMask<0>(15359).centre, 32765);
  EXPECT_EQ(AdmMask<0>(15360).centre, -32768);
  EXPECT_EQ(AdmMask<1>(0).centre, -1);
  EXPECT_EQ(AdmMask<1>(0).neighbour, -1);
  EXPECT_EQ(AdmCoefficientCube<1>(1, 1), 1u);  // floor(1 / 2^31) + 1, halved upwards
  EXPECT_EQ(AdmMirror(-1, 10), 1);             // not repeated at the start
  EXPECT_EQ(AdmMirror(10, 10), 9);             // repeated at the end
  EXPECT_EQ(AdmNormalisingShift(32767), 0);
  EXPECT_EQ(AdmNormalisingShift(32768), 1);
  EXPECT_EQ(AdmNormalisingShift(0x7fffffff), 16);
}

TEST(AdmArithmetic, GainIsTruncatedAndBounded) {
  EXPECT_EQ(AdmBinary64Steps::LimitGain(7, 100, 1.2), 8);
  EXPECT_EQ(AdmBinary64Steps::LimitGain(7, 5, 1.2), 5);
  EXPECT_EQ(AdmBinary64Steps::LimitGain(2000000000, 2100000000, 100.0), 2100000000);
}

/// A plane with room for the columns that bodies write beside the picture.
template <class T>
class DevicePlane {
 public:
  DevicePlane(int width, int height)
      : stride_(width + 8), values_(static_cast<size_t>(stride_) * static_cast<size_t>(height)) {}
  operator AdmRows<T>() { return {values_.data() + 4, stride_, -1}; }        // NOLINT(google-explicit-constructor)
  operator AdmRows<const T>() { return {values_.data() + 4, stride_, -1}; }  // NOLINT(google-explicit-constructor)

  friend bool operator==(const DevicePlane&, const DevicePlane&) = default;

 private:
  i64 stride_;
  std::vector<T> values_;
};

/// One scale over whole planes, rows in reverse order and with idle work-items beyond the last row.
template <i32 S, class Input>
class PlaneScale {
 public:
  using Line = typename AdmScale<S>::Line;
  using Low = typename AdmScale<S>::Low;
  using Band = typename AdmScale<S>::Band;

  PlaneScale(int width, int height, const AdmPlan& plan)
      : plan_(plan), width_(width), height_(height), w_((width + 1) / 2), h_((height + 1) / 2) {
    for (int i = 0; i < 8; ++i) lines_.emplace_back(w_ + 1, h_);
    for (int i = 0; i < 2; ++i) low_.emplace_back(w_, h_);
    for (int i = 0; i < 12; ++i) bands_.emplace_back(w_, h_);
    for (int i = 0; i < 12; ++i) terms_.emplace_back(w_ + 1, h_);
  }
  std::vector<DevicePlane<Low>>& low() { return low_; }

  void Run(std::vector<DevicePlane<Input>>& inputs, std::vector<Fact>& facts) {
    const AdmAxis& columns = plan_.columns[S];
    const AdmAxis& rows = plan_.rows[S];
    const AdmFactors factors = plan_.csf.scales[S].fixed;
    const AdmRange all = {0, w_};
    for (size_t p = 0; p < 2; ++p) {
      auto* line = &lines_[4 * p];
      const AdmVerticalArgs<S, Input> vertical{inputs[p], {line[0], line[1]}, {line[2], line[3]}, all, width_, height_,
                                               h_,        plan_.bit_depth};
      Launch([&](i32 row) { AdmVerticalRow<S>(vertical, row); });
      const AdmLowBandArgs<S> low{{line[0], line[1]}, low_[p], all, h_};
      Launch([&](i32 row) { AdmLowBandRow<S>(low, row); });
      const AdmDetailBandsArgs<S> detail{
          {line[0], line[1]}, {line[2], line[3]}, {bands_[3 * p], bands_[3 * p + 1], bands_[3 * p + 2]}, all, h_};
      Launch([&](i32 row) { AdmDetailBandsRow<S>(detail, row); });
    }
    std::vector<i32> reciprocals(kAdmReciprocals, 0);
    for (i32 i = 1; i < kAdmReciprocals; ++i) reciprocals[static_cast<size_t>(i)] = kAdmReciprocalOne / i;
    const AdmDecoupleArgs<S, AdmBinary64Steps> decouple{{bands_[0], bands_[1], bands_[2]},
                                                        {bands_[3], bands_[4], bands_[5]},
                                                        {bands_[6], bands_[7], bands_[8]},
                                                        {bands_[9], bands_[10], bands_[11]},
                                                        reciprocals.data(),
                                                        plan_.gain_limit,
                                                        all,
                                                        h_};
    Launch([&](i32 row) { AdmDecoupleRow<S, AdmBinary64Steps>(decouple, row); });
    for (size_t part = 0; part < 2; ++part) {
      auto* term = &terms_[6 * part];
      auto* source = &bands_[6 + 3 * part];
      const AdmThresholdArgs<S> threshold{{source[0], source[1], source[2]},
                                          {term[0], term[1], term[2]},
                                          term[3],
                                          term[4],
                                          term[5],
                                          factors,
                                          all,
                                          columns.inner,
                                          w_,
                                          h_};
      Launch([&](i32 row) { AdmThresholdRow<S>(threshold, row); });
    }
    for (size_t part = 0; part < 2; ++part) {
      AdmNumeratorArgs<S> numerator{};
      for (size_t b = 0; b < 3; ++b) {
        if constexpr (S == 0) {
          numerator.subject[b] = bands_[6 + 3 * part + b];
        } else {
          numerator.subject[b] = terms_[6 * part + b];
        }
      }
      auto* masking = &terms_[6 * (1 - part)];
      numerator.triples = masking[4];
      numerator.centre = masking[5];
      numerator.factors = factors;
      numerator.shifts = plan_.shifts[S].numerator;
      numerator.inner = columns.inner;
      numerator.height = h_;
      numerator.row_end = rows.inner.end;
      Sum(numerator, rows.inner, facts, static_cast<size_t>(S * 9) + part * 3,
          [](const AdmNumeratorArgs<S>& args, i32 row) { AdmNumeratorRow<S>(args, row); });
    }
    AdmDenominatorArgs<S> denominator{{bands_[0], bands_[1], bands_[2]},
                                      {},
                                      plan_.shifts[S].denominator_cube,
                                      plan_.shifts[S].denominator_row,
                                      columns.inner,
                                      rows.inner.end};
    Sum(denominator, rows.inner, facts, static_cast<size_t>(S * 9) + 6,
        [](const AdmDenominatorArgs<S>& args, i32 row) { AdmDenominatorRow<S>(args, row); });
  }

 private:
  /// Idle work-items come first, when nothing that they could write is there yet.
  template <class Body>
  void Launch(const Body& body) const {
    const auto before = Contents();
    for (i32 row = h_ + 3; row >= h_; --row) body(row);
    EXPECT_TRUE(Contents() == before) << "an idle work-item wrote";
    for (i32 row = h_ - 1; row >= 0; --row) body(row);
  }
  template <class Args, class Body>
  void Sum(Args& args, AdmRange rows, std::vector<Fact>& facts, size_t first, const Body& body) {
    std::vector<u64> sums(3 * static_cast<size_t>(h_), 0);
    args.row_sums = {sums.data(), 3, -1};
    for (i32 row = rows.end + 3; row >= rows.end; --row) body(args, row);
    EXPECT_EQ(sums, std::vector<u64>(sums.size(), 0)) << "an idle work-item wrote";
    for (i32 row = rows.end - 1; row >= rows.begin; --row) body(args, row);
    for (size_t i = 0; i < sums.size(); ++i) facts[first + i % 3] += sums[i];
  }
  [[nodiscard]] auto Contents() const { return std::tuple(lines_, low_, bands_, terms_); }

  const AdmPlan& plan_;
  int width_, height_, w_, h_;
  std::vector<DevicePlane<Line>> lines_;
  std::vector<DevicePlane<Low>> low_;
  std::vector<DevicePlane<Band>> bands_;
  std::vector<DevicePlane<i32>> terms_;
};

TEST(AdmRowBodies, RunOverWholePlanesInAnyOrder) {
  for (const auto& [w, h] : {std::pair{33, 46}, {90, 71}, {221, 230}}) {
    AdmPlan plan;
    plan.columns = MakeAdmAxes(w, false);
    plan.rows = MakeAdmAxes(h, false);
    plan.csf = *MakeAdmCsf({});
    plan.gain_limit = 1.2;
    plan.bit_depth = 12;
    for (size_t s = 0; s < 4; ++s) plan.shifts[s] = MakeAdmShifts(static_cast<int>(s), plan.columns[s], plan.rows[s]);
    const Picture picture = MakePicture(Content::kNoise, w, h, plan.bit_depth, 9);
    std::vector<DevicePlane<u16>> samples;
    for (const Plane* plane : {&picture.reference, &picture.distorted}) {
      const AdmRows<u16> rows = samples.emplace_back(w, h);
      for (int y = 0; y < h; ++y) {
        for (int x = 0; x < w; ++x) rows.Row(y)[x] = static_cast<u16>(plane->at(x, y));
      }
    }
    std::vector<Fact> facts(kAdmFacts, 0);
    PlaneScale<0, u16> scale0(w, h, plan);
    scale0.Run(samples, facts);
    PlaneScale<1, i16> scale1((w + 1) / 2, (h + 1) / 2, plan);
    scale1.Run(scale0.low(), facts);
    PlaneScale<2, i32> scale2((w + 3) / 4, (h + 3) / 4, plan);
    scale2.Run(scale1.low(), facts);
    PlaneScale<3, i32> scale3((w + 7) / 8, (h + 7) / 8, plan);
    scale3.Run(scale2.low(), facts);

    Coverage coverage;
    EXPECT_EQ(facts, PlainFacts(picture.reference, picture.distorted, plan.bit_depth,
                                {plan.csf, plan.gain_limit, false, false}, coverage));
  }
}

}  // namespace
}  // namespace lockstep
