// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/solo.h"

#include "base/mutex.h"
#include "runtime/entry/nodes.h"
#include "runtime/entry/report.h"
#include "runtime/entry/tasks.h"

#include <atomic>
#include <map>
#include <utility>

namespace tutti::entry::solo {

namespace {

struct Launches {
  Mutex mutex;
  std::map<const tutti_region *, trace::RegionReport> byRegion TUTTI_GUARDED_BY(mutex);
};

std::atomic<Launches *> launches{nullptr}; // Never destroyed: exit handlers may launch.
Stats stats = Stats::Off;

} // namespace

void start(const Settings &settings) {
  stats = settings.stats;
  if (stats != Stats::Off) {
    launches = new Launches;
  }
}

bool isCounting() { return launches.load(std::memory_order_relaxed) != nullptr; }

void count(const tutti_region &region, double seconds) {
  Launches &all = *launches;
  const ScopedLock lock(all.mutex);
  trace::RegionReport &report = all.byRegion[&region];
  ++report.launches;
  report.seconds += seconds;
}

void finish() {
  if (!isCounting()) {
    return;
  }
  Launches &all = *launches;
  const ScopedLock lock(all.mutex);
  trace::Report report;
  for (const auto &[region, own] : all.byRegion) {
    report.regions.push_back(own);
    report.regions.back().source = region->source;
    report.regions.back().reasonHome = "there is one rank only";
  }
  report.sortRegions();
  if (nodes::isActive()) {
    nodes::take(std::move(report));
  } else {
    print(stats, report);
  }
  reportTasks(stats);
}

} // namespace tutti::entry::solo
