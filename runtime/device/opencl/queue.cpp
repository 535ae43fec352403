// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/opencl/queue.h"

#include "runtime/device/opencl/changes.h"
#include "runtime/device/opencl/device.h"
#include "runtime/device/opencl/status.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tutti::device::opencl {

namespace {

/// Parameters of every kernel, before its captures (abi/abi.h).
constexpr Uint kFixedParameters = 7;

Range rangeAt(std::uint64_t address, std::size_t bytes) { return {address, address + bytes}; }

} // namespace

Result<bool> OpenclEvent::hasCompleted() {
  const Library &library = device_.library();
  const Int status = statusOfEvent(library, marker_.get());
  if (status > kComplete) {
    return false;
  }
  operations_->poll();
  TUTTI_TRY(device_.note(operations_->outcome(number_)));
  TUTTI_TRY(device_.note(outcomeOf(status, "clEnqueueMarkerWithWaitList")));
  return true;
}

OpenclQueue::OpenclQueue(OpenclDevice &device, Owned<CommandQueue> native)
    : device_(device), library_(device.library()), native_(std::move(native)),
      operations_(std::make_shared<Operations>(library_)) {}

OpenclQueue::~OpenclQueue() {
  library_.finish(native_.get());
  device_.forget(native_.get());
}

Status OpenclQueue::copyIn(std::span<const std::byte> source, std::uint64_t address) {
  TUTTI_TRY(device_.alive());
  const Range bytes = rangeAt(address, source.size());
  TUTTI_TRY(device_.mirrored().require(bytes));
  if (source.empty()) {
    return {};
  }
  std::span<const std::byte> staged;
  if (source.size() <= Staging::kBlockBytes) {
    operations_->poll();
    staged = staging_.take(source, operations_->next(), operations_->done());
  }
  const bool blocks = staged.empty();
  const auto *from = blocks ? source.data() : staged.data();
  NativeEvent event = nullptr;
  const Int code = library_.enqueueWriteBuffer(
      native_.get(), device_.arena().buffer(), blocks ? kTrue : 0,
      device_.arena().offsetsOf(bytes).begin, source.size(), from, 0, nullptr, &event);
  return begun(code, event, "clEnqueueWriteBuffer", "copy to the device");
}

Status OpenclQueue::copyOut(std::uint64_t address, std::span<std::byte> target) {
  TUTTI_TRY(device_.alive());
  const Range bytes = rangeAt(address, target.size());
  TUTTI_TRY(device_.mirrored().require(bytes));
  if (target.empty()) {
    return {};
  }
  NativeEvent event = nullptr;
  const Int code = library_.enqueueReadBuffer(native_.get(), device_.arena().buffer(), 0,
                                              device_.arena().offsetsOf(bytes).begin, target.size(),
                                              target.data(), 0, nullptr, &event);
  return begun(code, event, "clEnqueueReadBuffer", "copy from the device");
}

Status OpenclQueue::copyFrom(Device &from, Range bytes) {
  TUTTI_TRY(device_.alive());
  TUTTI_TRY(device_.mirrored().require(bytes));
  return failure(ErrorCode::NoRoute, "no direct copies from {} to {}: their contexts differ",
                 from.info().name, device_.info().name);
}

Status OpenclQueue::keep(Range bytes, Snapshot &to, std::uint64_t offset) {
  TUTTI_TRY(device_.alive());
  TUTTI_TRY(device_.mirrored().require(bytes));
  if (bytes.empty()) {
    return {};
  }
  TUTTI_TRY(reserveChanges(bytes.size() / Change::kGrain));
  NativeEvent event = nullptr;
  const Int code = library_.enqueueCopyBuffer(
      native_.get(), device_.arena().buffer(), static_cast<OpenclSnapshot &>(to).memory(),
      device_.arena().offsetsOf(bytes).begin, offset, bytes.size(), 0, nullptr, &event);
  return begun(code, event, "clEnqueueCopyBuffer", "copy to a snapshot");
}

