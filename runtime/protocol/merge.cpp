// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/merge.h"

#include "base/check.h"

#include <utility>

namespace tutti::protocol {

std::vector<std::byte> encodeChanges(Sequence sequence, bool isLast,
                                     std::span<const std::byte> bytes) {
  return Writer(kChanges).add(sequence).add(std::uint32_t{isLast}).addBytes(bytes).bytes();
}

Changes decodeChanges(Reader &reader) {
  Changes changes{reader.take<Sequence>(), reader.take<std::uint32_t>(), {}};
  changes.bytes.assign(reader.rest().begin(), reader.rest().end());
  return changes;
}

Merges::Merges(exec::Engine &engine, Mail &mail) : engine_(engine), mail_(mail) {
  mail_.on(kChanges, [this](transport::Control &, Reader &reader)
                         TUTTI_IN_TURN { arrived_.push_back(decodeChanges(reader)); });
}

void Merges::send(Sequence sequence, bool isLast, std::span<const std::byte> bytes) {
  engine_.counters.mergeBytes += bytes.size();
  ++engine_.counters.mergeMessages;
  mail_.sendResult(0, encodeChanges(sequence, isLast, bytes));
}

Changes Merges::await(Progress::Lock &lock, Sequence sequence) {
  engine_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return !arrived_.empty(); });
  Changes changes = std::move(arrived_.front());
  arrived_.pop_front();
  TUTTI_CHECK(changes.sequence == sequence, "merge launch {} with changes of launch {}", sequence,
              changes.sequence);
  return changes;
}

} // namespace tutti::protocol
