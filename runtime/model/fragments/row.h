// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Data fragments that one merged call makes and another one reads, known as one thing until
/// somebody asks for one of them.
#pragma once

#include "runtime/model/fragments/names.h"
#include "runtime/model/fragments/value.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

struct Base;
struct Call;
struct Entry;
struct Row;

/// Names that differ by one index alone, which goes through consecutive numbers.
struct Neighbours {
  Base *base = nullptr;
  Tuple first;
  std::size_t position = 0; ///< Of the index.
  std::size_t count = 0;

  Tuple at(std::size_t place) const {
    Tuple tuple = first;
    tuple.set(position, first[position] + static_cast<std::int32_t>(place));
    return tuple;
  }

  /// Which one it is, if it is one of them.
  std::optional<std::size_t> find(const Tuple &tuple) const {
    if (tuple.count() != first.count()) {
      return std::nullopt;
    }
    for (std::size_t index = 0; index < tuple.count(); ++index) {
      if (index != position && tuple[index] != first[index]) {
        return std::nullopt;
      }
    }
    const std::int64_t place = std::int64_t{tuple[position]} - first[position];
    return place >= 0 && std::cmp_less(place, count)
               ? std::optional(static_cast<std::size_t>(place))
               : std::nullopt;
  }

  /// From one to behind another one.
  using Places = std::pair<std::size_t, std::size_t>;

  /// Which of them are among others that differ by the same index.
  Places commonWith(const Neighbours &others) const {
    const std::int64_t ahead = std::int64_t{others.first[position]} - first[position];
    const std::int64_t all = static_cast<std::int64_t>(count);
    const std::int64_t end = ahead + static_cast<std::int64_t>(others.count);
    return {static_cast<std::size_t>(std::clamp<std::int64_t>(ahead, 0, all)),
            static_cast<std::size_t>(std::clamp<std::int64_t>(end, 0, all))};
  }

  bool overlaps(const Neighbours &others) const {
    return base == others.base &&
           (find(others.first) || others.find(first) ||
            (position != others.position && first.count() == others.first.count()));
  }
};

/// Data fragments that are made together. None of them has an entry, and it is known how often each
/// of them will be read.
struct Row : Neighbours {
  std::int32_t statement = -1;     ///< That makes them.
  char letter = '\0';              ///< How the value is theirs: `TUTTI_LUNA_MERGE_BULK` and so on.
  Value value;                     ///< Of all of them, once it is there.
  Call *maker = nullptr;           ///< Until then.
  std::vector<Call *> readers;     ///< That have asked for some of it, and wait for something.
  std::vector<std::int32_t> sizes; ///< Units of each.
  std::vector<std::int32_t> uses;  ///< How often each of them will still be read.
  std::int64_t left = 0;           ///< Of these, all together.
  std::uint64_t live = 0;          ///< As which it is counted.
  std::uint64_t liveBytes = 0;
};

/// A merged call of all iterations of a loop, of which none has come to life.
struct RowCall {
  struct Input : Neighbours {
    std::size_t argument = 0;
    Row *row = nullptr;           ///< That has those without an entry.
    std::vector<Entry *> entries; ///< One for each, or null.
    std::vector<Value> slabs;     ///< What is read, in its order.
  };

  struct Output : Neighbours {
    char letter = '\0';
    Row *row = nullptr; ///< Null if they have entries.
  };

  std::vector<std::int32_t> sizes; ///< Units of each iteration.
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<Neighbours> deletes; ///< Of what is read, behind the call.
};

} // namespace tutti::model::fragments
