// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a report says of the calls of a LuNA program, by the lines where they stand.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tutti::trace {

/// The calls that one statement has led to, of all ranks.
///
/// Units: seconds of the threads that ran them; of a call on a device, of giving it to the device.
struct CallReport {
  std::string source; ///< The place of the statement, and behind it what it calls.
  std::uint64_t calls = 0;
  std::uint64_t onDevices = 0;
  double seconds = 0;
};

/// Lines for people, those that took longest first.
std::string asText(std::span<const CallReport> calls);

/// `report`, a JSON object, with the calls as another member; as it is where there are none.
std::string withCalls(std::string report, std::span<const CallReport> calls);

} // namespace tutti::trace
