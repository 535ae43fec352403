// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Launches of a program on its own whose devices are not open yet: they run at home, and tell
/// whether to wait for devices.
#pragma once

#include "abi/abi.h"
#include "runtime/memory/window.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tutti::entry {

/// Threading: externally synchronised.
class EarlyLaunches {
public:
  explicit EarlyLaunches(const memory::Window &window) : window_(window) {}

  /// How many iterations a launch has that devices could run; nothing if they cannot.
  std::optional<std::int64_t> iterationsOf(const tutti_region &region,
                                           const std::uint64_t *captures);

  /// What iterations of a launch are expected to take at home; nothing if no launch has shown it
  /// that was about as long. Units: seconds.
  std::optional<double> expected(const tutti_region &region, std::int64_t iterations) const;

  /// Whether the iterations of a launch may be executed in several parts, one after the other.
  static bool isDivisible(const tutti_region &region);

  /// Notes what a launch has taken at home; whether it was the first of its loop. Units: seconds.
  bool ranHome(const tutti_region &region, std::int64_t iterations, double seconds);

private:
  struct Ran {
    std::int64_t iterations;
    double seconds;
  };

  const memory::Window &window_;
  std::vector<std::uint64_t> values_; ///< Of one launch; kept for its memory.
  std::map<const tutti_region *, std::vector<Ran>> known_;
};

} // namespace tutti::entry
