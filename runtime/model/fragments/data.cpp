// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Data fragments: found by name, assigned once, gone when advice or the end of their scope says
/// so.
#include "runtime/model/fragments/data.h"

#include "base/format.h"
#include "runtime/model/fragments/failures.h"
#include "runtime/model/fragments/outbox.h"
#include "runtime/model/fragments/rows.h"
#include "runtime/model/fragments/waiters.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace tutti::model::fragments {

namespace {

/// Nothing is known of it that its name does not say.
bool isBlank(const Entry &entry) {
  return !entry.value.isSet() && !entry.isAssigned && !entry.isDeleted && !entry.isForAll &&
         entry.users == 0 && entry.waitingReaders == 0 && entry.requests == 0 && entry.limit < 0 &&
         entry.waiters.empty() && entry.wanting.empty() && entry.holders.empty();
}

/// As many have asked for it as `req_count` lets ask.
bool isUsedUp(const Entry &entry) {
  return entry.limit >= 0 && std::cmp_greater_equal(entry.requests, entry.limit);
}

} // namespace

void Data::produce(Entry &entry, Value value, std::int32_t statement) {
  if (isHome(entry)) {
    assign(entry, std::move(value), statement, settings_.rank);
    return;
  }
  ++counts_.made;
  outbox_.send(entry.home, kAssign, entry, value, statement);
  if (!entry.isDeleted || outlives(entry)) {
    keep(entry, std::move(value));
    waiters_.wake(entry);
    exhaust(entry);
  }
}

Entry *Data::lookUp(Base &base, const Tuple &tuple) {
  const bool isPlain = tuple.count() == 0;
  const std::uint64_t hash = isPlain ? 0 : EntryTable::hashOf(base, tuple);
  if (isPlain && base.plain) {
    return base.plain;
  }
  if (!isPlain) {
    if (Entry *entry = table_.find(base, tuple, hash)) {
      return entry;
    }
    if (Row *row = base.rows.find(tuple)) {
      rows_.spread(*row);
      if (Entry *entry = table_.find(base, tuple, hash)) { // Else it is buried: nobody reads it.
        return entry;
      }
    }
  }
  Entry *entry = &table_.add(base, tuple, hash);
  entry->home = settings_.ranks == 1 ? 0 : -1;
  if (const std::optional<Graves::Stone> stone = base.graves.find(tuple)) {
    entry->isAssigned = true;
    entry->isDeleted = true;
    entry->producer = stone->producer;
    entry->limit = stone->limit;
    entry->requests = static_cast<std::uint32_t>(std::max(stone->limit, 0));
  }
  return entry;
}

void Data::remove(Entry &entry) {
  erase(entry);
  table_.remove(entry);
}

void Data::tryBury(Entry &entry) {
  if (isBlank(entry) && !isHome(entry)) {
    remove(entry);
    return;
  }
  if (!entry.isAssigned || !entry.isDeleted || entry.users > 0 || !entry.waiters.empty() ||
      entry.value.isSet()) {
    return;
  }
  entry.base->graves.add(entry.tuple, {entry.producer, isUsedUp(entry) ? entry.limit : -1});
  remove(entry);
}

void Data::keep(Entry &entry, Value value) {
  if (!entry.value.isSet()) {
    ++counts_.live;
    counts_.liveBytes += value.size();
    counts_.peak = std::max(counts_.peak, counts_.live);
    counts_.peakBytes = std::max(counts_.peakBytes, counts_.liveBytes);
  }
  entry.value = std::move(value);
  if (Base &base = *entry.base; base.plain == &entry) {
    base.hasValue = true;
    if (entry.value.kind() == Kind::Int) {
      base.number = entry.value.integer();
    }
  }
}

void Data::erase(Entry &entry) {
  if (entry.value.isSet()) {
    --counts_.live;
    counts_.liveBytes -= entry.value.size();
    entry.value = Value();
  }
}

/// It is deleted.
void Data::forget(Entry &entry) {
  if (!outlives(entry)) {
    erase(entry);
  }
}

void Data::assign(Entry &entry, Value value, std::int32_t statement, std::int32_t from) {
  if (entry.isAssigned) {
    failures_.failAt(
        program_.at(statement),
        fmt::format("data fragment '{}' is assigned twice (by {} and by {})",
                    failures_.nameOf(entry),
                    entry.producer < 0 ? "another fragment" : failures_.whoIs(entry.producer),
                    failures_.whoIs(statement)),
        "E-TWICE");
    return;
  }
  ++counts_.made;
  entry.isAssigned = true;
  entry.producer = statement;
  if (entry.isDeleted && !outlives(entry)) {
    tryBury(entry);
    return;
  }
  keep(entry, std::move(value));
  if (from != settings_.rank) {
    entry.holders.push_back(from);
    std::erase(entry.wanting, from);
  }
  for (const std::int32_t rank : std::exchange(entry.wanting, {})) {
    outbox_.push(entry, rank);
  }
  if (entry.isForAll) {
    outbox_.pushToAll(entry);
  }
  ++entry.users; // Who is woken may delete it.
  waiters_.wake(entry);
  --entry.users;
  exhaust(entry);
  tryBury(entry);
}

