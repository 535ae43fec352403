// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which devices of different ranks of a host can copy from one another: tried out at the start,
/// because what drivers say of containers and machines does not always hold.
#pragma once

#include "base/result.h"
#include "runtime/entry/agreement.h"
#include "runtime/exec/devices.h"
#include "runtime/memory/topology.h"
#include "runtime/memory/window.h"
#include "runtime/protocol/loans.h"
#include "runtime/transport/transport.h"

#include <vector>

namespace tutti::entry {

struct JobRoutes {
  std::vector<memory::DeviceRoute> routes; ///< The same on every rank.
  protocol::HandleRoutes handles;
};

/// Where something does not work there is no route, without a word. Collective.
///
/// Shape:  `rooms` in the order of places.
/// Order:  nothing has been committed on `own`, the devices of this rank.
/// Errors: those of the endpoint.
/// Cost:   none unless two ranks of one host have devices that share memory; then some milliseconds
///         for each.
Result<JobRoutes> findRoutes(transport::Endpoint &endpoint, const std::vector<Hello> &hellos,
                             const memory::Topology &topology, const std::vector<exec::Room> &rooms,
                             const memory::Window &window,
                             const std::vector<exec::OpenDevice> &own);

} // namespace tutti::entry
