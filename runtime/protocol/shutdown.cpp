// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/shutdown.h"

#include "runtime/exec/tree.h"

namespace tutti::protocol {

Shutdown::Shutdown(exec::Engine &engine, Mail &mail)
    : engine_(engine), mail_(mail),
      awaited_(1 + exec::treeChildren(engine.rank(), engine.size()).size()) {
  mail_.on(kShutdown, [this](transport::Control &message, Reader &) TUTTI_IN_TURN {
    mail_.passDown(message.bytes);
    hasCome_ = true;
  });
  mail_.on(kReady, [this](transport::Control &, Reader &) TUTTI_IN_TURN {
    --awaited_;
    tellIfAllAre();
  });
  mail_.on(kOver, [this](transport::Control &message, Reader &) TUTTI_IN_TURN {
    mail_.passDown(message.bytes);
    isOver_ = true;
  });
}

void Shutdown::awaitOthers(exec::Progress::Lock &lock) {
  if (!engine_.topology.hasDevices()) {
    return; // Hosts are not lost without their ranks.
  }
  --awaited_;
  tellIfAllAre();
  engine_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return isOver_; });
}

/// Of this rank and its subtrees.
void Shutdown::tellIfAllAre() {
  if (awaited_ > 0) {
    return;
  }
  if (engine_.rank() != 0) {
    mail_.send(exec::treeParent(engine_.rank()), Writer(kReady).bytes());
    return;
  }
  mail_.passDown(Writer(kOver).bytes());
  isOver_ = true;
}

} // namespace tutti::protocol
