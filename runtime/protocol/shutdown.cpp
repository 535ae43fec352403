// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/shutdown.h"

namespace tutti::protocol {

Shutdown::Shutdown(Mail &mail) : mail_(mail) {
  mail_.on(kShutdown, [this](transport::Control &message, Reader &) {
    mail_.passDown(message.bytes);
    hasCome_ = true;
  });
}

} // namespace tutti::protocol
