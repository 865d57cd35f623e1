// SPDX-License-Identifier: BSD-2-Clause-Patent
// Planes that cambi's passes read and write.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// Elements behind each row of a plane of cambi's workspace that may be read and written.
inline constexpr i32 kCambiRowPadding = 64;

template <class T>
struct CambiPlane {
  T* data = nullptr;
  i64 stride = 0;  // in elements
  i32 width = 0;
  i32 height = 0;

  [[nodiscard]] T* Row(i32 y) const { return data + y * stride; }
};

/// Codes, or marked codes: with kCambiMark where a pixel is outside the mask.
using CambiCodePlane = CambiPlane<u16>;
using CambiContrastPlane = CambiPlane<float>;

}  // namespace lockstep
