// SPDX-License-Identifier: BSD-2-Clause-Patent
// motion and motion_v2: how much the reference picture moved, as an integer low-pass difference.
#pragma once

#include "features/feature.h"

namespace lockstep {

/// facts   sum of absolute filtered differences to the earlier reference picture, unit 1/256 code value, of luma or
///         (motion_add_uv) of Y, Cb and Cr; 0 where there is no earlier picture. u64
/// planes  motion_add_uv filters whole chroma planes, odd sizes rounded up, each of at least 3x3
/// scores  With M = 1, or 2 with motion_five_frame_window, the score of frame n is 0 for n < M, else
///         s(n) = clip(x * motion_fps_weight), clip(v) = min(v, motion_max_val), where x = Y or x = (Y + Cb) + Cr and
///         each plane is (sum / 256) / samples. Weight and clip apply to the sum of the planes, once.
///         VMAF_integer_feature_motion_sad_score   s(n)
///         VMAF_integer_feature_motion_score       s(n), with debug=true
///         VMAF_integer_feature_motion2_score      min(s(n), s(n+1)); with the window min(s(n-1), s(n+1)), from n = 3
///         on,
///                                                 and s(3) at n = 2. The last frame: s(n). 0 for n < M
///         VMAF_integer_feature_motion3_score      clip(blend(motion2)), with motion_moving_average the mean with the
///                                                 frame before; for n < M clip(blend(s(M))), or 0 when there is no
///                                                 s(M)
/// depth   8 … 16
extern const FeatureDescription kMotion;

/// The same numbers as motion under the names motion_v2_sad, motion_v2 (debug=true), motion2_v2 and motion3_v2.
extern const FeatureDescription kMotionV2;

}  // namespace lockstep
