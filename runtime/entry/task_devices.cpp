// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/task_devices.h"

#include "abi/backends.h"
#include "runtime/device/native.h"
#include "runtime/entry/kernel_check.h"
#include "runtime/entry/runtime.h"
#include "runtime/entry/stand_ins.h"
#include "runtime/entry/task_names.h"
#include "runtime/graph/runs.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti::entry {

using model::tasks::DeviceRequest;
using model::tasks::KernelArgument;

namespace {

thread_local void *current = nullptr;

/// Groups and their sizes as the clause says.
Result<device::Grid> gridOf(const DeviceRequest &request) {
  device::Grid grid;
  for (std::uint32_t dimension = 0; dimension < request.dimensions; ++dimension) {
    const std::int64_t size = request.sizes[dimension];
    const std::int64_t group = std::max<std::int64_t>(request.groups[dimension], 1);
    if (size < 0 || request.groups[dimension] < 0 || group > UINT32_MAX) {
      return failure(ErrorCode::InvalidArgument,
                     "{} work-items in groups of {} (dimension {}) are no grid", size,
                     request.groups[dimension], dimension + 1);
    }
    grid.group[dimension] = static_cast<std::uint32_t>(group);
    grid.groups[dimension] = static_cast<std::uint64_t>(
        request.shape == TUTTI_TASK_GRID ? size : size / group + (size % group != 0 ? 1 : 0));
  }
  return grid;
}

/// What the driver has to move.
Status prefetch(device::Queue &queue, const TaskNames &names) {
  for (const Range &range : names.foreign) {
    TUTTI_TRY(queue.prefetch({reinterpret_cast<const std::byte *>(range.begin),
                              static_cast<std::size_t>(range.size())}));
  }
  return {};
}

} // namespace

void *TaskDevices::currentQueue() { return current; }

Result<std::int32_t> TaskDevices::deviceFor(const DeviceRequest &request, const RangeSet &shared,
                                            const RangeSet &written) const {
  const std::uint32_t kind = request.kernel->device;
  const auto device = zero_.devices().deviceFor(kind, shared, written);
  if (!device) {
    for (std::int32_t lost = 0; lost < zero_.devices().count(); ++lost) {
      if (zero_.devices().isLost(lost)) {
        TUTTI_TRY(zero_.devices().find(lost, *request.kernel)); // Says how it was lost.
      }
    }
    return failure(ErrorCode::NotSupported, "this process has no device of kind {}",
                   abi::deviceKindName(kind));
  }
  return *device;
}

/// What a handle stands for.
struct TaskDevices::Started {
  std::shared_ptr<device::Event> event;
  StandIns standIns;
};

Result<TaskDevices::Launched> TaskDevices::launch(const DeviceRequest &request,
                                                  std::span<const graph::Access> accesses,
                                                  std::span<const KernelArgument> arguments) {
  Result<Launched> launched{Launched()};
  runtime_.runOnOwnStack([&] { launched = start(request, accesses, arguments); });
  return launched;
}

Result<TaskDevices::Launched> TaskDevices::start(const DeviceRequest &request,
                                                 std::span<const graph::Access> accesses,
                                                 std::span<const KernelArgument> arguments) {
  TaskNames names;
  // A kernel need not write all of an `out`: what it leaves is what was there, unless its code says
  // that it leaves nothing.
  TUTTI_ASSIGN(names, TaskNames::of(accesses, window_, Unwritten::Keep));
  exec::TaskWork work;
  TUTTI_ASSIGN(work.device, deviceFor(request, names.shared, names.written));
  StandIns standIns;
  std::vector<graph::Access> moved;
  if (!names.foreign.empty()) {
    TUTTI_ASSIGN(standIns, StandIns::of(accesses, arguments, [&](std::uint64_t address) {
                   return address != 0 && !isShared(address) &&
                          !zero_.devices().reaches(work.device, address);
                 }));
    for (const Range &room : standIns.room()) {
      zero_.renew(room);
    }
    standIns.fill();
    moved = standIns.moved(accesses);
    accesses = moved;
    TUTTI_ASSIGN(names, TaskNames::of(accesses, window_, Unwritten::Keep));
  }
  device::NativeLaunch launch;
  TUTTI_ASSIGN(launch.kernel, zero_.devices().find(work.device, *request.kernel));
  TUTTI_ASSIGN(launch.grid, gridOf(request));
  launch.localBytes = static_cast<std::uint64_t>(std::max<std::int64_t>(request.localBytes, 0));
  std::vector<std::uint64_t> addresses(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const KernelArgument &argument = arguments[i];
    if (argument.isPointer) {
      std::memcpy(&addresses[i], argument.value, sizeof addresses[i]);
      addresses[i] = standIns.at(addresses[i]);
    }
    const bool isTranslated = argument.isPointer && isShared(addresses[i]);
    if (isTranslated && names.accesses.empty() && launch.grid.groupCount() > 0) {
      return failure(ErrorCode::InvalidArgument,
                     "argument {} points to memory of the program, of which the task names none",
                     i + 1);
    }
    launch.arguments.push_back(
        {isTranslated ? &addresses[i] : argument.value, argument.bytes, isTranslated});
  }
  if (!report_ && names.mayLeave()) {
    names.areWritten(device::surelyWritten(launch));
  }
  work.touched = names.touched;
  work.written = names.written;
  work.give = [&](device::Queue &queue) -> Status {
    if (prefetches_) {
      TUTTI_TRY(prefetch(queue, names));
    }
    if (report_ && launch.grid.groupCount() > 0) {
      return giveChecked(queue, work, names, accesses, launch, request.task);
    }
    // There is nothing to do for no work-items.
    return launch.grid.groupCount() > 0 ? queue.launchNative(launch) : Status();
  };
  TUTTI_TRY(zero_.startTask(work, names.accesses));
  Result<bool> hasEnded{report_ == nullptr};
  while (hasEnded && !*hasEnded) { // What is checked has the device for itself.
    hasEnded = zero_.devices().hasEnded(*work.event);
  }
  TUTTI_TRY(hasEnded);
  const bool isApart = !standIns.isEmpty();
  return Launched{std::make_shared<Started>(Started{std::move(work.event), std::move(standIns)}),
                  isApart};
}

