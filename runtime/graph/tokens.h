// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Who has commutative memory to itself: one token for each byte in the whole program. A node has
/// all that it needs, or waits; of others only its descendants may have meanwhile what it has.
#pragma once

#include "base/range.h"
#include "runtime/graph/parts.h"
#include "runtime/graph/pool.h"

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace tutti::graph {

/// Threading: externally synchronised.
class Tokens {
public:
  Tokens();
  Tokens(const Tokens &) = delete;
  Tokens &operator=(const Tokens &) = delete;

  /// Takes all tokens that the node needs, or none: then `retry` comes back to it.
  bool take(NodeState &node);

  /// The node has the bytes of this segment no longer.
  void giveBack(const NodeState &node, const Segment &segment);

  /// Takes what can be taken for those that wait at what was given back, and calls
  /// `ready(NodeState &)` for each that has all.
  template <typename Ready> void retry(Ready ready) {
    for (std::size_t i = 0; i < freed_.size(); ++i) {
      retryAt(freed_[i], ready);
    }
    freed_.clear();
  }

private:
  /// A node that has the bytes of a piece. One below another has them inside of that.
  struct Hold {
    const NodeState *node;
    Hold *outer;
  };

  /// Bytes that are held by the same nodes. Each waiter needs all of them.
  struct Piece {
    std::uint64_t end;
    Hold *inner = nullptr;
    NodeState *firstWaiter = nullptr;
    NodeState *lastWaiter = nullptr;
    bool isFreed = false; ///< `retry` will come here.
  };

  using Pieces = std::map<std::uint64_t, Piece, std::less<>,
                          SlotAllocator<std::pair<const std::uint64_t, Piece>>>;

  template <typename Ready> void retryAt(Pieces::iterator at, Ready ready);
  Pieces::iterator firstBehind(std::uint64_t byte);
  void cut(std::uint64_t at);
  bool waits(NodeState &node, Range range);
  void hold(const NodeState &node, Range range);
  void giveBack(const NodeState &node, Range range);

  Slots slots_;
  Pool<Hold> holds_;
  Pieces pieces_; ///< By their first bytes. Only what is held or waited for.
  std::vector<Pieces::iterator> freed_;
};

template <typename Ready> void Tokens::retryAt(Pieces::iterator at, Ready ready) {
  Piece &piece = at->second;
  piece.isFreed = false;
  NodeState *waiter = std::exchange(piece.firstWaiter, nullptr);
  NodeState *last = std::exchange(piece.lastWaiter, nullptr);
  while (waiter != nullptr) {
    NodeState *next = std::exchange(waiter->nextWaiter, nullptr);
    const bool isTaken = take(*waiter);
    if (isTaken) {
      ready(*waiter);
    }
    waiter = next;
    if (isTaken && next != nullptr) { // None of the others is below what is about to begin.
      (piece.firstWaiter == nullptr ? piece.firstWaiter : piece.lastWaiter->nextWaiter) = next;
      piece.lastWaiter = last;
      return;
    }
  }
  if (piece.firstWaiter == nullptr && piece.inner == nullptr) {
    pieces_.erase(at);
  }
}

} // namespace tutti::graph
