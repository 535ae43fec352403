// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Merges of what several places wrote, against one memory that all of them write.
#include "runtime/memory/changes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::memory {

namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint64_t kSize = 8 << 20;
constexpr Range kPart{kHeapBase, kHeapBase + kSize};
const UpdateMap kNoUpdates({});

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
  static std::vector<Bytes> messages(const Base &base, const Bytes &now, std::size_t piece,
                                     const UpdateMap &updates = kNoUpdates) {
    std::vector<Bytes> sent;
    ChangeWriter writer([&](std::span<const std::byte> message) {
      sent.emplace_back(message.begin(), message.end());
    });
    base.forEachPiece(piece, [&](std::uint64_t address, std::span<const std::byte> before) {
      const std::byte *place = &now[address - kHeapBase];
      forEachChange(
          address, before, {place, before.size()}, updates,
          [&](std::uint64_t begin, std::span<const std::byte> bytes) { writer.add(begin, bytes); });
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
        applyChanges(window(), message, kNoUpdates);
      }
    }

    ASSERT_EQ(part(size), expected) << "round " << round;
  }
}

/// Does what `update` says with a small random number to the element at `offset` of each of
/// `copies`.
template <typename T>
void updateAt(std::uint32_t operation, std::mt19937 &random, std::size_t offset,
              std::initializer_list<Bytes *> copies) {
  const T with = static_cast<T>(random() % 100);
  for (Bytes *copy : copies) {
    T element;
    std::memcpy(&element, &(*copy)[offset], sizeof element);
    if (operation == TUTTI_UPDATE_ADD) {
      element = static_cast<T>(element + with);
    } else if (operation == TUTTI_UPDATE_MIN) {
      element = std::min(element, with);
    } else if (operation == TUTTI_UPDATE_MAX) {
      element = std::max(element, with);
    } else if constexpr (std::is_integral_v<T>) {
      element = static_cast<T>(operation == TUTTI_UPDATE_AND  ? element & with
                               : operation == TUTTI_UPDATE_OR ? element | with
                                                              : element ^ with);
    }
    std::memcpy(&(*copy)[offset], &element, sizeof element);
  }
}

TEST_F(ChangesTest, CombinesWhatSeveralPlacesDidToElements) {
  constexpr std::size_t kEach = 800; // Bytes of each kind of elements, and of what is written.
  constexpr auto kTypes = std::to_array<std::uint32_t>(
      {TUTTI_UPDATE_I8, TUTTI_UPDATE_I16, TUTTI_UPDATE_I32, TUTTI_UPDATE_I64, TUTTI_UPDATE_U8,
       TUTTI_UPDATE_U16, TUTTI_UPDATE_U32, TUTTI_UPDATE_U64, TUTTI_UPDATE_F32, TUTTI_UPDATE_F64});
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t operation =
        1 + static_cast<std::uint32_t>(round) % 6; // Of enum tutti_update_operation.
    const bool isBitwise = operation >= TUTTI_UPDATE_AND && operation <= TUTTI_UPDATE_XOR;
    const std::size_t types = kTypes.size() - (isBitwise ? 2 : 0);
    const std::size_t size = (types + 1) * kEach;
    std::vector<UpdatedBytes> updates;
    for (std::size_t type = 0; type < types; ++type) {
      const std::uint64_t begin = kHeapBase + type * kEach;
      updates.push_back({Update::ofFlags((operation | kTypes[type]) << TUTTI_UPDATE_SHIFT),
                         RangeSet::of({{begin, begin + kEach}})});
    }
    const UpdateMap map(updates);
    const Base base(window(), RangeSet::of({{kHeapBase, kHeapBase + size}}));
    Bytes expected = part(size);
    std::vector<Bytes> copies(3, expected);
    for (int step = 0; step < 4000; ++step) {
      Bytes &copy = copies[random() % copies.size()];
      const std::size_t type = random() % (types + 1);
      const std::size_t element = random() % (kEach / 8);
      const auto update = [&]<typename T>(T) {
        updateAt<T>(operation, random, type * kEach + element * sizeof(T), {&copy, &expected});
      };
      switch (type < types ? kTypes[type] : 0) {
      case TUTTI_UPDATE_I8:
        update(std::int8_t{});
        break;
      case TUTTI_UPDATE_I16:
        update(std::int16_t{});
        break;
      case TUTTI_UPDATE_I32:
        update(std::int32_t{});
        break;
      case TUTTI_UPDATE_I64:
        update(std::int64_t{});
        break;
      case TUTTI_UPDATE_U8:
        update(std::uint8_t{});
        break;
      case TUTTI_UPDATE_U16:
        update(std::uint16_t{});
        break;
      case TUTTI_UPDATE_U32:
        update(std::uint32_t{});
        break;
      case TUTTI_UPDATE_U64:
        update(std::uint64_t{});
        break;
      case TUTTI_UPDATE_F32:
        update(float{});
        break;
      case TUTTI_UPDATE_F64:
        update(double{});
        break;
      default: { // Each byte is one place's.
        const std::size_t offset = types * kEach + element;
        copies[element % copies.size()][offset] = expected[offset] =
            static_cast<std::byte>(random());
      }
      }
    }
    std::memcpy(at(0), copies.front().data(), size);

    for (std::size_t place = 1; place < copies.size(); ++place) {
      for (const Bytes &message : messages(base, copies[place], size, map)) {
        applyChanges(window(), message, map);
      }
    }

    ASSERT_EQ(part(size), expected) << "round " << round;
  }
}