Result<std::span<const Change>> OpenclQueue::changes(Range bytes, const Snapshot &since,
                                                     std::uint64_t offset) {
  TUTTI_TRY(device_.alive());
  TUTTI_TRY(device_.mirrored().require(bytes));
  if (bytes.empty()) {
    return std::span<const Change>();
  }
  TUTTI_TRY(compare(bytes, since, offset));
  NativeEvent event = nullptr;
  TUTTI_TRY(
      begun(library_.enqueueReadBuffer(native_.get(), changesOnDevice_.get(), 0, 0,
                                       sizeof changesFound_, &changesFound_, 0, nullptr, &event),
            event, "clEnqueueReadBuffer", "copy of the number of changes"));
  TUTTI_TRY(finish());
  if (changesFound_ > 0) {
    TUTTI_TRY(begun(library_.enqueueReadBuffer(native_.get(), changesOnDevice_.get(), 0,
                                               kChangesBegin, changesFound_ * sizeof(Change),
                                               changes_.data(), 0, nullptr, &event),
                    event, "clEnqueueReadBuffer", "copy of changes"));
    TUTTI_TRY(finish());
  }
  return std::span<const Change>(changes_).first(changesFound_);
}

/// Starts the kernel that compares.
Status OpenclQueue::compare(Range bytes, const Snapshot &since, std::uint64_t offset) {
  Kernel *loaded = nullptr;
  TUTTI_ASSIGN(loaded, device_.load(kChangesKernel));
  const auto &kernel = static_cast<const OpenclKernel &>(*loaded);
  NativeEvent event = nullptr;
  const std::uint32_t zero = 0;
  TUTTI_TRY(begun(library_.enqueueFillBuffer(native_.get(), changesOnDevice_.get(), &zero,
                                             sizeof zero, 0, sizeof zero, 0, nullptr, &event),
                  event, "clEnqueueFillBuffer", "fill of the number of changes"));
  const Memory now = device_.arena().buffer();
  const Memory before = static_cast<const OpenclSnapshot &>(since).memory();
  const Memory out = changesOnDevice_.get();
  const std::uint64_t at = device_.arena().offsetsOf(bytes).begin / 4;
  const std::uint64_t from = offset / 4;
  const std::uint64_t grains = bytes.size() / Change::kGrain;
  Uint index = 0;
  Int code = kSuccess;
  const auto set = [&](const auto &value) {
    code = code == kSuccess ? library_.setKernelArg(kernel.native(), index, sizeof value, &value)
                            : code;
    ++index;
  };
  set(now);
  set(at);
  set(before);
  set(from);
  set(grains);
  set(out);
  TUTTI_TRY(device_.note(statusOf(code, "clSetKernelArg")));
  const Size local = std::min<std::uint32_t>(kernel.maxGroup(), 64);
  const Size global = (grains + local - 1) / local * local;
  TUTTI_TRY(device_.note(statusOf(library_.enqueueKernel(native_.get(), kernel.native(), 1, nullptr,
                                                         &global, &local, 0, nullptr, &event),
                                  "clEnqueueNDRangeKernel")));
  operations_->addKernel({event, library_.releaseEvent}, kernel.name());
  return {};
}

/// Room for so many changes, on the device and here.
Status OpenclQueue::reserveChanges(std::uint64_t count) {
  if (count <= changes_.size()) {
    return {};
  }
  auto larger = device_.allocate(kChangesBegin + count * sizeof(Change), kMemReadWrite);
  if (!larger) {
    return std::move(larger).error();
  }
  changesOnDevice_ = std::move(*larger);
  changes_.resize(count);
  return {};
}

