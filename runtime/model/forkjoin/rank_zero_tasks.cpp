// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks on devices: launches of one iteration on one place, which the graph of tasks has put in
/// order.
#include "runtime/model/forkjoin/chunk_run.h"
#include "runtime/model/forkjoin/rank_zero.h"

namespace tutti::model::forkjoin {

using namespace exec;

Status RankZero::startTask(TaskWork &work, std::span<const TaskAccess> accesses) {
  Progress::Lock lock = job_.progress.lock();
  const Launching launching(*this, lock);
  return startInTurn(lock, work, accesses);
}

RankZero::Alone::Alone(RankZero &zero) : zero_(zero) {
  Progress::Lock lock = zero_.job_.progress.lock();
  zero_.job_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return !zero_.isLaunching_; });
  zero_.isLaunching_ = true;
}

RankZero::Alone::~Alone() {
  const Progress::Lock lock = zero_.job_.progress.lock();
  zero_.isLaunching_ = false;
}

Status RankZero::Alone::startTask(TaskWork &work, std::span<const TaskAccess> accesses) {
  Progress::Lock lock = zero_.job_.progress.lock();
  return zero_.startInTurn(lock, work, accesses);
}

/// Order: the caller is the one who launches.
Status RankZero::startInTurn(Progress::Lock &lock, TaskWork &work,
                             std::span<const TaskAccess> accesses) {
  if (accesses.empty()) {
    job_.devices.runTask(work);
    return work.status;
  }
  Launch launch;
  launch.region = work.isExact ? &exactTaskRegion() : &taskRegion();
  launch.captures = capturesOf(accesses);
  launch.total = 1;
  launch.shares = {{job_.topology.deviceOf(0, work.device), 1}};
  launch.task = &work;
  Planner::Planned planned;
  TUTTI_ASSIGN(planned, planTask(lock, launch));
  runTask(lock, launch, planned);
  return work.status;
}

/// The plan of a task, once all that it needs is ready.
Result<Planner::Planned> RankZero::planTask(Progress::Lock &lock, const Launch &launch) {
  while (true) {
    if (lost_.isAny()) {
      retireLost(lock);
    }
    TUTTI_TRY(launch.task ? job_.devices.requireAlive(launch.task->device) : Status());
    catchUp(lock);
    Planner::Planned planned = job_.planner.plan(launch);
    if (!planned.plan->reasonHome.empty()) {
      return failure(ErrorCode::InvalidArgument, "{}", planned.plan->reasonHome);
    }
    if (!negotiator_.residency().fits(*planned.plan)) {
      return failure(ErrorCode::OutOfMemory, "it names more memory than the device may hold");
    }
    TUTTI_TRY(reserve(lock, launch, planned));
    if (!lost_.isAny()) {
      return planned;
    }
  }
}

void RankZero::runTask(Progress::Lock &lock, Launch &launch, const Planner::Planned &planned) {
  const bool isDone = run(lock, tasks_, launch, planned, false);
  static_cast<void>(isDone); // It follows no pointers, so nothing is undone.
}

Status RankZero::startTask(RemoteTask task) {
  Progress::Lock lock = job_.progress.lock();
  const Launching launching(*this, lock);
  Launch launch;
  launch.region = &taskRegion();
  launch.captures = capturesOf(task.accesses);
  launch.total = 1;
  launch.shares = {{task.rank, 1}};
  launch.parcel = std::move(task.parcel);
  Planner::Planned planned;
  TUTTI_ASSIGN(planned, planTask(lock, launch));
  job_.hostTasks.expect(announcer_.latest() + 1, [this, whenEnded = std::move(task.whenEnded)](
                                                     protocol::TaskEnd &end) TUTTI_IN_TURN {
    view_.takeBack(end.returned, end.bytes);
    whenEnded(end);
  });
  runTask(lock, launch, planned);
  return {};
}

std::vector<std::uint64_t> RankZero::missing(const RangeSet &bytes) {
  const Progress::Lock lock = job_.progress.lock();
  std::vector<std::uint64_t> missing;
  for (Rank rank = 0; rank < job_.size(); ++rank) {
    missing.push_back(job_.planner.directory().missing(rank, bytes).bytes());
  }
  return missing;
}

} // namespace tutti::model::forkjoin
