// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/device.h"

#include "runtime/device/cuda/changes.h"
#include "runtime/device/cuda/foreign.h"
#include "runtime/device/cuda/queue.h"

#include <algorithm>
#include <utility>

namespace tutti::device::cuda {

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(std::shared_ptr<const Library> library,
                                                     CUdevice handle, Info info,
                                                     const Segments &window,
                                                     std::shared_ptr<Peers> peers) {
  std::unique_ptr<Context> context;
  TUTTI_ASSIGN(context, Context::open(std::move(library), handle,
                                      fmt::format("GPU {} ({})", handle, info.name)));
  std::unique_ptr<Mirror> mirror;
  TUTTI_ASSIGN(mirror, Mirror::open(*context, window));
  std::unique_ptr<CudaDevice> device(
      new CudaDevice(std::move(info), std::move(context), std::move(mirror), std::move(peers)));
  TUTTI_TRY(device->measureCapacity());
  for (CudaDevice *other : *device->peers_) {
    device->letUse(*other);
    other->letUse(*device);
  }
  device->peers_->push_back(device.get());
  return device;
}

CudaDevice::CudaDevice(Info info, std::unique_ptr<Context> context, std::unique_ptr<Mirror> mirror,
                       std::shared_ptr<Peers> peers)
    : info_(std::move(info)), context_(std::move(context)), mirror_(std::move(mirror)),
      kernels_(*context_), natives_(*context_), managed_(*context_),
      copier_(Copier::sensibleThreads()), peers_(std::move(peers)) {}

/// What is free, less a margin for what the driver itself takes later: code, stacks of kernels.
Status CudaDevice::measureCapacity() {
  constexpr std::size_t kLeastMargin = std::size_t{64} << 20;
  TUTTI_TRY(context_->enter());
  std::size_t free = 0;
  std::size_t total = 0;
  if (const CUresult result = context_->cuda().cuMemGetInfo_v2(&free, &total)) {
    return context_->failed(result, "ask for the memory that is free");
  }
  capacity_ = free - std::min(free, std::max(total / 32, kLeastMargin));
  return {};
}

CudaDevice::~CudaDevice() {
  std::erase(*peers_, this);
  const ScopedLock lock(lockedMutex_);
  if (!locked_.empty()) {
    context_->enter().ignore("a lost device refuses what follows; the pages go with the process");
  }
  for (std::byte *pages : locked_) {
    context_->cuda().cuMemHostUnregister(pages);
  }
}

/// Lets `other` read and write the memory of this device, if the hardware can.
void CudaDevice::letUse(CudaDevice &other) {
  int reaches = 0;
  const CUresult result = context_->cuda().cuDeviceCanAccessPeer(&reaches, other.context_->device(),
                                                                 context_->device());
  if (result == kSuccess && reaches != 0) {
    mirror_->grant(other.context_->device()).ignore("copies go through the host then");
  }
}

Result<Kernel *> CudaDevice::find(const tutti_task_kernel &kernel) {
  shareContexts();
  return natives_.find(kernel);
}

void CudaDevice::shareContexts() {
  for (CudaDevice *device : *peers_) {
    device->context_->share();
  }
}

Result<std::unique_ptr<Queue>> CudaDevice::makeQueue() { return makeQueue(Stream::Urgency::Usual); }

Result<std::unique_ptr<Queue>> CudaDevice::makeUrgentQueue() {
  return makeQueue(Stream::Urgency::First);
}

Result<std::unique_ptr<Queue>> CudaDevice::makeQueue(Stream::Urgency urgency) {
  std::unique_ptr<Stream> stream;
  TUTTI_ASSIGN(stream, Stream::open(*context_, copier_, urgency));
  return std::make_unique<CudaQueue>(*this, std::move(stream));
}

Result<std::unique_ptr<ForeignMemory>> CudaDevice::makeForeign() {
  return std::make_unique<CudaForeign>(*context_, mirror_->granule());
}

Result<std::unique_ptr<HostBuffer>> CudaDevice::makeHostBuffer(std::size_t bytes) {
  std::unique_ptr<CudaHostBuffer> buffer;
  TUTTI_ASSIGN(buffer, CudaHostBuffer::make(*context_, bytes));
  return buffer;
}

Status CudaDevice::lock(std::span<std::byte> pages) {
  // Beside the thread that works with the device: nothing of the context may be touched that is
  // its.
  CUresult result = context_->enterFor();
  if (result == kSuccess) {
    result = context_->cuda().cuMemHostRegister_v2(pages.data(), pages.size(), kRegisterPortable);
    context_->leaveAgain();
  }
  if (result == kAlreadyRegistered) {
    return {};
  }
  if (result != kSuccess) {
    return nativeFailure(ErrorCode::OutOfMemory, result, "{}: cannot lock {} bytes of host memory",
                         context_->label(), pages.size());
  }
  const ScopedLock lock(lockedMutex_);
  locked_.push_back(pages.data());
  return {};
}

Result<std::unique_ptr<Snapshot>> CudaDevice::makeSnapshot(std::uint64_t bytes) {
  auto memory = Memory::make(*context_, bytes);
  if (!memory && memory.error().code == ErrorCode::OutOfMemory) {
    TUTTI_TRY(mirror_->trim());
    memory = Memory::make(*context_, bytes);
  }
  if (!memory) {
    return std::move(memory).error();
  }
  return std::make_unique<CudaSnapshot>(std::move(*memory));
}

} // namespace tutti::device::cuda
