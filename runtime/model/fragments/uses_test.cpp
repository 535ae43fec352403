// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/test_unit.h"

#include <gtest/gtest.h>

namespace tutti::model::fragments {

namespace {

using Count = std::optional<std::int32_t>;

/// Programs whose `main` has the parameter n = 10 and the data fragments x and y.
class UsesTest : public testing::Test {
protected:
  /// How often x[indices] is read.
  Count count(const TestUnit::Ints &statements, std::initializer_list<std::int32_t> indices) {
    const auto body = u.block({"n", "x", "y"}, 1, statements);
    const Program program(u.unit(u.sub("main", "i", body)));
    const tutti_luna_block &block = program.unit().blocks[body];
    Frame frame;
    frame.block = &block;
    frame.slots.make(3);
    frame.slots[0].value = Value(10);
    for (std::int32_t at = 1; at < 3; ++at) {
      auto own = std::make_unique<Base>();
      own->slot = block.firstSlot + at;
      frame.slots[static_cast<std::size_t>(at)].own = std::move(own);
    }
    if (y_) {
      frame.slots[2].own->hasValue = true;
      frame.slots[2].own->number = *y_;
    }
    Tuple tuple;
    for (const std::int32_t index : indices) {
      tuple.add(index);
    }
    const Uses *uses = program.usesOf(block.firstSlot + 1);
    const std::int32_t found = uses ? countUses(program, *uses, &frame, tuple) : Entry::kUnknown;
    CountedUses &counted = frame.slots[1].own->uses;
    for (int time = 0; uses && time < 5; ++time) {
      EXPECT_EQ(counted.count(program, *uses, &frame, tuple), found) << time;
    }
    isEarly_ = found == Entry::kNotCounted;
    return found >= 0 ? Count(found) : std::nullopt;
  }

  std::int32_t x(std::int32_t up, const TestUnit::Ints &indices) { return u.slot(up, 1, indices); }

  std::int32_t show(std::int32_t node) { return u.call(show_, {node}); }

  std::int32_t plus(std::int32_t a, std::int32_t b) {
    return u.op(TUTTI_LUNA_ADD, a, u.integer(b));
  }

  std::int32_t times(std::int32_t a, std::int32_t b) {
    return u.op(TUTTI_LUNA_MULTIPLY, a, u.integer(b));
  }

  /// for i = first..last each statement
  std::int32_t loop(std::int32_t first, std::int32_t last, const TestUnit::Ints &statements) {
    return u.loop(first, last, u.block({"i"}, 1, statements));
  }

