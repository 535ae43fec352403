// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/runtime.h"

#include "abi/order.h"
#include "abi/output.h"
#include "base/log.h"
#include "runtime/balance/cost.h"
#include "runtime/engine/worker.h"
#include "runtime/entry/agreement.h"
#include "runtime/entry/allocation.h"
#include "runtime/entry/cache_blocks.h"
#include "runtime/entry/call_on_stack.h"
#include "runtime/entry/cluster.h"
#include "runtime/entry/images.h"
#include "runtime/entry/luna_devices.h"
#include "runtime/entry/managed.h"
#include "runtime/entry/nodes.h"
#include "runtime/entry/output.h"
#include "runtime/entry/report.h"
#include "runtime/entry/routes.h"
#include "runtime/entry/sanitizer.h"
#include "runtime/entry/signals.h"
#include "runtime/entry/solo.h"
#include "runtime/entry/task_devices.h"
#include "runtime/entry/task_ranks.h"
#include "runtime/entry/tasks.h"
#include "runtime/entry/threads.h"
#include "runtime/exec/or_die.h"
#include "runtime/exec/run_alone.h"
#include "runtime/memory/crash.h"
#include "runtime/memory/faults.h"
#include "runtime/model/forkjoin/worker.h"
#include "runtime/transport/gather.h"
#include "runtime/transport/local/local.h"
#include "runtime/transport/mpi/mpi.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <omp.h>
#include <optional>
#include <pthread.h>
#include <sys/mman.h>
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

/// Ends the job behind a fatal error's line.
void endJob(void *context, std::string_view) {
  static_cast<transport::Endpoint *>(context)->abort(EXIT_FAILURE);
}

[[noreturn]] void leave(int status) {
  std::fflush(nullptr);
  // libomp takes its mark away in an exit handler, and none is run here.
  shm_unlink(fmt::format("/__KMP_REGISTERED_LIB_{}_{}", getpid(), getuid()).c_str());
  _exit(status);
}

/// The program cannot start, for a reason that all ranks know; one of them says it.
[[noreturn]] void refuse(transport::Endpoint &endpoint, const Status &status) {
  if (!status) {
    log::warn("{}", status.error().message);
  }
  endpoint.close().ignore("leaving with an error anyway");
  leave(EXIT_FAILURE);
}

/// Ends all ranks if the settings of any, or the ranks with each other, are wrong.
void checkStart(transport::Endpoint &endpoint, const Result<Settings> &settings,
                const std::vector<Hello> &hellos) {
  const auto isBad = [](const Hello &hello) { return hello.heapBytes == 0; };
  if (const auto bad = std::find_if(hellos.begin(), hellos.end(), isBad); bad != hellos.end()) {
    const bool speaks = endpoint.rank() == bad - hellos.begin();
    refuse(endpoint, speaks ? Status(settings.error()) : Status());
  }
  if (const Status status = checkAgreement(hellos); !status) {
    refuse(endpoint, endpoint.rank() == 0 ? status : Status());
  }
}

std::unique_ptr<memory::Window> openWindow(transport::Endpoint &endpoint,
                                           const std::vector<Hello> &hellos) {
  memory::WindowPlan plan{};
  plan.heapBytes = std::min_element(hellos.begin(), hellos.end(), [](const auto &a, const auto &b) {
                     return a.heapBytes < b.heapBytes;
                   })->heapBytes;
  plan.stackBytes = hellos.front().stackBytes;
  plan.globals = executableSections();
  plan.mirrored = endpoint.rank() == 0;
  auto window = exec::orDie(memory::Window::open(plan));
  const std::uint64_t own = window->heap().size();
  const auto sizes = exec::orDie(transport::gather(endpoint, own));
  window->limitHeap(*std::min_element(sizes.begin(), sizes.end()));
  return window;
}

/// Divides the host's cores among its ranks, unless the user has; whether there are too few.
bool divideCores(const std::vector<Hello> &hellos, transport::Rank rank) {
  constexpr double kRounding = 1e-6;
  const double cores = coresOf(hellos, rank) + kRounding;
  if (!std::getenv("OMP_NUM_THREADS")) {
    omp_set_num_threads(std::max(1, static_cast<int>(std::floor(cores))));
  }
  return omp_get_max_threads() > cores;
}

} // namespace

