// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reports of regions of several nodes.
#include "runtime/entry/region_sums.h"

#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

namespace tutti::entry {

namespace {

using trace::RegionReport;

/// What a node says of one loop at home and one on devices, with numbers that tell nodes apart.
std::vector<RegionReport> reportsOf(int node) {
  const double unit = node + 1;
  std::vector<RegionReport> reports(2);
  reports[0].source = "a.c:1:1";
  reports[0].addHome(unit);
  reports[1].source = "a.c:9:1";
  reports[1].addDistributed(2 * unit, 5 * unit, true, true);
  reports[1].addDistributed(3 * unit, 7 * unit, false, false);
  reports[1].reasonNoDevice = node == 1 ? "it has no kernel" : "";
  return reports;
}

TEST(RegionSums, AddUpWhatNodesSay) {
  constexpr int kNodes = 3;
  transport::mock::Network network(kNodes);
  std::array<RegionSums, kNodes> sums;
  std::vector<std::thread> nodes;
  for (int node = 0; node < kNodes; ++node) {
    nodes.emplace_back([&, node] {
      const std::unique_ptr<transport::Endpoint> endpoint = network.open(node);
      const std::vector<RegionReport> own = reportsOf(node);
      EXPECT_TRUE(sums[node].gather(*endpoint, own));
    });
  }
  for (std::thread &node : nodes) {
    node.join();
  }

  for (const RegionSums &each : sums) {
    const std::vector<RegionReport> all = each.all();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].source, "a.c:1:1");
    EXPECT_EQ(all[0].seconds, 6);
    EXPECT_EQ(all[0].secondsHome, 6);
    EXPECT_EQ(all[1].launches, 6U);
    EXPECT_EQ(all[1].distributed, 6U);
    EXPECT_EQ(all[1].onDevices, 3U);
    EXPECT_EQ(all[1].steadyLaunches, 3U);
    EXPECT_EQ(all[1].seconds, 30);
    EXPECT_EQ(all[1].secondsAway, 30);
    EXPECT_EQ(all[1].secondsInstead, 72);
    EXPECT_EQ(all[1].reasonNoDevice, "it has no kernel");
  }
}

} // namespace

} // namespace tutti::entry
