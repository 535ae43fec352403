// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What `TaskGraph` promises for siblings: every pair of accesses, overlaps, unions, commutative
/// memory and reductions.
#include "runtime/graph/test_graph.h"

#include <gmock/gmock.h>

#include <array>

namespace tutti::graph {

namespace {

using testing::ElementsAre;

enum class Together { Free, Waits, NeverTogether };

struct Pair {
  const char *earlier;
  const char *later;
  Together together;
};

Access ofName(std::string_view name) {
  if (name == "in") {
    return in(0, 8);
  }
  if (name == "out") {
    return out(0, 8);
  }
  if (name == "inout") {
    return inOut(0, 8);
  }
  if (name == "concurrent") {
    return concurrent(0, 8);
  }
  if (name == "commutative") {
    return commutative(0, 8);
  }
  return name == "add" ? reduction(0, 8, 1) : reduction(0, 8, 2);
}

constexpr std::array<const char *, 7> kNames = {"in",          "out", "inout",   "concurrent",
                                                "commutative", "add", "multiply"};

Together expected(std::string_view earlier, std::string_view later) {
  if (earlier == later && earlier == "commutative") {
    return Together::NeverTogether;
  }
  const bool isFree = later == "add" || later == "multiply" ||
                      (earlier == later && (earlier == "in" || earlier == "concurrent"));
  return isFree ? Together::Free : Together::Waits;
}

TEST(TaskGraph, OrdersEveryPairOfAccesses) {
  for (const char *earlier : kNames) {
    for (const char *later : kNames) {
      TestGraph graph;
      graph.add("a", {ofName(earlier)});
      graph.add("b", {ofName(later)});
      EXPECT_TRUE(graph.isReady("a"));
      EXPECT_EQ(graph.isReady("b"), expected(earlier, later) == Together::Free)
          << earlier << " before " << later;
      graph.end("a");
      EXPECT_TRUE(graph.isReady("b")) << earlier << " before " << later;
      graph.end("b");
      EXPECT_EQ(graph.size().accesses, 0U);
    }
  }
}

TEST(TaskGraph, LetsCommutativeTasksGoInAnyOrder) {
  TestGraph graph;
  graph.add("write", {inOut(8, 8)});
  graph.add("a", {commutative(0, 8), in(8, 8)});
  graph.add("b", {commutative(0, 8)});

  EXPECT_THAT(graph.ready(), ElementsAre("write", "b"));
}

TEST(TaskGraph, TakesAllCommutativeMemoryAtOnce) {
  TestGraph graph;
  graph.add("a", {commutative(0, 8)});
  graph.add("b", {commutative(8, 8), commutative(0, 8)});
  graph.add("c", {commutative(8, 8)});
  EXPECT_THAT(graph.ready(), ElementsAre("a", "c"));

  graph.end("a");
  EXPECT_FALSE(graph.isReady("b"));

  graph.end("c");
  EXPECT_TRUE(graph.isReady("b"));
}

TEST(TaskGraph, ComparesBytes) {
  TestGraph graph;
  graph.add("whole", {out(0, 100)});
  graph.add("left", {in(0, 50)});
  graph.add("right", {inOut(50, 50)});
  graph.add("beside", {inOut(100, 1)});
  graph.add("middle", {inOut(49, 2)});
  EXPECT_THAT(graph.ready(), ElementsAre("whole", "beside"));

  graph.end("whole");
  EXPECT_THAT(graph.ready(), ElementsAre("whole", "beside", "right", "left"));

  graph.end("left");
  EXPECT_FALSE(graph.isReady("middle"));
  graph.end("right");
  EXPECT_TRUE(graph.isReady("middle"));
}

TEST(TaskGraph, KnowsTheGapsOfBoxes) {
  const std::array<tutti_dim, 2> columns = {{{100, 3}, {-8, 2}}}; // Bytes 0 to 15 of three rows.
  TestGraph graph;
  graph.add("box", {{{8, 8, columns}, AccessKind::InOut, false, {}}});
  graph.add("gap", {inOut(16, 84)});
  graph.add("row", {inOut(115, 2)});

  EXPECT_THAT(graph.ready(), ElementsAre("box", "gap"));

  graph.end("box");
  EXPECT_TRUE(graph.isReady("row"));
}

TEST(TaskGraph, UnitesTheAccessesOfOneTask) {
  TestGraph graph;
  graph.add("reader", {in(0, 8)});
  graph.add("both", {in(0, 16), out(4, 4), in(4, 8)});
  graph.add("beside", {in(0, 4)});
  graph.add("after", {in(4, 4)});
  EXPECT_THAT(graph.ready(), ElementsAre("reader", "beside"));

  graph.end("reader");
  EXPECT_TRUE(graph.isReady("both"));
  EXPECT_FALSE(graph.isReady("after"));

  graph.end("both");
  EXPECT_TRUE(graph.isReady("after"));
}

TEST(TaskGraph, CombinesBeforeTheFirstSuccessor) {
  TestGraph graph;
  graph.add("a", {reduction(0, 16)});
  graph.add("b", {reduction(0, 16)});
  EXPECT_EQ(graph.reductionOf("a", 15), graph.reductionOf("b", 0));
  EXPECT_EQ(graph.reductionOf("a", 16), nullptr);
  graph.end("a");
  graph.add("read", {in(12, 2)});
  EXPECT_THAT(graph.ready(), ElementsAre("a", "b"));

  graph.end("b");

  EXPECT_THAT(graph.ready(), ElementsAre("a", "b", "combine", "read"));
}

TEST(TaskGraph, CombinesAtOnceWhenAllHaveEnded) {
  TestGraph graph;
  graph.add("a", {reduction(0, 16)});
  graph.end("a");
  graph.add("b", {reduction(0, 16)});
  graph.end("b");
  graph.add("c", {reduction(0, 8)});
  EXPECT_THAT(graph.ready(), ElementsAre("a", "b", "combine", "c"));

  graph.end("c");
  graph.closeDomain("root");

  EXPECT_EQ(graph.combined(), 2U);
  EXPECT_EQ(graph.size().accesses, 0U);
}

TEST(TaskGraph, ReducesBesideWhatComesBeforeAndCombinesAfterIt) {
  TestGraph graph;
  graph.add("write", {inOut(0, 8)});
  graph.add("read", {in(0, 4)});
  graph.add("add", {reduction(0, 8, 1)});
  graph.add("multiply", {reduction(0, 8, 2)});
  graph.add("after", {in(0, 2)});
  graph.end("multiply");
  graph.end("add");
  graph.end("write");
  EXPECT_THAT(graph.ready(), ElementsAre("write", "add", "multiply", "read"));

  graph.end("read");

  EXPECT_THAT(graph.ready(),
              ElementsAre("write", "add", "multiply", "read", "combine", "combine", "after"));
}

TEST(TaskGraph, ReducesTheGapsOfBoxes) {
  const std::array<tutti_dim, 1> rows = {{{16, 2}}};
  TestGraph graph;
  graph.add("a", {{{0, 8, rows}, AccessKind::Reduction, false, {1, 1}}});
  graph.add("b", {reduction(0, 24)});

  EXPECT_TRUE(graph.isReady("b"));
  EXPECT_EQ(graph.reductionOf("a", 12), graph.reductionOf("b", 0));
}

TEST(TaskGraph, DoesNotReduceWhatTheTaskUsesOtherwise) {
  TestGraph graph;
  graph.add("a", {reduction(0, 16), in(8, 8)});
  EXPECT_EQ(graph.reductionOf("a", 0), nullptr);
  graph.add("b", {reduction(0, 16)});
  graph.add("c", {reduction(0, 16), in(8, 8)});
  graph.end("b");
  EXPECT_THAT(graph.ready(), ElementsAre("a", "b"));

  graph.end("a");

  EXPECT_THAT(graph.ready(), ElementsAre("a", "b", "combine", "c"));
}

TEST(TaskGraph, KeepsNothingOfTasksWithoutAccesses) {
  TestGraph graph;
  graph.add("a", {});
  graph.add("b", "a", {});
  EXPECT_THAT(graph.ready(), ElementsAre("a", "b"));
  graph.end("b");
  graph.end("a");
  EXPECT_EQ(graph.size().nodes, 0U);
}

} // namespace

} // namespace tutti::graph
