// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How much `Stride` takes, told by playing sequential code over memory that is not there.
#include "runtime/exec/fetcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tutti::exec {

namespace {

using memory::kPageBytes;

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
constexpr std::uint64_t kBase = 0x200000000000;
constexpr std::uint64_t kLeast = 64 * kKiB;
constexpr std::uint64_t kMost = 64 * kMiB;

/// Memory of which no page is present at first; a touch of one that is not takes what `Stride`
/// says.
class Absent {
public:
  explicit Absent(std::uint64_t bytes, std::size_t mostAhead = 4096)
      : isPresent_(bytes / kPageBytes), stride_(kLeast, kMost, mostAhead) {}

  void touch(std::uint64_t offset) {
    if (isPresent_[offset / kPageBytes]) {
      return;
    }
    ++faults;
    const Stride::Piece piece = stride_.next(kBase + offset);
    const Range page = memory::pagesAround({kBase + offset, kBase + offset + 1});
    ASSERT_TRUE(piece.run.contains(page));
    ASSERT_LE(piece.run.size(), kMost);
    Range run = page;
    while (run.begin > piece.run.begin && isAbsent(run.begin - kPageBytes)) {
      run.begin -= kPageBytes;
    }
    while (run.end < piece.run.end && isAbsent(run.end)) {
      run.end += kPageBytes;
    }
    take(run);
    std::size_t ahead = 0;
    while (ahead < piece.ahead.size() && isAbsent(piece.ahead[ahead])) {
      take(memory::pagesAround({piece.ahead[ahead], piece.ahead[ahead] + 1}));
      ++ahead;
    }
    stride_.took(run, ahead);
  }

  /// `count` touches, `distance` bytes apart.
  void sweep(std::uint64_t offset, std::int64_t distance, std::uint64_t count) {
    for (std::uint64_t index = 0; index < count; ++index) {
      touch(offset + index * static_cast<std::uint64_t>(distance));
    }
  }

  /// Another rank has written everything.
  void vanish() { std::fill(isPresent_.begin(), isPresent_.end(), false); }

  void launch() { stride_.renew(); }

  std::size_t pages() const {
    return static_cast<std::size_t>(std::count(isPresent_.begin(), isPresent_.end(), true));
  }

  std::size_t faults = 0;

private:
  bool isAbsent(std::uint64_t address) const {
    const std::uint64_t page = (address - kBase) / kPageBytes;
    return address >= kBase && page < isPresent_.size() && !isPresent_[page];
  }

  void take(Range range) {
    for (std::uint64_t page = range.begin; page < range.end; page += kPageBytes) {
      isPresent_[(page - kBase) / kPageBytes] = true;
    }
  }

