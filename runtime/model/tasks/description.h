// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a task that is being made names, until the graph has taken it over.
#pragma once

#include "abi/tasks.h"
#include "base/range.h"
#include "runtime/graph/task_graph.h"
#include "runtime/model/tasks/accelerators.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tutti::model::tasks {

/// One dimension of a section of an array.
struct SectionDim {
  std::size_t step; ///< Bytes from one element to the next.
  std::int64_t first;
  std::int64_t count;
};

/// Used again and again: keeps its memory.
///
/// Threading: externally synchronised.
class Description {
public:
  /// `kind` is one of tutti_task_access_kinds, with TUTTI_TASK_WEAK or without.
  void add(std::uint32_t kind, std::uint64_t begin, std::size_t bytes);

  /// Dimensions outermost first. False if there are more than the graph knows.
  bool addSection(std::uint32_t kind, std::uint64_t base, std::span<const SectionDim> dims);

  void addReduction(bool isWeak, std::uint64_t begin, std::size_t bytes, graph::ReductionKey key);

  /// Weak accesses become strong ones.
  void strengthen();

  /// The same, and concurrent ones exclude one another: what they share they have in one memory.
  void exclude();

  /// What it only writes, and is not all in `overwritten`, is to be as before where it writes
  /// nothing.
  void keepBeside(const RangeSet &overwritten);

  /// Accesses that begin at a byte begin at `to(byte)` instead.
  template <typename To> void move(To &&to) {
    for (graph::Access &access : accesses_) {
      access.region.begin = to(access.region.begin);
    }
  }

  /// All that `other` has, too; to run where that is to run.
  void addAll(const Description &other);

  bool isEmpty() const { return accesses_.empty(); }

  std::size_t size() const { return accesses_.size(); }

  /// From `first` on stand the accesses of an iteration, and then as many of the next one. Makes of
  /// both what `count` iterations name whose accesses go on so. False, and what stands there is
  /// anything, if that cannot be said.
  bool extend(std::size_t first, std::uint64_t count);

  /// Drops all from `first` on.
  void shrink(std::size_t first);

  /// Valid until something is added.
  std::span<const graph::Access> accesses();

  void clear();

  /// What continues the access before in the same way becomes one with it: iterations of a loop
  /// name their memory one after the other.
  bool joins = false;
  /// Some section has a negative length: it counts as no access, but may be meant to be all memory.
  bool hasNegative = false;
  std::int64_t grainsize = 0; ///< Iterations; 0 if the program does not say.

  std::int64_t cost = 1; ///< In proportion to others of the same construct; at least 1.

  static constexpr std::int64_t kAnyNode = -2; ///< Source: <nanos6/cluster.h>, as the next one.
  static constexpr std::int64_t kOwnNode = -1;
  std::int64_t node = kAnyNode;                   ///< The rank that is to run it.
  std::span<const tutti_task_variable> variables; ///< That its code uses.
  std::vector<std::uint64_t> objects; ///< Addresses of variables of which it names some bytes.
  std::vector<Range> read; ///< Beside what it names, if all that its code touches is known.
  std::string instance;    ///< The label of this one.
  DeviceRequest device;    ///< Where it is to run.

private:
  std::span<const tutti_dim> dimsOf(std::size_t index) const;
  bool join(const graph::Access &access);
  bool joinAt(std::size_t index, const graph::Access &access);

  std::size_t expected_ = 0; ///< Which access the next one probably continues.
  std::vector<graph::Access> accesses_;
  std::vector<std::size_t> firstDims_; ///< Of each access: into `dims_`.
  std::vector<tutti_dim> dims_;
};

} // namespace tutti::model::tasks
