// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/distribution/box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tutti::distribution {

namespace {

Index pick(std::mt19937 &random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

Box randomBox(std::mt19937 &random) {
  Box box(pick(random, -20, 20));
  for (Index d = pick(random, 0, 3); d > 0; --d) {
    std::vector<Progression> steps;
    for (Index s = pick(random, 1, 3); s > 0; --s) {
      steps.push_back({pick(random, -50, 50), pick(random, 1, 4), pick(random, -3, 9)});
    }
    box.add(std::move(steps));
  }
  return box;
}

std::vector<Index> elementsOf(const Box &box) {
  std::vector<Index> elements;
  box.forEachRun([&](Index first, Index count, Index stride) {
    for (Index k = 0; k < count; ++k) {
      elements.push_back(first + k * stride);
    }
  });
  return elements;
}

TEST(RunCursor, PassesAllElementsInPiecesOfAnyLength) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const Box box = randomBox(random);
    const std::vector<Index> expected = elementsOf(box);
    std::vector<Index> found;
    RunCursor cursor(box);
    while (static_cast<Index>(found.size()) < box.elements()) {
      const Index count = pick(random, 1, cursor.run().count);
      for (Index k = 0; k < count; ++k) {
        found.push_back(cursor.run().at(k));
      }
      cursor.take(count);
    }
    ASSERT_EQ(found, expected) << "round " << round;
    EXPECT_EQ(cursor.run().count, 0) << "there is more";
  }
}

} // namespace

} // namespace tutti::distribution
