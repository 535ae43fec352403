// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Opens devices that nobody has asked for beside the program: to start a driver, and to end it,
/// takes longer than many programs do.
#pragma once

#include "runtime/exec/devices.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace tutti::entry {

/// Threading: externally synchronised.
class Opening {
public:
  /// Finds devices and opens them, until `isGivenUp`. Runs on a thread of its own.
  using Open = std::function<std::vector<exec::OpenDevice>(const std::atomic<bool> &isGivenUp)>;

  explicit Opening(Open open) : open_(std::move(open)) {}

  Opening(const Opening &) = delete;
  Opening &operator=(const Opening &) = delete;

  ~Opening() { giveUp(); }

  /// Loops that devices could have run have taken so many seconds more at home. Begins once that
  /// is as much as opening devices in vain costs.
  void lasted(double seconds);

  /// A loop is going to take so many seconds at home. As `lasted`, so that devices come the sooner.
  void expects(double seconds);

  /// Whether to know that would be a reason to begin.
  bool isWorthBeginning(double seconds) const;

  /// Whether a loop that takes so many seconds at home is better off to wait for devices.
  bool isWorthWaiting(double seconds) const;

  /// Whether `take` does not wait.
  bool isOver() const { return isOver_.load(std::memory_order_acquire); }

  /// The devices that there are, once. Waits for them.
  std::vector<exec::OpenDevice> take();

  /// Nobody is going to use them. Waits for the call of a driver that is under way; what is open
  /// goes with the process.
  void giveUp();

private:
  using Clock = std::chrono::steady_clock;

  void begin();

  Open open_;
  double lasted_ = 0;
  Clock::time_point began_;
  std::atomic<bool> isGivenUp_{false};
  std::atomic<bool> isOver_{false};
  std::vector<exec::OpenDevice> devices_; ///< The thread's until it is over.
  std::thread thread_;
};

} // namespace tutti::entry
