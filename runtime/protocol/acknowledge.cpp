// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/acknowledge.h"

#include "runtime/exec/tree.h"

#include <algorithm>

namespace tutti::protocol {

namespace {

/// Every so many launches a rank tells its parent.
constexpr Sequence kEvery = 32;

} // namespace

Acknowledgements::Acknowledgements(exec::Engine &engine, Mail &mail)
    : engine_(engine), mail_(mail) {
  for (const Rank child : exec::treeChildren(engine.rank(), engine.size())) {
    byChild_[child] = 0;
  }
  mail_.on(kAcknowledge, [this](transport::Control &message, Reader &reader) TUTTI_IN_TURN {
    byChild_[message.from] = reader.take<Sequence>();
    acknowledge();
  });
}

void Acknowledgements::finish(Sequence sequence) {
  engine_.finished = sequence;
  if (sequence % kEvery == 0) {
    acknowledge();
  }
}

void Acknowledgements::acknowledge() {
  Sequence all = engine_.finished - engine_.finished % kEvery;
  for (const auto &[child, sequence] : byChild_) {
    all = std::min(all, sequence);
  }
  if (all <= bySubtree_) {
    return;
  }
  bySubtree_ = all;
  if (engine_.rank() != 0) {
    mail_.send(exec::treeParent(engine_.rank()), Writer(kAcknowledge).add(all).bytes());
  }
}

} // namespace tutti::protocol
