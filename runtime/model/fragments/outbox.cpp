// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/outbox.h"

#include "base/format.h"
#include "runtime/model/fragments/failures.h"
#include "runtime/model/fragments/wire.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

void Outbox::send(std::int32_t to, std::uint8_t kind, const Entry &entry, const Value &value,
                  std::int32_t statement) {
  if (const Buffer *buffer = value.buffer(); buffer && buffer->destroy) {
    failures_.failAt(program_.at(entry.producer >= 0 ? entry.producer : statement),
                     fmt::format("the value of '{}' is an object, which cannot go to another rank",
                                 failures_.nameOf(entry)),
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

void Outbox::sendOfRope(std::int32_t to, std::uint8_t kind, const Rope &rope, const Value &value) {
  Writer writer(outgoing_[static_cast<std::size_t>(to)]);
  writer.add(kind);
  writer.add(rope.frame->id);
  writer.add(std::int32_t{-1});
  writer.add(rope.loop);
  writer.add(std::uint32_t{0});
  writer.addValue(value);
  hasOutgoing_ = true;
}

void Outbox::push(Entry &entry, std::int32_t to) {
  ++counts_.pushes;
  counts_.pushedBytes += entry.value.size();
  entry.holders.push_back(to);
  send(to, kPush, entry, entry.value, -1);
}

void Outbox::pushToAll(Entry &entry) {
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

void Outbox::tellGone(const Entry &entry, std::int32_t rank, std::int32_t statement) {
  send(rank, kGone, entry, Value(), statement);
}

void Outbox::tellOver(const FrameId &scope) {
  for (std::int32_t rank = 0; rank < settings_.ranks; ++rank) {
    if (rank != settings_.rank) {
      Writer writer(outgoing_[static_cast<std::size_t>(rank)]);
      writer.add(std::uint8_t{kOver});
      writer.add(scope);
      hasOutgoing_ = true;
    }
  }
}

void Outbox::tellFrozen() {
  for (std::int32_t rank = 1; rank < settings_.ranks; ++rank) {
    Writer writer(outgoing_[static_cast<std::size_t>(rank)]);
    writer.add(std::uint8_t{kFreeze});
    writer.add(FrameId());
    hasOutgoing_ = true;
  }
}

std::vector<std::byte> Outbox::takeOutgoing(std::int32_t rank) {
  std::vector<std::byte> bytes = std::exchange(outgoing_[static_cast<std::size_t>(rank)], {});
  hasOutgoing_ = std::ranges::any_of(outgoing_, [](const auto &of) { return !of.empty(); });
  return bytes;
}

} // namespace tutti::model::fragments
