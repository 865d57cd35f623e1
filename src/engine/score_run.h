// SPDX-License-Identifier: BSD-2-Clause-Patent
// One scoring run from request to report.
#pragma once

#include "lockstep/pictures.h"
#include "lockstep/report.h"
#include "lockstep/result.h"
#include "lockstep/score.h"

namespace lockstep {

/// Like Score() of the public API, but may throw std::bad_alloc; the report lacks the tool's version.
[[nodiscard]] Result<Report> RunScore(const ScoreRequest& request);

/// Like ScorePictures() of the public API, in the same way.
[[nodiscard]] Result<Report> RunScorePictures(const ScoreRequest& request, const VideoFormat& format,
                                              PictureSource& source);

/// Everything that can be refused before a picture is read.
[[nodiscard]] Status CheckScoreRequest(const ScoreRequest& request);

}  // namespace lockstep
