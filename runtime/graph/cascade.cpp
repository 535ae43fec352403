// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/graph/cascade.h"

namespace tutti::graph {

namespace {

/// Whether the stakes of both do not wait for one another.
bool areOne(const Round &a, const Round &b) {
  return a.kind == b.kind && a.kind != AccessKind::InOut && a.group == b.group;
}

} // namespace

/// The node is ready. The caller does not know a proxy.
void Cascade::tell(NodeState &node, Sink &sink) {
  if (node.instance != nullptr) {
    node.instance->replay->open(replayPools, sink);
  } else {
    sink.ready(*node.node);
  }
}

void Cascade::run(Sink &sink) {
  settle(sink);
  // Nothing below changes a list that `settle` goes through.
  for (std::size_t i = 0; i < satisfied_.size(); ++i) {
    NodeState &node = *satisfied_[i];
    if (!node.needsTokens || takeTokens(node)) {
      tell(node, sink);
    }
  }
  satisfied_.clear();
  tokens_.retry([&](NodeState &node) { tell(node, sink); });
}

void Cascade::settle(Sink &sink) {
  while (true) {
    if (!lowered_.empty()) {
      Segment &segment = *lowered_.back();
      lowered_.pop_back();
      open(segment, segment.first, segment.open);
    } else if (!passing_.empty()) {
      Segment &segment = *passing_.back();
      passing_.pop_back();
      passUp(segment);
    } else if (!complete_.empty()) {
      Group &group = *complete_.back();
      complete_.pop_back();
      combine(group, sink);
    } else if (!released_.empty()) {
      Stake &stake = *released_.back();
      released_.pop_back();
      releaseNow(stake);
    } else {
      return;
    }
  }
}

void Cascade::releaseNow(Stake &stake) {
  if (stake.node->domain != nullptr && !uncover(stake)) {
    return;
  }
  if (stake.node->needsTokens && needsToken(stake)) {
    tokens_.giveBack(*stake.node, *stake.segment);
  }
  Round &round = *stake.round;
  NodeState &node = *stake.node;
  NodeState &above = *stake.segment->domain->owner;
  segments_.destroy(stake);
  if (round.group != nullptr && !round.isInherited) {
    complete(*round.group);
  } else if (round.live == 0) {
    remove(round);
  } else if (round.passingReads + round.passingConcurrents > 0) {
    openBehind(round); // What is left may let more go.
  }
  if (segments_.hasForgotten()) {
    segments_.dropForgotten(node);
    segments_.dropForgotten(above);
  }
}

/// Drops what lies below the roof. Not if it has rounds again: the program goes on using what it
/// has released, and the roof stays until that has ended as well.
bool Cascade::uncover(Stake &roof) {
  Domain &domain = *roof.node->domain;
  const Range range = roof.segment->range;
  auto at = domain.index.lower_bound(range.begin);
  while (at != domain.index.end() && at->first < range.end) {
    Segment &below = *at->second;
    ++at;
    if (below.roof != &roof) {
      continue;
    }
    if (!below.empty()) {
      return false;
    }
    segments_.erase(below);
  }
  return true;
}

void Cascade::close(Group &group) {
  group.isClosed = true;
  complete(group);
}

/// Has the group combined if nothing of it, or before it, is left.
void Cascade::complete(Group &group) {
  if (group.isClosed && group.live == 0 && group.shut == 0 && !group.isComplete) {
    group.isComplete = true;
    complete_.push_back(&group);
  }
}

void Cascade::combine(Group &group, Sink &sink) {
  sink.combine(group);
  Round *round = group.rounds;
  NodeState &owner = *group.domain->owner;
  segments_.destroy(group);
  while (round != nullptr) {
    Round *next = round->nextOfGroup;
    remove(*round);
    round = next;
  }
  segments_.dropForgotten(owner);
}

void Cascade::remove(Round &round) {
  Segment &segment = *round.segment;
  Round *previous = round.previous;
  Round *next = round.next;
  segments_.destroy(round);
  if (next == nullptr) {
    if (segment.empty()) {
      emptied(segment);
    } else {
      pass(segment);
    }
  } else if (previous == nullptr) {
    open(segment, next, segment.open);
  } else if (areOne(*previous, *next)) {
    openOne(*next, previous->open);
    const Round &joined = segments_.join(*previous, *next);
    openBehind(joined);
  } else {
    open(segment, next, previous->open & passesOf(*previous));
  }
}

void Cascade::pass(Segment &below) {
  // Before the end of the body there may come more children.
  if (below.roof != nullptr && below.roof->hasEnded && below.roof->node->hasEnded) {
    passing_.push_back(&below);
  }
}

/// What goes beside all that lives in the segment goes beside the roof.
void Cascade::passUp(Segment &segment) {
  Stake &roof = *segment.roof;
  const Kinds more = segment.tail & static_cast<Kinds>(~(roof.passes | kOthers));
  if (more != 0) {
    Round &round = *roof.round;
    segments_.pass(roof, more);
    openBehind(round);
  }
}

void Cascade::emptied(Segment &segment) {
  --segment.domain->live;
  if (segment.roof != nullptr) {
    if (segment.roof->hasEnded) {
      release(*segment.roof);
    }
  } else if (segment.domain->owner->hasEnded) {
    segments_.erase(segment);
  }
}

/// Opens the round, and what follows in the segment from that.
void Cascade::open(Segment &segment, Round *round, Kinds kinds) {
  // What is open grows only, so that nothing changes behind a round that stays the same.
  for (; round != nullptr && round->open != kinds; round = round->next) {
    openOne(*round, kinds);
    kinds &= passesOf(*round);
  }
  if (round == nullptr && segment.tail != kinds) {
    segment.tail = kinds;
    pass(segment);
  }
}

void Cascade::openBehind(const Round &round) {
  open(*round.segment, round.next, round.open & passesOf(round));
}

void Cascade::openOne(Round &round, Kinds kinds) {
  if (round.group != nullptr && !round.isInherited && isOpenForAll(kinds) &&
      !isOpenForAll(round.open)) {
    --round.group->shut;
    complete(*round.group);
  }
  round.open = kinds;
  for (Stake *stake = round.first; stake != nullptr; stake = stake->nextInRound) {
    satisfy(*stake, kinds);
  }
}

void Cascade::satisfy(Stake &stake, Kinds kinds) {
  NodeState &node = *stake.node;
  if (!stake.isWeak && !stake.isSatisfied && (kinds & bitOf(stake.kind)) != 0) {
    stake.isSatisfied = true;
    if (--node.pending == 0) {
      satisfied_.push_back(&node);
    }
  }
  if (node.domain == nullptr) {
    return;
  }
  const Range range = stake.segment->range;
  Index &index = node.domain->index;
  for (auto at = index.lower_bound(range.begin); at != index.end() && at->first < range.end; ++at) {
    Segment &below = *at->second;
    if (below.roof == &stake && below.open != kinds) {
      below.open = kinds;
      if (below.empty()) {
        below.tail = kinds;
      } else {
        lowered_.push_back(&below);
      }
    }
  }
}

} // namespace tutti::graph
