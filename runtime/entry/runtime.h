// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The parts of the runtime in one process, put together: made before user code runs, ended behind
/// its last destructor.
#pragma once

#include "abi/abi.h"
#include "base/mutex.h"
#include "runtime/entry/agreement.h"
#include "runtime/entry/call_on_stack.h"
#include "runtime/entry/devices.h"
#include "runtime/entry/early_launches.h"
#include "runtime/entry/opening.h"
#include "runtime/entry/settings.h"
#include "runtime/entry/signals.h"
#include "runtime/entry/stray_report.h"
#include "runtime/entry/tally.h"
#include "runtime/exec/lock_ahead.h"
#include "runtime/memory/access_check.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/protection.h"
#include "runtime/memory/window.h"
#include "runtime/model/forkjoin/rank_zero.h"
#include "runtime/model/tasks/accelerators.h"
#include "runtime/model/tasks/ranks.h"
#include "runtime/transport/transport.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

namespace tutti::entry {

namespace luna {
class FragmentDevices;
}

/// Rank 0 of a job of several ranks.
///
/// Threading: as said at each member.
class Runtime {
public:
  /// Before user code: settings, and in a job of several ranks the transport and the window. On
  /// ranks above 0 does not return: serves the job until its end, then leaves the process.
  static void start();

  /// The runtime of a job of several ranks; null where the program runs alone, and before `start`.
  /// From any thread.
  static Runtime *active() { return active_.load(std::memory_order_acquire); }

  /// Runs the program's `main` on the window's stack.
  template <typename Main> void runMain(Main &&userMain) { runMainImpl(userMain); }

  /// `tutti_launch`; from any thread.
  void launch(const tutti_region &region, const std::uint64_t *captures);

  /// The user's heap; from any thread.
  memory::Heap &heap() { return *heap_; }

  bool ownsAddress(const void *address) const {
    return heapRange_.contains(
        {reinterpret_cast<std::uint64_t>(address), reinterpret_cast<std::uint64_t>(address) + 1});
  }

  /// Makes a buffer usable by a system call; from any thread.
  void open(const void *buffer, std::size_t bytes, bool write) {
    const auto address = reinterpret_cast<std::uint64_t>(buffer);
    if (model::forkjoin::RankZero *zero = this->zero()) {
      zero->open({address, address + bytes}, write);
    }
    if (memory::AccessCheck *check = memory::AccessCheck::current()) [[unlikely]] {
      touchChecked(*check, {address, address + bytes}, write);
    }
  }

  /// The same, and nothing around it.
  void openExactly(const void *buffer, std::size_t bytes, bool write) {
    const auto address = reinterpret_cast<std::uint64_t>(buffer);
    if (model::forkjoin::RankZero *zero = this->zero()) {
      zero->openExactly({address, address + bytes}, write);
    }
  }

  /// As `open`, for a text that is read.
  void openText(const char *text) {
    if (isShared(text)) {
      open(text, std::strlen(text) + 1, false);
    }
  }

  /// Whether the address is one of unified memory, which may be protected.
  bool isShared(const void *address) const {
    const auto at = reinterpret_cast<std::uint64_t>(address);
    return window_->contains({at, at + 1});
  }

  /// Makes memory that is given to the user ready for anything; from any thread.
  void renew(Range range) {
    if (model::forkjoin::RankZero *zero = this->zero()) {
      zero->renew(range);
    }
  }

  /// Notes memory that user code has got; from any thread.
  void noteAllocated(Range range) {
    if (lockAhead_ && range.size() >= exec::LockAhead::kLeastBytes) {
      lockFor(range);
    }
  }

  /// The same for memory of which all is going to be written; no device keeps a byte of it.
  void takeOver(Range range) {
    if (model::forkjoin::RankZero *zero = this->zero()) {
      zero->takeOver(range);
    }
  }

  /// Whether devices may still come, so that what is at home now may leave it later; from any
  /// thread.
  bool awaitsDevices() const { return awaitsDevices_.load(std::memory_order_relaxed); }

  /// What tasks may use of the devices of this rank; null if it has none.
  model::tasks::Accelerators *accelerators() { return accelerators_.get(); }

  /// What LuNA's procedures may use of them; null if this rank has none. Made when first asked for.
  luna::FragmentDevices *fragmentDevices();

  /// The other ranks as tasks may use them; null if there are none.
  model::tasks::Ranks *taskRanks() { return taskRanks_.get(); }

  /// Runs a function on a stack that is none of unified memory: no page of it is protected.
  template <typename Function> void runOnOwnStack(Function &&function) {
    const HeldSignals held(areSignalsHandled());
    if (isOnSharedStack()) {
      callOnStack(privateStackTop_, function);
    } else {
      function();
    }
  }

  /// Nothing in `main`'s stack below `frame` is alive. Does nothing on other stacks.
  void leaveFrames(std::uint64_t frame);

