// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Launches on the rank that runs the program: what is decided, reserved, announced, computed and
/// kept elsewhere, in its order.
#pragma once

#include "runtime/exec/finder.h"
#include "runtime/exec/task_work.h"
#include "runtime/memory/objects.h"
#include "runtime/memory/protection.h"
#include "runtime/model/forkjoin/announcer.h"
#include "runtime/model/forkjoin/decider.h"
#include "runtime/model/forkjoin/lost_devices.h"
#include "runtime/model/forkjoin/negotiator.h"
#include "runtime/model/forkjoin/own_devices.h"
#include "runtime/model/forkjoin/sequential_view.h"
#include "runtime/model/forkjoin/statistics.h"
#include "runtime/model/forkjoin/trial.h"
#include "runtime/protocol/job.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tutti::model::forkjoin {

using exec::Finder;
using exec::TaskAccess;
using exec::TaskWork;
using protocol::JobSetup;

/// Threading: `prepare`, `distribute`, `recycle`, `staysHome`, `ranHome` and `finish` from one
/// thread
///            at a time, whichever; `renewStackBelow` from the program's main thread; `open`,
///            `renew`, `waitForDevices` and what tasks call from any thread.
class RankZero {
public:
  struct Setup {
    JobSetup job;
    memory::PageTable &pages;
    memory::Objects objects;
    Distribute distribute;
    std::vector<DeviceTraits> devices; ///< Of all ranks, in the order of places.
    std::uint32_t wanted;              ///< A tutti_device_kind for the whole run, or AUTO.
    bool balances = false;             ///< Cuts follow what parts take.
    bool explains = false;             ///< Decisions are told to the user.
    exec::Widening widening = {};      ///< Of all launches of loops.
    std::optional<double> cores = {};  ///< Their part beside devices, where that is fixed.
    std::int32_t threads = 1;          ///< Of each rank.
  };

  explicit RankZero(Setup setup);

  /// Starts serving faults and messages.
  void start();

  memory::TouchQueue &touches() { return job_.queue; }

  /// What of the host's memory is locked for each of this rank's devices. Order: before `start`.
  std::vector<exec::LockedMemory *> lockedMemory();

  /// Reads what the region needs as scalars. Runs on the user's stack and may fault. `frame`: an
  /// address below all live frames of the user in main's stack; its end, if another thread
  /// launches, whom the frames that live there do not concern. Nothing if the region stays home,
  /// for a reason that has been noted.
  std::optional<Launch> prepare(const tutti_region &region, const std::uint64_t *captures,
                                std::uint64_t frame);

  /// Takes a launch back that is over, for its memory.
  void recycle(Launch &&launch);

  /// Runs a prepared launch on all ranks; false, with nothing done, if it is to run at home. The
  /// stack it runs on is not part of the window.
  bool distribute(Launch &launch);

  /// What the parts of the latest launch have printed, in their order. Order: once, behind it.
  std::vector<exec::Printed> takeOutput() { return std::exchange(printed_, {}); }

  /// Notes a launch that is about to run at home for a reason known from outside.
  void staysHome(const tutti_region &region, std::string_view reason);

  /// Notes how long a launch that stayed home took.
  void ranHome(const tutti_region &region, double seconds);

  /// The same for a launch that was prepared, and might be distributed the next time.
  void ranHome(const Launch &launch, double seconds);

  /// The first iterations of a prepared launch have been executed at home, in so many seconds.
  void hasBegun(Launch &launch, std::int64_t iterations, double seconds);

  /// Makes `range` readable, or writable, as a touch would. Does nothing outside of the window.
  void open(Range range, bool write) { view_.open(range, write); }

  /// The same for what a task is going to touch: nothing around it comes along.
  void openExactly(Range range, bool write) { view_.openExactly(range, write); }

  /// Makes `range`, in which nothing is alive, writable; what it holds may be lost. For the kernel
  /// a protected page is an error, and what will be there may be given to system calls.
  void renew(Range range) { view_.renew(range); }

  /// The same before all of `range` is written, of which no other place keeps a byte.
  void takeOver(Range range) { view_.takeOver(range); }

  /// Renews `main`'s stack below `end`.
  void renewStackBelow(std::uint64_t end) { view_.renewStackBelow(end); }

  /// Waits until this rank's devices have done what they were given. From any thread, on any stack.
  void waitForDevices();

  /// The devices of this rank, as tasks see them.
  OwnDevices &devices() { return devices_; }

  /// @name Tasks on devices of this rank, and on other ranks. On a stack that is not part of the
  ///       window.
  /// @{

  /// Gives a task to its device, with what it names of unified memory, which it then has, and what
  /// it may write nobody else.
  ///
  /// Errors: DeviceLost, OutOfMemory; those of the work.
  Status startTask(TaskWork &work, std::span<const TaskAccess> accesses);

  /// The right to start tasks, while nobody else starts anything: what these tasks have named stays
  /// on their devices. For work that the program gives to a queue by itself, between two tasks.
  ///
  /// Order: whoever has it starts everything through it.
  class Alone {
  public:
    explicit Alone(RankZero &zero);
    ~Alone();

    Alone(const Alone &) = delete;
    Alone &operator=(const Alone &) = delete;

    /// As `RankZero::startTask`.
    Status startTask(TaskWork &work, std::span<const TaskAccess> accesses);

  private:
    RankZero &zero_;
  };