bool isMainThread() { return isMain; }

namespace {

/// Whether devices may be there that nobody has asked for, and that only loops can use: then the
/// program need not wait for them, if its user wants that.
bool mayOpenLater(const Settings &settings) {
  const DeviceNeeds needs = deviceNeeds();
  return settings.opensBeside && settings.device.kind == TUTTI_DEVICE_AUTO && needs.asked == 0 &&
         needs.hasKernels && !needs.hasTasks && !settings.checksAccesses &&
         settings.distribute == model::forkjoin::Distribute::Auto && mayHaveGpus();
}

/// The devices of a process that is one of `locals` on its host. None are looked for unless some
/// region could run there, and somebody asks for it or there is reason to hope.
DeviceSelection findDevices(const Settings &settings, std::int32_t local, std::int32_t locals,
                            bool speaks) {
  const HeldSignals held(true); // What drivers' threads do, handlers of the program may wait for.
  const DeviceNeeds needs = deviceNeeds();
  const bool isWanted =
      settings.device.kind != TUTTI_DEVICE_AUTO || needs.asked != 0 || mayHaveGpus();
  return DeviceSelection::find(needs.hasKernels && isWanted ? settings.device
                                                            : device::Wish{TUTTI_DEVICE_CPU, 0},
                               needs.asked, local, locals, speaks);
}

/// Whether the program was linked with MPI. Then it may call it, where it is the only rank, too.
bool callsMpi() { return dlsym(RTLD_DEFAULT, "MPI_Comm_rank") != nullptr; }

} // namespace

/// What this rank brings to a job, and what all of its devices are like. Collective.
Runtime::RankJob Runtime::jobOf(transport::Endpoint &endpoint, const std::vector<Hello> &hellos,
                                const memory::Window &window, std::vector<exec::OpenDevice> devices,
                                bool isCrowded, Stats stats) {
  JobDevices all = exec::orDie(exchangeDevices(endpoint, devices));
  std::vector<exec::Room> rooms = all.rooms();
  JobRoutes found = exec::orDie(
      findRoutes(endpoint, hellos, memory::Topology(all.devicesOfRanks), rooms, window, devices));
  return {{endpoint, window, memory::Topology(all.devicesOfRanks, found.routes), std::move(rooms),
           std::move(devices), isCrowded, std::move(found.handles), stats != Stats::Off,
           hellos.front().prefetches != 0 ? exec::Pace::Ahead : exec::Pace::PageByPage},
          std::move(all.traits)};
}

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

/// What other parts of this process are told.
void apply(const Settings &settings) {
  // What one task touches is looked at with nothing beside it.
  setWorkers(settings.checksAccesses && settings.workers == 0 ? 1 : settings.workers);
  if (settings.managed == Managed::Unified) {
    putManagedIntoHeap();
  }
  if (!settings.without.cacheBlocks) {
    allowCacheBlocks(settings.cache);
  }
}

} // namespace

void Runtime::start() {
  freezeImages();
  const Result<Settings> settings = readSettings();
  const std::int64_t ranks = ranksOfJob();
  if (!hasExecutable()) {
    return;
  }
  const bool areNodes = !xmpUnits().empty();
  if (ranks <= 1) {
    if (const std::int64_t tasks = tasksWithoutMpi(); tasks > 1 && isFirstRank()) {
      log::warn(
          "srun started {} tasks without MPI, each of which runs all of the program; see srun "
          "--mpi=list",
          tasks);
    }
    exec::orDie(settings ? Status() : Status(settings.error()));
    apply(*settings);
    if (areNodes) {
      nodes::start(exec::orDie(callsMpi() ? transport::mpi::open() : transport::local::open()),
                   nullptr, *settings);
    }
    const Place place{0, 0, 1, true, false};
    if (!areNodes && !sanitizer() && mayOpenLater(*settings)) {
      startBeforeDevices(*settings, place);
    } else {
      startAlone(*settings, place);
    }
    return;
  }
  if (const char *name = areNodes ? nullptr : sanitizer()) {
    if (isFirstRank()) {
      log::setRank(0);
      log::warn("a program with {} runs on one rank only", name);
    }
    leave(EXIT_FAILURE);
  }
  auto endpoint = exec::orDie(transport::mpi::open());
  if (endpoint->size() <= 1) {
    if (isFirstRank()) {
      log::setRank(0);
      log::warn(
          "{} ranks were started, but this MPI library knows of none: the launcher belongs to "
          "another MPI",
          ranks);
    }
    refuse(*endpoint, {});
  }
  log::setRank(endpoint->rank());
  log::setFatalHandler({endJob, endpoint.get()});
  const auto hellos = exec::orDie(
      exchange(*endpoint, Hello::ofThisProcess(settings ? settings->heapBytes : 0,
                                               !settings || !settings->without.prefetch)));
  checkStart(*endpoint, settings, hellos);
  apply(*settings);
  if (areNodes) {
    const transport::Rank rank = endpoint->rank();
    const bool isCrowded = divideCores(hellos, rank);
    const auto [local, locals] = placeOnHost(hellos, rank);
    nodes::start(std::move(endpoint), exec::orDie(transport::mpi::open()), *settings);
    startAlone(*settings, Place{rank, local, locals, rank == 0, isCrowded});
    return;
  }
  startRank(std::move(endpoint), *settings, hellos);
}

