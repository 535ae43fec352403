// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The life of tasks that run on devices.
#include "base/check.h"
#include "base/log.h"
#include "runtime/model/tasks/tasks.h"

namespace tutti::model::tasks {

using engine::Work;

void Tasks::setAccelerators(Accelerators &accelerators) {
  DeviceClient &self = *this;
  devices_ = std::make_unique<DeviceTasks>(self, accelerators);
  engine_.startPolling();
}

void Tasks::setDevice(Task &task, const DeviceRequest &request) {
  DeviceRequest &device = description(task).device;
  const std::int64_t localBytes = device.localBytes; // Its clause may have come first.
  device = request;
  device.localBytes = localBytes;
  task.flags |= kOnDevice;
}

void Tasks::launchKernel(std::span<const KernelArgument> arguments) {
  Task &task = current();
  TUTTI_CHECK(devices_ && task.description, "launch the kernel of a task for a device");
  devices_->launchKernel(task, arguments);
}

/// On whatever thread serves the devices.
void Tasks::callBody(Task &task) {
  Task *before = std::exchange(current_, &task);
  call(task);
  current_ = before;
}

/// What follows on a device is queued after it; the rest is held (device_tasks.h).
void Tasks::queued(Task &task) {
  if (!task.hasGraph() || (task.flags & kWaits) != 0) {
    return;
  }
  Changes changes(devices_.get());
  task.raise(kEnded);
  order_.end(task, changes);
  settleEnded();
  queueAll(changes);
}

void Tasks::ended(Task &task) {
  giveBack(task.description);
  Task *before = std::exchange(current_, &root_);
  Work *next = nullptr;
  if ((task.flags & kHasEvents) == 0 || task.events.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    next = complete(task);
  }
  current_ = before;
  if (next) {
    engine_.submit(*next);
  }
}

/// A body that gives work to a queue of its own: complete when that is done.
Work *Tasks::runOnDevice(Task &task) {
  Task *before = std::exchange(current_, &task);
  devices_->runHostBody(task, [&task] { call(task); });
  current_ = before;
  return nullptr;
}

} // namespace tutti::model::tasks
