// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks on devices that do what a test tells them, when it tells them.
#include "base/log.h"
#include "runtime/model/tasks/tasks.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tutti::model::tasks {

namespace {

/// Every kernel stays under way until the test ends it.
class FakeAccelerators final : public Accelerators {
public:
  Result<Launched> launch(const DeviceRequest &, std::span<const graph::Access>,
                          std::span<const KernelArgument> arguments) override {
    if (isLost) {
      return failure(ErrorCode::DeviceLost, "the device is lost");
    }
    const std::scoped_lock lock(mutex_);
    launched_.push_back(std::make_shared<std::atomic<bool>>(false));
    numbers_.push_back(*static_cast<const int *>(arguments.front().value));
    return Launched{Handle(launched_.back()), usesCopies};
  }

  std::optional<std::size_t> enough() override {
    return most > 0 ? std::optional<std::size_t>(most) : std::nullopt;
  }

  bool hasRoomFor(const DeviceRequest &, std::span<const graph::Access> accesses) override {
    ++looks;
    return accesses.front().region.begin == roomFor;
  }

  void conclude(void *) override { ++concluded; }

  Result<Handle> callWithQueue(const DeviceRequest &, std::span<const graph::Access>,
                               const std::function<void()> &body) override {
    body();
    const std::scoped_lock lock(mutex_);
    launched_.push_back(std::make_shared<std::atomic<bool>>(false));
    numbers_.push_back(-1);
    return Handle(launched_.back());
  }

  Result<bool> hasEnded(void *handle) override {
    if (isLost) {
      return failure(ErrorCode::DeviceLost, "the device is lost");
    }
    return static_cast<std::atomic<bool> *>(handle)->load();
  }

  std::vector<int> numbers() {
    const std::scoped_lock lock(mutex_);
    return numbers_;
  }

  void end(std::size_t index) {
    const std::scoped_lock lock(mutex_);
    launched_.at(index)->store(true);
  }

  void endAll() {
    const std::scoped_lock lock(mutex_);
    for (const auto &each : launched_) {
      each->store(true);
    }
  }

  std::atomic<bool> isLost{false};
  std::atomic<bool> usesCopies{false};
  std::atomic<int> concluded{0};
  std::atomic<std::size_t> most{0};
  std::atomic<std::uint64_t> roomFor{0};
  std::atomic<int> looks{0};

private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<std::atomic<bool>>> launched_;
  std::vector<int> numbers_;
};

constexpr tutti_task_kernel kKernel{3, "kernel", {}, nullptr, nullptr, nullptr};
constexpr tutti_task_kernel kHostCode{3, nullptr, {}, nullptr, nullptr, nullptr};

Tasks *theTasks = nullptr;

struct KernelBlock {
  tutti_task_block head;
  int number;
};

std::int32_t launchNumber(std::int32_t, void *memory) {
  const KernelArgument number{&static_cast<KernelBlock *>(memory)->number, sizeof(int), false};
  theTasks->launchKernel({&number, 1});
  return 0;
}

struct HostBlock {
  tutti_task_block head;
  std::atomic<int> *runs;
};

std::int32_t countRun(std::int32_t, void *memory) {
  ++*static_cast<HostBlock *>(memory)->runs;
  return 0;
}

/// The parameter is the number of workers.
class DeviceTasksTest : public testing::TestWithParam<std::uint32_t> {
protected:
  DeviceTasksTest() : tasks_(settings()) {
    theTasks = &tasks_;
    tasks_.setAccelerators(accelerators_);
  }

  static engine::EngineSettings settings() {
    engine::EngineSettings settings;
    settings.workers = GetParam();
    settings.stackBytes = std::size_t{512} << 10;
    return settings;
  }

