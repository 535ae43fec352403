// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/spmd/one_sided.h"

#include "base/check.h"
#include "base/hash.h"
#include "runtime/model/spmd/descriptors.h"
#include "runtime/model/spmd/packing.h"
#include "runtime/model/spmd/sections.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

namespace tutti::model::spmd {

namespace {

using distribution::Assignment;
using distribution::Box;
using distribution::Delivery;

enum class Kind : Index { Get, Put, Data, Done, Refused };

Index identityOf(const distribution::ArrayMap &map) {
  std::vector<Index> words;
  map.describe(words);
  return static_cast<Index>(Hash().add(std::as_bytes(std::span(words))).value());
}

Bytes messageOf(const std::vector<Index> &words, std::span<const std::byte> rest) {
  Bytes message(sizeof(Index) * (words.size() + 1) + rest.size());
  const auto count = static_cast<Index>(words.size());
  std::memcpy(message.data(), &count, sizeof count);
  std::memcpy(message.data() + sizeof count, words.data(), sizeof(Index) * words.size());
  if (!rest.empty()) {
    std::memcpy(message.data() + sizeof(Index) * (words.size() + 1), rest.data(), rest.size());
  }
  return message;
}

void fillFrom(const Box &box, std::byte *memory, std::size_t elementBytes,
              std::span<const std::byte> bytes, bool fills) {
  if (!fills) {
    unpack(box, memory, elementBytes, bytes.data());
    return;
  }
  Bytes all(static_cast<std::size_t>(box.elements()) * elementBytes);
  for (std::size_t at = 0; at < all.size(); at += elementBytes) {
    std::memcpy(all.data() + at, bytes.data(), elementBytes);
  }
  unpack(box, memory, elementBytes, all.data());
}

Bytes packed(const Box &box, const std::byte *memory, std::size_t elementBytes) {
  Bytes bytes(static_cast<std::size_t>(box.elements()) * elementBytes);
  pack(box, memory, elementBytes, bytes.data());
  return bytes;
}

} // namespace

/// A message taken apart.
struct OneSided::Words {
  std::vector<Index> words;
  std::span<const std::byte> rest;
  std::size_t next = 0;

  static Words of(std::span<const std::byte> message) {
    Index count = 0;
    TUTTI_CHECK(message.size() >= sizeof count);
    std::memcpy(&count, message.data(), sizeof count);
    message = message.subspan(sizeof count);
    Words result;
    result.words.resize(static_cast<std::size_t>(count));
    const std::size_t bytes = sizeof(Index) * result.words.size();
    TUTTI_CHECK(message.size() >= bytes);
    std::memcpy(result.words.data(), message.data(), bytes);
    result.rest = message.subspan(bytes);
    return result;
  }

  Index take() {
    TUTTI_CHECK(next < words.size());
    return words[next++];
  }

  Box takeBox() { return Box::read(words, next); }
};

/// Requests that have been sent, until all are answered.
class OneSided::Pending final : public Operation {
public:
  Pending(OneSided &owner, std::byte *target, std::size_t elementBytes)
      : owner_(owner), target_(target), elementBytes_(elementBytes) {}

  ~Pending() override {
    for (const auto &[id, delivery] : waiting_) {
      owner_.pending_.erase(id);
    }
  }

  Index expect(Delivery delivery) {
    const Index id = ++owner_.lastRequest_;
    owner_.pending_[id] = this;
    waiting_.emplace(id, std::move(delivery));
    return id;
  }

  void write(const Delivery &delivery, std::span<const std::byte> bytes) {
    fillFrom(delivery.target, target_, elementBytes_, bytes, delivery.fills);
  }

  /// The data that was asked for, or nothing for what was put.
  void take(Index id, std::span<const std::byte> bytes) {
    const auto found = waiting_.find(id);
    if (!bytes.empty()) {
      write(found->second, bytes);
    }
    waiting_.erase(found);
  }

  void fail(Index id, std::string message) {
    failure_ = std::move(message);
    waiting_.erase(id);
  }

