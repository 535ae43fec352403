// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/nodes.h"

#include "abi/abi.h"
#include "abi/luna.h"
#include "abi/xmp.h"
#include "base/log.h"
#include "runtime/entry/images.h"
#include "runtime/entry/region_sums.h"
#include "runtime/entry/report.h"
#include "runtime/entry/runtime.h"
#include "runtime/entry/tasks.h"
#include "runtime/exec/or_die.h"
#include "runtime/model/spmd/watch.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tutti::entry::nodes {

namespace {

struct Node {
  std::unique_ptr<transport::Endpoint> endpoint;
  std::unique_ptr<model::spmd::World> world;
  std::unique_ptr<model::spmd::Watch> watch; ///< Null where there is one node.
  Stats stats;
  pid_t process;
  std::optional<trace::Report> report;  ///< Of what this process did as a job of one.
  std::vector<trace::CallReport> calls; ///< The same of its calls.
};

/// Of all nodes. Collective.
std::vector<trace::CallReport> sumOfCalls(Node &own) {
  std::vector<trace::RegionReport> counted;
  for (const trace::CallReport &call : own.calls) {
    trace::RegionReport &each = counted.emplace_back();
    each.source = call.source;
    each.launches = call.calls;
    each.onDevices = call.onDevices;
    each.seconds = call.seconds;
  }
  RegionSums sums;
  exec::orDie(sums.gather(*own.endpoint, counted));
  std::vector<trace::CallReport> calls;
  for (const trace::RegionReport &each : sums.all()) {
    calls.push_back({std::string(each.source), each.launches, each.onDevices, each.seconds});
  }
  return calls;
}

// Lives as long as the process: exit handlers of the program may use it.
Node *node = nullptr;
std::atomic<int> exitStatus{0};
thread_local const char *lastCall = nullptr; ///< Of a function of the library.

/// Zeroed memory for arrays, on large pages where it is long enough to have some: a loop over rows
/// would otherwise look up a page every few microseconds.
void *allocate(std::size_t bytes) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  void *const memory = tutti_calloc(1, bytes);
  if (memory && bytes >= 2 * kLargePage) {
    const auto begin = reinterpret_cast<std::uint64_t>(memory);
    const std::uint64_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
    const std::uint64_t bytesOfPages = (begin + bytes - first) / kLargePage * kLargePage;
    ::madvise(reinterpret_cast<void *>(first), bytesOfPages,
              MADV_HUGEPAGE); // Or it stays as it is.
  }
  return memory;
}

model::spmd::Host host() {
  return {allocate, [](void *memory) { std::free(memory); },
          [](const void *memory, std::size_t bytes, bool write) {
            Runtime *runtime = Runtime::active();
            if (runtime && runtime->isShared(memory)) {
              runtime->openExactly(memory, bytes, write);
            }
          },
          [](void *memory, std::size_t bytes) {
            Runtime *runtime = Runtime::active();
            if (runtime && runtime->isShared(memory)) {
              const auto address = reinterpret_cast<std::uint64_t>(memory);
              runtime->takeOver({address, address + bytes});
            }
          },
          [] {
            Runtime *runtime = Runtime::active();
            return runtime && runtime->accelerators();
          }};
}

} // namespace

void start(std::unique_ptr<transport::Endpoint> endpoint,
           std::unique_ptr<transport::Endpoint> beside, const Settings &settings) {
  std::vector<transport::Rank> all(static_cast<std::size_t>(endpoint->size()));
  std::iota(all.begin(), all.end(), 0);
  auto ending = exec::orDie(endpoint->group(all));
  node =
      new Node{std::move(endpoint), nullptr, nullptr, settings.stats, getpid(), std::nullopt, {}};
  node->world = std::make_unique<model::spmd::World>(*node->endpoint, std::move(ending), host());
  if (beside) {
    node->watch = std::make_unique<model::spmd::Watch>(std::move(beside), node->world->progress(),
                                                       settings.patience);
  }
}

bool isActive() { return node != nullptr; }

model::spmd::World &world() { return *node->world; }

void mustBeActive(const char *source) {
  if (!node) {
    fail(source,
         failure(ErrorCode::WrongImage, "compiled for version {} of the runtime, which is {}",
                 imagesVersion(), TUTTI_ABI_VERSION));
  }
}

model::spmd::World &enter(const char *source) {
  mustBeActive(source);
  node->world->progress().enter(source);
  return *node->world;
}

void noteCall(const char *source) { lastCall = source; }

const char *callOf(const char *function) {
  const char *const source = std::exchange(lastCall, nullptr);
  const std::string end = fmt::format("({})", function);
  return source && std::string_view(source).ends_with(end) ? source : function;
}

void runStartUp() {
  for (const tutti_xmp_unit *unit : xmpUnits()) {
    if (unit->version == TUTTI_LUNA_XMP_VERSION) {
      continue; // It starts when its `main` does.
    }
    if (unit->version != TUTTI_XMP_VERSION) {
      fail(unit->file, failure(ErrorCode::WrongImage,
                               "compiled for version {} of XcalableMP's part of the runtime, "
                               "which is {}",
                               unit->version, TUTTI_XMP_VERSION));
    }
    unit->start();
  }
}

void noteStatus(int status) { exitStatus.store(status); }

void take(trace::Report report) { node->report = std::move(report); }

bool isReporting() { return node->stats != Stats::Off; }

void take(std::vector<trace::CallReport> calls) { node->calls = std::move(calls); }

void finish() {
  if (!node || node->process != getpid()) {
    return;
  }
  Node &own = *std::exchange(node, nullptr);
  if (exitStatus.load() != 0 && own.endpoint->size() > 1) {
    std::fflush(nullptr);
    own.endpoint->abort(exitStatus.load());
  }
  exec::orDie(own.world->close());
  if (own.watch) {
    exec::orDie(own.watch->stop());
  }
  trace::Report report = own.report ? *std::move(own.report) : trace::Report{};
  const auto counted = own.world->counters().all();
  const auto all = report.counters.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] += counted[i];
  }
  report.ranks = own.endpoint->size();
  if (own.stats != Stats::Off) {
    RegionSums sums;
    exec::orDie(own.endpoint->sum(report.counters.all()));
    exec::orDie(sums.gather(*own.endpoint, report.regions));
    report.regions = sums.all();
    const std::vector<trace::CallReport> calls = sumOfCalls(own);
    if (own.endpoint->rank() == 0) {
      print(own.stats, report, {}, calls);
    }
  }
  exec::orDie(own.endpoint->close());
}

void fail(const char *source, const Error &error) {
  // All nodes that execute usually find the same; the first of them says it, and that ends the
  // others while they wait. Where only others have found it, they speak.
  constexpr std::chrono::seconds kTurn{2};
  if (node && node->endpoint->size() > 1 && node->world->executing().front() != node->world->me()) {
    std::this_thread::sleep_for(kTurn);
  }
  log::fatal("{}: {}", source, error.message);
}

void warn(const char *source, const Error &error) {
  static std::mutex lock;
  static auto &told = *new std::set<const char *>;
  const std::scoped_lock hold(lock);
  if (told.insert(source).second) {
    log::warn("{}: warning: {}", source, error.message);
  }
}

} // namespace tutti::entry::nodes