Status OpenclQueue::launch(const KernelLaunch &launch) {
  TUTTI_TRY(device_.alive());
  TUTTI_TRY(checkLaunch(launch));
  const std::uint64_t bytes = launch.grid.groupCount() * launch.partialBytes;
  TUTTI_TRY(partials_.reserve(device_, std::max<std::uint64_t>(bytes, 16)));
  if (launch.combiner) {
    TUTTI_TRY(combined_.reserve(device_, launch.partialCount() * launch.partialBytes));
  }
  const Arena &arena = device_.arena();
  // Nothing is committed for a kernel that uses no memory; it needs a buffer all the same.
  const Memory memory = arena.buffer() ? arena.buffer() : partials_.memory.get();
  TUTTI_TRY(
      start(*launch.kernel, launch.grid, launch.partialBytes,
            {memory,
             {arena.lowDistance(), arena.highDistance(), static_cast<std::uint64_t>(launch.lower),
              static_cast<std::uint64_t>(launch.upper), static_cast<std::uint64_t>(launch.total)},
             partials_.memory.get(),
             launch.arguments}));
  if (launch.combiner) {
    const std::uint64_t count = launch.grid.groupCount();
    TUTTI_TRY(start(*launch.combiner, launch.combinerGrid, launch.partialBytes,
                    {partials_.memory.get(), {0, 0, 0, count, count}, combined_.memory.get(), {}}));
  }
  if (launch.partialBytes > 0) {
    const Scratch &results = launch.combiner ? combined_ : partials_;
    NativeEvent event = nullptr;
    const Int read = library_.enqueueReadBuffer(
        native_.get(), results.memory.get(), 0, 0, launch.partialCount() * launch.partialBytes,
        launch.partials->bytes().data(), 0, nullptr, &event);
    TUTTI_TRY(begun(read, event, "clEnqueueReadBuffer", "copy of partial results"));
  }
  return device_.note(statusOf(library_.flush(native_.get()), "clFlush"));
}

Result<std::unique_ptr<Event>> OpenclQueue::record() {
  TUTTI_TRY(device_.alive());
  NativeEvent marker = nullptr;
  TUTTI_TRY(device_.note(statusOf(library_.enqueueMarker(native_.get(), 0, nullptr, &marker),
                                  "clEnqueueMarkerWithWaitList")));
  auto event = std::make_unique<OpenclEvent>(
      device_, Owned<NativeEvent>(marker, library_.releaseEvent), operations_);
  TUTTI_TRY(device_.note(statusOf(library_.flush(native_.get()), "clFlush")));
  return event;
}

Status OpenclQueue::wait(Event &event) {
  TUTTI_TRY(device_.alive());
  const auto *ours = dynamic_cast<const OpenclEvent *>(&event);
  if (!ours) {
    return failure(ErrorCode::InvalidArgument, "an event of another backend");
  }
  const NativeEvent marker = ours->marker();
  if (&ours->device() == &device_) {
    return device_.note(statusOf(library_.enqueueBarrier(native_.get(), 1, &marker, nullptr),
                                 "clEnqueueBarrierWithWaitList"));
  }
  // Events do not cross contexts: the host waits. If the other's work failed, its own events say.
  library_.waitForEvents(1, &marker);
  return {};
}

Status OpenclQueue::finish() {
  TUTTI_TRY(device_.alive());
  const Int code = library_.finish(native_.get());
  operations_->poll();
  TUTTI_TRY(device_.note(operations_->outcome(operations_->last())));
  return device_.note(outcomeOf(code, "clFinish"));
}

Status OpenclQueue::begun(Int code, NativeEvent event, const char *call, std::string what) {
  TUTTI_TRY(device_.note(statusOf(code, call)));
  operations_->add({event, library_.releaseEvent}, std::move(what));
  return {};
}

Status OpenclQueue::checkGrid(const OpenclKernel &kernel, const Grid &grid,
                              std::uint32_t partialBytes, std::size_t arguments) const {
  const Info &limits = device_.info();
  const bool reduces = partialBytes > 0;
  std::uint64_t groupSize = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    if (grid.group[d] == 0 || grid.groups[d] == 0 || grid.group[d] > limits.maxGroupOf[d] ||
        grid.groups[d] > limits.maxGroups[d]) {
      return failure(ErrorCode::InvalidArgument,
                     "kernel {}: {} groups of {} in dimension {}, where the device has at most {} "
                     "of {}",
                     kernel.name(), grid.groups[d], grid.group[d], d, limits.maxGroups[d],
                     limits.maxGroupOf[d]);
    }
    groupSize *= grid.group[d];
  }
  if (groupSize > kernel.maxGroup()) {
    return failure(ErrorCode::InvalidArgument, "kernel {}: {} work-items in a group, at most {}",
                   kernel.name(), groupSize, kernel.maxGroup());
  }
  if (reduces && !std::has_single_bit(groupSize)) {
    return failure(ErrorCode::InvalidArgument, "kernel {}: groups of {} cannot reduce",
                   kernel.name(), groupSize);
  }
  if (reduces && kernel.localBytes() + groupSize * partialBytes > limits.localBytes) {
    return failure(ErrorCode::InvalidArgument,
                   "kernel {}: {} bytes of local memory for {} work-items, of {}", kernel.name(),
                   partialBytes, groupSize, limits.localBytes);
  }
  const std::size_t parameters = kFixedParameters + arguments + (reduces ? 1 : 0);
  if (parameters != kernel.parameters()) {
    return failure(ErrorCode::InvalidArgument, "kernel {}: {} arguments for {} parameters",
                   kernel.name(), parameters, kernel.parameters());
  }
  return {};
}

