// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/device_choice.h"

#include <gtest/gtest.h>

#include <array>

namespace tutti::balance {

namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;

TEST(DeviceChoice, GoesWhereTheDataIs) {
  EXPECT_EQ(chooseDevice(std::array<DeviceLoad, 2>{{{.missing = kMegabyte}, {}}}), 1U);
  EXPECT_EQ(chooseDevice(std::array<DeviceLoad, 2>{{{.missing = 8}, {.started = 5}}}), 1U);
}

TEST(DeviceChoice, TakesTurnsWhereNothingMoves) {
  EXPECT_EQ(chooseDevice(std::array<DeviceLoad, 2>{{{.started = 1}, {.started = 0}}}), 1U);
  EXPECT_EQ(chooseDevice(std::array<DeviceLoad, 2>{{{.started = 1}, {.started = 1}}}), 0U);
}

TEST(DeviceChoice, MovesDataRatherThanWaitLongerThanThatTakes) {
  const DeviceLoad far{.missing = 12 * kMegabyte}; // About two milliseconds.
  EXPECT_EQ(chooseDevice(std::array{DeviceLoad{.others = 10, .taskSeconds = 1e-3}, far}), 1U);
  EXPECT_EQ(chooseDevice(std::array{DeviceLoad{.others = 10, .taskSeconds = 1e-4}, far}), 0U);
}

TEST(DeviceChoice, SpreadsManyTasksThoughNothingIsKnownOfTheirTimes) {
  EXPECT_EQ(chooseDevice(std::array<DeviceLoad, 2>{{{.others = 10}, {.missing = 4096}}}), 1U);
}

TEST(DeviceChoice, StaysWhereItHasToWaitAnyway) {
  EXPECT_EQ(
      chooseDevice(std::array<DeviceLoad, 2>{{{.others = 0, .taskSeconds = 1}, {.missing = 1}}}),
      0U);
}

TEST(DeviceChoice, LeavesWhatIsWrittenWhereItIsWhileTheOtherHasEnoughToDo) {
  const DeviceLoad owner{.missing = 16 * kMegabyte, .others = 100, .taskSeconds = 1e-3};
  DeviceLoad other{
      .missing = 8 * kMegabyte, .written = 8 * kMegabyte, .others = 50, .taskSeconds = 1e-3};
  EXPECT_EQ(chooseDevice(std::array{owner, other}), 0U);
  other.others = 1;
  EXPECT_EQ(chooseDevice(std::array{owner, other}), 1U);
}

TEST(DeviceChoice, MovesWhatIsWrittenAwayFromADeviceThatIsMuchSlower) {
  const DeviceLoad slow{.others = 30, .taskSeconds = 10e-3};
  const DeviceLoad fast{
      .missing = 2 * kMegabyte, .written = 2 * kMegabyte, .others = 20, .taskSeconds = 0.2e-3};
  EXPECT_EQ(chooseDevice(std::array{slow, fast}), 1U);
}

TEST(DeviceChoice, TakesDevicesForAlikeThatDifferAsTasksDo) {
  const DeviceLoad few{.others = 10, .taskSeconds = 1.5e-3};
  const DeviceLoad many{.others = 12, .taskSeconds = 1e-3};
  EXPECT_EQ(chooseDevice(std::array{few, many}), 0U);
  const DeviceLoad slow{.others = 10, .taskSeconds = 3e-3};
  EXPECT_EQ(chooseDevice(std::array{slow, many}), 1U);
}

TEST(DeviceChoice, CountsOnlyDevicesThatMayRunTheTask) {
  EXPECT_EQ(chooseDevice(std::array<DeviceLoad, 2>{{{.mayRun = false}, {.missing = kMegabyte}}}),
            1U);
  EXPECT_EQ(chooseDevice(std::array<DeviceLoad, 1>{{{.mayRun = false}}}), std::nullopt);
}

} // namespace

} // namespace tutti::balance
