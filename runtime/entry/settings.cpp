// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/settings.h"

#include "abi/abi.h"
#include "base/log.h"
#include "base/options.h"
#include "runtime/device/backend.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::entry {

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kTiB = std::uint64_t{1} << 40;

std::int64_t number(const char *name) {
  const char *text = std::getenv(name);
  return text ? std::strtoll(text, nullptr, 10) : 0;
}

/// The variables by which a launcher tells a process its rank and the number of ranks.
struct Launcher {
  const char *rank;
  const char *ranks;
  bool bringsMpi; ///< Else it starts processes that know nothing of one another.
};

/// mpirun of Open MPI and of MPICH, srun with and without a library for MPI.
constexpr std::array<Launcher, 4> kLaunchers{
    {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", true},
     {"PMI_RANK", "PMI_SIZE", true},
     {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", true},
     {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", false}}};

/// The one that started this process; null if it was started alone.
const Launcher *launcher() {
  const auto started = std::ranges::find_if(
      kLaunchers, [](const Launcher &each) { return std::getenv(each.rank) != nullptr; });
  return started == kLaunchers.end() ? nullptr : &*started;
}

Result<Balance> balanceOf(const std::string &text) {
  constexpr std::string_view kCores = "cpu=";
  if (text == "auto" || text == "off") {
    return Balance{text == "auto", std::nullopt};
  }
  double cores = -1;
  if (text.starts_with(kCores)) {
    const char *end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data() + kCores.size(), end, cores);
    cores = error == std::errc() && at == end ? cores : -1;
  }
  if (!(cores >= 0 && cores <= 1)) {
    return failure(ErrorCode::InvalidArgument,
                   "TUTTI_BALANCE={}: expected auto, off, or cpu= and a number from 0 to 1", text);
  }
  return Balance{false, cores};
}

Result<Without> withoutOf(Options &options) {
  Without without{};
  const std::string text = options.text("TUTTI_WITHOUT", "");
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word == "prefetch") {
      without.prefetch = true;
    } else if (word == "exact-reads") {
      without.exactReads = true;
    } else if (word == "exact-writes") {
      without.exactWrites = true;
    } else if (word == "cache-blocks") {
      without.cacheBlocks = true;
    } else {
      return failure(ErrorCode::InvalidArgument,
                     "TUTTI_WITHOUT={}: expected a list of prefetch, exact-reads, exact-writes, "
                     "cache-blocks",
                     text);
    }
  }
  return without;
}

/// Where nothing is said, long work of one node is not taken for an error.
Result<model::spmd::Patience> patienceOf(Options &options) {
  constexpr std::int64_t kUnset = -1;
  constexpr std::chrono::seconds kUsual{300};
  constexpr std::int64_t kMost = 1'000'000'000;
  const auto seconds = options.integer("TUTTI_TIMEOUT", kUnset, 0, kMost);
  if (!seconds) {
    return seconds.error();
  }
  return *seconds == kUnset ? model::spmd::Patience{kUsual, false}
                            : model::spmd::Patience{std::chrono::seconds(*seconds), true};
}

} // namespace

Result<Settings> readSettings() {
  using model::forkjoin::Distribute;
  Options options = Options::fromEnvironment();
  // Read by the launcher, the compiler, and LuNA programs.
  for (const char *name :
       {"TUTTI_BIND", "TUTTI_CLANG", "TUTTI_MPIRUN", "TUTTI_RANKS", "TUTTI_MONITOR",
        "TUTTI_TARGETS", "TUTTI_ROPE", "TUTTI_PROFILE", "TUTTI_STEP_TIME", "TUTTI_TRACE"}) {
    options.allow(name);
  }
  for (const device::Backend *backend : device::backends()) {
    for (const std::string_view name : backend->settings) {
      options.allow(name);
    }
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
  const auto balance = balanceOf(options.text("TUTTI_BALANCE", "auto"));
  if (!balance) {
    return balance.error();
  }
  static constexpr std::array<std::pair<std::string_view, bool>, 2> kExplain{
      {{"0", false}, {"1", true}}};
  const auto explains = options.choice<bool>("TUTTI_EXPLAIN", false, kExplain);
  if (!explains) {
    return explains.error();
  }
  static constexpr std::array<std::pair<std::string_view, Stats>, 4> kStats{
      {{"0", Stats::Off}, {"1", Stats::Text}, {"text", Stats::Text}, {"json", Stats::Json}}};
  const auto stats = options.choice<Stats>("TUTTI_STATS", Stats::Off, kStats);
  if (!stats) {
    return stats.error();
  }
  const auto device = device::parseWish(options.text("TUTTI_DEVICE", "auto"));
  if (!device) {
    return device.error();
  }
  static constexpr std::array<std::pair<std::string_view, bool>, 2> kOpening{
      {{"first", false}, {"beside", true}}};
  const auto opensBeside = options.choice<bool>("TUTTI_OPEN", false, kOpening);
  if (!opensBeside) {
    return opensBeside.error();
  }
  const auto workers = options.integer("TUTTI_WORKERS", 0, 1, 4096);
  if (!workers) {
    return workers.error();
  }
  constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  const auto patience = patienceOf(options);
  if (!patience) {
    return patience.error();
  }
  const auto deviceMemory = options.size("TUTTI_DEVICE_MEMORY", kNoLimit, kMiB / 16, kNoLimit);
  if (!deviceMemory) {
    return deviceMemory.error();
  }
  static constexpr std::array<std::pair<std::string_view, Managed>, 3> kManaged{
      {{"prefetch", Managed::Prefetch},
       {"driver", Managed::Driver},
       {"unified", Managed::Unified}}};
  const auto managed = options.choice<Managed>("TUTTI_MANAGED", Managed::Prefetch, kManaged);
  if (!managed) {
    return managed.error();
  }
  static constexpr std::array<std::pair<std::string_view, bool>, 2> kChecks{
      {{"off", false}, {"accesses", true}}};
  const auto checks = options.choice<bool>("TUTTI_CHECK", false, kChecks);
  if (!checks) {
    return checks.error();
  }
  const auto without = withoutOf(options);
  if (!without) {
    return without.error();
  }
  const auto cache = options.size("TUTTI_CACHE", 0, 0, kTiB);
  if (!cache) {
    return cache.error();
  }
  if (isFirstRank()) {
    options.warnUnknown();
  }
  return Settings{*heap & ~(kMiB - 1),
                  *distribute,
                  *balance,
                  *explains,
                  *stats,
                  *device,
                  *opensBeside,
                  *deviceMemory,
                  *managed,
                  *checks,
                  static_cast<std::uint32_t>(*workers),
                  *without,
                  *cache,
                  *patience};
}

bool isFirstRank() {
  const Launcher *started = launcher();
  return !started || std::string_view(std::getenv(started->rank)) == "0";
}

std::int64_t ranksOfJob() {
  const Launcher *started = launcher();
  return started && started->bringsMpi ? std::max<std::int64_t>(number(started->ranks), 1) : 1;
}

std::int64_t tasksWithoutMpi() {
  const Launcher *started = launcher();
  return started && !started->bringsMpi ? number(started->ranks) : 0;
}

} // namespace tutti::entry
