// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/frame.h"
#include "runtime/model/fragments/rows_by_name.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tutti::model::fragments {

namespace {

Tuple tuple(std::initializer_list<int> indices) {
  Tuple made;
  for (const int index : indices) {
    made.add(index);
  }
  return made;
}

TEST(RowsByName, FindsWhatALookAtEachOfThemFinds) {
  Base base;
  std::mt19937 random(1);
  const auto any = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  const auto names = [&] {
    Neighbours made;
    made.base = &base;
    made.first = tuple({any(5), any(5)});
    made.position = static_cast<std::size_t>(any(5) == 0 ? 0 : 1);
    made.count = static_cast<std::size_t>(2 + any(3));
    if (any(5) == 0) {
      made.first = tuple({any(5)});
      made.position = 0;
    }
    return made;
  };
  RowsByName rows;
  std::vector<Row *> all;
  std::size_t most = 0;
  for (int turn = 0; turn < 3000; ++turn) {
    const Neighbours some = names();
    std::vector<Row *> overlapping;
    std::ranges::copy_if(all, std::back_inserter(overlapping),
                         [&](const Row *row) { return row->overlaps(some); });
    std::vector<Row *> found = rows.overlapping(some);
    std::ranges::sort(overlapping);
    std::ranges::sort(found);
    ASSERT_EQ(found, overlapping);
    const auto has = std::ranges::find_if(
        all, [&](const Row *row) { return row->find(some.first).has_value(); });
    ASSERT_EQ(rows.find(some.first), has == all.end() ? nullptr : *has);
    ASSERT_EQ(rows.any() == nullptr, all.empty());
    if (found.empty()) {
      auto row = std::make_unique<Row>();
      static_cast<Neighbours &>(*row) = some;
      all.push_back(row.get());
      rows.add(std::move(row));
    } else if (any(3) == 0) {
      ASSERT_EQ(rows.take(*found.front()).get(), found.front());
      std::erase(all, found.front());
    }
    most = std::max(most, all.size());
  }
  EXPECT_GT(most, 4U);
}

} // namespace

} // namespace tutti::model::fragments
