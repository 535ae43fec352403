// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What loop hooks have to know of a part of a launch that runs on this process's threads: whether
/// these may cut it anywhere.
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti::exec {

/// While it lives, threads that divide a part of a loop get whole pieces of `length` iterations of
/// it; of 1: any.
///
/// Threading: one part at a time; the threads of its team are started while it lives.
class KeptPieces {
public:
  explicit KeptPieces(std::int64_t length)
      : before_(kept.exchange(length, std::memory_order_relaxed)) {}

  ~KeptPieces() { kept.store(before_, std::memory_order_relaxed); }

  KeptPieces(const KeptPieces &) = delete;
  KeptPieces &operator=(const KeptPieces &) = delete;

  /// Threading: any of that team; starting it orders this behind the constructor.
  static std::int64_t length() { return kept.load(std::memory_order_relaxed); }

private:
  static inline std::atomic<std::int64_t> kept = 1;

  std::int64_t before_;
};

} // namespace tutti::exec