  std::vector<bool> isPresent_;
  Stride stride_;
};

TEST(Stride, TakesOnePageForATouchAlone) {
  Absent memory(64 * kMiB);

  memory.touch(32 * kMiB + 24);

  EXPECT_EQ(memory.pages(), 1U);
}

TEST(Stride, TakesMoreAndMoreOfAStream) {
  Absent memory(64 * kMiB);

  memory.sweep(0, 8, 64 * kMiB / 8);

  // As many as with 64 KiB at first and twice as much each time.
  EXPECT_LE(memory.faults, 11U);
}

TEST(Stride, FollowsAStreamDownwards) {
  Absent memory(16 * kMiB);

  memory.sweep(16 * kMiB - 8, -8, 16 * kMiB / 8);

  EXPECT_LE(memory.faults, 9U);
}

TEST(Stride, FollowsStreamsOfElementsThatPagesDivide) {
  Absent memory(16 * kMiB);

  memory.sweep(0, 24, 16 * kMiB / 24);

  EXPECT_LE(memory.faults, 9U);
}

TEST(Stride, FollowsSeveralStreamsAtOnce) {
  constexpr std::uint64_t kArrays = 8;
  Absent memory(kArrays * 4 * kMiB);

  for (std::uint64_t element = 0; element < 4 * kMiB / 8; ++element) {
    for (std::uint64_t array = 0; array < kArrays; ++array) {
      memory.touch(array * 4 * kMiB + element * 8);
    }
  }

  EXPECT_LE(memory.faults, kArrays * 8);
}

class StrideOfDistance : public testing::TestWithParam<std::uint64_t> {};

TEST_P(StrideOfDistance, TakesOnlyPagesThatAreTouched) {
  constexpr std::uint64_t kCount = 1000;
  Absent memory(memory::pagesAround({0, (kCount - 1) * GetParam() + 8}).size());

  memory.sweep(0, static_cast<std::int64_t>(GetParam()), kCount);

  EXPECT_EQ(memory.pages(), kCount);
  EXPECT_LE(memory.faults, 11U);
}

TEST_P(StrideOfDistance, TakesOnlyPagesThatAreTouchedDownwards) {
  constexpr std::uint64_t kCount = 1000;
  Absent memory(memory::pagesAround({0, (kCount - 1) * GetParam() + 8}).size());

  memory.sweep((kCount - 1) * GetParam(), -static_cast<std::int64_t>(GetParam()), kCount);

  EXPECT_EQ(memory.pages(), kCount);
  EXPECT_LE(memory.faults, 11U);
}

INSTANTIATE_TEST_SUITE_P(Bytes, StrideOfDistance,
                         testing::Values(8192, 8200, 12344, 16392, 65536, 1000008));

TEST(Stride, SkipsPagesBetweenTouchesLessThanTwoPagesApart) {
  constexpr std::uint64_t kCount = 1000;
  constexpr std::uint64_t kFirst = 400; // The second touch is not beside the first.
  Absent memory(memory::pagesAround({0, kFirst + (kCount - 1) * 8008 + 8}).size());
  std::vector<bool> isTouched((kFirst + kCount * 8008) / kPageBytes + 1);
  for (std::uint64_t index = 0; index < kCount; ++index) {
    isTouched[(kFirst + index * 8008) / kPageBytes] = true;
  }

  memory.sweep(kFirst, 8008, kCount);

  EXPECT_EQ(memory.pages(),
            static_cast<std::size_t>(std::count(isTouched.begin(), isTouched.end(), true)));
  EXPECT_LE(memory.faults, 11U);
}

TEST(Stride, TakesAtMostAsManyPagesAheadAgainAsWereTouched) {
  Absent memory(64 * kMiB);

  memory.sweep(0, 16384, 100);

  EXPECT_LE(memory.pages(), 300U);
}

TEST(Stride, TellsStridesOfSeveralArraysApart) {
  constexpr std::uint64_t kCount = 200;
  constexpr std::uint64_t kArrayBytes = kCount * 16392;
  Absent memory(3 * kArrayBytes);

  for (std::uint64_t index = 0; index < kCount; ++index) {
    memory.touch(index * 16392);
    memory.touch(kArrayBytes + index * 8200);
    memory.touch(2 * kArrayBytes + index * 8);
  }

  EXPECT_LE(memory.faults, 3 * 20U);
  EXPECT_LE(memory.pages(), 2 * 2 * kCount);
}

TEST(Stride, RemembersTheDistanceForTheNextSweep) {
  Absent memory(1000 * 8200);
  memory.sweep(0, 8200, 900);
  memory.vanish();
  memory.faults = 0;

  memory.sweep(0, 8200, 900);

  EXPECT_LE(memory.faults, 10U);
}

TEST(Stride, TakesLargerPiecesWhereTouchesHaveNoOrder) {
  Absent memory(4 * kMiB);
  std::mt19937_64 random(3);

  for (int touch = 0; touch < 20000; ++touch) {
    memory.touch(random() % (4 * kMiB));
  }

  // 64 in pieces of 64 KiB; every piece ends where another begins.
  EXPECT_LE(memory.faults, 200U);
}

TEST(Stride, TakesSinglePagesForTouchesFarApart) {
  Absent memory(2048 * kMiB);
  std::mt19937_64 random(5);

  for (std::uint64_t touch = 0; touch < 20; ++touch) {
    memory.touch(touch * 100 * kMiB + random() % kMiB);
  }

  EXPECT_EQ(memory.pages(), 20U);
}

TEST(Stride, TakesPiecesInPlaceOfSinglePagesBehindTheLimit) {
  constexpr std::uint64_t kCount = 2000;
  Absent memory(kCount * 8192, 100);

  memory.sweep(0, 8192, kCount);

  EXPECT_GT(memory.pages(), kCount);
  EXPECT_LE(memory.faults, 30U);
}

TEST(Stride, TakesSinglePagesAgainAfterALaunch) {
  constexpr std::uint64_t kCount = 100;
  Absent memory(kCount * 8192, kCount);
  memory.sweep(0, 8192, kCount);
  memory.vanish();
  memory.launch();

  memory.sweep(0, 8192, kCount);

  EXPECT_EQ(memory.pages(), kCount);
}

TEST(Stride, TakesTheTouchedPageWhateverCameBefore) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    Absent memory(8 * kMiB, random() % 64);
    for (int step = 0; step < 40; ++step) {
      const std::uint64_t count = random() % 60;
      const auto distance = static_cast<std::int64_t>(random() % 20000) - 10000;
      std::uint64_t offset = random() % (8 * kMiB);
      for (std::uint64_t index = 0; index < count && offset < 8 * kMiB; ++index) {
        memory.touch(offset);
        offset += static_cast<std::uint64_t>(distance);
      }
    }
    EXPECT_LE(memory.faults, 8 * kMiB / kPageBytes);
  }
}

} // namespace

} // namespace tutti::exec
