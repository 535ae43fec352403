// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The TUTTI_* variables that the runtime reads.
#pragma once

#include "base/result.h"
#include "runtime/device/wish.h"
#include "runtime/model/forkjoin/rank_zero.h"
#include "runtime/model/spmd/watch.h"

#include <cstdint>
#include <optional>

namespace tutti::entry {

enum class Stats { Off, Text, Json };

/// What becomes of memory that tasks on devices name and that a driver manages.
enum class Managed {
  Prefetch, ///< It is moved ahead of kernels.
  Driver,   ///< Its driver moves it when it is touched.
  Unified,  ///< There is none: it lies in the heap.
};

/// Where the borders between parts of loops lie.
struct Balance {
  bool followsTimes;
  std::optional<double> cores; ///< Their part of what a rank gets, beside its devices.
};

/// What a run does without that makes it faster, to see what that is worth.
struct Without {
  bool prefetch;    ///< Bytes are asked for page by page.
  bool exactReads;  ///< Who reads some of an object gets all of it.
  bool exactWrites; ///< What loops write is found by comparing whole objects.
  bool cacheBlocks; ///< Nests of loops are executed row by row.
};

struct Settings {
  std::uint64_t heapBytes;                ///< TUTTI_HEAP: addresses of the heap; 1T unless set.
  model::forkjoin::Distribute distribute; ///< TUTTI_DISTRIBUTE: auto, always or never.
  Balance balance;                        ///< TUTTI_BALANCE: auto, off or cpu=SHARE.
  bool explains;                          ///< TUTTI_EXPLAIN: 0 or 1.
  Stats stats;                            ///< TUTTI_STATS: 0, 1 or json.
  device::Wish device;                    ///< TUTTI_DEVICE: AUTO unless set.
  bool opensBeside;                       ///< TUTTI_OPEN: first or beside.
  std::uint64_t deviceMemory; ///< TUTTI_DEVICE_MEMORY: of each device at most; no limit unless set.
  Managed managed;            ///< TUTTI_MANAGED: prefetch, driver or unified.
  bool checksAccesses;        ///< TUTTI_CHECK: accesses.
  std::uint32_t workers;      ///< TUTTI_WORKERS: that run tasks; 0 for one on each processor.
  Without without;            ///< TUTTI_WITHOUT: a list of the above.
  std::uint64_t cache;        ///< TUTTI_CACHE: of each thread; 0 for what the machine says.
  model::spmd::Patience patience; ///< TUTTI_TIMEOUT: of nodes that wait.
};

/// Errors: InvalidArgument.
Result<Settings> readSettings();

/// Ranks of the job that this process was started in; 1 if it was started alone.
/// Source: the environments that mpirun of Open MPI and MPICH, and srun, give.
std::int64_t ranksOfJob();

/// Tasks that srun has started without anything by which MPI could bring them together; else 0.
std::int64_t tasksWithoutMpi();

/// Whether this process is the one of its job that speaks for all; before MPI is there to ask.
bool isFirstRank();

} // namespace tutti::entry
