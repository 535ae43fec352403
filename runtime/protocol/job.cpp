// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/job.h"

#include "runtime/exec/or_die.h"

#include <utility>

namespace tutti::protocol {

Job::Job(JobSetup setup)
    : Engine({setup.endpoint, setup.window, std::move(setup.topology), std::move(setup.rooms),
              std::move(setup.devices), setup.isCrowded, setup.keepsTime, setup.pace}),
      loans(*this, mail, std::move(setup.handles)) {}

bool Job::isIdle() {
  return streams.isIdle() && loans.isIdle() && loans.areReturned() && exec::orDie(devices.isIdle());
}

} // namespace tutti::protocol
