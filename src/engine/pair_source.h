// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where the pipeline gets its pictures: pairs of reference and distorted, in order.
#pragma once

#include "base/frame.h"
#include "base/pool.h"
#include "lockstep/result.h"

namespace lockstep {

struct FramePair {
  Pool<Frame>::Ref reference;
  Pool<Frame>::Ref distorted;
};

class PairSource {
 public:
  virtual ~PairSource() = default;
  /// The next pair in `pair`; false at the end of the sequence. May block on its inputs. One thread at a time.
  [[nodiscard]] virtual Result<bool> Next(FramePair& pair) = 0;
  /// Makes a blocked or later Next() fail with kCancelled. Callable from any thread.
  virtual void Cancel() = 0;
};

}  // namespace lockstep
