// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/local/local.h"

#include "runtime/transport/members.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <utility>

namespace tutti::transport::local {

namespace {

/// Of one member: everything ends as it begins.
class LocalGroup final : public Group {
public:
  Result<Request> barrier() override { return newRequest(); }

  Result<Request> broadcast(Rank root, std::span<std::byte>) override {
    if (root != 0) {
      return failure(ErrorCode::InvalidArgument, "position {} in a group of 1", root);
    }
    return newRequest();
  }

  Result<Request> allReduce(Element type, Combination operation, std::span<std::byte>) override {
    if (!canCombine(type, operation)) {
      return failure(ErrorCode::InvalidArgument, "a reduction that this type does not have");
    }
    return newRequest();
  }

  Result<Request> allGather(std::span<const std::byte> own, std::span<std::byte> all) override {
    if (!own.empty()) {
      std::memmove(all.data(), own.data(), own.size());
    }
    return newRequest();
  }

  Result<bool> test(Request request) override {
    if (underWay_.erase(request) == 0) {
      return failure(ErrorCode::InvalidArgument, "request {} is not under way",
                     static_cast<std::uint64_t>(request));
    }
    return true;
  }

  Result<std::uintptr_t> native() override { return std::uintptr_t{0}; }

private:
  Request newRequest() {
    const Request request{++last_};
    underWay_.insert(request);
    return request;
  }

  std::uint64_t last_ = 0;
  std::set<Request> underWay_;
};

class LocalEndpoint final : public Endpoint {
public:
  Rank rank() const override { return 0; }

  Rank size() const override { return 1; }

  Result<Request> send(Rank to, std::uint32_t tag, std::span<const std::byte> bytes) override {
    TUTTI_TRY(checkRank(to));
    const Request request = newRequest();
    sends_[tag].push_back({request, bytes});
    match(tag);
    return request;
  }

  Result<Request> receive(Rank from, std::uint32_t tag, std::span<std::byte> bytes) override {
    TUTTI_TRY(checkRank(from));
    const Request request = newRequest();
    receives_[tag].push_back({request, bytes});
    match(tag);
    return request;
  }

  Result<bool> test(Request request) override {
    const auto found = outcomes_.find(request);
    if (found == outcomes_.end()) {
      return failure(ErrorCode::InvalidArgument, "request {} is not under way",
                     static_cast<std::uint64_t>(request));
    }
    if (found->second == Outcome::Pending) {
      return false;
    }
    const Outcome outcome = found->second;
    outcomes_.erase(found);
    if (outcome == Outcome::SizeMismatch) {
      return failure(ErrorCode::SizeMismatch, "a message differs in size from its receive");
    }
    return true;
  }

  Status sendControl(Rank to, std::span<const std::byte> bytes) override {
    TUTTI_TRY(checkRank(to));
    control_.push_back({0, {bytes.begin(), bytes.end()}});
    return {};
  }

  Status pollControl(std::vector<Control> &out) override {
    for (Control &message : std::exchange(control_, {})) {
      out.push_back(std::move(message));
    }
    return {};
  }

  Status sum(std::span<std::uint64_t>) override { return {}; }

  Result<std::vector<std::byte>> allGather(std::span<const std::byte> bytes) override {
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }

  Result<std::unique_ptr<Group>> group(std::span<const Rank> members) override {
    TUTTI_TRY(positionAmong(members, 0, 1));
    return std::make_unique<LocalGroup>();
  }

  Status close() override { return {}; }

  [[noreturn]] void abort(int status) override { std::_Exit(status); }

private:
  enum class Outcome : std::uint8_t { Pending, Done, SizeMismatch };

  template <typename Bytes> struct Waiting {
    Request request;
    Bytes bytes;
  };

  static Status checkRank(Rank rank) {
    if (rank != 0) {
      return failure(ErrorCode::InvalidArgument, "rank {} in a job of 1", rank);
    }
    return {};
  }

  Request newRequest() {
    const Request request{++last_};
    outcomes_.emplace(request, Outcome::Pending);
    return request;
  }

  void match(std::uint32_t tag) {
    auto &sends = sends_[tag];
    auto &receives = receives_[tag];
    if (!sends.empty() && !receives.empty()) {
      const auto source = sends.front().bytes;
      const auto target = receives.front().bytes;
      const bool fits = source.size() == target.size();
      if (fits && !source.empty()) {
        std::memmove(target.data(), source.data(), source.size());
      }
      outcomes_[sends.front().request] = Outcome::Done;
      outcomes_[receives.front().request] = fits ? Outcome::Done : Outcome::SizeMismatch;
      sends.pop_front();
      receives.pop_front();
    }
    if (sends.empty()) {
      sends_.erase(tag);
    }
    if (receives.empty()) {
      receives_.erase(tag);
    }
  }

  std::uint64_t last_ = 0;
  std::map<Request, Outcome> outcomes_;
  std::map<std::uint32_t, std::deque<Waiting<std::span<const std::byte>>>> sends_;
  std::map<std::uint32_t, std::deque<Waiting<std::span<std::byte>>>> receives_;
  std::vector<Control> control_;
};

} // namespace

Result<std::unique_ptr<Endpoint>> open() { return std::make_unique<LocalEndpoint>(); }

} // namespace tutti::transport::local
