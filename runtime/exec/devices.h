// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The devices of this rank and what is under way on them.
#pragma once

#include "base/range.h"
#include "base/result.h"
#include "runtime/balance/cut.h"
#include "runtime/device/device.h"
#include "runtime/exec/copy_lanes.h"
#include "runtime/exec/kernel_choice.h"
#include "runtime/exec/launch.h"
#include "runtime/exec/plan.h"
#include "runtime/exec/rooms.h"
#include "runtime/exec/task_queues.h"
#include "runtime/memory/window.h"
#include "runtime/trace/counters.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::exec {

/// A device that a rank uses.
struct OpenDevice {
  std::unique_ptr<device::Device> device;
  std::string_view backend; ///< Its name.
  Room room;
  bool isForItsName = false; ///< For nothing but what asks for its backend by name.
};

/// A device that is lost stays a place of the job: this rank's host stands in for it. What it holds
/// then is the host's copy, so copies between the two are done at once; what the host has no
/// copy of is gone.
///
/// Threading: externally synchronised.
/// Errors:    of all operations: those of `device::Queue`; DeviceLost and KernelFault only where
///            the loss cannot be hidden.
class Devices {
public:
  /// What the devices do is counted in `counters`.
  Devices(std::vector<OpenDevice> opened, const memory::Window &window, const Rooms &rooms,
          trace::Counters &counters);

  /// Says which bytes are gone with a device: those that it held and the host did not.
  using AtLoss = std::function<RangeSet(std::int32_t index, const Error &why)>;

  /// Before the first operation.
  void setAtLoss(AtLoss atLoss) { atLoss_ = std::move(atLoss); }

  std::int32_t count() const { return static_cast<std::int32_t>(lanes_.size()); }

  const device::Info &info(std::int32_t index) const { return lane(index).device->info(); }

  bool isLost(std::int32_t index) const { return lane(index).loss.has_value(); }

  /// `device::Device::reaches`.
  bool reaches(std::int32_t index, std::uint64_t address) {
    return !isLost(index) && lane(index).device->reaches(address);
  }

  /// What is gone with a device.
  const RangeSet &gone(std::int32_t index) const { return lane(index).gone; }

  /// The loss of a device if it is lost.
  Status requireAlive(std::int32_t index) const;

  /// Lets the host stand in for a device if `status`, of something that was done for it, says that
  /// it is lost, or has no memory for that. What was on its way to the host is gone then.
  ///
  /// Errors: any other failure.
  Status outlive(std::int32_t index, Status status);

  /// Fails if some of `bytes` are gone with the device.
  Status require(std::int32_t index, const RangeSet &bytes) const;

  /// Notes that this rank's host has written `bytes` in place of a lost device.
  void wroteInPlaceOf(std::int32_t index, const RangeSet &bytes);

  /// Makes sure that a device has memory for `units`, whole ones.
  ///
  /// Errors: OutOfMemory  the device cannot hold all of them; it has what it had before.
  /// Cost:   linear in the ranges if it has them already.
  Status commit(std::int32_t index, const RangeSet &units);

  /// Gives the memory of `units`, whole ones, back.
  ///
  /// Order: nothing is under way there.
  Status release(std::int32_t index, const RangeSet &units);

  /// Makes the kernel ready that would run a chunk.
  ///
  /// Errors: WrongImage, NotSupported  the device cannot run it.
  Status load(std::int32_t index, const Launch &launch, const balance::Chunk &chunk,
              bool isDisjoint);
  Status load(std::int32_t index, const tutti_region &region, const tutti_kernel &kernel);

  /// Starts copying bytes of the window from this rank's host memory to a device.
  Status copyIn(std::int32_t index, const RangeSet &bytes, Reading reading);

  /// The same beside kernels that do not touch them, for a loop that streams through the device.
  /// The host's memory may be written to once it is not read any more (`isReading`).
  Status streamIn(std::int32_t index, const RangeSet &bytes);

  /// Whether `event`, of the device, says that what was copied out before is there. So it does if
  /// the device is lost: what has not arrived is gone then. Never blocks.
  Result<bool> hasArrived(std::int32_t index, const RangeSet &bytes, device::Event &event);

  /// Starts copying bytes to this rank's host memory that only the device has, because they are
  /// going to leave it: `copyOut` finds them there then. Beside all that does not touch them.
  Status streamOut(std::int32_t index, const RangeSet &bytes);

