// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/distribution/index_set.h"

#include "base/check.h"

#include <algorithm>
#include <numeric>

namespace tutti::distribution {

namespace {

/// With products of two indices in between.
using Wide = __int128;

struct Bezout {
  Index gcd;
  Index x; ///< a * x = gcd modulo b.
};

Bezout bezout(Index a, Index b) {
  Index x = 1;
  Index nextX = 0;
  while (b != 0) {
    const Index quotient = a / b;
    a = std::exchange(b, a - quotient * b);
    x = std::exchange(nextX, x - quotient * nextX);
  }
  return {a, x};
}

Progression normal(Index first, Index count, Index stride) {
  return {first, count, count == 1 ? 1 : stride};
}

bool isRuns(const IndexSet &set) {
  return std::all_of(set.begin(), set.end(), [](const Progression &p) { return p.stride == 1; });
}

IndexSet intersectRuns(const IndexSet &a, const IndexSet &b) {
  IndexSet result;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    const Index begin = std::max(x->first, y->first);
    const Index end = std::min(x->last(), y->last());
    if (begin <= end) {
      result.push_back({begin, end - begin + 1, 1});
    }
    (x->last() < y->last() ? x : y)++;
  }
  return result;
}

void sort(IndexSet &set) {
  std::sort(set.begin(), set.end(),
            [](const Progression &a, const Progression &b) { return a.first < b.first; });
}

} // namespace

IndexSet indexRange(Index begin, Index end) {
  return begin < end ? IndexSet{{begin, end - begin, 1}} : IndexSet{};
}

std::optional<Progression> intersect(const Progression &a, const Progression &b) {
  const Index low = std::max(a.first, b.first);
  const Index high = std::min(a.last(), b.last());
  if (low > high) {
    return std::nullopt;
  }
  const Bezout common = bezout(a.stride, b.stride);
  if ((b.first - a.first) % common.gcd != 0) {
    return std::nullopt;
  }
  // a.first + a.stride * k is in b if k = x * (b.first - a.first) / gcd modulo b.stride / gcd.
  const Index modulus = b.stride / common.gcd;
  const Index steps = (b.first - a.first) / common.gcd % modulus;
  Index k = static_cast<Index>(Wide{common.x % modulus} * steps % modulus);
  k += k < 0 ? modulus : 0;
  const Wide stride = Wide{a.stride} * modulus;
  Wide first = a.first + Wide{a.stride} * k;
  if (first < low) {
    first += (low - first + stride - 1) / stride * stride;
  }
  if (first > high) {
    return std::nullopt;
  }
  const Wide count = (high - first) / stride + 1;
  return normal(static_cast<Index>(first), static_cast<Index>(count),
                count == 1 ? 1 : static_cast<Index>(stride));
}

IndexSet intersect(const IndexSet &a, const IndexSet &b) {
  if (isRuns(a) && isRuns(b)) {
    return intersectRuns(a, b);
  }
  IndexSet result;
  for (const Progression &x : a) {
    for (const Progression &y : b) {
      if (const auto both = intersect(x, y)) {
        result.push_back(*both);
      }
    }
  }
  sort(result);
  return result;
}

Index countOf(const IndexSet &set) {
  return std::accumulate(set.begin(), set.end(), Index{0},
                         [](Index sum, const Progression &p) { return sum + p.count; });
}

bool contains(const IndexSet &set, Index index) {
  return std::any_of(set.begin(), set.end(), [index](const Progression &p) {
    return p.first <= index && index <= p.last() && (index - p.first) % p.stride == 0;
  });
}

IndexSet shifted(IndexSet set, Index offset) {
  for (Progression &progression : set) {
    progression.first += offset;
  }
  return set;
}

IndexSet positionsOf(const IndexSet &set, Index first, Index count, Index step) {
  TUTTI_CHECK(step != 0);
  if (count <= 0) {
    return {};
  }
  const Index last = first + (count - 1) * step;
  const Progression section = step > 0 ? normal(first, count, step) : normal(last, count, -step);
  IndexSet result;
  for (const Progression &progression : set) {
    if (const auto both = intersect(progression, section)) {
      // Downwards the last index has the first position.
      const Index at = ((step > 0 ? both->first : both->last()) - first) / step;
      result.push_back(normal(at, both->count, both->stride / (step > 0 ? step : -step)));
    }
  }
  sort(result);
  return result;
}

} // namespace tutti::distribution
