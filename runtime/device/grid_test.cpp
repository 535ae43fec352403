// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/grid.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace tutti::device {

namespace {

using Extents = std::vector<std::int64_t>;
using Groups = std::array<std::uint64_t, 3>;
using Group = std::array<std::uint32_t, 3>;

/// A device with the limits of a current GPU.
Info gpu() {
  Info info;
  info.units = 10;
  info.maxGroup = 1024;
  info.localBytes = 48 << 10;
  info.maxGroupOf = {1024, 1024, 64};
  info.maxGroups = {(std::uint64_t{1} << 31) - 1, 65535, 65535};
  return info;
}

TEST(Grid, GivesEveryIterationAWorkItem) {
  const Grid line = gridFor(Extents{3000}, gpu(), {});
  const Grid plane = gridFor(Extents{1000, 10}, gpu(), {});
  const Grid space = gridFor(Extents{100, 10, 5}, gpu(), {});

  EXPECT_EQ(line.group, (Group{256, 1, 1}));
  EXPECT_EQ(line.groups, (Groups{12, 1, 1}));
  EXPECT_EQ(plane.group, (Group{64, 4, 1}));
  EXPECT_EQ(plane.groups, (Groups{16, 3, 1}));
  EXPECT_EQ(space.group, (Group{32, 4, 2}));
  EXPECT_EQ(space.groups, (Groups{4, 3, 3}));
}

TEST(Grid, HasSmallGroupsWhereUnitsWouldHaveNone) {
  EXPECT_EQ(gridFor(Extents{1000}, gpu(), {}).group, (Group{64, 1, 1}));
  EXPECT_EQ(gridFor(Extents{1000}, gpu(), {}).groups, (Groups{16, 1, 1}));
  EXPECT_EQ(gridFor(Extents{100}, gpu(), {}).group, (Group{32, 1, 1}));
  EXPECT_EQ(gridFor(Extents{100, 10}, gpu(), {}).group, (Group{64, 2, 1}));
  EXPECT_EQ(gridFor(Extents{100, 2}, gpu(), {}).group, (Group{32, 1, 1}));
  EXPECT_EQ(gridFor(Extents{1000}, gpu(), {.group = {256}}).groups, (Groups{4, 1, 1}));
  EXPECT_EQ(gridFor(Extents{1000}, {}, {}).groups, (Groups{4, 1, 1}));
}

TEST(Grid, GivesWorkItemsOfALongLoopTwoIterationsWhereThatIsWished) {
  constexpr std::int64_t kEven = 10 * 64 * 256;
  const GridWish two{.iterations = 2};

  EXPECT_EQ(gridFor(Extents{kEven}, gpu(), two).groups[0], 640U);
  EXPECT_EQ(gridFor(Extents{kEven + 256}, gpu(), two).groups[0], 640U);
  EXPECT_EQ(gridFor(Extents{3 * kEven}, gpu(), two).groups[0], 960U);
  EXPECT_EQ(gridFor(Extents{3 * kEven}, gpu(), {.iterations = 2, .groups = {1900}}).groups[0],
            1900U);
  EXPECT_EQ(gridFor(Extents{3 * kEven}, gpu(), {}).groups[0], 1920U);
}

TEST(Grid, HasFewerWorkItemsForFewIterations) {
  EXPECT_EQ(gridFor(Extents{5}, gpu(), {}).group, (Group{8, 1, 1}));
  EXPECT_EQ(gridFor(Extents{3, 1}, gpu(), {}).group, (Group{4, 1, 1}));
  EXPECT_EQ(gridFor(Extents{1}, gpu(), {}).groupCount(), 1U);
}

TEST(Grid, HasOneWorkItemForNoIterations) {
  const Grid grid = gridFor(Extents{0, -3}, gpu(), {});

  EXPECT_EQ(grid.groupCount() * grid.groupSize(), 1U);
}

TEST(Grid, KeepsToTheLimitsOfDeviceAndKernel) {
  Info info = gpu();
  info.maxGroups = {100, 50, 20};

  const Grid grid = gridFor(Extents{1 << 20, 1 << 20, 1 << 20}, info, {.maxGroup = 100});

  EXPECT_EQ(grid.groups, (Groups{100, 50, 20}));
  EXPECT_LE(grid.groupSize(), 100U);
  EXPECT_GE(grid.groupSize(), 50U);
}

TEST(Grid, KeepsToTheLimitOfADimension) {
  Info info = gpu();
  info.maxGroupOf = {16, 2, 1};

  EXPECT_EQ(gridFor(Extents{99, 99, 99}, info, {}).group, (Group{16, 2, 1}));
}

TEST(Grid, SurvivesADeviceThatTellsNoLimits) {
  const Grid grid = gridFor(Extents{std::int64_t{1} << 40}, {}, {});

  EXPECT_EQ(grid.group, (Group{256, 1, 1}));
  EXPECT_EQ(grid.groups[0], std::uint64_t{1} << 31);
}

TEST(Grid, HasSmallGroupsOfAKernelWithManyRegisters) {
  EXPECT_EQ(gridFor(Extents{1000, 1000}, gpu(), {.maxGroup = 512}).group, (Group{32, 4, 1}));
  EXPECT_EQ(gridFor(Extents{1000, 1000}, gpu(), {.maxGroup = 1024}).group, (Group{64, 4, 1}));
}

TEST(Grid, LimitsThePartialResultsOfAReduction) {
  const Grid line = gridFor(Extents{1 << 18}, gpu(), {.partialBytes = 16});
  const Grid plane = gridFor(Extents{1 << 9, 1 << 9}, gpu(), {.partialBytes = 16});
  const Grid large = gridFor(Extents{1 << 24}, gpu(), {.partialBytes = 64});

  EXPECT_EQ(line.groups, (Groups{160, 1, 1}));
  EXPECT_LE(plane.groupCount(), 160U);
  EXPECT_GE(plane.groupCount(), 64U);
  EXPECT_EQ(large.groups, (Groups{160, 1, 1}));
}

TEST(Grid, HasMoreGroupsOfAReductionForManyIterations) {
  const Grid line = gridFor(Extents{1 << 24}, gpu(), {.partialBytes = 16});
  const Grid some = gridFor(Extents{1 << 20}, gpu(), {.partialBytes = 16});

  EXPECT_EQ(line.groups, (Groups{640, 1, 1}));
  EXPECT_EQ(some.groups, (Groups{512, 1, 1})); // 8 iterations for each work-item.
}

TEST(Grid, HasYetMoreGroupsOfAReductionWithACombiner) {
  const GridWish wish{.partialBytes = 16, .hasCombiner = true};

  EXPECT_EQ(gridFor(Extents{1 << 24}, gpu(), wish).groups, (Groups{2560, 1, 1}));
  EXPECT_EQ(gridFor(Extents{1 << 20}, gpu(), wish).groups, (Groups{1024, 1, 1}));
  EXPECT_EQ(gridFor(Extents{1 << 18}, gpu(), wish).groups, (Groups{256, 1, 1}));
}

TEST(CombinerGrid, LeavesFewPartialResultsToTheHost) {
  EXPECT_FALSE(combinerGridFor(1, gpu(), {.partialBytes = 1536}));
  EXPECT_FALSE(combinerGridFor(1024, gpu(), {.partialBytes = 16}));
  EXPECT_TRUE(combinerGridFor(1025, gpu(), {.partialBytes = 16}));
  EXPECT_TRUE(combinerGridFor(65, gpu(), {.partialBytes = 256}));
}

TEST(CombinerGrid, LeavesFewerToTheHostBesideOthers) {
  EXPECT_FALSE(combinerGridFor(64, gpu(), {.partialBytes = 16, .isBeside = true}));
  const auto grid = combinerGridFor(512, gpu(), {.partialBytes = 16, .isBeside = true});
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->groupCount(), 1U);
}

