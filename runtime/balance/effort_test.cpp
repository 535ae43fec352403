// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What cutting a loop costs, counted in instructions: they are the same however busy the machine
/// is.
#include "base/test_instructions.h"
#include "runtime/balance/cut.h"
#include "runtime/balance/rope.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <unistd.h>
#include <vector>

namespace tutti::balance {

namespace {

/// A core of any machine executes as many in this time. Units: microseconds.
constexpr std::int64_t kInstructionsIn50 = 50 * 1000;

class Effort : public testing::Test {
protected:
  void SetUp() override {
    if (const char *reason = test::reasonToCountNone()) {
      GTEST_SKIP() << reason;
    }
  }
};

std::int64_t toCut(std::size_t places) {
  const std::vector<std::uint32_t> weights(places, 1000);
  return *test::instructionsOf([&] { static_cast<void>(cut(1'000'003, weights)); });
}

/// Times from which a border moves, of a loop that is worth it.
std::int64_t toLearn(std::size_t places) {
  Rope rope(std::vector<double>(places, 1.0), Places::Unlike);
  const Rope::Loop loop = rope.addLoop();
  std::vector<PartTime> times;
  for (std::size_t place = 0; place < places; ++place) {
    times.push_back({static_cast<std::int32_t>(place), rope.borders()[place],
                     rope.borders()[place + 1], place % 3 == 0 ? 0.3 : 0.1});
  }
  return *test::instructionsOf([&] {
    if (!rope.add(loop, times, 1, {1e6, 10e9})) {
      _exit(1);
    }
  });
}

TEST_F(Effort, CutsALoopForAThousandDevicesInLessThan50Microseconds) {
  EXPECT_LT(toCut(1000), kInstructionsIn50);
}

TEST_F(Effort, CutsAndLearnsInProportionToPlaces) {
  EXPECT_LT(static_cast<double>(toCut(400)), 2.2 * static_cast<double>(toCut(200)));
  EXPECT_LT(static_cast<double>(toLearn(32)), 2.5 * static_cast<double>(toLearn(16)));
}

} // namespace

} // namespace tutti::balance
