// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Iterations whose tasks are those of the iteration before: nothing is looked up any more, and
/// nothing runs too early.
#include "runtime/graph/replay.h"
#include "runtime/graph/test_graph.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <span>

namespace tutti::graph {

namespace {

constexpr std::size_t kCells = 192;

using Memory = std::array<std::uint64_t, kCells>;

/// What a task does with the bytes that it names: what it writes depends on what it reads, and what
/// it shares with others it adds to. `reduced(byte)` is where it adds what it reduces.
void touch(std::span<const Access> accesses, std::uint64_t value, Memory &memory,
           const std::function<std::uint64_t &(std::uint64_t byte)> &reduced) {
  const std::uint64_t own = value;
  const auto visit = [&](std::initializer_list<AccessKind> kinds, const auto &use) {
    for (const Access &access : accesses) {
      for (std::uint64_t i = 0; i < access.region.bytes && !access.isWeak; ++i) {
        if (std::find(kinds.begin(), kinds.end(), access.kind) != kinds.end()) {
          use(access.region.begin + i);
        }
      }
    }
  };
  visit({AccessKind::In, AccessKind::InOut, AccessKind::Out},
        [&](std::uint64_t byte) { value = value * 31 + memory[byte]; });
  visit({AccessKind::InOut, AccessKind::Out},
        [&](std::uint64_t byte) { memory[byte] = memory[byte] * 17 + value; });
  visit({AccessKind::Concurrent, AccessKind::Commutative},
        [&](std::uint64_t byte) { memory[byte] += own; });
  visit({AccessKind::Reduction}, [&](std::uint64_t byte) { reduced(byte) += own; });
}

/// Runs the children of `loop` in any order that the graph lets them run in, and looks whether
/// memory is as if they had run in their own. Siblings of `loop` come before and after.
class Checker : public Sink {
public:
  explicit Checker(unsigned seed) : random_(seed) { loop.parent = &root_; }

  void beginLoop(const std::vector<Access> &accesses) { graph_.add(loop, root_, accesses, *this); }

  void iterate(std::uint32_t period = 1) { graph_.iterate(loop, period, *this); }

  void add(Node &parent, std::vector<Access> accesses) {
    Task &task = tasks_.emplace_back();
    task.accesses = std::move(accesses);
    if (graph_.add(task.node, parent, task.accesses, *this)) {
      ready(task.node);
    }
  }

  void ready(Node &node) override {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (&tasks_[i].node == &node) {
        EXPECT_FALSE(tasks_[i].isReady);
        tasks_[i].isReady = true;
        ready_.push_back(i);
      }
    }
  }

  void combine(ReductionGroup &group) override {
    const auto copy = copies_.find(&group);
    if (copy != copies_.end()) {
      for (std::uint64_t byte = group.begin; byte < group.begin + group.bytes; ++byte) {
        memory_[byte] += copy->second[byte];
      }
      copies_.erase(copy);
    }
  }

  /// Ends one of the tasks that are ready, whichever; some have made a child before.
  void step() {
    if (ready_.empty()) {
      return;
    }
    const std::size_t which = random_() % ready_.size();
    const std::size_t index = ready_[which];
    ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(which));
    Task &task = tasks_[index];
    touch(task.accesses, index + 1, memory_, [&](std::uint64_t byte) -> std::uint64_t & {
      ReductionGroup *group = graph_.reductionOf(task.node, byte);
      return group == nullptr ? memory_[byte] : copies_[group][byte];
    });
    if (random_() % 4 == 0) { // The child outlives the body.
      Node child;
      graph_.add(child, task.node, task.accesses, *this);
      graph_.end(task.node, *this);
      graph_.end(child, *this);
      graph_.forget(child, *this);
    } else {
      graph_.end(task.node, *this);
    }
    graph_.forget(task.node, *this);
  }

  /// As a taskwait of the loop; only if nothing else is under way.
  void wait() {
    while (!ready_.empty()) {
      step();
    }
    graph_.closeDomain(loop, *this);
  }

  void endLoop() { graph_.end(loop, *this); }

  void finish() {
    while (!ready_.empty()) {
      step();
    }
    graph_.forget(loop, *this);
    graph_.closeDomain(root_, *this);
    EXPECT_EQ(graph_.size().accesses, 0U);
    Memory expected{};
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      EXPECT_TRUE(tasks_[i].isReady);
      touch(tasks_[i].accesses, i + 1, expected,
            [&](std::uint64_t byte) -> std::uint64_t & { return expected[byte]; });
    }
    EXPECT_EQ(memory_, expected);
  }

  std::size_t waiting() const { return ready_.size(); }

  TaskGraph::Counts counts() const { return graph_.counts(); }

  Node &root() { return root_; }

  Node loop;

private:
  struct Task {
    Node node;
    std::vector<Access> accesses;
    bool isReady = false;
  };

  TaskGraph graph_;
  Node root_;
  std::deque<Task> tasks_;
  std::vector<std::size_t> ready_;
  Memory memory_{};
  std::map<const ReductionGroup *, Memory> copies_;
  std::mt19937 random_;
};

std::vector<Access> stencil(std::uint64_t cell) {
  return {in(cell * 8, 8), inOut(cell * 8 + 8, 8), in(cell * 8 + 16, 8)};
}

