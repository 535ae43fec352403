// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/order.h"
#include "runtime/entry/early_launches.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tutti::entry {

namespace {

const memory::Window &window() {
  static const auto mapped = *memory::Window::open({std::uint64_t{1} << 20, 1 << 20, {}, false});
  return *mapped;
}

TEST(EarlyLaunches, TellWhatLaunchesOfAboutTheSameLengthTake) {
  EarlyLaunches launches(window());
  const tutti_region region{};
  EXPECT_FALSE(launches.expected(region, 100));
  EXPECT_TRUE(launches.ranHome(region, 100, 1.0)) << "the first one";
  EXPECT_FALSE(launches.ranHome(region, 100, 1.0));
  EXPECT_DOUBLE_EQ(*launches.expected(region, 50), 0.5);
  EXPECT_DOUBLE_EQ(*launches.expected(region, 200), 2.0);
  EXPECT_FALSE(launches.expected(region, 1000));
}

TEST(EarlyLaunches, BelieveTheShortestOfThoseThatCount) {
  EarlyLaunches launches(window());
  const tutti_region region{};
  launches.ranHome(region, 100, 1.0); // Threads are started in it.
  for (const double seconds : {0.1, 0.2, 0.1, 5.0}) {
    launches.ranHome(region, 100, seconds);
  }
  EXPECT_DOUBLE_EQ(*launches.expected(region, 100), 0.1);
}

TEST(EarlyLaunches, DivideLoopsOnly) {
  tutti_region region{};
  region.flags = TUTTI_REGION_DISTRIBUTABLE | TUTTI_REGION_LOOP | TUTTI_REGION_REDUCES;
  EXPECT_TRUE(EarlyLaunches::isDivisible(region));
  region.flags |= TUTTI_REGION_FORGETS;
  EXPECT_TRUE(EarlyLaunches::isDivisible(region));
  region.flags |= TUTTI_REGION_PRINTS;
  EXPECT_FALSE(EarlyLaunches::isDivisible(region));
  region.flags = TUTTI_REGION_DISTRIBUTABLE; // A general parallel region.
  EXPECT_FALSE(EarlyLaunches::isDivisible(region));
}

} // namespace

} // namespace tutti::entry
