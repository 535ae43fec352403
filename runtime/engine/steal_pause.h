// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// For how long a worker leaves others' work alone, because that is done sooner than it is stolen.
///
/// A theft takes time of both: of the thief, and of the other worker, whose lists and tasks are no
/// longer in its cache. What is over before all of that pays for itself is best left to who made
/// it.
#pragma once

#include <algorithm>
#include <chrono>

namespace tutti::engine {

/// Shape:     a pause after each theft that did not pay, twice as long as the one before, until
///            one does.
/// Threading: confined to the thief.
class StealPause {
public:
  using Clock = std::chrono::steady_clock;

  /// Nobody has to wait longer for a thief that work pays for which has come meanwhile.
  static constexpr std::chrono::microseconds kLongest{50};

  /// A theft that took `getting`, and whose work had been done in `doing` at `now`.
  void note(Clock::duration getting, Clock::duration doing, Clock::time_point now) {
    if (doing >= getting) {
      length_ = {};
      return;
    }
    constexpr int kFirst = 4; // So many times as long as the theft.
    length_ = std::min<Clock::duration>(std::max(2 * length_, kFirst * getting), kLongest);
    end_ = now + length_;
  }

  /// The clock is asked only where the last theft did not pay.
  bool isOver() const { return length_ == Clock::duration::zero() || isOverAt(Clock::now()); }

  bool isOverAt(Clock::time_point now) const {
    return length_ == Clock::duration::zero() || now >= end_;
  }

private:
  Clock::duration length_{};
  Clock::time_point end_;
};

} // namespace tutti::engine
