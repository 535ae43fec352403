// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/stand_ins.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

/// In place of the heap of a job.
extern "C" void *tutti_aligned_alloc(std::size_t alignment, std::size_t size) {
  return std::aligned_alloc(alignment, size);
}

namespace tutti::entry {

namespace {

using graph::AccessKind;
using model::tasks::KernelArgument;

std::uint64_t addressOf(const void *memory) { return reinterpret_cast<std::uint64_t>(memory); }

graph::Access access(AccessKind kind, const void *memory, std::uint64_t bytes) {
  graph::Access access;
  access.region.begin = addressOf(memory);
  access.region.bytes = bytes;
  access.kind = kind;
  return access;
}

class StandInsTest : public testing::Test {
protected:
  StandInsTest() { std::iota(cells_.begin(), cells_.end(), 1); }

  /// For a task that names `accesses` and hands `argument` on.
  Result<StandIns> of(std::span<const graph::Access> accesses, const int *argument) {
    const KernelArgument pointer{&argument, sizeof argument, true};
    return StandIns::of(accesses, {&pointer, 1}, [this](std::uint64_t address) {
      return address >= addressOf(cells_.data()) && address <= addressOf(cells_.data() + 100);
    });
  }

  static int &cellAt(const StandIns &standIns, const int &cell) {
    return *reinterpret_cast<int *>(standIns.at(addressOf(&cell)));
  }

  std::array<int, 100> cells_{};
};

TEST_F(StandInsTest, CopiesWhatIsNamedAndBringsBackWhatIsWritten) {
  const std::array accesses{access(AccessKind::In, &cells_[10], 40),
                            access(AccessKind::InOut, &cells_[30], 20)};

  const Result<StandIns> made = of(accesses, cells_.data() + 10);
  ASSERT_TRUE(made);
  made->fill();
  EXPECT_EQ(cellAt(*made, cells_[19]), 20);
  EXPECT_EQ(cellAt(*made, cells_[34]), 35);
  cellAt(*made, cells_[19]) = -1;
  cellAt(*made, cells_[34]) = -2;
  made->bringBack();

  EXPECT_EQ(cells_[19], 20);
  EXPECT_EQ(cells_[34], -2);
  EXPECT_EQ(cells_[35], 36);
}

TEST_F(StandInsTest, KeepsDistancesAlsoToAnArgumentInFrontOfWhatIsNamed) {
  const std::array accesses{access(AccessKind::InOut, &cells_[50], 4),
                            access(AccessKind::InOut, &cells_[90], 4)};

  const Result<StandIns> made = of(accesses, cells_.data());
  ASSERT_TRUE(made);

  int *const first = &cellAt(*made, cells_[0]);
  EXPECT_NE(first, cells_.data());
  EXPECT_EQ(&cellAt(*made, cells_[50]), first + 50);
  EXPECT_EQ(&cellAt(*made, cells_[90]), first + 90);
  EXPECT_EQ(made->room().size(), 1U);
}

TEST_F(StandInsTest, BringsBackNoBytesBetweenTheRunsOfABox) {
  const std::array dimensions{tutti_dim{40, 5}};
  graph::Access box = access(AccessKind::Out, &cells_[1], 8);
  box.region.dimensions = dimensions;

  const Result<StandIns> made = of({&box, 1}, &cells_[1]);
  ASSERT_TRUE(made);
  made->fill();
  for (int i = 1; i < 43; ++i) {
    cellAt(*made, cells_[static_cast<std::size_t>(i)]) = 0;
  }
  made->bringBack();

  EXPECT_EQ(cells_[1], 0);
  EXPECT_EQ(cells_[3], 4);
  EXPECT_EQ(cells_[42], 0);
  const std::vector<graph::Access> moved = made->moved({&box, 1});
  EXPECT_EQ(moved[0].region.begin, made->at(box.region.begin));
}

TEST_F(StandInsTest, LeavesAloneWhatDevicesReachAndWhatIsWeak) {
  const int elsewhere = 0;
  graph::Access weak = access(AccessKind::InOut, &cells_[10], 40);
  weak.isWeak = true;
  const std::array accesses{access(AccessKind::In, &elsewhere, 4), weak};

  const Result<StandIns> made = of(accesses, &elsewhere);

  ASSERT_TRUE(made);
  EXPECT_TRUE(made->isEmpty());
  EXPECT_EQ(made->at(addressOf(&elsewhere)), addressOf(&elsewhere));
}

TEST_F(StandInsTest, RefusesWhatSeveralTasksMayWriteAtATime) {
  const std::array accesses{access(AccessKind::Concurrent, &cells_[10], 40)};

  const Result<StandIns> made = of(accesses, cells_.data());

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::NotSupported);
}

} // namespace

} // namespace tutti::entry
