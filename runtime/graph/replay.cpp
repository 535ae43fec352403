// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/graph/replay.h"

#include "runtime/graph/parts.h"
#include "runtime/graph/runs.h"

#include <algorithm>
#include <cstring>
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

/// Whether the access is one that waits, and is waited for, as a whole task.
bool isPlain(const Access &access) {
  return access.kind != AccessKind::Commutative && access.kind != AccessKind::Reduction;
}

bool isSame(const Access &a, const Access &b) {
  const std::span<const tutti_dim> dims = a.region.dimensions;
  return a.region.begin == b.region.begin && a.region.bytes == b.region.bytes && a.kind == b.kind &&
         a.isWeak == b.isWeak && dims.size() == b.region.dimensions.size() &&
         std::equal(dims.begin(), dims.end(), b.region.dimensions.begin(),
                    [](const tutti_dim &left, const tutti_dim &right) {
                      return left.stride == right.stride && left.count == right.count;
                    });
}

/// Bytes with one history: who has used them last, and who before those.
struct Place {
  std::uint64_t end;
  AccessKind kind;
  std::vector<std::uint32_t> last;
  std::vector<std::uint32_t> before;
};

/// Goes through two rounds: the second one waits as all that follow it do.
class Orderer {
public:
  explicit Orderer(const AccessLists &round) : round_(round) {}

  /// Tasks of the first round are [0, size), those of the second one [size, 2 * size). False if it
  /// is too much.
  bool use(std::uint32_t task, std::vector<std::uint32_t> &before) {
    for (const Access &access : round_.of(task % round_.size())) {
      Runs(access.region).forEach([&](Range run) { use(run, access.kind, task, before); });
      if (steps_ > kMostSteps) {
        return false;
      }
    }
    return true;
  }

private:
  void use(Range run, AccessKind kind, std::uint32_t task, std::vector<std::uint32_t> &before) {
    kind = orderOf(kind);
    divide(run.begin);
    divide(run.end);
    auto at = places_.lower_bound(run.begin);
    for (std::uint64_t byte = run.begin; byte < run.end && steps_ <= kMostSteps;) {
      if (at == places_.end() || at->first > byte) {
        const std::uint64_t end = at == places_.end() ? run.end : std::min(run.end, at->first);
        at = places_.emplace_hint(at, byte, Place{end, kind, {}, {}});
      }
      put(at->second, kind, task, before);
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

  static void put(Place &place, AccessKind kind, std::uint32_t task,
                  std::vector<std::uint32_t> &before) {
    if (!place.last.empty() && place.last.back() == task) { // It names these bytes twice.
      if (place.kind == kind) {
        return;
      }
      place.last.pop_back();
      kind = AccessKind::InOut;
    }
    if (place.last.empty()) {
      place.kind = kind;
    } else if (place.kind != kind || kind == AccessKind::InOut) {
      place.before = std::exchange(place.last, {});
      place.kind = kind;
    }
    before.insert(before.end(), place.before.begin(), place.before.end());
    place.last.push_back(task);
  }

  const AccessLists &round_;
  std::map<std::uint64_t, Place> places_;
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
}

std::optional<RoundOrder> RoundOrder::of(const AccessLists &round) {
  const auto size = static_cast<std::uint32_t>(round.size());
  Orderer orderer(round);
  RoundOrder order;
  std::vector<std::uint32_t> before;
  for (std::uint32_t task = 0; task < 2 * size; ++task) {
    before.clear();
    if (!orderer.use(task, before)) {
      return std::nullopt;
    }
    if (task < size) {
      continue;
    }
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
  return order;
}

Replay::Replay(AccessLists round, RoundOrder order)
    : round_(std::move(round)), order_(std::move(order)), latest_(round_.size()) {}

bool Replay::isNext(std::span<const Access> accesses) const {
  const std::span<const Access> expected = round_.of(next_);
  return std::equal(accesses.begin(), accesses.end(), expected.begin(), expected.end(), isSame);
}

bool Replay::add(NodeState &node, Pool<Instance> &instances, Pool<Successor> &successors) {
  const std::uint32_t task = std::exchange(next_, next_ + 1 < round_.size() ? next_ + 1 : 0);
  node.instance = instances.make(Instance{this, task, {}});
  node.pending = 0;
  if (!isOpen_) {
    waiting_.add(*successors.make(Successor{&node, nullptr}));
    ++node.pending;
  }
  // The newest of each is the one that is meant: what comes later in the round has not come yet.
  for (const std::uint32_t before : order_.before(task)) {
    if (NodeState *latest = latest_[before]) {
      latest->instance->successors.add(*successors.make(Successor{&node, nullptr}));
      ++node.pending;
    }
  }
  latest_[task] = &node;
  ++live_;
  return node.pending == 0;
}

void Replay::tell(Successors waiting, Pool<Successor> &successors, Sink &sink) {
  while (waiting.first != nullptr) {
    Successor *told = std::exchange(waiting.first, waiting.first->next);
    NodeState &node = *told->node;
    successors.destroy(told);
    if (--node.pending == 0) {
      sink.ready(*node.node);
    }
  }
}

void Replay::open(Pool<Successor> &successors, Sink &sink) {
  isOpen_ = true;
  tell(std::exchange(waiting_, {}), successors, sink);
}

void Replay::finish(NodeState &node, Pool<Instance> &instances, Pool<Successor> &successors,
                    Sink &sink) {
  Instance *instance = std::exchange(node.instance, nullptr);
  if (latest_[instance->task] == &node) {
    latest_[instance->task] = nullptr;
  }
  --live_;
  const Successors waiting = instance->successors;
  instances.destroy(instance);
  tell(waiting, successors, sink);
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
  if (!std::all_of(accesses.begin(), accesses.end(), isPlain) ||
      recorded_.all().size() + accesses.size() > kMostAccesses) {
    giveUp();
    return;
  }
  recorded_.add(accesses);
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
