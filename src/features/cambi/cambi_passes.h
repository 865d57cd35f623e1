// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi's passes over the planes of one picture: the scalar code, which says what every other code computes.
#pragma once

#include "base/frame.h"
#include "features/cambi/cambi_arithmetic.h"
#include "features/cambi/cambi_planes.h"
#include "features/cambi/cambi_settings.h"

namespace lockstep {

/// 10-bit codes of luma, resampled to the shape's size.
void CambiConvert(const PlaneView& luma, int bit_depth, const CambiShape& shape, const CambiCodePlane& codes);

/// The anti-dithering filter, in place.
void CambiRemoveDither(const CambiCodePlane& codes);

/// Marks pixels outside the mask, and takes every `step`-th pixel and row.
/// in    marked has ceil(size / step); flat: a plane for CambiIsFlat() of each pixel
void CambiMarkMask(const CambiCodePlane& codes, i32 step, const CambiPlane<u8>& flat, const CambiCodePlane& marked);

/// Takes every second pixel of every second row.
void CambiDecimate(const CambiCodePlane& marked, const CambiCodePlane& smaller);

/// The mode filter on codes: along rows, then along columns. Marks stay where they are.
/// edge    the first and the last row stay as they are; the first and the last column are filtered vertically only
void CambiFilterModes(const CambiCodePlane& marked, const CambiCodePlane& filtered);

/// The greatest contrast of each pixel in the mask with the pixels of the mask in the window around it, 0 outside.
/// in      counts: a plane of the picture's width with as many rows as CambiCodesThatCount() has codes
/// edge    the window is cut at the border of the picture
void CambiFindContrasts(const CambiCodePlane& marked, const CambiVisibility& visibility, i32 window,
                        const CambiPlane<u16>& counts, const CambiContrastPlane& contrasts);

}  // namespace lockstep
