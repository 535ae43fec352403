// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Random programs of nested tasks, run in random order, against `byte_model.h`: after each step
/// the same tasks are ready, the same groups combined, and at the end nothing is left.
#include "base/range.h"
#include "base/test_share.h"
#include "runtime/graph/byte_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>

namespace tutti::graph {

namespace {

using model::Group;
using model::kBegin;
using model::kBytes;
using model::State;
using model::Task;

/// Programs.
const std::uint64_t kSeeds = casesOf(5000);

constexpr int kDepth = 4;

class Program : private Sink {
public:
  explicit Program(std::uint64_t seed) : random_(seed), isWild_(oneIn(4)) {
    maximum_ = 4 + upTo(20);
    tasks_.emplace_back();
    tasks_.front().state = State::Running;
    for (int i = 0; i < 3; ++i) {
      popular_.push_back(interval());
    }
  }

  /// Until all tasks are gone.
  void run() {
    for (int step = 0; root().state != State::Gone; ++step) {
      ASSERT_TRUE(act()) << "step " << step << ": no task can run";
      check();
      ASSERT_FALSE(testing::Test::HasFailure()) << "step " << step;
    }
    const TaskGraph::Size size = graph_.size();
    EXPECT_EQ(size.nodes + size.accesses + size.segments, 0U);
  }

private:
  std::size_t upTo(std::size_t most) { return random_() % (most + 1); }

  bool oneIn(std::size_t of) { return random_() % of == 0; }

  Task &root() { return tasks_.front(); }

  Range interval() {
    const std::size_t length = 1 + upTo(oneIn(3) ? kBytes - 1 : 7);
    const std::size_t begin = kBegin + upTo(kBytes - length);
    return {begin, begin + length};
  }

  // What tasks do.

  bool act() {
    std::vector<Task *> able;
    for (Task &task : tasks_) {
      if (task.state == State::Ready || task.state == State::Running ||
          (task.state == State::Waiting && areGone(task.children)) ||
          (task.state == State::Ended && areGone(task.children))) {
        able.push_back(&task);
      }
    }
    if (able.empty()) {
      return false;
    }
    act(*able[upTo(able.size() - 1)]);
    return true;
  }

  void act(Task &task) {
    switch (task.state) {
    case State::Ready:
      task.state = State::Running;
      break;
    case State::Waiting:
      graph_.closeDomain(task.node, *this);
      closeGroups(task);
      task.state = State::Running;
      break;
    case State::Ended:
      if (task.waits) {
        graph_.end(task.node, *this);
        closeGroups(task);
      }
      graph_.forget(task.node, *this);
      task.state = State::Gone;
      break;
    default:
      goOn(task);
    }
  }

  void goOn(Task &task) {
    const bool mayCreate = task.depth < kDepth && tasks_.size() <= maximum_;
    const std::size_t choice = upTo(19);
    if (mayCreate && choice < 10) {
      create(task);
    } else if (choice >= 10 && choice < 13 && !task.accesses.empty()) {
      release(task);
    } else if (choice == 13 && !task.children.empty()) {
      task.state = State::Waiting;
    } else if (&task != &root() || !mayCreate) {
      task.state = State::Ended;
      if (!task.waits) {
        graph_.end(task.node, *this);
        closeGroups(task);
      }
    }
  }

  static bool areGone(const std::vector<Task *> &tasks) {
    return std::ranges::all_of(tasks, [](const Task *task) { return task->state == State::Gone; });
  }

  void release(Task &task) {
    const Access &whole = task.accesses[upTo(task.accesses.size() - 1)];
    Access part = whole;
    if (whole.region.dimensions.empty() && whole.region.bytes > 0) {
      const std::uint64_t skipped = upTo(whole.region.bytes - 1);
      part.region.begin += skipped;
      part.region.bytes = 1 + upTo(whole.region.bytes - skipped - 1);
    }
    const std::vector<std::size_t> bytes = model::bytesOf(part.region);
    if (!bytes.empty() && task.bytes[bytes.front()].kind != AccessKind::Reduction && !oneIn(8)) {
      part.kind = task.bytes[bytes.front()].kind;
      part.isWeak = task.bytes[bytes.front()].isWeak;
    }
    const bool isNamed =
        part.kind != AccessKind::Reduction && std::ranges::all_of(bytes, [&](std::size_t byte) {
          const model::ByteAccess &at = task.bytes[byte];
          return !at.isReleased && at.kind == part.kind && at.isWeak == part.isWeak;
        });

    EXPECT_EQ(graph_.release(task.node, {&part, 1}, *this), isNamed);

    if (isNamed) {
      closeGroups(task);
      for (const std::size_t byte : bytes) {
        task.bytes[byte].isReleased = true;
      }
    }
  }

  // How tasks are made.

