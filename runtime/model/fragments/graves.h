// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What is left of data fragments that are assigned and deleted: enough to find a second
/// assignment.
#pragma once

#include "runtime/model/fragments/names.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

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

  /// So many neighbours, by the index at `position`, of which this is the first one.
  void addRow(const Tuple &tuple, std::size_t position, std::size_t count, Stone stone);

  /// Nothing if it is not buried.
  std::optional<Stone> find(const Tuple &tuple) const;

  /// Whether one of so many neighbours may be buried.
  bool mayHave(const Tuple &first, std::size_t position, std::size_t count) const;

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

  /// Rows of the same names but for time, of each of which the first name is buried.
  struct Rows {
    std::size_t position = 0;
    std::int32_t first = 0;
    std::int32_t last = 0;
    std::unique_ptr<Graves> graves;
  };

  using Runs = std::map<std::int32_t, Run>; ///< By their first block.

  /// Nothing if it is not part of a full block.
  std::optional<Stone> findRun(const Tuple &tuple) const;
  static void addRun(Runs &runs, std::int32_t block, Stone stone);

  std::unordered_map<Tuple, Block, TupleHash> blocks_; ///< By the block and the other indices.
  std::unordered_map<Tuple, Runs, TupleHash> full_;    ///< By the other indices.
  std::vector<Rows> rows_;

  /// Of what is buried one by one in the youngest block: the least and the greatest of each index.
  struct Latest {
    static constexpr std::size_t kMost = 4; ///< Indices.
    bool isKnown = false;
    std::int32_t block = 0;
    std::size_t count = 0;
    std::array<std::int32_t, kMost> low{};
    std::array<std::int32_t, kMost> high{};
  };

  void extend(const Tuple &tuple);

  /// Nothing that is buried one by one has this name, as it is younger than all of that.
  bool isBeyond(const Tuple &tuple) const;

  Latest latest_;
};

} // namespace tutti::model::fragments
