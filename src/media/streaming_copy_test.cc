// SPDX-License-Identifier: BSD-2-Clause-Patent
// Every length and alignment, and nothing beside them.
#include "media/streaming_copy.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "media/test_clips.h"

namespace lockstep {
namespace {

TEST(StreamingCopy, CopiesWhatItIsToldAndNothingElse) {
  constexpr std::size_t kRoom = 400;
  const std::string source = test::NoiseSamples(kRoom, 8, 1);
  alignas(64) std::byte target[kRoom];
  for (std::size_t from = 0; from < 17; ++from) {
    for (std::size_t to = 0; to < 65; ++to) {
      for (std::size_t bytes = 0; bytes < 300; bytes += bytes < 140 ? 1 : 7) {
        std::memset(target, '#', kRoom);
        CopyStreaming(target + to, reinterpret_cast<const std::byte*>(source.data()) + from, bytes);
        FinishStreamingCopies();
        const std::string expected =
            std::string(to, '#') + source.substr(from, bytes) + std::string(kRoom - to - bytes, '#');
        ASSERT_EQ(std::memcmp(target, expected.data(), kRoom), 0) << from << " " << to << " " << bytes;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
