// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Devices beside the cores of a process: what every backend implements.
///
/// A device mirrors the window: a byte of the window has one place on the device, which exists once
/// it has been committed. So this interface speaks of addresses of the window only; where they lie
/// on the device is the backend's affair, and that of the kernels, which get the distance as an
/// argument (`tutti_kernel` in abi/abi.h).
///
/// To add a backend: copy `mock`, keep the file names, add its folder to the list in
/// runtime/device/CMakeLists.txt; `conformance` finds it there.
#pragma once

#include "abi/abi.h"
#include "abi/tasks.h"
#include "base/descriptor.h"
#include "base/range.h"
#include "base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::device {

/// What is known of a device without opening it.
struct Info {
  std::string name;   ///< As the vendor says it.
  std::string driver; ///< Version of driver or platform, for people.
  /// Equal on all processes of a host for the same piece of hardware; empty if it cannot be told.
  std::string identity;
  tutti_kernel_format format{}; ///< Of the kernels that it takes; 0: none.
  std::uint32_t vendor = 0;     ///< By its number on the bus; 0 if that is not known.
  bool isGpu = false;           ///< Else it is made of the host's cores or emulated.
  bool hasFp64 = false;         ///< Doubles.
  std::uint64_t memory = 0;     ///< Bytes that kernels may use; 0 if that is not known.
  std::uint32_t units = 0;      ///< Multiprocessors or compute units.
  std::uint32_t maxGroup = 0;   ///< Work-items of a group.
  std::uint64_t localBytes = 0; ///< Local (shared) memory of a group.
  std::array<std::uint32_t, 3> maxGroupOf{}; ///< Per dimension, the fastest first.
  std::array<std::uint64_t, 3> maxGroups{};  ///< Groups per dimension.
  /// Devices of the driver's list, in order, from which it copies directly inside a process.
  std::vector<std::size_t> reaches;
  bool sharesMemory = false; ///< With other processes of the host, as the driver says.
};

/// The window as devices see it: two runs of addresses, whole pages.
struct Segments {
  Range low;  ///< Below 4 GiB: variables of the program. May be empty.
  Range high; ///< The stack of `main` and the heap.
};

/// Groups and work-items per group, the fastest dimension first; unused dimensions are 1.
struct Grid {
  std::array<std::uint64_t, 3> groups{1, 1, 1};
  std::array<std::uint32_t, 3> group{1, 1, 1};

  std::uint64_t groupCount() const { return groups[0] * groups[1] * groups[2]; }

  std::uint32_t groupSize() const { return group[0] * group[1] * group[2]; }
};

/// A kernel made ready for one device.
///
/// Ownership: the device's; lives as long as it.
class Kernel {
public:
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;
  virtual ~Kernel() = default;

  /// Work-items that a group may have at most, given the kernel's use of registers.
  virtual std::uint32_t maxGroup() const = 0;

protected:
  Kernel() = default;
};

/// Memory of the host that devices reach fast (page-locked where the backend knows how).
///
/// Ownership: frees itself; outlives no device that made it.
class HostBuffer {
public:
  HostBuffer(const HostBuffer &) = delete;
  HostBuffer &operator=(const HostBuffer &) = delete;
  virtual ~HostBuffer() = default;

  std::span<std::byte> bytes() const { return bytes_; }

protected:
  HostBuffer() = default;
  std::span<std::byte> bytes_;
};

/// Everything that a queue had been given up to some point.
class Event {
public:
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;
  virtual ~Event() = default;

  /// Whether all of it is done. Never blocks.
  /// Errors:  KernelFault, DeviceLost  an operation before the event failed; sticky.
  /// Source:  cuEventQuery, clGetEventInfo.
  virtual Result<bool> hasCompleted() = 0;

protected:
  Event() = default;
};

/// Memory of a device of another process of this host, as far as that process has shared it, for
/// one device of this process to copy from.
///
/// Threading: externally synchronised, together with its device.
/// Ownership: the device outlives it.
class ForeignMemory {
public:
  ForeignMemory(const ForeignMemory &) = delete;
  ForeignMemory &operator=(const ForeignMemory &) = delete;
  virtual ~ForeignMemory() = default;

  /// Makes a block available that was shared under this handle, which is not needed any more then.
  /// Errors: OutOfMemory, NotSupported, DeviceLost; InvalidArgument  it is there already, or the
  ///         handle is not one of such a block. Nothing has changed.
  /// Source: cuMemImportFromShareableHandle, cuMemMap, cuMemSetAccess.
  virtual Status add(Range block, const Descriptor &handle) = 0;

