// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/recut.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace tutti::balance {

namespace {

constexpr std::array<std::uint32_t, 4> kEqual{1, 1, 1, 1};

TEST(Recut, TellsHowUnequalPartsAre) {
  const std::array<std::uint32_t, 4> equal{250, 250, 250, 250};
  const std::array<std::uint32_t, 4> shrunk{0, 200, 250, 250};
  const std::array<std::uint32_t, 4> last{0, 0, 0, 100};

  EXPECT_DOUBLE_EQ((Cuts{equal, kEqual}.imbalance()), 0);
  EXPECT_DOUBLE_EQ((Cuts{equal, kEqual}.moved()), 0);
  EXPECT_NEAR((Cuts{shrunk, kEqual}.imbalance()), 250.0 / 175 - 1, 1e-9);
  EXPECT_DOUBLE_EQ((Cuts{shrunk, kEqual}.moved()), 175 + 150 + 75);
  EXPECT_DOUBLE_EQ((Cuts{last, kEqual}.imbalance()), 3);
  EXPECT_DOUBLE_EQ((Cuts{last, kEqual}.moved()), 75) << "and not on the way through the others";
}

TEST(Recut, MovesDataOnceWhatItSparesHasCostAsMuch) {
  Recut recut;
  int launches = 0;
  while (!recut.isDue(0.5, 1e-3, 10e-3)) {
    ASSERT_LT(++launches, 100);
  }
  EXPECT_EQ(launches, 19);
  EXPECT_FALSE(recut.isDue(0.5, 1e-3, 10e-3)) << "it begins anew";
}

TEST(Recut, StaysWherePartsAreNearlyEqual) {
  Recut recut;
  for (int launch = 0; launch < 1000; ++launch) {
    EXPECT_FALSE(recut.isDue(0.01, 1, 1e-6));
  }
}

TEST(Recut, NeverCutsAnewWhatTakesNoLongerThanStarting) {
  Recut recut;
  for (int launch = 0; launch < 100000; ++launch) {
    ASSERT_FALSE(recut.isDue(3, 4e-6, 1e-6, 20e-6));
  }
  EXPECT_TRUE(recut.isDue(3, 6e-6, 1e-6, 20e-6));
}

} // namespace

} // namespace tutti::balance
