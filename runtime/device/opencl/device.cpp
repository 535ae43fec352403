// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/opencl/device.h"

#include "base/options.h"
#include "runtime/device/opencl/changes.h"
#include "runtime/device/opencl/queue.h"
#include "runtime/device/opencl/status.h"

#include <algorithm>
#include <array>

namespace tutti::device::opencl {

namespace {

/// Book-keeping only: the buffer has no holes.
constexpr std::uint64_t kGranule = 4 << 10;

/// Mapped memory of the implementation, which is where it keeps what is page-locked.
class OpenclHostBuffer final : public HostBuffer {
public:
  OpenclHostBuffer(const Library &library, CommandQueue queue, Owned<Memory> memory,
                   std::span<std::byte> bytes)
      : library_(library), queue_(queue), memory_(std::move(memory)), mapped_(bytes.data()) {
    bytes_ = bytes;
  }

  ~OpenclHostBuffer() override {
    library_.enqueueUnmapMemObject(queue_, memory_.get(), mapped_, 0, nullptr, nullptr);
    library_.finish(queue_);
  }

private:
  const Library &library_;
  CommandQueue queue_;
  Owned<Memory> memory_;
  void *mapped_;
};

std::string buildOptions(const Found &found) {
  // The oldest language that all versions of the library build; texts are written for it. Warnings
  // would not reach who wrote the loop, but some libraries print how many there are.
  std::string options = "-cl-std=CL1.2 -w";
  if (found.dividesExactly) {
    options += " -cl-fp32-correctly-rounded-divide-sqrt";
  }
  return options;
}

} // namespace

OpenclDevice::OpenclDevice(const Library &library, const Found &found, const Segments &window)
    : library_(library), found_(found), committed_(window, kGranule) {}

OpenclDevice::~OpenclDevice() = default;

Result<std::unique_ptr<Device>> OpenclDevice::open(const Library &library, const Found &found,
                                                   const Segments &window) {
  std::unique_ptr<OpenclDevice> device(new OpenclDevice(library, found, window));
  TUTTI_TRY(device->start());
  return device;
}

Status OpenclDevice::start() {
  // TUTTI_OPENCL_ARENA: what the mirror of the window begins with; it grows. For tests of that.
  const auto first = Options::fromEnvironment().size("TUTTI_OPENCL_ARENA", 0);
  TUTTI_TRY(first);
  const std::array<Property, 3> properties{kContextPlatform,
                                           reinterpret_cast<Property>(found_.platform), 0};
  Int code = kSuccess;
  context_ = {library_.createContext(properties.data(), 1, &found_.device, nullptr, nullptr, &code),
              library_.releaseContext};
  TUTTI_TRY(statusOf(code, "clCreateContext"));
  auto queue = makeNativeQueue();
  if (!queue) {
    return std::move(queue).error();
  }
  service_ = std::move(*queue);
  arena_.emplace(library_, context_.get(), service_.get(), committed_.window(),
                 Arena::Limits{found_.largestBuffer, found_.memory, !found_.info.isGpu, *first});
  builder_.emplace(library_, context_.get(), found_.device, buildOptions(found_));
  kernels_.emplace(*builder_);
  userKernels_.emplace(*builder_);
  return {};
}

Status OpenclDevice::commit(Range bytes) {
  TUTTI_TRY(alive());
  const Result<Range> granules = committed_.around(bytes);
  if (!granules) {
    return granules.error();
  }
  if (committed_.holds(*granules)) {
    return {};
  }
  const std::uint64_t end = arena_->offsetsOf(*granules).end;
  if (!arena_->reaches(end)) {
    TUTTI_TRY(finishQueues());
    TUTTI_TRY(note(arena_->grow(end, committed_.ranges())));
  }
  committed_.add(*granules);
  return {};
}

Status OpenclDevice::release(Range bytes) {
  TUTTI_TRY(alive());
  const Result<Range> granules = committed_.inside(bytes);
  if (!granules) {
    return granules.error();
  }
  committed_.remove(*granules);
  if (committed_.ranges().empty()) {
    arena_->clear();
  }
  return {};
}

bool OpenclDevice::hasPrecisionOf(const tutti_kernel &kernel) const {
  return (kernel.flags & TUTTI_KERNEL_FP64) == 0 || found_.info.hasFp64;
}

void OpenclDevice::expect(std::span<const tutti_kernel *const> kernels) {
  for (const tutti_kernel *kernel : kernels) {
    if (kernel->format == TUTTI_KERNEL_OPENCL_C && hasPrecisionOf(*kernel)) {
      kernels_->expect(*kernel);
    }
  }
}

Result<Kernel *> OpenclDevice::load(const tutti_kernel &kernel) {
  TUTTI_TRY(alive());
  if (kernel.format != TUTTI_KERNEL_OPENCL_C) {
    return failure(ErrorCode::NotSupported, "{}: kernel format {} is not OpenCL C", kernel.name,
                   kernel.format);
  }
  if (!hasPrecisionOf(kernel)) {
    return failure(ErrorCode::NotSupported, "{}: {} has no double precision", kernel.name,
                   found_.info.name);
  }
  Result<OpenclKernel *> loaded = kernels_->load(kernel);
  if (!loaded) {
    return note(loaded.error()).error();
  }
  return *loaded;
}

Result<Kernel *> OpenclDevice::find(const tutti_task_kernel &kernel) {
  TUTTI_TRY(alive());
  Result<UserKernel *> found = userKernels_->find(kernel);
  if (!found) {
    return note(found.error()).error();
  }
  return *found;
}

Result<Owned<Memory>> OpenclDevice::constantAt(std::uint64_t address, Ulong &offset) {
  Uint bits = 0;
  Ulong most = 0;
  TUTTI_TRY(statusOf(
      library_.getDeviceInfo(found_.device, kDeviceAddressAlign, sizeof bits, &bits, nullptr),
      "clGetDeviceInfo"));
  TUTTI_TRY(statusOf(
      library_.getDeviceInfo(found_.device, kDeviceConstantBytes, sizeof most, &most, nullptr),
      "clGetDeviceInfo"));
  const Ulong at = arena_->offsetsOf({address, address + 1}).begin;
  offset = at % std::max<Ulong>(bits / 8, 1);
  const BufferRegion region{at - offset, std::min(most, arena_->size() - (at - offset))};
  Int code = kSuccess;
  Owned<Memory> memory(
      library_.createSubBuffer(arena_->buffer(), kMemReadWrite, kCreateRegion, &region, &code),
      library_.releaseMemObject);
  TUTTI_TRY(note(statusOf(code, "clCreateSubBuffer")));
  return memory;
}

Result<std::unique_ptr<Queue>> OpenclDevice::makeQueue() {
  TUTTI_TRY(alive());
  auto queue = makeNativeQueue();
  if (!queue) {
    return std::move(queue).error();
  }
  queues_.push_back(queue->get());
  return std::make_unique<OpenclQueue>(*this, std::move(*queue));
}

Result<std::unique_ptr<HostBuffer>> OpenclDevice::makeHostBuffer(std::size_t bytes) {
  const std::size_t size = std::max<std::size_t>(bytes, 1);
  auto memory = allocate(size, kMemReadWrite | kMemAllocHostPtr);
  if (!memory) {
    return std::move(memory).error();
  }
  Int code = kSuccess;
  void *mapped = library_.enqueueMapBuffer(service_.get(), memory->get(), kTrue, kMapReadWrite, 0,
                                           size, 0, nullptr, nullptr, &code);
  TUTTI_TRY(note(statusOf(code, "clEnqueueMapBuffer")));
  return std::make_unique<OpenclHostBuffer>(library_, service_.get(), std::move(*memory),
                                            std::span(static_cast<std::byte *>(mapped), bytes));
}

Result<std::unique_ptr<Snapshot>> OpenclDevice::makeSnapshot(std::uint64_t bytes) {
  auto memory = allocate(bytes, kMemReadWrite);
  if (!memory) {
    return std::move(memory).error();
  }
  // Drivers allocate at the first use; then it would be a copy that fails.
  const std::uint32_t zero = 0;
  TUTTI_TRY(
      note(statusOf(library_.enqueueFillBuffer(service_.get(), memory->get(), &zero, sizeof zero, 0,
                                               sizeof zero, 0, nullptr, nullptr),
                    "clEnqueueFillBuffer")));
  TUTTI_TRY(note(statusOf(library_.finish(service_.get()), "clFinish")));
  return std::make_unique<OpenclSnapshot>(std::move(*memory));
}

Result<Owned<Memory>> OpenclDevice::allocate(std::uint64_t bytes, Ulong flags) {
  TUTTI_TRY(alive());
  Int code = kSuccess;
  Owned<Memory> memory(library_.createBuffer(context_.get(), flags, bytes, nullptr, &code),
                       library_.releaseMemObject);
  TUTTI_TRY(note(statusOf(code, "clCreateBuffer")));
  return memory;
}

Status OpenclDevice::alive() const {
  if (lost_) {
    return *lost_;
  }
  return {};
}

Status OpenclDevice::note(Status status) {
  if (!status && status.error().code == ErrorCode::DeviceLost && !lost_) {
    lost_ = status.error();
  }
  return status;
}

Result<Owned<CommandQueue>> OpenclDevice::makeNativeQueue() {
  Int code = kSuccess;
  Owned<CommandQueue> queue(library_.createCommandQueue(context_.get(), found_.device, 0, &code),
                            library_.releaseCommandQueue);
  TUTTI_TRY(note(statusOf(code, "clCreateCommandQueue")));
  return queue;
}

Status OpenclDevice::finishQueues() {
  for (CommandQueue queue : queues_) {
    TUTTI_TRY(note(statusOf(library_.finish(queue), "clFinish")));
  }
  return {};
}

} // namespace tutti::device::opencl
