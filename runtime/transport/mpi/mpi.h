// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Entry to the MPI transport. Nothing outside runtime/transport/mpi includes <mpi.h>.
///
/// The transport is a library of its own, opened at run time, so that a program starts without MPI
/// and one build of the rest serves every MPI.
#pragma once

#include "base/result.h"
#include "runtime/transport/transport.h"

#include <memory>
#include <string>

namespace tutti::transport::mpi {

/// Opens `library`, initialises MPI unless the program has, and joins the job. The library stays
/// loaded. An empty `library` means libtutti_transport_mpi.so beside the code that calls, or
/// wherever the dynamic linker finds it.
///
/// Order:  collective over the job.
/// Errors: DriverMissing    the library, or the MPI library it needs, cannot be loaded.
///         NotSupported     this MPI does not provide MPI_THREAD_MULTIPLE. On rank 0 only, which
///         has
///                          to end: other ranks do not return.
///         TransportFailed  an MPI call failed.
/// Source: MPI_Init_thread, MPI_Comm_dup.
Result<std::unique_ptr<Endpoint>> open(const std::string &library = {});

} // namespace tutti::transport::mpi
