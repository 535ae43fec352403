// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What lives while a program unfolds: frames with slots, and data fragments in them.
#pragma once

#include "abi/luna.h"
#include "base/few.h"
#include "runtime/balance/segments.h"
#include "runtime/model/fragments/graves.h"
#include "runtime/model/fragments/names.h"
#include "runtime/model/fragments/rows_by_name.h"
#include "runtime/model/fragments/uses.h"
#include "runtime/model/fragments/value.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace tutti::model::fragments {

struct Base;
struct Call;
struct Entry;
struct Frame;
struct Late;
struct Rope;

/// Something that goes on once the data fragments that it asked for are there.
struct Waiter {
  std::uint32_t missing = 0;
  std::uint32_t held = 0;   ///< Of these, for which the call that makes them is held back.
  bool isCall = false;      ///< A `Call`, else an `Activity`.
  Waiter *before = nullptr; ///< In the list of all that lives, for messages.
  Waiter *behind = nullptr;
  std::int32_t statement = -1;
  Frame *frame = nullptr;
};

/// What is known here of one data fragment: at its home everything, elsewhere a copy.
struct Entry {
  static constexpr std::int32_t kNotCounted = -2;
  static constexpr std::int32_t kUnknown = -1;

  Base *base = nullptr;
  Tuple tuple;
  std::uint64_t hash = 0;
  Entry *nextInBucket = nullptr;
  Entry *nextInBase = nullptr;
  Entry *previousInBase = nullptr;
  Value value;
  Few<Waiter *, 2> waiters;
  std::vector<std::int32_t> wanting; ///< Ranks that are to get it, of one that is at home here.
  std::vector<std::int32_t> holders; ///< Ranks that have a copy.
  Call *maker = nullptr;             ///< Of this rank, that is held back.
  std::int32_t producer = -1;        ///< The statement that assigned it.
  std::int32_t home = -1;            ///< Once it is known.
  std::int32_t limit = -1;           ///< Of `req_count`.
  std::int32_t uses = kNotCounted;   ///< How many requests there will be, or why that is not known.
  std::uint32_t requests = 0;        ///< That are known of; elsewhere only if that is of use.
  std::uint32_t rules = 0;           ///< That ask for it, and wait for something.
  std::uint32_t users = 0;           ///< Pointers to it that calls and scopes have.
  std::uint32_t waitingReaders = 0;  ///< Calls of this rank that read it, and wait for something.
  bool isAssigned = false;           ///< Even if the value is gone.
  bool isDeleted = false;
  bool isForAll = false; ///< Every rank is to get it.
};

/// A data fragment's name without indices, made by a frame.
struct Base {
  Frame *frame = nullptr;
  std::int32_t slot = 0; ///< Of the unit's.
  std::int32_t here = 0; ///< In the frame.
  Entry *first = nullptr;
  Entry *plain = nullptr; ///< The one without indices.
  Graves graves;
  /// The plain one's value, if that is an integer, for ever: loops and indices may have followed
  /// from it.
  std::optional<std::int32_t> number;
  bool hasValue = false; ///< It has been here.
  CountedUses uses;
  RowsByName rows; ///< Of data fragments without an entry.
};

/// Calls of subs that led somewhere, for messages.
struct Chain {
  std::int32_t statement;
  std::shared_ptr<const Chain> outer; ///< Other owners: frames of subs that were called from there.
};

/// A name that is passed on.
struct Name {
  Base *base = nullptr;
  Tuple tuple;
};

struct Slot {
  Value value;
  std::unique_ptr<Base> own;  ///< Of a data fragment of this frame.
  std::unique_ptr<Name> name; ///< Of a `name` parameter; keeps the base's frame.
};

/// Of a frame; a few of them, as the bodies of loops have, take no memory of their own.
class Slots {
public:
  /// Order: before they are used.
  void make(std::size_t count) {
    if (count > kInside) {
      more_ = std::make_unique<Slot[]>(count);
    }
  }

  Slot &operator[](std::size_t at) { return more_ ? more_[at] : inside_[at]; }

