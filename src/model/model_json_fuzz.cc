// SPDX-License-Identifier: BSD-2-Clause-Patent
// Any bytes as a model file: an error or a model, and a model predicts without reading outside its arrays.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const lockstep::ModelFlags flags{size % 2 == 1, size % 3 == 1};
  const lockstep::Result<lockstep::LoadedModel> loaded = lockstep::ParseModelJson(text, "fuzz", flags);
  if (!loaded) {
    if (loaded.error().message.empty() || loaded.error().file != "fuzz") std::abort();
    return 0;
  }
  for (const double value : {0.0, 0.5, -1e300}) {
    std::vector<double> scores(loaded->main.features().size(), value);
    (void)loaded->main.Predict(scores);
    std::vector<std::vector<double>> of_members;
    for (const lockstep::Model& member : loaded->members) of_members.emplace_back(member.features().size(), value);
    if (loaded->is_collection()) (void)lockstep::PredictBootstrap(loaded->members, of_members);
  }
  return 0;
}