/// A program on its own: plain OpenMP, unless there are devices to share its memory with.
void Runtime::startAlone(const Settings &settings, const Place &place) {
  const char *checker = sanitizer();
  if (checker && settings.device.kind != TUTTI_DEVICE_AUTO &&
      settings.device.kind != TUTTI_DEVICE_CPU) {
    log::warn("devices are not used: this is a program with {}", checker);
  }
  DeviceSelection devices =
      checker ? DeviceSelection() : findDevices(settings, place.local, place.locals, place.speaks);
  if (devices.isEmpty()) {
    if (!checker) {
      memory::setCrashContext(place.rank, 0);
      exec::orDie(memory::installCrashHandler());
    }
    if (settings.checksAccesses) {
      log::warn("TUTTI_CHECK=accesses finds nothing where there are no devices and no other ranks");
    }
    solo::start(settings);
    return;
  }
  const std::vector<Hello> hellos{
      Hello::ofThisProcess(settings.heapBytes, !settings.without.prefetch)};
  auto endpoint = exec::orDie(transport::local::open());
  auto window = openWindow(*endpoint, hellos);
  becomeRankZero(std::move(endpoint), settings, hellos, std::move(window), devices,
                 place.isCrowded);
}

/// A program whose memory devices may share, once there are any.
void Runtime::startBeforeDevices(const Settings &settings, const Place &place) {
  isMain = true;
  auto *runtime = new Runtime; // Lives as long as the process, as that of `becomeRankZero`.
  const std::vector<Hello> hellos{
      Hello::ofThisProcess(settings.heapBytes, !settings.without.prefetch)};
  runtime->endpoint_ = exec::orDie(transport::local::open());
  runtime->window_ = openWindow(*runtime->endpoint_, hellos);
  runtime->early_ = std::make_unique<EarlyLaunches>(*runtime->window_);
  runtime->opening_ = std::make_unique<Opening>([runtime, place](const auto &isGivenUp) {
    DeviceSelection devices =
        findDevices(runtime->settings_, place.local, place.locals, place.speaks);
    return isGivenUp ? std::vector<exec::OpenDevice>()
                     : devices.open(*runtime->window_, runtime->settings_.deviceMemory);
  });
  runtime->prepareProcess(settings);
  // From the beginning, as it keeps what the program does about faults, and gives `main` a stack
  // for signals: until there are devices no page is protected, so nothing is touched.
  static memory::TouchQueue nobody;
  memory::setCrashContext(place.rank, runtime->window_->delta());
  exec::orDie(memory::installFaultHandler(*runtime->window_, *runtime->pages_, nobody));
  runtime->awaitsDevices_ = true;
  active_.store(runtime, std::memory_order_release);
}

