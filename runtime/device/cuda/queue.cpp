// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/queue.h"

#include "runtime/device/cuda/changes.h"
#include "runtime/device/cuda/device.h"
#include "runtime/device/cuda/foreign.h"
#include "runtime/device/cuda/kernel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tutti::device::cuda {

Result<std::unique_ptr<CudaHostBuffer>> CudaHostBuffer::make(Context &context, std::size_t bytes) {
  TUTTI_TRY(context.enter());
  std::unique_ptr<CudaHostBuffer> buffer(new CudaHostBuffer(context));
  void *memory = nullptr;
  if (const CUresult result = context.cuda().cuMemHostAlloc(
          &memory, std::max<std::size_t>(bytes, 1), kHostPortable | kHostDeviceMap)) {
    return context.failed(result, "lock {} bytes of host memory", bytes);
  }
  buffer->bytes_ = {static_cast<std::byte *>(memory), bytes};
  if (const CUresult result =
          context.cuda().cuMemHostGetDevicePointer_v2(&buffer->onDevice_, memory, 0)) {
    return context.failed(result, "map {} bytes of host memory", bytes);
  }
  return buffer;
}

CudaHostBuffer::~CudaHostBuffer() {
  if (bytes_.data()) {
    context_.enter().ignore("a lost device refuses what follows; the memory goes with the process");
    context_.cuda().cuMemFreeHost(bytes_.data());
  }
}

CudaEvent::~CudaEvent() {
  if (native_) {
    stream_->recycle(native_);
  }
}

Result<bool> CudaEvent::hasCompleted() {
  if (isDone_) {
    return true;
  }
  Result<bool> result = poll();
  if (!result && stream_->context().fault()) {
    return *stream_->context().fault();
  }
  isDone_ = result && *result;
  return result;
}

Result<bool> CudaEvent::poll() {
  Context &context = stream_->context();
  TUTTI_TRY(context.enterAny());
  if (stream_->landed() < copiesOut_) {
    TUTTI_TRY(context.enter());
    TUTTI_TRY(stream_->progress());
    if (stream_->landed() < copiesOut_) {
      return false;
    }
  }
  if (native_) {
    const CUresult result = context.cuda().cuEventQuery(native_);
    if (result == kNotReady) {
      return false;
    }
    if (result != kSuccess) {
      return context.failed(result, "poll an event");
    }
    stream_->recycle(std::exchange(native_, nullptr));
  }
  while (!dependences_.empty()) {
    const Landings &last = dependences_.back();
    if (last.stream->landed() < last.count) {
      TUTTI_TRY(last.stream->context().enter());
      TUTTI_TRY(last.stream->progress());
      if (last.stream->landed() < last.count) {
        return false;
      }
    }
    dependences_.pop_back();
  }
  return true;
}

void CudaEvent::addDependences(Stream &stream) const {
  if (isDone_) {
    return;
  }
  for (const Landings &landings : dependences_) {
    stream.depend(landings);
  }
  if (stream_.get() != &stream && stream_->landed() < copiesOut_) {
    stream.depend({stream_, copiesOut_});
  }
}

Result<CUevent> CudaEvent::native() {
  const bool isOver = isDone_ || (copiesOut_ > 0 && stream_->landed() >= copiesOut_);
  if (native_ || isOver) {
    return native_;
  }
  TUTTI_TRY(stream_->context().enter());
  TUTTI_TRY(stream_->settle());
  TUTTI_ASSIGN(native_, stream_->record());
  return native_;
}

CudaQueue::~CudaQueue() {
  if (stream_->context().enter()) {
    stream_->finish().ignore("whoever wants to know asks an event or finishes before");
  }
  stream_->forgetDependences(); // Two streams of a lost device may depend on each other.
}

Status CudaQueue::requireCommitted(Range bytes) const {
  if (device_.mirror().isCommitted(bytes)) [[likely]] {
    return {};
  }
  return failure(ErrorCode::InvalidArgument, "{}: [{:#x}, {:#x}) is not committed",
                 device_.context().label(), bytes.begin, bytes.end);
}

