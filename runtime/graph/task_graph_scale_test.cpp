// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What `TaskGraph` promises for many tasks: no allocation in the steady state, state that follows
/// what is live, no recursion, and work that grows with the number of tasks.
#include "base/test_share.h"
#include "runtime/graph/task_graph.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <span>
#include <vector>

namespace {

std::atomic<std::size_t> allocations = 0;

} // namespace

// ThreadSanitizer brings its own: nothing is counted there.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TUTTI_COUNTS_NOT
#endif
#endif
#if !defined(TUTTI_COUNTS_NOT)
void *operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void *memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) {
    std::abort();
  }
  return memory;
}

void operator delete(void *memory) noexcept { std::free(memory); }

void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace tutti::graph {

namespace {

Access access(AccessKind kind, std::uint64_t begin, std::uint64_t bytes, bool isWeak = false) {
  return {{begin, bytes, {}}, kind, isWeak, {1, 1}};
}

/// Counts, and ends tasks in the order in which they become ready.
class Runner : public Sink {
public:
  void ready(Node &node) override { queue.push_back(&node); }

  void combine(ReductionGroup &) override { ++combined; }

  void add(Node &node, std::span<const Access> accesses) {
    if (graph.add(node, root, accesses, *this)) {
      queue.push_back(&node);
    }
  }

  void endNext() {
    Node &node = *queue[ended++];
    graph.end(node, *this);
    graph.forget(node, *this);
  }

  void endAll() {
    while (ended < queue.size()) {
      endNext();
    }
  }

  void restart() {
    queue.clear();
    ended = 0;
  }

  TaskGraph graph;
  Node root;
  std::vector<Node *> queue;
  std::size_t ended = 0;
  std::size_t combined = 0;
};

/// Tasks of all kinds on 64 cells from `cell` on, some of them across two cells, some with a child;
/// then all of them run.
void runMixed(Runner &runner, std::vector<Node> &nodes, std::uint64_t cell) {
  std::size_t used = 0;
  for (std::uint64_t at = cell * 64; used + 6 <= nodes.size(); at += 64) {
    runner.add(nodes[used++], std::array{access(AccessKind::InOut, at, 64)});
    runner.add(nodes[used++], std::array{access(AccessKind::In, at, 64)});
    runner.add(nodes[used++], std::array{access(AccessKind::Commutative, at + 32, 64)});
    runner.add(nodes[used++], std::array{access(AccessKind::Reduction, at, 128)});
    Node &parent = nodes[used++];
    ASSERT_TRUE(runner.graph.add(parent, runner.root,
                                 std::array{access(AccessKind::InOut, at, 64, true)}, runner));
    Node &child = nodes[used++];
    ASSERT_FALSE(
        runner.graph.add(child, parent, std::array{access(AccessKind::InOut, at + 8, 16)}, runner));
    runner.graph.end(parent, runner);
  }
  while (runner.ended < runner.queue.size()) {
    runner.graph.end(*runner.queue[runner.ended++], runner);
  }
  runner.graph.closeDomain(runner.root, runner);
  for (Node &node : nodes) {
    runner.graph.forget(node, runner);
  }
  runner.restart();
}

TEST(TaskGraphScale, AllocatesNothingInTheSteadyState) {
  Runner runner;
  std::vector<Node> nodes(64 * 6);
  for (int i = 0; i < 4; ++i) {
    runMixed(runner, nodes, 0);
  }
  const std::size_t before = allocations;

  for (int i = 0; i < 20; ++i) {
    runMixed(runner, nodes, 0);
  }

  EXPECT_EQ(allocations - before, 0U);
  EXPECT_EQ(runner.graph.size().accesses, 0U);
}

/// Ten iterations of a loop over 64 cells, each with its neighbours.
void runLoop(Runner &runner, std::vector<Node> &nodes) {
  Node loop;
  runner.add(loop, std::array{access(AccessKind::InOut, 0, 64 * 66, true)});
  runner.restart();
  for (std::size_t used = 0; used < nodes.size(); ++used) {
    const std::uint64_t at = used % 64 * 64;
    if (at == 0) {
      runner.graph.iterate(loop, 1, runner);
    }
    if (runner.graph.add(
            nodes[used], loop,
            std::array{access(AccessKind::In, at, 64 * 3), access(AccessKind::InOut, at + 64, 64)},
            runner)) {
      runner.queue.push_back(&nodes[used]);
    }
  }
  runner.graph.end(loop, runner);
  runner.endAll();
  runner.graph.forget(loop, runner);
  runner.restart();
}

TEST(TaskGraphScale, ReplaysIterationsWithoutLookups) {
  Runner runner;
  std::vector<Node> few(64 * 4);
  std::vector<Node> many(64 * 400);
  runLoop(runner, many);
  const std::size_t before = allocations;
  const std::uint64_t lookups = runner.graph.counts().lookups;

  runLoop(runner, few);
  const std::size_t ofFew = allocations - before;
  const std::uint64_t lookupsOfFew = runner.graph.counts().lookups - lookups;
  runLoop(runner, many);

  EXPECT_EQ(allocations - before - ofFew, ofFew); // What is recorded is recorded once.
  EXPECT_EQ(runner.graph.counts().lookups - lookups - lookupsOfFew, lookupsOfFew);
  EXPECT_EQ(runner.graph.size().accesses, 0U);
}

TEST(TaskGraphScale, ForgetsMemoryThatIsNotNamedAnyMore) {
  Runner runner;
  std::vector<Node> nodes(64 * 6);
  std::size_t before = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    runMixed(runner, nodes, i * 100);
    if (i == 200) {
      before = allocations;
    }
  }

  EXPECT_EQ(allocations - before, 0U);
  EXPECT_LT(runner.graph.size().segments, 20000U);
}

/// Children of a task that names a large range, each on memory of its own.
TEST(TaskGraphScale, ForgetsWhereChildrenHaveDividedMemory) {
  Runner runner;
  Node parent;
  runner.add(parent, std::array{access(AccessKind::InOut, 0, 1 << 30)});
  for (std::uint64_t i = 0; i < 100000; ++i) {
    Node child;
    ASSERT_TRUE(runner.graph.add(child, parent,
                                 std::array{access(AccessKind::InOut, 16 + i * 32, 16)}, runner));
    runner.graph.end(child, runner);
    runner.graph.forget(child, runner);
    ASSERT_LT(runner.graph.size().segments, 20000U);
  }
  runner.endAll();
  EXPECT_EQ(runner.graph.size().accesses, 0U);
}

TEST(TaskGraphScale, RunsALongChain) {
  Runner runner;
  std::vector<Node> nodes(casesOf(1000000));
  for (Node &node : nodes) {
    runner.add(node, std::array{access(AccessKind::InOut, 0, 8)});
  }
  EXPECT_EQ(runner.queue.size(), 1U);
  EXPECT_EQ(runner.graph.size().segments, 1U);

  runner.endAll();

  EXPECT_EQ(runner.ended, nodes.size());
  EXPECT_EQ(runner.graph.size().accesses, 0U);
}

TEST(TaskGraphScale, RunsManyReadersAndWritersOfParts) {
  Runner runner;
  std::vector<Node> nodes(casesOf(100000));
  Node writer;
  runner.add(writer, std::array{access(AccessKind::InOut, 0, 4096)});
  for (Node &node : nodes) {
    runner.add(node, std::array{access(AccessKind::In, 0, 4096)});
  }
  std::vector<Node> parts(16);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    runner.add(parts[i], std::array{access(AccessKind::InOut, i * 256, 256)});
  }

  runner.endAll();

  EXPECT_EQ(runner.ended, 1 + nodes.size() + parts.size());
}

