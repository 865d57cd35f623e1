// SPDX-License-Identifier: BSD-2-Clause-Patent
// Golden cases with their references to each other resolved.
#pragma once

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace lockstep {

/// Reads tests/golden/GROUP.json. A series written as "=ID" is the one of the same name in the case ID.
class Goldens {
 public:
  nlohmann::json Load(const std::string& group) {
    nlohmann::json document = Parse(group);
    for (nlohmann::json& item : document["cases"]) {
      if (!item.contains("scores")) continue;
      for (auto& [key, series] : item["scores"].items()) {
        if (series.is_string()) series = SeriesOf(series.get<std::string>().substr(1), key);
      }
    }
    return document;
  }

 private:
  static nlohmann::json Parse(const std::string& group) {
    std::ifstream file(std::string(LOCKSTEP_SOURCE_DIR "/tests/golden/") + group + ".json");
    if (!file) throw std::runtime_error("no golden file of " + group);
    return nlohmann::json::parse(file);
  }

  const nlohmann::json& SeriesOf(const std::string& id, const std::string& key) {
    const std::string group = id.substr(0, id.rfind('-'));
    if (!cases_.contains(group)) {
      const nlohmann::json document = Parse(group);
      for (const nlohmann::json& item : document["cases"]) {
        if (item.contains("scores")) cases_[group][item["id"]] = item["scores"];
      }
    }
    return cases_.at(group).at(id).at(key);
  }

  std::map<std::string, std::map<std::string, nlohmann::json>> cases_;
};

}  // namespace lockstep