  template <typename T>
  void kernel(int number, std::uint32_t kind, const T &object, std::int32_t priority = 0,
              std::uint32_t flags = 0) {
    Task &task = tasks_.create(0, sizeof(KernelBlock), 0, launchNumber);
    reinterpret_cast<KernelBlock *>(&task.block)->number = number;
    task.flags |= flags;
    tasks_.setOption(task, TUTTI_TASK_PRIORITY, priority);
    tasks_.setDevice(task, {&kKernel, TUTTI_TASK_NDRANGE, 1, {1, 1, 1}, {1, 1, 1}, 0, {}});
    tasks_.description(task).add(kind, reinterpret_cast<std::uint64_t>(&object), sizeof object);
    tasks_.submit(task);
  }

  template <typename T>
  void host(std::atomic<int> &runs, std::uint32_t kind, const T &object,
            const tutti_task_kernel *device = nullptr) {
    Task &task = tasks_.create(0, sizeof(HostBlock), 0, countRun);
    reinterpret_cast<HostBlock *>(&task.block)->runs = &runs;
    if (device) {
      tasks_.setDevice(task, {device, 0, 0, {1, 1, 1}, {1, 1, 1}, 0, {}});
    }
    tasks_.description(task).add(kind, reinterpret_cast<std::uint64_t>(&object), sizeof object);
    tasks_.submit(task);
  }

  /// Ends what is under way until the test's tasks are over, from another thread.
  void waitWhileEnding() {
    std::atomic<bool> isOver{false};
    std::thread ending([&] {
      while (!isOver) {
        accelerators_.endAll();
        std::this_thread::yield();
      }
    });
    tasks_.waitForChildren();
    isOver = true;
    ending.join();
  }

  /// Bounded: until so many kernels have been launched.
  bool waitForLaunches(std::size_t count) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (accelerators_.numbers().size() < count && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    return accelerators_.numbers().size() == count;
  }

