// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What OpenMP's tasks do that others do not, on threads that come and go.
#include "runtime/model/tasks/openmp.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace tutti::model::tasks {

namespace {

using Body = std::function<void()>;

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
class OpenMpTest : public testing::TestWithParam<std::uint32_t> {
protected:
  OpenMpTest() : team_(settings(), 0) {}

  static engine::EngineSettings settings() {
    engine::EngineSettings settings;
    settings.workers = GetParam();
    settings.stackBytes = std::size_t{512} << 10;
    settings.taskBytes = std::size_t{64} << 10;
    settings.hasGuests = true;
    return settings;
  }

  /// Runs `region` as the implicit task of a team of new threads.
  void inTeam(const Body &region) {
    std::vector<std::thread> threads;
    team_.enter(0);
    for (std::uint32_t index = 1; index < GetParam(); ++index) {
      threads.emplace_back([this, index] { team_.serve(index, static_cast<std::int32_t>(index)); });
    }
    region();
    team_.leave();
    for (std::thread &thread : threads) {
      thread.join();
    }
  }

  tutti_task_block *make(Body body, std::uint32_t flags = 0) {
    tutti_task_block *block = team_.create(TUTTI_TASK_DESTROYS | flags, sizeof(Block), 0, runBody);
    block->destroy = destroyBody;
    new (&reinterpret_cast<Block *>(block)->body) Body(std::move(body));
    return block;
  }

  void submit(Body body) { team_.submit(make(std::move(body))); }

  template <typename T> void submit(Body body, omp_dependence_kinds kind, T &object) {
    tutti_task_block *block = make(std::move(body));
    const omp_dependence dependence{&object, sizeof object, static_cast<std::uint8_t>(kind)};
    team_.name(block, {&dependence, 1});
    team_.submit(block);
  }

