// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether a loop is cut where its data lies or in the parts that are wished for. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

namespace tutti::balance {

/// Two cuts of one loop.
struct Cuts {
  std::span<const std::uint32_t> owned;  ///< Iterations of each part where the data lies,
  std::span<const std::uint32_t> wished; ///< and weights of the parts as they should be.

  /// By how much of its time the loop takes longer as it is owned: 0 if that is as wished.
  double imbalance() const {
    const double weights = sum(wished);
    double longest = 0;
    for (std::size_t part = 0; part < owned.size(); ++part) {
      longest = std::max(longest, static_cast<double>(owned[part]) * weights / wished[part]);
    }
    return longest / sum(owned) - 1;
  }

  /// Iterations whose data would change places.
  double moved() const {
    const double weights = sum(wished);
    const double all = sum(owned);
    double stays = 0;
    double begin = 0;
    double wishedBegin = 0;
    for (std::size_t part = 0; part < owned.size(); ++part) {
      const double end = begin + owned[part];
      const double wishedEnd = wishedBegin + all * wished[part] / weights;
      stays += std::max(0.0, std::min(end, wishedEnd) - std::max(begin, wishedBegin));
      begin = end;
      wishedBegin = wishedEnd;
    }
    return all - stays;
  }

private:
  static double sum(std::span<const std::uint32_t> parts) {
    return std::accumulate(parts.begin(), parts.end(), 0.0);
  }
};

/// A loop stays where its data lies as long as what that has cost is less than what a new cut would
/// cost: together they take at most a few times what the better one would have taken.
class Recut {
public:
  /// Whether to cut anew now. `seconds`: of the launch's iterations, if they were balanced; `move`:
  /// of moving the data; `shortest`: of a part that does nothing. No cut makes a launch shorter
  /// whose parts take no longer than that.
  bool isDue(double imbalance, double seconds, double move, double shortest = 0) {
    if (imbalance <= kTolerated || (1 + imbalance) * seconds < shortest) {
      return false;
    }
    lost_ += imbalance * seconds;
    if (lost_ < move) {
      return false;
    }
    lost_ = 0;
    return true;
  }

private:
  static constexpr double kTolerated = 0.02;

  double lost_ = 0; ///< Seconds since the latest cut.
};

} // namespace tutti::balance
