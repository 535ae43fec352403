// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The tables of a unit, and what follows from them before anything runs.
#pragma once

#include "abi/luna.h"
#include "runtime/model/fragments/merges.h"
#include "runtime/model/fragments/steps.h"
#include "runtime/model/fragments/uses.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tutti::model::fragments {

/// A rule that says where something is, and how far above the asker its frame is.
struct Rule {
  std::int32_t rule = -1;
  std::int32_t up = 0;
  std::int32_t lengthNode = -1; ///< Of the rope that it speaks of; -1 if nothing says how long.
  std::int32_t lengthUp = 0;    ///< From the rule's frame.
};

/// Threading: immutable.
/// Ownership: borrows the unit.
class Program {
public:
  explicit Program(const tutti_luna_unit &unit);

  const tutti_luna_unit &unit() const { return unit_; }

  const tutti_luna_node &node(std::int32_t at) const { return unit_.nodes[at]; }

  const tutti_luna_statement &statement(std::int32_t at) const { return unit_.statements[at]; }

  std::span<const std::int32_t> list(const tutti_luna_list &list) const {
    return {unit_.lists + list.first, static_cast<std::size_t>(list.count)};
  }

  /// Where the calls of a statement run, if advice says so.
  const Rule &placeOf(std::int32_t statement) const {
    static const Rule none;
    const auto at = static_cast<std::size_t>(statement);
    return at < places_.size() ? places_[at] : none;
  }

  /// Where the data fragments of a slot of the unit live, if advice says so; `up` is 0.
  const Rule &homeOf(std::int32_t slot) const {
    static const Rule none;
    const auto at = static_cast<std::size_t>(slot);
    return at < homes_.size() ? homes_[at] : none;
  }

  /// Who reads the data fragments of a slot of the unit; null if that is not known.
  const Uses *usesOf(std::int32_t slot) const {
    const auto at = static_cast<std::size_t>(slot);
    return at < uses_.size() && uses_[at].isKnown ? &uses_[at] : nullptr;
  }

  /// Which loop makes the data fragments of a slot of the unit, step by step; null if none does.
  const Steps *stepsOf(std::int32_t slot) const {
    const auto at = static_cast<std::size_t>(slot);
    const bool isKnown = at < steps_.ofSlots.size() && steps_.ofSlots[at].loop >= 0;
    return isKnown ? &steps_.ofSlots[at] : nullptr;
  }

  /// The same loops; null of a statement that is none of them.
  const StepLoop *stepLoop(std::int32_t statement) const {
    for (const StepLoop &each : steps_.loops) {
      if (each.statement == statement) {
        return &each;
      }
    }
    return nullptr;
  }

  /// Of which this is the body.
  const StepLoop *stepLoopOf(const tutti_luna_block *body) const {
    for (const StepLoop &each : steps_.loops) {
      if (body == &unit_.blocks[unit_.statements[each.statement].body]) {
        return &each;
      }
    }
    return nullptr;
  }

  /// The loop for whose consecutive counters one call of the statement may do what several would;
  /// -1 if there is none.
  std::int32_t mergeLoop(std::int32_t statement) const {
    const auto at = static_cast<std::size_t>(statement);
    return at < mergeLoops_.size() ? mergeLoops_[at] : -1;
  }

  /// Whether every rank may ask for the data fragments of a slot of the unit.
  bool areForAll(std::int32_t slot) const {
    const auto at = static_cast<std::size_t>(slot);
    return at < uses_.size() && uses_[at].areForAll;
  }

  /// Whether the data fragments of a slot of the unit are 1 if they are anything.
  bool areSignals(std::int32_t slot) const {
    const auto at = static_cast<std::size_t>(slot);
    return at < uses_.size() && uses_[at].areSignals;
  }

  /// Whether each rank can count by itself what a `req_count` allows: it sees the same requests as
  /// all others, and nobody asks for what is gone.
  bool areCountedByAll(std::int32_t slot) const {
    const auto at = static_cast<std::size_t>(slot);
    return at < uses_.size() && uses_[at].areLimited && uses_[at].areCertain &&
           !uses_[at].areForAll;
  }

  /// Whether all ranks have to know the value: which data fragments it asks for depends on others.
  bool isShared(std::int32_t node) const;

  /// Calls `each` for all nodes of data fragments in an expression, with frames to go up.
  template <typename Each> void forData(std::int32_t node, std::int32_t up, Each &&each) const;

  /// 'f' of a call, or what kind of statement it is.
  std::string nameOf(std::int32_t statement) const;

  const char *at(std::int32_t statement) const { return unit_.statements[statement].at; }

private:
  struct Around {
    const tutti_luna_block *block;
    bool hasFrame;
    std::int32_t statement; ///< That it is the body of; -1 of a sub.
  };

  void look(std::int32_t block, std::int32_t statement, std::vector<Around> &around);
  void lookAtStatement(std::int32_t statement, std::vector<Around> &around);
  Rule lengthFor(Rule rule, const std::vector<Around> &around, std::size_t depth) const;
  Rule placeFor(std::int32_t statement, const std::vector<Around> &around) const;
  bool mentionsData(std::int32_t node) const;

  const tutti_luna_unit &unit_;
  std::vector<Rule> places_;
  std::vector<Rule> homes_;
  std::vector<Uses> uses_;
  StepLoops steps_;
  std::vector<std::int32_t> mergeLoops_;
  std::vector<std::int32_t> called_; ///< Subs, in the order of their calls.
};

template <typename Each>
void Program::forData(std::int32_t at, std::int32_t up, Each &&each) const {
  if (at < 0) {
    return;
  }
  const tutti_luna_node &node = unit_.nodes[at];
  switch (node.kind) {
  case TUTTI_LUNA_SLOT:
    each(at, up);
    for (const std::int32_t index : list(node.indices)) {
      forData(index, up, each);
    }
    return;
  case TUTTI_LUNA_OUTER:
    forData(node.a, up + node.up, each);
    return;
  case TUTTI_LUNA_INT:
  case TUTTI_LUNA_REAL:
  case TUTTI_LUNA_STRING:
  case TUTTI_LUNA_PATTERN:
    return;
  default:
    forData(node.a, up, each);
    if (node.kind >= TUTTI_LUNA_ADD) {
      forData(node.b, up, each);
    }
    if (node.kind == TUTTI_LUNA_CHOOSE) {
      forData(node.c, up, each);
    }
  }
}

} // namespace tutti::model::fragments