TEST(CombinerGrid, HasAPartialResultForEachWorkItem) {
  for (const std::uint64_t partials : {1025U, 1027U, 2047U, 7000U, 33792U, 10000000U}) {
    for (const GridWish &wish : {GridWish{.partialBytes = 16}, GridWish{.partialBytes = 1536},
                                 GridWish{.maxGroup = 90, .partialBytes = 16}}) {
      const Grid grid = combinerGridFor(partials, gpu(), wish).value();

      EXPECT_LE(grid.groupCount() * wish.partialBytes, 16384U);
      EXPECT_LE(grid.groupCount() * grid.groupSize(), partials);
      EXPECT_LE(grid.groupCount(), 64U);
      EXPECT_TRUE(std::has_single_bit(grid.groupSize()));
      EXPECT_LE(grid.groupSize() * wish.partialBytes, gpu().localBytes);
    }
  }
}

TEST(Grid, HasGroupsOfAPowerOfTwoForAReduction) {
  Info info = gpu();
  info.maxGroup = 200;
  for (const std::int64_t extent : {1, 3, 100, 255, 100000}) {
    const Grid grid = gridFor(Extents{extent}, info, {.maxGroup = 90, .partialBytes = 16});

    EXPECT_TRUE(std::has_single_bit(grid.groupSize())) << extent;
  }
  const Grid wished = gridFor(Extents{1000}, gpu(), {.partialBytes = 16, .group = {96, 0, 0}});
  EXPECT_EQ(wished.group, (Group{64, 1, 1}));
}

