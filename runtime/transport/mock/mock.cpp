// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/mock/mock.h"

#include "base/mutex.h"
#include "runtime/transport/members.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace tutti::transport::mock {

/// Everything behind the endpoints, under one lock.
class Network::State {
public:
  explicit State(Rank ranks) : size(ranks), inboxes(static_cast<std::size_t>(ranks)) {}

  struct Message {
    std::vector<std::byte> bytes; ///< A copy: the sender is done at once.
    std::uint32_t polls;          ///< Polls that it still hides from.
  };

  struct Receive {
    Request request;
    std::span<std::byte> bytes;
  };

  struct ControlMessage {
    Control control;
    std::uint32_t polls;
  };

  using Channel = std::tuple<Rank, Rank, std::uint32_t>; ///< From, to, tag.

  /// The injected failure of `operation`, if there is one.
  std::optional<Error> takeFailure(Rank rank, Operation operation) TUTTI_REQUIRES(mutex) {
    const auto found = failures.find({rank, operation});
    if (found == failures.end() || found->second.empty()) {
      return std::nullopt;
    }
    Error error = std::move(found->second.front());
    found->second.pop_front();
    return error;
  }

  /// Whether all others have joined the collective operation that the caller is about to join.
  bool isLast() const TUTTI_REQUIRES(mutex) { return arrived + 1 == size; }

  /// Joins a collective operation; all return after the last has come.
  void meet() TUTTI_REQUIRES(mutex) {
    const std::uint64_t mine = round;
    if (++arrived == size) {
      arrived = 0;
      ++round;
      allArrived.notifyAll();
      return;
    }
    while (round == mine) {
      allArrived.wait(mutex);
    }
  }

  /// One collective operation of a group.
  struct Meeting {
    std::map<Rank, std::vector<std::byte>> parts; ///< By position.
    std::size_t taken = 0;
    std::uint32_t polls = 0; ///< That the result still hides from, once all have come.
  };

  using MeetingKey = std::pair<std::vector<Rank>, std::uint64_t>; ///< Members, number.

  const Rank size;
  mutable Mutex mutex;
  Condition allArrived;
  std::uint32_t delay TUTTI_GUARDED_BY(mutex) = 0;
  std::map<Channel, std::deque<Message>> messages TUTTI_GUARDED_BY(mutex);
  std::vector<std::deque<ControlMessage>> inboxes TUTTI_GUARDED_BY(mutex);
  std::map<std::pair<Rank, Operation>, std::deque<Error>> failures TUTTI_GUARDED_BY(mutex);
  std::vector<Sent> sent TUTTI_GUARDED_BY(mutex);
  Rank arrived TUTTI_GUARDED_BY(mutex) = 0;
  std::uint64_t round TUTTI_GUARDED_BY(mutex) = 0;
  std::vector<std::uint64_t> sums TUTTI_GUARDED_BY(mutex);
  std::map<Rank, std::vector<std::byte>> parts TUTTI_GUARDED_BY(mutex);
  std::vector<std::byte> gathered TUTTI_GUARDED_BY(mutex);
  bool unequal TUTTI_GUARDED_BY(mutex) = false;
  std::map<MeetingKey, Meeting> meetings TUTTI_GUARDED_BY(mutex);
  /// By rank: how many operations of groups with these members it has begun.
  std::map<std::pair<Rank, std::vector<Rank>>, std::uint64_t> begun TUTTI_GUARDED_BY(mutex);
};

/// Members leave their parts; who asks when all have come makes the result of them.
class Network::MockGroup final : public Group {
public:
  MockGroup(std::shared_ptr<State> state, std::vector<Rank> members, Rank position)
      : state_(std::move(state)), members_(std::move(members)), position_(position) {}

  Result<Request> barrier() override {
    return begin({}, [](const auto &) {});
  }

  Result<Request> broadcast(Rank root, std::span<std::byte> bytes) override {
    if (root < 0 || root >= static_cast<Rank>(members_.size())) {
      return failure(ErrorCode::InvalidArgument, "position {} in a group of {}", root,
                     members_.size());
    }
    return begin(bytes, [root, bytes](const Parts &parts) {
      std::ranges::copy(parts.at(root), bytes.begin());
    });
  }

  Result<Request> allReduce(Element type, Combination operation,
                            std::span<std::byte> values) override {
    if (!canCombine(type, operation)) {
      return failure(ErrorCode::InvalidArgument, "a reduction that this type does not have");
    }
    return begin(values, [type, operation, values](const Parts &parts) {
      std::ranges::copy(parts.begin()->second, values.begin());
      for (auto part = std::next(parts.begin()); part != parts.end(); ++part) {
        combine(type, operation, values, part->second);
      }
    });
  }