void Runtime::startRank(std::unique_ptr<transport::Endpoint> endpoint, const Settings &settings,
                        const std::vector<Hello> &hellos) {
  const transport::Rank rank = endpoint->rank();
  const bool isCrowded = divideCores(hellos, rank);
  setClusterNode({rank, endpoint->size()});
  auto window = openWindow(*endpoint, hellos);
  const auto [local, locals] = placeOnHost(hellos, rank);
  DeviceSelection devices = findDevices(settings, local, locals, rank == 0);
  if (rank == 0) {
    becomeRankZero(std::move(endpoint), settings, hellos, std::move(window), devices, isCrowded);
    return;
  }
  memory::setCrashContext(rank, window->delta());
  exec::orDie(memory::installCrashHandler());
  keepMainOutOfTasks();
  TaskHost tasks;
  model::forkjoin::Worker(jobOf(*endpoint, hellos, *window,
                                devices.open(*window, settings.deviceMemory), isCrowded,
                                settings.stats)
                              .setup,
                          regionOf, tasks)
      .run();
  leave(EXIT_SUCCESS);
}

void Runtime::becomeRankZero(std::unique_ptr<transport::Endpoint> endpoint,
                             const Settings &settings, const std::vector<Hello> &hellos,
                             std::unique_ptr<memory::Window> window, DeviceSelection &devices,
                             bool isCrowded) {
  const HeldSignals held(true); // As when devices are looked for.
  isMain = true;
  // Lives as long as the process: threads may use memory until its very end.
  auto *runtime = new Runtime;
  runtime->endpoint_ = std::move(endpoint);
  runtime->window_ = std::move(window);
  runtime->prepareProcess(settings);
  runtime->prepare(jobOf(*runtime->endpoint_, hellos, *runtime->window_,
                         devices.open(*runtime->window_, settings.deviceMemory), isCrowded,
                         settings.stats));
  active_.store(runtime, std::memory_order_release);
}

/// What a process needs whose program uses the window.
void Runtime::prepareProcess(const Settings &settings) {
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

void Runtime::prepare(RankJob job) {
  const Settings &settings = settings_;
  const bool hasDevices = !job.setup.devices.empty();
  zero_ = std::make_unique<model::forkjoin::RankZero>(model::forkjoin::RankZero::Setup{
      std::move(job.setup),
      *pages_,
      memory::Objects(window_->stack(), *heap_, executableVariables()),
      settings.distribute,
      std::move(job.traits),
      settings.device.kind,
      settings.balance.followsTimes,
      settings.explains,
      {settings.without.exactReads, settings.without.exactWrites},
      settings.balance.cores,
      omp_get_max_threads()});
  if (settings.checksAccesses) {
    strays_ = std::make_unique<StrayReport>(*window_, *heap_, executableVariables());
  }
  // Tasks of a program whose devices come later use none, and may be starting by now.
  if (hasDevices && !early_) {
    accelerators_ = std::make_unique<TaskDevices>(
        *this, *zero_, *window_, settings.managed != Managed::Driver, strays_.get());
  }
  if (hasDevices && deviceNeeds().hasTasks) {
    lockAhead_ = std::make_unique<exec::LockAhead>(*window_, zero_->lockedMemory());
  }
  if (zero_->ranks() > 1) {
    taskRanks_ = std::make_unique<TaskRanks>(*this, *zero_, *window_, *pages_, strays_.get());
  }
  memory::setCrashContext(0, window_->delta());
  exec::orDie(memory::installFaultHandler(*window_, *pages_, zero_->touches()));
  zero_->start();
  started_.store(zero_.get(), std::memory_order_release);
}

/// Goes on with the devices that there are; waits for them. What loops have taken at home until now
/// is forgotten: beside it the first launches on a device, which are slow, would send them back.
void Runtime::takeDevices() {
  std::vector<exec::OpenDevice> devices = opening_->take();
  opening_.reset();
  awaitsDevices_ = false;
  if (settings_.explains) {
    log::info("devices were opened beside the program: {}", devices.size());
  }
  if (devices.empty()) {
    return;
  }
  const HeldSignals held(true); // As for all that is started with devices.
  auto start = [&] {
    const std::vector<Hello> hellos{
        Hello::ofThisProcess(settings_.heapBytes, !settings_.without.prefetch)};
    prepare(jobOf(*endpoint_, hellos, *window_, std::move(devices), false, settings_.stats));
  };
  if (isOnSharedStack()) {
    callOnStack(privateStackTop_, start);
  } else {
    start();
  }
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
