// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The end of the job: rank 0 tells all ranks, down the tree, behind its last launch.
#pragma once

#include "runtime/protocol/mail.h"

namespace tutti::protocol {

/// Rank 0 to all.
inline constexpr Kind kShutdown("shutdown");

/// Threading: guarded by the lock of the engine's progress.
class Shutdown {
public:
  explicit Shutdown(Mail &mail);

  /// On rank 0: to all others.
  void send() TUTTI_IN_TURN { mail_.passDown(Writer(kShutdown).bytes()); }

  /// On the others: no launch comes any more, but for those that have arrived already.
  bool hasCome() const TUTTI_IN_TURN { return hasCome_; }

private:
  Mail &mail_;
  bool hasCome_ TUTTI_GUARDED_BY(exec::kTurn) = false;
};

} // namespace tutti::protocol