  Result<Request> allGather(std::span<const std::byte> own, std::span<std::byte> all) override {
    return begin(own, [all](const Parts &parts) {
      auto at = all.begin();
      for (const auto &[position, part] : parts) {
        at = std::ranges::copy(part, at).out;
      }
    });
  }

  Result<bool> test(Request request) override {
    const auto found = underWay_.find(request);
    if (found == underWay_.end()) {
      return failure(ErrorCode::InvalidArgument, "request {} is not under way",
                     static_cast<std::uint64_t>(request));
    }
    const ScopedLock lock(state_->mutex);
    const auto meeting = state_->meetings.find(found->second.key);
    if (meeting->second.parts.size() < members_.size()) {
      return false;
    }
    if (meeting->second.polls > 0) {
      --meeting->second.polls;
      return false;
    }
    found->second.take(meeting->second.parts);
    underWay_.erase(found);
    if (++meeting->second.taken == members_.size()) {
      state_->meetings.erase(meeting);
    }
    return true;
  }

  Result<std::uintptr_t> native() override { return std::uintptr_t{0}; }

private:
  using Parts = std::map<Rank, std::vector<std::byte>>;

  struct Own {
    State::MeetingKey key;
    std::function<void(const Parts &parts)> take;
  };

  Result<Request> begin(std::span<const std::byte> own,
                        std::function<void(const Parts &parts)> take) {
    const ScopedLock lock(state_->mutex);
    const std::uint64_t number =
        state_->begun[{members_[static_cast<std::size_t>(position_)], members_}]++;
    State::MeetingKey key{members_, number};
    State::Meeting &meeting = state_->meetings[key];
    meeting.parts[position_].assign(own.begin(), own.end());
    meeting.polls = state_->delay;
    const Request request{++last_};
    underWay_.emplace(request, Own{std::move(key), std::move(take)});
    return request;
  }

  std::shared_ptr<State> state_; ///< Second owners: the network and the endpoints.
  std::vector<Rank> members_;
  Rank position_;
  std::uint64_t last_ = 0;
  std::map<Request, Own> underWay_;
};

class Network::MockEndpoint final : public Endpoint {
public:
  MockEndpoint(std::shared_ptr<State> state, Rank rank) : state_(std::move(state)), rank_(rank) {}

  Rank rank() const override { return rank_; }

  Rank size() const override { return state_->size; }

  Result<Request> send(Rank to, std::uint32_t tag, std::span<const std::byte> bytes) override {
    const ScopedLock lock(state_->mutex);
    TUTTI_TRY(begin(Operation::Send, to));
    state_->messages[{rank_, to, tag}].push_back({{bytes.begin(), bytes.end()}, state_->delay});
    state_->sent.push_back({rank_, to, false, tag, bytes.size()});
    const Request request{++last_};
    sends_.insert(request);
    return request;
  }

  Result<Request> receive(Rank from, std::uint32_t tag, std::span<std::byte> bytes) override {
    const ScopedLock lock(state_->mutex);
    TUTTI_TRY(begin(Operation::Receive, from));
    const Request request{++last_};
    receives_[{from, rank_, tag}].push_back({request, bytes});
    channels_.emplace(request, State::Channel{from, rank_, tag});
    return request;
  }

  Result<bool> test(Request request) override {
    const ScopedLock lock(state_->mutex);
    TUTTI_TRY(begin(Operation::Test, rank_));
    if (sends_.erase(request) > 0) {
      return true;
    }
    if (const auto done = finished_.extract(request)) {
      return outcome(done.mapped());
    }
    const auto channel = channels_.find(request);
    if (channel == channels_.end()) {
      return failure(ErrorCode::InvalidArgument, "request {} is not under way",
                     static_cast<std::uint64_t>(request));
    }
    deliver(State::Channel(channel->second));
    if (const auto done = finished_.extract(request)) {
      return outcome(done.mapped());
    }
    return false;
  }

  Status sendControl(Rank to, std::span<const std::byte> bytes) override {
    const ScopedLock lock(state_->mutex);
    TUTTI_TRY(begin(Operation::SendControl, to));
    state_->inboxes[static_cast<std::size_t>(to)].push_back(
        {{rank_, {bytes.begin(), bytes.end()}}, state_->delay});
    state_->sent.push_back({rank_, to, true, 0, bytes.size()});
    return {};
  }

  Status pollControl(std::vector<Control> &out) override {
    const ScopedLock lock(state_->mutex);
    TUTTI_TRY(begin(Operation::PollControl, rank_));
    auto &inbox = state_->inboxes[static_cast<std::size_t>(rank_)];
    while (!inbox.empty() && inbox.front().polls == 0) {
      out.push_back(std::move(inbox.front().control));
      inbox.pop_front();
    }
    for (auto &message : inbox) {
      message.polls -= message.polls > 0 ? 1 : 0;
    }
    return {};
  }

