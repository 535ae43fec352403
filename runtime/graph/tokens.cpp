// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/graph/tokens.h"

#include <algorithm>
#include <iterator>

namespace tutti::graph {

namespace {

/// Of a node of `Pieces`.
constexpr std::size_t kPieceSlot = 96;

bool isBelow(const Node &node, const NodeState &above) {
  if (above.node == nullptr) {
    return false;
  }
  const Node *at = &node;
  while (at != nullptr && at != above.node) {
    at = at->parent;
  }
  return at != nullptr;
}

template <typename Visit> void forEachRun(const Segment &segment, Visit visit) {
  if (segment.box == nullptr) {
    visit(segment.range);
  } else {
    segment.box->forEach(visit);
  }
}

} // namespace

Tokens::Tokens()
    : slots_(kPieceSlot), pieces_(SlotAllocator<std::pair<const std::uint64_t, Piece>>(slots_)) {}

bool Tokens::take(NodeState &node) {
  bool isKept = false;
  for (Stake *stake = node.stakes; stake != nullptr && !isKept; stake = stake->nextOfNode) {
    if (needsToken(*stake)) {
      forEachRun(*stake->segment, [&](Range run) { isKept = isKept || waits(node, run); });
    }
  }
  for (Stake *stake = node.stakes; stake != nullptr && !isKept; stake = stake->nextOfNode) {
    if (needsToken(*stake)) {
      forEachRun(*stake->segment, [&](Range run) { hold(node, run); });
    }
  }
  return !isKept;
}

void Tokens::giveBack(const NodeState &node, const Segment &segment) {
  forEachRun(segment, [&](Range run) { giveBack(node, run); });
}

/// The first piece that ends behind the byte.
Tokens::Pieces::iterator Tokens::firstBehind(std::uint64_t byte) {
  const auto at = pieces_.upper_bound(byte);
  if (at != pieces_.begin() && std::prev(at)->second.end > byte) {
    return std::prev(at);
  }
  return at;
}

/// Divides the piece that has the byte inside. Who waits stays with the first part, and needs both.
void Tokens::cut(std::uint64_t at) {
  const auto found = firstBehind(at);
  if (found == pieces_.end() || found->first >= at) {
    return;
  }
  Piece &left = found->second;
  Piece &right = pieces_.emplace_hint(std::next(found), at, Piece{left.end})->second;
  left.end = at;
  Hold **link = &right.inner;
  for (const Hold *hold = left.inner; hold != nullptr; hold = hold->outer) {
    *link = holds_.make(*hold);
    link = &(*link)->outer;
  }
}

/// If somebody keeps the node from a byte of the range, the node waits there.
bool Tokens::waits(NodeState &node, Range range) {
  for (auto at = firstBehind(range.begin); at != pieces_.end() && at->first < range.end; ++at) {
    const Hold *inner = at->second.inner;
    if (inner == nullptr || isBelow(*node.node, *inner->node)) {
      continue;
    }
    const std::uint64_t begin = std::max(range.begin, at->first);
    cut(range.begin);
    cut(range.end);
    Piece &piece = pieces_.find(begin)->second;
    (piece.firstWaiter == nullptr ? piece.firstWaiter : piece.lastWaiter->nextWaiter) = &node;
    piece.lastWaiter = &node;
    return true;
  }
  return false;
}

void Tokens::hold(const NodeState &node, Range range) {
  cut(range.begin);
  cut(range.end);
  auto at = pieces_.lower_bound(range.begin);
  for (std::uint64_t begin = range.begin; begin < range.end; ++at) {
    if (at == pieces_.end() || at->first > begin) {
      const std::uint64_t end = at == pieces_.end() ? range.end : std::min(range.end, at->first);
      at = pieces_.emplace_hint(at, begin, Piece{end});
    }
    at->second.inner = holds_.make(&node, at->second.inner);
    begin = at->second.end;
  }
}

void Tokens::giveBack(const NodeState &node, Range range) {
  cut(range.begin);
  cut(range.end);
  auto at = pieces_.lower_bound(range.begin);
  while (at != pieces_.end() && at->first < range.end) {
    Piece &piece = at->second;
    Hold **link = &piece.inner;
    while ((*link)->node != &node) {
      link = &(*link)->outer;
    }
    Hold *gone = *link;
    *link = gone->outer;
    holds_.destroy(gone);
    if (piece.firstWaiter == nullptr && piece.inner == nullptr) {
      at = pieces_.erase(at);
      continue;
    }
    if (piece.firstWaiter != nullptr && !piece.isFreed) {
      piece.isFreed = true;
      freed_.push_back(at);
    }
    ++at;
  }
}

} // namespace tutti::graph
