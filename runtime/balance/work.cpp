// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/work.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tutti::balance {

namespace {

/// Buckets per place: a border that moves by a fraction of a part finds work of its own there.
constexpr std::size_t kBucketsPerPlace = 8;
constexpr std::size_t kLeastBuckets = 64;
/// Cuts that are remembered.
constexpr std::size_t kRemembered = 6;
/// Times that these are gone over.
constexpr int kSweeps = 4;
/// Least weight of the newest among times of the same cut.
constexpr double kNewest = 0.25;
/// A time that differs by this factor from what the same cut took before is met once more before it
/// is believed, and then at once: something else may have run on the same cores.
constexpr double kOutlier = 1.5;
/// Until it is believed in any case.
constexpr std::int32_t kMostDoubts = 4;
/// A cut that has been timed so often has told what there is to know. Were those before it still to
/// be explained, too, when the work has changed meanwhile, nothing could explain all of them.
constexpr std::int32_t kTold = 8;
/// No bucket has less than this part of the mean: nothing can be learned of what has no work.
constexpr double kLeastWork = 1e-6;
/// How much of a difference between places that are alike counts as one of their speeds, and of
/// those that are not.
constexpr double kSpeedOfAlike = 0.25;
constexpr double kSpeedOfUnlike = 0.9;
/// How fast places that are alike are taken to be as fast as was guessed again, unless other
/// launches still show that they are not: work that moves on would seem to be speed more and more.
constexpr double kDoubtOfAlike = 0.2;
/// Times that differ from what is expected by less than so many times the noise show nothing: what
/// made all of them right would take chance for differences, and more so the more places there are.
constexpr double kExplained = 1.5;

bool isSameCut(std::span<const PartTime> a, std::span<const PartTime> b) {
  return std::ranges::equal(a, b, [](const PartTime &one, const PartTime &other) {
    return one.place == other.place && one.lower == other.lower && one.upper == other.upper;
  });
}

/// What is left of a factor by which two times differ once chance has explained a part of it.
double beyond(double ratio, double slack) {
  return ratio > 1 ? std::max(1.0, ratio / (1 + slack)) : std::min(1.0, ratio * (1 + slack));
}

bool saysAnything(const PartTime &part) { return part.upper > part.lower && part.seconds > 0; }

} // namespace

double workBetween(std::span<const double> buckets, double lower, double upper) {
  const auto count = static_cast<double>(buckets.size());
  const auto at = [&](double position) {
    return std::min(static_cast<std::size_t>(position), buckets.size() - 1);
  };
  const double from = lower * count;
  const double to = upper * count;
  const std::size_t first = at(from);
  const std::size_t last = at(to);
  if (first == last) {
    return buckets[first] * (to - from);
  }
  double sum = buckets[first] * (static_cast<double>(first + 1) - from) +
               buckets[last] * (to - static_cast<double>(last));
  for (std::size_t bucket = first + 1; bucket < last; ++bucket) {
    sum += buckets[bucket];
  }
  return sum;
}

Work::Work(std::span<const double> speeds, Places kind)
    : speedShare_(kind == Places::Alike ? kSpeedOfAlike : kSpeedOfUnlike),
      doubt_(kind == Places::Alike ? kDoubtOfAlike : 0), guesses_(speeds.begin(), speeds.end()),
      speeds_(guesses_), buckets_(std::max(kLeastBuckets, kBucketsPerPlace * speeds.size()), 0.0) {}

double Work::workOf(const PartTime &part) const {
  return workBetween(buckets_, part.lower, part.upper);
}

void Work::scaleBuckets(const PartTime &part, double factor) {
  const auto count = static_cast<double>(buckets_.size());
  const double from = part.lower * count;
  const double to = part.upper * count;
  const auto first = static_cast<std::size_t>(from);
  const std::size_t last = std::min(static_cast<std::size_t>(std::ceil(to)), buckets_.size());
  for (std::size_t bucket = first; bucket < last; ++bucket) {
    const double covered =
        std::min(to, static_cast<double>(bucket + 1)) - std::max(from, static_cast<double>(bucket));
    buckets_[bucket] *= 1 + covered * (factor - 1);
  }
}

