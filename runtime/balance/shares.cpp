// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/shares.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tutti::balance {

namespace {

constexpr std::size_t kSteps = 3; ///< Of a trial that count.
constexpr double kLeastStride = 1.0 / 64;

/// What is better gains so much.
constexpr double kGain = 0.98;

/// Of what is tried while nothing is known of cores: the first, and how many times more.
constexpr double kFirstPart = 1.0 / 256;
constexpr double kGrowth = 4;

} // namespace

/// Calls of a trial before those that count. Where cores have a part they wait for borders that
/// devices make.
std::size_t Shares::callsBefore() const {
  constexpr std::size_t kAhead = 64;
  return borders_[0] > 0 ? places_.size() : std::max(places_.size(), kAhead);
}

/// So many times as long as the best trial is too long. More of what cores were not waited for
/// takes but `kGrowth` times as long, and is to be heard of.
double Shares::much() const { return stage_ == Stage::Growing ? 1.5 * kGrowth : 2; }

/// Whether the trial is no better, though it is not over.
bool Shares::isTooSlow(double now) const {
  if (which_ >= borders_.size() || keptSeconds_ == 0) {
    return false;
  }
  const double steps = kSteps + static_cast<double>(callsBefore()) / places_.size();
  return now - since_ > much() * keptSeconds_ * steps / kSteps;
}

bool Shares::add(std::int32_t statement, double place, double now) {
  constexpr std::size_t kMostPlaces = std::size_t{1} << 16;
  if (places_.size() < kMostPlaces && places_.insert({statement, place}).second) {
    // It was not yet known what a step is.
    ended_ = 0;
    since_ = now;
    isCounting_ = false;
    return false;
  }
  ++ended_;
  const bool isTooSlow = this->isTooSlow(now);
  if (isTooSlow || (isCounting_ && ended_ >= kSteps * places_.size())) {
    ended_ = 0;
    since_ = now;
    isCounting_ = false;
    return decide(isTooSlow ? std::numeric_limits<double>::infinity() : now - began_);
  }
  if (!isCounting_ && ended_ >= callsBefore()) {
    isCounting_ = true;
    ended_ = 0;
    began_ = now;
  }
  return false;
}

bool Shares::decide(double seconds) {
  if (which_ >= borders_.size()) {
    watch(seconds);
    return false;
  }
  if (which_ == 0 && borders_[0] > 0) {
    ofCores_ = std::min(ofCores_, seconds / borders_[0]); // What is theirs takes no longer.
  }
  switch (stage_) {
  case Stage::Alone:
    keptSeconds_ = seconds;
    roundSeconds_ = seconds;
    aloneSeconds_ = seconds;
    stage_ = Stage::Growing;
    return moveTo(moreThan(0));
  case Stage::Growing:
    return grow(seconds);
  case Stage::First:
    kept_ = borders_[which_];
    keptSeconds_ = seconds;
    roundSeconds_ = seconds;
    firstShare_ = kept_;
    firstSeconds_ = seconds;
    return tryNoCores();
  case Stage::NoCores:
    return tryAsLong(seconds);
  case Stage::AsLong:
    // Else the first trial has not told how long cores take.
    stride_ = keepIfBetter(seconds) ? kFirstStride / 4 : kFirstStride;
    stage_ = Stage::Neighbours;
    break;
  case Stage::Neighbours:
    if (keepIfBetter(seconds)) {
      failures_ = 1; // Where it comes from is known.
    } else {
      turn();
    }
  }
  return tryNext();
}

bool Shares::keepIfBetter(double seconds) {
  const bool isBetter = seconds < kGain * keptSeconds_;
  if (isBetter) {
    kept_ = borders_[which_];
    keptSeconds_ = seconds;
  }
  return isBetter;
}

/// What is tried if cores were not waited for with this share.
double Shares::moreThan(double share) const {
  constexpr double kMost = 0.25;
  const double most = mayDrag_ ? borders_[1] : 1;
  const double more = share == 0 ? kFirstPart : share < kMost ? kGrowth * share : 2 * share;
  const bool isOnTheWay = wanted_ > share && wanted_ < more && share > 0;
  return std::min(isOnTheWay ? wanted_ : more, most);
}

/// Nothing is known of cores but what this trial and smaller shares have taken.
bool Shares::grow(double seconds) {
  constexpr double kSlower = 1.1;
  const double share = borders_[0];
  if (std::isinf(seconds)) {
    seconds = much() * keptSeconds_; // At least.
  }
  const bool isWaitedFor = seconds > kSlower * keptSeconds_;
  if (isWaitedFor && !isDoubtful_ && seconds < 2 * keptSeconds_) {
    isDoubtful_ = true;
    return false;
  }
  isDoubtful_ = false;
  keepIfBetter(seconds);
  if (!isWaitedFor && share < moreThan(share)) {
    return moveTo(moreThan(share));
  }
  ofCores_ = isWaitedFor ? seconds / share : 0;
  const double wanted = aloneSeconds_ / (ofCores_ + aloneSeconds_);
  const auto isTried = [wanted](double tried) { return std::abs(wanted - tried) < kLeastStride; };
  if (!isWaitedFor || isTried(kept_) || isTried(share)) {
    stride_ = isWaitedFor ? kFirstStride / 4 : kFirstStride;
    return lookAround();
  }
  stage_ = Stage::AsLong;
  return moveTo(wanted);
}

bool Shares::lookAround() {
  stage_ = Stage::Neighbours;
  return tryNext();
}

bool Shares::tryNoCores() {
  if (mayDrag_ || kept_ == 0) {
    return lookAround();
  }
  stage_ = Stage::NoCores;
  return moveTo(0);
}

/// All that is the devices' has taken so long.
bool Shares::tryAsLong(double seconds) {
  const double ofCores = firstSeconds_ / firstShare_;
  if (keepIfBetter(seconds)) {
    ofCores_ = ofCores; // Devices would have taken less for their part of the first trial.
  }
  const double wanted = std::isinf(seconds) ? kept_ : seconds / (ofCores + seconds);
  const auto isTried = [wanted](double share) { return std::abs(wanted - share) < kLeastStride; };
  if (isTried(0) || isTried(firstShare_)) {
    return lookAround();
  }
  stage_ = Stage::AsLong;
  return moveTo(wanted);
}

/// Whether cores alone would take longer for their part than the best trial: it ends only when they
/// have come to the end of a call, which may take long beside steps of devices.
bool Shares::isHopeless(double border) const {
  constexpr double kMuch = 2;
  return which_ == 0 && ofCores_ * border > kMuch * keptSeconds_;
}

/// This direction gains nothing.
void Shares::turn() {
  direction_ = -direction_;
  ++failures_;
}

/// The next place for the border that is not tried yet.
bool Shares::tryNext() {
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
    if (std::abs(wanted - kept_) >= stride_ / 2 && !isHopeless(wanted)) {
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
    most_ = kept_ == firstShare_ ? std::min(2 * most_, kMostSurprises) : kFewestSurprises;
    return hasMoved;
  }
  kept_ = borders_[which_];
  return tryNext() || hasMoved;
}

/// Whether steps still take what they took.
void Shares::watch(double seconds) {
  constexpr double kMuch = 0.25;
  const bool isSurprise = std::abs(seconds - keptSeconds_) > kMuch * keptSeconds_;
  surprises_ = isSurprise ? surprises_ + 1 : 0;
  if (surprises_ >= most_) {
    which_ = 0;
    stage_ = Stage::First;
    keptSeconds_ = 0;
    surprises_ = 0;
  }
}

} // namespace tutti::balance
