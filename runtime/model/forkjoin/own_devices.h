// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The devices of the rank that runs the program, as tasks see them: which of them a task is for,
/// what they have ready and reach, and what of it is over. What tasks do there is started by
/// `RankZero`.
#pragma once

#include "runtime/exec/launch.h"
#include "runtime/exec/placement.h"
#include "runtime/protocol/job.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

/// Threading: internally synchronised: takes the lock of the job. On a stack that is not part of
///            the window.
class OwnDevices {
public:
  /// `traits`: of the rank's devices, whose places come first.
  OwnDevices(protocol::Job &job, std::vector<exec::DeviceTraits> traits)
      : job_(job), traits_(std::move(traits)) {}

  /// The device of this rank on which a task costs least: of those of `kind` (AUTO: any) not lost
  /// that have kernels for all of `launches` the one that has `touched`, above all what of it is
  /// `written`, unless moving that takes less than what is before the task
  /// (balance::chooseDevice). Nothing if there is none.
  std::optional<std::int32_t> deviceFor(std::uint32_t kind, const RangeSet &touched,
                                        const RangeSet &written = {},
                                        std::span<const exec::Launch> launches = {});

  /// As many tasks under way are enough for all devices of this rank: on which one more of them
  /// costs least is better decided later. Nothing if there is nothing to decide.
  std::optional<std::size_t> enoughTasks();

  /// Whether the one that `deviceFor` would choose has less under way than is enough for it alone.
  bool hasRoomFor(std::uint32_t kind, const RangeSet &touched, const RangeSet &written);

  /// Whether there is one.
  bool hasDevice(std::uint32_t kind);

  /// Whether a device of this rank is known to be lost.
  bool isLost(std::int32_t device);

  /// Whether kernels of a device may use what lies at an address outside of the window as it is.
  bool reaches(std::int32_t device, std::uint64_t address);

  /// Whether a device gets at `host`, memory of this rank's host, by itself. It stays so.
  bool isLocked(std::int32_t device, Range host);

  /// How many there were at the start.
  std::int32_t count() const { return static_cast<std::int32_t>(traits_.size()); }

  /// Bytes that each of them may hold; 0 if there are none.
  std::uint64_t capacity() const {
    const auto least = std::ranges::min_element(
        traits_, {}, [](const exec::DeviceTraits &device) { return device.room.capacity; });
    return least == traits_.end() ? 0 : least->room.capacity;
  }

  /// Makes a kernel ready that runs all of a launch without a reduction, with what it gets.
  Result<device::KernelLaunch> kernelFor(std::int32_t device, const exec::Launch &launch,
                                         bool isDisjoint);

  /// Makes a kernel ready that the program brings.
  Result<device::Kernel *> find(std::int32_t device, const tutti_task_kernel &kernel);

  /// Whether a task that was started is over. Never blocks.
  Result<bool> hasEnded(device::Event &event);

private:
  bool isFor(std::int32_t device, std::uint32_t kind,
             std::span<const exec::Launch> launches) const TUTTI_IN_TURN;
  std::optional<std::size_t> bestDevice(std::uint32_t kind, const RangeSet &touched,
                                        const RangeSet &written,
                                        std::span<const exec::Launch> launches) TUTTI_IN_TURN;

  protocol::Job &job_;
  const std::vector<exec::DeviceTraits> traits_;
  std::vector<std::uint64_t> started_ TUTTI_GUARDED_BY(exec::kTurn); ///< Tasks, by device.
};

} // namespace tutti::model::forkjoin
