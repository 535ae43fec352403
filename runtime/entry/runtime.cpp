// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/runtime.h"

#include "abi/order.h"
#include "abi/output.h"
#include "base/log.h"
#include "runtime/balance/cost.h"
#include "runtime/engine/worker.h"
#include "runtime/entry/allocation.h"
#include "runtime/entry/call_on_stack.h"
#include "runtime/entry/images.h"
#include "runtime/entry/luna_devices.h"
#include "runtime/entry/nodes.h"
#include "runtime/entry/output.h"
#include "runtime/entry/report.h"
#include "runtime/entry/signals.h"
#include "runtime/entry/task_devices.h"
#include "runtime/entry/task_ranks.h"
#include "runtime/entry/tasks.h"
#include "runtime/entry/threads.h"
#include "runtime/exec/or_die.h"
#include "runtime/exec/run_alone.h"
#include "runtime/memory/crash.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <omp.h>
#include <optional>
#include <pthread.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tutti::entry {

constinit std::atomic<Runtime *> Runtime::active_{nullptr};

Runtime::Runtime() = default;
Runtime::~Runtime() = default;

namespace {

/// Bytes of the original stack that stay free between `main`'s caller and the runtime.
constexpr std::uint64_t kStackGap = 4096;

thread_local bool isMain = false;

/// This process was forked from the one that started the job.
bool isForked = false;

/// What the calling thread calls now has been launched by it.
thread_local bool isLaunching = false;

/// One thread of the program at a time launches.
class Submission {
public:
  explicit Submission(Mutex &mutex) : lock_(mutex) { isLaunching = true; }

  ~Submission() { isLaunching = false; }

  Submission(const Submission &) = delete;
  Submission &operator=(const Submission &) = delete;

private:
  const ScopedLock lock_;
};

} // namespace

bool isMainThread() { return isMain; }

namespace {

/// Whether iterations of `region` may count on their order, as they may with one thread, unless the
/// construct asks for several.
bool isForOneThread(const tutti_region &region, const std::uint64_t *captures) {
  const bool asks = (region.flags & TUTTI_REGION_THREADS) != 0;
  return knowsOfOneThreadOnly() && !(asks && captures[region.captures - 1] > 1);
}

/// How many iterations the program gives to a thread in their order, if a loop says `piece`.
std::int64_t lengthOf(std::int64_t piece) {
  if (piece != TUTTI_PIECE_CHOSEN) {
    return std::max<std::int64_t>(piece, 1);
  }
  omp_sched_t kind = omp_sched_static;
  int length = 0;
  omp_get_schedule(&kind, &length);
  const auto plain = static_cast<unsigned>(kind) & ~static_cast<unsigned>(omp_sched_monotonic);
  const bool isFixed = plain == omp_sched_static || plain == omp_sched_dynamic;
  return isFixed ? std::max(length, 1) : 1;
}

} // namespace

/// What a process needs whose program uses the window.
void Runtime::prepareProcess(const Settings &settings) {
  isMain = true;
  settings_ = settings;
  if (settings.explains) {
    log::setLevel(log::Level::Info);
  }
  heapRange_ = window_->heap();
  heap_ = std::make_unique<memory::Heap>(heapRange_);
  pages_ = exec::orDie(memory::PageTable::create(*window_));
  process_ = getpid();
  respectAllocators();
  // Asking for the process at every launch would be a system call.
  pthread_atfork(checkFork, nullptr, [] {
    isMain = false;
    isForked = true;
  });
}

/// Begins a launch while there are no devices: waits for them if that seems to be worth it. A loop
/// that was never seen shows how long it is by its first iterations.
Runtime::Begun Runtime::beginEarly(const tutti_region &region, const std::uint64_t *captures) {
  Begun begun{0, 0, 0};
  if (!opening_ || !reasonHome(region).empty()) {
    return begun;
  }
  begun.iterations = early_->iterationsOf(region, captures).value_or(0);
  const std::optional<double> known = early_->expected(region, begun.iterations);
  double expected = known.value_or(0);
  const bool mayCarry =
      (region.flags & TUTTI_REGION_FORGETS) == 0 && knowsOfOneThreadOnly(); // Into other parts.
  if (!known && EarlyLaunches::isDivisible(region) && !mayCarry && !opening_->isOver()) {
    expected = executeFirst(region, captures, begun);
  }
  if (begun.first < begun.iterations && opening_->isWorthWaiting(expected)) {
    takeDevices();
  } else if (begun.iterations > 0) {
    opening_->expects(expected);
  }
  return begun;
}

