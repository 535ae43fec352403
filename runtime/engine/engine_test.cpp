// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Workers whose work is a function: what they run, how it waits and goes on.
#include "runtime/engine/countdown.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/latch.h"
#include "runtime/engine/steal_pause.h"
#include "runtime/engine/timers.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cfenv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::engine {

namespace {

/// Runs once; what it returns is to be run next.
struct Job : Work {
  explicit Job(std::function<Work *()> function) : body(std::move(function)) {}

  std::function<Work *()> body;
};

/// Ownership: frees what it has run.
class Jobs final : public Client {
public:
  Work *run(Worker &, Work &work) override {
    const std::unique_ptr<Job> job(&static_cast<Job &>(work));
    return job->body();
  }
};

/// The test's thread is worker 0; the parameter is how many there are.
class EngineTest : public testing::TestWithParam<std::uint32_t> {
protected:
  EngineTest() : engine_(jobs_, settings()) {}

  static EngineSettings settings() {
    EngineSettings settings;
    settings.workers = GetParam();
    settings.stackBytes = std::size_t{256} << 10;
    return settings;
  }

  /// Submits a job that nothing follows.
  void submit(std::function<void()> body, std::int32_t priority = 0) {
    auto *job = new Job([body = std::move(body)]() -> Work * {
      body();
      return nullptr;
    });
    job->priority = priority;
    engine_.submit(*job);
  }

  /// Submits as many that are numbered, and waits for them.
  void runAll(int count, const std::function<void(int)> &body) {
    std::atomic<int> left{count};
    Latch done;
    for (int index = 0; index < count; ++index) {
      submit([&, index] {
        body(index);
        if (left.fetch_sub(1) == 1) {
          done.set();
        }
      });
    }
    done.wait();
  }

