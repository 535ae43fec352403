// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Access records against a walk over every element, and the rules for gaps.
#include "base/test_instructions.h"
#include "base/test_share.h"
#include "runtime/memory/access_set.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

namespace tutti::memory {

namespace {

using Bytes = std::set<std::uint64_t>;

struct Record {
  std::uint32_t flags;
  std::uint64_t address;
  std::uint64_t size;
  std::vector<tutti_dim> dims;
};

AccessSet collect(const std::vector<Record> &records,
                  std::size_t maxRanges = AccessRanges::kMaxRanges) {
  AccessCollector collector;
  for (const Record &record : records) {
    collector.add(record.flags, record.address, record.size,
                  static_cast<std::uint32_t>(record.dims.size()), record.dims.data());
  }
  return setOf(collector.take([](std::uint64_t address) {
    return address >= 1000 && address < 2000 ? Range{1000, 2000} : Range{};
  }),
               AccessRanges(maxRanges));
}

/// Every byte of `record`, element by element.
Bytes bytesOf(const Record &record) {
  std::vector<std::uint64_t> starts = {record.address};
  for (const tutti_dim &dim : record.dims) {
    std::vector<std::uint64_t> next;
    for (const std::uint64_t start : starts) {
      for (std::int64_t i = 0; i < dim.count; ++i) {
        next.push_back(start + static_cast<std::uint64_t>(i * dim.stride));
      }
    }
    starts = std::move(next);
  }
  Bytes bytes;
  for (const std::uint64_t start : starts) {
    for (std::uint64_t byte = 0; byte < record.size; ++byte) {
      bytes.insert(start + byte);
    }
  }
  return bytes;
}

Bytes bytesOf(const RangeSet &set) {
  Bytes bytes;
  for (const Range &range : set.ranges()) {
    for (std::uint64_t byte = range.begin; byte < range.end; ++byte) {
      bytes.insert(byte);
    }
  }
  return bytes;
}

Record randomRecord(std::mt19937 &random) {
  Record record{TUTTI_WRITE, 100000 + random() % 50, random() % 9, {}};
  std::int64_t natural = static_cast<std::int64_t>(record.size);
  for (std::size_t d = random() % 4; d > 0; --d) {
    // Half of the strides tile what is inside them, as those of real arrays do.
    const std::int64_t stride = random() % 2 ? natural : static_cast<std::int64_t>(random() % 200);
    const std::int64_t count = static_cast<std::int64_t>(random() % 8) - (random() % 8 == 0);
    record.dims.push_back({random() % 3 == 0 ? -stride : stride, count});
    natural = stride * std::max<std::int64_t>(count, 1);
  }
  std::shuffle(record.dims.begin(), record.dims.end(), random);
  return record;
}

TEST(AccessCollector, AgreesWithAWalkOverEveryElement) {
  std::mt19937 random(11);
  for (int round = 0; round < 5000; ++round) {
    Record record = randomRecord(random);
    const Bytes expected = bytesOf(record);

    const AccessSet exact = collect({record});
    record.flags = TUTTI_READ;
    const AccessSet read = collect({record});
    record.flags = TUTTI_WRITE | TUTTI_AT_MOST;
    const AccessSet maybe = collect({record});

    ASSERT_EQ(bytesOf(exact.writes), expected);
    EXPECT_TRUE(exact.reads.empty());
    EXPECT_TRUE(exact.atMost.empty());
    EXPECT_TRUE(RangeSet(exact.writes).subtract(read.reads).empty());
    EXPECT_EQ(read.reads.hull(), exact.writes.hull());
    EXPECT_TRUE(read.writes.empty());
    EXPECT_EQ(maybe.writes, exact.writes);
    EXPECT_EQ(maybe.atMost, exact.writes);
    EXPECT_EQ(maybe.reads, read.reads);
  }
}

TEST(AccessCollector, MakesOneRunOfARowMajorBlock) {
  const AccessSet set = collect({{TUTTI_WRITE, 4096, 8, {{800, 50}, {8, 100}}}}, 1);

  EXPECT_FALSE(set.tooMany);
  EXPECT_EQ(set.writes, RangeSet::of({{4096, 4096 + 50 * 800}}));
}

TEST(AccessCollector, CountsNoElementTwiceWhereDimensionsOverlap) {
  // A window of 3 doubles that slides over 100.
  const AccessSet set = collect({{TUTTI_WRITE, 4096, 8, {{8, 100}, {8, 3}}}}, 1);

  EXPECT_FALSE(set.tooMany);
  EXPECT_EQ(set.writes, RangeSet::of({{4096, 4096 + 8 * 102}}));
}

TEST(AccessCollector, ReadsAlongSmallGapsOnly) {
  const std::vector<tutti_dim> fields = {{24, 10}};
  const std::vector<tutti_dim> wide = {{1000 + 125, 4}, {8, 125}};
  const std::vector<tutti_dim> tooWide = {{1000 + 126, 4}, {8, 125}};

  EXPECT_EQ(collect({{TUTTI_READ, 4096, 8, fields}}).reads.ranges().size(), 1U);
  EXPECT_EQ(collect({{TUTTI_WRITE, 4096, 8, fields}}).writes.ranges().size(), 10U);
  EXPECT_EQ(collect({{TUTTI_READ, 4096, 8, wide}}).reads.ranges().size(), 1U);
  EXPECT_EQ(collect({{TUTTI_READ, 4096, 8, tooWide}}).reads.ranges().size(), 4U);
}

TEST(AccessCollector, TakesSmallGapsOfVeryManyWrittenRunsForAtMostWrites) {
  const auto everyOther = [](std::int64_t count) {
    return collect({{TUTTI_WRITE, 4096, 8, {{16, count}}}});
  };

  const AccessSet few = everyOther(1000);
  EXPECT_EQ(few.writes.ranges().size(), 1000U);
  EXPECT_TRUE(few.reads.empty());

  const AccessSet many = everyOther(100000);
  EXPECT_EQ(many.writes, RangeSet::of({{4096, 4096 + 16 * 99999 + 8}}));
  EXPECT_EQ(many.reads, many.writes) << "the old bytes must be there";
  EXPECT_EQ(many.atMost, many.writes);

  const AccessSet sparse = collect({{TUTTI_WRITE, 4096, 8, {{4096, 2000}}}});
  EXPECT_EQ(sparse.writes.ranges().size(), 2000U) << "gaps that are not small stay";
}

TEST(AccessRanges, TakesSmallGapsOfShortRowsIfTheyAreMany) {
  const auto everyOtherOfRows = [](std::uint64_t rows) {
    AccessCollector collector;
    for (std::uint64_t row = 0; row < rows; ++row) {
      const tutti_dim points{16, 500};
      collector.add(TUTTI_WRITE, 16384 * (row + 1), 8, 1, &points);
    }
    return setOf(collector.take({}));
  };

  EXPECT_EQ(everyOtherOfRows(10).writes.ranges().size(), 5000U);
  EXPECT_TRUE(everyOtherOfRows(10).atMost.empty());
  EXPECT_EQ(everyOtherOfRows(100).writes.ranges().size(), 100U);
  EXPECT_EQ(everyOtherOfRows(100).reads, everyOtherOfRows(100).writes);
}

TEST(AccessCollector, DropsRecordsThatTouchNothing) {
  const AccessSet set = collect({{TUTTI_READ, 4096, 8, {{8, 0}}},
                                 {TUTTI_WRITE, 4096, 8, {{8, 5}, {8, -2}}},
                                 {TUTTI_WRITE, 4096, 0, {}},
                                 {TUTTI_READ | TUTTI_ALLOCATION, 1500, 8, {{8, 0}}},
                                 {0, 4096, 8, {}}});

  EXPECT_TRUE(set.reads.empty() && set.writes.empty());
}

TEST(AccessCollector, TakesWholeAllocations) {
  const AccessSet read = collect({{TUTTI_READ | TUTTI_ALLOCATION, 1500, 8, {}}});
  const AccessSet write = collect({{TUTTI_WRITE | TUTTI_ALLOCATION, 1500, 8, {}}});
  const AccessSet lost = collect({{TUTTI_WRITE | TUTTI_ALLOCATION, 2500, 8, {}}});

  const RangeSet allocation = RangeSet::of({{1000, 2000}});
  EXPECT_EQ(read.reads, allocation);
  EXPECT_TRUE(read.writes.empty());
  EXPECT_EQ(write.reads, allocation);
  EXPECT_EQ(write.writes, allocation);
  EXPECT_EQ(write.atMost, allocation);
  EXPECT_FALSE(write.unresolved);
  EXPECT_TRUE(lost.unresolved);
}

TEST(AccessCollector, GivesUpBeyondTheCap) {
  const std::vector<tutti_dim> column = {{4096, 1000}};

  EXPECT_FALSE(collect({{TUTTI_WRITE, 4096, 8, column}}, 1000).tooMany);
  EXPECT_TRUE(collect({{TUTTI_WRITE, 4096, 8, column}}, 999).tooMany);
  EXPECT_TRUE(collect({{TUTTI_WRITE, 4096, 8, column}, {TUTTI_READ, 8, 8, {}}}, 1000).tooMany);
  EXPECT_TRUE(collect({{TUTTI_WRITE, 0, 1, {{1LL << 40, 1LL << 20}, {100, 1LL << 33}}}}).tooMany);
}

TEST(AccessCollector, GivesUpOnAddressesThatWrapAround) {
  EXPECT_TRUE(collect({{TUTTI_READ, 64, 8, {{-8, 100}}}}).tooMany);
  EXPECT_TRUE(collect({{TUTTI_READ, ~0ULL - 8, 8, {{8, 100}}}}).tooMany);
  EXPECT_TRUE(collect({{TUTTI_READ, 64, 8, {{INT64_MAX, INT64_MAX}}}}).tooMany);
  EXPECT_TRUE(collect({{TUTTI_READ, 64, 8, {{INT64_MIN, INT64_MAX}}}}).tooMany);
}

TEST(AccessCollector, SaysWhenARecordDoesNotHold) {
  const AccessSet set = collect({{TUTTI_WRITE, 64, 8, {}}, {TUTTI_ANYWHERE, 128, 8, {}}});

  EXPECT_TRUE(set.anywhere);
  EXPECT_FALSE(collect({{TUTTI_WRITE, 64, 8, {}}}).anywhere);
}

TEST(AccessCollector, TellsWhatOtherChunksMayWriteToo) {
  AccessCollector collector;
  collector.add(TUTTI_WRITE | TUTTI_AT_MOST, 0, 8, 0, nullptr);
  collector.add(TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED, 64, 80, 0, nullptr);
  collector.add(TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED | TUTTI_ALLOCATION, 500, 1, 0,
                nullptr);
  collector.add(TUTTI_READ | TUTTI_ALLOCATION, 700, 1, 0, nullptr);

  const AccessSet set = setOf(collector.take([](std::uint64_t address) {
    return Range{address - address % 100, address - address % 100 + 100};
  }));

  EXPECT_EQ(set.scattered, RangeSet::of({{64, 144}, {500, 600}}));
  EXPECT_EQ(set.writes, RangeSet::of({{0, 8}, {64, 144}, {500, 600}}));
  EXPECT_EQ(set.reads, RangeSet::of({{0, 8}, {64, 144}, {500, 600}, {700, 800}}));
  EXPECT_TRUE(collector.take({}).records.empty());
}

/// Reports `rows` times what each of `calls` says, `step` bytes further each time.
std::vector<AccessRecord> joined(const std::vector<Record> &calls, std::uint64_t rows,
                                 std::uint64_t step) {
  AccessCollector collector;
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (const Record &record : calls) {
      collector.add(record.flags, record.address + row * step, record.size,
                    static_cast<std::uint32_t>(record.dims.size()), record.dims.data(),
                    AccessCollector::kNoLimit, &record);
    }
  }
  return collector.take({}).records;
}

TEST(AccessCollector, JoinsRowsOfEachCall) {
  const std::vector<Record> calls = {{TUTTI_READ, 4096, 8, {{8, 10}}},
                                     {TUTTI_READ, 9000, 8, {{8, 10}}},
                                     {TUTTI_WRITE, 70000, 4, {}}};
  const std::uint64_t count = casesOf(1'000'000);
  const std::vector<AccessRecord> records = joined(calls, count, 800);

  ASSERT_EQ(records.size(), 3);
  EXPECT_EQ(records[1].hull, (Range{9000, 9000 + (count - 1) * 800 + 80}));
  EXPECT_EQ(records[1].dims.size(), 2);
  EXPECT_EQ(records[2].bytes(), 4 * count);
}

TEST(AccessCollector, JoinsBlocksOfRows) {
  constexpr std::uint64_t kRow = 100;
  constexpr std::uint64_t kBlock = 5000;
  AccessCollector collector;
  std::vector<Record> all;
  for (std::uint64_t block = 0; block < 20; ++block) {
    for (std::uint64_t row = 0; row < 30; ++row) {
      const std::uint64_t address = 4096 + block * kBlock + row * kRow;
      collector.add(TUTTI_WRITE, address, 8, 0, nullptr, AccessCollector::kNoLimit, &kRow);
      all.push_back({TUTTI_WRITE, address, 8, {}});
    }
  }
  const AccessRecords records = collector.take({});

  EXPECT_EQ(records.records.size(), 1);
  EXPECT_EQ(setOf(records).writes, collect(all).writes);
}

TEST(AccessCollector, JoinsRowsOfOtherObjectsOnlyWhereNothingLiesBetween) {
  constexpr std::uint32_t kRead = TUTTI_READ | TUTTI_FOLLOWED;
  constexpr std::uint32_t kWritten = TUTTI_WRITE | TUTTI_FOLLOWED;

  EXPECT_EQ(joined({{kRead, 4096, 8, {}}}, 10, 64).size(), 1);
  EXPECT_EQ(joined({{kWritten, 4096, 8, {}}}, 10, 64).size(), 10);
  EXPECT_EQ(joined({{kWritten, 4096, 8, {{8, 8}}}}, 10, 64).size(), 1);
  EXPECT_EQ(joined({{kRead, 4096, 8, {}}}, 2, 64).size(), 2) << "they may lie so by chance";
}

TEST(AccessCollector, JoinsNothingElseThanWhatWasReported) {
  std::mt19937 random(12);
  for (int round = 0; round < 3000; ++round) {
    AccessCollector collector;
    std::vector<Record> all;
    std::array<Record, 3> calls{randomRecord(random), randomRecord(random), randomRecord(random)};
    for (int row = 0; row < 20; ++row) {
      for (Record &record : calls) {
        if (random() % 8 == 0) {
          record = randomRecord(random);
        } else {
          record.address += random() % 4 == 0 ? random() % 300 : 48;
        }
        collector.add(record.flags, record.address, record.size,
                      static_cast<std::uint32_t>(record.dims.size()), record.dims.data(),
                      AccessCollector::kNoLimit, &record);
        all.push_back(record);
      }
    }
    constexpr std::size_t kMost = AccessRanges::kMaxRanges;
    const AccessSet set = setOf(collector.take({}), AccessRanges(kMost, kMost));
    ASSERT_EQ(set.writes, collect(all).writes);
  }
}

TEST(AccessCollector, JoinsElementsOfEqualRowsThatLieSideBySide) {
  AccessCollector collector;
  for (std::uint64_t column = 0; column < 8; ++column) {
    for (const std::uint32_t flags : {TUTTI_READ, TUTTI_WRITE}) {
      collector.add(flags, 4096 + 8 * column, 8, 1, std::array{tutti_dim{800, 100}}.data());
    }
  }
  const std::vector<AccessRecord> records = collector.take({}).records;

  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(records[1].runs(false).length, 64);
  EXPECT_EQ(records[1].bytes(), 6400);
  EXPECT_EQ(records[1].hull, (Range{4096, 4096 + 99 * 800 + 64}));
}

TEST(AccessCollector, JoinsOnlyWhatLiesSideBySide) {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    AccessCollector collector;
    Bytes written;
    Bytes read;
    const Record first = randomRecord(random);
    for (int part = 0; part < 6; ++part) {
      Record record = random() % 8 == 0 ? randomRecord(random) : first;
      record.address += (random() % 6) * record.size;
      record.flags = random() % 4 == 0 ? TUTTI_READ : TUTTI_WRITE;
      collector.add(record.flags, record.address, record.size,
                    static_cast<std::uint32_t>(record.dims.size()), record.dims.data());
      (record.flags == TUTTI_READ ? read : written).merge(bytesOf(record));
    }
    constexpr std::size_t kMost = AccessRanges::kMaxRanges;
    const AccessSet set = setOf(collector.take({}), AccessRanges(kMost, kMost));
    ASSERT_EQ(bytesOf(set.writes), written);
    ASSERT_TRUE(std::ranges::includes(bytesOf(set.reads), read));
  }
}

