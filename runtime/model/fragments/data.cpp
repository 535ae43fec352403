// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Data fragments: found by name, assigned once, gone when advice or the end of their scope says
/// so.
#include "base/format.h"
#include "runtime/model/fragments/state.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tutti::model::fragments {

namespace {

constexpr std::size_t kFirstBuckets = 1024;

std::uint64_t hashOf(const Base &base, const Tuple &tuple) {
  constexpr std::uint64_t kOdd = 0xff51afd7ed558ccdULL;
  const std::uint64_t hash = (reinterpret_cast<std::uint64_t>(&base) ^ tuple.hash()) * kOdd;
  return hash ^ (hash >> 32);
}

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

void State::grow() {
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

/// Null if there is none. `hash`: of the name.
Entry *State::find(const Base &base, const Tuple &tuple, std::uint64_t hash) const {
  Entry *entry = entries_ > 0 ? buckets_[hash & (buckets_.size() - 1)] : nullptr;
  while (entry && !(entry->hash == hash && entry->base == &base && entry->tuple == tuple)) {
    entry = entry->nextInBucket;
  }
  return entry;
}

Entry *State::lookUp(Base &base, const Tuple &tuple) {
  const bool isPlain = tuple.count() == 0;
  const std::uint64_t hash = isPlain ? 0 : hashOf(base, tuple);
  if (isPlain && base.plain) {
    return base.plain;
  }
  if (!isPlain) {
    if (Entry *entry = find(base, tuple, hash)) {
      return entry;
    }
    if (Row *row = base.rows.find(tuple)) {
      spread(*row);
      if (Entry *entry = find(base, tuple, hash)) { // Else it is buried, as nobody reads it.
        return entry;
      }
    }
  }
  Entry *entry = entryPool_.make();
  entry->base = &base;
  entry->tuple = tuple;
  entry->hash = hash;
  entry->home = settings_.ranks == 1 ? 0 : -1;
  if (const std::optional<Graves::Stone> stone = base.graves.find(tuple)) {
    entry->isAssigned = true;
    entry->isDeleted = true;
    entry->producer = stone->producer;
    entry->limit = stone->limit;
    entry->requests = static_cast<std::uint32_t>(std::max(stone->limit, 0));
  }
  entry->nextInBase = std::exchange(base.first, entry);
  if (entry->nextInBase) {
    entry->nextInBase->previousInBase = entry;
  }
  if (isPlain) {
    base.plain = entry;
    return entry;
  }
  if (++entries_ > buckets_.size()) {
    grow();
  }
  Entry *&bucket = buckets_[hash & (buckets_.size() - 1)];
  entry->nextInBucket = std::exchange(bucket, entry);
  return entry;
}

bool State::hasEntry(const Base &base, const Tuple &tuple) const {
  return find(base, tuple, hashOf(base, tuple)) != nullptr;
}

void State::remove(Entry &entry) {
  erase(entry);
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
    --entries_;
  }
  entryPool_.free(&entry);
}

void State::use(Entry *&place, Entry *entry) {
  place = entry;
  ++entry->users;
}

void State::unuse(Entry *&place) {
  if (Entry *entry = std::exchange(place, nullptr)) {
    --entry->users;
    tryBury(*entry);
  }
}

/// What is over leaves a bit behind, so that a second assignment is still found.
void State::tryBury(Entry &entry) {
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

/// The value is here from now on.
void State::keep(Entry &entry, Value value) {
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

void State::erase(Entry &entry) {
  if (entry.value.isSet()) {
    --counts_.live;
    counts_.liveBytes -= entry.value.size();
    entry.value = Value();
  }
}

/// It is deleted.
void State::forget(Entry &entry) {
  if (!outlives(entry)) {
    erase(entry);
  }
}

void State::wake(Entry &entry) {
  const auto waiters = std::move(entry.waiters);
  for (Waiter *waiter : waiters) {
    if (--waiter->missing > 0) {
      if (isHolding()) {
        demand(*waiter);
      }
      continue;
    }
    if (waiter->isCall) {
      advance(*static_cast<Call *>(waiter));
    } else {
      unlink(*waiter);
      stack_.push_back(static_cast<Activity *>(waiter));
    }
  }
}

/// A value for a data fragment that is at home here, made by `statement` on rank `from`.
void State::assign(Entry &entry, Value value, std::int32_t statement, std::int32_t from) {
  if (entry.isAssigned) {
    failAt(program_.at(statement),
           fmt::format("data fragment '{}' is assigned twice (by {} and by {})", nameOf(entry),
                       entry.producer < 0 ? "another fragment" : whoIs(entry.producer),
                       whoIs(statement)),
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
    push(entry, rank);
  }
  if (entry.isForAll) {
    pushToAll(entry);
  }
  ++entry.users; // Who is woken may delete it.
  wake(entry);
  --entry.users;
  exhaust(entry);
  tryBury(entry);
}

bool State::countRequest(Entry &entry, std::int32_t statement, bool isByAll) {
  ++entry.requests;
  if (entry.limit >= 0 && entry.requests > static_cast<std::uint32_t>(entry.limit)) {
    failAt(program_.at(statement),
           fmt::format("'{}' was requested {} times, req_count says {}", nameOf(entry),
                       entry.requests, entry.limit),
           "E-COUNT");
    return false;
  }
  if (entry.isDeleted && !(isByAll && outlives(entry))) {
    failAt(program_.at(statement),
           fmt::format("data fragment '{}' is requested after its deletion (by {})", nameOf(entry),
                       whoIs(statement)),
           "E-DEL");
    return false;
  }
  return true;
}

/// The call does not wait for the number, which may follow from what the call makes. What a rule
/// asks for is none of the requests: mostly its call asks for the same, as an index, say.
void State::startLimit(std::int32_t statement, std::int32_t rule, Frame *frame) {
  Activity *activity = activities_.make();
  activity->statement = statement;
  activity->rule = rule;
  activity->frame = retain(frame);
  stack_.push_back(activity);
  stepLimit(*activity); // Before the call asks for what the rule asks for, too.
}

/// What a rule asks for is there as long as it waits for something else.
void State::guard(const Activity &activity, const Ask &ask) {
  std::vector<Entry *> &entries = guarded_[&activity];
  entries.insert(entries.end(), ask.read.begin(), ask.read.end());
  entries.insert(entries.end(), ask.missing.begin(), ask.missing.end());
  for (Entry *entry : entries) {
    ++entry->users;
    ++entry->rules;
  }
}

void State::unguard(const std::vector<Entry *> &guarded) {
  for (Entry *entry : guarded) {
    --entry->users;
    --entry->rules;
  }
  const std::set<Entry *> each(guarded.begin(), guarded.end());
  for (Entry *entry : each) {
    exhaust(*entry);
    tryBury(*entry);
  }
}

void State::stepLimit(Activity &activity) {
  const auto found = guarded_.extract(&activity);
  const std::vector<Entry *> guarded = found ? std::move(found.mapped()) : std::vector<Entry *>();
  const bool isOver = takeLimit(activity);
  unguard(guarded); // Its frame may be the last thing that keeps them.
  if (isOver) {
    endActivity(activity);
  }
}

/// Whether the rule has been obeyed.
bool State::takeLimit(Activity &activity) {
  const tutti_luna_rule &rule = program_.unit().rules[activity.rule];
  Ask ask{activity.statement, true};
  std::int32_t limit = 0;
  Entry *entry = resolve(rule.id, activity.frame, ask);
  const bool isKnown = evaluateInt(rule.value, activity.frame, ask, limit);
  if (!entry || !isKnown) {
    guard(activity, ask);
    suspend(activity, ask);
    return false;
  }
  if (!entry->isDeleted && (isHome(*entry) || program_.areCountedByAll(entry->base->slot))) {
    entry->limit = std::max(limit, 0);
    if (isHome(*entry) && entry->requests > static_cast<std::uint32_t>(entry->limit)) {
      failAt(program_.at(activity.statement),
             fmt::format("'{}' was requested {} times, req_count says {}", nameOf(*entry),
                         entry->requests, entry->limit),
             "E-COUNT");
      return false;
    }
    exhaust(*entry);
    tryBury(*entry);
  }
  return true;
}

std::int32_t State::usesOf(Entry &entry) {
  if (entry.uses == Entry::kNotCounted) {
    const Uses *uses = program_.usesOf(entry.base->slot);
    entry.uses = uses ? entry.base->uses.count(program_, *uses, entry.base->frame, entry.tuple)
                      : Entry::kUnknown;
  }
  return entry.uses;
}

void State::noteRequest(Entry &entry) {
  if (usesOf(entry) != Entry::kUnknown || program_.areCountedByAll(entry.base->slot)) {
    ++entry.requests;
    exhaust(entry);
    tryBury(entry);
  }
}

/// All that `req_count` lets ask have asked, or as many as loops say will: it is deleted, on each
/// rank once that has seen the last reader.
void State::exhaust(Entry &entry) {
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

/// A call on another rank reads a data fragment: if that is at home here, it is sent.
void State::want(Entry &entry, std::int32_t rank, std::int32_t statement) {
  if (!isHome(entry)) {
    noteRequest(entry);
    return;
  }
  if (entry.isDeleted && entry.limit < 0) {
    tellGone(entry, rank, statement);
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
    push(entry, rank);
    exhaust(entry);
  } else {
    entry.wanting.push_back(rank);
  }
  tryBury(entry);
}

Frame *State::retain(Frame *frame) {
  ++frame->references;
  return frame;
}

void State::release(Frame *frame) {
  if (--frame->references > 0 || frame->expected > 0) {
    return;
  }
  // Names lead from frame to frame as deep as a program recurs.
  std::vector<Frame *> open;
  releaseOne(frame, open);
  while (!open.empty()) {
    Frame *next = open.back();
    open.pop_back();
    releaseOne(next, open);
  }
}

void State::releaseOne(Frame *frame, std::vector<Frame *> &open) {
  const auto giveBack = [&open](Frame *other) {
    if (--other->references == 0 && other->expected <= 0) {
      open.push_back(other);
    }
  };
  for (std::int32_t at = 0; at < frame->block->slotCount; ++at) {
    Slot &slot = frame->slots[static_cast<std::size_t>(at)];
    while (slot.own && slot.own->first) {
      remove(*slot.own->first);
    }
    for (const Row *row = nullptr; slot.own && (row = slot.own->rows.any());) {
      forgetRow(*row);
    }
    if (slot.name) {
      giveBack(slot.name->base->frame);
    }
  }
  forgetRopes(*frame);
  if (frame->parent) {
    giveBack(frame->parent);
  }
  if (settings_.ranks > 1) {
    frames_.erase(frame->id);
  }
  (frame->before ? frame->before->behind : firstFrame_) = frame->behind;
  if (frame->behind) {
    frame->behind->before = frame->before;
  }
  framePool_.free(frame);
}

Frame *State::makeFrame(Frame *parent, std::int32_t index, const FrameId &id,
                        std::shared_ptr<const Chain> chain) {
  const tutti_luna_block &block = program_.unit().blocks[index];
  if (block.slotCount == 0 && parent) {
    return retain(parent);
  }
  Frame *frame = framePool_.make();
  frame->behind = std::exchange(firstFrame_, frame);
  if (frame->behind) {
    frame->behind->before = frame;
  }
  frame->parent = parent ? retain(parent) : nullptr;
  frame->block = &block;
  frame->id = id;
  frame->slots.make(static_cast<std::size_t>(block.slotCount));
  frame->chain = std::move(chain);
  for (std::int32_t at = block.firstData; at < block.slotCount; ++at) {
    frame->slots[static_cast<std::size_t>(at)].own = std::make_unique<Base>(
        Base{frame, block.firstSlot + at, at, nullptr, nullptr, {}, {}, {}, {}, {}});
  }
  return frame;
}

void State::deleteData(Entry &entry, std::int32_t statement) {
  if (isHome(entry)) {
    deleteAtHome(entry, statement);
    return;
  }
  send(entry.home, kDelete, entry, Value(), statement);
  forget(entry);
  entry.isAssigned = true;
  entry.isDeleted = true;
  tryBury(entry);
}

void State::deleteAtHome(Entry &entry, std::int32_t statement) {
  if (entry.isDeleted) {
    return;
  }
  if (entry.waitingReaders > 0 || !entry.wanting.empty()) {
    std::int32_t reader = -1;
    for (Waiter *waiter = all_.behind; waiter != &all_ && reader < 0; waiter = waiter->behind) {
      if (waiter->isCall) {
        for (const Argument &argument : static_cast<Call *>(waiter)->arguments) {
          reader = argument.entry == &entry ? waiter->statement : reader;
        }
      }
    }
    failAt(program_.at(reader < 0 ? statement : reader),
           fmt::format("data fragment '{}' is requested after its deletion (by {})", nameOf(entry),
                       reader < 0 ? "a fragment of another rank" : whoIs(reader)),
           "E-DEL");
    return;
  }
  for (const std::int32_t rank : entry.holders) {
    send(rank, kDrop, entry, Value(), statement);
  }
  if (!outlives(entry)) {
    entry.holders.clear();
  }
  forget(entry);
  entry.isDeleted = true;
  tryBury(entry);
}

} // namespace tutti::model::fragments
