// SPDX-License-Identifier: BSD-2-Clause-Patent
// The frame scaler on libswscale.
#pragma once

#include <memory>

#include "lockstep/result.h"
#include "media/frame_scaler.h"

namespace lockstep {

/// As FrameScaler::Create().
[[nodiscard]] Result<std::unique_ptr<FrameScaler>> MakeSwsScaler(const VideoFormat& from, const VideoFormat& to);

}  // namespace lockstep
