// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/graph/replay.h"

#include "runtime/graph/parts.h"
#include "runtime/graph/runs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace tutti::graph {

namespace {

/// Of one round; more are not worth their memory.
constexpr std::size_t kMostAccesses = std::size_t{1} << 17;
constexpr std::size_t kMostEdges = std::size_t{1} << 20;
constexpr std::size_t kMostSteps = std::size_t{1} << 22;

/// Rounds that differ from the one that was recorded, before nobody tries any more.
constexpr std::uint32_t kMostFailures = 3;

/// Whether the accesses of a task are such that order alone, and groups of the round's own, do for
/// them what the graph does.
bool arePlain(std::span<const Access> accesses) {
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const bool isReduction = accesses[i].kind == AccessKind::Reduction;
    if (accesses[i].kind == AccessKind::Commutative ||
        (isReduction && (accesses[i].reduction.readsOriginal || isMixed(accesses, i)))) {
      return false;
    }
  }
  return true;
}

bool isSame(const Access &a, const Access &b) {
  const std::span<const tutti_dim> dims = a.region.dimensions;
  return a.region.begin == b.region.begin && a.region.bytes == b.region.bytes && a.kind == b.kind &&
         a.isWeak == b.isWeak && a.reduction == b.reduction &&
         dims.size() == b.region.dimensions.size() &&
         std::equal(dims.begin(), dims.end(), b.region.dimensions.begin(),
                    [](const tutti_dim &left, const tutti_dim &right) {
                      return left.stride == right.stride && left.count == right.count;
                    });
}

/// Bytes with one history: who has used them last, and who before those.
struct Place {
  std::uint64_t end;
  AccessKind kind;
  std::uint32_t group; ///< Of reductions.
  std::vector<std::uint32_t> last;
  std::vector<std::uint32_t> before;
};

/// A group of two rounds.
struct OrderedGroup : RoundGroup {
  bool isClosed = false;
};

/// Goes through two rounds: the second one waits as all that follow it do.
class Orderer {
public:
  explicit Orderer(const AccessLists &round) : round_(round) {}

  /// All that has come has ended.
  void wait() {
    for (OrderedGroup &group : groups_) {
      group.isClosed = true;
    }
  }

  const std::vector<OrderedGroup> &groups() const { return groups_; }

  /// Tasks of the first round are [0, size), those of the second one [size, 2 * size). False if it
  /// is too much.
  bool use(std::uint32_t task, std::vector<std::uint32_t> &before,
           std::vector<std::uint32_t> &memberOf) {
    for (const Access &access : round_.of(task % round_.size())) {
      const Runs runs(access.region);
      if (access.kind == AccessKind::Reduction && !runs.first().empty()) {
        const std::uint32_t group = groupOf(runs.hull(), access.reduction);
        if (std::find(memberOf.begin(), memberOf.end(), group) == memberOf.end()) {
          memberOf.push_back(group);
          ++groups_[group].members;
        }
        use(runs.hull(), {access.kind, group}, task, before);
      } else {
        runs.forEach([&](Range run) { use(run, {access.kind, kNoGroup}, task, before); });
      }
      if (steps_ > kMostSteps) {
        return false;
      }
    }
    return true;
  }

private:
  static constexpr std::uint32_t kNoGroup = UINT32_MAX;

  struct Use {
    AccessKind kind;
    std::uint32_t group;
  };

  /// The one that is last there, if it takes more members; else a new one.
  std::uint32_t groupOf(Range range, const ReductionKey &key) {
    const auto at = places_.find(range.begin);
    if (at != places_.end() && at->second.group != kNoGroup) {
      const OrderedGroup &last = groups_[at->second.group];
      if (!last.isClosed && last.range == range && last.key == key) {
        return at->second.group;
      }
    }
    groups_.push_back({{range, key, 0}, false});
    return static_cast<std::uint32_t>(groups_.size() - 1);
  }

  void use(Range run, Use use, std::uint32_t task, std::vector<std::uint32_t> &before) {
    use.kind = orderOf(use.kind);
    divide(run.begin);
    divide(run.end);
    auto at = places_.lower_bound(run.begin);
    for (std::uint64_t byte = run.begin; byte < run.end && steps_ <= kMostSteps;) {
      if (at == places_.end() || at->first > byte) {
        const std::uint64_t end = at == places_.end() ? run.end : std::min(run.end, at->first);
        at = places_.emplace_hint(at, byte, Place{end, use.kind, use.group, {}, {}});
      }
      put(at->second, use, task, before);
      steps_ += 1 + at->second.before.size();
      byte = at->second.end;
      ++at;
    }
  }

