// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/segments.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tutti::balance {

namespace {

/// Borders where the sum of work is nearest to each segment's share.
Borders proportional(std::span<const double> buckets, std::int32_t segments) {
  const double all = std::accumulate(buckets.begin(), buckets.end(), 0.0);
  Borders borders{0};
  double sum = 0;
  std::size_t at = 0;
  for (std::int32_t segment = 1; segment < segments; ++segment) {
    const double wanted = all * segment / segments;
    while (at < buckets.size() && sum + buckets[at] / 2 < wanted) {
      sum += buckets[at++];
    }
    borders.push_back(static_cast<std::int32_t>(at));
  }
  borders.push_back(static_cast<std::int32_t>(buckets.size()));
  return borders;
}

/// Each segment takes as many buckets as have at most `most` together; nothing if that leaves some.
std::optional<Borders> packed(std::span<const double> buckets, std::int32_t segments, double most) {
  Borders borders{0};
  std::size_t at = 0;
  for (std::int32_t segment = 0; segment < segments; ++segment) {
    for (double sum = 0; at < buckets.size() && sum + buckets[at] <= most; ++at) {
      sum += buckets[at];
    }
    borders.push_back(static_cast<std::int32_t>(at));
  }
  return at == buckets.size() ? std::optional(borders) : std::nullopt;
}

} // namespace

SegmentLoad loadOf(std::span<const double> buckets, const Borders &borders) {
  SegmentLoad load;
  const std::size_t segments = borders.size() - 1;
  for (std::size_t segment = 0; segment < segments; ++segment) {
    const double sum = std::accumulate(buckets.begin() + borders[segment],
                                       buckets.begin() + borders[segment + 1], 0.0);
    load.most = std::max(load.most, sum);
    load.mean += sum / static_cast<double>(segments);
  }
  return load;
}

Borders evenBorders(std::span<const double> buckets, std::int32_t segments) {
  constexpr int kHalvings = 40;
  // What every segment has about the same of is better than full segments and a rest.
  constexpr double kAsGood = 1.02;
  Borders even = proportional(buckets, segments);
  const SegmentLoad load = loadOf(buckets, even);
  double most = load.most;
  double tooLittle = load.mean / 2;
  for (int turn = 0; turn < kHalvings; ++turn) {
    const double middle = (most + tooLittle) / 2;
    (packed(buckets, segments, middle) ? most : tooLittle) = middle;
  }
  const std::optional<Borders> best = packed(buckets, segments, most);
  return best && load.most > kAsGood * loadOf(buckets, *best).most ? *best : even;
}

/// The part of a round that such borders would have saved; below 0 if they are worse.
double Segments::saving(std::span<const double> buckets, const Borders &others) const {
  const double before = loadOf(buckets, borders_).most;
  return before > 0 ? 1 - loadOf(buckets, others).most / before : 0;
}

bool Segments::add(std::span<const double> buckets) {
  constexpr double kLeast = 0.05; // Of a round: what is not worth a move.
  constexpr double kKept = 0.8;
  constexpr double kSure = 2.5;
  load_ = loadOf(buckets, borders_);
  if (!even_.empty()) {
    const double saved = saving(buckets, even_);
    noise_ = std::max(kKept * noise_, std::abs(saved - saved_));
    saved_ = saved;
    evidence_ = std::max(evidence_ + saved - kLeast, 0.0);
  }
  even_ = evenBorders(buckets, static_cast<std::int32_t>(borders_.size()) - 1);
  lost_ = evidence_ > 0 ? lost_ + load_.most - loadOf(buckets, even_).most : 0;
  if (evidence_ <= kSure * noise_ || lost_ < moveSeconds_ || saving(buckets, even_) <= kLeast) {
    return false;
  }
  evidence_ = 0;
  saved_ = 0;
  lost_ = 0;
  borders_ = even_;
  return true;
}

} // namespace tutti::balance
