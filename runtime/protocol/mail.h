// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Control messages of one rank: sends them, and hands those that arrive to whoever takes their
/// kind. Knows no protocol.
#pragma once

#include "runtime/exec/engine.h"
#include "runtime/protocol/message.h"
#include "runtime/transport/transport.h"

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace tutti::protocol {

using exec::Rank;

/// Threading: guarded by the lock of the engine's progress.
class Mail {
public:
  explicit Mail(exec::Engine &engine);

  Mail(const Mail &) = delete;
  Mail &operator=(const Mail &) = delete;

  /// Called for each message of a kind, from within the poll; it cannot wait. `reader` is behind
  /// the kind, and `message` is the handler's: its bytes may be moved away.
  using Handler = std::function<void(transport::Control &message, Reader &reader)>;

  /// Gives messages of `kind` to `handler`, which ends the job if somebody takes them already.
  ///
  /// Order: before the engine's start.
  void on(Kind kind, Handler handler);

  /// All kinds that somebody takes, sorted.
  std::vector<Kind> kinds() const;

  void send(Rank to, std::span<const std::byte> bytes) TUTTI_IN_TURN;

  /// The same for results, which are not counted as control messages: their senders count them.
  void sendResult(Rank to, std::span<const std::byte> bytes);

  /// Sends to the children of this rank in the tree over all ranks.
  void passDown(std::span<const std::byte> bytes) TUTTI_IN_TURN;

  /// Hands over what has arrived; whether anything had. Part of the engine's poll.
  bool deliver() TUTTI_IN_TURN;

private:
  exec::Engine &engine_;
  std::map<Kind, Handler> handlers_;
  std::vector<transport::Control> arrived_ TUTTI_GUARDED_BY(exec::kTurn);
};

} // namespace tutti::protocol
