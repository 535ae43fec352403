// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks on a device that only writes down what its queues are given.
#include "runtime/exec/task_queues.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tutti::exec {

namespace {

struct FakeEvent final : device::Event {
  explicit FakeEvent(std::string what) : name(std::move(what)) {}

  Result<bool> hasCompleted() override { return isDone; }

  std::string name;
  bool isDone = false;
};

using Log = std::vector<std::string>;

class FakeQueue final : public device::Queue {
public:
  FakeQueue(std::string name, Log &log) : name_(std::move(name)), log_(log) {}

  void note(const std::string &what) { log_.push_back(name_ + " " + what); }

  Status copyIn(std::span<const std::byte>, std::uint64_t) override { return {}; }

  Status copyOut(std::uint64_t, std::span<std::byte>) override { return {}; }

  Status copyFrom(device::Device &, Range) override { return {}; }

  Status keep(Range, device::Snapshot &, std::uint64_t) override { return {}; }

  Result<std::span<const device::Change>> changes(Range, const device::Snapshot &,
                                                  std::uint64_t) override {
    return std::span<const device::Change>();
  }

  Status launch(const device::KernelLaunch &) override { return {}; }

  Result<std::unique_ptr<device::Event>> record() override {
    return std::unique_ptr<device::Event>(new FakeEvent(latest));
  }

  Status wait(device::Event &event) override {
    note("waits for " + static_cast<FakeEvent &>(event).name);
    return {};
  }

  Status finish() override { return {}; }

  std::string latest;

private:
  std::string name_;
  Log &log_;
};

class FakeDevice final : public device::Device {
public:
  explicit FakeDevice(Log &log) : log_(log) {}

  const device::Info &info() const override { return info_; }

  std::uint64_t capacity() const override { return 0; }

  std::uint64_t granule() const override { return 1; }

  Status commit(Range) override { return {}; }

  Status release(Range) override { return {}; }

  std::uint64_t committed() const override { return 0; }

  Result<device::Kernel *> load(const tutti_kernel &) override { return nullptr; }

  Result<std::unique_ptr<device::Queue>> makeQueue() override {
    return std::unique_ptr<device::Queue>(new FakeQueue("q" + std::to_string(queues_++), log_));
  }

  Result<std::unique_ptr<device::HostBuffer>> makeHostBuffer(std::size_t) override {
    return std::unique_ptr<device::HostBuffer>();
  }

  Result<std::unique_ptr<device::Snapshot>> makeSnapshot(std::uint64_t) override {
    return std::unique_ptr<device::Snapshot>();
  }

private:
  device::Info info_;
  Log &log_;
  int queues_ = 0;
};

class TaskQueuesTest : public testing::Test {
protected:
  /// Runs a task that reads and writes these bytes.
  std::shared_ptr<device::Event> run(const std::string &name, RangeSet reads, RangeSet writes,
                                     device::Event *main = nullptr) {
    TaskWork work;
    work.touched = reads.unite(writes);
    work.written = std::move(writes);
    work.give = [&](device::Queue &queue) -> Status {
      auto &fake = static_cast<FakeQueue &>(queue);
      fake.latest = name;
      fake.note("runs " + name);
      return {};
    };
    EXPECT_TRUE(queues_.run(work, main));
    return work.event;
  }

  static RangeSet bytes(std::uint64_t begin, std::uint64_t end) {
    return RangeSet::of({{begin, end}});
  }

  static void end(const std::shared_ptr<device::Event> &event) {
    static_cast<FakeEvent &>(*event).isDone = true;
  }

