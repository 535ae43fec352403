// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks whose bodies are functions, on any number of workers.
#include "runtime/model/tasks/operation.h"
#include "runtime/model/tasks/tasks.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

std::atomic<std::size_t> allocations{0};

} // namespace

// Sanitizers bring their own.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define TUTTI_COUNTS_NOT
#endif
#endif
#if !defined(TUTTI_COUNTS_NOT)
void *operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes);
}

void *operator new(std::size_t bytes, std::align_val_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::aligned_alloc(static_cast<std::size_t>(alignment), bytes);
}

void operator delete(void *memory) noexcept { std::free(memory); }

void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }

void operator delete(void *memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#endif

namespace tutti::model::tasks {

namespace {

using Body = std::function<void()>;

/// A block as compiled code lays it out, with the body as its private copy.
struct Block {
  tutti_task_block head;
  Body body;
};

std::int32_t runBody(std::int32_t, void *memory) {
  static_cast<Block *>(memory)->body();
  return 0;
}

std::int32_t destroyBody(std::int32_t, void *memory) {
  static_cast<Block *>(memory)->body.~Body();
  return 0;
}

/// The parameter is the number of workers.
class TasksTest : public testing::TestWithParam<std::uint32_t> {
protected:
  TasksTest() : tasks_(settings()) {}

  static engine::EngineSettings settings() {
    engine::EngineSettings settings;
    settings.workers = GetParam();
    settings.stackBytes = std::size_t{512} << 10;
    settings.taskBytes = std::size_t{64} << 10;
    return settings;
  }

  Task &make(Body body) {
    Task &task = tasks_.create(TUTTI_TASK_DESTROYS, sizeof(Block), 0, runBody);
    task.block.destroy = destroyBody;
    new (&reinterpret_cast<Block *>(&task.block)->body) Body(std::move(body));
    return task;
  }

  template <typename T> void access(Task &task, std::uint32_t kind, const T &object) {
    tasks_.description(task).add(kind, reinterpret_cast<std::uint64_t>(&object), sizeof object);
  }

  void submit(Body body) { tasks_.submit(make(std::move(body))); }

  template <typename T> void submit(Body body, std::uint32_t kind, const T &object) {
    Task &task = make(std::move(body));
    access(task, kind, object);
    tasks_.submit(task);
  }

  Tasks tasks_;
};

TEST_P(TasksTest, RunsEachTaskOnceBeforeTheWaitEnds) {
  std::vector<std::atomic<int>> run(500);

  for (std::atomic<int> &each : run) {
    submit([&each] { ++each; });
  }
  tasks_.waitForChildren();

  for (const std::atomic<int> &each : run) {
    EXPECT_EQ(each, 1);
  }
}

TEST_P(TasksTest, RunsTasksOnTheSameMemoryInTheirOrder) {
  std::vector<int> order;

  for (int index = 0; index < 300; ++index) {
    submit([&order, index] { order.push_back(index); }, TUTTI_TASK_INOUT, order);
  }
  tasks_.waitForChildren();

  for (int index = 0; index < 300; ++index) {
    ASSERT_EQ(order[static_cast<std::size_t>(index)], index);
  }
}

TEST_P(TasksTest, WaitsForChildrenOfChildren) {
  std::atomic<int> count{0};
  std::function<void(int)> grow = [&](int levels) {
    ++count;
    for (int child = 0; levels > 0 && child < 3; ++child) {
      submit([&grow, levels] { grow(levels - 1); });
    }
    if (levels % 2 == 0) {
      tasks_.waitForChildren();
    }
  };

  grow(5);
  tasks_.waitForChildren();

  EXPECT_EQ(count, 364);
}

TEST_P(TasksTest, MakesSomeTasksWaitWhenMemoryIsShortAndEndsAll) {
  std::atomic<int> count{0};

  for (int outer = 0; outer < 20; ++outer) {
    submit([this, &count] {
      for (int inner = 0; inner < 500; ++inner) {
        submit([&count] { ++count; });
      }
    });
  }
  for (int index = 0; index < 5000; ++index) {
    submit([&count] { ++count; });
  }
  tasks_.waitForChildren();

  EXPECT_EQ(count, 15'000);
}

TEST_P(TasksTest, AllocatesNothingOnceItHasSeenAsManyTasks) {
  long cells[16] = {};

  struct Empty {
    static std::int32_t run(std::int32_t, void *) { return 0; }
  };

  const auto round = [&] {
    for (int index = 0; index < 2000; ++index) {
      Task &task = tasks_.create(0, sizeof(tutti_task_block), 0, Empty::run);
      if (index % 2 == 0) {
        access(task, TUTTI_TASK_INOUT, cells[index % 16]);
      }
      tasks_.submit(task);
    }
    tasks_.waitForChildren();
  };
  std::size_t made = 0;

  for (int turn = 0; turn < 50; ++turn) { // How many live at once is the workers' affair.
    const std::size_t before = allocations;
    round();
    made = allocations - before;
    if (made == 0 && turn > 2) {
      break;
    }
  }

  EXPECT_EQ(made, 0U);
}

TEST_P(TasksTest, LetsAnotherThreadFulfilAnEvent) {
  int value = 0;
  int seen = 0;
  std::atomic<Task *> bound{nullptr};
  submit(
      [&] {
        Task &own = tasks_.current();
        tasks_.bind(own, 1);
        bound = &own;
      },
      TUTTI_TASK_OUT, value);
  submit([&] { seen = value; }, TUTTI_TASK_IN, value);

  std::thread thread([&] {
    while (!bound) {
      std::this_thread::yield();
    }
    value = 42;
    tasks_.fulfil(*bound, 1);
  });
  tasks_.waitForChildren();
  thread.join();

  EXPECT_EQ(seen, 42);
}

TEST_P(TasksTest, LetsTasksBlockAndUnblockOneAnother) {
  constexpr int kPairs = 50;
  std::vector<std::atomic<Task *>> blocked(kPairs);
  std::atomic<int> over{0};

  for (std::atomic<Task *> &each : blocked) {
    submit([&] {
      Task &own = tasks_.current();
      each = &own;
      tasks_.block(own);
      ++over;
    });
    submit([&] {
      while (!each) {
        tasks_.sleep(1000);
      }
      tasks_.unblock(*each);
    });
  }
  tasks_.waitForChildren();

  EXPECT_EQ(over, kPairs);
}

TEST_P(TasksTest, CallsSuspendedBodiesAgainHoweverTheyGoOn) {
  constexpr int kTasks = 60;
  constexpr std::array kWays{Resumption::Unblocked, Resumption::AtOnce, Resumption::InTime,
                             Resumption::AfterEvents};
  std::vector<std::atomic<Task *>> suspended(kTasks);
  std::vector<int> calls(kTasks);
  std::vector<int> seen(kTasks);

  for (int index = 0; index < kTasks; ++index) {
    const auto at = static_cast<std::size_t>(index);
    submit(
        [&, at] {
          Task &own = tasks_.current();
          if (++calls[at] == 3) {
            return;
          }
          const Resumption how = kWays[at % kWays.size()];
          if (how == Resumption::AfterEvents) {
            tasks_.bind(own, 1);
          }
          tasks_.setResumption(own, how, 1000);
          tasks_.suspend(own);
          suspended[at] = &own;
        },
        TUTTI_TASK_OUT, calls[at]);
    submit([&, at] { seen[at] = calls[at]; }, TUTTI_TASK_IN, calls[at]);
  }
  std::thread thread([&] {
    for (int resumed = 0; resumed < kTasks;) { // Half of them, twice each.
      for (std::size_t at = 0; at < suspended.size(); ++at) {
        const Resumption how = kWays[at % kWays.size()];
        const bool isWaiting = how == Resumption::Unblocked || how == Resumption::AfterEvents;
        if (Task *task = isWaiting ? suspended[at].exchange(nullptr) : nullptr) {
          how == Resumption::Unblocked ? tasks_.unblock(*task) : tasks_.fulfil(*task, 1);
          ++resumed;
        }
      }
      std::this_thread::yield();
    }
  });
  tasks_.waitForChildren();
  thread.join();

  EXPECT_EQ(seen, std::vector<int>(kTasks, 3));
}

TEST_P(TasksTest, CallsABodyOnceThatOnlySaysHowItWouldGoOn) {
  int calls = 0;

  submit([&] {
    ++calls;
    tasks_.setResumption(tasks_.current(), Resumption::Unblocked, 0);
  });
  submit([&] { EXPECT_TRUE(tasks_.maySuspend(tasks_.current())); });
  tasks_.waitForChildren();

  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(tasks_.maySuspend(tasks_.current()));
}

TEST_P(TasksTest, LetsOneAtATimeIntoACriticalSection) {
  void *lock = nullptr;
  int count = 0;

  for (int index = 0; index < 200; ++index) {
    submit([&] {
      tasks_.enterCritical(&lock);
      const int before = count;
      if (before % 10 == 0) {
        tasks_.sleep(1000);
      }
      count = before + 1;
      tasks_.leaveCritical(&lock);
    });
  }
  tasks_.waitForChildren();

  EXPECT_EQ(count, 200);
}

TEST_P(TasksTest, CombinesWhatAllHaveReduced) {
  std::int64_t sum = 5;
  std::int64_t seen = 0;
  for (int index = 1; index <= 100; ++index) {
    Task &task = make(
        [this, &sum, index] { *static_cast<std::int64_t *>(tasks_.privateOf(&sum)) += index; });
    tasks_.description(task).addReduction(false, reinterpret_cast<std::uint64_t>(&sum), sizeof sum,
                                          keyOf(TUTTI_REDUCE_ADD, TUTTI_TYPE_INT64));
    tasks_.submit(task);
  }

  submit([&] { seen = sum; }, TUTTI_TASK_IN, sum);
  tasks_.waitForChildren();

  EXPECT_EQ(seen, 5055);
}

/// A loop whose task finds its cells where its block says: how often each has been touched, and by
/// what.
struct LoopBlock {
  tutti_task_block head;
  Tasks *tasks;
  std::vector<int> *touched;
  std::int64_t *sum;
};

std::int32_t touchCells(std::int32_t, void *memory) {
  const auto *block = static_cast<LoopBlock *>(memory);
  auto *sum = static_cast<std::int64_t *>(block->tasks->privateOf(block->sum));
  for (std::uint64_t index = block->head.lower; index <= block->head.upper; ++index) {
    ++(*block->touched)[index];
    *sum += static_cast<std::int64_t>(index);
  }
  return 0;
}

/// A part of a loop that notes how many iterations it has, at the first of them.
std::int32_t noteLength(std::int32_t, void *memory) {
  const auto *block = static_cast<LoopBlock *>(memory);
  (*block->touched)[block->head.lower] =
      static_cast<int>(block->head.upper - block->head.lower + 1);
  return 0;
}

TEST_P(TasksTest, CutsLoopsAtMultiplesOfTheirGrain) {
  std::vector<int> lengths(23);
  Task &task = tasks_.create(0, sizeof(LoopBlock), 0, noteLength);
  reinterpret_cast<LoopBlock *>(&task.block)->touched = &lengths;
  tasks_.setOption(task, TUTTI_TASK_GRAINSIZE, 5);
  tasks_.submitLoop(task, 0, 22, 1, nullptr);
  tasks_.waitForChildren();

  std::vector<int> expected(23);
  expected[0] = expected[5] = expected[10] = 5;
  expected[15] = 8;
  EXPECT_EQ(lengths, expected);
}

TEST_P(TasksTest, SharesTheIterationsOfOneTask) {
  std::vector<int> touched(100);
  std::int64_t sum = 7;
  std::int64_t seen = 0;
  for (int round = 0; round < 20; ++round) {
    Task &task = tasks_.create(0, sizeof(LoopBlock), 0, touchCells);
    auto &block = *reinterpret_cast<LoopBlock *>(&task.block);
    block.tasks = &tasks_;
    block.touched = &touched;
    block.sum = &sum;
    task.flags |= kWhole;
    access(task, TUTTI_TASK_INOUT, touched);
    tasks_.description(task).addReduction(false, reinterpret_cast<std::uint64_t>(&sum), sizeof sum,
                                          keyOf(TUTTI_REDUCE_ADD, TUTTI_TYPE_INT64));
    tasks_.setOption(task, TUTTI_TASK_CHUNKSIZE, 1 + round % 9);
    tasks_.setOption(task, TUTTI_TASK_DIVIDES, 1);
    tasks_.submitLoop(task, 0, 99, 1, nullptr);
  }
  submit([&] { seen = sum; }, TUTTI_TASK_IN, sum);
  tasks_.waitForChildren();

  EXPECT_EQ(touched, std::vector<int>(100, 20));
  EXPECT_EQ(seen, 7 + 20 * 99 * 50);
}

TEST_P(TasksTest, ReplaysIterationsInTheirOrder) {
  constexpr int kCells = 16;
  std::vector<std::uint64_t> cells(kCells + 2);
  std::vector<std::uint64_t> expected(kCells + 2);
  const auto mix = [](std::vector<std::uint64_t> &of, int at, int iteration) {
    const auto index = static_cast<std::size_t>(at);
    of[index] =
        3 * of[index] + of[index - 1] + 7 * of[index + 1] + static_cast<std::uint64_t>(iteration);
  };
  for (int iteration = 0; iteration < 50; ++iteration) {
    for (int at = 1; at <= kCells; ++at) {
      mix(expected, at, iteration);
    }
  }

  submit([&] {
    for (int iteration = 0; iteration < 50; ++iteration) {
      tasks_.iterate(1);
      for (int at = 1; at <= kCells; ++at) {
        Task &task = make([&, at, iteration] { mix(cells, at, iteration); });
        const auto index = static_cast<std::size_t>(at);
        access(task, TUTTI_TASK_IN, cells[index - 1]);
        access(task, TUTTI_TASK_INOUT, cells[index]);
        access(task, TUTTI_TASK_IN, cells[index + 1]);
        tasks_.submit(task);
      }
    }
  });
  tasks_.waitForChildren();

  EXPECT_EQ(cells, expected);
  EXPECT_EQ(tasks_.statistics().replayed, 49U * kCells);
}

TEST_P(TasksTest, RunsWhatIsBelowAFinalTaskAtOnce) {
  std::vector<int> order;
  Task &task = make([&] {
    for (int index = 0; index < 3; ++index) {
      submit([&order, index] { order.push_back(index); });
      order.push_back(10 + index);
    }
  });
  tasks_.setOption(task, TUTTI_TASK_FINAL, 1);

  tasks_.submit(task);

  EXPECT_EQ(order, (std::vector<int>{0, 10, 1, 11, 2, 12}));
}

TEST_P(TasksTest, SpawnsFromThreadsThatAreNoWorkersAndEndsWithTheLast) {
  std::atomic<int> run{0};
  std::atomic<int> over{0};

  struct Counts {
    std::atomic<int> &run;
    std::atomic<int> &over;
  } counts{run, over};

  std::vector<std::thread> threads;

  for (int index = 0; index < 3; ++index) {
    threads.emplace_back([this, &counts] {
      for (int turn = 0; turn < 100; ++turn) {
        tasks_.spawn([](void *all) { ++static_cast<Counts *>(all)->run; }, &counts,
                     [](void *all) { ++static_cast<Counts *>(all)->over; }, &counts, "spawned");
      }
      std::atomic<int> own{0};
      submit([&own] { ++own; });
      tasks_.waitForChildren();
      EXPECT_EQ(own, 1);
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  tasks_.finish();

  EXPECT_EQ(run, 300);
  EXPECT_EQ(over, 300);
}

/// Two tasks that wake one another until `isOver`, or for so many turns that others come too late.
class TasksFairnessTest : public testing::Test {
public:
  static constexpr int kMost = 100'000;

  static engine::EngineSettings settings() {
    engine::EngineSettings settings;
    settings.taskBytes = std::size_t{64} << 10;
    return settings;
  }

  struct Partner {
    Task *task = nullptr;
    Partner *other = nullptr;
    int turns = 0;
    TasksFairnessTest *test = nullptr;
  };

  struct Block {
    tutti_task_block block;
    TasksFairnessTest *test;
    void (*body)(TasksFairnessTest &test);
  };

  void start() {
    const auto body = [](void *argument) {
      auto &own = *static_cast<Partner *>(argument);
      Tasks &tasks = own.test->tasks_;
      own.task = &tasks.current();
      while (!own.test->isOver_ && own.turns < kMost) {
        if (own.other->task) {
          ++own.turns;
          tasks.unblock(*own.other->task);
          tasks.block(*own.task);
        } else {
          tasks.sleep(0);
        }
      }
      own.task = nullptr;
      if (own.other->task) {
        tasks.unblock(*own.other->task);
      }
    };
    for (Partner &each : both_) {
      each = {nullptr, &both_[&each == both_.data() ? 1 : 0], 0, this};
      tasks_.spawn(body, &each, nullptr, nullptr, "partner");
    }
    while (both_[0].turns == 0 || both_[1].turns == 0) {
      tasks_.sleep(0);
    }
  }

  Task &make(void (*body)(TasksFairnessTest &test)) {
    Task &task = tasks_.create(0, sizeof(Block), 0, [](std::int32_t, void *block) -> std::int32_t {
      const auto &own = *static_cast<Block *>(block);
      own.body(*own.test);
      return 0;
    });
    auto &block = *reinterpret_cast<Block *>(&task.block);
    block.test = this;
    block.body = body;
    return task;
  }

  Tasks tasks_{settings()};
  std::array<Partner, 2> both_;
  bool isOver_ = false;
  Task *held_ = nullptr;
  int run_ = 0;
};

TEST_F(TasksFairnessTest, RunsOtherTasksBesideTwoThatWakeOneAnother) {
  start();
  tasks_.submit(make([](TasksFairnessTest &test) { test.isOver_ = true; }));
  tasks_.finish();

  EXPECT_TRUE(isOver_);
  EXPECT_LT(both_[0].turns, kMost);
}

TEST_F(TasksFairnessTest, LetsWhoMakesTasksGoOnBesideTwoThatWakeOneAnother) {
  constexpr int kTasks = 5000; // More than there is memory for, none of which can run.
  const auto access = [&](Task &task, std::uint32_t kind) {
    tasks_.description(task).add(kind, reinterpret_cast<std::uint64_t>(&held_), sizeof held_);
  };
  start();
  Task &holder = make([](TasksFairnessTest &test) {
    test.held_ = &test.tasks_.current();
    test.tasks_.block(*test.held_);
  });
  access(holder, TUTTI_TASK_INOUT);
  tasks_.submit(holder);
  for (int index = 0; index < kTasks; ++index) {
    Task &task = make([](TasksFairnessTest &test) { ++test.run_; });
    access(task, TUTTI_TASK_INOUT);
    tasks_.submit(task);
  }
  tasks_.submit(make([](TasksFairnessTest &test) {
    test.isOver_ = true;
    test.tasks_.unblock(*test.held_);
  }));
  tasks_.finish();

  EXPECT_EQ(run_, kTasks);
  EXPECT_LT(both_[0].turns, kMost);
}

TEST(TasksStartTest, EndsWithMainsTasksWhoeverHasMadeTheFirstOne) {
  engine::EngineSettings settings;
  settings.adoptsCaller = false;
  std::unique_ptr<Tasks> tasks;
  bool isThread = true;
  std::thread first([&] {
    tasks = std::make_unique<Tasks>(settings);
    isThread = tasks->isMain(tasks->current());
  });
  first.join();

  EXPECT_FALSE(isThread);
  EXPECT_TRUE(tasks->isMain(tasks->current()));
}

/// In a process of its own, which ends while the task still sleeps.
void sleepForTheLongestTime() {
  engine::EngineSettings settings;
  settings.workers = 1;
  static Tasks *tasks = nullptr;
  static bool sleeps = false;
  tasks = new Tasks(settings);
  const auto body = [](void *) {
    sleeps = true;
    tasks->sleep(UINT64_MAX);
    sleeps = false;
  };
  tasks->spawn(body, nullptr, nullptr, nullptr, "sleeper");
  tasks->sleep(1'000'000);
  _exit(sleeps ? 0 : 1);
}

TEST(TasksSleepTest, LastsForTheLongestTimeThatCanBeSaid) {
  EXPECT_EXIT(sleepForTheLongestTime(), testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(Workers, TasksTest, testing::Values(1U, 2U, 4U));

} // namespace

} // namespace tutti::model::tasks