bool Data::countRequest(Entry &entry, std::int32_t statement, bool isByAll) {
  ++entry.requests;
  if (entry.limit >= 0 && entry.requests > static_cast<std::uint32_t>(entry.limit)) {
    failures_.failAt(program_.at(statement),
                     fmt::format("'{}' was requested {} times, req_count says {}",
                                 failures_.nameOf(entry), entry.requests, entry.limit),
                     "E-COUNT");
    return false;
  }
  if (entry.isDeleted && !(isByAll && outlives(entry))) {
    failures_.failAt(program_.at(statement),
                     fmt::format("data fragment '{}' is requested after its deletion (by {})",
                                 failures_.nameOf(entry), failures_.whoIs(statement)),
                     "E-DEL");
    return false;
  }
  return true;
}

std::int32_t Data::usesOf(Entry &entry) {
  if (entry.uses == Entry::kNotCounted) {
    const Uses *uses = program_.usesOf(entry.base->slot);
    entry.uses = uses ? entry.base->uses.count(program_, *uses, entry.base->frame, entry.tuple)
                      : Entry::kUnknown;
  }
  return entry.uses;
}

void Data::noteRequest(Entry &entry) {
  if (usesOf(entry) != Entry::kUnknown || program_.areCountedByAll(entry.base->slot)) {
    ++entry.requests;
    exhaust(entry);
    tryBury(entry);
  }
}

void Data::exhaust(Entry &entry) {
  if ((entry.isDeleted && !entry.value.isSet()) || entry.waitingReaders > 0 ||
      !entry.wanting.empty() || !entry.waiters.empty()) {
    return;
  }
  const bool isThere = isHome(entry) ? entry.isAssigned
                                     : entry.value.isSet() || entry.requests > 0 || isUsedUp(entry);
  const bool isOver = usesOf(entry) >= 0 ? std::cmp_equal(entry.requests, entry.uses)
                                         : isUsedUp(entry) && entry.rules == 0;
  if (isThere && isOver) {
    erase(entry);
    entry.holders.clear();
    entry.isAssigned = true;
    entry.isDeleted = true;
  }
}

void Data::want(Entry &entry, std::int32_t rank, std::int32_t statement) {
  if (!isHome(entry)) {
    noteRequest(entry);
    return;
  }
  if (entry.isDeleted && entry.limit < 0) {
    outbox_.tellGone(entry, rank, statement);
    tryBury(entry);
    return;
  }
  if (!countRequest(entry, statement)) {
    return;
  }
  if (std::ranges::find(entry.holders, rank) != entry.holders.end() ||
      std::ranges::find(entry.wanting, rank) != entry.wanting.end()) {
    exhaust(entry);
  } else if (entry.value.isSet()) {
    outbox_.push(entry, rank);
    exhaust(entry);
  } else {
    entry.wanting.push_back(rank);
  }
  tryBury(entry);
}

void Data::deleteData(Entry &entry, std::int32_t statement) {
  if (isHome(entry)) {
    deleteAtHome(entry, statement);
    return;
  }
  outbox_.send(entry.home, kDelete, entry, Value(), statement);
  forget(entry);
  entry.isAssigned = true;
  entry.isDeleted = true;
  tryBury(entry);
}

void Data::deleteAtHome(Entry &entry, std::int32_t statement) {
  if (entry.isDeleted) {
    return;
  }
  if (entry.waitingReaders > 0 || !entry.wanting.empty()) {
    std::int32_t reader = -1;
    waiters_.forEach([&](const Waiter &waiter) {
      if (waiter.isCall && reader < 0) {
        for (const Argument &argument : static_cast<const Call &>(waiter).arguments) {
          reader = argument.entry == &entry ? waiter.statement : reader;
        }
      }
    });
    failures_.failAt(
        program_.at(reader < 0 ? statement : reader),
        fmt::format("data fragment '{}' is requested after its deletion (by {})",
                    failures_.nameOf(entry),
                    reader < 0 ? "a fragment of another rank" : failures_.whoIs(reader)),
        "E-DEL");
    return;
  }
  for (const std::int32_t rank : entry.holders) {
    outbox_.send(rank, kDrop, entry, Value(), statement);
  }
  if (!outlives(entry)) {
    entry.holders.clear();
  }
  forget(entry);
  entry.isDeleted = true;
  tryBury(entry);
}

bool Data::settle(Ask &ask) {
  for (Entry *entry : ask.read) {
    if (!isHome(*entry)) {
      noteRequest(*entry);
      continue;
    }
    if (!countRequest(*entry, ask.statement, ask.isShared)) {
      return false;
    }
    exhaust(*entry);
    tryBury(*entry);
  }
  ask.read.clear();
  return true;
}

void Data::drop(Entry &entry, std::int32_t statement) {
  if (entry.waitingReaders > 0 || !entry.waiters.empty()) {
    failures_.failAt(program_.at(statement),
                     fmt::format("data fragment '{}' is requested after its deletion (by {})",
                                 failures_.nameOf(entry), failures_.whoIs(statement)),
                     "E-DEL");
    return;
  }
  forget(entry);
  entry.isAssigned = true;
  entry.isDeleted = true;
  tryBury(entry);
}

} // namespace tutti::model::fragments