  /// Whether the host's memory may still be read for something that is streamed in.
  Result<bool> isReading();

  /// Whether the host's memory may still be written for something that is streamed out.
  Result<bool> isStreamingOut();

  /// Whether `bytes` of the host's memory may still be read or written for something that is
  /// streamed in or out.
  Result<bool> isStreaming(const RangeSet &bytes);

  /// Whether anything has been streamed since the devices were opened: else nothing is.
  bool streams() const;

  /// Starts copying bytes that are for a device but not in the window.
  Status put(std::int32_t index, std::uint64_t address, std::span<const std::byte> bytes);

  /// Starts copying bytes from a device to this rank's host memory. Once the devices are idle, or
  /// an event behind it has happened (`hasArrived`), they are there, less what is gone with the
  /// device.
  Status copyOut(std::int32_t index, const RangeSet &bytes);

  /// Copies bytes from a device to somewhere else in this rank's memory, once all is done that the
  /// device has been given.
  ///
  /// Cost: blocks.
  Status read(std::int32_t index, std::uint64_t address, std::span<std::byte> target);

  /// Keeps a copy of bytes of a device on it, to find what changes there from now on. False with
  /// nothing done if it has no room for that beside what it holds: memory that other launches count
  /// on is not taken.
  Result<bool> keep(std::int32_t index, const RangeSet &bytes);

  /// Calls `visit(address, bytes)` for runs of bytes that differ from what `keep` has kept, in any
  /// order, once all is done that the device has been given. Drops the copy.
  ///
  /// Cost: blocks.
  Status takeChanges(
      std::int32_t index,
      const std::function<void(std::uint64_t address, std::span<const std::byte> bytes)> &visit);

  /// Whether a copy is kept.
  bool keeps(std::int32_t index) const { return lane(index).snapshot != nullptr; }

  /// Starts copying bytes from one device to another; through the host if there is no other way.
  ///
  /// Errors: DeviceLost  some are gone with `from`; nothing was done.
  /// Order: behind what `to` has been given. That they are there, `order(from, to)` says before;
  ///        that they are not overwritten meanwhile, `order(to, from)` or `orderBehindReaders`.
  ///        `release` comes after it if it waits for `isIdle` of the units.
  Status copyAcross(std::int32_t from, std::int32_t to, const RangeSet &bytes);

  /// Starts copying bytes from a device of another rank, which has written them. For a lost device
  /// they are gone.
  Status copyForeign(device::ForeignMemory &from, std::int32_t to, const RangeSet &bytes);

  /// A handle of a unit that a device has memory for.
  ///
  /// Errors: those of `device::Device::share`.
  Result<Descriptor> share(std::int32_t index, Range unit) {
    return lane(index).device->share(unit);
  }

  /// For what `copyForeign` copies to a device.
  Result<std::unique_ptr<device::ForeignMemory>> makeForeign(std::int32_t index) {
    return lane(index).device->makeForeign();
  }

  /// What a device has been given so far; null if it is lost.
  Result<std::unique_ptr<device::Event>> record(std::int32_t index);

  /// Lets what `later` is given from now on come behind what `earlier` has been given so far.
  ///
  /// Cost: none if that is so already.
  Status order(std::int32_t earlier, std::int32_t later);

  /// Lets what a device is given from now on come behind those copies of its bytes to others that
  /// read some of `written`.
  ///
  /// Cost: none for those that are known to be over, or behind which an `order` has put it.
  Status orderBehindReaders(std::int32_t index, const RangeSet &written);

  /// Whether devices can copy from one another without the host, as far as is known.
  bool haveRoute(std::int32_t from, std::int32_t to) const;

  /// Lets the borders of the next part of `later` that is run apart, and the copies that they need,
  /// come after what `earlier`, which may be the same device, has been given so far.
  Status orderBorders(std::int32_t earlier, std::int32_t later);

  /// Starts running the interior of a part. Until `run` is called for the rest, what `copyAcross`
  /// brings to the device comes beside that, and devices that it is copied from go on behind the
  /// copy.
  ///
  /// Order: `orderBorders` has been called for the device, and for those that it copies from.
  Status runInterior(const DevicePart &part, const Launch &launch, bool isDisjoint);

  /// Marks how far a device has been given work; for whoever is about to ask for that anyway, while
  /// the device is at hand.
  Status mark(std::int32_t index);

