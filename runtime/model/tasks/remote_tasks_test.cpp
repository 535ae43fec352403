// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks of a process that may run on other ranks: those are played by tasks of a second one.
#include "runtime/model/tasks/operation.h"
#include "runtime/model/tasks/tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::model::tasks {

namespace {

/// Three ranks; the others keep what they are given until the test runs it.
class FakeRanks final : public Ranks {
public:
  struct Sent {
    std::uint32_t rank;
    std::vector<std::byte> parcel;
    std::vector<Range> read;
    std::function<void(RemoteEnd end)> whenEnded;
  };

  std::uint32_t count() const override { return 3; }

  bool haveCode(tutti_task_entry) const override { return hasCode; }

  bool areShared(Range) const override { return true; }

  bool areOfProgram(Range) const override { return true; }

  bool areOfCluster(Range) const override { return isCluster; }

  bool isDerived(tutti_task_entry) const override { return known.has_value(); }

  Derived derive(tutti_task_block &, std::span<const Range>,
                 std::span<const graph::Access>) override {
    return *known;
  }

  std::vector<std::uint64_t> missing(std::span<const graph::Access>,
                                     std::span<const Range>) override {
    return {1 << 28, 0, 1 << 28};
  }

  void bring(std::span<const graph::Access> accesses) override { brought += accesses.size(); }

  Status start(std::uint32_t rank, std::span<const graph::Access>, std::span<const Range> read,
               std::vector<std::byte> parcel,
               std::function<void(RemoteEnd end)> whenEnded) override {
    const std::scoped_lock lock(mutex_);
    sent_.push_back({rank, std::move(parcel), {read.begin(), read.end()}, std::move(whenEnded)});
    return {};
  }

  std::vector<Sent> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(sent_, {});
  }

  Range arguments() const override { return argumentsOfProgram; }

  bool hasCode = true;
  Range argumentsOfProgram;
  bool isCluster = false;
  std::optional<Derived> known; ///< What the compiler knows of the code of all tasks.
  std::atomic<std::size_t> brought{0};

private:
  std::mutex mutex_;
  std::vector<Sent> sent_;
};

struct Block {
  tutti_task_block head;
  int *target;
  int value;
};

std::int32_t store(std::int32_t, void *memory) {
  const auto &block = *static_cast<Block *>(memory);
  *block.target = block.value;
  return 0;
}

Tasks *reducing = nullptr;

/// Reduces what it captures the address of.
std::int32_t add(std::int32_t, void *memory) {
  const auto &block = *static_cast<Block *>(memory);
  *static_cast<int *>(reducing->privateOf(block.target)) += block.value;
  return 0;
}

engine::EngineSettings settings(bool adoptsCaller) {
  engine::EngineSettings settings;
  settings.workers = 1;
  settings.adoptsCaller = adoptsCaller;
  settings.stackBytes = std::size_t{512} << 10;
  return settings;
}

class RemoteTasksTest : public testing::Test {
protected:
  RemoteTasksTest() : tasks_(settings(true)) { tasks_.setRanks(ranks_); }

  Task &make(tutti_task_entry entry, int *target, int value) {
    Task &task = tasks_.create(0, sizeof(Block), 0, entry);
    auto &block = *reinterpret_cast<Block *>(&task.block);
    block.target = target;
    block.value = value;
    return task;
  }

  void name(Task &task, std::uint32_t kind, const int &object) {
    tasks_.description(task).add(kind, reinterpret_cast<std::uint64_t>(&object), sizeof object);
  }

  /// Sends a task that writes to rank `node`.
  void write(int &target, int value, std::int64_t node) {
    Task &task = make(store, &target, value);
    name(task, TUTTI_TASK_OUT, target);
    tasks_.setOption(task, TUTTI_TASK_NODE, node);
    tasks_.submit(task);
  }

  /// Plays the other ranks once: what they have been given runs, here.
  void playOthers(Tasks &others) {
    for (FakeRanks::Sent &sent : ranks_.take()) {
      others.arrive(sent.parcel, [whenEnded = std::move(sent.whenEnded)](
                                     std::vector<std::byte> results, double) {
        whenEnded({1, 1e-3, std::move(results)});
      });
    }
  }

