// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What rank 0 finds out about regions that follow pointers, with rows in a heap.
#include "abi/order.h"
#include "base/test_instructions.h"
#include "runtime/exec/finder.h"
#include "runtime/exec/region_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace tutti::exec {

namespace {

constexpr std::uint64_t kRowBytes = 1000;
constexpr std::uint64_t kFrame = 0;

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({256 << 20, 1 << 20, {}, false});
  return *mapped;
}

std::uint64_t &wordAt(std::uint64_t address) { return *reinterpret_cast<std::uint64_t *>(address); }

int asked = 0; ///< Iterations that regions were asked about.

/// All rows of a table. Captures: the table.
void rowAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                 std::int64_t upper, std::int64_t, tutti_sink *sink) {
  for (std::int64_t index = lower; index < upper; ++index) {
    const std::uint64_t row = sink->follow(captures[0] + 8 * static_cast<std::uint64_t>(index), 8);
    sink->add(TUTTI_READ | TUTTI_WRITE, row, row, kRowBytes, 0, nullptr);
    ++asked;
  }
}

/// The same, anywhere in the rows.
void wholeRowAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                      std::int64_t upper, std::int64_t, tutti_sink *sink) {
  for (std::int64_t index = lower; index < upper; ++index) {
    const std::uint64_t row = sink->follow(captures[0] + 8 * static_cast<std::uint64_t>(index), 8);
    sink->add(TUTTI_READ | TUTTI_ALLOCATION | TUTTI_AT_MOST, row, row, 1, 0, nullptr);
  }
}

/// Tables in a table: what is followed tells what to follow.
void nestedAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                    std::int64_t upper, std::int64_t, tutti_sink *sink) {
  for (std::int64_t index = lower; index < upper; ++index) {
    const std::uint64_t inner =
        sink->follow(captures[0] + 8 * static_cast<std::uint64_t>(index), 8);
    const std::uint64_t row = sink->follow(inner, 8);
    sink->add(TUTTI_READ, row, row, kRowBytes, 0, nullptr);
  }
}

/// Some of the array that the first capture leads to, and none at first.
void triangleAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                      std::int64_t upper, std::int64_t, tutti_sink *sink) {
  const tutti_dim dim{8, upper - 1};
  sink->add(TUTTI_READ, captures[0], captures[0] + 8 * static_cast<std::uint64_t>(lower), 8, 1,
            &dim);
}

tutti_region regionWith(decltype(tutti_region::accesses) accesses) {
  tutti_region region{};
  region.flags = TUTTI_REGION_FOLLOWS;
  region.accesses = accesses;
  return region;
}

class FinderTest : public testing::Test {
protected:
  /// So many rows behind one another.
  std::uint64_t tableOf(std::size_t rows) {
    const std::uint64_t table = heap_.allocate(8 * rows);
    for (std::size_t index = 0; index < rows; ++index) {
      wordAt(table + 8 * index) = heap_.allocate(kRowBytes);
    }
    return table;
  }

  Launch launchOf(const tutti_region &region, std::uint64_t table, std::int64_t rows) const {
    Launch launch;
    launch.region = &region;
    launch.captures = {table};
    launch.total = rows;
    launch.frame = kFrame;
    return launch;
  }

  /// The id of what a launch follows; none if it is to stay home.
  std::optional<std::uint64_t> idOf(const tutti_region &region, std::uint64_t table,
                                    std::int64_t rows) {
    Launch launch = launchOf(region, table, rows);
    return finder_.complete(launch).reasonHome.empty() ? std::optional(launch.followed->id())
                                                       : std::nullopt;
  }

  memory::Heap heap_{window().heap()};
  Finder finder_{window(), memory::Objects(window().stack(), heap_, {}), 100000};
  const tutti_region rows_ = regionWith(rowAccesses);
  const tutti_region wholeRows_ = regionWith(wholeRowAccesses);
  const tutti_region nested_ = regionWith(nestedAccesses);
};