/// Executes the first iterations of a launch, until they show whether to wait for devices before
/// the others. What those are expected to take. Units: seconds.
double Runtime::executeFirst(const tutti_region &region, const std::uint64_t *captures,
                             Begun &begun) {
  constexpr double kShown = 20e-3;  // The first ones start threads, which takes milliseconds.
  constexpr std::int64_t kMore = 4; // Times as many each time.
  std::int64_t next = balance::sampleOf(begun.iterations);
  double expected = 0;
  double seconds = 0;
  bool isFirst = true;
  do {
    const balance::Chunk chunk{begun.first, std::min(begun.first + next, begun.iterations)};
    isFirst = begun.first == 0;
    seconds = secondsOf([&] { exec::runAlone(region, captures, chunk, begun.iterations); });
    begun.first = chunk.upper;
    begun.seconds += seconds;
    expected = chunk.empty() ? 0
                             : seconds / static_cast<double>(chunk.upper - chunk.lower) *
                                   static_cast<double>(begun.iterations - chunk.upper);
    next *= kMore;
  } while (begun.first < begun.iterations &&
           (opening_->isWorthWaiting(expected) || opening_->isWorthBeginning(expected)) &&
           (isFirst || seconds < kShown));
  return expected;
}

/// Notes a launch that was over before there were devices.
void Runtime::endEarly(const tutti_region &region, const Begun &begun, double seconds) {
  constexpr std::string_view kLater = "devices are opened once loops have taken longer";
  const double whole = begun.seconds + seconds;
  if (begun.iterations == 0) { // Devices could not have had it.
    const std::string_view reason = reasonHome(region);
    aside_.count(region, whole, reason.empty() ? "there is one rank only" : reason);
    return;
  }
  aside_.count(region, whole, kLater);
  if (early_->ranHome(region, begun.iterations, whole) && settings_.explains) {
    model::forkjoin::sayHome({region.source, begun.iterations, whole, kLater});
  }
  if (opening_) {
    opening_->lasted(whole);
  }
}

luna::FragmentDevices *Runtime::fragmentDevices() {
  if (!fragmentDevices_ && accelerators_) {
    fragmentDevices_ = std::make_unique<luna::FragmentDevices>(
        *this, *zero_, *window_, settings_.device.kind != TUTTI_DEVICE_AUTO);
  }
  return fragmentDevices_.get();
}

void Runtime::lockFor(Range range) {
  // A child has no thread that could do so.
  if (process_ == getpid()) {
    const HeldSignals held(areSignalsHandled()); // A handler that ends the program ends that, too.
    lockAhead_->allocated(range);
  }
}

void Runtime::touchChecked(memory::AccessCheck &check, Range range, bool write) const {
  if (window_->contains(range) && !range.empty()) {
    check.touch(range, write);
  }
}

void Runtime::checkFork() {
  const Runtime *runtime = active();
  const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  if (runtime && runtime->process_ == getpid() && runtime->window_->delta() != 0 &&
      runtime->window_->stack().contains({frame, frame + 1})) {
    log::fatal("fork() is not possible here: the child would share stack and data with rank 0; "
               "posix_spawn(), system() and popen() are");
  }
}

void Runtime::enterMain(void (*body)(void *), void *argument) {
  // From here on the rest of the original stack is the runtime's: the window's stack may be
  // protected, this one never is.
  const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  privateStackTop_ = (frame - kStackGap) & ~std::uint64_t{15};
  tutti_call_on_stack(body, argument, window_->stack().end);
  privateStackTop_ = 0; // Exit handlers run on the original stack.
}

void Runtime::launchAside(const tutti_region &region, const std::uint64_t *captures) {
  const memory::RunningLoop running(region.source);
  if (settings_.stats == Stats::Off) {
    region.home(captures);
    return;
  }
  std::string_view reason = "it is executed before or after main";
  if (isInTask()) {
    reason = "a task executes it";
  } else if (omp_get_level() > 0) {
    reason = "it is inside another parallel region";
  } else if (omp_get_num_teams() > 1) {
    reason = "other teams run at the same time";
  } else if (isLaunching) {
    reason = "it is inside another loop that is distributed";
  } else if (engine::Worker::current()) {
    reason = "a thread of the runtime executes it";
  }
  aside_.count(region, secondsOf([&] { region.home(captures); }), reason);
}

/// Whether what the calling thread launches may be distributed: not what tasks and workers of
/// ours launch, nor what is launched inside of something that is.
bool Runtime::maySubmit() const {
  return privateStackTop_.load(std::memory_order_relaxed) != 0 && !isLaunching && !isForked &&
         omp_get_level() == 0 && omp_get_num_teams() < 2 && !isInTask() &&
         (isMainThread() || (!engine::Worker::current() && !isFinished_.load()));
}

/// Why no launch of `region` is distributed, or nothing.
std::string_view Runtime::reasonHome(const tutti_region &region) const {
  if ((region.flags & TUTTI_REGION_DISTRIBUTABLE) == 0) {
    return region.reason ? region.reason : "the compiler found no way";
  }
  if (regionOf(region.id) != &region) {
    return "its library was loaded while the program ran";
  }
  const bool scatters = (region.flags & TUTTI_REGION_SCATTERS) != 0;
  if (!region.inspect && scatters && knowsOfOneThreadOnly()) {
    return "it writes through computed indices, and the program knows of one thread only";
  }
  if ((region.flags & TUTTI_REGION_PRINTS) != 0 && knowsOfOneThreadOnly()) {
    return "it prints, and the program knows of one thread only";
  }
  if ((region.flags & TUTTI_REGION_PRINTS_OBJECTS) != 0 && !areStreamsPlain()) {
    return "it prints, and the program has changed how std::cout or std::cerr does that";
  }
  return {};
}

