// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Carries out one node's part of a move.
#pragma once

#include "base/result.h"
#include "runtime/distribution/box.h"
#include "runtime/transport/combine.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tutti::model::spmd {

class Moving;
class Operation;
class World;

using Bytes = std::vector<std::byte>;

/// Unified memory in which devices pack what a phase sends, and find what it received.
struct Exchange {
  std::unique_ptr<std::byte, std::function<void(void *)>> memory;
  std::span<std::byte> sent;     ///< What is sent, and copied within the node. Whole pages.
  std::span<std::byte> received; ///< Whole pages.
};

/// Of each phase one.
using Exchanges = std::vector<Exchange>;

/// A move that is remembered, with memory for its messages.
struct Plan {
  Plan(distribution::Move itsMove, std::uint32_t itsTag)
      : move(std::move(itsMove)), tag(itsTag), buffers(move.phases.size()) {}

  /// Of one phase; of each message one, of copies one for all.
  struct Buffers {
    std::vector<Bytes> sends;
    std::vector<Bytes> receives;
    Bytes copies;
  };

  distribution::Move move;
  std::uint32_t tag; ///< Of its messages.
  std::vector<Buffers> buffers;
  bool isBusy = false;            ///< Its buffers are in use.
  std::vector<Exchanges> spare;   ///< Those that no move between device copies uses.
  std::vector<Moving *> underWay; ///< In the order in which they were begun.
};

/// The same on all nodes that take part in a move of that content.
std::uint32_t tagOf(const std::vector<distribution::Index> &content);

/// What is moved from where to where, on this node.
struct Operands {
  const std::byte *source; ///< The allocation that boxes of what is given refer to.
  std::byte *target;       ///< Of what is received.
  std::size_t elementBytes;
  bool isApart; ///< In one phase nothing is written that is read.
  /// Adds elements of this type to what is there, in place of writing them.
  std::optional<transport::Element> adds;
};

/// What moves are counted as; references to two of the counters.
struct MoveCounters {
  std::uint64_t &messages;
  std::uint64_t &bytes;
};

/// Begins the move. `plan` outlives it.
std::unique_ptr<Operation> beginMove(World &world, Plan &plan, const Operands &operands,
                                     MoveCounters counters);

/// The same where devices have what is moved: they pack and unpack it, so that nothing else of the
/// memory around it moves between them and the host. Source and target are one device copy.
std::unique_ptr<Operation> beginDeviceMove(World &world, Plan &plan, const Operands &operands,
                                           MoveCounters counters);

} // namespace tutti::model::spmd
