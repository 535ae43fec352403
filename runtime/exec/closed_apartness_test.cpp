// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/updates.h"
#include "runtime/exec/closed_apartness.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tutti::exec {

namespace {

constexpr std::int64_t kColumns = 100;

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({16 << 20, 1 << 20, {}, false});
  return *mapped;
}

std::uint64_t at(std::int64_t element) {
  return window().heap().begin + static_cast<std::uint64_t>(8 * (element + 1000));
}

int asked = 0; ///< Times that regions were.

using Accesses = decltype(tutti_region::accesses);

/// Whether the iterations of a loop keep apart, all of whose objects are one array.
bool keepApart(Accesses accesses, std::int64_t total, std::vector<std::uint64_t> captures = {}) {
  tutti_region region{};
  region.accesses = accesses;
  Launch launch;
  launch.region = &region;
  launch.captures = std::move(captures);
  launch.total = total;
  launch.allocations = {{at(0), {at(0), at(1 << 16)}}};
  asked = 0;
  return keepApartInRecords(launch, window(), allocationsOf(launch));
}

void add(tutti_sink *sink, std::uint32_t flags, std::int64_t element, std::int64_t stride,
         std::int64_t count) {
  const tutti_dim dim{8 * stride, count};
  sink->add(flags, at(0), at(element), 8, 1, &dim);
}

/// x[i] = x[i + captures[0]]
void shiftAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                   std::int64_t upper, std::int64_t, tutti_sink *sink) {
  ++asked;
  add(sink, TUTTI_WRITE, lower, 1, upper - lower);
  add(sink, TUTTI_READ, lower + static_cast<std::int64_t>(captures[0]), 1, upper - lower);
}

TEST(ClosedApartnessTest, TellsWhatOtherIterationsWrite) {
  EXPECT_TRUE(keepApart(shiftAccesses, 1000, {0}));
  EXPECT_FALSE(keepApart(shiftAccesses, 1000, {1}));
  EXPECT_FALSE(keepApart(shiftAccesses, 1000, {999}));
  EXPECT_TRUE(keepApart(shiftAccesses, 1000, {1000}));
  EXPECT_TRUE(keepApart(shiftAccesses, 1, {0}));
}

TEST(ClosedApartnessTest, AsksOnceWhereIterationsAreAlike) {
  EXPECT_TRUE(keepApart(shiftAccesses, 1000000, {1000000}));
  EXPECT_LE(asked, 6);
}

/// y[i] = a sum over a row of x, which may have any length and lies `captures[0]` elements behind y.
void rowAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                 std::int64_t upper, std::int64_t, tutti_sink *sink) {
  static const char places[2] = {};
  ++asked;
  sink->call = &places[0];
  add(sink, TUTTI_WRITE, lower, 1, upper - lower);
  sink->call = &places[1];
  for (std::int64_t row = lower; row < upper; ++row) {
    add(sink, TUTTI_READ, static_cast<std::int64_t>(captures[0]) + row, 1, 1 + row % 7);
  }
}

TEST(ClosedApartnessTest, LeavesOutRowsThatLieApart) {
  EXPECT_TRUE(keepApart(rowAccesses, 300000, {300000}));
  EXPECT_LE(asked, 6);
  EXPECT_FALSE(keepApart(rowAccesses, 300, {299}));
}

/// Rows by red points and their neighbours: record by record of single iterations.
void redAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                 std::int64_t upper, std::int64_t, tutti_sink *sink) {
  for (std::int64_t i = lower + 1; i <= upper; ++i) {
    const std::int64_t j = 1 + (i + static_cast<std::int64_t>(captures[0])) % 2;
    const std::int64_t count = (kColumns - 1 - j) / 2;
    const std::int64_t element = i * kColumns + j;
    add(sink, TUTTI_READ | TUTTI_WRITE, element, 2, count);
    for (const std::int64_t neighbour : {-kColumns, std::int64_t{-1}, std::int64_t{1}, kColumns}) {
      add(sink, TUTTI_READ, element + neighbour + static_cast<std::int64_t>(captures[1]), 2, count);
    }
  }
}

TEST(ClosedApartnessTest, TellsColoursApart) {
  EXPECT_TRUE(keepApart(redAccesses, 200, {0, 0}));
  EXPECT_TRUE(keepApart(redAccesses, 200, {1, 0}));
  EXPECT_FALSE(keepApart(redAccesses, 200, {0, 1})) << "neighbours of the other colour";
}

