// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The one function that libtutti_transport_mpi.so exports, and its name.
#pragma once

#include "base/result.h"
#include "runtime/transport/transport.h"

#include <memory>

namespace tutti::transport::mpi {

inline constexpr const char *kLibrary = "libtutti_transport_mpi.so";
inline constexpr const char *kEntry = "tutti_open_transport_mpi";

using Opened = Result<std::unique_ptr<Endpoint>>;
using Entry = void (*)(Opened *result) noexcept;

} // namespace tutti::transport::mpi

/// Assigns the outcome of opening the transport to `*result`.
extern "C" [[gnu::visibility("default")]] void
tutti_open_transport_mpi(tutti::transport::mpi::Opened *result) noexcept;
