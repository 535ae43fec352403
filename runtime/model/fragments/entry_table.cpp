// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/entry_table.h"

#include <algorithm>
#include <utility>

namespace tutti::model::fragments {

namespace {

constexpr std::size_t kFirstBuckets = 1024;

} // namespace

std::uint64_t EntryTable::hashOf(const Base &base, const Tuple &tuple) {
  constexpr std::uint64_t kOdd = 0xff51afd7ed558ccdULL;
  const std::uint64_t hash = (reinterpret_cast<std::uint64_t>(&base) ^ tuple.hash()) * kOdd;
  return hash ^ (hash >> 32);
}

void EntryTable::grow() {
  std::vector<Entry *> before(std::max(kFirstBuckets, buckets_.size() * 2));
  before.swap(buckets_);
  for (Entry *first : before) {
    while (first) {
      Entry *entry = std::exchange(first, first->nextInBucket);
      Entry *&bucket = buckets_[entry->hash & (buckets_.size() - 1)];
      entry->nextInBucket = std::exchange(bucket, entry);
    }
  }
}

Entry *EntryTable::find(const Base &base, const Tuple &tuple, std::uint64_t hash) const {
  Entry *entry = size_ > 0 ? buckets_[hash & (buckets_.size() - 1)] : nullptr;
  while (entry && !(entry->hash == hash && entry->base == &base && entry->tuple == tuple)) {
    entry = entry->nextInBucket;
  }
  return entry;
}

Entry &EntryTable::add(Base &base, const Tuple &tuple, std::uint64_t hash) {
  Entry *entry = pool_.make();
  entry->base = &base;
  entry->tuple = tuple;
  entry->hash = hash;
  entry->nextInBase = std::exchange(base.first, entry);
  if (entry->nextInBase) {
    entry->nextInBase->previousInBase = entry;
  }
  if (tuple.count() == 0) {
    base.plain = entry;
    return *entry;
  }
  if (++size_ > buckets_.size()) {
    grow();
  }
  Entry *&bucket = buckets_[hash & (buckets_.size() - 1)];
  entry->nextInBucket = std::exchange(bucket, entry);
  return *entry;
}

void EntryTable::remove(Entry &entry) {
  Base &base = *entry.base;
  (entry.previousInBase ? entry.previousInBase->nextInBase : base.first) = entry.nextInBase;
  if (entry.nextInBase) {
    entry.nextInBase->previousInBase = entry.previousInBase;
  }
  if (base.plain == &entry) {
    base.plain = nullptr;
  } else {
    Entry **place = &buckets_[entry.hash & (buckets_.size() - 1)];
    while (*place != &entry) {
      place = &(*place)->nextInBucket;
    }
    *place = entry.nextInBucket;
    --size_;
  }
  pool_.free(&entry);
}

} // namespace tutti::model::fragments
