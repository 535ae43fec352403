// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/large_blocks.h"
#include "runtime/model/fragments/value.h"

#include <gtest/gtest.h>

namespace tutti::model::fragments {
namespace {

constexpr std::size_t kBytes = 2 * kLargeBlock;

Value make(std::size_t bytes) { return {Kind::Bytes, Buffer::make(bytes)}; }

TEST(LargeBlocks, OfSteadyStepsComeFromTheSystemOnce) {
  const std::uint64_t before = largeBlocksOfSystem();
  Value level = make(kBytes);
  for (int step = 0; step < 100; ++step) {
    level = make(kBytes);
  }
  EXPECT_EQ(largeBlocksOfSystem(), before + 2);
}

TEST(LargeBlocks, AreNotKeptWhereMoreWouldBeKeptThanUsed) {
  {
    const Value alone = make(kBytes + 1);
  }
  const std::uint64_t before = largeBlocksOfSystem();
  const Value next = make(kBytes + 1);
  EXPECT_EQ(largeBlocksOfSystem(), before + 1);
}

TEST(LargeBlocks, LeaveSmallOnesToTheSystem) {
  const std::uint64_t before = largeBlocksOfSystem();
  const Value small = make(kLargeBlock / 2);
  EXPECT_EQ(largeBlocksOfSystem(), before);
}

} // namespace
} // namespace tutti::model::fragments
