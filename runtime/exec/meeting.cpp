// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/meeting.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace tutti::exec {

namespace {

using Wide = __int128; // Sums of products of 64-bit numbers.

constexpr int kMostSteps = 4096;

Wide floorOf(Wide dividend, Wide divisor) {
  return dividend / divisor - (dividend % divisor < 0 ? 1 : 0);
}

/// A number between `least` and `most`, of which `scale` times as much counts.
struct Term {
  Wide scale; ///< Not negative.
  Wide least;
  Wide most;
  bool isNotZero = false; ///< Numbers of iterations that have to differ.
};

/// Whether some sum of numbers, one for each term, lies between two others.
///
/// With strides that each reach beyond all smaller ones, as those of arrays do, there are hardly
/// any choices: what smaller strides can still make good leaves one or two numbers for each term.
class Sums {
public:
  void add(Term term) {
    if (term.scale < 0) {
      term = {-term.scale, -term.most, -term.least, term.isNotZero};
    }
    terms_.push_back(term);
  }

  /// The numbers of two terms of one scale, the second of which counts negative, are one.
  void addDim(const tutti_dim &dim, bool isNegative) {
    const Wide last = Wide{dim.count} - 1;
    const Wide scale = isNegative ? -Wide{dim.stride} : Wide{dim.stride};
    const Term term =
        scale < 0 ? Term{-scale, -last, 0} : Term{scale, 0, last}; // i * -s is -i * s.
    const auto same = std::ranges::find(dims_, term.scale, &Term::scale);
    if (same == dims_.end()) {
      dims_.push_back(term);
    } else {
      same->least += term.least;
      same->most += term.most;
    }
  }

  bool mayLieBetween(Wide least, Wide most) {
    for (const Term &term : dims_) {
      terms_.push_back(term);
    }
    std::ranges::sort(terms_, std::ranges::greater(), &Term::scale);
    return search(0, least, most);
  }

private:
  bool search(std::size_t index, Wide least, Wide most) {
    if (index == terms_.size()) {
      return least <= 0 && most >= 0;
    }
    const Term &term = terms_[index];
    if (term.scale == 0) { // So are all that follow; numbers that may differ do.
      return least <= 0 && most >= 0;
    }
    Wide lowest = 0; // What the others can add up to.
    Wide highest = 0;
    for (std::size_t other = index + 1; other < terms_.size(); ++other) {
      lowest += terms_[other].scale * terms_[other].least;
      highest += terms_[other].scale * terms_[other].most;
    }
    Wide number = std::max(term.least, -floorOf(highest - least, term.scale));
    const Wide last = std::min(term.most, floorOf(most - lowest, term.scale));
    for (; number <= last; ++number) {
      if (++steps_ > kMostSteps) {
        return true;
      }
      const Wide part = number * term.scale;
      if (!(term.isNotZero && number == 0) && search(index + 1, least - part, most - part)) {
        return true;
      }
    }
    return false;
  }

  boost::container::small_vector<Term, 8> dims_;
  boost::container::small_vector<Term, 8> terms_;
  int steps_ = 0;
};

/// Whether they may, if `iterations` says which two are meant: their numbers times their steps.
bool mayMeet(const IterationBox &one, const IterationBox &other, std::span<const Term> iterations) {
  Sums sums;
  for (const Term &term : iterations) {
    sums.add(term);
  }
  for (const tutti_dim &dim : one.dims) {
    sums.addDim(dim, false);
  }
  for (const tutti_dim &dim : other.dims) {
    sums.addDim(dim, true);
  }
  const Wide distance = Wide{other.address} - Wide{one.address};
  return sums.mayLieBetween(distance - (Wide{one.size} - 1), distance + (Wide{other.size} - 1));
}

} // namespace

bool mayMeet(const IterationBox &one, const IterationBox &other) {
  const bool areSame = one.first == other.first && one.count == other.count;
  if (!one.hull.overlaps(other.hull) || (areSame && one.count == 1)) {
    return false;
  }
  const Wide last = Wide{one.count} - 1;
  const Term apart{one.step, -last, last, true}; // Numbers by which they differ.
  if (areSame && one.step == other.step) {
    return mayMeet(one, other, std::array{apart});
  }
  const Term any{one.step, 0, last};
  const Term anyOther{-Wide{other.step}, 0, Wide{other.count} - 1};
  if (!mayMeet(one, other, std::array{any, anyOther})) {
    return false;
  }
  // It may have been in the same iteration.
  return !areSame || one.step == 0 || other.step == 0 ||
         mayMeet(one, other, std::array{apart, Term{Wide{one.step} - other.step, 0, last}});
}

} // namespace tutti::exec
