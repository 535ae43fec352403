// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What ranks say to each other: values for readers and homes, and deletions. What goes to one rank
/// goes together.
#include "base/check.h"
#include "base/format.h"
#include "runtime/model/fragments/state.h"
#include "runtime/model/fragments/wire.h"

#include <algorithm>
#include <utility>

namespace tutti::model::fragments {

void State::send(std::int32_t to, std::uint8_t kind, const Entry &entry, const Value &value,
                 std::int32_t statement) {
  if (const Buffer *buffer = value.buffer(); buffer && buffer->destroy) {
    failAt(program_.at(entry.producer >= 0 ? entry.producer : statement),
           fmt::format("the value of '{}' is an object, which cannot go to another rank",
                       nameOf(entry)),
           "E-TYPE");
    return;
  }
  Writer writer(outgoing_[static_cast<std::size_t>(to)]);
  writer.add(kind);
  writer.add(entry.base->frame->id);
  writer.add(entry.base->here);
  writer.add(statement);
  writer.add(static_cast<std::uint32_t>(entry.tuple.count()));
  for (std::size_t at = 0; at < entry.tuple.count(); ++at) {
    writer.add(entry.tuple[at]);
  }
  writer.addValue(value);
  hasOutgoing_ = true;
}

void State::sendOfRope(std::int32_t to, std::uint8_t kind, const Rope &rope, const Value &value) {
  Writer writer(outgoing_[static_cast<std::size_t>(to)]);
  writer.add(kind);
  writer.add(rope.frame->id);
  writer.add(std::int32_t{-1});
  writer.add(rope.loop);
  writer.add(std::uint32_t{0});
  writer.addValue(value);
  hasOutgoing_ = true;
}

void State::push(Entry &entry, std::int32_t to) {
  ++counts_.pushes;
  counts_.pushedBytes += entry.value.size();
  entry.holders.push_back(to);
  send(to, kPush, entry, entry.value, -1);
}

/// All ranks ask for it, as this one does.
void State::pushToAll(Entry &entry) {
  if (settings_.ranks == 1) {
    return;
  }
  entry.isForAll = true;
  if (!entry.value.isSet()) {
    return;
  }
  for (std::int32_t rank = 0; rank < settings_.ranks; ++rank) {
    if (rank != settings_.rank && std::ranges::find(entry.holders, rank) == entry.holders.end()) {
      push(entry, rank);
    }
  }
}

/// Whether the reader came too late only its rank can say: what was made there it had all along.
void State::tellGone(const Entry &entry, std::int32_t rank, std::int32_t statement) {
  send(rank, kGone, entry, Value(), statement);
}

void State::tellOver(const FrameId &scope) {
  for (std::int32_t rank = 0; rank < settings_.ranks; ++rank) {
    if (rank != settings_.rank) {
      Writer writer(outgoing_[static_cast<std::size_t>(rank)]);
      writer.add(std::uint8_t{kOver});
      writer.add(scope);
      hasOutgoing_ = true;
    }
  }
}

std::vector<std::byte> State::takeOutgoing(std::int32_t rank) {
  std::vector<std::byte> bytes = std::exchange(outgoing_[static_cast<std::size_t>(rank)], {});
  hasOutgoing_ = std::ranges::any_of(outgoing_, [](const auto &of) { return !of.empty(); });
  return bytes;
}

void State::receive(std::int32_t from, std::span<const std::byte> bytes) {
  Reader reader(bytes);
  while (!reader.isAtEnd() && !failure_) {
    const auto kind = reader.take<std::uint8_t>();
    const auto id = reader.take<FrameId>();
    if (kind == kFreeze) {
      freezeHere();
      continue;
    }
    if (kind == kOver) {
      if (const auto scope = scopes_.find(id); scope != scopes_.end()) {
        arrive(*scope->second);
      } else {
        ++earlyOver_[id];
      }
      continue;
    }
    Letter letter{kind, reader.take<std::int32_t>(), {}, {}, reader.take<std::int32_t>(), from};
    const auto count = reader.take<std::uint32_t>();
    for (std::uint32_t at = 0; at < count; ++at) {
      letter.tuple.add(reader.take<std::int32_t>());
    }
    letter.value = reader.takeValue();
    const auto frame = frames_.find(id);
    if (frame != frames_.end()) {
      handle(*frame->second, std::move(letter));
    } else if (const auto early = early_.find(id);
               early != early_.end() || (kind != kDrop && kind != kCut)) {
      // What is of use only to a frame that is gone; all else is for one that is still to come.
      (early != early_.end() ? early->second : early_[id]).push_back(std::move(letter));
    }
  }
}

/// Hands over what came before the frame did.
void State::replay(Frame &frame) {
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

void State::handle(Frame &frame, Letter letter) {
  retain(&frame); // Whoever is woken may have been the last to use it.
  if (letter.kind == kRound || letter.kind == kCut) {
    Rope &rope = ropeOf(frame, letter.statement);
    if (letter.kind == kRound) {
      --frame.expected;
      hearRound(rope, letter.value);
    } else {
      hearCut(rope, letter.value);
    }
    release(&frame);
    return;
  }
  Base &base = *frame.slots[static_cast<std::size_t>(letter.slot)].own;
  Entry &entry = *lookUp(base, letter.tuple);
  switch (letter.kind) {
  case kPush:
    if (!entry.value.isSet() && (!entry.isDeleted || outlives(entry))) {
      keep(entry, std::move(letter.value));
      ++entry.users; // Who is woken may be the last to ask.
      wake(entry);
      --entry.users;
      exhaust(entry);
      tryBury(entry);
    }
    break;
  case kAssign:
    entry.home = settings_.rank;
    --frame.expected;
    assign(entry, std::move(letter.value), letter.statement, letter.from);
    break;
  case kDelete:
    entry.home = settings_.rank;
    --frame.expected;
    std::erase(entry.holders, letter.from);
    deleteAtHome(entry, letter.statement);
    break;
  default:
    drop(entry, letter.statement);
  }
  release(&frame);
}

/// Its home says that it is deleted.
void State::drop(Entry &entry, std::int32_t statement) {
  if (entry.waitingReaders > 0 || !entry.waiters.empty()) {
    failAt(program_.at(statement),
           fmt::format("data fragment '{}' is requested after its deletion (by {})", nameOf(entry),
                       whoIs(statement)),
           "E-DEL");
    return;
  }
  forget(entry);
  entry.isAssigned = true;
  entry.isDeleted = true;
  tryBury(entry);
}

} // namespace tutti::model::fragments
