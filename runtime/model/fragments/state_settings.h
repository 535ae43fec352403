// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the parts of a `State` share: how it is set, and what they count.
#pragma once

#include "runtime/model/fragments/merging.h"
#include "runtime/model/fragments/parts.h"

#include <cstdint>
#include <optional>

namespace tutti::model::fragments {

struct Counts {
  std::uint64_t calls = 0; ///< That have ended here.
  std::uint64_t made = 0;  ///< Data fragments that became values here.
  std::uint64_t live = 0;  ///< Of these and of copies, now.
  std::uint64_t peak = 0;
  std::uint64_t liveBytes = 0;
  std::uint64_t peakBytes = 0;
  std::uint64_t unfoldedPeak = 0; ///< Calls that are unfolded and not over.
  std::uint64_t skipped = 0;  ///< Iterations that do not concern this rank, and were not unfolded.
  std::uint64_t rowCalls = 0; ///< Loops whose calls were one without coming to life.
  std::uint64_t pushes = 0;   ///< Values sent to readers.
  std::uint64_t pushedBytes = 0;
  std::uint64_t messages = 0;
  std::uint64_t recuts = 0;     ///< Times that this rank has moved borders of a rope,
  std::uint64_t rounds = 0;     ///< of so many that it has heard of,
  double slowestSeconds = 0;    ///< whose slowest segments took so long together,
  double meanSeconds = 0;       ///< and segments on average.
  std::uint64_t shareMoves = 0; ///< Times that borders of parts have moved, trials included.
};

struct StateSettings {
  std::int32_t rank = 0;
  std::int32_t ranks = 1;
  std::uint64_t most = 100000; ///< Calls that are unfolded and not over, while some can run.
  std::uint64_t ahead = 8;     ///< Older calls in front of one that reads nothing and is held back.
  Parts parts;                 ///< Of each rank's segment.
  bool wantsPositions = false; ///< Calls are to know where in it they are.
  bool balances = false;       ///< Borders between segments follow what calls take.
  std::int32_t round = 4;      ///< Iterations after which they may move.
  double moveSeconds = 500e-6; ///< What is lost before they do.
  std::optional<RunCounts> merges; ///< Calls on devices are merged where the program allows that.
  bool checksMerges = false;       ///< They are not, but compared with merged ones.
};

} // namespace tutti::model::fragments