void Runtime::launch(const tutti_region &region, const std::uint64_t *captures) {
  if (!maySubmit()) {
    launchAside(region, captures);
    return;
  }
  std::optional<exec::Launch> launch;
  bool isDone = false;
  std::vector<exec::Printed> output;
  Begun begun{0, 0, 0};
  {
    const Submission submission(submitting_);
    if (!zero()) {
      begun = beginEarly(region, captures);
    }
    if (zero()) {
      launch = prepareLaunch(region, captures, begun);
    }
    if (launch) {
      runOnOwnStack([&] { isDone = zero_->distribute(*launch); });
    }
    if (isDone) {
      noteDistributed();
      zero_->recycle(*std::move(launch));
      if ((region.flags & TUTTI_REGION_PRINTS) != 0) {
        output = zero_->takeOutput();
      }
    }
  }
  if (isDone) {
    writeOutput(output);
    return;
  }
  const double seconds = secondsOf([&] {
    if (begun.first > 0) {
      exec::runAlone(region, captures, {begun.first, begun.iterations}, begun.iterations);
      return;
    }
    const memory::RunningLoop running(region.source);
    region.home(captures);
  });
  const Submission submission(submitting_);
  if (!zero()) {
    endEarly(region, begun, seconds);
  } else if (launch) {
    zero_->ranHome(*launch, seconds);
  } else {
    zero_->ranHome(region, seconds);
  }
}

/// A launch that may be distributed; nothing if it stays home, for a reason that has been noted.
std::optional<exec::Launch> Runtime::prepareLaunch(const tutti_region &region,
                                                   const std::uint64_t *captures,
                                                   const Begun &begun) {
  if (const std::string_view reason = reasonHome(region); !reason.empty()) {
    zero_->staysHome(region, reason);
    return std::nullopt;
  }
  const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  std::optional<exec::Launch> launch =
      zero_->prepare(region, captures, isOnSharedStack() ? frame : window_->stack().end);
  if (launch) {
    launch->mayCountOnOrder = isForOneThread(region, captures);
    launch->piece = lengthOf(exec::pieceOf(*launch));
  }
  if (launch && begun.first > 0) {
    zero_->hasBegun(*launch, begun.first, begun.seconds);
  }
  return launch;
}

void Runtime::leaveFrames(std::uint64_t frame) {
  model::forkjoin::RankZero *zero = this->zero();
  if (zero && isMainThread() && window_->stack().contains({frame, frame + 1})) {
    zero->renewStackBelow(frame);
  }
}

bool Runtime::isOnSharedStack() const {
  const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  return privateStackTop_ != 0 && window_->stack().contains({frame, frame + 1});
}

void Runtime::waitForDevices() {
  Runtime *runtime = active();
  if (!runtime || runtime->process_ != getpid() || runtime->isFinished_.load()) {
    return;
  }
  if (runtime->awaitsDevices()) {
    std::optional<Submission> submission; // As in `finish`.
    if (!isLaunching) {
      submission.emplace(runtime->submitting_);
    }
    if (runtime->opening_) {
      runtime->opening_->giveUp(); // Drivers end in exit handlers.
    }
  }
  if (!runtime->zero()) {
    return;
  }
  const HeldSignals held(areSignalsHandled());
  if (runtime->lockAhead_) {
    runtime->lockAhead_->stop(); // Drivers end in exit handlers.
  }
  auto wait = [runtime] { runtime->zero_->waitForDevices(); };
  const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  if (runtime->window_->stack().contains({frame, frame + 1})) {
    callOnStack(runtime->privateStackTop_, wait); // `exit` inside of `main`.
  } else {
    wait();
  }
}

void Runtime::finish() {
  Runtime *runtime = active();
  if (!runtime || runtime->process_ != getpid() || runtime->isFinished_.exchange(true)) {
    return;
  }
  const HeldSignals held(areSignalsHandled());
  std::optional<Submission> submission; // Other threads may be launching.
  if (!isLaunching) {                   // Else an iteration calls `exit`.
    submission.emplace(runtime->submitting_);
  }
  auto end = [runtime] { runtime->finishJob(); };
  const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  if (runtime->window_->stack().contains({frame, frame + 1})) {
    callOnStack(runtime->privateStackTop_.exchange(0), end); // `exit` inside of `main`.
  } else {
    end();
  }
}

void Runtime::finishJob() {
  if (lockAhead_) {
    lockAhead_->stop();
  }
  if (opening_) {
    opening_->giveUp();
  }
  trace::Report report;
  if (zero()) {
    report = zero_->finish();
  }
  aside_.addTo(report);
  memory::removeFaultHandler();
  if (nodes::isActive()) {
    nodes::take(std::move(report));
  } else {
    print(settings_.stats, report, countedTasks());
  }
  reportTasks(settings_.stats);
}

} // namespace tutti::entry
