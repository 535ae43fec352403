// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What is to be sent to other ranks.
#pragma once

#include "runtime/model/fragments/frame.h"
#include "runtime/model/fragments/names.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/state_settings.h"
#include "runtime/model/fragments/value.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::model::fragments {

class Failures;

/// What one entry of a message says.
enum Says : std::uint8_t {
  kPush = 0,   ///< A copy for a reader.
  kAssign = 1, ///< A value for its home.
  kDelete = 2, ///< A holder has deleted it: for its home.
  kDrop = 3,   ///< It is deleted: for a holder.
  kOver = 4,   ///< All below a call is over on the sender.
  kGone = 5,   ///< It was deleted before its home saw a reader: for the reader's rank.
  kRound = 6,  ///< What a round of a rope took on the sender: for rank 0.
  kCut = 7,    ///< Borders of a round to come: of rank 0.
  kFreeze = 8, ///< Borders move no more: of rank 0.
};

/// What is to be sent to other ranks.
///
/// Threading: externally synchronised.
class Outbox {
public:
  Outbox(const Program &program, const StateSettings &settings, Counts &counts, Failures &failures)
      : program_(program), settings_(settings), counts_(counts), failures_(failures),
        outgoing_(static_cast<std::size_t>(settings.ranks)) {}

  Outbox(const Outbox &) = delete;
  Outbox &operator=(const Outbox &) = delete;

  /// About a data fragment.
  void send(std::int32_t to, std::uint8_t kind, const Entry &entry, const Value &value,
            std::int32_t statement);

  void sendOfRope(std::int32_t to, std::uint8_t kind, const Rope &rope, const Value &value);

  /// A copy for a reader.
  void push(Entry &entry, std::int32_t to);

  /// All ranks ask for it, as this one does.
  void pushToAll(Entry &entry);

  /// Whether the reader came too late only its rank can say: what was made there it had all along.
  void tellGone(const Entry &entry, std::int32_t rank, std::int32_t statement);

  /// To all others: here all below a call is over.
  void tellOver(const FrameId &scope);

  /// To all others: borders move no more.
  void tellFrozen();

  /// What is to be sent to a rank; empties it.
  std::vector<std::byte> takeOutgoing(std::int32_t rank);

  bool hasOutgoing() const { return hasOutgoing_; }

private:
  const Program &program_;
  const StateSettings &settings_;
  Counts &counts_;
  Failures &failures_;
  std::vector<std::vector<std::byte>> outgoing_;
  bool hasOutgoing_ = false;
};

} // namespace tutti::model::fragments
