// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/description.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace tutti::model::tasks {

namespace {

/// Begin, bytes and dimensions.
struct Named {
  std::uint64_t begin;
  std::uint64_t bytes;
  std::vector<std::int64_t> dims; ///< Stride and count in turn.

  bool operator==(const Named &) const = default;
};

std::vector<Named> namedBy(Description &description) {
  std::vector<Named> all;
  for (const graph::Access &access : description.accesses()) {
    all.push_back({access.region.begin, access.region.bytes, {}});
    for (const tutti_dim &dim : access.region.dimensions) {
      all.back().dims.insert(all.back().dims.end(), {dim.stride, dim.count});
    }
  }
  return all;
}

TEST(Description, KeepsAccessesApartUnlessTheyAreALoops) {
  Description description;

  description.add(TUTTI_TASK_IN, 100, 8);
  description.add(TUTTI_TASK_IN, 108, 8);
  EXPECT_EQ(namedBy(description), (std::vector<Named>{{100, 8, {}}, {108, 8, {}}}));

  description.clear();
  description.joins = true;
  description.add(TUTTI_TASK_IN, 100, 8);
  description.add(TUTTI_TASK_IN, 108, 8);
  description.add(TUTTI_TASK_INOUT, 116, 8);
  description.add(TUTTI_TASK_INOUT | TUTTI_TASK_WEAK, 124, 8);
  description.add(TUTTI_TASK_INOUT | TUTTI_TASK_WEAK, 140, 8);
  description.add(TUTTI_TASK_INOUT | TUTTI_TASK_WEAK, 148, 0);
  EXPECT_EQ(namedBy(description),
            (std::vector<Named>{{100, 16, {}}, {116, 8, {}}, {124, 8, {}}, {140, 8, {}}}));
}

TEST(Description, KeepsWhatIsNotAllOverwritten) {
  Description description;
  description.add(TUTTI_TASK_OUT, 100, 8);
  description.add(TUTTI_TASK_OUT, 200, 8);
  // Two rows of 8 bytes, of which one is written.
  const std::array<SectionDim, 2> rows{{{100, 3, 2}, {8, 0, 1}}};
  EXPECT_TRUE(description.addSection(TUTTI_TASK_OUT, 0, rows));
  description.add(TUTTI_TASK_IN, 500, 8);

  description.keepBeside(RangeSet::of({{100, 108}, {204, 208}, {300, 308}}));

  std::vector<graph::AccessKind> kinds;
  for (const graph::Access &access : description.accesses()) {
    kinds.push_back(access.kind);
  }
  using enum graph::AccessKind;
  EXPECT_EQ(kinds, (std::vector{Out, InOut, InOut, In}));
}

TEST(Description, JoinsWhatALoopNamesInTurn) {
  Description description;
  description.joins = true;

  for (std::uint64_t i = 0; i < 100; ++i) {
    description.add(TUTTI_TASK_IN, 1000 + 8 * i, 8);
    description.add(TUTTI_TASK_INOUT, 5000 - 4 * i, 4);
    description.add(TUTTI_TASK_IN, 9000, 16);
    description.add(TUTTI_TASK_IN, 3000 + 8 * i, 8);
  }

  EXPECT_EQ(
      namedBy(description),
      (std::vector<Named>{{1000, 800, {}}, {4604, 400, {}}, {9000, 16, {}}, {3000, 800, {}}}));
}

TEST(Description, MakesOneRunOfWhatIsContiguous) {
  Description description;
  const std::array<SectionDim, 2> rows{{{80, 2, 3}, {8, 0, 10}}};
  const std::array<SectionDim, 2> oneRow{{{80, 2, 1}, {8, 3, 4}}};

  description.addSection(TUTTI_TASK_IN, 1000, rows);
  description.addSection(TUTTI_TASK_IN, 1000, oneRow);

  EXPECT_EQ(namedBy(description), (std::vector<Named>{{1160, 240, {}}, {1184, 32, {}}}));
}

TEST(Description, NamesBlocksByTheirOuterDimensions) {
  Description description;
  const std::array<SectionDim, 3> block{{{800, 1, 2}, {80, 2, 3}, {8, 1, 4}}};
  const std::array<SectionDim, 2> nothing{{{80, 0, 3}, {8, 0, 0}}};

  description.add(TUTTI_TASK_IN, 1, 1);
  description.addSection(TUTTI_TASK_INOUT, 0, block);
  description.addSection(TUTTI_TASK_INOUT, 0, nothing);

  EXPECT_EQ(namedBy(description), (std::vector<Named>{{1, 1, {}}, {968, 32, {800, 2, 80, 3}}}));
}

TEST(Description, ExtendsTwoIterationsToAll) {
  Description description;
  description.add(TUTTI_TASK_IN, 7, 1); // Of the creator.
  for (const std::uint64_t iteration : {0, 1}) {
    description.add(TUTTI_TASK_IN, 1000 + 8 * iteration, 8);    // The next element.
    description.add(TUTTI_TASK_INOUT, 2000 - 4 * iteration, 8); // Backwards, overlapping.
    description.add(TUTTI_TASK_OUT, 3000 + 64 * iteration, 8);  // Far apart.
    description.add(TUTTI_TASK_COMMUTATIVE, 4000, 16);          // The same one.
  }

  EXPECT_TRUE(description.extend(1, 10));

  EXPECT_EQ(namedBy(description),
            (std::vector<Named>{
                {7, 1, {}}, {1000, 80, {}}, {1964, 44, {}}, {3000, 8, {64, 10}}, {4000, 16, {}}}));
}

TEST(Description, ExtendsBlocksThatDoNotOverlap) {
  const std::array<SectionDim, 2> block{{{80, 0, 3}, {8, 1, 4}}};
  for (const auto &[distance, isPossible] : {std::pair{240, true}, std::pair{80, false}}) {
    Description description;
    description.addSection(TUTTI_TASK_INOUT, 0, block);
    description.addSection(TUTTI_TASK_INOUT, static_cast<std::uint64_t>(distance), block);

    EXPECT_EQ(description.extend(0, 5), isPossible);

    if (isPossible) {
      EXPECT_EQ(namedBy(description), (std::vector<Named>{{8, 32, {240, 5, 80, 3}}}));
    }
  }
}

TEST(Description, DoesNotExtendWhatDiffersBetweenIterations) {
  Description description;
  description.add(TUTTI_TASK_IN, 0, 8);
  description.add(TUTTI_TASK_IN, 8, 16);
  EXPECT_FALSE(description.extend(0, 5));
  description.shrink(0);
  description.add(TUTTI_TASK_IN, 0, 8);
  EXPECT_FALSE(description.extend(0, 5));
  description.shrink(0);
  EXPECT_TRUE(description.isEmpty());
}

TEST(Description, TakesOverAllOfAnother) {
  Description from;
  Description to;
  const std::array<SectionDim, 2> block{{{80, 2, 3}, {8, 1, 4}}};
  from.addSection(TUTTI_TASK_INOUT, 0, block);
  from.add(TUTTI_TASK_IN, 5, 1);
  to.addSection(TUTTI_TASK_INOUT, 10, block);

  to.addAll(from);

  EXPECT_EQ(namedBy(to), (std::vector<Named>{{178, 32, {80, 3}}, {168, 32, {80, 3}}, {5, 1, {}}}));
}

} // namespace

} // namespace tutti::model::tasks
