// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/own_devices.h"

#include "runtime/balance/device_choice.h"

#include <algorithm>

namespace tutti::model::forkjoin {

using namespace exec;

/// What asks for `kind` (AUTO: for none by name) and for kernels of all these launches.
bool OwnDevices::isFor(std::int32_t device, std::uint32_t kind,
                       std::span<const Launch> launches) const {
  const DeviceTraits &traits = traits_[static_cast<std::size_t>(device)];
  const bool isMeant =
      kind == TUTTI_DEVICE_AUTO ? traits.isForItsName == 0 : traits.backend == kind;
  return isMeant && !job_.devices.isLost(device) &&
         std::ranges::all_of(launches,
                             [&](const Launch &launch) { return canRun(traits, *launch.region); });
}

std::optional<std::size_t> OwnDevices::bestDevice(std::uint32_t kind, const RangeSet &touched,
                                                  const RangeSet &written,
                                                  std::span<const Launch> launches) {
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
  return balance::chooseDevice(loads);
}

std::optional<std::int32_t> OwnDevices::deviceFor(std::uint32_t kind, const RangeSet &touched,
                                                  const RangeSet &written,
                                                  std::span<const Launch> launches) {
  const Progress::Lock lock = job_.progress.lock();
  const std::optional<std::size_t> best = bestDevice(kind, touched, written, launches);
  if (!best) {
    return std::nullopt;
  }
  ++started_[*best];
  return static_cast<std::int32_t>(*best);
}

bool OwnDevices::hasRoomFor(std::uint32_t kind, const RangeSet &touched, const RangeSet &written) {
  const Progress::Lock lock = job_.progress.lock();
  const auto hasRoom = [&](std::int32_t device) TUTTI_IN_TURN {
    TaskQueues *const tasks = job_.devices.tasksOf(device);
    const Result<std::size_t> count = tasks ? tasks->count() : std::size_t{0};
    return !tasks || !count || *count < tasks->enough(); // Who gives it work hears of the loss.
  };
  bool mayHave = false; // Which device it is costs more to say than whether any has room.
  for (std::int32_t device = 0; device < job_.devices.count() && !mayHave; ++device) {
    mayHave = isFor(device, kind, {}) && hasRoom(device);
  }
  const auto best = mayHave ? bestDevice(kind, touched, written, {}) : std::nullopt;
  return best && hasRoom(static_cast<std::int32_t>(*best));
}

std::optional<std::size_t> OwnDevices::enoughTasks() {
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

bool OwnDevices::hasDevice(std::uint32_t kind) {
  const Progress::Lock lock = job_.progress.lock();
  for (std::int32_t device = 0; device < job_.devices.count(); ++device) {
    if (isFor(device, kind, {})) {
      return true;
    }
  }
  return false;
}

bool OwnDevices::isLost(std::int32_t device) {
  const Progress::Lock lock = job_.progress.lock();
  return job_.devices.isLost(device);
}

bool OwnDevices::reaches(std::int32_t device, std::uint64_t address) {
  const Progress::Lock lock = job_.progress.lock();
  return job_.devices.reaches(device, address);
}

bool OwnDevices::isLocked(std::int32_t device, Range host) {
  const Progress::Lock lock = job_.progress.lock();
  return job_.devices.isLocked(device, host);
}

Result<device::KernelLaunch> OwnDevices::kernelFor(std::int32_t device, const Launch &launch,
                                                   bool isDisjoint) {
  const Progress::Lock lock = job_.progress.lock();
  return job_.devices.kernelFor(device, launch, isDisjoint);
}

Result<device::Kernel *> OwnDevices::find(std::int32_t device, const tutti_task_kernel &kernel) {
  const Progress::Lock lock = job_.progress.lock();
  return job_.devices.find(device, kernel);
}

Result<bool> OwnDevices::hasEnded(device::Event &event) {
  const Progress::Lock lock = job_.progress.lock();
  return event.hasCompleted();
}

} // namespace tutti::model::forkjoin
