// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/graph/task_graph.h"

#include "runtime/graph/cascade.h"
#include "runtime/graph/runs.h"
#include "runtime/graph/segments.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::graph {

namespace {

/// Of a node that is being added: it cannot become satisfied.
constexpr std::uint32_t kAdding = 1U << 31;

/// An access on its way into segments.
struct Placing {
  NodeState &node;
  Domain &domain;
  AccessKind kind;
  bool isWeak;
  Group *group = nullptr;
  bool isInherited = false;
};

/// Whether the range lies in the segment, and that is not to be dropped.
bool isInside(Range range, const Segment &segment) {
  return segment.box == nullptr && segment.range.contains(range) &&
         (segment.roof != nullptr || !segment.empty());
}

bool isOf(const ReductionGroup &group, Range range, const ReductionKey &key) {
  return group.begin == range.begin && group.bytes == range.size() && group.key == key;
}

} // namespace

struct TaskGraph::Impl {
  void add(NodeState &node, Domain &domain, std::span<const Access> accesses, Sink &sink);
  bool satisfyNew(NodeState &node);
  void end(NodeState &node, Sink &sink);
  bool release(NodeState &node, std::span<const Access> accesses, Sink &sink);
  void closeGroups(Domain &domain);
  void iterate(NodeState &node, std::uint32_t period, Sink &sink);
  std::optional<bool> replay(NodeState &node, Domain &domain, std::span<const Access> accesses,
                             Sink &sink);
  void finish(NodeState &instance, Sink &sink);
  void stop(std::unique_ptr<Replay> replay, Sink &sink);
  void forget(NodeState &node, Sink &sink);

  TaskGraph::Counts counts;
  Segments segments;
  Cascade cascade{segments};

private:
  struct Named {
    std::uint64_t begin;
    Stake *stake; ///< Null once it has ended.
  };

  void joinGroup(Placing &placing, Range range, const ReductionKey &key);
  void place(const Placing &placing, Range range);
  void placeBox(const Placing &placing, const Runs &runs);
  void placeAmong(const Placing &placing, Range range);
  void put(const Placing &placing, Segment &segment);
  void unite(const Placing &placing, Stake &stake);
  Segment *firstLiveBelow(const Stake &stake);
  void retire(Stake &stake, Sink &sink);
  void collectNamed(const NodeState &node);
  std::size_t namedAt(std::uint64_t byte) const;
  bool hasNamed(const Access &access, Range run) const;
  void releaseRun(Range run, Sink &sink);

  bool beginReplay(Replay &replay, Domain &domain, Sink &sink);
  void endIfOver(Replay &replay, Sink &sink);

  std::vector<Named> named_;
  std::vector<std::unique_ptr<Replay>> closed_; ///< With tasks that have not ended.
};

namespace {

/// Whether something in the range needs a token, whatever is done there.
bool isTokenBelow(Domain &domain, Range range) {
  auto at = Segments::firstBehind(domain, range.begin);
  while (at != domain.index.end() && at->first < range.end && !at->second->needsToken) {
    ++at;
  }
  return at != domain.index.end() && at->first < range.end;
}

/// Whether the owner of the domain reduces something in the range.
bool isReducedAbove(Domain &domain, Range range) {
  auto at = Segments::firstBehind(domain, range.begin);
  while (at != domain.index.end() && at->first < range.end &&
         (at->second->roof == nullptr || at->second->roof->round->group == nullptr)) {
    ++at;
  }
  return at != domain.index.end() && at->first < range.end;
}

} // namespace

void TaskGraph::Impl::add(NodeState &node, Domain &domain, std::span<const Access> accesses,
                          Sink &sink) {
  node.pending = kAdding;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Access &access = accesses[i];
    const Runs runs(access.region);
    if (runs.first().empty()) {
      continue;
    }
    Placing placing{node, domain, access.kind, access.isWeak};
    if (access.kind == AccessKind::Reduction) {
      if (isMixed(accesses, i) || isTokenBelow(domain, runs.hull())) {
        placing.kind = AccessKind::InOut;
      } else {
        joinGroup(placing, runs.hull(), access.reduction);
      }
      place(placing, runs.hull());
    } else if (runs.isOne()) {
      place(placing, runs.first());
    } else {
      placeBox(placing, runs);
    }
  }
  cascade.run(sink);
}

