// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/solo.h"

#include "runtime/entry/nodes.h"
#include "runtime/entry/report.h"
#include "runtime/entry/tally.h"
#include "runtime/entry/tasks.h"

#include <atomic>
#include <utility>

namespace tutti::entry::solo {

namespace {

std::atomic<Tally *> launches{nullptr}; // Never destroyed: exit handlers may launch.
Stats stats = Stats::Off;

} // namespace

void start(const Settings &settings) {
  stats = settings.stats;
  if (stats != Stats::Off) {
    launches = new Tally;
  }
}

bool isCounting() { return launches.load(std::memory_order_relaxed) != nullptr; }

void count(const tutti_region &region, double seconds) {
  launches.load()->count(region, seconds, "there is one rank only");
}

void finish() {
  if (!isCounting()) {
    return;
  }
  trace::Report report;
  launches.load()->addTo(report);
  if (nodes::isActive()) {
    nodes::take(std::move(report));
  } else {
    print(stats, report);
  }
  reportTasks(stats);
}

} // namespace tutti::entry::solo
