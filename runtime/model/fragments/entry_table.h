// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Entries of data fragments, found by name.
#pragma once

#include "runtime/model/fragments/frame.h"
#include "runtime/model/fragments/pool.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::model::fragments {

/// A hash table of those with indices, and for each base a list of all.
///
/// Threading: externally synchronised.
/// Ownership: of the entries, all of which are removed before it goes.
class EntryTable {
public:
  /// Of a name with indices.
  static std::uint64_t hashOf(const Base &base, const Tuple &tuple);

  /// Null if there is none. `hash`: of the name.
  Entry *find(const Base &base, const Tuple &tuple, std::uint64_t hash) const;

  bool has(const Base &base, const Tuple &tuple) const {
    return find(base, tuple, hashOf(base, tuple)) != nullptr;
  }

  /// Makes the entry of a name that has none. `hash`: of the name, if it has indices.
  Entry &add(Base &base, const Tuple &tuple, std::uint64_t hash);

  void remove(Entry &entry);

private:
  void grow();

  std::vector<Entry *> buckets_;
  std::size_t size_ = 0; ///< Entries in the buckets.
  Pool<Entry> pool_;
};

} // namespace tutti::model::fragments
