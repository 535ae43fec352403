// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/shutdown.h"

namespace tutti::protocol {

Shutdown::Shutdown(Mail &mail) : mail_(mail) {
  mail_.on(kShutdown, [this](transport::Control &message, Reader &) TUTTI_IN_TURN {
    mail_.passDown(message.bytes);
    hasCome_ = true;
  });
}

} // namespace tutti::protocol