TEST(AccessCollector, StartsAnewAfterTake) {
  AccessCollector collector;
  collector.add(TUTTI_READ, 64, 8, 1, std::array{tutti_dim{-8, 100}}.data());
  EXPECT_TRUE(collector.take({}).wrapsAround);

  collector.add(TUTTI_READ, 8, 8, 0, nullptr);
  const AccessRecords records = collector.take({});

  EXPECT_FALSE(records.wrapsAround);
  EXPECT_EQ(setOf(records).reads, RangeSet::of({{8, 16}}));
}

/// Of an unrolled loop over columns. Each launch that is new asks for them several times.
TEST(AccessCollector, TakesFewInstructionsForEachElementOfARow) {
  if (const char *reason = test::reasonToCountNone()) {
    GTEST_SKIP() << reason;
  }
  constexpr std::uint64_t kElements = 8;
  std::array<char, kElements> calls{};
  const auto recordsOfRows = [&] {
    AccessCollector collector;
    for (std::uint64_t element = 0; element < kElements; ++element) {
      collector.add(TUTTI_READ | TUTTI_WRITE, 4096 + 8 * element, 8, 1,
                    std::array{tutti_dim{1024, 100}}.data(), AccessCollector::kNoLimit,
                    &calls[element]);
    }
    return collector.take({}).records.size();
  };
  EXPECT_EQ(recordsOfRows(), 1U); // Memory is there from then on.

  EXPECT_LT(*test::instructionsOf([&] { recordsOfRows(); }), std::int64_t{1200 * kElements});
}

TEST(AccessRanges, GivesWhatOfARecordLiesInARange) {
  std::mt19937 random(12);
  for (int round = 0; round < 5000; ++round) {
    const Record record = randomRecord(random);
    const Bytes all = bytesOf(record);
    AccessCollector collector;
    collector.add(record.flags, record.address, record.size,
                  static_cast<std::uint32_t>(record.dims.size()), record.dims.data());
    const AccessRecords records = collector.take({});
    if (all.empty()) {
      EXPECT_TRUE(records.records.empty());
      continue;
    }
    ASSERT_EQ(records.records.size(), 1U);
    EXPECT_EQ(records.records[0].hull, (Range{*all.begin(), *all.rbegin() + 1}));
    EXPECT_GE(records.records[0].bytes(), all.size());
    const std::uint64_t begin = *all.begin() + random() % 300;
    const Range clip{begin, begin + random() % 300};
    AccessRanges ranges;

    ranges.add(records.records[0], clip);

    Bytes expected;
    for (const std::uint64_t byte : all) {
      if (byte >= clip.begin && byte < clip.end) {
        expected.insert(byte);
      }
    }
    ASSERT_EQ(bytesOf(ranges.take().writes), expected);
  }
}

} // namespace

} // namespace tutti::memory
