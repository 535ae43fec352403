// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/spmd/world.h"

#include "base/check.h"
#include "runtime/model/spmd/copies.h"
#include "runtime/model/spmd/one_sided.h"

#include <algorithm>
#include <numeric>
#include <thread>

namespace tutti::model::spmd {

World::World(transport::Endpoint &endpoint, std::unique_ptr<transport::Group> ending, Host host)
    : endpoint_(endpoint), ending_(std::move(ending)), host_(std::move(host)) {
  NodeSet all(static_cast<std::size_t>(endpoint.size()));
  std::iota(all.begin(), all.end(), Node{0});
  executing_.push_back(std::move(all));
  oneSided_ = std::make_unique<OneSided>(*this);
  copies_ = std::make_unique<Copies>(*this);
}

World::~World() = default;

void World::popTo(std::size_t depth) {
  TUTTI_CHECK(depth > 0 && depth <= executing_.size());
  executing_.resize(depth);
}

std::optional<std::size_t> World::positionIn(const NodeSet &set) const {
  const auto found = std::find(set.begin(), set.end(), me());
  return found == set.end() ? std::nullopt
                            : std::optional(static_cast<std::size_t>(found - set.begin()));
}

Result<transport::Group *> World::group(const NodeSet &set) {
  auto &group = groups_[set];
  if (!group) {
    const Progress::Waiting waiting(progress_);
    TUTTI_ASSIGN(group, endpoint_.group(set));
    ++counters_.groupsMade;
  }
  return group.get();
}

Status World::wait(transport::Group &group, transport::Request request) {
  const Progress::Waiting waiting(progress_);
  while (true) {
    const Result<bool> done = group.test(request);
    TUTTI_TRY(done);
    if (*done) {
      return {};
    }
    TUTTI_TRY(idle());
  }
}

Status World::idle() {
  if (endpoint_.size() > 1) {
    TUTTI_TRY(oneSided_->serve());
  }
  std::this_thread::yield();
  return {};
}

Status World::drive(Operation &operation) {
  const Progress::Waiting waiting(progress_);
  while (true) {
    const Result<bool> done = operation.advance();
    TUTTI_TRY(done);
    if (*done) {
      return {};
    }
    TUTTI_TRY(idle());
  }
}

Status World::complete(std::unique_ptr<Operation> operation, std::optional<std::int64_t> async) {
  if (!async) {
    return drive(*operation);
  }
  const Result<bool> done = operation->advance();
  TUTTI_TRY(done);
  if (!*done) {
    underWay_.emplace_back(*async, std::move(operation));
  }
  return {};
}

Status World::finish(std::int64_t async) {
  for (auto &[id, operation] : underWay_) {
    if (id == async) {
      TUTTI_TRY(drive(*operation));
    }
  }
  std::erase_if(underWay_, [async](const auto &entry) { return entry.first == async; });
  return {};
}

Result<bool> World::hasEnded(std::int64_t async) {
  bool all = true;
  for (auto entry = underWay_.begin(); entry != underWay_.end();) {
    if (entry->first != async) {
      ++entry;
      continue;
    }
    const Result<bool> done = entry->second->advance();
    TUTTI_TRY(done);
    all = all && *done;
    entry = *done ? underWay_.erase(entry) : std::next(entry);
  }
  return all;
}

Result<Plan *> World::plan(std::vector<Index> content,
                           const std::function<Result<distribution::Move>()> &make) {
  const auto found = plans_.find(content);
  if (found != plans_.end()) {
    ++counters_.movesReused;
    return found->second.get();
  }
  auto move = make();
  TUTTI_TRY(move);
  ++counters_.movesPlanned;
  const std::uint32_t tag = tagOf(content);
  auto plan = std::make_unique<Plan>(*std::move(move), tag);
  Plan *result = plan.get();
  plans_.emplace(std::move(content), std::move(plan));
  return result;
}

Status World::close() {
  underWay_.clear();
  progress_.end();
  transport::Request request{};
  TUTTI_ASSIGN(request, ending_->barrier());
  TUTTI_TRY(wait(*ending_, request));
  groups_.clear();
  ending_.reset();
  return {};
}

} // namespace tutti::model::spmd
