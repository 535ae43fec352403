// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A move that has begun, wherever its elements are.
#pragma once

#include "runtime/distribution/box.h"
#include "runtime/model/spmd/mover.h"
#include "runtime/model/spmd/world.h"

#include <span>
#include <vector>

namespace tutti::model::spmd {

/// Phases one after the other: each begins with all its messages, and ends by what it received.
///
/// Moves of one plan have the same tags, so what several arrays of one mapping have under way at a
/// time is told apart by its order: a phase begins after that of the moves that were begun before.
class Moving : public Operation {
public:
  Moving(World &world, Plan &plan, const Operands &operands, MoveCounters counters);
  ~Moving() override;

  Result<bool> advance() final;

protected:
  /// Starts the present phase's messages, and copies what stays on the node.
  virtual Status begin() = 0;
  /// Puts the messages to where they belong.
  virtual Status takeReceived() = 0;

  const distribution::Phase &phase() const { return plan_.move.phases[phase_]; }

  std::size_t phaseNumber() const { return phase_; }

  std::size_t bytesOf(const distribution::Message &message) const {
    return static_cast<std::size_t>(message.elements()) * operands_.elementBytes;
  }

  Status send(const distribution::Message &message, std::span<const std::byte> bytes);
  Status receive(const distribution::Message &message, std::span<std::byte> bytes);

  World &world_;
  Plan &plan_;
  Operands operands_;

private:
  /// Moves on what was begun before, where its present phase has not begun on this node; whether
  /// nothing of that is left.
  Result<bool> isNext();

  std::uint32_t tag() const { return plan_.tag + static_cast<std::uint32_t>(phase_); }

  MoveCounters counters_;
  std::size_t phase_ = 0;
  bool hasBegun_ = false;
  std::vector<transport::Request> requests_;
};

} // namespace tutti::model::spmd