Status CudaQueue::copyIn(std::span<const std::byte> source, std::uint64_t address) {
  TUTTI_TRY(requireCommitted({address, address + source.size()}));
  TUTTI_TRY(device_.context().enter());
  TUTTI_TRY(combine());
  return stream_->copyIn(source, device_.mirror().at(address));
}

Status CudaQueue::copyOut(std::uint64_t address, std::span<std::byte> target) {
  TUTTI_TRY(requireCommitted({address, address + target.size()}));
  TUTTI_TRY(device_.context().enter());
  TUTTI_TRY(combine());
  if (target.empty()) {
    return {};
  }
  TUTTI_TRY(stream_->copyOut(device_.mirror().at(address), target));
  return {};
}

Status CudaQueue::copyInLocked(std::span<const std::byte> source, std::uint64_t address) {
  TUTTI_TRY(requireCommitted({address, address + source.size()}));
  TUTTI_TRY(device_.context().enter());
  TUTTI_TRY(settle());
  return stream_->copyInLocked(source, device_.mirror().at(address));
}

Status CudaQueue::copyOutLocked(std::uint64_t address, std::span<std::byte> target) {
  TUTTI_TRY(requireCommitted({address, address + target.size()}));
  TUTTI_TRY(device_.context().enter());
  TUTTI_TRY(settle());
  return stream_->copyOutLocked(device_.mirror().at(address), target);
}

Status CudaQueue::copyFrom(Device &from, Range bytes) {
  auto *other = dynamic_cast<CudaDevice *>(&from);
  if (!other || !other->mirror().grants(device_.context().device())) {
    return failure(ErrorCode::NoRoute, "{} does not reach {}", device_.context().label(),
                   from.info().name);
  }
  TUTTI_TRY(requireCommitted(bytes));
  if (!other->mirror().isCommitted(bytes)) {
    return failure(ErrorCode::InvalidArgument, "{}: [{:#x}, {:#x}) is not committed",
                   other->context().label(), bytes.begin, bytes.end);
  }
  Context &context = device_.context();
  TUTTI_TRY(context.enter());
  TUTTI_TRY(settle());
  if (bytes.empty()) {
    return {};
  }
  CUstream stream = nullptr;
  TUTTI_ASSIGN(stream, stream_->handle());
  if (const CUresult result = context.cuda().cuMemcpyDtoDAsync_v2(device_.mirror().at(bytes.begin),
                                                                  other->mirror().at(bytes.begin),
                                                                  bytes.size(), stream)) {
    return context.failed(result, "copy {} bytes from {}", bytes.size(), other->context().label());
  }
  return {};
}

Status CudaQueue::copyForeign(ForeignMemory &from, Range bytes) {
  auto &other = static_cast<CudaForeign &>(from);
  TUTTI_TRY(requireCommitted(bytes));
  if (!other.holds(bytes)) {
    return failure(ErrorCode::InvalidArgument, "{}: [{:#x}, {:#x}) has not been shared",
                   device_.context().label(), bytes.begin, bytes.end);
  }
  Context &context = device_.context();
  TUTTI_TRY(context.enter());
  TUTTI_TRY(settle());
  CUstream stream = nullptr;
  TUTTI_ASSIGN(stream, stream_->handle());
  while (!bytes.empty()) {
    const auto [source, size] = other.at(bytes);
    if (const CUresult result = context.cuda().cuMemcpyDtoDAsync_v2(
            device_.mirror().at(bytes.begin), source, size, stream)) {
      return context.failed(result, "copy {} bytes from another process", size);
    }
    bytes.begin += size;
  }
  return {};
}

Status CudaQueue::keep(Range bytes, Snapshot &to, std::uint64_t offset) {
  TUTTI_TRY(requireCommitted(bytes));
  Context &context = device_.context();
  TUTTI_TRY(context.enter());
  TUTTI_TRY(settle());
  if (bytes.empty()) {
    return {};
  }
  if (!found_) {
    constexpr std::uint64_t kMost = kMostCompared / Change::kGrain;
    TUTTI_ASSIGN(found_, Memory::make(context, kChangesBegin + kMost * sizeof(Change)));
  }
  CUstream stream = nullptr;
  TUTTI_ASSIGN(stream, stream_->handle());
  if (const CUresult result = context.cuda().cuMemcpyDtoDAsync_v2(
          static_cast<CudaSnapshot &>(to).at(offset), device_.mirror().at(bytes.begin),
          bytes.size(), stream)) {
    return context.failed(result, "copy {} bytes to a snapshot", bytes.size());
  }
  return {};
}

