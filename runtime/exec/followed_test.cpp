// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Words that were followed, against the memory that they were read from.
#include "base/log.h"
#include "runtime/exec/followed.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::exec {

namespace {

std::uint64_t addressOf(const void *memory) { return reinterpret_cast<std::uint64_t>(memory); }

/// A word as somebody would read it who follows it.
BlockValue wordAt(std::uint64_t address, std::uint32_t bytes) {
  BlockValue word{address, 0, bytes};
  std::memcpy(&word.value, reinterpret_cast<const void *>(address), bytes);
  return word;
}

/// As in an array of structures: a pointer, and something that nobody follows.
struct Row {
  std::uint64_t pointer;
  std::uint64_t data;
};

std::vector<Row> rowsOf(std::size_t count) {
  std::vector<Row> rows(count);
  for (std::size_t index = 0; index < count; ++index) {
    rows[index] = {1000 + 17 * index, index};
  }
  return rows;
}

Followed pointersOf(const std::vector<Row> &rows) {
  std::vector<BlockValue> words;
  for (const Row &row : rows) {
    words.push_back(wordAt(addressOf(&row.pointer), 8));
  }
  return {1, contentOf(std::move(words))};
}

TEST(Followed, GivesTheWordsThatWereReadInAnyOrder) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> memory(5000);
  for (std::uint64_t &word : memory) {
    word = random();
  }
  std::vector<BlockValue> words;
  for (int count = 0; count < 3000; ++count) {
    const std::uint32_t bytes = 1U << random() % 4;
    const std::uint64_t offset = random() % (memory.size() * 8 - 8);
    words.push_back(wordAt(addressOf(memory.data()) + offset, bytes));
  }
  const Followed followed(1, contentOf(words));
  std::memset(memory.data(), 0, memory.size() * 8);

  Followed::Reader reader(&followed);
  for (int pass = 0; pass < 3; ++pass) {
    for (const BlockValue &word : words) {
      ASSERT_EQ(reader.read(word.address, word.bytes), word.value);
    }
    std::ranges::shuffle(words, random);
    if (pass == 1) {
      std::ranges::sort(words, {}, &BlockValue::address);
    }
  }
}

TEST(Followed, TakesWordsThatTouchTogetherAndNothingBetweenOthers) {
  const std::array<std::uint64_t, 6> memory{1, 2, 3, 4, 5, 6};
  const std::uint64_t begin = addressOf(memory.data());

  const Followed::Content content =
      contentOf({wordAt(begin + 40, 8), wordAt(begin + 8, 8), wordAt(begin, 8),
                 wordAt(begin + 4, 4), wordAt(begin + 24, 2), wordAt(begin, 8)});

  EXPECT_EQ(
      content.words,
      RangeSet::of({{begin, begin + 16}, {begin + 24, begin + 26}, {begin + 40, begin + 48}}));
  EXPECT_EQ(content.bytes.size(), 26U);
}

TEST(Followed, TellsOnlyChangesOfWhatWasFollowed) {
  std::vector<Row> rows = rowsOf(1000);
  const Followed followed = pointersOf(rows);

  rows[500].data = 7;
  EXPECT_TRUE(followed.isUnchanged());
  rows[999].pointer = 7;
  EXPECT_FALSE(followed.isUnchanged());
}

/// What was followed by half words.
TEST(Followed, TellsChangesOfWordsOfAnySize) {
  std::array<std::uint32_t, 4> memory{1, 2, 3, 4};
  const Followed followed(
      1, contentOf({wordAt(addressOf(memory.data()), 4), wordAt(addressOf(&memory[2]), 4)}));

  memory[1] = 7;
  EXPECT_TRUE(followed.isUnchanged());
  memory[2] = 7;
  EXPECT_FALSE(followed.isUnchanged());
}

TEST(Followed, KnowsNoWordsThatRankZeroHasNotFollowed) {
  const std::vector<Row> rows = rowsOf(10);
  const Followed followed = pointersOf(rows);
  const auto isKnown = [&](std::uint64_t address) {
    return Followed::Reader(&followed).read(address, 8).has_value();
  };

  EXPECT_TRUE(isKnown(addressOf(&rows[3].pointer)));
  EXPECT_FALSE(isKnown(addressOf(&rows[3].data)));
  EXPECT_FALSE(isKnown(addressOf(&rows[0]) - 8));
  EXPECT_FALSE(isKnown(addressOf(&rows[3].pointer) + 4));
}

TEST(RecentlyFollowed, ForgetsContentsThatTakeTooMuch) {
  const auto contentOf = [](std::uint64_t id) {
    Followed::Content content;
    content.words = RangeSet::of({{0, RecentlyFollowed::kMostBytes / 4}});
    content.bytes.resize(content.words.bytes());
    return std::make_shared<const Followed>(id, std::move(content));
  };
  RecentlyFollowed recent;

  for (std::uint64_t id = 0; id < 6; ++id) {
    recent.use(contentOf(id));
  }

  EXPECT_FALSE(recent.find(2));
  EXPECT_TRUE(recent.find(3));
  EXPECT_TRUE(recent.find(5));
}

} // namespace

} // namespace tutti::exec
