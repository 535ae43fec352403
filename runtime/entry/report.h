// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Prints what a run has counted.
#pragma once

#include "runtime/entry/settings.h"
#include "runtime/trace/counters.h"

#include <cstdio>

namespace tutti::entry {

/// To stderr, in the form that TUTTI_STATS asks for.
inline void print(Stats stats, const trace::Report &report) {
  if (stats == Stats::Json) {
    std::fprintf(stderr, "tutti-stats: %s\n", trace::asJson(report).c_str());
  } else if (stats == Stats::Text) {
    std::fputs(trace::asText(report).c_str(), stderr);
  }
}

} // namespace tutti::entry