  /// Waits for what devices have been given, in front of the first exit handler: drivers compile
  /// kernels late, and their compilers' handlers are registered later than that which ends the job.
  /// From any thread.
  static void waitForDevices();

  /// Ends the job: once, in the process that started it.
  static void finish();

private:
  Runtime();
  ~Runtime();

  /// Where on its host a job of one is: with others there are nodes beside it.
  struct Place {
    std::int32_t rank;
    std::int32_t local;
    std::int32_t locals;
    bool speaks;
    bool isCrowded;
  };

  static void startAlone(const Settings &settings, const Place &place);
  static void startRank(std::unique_ptr<transport::Endpoint> endpoint, const Settings &settings,
                        const std::vector<Hello> &hellos);

  /// What of a launch came before there were devices.
  struct Begun {
    std::int64_t iterations; ///< That a launch of the region has; 0: devices cannot have them.
    std::int64_t first;      ///< Those before it have been executed.
    double seconds;          ///< What they took.
  };

  /// One rank's part of a job.
  struct RankJob {
    protocol::JobSetup setup;
    std::vector<exec::DeviceTraits> traits; ///< Of all ranks' devices.
  };

  static RankJob jobOf(transport::Endpoint &endpoint, const std::vector<Hello> &hellos,
                       const memory::Window &window, std::vector<exec::OpenDevice> devices,
                       bool isCrowded, Stats stats);
  static void becomeRankZero(std::unique_ptr<transport::Endpoint> endpoint,
                             const Settings &settings, const std::vector<Hello> &hellos,
                             std::unique_ptr<memory::Window> window, DeviceSelection &devices,
                             bool isCrowded);
  static void startBeforeDevices(const Settings &settings, const Place &place);
  void prepareProcess(const Settings &settings);
  /// Ends the job in front of a `fork` that would leave parent and child on one stack.
  static void checkFork();
  void prepare(RankJob job);
  bool isOnSharedStack() const;
  bool maySubmit() const;
  std::string_view reasonHome(const tutti_region &region) const;

  model::forkjoin::RankZero *zero() const { return started_.load(std::memory_order_acquire); }

  void takeDevices();
  Begun beginEarly(const tutti_region &region, const std::uint64_t *captures);
  double executeFirst(const tutti_region &region, const std::uint64_t *captures, Begun &begun);
  void endEarly(const tutti_region &region, const Begun &begun, double seconds);
  std::optional<exec::Launch> prepareLaunch(const tutti_region &region,
                                            const std::uint64_t *captures, const Begun &begun);
  /// Runs on this thread what is not the job's: tasks, teams and exit handlers launch, too.
  void launchAside(const tutti_region &region, const std::uint64_t *captures);
  void enterMain(void (*body)(void *), void *argument);
  void finishJob();
  void lockFor(Range range);
  void touchChecked(memory::AccessCheck &check, Range range, bool write) const;

  template <typename Main> void runMainImpl(Main &userMain) {
    enterMain([](void *argument) { (*static_cast<Main *>(argument))(); }, &userMain);
  }

  static std::atomic<Runtime *> active_;

  std::unique_ptr<transport::Endpoint> endpoint_;
  std::unique_ptr<memory::Window> window_;
  std::unique_ptr<memory::PageTable> pages_;
  std::unique_ptr<memory::Heap> heap_;
  std::unique_ptr<model::forkjoin::RankZero> zero_;
  /// The same once it has started. Null as long as devices are not there, and if there are none.
  std::atomic<model::forkjoin::RankZero *> started_{nullptr};
  std::atomic<bool> awaitsDevices_{false};
  std::unique_ptr<Opening> opening_;     ///< Null unless devices are opened beside the program.
  std::unique_ptr<EarlyLaunches> early_; ///< The same.
  std::unique_ptr<exec::LockAhead> lockAhead_; ///< Null unless tasks may run on devices.
  std::unique_ptr<StrayReport> strays_;        ///< Null unless tasks are checked.
  std::unique_ptr<model::tasks::Accelerators> accelerators_;
  std::unique_ptr<luna::FragmentDevices> fragmentDevices_;
  std::unique_ptr<model::tasks::Ranks> taskRanks_;
  Range heapRange_;
  Settings settings_{};
  Tally aside_; ///< Launches that are not the job's.
  std::int32_t process_ = 0;
  std::atomic<bool> isFinished_{false};
  /// Of the main thread's own stack; 0 outside of `main`. Other threads only ask whether it is 0.
  std::atomic<std::uint64_t> privateStackTop_ = 0;
  Mutex submitting_; ///< Held by the thread that launches; taken before the lock of `Progress`.
};

/// Whether the calling thread is the one that runs `main` of the job; not so in forked processes.
bool isMainThread();

} // namespace tutti::entry
