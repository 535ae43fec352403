// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/cache_blocks.h"

#include "abi/cache.h"
#include "runtime/balance/cache_block.h"
#include "runtime/entry/exports.h"

#include <algorithm>
#include <fstream>
#include <omp.h>
#include <sstream>
#include <string>

namespace tutti::entry {

namespace {

std::uint64_t cache = 0; ///< Written before threads are started.

std::string line(const std::string &file) {
  std::ifstream stream(file);
  std::string text;
  std::getline(stream, text);
  return text;
}

/// Of a number such as "2048K"; 0 if there is none.
std::uint64_t bytesOf(const std::string &text) {
  std::uint64_t number = 0;
  char unit = ' ';
  std::istringstream(text) >> number >> unit;
  return unit == 'K' ? number << 10 : unit == 'M' ? number << 20 : number;
}

/// Processors in a list such as "0-3,8"; 1 if there is none.
std::uint64_t processorsIn(const std::string &list) {
  std::uint64_t count = 0;
  std::istringstream stream(list);
  for (std::string range; std::getline(stream, range, ',');) {
    std::uint64_t first = 0;
    char dash = ' ';
    std::istringstream bounds(range);
    bounds >> first;
    std::uint64_t last = first;
    if (bounds >> dash) {
      bounds >> last;
    }
    count += last >= first ? last - first + 1 : 0;
  }
  return std::max<std::uint64_t>(count, 1);
}

/// What the kernel says of the first processor's second cache, divided between those that share it.
std::uint64_t cacheOfSystem() {
  for (int index = 0; index < 8; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    if (line(folder + "level") == "2" && line(folder + "type") != "Instruction") {
      return bytesOf(line(folder + "size")) / processorsIn(line(folder + "shared_cpu_list"));
    }
  }
  return 0;
}

} // namespace

void allowCacheBlocks(std::uint64_t bytes) { cache = bytes != 0 ? bytes : cacheOfSystem(); }

} // namespace tutti::entry

/// One thread alone executes the whole of a loop in the order of its iterations, as any OpenMP
/// does: programs may count on it, for they can know that there is one.
TUTTI_EXPORT std::int64_t tutti_cache_block(const tutti_chunk *chunk, std::int64_t trip,
                                            std::int64_t moving, std::int64_t fixed,
                                            std::int64_t column) {
  const bool isWhole =
      chunk->total == TUTTI_WHOLE || (chunk->lower == 0 && chunk->upper == chunk->total);
  if (isWhole && omp_get_num_threads() == 1) {
    return 0;
  }
  return static_cast<std::int64_t>(tutti::balance::cacheBlock(
      tutti::entry::cache,
      {static_cast<std::uint64_t>(trip), static_cast<std::uint64_t>(moving),
       static_cast<std::uint64_t>(fixed), static_cast<std::uint64_t>(column)}));
}
