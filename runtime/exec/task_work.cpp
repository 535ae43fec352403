// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/task_work.h"

#include "runtime/exec/region_view.h"

namespace tutti::exec {

namespace {

// Of nobody else: theirs are hashes.
constexpr std::uint64_t kId = 0x7461736b5f6f6e5fULL;
constexpr std::uint64_t kExactId = kId + 1;

std::int64_t one(const std::uint64_t *, const std::uint64_t *) { return 1; }

/// Their number, and for each flags, begin, bytes, number of dimensions, and these.
void report(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
            std::int64_t upper, std::int64_t, tutti_sink *sink) {
  if (lower >= upper) {
    return;
  }
  const std::uint64_t *at = captures;
  for (std::uint64_t left = *at++; left > 0; --left) {
    const auto flags = static_cast<std::uint32_t>(at[0]);
    const auto count = static_cast<std::uint32_t>(at[3]);
    sink->add(flags, at[1], at[1], at[2], count, reinterpret_cast<const tutti_dim *>(at + 4));
    at += 4 + 2 * count;
  }
}

constexpr tutti_region regionWith(std::uint64_t id) {
  tutti_region region{};
  region.abi_version = TUTTI_ABI_VERSION;
  region.flags = TUTTI_REGION_TASK;
  region.id = id;
  region.source = "a task on a device";
  region.function = "";
  region.trip = one;
  region.accesses = report;
  return region;
}

} // namespace

const tutti_region &taskRegion() {
  static constexpr tutti_region kRegion = regionWith(kId);
  return kRegion;
}

const tutti_region &exactTaskRegion() {
  static constexpr tutti_region kRegion = regionWith(kExactId);
  return kRegion;
}

std::vector<std::uint64_t> capturesOf(std::span<const TaskAccess> accesses) {
  std::vector<std::uint64_t> captures{accesses.size()};
  for (const TaskAccess &access : accesses) {
    captures.insert(captures.end(),
                    {access.flags, access.begin, access.bytes, access.dimensions.size()});
    for (const tutti_dim &dimension : access.dimensions) {
      captures.push_back(static_cast<std::uint64_t>(dimension.stride));
      captures.push_back(static_cast<std::uint64_t>(dimension.count));
    }
  }
  return captures;
}

} // namespace tutti::exec