TEST_F(FinderTest, LooksBackAtManyLaunchesAsFastAsAtOne) {
  if (const char *reason = test::reasonToCountNone()) {
    GTEST_SKIP() << reason;
  }
  tutti_region region = regionWith(triangleAccesses);
  region.flags = 0;
  Launch launch = launchOf(region, heap_.allocate(kRowBytes), 2);
  const auto instructionsBehind = [&](std::uint64_t launches) {
    Finder finder{window(), memory::Objects(window().stack(), heap_, {}), 100000};
    for (std::uint64_t value = 0; value < launches; ++value) {
      launch.values = {value};
      finder.complete(launch);
    }
    launch.values = {launches};
    return *test::instructionsOf([&] { finder.complete(launch); });
  };
  EXPECT_LT(2 * instructionsBehind(100), 3 * instructionsBehind(1));
}

TEST_F(FinderTest, FindsEachLargeArrayThatALaunchNamesOnce) {
  const std::uint64_t small = heap_.allocate(100);
  const std::uint64_t array = heap_.allocate(100000);
  Launch launch = launchOf(rows_, small, 100);
  launch.captures = {array + 800, small, 17, array};
  launch.values = {array + 8};

  finder_.findArrays(launch);

  ASSERT_EQ(launch.arrays.size(), 1U);
  EXPECT_EQ(launch.arrays.front(), heap_.allocationOf(array));
}

TEST_F(FinderTest, FollowsWhatIsInMemory) {
  const std::uint64_t table = tableOf(100);

  Launch launch = launchOf(rows_, table, 100);
  EXPECT_EQ(finder_.complete(launch).reasonHome, "");

  ASSERT_TRUE(launch.followed);
  EXPECT_EQ(launch.followed->content().words, RangeSet::of({{table, table + 800}}));
  Followed::Reader reader(launch.followed.get());
  for (std::uint64_t index = 0; index < 100; ++index) {
    EXPECT_EQ(reader.read(table + 8 * index, 8), wordAt(table + 8 * index));
  }
}

TEST_F(FinderTest, LooksUpObjectsWhereRecordsAreWidened) {
  tutti_region region = regionWith(triangleAccesses);
  region.flags = 0;
  const std::uint64_t array = heap_.allocate(8000);
  for (const bool isWidened : {false, true}) {
    Launch launch = launchOf(region, array, 100);
    launch.captures.push_back(isWidened ? 1 : 0); // Launches of one region differ in that.
    launch.widening.reads = isWidened;

    EXPECT_EQ(finder_.complete(launch).reasonHome, "");

    ASSERT_EQ(launch.allocations.size(), isWidened ? 1U : 0U);
    const Touches touches = touchesOf(launch, window(), 40, 50, allocationsOf(launch));
    const std::uint64_t first = isWidened ? array : array + 320;
    EXPECT_EQ(touches.sets.reads.hull().begin, first);
    EXPECT_GE(touches.sets.reads.bytes(), isWidened ? 8000U : 49 * 8U);
  }
}

TEST_F(FinderTest, AsksOnceWhileMemoryStaysAsItIs) {
  const std::uint64_t table = tableOf(100);
  const auto first = idOf(rows_, table, 100);
  asked = 0;

  EXPECT_EQ(idOf(rows_, table, 100), first);
  wordAt(wordAt(table)) = 5; // In a row: nobody follows that.
  EXPECT_EQ(idOf(rows_, table, 100), first);
  EXPECT_EQ(asked, 0);

  wordAt(table + 8 * 50) = heap_.allocate(kRowBytes);
  EXPECT_NE(idOf(rows_, table, 100), first);
  EXPECT_EQ(asked, 100);
}

TEST_F(FinderTest, KnowsContentsAgainThatTakeTurns) {
  const std::uint64_t table = tableOf(100);
  const auto first = idOf(rows_, table, 100);
  std::swap(wordAt(table), wordAt(table + 8));
  const auto second = idOf(rows_, table, 100);
  EXPECT_NE(first, second);
  asked = 0;

  for (int round = 0; round < 10; ++round) {
    std::swap(wordAt(table), wordAt(table + 8));
    EXPECT_EQ(idOf(rows_, table, 100), round % 2 == 0 ? first : second);
  }

  EXPECT_EQ(asked, 0);
}

