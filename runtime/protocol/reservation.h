// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reservations: rank 0 asks devices of other ranks for what they need before a launch is
/// announced, while all data is whole.
#pragma once

#include "abi/abi.h"
#include "base/range.h"
#include "base/result.h"
#include "runtime/exec/engine.h"
#include "runtime/protocol/announce.h"
#include "runtime/protocol/eviction.h"
#include "runtime/protocol/mail.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace tutti::protocol {

using exec::Place;
using exec::Progress;
using exec::Sequence;

inline constexpr Kind kReserve("reserve");   ///< Rank 0 to another: `Reservation`.
inline constexpr Kind kReserved("reserved"); ///< To rank 0: `Answer`.

/// A kernel as all ranks know it; each device takes the one of its format.
struct KernelName {
  std::uint64_t region;  ///< Its id.
  std::uint32_t mapping; ///< Index among the region's.

  auto operator<=>(const KernelName &) const = default;
};

/// Rank 0 asks a device for what it needs before its part of the next launch, behind launch
/// `sequence`.
struct Reservation {
  Sequence sequence;
  Place place;
  RangeSet leaving; ///< Units that it gives back,
  RangeSet rescued; ///< what of these its host is to have,
  RangeSet units;   ///< and units that it takes then.
  std::vector<KernelName> kernels;
};

std::vector<std::byte> encode(const Reservation &reservation);
Reservation decodeReservation(Reader &reader);

/// What came of a reservation: of kernels that are refused the memory stays.
struct Answer {
  Place place;
  Status status;
};

std::vector<std::byte> encode(const Answer &answer);
Answer decodeAnswer(Reader &reader);

/// Threading: guarded by the lock of the engine's progress.
class Reservations {
public:
  Reservations(exec::Engine &engine, Mail &mail, Evictions &evictions);

  /// On rank 0: asks a device of another rank.
  void ask(const Reservation &reservation) TUTTI_IN_TURN;

  /// On rank 0: waits for the answers to all that has been asked since the last call.
  std::map<Place, Status> await(Progress::Lock &lock) TUTTI_IN_TURN;

  /// On the others: whether there is a reservation that can be served, behind the launches before,
  /// which may have made room.
  bool isAsked() const TUTTI_IN_TURN;

  /// Serves those that can be.
  void serve(Progress::Lock &lock, RegionOf regionOf) TUTTI_IN_TURN;

  /// What has been rescued for reservations since the latest launch: it is on the host although the
  /// directory learns of it with the next launch.
  const RangeSet &rescued() const TUTTI_IN_TURN { return rescued_; }

  /// The directory knows.
  void launchBegins() TUTTI_IN_TURN { rescued_ = {}; }

private:
  Status reserve(const Reservation &wanted, RegionOf regionOf) TUTTI_IN_TURN;

  exec::Engine &engine_;
  Mail &mail_;
  Evictions &evictions_;
  std::size_t
      asked_ TUTTI_GUARDED_BY(exec::kTurn) = 0; ///< Without an answer that has been awaited.
  std::map<Place, Status> answers_ TUTTI_GUARDED_BY(exec::kTurn); ///< On rank 0.
  std::deque<Reservation> wanted_ TUTTI_GUARDED_BY(exec::kTurn);  ///< On the others.
  RangeSet rescued_ TUTTI_GUARDED_BY(exec::kTurn);
};

} // namespace tutti::protocol
