// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a place takes with bytes that it gets to write, in launches that move on through an object.
///
/// A border of two places in the middle of a row would stay there: a window of columns that moves
/// on hands one number over at each launch. So who gets bytes right beside those that it alone has
/// takes as many more as it has there, from whoever it gets those from:
///
///        row r     |aaaaaa[aaaa+]bbbbbbbbb|    a writes the window [ ], and gets + of b;
///        row r     |aaaaaa[aaaaa]aaaaaabbb|    behind the launch it alone has as many more
///
/// So a row changes hands in a few launches, and a place at most doubles what it has there. It
/// takes nothing of the next row, or a border would go on by a row each time that all columns have
/// been gone through.
#pragma once

#include "base/range.h"
#include "runtime/memory/access_record.h"
#include "runtime/memory/directory.h"

#include <span>
#include <vector>

namespace tutti::exec {

/// Shorter runs that are written are fields of structures, whose other fields others may write,
/// threads of the program among them.
constexpr std::uint64_t kLeastRun = 64;

/// What one place does in a launch.
struct Taker {
  memory::Place place;
  const memory::AccessRecords &records;
  const RangeSet &ownWrites;             ///< Of what it alone has,
  const std::vector<Range> &readInPlace; ///< and of what it has; in no order.
  memory::ChunkAccess &access;           ///< What is not in place.
};

/// Adds what places take to what they touch, and returns all of it. Nobody else touches it, and it
/// lies in whole pages of one of `arrays`: a page that holds other variables may not be protected.
///
/// Shape: a taker for each place with a part; nobody scatters. `reduced`: what reductions are
///        combined into.
/// Cost:  linear in the ranges of all places, if something may be taken; else little.
RangeSet takeRests(std::span<const Taker> takers, const memory::ChunkAccess &reduced,
                   const RangeSet &arrays, const memory::Directory &directory);

} // namespace tutti::exec