/// Says whether a node that has just been added is ready.
bool TaskGraph::Impl::satisfyNew(NodeState &node) {
  node.pending = 0;
  for (Stake *stake = node.stakes; stake != nullptr; stake = stake->nextOfNode) {
    if (stake->isWeak) {
      continue;
    }
    // A body that reduces sees nothing but its copy.
    const bool needsNothing =
        stake->kind == AccessKind::Reduction && !stake->round->group->key.readsOriginal;
    stake->isSatisfied = needsNothing || (stake->round->open & bitOf(stake->kind)) != 0;
    node.pending += stake->isSatisfied ? 0 : 1;
    node.needsTokens |= needsToken(*stake);
  }
  return node.pending == 0 && (!node.needsTokens || cascade.takeTokens(node));
}

/// Whatever lies below a reduction of the same takes part in it; then comes the group that is last
/// in the domain.
void TaskGraph::Impl::joinGroup(Placing &placing, Range range, const ReductionKey &key) {
  const auto at = Segments::firstBehind(placing.domain, range.begin);
  const Segment *first = nullptr;
  if (at != placing.domain.index.end() && at->first <= range.begin) {
    first = at->second;
  }
  if (first != nullptr && first->roof != nullptr && !first->roof->hasEnded) {
    Group *above = first->roof->round->group;
    if (above != nullptr && isOf(*above, range, key)) {
      placing.group = above;
      placing.isInherited = true;
      return;
    }
  }
  if (first != nullptr && !first->empty() && !first->last->isInherited) {
    Group *last = first->last->group;
    if (last != nullptr && !last->isClosed && isOf(*last, range, key)) {
      placing.group = last;
      return;
    }
  }
  placing.group = &segments.makeGroup(placing.domain, range, key);
}

void TaskGraph::Impl::place(const Placing &placing, Range range) {
  ++counts.lookups;
  if (Segment *same = segments.find(placing.domain, range)) {
    put(placing, *same);
  } else {
    placeAmong(placing, range);
  }
}

void TaskGraph::Impl::placeBox(const Placing &placing, const Runs &runs) {
  ++counts.lookups;
  Segment *segment = segments.findBox(placing.domain, runs);
  if (segment == nullptr) {
    segments.tidyIfLarge(placing.domain);
    segment = segments.makeBox(placing.domain, runs);
  }
  if (segment != nullptr) {
    put(placing, *segment);
  } else {
    runs.forEach([&](Range run) { place(placing, run); });
  }
}

/// Places an access into whatever segments it overlaps, with new ones in between.
void TaskGraph::Impl::placeAmong(const Placing &placing, Range range) {
  Domain &domain = placing.domain;
  segments.tidyIfLarge(domain);
  auto entry = Segments::firstBehind(domain, range.begin);
  const bool isFree = entry == domain.index.end() || entry->first >= range.end;
  if (!isFree && !isInside(range, *entry->second)) {
    segments.tidy(domain, range);
    entry = Segments::firstBehind(domain, range.begin);
  }
  for (std::uint64_t at = range.begin; at < range.end;) {
    if (entry == domain.index.end() || entry->first > at) {
      const std::uint64_t end =
          entry == domain.index.end() ? range.end : std::min(range.end, entry->first);
      put(placing, segments.make(domain, {at, end}, nullptr, entry));
      at = end;
      continue;
    }
    Segment *segment = entry->second;
    if (segment->box != nullptr) {
      segments.breakBox(*segment);
      entry = Segments::firstBehind(domain, at);
      continue;
    }
    const bool isWhole = segment->range.begin == at && segment->range.end <= range.end;
    if (segment->range.begin < at) {
      segments.cut(*segment, at);
    }
    if (segment->range.end > range.end) {
      segment = &segments.cut(*segment, range.end);
    }
    at = segment->range.end;
    put(placing, *segment);
    entry = isWhole ? std::next(entry) : Segments::firstBehind(domain, at);
  }
}

void TaskGraph::Impl::put(const Placing &placing, Segment &segment) {
  const AccessKind order = orderOf(placing.kind);
  if (!segment.empty() && segment.last->last != nullptr &&
      segment.last->last->node == &placing.node) {
    unite(placing, *segment.last->last);
    return;
  }
  Round *last = segment.last;
  if (last != nullptr && last->group != nullptr && !last->isInherited &&
      last->group != placing.group) {
    cascade.close(*last->group);
  }
  if (last == nullptr || last->kind != order || order == AccessKind::InOut ||
      last->group != placing.group) {
    if (segment.empty()) {
      ++placing.domain.live;
    }
    last = &segments.appendRound(segment, order, placing.group, placing.isInherited);
  }
  segments.append(*last, placing.node, placing.kind, placing.isWeak);
}

