// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What work on devices waits for, on the mock.
#include "runtime/device/mock/mock.h"
#include "runtime/exec/devices.h"
#include "runtime/exec/task_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::exec {

namespace {

using memory::kHeapBase;

constexpr std::uint64_t kUnit = std::uint64_t{2} << 20;
constexpr Room kRoom{8 * kUnit, kUnit};
constexpr Range kWord{kHeapBase, kHeapBase + 8};

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({64 << 20, 1 << 20, {}, true});
  return *mapped;
}

std::span<std::byte> bytesOf(std::uint64_t &value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

/// Two devices that are slow to begin.
class DevicesTest : public testing::Test {
protected:
  void SetUp() override {
    for (std::int32_t device : {0, 1}) {
      ASSERT_TRUE(devices_.commit(device, RangeSet::of({{kHeapBase, kHeapBase + kUnit}})));
    }
  }

  std::vector<OpenDevice> open() {
    std::vector<OpenDevice> opened;
    for (std::size_t device : {0, 1}) {
      opened.push_back(
          {machine_.makeDriver()->open(device, segmentsOf(window())).value(), "mock", kRoom});
    }
    return opened;
  }

  /// The second device, which is busy, copies a word from the first one, which is not.
  void startCopying(std::uint64_t &value) {
    ASSERT_TRUE(devices_.put(0, kWord.begin, bytesOf(value)));
    while (!*devices_.isIdle(0)) {
    }
    ASSERT_TRUE(devices_.put(1, kWord.begin + 64, bytesOf(value)));
    ASSERT_TRUE(devices_.order(0, 1));
    ASSERT_TRUE(devices_.copyAcross(0, 1, RangeSet::of({kWord})));
  }

  bool hasWaited(std::size_t device) const {
    return std::ranges::any_of(machine_.log(), [&](const device::mock::Entry &entry) {
      return entry.device == device && entry.operation == device::mock::Operation::Wait;
    });
  }

  device::mock::Machine machine_{{.devices = 2, .memory = kRoom.capacity, .delay = 3}};
  trace::Counters counters_;
  Rooms rooms_{window(), {kRoom, kRoom}};
  Devices devices_{open(), window(), rooms_, counters_};
};

TEST_F(DevicesTest, LetTheirFirstTaskWaitForCopiesOfWhatItWrites) {
  std::uint64_t before = 1;
  std::uint64_t after = 2;
  startCopying(before);

  TaskWork work;
  work.device = 0;
  work.touched = work.written = RangeSet::of({kWord});
  work.give = [&](device::Queue &queue) { return queue.copyIn(bytesOf(after), kWord.begin); };
  devices_.runTask(work);
  ASSERT_TRUE(work.status);
  while (!*work.event->hasCompleted()) {
  }

  std::uint64_t copied = 0;
  ASSERT_TRUE(devices_.read(1, kWord.begin, bytesOf(copied)));
  EXPECT_EQ(copied, before);
}

TEST_F(DevicesTest, WaitForWhoReadsOnlyWithWhatOverwritesThat) {
  std::uint64_t before = 1;
  std::uint64_t after = 2;
  startCopying(before);

  ASSERT_TRUE(devices_.orderBehindReaders(0, RangeSet::of({{kWord.end, kWord.end + 8}})));
  EXPECT_FALSE(hasWaited(0));
  ASSERT_TRUE(devices_.orderBehindReaders(0, RangeSet::of({kWord})));
  EXPECT_TRUE(hasWaited(0));

  ASSERT_TRUE(devices_.put(0, kWord.begin, bytesOf(after)));
  std::uint64_t copied = 0;
  ASSERT_TRUE(devices_.read(1, kWord.begin, bytesOf(copied)));
  EXPECT_EQ(copied, before);
}

TEST_F(DevicesTest, RememberAllThatIsStillRead) {
  std::uint64_t value = 1;
  startCopying(value);
  ASSERT_TRUE(devices_.copyAcross(0, 1, RangeSet::of({{kWord.end, kWord.end + 8}})));

  ASSERT_TRUE(devices_.orderBehindReaders(0, RangeSet::of({kWord})));
  EXPECT_TRUE(hasWaited(0));
}

TEST_F(DevicesTest, AreNotDoneWithUnitsThatOthersRead) {
  std::uint64_t value = 1;
  startCopying(value);
  const RangeSet units = RangeSet::of({{kHeapBase, kHeapBase + kUnit}});

  EXPECT_TRUE(*devices_.isIdle(0));
  EXPECT_FALSE(*devices_.isIdle(0, units));
  EXPECT_TRUE(*devices_.isIdle(0, RangeSet::of({{kHeapBase + kUnit, kHeapBase + 2 * kUnit}})));
  while (!*devices_.isIdle(0, units)) {
  }
  EXPECT_TRUE(*devices_.isIdle(1));
}

} // namespace

} // namespace tutti::exec