  const Slot &operator[](std::size_t at) const { return more_ ? more_[at] : inside_[at]; }

private:
  static constexpr std::size_t kInside = 2;

  std::array<Slot, kInside> inside_;
  std::unique_ptr<Slot[]> more_;
};

/// One coming to life of a block that has slots. Lives while anything in it does.
struct Frame {
  Frame *parent = nullptr; ///< Of the block around it; null for the body of a sub.
  Frame *before = nullptr; ///< In the list of all.
  Frame *behind = nullptr;
  const tutti_luna_block *block = nullptr;
  FrameId id; ///< On one rank of none but this frame, else the same on all.
  std::uint64_t references = 1;
  /// Messages of other ranks that are known to come; those that came before that was known count
  /// below 0.
  std::int64_t expected = 0;
  Slots slots;
  std::shared_ptr<const Chain> chain;
  std::vector<std::unique_ptr<Rope>> ropes; ///< Of loops that stand in the block.
};

/// So many frames around it.
inline Frame *above(Frame *frame, std::int32_t up) {
  for (; up > 0; --up) {
    frame = frame->parent;
  }
  return frame;
}

/// Everything below a call of a sub, for what is to happen when it is over.
struct Scope {
  Scope *outer = nullptr;
  std::uint64_t open = 0; ///< Activities and calls of this rank that are not over.
  std::int32_t statement = -1;
  Frame *frame = nullptr; ///< Where `signals` and `deletes` of the statement are evaluated.
  FrameId id;
  std::int32_t arrived = 0; ///< Ranks on which it is over.
  std::vector<Entry *> signals;
  std::vector<Entry *> deletes;
  Rope *rope = nullptr; ///< Of which it is a round, if it is one.
};

/// Borders of the ranks' segments on a rope, from a step of its loop on.
struct Cut {
  std::int64_t first = 0;
  balance::Borders borders; ///< In buckets of the rope; empty for equal segments.
};

/// Some iterations of a loop, after which borders may move, as one rank sees them.
struct Round {
  std::int64_t first = 0;
  bool isOver = false;
  Scope scope;
  std::vector<double> seconds; ///< That calls of this rank took, by bucket; empty for none.
};

/// A loop's steps in one frame: which borders hold in which of them. The same on every rank, as far
/// as it is known there.
struct Rope {
  Frame *frame = nullptr; ///< In which the loop stands; owns this.
  std::int32_t loop = -1;
  std::optional<std::int64_t> last;    ///< Iteration, once that is known.
  std::vector<Cut> cuts;               ///< By steps.
  std::int64_t end = 0;                ///< The first step of which no borders are known.
  std::map<std::int64_t, Entry> gates; ///< Of steps for whose borders somebody waits.
  std::deque<Round> rounds;            ///< That are known and not over here, from `firstRound` on.
  std::int64_t firstRound = 0;

  // Of rank 0.
  struct Sum {
    std::int32_t told = 0; ///< Ranks.
    std::vector<double> seconds;
  };

  std::deque<Sum> sums; ///< Of rounds of which not all ranks have told, from `firstSum` on.
  std::int64_t firstSum = 0;
  std::optional<balance::Segments> segments;
};

/// A statement that unfolds, or a rule `req_count`, which does not hold up its call.
struct Activity : Waiter {
  const tutti_luna_block *block = nullptr; ///< Of one that goes through a list of statements.
  std::int32_t next = 0;                   ///< Statement of the list; or the counter of a loop.
  std::int32_t last = 0;
  bool isBegun = false; ///< The bounds of the loop are known.
  bool isOver = false;
  std::int32_t rule = -1; ///< The `req_count` of a call, if that is what is asked about.
  Frame *body = nullptr;  ///< Of a `while` whose condition is asked about.
  Scope *scope = nullptr;
  /// Of a loop that passes over other ranks' iterations: a body in which they are looked at.
  Frame *look = nullptr;
  bool isLookedAt = false; ///< It is known whether it does.
  Late *late = nullptr;    ///< What it is part of, if that has waited.
  Scope *round = nullptr;  ///< Of a loop whose steps a rope follows: what its iterations belong to.
};

} // namespace tutti::model::fragments
