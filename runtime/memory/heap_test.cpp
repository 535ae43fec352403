// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The heap against a list of what it has given out; no address here is ever mapped.
#include "runtime/memory/heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>
#include <vector>

namespace tutti::memory {

namespace {

constexpr std::uint64_t kBase = 0x200000000000;
constexpr Range kSpace{kBase, kBase + (64ULL << 20)};

/// What is live: begin to requested size.
using Live = std::map<std::uint64_t, std::uint64_t>;

/// Whether `range` is apart from everything in `live`.
bool isApart(const Live &live, Range range) {
  const auto next = live.lower_bound(range.end);
  if (next == live.begin()) {
    return true;
  }
  const auto &[begin, size] = *std::prev(next);
  return begin + std::max<std::uint64_t>(size, 1) <= range.begin;
}

std::uint64_t randomSize(std::mt19937_64 &random) {
  const std::uint64_t magnitude = random() % 20;
  return random() % (2ULL << magnitude);
}

TEST(Heap, GivesDisjointAlignedAllocationsUnderRandomUse) {
  std::mt19937_64 random(5);
  Heap heap(kSpace);
  Live live;
  for (int step = 0; step < 60000; ++step) {
    const bool full = live.size() > 600;
    if (!live.empty() && (full || random() % 5 < 2)) {
      auto victim = live.lower_bound(kBase + random() % kSpace.size());
      victim = victim == live.end() ? live.begin() : victim;
      ASSERT_TRUE(heap.free(victim->first));
      ASSERT_TRUE(heap.allocationOf(victim->first).empty());
      ASSERT_FALSE(heap.free(victim->first)) << "freed twice";
      live.erase(victim);
      continue;
    }
    const std::uint64_t size = randomSize(random);
    const std::uint64_t alignment = random() % 4 == 0 ? 16ULL << (random() % 14) : 16;
    const std::uint64_t address = heap.allocate(size, alignment);
    if (address == 0) {
      continue; // Full: frees will follow.
    }
    ASSERT_EQ(address % alignment, 0U);
    ASSERT_GE(heap.sizeOf(address), size);
    const std::uint64_t usable = heap.sizeOf(address) + 1;
    const Range range{address, address + usable};
    ASSERT_TRUE(kSpace.contains(range));
    ASSERT_TRUE(isApart(live, range));
    const std::uint64_t inside = address + random() % std::max<std::uint64_t>(usable, 1);
    ASSERT_EQ(heap.allocationOf(inside), range);
    if (size >= Heap::kSmall) {
      ASSERT_EQ(address % Heap::kPage, 0U);
      ASSERT_EQ(usable % Heap::kPage, 0U);
    }
    live.emplace(address, usable);
  }
  std::uint64_t total = 0;
  for (const auto &[address, usable] : live) {
    total += usable;
  }
  EXPECT_EQ(heap.bytesInUse(), total);
}

TEST(Heap, IsWholeAgainWhenAllIsFreed) {
  Heap heap(kSpace);
  std::mt19937_64 random(9);
  std::vector<std::uint64_t> live;
  for (int i = 0; i < 2000; ++i) {
    live.push_back(heap.allocate(randomSize(random) % (40 << 10)));
  }
  std::shuffle(live.begin(), live.end(), random);
  for (const std::uint64_t address : live) {
    ASSERT_TRUE(heap.free(address));
  }

  EXPECT_EQ(heap.bytesInUse(), 0U);
  EXPECT_EQ(heap.allocate(kSpace.size() - 1), kBase);
}

TEST(Heap, ReusesFreedMemoryBeforeItGrows) {
  Heap heap(kSpace);
  const std::uint64_t first = heap.allocate(100 << 10);
  heap.allocate(100 << 10);
  const Range before = heap.grown();
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t address = heap.allocate(100 << 10);
    ASSERT_TRUE(heap.free(address));
  }
  EXPECT_EQ(heap.grown(), before);

  ASSERT_TRUE(heap.free(first));