  /// Starts running a chunk. What it needs has been committed and copied, or is on the way there.
  /// Does nothing on a device that is lost: whoever waits for it asks for that then.
  ///
  /// Errors: NotSupported  the region has no kernel for the device, with nothing done.
  Status run(const DevicePart &part, const Launch &launch, bool isDisjoint);

  /// The same, after no copies in and out but those that touch the same bytes.
  Status runStreamed(const DevicePart &part, const Launch &launch, bool isDisjoint);

  /// Gives a task to its device. What it needs has been committed and copied, or is on the way.
  ///
  /// Sets the work's event and status: DeviceLost  also if the device has been lost before; what
  /// the work says.
  void runTask(TaskWork &work);

  /// Makes a kernel ready that runs all of a launch without a reduction, with what it gets.
  ///
  /// Errors: NotSupported, WrongImage; DeviceLost.
  Result<device::KernelLaunch> kernelFor(std::int32_t index, const Launch &launch, bool isDisjoint);

  /// Makes a kernel ready that the program brings.
  Result<device::Kernel *> find(std::int32_t index, const tutti_task_kernel &kernel);

  /// Whether no run of the kernel of the latest run is known to have come to its end.
  bool isUntried(std::int32_t index) const;

  /// Calls `visit` for the partial results of each kernel of the latest run; not at all if it did
  /// not reduce. They are there once the devices are idle.
  void forPartials(std::int32_t index, const std::function<void(std::span<std::byte>)> &visit);

  /// `seconds` counts from here.
  void startClock(std::int32_t index) { lane(index).began = Clock::now(); }

  /// Whether a device is known to have done all that it was given.
  bool isKnownIdle(std::int32_t index) const { return lane(index).done == lane(index).given; }

  /// How long it took from `startClock` until a device was idle, as far as it was seen.
  double seconds(std::int32_t index) const;

  /// Whether all that was started is done. Never blocks.
  Result<bool> isIdle();

  /// The same for one device.
  Result<bool> isIdle(std::int32_t index);

  /// The same for what touches `units` of it.
  Result<bool> isIdle(std::int32_t index, const RangeSet &units);

  /// What of the host's memory is locked for each device. From then on that may be locked from
  /// other threads, too.
  std::vector<LockedMemory *> lockedMemory();

  /// Whether a device gets at `host`, memory of the host, by itself.
  bool isLocked(std::int32_t index, Range host) {
    const LockedMemory *locked = lane(index).locked.get();
    return locked && locked->isLocked(host);
  }

  /// Tasks, null if there was none.
  TaskQueues *tasksOf(std::int32_t index) { return lane(index).tasks.get(); }

private:
  using Clock = std::chrono::steady_clock;

  /// Kernels and copies of one queue, counted from 1. Each writes to the memory of its own device
  /// only, so waiting for the queue of another one is never needed on behalf of a third.
  using Step = std::uint64_t;

  /// A kernel on a device, with all that launches of it have in common.
  struct Loaded {
    device::Kernel *kernel = nullptr;
    device::Kernel *combiner = nullptr; ///< Null if its region has none.
    bool isTried = false;               ///< A run has come to its end.
    /// Those of the latest launch: the next one mostly has the same.
    std::array<std::int64_t, 3> extents{};
    std::optional<device::Grid> grid;
    std::optional<device::Grid> combinerGrid; ///< Nothing if the host combines.
  };

  /// Of one kernel.
  struct Partials {
    std::unique_ptr<device::HostBuffer> memory;
    std::size_t bytes = 0;
  };

  /// What another device copies from one.
  struct Reader {
    Step latest = 0; ///< Of the other one that reads; 0 if there is none.
    RangeSet bytes;  ///< Of that step and those before that were not known to be over.
  };

