// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi's tables and sizes, made once for a picture format.
#include "features/cambi/cambi_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "exact/elementary.h"

namespace lockstep {
namespace {

// Codes of black and white.
constexpr int kFoot = 64;
constexpr int kHead = 940;

constexpr int kMinimumSide = 216;  // one side of it is enough

double Bt1886Luminance(double signal) {
  constexpr double kGamma = 2.4;
  constexpr double kWhite = 300.0;
  constexpr double kBlack = 0.01;
  const double white_root = exact::Pow(kWhite, 1.0 / kGamma);
  const double black_root = exact::Pow(kBlack, 1.0 / kGamma);
  const double gain = exact::Pow(white_root - black_root, kGamma);
  const double lift = black_root / (white_root - black_root);
  return gain * exact::Pow(std::max(signal + lift, 0.0), kGamma);
}

double PqLuminance(double signal) {
  constexpr double kM1 = 0.1593017578125;
  constexpr double kM2 = 78.84375;
  constexpr double kC1 = 0.8359375;
  constexpr double kC2 = 18.8515625;
  constexpr double kC3 = 18.6875;
  const double power = exact::Pow(signal, 1.0 / kM2);
  return 10000.0 * exact::Pow(std::max(power - kC1, 0.0) / (kC2 - kC3 * power), 1.0 / kM1);
}

// The code at which a step of d codes is visible last, by bisection of [kFoot, kHead].
class VisibilityLimit {
 public:
  VisibilityLimit(CambiTransfer transfer, double threshold, int step)
      : transfer_(transfer), threshold_(threshold), step_(step) {}

  int Find() const {
    int foot = kFoot;
    int head = kHead - step_ - 1;
    if (const Side side = SideOf(foot); side != Side::kBelow) return side == Side::kAbove ? 0 : foot;
    if (const Side side = SideOf(head); side != Side::kAbove) {
      constexpr int kNoLimit = 1023;
      return side == Side::kBelow ? kNoLimit : head;
    }
    // The code after `foot` is visible and `head` is not, so that there is always a code between them.
    for (;;) {
      const int middle = foot + (head - foot) / 2;
      const Side side = SideOf(middle);
      if (side == Side::kAt) return middle;
      (side == Side::kAbove ? head : foot) = middle;
    }
  }

 private:
  enum class Side { kBelow, kAt, kAbove };

  bool IsVisible(int code) const {
    const double luminance = CambiLuminance(transfer_, code);
    return CambiLuminance(transfer_, code + step_) - luminance > threshold_ * luminance;
  }
  Side SideOf(int code) const {
    if (!IsVisible(code)) return Side::kAbove;
    return IsVisible(code + 1) ? Side::kBelow : Side::kAt;
  }

  CambiTransfer transfer_;
  double threshold_;
  int step_;
};

std::array<float, kCambiMaximumPixels + 1> MakeReciprocals() {
  std::array<float, kCambiMaximumPixels + 1> table{};
  for (int n = 1; n <= kCambiMaximumPixels; ++n) {
    // Nine digits of 1/n as a whole number of units of 1 / scale; no n has a tie among its digits.
    constexpr i64 kFirstDigit = 100'000'000;
    i64 scale = kFirstDigit;
    while (scale / n < kFirstDigit) scale *= 10;
    const i64 digits = (2 * scale + n) / (2 * n);
    // The quotient is rounded twice, which for none of these numbers differs from once.
    table[static_cast<std::size_t>(n)] = static_cast<float>(static_cast<double>(digits) / static_cast<double>(scale));
  }
  return table;
}

// Positions of the samples that nearest-neighbour resampling takes. They are added up in binary32, whose rounding is
// part of the definition; where that leads beyond the picture, the last sample is taken.
std::vector<i32> ResampledPositions(int source, int target) {
  const float step = static_cast<float>(source) / static_cast<float>(target);
  float position = static_cast<float>(static_cast<double>(step / 2.0f) - 0.5);
  std::vector<i32> positions(static_cast<std::size_t>(target));
  for (i32& sample : positions) {
    sample = std::min(static_cast<i32>(static_cast<double>(position) + 0.5), source - 1);
    position = position + step;
  }
  return positions;
}

CambiShape MakeShape(int width, int height, int window_size, bool has_speedup, const VideoFormat& format) {
  CambiShape shape;
  shape.width = width;
  shape.height = height;
  shape.window = CambiWindow(window_size, width, height, has_speedup);
  if (width != format.width || height != format.height) {
    shape.columns = ResampledPositions(format.width, width);
    shape.rows = ResampledPositions(format.height, height);
  }
  return shape;
}

struct Sizes {
  PlaneSize encode;
  PlaneSize source;
};

Sizes SizesOf(const OptionValues& options, const VideoFormat& format) {
  const PlaneSize picture = {format.width, format.height};
  Sizes sizes = {{options.GetInt("enc_width"), options.GetInt("enc_height")},
                 {options.GetInt("src_width"), options.GetInt("src_height")}};
  // An encode that was larger than the picture is not scaled up again.
  if (sizes.encode.width == 0 || sizes.encode.height == 0 || sizes.encode.height > picture.height ||
      sizes.encode.width > picture.width) {
    sizes.encode = picture;
  }
  if (sizes.source.width == 0 || sizes.source.height == 0) sizes.source = picture;
  return sizes;
}

Status CheckSizes(const Sizes& sizes, const PlaneSize& picture) {
  for (auto [name, size] : {std::pair("the encode is", sizes.encode), std::pair("the source is", sizes.source)}) {
    if (size.width >= kMinimumSide || size.height >= kMinimumSide) continue;
    if (size == picture) name = "pictures are";
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{} {}x{}, but cambi needs a width or a height of at least {}", name, size.width,
                             size.height, kMinimumSide),
                 {},
                 {},
                 {}};
  }
  const PlaneSize& encode = sizes.encode;
  const PlaneSize& source = sizes.source;
  if ((source.width > encode.width && source.height < encode.height) ||
      (source.width < encode.width && source.height > encode.height)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the source is {}x{} and the encode {}x{}; neither may be wider and less high than the "
                             "other one",
                             source.width, source.height, encode.width, encode.height),
                 {},
                 {},
                 {}};
  }
  return {};
}

