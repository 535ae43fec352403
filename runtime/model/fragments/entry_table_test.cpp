// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/entry_table.h"

#include <gtest/gtest.h>

#include <array>

namespace tutti::model::fragments {

namespace {

TEST(EntryTableTest, FindsWhatIsThereAndWhatIsPlain) {
  constexpr std::int32_t kCount = 3000; // The table grows meanwhile.
  EntryTable table;
  std::array<Base, 2> bases;
  const auto name = [](std::int32_t index) {
    Tuple tuple;
    tuple.add(index);
    return tuple;
  };
  const auto hash = [&](const Base &base, std::int32_t index) {
    return EntryTable::hashOf(base, name(index));
  };
  for (Base &base : bases) {
    for (std::int32_t index = 0; index < kCount; ++index) {
      table.add(base, name(index), hash(base, index)).producer = index;
    }
  }
  EXPECT_EQ(table.add(bases[1], Tuple(), 0).base, &bases[1]);

  EXPECT_NE(bases[1].plain, nullptr);
  EXPECT_FALSE(table.has(bases[0], name(kCount)));
  for (std::int32_t index = 0; index < kCount; index += 2) {
    table.remove(*table.find(bases[0], name(index), hash(bases[0], index)));
  }
  int left = 0;
  for (std::int32_t index = 0; index < kCount; ++index) {
    const Entry *entry = table.find(bases[0], name(index), hash(bases[0], index));
    left += entry && entry->producer == index ? 1 : 0;
    EXPECT_EQ(entry == nullptr, index % 2 == 0) << index;
    EXPECT_TRUE(table.has(bases[1], name(index))) << index;
  }
  EXPECT_EQ(left, kCount / 2);
  for (Base &base : bases) {
    while (base.first) {
      table.remove(*base.first);
    }
  }
  EXPECT_EQ(bases[1].plain, nullptr);
}

} // namespace

} // namespace tutti::model::fragments
