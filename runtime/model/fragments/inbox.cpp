// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/inbox.h"

#include "runtime/model/fragments/data.h"
#include "runtime/model/fragments/failures.h"
#include "runtime/model/fragments/frames.h"
#include "runtime/model/fragments/ropes.h"
#include "runtime/model/fragments/scopes.h"
#include "runtime/model/fragments/waiters.h"
#include "runtime/model/fragments/wire.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

void Inbox::receive(std::int32_t from, std::span<const std::byte> bytes) {
  Reader reader(bytes);
  while (!reader.isAtEnd() && !failures_.hasFailed()) {
    const auto kind = reader.take<std::uint8_t>();
    const auto id = reader.take<FrameId>();
    if (kind == kFreeze) {
      ropes_.freezeHere();
      continue;
    }
    if (kind == kOver) {
      scopes_.hearOver(id);
      continue;
    }
    Letter letter{kind, reader.take<std::int32_t>(), {}, {}, reader.take<std::int32_t>(), from};
    const auto count = reader.take<std::uint32_t>();
    for (std::uint32_t at = 0; at < count; ++at) {
      letter.tuple.add(reader.take<std::int32_t>());
    }
    letter.value = reader.takeValue();
    const auto frame = byId_.find(id);
    if (frame != byId_.end()) {
      handle(*frame->second, std::move(letter));
    } else if (const auto early = early_.find(id);
               early != early_.end() || (kind != kDrop && kind != kCut)) {
      // What is of use only to a frame that is gone; all else is for one that is still to come.
      (early != early_.end() ? early->second : early_[id]).push_back(std::move(letter));
    }
  }
}

void Inbox::announce(Frame &frame) {
  byId_.emplace(frame.id, &frame);
  const auto early = early_.find(frame.id);
  if (early == early_.end()) {
    return;
  }
  std::vector<Letter> letters = std::move(early->second);
  early_.erase(early);
  for (Letter &letter : letters) {
    handle(frame, std::move(letter));
  }
}

void Inbox::handle(Frame &frame, Letter letter) {
  Frames::retain(&frame); // Whoever is woken may have been the last to use it.
  if (letter.kind == kRound || letter.kind == kCut) {
    Rope &rope = ropes_.ropeOf(frame, letter.statement);
    if (letter.kind == kRound) {
      --frame.expected;
      ropes_.hearRound(rope, letter.value);
    } else {
      ropes_.hearCut(rope, letter.value);
    }
    frames_.release(&frame);
    return;
  }
  Base &base = *frame.slots[static_cast<std::size_t>(letter.slot)].own;
  Entry &entry = *data_.lookUp(base, letter.tuple);
  switch (letter.kind) {
  case kPush:
    if (!entry.value.isSet() && (!entry.isDeleted || data_.outlives(entry))) {
      data_.keep(entry, std::move(letter.value));
      ++entry.users; // Who is woken may be the last to ask.
      waiters_.wake(entry);
      --entry.users;
      data_.exhaust(entry);
      data_.tryBury(entry);
    }
    break;
  case kAssign:
    entry.home = settings_.rank;
    --frame.expected;
    data_.assign(entry, std::move(letter.value), letter.statement, letter.from);
    break;
  case kDelete:
    entry.home = settings_.rank;
    --frame.expected;
    std::erase(entry.holders, letter.from);
    data_.deleteAtHome(entry, letter.statement);
    break;
  default:
    data_.drop(entry, letter.statement);
  }
  frames_.release(&frame);
}

} // namespace tutti::model::fragments
