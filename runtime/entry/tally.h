// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Counts launches that no rank but this one has to do with.
#pragma once

#include "abi/abi.h"
#include "base/mutex.h"
#include "runtime/trace/counters.h"

#include <map>
#include <string_view>

namespace tutti::entry {

/// Threading: from any thread.
class Tally {
public:
  void count(const tutti_region &region, double seconds, std::string_view reason);

  /// Adds what has been counted to what `report` says of the same places.
  void addTo(trace::Report &report);

private:
  Mutex mutex_;
  std::map<const tutti_region *, trace::RegionReport> byRegion_ TUTTI_GUARDED_BY(mutex_);
};

} // namespace tutti::entry