  void create(Task &parent) {
    tasks_.emplace_back();
    Task &task = tasks_.back();
    task.parent = &parent;
    task.depth = parent.depth + 1;
    task.waits = oneIn(6);
    const std::size_t count = upTo(4);
    for (std::size_t i = 0; i < count; ++i) {
      task.accesses.push_back(access(parent));
      if (!isAllowed(task)) {
        task.accesses.pop_back();
      }
    }
    name(task);
    // What holds tokens while its descendants take others may deadlock.
    if (!tokensOf(task).empty()) {
      for (Access &access : task.accesses) {
        access.isWeak = false;
      }
      name(task);
    }
    while (mayDeadlock(task)) {
      task.accesses.pop_back();
      name(task);
    }
    append(task);
    const bool isReady = graph_.add(task.node, parent.node, task.accesses, *this);
    if (isReady) {
      ready(task.node);
    }
  }

  Access access(const Task &parent) {
    static constexpr std::array<AccessKind, 12> kKinds = {
        AccessKind::In,          AccessKind::In,         AccessKind::In,
        AccessKind::Out,         AccessKind::InOut,      AccessKind::InOut,
        AccessKind::Concurrent,  AccessKind::Concurrent, AccessKind::Commutative,
        AccessKind::Commutative, AccessKind::Reduction,  AccessKind::Reduction};
    if (!parent.accesses.empty() && oneIn(4)) {
      Access same = parent.accesses[upTo(parent.accesses.size() - 1)];
      same.isWeak = oneIn(2);
      return same;
    }
    Access made;
    made.kind = kKinds[upTo(kKinds.size() - 1)];
    if (isWild_ && made.kind == AccessKind::Commutative) {
      made.kind = AccessKind::InOut;
    }
    made.isWeak = oneIn(3);
    made.reduction = {upTo(1), 1, upTo(3) == 0};
    Range range = oneIn(2) ? popular_[upTo(popular_.size() - 1)] : interval();
    made.region = {range.begin, range.size(), {}};
    if (made.kind == AccessKind::Reduction) {
      made.region = {popular_[upTo(1)].begin, popular_[upTo(1)].size(), {}};
      made.region.bytes = std::min(made.region.bytes, kBegin + kBytes - made.region.begin);
    } else if (oneIn(5)) {
      made.region = !boxes_.empty() && oneIn(2) ? boxes_[upTo(boxes_.size() - 1)] : box();
    } else if (!parent.accesses.empty() && oneIn(2)) {
      made.region = partOf(parent.accesses[upTo(parent.accesses.size() - 1)].region);
    }
    return made;
  }

  Region partOf(Region region) {
    if (region.dimensions.empty() && region.bytes > 0) {
      const std::uint64_t skipped = upTo(region.bytes - 1);
      region.begin += skipped;
      region.bytes = 1 + upTo(region.bytes - skipped - 1);
    }
    return region;
  }

  /// Of up to two dimensions, some of them backwards, some without gaps.
  Region box() {
    const std::uint64_t bytes = 1 + upTo(2);
    const std::int64_t inner = static_cast<std::int64_t>(bytes + upTo(2));
    const std::int64_t columns = 1 + static_cast<std::int64_t>(upTo(2));
    const std::int64_t outer = inner * columns + static_cast<std::int64_t>(upTo(3));
    const std::int64_t most = (static_cast<std::int64_t>(kBytes) - inner * columns) / outer;
    const std::int64_t rows =
        1 +
        static_cast<std::int64_t>(upTo(static_cast<std::size_t>(std::min<std::int64_t>(most, 3))));
    const std::int64_t room =
        static_cast<std::int64_t>(kBytes) - inner * columns - outer * (rows - 1);
    std::uint64_t begin = kBegin + upTo(static_cast<std::size_t>(room));
    dims_.push_back({{{outer, rows}, {inner, columns}}});
    if (oneIn(3)) {
      begin += static_cast<std::uint64_t>(outer * (rows - 1));
      dims_.back()[0].stride = -outer;
    }
    boxes_.push_back({begin, bytes, dims_.back()});
    return boxes_.back();
  }

  /// Whether an ancestor holds tokens while the task needs others, or waits for what that ancestor
  /// has not waited for: it only reduces there, by operations that do not look at the original.
  static bool mayDeadlock(const Task &task) {
    const std::set<std::size_t> own = tokensOf(task);
    const bool looks = std::ranges::any_of(task.accesses, [](const Access &access) {
      return access.kind == AccessKind::Reduction && access.reduction.readsOriginal;
    });
    for (const Task *at = task.parent; at != nullptr; at = at->parent) {
      const std::set<std::size_t> held = tokensOf(*at);
      if (held.empty()) {
        continue;
      }
      bool mayWait = !std::ranges::includes(held, own);
      for (std::size_t byte = 0; byte < kBytes; ++byte) {
        mayWait |= at->bytes[byte].isNamed && at->bytes[byte].kind == AccessKind::Reduction &&
                   task.bytes[byte].isNamed &&
                   (looks || task.bytes[byte].kind != AccessKind::Reduction);
      }
      if (mayWait) {
        return true;
      }
    }
    return false;
  }

