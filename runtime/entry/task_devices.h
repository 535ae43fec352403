// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks on the devices of this rank, in terms of the engine: what they name of unified memory is
/// brought to the device and stays there; other memory that they name is the driver's, or, where it
/// does not know it, copies stand in for it while a kernel runs.
#pragma once

#include "runtime/entry/stray_report.h"
#include "runtime/entry/task_names.h"
#include "runtime/exec/task_work.h"
#include "runtime/memory/window.h"
#include "runtime/model/forkjoin/rank_zero.h"
#include "runtime/model/tasks/accelerators.h"

#include <optional>
#include <vector>

namespace tutti::entry {

class Runtime;

class TaskDevices final : public model::tasks::Accelerators {
public:
  TaskDevices(Runtime &runtime, model::forkjoin::RankZero &zero, const memory::Window &window,
              bool prefetches, StrayReport *report)
      : runtime_(runtime), zero_(zero), window_(window), prefetches_(prefetches), report_(report) {}

  Result<Launched> launch(const model::tasks::DeviceRequest &request,
                          std::span<const graph::Access> accesses,
                          std::span<const model::tasks::KernelArgument> arguments) override;
  std::optional<std::size_t> enough() override;
  bool hasRoomFor(const model::tasks::DeviceRequest &request,
                  std::span<const graph::Access> accesses) override;
  void conclude(void *handle) override;
  Result<Handle> callWithQueue(const model::tasks::DeviceRequest &request,
                               std::span<const graph::Access> accesses,
                               const std::function<void()> &body) override;
  Result<bool> hasEnded(void *handle) override;

  /// What the vendor's library knows the queue by that belongs to the body that the calling thread
  /// is in; null outside of one.
  static void *currentQueue();

private:
  struct Started;

  /// `launch`, on a stack of its own.
  Result<Launched> start(const model::tasks::DeviceRequest &request,
                         std::span<const graph::Access> accesses,
                         std::span<const model::tasks::KernelArgument> arguments);

  /// For a task that names these bytes of unified memory, and writes those.
  Result<std::int32_t> deviceFor(const model::tasks::DeviceRequest &request, const RangeSet &shared,
                                 const RangeSet &written) const;

  /// Gives a kernel that is checked to a queue, and says what it has touched beside its names.
  Status giveChecked(device::Queue &queue, const exec::TaskWork &work, const TaskNames &names,
                     std::span<const graph::Access> accesses, const device::NativeLaunch &launch,
                     const model::tasks::CheckedTask &task);

  bool isShared(std::uint64_t address) const {
    return window_.contains(Range{address, address + 1});
  }

  Runtime &runtime_;
  model::forkjoin::RankZero &zero_;
  const memory::Window &window_;
  const bool prefetches_; ///< Managed memory.
  StrayReport *report_;   ///< Null unless kernels are checked.
};

} // namespace tutti::entry
