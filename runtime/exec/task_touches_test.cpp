// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/task_touches.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tutti::exec {

namespace {

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({256 << 20, 1 << 20, {}, false});
  return *mapped;
}

/// What tasks have for themselves: the address of a number in the window, and that of an array.
struct Block {
  std::uint64_t count;
  std::uint64_t array;
};

/// Both words, then the number.
void gather(const std::uint64_t *captures, std::uint64_t *values, tutti_gather *context) {
  values[0] = context->read(captures[0] + offsetof(Block, count), 8);
  values[1] = context->read(captures[0] + offsetof(Block, array), 8);
  values[2] = context->read(values[0], 8);
}

/// Every other of so many words is read, the last of all written; the block is, too.
void accesses(const std::uint64_t *captures, const std::uint64_t *values, std::int64_t lower,
              std::int64_t upper, std::int64_t, tutti_sink *sink) {
  EXPECT_EQ(lower, 0);
  EXPECT_EQ(upper, 1);
  const tutti_dim dim{16, static_cast<std::int64_t>(values[2] / 2)};
  sink->add(TUTTI_READ, values[1], values[1], 8, 1, &dim);
  const std::uint64_t last = values[1] + 8 * (values[2] - 1);
  sink->add(TUTTI_WRITE, values[1], last, 8, 0, nullptr);
  sink->add(TUTTI_WRITE | TUTTI_AT_MOST, values[1], last + 8, 8, 0, nullptr);
  sink->add(TUTTI_READ | TUTTI_WRITE, captures[0], captures[0], sizeof(Block), 0, nullptr);
}

/// No closed form.
void anywhere(const std::uint64_t *, const std::uint64_t *values, std::int64_t, std::int64_t,
              std::int64_t, tutti_sink *sink) {
  sink->add(TUTTI_READ | TUTTI_ANYWHERE, values[1], values[1], 8, 0, nullptr);
}

/// Somewhere in an object.
void somewhere(const std::uint64_t *, const std::uint64_t *values, std::int64_t, std::int64_t,
               std::int64_t, tutti_sink *sink) {
  sink->add(TUTTI_READ | TUTTI_AT_MOST | TUTTI_ALLOCATION, values[1], values[1], 8, 0, nullptr);
}

class TaskTouchesTest : public testing::Test {
protected:
  TaskTouches touches(decltype(tutti_region::accesses) of = accesses) {
    tutti_region code{};
    code.flags = TUTTI_REGION_TASK_CODE;
    code.captures = 2;
    code.values = 3;
    code.gather = gather;
    code.accesses = of;
    const auto address = reinterpret_cast<std::uint64_t>(&block_);
    const std::array<Range, 1> own{{{address, address + sizeof block_}}};
    return touchesOfTask(code, address, own, window(), [this](std::uint64_t) { return object_; });
  }

  const std::uint64_t base_ = window().heap().begin;
  std::uint64_t &count_ = *reinterpret_cast<std::uint64_t *>(base_);
  Block block_{base_, base_ + 4096};
  Range object_;
};

TEST_F(TaskTouchesTest, AreExactAndLeaveOutTheOwnBlock) {
  count_ = 6;
  const TaskTouches known = touches();
  EXPECT_TRUE(known.reason.empty());
  const std::uint64_t a = block_.array;
  EXPECT_EQ(known.reads,
            RangeSet::of({{base_, base_ + 8}, {a, a + 8}, {a + 16, a + 24}, {a + 32, a + 40}}));
  EXPECT_EQ(known.writes, RangeSet::of({{a + 40, a + 56}}));
  EXPECT_EQ(known.overwritten, RangeSet::of({{a + 40, a + 48}}));
  EXPECT_EQ(known.decides, RangeSet::of({{base_, base_ + 8}}));
}

TEST_F(TaskTouchesTest, AreUnknownWhereTheyDependOnMemoryThatIsNotUnified) {
  std::uint64_t elsewhere = 6;
  block_.count = reinterpret_cast<std::uint64_t>(&elsewhere);
  EXPECT_FALSE(touches().reason.empty());
}

TEST_F(TaskTouchesTest, AreUnknownWhereTheyDependOnWhatIsWritten) {
  count_ = 6;
  block_.array = base_ - 40;
  EXPECT_EQ(touches().reason, "what its code touches depends on what it writes");
}

TEST_F(TaskTouchesTest, AreUnknownWithoutAClosedForm) {
  count_ = 6;
  EXPECT_EQ(touches(anywhere).reason, "what its code touches is not known");
}

TEST_F(TaskTouchesTest, AreThoseOfTheObjectAtComputedAddresses) {
  count_ = 6;
  EXPECT_EQ(touches(somewhere).reason, "what its code touches is not known");
  object_ = {block_.array, block_.array + 800};
  EXPECT_EQ(touches(somewhere).reads, RangeSet::of({{base_, base_ + 8}, object_}));
}

} // namespace

} // namespace tutti::exec
