// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which object a pointer leads to; no address here is ever mapped.
#include "runtime/memory/objects.h"

#include <gtest/gtest.h>

namespace tutti::memory {

namespace {

constexpr Range kStack{0x1f0000000000, 0x1f0000100000};
constexpr Range kHeap{0x200000000000, 0x200001000000};
constexpr std::uint64_t kFrame = kStack.end - 4096;

/// Variables a, b and c; b begins where a ends.
constexpr Range kA{0x500000, 0x500100};
constexpr Range kB{0x500100, 0x500180};
constexpr Range kC{0x500200, 0x500240};

class ObjectsTest : public testing::Test {
protected:
  Heap heap_{kHeap};
  Objects objects_{kStack, heap_, {kC, kA, kB, {kA.begin, kA.begin + 8}, kC}};
};

TEST_F(ObjectsTest, FindsTheAllocationOfAPointerIntoItOrOnePastItsEnd) {
  constexpr std::uint64_t kBytes = 64 << 10;
  const std::uint64_t first = heap_.allocate(kBytes);
  const std::uint64_t second = heap_.allocate(kBytes);

  for (const std::uint64_t offset : {std::uint64_t{0}, kBytes / 2, kBytes}) {
    EXPECT_EQ(objects_.at(first + offset, kFrame), heap_.allocationOf(first)) << offset;
    EXPECT_EQ(objects_.at(second + offset, kFrame), heap_.allocationOf(second)) << offset;
  }
}

TEST_F(ObjectsTest, FindsNothingInFreedMemory) {
  const std::uint64_t address = heap_.allocate(64 << 10);
  ASSERT_TRUE(heap_.free(address));

  EXPECT_TRUE(objects_.at(address, kFrame).empty());
}

TEST_F(ObjectsTest, FindsVariables) {
  EXPECT_EQ(objects_.at(kA.begin, kFrame), kA);
  EXPECT_EQ(objects_.at(kA.end - 1, kFrame), kA);
  EXPECT_EQ(objects_.at(kB.begin + 8, kFrame), kB);
  EXPECT_EQ(objects_.at(kC.begin, kFrame), kC);
  EXPECT_EQ(objects_.at(kC.end, kFrame), kC) << "one past the end";
}

TEST_F(ObjectsTest, TakesBothOfTwoVariablesThatAPointerMayBelongTo) {
  EXPECT_EQ(objects_.at(kB.begin, kFrame), (Range{kA.begin, kB.end}));
}

TEST_F(ObjectsTest, FindsNoVariableBetweenTwo) {
  EXPECT_TRUE(objects_.at(kA.begin - 1, kFrame).empty());
  EXPECT_TRUE(objects_.at(kB.end + 1, kFrame).empty());
  EXPECT_TRUE(objects_.at(kC.end + 1, kFrame).empty());
  EXPECT_TRUE(objects_.at(0, kFrame).empty());
}

TEST_F(ObjectsTest, SaysAllThatIsAlive) {
  constexpr std::uint64_t kBytes = 64 << 10;
  constexpr Range kSection{kA.begin - 16, kC.end + 100};
  const std::uint64_t address = heap_.allocate(kBytes);

  const std::vector<Range> expected{kSection, {kFrame, kStack.end}, heap_.allocationOf(address)};
  EXPECT_EQ(objects_.all(kFrame, {{kSection}}), expected);
}

TEST_F(ObjectsTest, KeepsArraysAmongTheVariablesApart) {
  constexpr Range kSection{0x500000, 0x510000};
  constexpr Range kArray{0x501000, 0x501000 + 2 * 4096};
  const Objects objects(kStack, heap_, {kA, kB, kArray, {kArray.end, kArray.end + 8}});

  std::vector<Range> ranges = objects.all(kFrame, {{kSection}});

  EXPECT_EQ(RangeSet::of(ranges), RangeSet::of({kSection, {kFrame, kStack.end}}));
  ranges.pop_back();
  std::erase_if(ranges, [](const Range &range) { return range.size() < 4096; });
  EXPECT_EQ(ranges, std::vector<Range>{kArray}) << "what is as long as a page counts as an array";
}

TEST_F(ObjectsTest, TakesAllThatIsLiveOfTheStack) {
  EXPECT_EQ(objects_.at(kFrame + 100, kFrame), (Range{kFrame, kStack.end}));
  EXPECT_TRUE(objects_.at(kFrame - 1, kFrame).empty()) << "a frame that has gone";
}

} // namespace

} // namespace tutti::memory
