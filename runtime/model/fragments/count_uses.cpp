// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The number of iterations of affine loops that read one data fragment.
#include "runtime/model/fragments/frame.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/uses.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdlib>
#include <limits>

namespace tutti::model::fragments {

namespace {

constexpr std::size_t kMostTurns = 8;
constexpr std::size_t kMostIndices = 32;
constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

/// A constant, and a counter that is not known, times a factor. Sums of several such counters are
/// not understood until all but one of them are known.
struct Affine {
  std::int64_t constant = 0;
  std::int64_t factor = 0;
  std::size_t counter = 0; ///< A turn's, unless the factor is 0.

  bool isConstant() const { return factor == 0; }

  /// Far from where the sum of two would leave what 64 bits hold.
  bool fits() const {
    const auto isSmall = [](std::int64_t each) { return each >= kLeast && each <= kMost; };
    return isSmall(constant) && isSmall(factor);
  }
};

/// One place that reads: its counters are found from the indices of the data fragment.
class Solver {
public:
  Solver(const Program &program, const Use &use, Frame *frame)
      : program_(program), use_(use), frame_(frame) {}

  /// Whether something was not known that will be.
  bool isEarly() const { return isEarly_; }

  std::optional<std::int64_t> count(const Tuple &tuple) {
    const auto indices = program_.list(use_.indices);
    if (indices.size() != tuple.count()) {
      return 0;
    }
    if (use_.turns.size() > kMostTurns || indices.size() > kMostIndices) {
      return std::nullopt;
    }
    std::bitset<kMostIndices> isSolved;
    for (bool hasChanged = true; hasChanged;) {
      hasChanged = false;
      for (std::size_t at = 0; at < indices.size(); ++at) {
        if (!isSolved[at] && solve(indices[at], tuple[at])) {
          isSolved.set(at);
          hasChanged = true;
        }
      }
    }
    if (isSolved.count() != indices.size()) {
      return std::nullopt;
    }
    return countTurns();
  }

  /// All that does not depend on the indices; nothing if the bounds of a loop or an index follow
  /// from other indices, or are not known.
  std::optional<PlannedUse> plan() const {
    const auto nodes = program_.list(use_.indices);
    PlannedUse out;
    out.turns.resize(use_.turns.size());
    if (out.turns.size() > kMostTurns || nodes.size() > kMostIndices) {
      return std::nullopt;
    }
    for (std::size_t at = 0; at < out.turns.size(); ++at) {
      const Turn &turn = use_.turns[at];
      const tutti_luna_statement &statement = program_.statement(turn.statement);
      const std::optional<std::int64_t> first = constant(statement.a, turn.frames);
      const std::optional<std::int64_t> last =
          turn.isLoop ? constant(statement.b, turn.frames) : std::int64_t{0};
      if (!first || !last) {
        return std::nullopt;
      }
      out.turns[at] = turn.isLoop
                          ? PlannedUse::Range{*first, *last}
                          : PlannedUse::Range{.last = 0, .isNever = (*first != 0) == turn.isOther};
    }
    for (const std::int32_t node : nodes) {
      const std::optional<Affine> index = affine(node, use_.up, use_.frames);
      if (!index) {
        return std::nullopt;
      }
      out.indices.push_back({index->constant, index->factor, index->counter});
      if (index->isConstant()) {
        continue;
      }
      PlannedUse::Range &range = out.turns[index->counter];
      if (range.isFound) {
        return std::nullopt;
      }
      range.isFound = true;
      range.mayWrap = mayWrap(range.first, range.last, index->factor, index->constant);
    }
    return isEarly_ ? std::nullopt : std::optional(std::move(out));
  }

private:
  /// A counter that follows from an index `factor * counter + constant`.
  struct Counter {
    std::optional<std::int64_t> value;
    std::int64_t factor = 1;
    std::int64_t constant = 0;
  };

  /// Whether one counter follows from the index, or none is needed.
  bool solve(std::int32_t node, std::int64_t wanted) {
    const std::optional<Affine> index = affine(node, use_.up, use_.frames);
    if (!index) {
      return false;
    }
    if (index->isConstant()) {
      isNever_ = isNever_ || index->constant != wanted;
      return true;
    }
    const std::int64_t rest = wanted - index->constant;
    counters_[index->counter] = {rest / index->factor, index->factor, index->constant};
    isNever_ = isNever_ || rest % index->factor != 0;
    return true;
  }

