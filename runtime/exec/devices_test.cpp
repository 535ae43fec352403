// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What work on devices waits for, on the mock.
#include "runtime/device/mock/mock.h"
#include "runtime/exec/devices.h"
#include "runtime/exec/task_work.h"

#include <gtest/gtest.h>

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

  device::mock::Machine machine_{{.devices = 2, .memory = kRoom.capacity, .delay = 3}};
  trace::Counters counters_;
  Rooms rooms_{window(), {kRoom, kRoom}};
  Devices devices_{open(), window(), rooms_, counters_};
};

TEST_F(DevicesTest, LetTheirFirstTaskWaitForCopiesOfWhatItWrites) {
  std::uint64_t before = 1;
  std::uint64_t after = 2;
  ASSERT_TRUE(devices_.put(0, kWord.begin, bytesOf(before)));
  while (!*devices_.isIdle(0)) {
  }
  ASSERT_TRUE(devices_.put(1, kWord.begin + 64, bytesOf(before))); // Then the other one is busy,
  ASSERT_TRUE(devices_.order(0, 1));
  ASSERT_TRUE(devices_.copyAcross(0, 1, RangeSet::of({kWord}))); // and copies behind that.
  ASSERT_TRUE(devices_.orderBehindReaders());

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

} // namespace

} // namespace tutti::exec
