// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The end of the job: rank 0 tells all ranks, down the tree, behind its last launch. Where there
/// are devices, none leaves before all have finished that launch: one that has lost its device asks
/// the others for what it held.
#pragma once

#include "runtime/exec/engine.h"
#include "runtime/protocol/mail.h"

#include <cstddef>

namespace tutti::protocol {

/// Rank 0 to all.
inline constexpr Kind kShutdown("shutdown");
/// Up the tree: nobody of a subtree will ask for anything.
inline constexpr Kind kReady("ready");
/// Rank 0 to all: nobody will.
inline constexpr Kind kOver("over");

/// Threading: guarded by the lock of the engine's progress.
class Shutdown {
public:
  Shutdown(exec::Engine &engine, Mail &mail);

  /// On rank 0: to all others.
  void send() TUTTI_IN_TURN { mail_.passDown(Writer(kShutdown).bytes()); }

  /// On the others: no launch comes any more, but for those that have arrived already.
  bool hasCome() const TUTTI_IN_TURN { return hasCome_; }

  /// Answers others until none can ask. Collective, when this rank has finished all launches.
  void awaitOthers(exec::Progress::Lock &lock) TUTTI_IN_TURN;

private:
  void tellIfAllAre() TUTTI_IN_TURN;

  exec::Engine &engine_;
  Mail &mail_;
  bool hasCome_ TUTTI_GUARDED_BY(exec::kTurn) = false;
  std::size_t awaited_ TUTTI_GUARDED_BY(exec::kTurn); ///< This rank, and its subtrees.
  bool isOver_ TUTTI_GUARDED_BY(exec::kTurn) = false;
};

} // namespace tutti::protocol
