// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// On which device of a rank a task costs least: what has to move there against what is before it.
/// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tutti::balance {

/// What is known of one device, for one task.
struct DeviceLoad {
  bool mayRun = true;
  std::uint64_t missing = 0; ///< Bytes that it would have to get.
  std::uint64_t written = 0; ///< Those of them that the task writes.
  std::uint64_t others = 0;  ///< Tasks under way that the task need not wait for anyway.
  double taskSeconds = 0;    ///< From the end of one to that of the next; 0 if not known.
  std::uint64_t started = 0; ///< Ever.
};

/// The one on which the task is over first, as it seems; of equals the one to which least moves,
/// and then which has been given the fewest. Of devices that are alike, what a task writes leaves
/// one only for one that is about to have nothing to do. Nothing if none may run it.
std::optional<std::size_t> chooseDevice(std::span<const DeviceLoad> devices);

} // namespace tutti::balance
