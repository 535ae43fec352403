// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The life of tasks that run on another rank than the one that made them.
#include "base/check.h"
#include "runtime/graph/runs.h"
#include "runtime/model/tasks/parcel.h"
#include "runtime/model/tasks/tasks.h"

#include <memory>
#include <utility>

namespace tutti::model::tasks {

// --- On the rank that has made the task ---

void Tasks::setRanks(Ranks &ranks) {
  RemoteClient &self = *this;
  remote_ = std::make_unique<RemoteTasks>(self, ranks, slots_);
  engine_.startPolling();
}

bool Tasks::reduces(Task &task) {
  const SpinGuard guard(graphLock_);
  for (const graph::Access &access : task.description->accesses()) {
    if (access.kind == graph::AccessKind::Reduction &&
        !graph_.reductionOf(task.node, access.region.begin)) {
      return false;
    }
  }
  return true;
}

/// They join the copies of the group as those of one more worker.
void Tasks::addResults(Task &task, std::span<const std::byte> results) {
  for (const graph::Access &access : task.description->accesses()) {
    if (access.kind != graph::AccessKind::Reduction) {
      continue;
    }
    const Range hull = graph::Runs(access.region).hull();
    graph::ReductionGroup *group = nullptr;
    {
      const SpinGuard guard(graphLock_);
      group = graph_.reductionOf(task.node, hull.begin);
      TUTTI_CHECK(group, "find what task {} has reduced", task.name());
      if (!group->copies) {
        group->copies = new Copies(*group, otherRanks() + 1);
      }
    }
    std::byte *copy =
        static_cast<Copies *>(group->copies)->of(otherRanks()) + (hull.begin - group->begin);
    std::vector<std::byte> own(results.begin(),
                               results.begin() + static_cast<std::ptrdiff_t>(hull.size()));
    operationOf(access.reduction).combine(copy, own.data(), hull.size());
    results = results.subspan(ParcelReduction::padded(hull.size()));
  }
}

// --- On the rank that runs it ---

void Tasks::arrive(std::span<const std::byte> parcel, WhenOver whenOver) {
  Task &task = newTask(root_, headerOf(parcel).blockBytes, sizeof(Arrival *));
  auto arrival = std::make_unique<Arrival>();
  arrival->whenOver = std::move(whenOver);
  arrival->reductions = unpack(parcel, task);
  std::size_t bytes = 0;
  for (const ParcelReduction &each : arrival->reductions) {
    bytes += ParcelReduction::padded(each.bytes);
  }
  arrival->copies.resize(bytes);
  std::byte *copy = arrival->copies.data();
  for (const ParcelReduction &each : arrival->reductions) {
    operationOf(each.key).initialize(copy, nullptr, each.bytes);
    copy += ParcelReduction::padded(each.bytes);
    hasReducers_.store(true, std::memory_order_relaxed);
  }
  task.flags |= kArrived;
  arrivalOf(task) = arrival.release();
  root_.alive.fetch_add(1, std::memory_order_relaxed);
  engine_.submit(task.work);
}

void Tasks::leaveForHome(Task &task) {
  const std::unique_ptr<Arrival> arrival(arrivalOf(task));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - arrival->begin;
  arrival->whenOver(std::move(arrival->copies), took.count());
}

/// Below a task that reduces and came from another rank its copy is the original.
std::uint64_t Tasks::standInFor(const Task &task, std::uint64_t byte) {
  for (const Task *at = &task; at; at = at->parent()) {
    if ((at->flags & kArrived) == 0) {
      continue;
    }
    const Arrival &arrival = *arrivalOf(*const_cast<Task *>(at));
    auto copy = reinterpret_cast<std::uint64_t>(arrival.copies.data());
    for (const ParcelReduction &each : arrival.reductions) {
      if (byte - each.begin < each.bytes) {
        return copy + (byte - each.begin);
      }
      copy += ParcelReduction::padded(each.bytes);
    }
    return byte;
  }
  return byte;
}

void Tasks::moveReductions(Task &task) const {
  if (task.description) {
    task.description->move([&](std::uint64_t begin) { return standInFor(*task.parent(), begin); });
  }
}

} // namespace tutti::model::tasks
