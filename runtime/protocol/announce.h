// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Announcing launches: rank 0 tells all ranks, down the tree.
#pragma once

#include "runtime/exec/followed.h"
#include "runtime/exec/launch.h"
#include "runtime/protocol/mail.h"
#include "runtime/protocol/message.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace tutti::protocol {

using exec::Launch;
using exec::RecentlyFollowed;

/// Rank 0 to all: `Launch`, with the region's id in place of its address, and without the contents
/// of what is followed if they have been sent before.
inline constexpr Kind kLaunch("launch");

/// For all ranks; uses what is followed in `recent`, the sender's.
std::vector<std::byte> encode(const Launch &launch, RecentlyFollowed &recent);

/// Finds a region by its id; null if there is none.
using RegionOf = const tutti_region *(*)(std::uint64_t id);

/// As above, the receiver's. Every launch of the job has to be decoded, in order.
Launch decodeLaunch(Reader &reader, RegionOf regionOf, RecentlyFollowed &recent);

/// Launches on their way to the ranks that run them.
///
/// Threading: guarded by the lock of the engine's progress.
class Announcements {
public:
  explicit Announcements(Mail &mail);

  /// On rank 0: to all others. Each of them passes it on before it looks at it.
  void send(const Launch &launch) TUTTI_IN_TURN;

  /// On the others: whether a launch has come.
  bool hasNext() const TUTTI_IN_TURN { return !arrived_.empty(); }

  /// The oldest one.
  Launch takeNext(RegionOf regionOf) TUTTI_IN_TURN;

private:
  Mail &mail_;
  RecentlyFollowed recent_ TUTTI_GUARDED_BY(exec::kTurn); ///< The same on all ranks.
  std::deque<std::vector<std::byte>> arrived_ TUTTI_GUARDED_BY(exec::kTurn);
};

} // namespace tutti::protocol