  /// What stayed at the task's own wish or for want of a better place, by reason.
  std::map<std::string_view, std::uint64_t> reasons() const {
    std::map<std::string_view, std::uint64_t> reasons;
    for (const auto &[reason, count] : tasks_.remote()->reasons()) {
      reasons[reason] = count;
    }
    return reasons;
  }

  FakeRanks ranks_;
  Tasks tasks_;
};

TEST_F(RemoteTasksTest, GoWhereTheirClauseSays) {
  int value = 0;
  write(value, 1, 2);
  const std::vector<FakeRanks::Sent> sent = ranks_.take();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent.front().rank, 2U);
  EXPECT_EQ(value, 0);
  sent.front().whenEnded({1, 1e-3, {}});
  tasks_.finish();
}

TEST_F(RemoteTasksTest, AreFollowedOnlyWhenTheyHaveEnded) {
  int value = 0;
  write(value, 1, 2);
  write(value, 2, 1);
  write(value, 3, 0);
  std::vector<FakeRanks::Sent> sent = ranks_.take();
  ASSERT_EQ(sent.size(), 1U);
  sent.front().whenEnded({1, 1e-3, {}});
  while ((sent = ranks_.take()).empty()) { // A thread of its own looks each millisecond.
  }
  EXPECT_EQ(sent.front().rank, 1U);
  EXPECT_EQ(value, 0);
  sent.front().whenEnded({1, 1e-3, {}});
  tasks_.finish();
  EXPECT_EQ(value, 3);
}

TEST_F(RemoteTasksTest, OfMemoryOfTheClusterGoWhereItIs) {
  ranks_.isCluster = true;
  int value = 0;
  Task &task = make(store, &value, 7);
  name(task, TUTTI_TASK_INOUT, value);
  tasks_.submit(task);
  const std::vector<FakeRanks::Sent> sent = ranks_.take();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent.front().rank, 1U);
  sent.front().whenEnded({1, 1e-3, {}});
  tasks_.finish();
}

TEST_F(RemoteTasksTest, OfWhichTheCodeIsKnownGoWithWhatTheyReadBeside) {
  static int beside;
  const auto begin = reinterpret_cast<std::uint64_t>(&beside);
  ranks_.known = Derived{{}, {{begin, begin + sizeof beside}}, {}};
  int value = 0;
  Task &task = make(store, &value, 7);
  name(task, TUTTI_TASK_INOUT, value);
  tasks_.submit(task);
  const std::vector<FakeRanks::Sent> sent = ranks_.take();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent.front().rank, 1U);
  ASSERT_EQ(sent.front().read.size(), 1U);
  EXPECT_EQ(sent.front().read.front().begin, begin);
  sent.front().whenEnded({1, 1e-3, {}});
  tasks_.finish();
}

TEST_F(RemoteTasksTest, OfWhichTheCodeTouchesMoreStay) {
  ranks_.known = Derived{"it does that", {}, {}};
  int value = 0;
  Task &task = make(store, &value, 7);
  name(task, TUTTI_TASK_INOUT, value);
  tasks_.submit(task);
  tasks_.finish();
  EXPECT_EQ(value, 7);
  const std::map<std::string_view, std::uint64_t> expected{{"it does that", 1}};
  EXPECT_EQ(reasons(), expected);
}

TEST_F(RemoteTasksTest, OfWhichTheCodeIsKnownStayIfTheyNameWeakly) {
  ranks_.known = Derived{};
  int value = 0;
  Task &task = make(store, &value, 7);
  name(task, TUTTI_TASK_INOUT | TUTTI_TASK_WEAK, value);
  tasks_.submit(task);
  tasks_.finish();
  EXPECT_EQ(value, 7);
}

