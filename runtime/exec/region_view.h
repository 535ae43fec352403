// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Asks the functions of a region descriptor: what it reads as scalars, and what its iterations
/// touch.
#pragma once

#include "abi/abi.h"
#include "base/range.h"
#include "runtime/exec/launch.h"
#include "runtime/memory/access_set.h"
#include "runtime/memory/window.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

/// What `gather` reports to.
struct tutti_gather {
  const tutti::memory::Window *window;
  std::vector<tutti::exec::BlockValue> blocks;
  bool isOutside = false; ///< An address was not in the window.

  std::uint64_t read(std::uint64_t address, std::uint32_t bytes);
};

/// What `accesses` reports to.
struct tutti_sink {
  tutti::memory::AccessCollector collector;
  tutti::memory::AccessCollector reduced; ///< Variables that a reduction is combined into.
  const tutti::memory::Window *window = nullptr;

  /// What is touched through one pointer of the program.
  struct Object {
    tutti::Range hull;  ///< Of all that is surely inside the object; may be empty.
    tutti::Range reach; ///< Of all that may be touched.
    bool isWritten = false;
  };

  /// Whose allocation is asked for.
  struct Asked {
    std::uint64_t object; ///< The pointer that leads there.
    bool isWritten = false;
  };

  /// Address of the region's tutti_reach, if it may read all that is alive of unified memory.
  std::uint64_t reach = 0;
  std::map<std::uint64_t, Asked> allocations; ///< By the address.
  std::map<std::uint64_t, Object> objects;    ///< By the pointer.

  void add(std::uint32_t flags, std::uint64_t object, std::uint64_t address, std::uint64_t size,
           std::uint32_t ndims, const tutti_dim *dims);
};

namespace tutti::exec {

/// What some iterations of a launch touch.
struct Touches {
  memory::AccessSet sets;
  memory::AccessSet reduced; ///< Variables that a reduction is combined into, by rank 0's host.
  std::map<std::uint64_t, tutti_sink::Asked> allocations; ///< That were asked for, by address.
  std::uint64_t reach = 0;                                ///< As in `tutti_sink`.
  std::vector<Range> objects; ///< Each lies inside one object of the user, or inside the heap.
  /// What is written through one object is not touched through another. May be false although so.
  bool isDisjoint = false;
};

/// The allocation that holds an address; empty if there is none or it is not known.
using AllocationOf = std::function<Range(std::uint64_t address)>;

/// What iterations [lower, upper) of `launch` touch.
Touches touchesOf(const Launch &launch, const memory::Window &window, std::int64_t lower,
                  std::int64_t upper, const AllocationOf &allocationOf);

/// Looks allocations up in those that came with a launch.
AllocationOf allocationsOf(const Launch &launch);

/// Where pointers may lead in `window`, as long as nobody has strayed.
tutti_reach reachOf(const memory::Window &window);

} // namespace tutti::exec