  Jobs jobs_;
  Engine engine_;
  Timers timers_;
};

TEST_P(EngineTest, RunsAllThatIsReadyWhileOneWaits) {
  constexpr int kJobs = 2000;
  std::vector<std::atomic<int>> run(kJobs);

  runAll(kJobs, [&run](int index) { ++run[static_cast<std::size_t>(index)]; });

  for (const std::atomic<int> &each : run) {
    EXPECT_EQ(each, 1);
  }
}

TEST_P(EngineTest, RunsWhatAJobReturnsNextOnTheSameWorker) {
  Latch done;
  Worker *first = nullptr;
  Worker *second = nullptr;
  auto *next = new Job([&]() -> Work * {
    second = Worker::current();
    done.set();
    return nullptr;
  });

  engine_.submit(*new Job([&]() -> Work * {
    first = Worker::current();
    return next;
  }));
  done.wait();

  EXPECT_NE(first, nullptr);
  EXPECT_EQ(first, second);
}

TEST_P(EngineTest, WaitsInAnyDepthWithoutMoreThreads) {
  std::atomic<int> deepest{0};
  std::function<void(int)> nest = [&](int depth) {
    if (depth == 0) {
      ++deepest;
      return;
    }
    Latch done;
    submit([&, depth] {
      nest(depth - 1);
      done.set();
    });
    done.wait();
  };

  runAll(4, [&nest](int) { nest(200); });

  EXPECT_EQ(deepest, 4);
}

TEST_P(EngineTest, GoesOnInTheSameThreadWithWhatWasItsOwn) {
  std::atomic<int> right{0};

  runAll(60, [&](int index) {
    const auto thread = std::this_thread::get_id();
    const int rounding = index % 2 == 0 ? FE_UPWARD : FE_TONEAREST;
    std::fesetround(rounding);
    errno = index;
    Latch other;
    submit([&other] {
      errno = -1;
      other.set();
    });
    other.wait();
    right += errno == index && std::fegetround() == rounding && thread == std::this_thread::get_id()
                 ? 1
                 : 0;
    std::fesetround(FE_TONEAREST);
  });

  EXPECT_EQ(right, 60);
}

TEST_P(EngineTest, TakesWorkFromThreadsThatAreNoWorkers) {
  constexpr int kThreads = 3;
  constexpr int kJobs = 300;
  std::atomic<int> left{kThreads * kJobs};
  Latch done;
  std::vector<std::thread> threads;

  for (int index = 0; index < kThreads; ++index) {
    threads.emplace_back([&] {
      for (int job = 0; job < kJobs; ++job) {
        submit([&] {
          if (left.fetch_sub(1) == 1) {
            done.set();
          }
        });
      }
    });
  }
  done.wait();
  for (std::thread &thread : threads) {
    thread.join();
  }

  EXPECT_EQ(left, 0);
}

TEST_P(EngineTest, LetsAThreadThatIsNoWorkerWait) {
  Latch mainDone;
  std::thread thread([&] {
    Latch done;
    submit([&done] { done.set(); });
    done.wait();
    mainDone.set();
  });

  mainDone.wait();
  thread.join();
}

TEST_P(EngineTest, WakesWhoWaitsForATimeNotBefore) {
  using Clock = Timers::Clock;
  std::atomic<int> early{0};

  runAll(20, [&](int index) {
    const auto time = Clock::now() + std::chrono::microseconds(50 * (20 - index));
    Latch latch;
    timers_.setAt(time, latch);
    latch.wait();
    early += Clock::now() < time ? 1 : 0;
  });

  EXPECT_EQ(early, 0);
}

TEST_P(EngineTest, SleepsWhenNothingIsReadyAndWakesUp) {
  for (int round = 0; round < 20; ++round) {
    Latch latch;
    timers_.setAt(Timers::Clock::now() + std::chrono::milliseconds(1), latch);
    latch.wait(); // Long enough for all workers to fall asleep.

    std::atomic<int> run{0};
    runAll(10, [&run](int) { ++run; });

    EXPECT_EQ(run, 10);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, EngineTest, testing::Values(1U, 2U, 5U));

using OneWorker = EngineTest;

TEST_P(OneWorker, RunsLargerPrioritiesFirst) {
  std::vector<int> order;
  Latch done;

  for (const int priority : {0, 7, -1, 7, 3}) {
    submit(
        [&order, &done, priority] {
          order.push_back(priority);
          if (priority == -1) {
            done.set();
          }
        },
        priority);
  }
  done.wait();

  EXPECT_EQ(order, (std::vector<int>{7, 7, 3, 0, -1}));
}

INSTANTIATE_TEST_SUITE_P(Alone, OneWorker, testing::Values(1U));

TEST(Pool, GivesMemoryBackToItsOwnerFromAnyThread) {
  Pool pool;
  std::vector<void *> blocks;
  for (int index = 0; index < 1000; ++index) {
    blocks.push_back(Pool::allocate(&pool, 200));
  }
  const std::size_t allocations = pool.allocations();
  std::thread other([&blocks] {
    for (void *block : blocks) {
      Pool::release(block, nullptr);
    }
  });
  other.join();

  EXPECT_GT(pool.used(), 0U);
  EXPECT_EQ(pool.usedNow(), 0U);
  for (void *&block : blocks) {
    block = Pool::allocate(&pool, 200);
  }
  EXPECT_EQ(pool.allocations(), allocations);
  for (void *block : blocks) {
    Pool::release(block, &pool);
  }
  EXPECT_EQ(pool.used(), 0U);
}

TEST(Pool, AlignsWhatComesAfterTheHeadAsItsSizeAllows) {
  Pool pool;
  for (std::size_t bytes = 32; bytes <= std::size_t{16} << 10; bytes += 32) {
    for (Pool *owner : {&pool, static_cast<Pool *>(nullptr)}) {
      std::array<std::byte *, 3> blocks{};
      for (std::byte *&block : blocks) {
        block = static_cast<std::byte *>(Pool::allocate(owner, Pool::kHead + bytes));
        std::memset(block, 1, Pool::kHead + bytes);
        const auto address = reinterpret_cast<std::uintptr_t>(block + Pool::kHead);
        EXPECT_EQ(address % Pool::alignmentOf(bytes), 0U) << bytes;
      }
      for (std::byte *block : blocks) {
        Pool::release(block, &pool);
      }
    }
  }
  EXPECT_EQ(pool.used(), 0U);
}

TEST(Countdown, IsOverWhenAllHasBeenDropped) {
  constexpr int kThings = 1000;
  Countdown countdown;
  EXPECT_TRUE(countdown.isOver());
  for (int index = 0; index < kThings; ++index) {
    countdown.add();
  }

  std::thread other([&countdown] {
    for (int index = 0; index < kThings; ++index) {
      countdown.drop();
    }
  });
  while (!countdown.isOver()) {
    countdown.rest(std::chrono::milliseconds(100));
  }
  other.join();

  EXPECT_TRUE(countdown.isOver());
}

TEST(Countdown, RestsNoLongerThanItMay) {
  Countdown countdown;
  countdown.add();

  countdown.rest(std::chrono::milliseconds(1));

  EXPECT_FALSE(countdown.isOver());
}

TEST(Pool, GivesLargeAndOwnerlessMemory) {
  Pool pool;
  void *large = Pool::allocate(&pool, std::size_t{1} << 20);
  void *nobodys = Pool::allocate(nullptr, 100);

  EXPECT_GE(pool.used(), std::size_t{1} << 20);
  Pool::release(large, &pool);
  Pool::release(nobodys, &pool);

  EXPECT_EQ(pool.used(), 0U);
}

using std::chrono::microseconds;
using std::chrono::nanoseconds;

TEST(StealPause, IsThereAfterTheftsThatDoNotPay) {
  const StealPause::Clock::time_point now{std::chrono::seconds(1)};
  StealPause pause;
  EXPECT_TRUE(pause.isOverAt(now));

  pause.note(nanoseconds(100), nanoseconds(99), now);

  EXPECT_FALSE(pause.isOverAt(now + nanoseconds(399)));
  EXPECT_TRUE(pause.isOverAt(now + nanoseconds(400)));
}

TEST(StealPause, GrowsUntilATheftPays) {
  const StealPause::Clock::time_point now{std::chrono::seconds(1)};
  StealPause pause;
  pause.note(nanoseconds(100), nanoseconds(0), now);
  pause.note(nanoseconds(100), nanoseconds(0), now);
  EXPECT_FALSE(pause.isOverAt(now + nanoseconds(799)));
  EXPECT_TRUE(pause.isOverAt(now + nanoseconds(800)));

  pause.note(nanoseconds(100), nanoseconds(100), now);

  EXPECT_TRUE(pause.isOverAt(now));
  pause.note(nanoseconds(100), nanoseconds(0), now);
  EXPECT_TRUE(pause.isOverAt(now + nanoseconds(400)));
}

TEST(StealPause, IsNeverLong) {
  const StealPause::Clock::time_point now{std::chrono::seconds(1)};
  StealPause pause;
  for (int theft = 0; theft < 100; ++theft) {
    pause.note(microseconds(20), microseconds(0), now); // Perhaps another program ran meanwhile.
  }

  EXPECT_FALSE(pause.isOverAt(now + StealPause::kLongest - nanoseconds(1)));
  EXPECT_TRUE(pause.isOverAt(now + StealPause::kLongest));
}

} // namespace

} // namespace tutti::engine
