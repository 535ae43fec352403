// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/announcer.h"

namespace tutti::model::forkjoin {

void Announcer::announce(Launch &launch, SequentialView &view) {
  launch.sequence = ++latest_;
  launch.events = view.takeEvents(latest_);
  if (job_.size() > 1) {
    job_.announcements.send(launch);
  }
}

} // namespace tutti::model::forkjoin
