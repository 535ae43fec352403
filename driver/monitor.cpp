// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/monitor.h"

#include "driver/binding.h"
#include "driver/error_relay.h"
#include "driver/process.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace tutti::driver {

namespace {

const char *firstOf(std::initializer_list<const char *> names) {
  for (const char *name : names) {
    if (const char *value = std::getenv(name)) {
      return value;
    }
  }
  return nullptr;
}

std::string hostName() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "?";
}

void shareCores() {
  const char *localRanks =
      firstOf({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"});
  if (localRanks == nullptr) {
    return;
  }
  int sharers = std::atoi(localRanks);
  const char *local = firstOf({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"});
  const char *asked = std::getenv(kBindVariable);
  const bool binds = asked != nullptr && std::string_view(asked) == kBindCores;
  if (binds && local != nullptr && bindToPart(std::atoi(local), sharers)) {
    sharers = 1;
  }
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) == 0) {
    const int threads = threadsPerRank(CPU_COUNT(&cores), sharers);
    ::setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 0);
  }
}

} // namespace

int threadsPerRank(int cores, int localRanks) {
  return std::max(1, cores / std::max(1, localRanks));
}

int monitor(const std::vector<std::string> &program, bool announces) {
  shareCores();
  const char *number = firstOf({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"});
  const std::string rank = number == nullptr ? "?" : number;
  if (announces) {
    std::fputs(startReport(rank, hostName()).c_str(), stderr);
  }
  const ChildEnd end = supervise(program, {.speaker = rankName(rank, hostName()),
                                           .forwardsTerminalSignals = true,
                                           .endsWithParent = true});
  if (!end.problem.empty()) {
    std::fprintf(stderr, "tuttirun: %s\n", end.problem.c_str());
    return 1;
  }
  if (end.signal != 0 && end.askedToEndBy == 0) {
    std::fputs(killReport(rank, hostName(), end.signal).c_str(), stderr);
    if (std::getenv("HYDI_CONTROL_FD") != nullptr || std::getenv("PMI_FD") != nullptr) {
      // Hydra ends the other ranks only upon a signal, not upon an exit status.
      const rlimit noCore = {0, 0};
      ::setrlimit(RLIMIT_CORE, &noCore);
      std::signal(end.signal, SIG_DFL);
      ::raise(end.signal);
    }
  }
  return end.exitCode;
}

} // namespace tutti::driver