  std::optional<std::int64_t> countTurns() const {
    std::int64_t count = 1;
    for (std::size_t at = 0; at < use_.turns.size(); ++at) {
      const std::optional<std::int64_t> times = countTurn(at);
      if (!times || *times == 0) {
        return times;
      }
      count *= *times;
      if (count > kMost) {
        return std::nullopt;
      }
    }
    return isNever_ ? 0 : count;
  }

  std::optional<std::int64_t> countTurn(std::size_t at) const {
    const Turn &turn = use_.turns[at];
    const tutti_luna_statement &statement = program_.statement(turn.statement);
    const std::optional<std::int64_t> first = constant(statement.a, turn.frames);
    if (!turn.isLoop) {
      return first ? std::optional<std::int64_t>((*first != 0) != turn.isOther) : std::nullopt;
    }
    const std::optional<std::int64_t> last = constant(statement.b, turn.frames);
    if (!first || !last) {
      return std::nullopt;
    }
    const Counter &counter = counters_[at];
    if (!counter.value) {
      return std::max<std::int64_t>(*last - *first + 1, 0);
    }
    if (mayWrap(*first, *last, counter.factor, counter.constant)) {
      return std::nullopt;
    }
    return *counter.value >= *first && *counter.value <= *last;
  }

  /// Indices are 32 bits wide: where one may wrap, others lead to the same data fragment.
  static bool mayWrap(std::int64_t first, std::int64_t last, std::int64_t factor,
                      std::int64_t constant) {
    const std::int64_t most = std::max(std::abs(first), std::abs(last));
    return std::abs(factor) * most + std::abs(constant) > kMost;
  }

  std::optional<std::int64_t> constant(std::int32_t node, std::int32_t frames) const {
    const std::optional<Affine> value = affine(node, 0, frames);
    return value && value->isConstant() ? std::optional(value->constant) : std::nullopt;
  }

  /// What an expression is that stands `up` frames above one that is `frames` frames inside.
  std::optional<Affine> affine(std::int32_t at, std::int32_t up, std::int32_t frames) const {
    const tutti_luna_node &node = program_.node(at);
    switch (node.kind) {
    case TUTTI_LUNA_INT:
      return Affine{node.integer};
    case TUTTI_LUNA_SLOT:
      return slot(node, up + node.up, frames);
    case TUTTI_LUNA_OUTER:
      return affine(node.a, up + node.up, frames);
    case TUTTI_LUNA_NEGATE: {
      const std::optional<Affine> a = affine(node.a, up, frames);
      return a ? combine(TUTTI_LUNA_SUBTRACT, Affine{}, *a) : std::nullopt;
    }
    default:
      break;
    }
    if (node.kind < TUTTI_LUNA_ADD || node.kind > TUTTI_LUNA_OR) {
      return std::nullopt;
    }
    const std::optional<Affine> a = affine(node.a, up, frames);
    const std::optional<Affine> b = a ? affine(node.b, up, frames) : std::nullopt;
    return b ? combine(node.kind, *a, *b) : std::nullopt;
  }

  std::optional<Affine> slot(const tutti_luna_node &node, std::int32_t up,
                             std::int32_t frames) const {
    if (up < frames) {
      const std::int32_t loop = use_.loops[static_cast<std::size_t>(frames - 1 - up)];
      if (loop < 0 || node.slot != 0) {
        return std::nullopt;
      }
      const auto at = static_cast<std::size_t>(loop);
      Affine counter;
      if (counters_[at].value) {
        counter.constant = *counters_[at].value;
      } else {
        counter.factor = 1;
        counter.counter = at;
      }
      return counter;
    }
    Frame *of = frame_;
    for (std::int32_t left = up - frames; left > 0; --left) {
      of = of->parent;
    }
    const Slot &known = of->slots[static_cast<std::size_t>(node.slot)];
    if (known.own || known.name) {
      return data(known, node.indices.count);
    }
    return known.value.kind() == Kind::Int ? std::optional(Affine{known.value.integer()})
                                           : std::nullopt;
  }

