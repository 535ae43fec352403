// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Values of every rank, on every rank.
#pragma once

#include "runtime/transport/transport.h"

#include <cstring>
#include <type_traits>

namespace tutti::transport {

/// `own` of every rank, in the order of ranks; equally many of each. Sent as they are. Collective,
/// blocking. Errors: those of `Endpoint::allGather`.
template <typename T> Result<std::vector<T>> gather(Endpoint &endpoint, std::span<const T> own) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::byte> bytes;
  TUTTI_ASSIGN(bytes, endpoint.allGather(std::as_bytes(own)));
  std::vector<T> all(bytes.size() / sizeof(T));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

/// One value of each rank.
template <typename T> Result<std::vector<T>> gather(Endpoint &endpoint, const T &own) {
  return gather(endpoint, std::span<const T>(&own, 1));
}

} // namespace tutti::transport
