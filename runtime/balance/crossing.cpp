// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/crossing.h"

#include <algorithm>

namespace tutti::balance {

namespace {

/// The first launches bring what the loop works on.
constexpr std::int64_t kWarming = 2;
/// Launches that say something,
constexpr std::int64_t kEnough = 8;
/// and after those the time is asked for now and then.
constexpr std::int64_t kEvery = 16;
/// What sequential code gets that touches page after page. Units: bytes per second.
constexpr double kBandwidth = 3e9;
/// The part of the time that may be for crossing without a trial.
constexpr double kTolerated = 0.2;
/// What a trial may take of the time until then.
constexpr double kTrialShare = 0.05;

} // namespace

bool Crossing::begins(double bytes) {
  ++launches_;
  if (launches_ <= kWarming) {
    return launches_ == kWarming;
  }
  bytes_ += bytes;
  latest_ = bytes;
  most_ = std::max(most_, bytes);
  if (bytes > most_ / 2) {
    period_ = burst_ > 0 ? launches_ - burst_ : 1;
    burst_ = launches_;
  }
  return launches_ <= kWarming + kEnough || launches_ % kEvery == 0 || isMuch();
}

void Crossing::tell(double now) {
  began_ = launches_ == kWarming ? now : began_;
  const double since = now - began_ - seconds_;
  if (launches_ - kWarming == rounds_ + 1 && since > longest_) {
    longest_ = since;
    inLongest_ = latest_;
  }
  seconds_ = now - began_;
  crossed_ = bytes_;
  rounds_ = launches_ - kWarming;
}

double Crossing::round() const {
  constexpr std::int64_t kFew = 4;
  if (rounds_ == 0 || rounds_ <= kFew * stayed_) {
    return 0;
  }
  const auto rounds = static_cast<double>(rounds_);
  const bool leavesOut = rounds_ > kFew && inLongest_ <= 2 * crossed_ / rounds;
  return leavesOut ? (seconds_ - longest_) / (rounds - 1) : seconds_ / rounds;
}

/// What has crossed once may never cross again: a later launch than the first may be the one that
/// brings most of what the loop works on.
bool Crossing::isMuch() const {
  return launches_ >= kWarming + kEnough && crossed_ - most_ > kTolerated * kBandwidth * seconds_;
}

bool Crossing::isLong(double cost) const {
  return launches_ >= kWarming + kEnough && cost < kTrialShare * seconds_;
}

} // namespace tutti::balance