  /// The value of a data fragment, if it has been here, or all like it have the same.
  std::optional<Affine> data(const Slot &slot, std::int32_t indices) const {
    if (slot.own && program_.areSignals(slot.own->slot)) {
      return Affine{1};
    }
    const Base &base = slot.own ? *slot.own : *slot.name->base;
    const bool isPlain = indices == 0 && (slot.own || slot.name->tuple.count() == 0);
    isEarly_ = isEarly_ || (isPlain && !base.hasValue);
    return isPlain && base.number ? std::optional(Affine{*base.number}) : std::nullopt;
  }

  static std::optional<Affine> combine(std::int32_t kind, const Affine &a, const Affine &b) {
    Affine out;
    if (kind == TUTTI_LUNA_ADD || kind == TUTTI_LUNA_SUBTRACT) {
      if (!a.isConstant() && !b.isConstant() && a.counter != b.counter) {
        return std::nullopt;
      }
      const std::int64_t sign = kind == TUTTI_LUNA_ADD ? 1 : -1;
      out = {a.constant + sign * b.constant, a.factor + sign * b.factor,
             a.isConstant() ? b.counter : a.counter};
    } else if (kind == TUTTI_LUNA_MULTIPLY && (a.isConstant() || b.isConstant())) {
      const Affine &scaled = a.isConstant() ? b : a;
      const std::int64_t by = a.isConstant() ? a.constant : b.constant;
      out = {scaled.constant * by, scaled.factor * by, scaled.counter};
    } else if (a.isConstant() && b.isConstant()) {
      return calculate(kind, a.constant, b.constant);
    } else {
      return std::nullopt;
    }
    return out.fits() ? std::optional(out) : std::nullopt;
  }

  static std::optional<Affine> calculate(std::int32_t kind, std::int64_t a, std::int64_t b) {
    switch (kind) {
    case TUTTI_LUNA_DIVIDE:
      return b == 0 || -a > kMost ? std::nullopt : std::optional(Affine{a / b});
    case TUTTI_LUNA_REMAINDER:
      return b == 0 ? std::nullopt : std::optional(Affine{a % b});
    case TUTTI_LUNA_LESS:
      return Affine{a < b};
    case TUTTI_LUNA_LESS_EQUAL:
      return Affine{a <= b};
    case TUTTI_LUNA_GREATER:
      return Affine{a > b};
    case TUTTI_LUNA_GREATER_EQUAL:
      return Affine{a >= b};
    case TUTTI_LUNA_EQUAL:
      return Affine{a == b};
    case TUTTI_LUNA_NOT_EQUAL:
      return Affine{a != b};
    case TUTTI_LUNA_AND:
      return Affine{a != 0 && b != 0};
    case TUTTI_LUNA_OR:
      return Affine{a != 0 || b != 0};
    default:
      return std::nullopt;
    }
  }

