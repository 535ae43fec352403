// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/rope.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tutti::balance {

namespace {

/// A cut that is longer than the best one by less than this fraction stays.
constexpr double kTolerated = 0.015;
/// The same for each fraction by which times differ from launch to launch: the largest of many
/// parts is always one that chance has made long.
constexpr double kNoiseTolerated = 3;
/// A loss that is larger is none of chance, nor one that is so many times the noise.
constexpr double kMostTolerated = 0.2;
constexpr double kMostOfNoise = 2;
/// From so many times of a cut on, more of them do not make it better known.
constexpr std::int32_t kEnough = 7;
/// What a new cut costs beside the bytes that it moves and new plans: new protections.
constexpr double kCutSeconds = 100e-6;
/// A new cut that at first loses more than this fraction of what the one before lost was futile:
/// each such cut doubles what the next ones have to be worth. One that was of use takes a quarter
/// of that back: where times are chance, some cuts seem to be. What it loses later may be because
/// the work has moved on.
constexpr double kFutile = 0.5;
constexpr std::int32_t kMostFutile = 12;
constexpr std::int32_t kJudged = 8;
/// Where places are unlike, no part becomes longer by more than this factor at once. What is known
/// of a short part at the beginning of a loop may say little of what comes behind it.
constexpr double kMostGrowth = 8;
/// How fast loops are forgotten that are not run any more.
constexpr double kForgotten = 0.9;
/// No part is shorter: it may turn out to be worth more.
constexpr double kLeast = 1.0 / kRopeLength;

/// The loss by which a cut may only seem to be longer than the best one.
double tolerated(const Work &work) {
  const double times = std::clamp(work.timesOfLatest(), 1, kEnough);
  return std::min(kTolerated + kNoiseTolerated * work.noise() / std::sqrt(times),
                  std::max(kMostTolerated, kMostOfNoise * work.noise()));
}

} // namespace

Rope::Rope(std::span<const double> speeds, Places kind, std::vector<std::uint64_t> hardware)
    : kind_(kind), hardware_(std::move(hardware)), guesses_(speeds.begin(), speeds.end()) {
  take(bordersFor({{1.0}, guesses_}));
  first_ = borders_;
}

Rope::Loop Rope::addLoop() {
  loops_.push_back({Work(guesses_, kind_)});
  return loops_.size() - 1;
}

/// The work of all loops together, each as often as it is run. A place's speed is that for all of
/// them.
Rope::Sum Rope::sum() const {
  Sum all{std::vector<double>(loops_.front().work.buckets().size()),
          std::vector<double>(guesses_.size())};
  double total = 0;
  for (const Member &loop : loops_) {
    double work = 0;
    for (std::size_t bucket = 0; bucket < all.buckets.size(); ++bucket) {
      const double each = loop.frequency * loop.work.buckets()[bucket];
      all.buckets[bucket] += each;
      work += each;
    }
    total += work;
    for (std::size_t place = 0; place < all.speeds.size(); ++place) {
      all.speeds[place] += work / loop.work.speed(static_cast<std::int32_t>(place));
    }
  }
  for (double &speed : all.speeds) {
    speed = speed > 0 ? total / speed : 1;
  }
  return all;
}

Rope::Length Rope::lengthOf(const Sum &all, std::span<const double> borders) {
  Length length;
  for (std::size_t place = 0; place < all.speeds.size(); ++place) {
    length.slowest =
        std::max(length.slowest,
                 workBetween(all.buckets, borders[place], borders[place + 1]) / all.speeds[place]);
  }
  length.balanced = std::accumulate(all.buckets.begin(), all.buckets.end(), 0.0) /
                    std::accumulate(all.speeds.begin(), all.speeds.end(), 0.0);
  return length;
}

/// Where all parts take the same time: each has a share of the work that is its place's of all
/// speeds.
std::vector<double> Rope::bordersFor(const Sum &all) {
  const double work = std::accumulate(all.buckets.begin(), all.buckets.end(), 0.0);
  const double speeds = std::accumulate(all.speeds.begin(), all.speeds.end(), 0.0);
  const auto count = static_cast<double>(all.buckets.size());
  std::vector<double> borders{0};
  std::size_t bucket = 0;
  double before = 0; // Work of the buckets before that one,
  double wanted = 0; // and before the next border.
  for (std::size_t place = 0; place + 1 < all.speeds.size(); ++place) {
    wanted += work * all.speeds[place] / speeds;
    while (bucket + 1 < all.buckets.size() && before + all.buckets[bucket] < wanted) {
      before += all.buckets[bucket++];
    }
    const double inside = all.buckets[bucket] > 0 ? (wanted - before) / all.buckets[bucket] : 0;
    const double border = (static_cast<double>(bucket) + std::clamp(inside, 0.0, 1.0)) / count;
    borders.push_back(std::max(border, borders.back() + kLeast));
  }
  borders.push_back(1);
  return borders;
}

