// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/rank_choice.h"

#include <algorithm>
#include <cstddef>

namespace tutti::model::tasks {

namespace {

/// Of a network, about: only orders of magnitude matter here.
constexpr double kBytesPerSecond = 4e9;

/// What leaves its place for once is wanted there again, mostly.
constexpr double kMoves = 2;

/// What it costs to tell another rank of a task, and to hear of its end.
constexpr double kRemoteSeconds = 50e-6;

} // namespace

/// Where the own workers would have run as many meanwhile, others are of no help.
bool isWorthSending(const RankLoad &own, double taskSeconds) {
  return taskSeconds >= kRemoteSeconds * own.workers / 2;
}

std::optional<std::uint32_t> chooseRank(std::span<const RankLoad> ranks,
                                        std::span<const std::uint64_t> missing, double taskSeconds,
                                        std::uint32_t perWorker) {
  if (!isWorthSending(ranks.front(), taskSeconds)) {
    return ranks.front().hasRoom(perWorker) ? std::optional(0U) : std::nullopt;
  }
  std::optional<std::uint32_t> best;
  double least = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankLoad &load = ranks[rank];
    if (!load.hasRoom(perWorker)) {
      continue;
    }
    const double seconds = kMoves * static_cast<double>(missing[rank]) / kBytesPerSecond +
                           load.before() + (rank == 0 ? 0 : kRemoteSeconds);
    if (!best || seconds < least) {
      best = static_cast<std::uint32_t>(rank);
      least = seconds;
    }
  }
  return best;
}

} // namespace tutti::model::tasks
