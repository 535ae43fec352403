// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which object of the program a pointer leads to: what bounds accesses through computed indices.
/// Only rank 0 knows, because it alone allocates and runs `main`.
#pragma once

#include "base/range.h"
#include "runtime/memory/heap.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::memory {

/// Threading: immutable; the heap that it asks is internally synchronised.
/// Ownership: borrows the heap.
class Objects {
public:
  /// `stack`: main's. `variables`: the user's, in any order.
  Objects(Range stack, const Heap &heap, std::vector<Range> variables);

  /// All that a pointer with the value `address` may be used to reach: the object that holds it,
  /// and the one that ends there. Of main's stack, where objects are not known, all from `frame`
  /// upwards. Empty if there is none.
  Range at(std::uint64_t address, std::uint64_t frame) const;

  /// While it is the same, so is what `at` gives.
  std::uint64_t version() const { return heap_.version(); }

  /// All that is alive of unified memory, in order: allocations, joined where they lie close
  /// together, `globals`, where the variables are, and of main's stack all from `frame` upwards.
  /// Always: of the globals, a range of a page or more is one array.
  std::vector<Range> all(std::uint64_t frame, std::span<const Range> globals) const;

private:
  Range variableAt(std::uint64_t address) const;
  void addVariables(Range globals, std::vector<Range> &ranges) const;

  Range stack_;
  const Heap &heap_;
  std::vector<Range> variables_; ///< Sorted; of several with one begin the longest.
};

} // namespace tutti::memory
