// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What devices run for tasks: in their order, with what a task copies by itself.
#include "runtime/exec/devices.h"

#include <memory>
#include <utility>

namespace tutti::exec {

/// Lets the main queue of a device come after what `work` comes after of other devices.
Status Devices::orderTask(std::int32_t index, const TaskWork &work) {
  Lane &own = lane(index);
  for (std::int32_t other = 0; other < count(); ++other) {
    Lane &before = lane(other);
    if (other == index || !before.tasks || before.tasks->isEmpty()) {
      continue;
    }
    if (before.backend != own.backend) {
      TUTTI_TRY(attempt(other, [](Lane &lane) { return lane.tasks->finish(); }));
    } else {
      TUTTI_TRY(advance(own));
      TUTTI_TRY(before.tasks->order(work, *own.queue));
    }
  }
  return {};
}

/// What a task has copied to its device by itself.
Status Devices::bring(Lane &lane, device::Queue &queue, std::span<const HostCopy> copies) {
  LockedMemory &locked = lockedOf(lane);
  for (const HostCopy &copy : copies) {
    TUTTI_TRY(locked.forRuns(copy.host, [&](Range run, bool isLocked) {
      const std::uint64_t to = copy.place + (run.begin - copy.host.begin);
      return isLocked ? queue.copyInLocked(locked.bytesOf(run), to)
                      : queue.copyIn(locked.bytesOf(run), to);
    }));
    counters_.deviceInBytes += copy.host.size();
    ++counters_.deviceInCopies;
  }
  return {};
}

/// And what it has copied home.
Status Devices::takeHome(Lane &lane, device::Queue &queue, TaskWork &work) {
  LockedMemory &locked = lockedOf(lane);
  for (const HostCopy &copy : work.takenHome) {
    TUTTI_TRY(locked.forRuns(copy.host, [&](Range run, bool isLocked) {
      const std::uint64_t from = copy.place + (run.begin - copy.host.begin);
      work.isStaged = work.isStaged || !isLocked;
      return isLocked ? queue.copyOutLocked(from, locked.bytesOf(run))
                      : queue.copyOut(from, locked.bytesOf(run));
    }));
    counters_.deviceOutBytes += copy.host.size();
    ++counters_.deviceOutCopies;
  }
  return {};
}

Status Devices::giveTask(Lane &lane, TaskWork &work) {
  TUTTI_TRY(openQueue(lane));
  TUTTI_TRY(join(lane));
  changed(lane, work.touched);
  if (!lane.tasks) {
    lane.tasks = std::make_unique<TaskQueues>(*lane.device);
    TUTTI_TRY(advance(lane)); // So far nothing has told what the main queue waits for.
  }
  TUTTI_TRY(orderTask(work.device, work));
  TUTTI_TRY(orderBehindReaders(work.device, work.touched));
  work.held = &lane.committed;
  bool isMainDone = false;
  TUTTI_ASSIGN(isMainDone, isMainIdle(work.device));
  TUTTI_TRY(requireAlive(work.device)); // Asking may find that it is lost.
  if (!work.brought.empty() || !work.takenHome.empty()) {
    work.give = [this, &lane, &work, give = std::move(work.give)](device::Queue &queue) -> Status {
      TUTTI_TRY(bring(lane, queue, work.brought));
      TUTTI_TRY(give(queue));
      return takeHome(lane, queue, work);
    };
  }
  TUTTI_TRY(lane.tasks->run(work, isMainDone ? nullptr : lane.event.get()));
  ++counters_.kernels;
  return {};
}

void Devices::runTask(TaskWork &work) {
  work.status = requireAlive(work.device);
  if (work.status) {
    work.status = attempt(work.device, [&](Lane &lane) { return giveTask(lane, work); });
  }
  if (work.status) {
    work.status = requireAlive(work.device);
  }
}

} // namespace tutti::exec
