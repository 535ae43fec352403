// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// MPI return codes as `Status`.
#pragma once

#include "base/result.h"

#include <mpi.h>

#include <source_location>
#include <string>

namespace tutti::transport::mpi {

/// Errors: SizeMismatch, OutOfMemory or InvalidArgument where MPI says so, else TransportFailed.
Status statusOf(int code, const char *call,
                std::source_location where = std::source_location::current());

} // namespace tutti::transport::mpi
