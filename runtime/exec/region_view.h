// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Asks the functions of a region descriptor: what it reads as scalars, and what its iterations
/// touch.
#pragma once

#include "abi/abi.h"
#include "base/range.h"
#include "runtime/exec/launch.h"
#include "runtime/exec/task_work.h"
#include "runtime/memory/access_set.h"
#include "runtime/memory/window.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

/// What `gather` reports to.
struct tutti_gather {
  const tutti::memory::Window *window;
  std::vector<tutti::exec::BlockValue> blocks;
  bool isOutside = false;                 ///< An address was not in the window.
  std::span<const tutti::Range> own = {}; ///< Memory outside of the window that may be read, too.
  /// What lies elsewhere in the host's memory.
  std::span<const tutti::exec::HostCopy> moved = {};

  std::uint64_t read(std::uint64_t address, std::uint32_t bytes);
};

/// What `accesses` reports to, and where it gets the words that it follows.
struct tutti_sink {
  tutti_sink() = default;
  tutti_sink(const tutti_sink &) = delete;
  tutti_sink &operator=(const tutti_sink &) = delete;
  virtual ~tutti_sink() = default;

  /// One record; the arguments are those of `tutti_access`.
  virtual void add(std::uint32_t flags, std::uint64_t object, std::uint64_t address,
                   std::uint64_t size, std::uint32_t ndims, const tutti_dim *dims) = 0;

  /// One word; see `tutti_follow`.
  virtual std::uint64_t follow(std::uint64_t address, std::uint32_t size) = 0;

  /// Bytes that an iteration reads; see `tutti_touched`. Only for who asks `inspect`.
  virtual void touched(std::uint64_t, std::uint64_t) {}

  /// Bytes that an iteration writes; see `tutti_written`.
  virtual void written(std::uint64_t, std::uint64_t) {}

  const void *call = nullptr; ///< Where `accesses` reports the record from that is being added.
};

namespace tutti::exec {

/// Whether the construct of a launch asks for one thread, which executes iterations in their order.
inline bool asksForOneThread(const tutti_region &region, const std::uint64_t *captures) {
  return (region.flags & TUTTI_REGION_THREADS) != 0 && captures[region.captures - 1] == 1;
}

/// Whether a record says nothing.
bool isIdle(std::uint32_t flags, std::uint64_t object, const memory::Window &window);

/// Whether `launch` may take the whole object for what a record touches of it. Objects of the stack
/// are not told apart, and what is reduced, updated, or found in all of memory has ways of its own.
bool isWidened(const Launch &launch, std::uint32_t flags, std::uint64_t object,
               const memory::Window &window);

/// What a record cannot touch beyond: an at-most one may reach beyond its object, and so beyond the
/// window.
Range limitOf(std::uint32_t flags, std::uint64_t object, const memory::Window &window);

/// Bytes that may be touched through a pointer.
struct Reach {
  std::uint64_t object;
  Range range;
  bool isWritten;
};

/// Whether no written reach overlaps one through another pointer.
///
/// Cost: O(n log n)
bool areDisjoint(std::vector<Reach> reaches);

/// What some iterations of a launch touch, as the region says it.
struct TouchRecords {
  memory::AccessRecords touched;
  memory::AccessRecords reduced; ///< Variables that a reduction is combined into, by rank 0's host.
  /// Address of the region's tutti_reach, if it may read all that is alive of unified memory: that
  /// is among `touched`.
  std::uint64_t reach = 0;
};

/// The bytes of these.
struct Touches {
  memory::AccessSet sets;
  memory::AccessSet reduced;
  std::uint64_t reach = 0;
};

/// What `launch`, all of whose values are known, says of its pieces (TUTTI_PIECE); 1 if nothing.
std::int64_t pieceOf(const Launch &launch);

/// The objects of the program that a launch touches.
struct TouchedObjects {
  std::vector<Range> ranges; ///< Each lies inside one object of the user, or inside the heap.
  /// What is written through one object is not touched through another. May be false although so.
  bool areDisjoint = false;
};

/// The allocation that holds an address; empty if there is none or it is not known.
using AllocationOf = std::function<Range(std::uint64_t address)>;

/// What iterations [lower, upper) of `launch` touch.
///
/// Cost: linear in the records: boxes stay boxes.
TouchRecords recordsOf(const Launch &launch, const memory::Window &window, std::int64_t lower,
                       std::int64_t upper, const AllocationOf &allocationOf);

/// Its bytes.
///
/// Cost: linear in the runs of all boxes.
Touches touchesOf(const Launch &launch, const memory::Window &window, std::int64_t lower,
                  std::int64_t upper, const AllocationOf &allocationOf);

/// What all iterations of `launch` may write, without the gaps that `touchesOf` may take with it.
/// Nothing if that is too much.
std::optional<RangeSet> writesOf(const Launch &launch, const memory::Window &window,
                                 const AllocationOf &allocationOf);

/// What all iterations of `launch` touch, object by object.
///
/// Cost: O(n log n) in the number of records.
TouchedObjects objectsOf(const Launch &launch, const memory::Window &window,
                         const AllocationOf &allocationOf);

/// Looks allocations up in those that came with a launch, which must outlive it.
AllocationOf allocationsOf(const Launch &launch);

/// Where pointers may lead in `window`, as long as nobody has strayed.
tutti_reach reachOf(const memory::Window &window);

} // namespace tutti::exec