  /// Makes two places of the one that the byte lies inside of.
  void divide(std::uint64_t byte) {
    auto at = places_.upper_bound(byte);
    if (at == places_.begin()) {
      return;
    }
    --at;
    if (at->first < byte && byte < at->second.end) {
      Place behind = at->second;
      at->second.end = byte;
      steps_ += behind.last.size() + behind.before.size();
      places_.emplace(byte, std::move(behind));
    }
  }

  void put(Place &place, Use use, std::uint32_t task, std::vector<std::uint32_t> &before) {
    if (!place.last.empty() && place.last.back() == task) { // It names these bytes twice.
      if (place.kind == use.kind) {
        return;
      }
      place.last.pop_back();
      use.kind = AccessKind::InOut;
    }
    if (place.group != kNoGroup && place.group != use.group) {
      groups_[place.group].isClosed = true;
    }
    const bool goesBeside =
        place.kind == use.kind && place.group == use.group && use.kind != AccessKind::InOut;
    if (!place.last.empty() && !goesBeside) {
      place.before = std::exchange(place.last, {});
    }
    place.kind = use.kind;
    place.group = use.group;
    before.insert(before.end(), place.before.begin(), place.before.end());
    place.last.push_back(task);
  }

  const AccessLists &round_;
  std::map<std::uint64_t, Place> places_;
  std::vector<OrderedGroup> groups_;
  std::size_t steps_ = 0;
};

} // namespace

void AccessLists::add(std::span<const Access> accesses) {
  for (Access access : accesses) {
    if (const std::size_t count = access.region.dimensions.size(); count > 0) {
      dimensions_.push_back(std::make_unique<tutti_dim[]>(count));
      std::copy(access.region.dimensions.begin(), access.region.dimensions.end(),
                dimensions_.back().get());
      access.region.dimensions = {dimensions_.back().get(), count};
    }
    accesses_.push_back(access);
  }
  ends_.push_back(accesses_.size());
}

void AccessLists::clear() {
  accesses_.clear();
  ends_.clear();
  dimensions_.clear();
  waits_.clear();
}

bool AccessLists::waitsBefore(std::size_t task) const {
  return std::binary_search(waits_.begin(), waits_.end(), task);
}

std::optional<RoundOrder> RoundOrder::of(const AccessLists &round) {
  const auto size = static_cast<std::uint32_t>(round.size());
  Orderer orderer(round);
  RoundOrder order;
  std::vector<std::uint32_t> before;
  std::vector<std::uint32_t> memberOf;
  std::size_t ofFirst = 0; // Groups of the first round.
  for (std::uint32_t task = 0; task < 2 * size; ++task) {
    if (round.waitsBefore(task % size) || (task == size && round.waitsBefore(size))) {
      orderer.wait();
    }
    before.clear();
    memberOf.clear();
    if (!orderer.use(task, before, memberOf)) {
      return std::nullopt;
    }
    if (task < size) {
      ofFirst = orderer.groups().size();
      continue;
    }
    for (const std::uint32_t group : memberOf) {
      if (group < ofFirst) {
        return std::nullopt;
      }
      order.memberOf_.push_back(group - static_cast<std::uint32_t>(ofFirst));
    }
    order.memberEnds_.push_back(order.memberOf_.size());
    for (std::uint32_t &each : before) {
      each = each < size ? each : each - size;
    }
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    order.before_.insert(order.before_.end(), before.begin(), before.end());
    order.ends_.push_back(order.before_.size());
    if (order.before_.size() > kMostEdges) {
      return std::nullopt;
    }
  }
  order.groups_.assign(orderer.groups().begin() + static_cast<std::ptrdiff_t>(ofFirst),
                       orderer.groups().end());
  return order;
}

Replay::Replay(AccessLists round, RoundOrder order)
    : round_(std::move(round)), order_(std::move(order)), latest_(round_.size()),
      groups_(order_.groups().size()) {}

bool Replay::isNext(std::span<const Access> accesses) const {
  const std::span<const Access> expected = round_.of(next_);
  return std::equal(accesses.begin(), accesses.end(), expected.begin(), expected.end(), isSame);
}