  /// Whether no child does more than its parent says; but in a wild program.
  bool isAllowed(Task &task) {
    name(task);
    for (std::size_t byte = 0; byte < kBytes && !isWild_; ++byte) {
      const model::ByteAccess &above = task.parent->bytes[byte];
      const model::ByteAccess &own = task.bytes[byte];
      if (own.isNamed && own.isLinked && own.kind != above.kind &&
          (above.kind == AccessKind::In || above.kind == AccessKind::Concurrent)) {
        return false;
      }
    }
    return true;
  }

  // What the graph says.

  void ready(Node &node) override {
    const auto found =
        std::ranges::find_if(tasks_, [&](const Task &task) { return &task.node == &node; });
    ASSERT_NE(found, tasks_.end());
    EXPECT_EQ(found->state, State::Created) << "ready again";
    found->state = State::Ready;
    readied_.push_back({&*found, combined_.size()});
  }

  void combine(ReductionGroup &group) override {
    combined_.push_back({&group, group.begin, group.bytes, group.key});
  }

  void check() {
    checkCombined(update(root()));
    for (const auto &[task, combinedBefore] : readied_) {
      EXPECT_TRUE(isSatisfied(*task)) << "too early: " << indexOf(*task);
      EXPECT_FALSE(isKeptFromTokens(*task)) << "two have a token: " << indexOf(*task);
      task->holdsTokens = true;
      checkGroups(*task);
    }
    readied_.clear();
    combined_.clear();
    for (const Task &task : tasks_) {
      if (task.state == State::Created && isSatisfied(task)) {
        EXPECT_TRUE(isKeptFromTokens(task)) << "too late: " << indexOf(task);
      }
    }
  }

  bool isKeptFromTokens(const Task &task) const {
    return std::ranges::any_of(tasks_,
                               [&](const Task &other) { return !heldFrom(task, other).empty(); });
  }

  std::size_t indexOf(const Task &task) {
    return static_cast<std::size_t>(
        std::ranges::find_if(tasks_, [&](const Task &at) { return &at == &task; }) -
        tasks_.begin());
  }

  struct Combined {
    ReductionGroup *group;
    std::uint64_t begin;
    std::uint64_t bytes;
    ReductionKey key;
  };

  static bool isOne(const Group &group, const Combined &combined) {
    return group.actual != nullptr ? combined.group == group.actual
                                   : combined.begin == group.begin &&
                                         combined.bytes == group.bytes && combined.key == group.key;
  }

  /// The same groups, each before what comes after it.
  void checkCombined(const std::vector<Group *> &expected) {
    EXPECT_EQ(combined_.size(), expected.size());
    for (Group *group : expected) {
      const auto found = std::ranges::find_if(
          combined_, [&](const Combined &combined) { return isOne(*group, combined); });
      ASSERT_NE(found, combined_.end());
      actual_.erase(found->group);
      const auto at = static_cast<std::size_t>(found - combined_.begin());
      for (const Group *other : expected) {
        if (other->parent() == group->parent() && other->number < group->number &&
            other->begin < group->begin + group->bytes &&
            group->begin < other->begin + other->bytes) {
          EXPECT_TRUE(std::any_of(combined_.begin(), found, [&](const Combined &before) {
            return isOne(*other, before);
          })) << "combined out of order";
        }
      }
      for (const auto &[task, combinedBefore] : readied_) {
        if (isAfter(*task, *group->parent(), *group)) {
          EXPECT_LT(at, combinedBefore) << "ready before the combination: " << indexOf(*task);
        }
      }
    }
  }

  /// Each group of the model is one of the graph.
  void checkGroups(const Task &task) {
    for (std::size_t byte = 0; byte < kBytes; ++byte) {
      ReductionGroup *actual = graph_.reductionOf(task.node, kBegin + byte);
      Group *group = task.bytes[byte].group;
      ASSERT_EQ(actual != nullptr, group != nullptr) << indexOf(task) << ", " << byte;
      if (group == nullptr) {
        continue;
      }
      if (group->actual == nullptr) {
        EXPECT_TRUE(actual_.insert(actual).second) << "one group for two";
        group->actual = actual;
      }
      EXPECT_EQ(group->actual, actual);
    }
  }

  struct Readied {
    Task *task;
    std::size_t combinedBefore;
  };

  std::mt19937_64 random_;
  const bool isWild_; ///< Children do more than their parents say.
  std::size_t maximum_ = 0;
  std::vector<Range> popular_;
  std::deque<Task> tasks_;
  std::deque<std::array<tutti_dim, 2>> dims_;
  std::vector<Region> boxes_;
  TaskGraph graph_;
  std::vector<Combined> combined_;
  std::vector<Readied> readied_;
  std::set<ReductionGroup *> actual_;
};

TEST(TaskGraphModel, AgreesWithEveryByteOfRandomPrograms) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Program(seed).run();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

} // namespace

} // namespace tutti::graph
