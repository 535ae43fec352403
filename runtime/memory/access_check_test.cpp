// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Touches of named and of other bytes, on pages that are named in part, as a whole, or not at all.
#include "runtime/memory/access_check.h"
#include "runtime/memory/faults.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace tutti::memory {

namespace {

constexpr std::uint64_t kPages = 8;
constexpr Range kPart{kHeapBase, kHeapBase + kPages *kPageBytes};

/// One per process: the mappings stay.
struct Memory {
  std::unique_ptr<Window> window = *Window::open({32 << 20, 1 << 20, {}, true});
  std::unique_ptr<PageTable> pages = *PageTable::create(*window);
  TouchQueue queue;
};

Memory &memory() {
  static auto *memory = [] {
    auto *made = new Memory;
    EXPECT_TRUE(installFaultHandler(*made->window, *made->pages, made->queue));
    return made;
  }();
  return *memory;
}

volatile std::uint8_t &at(std::uint64_t offset) {
  return *reinterpret_cast<volatile std::uint8_t *>(kHeapBase + offset);
}

Range bytes(std::uint64_t first, std::uint64_t count) {
  return {kHeapBase + first, kHeapBase + first + count};
}

/// Offsets, negative for writes.
std::vector<std::int64_t> offsetsOf(const AccessCheck &check) {
  std::vector<std::int64_t> offsets;
  for (const Stray &stray : check.strays()) {
    const auto offset = static_cast<std::int64_t>(stray.address - kHeapBase);
    offsets.push_back(stray.isWrite ? -offset : offset);
  }
  return offsets;
}

class AccessCheckTest : public testing::Test {
protected:
  void SetUp() override { std::memset(reinterpret_cast<void *>(kHeapBase), 1, kPart.size()); }

  static NamedRanges named(const std::vector<Range> &read, const std::vector<Range> &written) {
    return {RangeSet::of(read).unite(RangeSet::of(written)), RangeSet::of(written)};
  }

  Memory &memory_ = memory();
};

TEST_F(AccessCheckTest, TellsNothingOfWhatIsNamed) {
  AccessCheck check({kPart}, *memory_.pages,
                    named({bytes(100, 2 * kPageBytes)}, {bytes(3 * kPageBytes, kPageBytes + 7)}));

  std::uint64_t sum = 0;
  for (std::uint64_t offset = 100; offset < 100 + 2 * kPageBytes; ++offset) {
    sum += at(offset);
  }
  for (std::uint64_t offset = 0; offset < kPageBytes + 7; ++offset) {
    at(3 * kPageBytes + offset) = at(3 * kPageBytes + offset) + 1;
  }
  check.stop();

  EXPECT_EQ(offsetsOf(check), std::vector<std::int64_t>());
  EXPECT_EQ(sum, 2 * kPageBytes);
  EXPECT_EQ(at(4 * kPageBytes + 6), 2);
}

TEST_F(AccessCheckTest, TellsTheByteThatIsReadOrWrittenBesideThem) {
  AccessCheck check({kPart}, *memory_.pages,
                    named({bytes(0, 100)}, {bytes(2 * kPageBytes, kPageBytes)}));

  const int sum = at(99) + at(100);        // One beyond what is named, on the same page.
  at(2 * kPageBytes) = at(2 * kPageBytes); // Named.
  at(50) = 7;                              // Read only.
  at(5 * kPageBytes + 3) = 8;              // On a page of which nothing is named.
  at(5 * kPageBytes + 4) = 8;              // One for each page is told.
  check.stop();

  EXPECT_EQ(offsetsOf(check), (std::vector<std::int64_t>{100, -50, -(5 * 4096 + 3)}));
  EXPECT_EQ(sum, 2);
  EXPECT_EQ(at(50), 7);
  EXPECT_EQ(at(5 * kPageBytes + 4), 8);
}

TEST_F(AccessCheckTest, LetsThroughWhatTheFunctionHasGotForItself) {
  AccessCheck check({kPart}, *memory_.pages, {});

  check.allow(bytes(kPageBytes - 8, kPageBytes + 16));
  for (std::uint64_t offset = 0; offset < kPageBytes + 16; ++offset) {
    at(kPageBytes - 8 + offset) = 3;
  }
  at(2 * kPageBytes + 8) = 3;
  check.stop();

  EXPECT_EQ(offsetsOf(check), (std::vector<std::int64_t>{-(2 * 4096 + 8)}));
}

TEST_F(AccessCheckTest, LeavesProtectionAsThePageTableHasIt) {
  ASSERT_TRUE(
      memory_.pages->tighten(RangeSet::of({bytes(4 * kPageBytes, kPageBytes)}), Access::ReadOnly));
  {
    const AccessCheck check({kPart}, *memory_.pages, {});
    EXPECT_EQ(at(4 * kPageBytes), 1);
  }

  at(0) = 5; // Faults nowhere.
  EXPECT_EQ(faultCount(), 0U);
  EXPECT_EQ(at(4 * kPageBytes), 1);
  ASSERT_TRUE(memory_.pages->open(bytes(4 * kPageBytes, kPageBytes), Access::Open));
}

TEST_F(AccessCheckTest, CountsWhatASystemCallIsGoingToTouch) {
  AccessCheck check({kPart}, *memory_.pages, named({}, {bytes(0, 10)}));

  check.touch(bytes(0, 10), true);
  check.touch(bytes(kPageBytes, 10), false);
  check.stop();

  EXPECT_EQ(offsetsOf(check), std::vector<std::int64_t>{4096});
}

} // namespace

} // namespace tutti::memory
