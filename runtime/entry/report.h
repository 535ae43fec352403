// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Takes times for the report, and prints what a run has counted.
#pragma once

#include "runtime/entry/settings.h"
#include "runtime/trace/calls.h"
#include "runtime/trace/verdict.h"

#include <chrono>
#include <cstdio>
#include <span>

namespace tutti::entry {

template <typename Body> double secondsOf(Body &&body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// To stderr, in the form that TUTTI_STATS asks for. What the program has written last may not have
/// ended its line: the report begins on one of its own.
inline void print(Stats stats, const trace::Report &report, const trace::TaskCounts &tasks = {},
                  std::span<const trace::CallReport> calls = {}) {
  if (stats == Stats::Off) {
    return;
  }
  std::fflush(stdout);
  if (stats == Stats::Json) {
    std::fprintf(stderr, "\ntutti-stats: %s\n",
                 trace::withCalls(trace::asJson(report), calls).c_str());
  } else {
    std::fprintf(stderr, "\n%s%s", trace::asText(report).c_str(), trace::asText(calls).c_str());
    if (const std::string meaning = trace::verdict(report, tasks); !meaning.empty()) {
      std::fprintf(stderr, "tutti: %s\n", meaning.c_str());
    }
  }
}

} // namespace tutti::entry
