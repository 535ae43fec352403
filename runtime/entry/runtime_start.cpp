// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How a process begins: alone, as a node of XcalableMP, or as a rank of a job, before or with its
/// devices.
#include "base/log.h"
#include "runtime/entry/agreement.h"
#include "runtime/entry/cache_blocks.h"
#include "runtime/entry/call_on_stack.h"
#include "runtime/entry/cluster.h"
#include "runtime/entry/images.h"
#include "runtime/entry/managed.h"
#include "runtime/entry/nodes.h"
#include "runtime/entry/routes.h"
#include "runtime/entry/runtime.h"
#include "runtime/entry/sanitizer.h"
#include "runtime/entry/signals.h"
#include "runtime/entry/solo.h"
#include "runtime/entry/task_devices.h"
#include "runtime/entry/task_ranks.h"
#include "runtime/entry/tasks.h"
#include "runtime/exec/or_die.h"
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
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tutti::entry {

namespace {

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

} // namespace tutti::entry
