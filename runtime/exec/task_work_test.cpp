// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Plans of tasks on the only device of rank 0.
#include "runtime/exec/planner.h"
#include "runtime/exec/task_work.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tutti::exec {

namespace {

using memory::kHeapBase;
using memory::kPageBytes;

constexpr Place kDevice = 1;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({512 << 20, 1 << 20, {}, false});
  return *mapped;
}

class TaskWorkTest : public testing::Test {
protected:
  std::shared_ptr<const Plan> plan(const std::vector<TaskAccess> &accesses) {
    Launch launch;
    launch.region = &taskRegion();
    launch.captures = capturesOf(accesses);
    launch.total = 1;
    launch.shares = {{kDevice, 1}};
    const auto plan = planner_.plan(launch).plan;
    EXPECT_EQ(plan->reasonHome, "");
    planner_.commit(*plan);
    return plan;
  }

  static TaskAccess bytes(std::uint32_t flags, std::uint64_t begin, std::uint64_t size) {
    return {flags, kHeapBase + begin, size, {}};
  }

  static Range range(std::uint64_t begin, std::uint64_t end) {
    return {kHeapBase + begin, kHeapBase + end};
  }

  memory::Topology topology_{{1}};
  Rooms rooms_{window(), {{64 * kMiB, 2 * kMiB}}};
  Planner planner_{0, topology_, window(), rooms_};
};

constexpr std::uint32_t kInOut = TUTTI_READ | TUTTI_WRITE;
constexpr std::uint32_t kOut = TUTTI_WRITE | TUTTI_AT_MOST;

TEST_F(TaskWorkTest, BringsWhatTheTaskNamesOnce) {
  const auto first = plan({bytes(TUTTI_READ, 0, 100), bytes(kInOut, 4096, 50)});
  const auto second = plan({bytes(TUTTI_READ, 0, 100), bytes(kInOut, 4096, 50)});

  ASSERT_EQ(first->copies.size(), 1U);
  EXPECT_EQ(first->copies[0].to, kDevice);
  ASSERT_EQ(first->devices.size(), 1U);
  EXPECT_TRUE(second->copies.empty());
  EXPECT_TRUE(second->isInPlace);
}

TEST_F(TaskWorkTest, BringsWhatATaskMayLeaveAsItWas) {
  const auto out = plan({bytes(kOut, 0, 100)});

  ASSERT_EQ(out->copies.size(), 1U);
  EXPECT_EQ(out->copies[0].ranges, RangeSet::of({range(0, 100)}));
}

TEST_F(TaskWorkTest, TakesNothingOverOfTheGapsThatTravelAlong) {
  const auto both = plan({bytes(TUTTI_READ, 0, 8), bytes(TUTTI_READ, 64, 8)});

  ASSERT_EQ(both->copies.size(), 1U);
  EXPECT_EQ(both->copies[0].ranges, RangeSet::of({range(0, 72)})); // A single copy is cheaper.
  EXPECT_EQ(both->exchanged, RangeSet::of({range(0, 8), range(64, 72)}));
}

TEST_F(TaskWorkTest, ProtectsPagesThatBlocksShare) {
  const auto block = plan({bytes(kInOut, 100, 8000)});

  EXPECT_TRUE(block->returns.empty());
  EXPECT_EQ(block->absentPages, RangeSet::of({range(0, 2 * kPageBytes)}));
}

TEST_F(TaskWorkTest, KnowsBoxes) {
  const std::vector<tutti_dim> rows{{1024, 4}};
  const TaskAccess tile{kInOut, kHeapBase, 64, rows};

  const auto box = plan({tile});

  ASSERT_EQ(box->devices.size(), 1U);
  EXPECT_EQ(box->devices[0].writes.bytes(), 4U * 64);
}

} // namespace

} // namespace tutti::exec