TEST_F(RemoteTasksTest, OfWhichTheCodeIsKnownStayOnceTheyAreKnownToBeShort) {
  ranks_.known = Derived{};
  int value = 0;
  for (int turn = 0; turn < 2; ++turn) {
    Task &task = make(store, &value, turn);
    name(task, TUTTI_TASK_INOUT, value);
    tasks_.submit(task);
    for (const FakeRanks::Sent &sent : ranks_.take()) {
      EXPECT_EQ(turn, 0);
      sent.whenEnded({1, 1e-6, {}});
    }
  }
  tasks_.finish();
  EXPECT_EQ(value, 1);
}

TEST_F(RemoteTasksTest, GoInSmallNumbersUntilItIsKnownWhatTheyTake) {
  ranks_.known = Derived{};
  std::array<int, 20> values{};
  for (int &value : values) {
    Task &task = make(store, &value, 1);
    name(task, TUTTI_TASK_INOUT, value);
    tasks_.submit(task);
  }
  // Each of three ranks has one worker.
  const std::vector<FakeRanks::Sent> sent = ranks_.take();
  EXPECT_EQ(sent.size(), 4U);
  for (const FakeRanks::Sent &each : sent) {
    each.whenEnded({1, 1e-6, {}});
  }
  tasks_.finish();
  EXPECT_TRUE(ranks_.take().empty());
  EXPECT_EQ(std::ranges::count(values, 1), 16);
}

TEST_F(RemoteTasksTest, AreExpectedToTakeWhatTheirCostSays) {
  ranks_.known = Derived{};
  int value = 0;
  const std::array<std::int64_t, 3> costs{1000, 1, 2000};
  std::vector<int> sentTurns;
  for (int turn = 0; turn < 3; ++turn) {
    Task &task = make(store, &value, turn);
    name(task, TUTTI_TASK_INOUT, value);
    tasks_.setOption(task, TUTTI_TASK_COST, costs[static_cast<std::size_t>(turn)]);
    tasks_.submit(task);
    tasks_.beginNaming("here"); // Until it is over.
    tasks_.description(*tasks_.described())
        .add(TUTTI_TASK_IN, reinterpret_cast<std::uint64_t>(&value), sizeof value);
    for (const FakeRanks::Sent &sent : ranks_.take()) {
      sentTurns.push_back(turn);
      sent.whenEnded({1, 1e-3, {}});
    }
    tasks_.endWaiting();
  }
  tasks_.finish();
  EXPECT_EQ(sentTurns, (std::vector{0, 2}));
}

TEST_F(RemoteTasksTest, OfOtherMemoryStayAndGetWhatTheyName) {
  int value = 0;
  Task &task = make(store, &value, 7);
  name(task, TUTTI_TASK_OUT, value);
  tasks_.submit(task);
  tasks_.finish();
  EXPECT_EQ(value, 7);
  EXPECT_EQ(ranks_.brought, 1U);
}

TEST_F(RemoteTasksTest, StayForAReason) {
  int value = 0;
  ranks_.hasCode = false;
  write(value, 1, 1);
  ranks_.hasCode = true;
  write(value, 2, 5);
  Task &task = make(store, &value, 3);
  name(task, TUTTI_TASK_OUT, value);
  tasks_.setOption(task, TUTTI_TASK_NODE, 1);
  static int unnamed;
  const tutti_task_variable variable{&unnamed, sizeof unnamed, TUTTI_TASK_WRITES};
  tasks_.setVariables(task, {&variable, 1});
  tasks_.submit(task);
  Task &second = make(store, &value, 4);
  name(second, TUTTI_TASK_OUT, value);
  tasks_.setOption(second, TUTTI_TASK_NODE, 1);
  const tutti_task_variable none{nullptr, 0, TUTTI_TASK_DEVICES};
  tasks_.setVariables(second, {&none, 1});
  tasks_.submit(second);
  tasks_.finish();
  EXPECT_EQ(value, 4);
  const std::map<std::string_view, std::uint64_t> expected{
      {"its code is in a library", 1},
      {"there is no such node", 1},
      {"it may write a variable that it does not name", 1},
      {"it makes tasks for devices", 1}};
  EXPECT_EQ(reasons(), expected);
}