bool Replay::add(NodeState &node, ReplayPools &pools) {
  const std::uint32_t task = std::exchange(next_, next_ + 1 < round_.size() ? next_ + 1 : 0);
  node.instance = pools.instances.make(Instance{this, task, {}, nullptr});
  node.pending = 0;
  join(*node.instance, pools);
  if (!isOpen_) {
    waiting_.add(*pools.successors.make(Successor{&node, nullptr}));
    ++node.pending;
  }
  // The newest of each is the one that is meant: what comes later in the round has not come yet.
  for (const std::uint32_t before : order_.before(task)) {
    if (NodeState *latest = latest_[before]) {
      latest->instance->successors.add(*pools.successors.make(Successor{&node, nullptr}));
      ++node.pending;
    }
  }
  latest_[task] = &node;
  ++live_;
  return node.pending == 0;
}

/// Takes part in the groups of its round that it is a member of.
void Replay::join(Instance &instance, ReplayPools &pools) {
  for (const std::uint32_t index : order_.groupsOf(instance.task)) {
    ReplayGroup *&group = groups_[index];
    if (group == nullptr) {
      const RoundGroup &known = order_.groups()[index];
      group = pools.groups.make();
      group->begin = known.range.begin;
      group->bytes = known.range.size();
      group->key = known.key;
      group->missing = known.members;
    }
    instance.memberships = pools.memberships.make(Membership{group, instance.memberships});
    ++group->live;
    if (--group->missing == 0) {
      group = nullptr; // The next member is one of the next round.
    }
  }
}

void Replay::combineIfOver(ReplayGroup &group, ReplayPools &pools, Sink &sink) {
  if (group.missing == 0 && group.live == 0) {
    sink.combine(group);
    pools.groups.destroy(&group);
  }
}

void Replay::closeGroups(ReplayPools &pools, Sink &sink) {
  for (ReplayGroup *&group : groups_) {
    if (ReplayGroup *closed = std::exchange(group, nullptr)) {
      closed->missing = 0;
      combineIfOver(*closed, pools, sink);
    }
  }
}

void Replay::close(ReplayPools &pools, Sink &sink) {
  isClosed_ = true;
  closeGroups(pools, sink);
}

void Replay::tell(Successors waiting, ReplayPools &pools, Sink &sink) {
  while (waiting.first != nullptr) {
    Successor *told = std::exchange(waiting.first, waiting.first->next);
    NodeState &node = *told->node;
    pools.successors.destroy(told);
    if (--node.pending == 0) {
      sink.ready(*node.node);
    }
  }
}

void Replay::open(ReplayPools &pools, Sink &sink) {
  isOpen_ = true;
  tell(std::exchange(waiting_, {}), pools, sink);
}

void Replay::finish(NodeState &node, ReplayPools &pools, Sink &sink) {
  Instance *instance = std::exchange(node.instance, nullptr);
  if (latest_[instance->task] == &node) {
    latest_[instance->task] = nullptr;
  }
  --live_;
  while (instance->memberships != nullptr) { // Before those that come after them hear of it.
    Membership *membership = std::exchange(instance->memberships, instance->memberships->next);
    --membership->group->live;
    combineIfOver(*membership->group, pools, sink);
    pools.memberships.destroy(membership);
  }
  const Successors waiting = instance->successors;
  pools.instances.destroy(instance);
  tell(waiting, pools, sink);
}

std::unique_ptr<Replay> Iterations::begin() {
  if (isOff_ || --left_ > 0) {
    return nullptr;
  }
  std::unique_ptr<Replay> ended;
  if (replay_ != nullptr && !replay_->isBetweenRounds()) {
    ended = fail();
  }
  left_ = period_;
  if (isOff_ || replay_ != nullptr) {
    return ended;
  }
  if (isRecording_ && recorded_.size() > 0) {
    isRecording_ = false;
    if (std::optional<RoundOrder> order = RoundOrder::of(recorded_)) {
      replay_ = std::make_unique<Replay>(std::exchange(recorded_, {}), std::move(*order));
    } else {
      giveUp();
    }
  } else {
    isRecording_ = true;
  }
  return ended;
}

void Iterations::record(std::span<const Access> accesses) {
  if (!isRecording_) {
    return;
  }
  if (!arePlain(accesses) || recorded_.all().size() + accesses.size() > kMostAccesses) {
    giveUp();
    return;
  }
  recorded_.add(accesses);
}

void Iterations::wait() {
  if (isRecording_) {
    recorded_.wait();
  }
}

std::unique_ptr<Replay> Iterations::fail() {
  recorded_.clear();
  isRecording_ = false;
  ++period_; // Two buffers that change places make rounds of two iterations.
  left_ = 1;
  if (++failures_ == kMostFailures) {
    isOff_ = true;
  }
  return std::move(replay_);
}

void Iterations::giveUp() {
  recorded_.clear();
  isRecording_ = false;
  isOff_ = true;
}

} // namespace tutti::graph
