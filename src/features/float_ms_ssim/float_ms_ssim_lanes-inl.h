// SPDX-License-Identifier: BSD-2-Clause-Patent
// Halving of a plane on lanes, an output column each; read once for each target.
#if defined(LOCKSTEP_FEATURES_FLOAT_MS_SSIM_FLOAT_MS_SSIM_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_FLOAT_MS_SSIM_FLOAT_MS_SSIM_LANES_INL_H_
#undef LOCKSTEP_FEATURES_FLOAT_MS_SSIM_FLOAT_MS_SSIM_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_FLOAT_MS_SSIM_FLOAT_MS_SSIM_LANES_INL_H_
#endif

#include "features/float_ms_ssim/float_ms_ssim_arithmetic.h"
#include "features/float_ms_ssim/float_ms_ssim_simd.h"
#include "features/float_ssim/float_ssim_arithmetic.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

/// The samples of a row by the parity of their column: [i] of `even` is sample 2i, [i] of `odd` sample 2i + 1.
struct MsSsimSplitRow {
  float* even;
  float* odd;
};

/// Where the lines of split rows are. Samples before and behind the row are mirrored ones.
struct MsSsimLines {
  static constexpr i64 kMargin = 16;  // floats: keeps rows aligned

  explicit MsSsimLines(const SsimDecimateArgs& args)
      : pitch(SsimPitch(SsimDecimatedLength(args.plane.width, 2)) + kMargin), first(static_cast<float*>(args.lines)) {}

  /// in    y >= -kMsSsimRadius; the rows of one kernel have different places
  [[nodiscard]] MsSsimSplitRow Row(i32 y) const {
    float* const line = first + (y + kMsSsimTaps) % kMsSsimTaps * 2 * pitch + kMargin;
    return {line, line + pitch};
  }

  i64 pitch;
  float* first;
};

template <class Sample>
LOCKSTEP_LANE_PASS void MsSsimSplit(const Sample* __restrict row, i32 width, float inverse_scaler,
                                    float* __restrict even, float* __restrict odd) {
  const i32 pairs = width / 2;
  for (i32 i = 0; i < pairs; ++i) {
    even[i] = static_cast<float>(row[2 * i]) * inverse_scaler;
    odd[i] = static_cast<float>(row[2 * i + 1]) * inverse_scaler;
  }
  const auto sample = [&](i32 x) { return static_cast<float>(row[SsimMirror(x, width)]) * inverse_scaler; };
  for (i32 i = -kMsSsimRadius / 2; i < 0; ++i) {
    even[i] = sample(2 * i);
    odd[i] = sample(2 * i + 1);
  }
  for (i32 i = pairs; i <= pairs + kMsSsimRadius / 2; ++i) {
    even[i] = sample(2 * i);
    odd[i] = sample(2 * i + 1);
  }
}

inline void MsSsimSplitRowOf(const SsimPlane& plane, i32 y, const MsSsimSplitRow& out) {
  const i64 offset = SsimMirror(y, plane.height) * plane.stride;
  switch (plane.type) {
    case SsimSampleType::kU8:
      MsSsimSplit(static_cast<const u8*>(plane.data) + offset, plane.width, plane.inverse_scaler, out.even, out.odd);
      break;
    case SsimSampleType::kU16:
      MsSsimSplit(static_cast<const u16*>(plane.data) + offset, plane.width, plane.inverse_scaler, out.even, out.odd);
      break;
    case SsimSampleType::kFloat:
      MsSsimSplit(static_cast<const float*>(plane.data) + offset, plane.width, 1.0f, out.even, out.odd);
      break;
  }
}

/// in      rows: those under the kernel, from top to bottom
template <class L>
LOCKSTEP_LANE_PASS void MsSsimHalvedRow(const MsSsimSplitRow* rows, i32 width, float* out) {
  for (i32 x = 0; x < width; x += L::N) {
    auto sum = L::ToD(L::SetF(0.0f));
    for (i32 v = 0; v < kMsSsimTaps; ++v) {
      const float* const even = rows[v].even + x;
      const float* const odd = rows[v].odd + x;
      const float* const taps = kMsSsimKernel.values + v * kMsSsimTaps;
      Unroll<0, kMsSsimTaps>([&](auto u) __attribute__((always_inline)) {
        constexpr i32 kColumn = decltype(u)::value - kMsSsimRadius;
        // Columns of odd distance: those at 2i + 1 from the output's.
        const float* const samples = kColumn % 2 == 0 ? even + kColumn / 2 : odd + (kColumn - 1) / 2;
        sum = L::AddD(sum, L::ToD(L::MulF(L::Load(samples), L::SetF(taps[u]))));
      });
    }
    L::Store(L::ToF(sum), out + x);
  }
}

template <class L>
LOCKSTEP_LANE_INLINE void MsSsimHalveOnLanes(const SsimDecimateArgs& args) {
  const MsSsimLines lines(args);
  const i32 width = SsimDecimatedLength(args.plane.width, 2);
  const i32 height = SsimDecimatedLength(args.plane.height, 2);
  i32 loaded = -kMsSsimRadius;
  for (i32 y = 0; y < height; ++y) {
    for (; loaded <= 2 * y + kMsSsimRadius; ++loaded) MsSsimSplitRowOf(args.plane, loaded, lines.Row(loaded));
    MsSsimSplitRow rows[kMsSsimTaps];
    for (i32 v = 0; v < kMsSsimTaps; ++v) rows[v] = lines.Row(2 * y - kMsSsimRadius + v);
    MsSsimHalvedRow<L>(rows, width, args.out + y * args.out_stride);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
