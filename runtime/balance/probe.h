// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a step takes, by a few of a program's first ones: for who looks for its best division in
/// short runs. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace tutti::balance {

/// A step repeats calls of the one before, known by their statements and places. The first ones do
/// not count: kernels are loaded in them, and memory is made. Three do.
///
/// Threading: externally synchronised.
class Probe {
public:
  static constexpr int kStepsBefore = 3;
  static constexpr int kSteps = kStepsBefore + 3;

  /// What a call that has ended, or has been given to a device, is to the probe.
  enum class Mark : std::uint8_t { None, Begin, End };

  Mark add(std::int32_t statement, double place);

  /// All that had been given until the latest mark is over.
  void over(double now);

  /// Of a step; 0 as long as the probe has not ended.
  double seconds() const { return seconds_; }

private:
  std::map<std::pair<std::int32_t, double>, int> counts_; ///< Of calls.
  std::size_t repeating_ = 0;                             ///< How many of these there were twice.
  std::size_t ended_ = 0;                                 ///< Calls since the first mark.
  Mark latest_ = Mark::None;
  double began_ = 0;
  double seconds_ = 0;
};

} // namespace tutti::balance
