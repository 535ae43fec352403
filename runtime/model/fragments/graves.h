// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What is left of data fragments that are assigned and deleted: enough to find a second
/// assignment.
#pragma once

#include "runtime/model/fragments/names.h"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

namespace tutti::model::fragments {

/// One bit for each name, by blocks of 64 neighbours along the first index: in most programs that
/// is time. Full blocks that follow each other are one run, whatever its length.
class Graves {
public:
  /// What messages say of one.
  struct Stone {
    std::int32_t producer = -1; ///< The statement that assigned it; -1 if that is forgotten.
    std::int32_t limit = -1;    ///< The `req_count` that has used it up; -1 if none has.

    bool operator==(const Stone &) const = default;
  };

  void add(const Tuple &tuple, Stone stone);

  /// Nothing if it is not buried.
  std::optional<Stone> find(const Tuple &tuple) const;

  /// Blocks and runs, for tests.
  std::size_t size() const;

private:
  struct TupleHash {
    std::size_t operator()(const Tuple &tuple) const { return tuple.hash(); }
  };

  struct Block {
    std::uint64_t bits = 0;
    Stone stone; ///< -1 stands for several.
  };

  struct Run {
    std::int32_t last = 0;
    Stone stone;
  };

  using Runs = std::map<std::int32_t, Run>; ///< By their first block.

  /// Nothing if it is not part of a full block.
  std::optional<Stone> findRun(const Tuple &tuple) const;
  static void addRun(Runs &runs, std::int32_t block, Stone stone);

  std::unordered_map<Tuple, Block, TupleHash> blocks_; ///< By the block and the other indices.
  std::unordered_map<Tuple, Runs, TupleHash> full_;    ///< By the other indices.
};

} // namespace tutti::model::fragments