bool HasSpeedup(int resolution, const PlaneSize& encode) {
  const i64 pixels = i64{encode.width} * encode.height;
  return (resolution == 1080 && pixels >= 1920 * 1080) || (resolution == 1440 && pixels >= 2560 * 1440) ||
         (resolution == 2160 && pixels >= 3840 * 2160);
}

CambiTransfer TransferOf(const OptionValues& options) {
  const bool is_pq = options.GetString("eotf") == "pq" || options.GetString("cambi_eotf") == "pq";
  return is_pq ? CambiTransfer::kPq : CambiTransfer::kBt1886;
}

}  // namespace

double CambiLuminance(CambiTransfer transfer, int code) {
  const double signal = static_cast<double>(std::clamp(code, kFoot, kHead) - kFoot) / (kHead - kFoot);
  return transfer == CambiTransfer::kPq ? PqLuminance(signal) : Bt1886Luminance(signal);
}

CambiVisibility MakeCambiVisibility(CambiTransfer transfer, double threshold, double dark_luminance,
                                    int max_log_contrast) {
  CambiVisibility visibility = {};
  visibility.contrasts = 1 << max_log_contrast;
  for (int d = 1; d <= visibility.contrasts; ++d) {
    visibility.limits[d] = VisibilityLimit(transfer, threshold, d).Find();
  }
  int code = kFoot;
  while (code < kHead && CambiLuminance(transfer, code) < dark_luminance) ++code;
  visibility.low_limit = code == kFoot ? 0 : code;
  return visibility;
}

const std::array<float, kCambiMaximumPixels + 1>& CambiReciprocals() {
  static const std::array<float, kCambiMaximumPixels + 1> table = MakeReciprocals();
  return table;
}

Result<CambiSettings> MakeCambiSettings(const OptionValues& options, const VideoFormat& format) {
  const Sizes sizes = SizesOf(options, format);
  if (Status status = CheckSizes(sizes, {format.width, format.height}); !status) return std::move(status).error();

  CambiSettings settings;
  settings.bit_depth = format.bit_depth;
  const int encode_depth = options.GetInt("enc_bitdepth");
  settings.removes_dither = (encode_depth == 0 ? format.bit_depth : encode_depth) < 10;
  settings.has_speedup = HasSpeedup(options.GetInt("cambi_high_res_speedup"), sizes.encode);
  settings.has_reference = options.GetBool("full_ref");
  constexpr double kDefaultFraction = 0.6;
  const double fraction = options.GetDouble("topk");
  settings.pooled_fraction = fraction != kDefaultFraction ? fraction : options.GetDouble("cambi_topk");
  settings.maximum = options.GetDouble("cambi_max_val");
  settings.visibility =
      MakeCambiVisibility(TransferOf(options), options.GetDouble("tvi_threshold"),
                          options.GetDouble("cambi_vis_lum_threshold"), options.GetInt("max_log_contrast"));
  const int window_size = options.GetInt("window_size");
  settings.distorted = MakeShape(sizes.encode.width, sizes.encode.height, window_size, settings.has_speedup, format);
  settings.reference = MakeShape(sizes.source.width, sizes.source.height, window_size, settings.has_speedup, format);
  const int window = std::max(settings.distorted.window, settings.reference.window);
  if (window > kCambiMaximumWindow) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("the window is {} pixels wide, but at most {} are possible; choose a smaller window_size",
                             window, kCambiMaximumWindow),
                 {},
                 {},
                 {}};
  }
  return settings;
}

}  // namespace lockstep
