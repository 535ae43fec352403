// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/trace/verdict.h"

#include "base/format.h"

#include <algorithm>

namespace tutti::trace {

namespace {

struct Times {
  double all = 0;
  double away = 0;    ///< Of distributed launches of which it is known what they take at home,
  double instead = 0; ///< and what they would have taken there.
  double unknown = 0; ///< Of the other distributed ones.
  std::uint64_t launches = 0;
  std::uint64_t distributed = 0;
  const RegionReport *worst = nullptr; ///< That spent most time at home.
};

Times timesOf(const Report &report) {
  Times times;
  for (const RegionReport &region : report.regions) {
    times.all += region.seconds;
    times.away += region.secondsAway;
    times.instead += region.secondsInstead;
    times.unknown += region.seconds - region.secondsHome - region.secondsAway;
    times.launches += region.launches;
    times.distributed += region.distributed;
    if (region.secondsHome > (times.worst ? times.worst->secondsHome : 0)) {
      times.worst = &region;
    }
  }
  return times;
}

/// What tasks would have taken on rank 0 nobody knows: so it is only said how many went away.
std::string tasksAway(const TaskCounts &tasks) {
  return fmt::format(
      "{} of {} tasks ran on other ranks; what they take on one rank was not measured", tasks.away,
      tasks.all);
}

std::string nothingAway(const TaskCounts &tasks, const Times &times) {
  const std::string_view noTask = tasks.all > 0 ? ", and no task left rank 0" : "";
  if (times.launches > 0) {
    return fmt::format("more ranks did not help: no loop was distributed{}", noTask);
  }
  if (tasks.all > 0) {
    return fmt::format("more ranks did not help: no parallel loop was launched{}; compile with "
                       "-O1 or more, and let -Rpass-analysis=tutti say why tasks stay",
                       noTask);
  }
  return "more ranks did not help: no parallel loop was launched; compile with -O1 or more, and "
         "let -Rpass-missed=tutti name the loops that stay on rank 0";
}

std::string gain(const Times &times) {
  constexpr double kAlike = 0.05; // Less is noise.
  if (times.instead == 0) {
    return fmt::format(
        "{} of {} launches were distributed; what they take on one rank was not measured",
        times.distributed, times.launches);
  }
  const double ratio = times.away / times.instead;
  const std::string_view found = ratio < 1 - kAlike   ? "more ranks helped"
                                 : ratio > 1 + kAlike ? "more ranks did not help"
                                                      : "more ranks made no difference";
  constexpr double kFew = 0.1; // Of what was compared, that may be left out of it unsaid.
  return fmt::format(
      "{}: distributed loops took {:.3f} s, and would have taken about {:.3f} s on rank 0{}", found,
      times.away, times.instead,
      times.unknown > kFew * times.away
          ? fmt::format("; that leaves out {:.3f} s of launches, mostly first ones, of which it "
                        "was not measured",
                        times.unknown)
          : "");
}

/// What cost most, with what to do.
std::string worst(const Report &report, const Times &times) {
  constexpr double kMuch = 0.1;
  constexpr std::uint64_t kManyFaults = 1000;
  if (times.worst && times.worst->secondsHome > kMuch * times.all) {
    return fmt::format(
        "; most time at home took {} ({:.3f} s: {}), see docs/guide/remarks.md for what helps",
        times.worst->source, times.worst->secondsHome, times.worst->reasonHome);
  }
  if (report.counters.faults > kManyFaults) {
    return fmt::format(
        "; code between the loops touched {} pages that other ranks had: make loops of it "
        "parallel, too",
        report.counters.faults);
  }
  return times.away > times.instead ? "; fewer ranks, or larger loops, are better" : "";
}

} // namespace

std::string verdict(const Report &report, const TaskCounts &tasks) {
  if (report.ranks == 1) {
    return {};
  }
  const Times times = timesOf(report);
  if (report.counters.fragmentCalls > 0 && times.launches == 0) {
    return fmt::format(
        "{} calls ran on the ranks where the program's rules or the rope place them; "
        "what they take on one rank was not measured",
        report.counters.fragmentCalls);
  }
  std::string found = times.distributed > 0 ? gain(times)
                      : tasks.away > 0      ? tasksAway(tasks)
                                            : nothingAway(tasks, times);
  if (times.distributed > 0 && tasks.away > 0) {
    found += "; " + tasksAway(tasks);
  }
  return times.launches > 0 ? found + worst(report, times) : found;
}

} // namespace tutti::trace
