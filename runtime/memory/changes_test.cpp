// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Merges of what several places wrote, against one memory that all of them write.
#include "runtime/memory/changes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

namespace tutti::memory {

namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint64_t kSize = 8 << 20;
constexpr Range kPart{kHeapBase, kHeapBase + kSize};

/// One per process: the mappings stay.
const Window &window() {
  static const auto mapped = *Window::open({32 << 20, 1 << 20, {}, false});
  return *mapped;
}

class ChangesTest : public testing::Test {
protected:
  void SetUp() override { std::memset(window().view(kPart.begin), 0, kSize); }

  static std::byte *at(std::uint64_t offset) { return window().view(kHeapBase + offset); }

  static Bytes part(std::uint64_t size) { return {at(0), at(0) + size}; }

  /// What a rank sends whose copy of the first bytes is `now` and was `base`.
  static std::vector<Bytes> messages(const Base &base, const Bytes &now, std::size_t piece) {
    std::vector<Bytes> sent;
    ChangeWriter writer([&](std::span<const std::byte> message) {
      sent.emplace_back(message.begin(), message.end());
    });
    base.forEachPiece(piece, [&](std::uint64_t address, std::span<const std::byte> before) {
      const std::byte *place = &now[address - kHeapBase];
      forEachDifference(before, {place, before.size()}, [&](std::size_t offset, std::size_t bytes) {
        writer.add(address + offset, {place + offset, bytes});
      });
    });
    sent.emplace_back(writer.rest().begin(), writer.rest().end());
    return sent;
  }
};

TEST_F(ChangesTest, FindsTheRunsThatAPlainComparisonFinds) {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    Bytes before(random() % 70);
    for (std::byte &byte : before) {
      byte = static_cast<std::byte>(random());
    }
    Bytes now = before;
    const unsigned rarity = 1 + round % 9;
    for (std::byte &byte : now) {
      byte = random() % rarity == 0 ? static_cast<std::byte>(random()) : byte;
    }
    std::vector<bool> differs(now.size());
    std::size_t end = 0;
    forEachDifference(before, now, [&](std::size_t offset, std::size_t bytes) {
      EXPECT_TRUE(offset > end || (offset == 0 && end == 0)) << "runs touch or go back";
      end = offset + bytes;
      std::fill_n(differs.begin() + static_cast<std::ptrdiff_t>(offset), bytes, true);
    });
    for (std::size_t index = 0; index < now.size(); ++index) {
      EXPECT_EQ(differs[index], before[index] != now[index]) << index << " in round " << round;
    }
  }
}

TEST_F(ChangesTest, MergesWhatSeveralPlacesWroteAsIfOneMemoryHadBeenWritten) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    const std::size_t size = 300 + random() % 3000;
    const std::size_t places = 2 + random() % 4;
    for (std::size_t offset = 0; offset < size; ++offset) {
      *at(offset) = static_cast<std::byte>(random() % 3);
    }
    // A hole that nobody merges, and whose copies are of different times.
    const Range hole{kHeapBase + 100, kHeapBase + 100 + random() % 50};
    const Base base(window(),
                    RangeSet::of({{kHeapBase, hole.begin}, {hole.end, kHeapBase + size}}));
    std::vector<Bytes> copies(places, part(size));
    for (std::size_t place = 1; place < places; ++place) {
      std::fill(&copies[place][100], &copies[place][hole.end - kHeapBase],
                static_cast<std::byte>(100 + place));
    }
    Bytes expected = copies.front();
    for (std::size_t offset = 0; offset < size; ++offset) {
      const bool isHole = hole.contains({kHeapBase + offset, kHeapBase + offset + 1});
      if (!isHole && random() % 3 != 0) {
        expected[offset] = static_cast<std::byte>(random() % 3); // Often the same as before.
        copies[random() % places][offset] = expected[offset];
      }
    }
    std::memcpy(at(0), copies.front().data(), size);

    for (std::size_t place = places - 1; place > 0; --place) {
      for (const Bytes &message : messages(base, copies[place], 1 + random() % 500)) {
        applyChanges(window(), message);
      }
    }

    ASSERT_EQ(part(size), expected) << "round " << round;
  }
}

TEST_F(ChangesTest, CutsLongRunsIntoMessagesOfModerateSize) {
  const Base base(window(), RangeSet::of({kPart}));
  const Bytes now(kSize, std::byte{7});

  const std::vector<Bytes> sent = messages(base, now, kSize);

  EXPECT_GE(sent.size(), kSize / ChangeWriter::kMessageBytes);
  for (const Bytes &message : sent) {
    EXPECT_LE(message.size(), ChangeWriter::kMessageBytes + 16);
    applyChanges(window(), message);
  }
  EXPECT_EQ(part(kSize), now);
}

TEST_F(ChangesTest, TakesThreeBytesMoreThanAnElementThatWasWrittenFarFromTheNext) {
  const Base base(window(), RangeSet::of({{kHeapBase, kHeapBase + 80000}}));
  Bytes now = part(80000);
  for (std::size_t offset = 0; offset < now.size(); offset += 800) {
    std::memset(&now[offset], 0xff, 8);
  }

  const std::vector<Bytes> sent = messages(base, now, now.size());

  ASSERT_EQ(sent.size(), 1U);
  EXPECT_LE(sent.front().size(), 100U * 11 + 8);
}

TEST_F(ChangesTest, TakesRunsInAnyOrder) {
  ChangeWriter writer([](std::span<const std::byte>) { FAIL() << "they fit into one message"; });
  Bytes expected(80000);
  for (std::uint64_t run = 0; run < 100; ++run) {
    const std::uint64_t offset = run * 37 % 100 * 800;
    std::memset(&expected[offset], static_cast<int>(run + 1), 8);
    writer.add(kHeapBase + offset, {&expected[offset], 8});
  }

  applyChanges(window(), writer.rest());

  EXPECT_EQ(part(expected.size()), expected);
  EXPECT_LE(writer.rest().size(), 100U * 12 + 8);
}

using ChangesDeathTest = ChangesTest;

TEST_F(ChangesDeathTest, RefusesChangesOutsideOfTheWindow) {
  ChangeWriter writer([](std::span<const std::byte>) {});
  writer.add(kHeapBase + (std::uint64_t{1} << 40), Bytes(8));

  EXPECT_DEATH(applyChanges(window(), writer.rest()), "apply 8 changed bytes");
}

} // namespace

} // namespace tutti::memory