TEST(Replay, LooksForNothingOnceARoundIsKnown) {
  Checker checker(1);
  std::uint64_t lookups = 0;
  for (int iteration = 0; iteration < 10; ++iteration) {
    checker.iterate();
    for (std::uint64_t cell = 0; cell < 20; ++cell) {
      checker.add(checker.loop, stencil(cell));
    }
    if (iteration == 1) { // The proxy has looked for its own.
      lookups = checker.counts().lookups;
    }
  }

  EXPECT_EQ(checker.counts().lookups, lookups);
  EXPECT_EQ(checker.counts().replayed, 9 * 20U);
  checker.endLoop();
  checker.finish();
}

TEST(Replay, TakesTwoIterationsForARoundWhereBuffersChangePlaces) {
  Checker checker(2);
  for (int iteration = 0; iteration < 12; ++iteration) {
    checker.iterate();
    for (std::uint64_t cell = 0; cell < 4; ++cell) {
      checker.add(checker.loop, {in((iteration % 2) * 64 + cell * 8, 8),
                                 out((1 - iteration % 2) * 64 + cell * 8, 8)});
    }
  }

  EXPECT_GE(checker.counts().replayed, 6 * 4U);
  checker.endLoop();
  checker.finish();
}

TEST(Replay, TakesAsManyIterationsForARoundAsIsSaid) {
  Checker checker(3);
  for (int iteration = 0; iteration < 12; ++iteration) {
    checker.iterate(3);
    checker.add(checker.loop, {inOut((iteration % 3) * 8, 8), in(24, 8)});
  }

  EXPECT_EQ(checker.counts().replayed, 9U);
  checker.endLoop();
  checker.finish();
}

TEST(Replay, CombinesWhatTheTasksOfARoundReduce) {
  Checker checker(6);
  for (int iteration = 0; iteration < 10; ++iteration) {
    checker.iterate();
    checker.add(checker.loop, {out(0, 8)});
    for (int task = 0; task < 5; ++task) {
      checker.add(checker.loop, {reduction(0, 8), in(8, 8)});
    }
    checker.add(checker.loop, {in(0, 8), inOut(16, 8)});
    checker.step();
  }

  EXPECT_EQ(checker.counts().replayed, 9 * 7U);
  checker.endLoop();
  checker.finish();
}

/// Groups that have members in all rounds, and tokens.
TEST(Replay, LeavesSomeReductionsAndCommutativeTasksToTheGraph) {
  for (const Access &access : {reduction(0, 8), commutative(0, 8)}) {
    Checker checker(4);
    for (int iteration = 0; iteration < 5; ++iteration) {
      checker.iterate();
      checker.add(checker.loop, {inOut(8, 8)});
      checker.add(checker.loop, {access});
    }
    EXPECT_EQ(checker.counts().replayed, 0U);
    checker.endLoop();
    checker.finish();
  }
}

TEST(Replay, LetsReadersOfDifferentIterationsRunTogether) {
  Checker checker(5);
  for (int iteration = 0; iteration < 6; ++iteration) {
    checker.iterate();
    checker.add(checker.loop, {in(0, 8)});
    checker.add(checker.loop, {concurrent(8, 8)});
  }

  EXPECT_EQ(checker.waiting(), 12U);
  checker.endLoop();
  checker.finish();
}

TEST(Replay, KeepsTheOrderOfRandomTasks) {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    std::mt19937 random(seed);
    const auto accesses = [&] {
      std::vector<Access> made;
      for (unsigned count = 1 + random() % 3; count > 0; --count) {
        const std::uint64_t begin = random() % 24;
        const AccessKind kinds[] = {AccessKind::In,  AccessKind::In,         AccessKind::InOut,
                                    AccessKind::Out, AccessKind::Concurrent, AccessKind::Reduction};
        made.push_back(named(kinds[random() % 6], begin, 1 + random() % (24 - begin)));
        made.back().isWeak = random() % 8 == 0;
        if (made.back().kind == AccessKind::Reduction) {
          const std::uint64_t first = random() % 3 * 8; // Mostly the same ones.
          made.back() = reduction(first, random() % 4 == 0 ? 12 : 8);
        }
      }
      return made;
    };
    Checker checker(seed);
    const bool isNamed = random() % 3 > 0; // Else nothing orders it with its siblings.
    for (unsigned count = isNamed ? random() % 3 : 0; count > 0; --count) {
      checker.add(checker.root(), accesses());
    }
    if (isNamed) {
      checker.beginLoop({weak(inOut(0, 24))});
    }
    std::vector<std::vector<Access>> round(1 + random() % 6);
    const std::size_t waits = random() % 4 == 0 ? random() % round.size() : round.size();
    for (auto &task : round) {
      task = accesses();
    }
    for (unsigned iterations = 1 + random() % 9; iterations > 0; --iterations) {
      checker.iterate(1 + random() % 2);
      if (random() % 8 == 0) {
        round[random() % round.size()] = accesses();
      }
      const std::size_t size = random() % 10 == 0 ? random() % round.size() : round.size();
      for (std::size_t i = 0; i < size; ++i) {
        checker.add(checker.loop, round[i]);
        for (unsigned steps = random() % 3; steps > 0; --steps) {
          checker.step();
        }
        if (waits == i) {
          checker.wait();
        }
      }
      if (random() % 12 == 0) {
        checker.add(checker.loop, accesses());
      }
    }
    checker.endLoop();
    for (unsigned count = isNamed ? random() % 3 : 0; count > 0; --count) {
      checker.add(checker.root(), accesses());
      checker.step();
    }
    checker.finish();
    if (testing::Test::HasFailure()) {
      FAIL() << "seed " << seed;
    }
  }
}

} // namespace

} // namespace tutti::graph
