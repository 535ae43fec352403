// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Partial results of reductions: they go up a tree over the ranks that contribute.
#pragma once

#include "runtime/exec/engine.h"
#include "runtime/exec/reduction.h"
#include "runtime/protocol/mail.h"

#include <cstddef>
#include <span>

namespace tutti::protocol {

using exec::Sequence;

/// To the parent: sequence, bytes of a partial result; none if a part has strayed.
inline constexpr Kind kPartial("partial");

/// Threading: guarded by the lock of the engine's progress.
class Partials {
public:
  Partials(exec::Engine &engine, Mail &mail);

  void send(Rank to, Sequence sequence, std::span<const std::byte> bytes) TUTTI_IN_TURN;

  /// Those that have come. Whoever combines them takes them out.
  exec::PartialResults arrived TUTTI_GUARDED_BY(exec::kTurn);

private:
  exec::Engine &engine_;
  Mail &mail_;
};

} // namespace tutti::protocol
