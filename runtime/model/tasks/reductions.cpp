// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/reductions.h"

#include "base/check.h"
#include "runtime/engine/worker.h"
#include "runtime/graph/runs.h"
#include "runtime/model/tasks/arrival.h"
#include "runtime/model/tasks/copies.h"
#include "runtime/model/tasks/operation.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace tutti::model::tasks {

graph::ReductionGroup *Reductions::groupOf(Task &task, std::uint64_t byte) {
  return order_.reductionOf(task, byte, [this](graph::ReductionGroup &group) {
    if (!group.copies) {
      group.copies = new Copies(group, workers_ + 1);
    }
  });
}

std::uint64_t Reductions::originalOf(Task &current, std::uint64_t byte) {
  std::uint64_t original = byte;
  const auto look = [&](const graph::ReductionGroup &group) {
    const auto *copies = static_cast<const Copies *>(group.copies);
    if (const auto offset = copies ? copies->offsetOf(byte) : std::nullopt) {
      original = group.begin + *offset;
    }
  };
  for (Task *task = &current; task && original == byte; task = task->parent()) {
    if (task->hasGraph()) {
      order_.forEachReduction(*task, look);
    }
  }
  return original;
}

void *Reductions::privateOf(Task &current, void *original) {
  std::uint64_t byte = originalOf(current, reinterpret_cast<std::uint64_t>(original));
  original = reinterpret_cast<void *>(byte);
  if (haveArrived()) [[unlikely]] {
    byte = Arrival::standInFor(current, byte);
    original = reinterpret_cast<void *>(byte);
  }
  const engine::Worker *worker = engine::Worker::current();
  if (!worker) { // Runs no task, but asks what the parts of a loop name.
    return original;
  }
  const auto sharesWith = [](const Task &task) {
    return task.included() || (task.flags & kHelps) != 0 ? task.parent() : nullptr;
  };
  for (Task *task = &current; task; task = sharesWith(*task)) {
    if (!task->hasGraph()) {
      continue;
    }
    graph::ReductionGroup *group = groupOf(*task, byte);
    if (group) {
      return static_cast<Copies *>(group->copies)->of(worker->index()) + (byte - group->begin);
    }
  }
  return original;
}

bool Reductions::areAllKnown(Task &task) {
  return std::ranges::all_of(task.description->accesses(), [&](const graph::Access &access) {
    return access.kind != graph::AccessKind::Reduction ||
           order_.reductionOf(task, access.region.begin, [](const graph::ReductionGroup &) {});
  });
}

void Reductions::addResults(Task &task, std::span<const std::byte> results) {
  for (const graph::Access &access : task.description->accesses()) {
    if (access.kind != graph::AccessKind::Reduction) {
      continue;
    }
    const Range hull = graph::Runs(access.region).hull();
    graph::ReductionGroup *group = groupOf(task, hull.begin);
    TUTTI_CHECK(group, "find what task {} has reduced", task.name());
    std::byte *copy =
        static_cast<Copies *>(group->copies)->of(workers_) + (hull.begin - group->begin);
    std::vector<std::byte> own(results.begin(),
                               results.begin() + static_cast<std::ptrdiff_t>(hull.size()));
    operationOf(access.reduction).combine(copy, own.data(), hull.size());
    results = results.subspan(ParcelReduction::padded(hull.size()));
  }
}

void Reductions::move(Task &task) {
  if (task.description) {
    task.description->move(
        [&](std::uint64_t begin) { return Arrival::standInFor(*task.parent(), begin); });
  }
}

} // namespace tutti::model::tasks
