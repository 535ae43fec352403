// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/shares.h"

#include <algorithm>
#include <cmath>

namespace tutti::balance {

bool Shares::add(std::int32_t statement, double place, double now) {
  constexpr std::size_t kMostPlaces = std::size_t{1} << 16;
  constexpr std::size_t kSteps = 3;
  if (places_.size() < kMostPlaces && places_.insert({statement, place}).second) {
    // It was not yet known what a step is.
    ended_ = 0;
    isCounting_ = false;
    return false;
  }
  ++ended_;
  if (!isCounting_ && ended_ >= places_.size()) {
    isCounting_ = true;
    ended_ = 0;
    began_ = now;
  } else if (isCounting_ && ended_ >= kSteps * places_.size()) {
    ended_ = 0;
    isCounting_ = false;
    return decide(now - began_);
  }
  return false;
}

bool Shares::decide(double seconds) {
  constexpr double kGain = 0.98;
  if (which_ >= borders_.size()) {
    watch(seconds);
    return false;
  }
  if (keptSeconds_ == 0) {
    kept_ = borders_[which_];
    keptSeconds_ = seconds;
    roundSeconds_ = seconds;
  } else if (seconds < kGain * keptSeconds_) {
    kept_ = borders_[which_];
    keptSeconds_ = seconds;
    failures_ = 1; // Where it comes from is known.
  } else {
    turn();
  }
  return tryNext();
}

/// This direction gains nothing.
void Shares::turn() {
  direction_ = -direction_;
  ++failures_;
}

/// The next place for the border that is not tried yet.
bool Shares::tryNext() {
  constexpr double kLeastStride = 1.0 / 64;
  constexpr int kDirections = 2;
  const double least = which_ == 0 ? 0 : borders_[0];
  const double most = which_ == 0 && mayDrag_ ? borders_[1] : 1;
  while (stride_ >= kLeastStride) {
    if (failures_ >= kDirections) {
      failures_ = 0;
      stride_ /= 2;
      continue;
    }
    const double wanted = std::clamp(kept_ + direction_ * stride_, least, most);
    if (std::abs(wanted - kept_) >= stride_ / 2) {
      return moveTo(wanted);
    }
    turn();
  }
  return settle();
}

bool Shares::moveTo(double border) {
  const bool doesMove = border != borders_[which_];
  borders_[which_] = border;
  if (!mayDrag_) {
    borders_[1] = border;
  }
  moves_ += doesMove ? 1 : 0;
  return doesMove;
}

/// A border is found: the next one's turn.
bool Shares::settle() {
  constexpr double kGain = 0.98;
  const bool hasMoved = moveTo(kept_);
  stride_ = kFirstStride;
  failures_ = 0;
  surprises_ = 0;
  if (mayDrag_ && which_ == 0) {
    which_ = 1;
  } else if (mayDrag_ && keptSeconds_ < kGain * roundSeconds_) {
    which_ = 0;
    roundSeconds_ = keptSeconds_;
  } else {
    which_ = borders_.size();
    return hasMoved;
  }
  kept_ = borders_[which_];
  return tryNext() || hasMoved;
}

/// Whether steps still take what they took.
void Shares::watch(double seconds) {
  constexpr double kMuch = 0.25;
  constexpr int kMost = 3;
  const bool isSurprise = std::abs(seconds - keptSeconds_) > kMuch * keptSeconds_;
  surprises_ = isSurprise ? surprises_ + 1 : 0;
  if (surprises_ >= kMost) {
    which_ = 0;
    keptSeconds_ = 0;
    surprises_ = 0;
  }
}

} // namespace tutti::balance
