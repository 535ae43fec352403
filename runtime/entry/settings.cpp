// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/settings.h"

#include "abi/abi.h"
#include "base/log.h"
#include "base/options.h"
#include "runtime/device/selection.h"

#include <array>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace tutti::entry {

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kTiB = std::uint64_t{1} << 40;

std::int64_t number(const char *name) {
  const char *text = std::getenv(name);
  return text ? std::strtoll(text, nullptr, 10) : 0;
}

} // namespace

Result<Settings> readSettings() {
  using exec::Distribute;
  Options options = Options::fromEnvironment();
  // Read by the launcher and the compiler.
  for (const char *name :
       {"TUTTI_CLANG", "TUTTI_MPIRUN", "TUTTI_RANKS", "TUTTI_MONITOR", "TUTTI_TARGETS",
        "TUTTI_OPENCL_ARENA", "TUTTI_MOCK_DEVICES", "TUTTI_MOCK_FORMAT", "TUTTI_MOCK_MEMORY",
        "TUTTI_MOCK_DELAY", "TUTTI_MOCK_FAIL_COMMIT", "TUTTI_MOCK_LOSE", "TUTTI_MOCK_REFUSE"}) {
    options.allow(name);
  }
  const auto heap = options.size("TUTTI_HEAP", kTiB, 16 * kMiB, 15 * kTiB);
  if (!heap) {
    return heap.error();
  }
  static constexpr std::array<std::pair<std::string_view, Distribute>, 3> kPolicies{
      {{"auto", Distribute::Auto}, {"always", Distribute::Always}, {"never", Distribute::Never}}};
  const auto distribute =
      options.choice<Distribute>("TUTTI_DISTRIBUTE", Distribute::Auto, kPolicies);
  if (!distribute) {
    return distribute.error();
  }
  static constexpr std::array<std::pair<std::string_view, Stats>, 4> kStats{
      {{"0", Stats::Off}, {"1", Stats::Text}, {"text", Stats::Text}, {"json", Stats::Json}}};
  const auto stats = options.choice<Stats>("TUTTI_STATS", Stats::Off, kStats);
  if (!stats) {
    return stats.error();
  }
  const auto device =
      options.choice<std::uint32_t>("TUTTI_DEVICE", TUTTI_DEVICE_AUTO, device::kDeviceKinds);
  if (!device) {
    return device.error();
  }
  constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  const auto deviceMemory = options.size("TUTTI_DEVICE_MEMORY", kNoLimit, kMiB / 16, kNoLimit);
  if (!deviceMemory) {
    return deviceMemory.error();
  }
  if (isFirstRank()) {
    options.warnUnknown();
  }
  return Settings{*heap & ~(kMiB - 1), *distribute, *stats, *device, *deviceMemory};
}

bool isFirstRank() {
  for (const char *name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char *rank = std::getenv(name)) {
      return std::string_view(rank) == "0";
    }
  }
  return true;
}

std::int64_t ranksOfJob() {
  for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const std::int64_t ranks = number(name); ranks > 0) {
      return ranks;
    }
  }
  const std::int64_t tasks = std::getenv("PMIX_RANK") ? number("SLURM_STEP_NUM_TASKS") : 0;
  return tasks > 0 ? tasks : 1;
}

std::int64_t tasksWithoutMpi() {
  const bool hasMpi =
      std::getenv("PMIX_RANK") || std::getenv("PMI_RANK") || std::getenv("OMPI_COMM_WORLD_RANK");
  return hasMpi ? 0 : number("SLURM_STEP_NUM_TASKS");
}

} // namespace tutti::entry