  Log log_;
  FakeDevice device_{log_};
  TaskQueues queues_{device_};
};

TEST_F(TaskQueuesTest, RunsTasksWithNothingInCommonSideBySide) {
  run("a", {}, bytes(0, 8));
  run("b", {}, bytes(8, 16));

  EXPECT_EQ(log_, (Log{"q0 runs a", "q1 runs b"}));
}

TEST_F(TaskQueuesTest, QueuesATaskAfterTheOneThatItFollows) {
  run("a", {}, bytes(0, 8));
  run("b", {}, bytes(8, 16));
  run("c", bytes(0, 8), {});

  EXPECT_EQ(log_, (Log{"q0 runs a", "q1 runs b", "q0 runs c"}));
}

TEST_F(TaskQueuesTest, WaitsForWhatRunsOnOtherQueues) {
  run("a", {}, bytes(0, 8));
  run("b", {}, bytes(8, 16));
  run("c", bytes(0, 16), {});

  EXPECT_EQ(log_, (Log{"q0 runs a", "q1 runs b", "q1 waits for a", "q1 runs c"}));
}

TEST_F(TaskQueuesTest, LetsReadersRunSideBySideAndAWriterAfterAllOfThem) {
  run("r", bytes(0, 8), {});
  run("s", bytes(0, 8), {});
  run("w", {}, bytes(4, 6));

  EXPECT_EQ(log_, (Log{"q0 runs r", "q1 runs s", "q1 waits for r", "q1 runs w"}));
}

TEST_F(TaskQueuesTest, ForgetsWhatIsDone) {
  const auto a = run("a", {}, bytes(0, 8));
  end(a);
  run("b", {}, bytes(0, 8));

  EXPECT_EQ(log_.back(), "q1 runs b"); // No need to come after it.
  EXPECT_FALSE(*queues_.isIdle(bytes(0, 1)));
  EXPECT_TRUE(*queues_.isIdle(bytes(8, 16)));
}

TEST_F(TaskQueuesTest, ComesAfterTheMainQueueAndLetsItComeAfterTasks) {
  FakeEvent main("main");
  run("a", {}, bytes(0, 8), &main);
  run("b", {}, bytes(8, 16));
  FakeQueue later("main", log_);

  ASSERT_TRUE(queues_.order(bytes(9, 10), later));
  ASSERT_TRUE(queues_.order(bytes(32, 40), later));

  EXPECT_EQ(log_, (Log{"q0 waits for main", "q0 runs a", "q1 runs b", "main waits for b"}));
}

TEST_F(TaskQueuesTest, CountsWhatATaskNeedNotWaitFor) {
  EXPECT_EQ(queues_.taskSeconds(), 0);
  const auto a = run("a", {}, bytes(0, 8));
  run("b", {}, bytes(8, 16));
  run("c", bytes(8, 16), {});

  EXPECT_EQ(*queues_.underwayBeside(bytes(12, 14), {}), 2U); // Reads beside c, after b.
  EXPECT_EQ(*queues_.underwayBeside(bytes(12, 14), bytes(12, 14)), 1U);
  EXPECT_EQ(*queues_.underwayBeside({}, {}), 3U);
  end(a);
  EXPECT_EQ(*queues_.underwayBeside({}, {}), 2U);
  EXPECT_GT(queues_.taskSeconds(), 0);
}

TEST_F(TaskQueuesTest, SaysHowManyAreEnough) {
  EXPECT_EQ(queues_.enough(), 32U);
  const auto a = run("a", {}, bytes(0, 8));
  end(a);
  ASSERT_TRUE(queues_.isIdle());
  EXPECT_GE(queues_.enough(), 32U);
  EXPECT_LE(queues_.enough(), 256U);
}

TEST_F(TaskQueuesTest, UsesTheQueueThatTheWorkNames) {
  TaskWork work;
  work.queue = 5;
  work.give = [](device::Queue &queue) -> Status {
    static_cast<FakeQueue &>(queue).note("runs");
    return {};
  };

  ASSERT_TRUE(queues_.run(work, nullptr));
  ASSERT_TRUE(queues_.run(work, nullptr));

  EXPECT_EQ(log_, (Log{"q0 runs", "q0 runs"})); // The only one that was made.
}

TEST_F(TaskQueuesTest, CountsWhatIsUnderWayNow) {
  const auto first = run("a", {}, bytes(0, 8));
  const auto second = run("b", {}, bytes(8, 16));
  EXPECT_EQ(*queues_.count(), 2U);
  end(first);
  EXPECT_EQ(*queues_.count(), 1U);
  end(second);
  EXPECT_EQ(*queues_.count(), 0U);
}

} // namespace

} // namespace tutti::exec
