// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Sums of what nodes report of their regions: each node launches regions of its own.
#pragma once

#include "base/result.h"
#include "runtime/trace/counters.h"
#include "runtime/transport/transport.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace tutti::entry {

/// By place in the source. Regions of one place are one.
class RegionSums {
public:
  /// Those of all nodes. Collective.
  Status gather(transport::Endpoint &endpoint, std::span<const trace::RegionReport> own);

  /// In the order of the source; they refer to this object.
  std::vector<trace::RegionReport> all() const;

private:
  void add(const trace::RegionReport &region);

  std::map<std::string, trace::RegionReport, std::less<>> bySource_;
};

} // namespace tutti::entry
