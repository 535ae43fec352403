// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/binding.h"

#include <fstream>
#include <map>
#include <string>
#include <tuple>

namespace tutti::driver {

namespace {

/// What a file of the kernel says; -1 if there is none.
int numberIn(const std::filesystem::path &file) {
  int number = -1;
  std::ifstream(file) >> number;
  return number;
}

} // namespace

std::vector<Core> coresOf(const cpu_set_t &usable, const std::filesystem::path &system) {
  // By package, cache of the last level, and number in the package.
  std::map<std::tuple<int, int, int>, Core> known;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &usable)) {
      const std::filesystem::path place = system / ("cpu" + std::to_string(processor));
      const int core = numberIn(place / "topology/core_id");
      // One that the kernel does not describe is taken for a core of its own.
      const std::tuple key(numberIn(place / "topology/physical_package_id"),
                           numberIn(place / "cache/index3/id"),
                           core < 0 ? CPU_SETSIZE + processor : core);
      known[key].push_back(processor);
    }
  }
  std::vector<Core> cores;
  for (const auto &[key, core] : known) {
    cores.push_back(core);
  }
  return cores;
}

std::vector<int> partOf(const std::vector<Core> &cores, int local, int locals) {
  const auto count = static_cast<int>(cores.size());
  std::vector<int> part;
  if (local < 0 || local >= locals || count < locals) {
    return part;
  }
  for (int core = count * local / locals; core < count * (local + 1) / locals; ++core) {
    const Core &own = cores[static_cast<std::size_t>(core)];
    part.insert(part.end(), own.begin(), own.end());
  }
  return part;
}

bool bindToPart(int local, int locals) {
  cpu_set_t usable;
  if (::sched_getaffinity(0, sizeof usable, &usable) != 0) {
    return false;
  }
  cpu_set_t own;
  CPU_ZERO(&own);
  for (const int processor : partOf(coresOf(usable), local, locals)) {
    CPU_SET(processor, &own);
  }
  return CPU_COUNT(&own) > 0 && ::sched_setaffinity(0, sizeof own, &own) == 0;
}

} // namespace tutti::driver
