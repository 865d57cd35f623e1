// SPDX-License-Identifier: BSD-2-Clause-Patent
// The C++ API: one request in, one report out. Exceptions of the libraries below end here.
#include "lockstep/score.h"

#include <optional>
#include <thread>
#include <utility>

#include "base/without_exceptions.h"
#include "engine/score_run.h"
#include "lockstep/parity.h"
#include "lockstep/pictures.h"
#include "parity/parity_run.h"

namespace lockstep {
namespace {

constexpr const char* kOutOfMemory = "not enough memory";

// Drivers keep a current device for each thread; the caller's must stay what it is.
template <class Call>
auto OffTheCallersDevice(const ScoreRequest& request, Call call) -> decltype(call()) {
  if (request.backend == "cpu" || request.backend == "auto") return WithoutExceptions(kOutOfMemory, call);
  return WithoutExceptions(kOutOfMemory, [&] {
    std::optional<decltype(call())> result;
    std::jthread([&] { result.emplace(WithoutExceptions(kOutOfMemory, call)); }).join();
    return *std::move(result);
  });
}

}  // namespace

std::string VersionText() { return "lockstep " LOCKSTEP_VERSION; }

Result<Report> Score(const ScoreRequest& request) {
  return OffTheCallersDevice(request, [&]() -> Result<Report> {
    Result<Report> report = RunScore(request);
    if (report) report->tool_version = VersionText();
    return report;
  });
}

Result<Report> ScorePictures(const ScoreRequest& request, const VideoFormat& format, PictureSource& source) {
  return OffTheCallersDevice(request, [&]() -> Result<Report> {
    Result<Report> report = RunScorePictures(request, format, source);
    if (report) report->tool_version = VersionText();
    return report;
  });
}

Result<ParityReport> RunParity(const ParityRequest& request) {
  return WithoutExceptions(kOutOfMemory, [&]() -> Result<ParityReport> {
    Result<ParityReport> report = CompareAll(request);
    if (report) report->tool_version = VersionText();
    return report;
  });
}

Status CheckRequest(const ScoreRequest& request) {
  return WithoutExceptions(kOutOfMemory, [&]() -> Status { return CheckScoreRequest(request); });
}

}  // namespace lockstep