  /// Whether the last count may be known later.
  bool isEarly_ = false;
  Count y_; ///< The value of the data fragment y, if it has been there.
  TestUnit u;
  const std::int32_t i = u.slot(0, 0);
  const std::int32_t show_ = u.procedure("show", "v");
  const std::int32_t set_ = u.procedure("set", "in");
};

TEST_F(UsesTest, CountsEachPlaceThatReads) {
  const TestUnit::Ints reads{show(x(0, {})), show(plus(x(0, {}), 1)),
                             u.call(set_, {u.integer(1), x(0, {})})};

  EXPECT_EQ(count(reads, {}), 2);
  EXPECT_EQ(count(reads, {0}), 0);
}

TEST_F(UsesTest, FindsTheIterationThatReads) {
  const TestUnit::Ints reads{
      loop(u.integer(2), u.slot(0, 0), {show(x(1, {plus(times(i, 3), 1)}))})};

  EXPECT_EQ(count(reads, {7}), 1);
  EXPECT_EQ(count(reads, {8}), 0);
  EXPECT_EQ(count(reads, {31}), 1);
  EXPECT_EQ(count(reads, {34}), 0);
  EXPECT_EQ(count(reads, {4}), 0);
  EXPECT_EQ(count(reads, {7, 0}), 0);
}

TEST_F(UsesTest, MultipliesByLoopsThatDoNotIndex) {
  const auto inner = loop(u.integer(1), u.integer(4), {show(x(2, {u.slot(1, 0)}))});
  const TestUnit::Ints reads{loop(u.integer(0), u.integer(9), {inner}), show(x(0, {u.integer(3)}))};

  EXPECT_EQ(count(reads, {3}), 5);
  EXPECT_EQ(count(reads, {4}), 4);
  EXPECT_EQ(count(reads, {10}), 0);
}

TEST_F(UsesTest, LetsBoundsDependOnOuterCounters) {
  // for i = 0..9 for j = 0..i show(x[i][j]); show(y ...) of the triangle's row
  const auto j = u.slot(0, 0);
  const auto inner =
      loop(u.integer(0), i, {show(x(2, {u.slot(1, 0), j})), show(x(2, {u.slot(1, 0)}))});
  const TestUnit::Ints reads{loop(u.integer(0), u.integer(9), {inner})};

  EXPECT_EQ(count(reads, {5, 5}), 1);
  EXPECT_EQ(count(reads, {5, 6}), 0);
  EXPECT_EQ(count(reads, {5}), 6);
}

TEST_F(UsesTest, FollowsConditionsOfCounters) {
  const auto body = u.block({}, 0, {show(x(1, {i}))});
  const auto other = u.block({}, 0, {show(x(1, {i})), show(x(1, {i}))});
  const auto choice = u.choice(u.op(TUTTI_LUNA_LESS, i, u.integer(3)), body, other);
  const TestUnit::Ints reads{loop(u.integer(0), u.integer(9), {choice})};

  EXPECT_EQ(count(reads, {2}), 1);
  EXPECT_EQ(count(reads, {3}), 2);
  EXPECT_EQ(count(reads, {10}), 0);
}

TEST_F(UsesTest, ChecksIndicesThatAreNotAffineOnceTheCounterIsKnown) {
  const auto half = u.op(TUTTI_LUNA_REMAINDER, i, u.integer(2));
  const TestUnit::Ints both{loop(u.integer(0), u.integer(9), {show(x(1, {half, i}))})};
  const TestUnit::Ints alone{loop(u.integer(0), u.integer(9), {show(x(1, {half}))})};

  EXPECT_EQ(count(both, {1, 3}), 1);
  EXPECT_EQ(count(both, {0, 3}), 0);
  EXPECT_EQ(count(alone, {0}), std::nullopt);
}

TEST_F(UsesTest, CountsWhenTheDataFragmentsOfBoundsAreKnown) {
  const auto set = u.call(set_, {u.integer(4), u.slot(0, 2)});
  const TestUnit::Ints reads{set, loop(u.integer(0), u.slot(0, 2), {show(x(1, {i}))}),
                             show(x(0, {u.slot(0, 2)}))};

  EXPECT_EQ(count(reads, {3}), std::nullopt);
  EXPECT_TRUE(isEarly_);
  y_ = 4;
  EXPECT_EQ(count(reads, {3}), 1);
  EXPECT_EQ(count(reads, {4}), 2);
  EXPECT_EQ(count(reads, {5}), 0);
}

TEST_F(UsesTest, TakesWhatOnlySignalsMakeForTrue) {
  const auto read = u.choice(u.slot(0, 2, {u.integer(5)}), u.block({}, 0, {show(x(0, {}))}));

  EXPECT_EQ(count({u.call(show_, {u.integer(1)}, {}, {u.slot(0, 2, {u.integer(5)})}), read}, {}),
            1);
}

TEST_F(UsesTest, DoesNotCountWhatItCannotSee) {
  const auto name = u.sub("f", "n", u.block({"a"}, 1, {}));
  const auto y = u.slot(0, 2);
  const TestUnit::Ints passed{u.callSub(name, {x(0, {})})};
  const TestUnit::Ints lazy{show(u.op(TUTTI_LUNA_AND, y, x(0, {})))};
  const TestUnit::Ints index{show(u.slot(0, 2, {x(0, {})}))};
  const TestUnit::Ints turn{
      u.whileLoop(u.integer(0), u.integer(1), y, u.block({"i"}, 1, {show(x(1, {}))}))};
  const auto set = u.call(set_, {u.integer(1), u.slot(0, 2, {u.integer(5)})});
  const auto ofY = u.slot(0, 2, {u.integer(5)});
  const TestUnit::Ints onData{set, u.choice(ofY, u.block({}, 0, {show(x(0, {}))}))};
  const TestUnit::Ints toData{set, loop(u.integer(0), ofY, {show(x(1, {}))})};
  const TestUnit::Ints sum{loop(
      u.integer(0), u.integer(9),
      {loop(u.integer(0), u.integer(9), {show(x(2, {u.op(TUTTI_LUNA_ADD, i, u.slot(1, 0))}))})})};

  for (const TestUnit::Ints *each : {&passed, &lazy, &index, &turn, &onData, &toData}) {
    EXPECT_EQ(count(*each, {}), std::nullopt);
    EXPECT_FALSE(isEarly_);
  }
  EXPECT_EQ(count(sum, {3}), std::nullopt);
}

TEST_F(UsesTest, LeavesIndicesAloneThatMayWrap) {
  // 2^30 * 4 is 0 in 32 bits: x[0] is read twice.
  const TestUnit::Ints wraps{loop(u.integer(0), u.integer(4), {show(x(1, {times(i, 1 << 30)}))})};

  EXPECT_EQ(count(wraps, {0}), std::nullopt);
  EXPECT_EQ(count(wraps, {1 << 30}), std::nullopt);
}

TEST_F(UsesTest, LeavesWhatAdviceCounts) {
  const auto rule = u.rule(TUTTI_LUNA_REQ_COUNT, -1, x(0, {}), u.integer(1));
  const TestUnit::Ints counted{u.call(set_, {u.integer(1), x(0, {})}, {}, {}, {rule}),
                               show(x(0, {}))};

  EXPECT_EQ(count(counted, {}), std::nullopt);
}

} // namespace

} // namespace tutti::model::fragments