Status OpenclQueue::checkLaunch(const KernelLaunch &launch) const {
  const auto *kernel = dynamic_cast<const OpenclKernel *>(launch.kernel);
  const auto *combiner = dynamic_cast<const OpenclKernel *>(launch.combiner);
  if (!kernel || (launch.combiner && !combiner)) {
    return failure(ErrorCode::InvalidArgument, "a kernel of another backend");
  }
  TUTTI_TRY(checkGrid(*kernel, launch.grid, launch.partialBytes, launch.arguments.size()));
  const std::uint64_t groups = launch.grid.groupCount();
  if (combiner) {
    TUTTI_TRY(checkGrid(*combiner, launch.combinerGrid, launch.partialBytes, 0));
    if (!launch.occupiesCombiner()) {
      return failure(ErrorCode::InvalidArgument,
                     "kernel {}: {} groups to combine {} partial results", combiner->name(),
                     launch.partialCount(), groups);
    }
  }
  if (launch.partialBytes > 0 &&
      (!launch.partials ||
       launch.partials->bytes().size() / launch.partialBytes < launch.partialCount())) {
    return failure(ErrorCode::InvalidArgument,
                   "kernel {}: {} partial results of {} bytes do not fit", kernel->name(),
                   launch.partialCount(), launch.partialBytes);
  }
  return {};
}

Status OpenclQueue::start(const Kernel &kernel, const Grid &grid, std::uint32_t partialBytes,
                          const Parameters &parameters) {
  const auto &ours = static_cast<const OpenclKernel &>(kernel);
  Uint index = 0;
  Int code = kSuccess;
  const auto set = [&](Size size, const void *value) {
    code = code == kSuccess ? library_.setKernelArg(ours.native(), index, size, value) : code;
    ++index;
  };
  set(sizeof parameters.arena, &parameters.arena);
  for (const std::uint64_t value : parameters.numbers) {
    set(sizeof value, &value);
  }
  set(sizeof parameters.partials, &parameters.partials);
  for (const std::uint64_t argument : parameters.arguments) {
    set(sizeof argument, &argument);
  }
  if (partialBytes > 0) {
    set(Size{partialBytes} * grid.groupSize(), nullptr);
  }
  TUTTI_TRY(device_.note(statusOf(code, "clSetKernelArg")));
  return run(ours.native(), ours.name(), grid);
}

Status OpenclQueue::run(NativeKernel kernel, const std::string &name, const Grid &grid) {
  std::array<Size, 3> global{};
  std::array<Size, 3> local{};
  for (std::size_t d = 0; d < 3; ++d) {
    local[d] = grid.group[d];
    global[d] = grid.groups[d] * local[d];
  }
  NativeEvent event = nullptr;
  const Int launched = library_.enqueueKernel(native_.get(), kernel, 3, nullptr, global.data(),
                                              local.data(), 0, nullptr, &event);
  TUTTI_TRY(device_.note(statusOf(launched, "clEnqueueNDRangeKernel")));
  operations_->addKernel({event, library_.releaseEvent}, name);
  return {};
}

Status Scratch::reserve(OpenclDevice &device, std::uint64_t wanted) {
  if (wanted <= bytes) {
    return {}; // The queue is in order: who used it before has read it by then.
  }
  auto larger = device.allocate(std::bit_ceil(wanted), kMemReadWrite);
  if (!larger) {
    return std::move(larger).error();
  }
  memory = std::move(*larger); // OpenCL keeps the old one until what uses it is done.
  bytes = std::bit_ceil(wanted);
  return {};
}

} // namespace tutti::device::opencl