TEST(Grid, LeavesAReductionItsLocalMemory) {
  const Grid grid = gridFor(Extents{1 << 20}, gpu(), {.partialBytes = 1024});

  EXPECT_EQ(grid.groupSize(), 32U); // 48 would fit.
}

TEST(Grid, TakesWhatADirectiveSays) {
  const Grid grid = gridFor(Extents{1000, 1000}, gpu(), {.groups = {7, 0, 0}, .group = {0, 3, 0}});

  EXPECT_EQ(grid.group, (Group{64, 3, 1}));
  EXPECT_EQ(grid.groups, (Groups{7, 334, 1}));
}

TEST(Grid, LeavesNoGroupWithoutIterations) {
  const Grid grid =
      gridFor(Extents{1000, 10}, gpu(), {.groups = {1U << 31, 1U << 16, 0}, .group = {32, 4, 0}});

  EXPECT_EQ(grid.groups, (Groups{32, 3, 1}));
}

TEST(Grid, IgnoresADirectiveForDimensionsThatAreNotThere) {
  const Grid grid = gridFor(Extents{1000}, gpu(), {.groups = {2, 9, 9}, .group = {4, 2, 4}});

  EXPECT_EQ(grid.group, (Group{32, 1, 1}));
  EXPECT_EQ(grid.groups, (Groups{2, 1, 1}));
}

TEST(Grid, HasGroupsOfOneShapeForTiles) {
  const GridWish wish{.maxGroup = 512, .byTiles = true, .group = {64, 2, 0}};
  EXPECT_EQ(gridFor(Extents{1000, 100}, gpu(), wish).group, (Group{32, 8, 1}));
  EXPECT_EQ(gridFor(Extents{1000, 100}, gpu(), {.maxGroup = 128, .byTiles = true}).groupSize(),
            128U);
}

TEST(Grid, TakesTheProductOfSizesForOtherDimensions) {
  const auto groupFor = [](const Extents &extents, Group wished) {
    return gridFor(extents, gpu(), {.group = wished}).group;
  };
  EXPECT_EQ(groupFor({1000}, {16, 16, 0}), (Group{256, 1, 1}));
  EXPECT_EQ(groupFor({1000, 1000}, {16, 16, 0}), (Group{16, 16, 1}));
  EXPECT_EQ(groupFor({1000, 1000}, {256, 0, 0}), (Group{64, 4, 1}));
  EXPECT_EQ(groupFor({1000, 1000, 1000}, {256, 0, 0}), (Group{32, 4, 2}));
  EXPECT_EQ(groupFor({1000, 1000}, {7, 0, 0}), (Group{7, 1, 1}));
  EXPECT_EQ(groupFor({1000, 1000}, {48, 0, 0}), (Group{48, 1, 1}));
}

TEST(Grid, LimitsWhatADirectiveSays) {
  const Grid grid = gridFor(Extents{1 << 20}, gpu(), {.maxGroup = 512, .group = {5000, 0, 0}});

  EXPECT_EQ(grid.groupSize(), 512U);
}

TEST(Grid, HasAGroupForEachIterationIfThatIsAsked) {
  const Grid grid = gridFor(Extents{5000, 3000}, gpu(), {.byGroups = true});

  EXPECT_EQ(grid.group, (Group{256, 1, 1}));
  EXPECT_EQ(grid.groups, (Groups{3000, 1, 1}));
}

TEST(Grid, HasNoLargerGroupsThanThereIsToShare) {
  EXPECT_EQ(gridFor(Extents{100, 3000}, gpu(), {.byGroups = true}).group, (Group{128, 1, 1}));
  EXPECT_EQ(gridFor(Extents{3, 3000}, gpu(), {.byGroups = true}).group, (Group{32, 1, 1}));
}

TEST(Grid, HasLargeGroupsWhereThereAreFewOfThem) {
  EXPECT_EQ(gridFor(Extents{5000, 3}, gpu(), {.byGroups = true}).group, (Group{1024, 1, 1}));
  EXPECT_EQ(gridFor(Extents{300, 3}, gpu(), {.byGroups = true}).group, (Group{512, 1, 1}));
}

TEST(Grid, GivesGroupsForIterationsWhatWasWishedWithinLimits) {
  const Grid wished = gridFor(Extents{5000, 3000}, gpu(),
                              {.byGroups = true, .groups = {7, 2, 2}, .group = {96, 2, 2}});
  const Grid heavy = gridFor(Extents{5000, 3000}, gpu(), {.maxGroup = 200, .byGroups = true});

  EXPECT_EQ(wished.groups, (Groups{7, 1, 1}));
  EXPECT_EQ(wished.group, (Group{96, 1, 1}));
  EXPECT_LE(heavy.group[0], 200U);
}

} // namespace

} // namespace tutti::device