  /// Lets go of the blocks in `bytes`, so that the other process can give them back to its device.
  /// Order: nothing is under way there.
  virtual Status remove(Range bytes) = 0;

protected:
  ForeignMemory() = default;
};

/// Memory of a device beside the mirror: for what bytes of the window held there at some time.
///
/// Threading: externally synchronised, together with its device.
/// Ownership: frees itself; outlives no device that made it. Nothing may be under way there then.
class Snapshot {
public:
  Snapshot(const Snapshot &) = delete;
  Snapshot &operator=(const Snapshot &) = delete;
  virtual ~Snapshot() = default;

protected:
  Snapshot() = default;
};

/// A grain, some bytes beside one another, in which something differs. As devices write it.
struct Change {
  static constexpr std::size_t kGrain = 32;

  std::uint32_t grain; ///< Number of those before it in what was compared.
  std::uint32_t mask;  ///< A bit for each byte that differs, the lowest for the first.
  std::array<std::byte, kGrain> now;
};

static_assert(sizeof(Change) == 40);

/// One run of a kernel.
struct KernelLaunch {
  Kernel *kernel = nullptr;
  Grid grid;
  std::int64_t lower = 0; ///< Iterations [lower, upper) of [0, total).
  std::int64_t upper = 0;
  std::int64_t total = 0;
  std::uint32_t partialBytes = 0; ///< Per group; 0: does not reduce.
  /// Runs behind the kernel on its groups' partial results (`tutti_device_code` in abi/abi.h),
  /// which stay on the device. Null: they go to the host.
  Kernel *combiner = nullptr;
  Grid combinerGrid{}; ///< Of one dimension; no more work-items than `grid` has groups.
  /// Receives the partial results by the time of an event behind the launch: `partialBytes` for
  /// each group, of the combiner if there is one. Null if it does not reduce.
  HostBuffer *partials = nullptr;
  std::vector<std::uint64_t> arguments; ///< Captures, values, symbols.

  /// Partial results that the host gets, if it reduces.
  std::uint64_t partialCount() const { return (combiner ? combinerGrid : grid).groupCount(); }

  /// Whether each work-item of the combiner has a partial result.
  bool occupiesCombiner() const {
    const std::uint64_t items = combinerGrid.groupCount() * combinerGrid.groupSize();
    return combinerGrid.groups[0] * combinerGrid.group[0] == items && items <= grid.groupCount();
  }
};

/// An argument of a kernel that the user wrote.
struct NativeArgument {
  const void *value;
  std::size_t bytes;
  /// A pointer into the window: the kernel gets where that byte lies on the device. Other pointers
  /// are handed on as they are.
  bool isTranslated;
};

/// One run of a kernel that the user wrote.
struct NativeLaunch {
  Kernel *kernel = nullptr;
  Grid grid;
  std::uint64_t localBytes = 0; ///< Local memory of a group beside what the kernel declares.
  std::vector<NativeArgument> arguments;
};

class Device;

/// In-order queue of one device: operations complete in the order in which they were given, and
/// side by side with those of other queues and with the host.
///
/// Threading: externally synchronised.
/// Errors:    of all operations: DeviceLost; InvalidArgument with nothing done if a range is not
///            committed or a grid exceeds the device's limits.
class Queue {
public:
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;
  virtual ~Queue() = default;

  /// Copies `source` to `address` on the device. The source may be written to when the call
  /// returns; it may stage the bytes for that.
  /// Source: cuMemcpyHtoDAsync, clEnqueueWriteBuffer.
  virtual Status copyIn(std::span<const std::byte> source, std::uint64_t address) = 0;

  /// Copies from `address` on the device to `target`, which holds the bytes once an event behind
  /// this call has completed or `finish` has returned.
  /// Source: cuMemcpyDtoHAsync, clEnqueueReadBuffer.
  virtual Status copyOut(std::uint64_t address, std::span<std::byte> target) = 0;

  /// As `copyIn`, from memory that this queue's device has locked: it is read beside whatever else
  /// goes on, and must stay as it is until an event behind this call has completed.
  /// Cost: no copy inside host memory, and none of the caller's time.
  virtual Status copyInLocked(std::span<const std::byte> source, std::uint64_t address) {
    return copyIn(source, address);
  }

  /// As `copyOut`, to memory that this queue's device has locked.
  /// Cost: as `copyInLocked`.
  virtual Status copyOutLocked(std::uint64_t address, std::span<std::byte> target) {
    return copyOut(address, target);
  }