/// The same, but for parts that would grow too much: what is too much falls to all.
std::vector<double> Rope::wishedFor(const Sum &all) const {
  std::vector<double> wished = bordersFor(all);
  if (kind_ == Places::Alike) {
    return wished;
  }
  std::vector<double> lengths;
  for (std::size_t part = 0; part + 1 < wished.size(); ++part) {
    lengths.push_back(std::min(wished[part + 1] - wished[part],
                               kMostGrowth * (borders_[part + 1] - borders_[part])));
  }
  const double sum = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  for (std::size_t part = 0; part + 1 < lengths.size(); ++part) {
    wished[part + 1] = wished[part] + lengths[part] / sum;
  }
  return wished;
}

void Rope::take(const std::vector<double> &borders) {
  weights_.clear();
  std::int64_t lower = 0;
  for (std::size_t part = 1; part < borders.size(); ++part) {
    const std::int64_t upper =
        std::max(static_cast<std::int64_t>(std::llround(borders[part] * kRopeLength)), lower + 1);
    weights_.push_back(static_cast<std::uint32_t>(upper - lower));
    lower = upper;
  }
  borders_ = {0};
  for (const std::uint32_t weight : weights_) {
    borders_.push_back(borders_.back() + static_cast<double>(weight) / static_cast<double>(lower));
  }
  borders_.back() = 1;
  lost_ = 0;
  extraAtFirst_ = 0;
  lossAfterCut_ = 0;
  judged_ = 0;
}

double Rope::secondsOn(Loop loop, const std::vector<bool> &uses) const {
  const Work &work = loops_[loop].work;
  double speed = 0;
  for (std::int32_t place = 0; place < work.places(); ++place) {
    speed += uses[static_cast<std::size_t>(place)] ? work.speed(place) : 0;
  }
  return work.isKnown() && speed > 0 ? workBetween(work.buckets(), 0, 1) / speed : 0;
}

/// The times of parts as those say more that share no device. Places that do wait for each other,
/// and what one of them takes tells of all: of the time until the last of them has ended each gets
/// the part that it has of their iterations.
std::vector<PartTime> Rope::shared(std::span<const PartTime> parts) const {
  std::vector<PartTime> all(parts.begin(), parts.end());
  for (PartTime &part : all) {
    const std::uint64_t own = hardware_[static_cast<std::size_t>(part.place)];
    if (own == 0 || part.seconds <= 0) {
      continue;
    }
    double longest = 0;
    double length = 0;
    double count = 0;
    for (const PartTime &other : parts) {
      if (hardware_[static_cast<std::size_t>(other.place)] == own && other.seconds > 0) {
        longest = std::max(longest, other.seconds);
        length += other.upper - other.lower;
        count += 1;
      }
    }
    part.seconds = length > 0 ? longest * count * (part.upper - part.lower) / length : part.seconds;
  }
  return all;
}

Rope::Length Rope::length() const { return lengthOf(sum(), borders_); }

bool Rope::add(Loop loop, std::span<const PartTime> measured, std::int64_t launches,
               const Moves &moves) {
  const std::vector<PartTime> scaled =
      hardware_.empty() ? std::vector<PartTime>() : shared(measured);
  const std::span<const PartTime> parts = hardware_.empty() ? measured : scaled;
  for (Member &each : loops_) {
    each.frequency *= kForgotten;
  }
  Member &member = loops_[loop];
  member.frequency += (1 - kForgotten) * static_cast<double>(launches);
  member.bytes = moves.bytes;
  member.planning = moves.planning;
  member.work.add(parts);
  double longest = 0;
  for (const PartTime &part : parts) {
    longest = std::max(longest, part.seconds);
  }
  const Sum all = sum();
  const Length length = lengthOf(all, borders_);
  const double loss = length.slowest > 0 ? 1 - length.balanced / length.slowest : 0;
  if (judged_ < kJudged) {
    lossAfterCut_ += (loss - lossAfterCut_) / ++judged_;
  }
  if (longest < kShortestPart || loss < tolerated(member.work)) {
    return false;
  }
  lost_ += loss * longest * static_cast<double>(launches);
  extraAtFirst_ += (lengthOf(all, first_).slowest - length.slowest) * static_cast<double>(launches);
  const std::vector<double> wished = wishedFor(all);
  double moved = 0;
  for (std::size_t part = 0; part < wished.size(); ++part) {
    moved += std::abs(wished[part] - borders_[part]);
  }
  double most = 0; // They work on the same bytes.
  double price = kCutSeconds;
  for (const Member &each : loops_) {
    most = std::max(most, each.bytes);
    price += each.planning;
  }
  price += moved * most / moves.bandwidth;
  const bool isFutile = lossAfterCut_ > kFutile * lossAtCut_;
  if (lost_ < std::ldexp(price, futile_)) {
    return false;
  }
  futile_ = isFutile ? std::min(futile_ + 1, kMostFutile) : futile_ - futile_ / 4;
  lossAtCut_ = loss;
  // Work that moves faster than it can be followed is worst where a cut has followed it.
  take(isFutile && extraAtFirst_ < 0 ? first_ : wished);
  return true;
}

} // namespace tutti::balance
