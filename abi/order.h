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

/// A flag of regions: the program gives the loop's iterations out in pieces of a length that it
/// names, each of which one thread executes in order. What stays within a piece may count on that.
/// Asked for no iterations, `accesses` reports how long pieces are: a record without flags whose
/// object is TUTTI_PIECE, with the number of iterations in place of an address.
#define TUTTI_REGION_PIECES 8192
#define TUTTI_PIECE 1

/// In place of a number of iterations: as `omp_get_schedule` says, and: not known.
#define TUTTI_PIECE_CHOSEN (-1)
#define TUTTI_PIECE_UNKNOWN INT64_MAX