TEST_F(FinderTest, GivesWhatTwoRegionsFollowAlikeOneId) {
  const std::uint64_t table = tableOf(100);
  const tutti_region other = regionWith(rowAccesses);

  EXPECT_EQ(idOf(rows_, table, 100), idOf(other, table, 100));
  EXPECT_NE(idOf(rows_, table, 100), idOf(rows_, tableOf(100), 100));
}

TEST_F(FinderTest, FollowsWhatItHasFollowed) {
  const std::uint64_t inner = tableOf(10);
  const std::uint64_t outer = heap_.allocate(80);
  for (std::uint64_t index = 0; index < 10; ++index) {
    wordAt(outer + 8 * index) = inner + 8 * index;
  }
  const auto first = idOf(nested_, outer, 10);

  EXPECT_EQ(idOf(nested_, outer, 10), first);
  std::swap(wordAt(inner), wordAt(inner + 8));
  EXPECT_NE(idOf(nested_, outer, 10), first) << "only the inner table has changed";
}

TEST_F(FinderTest, KeepsLaunchesHomeThatFollowPointersOutsideOfTheWindow) {
  const std::uint64_t table = tableOf(100);
  const std::uint64_t outer = heap_.allocate(16);
  wordAt(outer) = table;

  for (const std::uint64_t pointer : {std::uint64_t{0}, ~std::uint64_t{7}}) {
    wordAt(outer + 8) = pointer;
    for (int round = 0; round < 2; ++round) {
      Launch launch = launchOf(nested_, outer, 2);
      EXPECT_EQ(finder_.complete(launch).reasonHome,
                "it follows a pointer outside of unified memory");
      EXPECT_FALSE(launch.followed);
    }
  }
  wordAt(outer + 8) = table + 8;
  EXPECT_TRUE(idOf(nested_, outer, 2)) << "it is right now";
}

TEST_F(FinderTest, KeepsLaunchesHomeThatFollowTooManyPointers) {
  const std::uint64_t table = tableOf(100001);
  EXPECT_TRUE(idOf(rows_, table, 100000));

  Launch launch = launchOf(rows_, table, 100001);
  launch.captures.push_back(1);
  EXPECT_EQ(finder_.complete(launch).reasonHome, "it follows too many pointers");
  asked = 0;
  EXPECT_EQ(finder_.complete(launch).reasonHome, "it follows too many pointers");
  EXPECT_EQ(asked, 0);
}

TEST_F(FinderTest, LeavesOffWhereItMayFollowNoMore) {
  const std::uint64_t table = tableOf(1000);
  Launch launch = launchOf(rows_, table, 1000);

  const Finder::Found few = finder_.complete(launch, 250);
  EXPECT_EQ(few.reasonHome, "");
  EXPECT_DOUBLE_EQ(few.share, 0.25);
  EXPECT_FALSE(launch.followed);

  const Finder::Found all = finder_.complete(launch, 1000);
  EXPECT_DOUBLE_EQ(all.share, 1);
  ASSERT_TRUE(launch.followed);
  const std::uint64_t id = launch.followed->id();
  EXPECT_DOUBLE_EQ(finder_.complete(launch, 250).share, 1) << "nothing has to be followed anew";
  EXPECT_EQ(launch.followed->id(), id);
}

TEST_F(FinderTest, FindsTheAllocationsOfRows) {
  constexpr std::uint64_t kRows = 1000;
  const std::uint64_t table = tableOf(kRows);

  Launch launch = launchOf(wholeRows_, table, kRows);
  EXPECT_EQ(finder_.complete(launch).reasonHome, "");

  EXPECT_TRUE(launch.allocations.empty());
  EXPECT_EQ(launch.followed->content().allocations.size(), kRows);
  const AllocationOf allocationOf = allocationsOf(launch);
  for (std::uint64_t index = 0; index < kRows; ++index) {
    const std::uint64_t row = wordAt(table + 8 * index);
    EXPECT_EQ(allocationOf(row), heap_.allocationOf(row));
  }
  EXPECT_TRUE(allocationOf(table).empty());
}

TEST_F(FinderTest, NoticesAnotherAllocationAtTheSameAddress) {
  const std::uint64_t table = tableOf(10);
  const std::uint64_t large = heap_.allocate(100000);
  wordAt(table) = large;
  const auto first = idOf(wholeRows_, table, 10);
  EXPECT_EQ(idOf(wholeRows_, table, 10), first);

  ASSERT_TRUE(heap_.free(large));
  ASSERT_EQ(heap_.allocate(50000), large);
  const auto second = idOf(wholeRows_, table, 10);

  EXPECT_NE(second, first);
  EXPECT_EQ(idOf(wholeRows_, table, 10), second);
}

