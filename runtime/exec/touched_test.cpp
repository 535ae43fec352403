// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/touched.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::exec {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kBegin = 100 * kPage + 16;
constexpr Range kObject{kBegin, kBegin + 64 * kPage};

TEST(BlocksTest, HoldEachIterationOnce) {
  for (const std::int64_t total : {1, 2, 255, 256, 257, 1000, 100000}) {
    const Blocks blocks(total);
    ASSERT_LE(blocks.count(), static_cast<std::size_t>(Blocks::kMost));
    std::int64_t next = 0;
    for (std::size_t block = 0; block < blocks.count(); ++block) {
      EXPECT_EQ(blocks.begin(block), next);
      EXPECT_LT(next, blocks.end(block));
      EXPECT_EQ(blocks.blockOf(next), block);
      EXPECT_EQ(blocks.blockOf(blocks.end(block) - 1), block);
      next = blocks.end(block);
    }
    EXPECT_EQ(next, total);
  }
}

/// Two blocks of one iteration each: the first reads across a border of pages and the object's last
/// byte, the second the first byte.
TouchLists twoBlocks() {
  TouchCollector collector(std::array{kObject}, 2);
  EXPECT_TRUE(collector.add(103 * kPage - 4, 8));
  EXPECT_TRUE(collector.add(kObject.end - 1, 1));
  collector.endBlock();
  EXPECT_TRUE(collector.add(kObject.begin, 8));
  collector.endBlock();
  return {2, {}, collector.take(2)};
}

TEST(TouchCollectorTest, GivesPagesInsideTheObject) {
  const TouchLists lists = twoBlocks();
  const TouchedObject *object = lists.find(kObject);
  ASSERT_TRUE(object);
  const Range middle{102 * kPage, 104 * kPage};
  const Range last{164 * kPage, kObject.end};
  const Range first{kObject.begin, 101 * kPage};
  EXPECT_EQ(lists.touchesOf(*object, 0, 1), RangeSet::of({middle, last}));
  EXPECT_EQ(lists.touchesOf(*object, 1, 2), RangeSet::of({first}));
  EXPECT_EQ(lists.touchesOf(*object, 0, 2), RangeSet::of({first, middle, last}));
  EXPECT_FALSE(lists.find({kObject.begin, kObject.end + 1}));
}

TEST(TouchCollectorTest, TellsWhatIsWrittenApart) {
  TouchCollector collector(std::array{kObject}, 3);
  EXPECT_TRUE(collector.add(kObject.begin, 8));
  collector.endBlock();
  EXPECT_TRUE(collector.add(103 * kPage, 8, true));
  EXPECT_TRUE(collector.add(105 * kPage, 8));
  collector.endBlock();
  collector.endBlock();
  const TouchLists lists{3, {}, collector.take(3)};
  const TouchedObject *object = lists.find(kObject);
  ASSERT_TRUE(object);
  const Range first{kObject.begin, 101 * kPage};
  const Range written{103 * kPage, 104 * kPage};
  EXPECT_EQ(lists.touchesOf(*object, 0, 3),
            RangeSet::of({first, written, {105 * kPage, 106 * kPage}}));
  EXPECT_EQ(lists.writesOf(*object, 0, 2), RangeSet::of({written}));
  EXPECT_TRUE(lists.writesOf(*object, 0, 1).empty());
  EXPECT_TRUE(lists.writesOf(*object, 2, 3).empty());
}

TEST(TouchCollectorTest, RefusesWhatLiesElsewhere) {
  TouchCollector collector(std::array{kObject, Range{200 * kPage, 201 * kPage}}, 2);
  EXPECT_FALSE(collector.add(kObject.begin - 1, 1));
  EXPECT_FALSE(collector.add(kObject.end - 4, 8));
  EXPECT_FALSE(collector.add(201 * kPage, 1));
  EXPECT_TRUE(collector.add(200 * kPage, 1));
  EXPECT_TRUE(collector.add(kObject.begin, 1));
}

TEST(TouchCollectorTest, LeavesOutWhatPartsReadNearlyAllOf) {
  const Range other{kObject.end + kPage, kObject.end + 9 * kPage};
  TouchCollector collector(std::array{other, kObject}, 2);
  for (int block = 0; block < 2; ++block) {
    for (std::uint64_t page = 0; page < 7; ++page) {
      EXPECT_TRUE(collector.add(other.begin + page * kPage, 1));
      EXPECT_TRUE(collector.add(kObject.begin + page * kPage, 1));
    }
    collector.endBlock();
  }
  const std::vector<TouchedObject> objects = collector.take(2);
  ASSERT_EQ(objects.size(), 1U);
  EXPECT_EQ(objects.front().object, kObject);
}

} // namespace

} // namespace tutti::exec
