// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/trace/counters.h"

#include <gtest/gtest.h>

namespace tutti::trace {

namespace {

TEST(Report, HasRegionsInTheOrderOfTheSource) {
  Report report;
  for (const char *source : {"b.c:9:1", "a.c:101:1", "a.c:37:20", "a.c:37:3", "a.c"}) {
    report.regions.emplace_back().source = source;
  }

  report.sortRegions();

  std::string order;
  for (const RegionReport &region : report.regions) {
    order += std::string(region.source) + " ";
  }
  EXPECT_EQ(order, "a.c a.c:37:3 a.c:37:20 a.c:101:1 b.c:9:1 ");
}

} // namespace

} // namespace tutti::trace
