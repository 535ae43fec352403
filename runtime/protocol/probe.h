// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Probes: rank 0 measures how long a message takes.
#pragma once

#include "runtime/exec/engine.h"
#include "runtime/protocol/mail.h"

#include <cstdint>

namespace tutti::protocol {

using exec::Progress;

/// Rank 0 to another and back.
inline constexpr Kind kProbe("probe");

/// Threading: guarded by the lock of the engine's progress.
class Probes {
public:
  Probes(exec::Engine &engine, Mail &mail);

  /// On rank 0: seconds for one way to `peer`, the shortest of a few round trips: the others met
  /// something else.
  double measure(Progress::Lock &lock, Rank peer) TUTTI_IN_TURN;

private:
  exec::Engine &engine_;
  Mail &mail_;
  std::uint64_t returned_ TUTTI_GUARDED_BY(exec::kTurn) = 0; ///< On rank 0.
};

} // namespace tutti::protocol