  /// Copies the same addresses from `from`, another device, to this one. The other device's
  /// operations that matter must have completed or be waited for with `wait`.
  /// Errors: NoRoute  the two cannot reach each other; go through the host. Nothing was done.
  /// Source: cuMemcpyPeerAsync.
  virtual Status copyFrom(Device &from, Range bytes) = 0;

  /// Copies the same addresses from a device of another process to this one. `from` was made by
  /// this queue's device. What the other process has given its device must have completed. Errors:
  /// InvalidArgument  not all of it has been added; NoRoute  the backend shares nothing.
  virtual Status copyForeign(ForeignMemory &from, Range bytes) {
    static_cast<void>(from);
    return failure(ErrorCode::NoRoute, "[{:#x}, {:#x}) is not shared", bytes.begin, bytes.end);
  }

  /// Copies `bytes` to where `offset` is in a snapshot that this queue's device has made.
  ///
  /// Shape:  at most `kMostCompared` bytes, in whole grains: window and offset are aligned to them.
  /// Errors: OutOfMemory  there is no room for what `changes` may find; nothing was done.
  /// Source: cuMemcpyDtoDAsync, clEnqueueCopyBuffer.
  virtual Status keep(Range bytes, Snapshot &to, std::uint64_t offset) = 0;

  /// What differs now from what one call of `keep` has put at `offset`, in any order. Only that
  /// leaves the device. Stays until the queue is given something again.
  ///
  /// Errors: those of `finish`; WrongImage  the driver refuses the kernel that compares.
  /// Cost:   blocks until all that was given is done.
  virtual Result<std::span<const Change>> changes(Range bytes, const Snapshot &since,
                                                  std::uint64_t offset) = 0;

  static constexpr std::uint64_t kMostCompared = std::uint64_t{32} << 20;

  /// Runs a kernel.
  /// Source: cuLaunchKernel, clEnqueueNDRangeKernel.
  virtual Status launch(const KernelLaunch &launch) = 0;

  /// Runs a kernel of the user's. The arguments may change when the call returns.
  ///
  /// Errors: InvalidArgument  the grid, the local memory or the arguments are not the kernel's, in
  ///         words for the user; NotSupported  the backend runs none.
  /// Source: cuLaunchKernel, clEnqueueNDRangeKernel.
  virtual Status launchNative(const NativeLaunch &launch) {
    static_cast<void>(launch);
    return failure(ErrorCode::NotSupported, "the device runs no kernels of the program's own");
  }

  /// What the vendor's library knows the queue by, for code of the program that gives it work
  /// itself (`CUstream`, `cl_command_queue`); null if it knows none. Makes the device current for
  /// the calling thread where the vendor's library has such a notion.
  virtual Result<void *> native() { return nullptr; }

  /// Where bytes of the window lie on the device, for such code.
  ///
  /// Errors: NotSupported  the backend has no addresses for it.
  virtual Result<std::uint64_t> nativeAddress(Range bytes) {
    static_cast<void>(bytes);
    return failure(ErrorCode::NotSupported, "the device has no addresses for the program");
  }

  /// The number by which the vendor's library knows the device, for such code.
  virtual std::int32_t nativeDevice() const { return 0; }

  /// Starts moving managed memory of the program to the device. Memory that is not managed stays
  /// where it is, without an error.
  /// Source: cuMemPrefetchAsync.
  virtual Status prefetch(std::span<const std::byte> memory) {
    static_cast<void>(memory);
    return {};
  }

  /// Marks this point of the queue.
  virtual Result<std::unique_ptr<Event>> record() = 0;

  /// Lets what follows wait for an event, of this or another device of the same backend.
  virtual Status wait(Event &event) = 0;

  /// Waits until all that was given is done.
  /// Errors: KernelFault, DeviceLost. Cost: blocks.
  virtual Status finish() = 0;

protected:
  Queue() = default;
};

/// An opened device.
///
/// Threading: externally synchronised.
class Device {
public:
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  virtual ~Device() = default;

  virtual const Info &info() const = 0;

  /// Bytes that `commit` can be expected to give in all, as it looked when the device was opened:
  /// others may take memory, too.
  virtual std::uint64_t capacity() const = 0;

  /// Bytes of the aligned blocks in which memory is given back; a power of two.
  virtual std::uint64_t granule() const = 0;

  /// Makes sure that the device has memory for these bytes of the window. Contents of new memory
  /// are undefined; what was committed before stays.
  ///
  /// Errors: OutOfMemory  the device is full, or the bytes cannot be part of its mirror; what was
  ///         committed before is as it was. InvalidArgument  not in the window.
  /// Cost:   a look-up if all is committed already.
  virtual Status commit(Range bytes) = 0;