Result<std::span<const Change>> CudaQueue::changes(Range bytes, const Snapshot &since,
                                                   std::uint64_t offset) {
  TUTTI_TRY(requireCommitted(bytes));
  TUTTI_TRY(device_.context().enter());
  if (bytes.empty()) {
    return std::span<const Change>();
  }
  TUTTI_TRY(compare(bytes, static_cast<const CudaSnapshot &>(since), offset));
  TUTTI_TRY(stream_->copyOut(found_->at(), std::as_writable_bytes(std::span(&changesFound_, 1))));
  TUTTI_TRY(finish());
  changes_.resize(std::max<std::size_t>(changes_.size(), changesFound_));
  const auto changes = std::span(changes_).first(changesFound_);
  if (changesFound_ > 0) {
    TUTTI_TRY(stream_->copyOut(found_->at() + kChangesBegin, std::as_writable_bytes(changes)));
    TUTTI_TRY(finish());
  }
  return std::span<const Change>(changes);
}

/// Starts the kernel that compares.
Status CudaQueue::compare(Range bytes, const CudaSnapshot &since, std::uint64_t offset) {
  constexpr std::uint32_t kGroup = 256;
  constexpr std::uint32_t kNone = 0;
  Kernel *kernel = nullptr;
  TUTTI_ASSIGN(kernel, device_.load(kChangesKernel));
  TUTTI_TRY(stream_->copyIn(std::as_bytes(std::span(&kNone, 1)), found_->at()));
  const std::uint64_t grains = bytes.size() / Change::kGrain;
  parameters_ = {device_.mirror().at(bytes.begin), since.at(offset), grains, found_->at()};
  Grid grid;
  grid.groups[0] = (grains + kGroup - 1) / kGroup;
  grid.group[0] = kGroup;
  return start(*kernel, grid, 0);
}

Status CudaQueue::checkGrid(const Kernel &kernel, const Grid &grid) const {
  const Info &info = device_.info();
  const std::string &label = device_.context().label();
  for (std::size_t d = 0; d < 3; ++d) {
    if (grid.groups[d] < 1 || grid.groups[d] > info.maxGroups[d] || grid.group[d] < 1 ||
        grid.group[d] > info.maxGroupOf[d]) {
      return failure(ErrorCode::InvalidArgument,
                     "{}: {} groups of {} work-items in dimension {}; it takes {} of {}", label,
                     grid.groups[d], grid.group[d], d, info.maxGroups[d], info.maxGroupOf[d]);
    }
  }
  // Each dimension is below 2^11, so that the product does not overflow.
  if (grid.groupSize() > kernel.maxGroup()) {
    return failure(ErrorCode::InvalidArgument, "{}: groups of {} work-items; the kernel takes {}",
                   label, grid.groupSize(), kernel.maxGroup());
  }
  return {};
}

Status CudaQueue::checkLaunch(const KernelLaunch &launch) const {
  TUTTI_TRY(checkGrid(*launch.kernel, launch.grid));
  if (launch.partialBytes == 0) {
    return {};
  }
  if (launch.combiner) {
    TUTTI_TRY(checkGrid(*launch.combiner, launch.combinerGrid));
    if (!launch.occupiesCombiner()) {
      return failure(ErrorCode::InvalidArgument,
                     "{}: a combiner of {} groups for {} partial results",
                     device_.context().label(), launch.partialCount(), launch.grid.groupCount());
    }
  }
  const std::uint64_t room = launch.partials ? launch.partials->bytes().size() : 0;
  if (launch.partialCount() > room / launch.partialBytes) {
    return failure(ErrorCode::InvalidArgument,
                   "{}: {} groups leave {} bytes each, there is room for {}",
                   device_.context().label(), launch.partialCount(), launch.partialBytes, room);
  }
  return {};
}

