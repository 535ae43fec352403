// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/graves.h"

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

void Graves::add(const Tuple &tuple, Stone stone) {
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

std::optional<Graves::Stone> Graves::find(const Tuple &tuple) const {
  if (blocks_.empty() && full_.empty()) {
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
  return size;
}

} // namespace tutti::model::fragments
