// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Twins against a plain comparison of all bytes.
#include "runtime/memory/twins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace tutti::memory {

namespace {

constexpr std::uint64_t kPages = 8;
constexpr Range kPart{kHeapBase, kHeapBase + kPages *kPageBytes};

/// One per process: the mappings stay.
const Window &window() {
  static const auto mapped = *Window::open({32 << 20, 1 << 20, {}, false});
  return *mapped;
}

Range bytes(std::uint64_t begin, std::uint64_t end) { return {kHeapBase + begin, kHeapBase + end}; }

/// Rank 1 has read `ranges` too.
void share(Directory &directory, const RangeSet &ranges) {
  static_cast<void>(directory.launch({{}, {ranges, {}}}, Topology::ofHosts(2)));
}

class TwinsTest : public testing::Test {
protected:
  void SetUp() override { std::memset(window().view(kPart.begin), 0, kPart.size()); }

  void write(std::uint64_t offset, char value) {
    *window().view(kHeapBase + offset) = static_cast<std::byte>(value);
  }

  /// What the events say: all of them claims.
  std::vector<Range> collect(const Directory &directory) {
    std::vector<Event> events;
    twins_.collect(directory, events);
    std::vector<Range> ranges;
    for (const Event &event : events) {
      EXPECT_EQ(event.kind, Event::Kind::Claimed);
      ranges.push_back(event.range);
    }
    return ranges;
  }

  Twins twins_{window()};
  Directory directory_;
};

TEST_F(TwinsTest, SayNothingWhereNothingChanged) {
  share(directory_, RangeSet::of({kPart}));
  twins_.keep(RangeSet::of({kPart}));

  EXPECT_TRUE(collect(directory_).empty());
  EXPECT_EQ(twins_.size(), kPages);
}

TEST_F(TwinsTest, NoticeAChangedByteAsItsWord) {
  share(directory_, RangeSet::of({kPart}));
  twins_.keep(RangeSet::of({kPart}));
  write(5003, 1);

  EXPECT_EQ(collect(directory_), std::vector<Range>{bytes(5000, 5008)});
}

TEST_F(TwinsTest, SayWhetherThereMayBeSomethingToCollect) {
  share(directory_, RangeSet::of({kPart}));
  twins_.keep(RangeSet::of({kPart}));

  EXPECT_FALSE(twins_.haveChanged());
  write(5003, 1);
  EXPECT_TRUE(twins_.haveChanged());
  static_cast<void>(collect(directory_));
  EXPECT_FALSE(twins_.haveChanged());
}

TEST_F(TwinsTest, NoticeAChangeOnce) {
  share(directory_, RangeSet::of({kPart}));
  twins_.keep(RangeSet::of({kPart}));
  write(0, 1);
  ASSERT_EQ(collect(directory_).size(), 1U);

  EXPECT_TRUE(collect(directory_).empty());
}

TEST_F(TwinsTest, KeepTheFirstCopyOfAPage) {
  share(directory_, RangeSet::of({kPart}));
  twins_.keep(RangeSet::of({kPart}));
  write(0, 1);
  twins_.keep(RangeSet::of({kPart}));

  EXPECT_EQ(collect(directory_), std::vector<Range>{bytes(0, 8)});
}

TEST_F(TwinsTest, IgnoreChangesThatNobodyElseHasACopyOf) {
  share(directory_, RangeSet::of({bytes(64, 128)}));
  twins_.keep(RangeSet::of({bytes(0, kPageBytes)}));
  write(8, 1);
  write(120, 1);

  EXPECT_EQ(collect(directory_), std::vector<Range>{bytes(120, 128)});
}

TEST_F(TwinsTest, ForgetChangedPagesThatNobodyElseHasAByteOf) {
  twins_.keep(RangeSet::of({kPart}));
  write(kPageBytes, 1);

  EXPECT_TRUE(collect(directory_).empty());
  EXPECT_EQ(twins_.size(), kPages - 1);
}

TEST_F(TwinsTest, ForgetPagesThatWereDropped) {
  share(directory_, RangeSet::of({kPart}));
  twins_.keep(RangeSet::of({kPart}));
  write(0, 1);
  write(kPageBytes, 1);
  twins_.drop(RangeSet::of({bytes(0, kPageBytes)}));

  EXPECT_EQ(collect(directory_), std::vector<Range>{bytes(kPageBytes, kPageBytes + 8)});
  EXPECT_EQ(twins_.size(), kPages - 1);
}

TEST_F(TwinsTest, TakeOverWhatTheRuntimeChanged) {
  share(directory_, RangeSet::of({kPart}));
  twins_.keep(RangeSet::of({kPart}));
  for (std::uint64_t offset = 0; offset < 2 * kPageBytes; ++offset) {
    write(offset, 1);
  }
  twins_.refresh(RangeSet::of({bytes(8, kPageBytes + 16)}));

  EXPECT_EQ(collect(directory_),
            (std::vector<Range>{bytes(0, 8), bytes(kPageBytes + 16, 2 * kPageBytes)}));
}

TEST_F(TwinsTest, FindTheWordsThatDiffer) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 60; ++round) {
    Directory directory;
    std::vector<Range> shared;
    for (std::uint64_t count = random() % 6; count > 0; --count) {
      const std::uint64_t begin = random() % (kPart.size() - 9000) & ~std::uint64_t{7};
      shared.push_back(bytes(begin, begin + 8 + (random() % 8000 & ~std::uint64_t{7})));
    }
    share(directory, RangeSet::of(shared));
    Twins twins(window());
    twins.keep(RangeSet::of({kPart}));
    std::vector<std::byte> before(window().view(kPart.begin), window().view(kPart.end));
    for (int change = 0; change < 200; ++change) {
      write(random() % kPart.size(), static_cast<char>(random() % 3));
    }

    std::vector<Event> events;
    twins.collect(directory, events);

    std::vector<Range> found;
    for (const Event &event : events) {
      found.push_back(event.range);
    }
    std::vector<Range> expected;
    for (std::uint64_t word = 0; word < kPart.size(); word += Twins::kWordBytes) {
      const Range range = bytes(word, word + Twins::kWordBytes);
      if (std::memcmp(window().view(range.begin), before.data() + word, Twins::kWordBytes) != 0 &&
          RangeSet::of(shared).overlaps(RangeSet::of({range}))) {
        expected.push_back(range);
      }
    }
    EXPECT_EQ(RangeSet::of(found), RangeSet::of(expected));
  }
}

} // namespace

} // namespace tutti::memory
