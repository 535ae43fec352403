// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the parts of a launch took: rank 0 asks for it with the launch, and the ranks tell it up
/// the tree.
#pragma once

#include "runtime/exec/engine.h"
#include "runtime/exec/launch.h"
#include "runtime/protocol/mail.h"

#include <map>
#include <optional>
#include <vector>

namespace tutti::protocol {

using exec::Sequence;

/// Up the tree: the times of a subtree's places.
inline constexpr Kind kTimes("times");

struct PlaceTime {
  memory::Place place;
  double seconds;
};

/// Of a launch, on all places that had a part of it.
struct LaunchTimes {
  Sequence sequence;
  std::vector<PlaceTime> places;
};

/// Threading: guarded by the lock of the engine's progress.
class Times {
public:
  Times(exec::Engine &engine, Mail &mail);

  /// Tells what this rank's places took. Order: once per launch that asks for it.
  void tell(LaunchTimes own) TUTTI_IN_TURN;

  /// On rank 0: a launch for which all ranks have told.
  std::optional<LaunchTimes> takeNext() TUTTI_IN_TURN;

private:
  struct Gathered {
    std::vector<PlaceTime> places;
    std::size_t told = 0; ///< Of this rank and its children.
  };

  void gather(LaunchTimes times) TUTTI_IN_TURN;

  exec::Engine &engine_;
  Mail &mail_;
  std::size_t tellers_; ///< This rank and its children.
  std::map<Sequence, Gathered> gathering_ TUTTI_GUARDED_BY(exec::kTurn);
  std::vector<LaunchTimes> complete_ TUTTI_GUARDED_BY(exec::kTurn);
};

} // namespace tutti::protocol
