// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks on devices: launches of one iteration on one place, which the graph of tasks has put in
/// order.
#include "runtime/balance/device_choice.h"
#include "runtime/exec/or_die.h"
#include "runtime/model/forkjoin/chunk_run.h"
#include "runtime/model/forkjoin/rank_zero.h"

#include <algorithm>

namespace tutti::model::forkjoin {

using namespace exec;

/// What asks for `kind` (AUTO: for none by name) and for kernels of all these launches.
bool RankZero::isFor(std::int32_t device, std::uint32_t kind,
                     std::span<const Launch> launches) const {
  const DeviceTraits &traits = own_[static_cast<std::size_t>(device)];
  const bool isMeant =
      kind == TUTTI_DEVICE_AUTO ? traits.isForItsName == 0 : traits.backend == kind;
  return isMeant && !job_.devices.isLost(device) &&
         std::ranges::all_of(launches,
                             [&](const Launch &launch) { return canRun(traits, *launch.region); });
}

std::optional<std::int32_t> RankZero::deviceFor(std::uint32_t kind, const RangeSet &touched,
                                                const RangeSet &written,
                                                std::span<const Launch> launches) {
  const Progress::Lock lock = job_.progress.lock();
  const std::int32_t count = job_.devices.count();
  started_.resize(static_cast<std::size_t>(count));
  std::vector<balance::DeviceLoad> loads(started_.size());
  for (std::int32_t device = 0; device < count; ++device) {
    balance::DeviceLoad &load = loads[static_cast<std::size_t>(device)];
    load.mayRun = isFor(device, kind, launches);
    load.started = started_[static_cast<std::size_t>(device)];
    if (!load.mayRun || count == 1) {
      continue;
    }
    const Place place = job_.topology.deviceOf(0, device);
    const RangeSet missing = job_.planner.directory().missing(place, touched);
    load.missing = missing.bytes();
    load.written = missing.intersect(written).bytes();
    if (TaskQueues *tasks = job_.devices.tasksOf(device)) {
      const Result<std::size_t> others = tasks->underwayBeside(touched, written);
      load.others = others ? *others : 0; // Who gives it work hears of the loss.
      load.taskSeconds = tasks->taskSeconds();
    }
  }
  const std::optional<std::size_t> best = balance::chooseDevice(loads);
  if (!best) {
    return std::nullopt;
  }
  ++started_[*best];
  return static_cast<std::int32_t>(*best);
}

std::optional<std::size_t> RankZero::enoughTasks() {
  const Progress::Lock lock = job_.progress.lock();
  if (job_.devices.count() < 2) {
    return std::nullopt;
  }
  std::size_t enough = 0;
  for (std::int32_t device = 0; device < job_.devices.count(); ++device) {
    const TaskQueues *const tasks = job_.devices.tasksOf(device);
    enough += tasks ? tasks->enough() : 0;
  }
  return enough > 0 ? std::optional(enough) : std::nullopt;
}

bool RankZero::hasDevice(std::uint32_t kind) {
  const Progress::Lock lock = job_.progress.lock();
  for (std::int32_t device = 0; device < job_.devices.count(); ++device) {
    if (isFor(device, kind, {})) {
      return true;
    }
  }
  return false;
}

bool RankZero::isLost(std::int32_t device) {
  const Progress::Lock lock = job_.progress.lock();
  return job_.devices.isLost(device);
}

bool RankZero::reaches(std::int32_t device, std::uint64_t address) {
  const Progress::Lock lock = job_.progress.lock();
  return job_.devices.reaches(device, address);
}

bool RankZero::isLocked(std::int32_t device, Range host) {
  const Progress::Lock lock = job_.progress.lock();
  return job_.devices.isLocked(device, host);
}

Result<device::KernelLaunch> RankZero::kernelFor(std::int32_t device, const Launch &launch,
                                                 bool isDisjoint) {
  const Progress::Lock lock = job_.progress.lock();
  return job_.devices.kernelFor(device, launch, isDisjoint);
}

Result<device::Kernel *> RankZero::find(std::int32_t device, const tutti_task_kernel &kernel) {
  const Progress::Lock lock = job_.progress.lock();
  return job_.devices.find(device, kernel);
}

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

Result<bool> RankZero::hasEnded(device::Event &event) {
  const Progress::Lock lock = job_.progress.lock();
  return event.hasCompleted();
}

} // namespace tutti::model::forkjoin
