// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What `TaskGraph` costs a task: nanoseconds for `add`, `end` and `forget` together, one thread,
/// nothing run. Prints a table of shapes; the best of some repetitions.
#include "runtime/graph/task_graph.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace {

using namespace tutti::graph; // NOLINT: a program.

constexpr std::size_t kTasks = 1000;
constexpr int kRepetitions = 300;

Access access(AccessKind kind, std::uint64_t begin, std::uint64_t bytes, bool isWeak = false) {
  return {{begin, bytes, {}}, kind, isWeak, {1, 1}};
}

/// Ends tasks in the order in which they become ready.
class Runner : public Sink {
public:
  Runner() : storage_(std::make_unique<Node[]>(2 * kTasks)) { queue_.reserve(2 * kTasks); }

  void ready(Node &node) override { queue_.push_back(&node); }

  void combine(ReductionGroup &) override {}

  Node &add(Node &parent, std::span<const Access> accesses) {
    Node &node = storage_[made_++];
    if (graph.add(node, parent, accesses, *this)) {
      queue_.push_back(&node);
    }
    return node;
  }

  void endReady() {
    for (; ended_ < queue_.size(); ++ended_) {
      graph.end(*queue_[ended_], *this);
    }
  }

  /// After all tasks.
  void close() {
    endReady();
    graph.closeDomain(root, *this);
    for (std::size_t i = made_; i-- > 0;) {
      graph.forget(storage_[i], *this);
    }
    queue_.clear();
    made_ = ended_ = 0;
  }

  TaskGraph graph;
  Node root;

private:
  std::unique_ptr<Node[]> storage_;
  std::vector<Node *> queue_;
  std::size_t made_ = 0;
  std::size_t ended_ = 0;
};

void none(Runner &runner) {
  for (std::size_t i = 0; i < kTasks; ++i) {
    runner.add(runner.root, {});
  }
}

/// On 1024 cells in turn, all of which have been used before.
void cells(Runner &runner, bool isEndedAtOnce) {
  static std::uint64_t cell = 0;
  for (std::size_t i = 0; i < kTasks; ++i) {
    runner.add(runner.root, std::array{access(AccessKind::InOut, (cell++ % 1024) * 64, 8)});
    if (isEndedAtOnce) {
      runner.endReady();
    }
  }
}

void fresh(Runner &runner) {
  static std::uint64_t cell = 0;
  for (std::size_t i = 0; i < kTasks; ++i) {
    runner.add(runner.root, std::array{access(AccessKind::InOut, cell++ * 64, 8)});
  }
}

void chain(Runner &runner) {
  for (std::size_t i = 0; i < kTasks; ++i) {
    runner.add(runner.root, std::array{access(AccessKind::InOut, 0, 8)});
  }
}

void fan(Runner &runner) {
  for (std::size_t i = 0; i < kTasks; ++i) {
    runner.add(runner.root,
               std::array{access(i % 16 == 0 ? AccessKind::InOut : AccessKind::In, 0, 8)});
  }
}

void commutative(Runner &runner) {
  for (std::size_t i = 0; i < kTasks; ++i) {
    runner.add(runner.root, std::array{access(AccessKind::Commutative, 0, 8)});
  }
}

void reduction(Runner &runner) {
  for (std::size_t i = 0; i < kTasks; ++i) {
    runner.add(runner.root, std::array{access(AccessKind::Reduction, 0, 8)});
  }
}

/// Each reads two cells and writes a third one.
void three(Runner &runner) {
  for (std::size_t i = 0; i < kTasks; ++i) {
    const std::uint64_t cell = i % 64;
    runner.add(runner.root, std::array{access(AccessKind::In, cell * 64, 64),
                                       access(AccessKind::In, (cell + 1) * 64, 64),
                                       access(AccessKind::InOut, (cell + 2) * 64, 64)});
  }
}

/// Rows of blocks, each with its borders.
void stencil(Runner &runner) {
  for (std::size_t i = 0; i < kTasks; ++i) {
    const std::uint64_t at = 8 + (i % 64) * 64;
    runner.add(runner.root, std::array{access(AccessKind::In, at - 8, 8),  // Above,
                                       access(AccessKind::In, at + 64, 8), // and below.
                                       access(AccessKind::InOut, at, 64)});
  }
}

/// A weak task of 63 children on blocks of what it names.
void nested(Runner &runner) {
  for (std::size_t i = 0; i < kTasks / 64; ++i) {
    Node &parent = runner.add(runner.root, std::array{access(AccessKind::InOut, 0, 63 * 64, true)});
    for (std::uint64_t j = 0; j < 63; ++j) {
      runner.add(parent, std::array{access(AccessKind::InOut, j * 64, 64)});
    }
    // Then `endReady` ends the parent first.
  }
}

void tiles(Runner &runner) {
  const std::array<tutti_dim, 1> rows = {{{1 << 15, 1000}}};
  for (std::size_t i = 0; i < kTasks / 10; ++i) {
    Access tile = access(AccessKind::InOut, (i % 16) * 2048, 2048);
    tile.region.dimensions = rows;
    runner.add(runner.root, {&tile, 1});
  }
}

void measure(std::string_view wanted, const char *name, std::size_t tasks,
             const std::function<void(Runner &)> &make) {
  if (!std::string_view(name).starts_with(wanted)) {
    return;
  }
  using Clock = std::chrono::steady_clock;
  Runner runner;
  double add = 1e30;
  double all = 1e30;
  for (int i = 0; i < kRepetitions; ++i) {
    const auto begin = Clock::now();
    make(runner);
    const auto made = Clock::now();
    runner.close();
    const auto end = Clock::now();
    const auto nanoseconds = [&](Clock::time_point to) {
      return std::chrono::duration<double, std::nano>(to - begin).count() /
             static_cast<double>(tasks);
    };
    add = std::min(add, nanoseconds(made));
    all = std::min(all, nanoseconds(end));
  }
  std::printf("%-44s %9.1f %9.1f\n", name, add, all);
}

} // namespace

/// `graph [NAME]`: those shapes whose name begins with it.
int main(int count, char **words) {
  const std::string_view wanted = count > 1 ? words[1] : "";
  std::printf("%-44s %9s %9s\n", "ns per task", "add", "all");
  measure(wanted, "no accesses", kTasks, none);
  measure(wanted, "inout, 1024 cells, ended at once", kTasks, [](Runner &r) { cells(r, true); });
  measure(wanted, "inout, 1024 cells", kTasks, [](Runner &r) { cells(r, false); });
  measure(wanted, "inout, ever new cells", kTasks, fresh);
  measure(wanted, "inout, one chain", kTasks, chain);
  measure(wanted, "1 writer, 15 readers", kTasks, fan);
  measure(wanted, "commutative, one cell", kTasks, commutative);
  measure(wanted, "reduction, one cell", kTasks, reduction);
  measure(wanted, "2 in, 1 inout", kTasks, three);
  measure(wanted, "blocks and their borders", kTasks, stencil);
  measure(wanted, "weak tasks of 63 children on blocks", kTasks / 64 * 64, nested);
  measure(wanted, "tiles of 1000 rows", kTasks / 10, tiles);
}