  /// Gives memory up that lies wholly in `bytes`, in the backend's granules; it may be kept for
  /// commits to come. Nothing may be under way there.
  virtual Status release(Range bytes) = 0;

  /// Bytes that are committed, whole granules.
  virtual std::uint64_t committed() const = 0;

  /// Tells of kernels that may be loaded, of any format, which stay where they are: a device for
  /// which it pays may make several ready at once.
  virtual void expect(std::span<const tutti_kernel *const> /*kernels*/) {}

  /// Makes a kernel ready; the same pointer gives the same kernel.
  ///
  /// Errors: WrongImage  the driver refuses the text, with the driver's words;
  ///         NotSupported  format or precision are not the device's.
  /// Cost:   compiles at the first call: milliseconds to seconds.
  virtual Result<Kernel *> load(const tutti_kernel &kernel) = 0;

  /// Makes a kernel ready that the program brings; the same pointer gives the same kernel.
  ///
  /// Errors: NotSupported, WrongImage  with what is missing, or the words of the vendor's compiler.
  /// Cost:   may compile at the first call.
  virtual Result<Kernel *> find(const tutti_task_kernel &kernel) {
    return failure(ErrorCode::NotSupported, "{} runs no kernels of the program's own, as {}",
                   info().name, kernel.name);
  }

  /// Whether a kernel that the program brings may use what lies at an address outside of the window
  /// as it is: memory of the vendor's library, or of the device itself.
  /// Source: cuPointerGetAttribute.
  virtual bool reaches(std::uint64_t address) {
    static_cast<void>(address);
    return false;
  }

  virtual Result<std::unique_ptr<Queue>> makeQueue() = 0;

  /// Makes a queue whose kernels begin before those of others that wait for room on the device,
  /// where the backend knows how. Source: cuStreamCreateWithPriority.
  virtual Result<std::unique_ptr<Queue>> makeUrgentQueue() { return makeQueue(); }

  virtual Result<std::unique_ptr<HostBuffer>> makeHostBuffer(std::size_t bytes) = 0;

  /// Locks pages of the host's memory, so that the device gets at them by itself. They stay locked
  /// until the device is closed. What is locked already, for this device or another one, stays so.
  ///
  /// Shape:  whole pages; a copy of locked memory reaches into one such piece only.
  /// Threading: any, beside whatever else is done with the device.
  /// Errors: NotSupported  the backend locks no memory of others; OutOfMemory. Nothing has changed.
  /// Source: cuMemHostRegister.
  virtual Status lock(std::span<std::byte> pages) {
    static_cast<void>(pages);
    return failure(ErrorCode::NotSupported, "{} locks no memory of the host", info().name);
  }

  /// Errors: OutOfMemory. Source: cuMemAlloc, clCreateBuffer.
  virtual Result<std::unique_ptr<Snapshot>> makeSnapshot(std::uint64_t bytes) = 0;

  /// From now on `share` works, if it can on this machine.
  ///
  /// Order:  before the first `commit`.
  /// Errors: NotSupported  with nothing changed.
  virtual Status allowSharing() { return sharesNothing(); }

  /// A handle by which another process of this host can copy from a block: what one `commit` has
  /// added.
  ///
  /// Errors: NotSupported; InvalidArgument  not a block; SystemFailed  too many files are open.
  /// Source: cuMemExportToShareableHandle with CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.
  virtual Result<Descriptor> share(Range block) {
    static_cast<void>(block);
    return sharesNothing();
  }

  /// For memory of one device of another process.
  /// Errors: NotSupported.
  virtual Result<std::unique_ptr<ForeignMemory>> makeForeign() { return sharesNothing(); }

protected:
  Device() = default;

private:
  Error sharesNothing() const {
    return failure(ErrorCode::NotSupported, "{} shares no memory with other processes",
                   info().name);
  }
};

/// One backend: finds its devices. Its vendor's library is opened at run time.
///
/// Threading: externally synchronised.
class Driver {
public:
  Driver(const Driver &) = delete;
  Driver &operator=(const Driver &) = delete;
  virtual ~Driver() = default;

  virtual std::string_view name() const = 0; ///< Of the backend.

  /// The devices that there are, in the vendor's order. None, without error, if there is no driver.
  /// Errors: DriverMissing  there is a driver, but it is too old or does not start; in one line.
  virtual Result<std::vector<Info>> list() = 0;

  /// Errors: DeviceLost, OutOfMemory, NotSupported.
  virtual Result<std::unique_ptr<Device>> open(std::size_t index, const Segments &window) = 0;

protected:
  Driver() = default;
};

} // namespace tutti::device
