// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Merging what several places may write: every rank tells rank 0 what it changed.
#pragma once

#include "runtime/exec/engine.h"
#include "runtime/protocol/mail.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace tutti::protocol {

using exec::Progress;
using exec::Sequence;

/// To rank 0: `Changes`.
inline constexpr Kind kChanges("changes");

/// What a rank changed in bytes that several places may write, or some of it.
struct Changes {
  Sequence sequence;
  std::uint32_t isLast;         ///< Of this rank, in this launch.
  std::vector<std::byte> bytes; ///< As `memory::ChangeWriter` makes them.
};

std::vector<std::byte> encodeChanges(Sequence sequence, bool isLast,
                                     std::span<const std::byte> bytes);
Changes decodeChanges(Reader &reader);

/// Threading: guarded by the lock of the engine's progress.
class Merges {
public:
  Merges(exec::Engine &engine, Mail &mail);

  /// Sends some of what this rank changed in launch `sequence` to rank 0.
  void send(Sequence sequence, bool isLast, std::span<const std::byte> bytes) TUTTI_IN_TURN;

  /// On rank 0: waits for some changes of launch `sequence`.
  Changes await(Progress::Lock &lock, Sequence sequence) TUTTI_IN_TURN;

private:
  exec::Engine &engine_;
  Mail &mail_;
  std::deque<Changes> arrived_ TUTTI_GUARDED_BY(exec::kTurn); ///< Of the launch that rank 0 is in.
};

} // namespace tutti::protocol