/// The node has named these bytes before.
void TaskGraph::Impl::unite(const Placing &placing, Stake &stake) {
  const bool isWeak = stake.isWeak && placing.isWeak;
  if (stake.kind == placing.kind) {
    stake.isWeak = isWeak;
    return;
  }
  if (orderOf(stake.kind) == AccessKind::InOut) {
    stake.kind = AccessKind::InOut;
    stake.isWeak = isWeak;
    return;
  }
  Segment &segment = *stake.segment;
  Round &round = *stake.round;
  segments.destroy(stake);
  if (round.live == 0) {
    segments.destroy(round);
    placing.domain.live -= segment.empty() ? 1 : 0;
  }
  put({placing.node, placing.domain, AccessKind::InOut, isWeak}, segment);
}

void TaskGraph::Impl::closeGroups(Domain &domain) {
  for (Group *group = domain.groups; group != nullptr; group = group->next) {
    cascade.close(*group);
  }
}

void TaskGraph::Impl::iterate(NodeState &node, std::uint32_t period, Sink &sink) {
  Domain &domain = segments.domainOf(node);
  if (domain.iterations == nullptr) {
    domain.iterations = std::make_unique<Iterations>(std::max(period, 1U));
  }
  stop(domain.iterations->begin(), sink);
}

/// Whether a new child is ready, if it comes as it has come in an earlier iteration.
std::optional<bool> TaskGraph::Impl::replay(NodeState &node, Domain &domain,
                                            std::span<const Access> accesses, Sink &sink) {
  Iterations &iterations = *domain.iterations;
  Replay *replay = iterations.replay();
  if (replay == nullptr) {
    iterations.record(accesses);
    return std::nullopt;
  }
  if (!replay->isNext(accesses)) {
    stop(iterations.fail(), sink);
    return std::nullopt;
  }
  if (replay->proxy.state == nullptr && !beginReplay(*replay, domain, sink)) {
    iterations.giveUp();
    stop(iterations.takeReplay(), sink);
    return std::nullopt;
  }
  ++counts.replayed;
  return replay->add(node, cascade.replayPools);
}

/// Adds the proxy, which waits for what has come before, and holds up what comes later. Not where
/// it would hold tokens, which its tasks' children could not take, or where others reduce into the
/// same memory at the same time.
bool TaskGraph::Impl::beginReplay(Replay &replay, Domain &domain, Sink &sink) {
  const std::span<const Access> all = replay.round().all();
  if (std::any_of(all.begin(), all.end(), [&](const Access &access) {
        const Range hull = Runs(access.region).hull();
        return isTokenBelow(domain, hull) ||
               (access.kind == AccessKind::Reduction && isReducedAbove(domain, hull));
      })) {
    return false;
  }
  NodeState &proxy = segments.state(replay.proxy);
  proxy.parent = domain.owner;
  ++domain.owner->children;
  proxy.instance = cascade.replayPools.instances.make(Instance{&replay, 0, {}, nullptr});
  std::vector<Access> accesses(all.begin(), all.end());
  for (Access &access : accesses) {
    access.isWeak = false;
    access.kind = access.kind == AccessKind::Reduction ? AccessKind::InOut : access.kind;
  }
  add(proxy, domain, accesses, sink);
  if (satisfyNew(proxy)) {
    replay.open(cascade.replayPools, sink);
  }
  return true;
}

void TaskGraph::Impl::finish(NodeState &instance, Sink &sink) {
  Replay &replay = *instance.instance->replay;
  replay.finish(instance, cascade.replayPools, sink);
  endIfOver(replay, sink);
}

/// Its tasks go on to their ends.
void TaskGraph::Impl::stop(std::unique_ptr<Replay> replay, Sink &sink) {
  if (replay != nullptr) {
    replay->close(cascade.replayPools, sink);
    closed_.push_back(std::move(replay));
    endIfOver(*closed_.back(), sink);
  }
}

void TaskGraph::Impl::endIfOver(Replay &replay, Sink &sink) {
  if (!replay.isOver()) {
    return;
  }
  if (NodeState *proxy = replay.proxy.state) {
    cascade.replayPools.instances.destroy(std::exchange(proxy->instance, nullptr));
    end(*proxy, sink);
    segments.forget(*proxy);
  }
  std::erase_if(closed_,
                [&](const std::unique_ptr<Replay> &each) { return each.get() == &replay; });
}

void TaskGraph::Impl::forget(NodeState &node, Sink &sink) {
  if (!node.hasEnded) {
    end(node, sink);
  }
  if (node.instance != nullptr) {
    finish(node, sink);
  }
  segments.forget(node);
}