  const Program &program_;
  const Use &use_;
  Frame *frame_;
  std::array<Counter, kMostTurns> counters_{};
  /// Unless indices wrap, which only the bounds of the loops can rule out.
  bool isNever_ = false;
  mutable bool isEarly_ = false;
};

/// As `Solver::count` would.
std::optional<std::int64_t> count(const PlannedUse &use, const Tuple &tuple) {
  if (use.indices.size() != tuple.count()) {
    return 0;
  }
  std::array<std::int64_t, kMostTurns> counters; // Those that are found.
  bool isNever = false;
  for (std::size_t at = 0; at < use.indices.size(); ++at) {
    const PlannedUse::Index &index = use.indices[at];
    const std::int64_t rest = tuple[at] - index.constant;
    if (index.factor == 0) {
      isNever = isNever || rest != 0;
    } else if (index.factor == 1) {
      counters[index.turn] = rest;
    } else {
      counters[index.turn] = rest / index.factor;
      isNever = isNever || rest % index.factor != 0;
    }
  }
  std::int64_t count = 1;
  for (std::size_t at = 0; at < use.turns.size(); ++at) {
    const PlannedUse::Range &turn = use.turns[at];
    if (turn.mayWrap) {
      return std::nullopt;
    }
    const bool isOutside = turn.isFound && (counters[at] < turn.first || counters[at] > turn.last);
    if (turn.isNever || isOutside || turn.last < turn.first) {
      return 0;
    }
    count *= turn.isFound ? 1 : turn.last - turn.first + 1;
    if (count > kMost) {
      return std::nullopt;
    }
  }
  return isNever ? 0 : count;
}

/// What `count` says of each of the neighbours is added; false if it does not know.
bool addRow(const PlannedUse &use, const Neighbours &names, std::vector<std::int32_t> &counts) {
  if (use.indices.size() != names.first.count()) {
    return true;
  }
  const PlannedUse::Index &index = use.indices[names.position];
  const PlannedUse::Range range =
      index.factor == 0 ? PlannedUse::Range{0, 0} : use.turns[index.turn];
  // Of all that the loop leads to, one is as good as another.
  Tuple one = names.first;
  if (range.mayWrap || range.last < range.first) {
    return !range.mayWrap;
  }
  one.set(names.position, static_cast<std::int32_t>(index.factor * range.first + index.constant));
  const std::optional<std::int64_t> each = count(use, one);
  if (!each) {
    return false;
  }
  const std::int64_t first = names.first[names.position] - index.constant;
  for (std::size_t place = 0; place < names.count && *each > 0; ++place) {
    const std::int64_t rest = first + static_cast<std::int64_t>(place);
    const std::int64_t counter =
        index.factor == 0 || index.factor == 1 ? rest : rest / index.factor;
    const bool isOne = index.factor == 0 || index.factor == 1 || rest % index.factor == 0;
    if (isOne && counter >= range.first && counter <= range.last) {
      if (counts[place] + *each > kMost) {
        return false;
      }
      counts[place] += static_cast<std::int32_t>(*each);
    }
  }
  return true;
}

} // namespace

std::int32_t CountedUses::count(const Program &program, const Uses &uses, Frame *frame,
                                const Tuple &tuple) {
  // Many frames have one data fragment of a name.
  constexpr std::int32_t kBefore = 2;
  if (!isPlanned_ && ++counted_ > kBefore) {
    // If it cannot be planned, nor will it be soon.
    counted_ = -64;
    plan_.clear();
    for (const Use &use : uses.all) {
      std::optional<PlannedUse> planned = Solver(program, use, frame).plan();
      if (!planned) {
        break;
      }
      plan_.push_back(*std::move(planned));
    }
    isPlanned_ = plan_.size() == uses.all.size();
  }
  if (!isPlanned_) {
    return countUses(program, uses, frame, tuple);
  }
  std::int64_t sum = 0;
  for (const PlannedUse &use : plan_) {
    const std::optional<std::int64_t> each = fragments::count(use, tuple);
    if (!each || sum + *each > kMost) {
      return Entry::kUnknown;
    }
    sum += *each;
  }
  return static_cast<std::int32_t>(sum);
}

std::vector<std::int32_t> CountedUses::countRow(const Program &program, const Uses &uses,
                                                Frame *frame, const Neighbours &names) {
  std::vector<std::int32_t> counts(names.count);
  if (!isPlanned_) {
    for (std::size_t place = 0; place < names.count; ++place) {
      counts[place] = count(program, uses, frame, names.at(place));
      if (counts[place] < 0) {
        return {};
      }
    }
    return counts;
  }
  return std::ranges::all_of(plan_,
                             [&](const PlannedUse &use) { return addRow(use, names, counts); })
             ? counts
             : std::vector<std::int32_t>();
}

std::int32_t countUses(const Program &program, const Uses &uses, Frame *frame, const Tuple &tuple) {
  std::int64_t sum = 0;
  bool isEarly = false;
  for (const Use &use : uses.all) {
    Solver solver(program, use, frame);
    const std::optional<std::int64_t> count = solver.count(tuple);
    if (!count && solver.isEarly()) {
      isEarly = true;
      continue;
    }
    if (!count || sum + *count > kMost) {
      return Entry::kUnknown;
    }
    sum += *count;
  }
  return isEarly ? Entry::kNotCounted : static_cast<std::int32_t>(sum);
}

} // namespace tutti::model::fragments
