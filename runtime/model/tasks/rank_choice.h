// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// On which rank a task costs least: what has to move there against what is waiting there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tutti::model::tasks {

/// What is known of one rank.
struct RankLoad {
  std::uint32_t workers = 1;
  std::uint32_t underway = 0; ///< Tasks that it has been given and that have not ended.
  double seconds = 0;         ///< What these are expected to take, all in all.

  /// What is ready beyond that may still go anywhere.
  bool hasRoom(std::uint32_t perWorker) const { return underway < perWorker * workers; }

  /// How long a new task waits for a worker.
  double before() const {
    return underway < workers
               ? 0
               : seconds / underway * static_cast<double>(underway - workers + 1) / workers;
  }
};

/// Tasks that a rank is given for each of its workers, at most,
inline constexpr std::uint32_t kMostTasks = 64;
/// and while nothing is known of what such tasks take: they may be very short.
inline constexpr std::uint32_t kMostUnknown = 2;

/// Whether tasks that take so long may be over sooner if other ranks get some of them: the own one
/// tells them of one task after the other.
bool isWorthSending(const RankLoad &own, double taskSeconds);

/// The rank with room, own one first, on which a task that has to get `missing[rank]` bytes is over
/// first; nothing if none has room. `taskSeconds`: what it is expected to take.
/// `perWorker`: tasks after which a rank has no room.
std::optional<std::uint32_t> chooseRank(std::span<const RankLoad> ranks,
                                        std::span<const std::uint64_t> missing, double taskSeconds,
                                        std::uint32_t perWorker = kMostTasks);

} // namespace tutti::model::tasks
