// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The binomial tree over ranks 0..size-1 that control messages go down and partial results go up.
#pragma once

#include "runtime/transport/transport.h"

#include <vector>

namespace tutti::exec {

using transport::Rank;

/// `rank` without its lowest set bit; rank 0 is the root.
inline Rank treeParent(Rank rank) { return rank & (rank - 1); }

/// Children, nearest first: the subtree of `rank + step` is [rank + step, rank + 2 * step), so that
/// going through them in order goes through the ranks in order.
inline std::vector<Rank> treeChildren(Rank rank, Rank size) {
  std::vector<Rank> children;
  for (Rank step = 1; (rank & step) == 0 && rank + step < size; step <<= 1) {
    children.push_back(rank + step);
  }
  return children;
}

} // namespace tutti::exec