/// Each end lets one of those go that wait for the same memory, without a look at the others.
TEST(TaskGraphScale, RunsManyCommutativeTasks) {
  Runner runner;
  std::vector<Node> nodes(casesOf(100000));
  for (Node &node : nodes) {
    runner.add(node, std::array{access(AccessKind::Commutative, 0, 8),
                                access(AccessKind::Commutative, 8, 8)});
  }
  EXPECT_EQ(runner.queue.size(), 1U);

  runner.endAll();

  EXPECT_EQ(runner.ended, nodes.size());
}

TEST(TaskGraphScale, RunsDeepDomains) {
  Runner runner;
  std::vector<Node> nodes(casesOf(100000));
  Node first;
  Node last;
  runner.add(first, std::array{access(AccessKind::InOut, 0, 64)});
  Node *parent = &runner.root;
  for (Node &node : nodes) {
    ASSERT_TRUE(runner.graph.add(node, *parent, std::array{access(AccessKind::InOut, 0, 64, true)},
                                 runner));
    parent = &node;
  }
  Node inner;
  ASSERT_FALSE(runner.graph.add(inner, *parent, std::array{access(AccessKind::In, 8, 8)}, runner));
  runner.add(last, std::array{access(AccessKind::InOut, 8, 8)});
  for (Node &node : nodes) {
    runner.graph.end(node, runner);
  }
  ASSERT_EQ(runner.queue.size(), 1U);

  runner.graph.end(first, runner);
  ASSERT_EQ(runner.queue.size(), 2U);
  EXPECT_EQ(runner.queue.back(), &inner);

  runner.graph.end(inner, runner);
  EXPECT_EQ(runner.queue.back(), &last);
  runner.graph.end(last, runner);
  EXPECT_EQ(runner.graph.size().accesses, 0U);
}