void TaskGraph::Impl::end(NodeState &node, Sink &sink) {
  TUTTI_CHECK(!node.hasEnded, "a task ends twice");
  if (node.domain != nullptr && node.domain->iterations != nullptr) {
    stop(node.domain->iterations->takeReplay(), sink);
    node.domain->iterations.reset();
  }
  node.hasEnded = true;
  if (node.parent != nullptr) {
    --node.parent->children;
  }
  if (node.domain != nullptr) {
    closeGroups(*node.domain);
    cascade.run(sink);
  }
  for (Stake *stake = node.stakes; stake != nullptr;) {
    Stake *next = stake->nextOfNode;
    if (node.domain == nullptr) {
      cascade.release(*stake);
    } else if (!stake->hasEnded) {
      retire(*stake, sink);
    } else if (Segment *below = firstLiveBelow(*stake)) {
      cascade.pass(*below);
    }
    stake = next;
  }
  cascade.run(sink);
  if (node.domain != nullptr) {
    segments.eraseEmpty(*node.domain);
  }
  if (node.instance != nullptr && (node.domain == nullptr || node.domain->live == 0)) {
    finish(node, sink); // Else when it is forgotten.
  }
}

/// The first segment below with rounds; those before it are dropped.
Segment *TaskGraph::Impl::firstLiveBelow(const Stake &stake) {
  Domain &domain = *stake.node->domain;
  const Range range = stake.segment->range;
  auto at = domain.index.lower_bound(range.begin);
  while (at != domain.index.end() && at->first < range.end) {
    Segment &below = *at->second;
    if (below.roof == &stake && !below.empty()) {
      return &below;
    }
    at = below.roof == &stake ? segments.erase(below) : std::next(at);
  }
  return nullptr;
}

/// The node gives the stake up: releases what no segment below has rounds for, and leaves to each
/// of the others a stake of its bytes.
void TaskGraph::Impl::retire(Stake &stake, Sink &sink) {
  while (true) {
    Segment *below = stake.node->domain == nullptr ? nullptr : firstLiveBelow(stake);
    if (below == nullptr) {
      cascade.release(stake);
      cascade.run(sink);
      return;
    }
    if (stake.segment->range.begin < below->range.begin) {
      segments.cut(*stake.segment, below->range.begin);
      cascade.release(*stake.previousOfNode);
      cascade.run(sink);
    }
    const bool isLast = stake.segment->range.end == below->range.end;
    if (!isLast) {
      segments.cut(*stake.segment, below->range.end);
    }
    (isLast ? stake : *stake.previousOfNode).hasEnded = true;
    cascade.pass(*below);
    cascade.run(sink);
    if (isLast) {
      return;
    }
  }
}

void TaskGraph::Impl::collectNamed(const NodeState &node) {
  named_.clear();
  for (Stake *stake = node.stakes; stake != nullptr; stake = stake->nextOfNode) {
    if (!stake->hasEnded) {
      named_.push_back({stake->segment->range.begin, stake});
    }
  }
  std::sort(named_.begin(), named_.end(),
            [](const Named &a, const Named &b) { return a.begin < b.begin; });
}

/// The last that does not begin behind the byte, or else the first one. What is cut off later
/// shortens stakes at their begin only, which does not change their order.
std::size_t TaskGraph::Impl::namedAt(std::uint64_t byte) const {
  const auto behind =
      std::upper_bound(named_.begin(), named_.end(), byte,
                       [](std::uint64_t begin, const Named &named) { return begin < named.begin; });
  return behind == named_.begin() ? 0 : static_cast<std::size_t>(behind - named_.begin()) - 1;
}

bool TaskGraph::Impl::hasNamed(const Access &access, Range run) const {
  std::uint64_t at = run.begin;
  for (std::size_t i = namedAt(at); at < run.end; ++i) {
    if (i == named_.size() || !named_[i].stake->segment->range.contains({at, at + 1}) ||
        named_[i].stake->kind != access.kind || named_[i].stake->isWeak != access.isWeak) {
      return false;
    }
    at = named_[i].stake->segment->range.end;
  }
  return true;
}

void TaskGraph::Impl::releaseRun(Range run, Sink &sink) {
  for (std::size_t i = namedAt(run.begin); i < named_.size() && named_[i].begin < run.end; ++i) {
    Stake *stake = named_[i].stake;
    if (stake == nullptr || !stake->segment->range.overlaps(run)) {
      continue;
    }
    if (stake->segment->range.begin < run.begin) {
      segments.cut(*stake->segment, run.begin);
    }
    if (stake->segment->range.end > run.end) {
      segments.cut(*stake->segment, run.end);
      stake = stake->previousOfNode;
    } else {
      named_[i].stake = nullptr;
    }
    retire(*stake, sink);
  }
}