std::optional<std::size_t> TaskDevices::enough() {
  std::optional<std::size_t> enough;
  runtime_.runOnOwnStack([&] { enough = zero_.devices().enoughTasks(); });
  return enough;
}

bool TaskDevices::hasRoomFor(const DeviceRequest &request,
                             std::span<const graph::Access> accesses) {
  bool hasRoom = false;
  runtime_.runOnOwnStack([&] {
    const auto names = TaskNames::of(accesses, window_, Unwritten::Keep);
    // What is wrong with it is said when it is launched.
    hasRoom =
        names && zero_.devices().hasRoomFor(request.kernel->device, names->shared, names->written);
  });
  return hasRoom;
}

void TaskDevices::conclude(void *handle) {
  runtime_.runOnOwnStack([&] {
    const StandIns &standIns = static_cast<Started *>(handle)->standIns;
    for (const Range &room : standIns.room()) {
      zero_.open(room, /*write=*/false);
    }
    standIns.bringBack();
  });
}

Status TaskDevices::giveChecked(device::Queue &queue, const exec::TaskWork &work,
                                const TaskNames &names, std::span<const graph::Access> accesses,
                                const device::NativeLaunch &launch,
                                const model::tasks::CheckedTask &task) {
  for (const device::NativeArgument &argument : launch.arguments) {
    std::uint64_t address = 0;
    if (argument.isTranslated) {
      std::memcpy(&address, argument.value, sizeof address);
    }
    if (argument.isTranslated &&
        !names.shared.overlaps(RangeSet::of({report_->objectAt(address)}))) {
      report_->tell(task, "is given", address, 0);
    }
  }
  std::vector<Range> written;
  for (const graph::Access &access : accesses) {
    if (!access.isWeak && access.kind != graph::AccessKind::In) {
      graph::Runs(access.region).forEach([&](Range run) { written.push_back(run); });
    }
  }
  KernelStrays strays;
  TUTTI_ASSIGN(strays, checkKernel(queue,
                                   {*work.held, names.shared, RangeSet::of(std::move(written)),
                                    names.foreign.empty()},
                                   [&](device::Queue &own) { return own.launchNative(launch); }));
  for (const std::uint64_t address : strays.written) {
    report_->tell(task, "writes", address, 0);
  }
  for (const std::uint64_t address : strays.read) {
    report_->tell(task, "reads", address, 0);
  }
  return {};
}

Result<TaskDevices::Handle> TaskDevices::callWithQueue(const DeviceRequest &request,
                                                       std::span<const graph::Access> accesses,
                                                       const std::function<void()> &body) {
  Result<Handle> handle{Handle()};
  exec::TaskWork work;
  void *native = nullptr;
  Status status;
  runtime_.runOnOwnStack([&] {
    status = [&]() -> Status {
      TaskNames names;
      TUTTI_ASSIGN(names, TaskNames::of(accesses, window_, Unwritten::Keep));
      // The body may hand host memory to the driver, for which a protected page is an error.
      for (const exec::TaskAccess &access : names.accesses) {
        const graph::Region region{access.begin, access.bytes, access.dimensions};
        zero_.open(graph::Runs(region).hull(), (access.flags & TUTTI_WRITE) != 0);
      }
      TUTTI_ASSIGN(work.device, deviceFor(request, {}, {}));
      work.give = [&](device::Queue &queue) -> Status {
        TUTTI_ASSIGN(native, queue.native());
        return {};
      };
      return zero_.startTask(work, {});
    }();
  });
  TUTTI_TRY(status);
  void *const before = std::exchange(current, native);
  body();
  current = before;
  runtime_.runOnOwnStack([&] {
    work.give = [](device::Queue &) -> Status { return {}; };
    status = zero_.startTask(work, {});
  });
  TUTTI_TRY(status);
  return Handle(std::make_shared<Started>(Started{std::move(work.event), {}}));
}

Result<bool> TaskDevices::hasEnded(void *handle) {
  Result<bool> hasEnded{false};
  runtime_.runOnOwnStack(
      [&] { hasEnded = zero_.devices().hasEnded(*static_cast<Started *>(handle)->event); });
  return hasEnded;
}

} // namespace tutti::entry
