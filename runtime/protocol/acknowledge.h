// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Acknowledging launches: each rank tells its parent in the tree now and then how far its subtree
/// has come, so that rank 0 does not run ahead without end.
#pragma once

#include "runtime/exec/engine.h"
#include "runtime/protocol/mail.h"

#include <map>

namespace tutti::protocol {

using exec::Sequence;

/// Up the tree: all of a subtree have finished that launch.
inline constexpr Kind kAcknowledge("acknowl");

/// Threading: guarded by the lock of the engine's progress.
class Acknowledgements {
public:
  Acknowledgements(exec::Engine &engine, Mail &mail);

  /// Launches that rank 0 may be ahead of `bySubtree`.
  static constexpr Sequence kAhead = 64;

  /// Notes that this rank has finished a launch.
  void finish(Sequence sequence) TUTTI_IN_TURN;

  /// A launch that all of this rank's subtree are known to have finished.
  Sequence bySubtree() const TUTTI_IN_TURN { return bySubtree_; }

  /// On rank 0: the same, or, if that is the only rank, the latest launch.
  Sequence byAll() const { return engine_.size() > 1 ? bySubtree_ : engine_.finished; }

private:
  void acknowledge() TUTTI_IN_TURN;

  exec::Engine &engine_;
  Mail &mail_;
  Sequence bySubtree_ TUTTI_GUARDED_BY(exec::kTurn) = 0;
  std::map<Rank, Sequence> byChild_ TUTTI_GUARDED_BY(exec::kTurn);
};

} // namespace tutti::protocol
