// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Iterations of a loop on the cores of rank 0, as sequential code between launches.
#pragma once

#include "abi/abi.h"
#include "runtime/balance/cut.h"

#include <cstdint>

namespace tutti::exec {

/// Executes a chunk of a loop that has `total` iterations; what it reduces is added to its
/// variables.
void runAlone(const tutti_region &region, const std::uint64_t *captures,
              const balance::Chunk &chunk, std::int64_t total);

} // namespace tutti::exec