TEST_F(ChangesTest, CutsUpdatesBetweenElements) {
  const std::vector<UpdatedBytes> updates{
      {Update::ofFlags((std::uint32_t{TUTTI_UPDATE_ADD} | TUTTI_UPDATE_I64) << TUTTI_UPDATE_SHIFT),
       RangeSet::of({kPart})}};
  const UpdateMap map(updates);
  const Base base(window(), RangeSet::of({kPart}));
  Bytes now(kSize);
  std::vector<std::int64_t> numbers(kSize / 8);
  for (std::size_t index = 0; index < numbers.size(); ++index) {
    numbers[index] = -static_cast<std::int64_t>(index) - 1;
  }
  std::memcpy(now.data(), numbers.data(), kSize);

  for (int times = 0; times < 2; ++times) {
    for (const Bytes &message : messages(base, now, kSize, map)) {
      applyChanges(window(), message, map);
    }
  }

  for (std::size_t index = 0; index < numbers.size(); ++index) {
    numbers[index] *= 2;
  }
  EXPECT_EQ(std::memcmp(at(0), numbers.data(), kSize), 0);
}

TEST_F(ChangesTest, CutsLongRunsIntoMessagesOfModerateSize) {
  const Base base(window(), RangeSet::of({kPart}));
  const Bytes now(kSize, std::byte{7});

  const std::vector<Bytes> sent = messages(base, now, kSize);

  EXPECT_GE(sent.size(), kSize / ChangeWriter::kMessageBytes);
  for (const Bytes &message : sent) {
    EXPECT_LE(message.size(), ChangeWriter::kMessageBytes + 16);
    applyChanges(window(), message, kNoUpdates);
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

  applyChanges(window(), writer.rest(), kNoUpdates);

  EXPECT_EQ(part(expected.size()), expected);
  EXPECT_LE(writer.rest().size(), 100U * 12 + 8);
}

using ChangesDeathTest = ChangesTest;

TEST_F(ChangesDeathTest, RefusesChangesOutsideOfTheWindow) {
  ChangeWriter writer([](std::span<const std::byte>) {});
  writer.add(kHeapBase + (std::uint64_t{1} << 40), Bytes(8));

  EXPECT_DEATH(applyChanges(window(), writer.rest(), kNoUpdates), "apply 8 changed bytes");
}

} // namespace

} // namespace tutti::memory
