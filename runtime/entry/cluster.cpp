// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/cluster.h"

#include "abi/abi.h"
#include "base/mutex.h"
#include "runtime/memory/window.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

namespace tutti::entry {

namespace {

ClusterNode own;
Range arguments;

struct Pieces {
  Mutex mutex;
  std::map<std::uint64_t, std::uint64_t> ends TUTTI_GUARDED_BY(mutex); ///< By begin.
};

Pieces &pieces() {
  static auto *pieces = new Pieces; // Tasks may look at it until the process is gone.
  return *pieces;
}

} // namespace

const ClusterNode &clusterNode() { return own; }

void setClusterNode(ClusterNode node) { own = node; }

Range programArguments() { return arguments; }

/// The kernel puts one behind the other: the pointers, those of the environment, what they point
/// to.
void setProgramArguments(int argc, char **argv) {
  const auto begin = reinterpret_cast<std::uint64_t>(argv);
  arguments = {begin, begin};
  const auto include = [](const char *text) {
    const auto end = reinterpret_cast<std::uint64_t>(text) + std::strlen(text) + 1;
    arguments.end = std::max(arguments.end, end);
  };
  for (int i = 0; i < argc; ++i) {
    include(argv[i]);
  }
  for (char **text = argv + argc + 1; *text; ++text) {
    include(*text);
  }
}

void *allocateForCluster(std::size_t bytes) {
  const std::size_t page = memory::kPageBytes;
  // Whole pages: what another rank writes shares none with what this one writes.
  const std::size_t whole = (bytes + page - 1) / page * page;
  void *memory = whole < bytes ? nullptr : tutti_aligned_alloc(page, whole);
  if (memory) {
    const auto begin = reinterpret_cast<std::uint64_t>(memory);
    Pieces &all = pieces();
    const ScopedLock lock(all.mutex);
    all.ends[begin] = begin + whole;
  }
  return memory;
}

void freeForCluster(void *memory) {
  if (!memory) {
    return;
  }
  {
    Pieces &all = pieces();
    const ScopedLock lock(all.mutex);
    all.ends.erase(reinterpret_cast<std::uint64_t>(memory));
  }
  std::free(memory);
}

std::int32_t homeInCluster(Range bytes) {
  Pieces &all = pieces();
  const ScopedLock lock(all.mutex);
  auto after = all.ends.upper_bound(bytes.begin);
  if (after == all.ends.begin() || (--after)->second <= bytes.begin) {
    return own.rank;
  }
  const auto nodes = static_cast<std::uint64_t>(own.nodes);
  const std::uint64_t part = (after->second - after->first + nodes - 1) / nodes;
  return static_cast<std::int32_t>((bytes.begin - after->first) / part);
}

bool areOfCluster(Range bytes) {
  Pieces &all = pieces();
  const ScopedLock lock(all.mutex);
  auto after = all.ends.upper_bound(bytes.begin);
  return after != all.ends.begin() && bytes.end <= (--after)->second;
}

} // namespace tutti::entry
