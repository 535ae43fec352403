// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a rank's planner knows of itself and of the job, and never changes.
#pragma once

#include "runtime/exec/rooms.h"
#include "runtime/memory/topology.h"
#include "runtime/memory/window.h"
#include "runtime/transport/transport.h"

namespace tutti::exec {

/// Ownership: borrows window and rooms.
struct Site {
  transport::Rank self;
  memory::Topology topology;
  const memory::Window &window;
  const Rooms &rooms;
};

} // namespace tutti::exec
