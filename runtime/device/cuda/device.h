// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One opened GPU: context, mirror of the window and kernels.
#pragma once

#include "base/mutex.h"
#include "runtime/device/cuda/context.h"
#include "runtime/device/cuda/copier.h"
#include "runtime/device/cuda/kernel.h"
#include "runtime/device/cuda/managed.h"
#include "runtime/device/cuda/mirror.h"
#include "runtime/device/cuda/native.h"
#include "runtime/device/cuda/stream.h"
#include "runtime/device/device.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tutti::device::cuda {

class CudaDevice;

/// The opened devices of one driver, so that a new one can meet the others.
using Peers = std::vector<CudaDevice *>;

/// Threading: externally synchronised, together with its queues and events. Another device may be
///            opened only while nothing is done with this one.
class CudaDevice final : public Device {
public:
  /// `peers` is shared by the driver and its devices, which may outlive it.
  ///
  /// Source: cuDeviceCanAccessPeer, cuMemSetAccess.
  static Result<std::unique_ptr<CudaDevice>> open(std::shared_ptr<const Library> library,
                                                  CUdevice handle, Info info,
                                                  const Segments &window,
                                                  std::shared_ptr<Peers> peers);

  ~CudaDevice() override;

  const Info &info() const override { return info_; }

  std::uint64_t capacity() const override { return capacity_; }

  std::uint64_t granule() const override { return mirror_->granule(); }

  Status commit(Range bytes) override { return mirror_->commit(bytes); }

  Status release(Range bytes) override { return mirror_->release(bytes); }

  std::uint64_t committed() const override { return mirror_->committed(); }

  Result<Kernel *> load(const tutti_kernel &kernel) override { return kernels_.load(kernel); }

  Result<Kernel *> find(const tutti_task_kernel &kernel) override;

  bool reaches(std::uint64_t address) override { return managed_.isKnown(address); }

  Result<std::unique_ptr<Queue>> makeQueue() override;
  Result<std::unique_ptr<Queue>> makeUrgentQueue() override;
  Result<std::unique_ptr<HostBuffer>> makeHostBuffer(std::size_t bytes) override;
  Result<std::unique_ptr<Snapshot>> makeSnapshot(std::uint64_t bytes) override;
  Status lock(std::span<std::byte> pages) override;

  Status allowSharing() override { return mirror_->allowSharing(); }

  Result<Descriptor> share(Range block) override { return mirror_->share(block); }

  Result<std::unique_ptr<ForeignMemory>> makeForeign() override;

  Context &context() { return *context_; }

  Mirror &mirror() { return *mirror_; }

  Managed &managed() { return managed_; }

  /// The program works with devices itself from now on, on whatever thread.
  void shareContexts();

private:
  CudaDevice(Info info, std::unique_ptr<Context> context, std::unique_ptr<Mirror> mirror,
             std::shared_ptr<Peers> peers);

  Result<std::unique_ptr<Queue>> makeQueue(Stream::Urgency urgency);
  Status measureCapacity();
  void letUse(CudaDevice &other);

  Info info_;
  std::unique_ptr<Context> context_;
  std::unique_ptr<Mirror> mirror_;
  Kernels kernels_;
  NativeKernels natives_;
  Managed managed_;
  Copier copier_;
  std::shared_ptr<Peers> peers_;
  Mutex lockedMutex_;
  /// Begins of what this device has locked.
  std::vector<std::byte *> locked_ TUTTI_GUARDED_BY(lockedMutex_);
  std::uint64_t capacity_ = 0;
};

} // namespace tutti::device::cuda
