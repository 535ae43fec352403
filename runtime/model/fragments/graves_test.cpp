// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/graves.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

namespace tutti::model::fragments {

namespace {

Tuple tuple(std::initializer_list<std::int32_t> indices) {
  Tuple tuple;
  for (const std::int32_t index : indices) {
    tuple.add(index);
  }
  return tuple;
}

/// Of one that is buried.
std::int32_t producer(const std::optional<Graves::Stone> &stone) {
  return stone ? stone->producer : -2;
}

TEST(GravesTest, FindsWhatIsBuriedAndNothingElse) {
  Graves graves;
  graves.add(tuple({-1, 3}), {7});
  graves.add(tuple({}), {8});

  EXPECT_EQ(producer(graves.find(tuple({-1, 3}))), 7);
  EXPECT_EQ(producer(graves.find(tuple({}))), 8);
  EXPECT_EQ(graves.find(tuple({-1, 4})), std::nullopt);
  EXPECT_EQ(graves.find(tuple({-2, 3})), std::nullopt);
  EXPECT_EQ(graves.find(tuple({-1})), std::nullopt);
}

TEST(GravesTest, FindsAllOfARowAndNoMore) {
  Graves graves;
  for (std::int32_t time = 0; time < 200; ++time) {
    graves.addRow(tuple({time, 5}), 1, 3, {7});
  }

  EXPECT_EQ(producer(graves.find(tuple({150, 5}))), 7);
  EXPECT_EQ(producer(graves.find(tuple({150, 7}))), 7);
  EXPECT_EQ(graves.find(tuple({150, 4})), std::nullopt);
  EXPECT_EQ(graves.find(tuple({150, 8})), std::nullopt);
  EXPECT_EQ(graves.find(tuple({200, 5})), std::nullopt);
  EXPECT_EQ(graves.find(tuple({150})), std::nullopt);
  EXPECT_LE(graves.size(), 2U); // Whatever the number of steps.
}

TEST(GravesTest, FindsWhatIsBuriedInAnyOrderAndWithAnyNumberOfIndices) {
  std::mt19937 random(1);
  const auto pick = [&random](std::int32_t most) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(most));
  };
  for (int round = 0; round < 200; ++round) {
    Graves graves;
    std::set<std::pair<std::int32_t, std::int32_t>> buried;
    const bool isMixed = pick(2) == 0;
    const auto name = [](std::int32_t first, std::int32_t second) {
      return second < 0 ? tuple({first}) : tuple({first, second});
    };
    for (int each = 0; each < 100; ++each) {
      const std::int32_t time = each + pick(90) - 45;
      const std::int32_t second = isMixed && pick(4) == 0 ? -1 : pick(3);
      graves.add(name(time, second), {7});
      buried.emplace(time, second);
      const std::int32_t asked = each + pick(200) - 100;
      const std::int32_t beside = pick(4) - 1;
      ASSERT_EQ(graves.find(name(asked, beside)).has_value(), buried.contains({asked, beside}))
          << asked << " " << beside;
    }
  }
}

TEST(GravesTest, ForgetsWhichOfSeveralStatementsAssigned) {
  Graves graves;
  graves.add(tuple({0}), {7});
  graves.add(tuple({1}), {8});

  EXPECT_EQ(producer(graves.find(tuple({0}))), -1);
}

TEST(GravesTest, KnowsTheCommonLimitOfNeighbours) {
  Graves graves;
  graves.add(tuple({0}), {7, 2});
  graves.add(tuple({1}), {8, 2});
  graves.add(tuple({64}), {7, 2});
  graves.add(tuple({65}), {7, 3});

  EXPECT_EQ(graves.find(tuple({0}))->limit, 2);
  EXPECT_EQ(graves.find(tuple({64}))->limit, -1);
}

TEST(GravesTest, KeepsARunAsItIsIfOneOfItIsBuriedAgain) {
  Graves graves;
  for (std::int32_t step = 0; step < 64; ++step) {
    graves.add(tuple({step, 2}), {7});
  }
  graves.add(tuple({5, 2}), {8});

  EXPECT_EQ(graves.size(), 1u);
  EXPECT_EQ(producer(graves.find(tuple({5, 2}))), 7);
}

TEST(GravesTest, DoesNotGrowWithALongRow) {
  Graves graves;
  for (std::int32_t step = -1000; step < 100000; ++step) {
    graves.add(tuple({step, 2}), {7});
    ASSERT_LE(graves.size(), 3u);
  }

  EXPECT_EQ(producer(graves.find(tuple({-1000, 2}))), 7);
  EXPECT_EQ(producer(graves.find(tuple({99999, 2}))), 7);
  EXPECT_EQ(graves.find(tuple({100000, 2})), std::nullopt);
  EXPECT_EQ(graves.find(tuple({-1001, 2})), std::nullopt);
  EXPECT_EQ(graves.find(tuple({5, 3})), std::nullopt);
}

TEST(GravesTest, JoinsRunsInAnyOrder) {
  Graves graves;
  for (const std::int32_t block : {4, 0, 2, 3, 1}) {
    for (std::int32_t at = 63; at >= 0; --at) {
      graves.add(tuple({block * 64 + at}), {7});
    }
  }

  EXPECT_EQ(graves.size(), 1u);
  EXPECT_EQ(producer(graves.find(tuple({0}))), 7);
  EXPECT_EQ(producer(graves.find(tuple({5 * 64 - 1}))), 7);
  EXPECT_EQ(graves.find(tuple({5 * 64})), std::nullopt);
}

TEST(GravesTest, KeepsRunsOfTwoStatementsApart) {
  Graves graves;
  for (std::int32_t at = 0; at < 128; ++at) {
    graves.add(tuple({at}), {at < 64 ? 7 : 8});
  }

  EXPECT_EQ(producer(graves.find(tuple({63}))), 7);
  EXPECT_EQ(producer(graves.find(tuple({64}))), 8);
}

} // namespace

} // namespace tutti::model::fragments