  EXPECT_EQ(heap.allocate(90 << 10), first) << "the smallest run that fits";
}

TEST(Heap, ReturnsNullWhenTheIntervalIsExhausted) {
  Heap heap({kBase, kBase + (1 << 20)});
  const std::uint64_t half = heap.allocate((512 << 10) - 1);
  EXPECT_NE(half, 0U);
  EXPECT_EQ(heap.allocate(512 << 10), 0U);
  EXPECT_EQ(heap.allocate(~0ULL), 0U);
  EXPECT_EQ(heap.allocate(~0ULL - 5000, 1ULL << 63), 0U);
  EXPECT_EQ(heap.allocate(16, 1ULL << 63), 0U);
  EXPECT_NE(heap.allocate((512 << 10) - 1), 0U);
  EXPECT_EQ(heap.allocate(1), 0U);

  EXPECT_TRUE(heap.free(half));

  EXPECT_NE(heap.allocate(1), 0U);
}

TEST(Heap, KnowsNothingOfForeignAddresses) {
  Heap heap(kSpace);
  const std::uint64_t small = heap.allocate(100);
  const std::uint64_t large = heap.allocate(100 << 10);

  EXPECT_FALSE(heap.free(0));
  EXPECT_FALSE(heap.free(small + 8));
  EXPECT_FALSE(heap.free(large + Heap::kPage));
  EXPECT_FALSE(heap.free(kSpace.end));
  EXPECT_EQ(heap.sizeOf(small + 8), 0U);
  EXPECT_TRUE(heap.allocationOf(kBase - 1).empty());
  EXPECT_TRUE(heap.allocationOf(kSpace.end - 1).empty());
  EXPECT_TRUE(heap.allocationOf(heap.allocationOf(small).end).empty()) << "a free neighbour";
}

TEST(Heap, HasThePointerOnePastTheEndInTheSameAllocation) {
  Heap heap(kSpace);
  for (const std::uint64_t size : {0ULL, 16ULL, 32ULL, 128ULL, 4096ULL, 32768ULL, 65536ULL}) {
    const std::uint64_t address = heap.allocate(size);
    heap.allocate(size);

    EXPECT_EQ(heap.allocationOf(address + size).begin, address) << size;
  }
}

TEST(Heap, GivesUniqueAddressesForNothing) {
  Heap heap(kSpace);

  EXPECT_NE(heap.allocate(0), heap.allocate(0));
}

TEST(Heap, AnnouncesGrowthBeforeUse) {
  std::uint64_t top = kBase;
  Heap heap(kSpace, [&](Range range) {
    EXPECT_EQ(range.begin, top);
    top = range.end;
    return true;
  });
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t address = heap.allocate(300 << 10);

    ASSERT_NE(address, 0U);
    ASSERT_LE(address + (300 << 10), top);
    ASSERT_EQ(heap.grown().end, top);
  }
}

TEST(Heap, ReturnsNullWhenItMayNotGrow) {
  bool allowed = false;
  Heap heap(kSpace, [&](Range) { return allowed; });
  EXPECT_EQ(heap.allocate(10), 0U);

  allowed = true;

  EXPECT_EQ(heap.allocate(10), kBase);
}

TEST(Heap, SaysWhereItsAllocationsLie) {
  constexpr std::uint64_t kLarge = 1 << 20;
  Heap heap(kSpace);
  const std::uint64_t small = heap.allocate(40);
  const std::uint64_t other = heap.allocate(40);
  const std::uint64_t first = heap.allocate(kLarge);
  const std::uint64_t between = heap.allocate(kLarge);
  const std::uint64_t last = heap.allocate(kLarge);
  const Range end = heap.allocationOf(last);
  ASSERT_TRUE(heap.free(between));

  const std::vector<Range> apart = heap.live(0);
  ASSERT_EQ(apart.size(), 3U);
  EXPECT_EQ(apart[0], (Range{small, heap.allocationOf(other).end}));
  EXPECT_EQ(apart[1], heap.allocationOf(first));
  EXPECT_EQ(apart[2], end);
  const std::vector<Range> joined = heap.live(64 << 10);
  ASSERT_EQ(joined.size(), 2U) << "the slab ends near the first large one";
  EXPECT_EQ(joined[0], (Range{small, heap.allocationOf(first).end}));
  EXPECT_EQ(heap.live(2 * kLarge), (std::vector<Range>{{small, end.end}}));
}

TEST(Heap, SaysTheSameWhileSmallObjectsComeAndGo) {
  Heap heap(kSpace);
  std::vector<std::uint64_t> objects;
  for (int count = 0; count < 100; ++count) {
    objects.push_back(heap.allocate(40));
  }
  const std::vector<Range> before = heap.live(0);

  for (const std::uint64_t object : objects) {
    ASSERT_TRUE(heap.free(object));
    heap.allocate(40);
    EXPECT_EQ(heap.live(0), before);
  }
}

TEST(Heap, ServesThreadsAtTheSameTime) {
  Heap heap(kSpace);
  std::vector<Live> live(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < live.size(); ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(t);
      for (int step = 0; step < 5000; ++step) {
        const std::uint64_t address = heap.allocate(randomSize(random) % 5000);
        if (random() % 2 == 0) {
          live[t].emplace(address, heap.sizeOf(address));
        } else {
          ASSERT_TRUE(heap.free(address));
        }
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  Live all;
  for (const Live &mine : live) {
    for (const auto &[address, usable] : mine) {
      ASSERT_TRUE(isApart(all, {address, address + usable}));
      all.emplace(address, usable);
    }
  }
}

} // namespace

} // namespace tutti::memory
