// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums over the blocks of xpsnr by vector instructions: the integers of xpsnr_arithmetic.h.
#pragma once

#include "base/kernel_prelude.h"
#include "features/xpsnr/xpsnr_arithmetic.h"
#include "features/xpsnr/xpsnr_weights.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// First sample of a plane; 63 bytes after each row may be read.
struct XpsnrPlane {
  const void* data = nullptr;
  i64 stride = 0;  // in samples

  template <class Sample>
  [[nodiscard]] const Sample* row(i32 y) const {
    return static_cast<const Sample*>(data) + stride * y;
  }
};

/// Luma of the pictures that a block's sums need.
struct XpsnrPictures {
  XpsnrPlane reference;
  XpsnrPlane distorted;
  XpsnrPlane previous;
  XpsnrPlane earlier;  // without data: changes are those between two pictures
  i32 width = 0;
  i32 height = 0;
  bool of_four = false;
};

/// A part of two planes, and the block's sums or the squared error alone.
using XpsnrBlockSimd = XpsnrBlockSums (*)(const XpsnrPictures& pictures, const XpsnrBlock& block);
using XpsnrErrorSimd = u64 (*)(const XpsnrPlane& reference, const XpsnrPlane& distorted, const XpsnrBlock& block);

struct XpsnrSimd {
  XpsnrBlockSimd block = nullptr;
  XpsnrErrorSimd error = nullptr;
};

/// Functions are nullptr where there is only the scalar code.
[[nodiscard]] XpsnrSimd ChooseXpsnrSimd(CpuTarget target, int bit_depth);

/// The scalar code of the same.
[[nodiscard]] XpsnrSimd ScalarXpsnr(int bit_depth);

}  // namespace lockstep
