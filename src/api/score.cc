// SPDX-License-Identifier: BSD-2-Clause-Patent
// The C++ API: one request in, one report out. Exceptions of the libraries below end here.
#include "lockstep/score.h"

#include <exception>
#include <new>

#include "engine/score_run.h"
#include "lockstep/parity.h"
#include "lockstep/pictures.h"
#include "parity/parity_run.h"

namespace lockstep {
namespace {

template <class Call>
auto WithoutExceptions(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "not enough memory", {}, {}, {}};
  } catch (const std::exception& failure) {
    return Error{ErrorCode::kInternal, failure.what(), {}, {}, {}};
  }
}

}  // namespace

std::string VersionText() { return "lockstep " LOCKSTEP_VERSION; }

Result<Report> Score(const ScoreRequest& request) {
  return WithoutExceptions([&]() -> Result<Report> {
    Result<Report> report = RunScore(request);
    if (report) report->tool_version = VersionText();
    return report;
  });
}

Result<Report> ScorePictures(const ScoreRequest& request, const VideoFormat& format, PictureSource& source) {
  return WithoutExceptions([&]() -> Result<Report> {
    Result<Report> report = RunScorePictures(request, format, source);
    if (report) report->tool_version = VersionText();
    return report;
  });
}

Result<ParityReport> RunParity(const ParityRequest& request) {
  return WithoutExceptions([&]() -> Result<ParityReport> {
    Result<ParityReport> report = CompareAll(request);
    if (report) report->tool_version = VersionText();
    return report;
  });
}

Status CheckRequest(const ScoreRequest& request) {
  return WithoutExceptions([&]() -> Status { return CheckScoreRequest(request); });
}

}  // namespace lockstep