/// Brings what is believed nearer to what a launch took.
void Work::fit(const Launch &launch) {
  const double slack = kExplained * seenNoise_ / std::sqrt(launch.times);
  for (const PartTime &part : launch.parts) {
    if (!saysAnything(part)) {
      continue;
    }
    const auto place = static_cast<std::size_t>(part.place);
    const double ratio = beyond(part.seconds * speeds_[place] / workOf(part), slack);
    speeds_[place] *= std::pow(ratio, -speedShare_);
    scaleBuckets(part, std::pow(ratio, 1 - speedShare_));
  }
  const double mean = workBetween(buckets_, 0, 1) / static_cast<double>(buckets_.size());
  for (double &bucket : buckets_) {
    bucket = std::max(bucket, kLeastWork * mean);
  }
}

Work::Difference Work::differenceOf(std::span<const PartTime> launch,
                                    std::span<const PartTime> before) {
  Difference difference{1, 0};
  for (std::size_t part = 0; part < launch.size(); ++part) {
    if (saysAnything(launch[part]) && saysAnything(before[part])) {
      const double ratio = launch[part].seconds / before[part].seconds;
      difference.most = std::max({difference.most, ratio, 1 / ratio});
      difference.average += std::abs(ratio - 1) / static_cast<double>(launch.size());
    }
  }
  return difference;
}

/// Whether a launch that takes quite another time than the same cut did before is still to be met
/// once more. If the next one then takes neither time, or the old one, that was noise.
bool Work::isDoubted(std::span<const PartTime> launch, const Difference &difference) {
  Launch &latest = launches_.back();
  const double noisy = noise_ + kNewest * (std::min(difference.average, 1.0) - noise_);
  if (++latest.doubts == 1) {
    trusted_ = noise_;
  } else if (differenceOf(launch, doubted_).most <= kOutlier) {
    noise_ = trusted_;
    return false;
  }
  noise_ = noisy;
  doubted_.assign(launch.begin(), launch.end());
  return latest.doubts < kMostDoubts;
}

/// Whether a launch was cut as the latest one, whose times then are those of both; unless it is the
/// first in a row that takes quite another time.
bool Work::isRepeated(std::span<const PartTime> launch) {
  if (launches_.empty() || !isSameCut(launches_.back().parts, launch)) {
    return false;
  }
  Launch &latest = launches_.back();
  const Difference difference = differenceOf(launch, latest.parts);
  const bool hasChanged = difference.most > kOutlier;
  if (hasChanged && isDoubted(launch, difference)) {
    return true;
  }
  ++latest.times;
  if (!hasChanged) {
    noise_ += kNewest * (difference.average - noise_);
    seenNoise_ += kNewest * (difference.average - seenNoise_);
  }
  const double weight = hasChanged ? 1 : std::max(kNewest, 1.0 / latest.times);
  for (std::size_t part = 0; part < launch.size(); ++part) {
    double &seconds = latest.parts[part].seconds;
    seconds += weight * (launch[part].seconds - seconds);
  }
  latest.doubts = 0;
  if (hasChanged) {
    launches_.erase(launches_.begin(), launches_.end() - 1); // They tell of something else.
  }
  return true;
}

void Work::scale(double factor) {
  for (double &bucket : buckets_) {
    bucket *= factor;
  }
  const auto scaleTimes = [&](std::vector<PartTime> &parts) {
    for (PartTime &part : parts) {
      part.seconds *= factor;
    }
  };
  for (Launch &launch : launches_) {
    scaleTimes(launch.parts);
  }
  scaleTimes(doubted_);
}

void Work::add(std::span<const PartTime> launch) {
  if (!std::ranges::any_of(launch, saysAnything)) {
    return;
  }
  if (launches_.empty()) {
    double all = 0;
    for (const PartTime &part : launch) {
      all += part.seconds * speeds_[static_cast<std::size_t>(part.place)];
    }
    std::ranges::fill(buckets_, all / static_cast<double>(buckets_.size()));
  }
  if (!isRepeated(launch)) {
    launches_.push_back({{launch.begin(), launch.end()}});
    if (launches_.size() > kRemembered) {
      launches_.pop_front();
    }
  }
  if (launches_.back().times >= kTold) {
    launches_.erase(launches_.begin(), launches_.end() - 1);
  }
  for (std::size_t place = 0; place < speeds_.size(); ++place) {
    speeds_[place] *= std::pow(guesses_[place] / speeds_[place], doubt_);
  }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (const Launch &each : launches_) {
      fit(each);
    }
  }
}

} // namespace tutti::balance