bool TaskGraph::Impl::release(NodeState &node, std::span<const Access> accesses, Sink &sink) {
  segments.breakBoxes(node);
  collectNamed(node);
  for (const Access &access : accesses) {
    bool isNamed = access.kind != AccessKind::Reduction;
    Runs(access.region).forEach([&](Range run) { isNamed = isNamed && hasNamed(access, run); });
    if (!isNamed) {
      return false;
    }
  }
  if (node.domain != nullptr) {
    closeGroups(*node.domain); // What has been reduced is not to wait for the end of the body.
    cascade.run(sink);
  }
  for (const Access &access : accesses) {
    Runs(access.region).forEach([&](Range run) { releaseRun(run, sink); });
  }
  return true;
}

TaskGraph::TaskGraph() : impl_(std::make_unique<Impl>()) {}

TaskGraph::~TaskGraph() = default;

bool TaskGraph::add(Node &node, Node &parent, std::span<const Access> accesses, Sink &sink) {
  TUTTI_CHECK(node.state == nullptr, "a task is added twice");
  node.parent = &parent;
  if (accesses.empty()) {
    return true;
  }
  NodeState &above = impl_->segments.state(parent);
  TUTTI_CHECK(!above.hasEnded, "a task has a child after its end");
  NodeState &state = impl_->segments.state(node);
  state.parent = &above;
  ++above.children;
  Domain &domain = impl_->segments.domainOf(above);
  if (domain.iterations != nullptr) [[unlikely]] {
    if (const std::optional<bool> isReady = impl_->replay(state, domain, accesses, sink)) {
      return *isReady;
    }
  }
  impl_->add(state, domain, accesses, sink);
  return impl_->satisfyNew(state);
}

void TaskGraph::iterate(Node &node, std::uint32_t period, Sink &sink) {
  impl_->iterate(impl_->segments.state(node), period, sink);
}

void TaskGraph::end(Node &node, Sink &sink) {
  if (node.state != nullptr) {
    impl_->end(*node.state, sink);
  }
}

bool TaskGraph::release(Node &node, std::span<const Access> accesses, Sink &sink) {
  if (node.state == nullptr) {
    return accesses.empty();
  }
  // Those that wait for one of a replay wait for all of it.
  return node.state->instance != nullptr || impl_->release(*node.state, accesses, sink);
}

void TaskGraph::closeDomain(Node &node, Sink &sink) {
  if (node.state != nullptr && node.state->domain != nullptr) {
    impl_->closeGroups(*node.state->domain);
    impl_->cascade.run(sink);
    if (Iterations *iterations = node.state->domain->iterations.get()) [[unlikely]] {
      iterations->wait();
      if (Replay *replay = iterations->replay()) {
        replay->closeGroups(impl_->cascade.replayPools, sink);
      }
    }
    impl_->segments.tidyIfLarge(*node.state->domain);
  }
}

void TaskGraph::forget(Node &node, Sink &sink) {
  if (node.state != nullptr) {
    impl_->forget(*node.state, sink);
  }
}

namespace {

/// What a node of a replay reduces.
Membership *membershipsOf(const Node &node) {
  const Instance *instance = node.state == nullptr ? nullptr : node.state->instance;
  return instance == nullptr ? nullptr : instance->memberships;
}

} // namespace

ReductionGroup *TaskGraph::reductionOf(const Node &node, std::uint64_t byte) const {
  const Stake *stake = node.state == nullptr ? nullptr : node.state->stakes;
  for (; stake != nullptr; stake = stake->nextOfNode) {
    Group *group = stake->round->group;
    if (group != nullptr && byte - group->begin < group->bytes) {
      return group;
    }
  }
  for (Membership *membership = membershipsOf(node); membership != nullptr;
       membership = membership->next) {
    if (byte - membership->group->begin < membership->group->bytes) {
      return membership->group;
    }
  }
  return nullptr;
}

void TaskGraph::forEachReduction(const Node &node,
                                 const std::function<void(ReductionGroup &group)> &visit) const {
  const Stake *stake = node.state == nullptr ? nullptr : node.state->stakes;
  for (; stake != nullptr; stake = stake->nextOfNode) {
    if (stake->round->group != nullptr) {
      visit(*stake->round->group);
    }
  }
  for (Membership *membership = membershipsOf(node); membership != nullptr;
       membership = membership->next) {
    visit(*membership->group);
  }
}

TaskGraph::Size TaskGraph::size() const { return impl_->segments.size(); }

TaskGraph::Counts TaskGraph::counts() const { return impl_->counts; }

} // namespace tutti::graph
