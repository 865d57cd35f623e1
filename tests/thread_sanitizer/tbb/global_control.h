// SPDX-License-Identifier: BSD-2-Clause-Patent
// A stand-in for oneTBB's global_control under the thread sanitizer: see parallel_pipeline.h.
#pragma once

#include <cstddef>

namespace tbb {

class global_control {
 public:
  enum parameter { max_allowed_parallelism };
  global_control(parameter /*what*/, std::size_t /*value*/) {}
};

}  // namespace tbb
