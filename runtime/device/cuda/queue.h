// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Queues and events: a stream seen through the interface of devices.
#pragma once

#include "runtime/device/cuda/memory.h"
#include "runtime/device/cuda/mirror.h"
#include "runtime/device/cuda/stream.h"
#include "runtime/device/device.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tutti::device::cuda {

/// Page-locked memory that kernels write to directly.
class CudaHostBuffer final : public HostBuffer {
public:
  /// Errors: OutOfMemory, DeviceLost. Source: cuMemHostAlloc.
  static Result<std::unique_ptr<CudaHostBuffer>> make(Context &context, std::size_t bytes);

  ~CudaHostBuffer() override;

  /// Where kernels see it.
  CUdeviceptr onDevice() const { return onDevice_; }

private:
  explicit CudaHostBuffer(Context &context) : context_(context) {}

  Context &context_;
  CUdeviceptr onDevice_ = 0;
};

/// Holds a native event once its stream is settled, and otherwise waits for copies out to land,
/// which are the last thing before it then.
///
/// Threading: as its stream.
class CudaEvent final : public Event {
public:
  CudaEvent(std::shared_ptr<Stream> stream, CUevent native)
      : stream_(std::move(stream)), native_(native), copiesOut_(stream_->given()),
        dependences_(stream_->dependences()) {}

  ~CudaEvent() override;

  Result<bool> hasCompleted() override;

  /// A native event that is behind everything that this one is behind; null if all that is done.
  ///
  /// Cost: blocks if the stream is not settled.
  Result<CUevent> native();

  /// Makes `stream` depend on the copies out before this event.
  void addDependences(Stream &stream) const;

private:
  Result<bool> poll();

  /// The second owner, beside the queue: an event may be asked after its queue has gone.
  std::shared_ptr<Stream> stream_;
  CUevent native_;
  std::uint64_t copiesOut_; ///< To have landed.
  std::vector<Landings> dependences_;
  bool isDone_ = false;
};

class CudaDevice;
class CudaKernel;
class CudaSnapshot;

class CudaQueue final : public Queue {
public:
  CudaQueue(CudaDevice &device, std::unique_ptr<Stream> stream)
      : device_(device), stream_(std::move(stream)) {}

  ~CudaQueue() override;

  Status copyIn(std::span<const std::byte> source, std::uint64_t address) override;
  Status copyOut(std::uint64_t address, std::span<std::byte> target) override;
  Status copyInLocked(std::span<const std::byte> source, std::uint64_t address) override;
  Status copyOutLocked(std::uint64_t address, std::span<std::byte> target) override;
  Status copyFrom(Device &from, Range bytes) override;
  Status copyForeign(ForeignMemory &from, Range bytes) override;
  Status keep(Range bytes, Snapshot &to, std::uint64_t offset) override;
  Result<std::span<const Change>> changes(Range bytes, const Snapshot &since,
                                          std::uint64_t offset) override;
  Status launch(const KernelLaunch &launch) override;
  Status launchNative(const NativeLaunch &launch) override;
  Result<void *> native() override;
  Result<std::uint64_t> nativeAddress(Range bytes) override;
  std::int32_t nativeDevice() const override;
  Status prefetch(std::span<const std::byte> memory) override;
  Result<std::unique_ptr<Event>> record() override;
  Status wait(Event &event) override;
  Status finish() override;

private:
  /// A combiner's launch.
  struct Combining {
    Kernel *combiner;
    Grid grid;
    std::uint64_t partials;
    std::uint32_t partialBytes;
    CUdeviceptr target;
  };

  Status requireCommitted(Range bytes) const;
  Status checkGrid(const Kernel &kernel, const Grid &grid) const;
  Status checkLaunch(const KernelLaunch &launch) const;
  void packArguments(const KernelLaunch &launch, CUdeviceptr partials);
  Status start(Kernel &kernel, const Grid &grid, std::uint32_t partialBytes);
  Status packNative(const NativeLaunch &launch, const CudaKernel &kernel);
  Status combine();
  Status settle();
  Status compare(Range bytes, const CudaSnapshot &since, std::uint64_t offset);

  CudaDevice &device_;
  std::shared_ptr<Stream> stream_;   ///< Shared with events.
  std::unique_ptr<Memory> partials_; ///< Of the launch that runs, for its combiner.
  /// Given with the next operation: before it other devices get their kernels, for which somebody
  /// may wait.
  std::optional<Combining> combining_;
  std::vector<std::uint64_t> parameters_; ///< Of the launch being made; kept for its memory.
  std::vector<void *> addresses_;         ///< Of a native kernel's arguments, likewise.
  std::unique_ptr<Memory> found_;         ///< As `kChangesBegin` says; made when first needed.
  std::uint32_t changesFound_ = 0;
  std::vector<Change> changes_; ///< Room for them.
};

} // namespace tutti::device::cuda