  OpenMp team_;
};

int fibonacci(OpenMp &team, const std::function<void(Body)> &submit, int n) {
  if (n < 2) {
    return n;
  }
  int x = 0;
  int y = 0;
  submit([&, n] { x = fibonacci(team, submit, n - 1); });
  submit([&, n] { y = fibonacci(team, submit, n - 2); });
  team.wait();
  return x + y;
}

TEST_P(OpenMpTest, RunsTasksOfTasksInOneTeamAfterTheOther) {
  for (int round = 0; round < 20; ++round) {
    int result = 0;

    inTeam([&] { result = fibonacci(team_, [this](Body body) { submit(std::move(body)); }, 12); });

    EXPECT_EQ(result, 144);
  }
}

TEST_P(OpenMpTest, WaitsForChildrenAndNotForTheirs) {
  std::atomic<Event *> event{nullptr};
  bool isBehind = false;

  inTeam([&] {
    submit([&] {
      tutti_task_block *block = make([] {});
      event = team_.allowEvent(block);
      team_.submit(block);
    });
    team_.wait();
    isBehind = true;
    OpenMp::fulfil(*event);
  });

  EXPECT_TRUE(isBehind);
}

TEST_P(OpenMpTest, EndsATaskWhenAForeignThreadFulfilsItsEvent) {
  int order = 0;
  int value = 0;

  inTeam([&] {
    tutti_task_block *block = make([&] { order = 1; });
    const omp_dependence dependence{&value, sizeof value, OMP_DEPENDS_OUT};
    team_.name(block, {&dependence, 1});
    Event *event = team_.allowEvent(block);
    team_.submit(block);
    submit([&] { value = order; }, OMP_DEPENDS_IN, value);
    std::thread other([event] { OpenMp::fulfil(*event); });
    team_.wait();
    other.join();
  });

  EXPECT_EQ(value, 1);
}

TEST_P(OpenMpTest, WaitsForAllTasksOfAGroup) {
  std::atomic<int> run{0};
  int seen = 0;

  inTeam([&] {
    team_.beginGroup();
    for (int index = 0; index < 50; ++index) {
      submit([&] {
        submit([&] {
          submit([&] { ++run; });
          ++run;
        });
        ++run;
      });
    }
    team_.endGroup();
    seen = run;
  });

  EXPECT_EQ(seen, 150);
}

TEST_P(OpenMpTest, BeginsOnlyTasksBelowTheOneThatWaits) {
  std::mutex mutex; // Not to be taken twice by one thread.
  int inside = 0;
  int most = 0;

  inTeam([&] {
    for (int index = 0; index < 200; ++index) {
      submit([&] {
        const std::lock_guard<std::mutex> guard(mutex);
        most = std::max(most, ++inside);
        submit([] {});
        submit([] {});
        team_.wait();
        --inside;
      });
    }
  });

  EXPECT_EQ(most, 1);
}

TEST_P(OpenMpTest, OrdersWhatComesBehindATaskApartFromItsChildren) {
  std::atomic<Event *> event{nullptr};
  int value = 0;
  int seen = 0;

  inTeam([&] {
    submit(
        [&] {
          tutti_task_block *block = make([] {});
          const omp_dependence dependence{&value, sizeof value, OMP_DEPENDS_INOUT};
          team_.name(block, {&dependence, 1});
          event = team_.allowEvent(block);
          team_.submit(block);
          value = 5;
        },
        OMP_DEPENDS_INOUT, value);
    submit([&] { seen = value; }, OMP_DEPENDS_INOUT, value);
    team_.wait();
    OpenMp::fulfil(*event);
  });

  EXPECT_EQ(seen, 5);
}

TEST_P(OpenMpTest, ExcludesMembersOfASetAlsoWhereTheirChildrenDoTheSame) {
  std::array<int, 2> values{};

  inTeam([&] {
    for (int index = 0; index < 100; ++index) {
      int &mine = values[index % 2];
      int &others = values[1 - index % 2];
      submit(
          [&] {
            ++mine;
            submit([] {}, OMP_DEPENDS_MUTEXINOUTSET, others);
            team_.wait();
            ++mine;
          },
          OMP_DEPENDS_MUTEXINOUTSET, mine);
    }
  });

  EXPECT_EQ(values[0], 100);
  EXPECT_EQ(values[1], 100);
}

TEST_P(OpenMpTest, RunsTasksOfFinalOnesAtOnce) {
  std::vector<int> order;

  inTeam([&] {
    team_.submit(make(
        [&] {
          submit([&] {
            submit([&] { order.push_back(1); });
            order.push_back(2);
          });
          order.push_back(3);
        },
        TUTTI_TASK_FINAL_TRUE));
  });

  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST_P(OpenMpTest, GoesDeeperThanAStack) {
  constexpr int kDepth = 5000;
  int deepest = 0;
  std::function<void(int)> dive = [&](int depth) {
    deepest = std::max(deepest, depth);
    if (depth < kDepth) {
      submit([&, depth] { dive(depth + 1); });
      team_.wait();
    }
  };

  inTeam([&] { dive(0); });

  EXPECT_EQ(deepest, kDepth);
}

TEST_P(OpenMpTest, ReducesIntoWhatTheGroupNames) {
  long sum = 7;
  const omp_task_reduction what{
      .shared = &sum,
      .original = &sum,
      .bytes = sizeof sum,
      .initialize = nullptr,
      .finalize = nullptr,
      .combine = [](void *shared,
                    void *copy) { *static_cast<long *>(shared) += *static_cast<long *>(copy); },
      .flags = 0};

  inTeam([&] {
    team_.beginGroup();
    team_.group()->reductions.emplace_back(what, team_.workers());
    for (int index = 0; index < 100; ++index) {
      submit([&] {
        auto *mine = static_cast<long *>(team_.privateOf(nullptr, &sum));
        *mine += 1;
        submit([&, mine] { *static_cast<long *>(team_.privateOf(nullptr, mine)) += 1; });
      });
    }
    team_.endGroup();
  });

  EXPECT_EQ(sum, 207);
}

TEST_P(OpenMpTest, BeginsNothingOfACancelledGroup) {
  int run = 0;

  inTeam([&] {
    team_.beginGroup();
    team_.group()->isCancelled = true;
    for (int index = 0; index < 10; ++index) {
      submit([&] { ++run; });
    }
    team_.endGroup();
  });

  EXPECT_EQ(run, 0);
}

INSTANTIATE_TEST_SUITE_P(Workers, OpenMpTest, testing::Values(1, 2, 4));

std::vector<std::uint64_t> sizesOf(const LoopShape &shape) {
  const LoopParts parts(shape, 4);
  std::vector<std::uint64_t> sizes;
  std::uint64_t next = 0;
  for (std::uint64_t index = 0; index < parts.size(); ++index) {
    EXPECT_EQ(parts.part(index).first, next);
    next += parts.part(index).count;
    sizes.push_back(parts.part(index).count);
  }
  EXPECT_EQ(next, shape.count());
  return sizes;
}

TEST(LoopParts, HoldAllIterationsAsTheClausesSay) {
  using Sizes = std::vector<std::uint64_t>;
  const LoopShape ten{.lower = 0, .upper = 9, .stride = 1};
  LoopShape shape = ten;

  EXPECT_EQ(sizesOf(shape), (Sizes{3, 3, 2, 2}));
  shape.grainsize = 4;
  EXPECT_EQ(sizesOf(shape), (Sizes{5, 5}));
  shape.isStrict = true;
  EXPECT_EQ(sizesOf(shape), (Sizes{4, 4, 2}));
  shape.grainsize = 100;
  EXPECT_EQ(sizesOf(shape), (Sizes{10}));
  shape = ten;
  shape.tasks = 3;
  EXPECT_EQ(sizesOf(shape), (Sizes{4, 3, 3}));
  shape.tasks = 100;
  EXPECT_EQ(sizesOf(shape).size(), 10U);
  shape.upper = UINT64_MAX; // -1
  EXPECT_EQ(sizesOf(shape), Sizes());
}

} // namespace

} // namespace tutti::model::tasks
