// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/steal_deque.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace tutti {

namespace {

TEST(StealDeque, GivesTheNewestToItsOwnerAndTheOldestToOthers) {
  int items[3] = {};
  StealDeque<int> deque(2);

  for (int &item : items) {
    deque.push(&item);
  }

  EXPECT_EQ(deque.size(), 3U);
  EXPECT_EQ(deque.steal(), &items[0]);
  EXPECT_EQ(deque.pop(), &items[2]);
  EXPECT_EQ(deque.pop(), &items[1]);
  EXPECT_EQ(deque.pop(), nullptr);
  EXPECT_EQ(deque.steal(), nullptr);
}

TEST(StealDeque, GivesEachItemOnceWhileManySteal) {
  constexpr std::size_t kItems = 50'000;
  constexpr int kThieves = 3;
  std::vector<std::atomic<int>> taken(kItems);
  StealDeque<std::atomic<int>> deque(4);
  std::atomic<std::size_t> count{0};
  const auto take = [&count](std::atomic<int> *item) {
    if (item) {
      item->fetch_add(1);
      count.fetch_add(1);
    }
  };
  std::vector<std::thread> thieves;
  for (int thief = 0; thief < kThieves; ++thief) {
    thieves.emplace_back([&] {
      while (count < kItems) {
        take(deque.steal());
      }
    });
  }

  for (std::size_t item = 0; item < kItems; ++item) {
    deque.push(&taken[item]);
    if (item % 3 == 0) {
      take(deque.pop());
    }
  }
  while (count < kItems) {
    take(deque.pop());
  }
  for (std::thread &thief : thieves) {
    thief.join();
  }

  for (const std::atomic<int> &each : taken) {
    ASSERT_EQ(each, 1);
  }
}

} // namespace

} // namespace tutti
