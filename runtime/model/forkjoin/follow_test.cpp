// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Launches that follow pointers, on two ranks of this process. Both have the same memory, so what
/// is looked at here is what they say to one another.
#include "runtime/model/forkjoin/rank_zero.h"
#include "runtime/model/forkjoin/worker.h"
#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using namespace exec;
using namespace protocol;

namespace {

constexpr std::uint64_t kRows = 2000;
constexpr std::uint64_t kRowBytes = 1000;
constexpr std::size_t kFewBytes = 1000; ///< Of a message without a table.

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({64 << 20, 1 << 20, {}, true});
  return *mapped;
}

std::uint64_t &word(std::uint64_t address) {
  return *reinterpret_cast<std::uint64_t *>(window().view(address));
}

/// Adds 1 to the first word of each row. Captures: the table, its rows.
void runRows(const std::uint64_t *captures, const tutti_chunk *chunk) {
  for (std::int64_t index = chunk->lower; index < chunk->upper; ++index) {
    ++word(word(captures[0] + 8 * static_cast<std::uint64_t>(index)));
  }
}

void rowAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                 std::int64_t upper, std::int64_t, tutti_sink *sink) {
  for (std::int64_t index = lower; index < upper; ++index) {
    const std::uint64_t at = captures[0] + 8 * static_cast<std::uint64_t>(index);
    const std::uint64_t row = sink->follow(at, 8);
    sink->add(TUTTI_READ, captures[0], at, 8, 0, nullptr);
    sink->add(TUTTI_READ | TUTTI_WRITE, row, row, kRowBytes, 0, nullptr);
  }
}

/// Makes row i the next one behind row i. Captures: the table, its rows.
void runShift(const std::uint64_t *captures, const tutti_chunk *chunk) {
  for (std::int64_t index = chunk->lower; index < chunk->upper; ++index) {
    word(captures[0] + 8 * static_cast<std::uint64_t>(index)) += 8;
  }
}

void shiftAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                   std::int64_t upper, std::int64_t, tutti_sink *sink) {
  const tutti_dim dim{8, upper - lower};
  sink->add(TUTTI_READ | TUTTI_WRITE, captures[0],
            captures[0] + 8 * static_cast<std::uint64_t>(lower), 8, 1, &dim);
}

tutti_region regionOf(std::uint64_t id, decltype(tutti_region::run) run,
                      decltype(tutti_region::accesses) accesses, std::uint32_t flags) {
  tutti_region region{};
  region.id = id;
  region.flags = TUTTI_REGION_DISTRIBUTABLE | flags;
  region.source = "test.c:1:1";
  region.captures = 2;
  region.run = run;
  region.gather = [](const std::uint64_t *, std::uint64_t *, tutti_gather *) {};
  region.trip = [](const std::uint64_t *captures, const std::uint64_t *) {
    return static_cast<std::int64_t>(captures[1]);
  };
  region.accesses = accesses;
  return region;
}

const tutti_region &rows() {
  static const tutti_region region = regionOf(1, runRows, rowAccesses, TUTTI_REGION_FOLLOWS);
  return region;
}

const tutti_region &shift() {
  static const tutti_region region = regionOf(2, runShift, shiftAccesses, 0);
  return region;
}

const tutti_region *regionNumber(std::uint64_t id) { return id == 1 ? &rows() : &shift(); }

class NoTasks final : public TaskHost {
  void start(std::span<const std::byte>, std::function<void(Ended ended)>) override {
    ADD_FAILURE() << "a task came";
  }
};

class FollowTest : public testing::Test {
protected:
  void SetUp() override {
    heap_ = std::make_unique<memory::Heap>(window().heap());
    pages_ = std::move(memory::PageTable::create(window())).value();
    zero_ = std::make_unique<RankZero>(
        RankZero::Setup{{*endpoint_, window(), memory::Topology({0, 0}), {}, {}, true},
                        *pages_,
                        memory::Objects(window().stack(), *heap_, {}),
                        Distribute::Always,
                        {},
                        TUTTI_DEVICE_AUTO});
    ASSERT_TRUE(memory::installFaultHandler(window(), *pages_, zero_->touches()));
    worker_ = std::thread([this] {
      NoTasks tasks;
      Worker({*otherEndpoint_, window(), memory::Topology({0, 0}), {}, {}, true}, regionNumber,
             tasks)
          .run();
    });
    zero_->start();
    table_ = heap_->allocate(8 * kRows);
    for (std::uint64_t index = 0; index < kRows; ++index) {
      const std::uint64_t row = heap_->allocate(kRowBytes + 800);
      word(table_ + 8 * index) = row;
      std::fill_n(&word(row), kRowBytes / 8, index);
    }
  }

