// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/parts.h"

#include <gtest/gtest.h>

namespace tutti::model::fragments {
namespace {

constexpr std::int64_t kMuch = 1 << 30;

TEST(Parts, AreWhatTheTextSays) {
  const auto parts = parseParts("cpu=0.25,drag=0.5,portions=4,pieces=16");
  ASSERT_TRUE(parts);
  EXPECT_EQ(*parts, (Parts{0.25, 0.5, 4, 16}));
}

TEST(Parts, KeepWhatTheTextLeavesOut) {
  const auto parts = parseParts("drag=1");
  ASSERT_TRUE(parts);
  EXPECT_EQ(*parts, (Parts{0, 1, 8, 0}));
  EXPECT_EQ(*parseParts(""), Parts());
}

TEST(Parts, RefuseWhatTheyDoNotKnow) {
  for (const char *text : {"cpu", "cpu=", "cpu=2", "cpu=-0.1", "gpu=0.5", "portions=0",
                           "cpu=0.5,drag=0.6", "cpu=0.5x", "pieces=1.5"}) {
    EXPECT_FALSE(parseParts(text)) << text;
  }
}

TEST(Parts, DivideASegment) {
  const Parts parts{0.25, 0.5, 8, 0};
  EXPECT_EQ(parts.at(0), Part::Cores);
  EXPECT_EQ(parts.at(0.25), Part::Drag);
  EXPECT_EQ(parts.at(0.75), Part::Device);
  EXPECT_EQ(Parts().at(0), Part::Device);
  EXPECT_EQ((Parts{1, 0, 8, 0}).at(0.999), Part::Cores);
}

TEST(Parts, CutWhereTheyDivide) {
  for (const Parts &parts : {Parts{0.1, 0.2, 3, 4}, Parts{0.7, 0.1, 2, 0}, Parts{0, 1, 8, 0},
                             Parts{1, 0, 8, 2}, Parts{0.3, 0, 8, 0}, Parts()}) {
    for (std::int64_t cells = 1; cells < 80; ++cells) {
      const std::vector<std::int64_t> borders = parts.cut(cells, 3, 2, kMuch);
      ASSERT_EQ(borders.front(), 0);
      ASSERT_EQ(borders.back(), cells);
      for (std::size_t piece = 0; piece + 1 < borders.size(); ++piece) {
        ASSERT_LT(borders[piece], borders[piece + 1]);
        const auto partOf = [&](std::int64_t cell) {
          return parts.at(static_cast<double>(cell) / static_cast<double>(cells));
        };
        EXPECT_EQ(partOf(borders[piece]), partOf(borders[piece + 1] - 1));
      }
    }
  }
}

TEST(Parts, HaveAsManyPiecesAsIsSaid) {
  EXPECT_EQ((Parts{0.5, 0.25, 2, 4}).cut(16, 3, 1, kMuch),
            (std::vector<std::int64_t>{0, 2, 4, 6, 8, 10, 12, 16}));
  EXPECT_EQ(Parts().cut(16, 3, 2, kMuch), (std::vector<std::int64_t>{0, 8, 16}));
  EXPECT_EQ((Parts{0.5, 0.25, 2, 4}).cut(16, 2, 0, kMuch),
            (std::vector<std::int64_t>{0, 4, 8, 12, 16}));
  EXPECT_EQ(Parts().cut(9, 3, 0, kMuch), (std::vector<std::int64_t>{0, 3, 6, 9}));
}

TEST(Parts, CutFinelyWhatMayMove) {
  Parts parts{0.25, 0, 8, 0};
  parts.follow = 1;
  EXPECT_EQ(parts.cut(32, 1, 1, kMuch),
            (std::vector<std::int64_t>{0, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
                                       32}));
}

TEST(Parts, BeginWithLittleThatMayMove) {
  Parts parts{0, 0, 8, 0};
  parts.follow = 1;

  const std::vector<std::int64_t> borders = parts.cut(1024, 1, 1, kMuch);

  EXPECT_EQ(std::vector(borders.begin(), borders.begin() + 7),
            (std::vector<std::int64_t>{0, 4, 8, 16, 32, 64, 128}));
  EXPECT_EQ(parts.cut(5, 1, 0, kMuch), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Parts, CutFinelyWhatADeviceCannotHold) {
  EXPECT_EQ(Parts().cut(16, 3, 1, 16), (std::vector<std::int64_t>{0, 16}));
  EXPECT_EQ(Parts().cut(16, 3, 1, 8), (std::vector<std::int64_t>{0, 2, 4, 6, 8, 10, 12, 14, 16}));
  EXPECT_EQ(Parts().cut(16, 3, 2, 8), (std::vector<std::int64_t>{0, 8, 16}));
  EXPECT_EQ((Parts{0.25, 0.5, 2, 1}).cut(16, 3, 1, 2),
            (std::vector<std::int64_t>{0, 4, 8, 12, 13, 14, 15, 16}));
  EXPECT_EQ((Parts{1, 0, 8, 1}).cut(4, 3, 1, 1), (std::vector<std::int64_t>{0, 4}));
}

} // namespace
} // namespace tutti::model::fragments
