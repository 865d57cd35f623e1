// SPDX-License-Identifier: BSD-2-Clause-Patent
// The parity report as JSON.
#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>
#include <string>

#include "lockstep/parity.h"
#include "report/text_escapes.h"
#include "report/text_file.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

// Raised whenever a key is removed or changes its meaning; new keys do not raise it.
constexpr const char* kSchema = "lockstep-parity-1";

const char* StateName(ParityState state) {
  switch (state) {
    case ParityState::kEqual:
      return "equal";
    case ParityState::kDiffers:
      return "differs";
    case ParityState::kMissing:
      return "missing";
  }
  return "";
}

Json CellJson(const ParityCell& cell) {
  Json json;
  json["feature"] = ValidUtf8(cell.feature);
  json["options"] = ValidUtf8(cell.options);
  json["clip"] = ValidUtf8(cell.clip);
  json["backend"] = cell.backend;
  json["target"] = cell.target;
  json["state"] = StateName(cell.state);
  json["values"] = cell.values;
  json["differences"] = cell.differences;
  if (!cell.detail.empty()) json["detail"] = ValidUtf8(cell.detail);
  return json;
}

}  // namespace

Status WriteParityReport(const ParityReport& report, const std::string& path) {
  try {
    const auto count = [&](ParityState state) {
      return std::count_if(report.cells.begin(), report.cells.end(),
                           [&](const ParityCell& cell) { return cell.state == state; });
    };
    Json json;
    json["schema"] = kSchema;
    json["version"] = report.tool_version;
    json["reference"] = report.reference;
    json["tolerance"] = 0;
    json["all_equal"] = report.all_equal();
    for (const ParityState state : {ParityState::kEqual, ParityState::kDiffers, ParityState::kMissing}) {
      json["cell_counts"][StateName(state)] = count(state);
    }
    json["cells"] = Json::array();
    for (const ParityCell& cell : report.cells) json["cells"].push_back(CellJson(cell));
    json["processor_only"] = report.processor_only;
    json["refused"] = Json::array();
    for (const ParityRefusal& refusal : report.refusals) {
      json["refused"].push_back({{"feature", ValidUtf8(refusal.feature)},
                                 {"options", ValidUtf8(refusal.options)},
                                 {"reason", ValidUtf8(refusal.reason)}});
    }
    return WriteTextFile(json.dump(1) + "\n", path);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "not enough memory for the report", path, {}, {}};
  }
}

}  // namespace lockstep