TEST_F(FinderTest, KnowsWhichPagesHoldRowsAlone) {
  constexpr std::uint64_t kRows = 300; // Some slabs.
  const std::uint64_t alone = tableOf(kRows);
  const std::uint64_t mixed = heap_.allocate(8 * kRows);
  const std::uint64_t others = heap_.allocate(8 * kRows);
  for (std::uint64_t index = 0; index < kRows; ++index) {
    wordAt(mixed + 8 * index) = heap_.allocate(kRowBytes);
    wordAt(others + 8 * index) = heap_.allocate(kRowBytes);
  }
  const auto objectsOf = [&](std::uint64_t table) {
    Launch launch = launchOf(rows_, table, kRows);
    EXPECT_EQ(finder_.complete(launch).reasonHome, "");
    return launch.followed->content().objects;
  };

  const RangeSet rows = objectsOf(alone);
  EXPECT_EQ(rows.ranges().size(), 1U) << "slabs have no room for another row at their ends";
  for (std::uint64_t index = 0; index < kRows; ++index) {
    const std::uint64_t row = wordAt(alone + 8 * index);
    EXPECT_TRUE(rows.hull().contains({row, row + kRowBytes}));
  }
  EXPECT_FALSE(objectsOf(mixed).overlaps(objectsOf(others)));
}

constexpr std::int64_t kIterations = 1000;

int inspected = 0; ///< Blocks that a region was asked about.

/// y[i] = x[index[i]], and index[i] += 1 if the last capture says so. Captures: index, x, y.
void gatherAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                    std::int64_t upper, std::int64_t, tutti_sink *sink) {
  const tutti_dim dim{8, upper - lower};
  const auto at = [&](int capture) {
    return captures[capture] + 8 * static_cast<std::uint64_t>(lower);
  };
  sink->add(TUTTI_READ | TUTTI_INDEX | (captures[3] != 0 ? TUTTI_WRITE : 0), captures[0], at(0), 8,
            1, &dim);
  sink->add(TUTTI_READ | TUTTI_AT_MOST | TUTTI_ALLOCATION | TUTTI_LISTED, captures[1], captures[1],
            1, 0, nullptr);
  sink->add(TUTTI_WRITE, captures[2], at(2), 8, 1, &dim);
}

void gatherInspect(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                   std::int64_t upper, std::int64_t, tutti_sink *sink) {
  ++inspected;
  for (std::int64_t i = lower; i < upper; ++i) {
    sink->touched(captures[1] + 8 * wordAt(captures[0] + 8 * static_cast<std::uint64_t>(i)), 8);
  }
}

class FinderOfListsTest : public FinderTest {
protected:
  FinderOfListsTest() {
    region_.accesses = gatherAccesses;
    region_.inspect = gatherInspect;
    setIndex(0);
    inspected = 0;
  }

  /// Neighbours read the same page.
  void setIndex(std::uint64_t first) const {
    for (std::uint64_t i = 0; i < kIterations; ++i) {
      wordAt(index_ + 8 * i) = first + i;
    }
  }

  /// A launch as the runtime completes it, and watched if `isWatched`.
  Launch launch(bool isWatched = true, bool writesIndex = false) {
    Launch launch = launchOf(region_, index_, kIterations);
    launch.captures = {index_, x_, y_, writesIndex ? 1U : 0U};
    EXPECT_EQ(finder_.complete(launch).reasonHome, "");
    finder_.inspect(launch);
    if (const auto index = finder_.unwatched(launch)) {
      index->hasChanged = !isWatched;
      watched_ = index;
    }
    return launch;
  }

  /// What iterations [lower, upper) read of x.
  RangeSet readsOf(const Launch &launch, std::int64_t lower, std::int64_t upper) const {
    const RangeSet object = RangeSet::of({heap_.allocationOf(x_)});
    return touchesOf(launch, window(), lower, upper, allocationsOf(launch))
        .sets.reads.intersect(object);
  }

