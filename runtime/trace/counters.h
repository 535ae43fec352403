// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a run did, in numbers: counted by each rank, summed at the end, printed by rank 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::trace {

/// Threading: externally synchronised.
struct Counters {
#define COUNTER(name, description) std::uint64_t name = 0;
#include "runtime/trace/counters.def"

  /// All counters as one array, in the order of counters.def.
  std::span<std::uint64_t> all() {
    return {reinterpret_cast<std::uint64_t *>(this), sizeof(Counters) / sizeof(std::uint64_t)};
  }
};

static_assert(sizeof(Counters) % sizeof(std::uint64_t) == 0);

/// What became of one region; rank 0's.
///
/// Units: seconds of the program's thread, from the decision on a launch until the thread went on;
///        loops that the region itself launched included. The thread may go on before a kernel has
///        ended: the rest of the kernel then counts for what waits for it, be that a later launch
///        or sequential code.
struct RegionReport {
  std::string_view source;
  std::uint64_t launches = 0;
  std::uint64_t distributed = 0;
  std::string reasonHome;           ///< Why it last stayed home; empty if it never did.
  std::uint64_t onDevices = 0;      ///< Launches, of those distributed, with a part on a device.
  std::string reasonNoDevice;       ///< Why not all devices took part, if any; or empty.
  double seconds = 0;               ///< Of all launches, distributed or not.
  double secondsHome = 0;           ///< Of those that stayed home.
  double secondsAway = 0;           ///< Of distributed ones of which it is known, about,
  double secondsInstead = 0;        ///< what they would have taken at home.
  std::uint64_t steadyLaunches = 0; ///< Distributed, by a plan that was known.
  double steadySeconds = 0;         ///< Of those.

  void addHome(double took) {
    seconds += took;
    secondsHome += took;
  }

  /// Adds what another report says of the same place; reasons are kept where there are any.
  void add(const RegionReport &other);

  /// `instead`: what it would have taken at home; 0 if that is not known.
  void addDistributed(double took, double instead, bool isSteady, bool usedDevices) {
    ++launches;
    ++distributed;
    onDevices += usedDevices ? 1 : 0;
    seconds += took;
    secondsAway += instead > 0 ? took : 0;
    secondsInstead += instead;
    steadyLaunches += isSteady ? 1 : 0;
    steadySeconds += isSteady ? took : 0;
  }
};

struct Report {
  std::int32_t ranks = 1;
  std::int32_t devicePairs = 0; ///< Of devices of different ranks, one to the other.
  std::int32_t routes = 0;      ///< Those between which bytes go with no host between.
  Counters counters;            ///< Sums over all ranks.
  std::vector<RegionReport> regions;

  /// Puts the regions into the order of the source: by file, line and column.
  void sortRegions();
};

/// A table for people; several lines.
std::string asText(const Report &report);

/// One line of JSON without a line break.
std::string asJson(const Report &report);

} // namespace tutti::trace
