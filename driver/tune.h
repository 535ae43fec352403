// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds how LuNA's rope is divided best between cores and devices, by trying; and what is kept of
/// it for later runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tutti::driver {

/// How a rank's segment of the rope is divided, see TUTTI_ROPE.
struct Shares {
  double cores = 0;
  double drag = 0; ///< At most what cores leave.
  int portions = 8;

  friend bool operator==(const Shares &, const Shares &) = default;
};

/// As TUTTI_ROPE has it.
std::string ropeOf(const Shares &shares);

struct Tuned {
  Shares shares;
  double seconds = 0;
  int probes = 0;
};

/// Searches for the shares that take least: golden section on what is dragged, then portions, then
/// the cores' share, which begins where cores and devices would take equally long by what each of
/// them takes for all; until a round of these gains less than 2 %. `measure` gives the seconds of a
/// probe, or nothing if it failed, which ends the search. A probe that takes `limit` seconds (0: any
/// time) may be given up, and has taken so long. Nothing if the first probe fails.
using Probe = std::function<std::optional<double>(const Shares &shares, double limit)>;
std::optional<Tuned> tune(const Probe &measure, int most);

/// What a run is looked up by in a profile: the same program, arguments, ranks and devices.
std::string profileKey(const std::vector<std::string> &program, int ranks,
                       const std::string &device);

/// The shares that a profile's text has for a run, as TUTTI_ROPE has them; empty if it has none.
std::string findInProfile(const std::string &profile, const std::string &key);

/// The profile with what was found for a run, instead of what it had.
std::string putIntoProfile(const std::string &profile, const std::string &key, const Tuned &tuned);

} // namespace tutti::driver
