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

  /// Each worker has one task to run and one to go on with, so that nobody waits for what is on its
  /// way; what is ready beyond that may still go anywhere.
  bool hasRoom() const { return underway < 2 * workers; }
};

/// The rank with room, own one first, on which a task that has to get `missing[rank]` bytes is over
/// first; nothing if none has room. `taskSeconds`: what tasks take.
std::optional<std::uint32_t> chooseRank(std::span<const RankLoad> ranks,
                                        std::span<const std::uint64_t> missing, double taskSeconds);

} // namespace tutti::model::tasks
