// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/apartness.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace tutti::exec {

namespace {

constexpr Range kObject{1000, 2000};
constexpr std::uint64_t kBegin = kObject.begin;

class ApartnessTest : public testing::Test {
protected:
  void read(std::int64_t iteration, std::uint64_t address, std::uint64_t bytes = 8) {
    apartness_.begin(iteration);
    apartness_.add(address, bytes, false);
  }

  void write(std::int64_t iteration, std::uint64_t address, std::uint64_t bytes = 8) {
    apartness_.begin(iteration);
    apartness_.add(address, bytes, true);
  }

  bool holds() const { return apartness_.holds(); }

private:
  Apartness apartness_{std::array{kObject, Range{3000, 4000}}};
};

TEST_F(ApartnessTest, HoldsWhereEachElementIsOfOneIteration) {
  for (std::int64_t i = 0; i < 100; ++i) {
    const std::uint64_t at = kBegin + 8 * static_cast<std::uint64_t>((i * 37) % 100);
    read(i, at);
    write(i, at);
    write(i, at);
    read(i, 5000); // Of an object that nobody writes.
    read(i, 3000 + 8 * static_cast<std::uint64_t>(i % 3));
  }
  EXPECT_TRUE(holds());
}

TEST_F(ApartnessTest, SeesTwoThatWriteTheSame) {
  write(0, kBegin + 16);
  EXPECT_TRUE(holds());
  write(1, kBegin + 16);
  EXPECT_FALSE(holds());
}

TEST_F(ApartnessTest, SeesOneThatReadsWhatAnEarlierOneWrites) {
  write(0, kBegin + 16);
  read(7, kBegin + 16);
  EXPECT_FALSE(holds());
}

TEST_F(ApartnessTest, SeesOneThatWritesWhatEarlierOnesRead) {
  read(0, kBegin + 16);
  read(1, kBegin + 16);
  read(2, kBegin + 16);
  EXPECT_TRUE(holds());
  write(2, kBegin + 16);
  EXPECT_FALSE(holds());
}

TEST_F(ApartnessTest, TakesNeighboursInOnePieceForTheSame) {
  write(0, kBegin, 8);
  write(1, kBegin + 8, 4);
  EXPECT_TRUE(holds());
  write(2, kBegin + 12, 4);
  EXPECT_FALSE(holds());
}

TEST_F(ApartnessTest, KnowsPiecesAcrossWhichElementsLie) {
  write(0, kBegin, 8);
  write(1, kBegin + 12, 8); // Of the second piece and the third.
  EXPECT_TRUE(holds());
  write(2, kBegin + 16, 8);
  EXPECT_FALSE(holds());
}

TEST_F(ApartnessTest, DoesNotHoldBeyondAnObject) {
  write(0, kObject.end - 4);
  EXPECT_FALSE(holds());
}

TEST(ApartnessOfLargeObjectsTest, DoesNotHoldWhereItWouldTakeTooMuchMemory) {
  Apartness apartness(std::array{Range{0, std::uint64_t{1} << 40}});
  apartness.begin(0);
  apartness.add(0, 8, true);
  EXPECT_FALSE(apartness.holds());
}

} // namespace

} // namespace tutti::exec
