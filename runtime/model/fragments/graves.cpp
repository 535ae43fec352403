// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/graves.h"

#include <algorithm>

namespace tutti::model::fragments {

namespace {

constexpr std::uint32_t kBits = 6;
constexpr std::uint64_t kFull = ~std::uint64_t{0};

std::int32_t blockOf(const Tuple &tuple) { return tuple.count() == 0 ? 0 : tuple[0] >> kBits; }

std::uint64_t bitOf(const Tuple &tuple) {
  const auto at = tuple.count() == 0 ? 0u : static_cast<std::uint32_t>(tuple[0]) & 63u;
  return std::uint64_t{1} << at;
}

Tuple keyOf(const Tuple &tuple) {
  Tuple key = tuple;
  if (key.count() > 0) {
    key.set(0, blockOf(tuple));
  }
  return key;
}

Tuple othersOf(const Tuple &tuple) {
  Tuple others;
  for (std::size_t at = 1; at < tuple.count(); ++at) {
    others.add(tuple[at]);
  }
  return others;
}

} // namespace

/// What has another number of indices, or too many, makes everything possible.
void Graves::extend(const Tuple &tuple) {
  const std::int32_t block = blockOf(tuple);
  const std::size_t count = tuple.count();
  const bool isFirst = !latest_.isKnown && blocks_.empty() && full_.empty();
  if (!isFirst && (!latest_.isKnown || count != latest_.count || block < latest_.block)) {
    latest_.isKnown = latest_.isKnown && count == latest_.count;
    return;
  }
  const bool isNew = isFirst || block > latest_.block;
  latest_.isKnown = count > 0 && count <= Latest::kMost;
  latest_.block = block;
  latest_.count = count;
  for (std::size_t at = 0; at < count && latest_.isKnown; ++at) {
    latest_.low[at] = isNew ? tuple[at] : std::min(latest_.low[at], tuple[at]);
    latest_.high[at] = isNew ? tuple[at] : std::max(latest_.high[at], tuple[at]);
  }
}

bool Graves::isBeyond(const Tuple &tuple) const {
  if (!latest_.isKnown || tuple.count() != latest_.count) {
    return false;
  }
  const std::int32_t block = blockOf(tuple);
  return block > latest_.block || (block == latest_.block && tuple[0] > latest_.high[0]);
}

bool Graves::mayHave(const Tuple &first, std::size_t position, std::size_t count) const {
  const std::int64_t last = std::int64_t{first[position]} + static_cast<std::int64_t>(count) - 1;
  const auto reaches = [&](std::int32_t low, std::int32_t high) {
    return first[position] <= high && last >= low;
  };
  const bool hasAny = !blocks_.empty() || !full_.empty();
  if (hasAny && (!latest_.isKnown || first.count() != latest_.count || position == 0)) {
    return true;
  }
  bool isInside = hasAny && blockOf(first) == latest_.block;
  for (std::size_t at = 0; at < first.count() && isInside; ++at) {
    isInside = at == position ? reaches(latest_.low[at], latest_.high[at])
                              : first[at] >= latest_.low[at] && first[at] <= latest_.high[at];
  }
  return isInside || (hasAny && blockOf(first) < latest_.block) ||
         std::ranges::any_of(rows_, [&](const Rows &rows) {
           if (rows.position != position) {
             return true;
           }
           Tuple key = first;
           key.set(position, rows.first);
           return reaches(rows.first, rows.last) && rows.graves->find(key).has_value();
         });
}

void Graves::add(const Tuple &tuple, Stone stone) {
  extend(tuple);
  const auto [at, isNew] = blocks_.try_emplace(keyOf(tuple));
  Block &block = at->second;
  if (isNew && findRun(tuple)) {
    blocks_.erase(at);
    return;
  }
  if ((block.bits & bitOf(tuple)) != 0) {
    return;
  }
  if (isNew) {
    block.stone = stone;
  }
  block.stone.producer = block.stone.producer == stone.producer ? stone.producer : -1;
  block.stone.limit = block.stone.limit == stone.limit ? stone.limit : -1;
  block.bits |= bitOf(tuple);
  if (block.bits == kFull) {
    addRun(full_[othersOf(tuple)], blockOf(tuple), block.stone);
    blocks_.erase(at);
  }
}

void Graves::addRun(Runs &runs, std::int32_t block, Stone stone) {
  auto at = runs.emplace(block, Run{block, stone}).first;
  if (at != runs.begin()) {
    const auto before = std::prev(at);
    if (before->second.last == block - 1 && before->second.stone == stone) {
      before->second.last = block;
      runs.erase(at);
      at = before;
    }
  }
  const auto behind = std::next(at);
  if (behind != runs.end() && behind->first == block + 1 && behind->second.stone == stone) {
    at->second.last = behind->second.last;
    runs.erase(behind);
  }
}

void Graves::addRow(const Tuple &tuple, std::size_t position, std::size_t count, Stone stone) {
  const std::int32_t first = tuple[position];
  const std::int32_t last = first + static_cast<std::int32_t>(count) - 1;
  auto rows = std::ranges::find_if(rows_, [&](const Rows &each) {
    return each.position == position && each.first == first && each.last == last;
  });
  if (rows == rows_.end()) {
    rows = rows_.insert(rows, Rows{position, first, last, std::make_unique<Graves>()});
  }
  rows->graves->add(tuple, stone);
}

std::optional<Graves::Stone> Graves::find(const Tuple &tuple) const {
  for (const Rows &rows : rows_) {
    if (rows.position < tuple.count() && tuple[rows.position] >= rows.first &&
        tuple[rows.position] <= rows.last) {
      Tuple first = tuple;
      first.set(rows.position, rows.first);
      if (const std::optional<Stone> stone = rows.graves->find(first)) {
        return stone;
      }
    }
  }
  if ((blocks_.empty() && full_.empty()) || isBeyond(tuple)) {
    return std::nullopt;
  }
  if (const auto block = blocks_.find(keyOf(tuple)); block != blocks_.end()) {
    return (block->second.bits & bitOf(tuple)) != 0 ? std::optional(block->second.stone)
                                                    : std::nullopt;
  }
  return findRun(tuple);
}

std::optional<Graves::Stone> Graves::findRun(const Tuple &tuple) const {
  if (full_.empty()) {
    return std::nullopt;
  }
  const auto runs = full_.find(othersOf(tuple));
  if (runs == full_.end()) {
    return std::nullopt;
  }
  auto run = runs->second.upper_bound(blockOf(tuple));
  if (run == runs->second.begin()) {
    return std::nullopt;
  }
  --run;
  return run->second.last >= blockOf(tuple) ? std::optional(run->second.stone) : std::nullopt;
}

std::size_t Graves::size() const {
  std::size_t size = blocks_.size();
  for (const auto &[others, runs] : full_) {
    size += runs.size();
  }
  for (const Rows &rows : rows_) {
    size += rows.graves->size();
  }
  return size;
}

} // namespace tutti::model::fragments
