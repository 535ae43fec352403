// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/tally.h"

#include <algorithm>

namespace tutti::entry {

void Tally::count(const tutti_region &region, double seconds, std::string_view reason) {
  const ScopedLock lock(mutex_);
  trace::RegionReport &report = byRegion_[&region];
  ++report.launches;
  report.addHome(seconds);
  if (report.reasonHome != reason) {
    report.reasonHome = reason;
  }
}

void Tally::addTo(trace::Report &report) {
  const ScopedLock lock(mutex_);
  for (const auto &[region, own] : byRegion_) {
    const std::string_view source = region->source;
    const auto known = std::find_if(report.regions.begin(), report.regions.end(),
                                    [source](const auto &each) { return each.source == source; });
    if (known == report.regions.end()) {
      report.regions.push_back(own);
      report.regions.back().source = source;
      continue;
    }
    known->add(own);
  }
  report.sortRegions();
}

} // namespace tutti::entry
