// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An opened OpenCL device: a context of its own, the mirror of the window in one buffer, and the
/// kernels built for it.
#pragma once

#include "runtime/device/committed.h"
#include "runtime/device/device.h"
#include "runtime/device/opencl/arena.h"
#include "runtime/device/opencl/kernel.h"
#include "runtime/device/opencl/library.h"
#include "runtime/device/opencl/user_kernel.h"

#include <memory>
#include <optional>
#include <vector>

namespace tutti::device::opencl {

/// A device that was found.
struct Found {
  PlatformId platform = nullptr;
  DeviceId device = nullptr;
  Info info;
  std::uint64_t memory = 0; ///< Of the device, more than one buffer can have.
  std::uint64_t largestBuffer = 0;
  bool dividesExactly = false; ///< Single precision `/` and `sqrt` as on the host, on request.
};

/// Threading: externally synchronised, together with its queues and events.
/// Ownership: outlives its queues, events, kernels and buffers.
class OpenclDevice final : public Device {
public:
  static Result<std::unique_ptr<Device>> open(const Library &library, const Found &found,
                                              const Segments &window);
  ~OpenclDevice() override;

  const Info &info() const override { return found_.info; }

  /// That of the largest buffer: OpenCL does not tell what is free.
  std::uint64_t capacity() const override { return found_.info.memory; }

  std::uint64_t granule() const override { return committed_.granule(); }

  Status commit(Range bytes) override;
  Status release(Range bytes) override;

  std::uint64_t committed() const override { return committed_.ranges().bytes(); }

  void expect(std::span<const tutti_kernel *const> kernels) override;
  Result<Kernel *> load(const tutti_kernel &kernel) override;
  Result<Kernel *> find(const tutti_task_kernel &kernel) override;
  Result<std::unique_ptr<Queue>> makeQueue() override;
  Result<std::unique_ptr<HostBuffer>> makeHostBuffer(std::size_t bytes) override;
  Result<std::unique_ptr<Snapshot>> makeSnapshot(std::uint64_t bytes) override;

  /// For its queues.

  const Library &library() const { return library_; }

  const Committed &mirrored() const { return committed_; }

  const Arena &arena() const { return *arena_; }

  /// A buffer that begins at most so many bytes before a byte of the arena as the device aligns
  /// buffers, which `offset` tells, and is as long as constant memory may be.
  ///
  /// Order: the byte is committed.
  Result<Owned<Memory>> constantAt(std::uint64_t address, Ulong &offset);

  /// A buffer of device memory outside of the arena.
  Result<Owned<Memory>> allocate(std::uint64_t bytes, Ulong flags);

  /// Errors: DeviceLost, if that has happened.
  Status alive() const;

  /// Passes a status on; from now on the device is lost if that is what it says.
  Status note(Status status);

  void forget(CommandQueue queue) { std::erase(queues_, queue); }

private:
  OpenclDevice(const Library &library, const Found &found, const Segments &window);

  Status start();
  bool hasPrecisionOf(const tutti_kernel &kernel) const;
  Result<Owned<CommandQueue>> makeNativeQueue();
  Status finishQueues();

  const Library &library_;
  Found found_;
  Committed committed_;
  Owned<Context> context_;
  Owned<CommandQueue> service_; ///< For copies of the arena, and mapping.
  std::optional<Arena> arena_;
  std::optional<Builder> builder_;
  std::optional<Kernels> kernels_;
  std::optional<UserKernels> userKernels_;
  std::vector<CommandQueue> queues_; ///< Of all queues that there are.
  std::optional<Error> lost_;
};

} // namespace tutti::device::opencl
