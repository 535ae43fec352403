// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/luna_portions.h"

#include "runtime/exec/or_die.h"
#include "runtime/exec/rooms.h"

#include <algorithm>
#include <utility>

namespace tutti::entry::luna {

std::shared_ptr<Portion> Portions::oldest() {
  const ScopedLock lock(mutex_);
  return underway_.empty() ? nullptr : underway_.front();
}

void Portions::makeRoom(std::uint64_t bytes, std::uint64_t most) {
  // The device holds more than what is dragged through.
  const auto isRoom = [&] {
    const ScopedLock lock(mutex_);
    return underway_.empty() ||
           (underway_.size() < exec::kPortionsAtOnce && placeBytes_ + bytes <= most / 2);
  };
  while (!isRoom()) {
    if (const std::shared_ptr<Portion> first = oldest()) {
      await(first);
    }
  }
}

std::shared_ptr<Portion> Portions::inTheWay() {
  const ScopedLock lock(mutex_);
  return underway_.size() < exec::kPortionsAtOnce ? nullptr : underway_.front();
}

void Portions::add(std::shared_ptr<Portion> portion) {
  const ScopedLock lock(mutex_);
  placeBytes_ += portion->placeBytes;
  underway_.push_back(std::move(portion));
}

std::shared_ptr<Portion> Portions::writerOf(Range bytes) {
  const ScopedLock lock(mutex_);
  const auto writes = [&](const std::shared_ptr<Portion> &portion) {
    return std::ranges::any_of(portion->made,
                               [&](const Range &range) { return range.overlaps(bytes); });
  };
  const auto found = std::ranges::find_if(underway_, writes);
  return found == underway_.end() ? nullptr : *found;
}

void Portions::await(const std::shared_ptr<Portion> &portion) {
  exec::orDie(owner_.await(*portion->event));
  remove(portion);
}

void Portions::remove(const std::shared_ptr<Portion> &portion) {
  std::vector<model::fragments::Value> kept;
  std::vector<std::byte *> places;
  {
    const ScopedLock lock(mutex_);
    const auto found = std::ranges::find(underway_, portion);
    if (found == underway_.end()) {
      return; // Somebody else has waited, too.
    }
    underway_.erase(found);
    placeBytes_ -= portion->placeBytes;
    kept = std::move(portion->kept);
    places = std::move(portion->places);
  }
  std::ranges::for_each(places, owner_.free);
}

void Portions::end() {
  while (const std::shared_ptr<Portion> first = oldest()) {
    owner_.await(*first->event).ignore("nobody needs what it makes any more");
    remove(first);
  }
}

} // namespace tutti::entry::luna