TEST_F(RemoteTasksTest, AllocateElsewhereOnlyIfTheyNameANode) {
  int value = 0;
  ranks_.isCluster = true;
  const tutti_task_variable allocates{nullptr, 0, TUTTI_TASK_ALLOCATES};
  for (const bool isAsked : {false, true}) {
    Task &task = make(store, &value, 3);
    name(task, TUTTI_TASK_OUT, value);
    if (isAsked) {
      tasks_.setOption(task, TUTTI_TASK_NODE, 1);
    }
    tasks_.setVariables(task, {&allocates, 1});
    tasks_.submit(task);
    const std::vector<FakeRanks::Sent> sent = ranks_.take();
    EXPECT_EQ(sent.size(), isAsked ? 1U : 0U);
    for (const FakeRanks::Sent &each : sent) {
      each.whenEnded({1, 1e-3, {}});
    }
    tasks_.finish();
  }
  const std::map<std::string_view, std::uint64_t> expected{
      {"it allocates or frees memory of the cluster", 1}};
  EXPECT_EQ(reasons(), expected);
}

TEST_F(RemoteTasksTest, StayWithTheArgumentsOfTheProgramUnlessTheyNameANode) {
  int value = 0;
  std::array<int, 2> arguments{};
  ranks_.isCluster = true;
  const auto begin = reinterpret_cast<std::uint64_t>(arguments.data());
  ranks_.argumentsOfProgram = {begin, begin + sizeof arguments};
  for (const std::int64_t node : {-1, 1}) {
    Task &task = make(store, &value, 3);
    task.block.lower = begin + sizeof(int); // The first copy of a task that is no loop.
    name(task, TUTTI_TASK_OUT, value);
    if (node >= 0) {
      tasks_.setOption(task, TUTTI_TASK_NODE, node);
    }
    tasks_.submit(task);
    const std::vector<FakeRanks::Sent> sent = ranks_.take();
    EXPECT_EQ(sent.size(), node >= 0 ? 1U : 0U);
    for (const FakeRanks::Sent &each : sent) {
      each.whenEnded({1, 1e-3, {}});
    }
    tasks_.finish();
  }
  const std::map<std::string_view, std::uint64_t> expected{
      {"it uses the program's arguments by address", 1}};
  EXPECT_EQ(reasons(), expected);
}

TEST_F(RemoteTasksTest, TakeTheVariablesAlongThatTheyRead) {
  int value = 0;
  static int unnamed;
  Task &task = make(store, &value, 3);
  name(task, TUTTI_TASK_OUT, value);
  tasks_.setOption(task, TUTTI_TASK_NODE, 1);
  const std::array<tutti_task_variable, 2> variables{
      {{&unnamed, sizeof unnamed, 0}, {&value, sizeof value, TUTTI_TASK_WRITES}}};
  tasks_.setVariables(task, variables);
  tasks_.submit(task);
  const std::vector<FakeRanks::Sent> sent = ranks_.take();
  ASSERT_EQ(sent.size(), 1U);
  ASSERT_EQ(sent.front().read.size(), 1U);
  EXPECT_EQ(sent.front().read.front().begin, reinterpret_cast<std::uint64_t>(&unnamed));
  sent.front().whenEnded({1, 1e-3, {}});
  tasks_.finish();
}

TEST_F(RemoteTasksTest, RunAsTheyWereMade) {
  Tasks others(settings(false));
  int value = 0;
  write(value, 41, 1);
  playOthers(others);
  tasks_.finish();
  EXPECT_EQ(value, 41);
}

TEST_F(RemoteTasksTest, BringBackWhatTheyReduce) {
  Tasks others(settings(false));
  reducing = &others;
  int sum = 100;
  for (int value = 1; value <= 3; ++value) {
    Task &task = make(add, &sum, value);
    tasks_.description(task).addReduction(false, reinterpret_cast<std::uint64_t>(&sum), sizeof sum,
                                          keyOf(TUTTI_REDUCE_ADD, TUTTI_TYPE_INT32));
    tasks_.setOption(task, TUTTI_TASK_NODE, 1 + value % 2);
    tasks_.submit(task);
  }
  playOthers(others);
  tasks_.finish();
  EXPECT_EQ(sum, 106);
}

} // namespace

} // namespace tutti::model::tasks