  /// A device with its queue.
  struct Lane {
    std::unique_ptr<device::Device> device;
    std::unique_ptr<device::Queue> queue;
    std::unique_ptr<LockedMemory> locked; ///< Null if nobody has asked for it.
    std::unique_ptr<CopyLanes> copies;    ///< Null if nothing has been streamed.
    std::unique_ptr<TaskQueues> tasks;    ///< Null if there was no task.
    /// Copies in come after all that the queue has been given but streamed kernels.
    bool isAhead = false;
    Step unstreamed = 0; ///< The latest that is no streamed kernel.
    std::optional<Error> loss;
    RangeSet gone;                              ///< With the device, if it is lost.
    RangeSet leaving;                           ///< Bytes that are on their way to the host.
    std::uint64_t capacity = 0;                 ///< Bytes that it may hold.
    RangeSet committed;                         ///< Whole units.
    std::unique_ptr<device::Snapshot> snapshot; ///< Null if none is kept.
    RangeSet kept;                              ///< What it is of.
    std::unique_ptr<device::Queue> borders;     ///< Null if no part was run apart.
    bool isApart = false;           ///< The borders of a part whose interior runs are to come.
    std::vector<Partials> partials; ///< By kernel of a run; kept for their memory.
    std::size_t kernels = 0;        ///< Of the latest run.
    std::unordered_map<const tutti_kernel *, Loaded> loaded;
    Loaded *latest = nullptr;    ///< Of `loaded`.
    device::KernelLaunch launch; ///< The latest; kept for its memory.
    std::string_view backend;
    Step given = 0;                       ///< The latest.
    Step done = 0;                        ///< The latest that is known to be done.
    Step marked = 0;                      ///< The latest that `event` is behind.
    std::unique_ptr<device::Event> event; ///< Null if nothing that was marked is under way.
    std::vector<Step> behind;             ///< By device: of its steps, the latest waited for.
    std::vector<Reader> readers;          ///< By device.
    std::vector<bool> isCutOff;           ///< By device: nothing can be copied from there directly.
    Clock::time_point began;
    Clock::time_point ended;
  };

  /// Does what a device is asked for unless it is lost.
  template <typename Do> Status attempt(std::int32_t index, Do &&run) {
    return isLost(index) ? Status() : outlive(index, run(lane(index)));
  }

  /// As `attempt`, of what no launch counts on yet: a device that has no memory for it stays.
  template <typename Do> Status request(std::int32_t index, Do &&run) {
    if (isLost(index)) {
      return {};
    }
    Status status = run(lane(index));
    const bool isRefused = !status && status.error().code == ErrorCode::OutOfMemory;
    return isRefused ? status : outlive(index, std::move(status));
  }

  Result<CopyLanes *> copiesOf(Lane &lane);
  LockedMemory &lockedOf(Lane &lane);
  template <typename Copy> Status bringIn(std::int32_t index, const RangeSet &bytes, Copy &&copy);
  template <typename Copy> Status takeOut(std::int32_t index, const RangeSet &bytes, Copy &&copy);
  template <typename Asks> Result<bool> isAny(Asks &&asks);
  static Status give(Lane &lane);
  static Status give(Lane &lane, const RangeSet &bytes);
  static Status advance(Lane &lane);
  static Status openQueue(Lane &lane);
  Status orderTask(std::int32_t index, const TaskWork &work);
  Status giveTask(Lane &lane, TaskWork &work);
  Status bring(Lane &lane, device::Queue &queue, std::span<const HostCopy> copies);
  Status takeHome(Lane &lane, device::Queue &queue, TaskWork &work);
  static Status join(Lane &lane);
  static void changed(Lane &lane, const RangeSet &bytes);
  Status recordIn(Lane &lane);
  Result<bool> isMainIdle(std::int32_t index);
  Status finish(Lane &lane);
  static Result<Loaded *> loaded(Lane &lane, const tutti_region &region,
                                 const tutti_kernel &kernel);
  static void setGrids(Lane &lane, const Launch &launch, const KernelChoice &choice);
  static Status reservePartials(Lane &lane);
  Status gather(std::int32_t index);
  bool mayRead(std::int32_t reader, std::int32_t read, const RangeSet &bytes);
  Status orderBehindCopy(std::int32_t from, std::int32_t to);
  Status runBorders(Lane &lane, const DevicePart &part, const Launch &launch, bool isDisjoint);
  static Status joinBorders(Lane &lane);
  Result<bool> keepOn(Lane &lane, const RangeSet &bytes);
  Status runOn(Lane &lane, device::Queue &queue, const Launch &launch, const balance::Chunk &chunk,
               bool isDisjoint);
  static void ended(Lane &lane);

  Lane &lane(std::int32_t index) { return lanes_[static_cast<std::size_t>(index)]; }

  const Lane &lane(std::int32_t index) const { return lanes_[static_cast<std::size_t>(index)]; }

  std::span<std::byte> bytesOf(Range range) const {
    return {window_.view(range.begin), static_cast<std::size_t>(range.size())};
  }

  std::vector<Lane> lanes_;
  const memory::Window &window_;
  const Rooms &rooms_;
  trace::Counters &counters_;
  AtLoss atLoss_;
};

} // namespace tutti::exec