  static constexpr std::uint64_t kBytes = 1 << 20;
  Finder finder_{window(), memory::Objects(window().stack(), heap_, {}), 100000, 2};
  tutti_region region_{};
  std::uint64_t index_ = heap_.allocate(8 * kIterations);
  std::uint64_t x_ = heap_.allocate(kBytes);
  std::uint64_t y_ = heap_.allocate(8 * kIterations);
  std::shared_ptr<Watched> watched_;
};

TEST_F(FinderOfListsTest, ListsPagesThatIterationsRead) {
  const Launch first = launch();
  ASSERT_TRUE(first.followed);
  const RangeSet half = readsOf(first, 0, kIterations / 2);
  EXPECT_EQ(half.hull().begin, x_);
  EXPECT_EQ(half.hull().end, (x_ + 8 * kIterations / 2 + 4095) / 4096 * 4096);
  const Touches touches = touchesOf(first, window(), 0, 1, allocationsOf(first));
  const RangeSet index = RangeSet::of({{index_, index_ + 8 * kIterations}});
  EXPECT_EQ(touches.sets.reads.intersect(index), index) << "every part reads all of the index";
}

TEST_F(FinderOfListsTest, KeepsListsWhileTheirIndexStays) {
  const Launch first = launch();
  const int blocks = inspected;
  EXPECT_GT(blocks, 0);
  EXPECT_EQ(launch().followed, first.followed);
  EXPECT_EQ(inspected, blocks);

  watched_->hasChanged = true;
  setIndex(100000);
  const Launch whole = launch();
  EXPECT_FALSE(whole.followed) << "it would soon be in vain again";
  EXPECT_EQ(readsOf(whole, 0, 1), RangeSet::of({heap_.allocationOf(x_)}));
  Launch later = launch();
  for (int round = 0; round < 4 && !later.followed; ++round) {
    later = launch();
  }
  ASSERT_TRUE(later.followed);
  EXPECT_EQ(readsOf(later, 0, 1).hull().begin, (x_ + 800000) / 4096 * 4096);
}

TEST_F(FinderOfListsTest, TakesWhatIsNotWatchedAsChanged) {
  ASSERT_TRUE(launch(false).followed);
  EXPECT_FALSE(launch(false).followed);
}

TEST_F(FinderOfListsTest, HasNoListsWhereTheLoopWritesTheIndex) {
  EXPECT_FALSE(launch(true, true).followed);
  EXPECT_EQ(inspected, 0);
}

/// y[index[i]] = x[i]; the last capture says whether an element beside is read as well, and whether
/// that is said in closed form; or that x[i] = x[index[i]], x[i + 1] = x[i] or x[i + n] = x[i]
/// comes first. Captures: index, x, y.
void scatterAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                     std::int64_t upper, std::int64_t, tutti_sink *sink) {
  const tutti_dim dim{8, upper - lower};
  const auto at = [&](int capture) {
    return captures[capture] + 8 * static_cast<std::uint64_t>(lower);
  };
  sink->add(TUTTI_READ | TUTTI_INDEX, captures[0], at(0), 8, 1, &dim);
  sink->add(TUTTI_READ, captures[1], at(1), 8, 1, &dim);
  sink->add(TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED | TUTTI_ALLOCATION | TUTTI_LISTED,
            captures[2], captures[2], 1, 0, nullptr);
  if (captures[3] == 2) {
    sink->add(TUTTI_READ, captures[2], captures[2], 8, 0, nullptr);
  } else if (captures[3] == 3) {
    sink->add(TUTTI_WRITE, captures[1], at(1), 8, 1, &dim);
    sink->add(TUTTI_READ | TUTTI_AT_MOST | TUTTI_ALLOCATION | TUTTI_LISTED, captures[1],
              captures[1], 1, 0, nullptr);
  } else if (captures[3] >= 4) {
    const std::uint64_t way = captures[3] == 4 ? 1 : kIterations;
    sink->add(TUTTI_WRITE, captures[1], at(1) + 8 * way, 8, 1, &dim);
  }
}

