// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a process finds on its host: cores, devices, MPI, and its place in the job.
#pragma once

#include "base/result.h"
#include "runtime/device/device.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tutti::tools {

/// The place of this process, as its launcher says; that of a process alone if there is none.
struct Place {
  std::int64_t rank = 0;
  std::int64_t ranks = 1;
  std::int64_t local = 0;  ///< Among the ranks of this host.
  std::int64_t locals = 1; ///< Ranks of this host.
};

struct Cores {
  int packages = 0;
  int cores = 0;
  int threads = 0;
  int usable = 0;           ///< Threads that this process may run on.
  std::uint64_t memory = 0; ///< Bytes of the host.
};

/// The devices of one backend, or why they cannot be told.
struct Backend {
  std::string name;
  std::vector<device::Info> devices;
  std::string problem;
  /// See device::Listing.
  std::function<bool(std::span<const std::string> known)> mayAddGpus = {};
};

struct Mpi {
  bool isThere = false;
  std::string text; ///< The library's own words, or why it cannot be loaded.
};

struct Machine {
  std::string host;
  Place place;
  Cores cores;
  Mpi mpi;
  std::vector<Backend> backends;
};

/// Looks at everything. Starts the drivers of devices, opens none.
Machine lookAround();

} // namespace tutti::tools
