// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/opening.h"

#include "runtime/entry/signals.h"

#include <algorithm>
#include <utility>

namespace tutti::entry {

namespace {

/// What opening and ending a device that is used for nothing costs a program.
constexpr double kInVain = 0.1;

/// What a driver takes to start and to make a context.
constexpr double kTaken = 0.25;

} // namespace

void Opening::begin() {
  if (thread_.joinable() || isOver() || isGivenUp_) {
    return;
  }
  const HeldSignals held(true); // Also what the driver's threads do, handlers may wait for.
  began_ = Clock::now();
  thread_ = std::thread([this] {
    devices_ = open_(isGivenUp_);
    isOver_.store(true, std::memory_order_release);
  });
}

void Opening::lasted(double seconds) {
  lasted_ += seconds;
  if (lasted_ >= kInVain) {
    begin();
  }
}

bool Opening::isWorthBeginning(double seconds) const {
  return !thread_.joinable() && lasted_ + seconds >= kInVain;
}

void Opening::expects(double seconds) {
  if (isWorthBeginning(seconds)) {
    begin();
  }
}

bool Opening::isWorthWaiting(double seconds) const {
  if (isOver()) {
    return true;
  }
  const double since =
      thread_.joinable() ? std::chrono::duration<double>(Clock::now() - began_).count() : 0;
  // How long it really takes nobody knows before it is over.
  return seconds >= std::max(kTaken - since, kTaken / 4);
}

std::vector<exec::OpenDevice> Opening::take() {
  begin();
  if (thread_.joinable()) {
    thread_.join();
  }
  return std::move(devices_);
}

void Opening::giveUp() {
  isGivenUp_ = true;
  if (thread_.joinable()) {
    thread_.join();
  }
  for (exec::OpenDevice &open : devices_) {
    (void)open.device.release(); // To give back what they hold takes longer than to leave it.
  }
  devices_.clear();
}

} // namespace tutti::entry