/// y[i] is the sum of x[0] to x[i], of which only the most of all iterations is known; y is x from
/// element captures[0] on.
void triangleAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                      std::int64_t upper, std::int64_t, tutti_sink *sink) {
  add(sink, TUTTI_READ | TUTTI_AT_MOST, 0, 1, upper);
  add(sink, TUTTI_WRITE, lower + static_cast<std::int64_t>(captures[0]), 1, upper - lower);
}

TEST(ClosedApartnessTest, TakesNoTriangleForADiagonal) {
  EXPECT_TRUE(keepApart(triangleAccesses, 1000, {1000}));
  EXPECT_FALSE(keepApart(triangleAccesses, 1000, {500}));
  EXPECT_FALSE(keepApart(triangleAccesses, 1000, {0}));
}

/// Two loops in one: iteration k is row k / 10 and column k % 10, and records end where rows do.
void collapsedAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                       std::int64_t upper, std::int64_t, tutti_sink *sink) {
  ++asked;
  while (lower < upper) {
    const std::int64_t end = std::min(upper, lower / 10 * 10 + 10);
    const std::int64_t element = lower / 10 * kColumns + lower % 10;
    add(sink, TUTTI_WRITE, element, 1, end - lower);
    add(sink, TUTTI_READ, element + static_cast<std::int64_t>(captures[0]), 1, end - lower);
    lower = end;
  }
}

TEST(ClosedApartnessTest, TellsRowsApartOfWhichRecordsArePieces) {
  EXPECT_TRUE(keepApart(collapsedAccesses, 5000, {10})) << "columns beyond";
  EXPECT_FALSE(keepApart(collapsedAccesses, 5000, {kColumns})) << "the next row";
  EXPECT_FALSE(keepApart(collapsedAccesses, 5000, {9}));
}

/// All add to one element, or set it, or one of them does; captures: flags, and which one.
void sharedAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                    std::int64_t upper, std::int64_t, tutti_sink *sink) {
  const auto only = static_cast<std::int64_t>(captures[1]);
  if (only < 0 || (lower <= only && only < upper)) {
    sink->add(static_cast<std::uint32_t>(captures[0]), at(5000), at(5000), 8, 0, nullptr);
  }
  add(sink, TUTTI_WRITE, lower, 1, upper - lower);
}

TEST(ClosedApartnessTest, KnowsWhatIsOpenAnyway) {
  constexpr auto kAll = static_cast<std::uint64_t>(-1);
  EXPECT_FALSE(keepApart(sharedAccesses, 100, {TUTTI_WRITE, kAll}));
  EXPECT_FALSE(keepApart(sharedAccesses, 100, {TUTTI_WRITE | TUTTI_AT_MOST, kAll}));
  EXPECT_TRUE(keepApart(sharedAccesses, 100, {TUTTI_WRITE, 99})) << "what the last one leaves";
  EXPECT_TRUE(keepApart(sharedAccesses, 100, {TUTTI_READ, kAll}));
  EXPECT_TRUE(keepApart(sharedAccesses, 100, {TUTTI_READ | TUTTI_WRITE | TUTTI_REDUCED, kAll}));
  EXPECT_TRUE(keepApart(sharedAccesses, 100,
                        {TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED | TUTTI_UPDATED, kAll}));
  EXPECT_TRUE(keepApart(sharedAccesses, 100, {TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED, kAll}))
      << "a flag";
  EXPECT_FALSE(keepApart(sharedAccesses, 100, {TUTTI_EVERYWHERE, kAll}));
  EXPECT_FALSE(keepApart(sharedAccesses, 100, {TUTTI_WRITE | TUTTI_ANYWHERE, kAll}));
}

TEST(ClosedApartnessTest, CountsValuesAmongWhatIsRead) {
  tutti_region region{};
  region.accesses = shiftAccesses;
  Launch launch;
  launch.region = &region;
  launch.captures = {0};
  launch.total = 100;
  launch.blocks = {{at(200), 1, 8}};
  EXPECT_TRUE(keepApartInRecords(launch, window(), allocationsOf(launch)));
  launch.blocks = {{at(50), 1, 8}};
  EXPECT_FALSE(keepApartInRecords(launch, window(), allocationsOf(launch)));
}

} // namespace

} // namespace tutti::exec
