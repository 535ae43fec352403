// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/graph/segments.h"

#include <algorithm>
#include <iterator>

namespace tutti::graph {

namespace {

/// Of a node of `Index`.
constexpr std::size_t kIndexSlot = 64;

constexpr std::size_t kFirstBuckets = 256;

template <typename T> void link(T *&first, T *&last, T &added, T *T::*previous, T *T::*next) {
  added.*previous = last;
  added.*next = nullptr;
  (last == nullptr ? first : last->*next) = &added;
  last = &added;
}

template <typename T> void unlink(T *&first, T *&last, T &gone, T *T::*previous, T *T::*next) {
  (gone.*previous == nullptr ? first : (gone.*previous)->*next) = gone.*next;
  (gone.*next == nullptr ? last : (gone.*next)->*previous) = gone.*previous;
}

/// Counts a stake in or out of its round.
inline void count(const Stake &stake, int by) {
  Round &round = *stake.round;
  const auto some = static_cast<std::uint32_t>(by);
  round.live += some;
  if (stake.passes != 0) {
    round.passingReads += (stake.passes & kReads) != 0 ? some : 0;
    round.passingConcurrents += (stake.passes & kConcurrents) != 0 ? some : 0;
  }
  if (round.group != nullptr && !round.isInherited) {
    round.group->live += some;
  }
}

} // namespace

Segments::Segments() : indexSlots_(kIndexSlot), table_(kFirstBuckets) {}

NodeState &Segments::state(Node &node) {
  if (node.state == nullptr) {
    node.state = states_.make(node);
  }
  return *node.state;
}

void Segments::forget(NodeState &state) {
  TUTTI_CHECK(state.hasEnded && state.children == 0, "a task is forgotten before its children");
  state.node->state = nullptr;
  state.node = nullptr;
  ++forgotten_;
  dropForgotten(state);
}

void Segments::dropForgotten(NodeState &state) {
  const Domain *domain = state.domain;
  const bool isEmpty = domain == nullptr || (domain->live == 0 && domain->groups == nullptr);
  if (state.node != nullptr || state.stakes != nullptr || !isEmpty) {
    return;
  }
  if (domain != nullptr) {
    eraseEmpty(*state.domain);
    domains_.destroy(state.domain);
  }
  states_.destroy(&state);
  --forgotten_;
}

Domain &Segments::domainOf(NodeState &state) {
  if (state.domain == nullptr) {
    breakBoxes(state);
    state.domain = domains_.make(state, indexSlots_);
    for (Stake *stake = state.stakes; stake != nullptr; stake = stake->nextOfNode) {
      make(*state.domain, stake->segment->range, stake, state.domain->index.begin());
    }
  }
  return *state.domain;
}

std::size_t Segments::bucketOf(const Domain &domain, Range range) const {
  std::uint64_t mixed = (range.begin ^ (reinterpret_cast<std::uintptr_t>(&domain) << 24)) +
                        range.end * 0x9e3779b97f4a7c15ULL;
  mixed = (mixed ^ (mixed >> 29)) * 0xff51afd7ed558ccdULL;
  return (mixed >> 32) & (table_.size() - 1);
}

Segment *Segments::find(const Domain &domain, Range range) const {
  Segment *segment = table_[bucketOf(domain, range)];
  while (segment != nullptr &&
         (segment->range != range || segment->domain != &domain || segment->box != nullptr)) {
    segment = segment->nextInBucket;
  }
  return segment;
}

Segment *Segments::findBox(const Domain &domain, const Runs &runs) const {
  Segment *segment = table_[bucketOf(domain, runs.hull())];
  while (segment != nullptr &&
         (segment->domain != &domain || segment->box == nullptr || !(*segment->box == runs))) {
    segment = segment->nextInBucket;
  }
  return segment;
}

void Segments::enter(Segment &segment) {
  Segment *&bucket = table_[bucketOf(*segment.domain, segment.range)];
  segment.nextInBucket = bucket;
  bucket = &segment;
}

void Segments::leave(Segment &segment) {
  Segment **link = &table_[bucketOf(*segment.domain, segment.range)];
  while (*link != &segment) {
    link = &(*link)->nextInBucket;
  }
  *link = segment.nextInBucket;
}

void Segments::growTable() {
  if (segments_.size() * 2 <= table_.size()) {
    return;
  }
  std::vector<Segment *> old(table_.size() * 2);
  old.swap(table_);
  for (Segment *segment : old) {
    while (segment != nullptr) {
      Segment *next = segment->nextInBucket;
      enter(*segment);
      segment = next;
    }
  }
}

Index::iterator Segments::firstBehind(Domain &domain, std::uint64_t byte) {
  auto at = domain.index.upper_bound(byte);
  if (at != domain.index.begin()) {
    const auto before = std::prev(at);
    if (runEnd(before->first, *before->second) > byte) {
      return before;
    }
  }
  return at;
}

Segment &Segments::make(Domain &domain, Range range, Stake *roof, Index::const_iterator hint) {
  growTable();
  Segment &segment = *segments_.make();
  segment.range = range;
  segment.domain = &domain;
  segment.roof = roof;
  segment.needsToken = isTokenUnder(roof);
  segment.open = segment.tail = roof == nullptr ? kAllKinds : roof->round->open;
  domain.index.emplace_hint(hint, range.begin, &segment);
  ++domain.weight;
  enter(segment);
  return segment;
}

Segment *Segments::makeBox(Domain &domain, const Runs &runs) {
  bool isFree = runs.isNested();
  runs.forEach([&](Range run) {
    if (isFree) {
      tidy(domain, run);
      const auto at = firstBehind(domain, run.begin);
      isFree = at == domain.index.end() || at->first >= run.end;
    }
  });
  if (!isFree) {
    return nullptr;
  }
  growTable();
  Segment &segment = *segments_.make();
  segment.range = runs.hull();
  segment.box = boxes_.make(runs);
  segment.domain = &domain;
  runs.forEach([&](Range run) { domain.index.emplace(run.begin, &segment); });
  domain.weight += weightOf(segment);
  enter(segment);
  return &segment;
}

void Segments::breakBox(Segment &segment) {
  Domain &domain = *segment.domain;
  Runs *box = segment.box;
  leave(segment);
  domain.weight -= weightOf(segment);
  segment.box = nullptr;
  segment.range = box->first();
  enter(segment);
  ++domain.weight;
  box->forEach([&](Range run) {
    if (run == segment.range) {
      return;
    }
    const auto next = domain.index.erase(domain.index.find(run.begin));
    Segment &part = make(domain, run, nullptr, next);
    part.open = part.tail = segment.open;
    if (!segment.empty()) {
      ++domain.live;
      copyRounds(segment, part);
    }
  });
  boxes_.destroy(box);
}

void Segments::breakBoxes(NodeState &node) {
  for (Stake *stake = node.stakes; stake != nullptr; stake = stake->nextOfNode) {
    if (stake->segment->box != nullptr) {
      breakBox(*stake->segment);
    }
  }
}

Index::iterator Segments::erase(Segment &segment) {
  Domain &domain = *segment.domain;
  leave(segment);
  domain.weight -= weightOf(segment);
  Index::iterator next;
  if (segment.box == nullptr) {
    next = domain.index.erase(domain.index.find(segment.range.begin));
  } else {
    segment.box->forEach([&](Range run) { domain.index.erase(run.begin); });
    next = domain.index.lower_bound(segment.range.begin);
    boxes_.destroy(segment.box);
  }
  segments_.destroy(&segment);
  return next;
}

Segment &Segments::cut(Segment &segment, std::uint64_t at) {
  Segment *top = &segment;
  while (top->roof != nullptr && top->roof->hasEnded) {
    top = top->roof->segment; // They have the same bytes, and go on having them.
  }
  const std::uint64_t begin = segment.range.begin;
  Segment &left = divide(*top, at, top->roof);
  while (!cuts_.empty()) {
    const Cut next = cuts_.back();
    cuts_.pop_back();
    divide(*next.segment, at, next.leftRoof);
  }
  return top == &segment ? left : *find(*segment.domain, {begin, at});
}

Segment &Segments::divide(Segment &segment, std::uint64_t at, Stake *leftRoof) {
  Domain &domain = *segment.domain;
  Segment &left = *segments_.make();
  left.range = {segment.range.begin, at};
  left.domain = &domain;
  left.roof = leftRoof;
  left.needsToken = segment.needsToken;
  left.open = left.tail = segment.open;
  leave(segment);
  ++domain.weight;
  segment.range.begin = at;
  const auto entry = domain.index.find(left.range.begin);
  entry->second = &left;
  domain.index.emplace_hint(std::next(entry), at, &segment);
  enter(left);
  enter(segment);
  if (!segment.empty()) {
    ++domain.live;
    copyRounds(segment, left);
  }
  growTable();
  return left;
}

void Segments::copyRounds(const Segment &from, Segment &to) {
  for (const Round *round = from.first; round != nullptr; round = round->next) {
    to.tail = round->open;
    Round &copy = appendRound(to, round->kind, round->group, round->isInherited);
    for (Stake *stake = round->first; stake != nullptr; stake = stake->nextInRound) {
      copyStake(*stake, copy);
    }
    to.tail = from.tail;
  }
}

void Segments::copyStake(Stake &stake, Round &round) {
  Stake &copy = *stakes_.make(stake);
  NodeState &node = *stake.node;
  copy.segment = round.segment;
  copy.round = &round;
  link(round.first, round.last, copy, &Stake::previousInRound, &Stake::nextInRound);
  count(copy, 1);
  copy.previousOfNode = stake.previousOfNode;
  copy.nextOfNode = &stake;
  (stake.previousOfNode == nullptr ? node.stakes : stake.previousOfNode->nextOfNode) = &copy;
  stake.previousOfNode = &copy;
  if (!stake.isWeak && !stake.isSatisfied) {
    ++node.pending;
  }
  if (node.domain != nullptr) {
    moveRoof(stake, copy);
  }
}

/// What lies below `from` left of it is below `to` now.
void Segments::moveRoof(Stake &from, Stake &to) {
  const Range left = to.segment->range;
  Index &index = from.node->domain->index;
  for (auto at = index.lower_bound(left.begin); at != index.end() && at->first < left.end; ++at) {
    Segment &below = *at->second;
    if (below.roof != &from) {
      continue;
    }
    if (below.range.end > left.end) {
      cuts_.push_back({&below, &to});
    } else {
      below.roof = &to;
    }
  }
}

void Segments::tidy(Domain &domain, Range range) {
  Segment *before = nullptr;
  auto at = firstBehind(domain, range.begin);
  while (at != domain.index.end() && at->first < range.end) {
    Segment &segment = *at->second;
    if (segment.empty() && segment.roof == nullptr) {
      at = erase(segment);
      continue;
    }
    if (!segment.empty() || segment.roof->hasEnded) {
      before = nullptr;
    } else if (before != nullptr && before->roof == segment.roof &&
               before->range.end == segment.range.begin) {
      leave(*before);
      before->range.end = segment.range.end;
      enter(*before);
      at = erase(segment);
      continue;
    } else {
      before = &segment;
    }
    ++at;
  }
}

void Segments::tidyIfLarge(Domain &domain) {
  if (domain.weight > domain.limit) {
    tidy(domain, {0, ~std::uint64_t{0}});
    domain.limit = kKept + 2 * domain.weight;
  }
}

void Segments::eraseEmpty(Domain &domain) {
  for (auto at = domain.index.begin(); at != domain.index.end();) {
    at = at->second->empty() ? erase(*at->second) : std::next(at);
  }
}

Round &Segments::appendRound(Segment &segment, AccessKind kind, Group *group, bool isInherited) {
  Round &round = *rounds_.make();
  round.segment = &segment;
  round.kind = kind;
  round.group = group;
  round.isInherited = isInherited;
  link(segment.first, segment.last, round, &Round::previous, &Round::next);
  round.open = segment.tail;
  if (group != nullptr && !isInherited) {
    round.nextOfGroup = group->rounds;
    group->rounds = &round;
    group->shut += isOpenForAll(round.open) ? 0 : 1;
  }
  return round;
}

void Segments::append(Round &round, NodeState &node, AccessKind kind, bool isWeak) {
  Stake &stake = *stakes_.make();
  stake.node = &node;
  stake.segment = round.segment;
  stake.round = &round;
  stake.kind = kind;
  stake.isWeak = isWeak;
  link(round.first, round.last, stake, &Stake::previousInRound, &Stake::nextInRound);
  count(stake, 1);
  round.segment->tail = round.open & passesOf(round);
  stake.nextOfNode = node.stakes;
  if (node.stakes != nullptr) {
    node.stakes->previousOfNode = &stake;
  }
  node.stakes = &stake;
}

void Segments::destroy(Stake &stake) {
  Round &round = *stake.round;
  unlink(round.first, round.last, stake, &Stake::previousInRound, &Stake::nextInRound);
  count(stake, -1);
  (stake.previousOfNode == nullptr ? stake.node->stakes : stake.previousOfNode->nextOfNode) =
      stake.nextOfNode;
  if (stake.nextOfNode != nullptr) {
    stake.nextOfNode->previousOfNode = stake.previousOfNode;
  }
  stakes_.destroy(&stake);
}

void Segments::destroy(Round &round) {
  Segment &segment = *round.segment;
  if (round.next == nullptr) {
    const Round *last = round.previous;
    segment.tail = last == nullptr ? segment.open : last->open & passesOf(*last);
  }
  unlink(segment.first, segment.last, round, &Round::previous, &Round::next);
  rounds_.destroy(&round);
}

Round &Segments::join(Round &first, Round &second) {
  Round &kept = first.live < second.live ? second : first;
  Round &gone = first.live < second.live ? first : second;
  for (Stake *stake = gone.first; stake != nullptr; stake = stake->nextInRound) {
    stake->round = &kept;
  }
  first.last->nextInRound = second.first;
  second.first->previousInRound = first.last;
  kept.first = first.first;
  kept.last = second.last;
  kept.live += gone.live;
  kept.passingReads += gone.passingReads;
  kept.passingConcurrents += gone.passingConcurrents;
  const Kinds tail = first.segment->tail; // Is for the caller to change, who tells of it.
  destroy(gone);
  kept.segment->tail = tail;
  return kept;
}

void Segments::pass(Stake &stake, Kinds kinds) {
  count(stake, -1);
  stake.passes |= kinds;
  count(stake, 1);
}

Group &Segments::makeGroup(Domain &domain, Range range, const ReductionKey &key) {
  Group &group = *groups_.make();
  group.begin = range.begin;
  group.bytes = range.size();
  group.key = key;
  group.domain = &domain;
  group.next = domain.groups;
  if (group.next != nullptr) {
    group.next->previous = &group;
  }
  domain.groups = &group;
  return group;
}

void Segments::destroy(Group &group) {
  (group.previous == nullptr ? group.domain->groups : group.previous->next) = group.next;
  if (group.next != nullptr) {
    group.next->previous = group.previous;
  }
  groups_.destroy(&group);
}

TaskGraph::Size Segments::size() const {
  return {states_.size(), stakes_.size(), segments_.size()};
}

} // namespace tutti::graph
