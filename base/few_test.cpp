// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/few.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tutti {

namespace {

std::vector<int> all(const Few<int, 2> &few) { return {few.begin(), few.end()}; }

Few<int, 2> upTo(int last) {
  Few<int, 2> few;
  for (int each = 1; each <= last; ++each) {
    few.push_back(each);
  }
  return few;
}

TEST(Few, KeepsTheOrderBeyondWhatIsInside) {
  EXPECT_TRUE(upTo(0).empty());
  EXPECT_EQ(all(upTo(2)), (std::vector<int>{1, 2}));
  EXPECT_EQ(all(upTo(5)), (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST(Few, KeepsTheFirstOnes) {
  for (const std::size_t count : {0, 1, 2, 3, 5}) {
    Few<int, 2> few = upTo(5);
    few.truncate(count);
    few.push_back(7);
    std::vector<int> wanted{1, 2, 3, 4, 5};
    wanted.resize(count);
    wanted.push_back(7);
    EXPECT_EQ(all(few), wanted);
  }
}

TEST(Few, IsEmptyOnceItHasBeenMoved) {
  for (const int last : {1, 4}) {
    Few<int, 2> from = upTo(last);
    const Few<int, 2> to = std::move(from);
    from.push_back(9);
    EXPECT_EQ(to.size(), static_cast<std::size_t>(last));
    EXPECT_EQ(all(from), std::vector<int>{9});
    Few<int, 2> assigned = upTo(3);
    assigned = upTo(last);
    EXPECT_EQ(all(assigned), all(to));
  }
}

} // namespace

} // namespace tutti