  void TearDown() override {
    zero_->finish();
    worker_.join();
    memory::removeFaultHandler();
  }

  /// As a program launches; whether it was distributed.
  bool launch(const tutti_region &region) {
    const std::array<std::uint64_t, 2> captures{table_, kRows};
    std::optional<Launch> launch = zero_->prepare(region, captures.data(), 0);
    return launch && zero_->distribute(*launch);
  }

  /// The longest message since the last call.
  std::size_t longestMessage() {
    const std::vector<transport::mock::Sent> all = network_.sent();
    std::size_t longest = 0;
    for (; seen_ < all.size(); ++seen_) {
      longest = std::max(longest, all[seen_].control ? all[seen_].bytes : 0);
    }
    return longest;
  }

  /// Until the other rank has done what it was told: in a job it would have the memory of that time
  /// to itself, whatever sequential code writes meanwhile.
  void awaitOther() {
    const std::uint64_t row = word(table_ + 8 * (kRows - 100)); // Of the other's part.
    ASSERT_EQ(pages_->at(row), memory::Access::None);
    zero_->open({row, row + 8}, false);
  }

  /// A word of the table as sequential code has it.
  std::uint64_t &pointer(std::uint64_t index) {
    zero_->open({table_ + 8 * index, table_ + 8 * index + 8}, true);
    return word(table_ + 8 * index);
  }

  void expectFirstWords(std::uint64_t added) {
    for (std::uint64_t index = 0; index < kRows; ++index) {
      const std::uint64_t row = pointer(index);
      zero_->open({row, row + 8}, false);
      ASSERT_EQ(word(row), index + added) << "row " << index;
    }
  }

  transport::mock::Network network_{2};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  std::unique_ptr<transport::Endpoint> otherEndpoint_ = network_.open(1);
  std::unique_ptr<memory::Heap> heap_;
  std::unique_ptr<memory::PageTable> pages_;
  std::unique_ptr<RankZero> zero_;
  std::thread worker_;
  std::uint64_t table_ = 0;
  std::size_t seen_ = 0;
};

TEST_F(FollowTest, SendsATableOnce) {
  EXPECT_TRUE(launch(rows()));
  EXPECT_GT(longestMessage(), 8 * kRows);

  for (int round = 0; round < 5; ++round) {
    EXPECT_TRUE(launch(rows()));
  }

  EXPECT_LT(longestMessage(), kFewBytes);
  expectFirstWords(6);
}

TEST_F(FollowTest, SendsATableAgainWhosePointersHaveChanged) {
  EXPECT_TRUE(launch(rows()));
  awaitOther();
  std::swap(pointer(5), pointer(1500));
  longestMessage();

  EXPECT_TRUE(launch(rows()));
  EXPECT_GT(longestMessage(), 8 * kRows);
  awaitOther();
  std::swap(pointer(5), pointer(1500));
  longestMessage(); // Rows are fetched together, by a request that names them all.
  EXPECT_TRUE(launch(rows()));

  EXPECT_LT(longestMessage(), kFewBytes) << "the first one is known";
  expectFirstWords(3);
}

TEST_F(FollowTest, FetchesATableThatAnotherRankHasWritten) {
  EXPECT_TRUE(launch(shift()));
  const Range absent = memory::pagesInside({table_ + 8 * kRows / 2, table_ + 8 * kRows});
  ASSERT_EQ(pages_->at(absent.begin), memory::Access::None);

  EXPECT_TRUE(launch(rows()));

  EXPECT_NE(pages_->at(absent.begin), memory::Access::None);
  for (std::uint64_t index = 0; index < kRows; ++index) {
    const std::uint64_t row = pointer(index);
    zero_->open({row, row + 8}, false);
    ASSERT_EQ(word(row), index + 1);
    ASSERT_EQ(word(row - 8), index);
  }
}

TEST_F(FollowTest, StaysHomeWhereARowIsMissing) {
  const std::uint64_t row = std::exchange(pointer(7), 0);

  EXPECT_FALSE(launch(rows()));

  pointer(7) = row;
  EXPECT_TRUE(launch(rows()));
  expectFirstWords(1);
}

} // namespace

} // namespace tutti::model::forkjoin
