// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the ranks tell each other at start: that they are the same program, how large the window
/// may be, and who shares which cores.
#pragma once

#include "base/result.h"
#include "runtime/transport/transport.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tutti::entry {

/// One rank's words; sent as they are.
struct Hello {
  std::uint64_t abiVersion;
  std::uint64_t regions;
  std::uint64_t addresses;
  std::uint64_t executable;
  std::uint64_t host;
  std::uint64_t heapBytes;
  std::uint64_t stackBytes;
  std::array<std::uint64_t, 16> cores; ///< The process's affinity mask.
  std::uint64_t prefetches; ///< Whether bytes are sent before they are asked for; rank 0's counts.

  /// This process's; sizes as wanted here.
  static Hello ofThisProcess(std::uint64_t heapBytes, bool prefetches = true);
};

/// This rank's words for everybody's. Collective.
Result<std::vector<Hello>> exchange(transport::Endpoint &endpoint, const Hello &own);

/// Errors: WrongImage  some ranks differ from rank 0; the same on every rank, and names them.
Status checkAgreement(const std::vector<Hello> &hellos);

/// Cores of its host that fall to `rank`, where ranks share each core evenly.
double coresOf(const std::vector<Hello> &hellos, transport::Rank rank);

/// A rank among those of its host, and how many these are.
struct HostPlace {
  std::int32_t local;
  std::int32_t locals;
};

HostPlace placeOnHost(const std::vector<Hello> &hellos, transport::Rank rank);

} // namespace tutti::entry
