// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/statistics.h"

#include "runtime/exec/or_die.h"
#include "runtime/memory/faults.h"

namespace tutti::model::forkjoin {

using namespace exec;

void noteStaysHome(trace::RegionReport &report, std::string_view reason) {
  ++report.launches;
  if (report.reasonHome != reason) {
    report.reasonHome = reason;
  }
}

trace::Report Statistics::sum() {
  trace::Report report;
  report.ranks = job_.size();
  countRoutes(report);
  job_.counters.faults = memory::faultCount();
  job_.counters.protections = pages_.protections();
  report.counters = job_.counters;
  orDie(job_.endpoint.sum(report.counters.all()));
  return report;
}

void Statistics::countRoutes(trace::Report &report) const {
  const memory::Topology &topology = job_.topology;
  for (Place from = topology.ranks(); from < topology.places(); ++from) {
    for (Place to = topology.ranks(); to < topology.places(); ++to) {
      report.devicePairs += topology.rankOf(from) != topology.rankOf(to) ? 1 : 0;
      report.routes += topology.hasRoute(from, to) ? 1 : 0;
    }
  }
}

} // namespace tutti::model::forkjoin
