// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion: how much the reference picture moved, as a binary32 low-pass difference.
#pragma once

#include "features/feature.h"

namespace lockstep {

/// facts   the score of each plane against the picture before, a binary32 value in a double: luma or (motion_add_uv) Y,
///         Cb and Cr; with motion_add_scale1 the sum, in binary32, of both resolutions. 0 for the first frame
/// planes  motion_add_uv: of chroma planes with an odd last column or row libvmaf's region is scored, that is, without
///         it; each at least 3x3. With motion_add_scale1 every plane is halved from its own size; libvmaf reads
///         displaced memory there unless the pictures are 4:4:4.
/// scores  With s(n) = (Y + Cb) + Cr in binary64, W(v) = v * motion_fps_weight, clip(v) = min(v, motion_max_val) and
/// t(n)
///         = min(s(n), s(n+1)), or s(n) at the last frame:
///         VMAF_feature_motion2_score  clip(W(t(n)));         0 for the first frame
///         VMAF_feature_motion_score   clip(W(s(n)));         0 for the first frame; unless debug=false
///         VMAF_feature_motion3_score  clip(blend(W(t(n)))); the first frame: clip(blend(W(s(1)))), or 0 when it is
///         alone
/// depth   8 … 16. libvmaf takes 9, 11, 13, 14 and 15 bit for bytes; here they are scaled by 2^(depth - 8) as the
/// others.
///
/// Two requests that differ only in debug are merged to one with the plain score.
extern const FeatureDescription kFloatMotion;

}  // namespace lockstep