  FakeAccelerators accelerators_; ///< Outlives the tasks.
  Tasks tasks_;
};

TEST_P(DeviceTasksTest, QueuesKernelsThatFollowOneAnotherWithoutAnAnswer) {
  int memory = 0;

  for (int number = 0; number < 50; ++number) {
    kernel(number, TUTTI_TASK_INOUT, memory);
  }

  ASSERT_TRUE(waitForLaunches(50)); // None has ended.
  for (int number = 0; number < 50; ++number) {
    EXPECT_EQ(accelerators_.numbers()[static_cast<std::size_t>(number)], number);
  }
  waitWhileEnding();
}

TEST_P(DeviceTasksTest, LaunchesNoMoreThanAreEnoughForAllDevices) {
  accelerators_.most = 3;
  std::array<int, 8> memory{};

  for (int number = 0; number < 8; ++number) {
    kernel(number, TUTTI_TASK_INOUT, memory.at(static_cast<std::size_t>(number)));
  }

  ASSERT_TRUE(waitForLaunches(3));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(accelerators_.numbers().size(), 3U);
  accelerators_.end(1);
  ASSERT_TRUE(waitForLaunches(4));
  waitWhileEnding();
  EXPECT_EQ(accelerators_.numbers().size(), 8U);
}

TEST_P(DeviceTasksTest, LaunchesWhatGoesToADeviceWithRoomBesideAChainOnAnother) {
  accelerators_.most = 3;
  int chain = 0;
  int other = 0;
  accelerators_.roomFor = reinterpret_cast<std::uint64_t>(&other);

  for (int number = 0; number < 6; ++number) {
    kernel(number, TUTTI_TASK_INOUT, chain);
  }
  ASSERT_TRUE(waitForLaunches(3));
  kernel(6, TUTTI_TASK_INOUT, other);

  ASSERT_TRUE(waitForLaunches(4));
  EXPECT_EQ(accelerators_.numbers(), (std::vector{0, 1, 2, 6}));
  tasks_.sleep(2000); // Nothing changes meanwhile, so nothing is looked for again.
  EXPECT_LE(accelerators_.looks, 4);
  waitWhileEnding();
  EXPECT_EQ(accelerators_.numbers().size(), 7U);
}

TEST_P(DeviceTasksTest, LaunchesNoMoreThanSomeHundredsBeforeTheFirstOfThemIsSeenToBeDone) {
  int memory = 0;
  accelerators_.roomFor = reinterpret_cast<std::uint64_t>(&memory);
  for (const std::size_t enough : {0U, 3U}) { // For one device there is nothing to decide.
    const std::size_t before = accelerators_.numbers().size();
    const std::size_t most = enough == 0 ? 256 : 320;
    accelerators_.most = enough;
    for (int number = 0; number < 1000; ++number) {
      kernel(number, TUTTI_TASK_IN, memory);
    }

    ASSERT_TRUE(waitForLaunches(before + most));
    tasks_.sleep(5'000'000);
    EXPECT_EQ(accelerators_.numbers().size(), before + most);
    waitWhileEnding();
    EXPECT_EQ(accelerators_.numbers().size(), before + 1000);
  }
}

TEST_P(DeviceTasksTest, SeesEndsBehindALongChain) {
  int chain = 0;
  int other = 0;
  std::atomic<int> after{0};
  for (int number = 0; number < 100; ++number) {
    kernel(number, TUTTI_TASK_INOUT, chain);
  }
  ASSERT_TRUE(waitForLaunches(100));
  kernel(100, TUTTI_TASK_INOUT, other);
  host(after, TUTTI_TASK_IN, other);
  ASSERT_TRUE(waitForLaunches(101));

  accelerators_.end(100);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (after == 0 && std::chrono::steady_clock::now() < end) {
    tasks_.sleep(1000);
  }

  EXPECT_EQ(after, 1);
  waitWhileEnding();
}

TEST_P(DeviceTasksTest, HoldsTasksOfTheHostUntilTheKernelIsDone) {
  int memory = 0;
  int other = 0;
  std::atomic<int> held{0};
  std::atomic<int> free{0};

  kernel(0, TUTTI_TASK_INOUT, memory);
  host(held, TUTTI_TASK_IN, memory);
  host(free, TUTTI_TASK_INOUT, other);
  kernel(1, TUTTI_TASK_INOUT, other);

  while (free == 0) {
    tasks_.sleep(1000); // An only worker runs others meanwhile.
  }
  ASSERT_TRUE(waitForLaunches(2));
  EXPECT_EQ(free, 1);
  EXPECT_EQ(held, 0);
  waitWhileEnding();
  EXPECT_EQ(held, 1);
}

TEST_P(DeviceTasksTest, LetsReadersOfTheHostRunBesideReadingKernels) {
  int memory = 0;
  std::atomic<int> readers{0};
  std::atomic<int> writers{0};

  kernel(0, TUTTI_TASK_IN, memory);
  host(readers, TUTTI_TASK_IN, memory);
  host(writers, TUTTI_TASK_INOUT, memory);
  while (readers == 0) {
    tasks_.sleep(1000);
  }

  EXPECT_EQ(writers, 0);
  waitWhileEnding();
  EXPECT_EQ(writers, 1);
}

TEST_P(DeviceTasksTest, KeepsItsPlaceInTheGraphUntilTheEndIfTheTaskSaysSo) {
  int memory = 0;

  kernel(0, TUTTI_TASK_INOUT, memory, 0, kWaits);
  kernel(1, TUTTI_TASK_INOUT, memory);

  ASSERT_TRUE(waitForLaunches(1));
  accelerators_.end(0);
  tasks_.sleep(1000);
  ASSERT_TRUE(waitForLaunches(2));
  waitWhileEnding();
}

TEST_P(DeviceTasksTest, KeepsItsPlaceInTheGraphUntilItsCopiesAreBack) {
  int memory = 0;
  accelerators_.usesCopies = true;

  kernel(0, TUTTI_TASK_INOUT, memory);
  kernel(1, TUTTI_TASK_INOUT, memory);

  ASSERT_TRUE(waitForLaunches(1));
  tasks_.sleep(1000);
  EXPECT_EQ(accelerators_.numbers().size(), 1U);
  EXPECT_EQ(accelerators_.concluded, 0);
  accelerators_.end(0);
  tasks_.sleep(1000);
  ASSERT_TRUE(waitForLaunches(2));
  EXPECT_EQ(accelerators_.concluded, 1);
  waitWhileEnding();
  EXPECT_EQ(accelerators_.concluded, 2);
}

TEST_P(DeviceTasksTest, WaitsForAccessesOfKernels) {
  int memory = 0;
  kernel(0, TUTTI_TASK_INOUT, memory);
  ASSERT_TRUE(waitForLaunches(1));
  std::thread ending([this] { accelerators_.endAll(); });

  tasks_.beginNaming("here:1");
  tasks_.description(*tasks_.described())
      .add(TUTTI_TASK_IN, reinterpret_cast<std::uint64_t>(&memory), sizeof memory);
  tasks_.endWaiting();

  ending.join();
  EXPECT_EQ(accelerators_.numbers().size(), 1U);
}

TEST_P(DeviceTasksTest, EndsATaskThatUsesItsQueueWhenTheQueueIsDone) {
  int memory = 0;
  std::atomic<int> bodies{0};
  std::atomic<int> after{0};

  host(bodies, TUTTI_TASK_INOUT, memory, &kHostCode);
  host(after, TUTTI_TASK_IN, memory);
  while (bodies == 0) {
    tasks_.sleep(1000);
  }

  EXPECT_EQ(after, 0);
  waitWhileEnding();
  EXPECT_EQ(after, 1);
}

TEST_P(DeviceTasksTest, RunsMoreKernelsThanAreUnderWayAtATime) {
  std::vector<int> memory(1000);

  std::atomic<bool> isOver{false};
  std::thread ending([&] {
    while (!isOver) {
      accelerators_.endAll();
      std::this_thread::yield();
    }
  });
  for (int number = 0; number < 1000; ++number) {
    kernel(number, TUTTI_TASK_INOUT, memory[static_cast<std::size_t>(number)], number % 3);
  }
  tasks_.waitForChildren();
  isOver = true;
  ending.join();

  EXPECT_EQ(accelerators_.numbers().size(), 1000U);
}

/// In a process of its own, which ends without looking for what is left behind.
void loseDevice(bool isUnderWay) {
  log::setFatalHandler({[](void *, std::string_view) { _exit(1); }, nullptr});
  FakeAccelerators accelerators;
  engine::EngineSettings settings;
  settings.workers = 1;
  Tasks tasks(settings);
  theTasks = &tasks;
  tasks.setAccelerators(accelerators);
  Task &task = tasks.create(0, sizeof(KernelBlock), 0, launchNumber);
  task.label = "scale";
  task.source = "k.cu:3";
  tasks.setDevice(task, {&kKernel, TUTTI_TASK_NDRANGE, 1, {1, 1, 1}, {1, 1, 1}, 0, {}});
  accelerators.isLost = !isUnderWay;
  tasks.submit(task);
  while (accelerators.numbers().empty()) {
    tasks.sleep(1000);
  }
  accelerators.isLost = true;
  tasks.waitForChildren();
}

TEST(LostDevice, EndsTheProgramWithTheTaskThatIsLaunched) {
  EXPECT_EXIT(loseDevice(false), testing::ExitedWithCode(1),
              "^tutti: task scale \\(k.cu:3\\): the device is lost\n$");
}

TEST(LostDevice, EndsTheProgramWithTheTaskThatIsUnderWay) {
  EXPECT_EXIT(loseDevice(true), testing::ExitedWithCode(1),
              "^tutti: task scale \\(k.cu:3\\): the device is lost\n$");
}

INSTANTIATE_TEST_SUITE_P(Workers, DeviceTasksTest, testing::Values(1, 2, 4));

} // namespace

} // namespace tutti::model::tasks
