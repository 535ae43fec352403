// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The reduction of one launch on one rank: private copies of the threads into one partial result,
/// partial results of the ranks into one on rank 0.
#pragma once

#include "base/mutex.h"
#include "runtime/exec/launch.h"
#include "runtime/exec/progress.h"
#include "runtime/transport/transport.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace tutti::exec {

using transport::Rank;

/// Partial results that have arrived, by launch and sender. Guarded by the lock of `Progress`.
using PartialResults = std::map<std::pair<Sequence, Rank>, std::vector<std::byte>>;

/// One call of `tutti_reduce`, less the chunk.
struct Contribution {
  std::span<const std::uint64_t> sizes;
  void **list;
  void (*combine)(void *, void *);
  std::int32_t threads; ///< Of the team; each contributes once per piece.
  bool isEmpty;         ///< From a piece without iterations.
};

/// Order:     one per launch and rank that contributes.
/// Threading: `add` from all threads of the team.
class Reduction {
public:
  /// Sends a partial result to a rank.
  using Send = std::function<void(Rank to, std::span<const std::byte> bytes)>;

  struct Site {
    Rank self;
    std::span<const Rank> ranks; ///< That contribute, in order; rank 0 is the first.
    Sequence sequence;
    std::int32_t pieces; ///< Calls of `run` that this rank's chunk takes.
    /// Leads to 0 until a part of this rank has met a stray pointer, so that there is no result.
    /// Null if none can.
    const std::uint64_t *strayed = nullptr;
  };

  Reduction(const Site &site, Progress &progress, PartialResults &arrived, Send send)
      : site_(site), progress_(progress), arrived_(arrived), send_(std::move(send)) {}

  Reduction(const Reduction &) = delete;
  Reduction &operator=(const Reduction &) = delete;

  /// Adds one thread's copies. The last thread of the last piece waits for the ranks behind this
  /// one, and on rank 0 gets true, with the result in its list, unless a part of some rank has
  /// strayed. What comes from a piece without iterations counts only if there is nothing else.
  bool add(const Contribution &contribution);

  /// Makes the rank's chunk take one more call of `run`. Order: before the last piece.
  void addPiece();

  /// Adds partial results that kernels have left (`tutti_device_code` in abi/abi.h), one behind the
  /// other. Of the contribution only sizes and combiner count.
  ///
  /// Order: before the last piece.
  void addPartials(const Contribution &contribution, std::span<std::byte> partials);

  /// For how long the last piece has waited for the ranks behind this one. Units: seconds.
  double waited() const;

private:
  void accumulate(const Contribution &contribution, void **list) TUTTI_REQUIRES(mutex_);
  bool combineRanks(const Contribution &contribution) TUTTI_REQUIRES(mutex_);
  std::vector<void *> slotsOf(const Contribution &contribution, std::byte *bytes) const;

  Site site_; ///< Pieces may be added under the mutex; the rest never changes.
  Progress &progress_;
  PartialResults &arrived_ TUTTI_GUARDED_BY(kTurn);
  Send send_;
  mutable Mutex mutex_;
  double waited_ TUTTI_GUARDED_BY(mutex_) = 0;
  std::int32_t threadsArrived_ TUTTI_GUARDED_BY(mutex_) = 0;
  std::int32_t piecesDone_ TUTTI_GUARDED_BY(mutex_) = 0;
  bool isFirst_ TUTTI_GUARDED_BY(mutex_) = true;
  /// The partial result; empty before the first copy.
  std::vector<std::byte> sum_ TUTTI_GUARDED_BY(mutex_);
};

} // namespace tutti::exec
