// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/partial.h"

namespace tutti::protocol {

Partials::Partials(exec::Engine &engine, Mail &mail) : engine_(engine), mail_(mail) {
  mail_.on(kPartial, [this](transport::Control &message, Reader &reader) TUTTI_IN_TURN {
    const auto sequence = reader.take<Sequence>();
    arrived[{sequence, message.from}].assign(reader.rest().begin(), reader.rest().end());
  });
}

void Partials::send(Rank to, Sequence sequence, std::span<const std::byte> bytes) {
  engine_.counters.reductionBytes += bytes.size();
  ++engine_.counters.reductionMessages;
  mail_.sendResult(to, Writer(kPartial).add(sequence).addBytes(bytes).bytes());
}

} // namespace tutti::protocol