/// Long chains of tasks over all blocks whose children take one block each.
TEST(TaskGraphScale, RunsChainsOfBlocks) {
  constexpr std::uint64_t kBlocks = 100;
  Runner runner;
  std::vector<Node> parents(100);
  std::vector<Node> children(parents.size() * kBlocks);
  std::size_t used = 0;
  for (Node &parent : parents) {
    ASSERT_TRUE(runner.graph.add(
        parent, runner.root, std::array{access(AccessKind::InOut, 0, kBlocks * 64, true)}, runner));
    for (std::uint64_t i = 0; i < kBlocks; ++i) {
      Node &child = children[used++];
      if (runner.graph.add(child, parent, std::array{access(AccessKind::InOut, i * 64, 64)},
                           runner)) {
        runner.queue.push_back(&child);
      }
    }
    runner.graph.end(parent, runner);
  }
  EXPECT_EQ(runner.queue.size(), kBlocks);

  runner.endAll();

  EXPECT_EQ(runner.ended, children.size());
  EXPECT_EQ(runner.graph.size().accesses, 0U);
}

TEST(TaskGraphScale, RunsTilesOfAMatrix) {
  constexpr std::uint64_t kRows = 1000;
  const std::array<tutti_dim, 1> rows = {{{1 << 15, kRows}}};
  Runner runner;
  std::vector<Node> nodes(64);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Access tile = access(AccessKind::InOut, (i % 16) * 2048, 2048);
    tile.region.dimensions = rows;
    runner.add(nodes[i], {&tile, 1});
  }
  EXPECT_EQ(runner.queue.size(), 16U);
  EXPECT_EQ(runner.graph.size().segments, 16U);
  Node row; // Through all tiles: each becomes a segment for each of its rows.
  runner.add(row, std::array{access(AccessKind::In, 1 << 15, 1 << 15)});
  EXPECT_EQ(runner.graph.size().segments, 16U * kRows);

  runner.endAll();

  EXPECT_EQ(runner.ended, nodes.size() + 1);
  EXPECT_EQ(runner.graph.size().accesses, 0U);
}

} // namespace

} // namespace tutti::graph
