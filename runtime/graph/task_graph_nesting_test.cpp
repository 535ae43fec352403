// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What `TaskGraph` promises for tasks inside of tasks: weak accesses, early release, `release`,
/// and reductions and commutative memory across domains.
#include "runtime/graph/test_graph.h"

#include <gmock/gmock.h>

namespace tutti::graph {

namespace {

using testing::ElementsAre;

TEST(TaskGraphNesting, WeakAccessesLinkDomains) {
  TestGraph graph;
  graph.add("before", {inOut(0, 16)});
  graph.add("weak", {weak(inOut(0, 16))});
  graph.add("child", "weak", {inOut(8, 8)});
  graph.add("after", {in(8, 8)});
  EXPECT_THAT(graph.ready(), ElementsAre("before", "weak"));

  graph.end("weak");
  graph.end("before");
  EXPECT_THAT(graph.ready(), ElementsAre("before", "weak", "child"));

  graph.end("child");
  EXPECT_TRUE(graph.isReady("after"));
}

TEST(TaskGraphNesting, ReleasesAtOnceWhatNoChildCovers) {
  TestGraph graph;
  graph.add("parent", {inOut(0, 100)});
  graph.add("child", "parent", {inOut(40, 20)});
  graph.add("left", {inOut(0, 40)});
  graph.add("middle", {inOut(40, 20)});
  graph.add("right", {inOut(60, 40)});
  EXPECT_FALSE(graph.isReady("left"));

  graph.end("parent");
  EXPECT_TRUE(graph.isReady("left"));
  EXPECT_TRUE(graph.isReady("right"));
  EXPECT_FALSE(graph.isReady("middle"));

  graph.end("child");
  EXPECT_TRUE(graph.isReady("middle"));
}

TEST(TaskGraphNesting, HoldsAllUntilTheCallerEndsATaskThatWaits) {
  TestGraph graph;
  graph.add("parent", {inOut(0, 8)});
  graph.add("child", "parent", {inOut(0, 4)});
  graph.add("after", {inOut(0, 8)});
  graph.end("child");
  graph.closeDomain("parent");
  EXPECT_FALSE(graph.isReady("after"));

  graph.end("parent");
  EXPECT_TRUE(graph.isReady("after"));
}

TEST(TaskGraphNesting, LinksOnlyTheInsideOfWhatParentsName) {
  TestGraph graph;
  graph.add("before", {inOut(0, 16)});
  graph.add("weak", {weak(inOut(0, 8))});
  graph.add("inside", "weak", {inOut(4, 4)});
  graph.add("across", "weak", {inOut(6, 4)});
  graph.add("outside", "weak", {inOut(8, 8)});
  EXPECT_THAT(graph.ready(), ElementsAre("before", "weak"));
  graph.end("before");
  EXPECT_TRUE(graph.isReady("inside"));
  EXPECT_FALSE(graph.isReady("across"));
  graph.end("inside");
  EXPECT_TRUE(graph.isReady("across"));
  EXPECT_FALSE(graph.isReady("outside"));
  graph.end("across");
  EXPECT_TRUE(graph.isReady("outside"));
}

TEST(TaskGraphNesting, ReadersBelowAWeakInOutGoBesideReaders) {
  TestGraph graph;
  graph.add("reader", {in(0, 8)});
  graph.add("weak", {weak(inOut(0, 8))});
  graph.add("reads", "weak", {in(0, 8)});
  graph.add("writes", "weak", {inOut(0, 8)});
  EXPECT_THAT(graph.ready(), ElementsAre("reader", "weak", "reads"));
  graph.end("reads");
  EXPECT_FALSE(graph.isReady("writes"));
  graph.end("reader");
  EXPECT_TRUE(graph.isReady("writes"));
}

TEST(TaskGraphNesting, OnlyWhatChildrenDoIsLeftOfATaskThatHasEnded) {
  TestGraph graph;
  graph.add("parent", {inOut(0, 8)});
  graph.add("weak", "parent", {weak(inOut(0, 8))});
  graph.add("child", "weak", {in(0, 8)});
  graph.add("reads", {weak(inOut(0, 4)), in(4, 4)});
  graph.add("below", "reads", {in(0, 4)});
  graph.add("writes", "reads", {inOut(0, 4)});
  graph.add("concurrent", {concurrent(4, 4)});
  graph.end("parent");
  EXPECT_THAT(graph.ready(), ElementsAre("parent", "weak", "child"));

  graph.end("weak");
  EXPECT_TRUE(graph.isReady("reads"));
  EXPECT_TRUE(graph.isReady("below"));
  graph.end("below");
  EXPECT_FALSE(graph.isReady("writes"));
  graph.end("reads");
  EXPECT_FALSE(graph.isReady("concurrent"));

  graph.end("child");
  EXPECT_TRUE(graph.isReady("writes"));
  EXPECT_TRUE(graph.isReady("concurrent"));
}

TEST(TaskGraphNesting, ForgetsAWeakAccessBetweenTwoThatMayGoTogether) {
  TestGraph graph;
  graph.add("write", {inOut(8, 8)});
  graph.add("a", {commutative(0, 8), in(8, 8)});
  graph.add("weak", {weak(inOut(0, 8))});
  graph.add("b", {commutative(0, 8)});
  EXPECT_THAT(graph.ready(), ElementsAre("write", "weak"));

  graph.end("weak");

  EXPECT_THAT(graph.ready(), ElementsAre("write", "weak", "b"));
}

TEST(TaskGraphNesting, ReleasesWhatARunningTaskGivesUp) {
  TestGraph graph;
  graph.add("task", {inOut(0, 16), out(16, 16)});
  graph.add("child", "task", {inOut(12, 4)});
  graph.add("left", {in(0, 4)});
  graph.add("middle", {in(4, 8)});
  graph.add("covered", {in(12, 4)});
  graph.add("right", {in(16, 16)});

  EXPECT_FALSE(graph.release("task", {in(0, 4)})) << "another way";
  EXPECT_FALSE(graph.release("task", {inOut(8, 16)})) << "in part another way";
  EXPECT_FALSE(graph.release("task", {out(24, 16)})) << "in part not named";
  EXPECT_FALSE(graph.release("task", {out(16, 16), in(0, 4)})) << "one of two";
  EXPECT_FALSE(graph.isReady("right")) << "nothing has happened";

  EXPECT_TRUE(graph.release("task", {inOut(4, 12)}));
  EXPECT_TRUE(graph.isReady("middle"));
  EXPECT_FALSE(graph.isReady("left"));
  EXPECT_FALSE(graph.isReady("covered"));
  EXPECT_FALSE(graph.release("task", {inOut(4, 4)})) << "twice";

  graph.end("child");
  EXPECT_TRUE(graph.isReady("covered"));
  graph.end("task");
  EXPECT_TRUE(graph.isReady("left"));
  EXPECT_TRUE(graph.isReady("right"));
}

TEST(TaskGraphNesting, GoesOnWithWhatIsUsedAfterItsRelease) {
  TestGraph graph;
  graph.add("task", {inOut(0, 8)});
  graph.add("child", "task", {reduction(0, 8)});
  graph.add("after", {in(0, 8)});
  EXPECT_TRUE(graph.release("task", {inOut(0, 8)}));
  graph.add("again", "task", {reduction(0, 8)});
  graph.end("child");
  graph.end("again");
  EXPECT_FALSE(graph.isReady("after"));

  graph.end("task");

  EXPECT_THAT(graph.ready(), ElementsAre("task", "child", "again", "combine", "combine", "after"));
}

TEST(TaskGraphNesting, WeakCommutativeTakesNothingItself) {
  TestGraph graph;
  graph.add("a", {commutative(0, 16)});
  graph.add("weak", {weak(commutative(0, 16))});
  graph.add("left", "weak", {commutative(0, 8)});
  graph.add("right", "weak", {inOut(8, 8)});
  graph.add("b", {commutative(0, 8)});
  EXPECT_THAT(graph.ready(), ElementsAre("a", "weak"));

  graph.end("a");
  EXPECT_TRUE(graph.isReady("right"));
  EXPECT_NE(graph.isReady("left"), graph.isReady("b"));

  const bool isLeft = graph.isReady("left");
  graph.end(isLeft ? "left" : "b");
  EXPECT_TRUE(graph.isReady(isLeft ? "b" : "left"));
}

TEST(TaskGraphNesting, CommutativeTasksAreNeverTogether) {
  TestGraph graph;
  graph.add("p", {weak(commutative(1, 2)), weak(commutative(4, 1))});
  graph.add("q", {weak(commutative(3, 3))});
  graph.add("first", "p", {commutative(2, 1), commutative(5, 1)});
  graph.add("second", "q", {commutative(4, 1), commutative(5, 1)});
  graph.add("third", "q", {commutative(4, 1)});
  EXPECT_THAT(graph.ready(), ElementsAre("p", "q", "first", "third"));
  graph.end("third");
  EXPECT_FALSE(graph.isReady("second"));

  graph.end("first");

  EXPECT_TRUE(graph.isReady("second"));
}

TEST(TaskGraphNesting, DescendantsMayHaveTheCommutativeMemoryOfAnAncestor) {
  TestGraph graph;
  graph.add("holder", {commutative(0, 8)});
  graph.add("none", "holder", {});
  graph.add("elsewhere", {});
  graph.add("outside", "elsewhere", {commutative(6, 4)});
  graph.add("a", "none", {commutative(4, 8)});
  graph.add("b", "holder", {commutative(0, 8)});
  EXPECT_THAT(graph.ready(), ElementsAre("holder", "none", "elsewhere", "a"));
  graph.end("a");
  EXPECT_TRUE(graph.isReady("b"));
  graph.end("holder");
  EXPECT_FALSE(graph.isReady("outside"));

  graph.end("b");

  EXPECT_TRUE(graph.isReady("outside"));
}

TEST(TaskGraphNesting, ChildrenOfWeakReductionsReduceWithTheParentsSiblings) {
  TestGraph graph;
  graph.add("a", {reduction(0, 8)});
  graph.add("weak", {weak(reduction(0, 8))});
  graph.add("deeper", "weak", {weak(reduction(0, 8))});
  graph.add("child", "deeper", {reduction(0, 8)});
  graph.add("after", {in(0, 8)});
  EXPECT_EQ(graph.reductionOf("child", 0), graph.reductionOf("a", 0));
  graph.end("a");
  graph.end("weak");
  graph.end("deeper");
  EXPECT_EQ(graph.combined(), 0U);

  graph.end("child");

  EXPECT_THAT(graph.ready(), ElementsAre("a", "weak", "deeper", "child", "combine", "after"));
}

TEST(TaskGraphNesting, PartsOfAWeakReductionAreCombinedBelow) {
  TestGraph graph;
  graph.add("weak", {weak(reduction(0, 16))});
  graph.add("child", "weak", {reduction(0, 8)});
  graph.end("child");
  EXPECT_EQ(graph.combined(), 0U);

  graph.closeDomain("weak");

  EXPECT_EQ(graph.combined(), 1U);
}

TEST(TaskGraphNesting, CombinesBelowOnceThatIsOpenThoughAllTasksBelowAreForgotten) {
  TestGraph graph;
  graph.add("write", {inOut(0, 16)});
  graph.add("parent", {weak(inOut(0, 16))});
  graph.add("weak", "parent", {weak(reduction(0, 16))});
  graph.add("whole", "weak", {reduction(0, 16)});
  graph.add("part", "weak", {reduction(0, 8)});
  graph.add("beside", "parent", {reduction(32, 8)});
  graph.add("after", {in(8, 8)});
  EXPECT_THAT(graph.ready(), ElementsAre("write", "parent", "weak", "whole", "part", "beside"));
  for (const char *task : {"whole", "part", "weak", "beside"}) {
    graph.end(task);
    graph.forget(task);
  }
  EXPECT_EQ(graph.combined(), 0U);
  graph.closeDomain("parent");
  EXPECT_EQ(graph.combined(), 1U) << "what nothing comes before";
  graph.end("parent");
  graph.forget("parent");
  EXPECT_EQ(graph.combined(), 1U);

  graph.end("write");

  EXPECT_EQ(graph.combined(), 3U);
  EXPECT_TRUE(graph.isReady("after"));
  graph.end("after");
  graph.forget("after");
  graph.forget("write");
  EXPECT_EQ(graph.size().nodes, 1U) << "the root's";
}

TEST(TaskGraphNesting, ReductionsBelowAWeakCommutativeTakeTurns) {
  TestGraph graph;
  graph.add("weak", {weak(commutative(0, 8))});
  graph.add("a", "weak", {reduction(0, 16)});
  graph.add("b", "weak", {reduction(0, 16)});
  EXPECT_THAT(graph.ready(), ElementsAre("weak", "a"));
  EXPECT_EQ(graph.reductionOf("a", 0), nullptr);
  graph.end("a");
  EXPECT_TRUE(graph.isReady("b"));
}

TEST(TaskGraphNesting, WhatChildrenReduceIsCombinedBeforeTheParentReleasesIt) {
  TestGraph graph;
  graph.add("parent", {inOut(0, 8)});
  graph.add("child", "parent", {reduction(0, 8)});
  graph.add("after", {in(0, 8)});
  graph.end("parent");
  graph.end("child");

  EXPECT_THAT(graph.ready(), ElementsAre("parent", "child", "combine", "after"));
}

TEST(TaskGraphNesting, DividesWhatLiesBelowAndAboveAlike) {
  TestGraph graph;
  graph.add("before", {inOut(0, 8)});
  graph.add("a", {weak(inOut(0, 8))});
  graph.add("b", "a", {weak(inOut(0, 8))});
  graph.add("c", "b", {inOut(0, 8)});
  graph.end("a");
  graph.end("b");
  graph.add("after", {inOut(2, 2)});
  EXPECT_TRUE(graph.release("before", {inOut(0, 4)}));
  EXPECT_FALSE(graph.isReady("c"));

  graph.end("before");
  EXPECT_TRUE(graph.isReady("c"));
  EXPECT_FALSE(graph.isReady("after"));
  graph.end("c");
  EXPECT_TRUE(graph.isReady("after"));
}

} // namespace

} // namespace tutti::graph
