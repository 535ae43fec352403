// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/output.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace tutti::protocol {

namespace {

/// Bytes of text in one message.
constexpr std::size_t kMost = std::size_t{4} << 20;

} // namespace

Outputs::Outputs(exec::Engine &engine, Mail &mail) : engine_(engine), mail_(mail) {
  mail_.on(kOutput, [this](transport::Control &message, Reader &reader) TUTTI_IN_TURN {
    Arrived &arrived = arrived_[{reader.take<Sequence>(), message.from}];
    arrived.isComplete = reader.take<std::uint32_t>() != 0;
    const bool hasStatus = reader.take<std::uint32_t>() != 0;
    const auto status = reader.take<std::int32_t>();
    if (hasStatus) {
      arrived.printed.status = status;
    }
    std::vector<std::byte> &text = arrived.printed.text;
    text.insert(text.end(), reader.rest().begin(), reader.rest().end());
  });
}

void Outputs::send(Sequence sequence, const Printed &printed) {
  std::span<const std::byte> rest = printed.text;
  bool isLast = false;
  while (!isLast) {
    const auto piece = rest.first(std::min(rest.size(), kMost));
    rest = rest.subspan(piece.size());
    isLast = rest.empty();
    mail_.sendResult(0, Writer(kOutput)
                            .add(sequence)
                            .add(std::uint32_t{isLast})
                            .add(std::uint32_t{printed.status.has_value()})
                            .add(printed.status.value_or(0))
                            .addBytes(piece)
                            .bytes());
  }
}

Printed Outputs::await(Progress::Lock &lock, Sequence sequence, Rank from) {
  const std::pair key{sequence, from};
  engine_.progress.waitUntil(lock, [&]() TUTTI_IN_TURN {
    const auto found = arrived_.find(key);
    return found != arrived_.end() && found->second.isComplete;
  });
  return std::move(arrived_.extract(key).mapped().printed);
}

} // namespace tutti::protocol