void scatterInspect(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                    std::int64_t upper, std::int64_t, tutti_sink *sink) {
  ++inspected;
  for (std::int64_t i = lower; i < upper; ++i) {
    const std::uint64_t index = wordAt(captures[0] + 8 * static_cast<std::uint64_t>(i));
    sink->written(captures[2] + 8 * index, 8);
    if (captures[3] == 1) {
      sink->touched(captures[2] + 8 * (index + 1), 8);
    } else if (captures[3] == 3) {
      sink->touched(captures[1] + 8 * index, 8);
    }
  }
}

class FinderOfWritesTest : public FinderOfListsTest {
protected:
  FinderOfWritesTest() {
    region_.flags = TUTTI_REGION_SCATTERS | TUTTI_REGION_FORGETS;
    region_.accesses = scatterAccesses;
    region_.inspect = scatterInspect;
  }

  /// A launch for one thread, and whether it may leave.
  std::pair<Launch, bool> launchInOrder(int kind = 0, bool usesDevices = false) {
    Launch launch = launchOf(region_, index_, kIterations);
    launch.captures = {index_, x_, large_, static_cast<std::uint64_t>(kind)};
    launch.mayCountOnOrder = true;
    EXPECT_EQ(finder_.complete(launch).reasonHome, "");
    const bool mayLeave = finder_.inspect(launch, usesDevices).empty();
    if (const auto index = finder_.unwatched(launch)) {
      index->hasChanged = false;
      watched_ = index;
    }
    return {std::move(launch), mayLeave};
  }

  std::uint64_t large_ = heap_.allocate(kBytes);
};

TEST_F(FinderOfWritesTest, KeepsHomeWhatMayCarryPrivateValues) {
  region_.flags = TUTTI_REGION_SCATTERS;
  EXPECT_FALSE(launchInOrder().second);
}

TEST_F(FinderOfWritesTest, TellsPiecesOfOneArrayApart) {
  EXPECT_TRUE(launchInOrder(5).second) << "x[i + n] = x[i]";
}

TEST_F(FinderOfWritesTest, ListsPagesThatIterationsWrite) {
  const auto [launch, mayLeave] = launchInOrder();
  ASSERT_TRUE(mayLeave);
  const RangeSet object = RangeSet::of({heap_.allocationOf(large_)});
  const memory::AccessSet half =
      touchesOf(launch, window(), 0, kIterations / 2, allocationsOf(launch)).sets;
  EXPECT_EQ(half.scattered.intersect(object).hull().end,
            (large_ + 8 * kIterations / 2 + 4095) / 4096 * 4096);
  EXPECT_EQ(half.writes.intersect(object), half.scattered.intersect(object));
}

TEST_F(FinderOfWritesTest, AsksAgainOnlyWhenTheIndexHasChanged) {
  ASSERT_TRUE(launchInOrder().second);
  const int asked = inspected;
  EXPECT_TRUE(launchInOrder().second);
  EXPECT_EQ(inspected, asked);
  wordAt(index_ + 8) = wordAt(index_);
  watched_->hasChanged = true;
  for (int round = 0; round < 100; ++round) {
    EXPECT_FALSE(launchInOrder().second) << "iterations meet, or nobody knows";
  }
  EXPECT_GT(inspected, asked);
  wordAt(index_ + 8) = 1;
  bool mayLeave = false;
  for (int round = 0; round < 300 && !mayLeave; ++round) {
    mayLeave = launchInOrder().second;
  }
  EXPECT_TRUE(mayLeave) << "it is tried again now and then";
}

TEST_F(FinderOfWritesTest, KeepsHomeWhatReadsWhatOtherIterationsWrite) {
  EXPECT_FALSE(launchInOrder(1).second);
  EXPECT_FALSE(launchInOrder(2).second);
  EXPECT_FALSE(launchInOrder(3).second);
  EXPECT_FALSE(launchInOrder(4).second);
}

TEST_F(FinderOfWritesTest, LooksAtManyListsInTurn) {
  const std::uint64_t first = index_;
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t list = 0; list < 20; ++list) {
      index_ = first + 8 * list; // Of so many iterations less.
      Launch launch = launchOf(region_, index_, static_cast<std::int64_t>(kIterations - list));
      launch.captures = {index_, x_, large_, 0};
      launch.mayCountOnOrder = true;
      EXPECT_EQ(finder_.complete(launch).reasonHome, "");
      EXPECT_EQ(finder_.inspect(launch), "") << list;
      if (const auto index = finder_.unwatched(launch)) {
        index->hasChanged = false;
      }
    }
  }
  const int asked = inspected;
  EXPECT_LE(asked, 20 * kIterations) << "each once, iteration by iteration";
}

