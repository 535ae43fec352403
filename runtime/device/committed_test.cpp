// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/committed.h"

#include <gtest/gtest.h>

namespace tutti::device {

namespace {

/// Two segments of pages with granules of four.
Committed committed() { return {{{0x3000, 0x9000}, {0x100000000, 0x10000A000}}, 0x4000}; }

TEST(Committed, RoundsToGranulesWithinTheSegment) {
  const Committed m = committed();

  EXPECT_EQ(*m.around({0x3800, 0x3801}), (Range{0x3000, 0x4000}));
  EXPECT_EQ(*m.around({0x4800, 0x8801}), (Range{0x4000, 0x9000}));
  EXPECT_EQ(*m.around({0x100000010, 0x100000020}), (Range{0x100000000, 0x100004000}));
}

TEST(Committed, FindsTheGranulesInside) {
  const Committed m = committed();

  EXPECT_EQ(*m.inside({0x3000, 0x9000}), (Range{0x3000, 0x9000}));
  EXPECT_EQ(*m.inside({0x3001, 0x8FFF}), (Range{0x4000, 0x8000}));
  EXPECT_TRUE(m.inside({0x4001, 0x7FFF})->empty());
}

TEST(Committed, RefusesWhatIsNotInOneSegment) {
  const Committed m = committed();

  EXPECT_FALSE(m.around({0x2000, 0x4000}));
  EXPECT_FALSE(m.around({0x8000, 0x9001}));
  EXPECT_FALSE(m.inside({0x8000, 0x100001000}));
  EXPECT_FALSE(m.around({0x5000, 0x4000}));
}

TEST(Committed, KnowsWhatIsCommitted) {
  Committed m = committed();
  m.add({0x4000, 0x8000});
  m.add({0x3000, 0x4000});

  EXPECT_TRUE(m.holds({0x3000, 0x8000}));
  EXPECT_TRUE(m.holds({0x7000, 0x7000}));
  EXPECT_FALSE(m.holds({0x7FFF, 0x8001}));
  EXPECT_FALSE(m.require({0x8000, 0x8001}));

  m.remove({0x4000, 0x8000});

  EXPECT_TRUE(m.holds({0x3000, 0x4000}));
  EXPECT_FALSE(m.holds({0x3FFF, 0x4001}));
  EXPECT_EQ(m.ranges().bytes(), 0x1000U);
}

} // namespace

} // namespace tutti::device
