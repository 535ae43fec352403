// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/mail.h"

#include "base/check.h"
#include "runtime/exec/or_die.h"
#include "runtime/exec/tree.h"

#include <utility>

namespace tutti::protocol {

using exec::orDie;

Mail::Mail(exec::Engine &engine) : engine_(engine) {
  // To other ranks than the first anything may come at any time.
  engine_.serve(
      {[this]() TUTTI_IN_TURN { return deliver(); }, [this] { return engine_.rank() != 0; }});
}

void Mail::on(Kind kind, Handler handler) {
  const bool isNew = handlers_.emplace(kind, std::move(handler)).second;
  TUTTI_CHECK(isNew, "have one protocol only take messages of kind \"{}\"", kind.name());
}

std::vector<Kind> Mail::kinds() const {
  std::vector<Kind> kinds;
  for (const auto &[kind, handler] : handlers_) {
    kinds.push_back(kind);
  }
  return kinds;
}

void Mail::send(Rank to, std::span<const std::byte> bytes) {
  ++engine_.counters.controlMessages;
  sendResult(to, bytes);
}

void Mail::sendResult(Rank to, std::span<const std::byte> bytes) {
  orDie(engine_.endpoint.sendControl(to, bytes));
}

void Mail::passDown(std::span<const std::byte> bytes) {
  // The largest subtree first.
  const std::vector<Rank> children = exec::treeChildren(engine_.rank(), engine_.size());
  for (auto child = children.rbegin(); child != children.rend(); ++child) {
    send(*child, bytes);
  }
}

bool Mail::deliver() {
  orDie(engine_.endpoint.pollControl(arrived_));
  const bool moved = !arrived_.empty();
  for (transport::Control &message : arrived_) {
    Reader reader(message.bytes);
    const auto kind = reader.take<Kind>();
    const auto handler = handlers_.find(kind);
    TUTTI_CHECK(handler != handlers_.end(),
                "understand a control message of rank {}: no protocol takes kind \"{}\"",
                message.from, kind.name());
    handler->second(message, reader);
  }
  arrived_.clear();
  return moved;
}

} // namespace tutti::protocol