TEST_F(FinderOfWritesTest, GivesDevicesWholeObjects) {
  ASSERT_TRUE(launchInOrder().second);
  const int asked = inspected;
  const auto [launch, mayLeave] = launchInOrder(0, true);
  EXPECT_TRUE(mayLeave);
  EXPECT_EQ(inspected, asked);
  const memory::AccessSet one = touchesOf(launch, window(), 0, 1, allocationsOf(launch)).sets;
  const RangeSet object = RangeSet::of({heap_.allocationOf(large_)});
  EXPECT_EQ(one.scattered.intersect(object), object);
  const RangeSet index = RangeSet::of({{index_, index_ + 8 * kIterations}});
  EXPECT_EQ(one.reads.intersect(index), index) << "so that it may be watched";
}

/// x[i] = x[i] + (i % n ? x[i - captures[1]] : 0), in pieces of n = captures[2].
void pieceAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                   std::int64_t upper, std::int64_t, tutti_sink *sink) {
  if (lower >= upper) {
    sink->add(0, TUTTI_PIECE, captures[2], 0, 0, nullptr);
    return;
  }
  const tutti_dim dim{8, upper - lower};
  const std::uint64_t at = captures[0] + 8 * static_cast<std::uint64_t>(lower);
  sink->add(TUTTI_READ | TUTTI_WRITE, captures[0], at, 8, 1, &dim);
  sink->add(TUTTI_READ | TUTTI_AT_MOST, captures[0], at - 8 * captures[1], 8, 1, &dim);
}

class FinderOfPiecesTest : public FinderTest {
protected:
  FinderOfPiecesTest() {
    region_.flags = TUTTI_REGION_FORGETS | TUTTI_REGION_PIECES;
    region_.accesses = pieceAccesses;
  }

  /// The length of the pieces that a launch is to keep together; 0 if it stays home.
  std::int64_t keeps(std::uint64_t distance, std::uint64_t piece, bool mayCountOnOrder = false) {
    Launch launch = launchOf(region_, x_, kIterations);
    launch.captures = {x_, distance, piece};
    launch.piece = pieceOf(launch);
    EXPECT_EQ(launch.piece, static_cast<std::int64_t>(piece));
    launch.mayCountOnOrder = mayCountOnOrder;
    EXPECT_EQ(finder_.complete(launch).reasonHome, "");
    return finder_.inspect(launch).empty() ? launch.piece : 0;
  }

  static constexpr std::int64_t kIterations = 1000;

  tutti_region region_{};
  std::uint64_t x_ = heap_.allocate(8 * kIterations);
};

TEST_F(FinderOfPiecesTest, KeepsPiecesUnlessOrderIsOpen) {
  EXPECT_EQ(keeps(1, 24), 24);
  EXPECT_EQ(keeps(kIterations, 24), 1) << "nothing is touched twice";
  region_.flags = TUTTI_REGION_PIECES;
  EXPECT_EQ(keeps(kIterations, 24), 24) << "private variables may carry values";
}

TEST_F(FinderOfPiecesTest, HasNothingToDivideInOnePiece) {
  EXPECT_EQ(keeps(1, kIterations), 0);
  EXPECT_EQ(keeps(1, TUTTI_PIECE_UNKNOWN), 0);
  EXPECT_EQ(keeps(kIterations, TUTTI_PIECE_UNKNOWN), 1);
}

TEST_F(FinderOfPiecesTest, KeepsAllOfThemHomeWhereDevicesExecuteThem) {
  EXPECT_EQ(keeps(1, 24, true), 0);
  EXPECT_EQ(keeps(kIterations, 24, true), 1);
}

TEST_F(FinderOfListsTest, HasNoListsOfWhatLiesOutsideOfTheObject) {
  setIndex(kBytes / 8);
  EXPECT_FALSE(launch().followed);
}

} // namespace

} // namespace tutti::exec
