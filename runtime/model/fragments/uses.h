// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How often a program reads each data fragment, where loops and indices say so: whoever has been
/// read that often is never read again.
#pragma once

#include "abi/luna.h"

#include <cstdint>
#include <vector>

namespace tutti::model::fragments {

class Program;
struct Frame;
class Tuple;
struct Neighbours;

/// A statement between the block that declares a data fragment and an expression that reads it.
struct Turn {
  std::int32_t statement = -1; ///< A `for`, or an `if`.
  bool isLoop = false;
  bool isOther = false;    ///< Of an `if`: what it does if its condition does not hold.
  std::int32_t frames = 0; ///< From the declaring block's frame to the one around the statement.
};

/// One place where the program reads a data fragment.
struct Use {
  std::vector<Turn> turns;         ///< From outside to inside.
  std::vector<std::int32_t> loops; ///< For each frame inside the declaring block's: the position in
                                   ///< `turns` of the loop that makes it, or -1.
  tutti_luna_list indices{};
  std::int32_t up = 0;     ///< From the reader's frame to where the indices are evaluated.
  std::int32_t frames = 0; ///< From the declaring block's frame to the reader's.
};

/// All places that read the data fragments of one slot.
struct Uses {
  bool isKnown = true; ///< There are no others.
  /// Every rank may ask for them, because other things depend on them: conditions, bounds, indices,
  /// rules, arguments of subs. True, too, of a parameter whose data fragments are asked for so.
  bool areForAll = false;
  bool areSignals = true;  ///< Nothing but `>>` makes them: their value is 1.
  bool areLimited = false; ///< A `req_count` may say of them how often they will be asked for.
  /// All ranks find the same requests: no operator decides while it runs whether it asks. As above
  /// for parameters.
  bool areCertain = true;
  std::vector<Use> all;
};

/// For each slot of the unit; of those that are missing at the end nothing is known.
std::vector<Uses> findUses(const Program &program);

/// How often a data fragment that belongs to `frame` is read; `Entry::kUnknown` if that cannot be
/// said, `Entry::kNotCounted` if it cannot be said yet, because it follows from a data fragment
/// that has not been here.
std::int32_t countUses(const Program &program, const Uses &uses, Frame *frame, const Tuple &tuple);

/// What `countUses` needs of one place that reads, where all of it but the indices follows from the
/// frame.
struct PlannedUse {
  /// `factor * counter + constant`; a constant alone if there is no counter.
  struct Index {
    std::int64_t constant = 0;
    std::int64_t factor = 0;
    std::size_t turn = 0; ///< Whose counter it is, unless the factor is 0.
  };

  /// How often a statement comes to life, or which counters of a loop there are.
  struct Range {
    std::int64_t first = 0;
    std::int64_t last = -1;
    bool isFound = false; ///< The counter follows from an index,
    bool mayWrap = false; ///< of which 32 bits are not enough for all.
    bool isNever = false; ///< A condition that does not hold.
  };

  std::vector<Index> indices;
  std::vector<Range> turns;
};

/// `countUses` for the data fragments of one base: what follows from the frame is found once.
class CountedUses {
public:
  std::int32_t count(const Program &program, const Uses &uses, Frame *frame, const Tuple &tuple);

  /// The same for neighbours: of each of them. Empty if that is not known of all.
  std::vector<std::int32_t> countRow(const Program &program, const Uses &uses, Frame *frame,
                                     const Neighbours &names);

private:
  std::int32_t counted_ = 0;
  bool isPlanned_ = false;
  std::vector<PlannedUse> plan_; ///< For each use.
};

} // namespace tutti::model::fragments
