// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// In-order queue of an OpenCL device, and its events.
#pragma once

#include "runtime/device/device.h"
#include "runtime/device/opencl/library.h"
#include "runtime/device/opencl/operations.h"
#include "runtime/device/opencl/staging.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tutti::device::opencl {

class OpenclDevice;
class OpenclKernel;
class UserKernel;

class OpenclEvent final : public Event {
public:
  OpenclEvent(OpenclDevice &device, Owned<NativeEvent> marker,
              std::shared_ptr<Operations> operations)
      : device_(device), marker_(std::move(marker)), operations_(std::move(operations)),
        number_(operations_->last()) {}

  Result<bool> hasCompleted() override;

  const OpenclDevice &device() const { return device_; }

  NativeEvent marker() const { return marker_.get(); }

private:
  OpenclDevice &device_;
  Owned<NativeEvent> marker_;
  std::shared_ptr<Operations> operations_; ///< Second owner: the queue, which may go first.
  std::uint64_t number_;
};

/// Of a kernel, in their order (abi/abi.h).
struct Parameters {
  Memory arena;
  std::array<std::uint64_t, 5> numbers; ///< low, high, lower, upper, total
  Memory partials;
  std::span<const std::uint64_t> arguments;
};

/// A buffer of the device that grows.
struct Scratch {
  Owned<Memory> memory;
  std::uint64_t bytes = 0;

  /// What was there is lost to kernels that are given to the queue from now on.
  Status reserve(OpenclDevice &device, std::uint64_t wanted);
};

/// Ownership: the device outlives it; its end waits for what was given.
class OpenclQueue final : public Queue {
public:
  OpenclQueue(OpenclDevice &device, Owned<CommandQueue> native);
  ~OpenclQueue() override;

  Status copyIn(std::span<const std::byte> source, std::uint64_t address) override;
  Status copyOut(std::uint64_t address, std::span<std::byte> target) override;
  Status copyFrom(Device &from, Range bytes) override;
  Status keep(Range bytes, Snapshot &to, std::uint64_t offset) override;
  Result<std::span<const Change>> changes(Range bytes, const Snapshot &since,
                                          std::uint64_t offset) override;
  Status launch(const KernelLaunch &launch) override;
  Status launchNative(const NativeLaunch &launch) override;
  Result<void *> native() override;
  Result<std::unique_ptr<Event>> record() override;
  Status wait(Event &event) override;
  Status finish() override;

private:
  /// Passes on what enqueueing `what` gave; a success is under way from now on.
  Status begun(Int code, NativeEvent event, const char *call, std::string what);
  Status checkGrid(const OpenclKernel &kernel, const Grid &grid, std::uint32_t partialBytes,
                   std::size_t arguments) const;
  Status checkLaunch(const KernelLaunch &launch) const;
  Status start(const Kernel &kernel, const Grid &grid, std::uint32_t partialBytes,
               const Parameters &parameters);
  /// Runs a kernel whose arguments are set.
  Status run(NativeKernel kernel, const std::string &name, const Grid &grid);
  Status setNative(const NativeLaunch &launch, const UserKernel &kernel);
  Status setParameter(const NativeLaunch &launch, const UserKernel &kernel, std::size_t index,
                      Uint &position);
  Result<Ulong> offsetOf(const NativeLaunch &launch, const UserKernel &kernel, std::size_t index);
  Status reserveChanges(std::uint64_t count);
  Status compare(Range bytes, const Snapshot &since, std::uint64_t offset);

  OpenclDevice &device_;
  const Library &library_;
  Owned<CommandQueue> native_;
  std::shared_ptr<Operations> operations_; ///< Second owners: events.
  Staging staging_;
  Scratch partials_; ///< Of the launch that runs; kernels that do not reduce get it too.
  Scratch combined_; ///< The same, of a combiner.
  std::vector<Owned<Memory>> constants_; ///< Of the launch being made.
  Owned<Memory> changesOnDevice_;
  std::uint32_t changesFound_ = 0;
  std::vector<Change> changes_; ///< Room for as many.
};

} // namespace tutti::device::opencl
