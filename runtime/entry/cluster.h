// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// This process among the nodes that tasks may run on, and the memory for which the program has
/// promised that tasks name all that they use of it.
#pragma once

#include "base/range.h"

#include <cstddef>
#include <cstdint>

namespace tutti::entry {

/// As OmpSs-2 calls the ranks of a job. Set before user code.
struct ClusterNode {
  std::int32_t rank = 0;
  std::int32_t nodes = 1;
};

const ClusterNode &clusterNode();
void setClusterNode(ClusterNode node);

/// What holds the program's arguments and environment: each process has them elsewhere. Set before
/// user code.
Range programArguments();
void setProgramArguments(int argc, char **argv);

/// Memory that begins a page; null if there is none left. From any thread.
/// Source: `nanos6_dmalloc`.
void *allocateForCluster(std::size_t bytes);

/// The node on which the first of these bytes is to lie at first: each has an equal part of each
/// piece of memory. The own one for other memory. From any thread.
std::int32_t homeInCluster(Range bytes);

void freeForCluster(void *memory);

/// Whether all of the bytes are of one such piece of memory. From any thread.
bool areOfCluster(Range bytes);

} // namespace tutti::entry