  /// A task for the host of another rank.
  struct RemoteTask {
    Rank rank;
    std::span<const TaskAccess> accesses; ///< In unified memory.
    std::vector<std::byte> parcel;        ///< What that rank runs.
    /// Called when it is over, under the lock of the job: it cannot wait.
    protocol::HostTasks::WhenEnded whenEnded;
  };

  /// Gives a task to the host of another rank, which then has what the task names.
  ///
  /// Errors: OutOfMemory, InvalidArgument; in words for the user.
  Status startTask(RemoteTask task);

  /// How many of these bytes each rank's host lacks.
  std::vector<std::uint64_t> missing(const RangeSet &bytes);

  /// How many ranks there are.
  Rank ranks() const { return job_.size(); }

  /// @}

  /// Ends the job for all ranks and gives the sums of all counters.
  trace::Report finish();

private:
  struct Region {
    LoopHistory history;
    trace::RegionReport report;
    Trial trial;               ///< Of distributing it over hosts unasked.
    bool hasStrayed = false;   ///< A launch had to be undone: the next ones stay home.
    std::uint64_t crossed = 0; ///< Bytes to and from devices because of its latest launch there.
  };

  /// How a distributed launch went.
  struct Progressed {
    bool isKnown = true;     ///< All its plans were made for earlier launches.
    std::uint64_t bytes = 0; ///< Moved once, not at each such launch.
  };

  /// One launch at a time, whoever asks for it.
  class Launching {
  public:
    Launching(RankZero &zero, Progress::Lock &lock) TUTTI_IN_TURN : zero_(zero) {
      zero.job_.progress.waitUntil(lock, [&zero]() TUTTI_IN_TURN { return !zero.isLaunching_; });
      zero.isLaunching_ = true;
    }

    /// Not analysed: the lock is still held.
    ~Launching() TUTTI_NO_THREAD_SAFETY_ANALYSIS { zero_.isLaunching_ = false; }

    Launching(const Launching &) = delete;
    Launching &operator=(const Launching &) = delete;

  private:
    RankZero &zero_;
  };

  Status startInTurn(Progress::Lock &lock, TaskWork &work,
                     std::span<const TaskAccess> accesses) TUTTI_IN_TURN;
  void runTask(Progress::Lock &lock, Launch &launch, const Planner::Planned &planned) TUTTI_IN_TURN;
  Result<Planner::Planned> planTask(Progress::Lock &lock, const Launch &launch) TUTTI_IN_TURN;
  Region &regionOf(const tutti_region &region);
  bool staysHome(Region &region, std::string_view reason);
  void endTrial(Progress::Lock &lock, Region &region) TUTTI_IN_TURN;
  void bringHome(Progress::Lock &lock, const RangeSet &pages) TUTTI_IN_TURN;
  void bringExpected(Progress::Lock &lock) TUTTI_IN_TURN;
  std::string_view follow(Launch &launch, const Candidate &candidate);
  std::string_view inspect(Launch &launch, const Candidate &candidate);
  void findEverything(Launch &launch);
  bool namesStack(const Launch &launch) const;
  bool mayLeaveAlone(const tutti_region &region) const;
  void catchUp(Progress::Lock &lock) TUTTI_IN_TURN;
  void noteCrossing(Region &region, const Launch &launch) TUTTI_IN_TURN;
  void learn() TUTTI_IN_TURN;
  void awaitTimes(const Region &region);
  void retireLost(Progress::Lock &lock) TUTTI_IN_TURN;
  Status reserve(Progress::Lock &lock, const Launch &launch,
                 Planner::Planned &planned) TUTTI_IN_TURN;
  std::optional<Planner::Planned> agree(Progress::Lock &lock, Region &region, Launch &launch,
                                        Candidate &candidate) TUTTI_IN_TURN;
  std::optional<Progressed> runPortions(Progress::Lock &lock, Region &region, Launch &launch,
                                        Planner::Planned &planned, bool isMeasured) TUTTI_IN_TURN;
  [[nodiscard]] bool run(Progress::Lock &lock, Region &region, Launch &launch,
                         const Planner::Planned &planned, bool isMeasured) TUTTI_IN_TURN;
  bool nextPortion(Launch &launch);
  void takeSample(Progress::Lock &lock, Region &region, Launch &launch,
                  std::int64_t iterations) TUTTI_IN_TURN;
  bool finishHere(Progress::Lock &lock, Region &region, const Launch &launch) TUTTI_IN_TURN;
  void finishOnHosts(Progress::Lock &lock, Region &region, Launch &launch) TUTTI_IN_TURN;
  void runHere(Progress::Lock &lock, const Launch &launch,
               const balance::Chunk &chunk) TUTTI_IN_TURN;

  exec::Widening widening_;
  bool goesBackwards_ = false; ///< Through the portions of the launch that comes, or is under way.
  Job job_;
  OwnDevices devices_;
  Finder finder_;
  Decider decider_;
  SequentialView view_;
  Negotiator negotiator_;
  Announcer announcer_;
  LostDevices lost_;
  Statistics statistics_;
  bool isLaunching_ TUTTI_GUARDED_BY(exec::kTurn) = false;
  Region tasks_;                                   ///< Those on devices.
  std::vector<exec::Printed> printed_;             ///< By the latest launch.
  Launch spare_;                                   ///< Its vectors serve the next launch.
  std::map<const tutti_region *, Region> regions_; ///< The main thread's.
  Region *latest_ = nullptr;                       ///< That ran on devices,
  std::uint64_t crossed_ = 0;                      ///< and what had crossed when it began.
};

} // namespace tutti::model::forkjoin