  Result<bool> advance() override {
    TUTTI_TRY(owner_.serve());
    if (!failure_.empty()) {
      return failure(ErrorCode::InvalidArgument, "{}", failure_);
    }
    return waiting_.empty();
  }

private:
  OneSided &owner_;
  std::byte *target_;
  std::size_t elementBytes_;
  std::map<Index, Delivery> waiting_;
  std::string failure_;
};

void OneSided::add(Array &array) {
  array.number = arraysMade_++;
  arrays_[array.number] = &array;
}

void OneSided::remove(const Array &array) { arrays_.erase(array.number); }

Result<std::unique_ptr<Operation>> OneSided::get(const Operand &left, const Operand &right) {
  const Assignment assignment{left.side(), right.side(), world_.executing(),
                              right.map.nodes().ranks()};
  TUTTI_TRY(checkAssignment(assignment));
  std::vector<Delivery> deliveries;
  TUTTI_ASSIGN(deliveries, deliveriesTo(assignment, world_.me()));
  auto pending = std::make_unique<Pending>(*this, left.base, left.elementBytes);
  // What is here is read before anything arrives.
  std::vector<Bytes> own;
  for (const Delivery &delivery : deliveries) {
    own.push_back(delivery.from == world_.me()
                      ? packed(delivery.source, right.base, right.elementBytes)
                      : Bytes());
  }
  const Index identity = identityOf(right.map);
  for (std::size_t i = 0; i < deliveries.size(); ++i) {
    Delivery &delivery = deliveries[i];
    if (delivery.from == world_.me()) {
      pending->write(delivery, own[i]);
      continue;
    }
    const Node from = delivery.from;
    const Box source = delivery.source;
    const Index id = pending->expect(std::move(delivery));
    std::vector<Index> words{static_cast<Index>(Kind::Get), id, right.number, identity,
                             static_cast<Index>(right.elementBytes)};
    source.write(words);
    TUTTI_TRY(world_.endpoint().sendControl(from, messageOf(words, {})));
  }
  return std::unique_ptr<Operation>(std::move(pending));
}

Result<std::unique_ptr<Operation>> OneSided::put(const Operand &left, const Operand &right) {
  const Assignment assignment{left.side(), right.side(), left.map.nodes().ranks(),
                              world_.executing()};
  TUTTI_TRY(checkAssignment(assignment));
  auto pending = std::make_unique<Pending>(*this, left.base, left.elementBytes);
  const Index identity = identityOf(left.map);
  std::vector<std::pair<Delivery, Bytes>> own;
  for (const Node reader : assignment.readers) {
    std::vector<Delivery> deliveries;
    TUTTI_ASSIGN(deliveries, deliveriesTo(assignment, reader));
    for (Delivery &delivery : deliveries) {
      if (delivery.from != world_.me()) {
        continue;
      }
      Bytes bytes = packed(delivery.source, right.base, right.elementBytes);
      if (reader == world_.me()) {
        own.emplace_back(std::move(delivery), std::move(bytes));
        continue;
      }
      std::vector<Index> words{static_cast<Index>(Kind::Put),
                               0,
                               left.number,
                               identity,
                               static_cast<Index>(left.elementBytes),
                               delivery.fills ? 1 : 0};
      delivery.target.write(words);
      words[1] = pending->expect(std::move(delivery));
      ++world_.counters().gmoveMessages;
      world_.counters().gmoveBytes += bytes.size();
      TUTTI_TRY(world_.endpoint().sendControl(reader, messageOf(words, bytes)));
    }
  }
  for (const auto &[delivery, bytes] : own) {
    pending->write(delivery, bytes);
  }
  return std::unique_ptr<Operation>(std::move(pending));
}

Status OneSided::serve() {
  TUTTI_TRY(world_.endpoint().pollControl(arrived_));
  for (const transport::Control &message : std::exchange(arrived_, {})) {
    TUTTI_TRY(answer(message));
  }
  return {};
}

Status OneSided::answer(const transport::Control &message) {
  Words words = Words::of(message.bytes);
  switch (static_cast<Kind>(words.words.at(0))) {
  case Kind::Get:
    return answerGet(message.from, std::move(words));
  case Kind::Put:
    return answerPut(message.from, std::move(words));
  default:
    return takeReply(std::move(words));
  }
}

Result<Array *> OneSided::find(Index number, Index identity, Index elementBytes) {
  const auto found = arrays_.find(number);
  if (found == arrays_.end() || !found->second->map || !found->second->coordinates ||
      identityOf(*found->second->map) != identity ||
      static_cast<Index>(found->second->elementBytes) != elementBytes) {
    return failure(ErrorCode::InvalidArgument,
                   "node {} has not made the same array in the same order", world_.me());
  }
  return found->second;
}

Status OneSided::refuse(Node to, Index id, const Error &error) {
  return world_.endpoint().sendControl(to, messageOf({static_cast<Index>(Kind::Refused), id},
                                                     std::as_bytes(std::span(error.message))));
}

Status OneSided::answerGet(Node from, Words words) {
  words.take();
  const Index id = words.take();
  const Index number = words.take();
  const Index identity = words.take();
  const auto array = find(number, identity, words.take());
  if (!array) {
    return refuse(from, id, array.error());
  }
  const Bytes bytes = packed(words.takeBox(), (*array)->base(), (*array)->elementBytes);
  ++world_.counters().gmoveMessages;
  world_.counters().gmoveBytes += bytes.size();
  return world_.endpoint().sendControl(from,
                                       messageOf({static_cast<Index>(Kind::Data), id}, bytes));
}

Status OneSided::answerPut(Node from, Words words) {
  words.take();
  const Index id = words.take();
  const Index number = words.take();
  const Index identity = words.take();
  const auto array = find(number, identity, words.take());
  if (!array) {
    return refuse(from, id, array.error());
  }
  const bool fills = words.take() != 0;
  fillFrom(words.takeBox(), (*array)->base(), (*array)->elementBytes, words.rest, fills);
  return world_.endpoint().sendControl(from, messageOf({static_cast<Index>(Kind::Done), id}, {}));
}

Status OneSided::takeReply(Words words) {
  const auto kind = static_cast<Kind>(words.take());
  const Index id = words.take();
  const auto found = pending_.find(id);
  TUTTI_CHECK(found != pending_.end(), "a reply to request {}, which nobody waits for", id);
  Pending &pending = *found->second;
  pending_.erase(found);
  if (kind == Kind::Refused) {
    pending.fail(id, {reinterpret_cast<const char *>(words.rest.data()), words.rest.size()});
  } else {
    pending.take(id, words.rest);
  }
  return {};
}

} // namespace tutti::model::spmd