/// In the order of `tutti_kernel`'s parameters.
void CudaQueue::packArguments(const KernelLaunch &launch, CUdeviceptr partials) {
  const Mirror &mirror = device_.mirror();
  parameters_.assign({0, mirror.lowDelta(), mirror.highDelta(),
                      static_cast<std::uint64_t>(launch.lower),
                      static_cast<std::uint64_t>(launch.upper),
                      static_cast<std::uint64_t>(launch.total), partials});
  parameters_.insert(parameters_.end(), launch.arguments.begin(), launch.arguments.end());
}

Status CudaQueue::start(Kernel &kernel, const Grid &grid, std::uint32_t partialBytes) {
  auto &ours = static_cast<CudaKernel &>(kernel);
  const std::uint64_t shared = std::uint64_t{partialBytes} * grid.groupSize();
  TUTTI_TRY(ours.allowShared(device_.context(), shared));
  return stream_->launch(
      {.kernel = &ours,
       .groups = {static_cast<unsigned>(grid.groups[0]), static_cast<unsigned>(grid.groups[1]),
                  static_cast<unsigned>(grid.groups[2])},
       .group = {grid.group[0], grid.group[1], grid.group[2]},
       .shared = static_cast<unsigned>(shared)},
      parameters_);
}

/// Gives the combiner of the latest launch if that still waits; the parameters are those of a
/// combiner (`tutti_device_code`).
Status CudaQueue::combine() {
  const auto waiting = std::exchange(combining_, std::nullopt);
  if (!waiting) {
    return {};
  }
  const std::uint64_t count = waiting->partials;
  parameters_.assign({partials_->at(), 0, 0, 0, count, count, waiting->target});
  return start(*waiting->combiner, waiting->grid, waiting->partialBytes);
}

Status CudaQueue::settle() {
  TUTTI_TRY(combine());
  return stream_->settle();
}

Status CudaQueue::launch(const KernelLaunch &launch) {
  TUTTI_TRY(checkLaunch(launch));
  TUTTI_TRY(device_.context().enter());
  TUTTI_TRY(settle());
  if (launch.partialBytes == 0) {
    packArguments(launch, 0);
    return start(*launch.kernel, launch.grid, 0);
  }
  if (!launch.combiner) {
    packArguments(launch, static_cast<CudaHostBuffer *>(launch.partials)->onDevice());
    return start(*launch.kernel, launch.grid, launch.partialBytes);
  }
  const std::uint64_t bytes = launch.grid.groupCount() * launch.partialBytes;
  if (!partials_ || partials_->size() < bytes) {
    TUTTI_TRY(stream_->finish());
    partials_.reset();
    TUTTI_ASSIGN(partials_, Memory::make(device_.context(), std::bit_ceil(bytes)));
  }
  packArguments(launch, partials_->at());
  TUTTI_TRY(start(*launch.kernel, launch.grid, launch.partialBytes));
  combining_ =
      Combining{launch.combiner, launch.combinerGrid, launch.grid.groupCount(), launch.partialBytes,
                static_cast<CudaHostBuffer *>(launch.partials)->onDevice()};
  return {};
}

Result<std::unique_ptr<Event>> CudaQueue::record() {
  TUTTI_TRY(device_.context().enter());
  TUTTI_TRY(combine());
  CUevent native = nullptr;
  if (stream_->isSettled()) {
    TUTTI_ASSIGN(native, stream_->record());
  }
  return std::make_unique<CudaEvent>(stream_, native);
}

Status CudaQueue::wait(Event &event) {
  auto &awaited = static_cast<CudaEvent &>(event);
  CUevent native = nullptr;
  TUTTI_ASSIGN(native, awaited.native());
  awaited.addDependences(*stream_);
  if (!native) {
    return {};
  }
  Context &context = device_.context();
  TUTTI_TRY(context.enter());
  TUTTI_TRY(settle());
  CUstream stream = nullptr;
  TUTTI_ASSIGN(stream, stream_->handle());
  if (const CUresult result = context.cuda().cuStreamWaitEvent(stream, native, 0)) {
    return context.failed(result, "wait for an event");
  }
  return {};
}

Status CudaQueue::finish() {
  Context &context = device_.context();
  Status status = context.enter();
  if (status) {
    status = combine();
  }
  if (status) {
    status = stream_->finish();
  }
  if (!status && context.fault()) {
    return *context.fault();
  }
  return status;
}

} // namespace tutti::device::cuda
