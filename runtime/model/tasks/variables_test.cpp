// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/variables.h"

#include <gtest/gtest.h>

#include <array>

namespace tutti::model::tasks {

namespace {

TEST(VariableCopies, TakeThePlaceOfWhatIsShared) {
  std::array<int, 3> variable{1, 2, 3};
  int other = 0;
  std::array<void *, 3> shareds{&other, variable.data(), variable.data()};
  tutti_task_block block{};
  block.shareds = shareds.data();
  VariableCopies copies;

  copies.add(block, sizeof shareds, variable.data(), sizeof variable, true);
  variable[1] = 20;

  EXPECT_EQ(shareds[0], &other);
  EXPECT_NE(shareds[1], variable.data());
  EXPECT_EQ(shareds[1], shareds[2]);
  EXPECT_EQ(static_cast<int *>(shareds[1])[1], 2);
}

TEST(VariableCopies, AreNotMadeOfWhatIsNotUsed) {
  int variable = 1;
  int other = 0;
  std::array<void *, 1> shareds{&other};
  tutti_task_block block{};
  block.shareds = shareds.data();
  VariableCopies copies;

  copies.add(block, sizeof shareds, &variable, sizeof variable, true);

  EXPECT_EQ(shareds[0], &other);
}

TEST(VariableCopies, AreMadeOfCopies) {
  int variable = 7;
  std::array<void *, 1> first{&variable};
  tutti_task_block block{};
  block.shareds = first.data();
  VariableCopies copies;
  copies.add(block, sizeof first, &variable, sizeof variable, true);
  std::array<void *, 1> second = first;
  tutti_task_block duplicate = block;
  duplicate.shareds = second.data();
  VariableCopies own;

  own.addAll(duplicate, sizeof second, copies);
  *static_cast<int *>(first[0]) = 8;

  EXPECT_NE(first[0], second[0]);
  EXPECT_EQ(*static_cast<int *>(second[0]), 7);
}

} // namespace

} // namespace tutti::model::tasks
