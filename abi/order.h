// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What compiled code and runtime agree on for loops whose iterations may count on their order, in
/// addition to abi/abi.h.
#pragma once

#include "abi/abi.h"

/// A flag of regions: no iteration uses what another one has left in private variables. In a
/// program with one thread, which may count on that, only what iterations touch in memory can keep
/// such a region home.
#define TUTTI_REGION_FORGETS 4096
