// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How much `Stride` takes, told by playing sequential code over memory that is not there.
#include "runtime/model/forkjoin/fetcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using namespace exec;
using namespace protocol;

namespace {

using memory::kPageBytes;

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
constexpr std::uint64_t kBase = 0x200000000000;
constexpr std::uint64_t kMost = 64 * kMiB;

/// Memory of which no page is present at first; a touch of one that is not takes what `Stride`
/// says.
class Absent {
public:
  explicit Absent(std::uint64_t bytes) : isPresent_(bytes / kPageBytes), stride_(kMost) {}

  void touch(std::uint64_t offset) {
    if (isPresent_[offset / kPageBytes]) {
      return;
    }
    ++faults;
    const Range wanted = stride_.next(kBase + offset);
    Range run = memory::pagesAround({kBase + offset, kBase + offset + 1});
    ASSERT_TRUE(wanted.contains(run));
    ASSERT_LE(wanted.size(), kMost);
    while (run.begin > wanted.begin && isAbsent(run.begin - kPageBytes)) {
      run.begin -= kPageBytes;
    }
    while (run.end < wanted.end && isAbsent(run.end)) {
      run.end += kPageBytes;
    }
    for (std::uint64_t page = run.begin; page < run.end; page += kPageBytes) {
      isPresent_[(page - kBase) / kPageBytes] = true;
    }
    stride_.took(run);
  }

  /// `count` touches, `distance` bytes apart.
  void sweep(std::uint64_t offset, std::int64_t distance, std::uint64_t count) {
    for (std::uint64_t index = 0; index < count; ++index) {
      touch(offset + index * static_cast<std::uint64_t>(distance));
    }
  }

  /// As a launch does that writes all of it elsewhere.
  void close() { isPresent_.assign(isPresent_.size(), false); }

  std::size_t pages() const {
    return static_cast<std::size_t>(std::count(isPresent_.begin(), isPresent_.end(), true));
  }

  std::size_t faults = 0;

private:
  bool isAbsent(std::uint64_t address) const {
    const std::uint64_t page = (address - kBase) / kPageBytes;
    return address >= kBase && page < isPresent_.size() && !isPresent_[page];
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

  EXPECT_LE(memory.faults, 5U);
}

TEST(Stride, FollowsAStreamDownwards) {
  Absent memory(16 * kMiB);

  memory.sweep(16 * kMiB - 8, -8, 16 * kMiB / 8);

  EXPECT_LE(memory.faults, 5U);
}

TEST(Stride, FollowsStreamsOfElementsThatPagesDivide) {
  Absent memory(16 * kMiB);

  memory.sweep(0, 24, 16 * kMiB / 24);

  EXPECT_LE(memory.faults, 5U);
}

TEST(Stride, FollowsSeveralStreamsAtOnce) {
  constexpr std::uint64_t kArrays = 8;
  Absent memory(kArrays * 4 * kMiB);

  for (std::uint64_t element = 0; element < 4 * kMiB / 8; ++element) {
    for (std::uint64_t array = 0; array < kArrays; ++array) {
      memory.touch(array * 4 * kMiB + element * 8);
    }
  }

  EXPECT_LE(memory.faults, kArrays * 4);
}

class WalkAgain : public testing::TestWithParam<std::uint64_t> {
protected:
  /// Faults and pages of a walk through `bytes` bytes of memory that has been closed; through all
  /// of them it comes to the end of the memory.
  std::pair<std::size_t, std::size_t> walk(std::uint64_t bytes) {
    memory_.close();
    memory_.faults = 0;
    memory_.sweep(kMiB, 7976, bytes / 7976);
    return {memory_.faults, memory_.pages()};
  }

  Absent memory_{GetParam() + kMiB};
};

TEST_P(WalkAgain, TakesAtOnceWhatTwoBeforeHaveTaken) {
  walk(GetParam());
  const std::size_t steps = walk(GetParam()).first;
  EXPECT_GE(steps, 3U);

  for (int round = 0; round < 12; ++round) {
    const auto [faults, pages] = walk(GetParam());

    if (round % 4 < 3) {
      EXPECT_EQ(faults, 1 + (GetParam() - 1) / kMost) << round;
    } else {
      EXPECT_EQ(faults, steps);
    }
    EXPECT_LE(pages, GetParam() / kPageBytes);
  }
}

TEST_P(WalkAgain, TakesStepsOnceItHasEndedEarly) {
  walk(GetParam());
  walk(GetParam());

  std::vector<std::size_t> pages(8);
  for (std::size_t &each : pages) {
    each = walk(4 * 7976).second;
  }

  EXPECT_EQ(std::ranges::count_if(pages, [](std::size_t each) { return each > 300; }), 3);
  EXPECT_LE(pages.back(), 300U);
}

TEST_P(WalkAgain, TakesNothingAtOnceThatHasBeenWalkedOnce) {
  walk(GetParam());

  for (int round = 0; round < 10; ++round) {
    EXPECT_LE(walk(7976).second, kPageBytes / 256) << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Bytes, WalkAgain,
                         testing::Values(4 * kMiB, 16 * kMiB, 64 * kMiB, 160 * kMiB));

class WalkInSteps : public testing::TestWithParam<std::uint64_t> {
protected:
  static constexpr std::uint64_t kBytes = 1024 * kMiB;

  /// Pieces that a walk through N pages may take.
  static constexpr std::size_t kMostPieces = 2 + kBytes / kPageBytes / 512;
};

TEST_P(WalkInSteps, TakesFewPieces) {
  Absent memory(kBytes);

  memory.sweep(0, static_cast<std::int64_t>(GetParam()), kBytes / GetParam());

  EXPECT_LE(memory.faults, kMostPieces);
}

TEST_P(WalkInSteps, TakesFewPiecesDownwards) {
  Absent memory(kBytes);

  memory.sweep(kBytes - 8, -static_cast<std::int64_t>(GetParam()), kBytes / GetParam());

  EXPECT_LE(memory.faults, kMostPieces);
}

TEST_P(WalkInSteps, TakesLittleBeyondItsEnd) {
  Absent memory(kBytes);
  const std::uint64_t walked = 64 * kMiB;

  memory.sweep(0, static_cast<std::int64_t>(GetParam()), walked / GetParam());

  EXPECT_LE(memory.pages(), 2 * walked / kPageBytes);
}

INSTANTIATE_TEST_SUITE_P(Bytes, WalkInSteps,
                         testing::Values(24, 4096, 7976, 8192, 12344, 65536, 65544, 1000008,
                                         3 * kMiB));

TEST(Stride, TakesSmallPiecesOfAShortWalk) {
  Absent memory(1024 * kMiB);

  memory.sweep(0, 8, 3 * kPageBytes / 8);

  EXPECT_LE(memory.pages(), 1U + 32U);
}

TEST(Stride, TakesLargerPiecesWhereTouchesHaveNoOrder) {
  Absent memory(4 * kMiB);
  std::mt19937_64 random(3);

  for (int touch = 0; touch < 20000; ++touch) {
    memory.touch(random() % (4 * kMiB));
  }

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

TEST(Stride, TakesTheTouchedPageWhateverCameBefore) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    Absent memory(8 * kMiB);
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

} // namespace tutti::model::forkjoin