  Status sum(std::span<std::uint64_t> values) override {
    const ScopedLock lock(state_->mutex);
    TUTTI_TRY(begin(Operation::Sum, rank_));
    auto &sums = state_->sums;
    sums.resize(std::max(sums.size(), values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      sums[i] += values[i];
    }
    state_->meet();
    if (rank_ == 0) {
      std::copy_n(sums.begin(), values.size(), values.begin());
      sums.clear();
    }
    state_->meet(); // Nobody adds to the next sum before rank 0 has taken this one.
    return {};
  }

  Result<std::vector<std::byte>> allGather(std::span<const std::byte> bytes) override {
    const ScopedLock lock(state_->mutex);
    TUTTI_TRY(begin(Operation::AllGather, rank_));
    state_->parts[rank_].assign(bytes.begin(), bytes.end());
    if (state_->isLast()) {
      state_->gathered.clear();
      state_->unequal = false;
      for (const auto &[rank, part] : state_->parts) {
        state_->gathered.insert(state_->gathered.end(), part.begin(), part.end());
        state_->unequal = state_->unequal || part.size() != bytes.size();
      }
    }
    state_->meet();
    std::vector<std::byte> result = state_->gathered;
    const bool unequal = state_->unequal;
    state_->meet(); // Nobody overwrites the result before all have it.
    if (unequal) {
      return failure(ErrorCode::SizeMismatch, "ranks gather parts of different sizes");
    }
    return result;
  }

  Result<std::unique_ptr<Group>> group(std::span<const Rank> members) override {
    Rank position = 0;
    TUTTI_ASSIGN(position, positionAmong(members, rank_, state_->size));
    return std::make_unique<MockGroup>(state_, std::vector<Rank>(members.begin(), members.end()),
                                       position);
  }

  Status close() override {
    const ScopedLock lock(state_->mutex);
    TUTTI_TRY(begin(Operation::Close, rank_));
    state_->meet();
    return {};
  }

  [[noreturn]] void abort(int status) override { throw Aborted{rank_, status}; }

private:
  Status begin(Operation operation, Rank peer) TUTTI_REQUIRES(state_->mutex) {
    if (auto error = state_->takeFailure(rank_, operation)) {
      return *std::move(error);
    }
    if (peer < 0 || peer >= state_->size) {
      return failure(ErrorCode::InvalidArgument, "rank {} in a job of {}", peer, state_->size);
    }
    return {};
  }

  static Result<bool> outcome(bool fits) {
    if (!fits) {
      return failure(ErrorCode::SizeMismatch, "a message differs in size from its receive");
    }
    return true;
  }

  /// Matches what has arrived on `channel` with its receives, in posting order.
  void deliver(const State::Channel &channel) TUTTI_REQUIRES(state_->mutex) {
    auto &messages = state_->messages[channel];
    auto &receives = receives_[channel];
    while (!messages.empty() && !receives.empty() && messages.front().polls == 0) {
      const auto &source = messages.front().bytes;
      const auto target = receives.front().bytes;
      const bool fits = source.size() == target.size();
      if (fits && !source.empty()) {
        std::memcpy(target.data(), source.data(), source.size());
      }
      channels_.erase(receives.front().request);
      finished_.emplace(receives.front().request, fits);
      messages.pop_front();
      receives.pop_front();
    }
    for (auto &message : messages) {
      message.polls -= message.polls > 0 ? 1 : 0;
    }
  }

  std::shared_ptr<State> state_; ///< Second owners: the network and the other endpoints.
  Rank rank_;
  std::uint64_t last_ = 0;
  std::set<Request> sends_;
  std::map<Request, State::Channel> channels_;
  std::map<State::Channel, std::deque<State::Receive>> receives_;
  std::map<Request, bool> finished_; ///< Receives: whether the size was right.
};

Network::Network(Rank size) : state_(std::make_shared<State>(size)) {}

Network::~Network() = default;

std::unique_ptr<Endpoint> Network::open(Rank rank) {
  return std::make_unique<MockEndpoint>(state_, rank);
}

void Network::delay(std::uint32_t polls) {
  const ScopedLock lock(state_->mutex);
  state_->delay = polls;
}

void Network::failNext(Rank rank, Operation operation, Error error) {
  const ScopedLock lock(state_->mutex);
  state_->failures[{rank, operation}].push_back(std::move(error));
}

std::vector<Sent> Network::sent() const {
  const ScopedLock lock(state_->mutex);
  return state_->sent;
}

} // namespace tutti::transport::mock
