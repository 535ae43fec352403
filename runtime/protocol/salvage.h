// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Bytes that are gone with a lost device, from whoever else has a valid copy: another device of
/// the rank, or a host or device of another rank.
///
/// A rank that is asked may be behind, or some launches ahead. It answers when it has finished the
/// launch that the bytes are to be of, and gives what its memory still holds as of then: what none
/// of its launches since has written or received there. It finds that out from its own plans, so
/// nobody has to wait for anybody, and nothing is kept for the case but the latest plans.
#pragma once

#include "base/range.h"
#include "base/result.h"
#include "runtime/exec/engine.h"
#include "runtime/exec/launch.h"
#include "runtime/exec/plan.h"
#include "runtime/exec/progress.h"
#include "runtime/protocol/mail.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace tutti::protocol {

using exec::Launch;
using exec::Place;
using exec::Plan;
using exec::Progress;
using exec::Rank;
using exec::Sequence;

/// To whoever has a valid copy of bytes that are gone with a lost device.
inline constexpr Kind kSalvage("salvage");

/// The answer: bytes; behind the last an empty range.
inline constexpr Kind kSalvaged("salvaged");

/// Threading: guarded by the lock of the engine's progress.
class Salvage {
public:
  Salvage(exec::Engine &engine, Mail &mail);

  /// Copies bytes of rank 0's host as they were behind the latest launch; false if the program may
  /// have changed them.
  using ReadHost = std::function<bool(std::uint64_t address, std::span<std::byte> target)>;

  /// On rank 0, before the first launch.
  void setReadHost(ReadHost readHost) TUTTI_IN_TURN { readHost_ = std::move(readHost); }

  /// Notes what happened behind the latest launch.
  void happened(std::span<const memory::Event> events) TUTTI_IN_TURN;

  /// Notes a launch that this rank begins. Order: behind `happened` for its events.
  ///
  /// Cost: allocates nothing unless something happened.
  void begins(const Launch &launch, const std::shared_ptr<const Plan> &plan) TUTTI_IN_TURN;

  /// Notes bytes that this rank's host is about to get since the latest launch began, beside what
  /// its plan says.
  void hostGets(const RangeSet &bytes) TUTTI_IN_TURN;

  /// Makes sure that this rank's host has those of `bytes` that a lost device held: brings what is
  /// gone. In a launch it is brought as it was before that.
  ///
  /// Order:  nobody but this rank's stand-in needs what the host holds there.
  /// Errors: DeviceLost  nobody has all of it.
  /// Cost:   none if nothing is gone; else waits for other ranks.
  Status bring(Progress::Lock &lock, std::int32_t device, const RangeSet &bytes) TUTTI_IN_TURN;

private:
  static constexpr std::size_t kRemembered = 128; ///< Ranks are no further apart.

  /// One launch and what happened before it.
  struct Entry {
    Sequence sequence = 0;
    std::vector<memory::Event> events;
    std::shared_ptr<const Plan> plan; ///< Shared with the planner, which may forget it.
    std::vector<Range> hostGot; ///< From then on, in any order: there may be one for each fault.
  };

  struct Request {
    Rank from;
    Sequence after;
    Place place;
    RangeSet bytes;
  };

  RangeSet goneOf(std::int32_t device, const RangeSet &bytes) const TUTTI_IN_TURN;
  void bringFromOwn(std::int32_t device, const RangeSet &bytes) TUTTI_IN_TURN;
  void bringFrom(Progress::Lock &lock, std::int32_t device, const RangeSet &bytes,
                 Place place) TUTTI_IN_TURN;
  void arrived(const RangeSet &bytes) TUTTI_IN_TURN;
  void takePiece(Rank from, Reader &reader) TUTTI_IN_TURN;
  bool answerAll() TUTTI_IN_TURN;
  void answer(const Request &request) TUTTI_IN_TURN;
  RangeSet unchanged(Place place, Sequence since, RangeSet bytes) const TUTTI_IN_TURN;
  RangeSet unchangedBy(const Plan &plan, Place place, const RangeSet &bytes) const;
  bool read(Place place, std::uint64_t address, std::span<std::byte> target) TUTTI_IN_TURN;

  exec::Engine &engine_;
  Mail &mail_;
  ReadHost readHost_ TUTTI_GUARDED_BY(exec::kTurn);
  std::array<Entry, kRemembered>
      entries_ TUTTI_GUARDED_BY(exec::kTurn); ///< By sequence, modulo its size.
  Sequence latest_ TUTTI_GUARDED_BY(exec::kTurn) = 0;
  std::vector<memory::Event>
      events_ TUTTI_GUARDED_BY(exec::kTurn); ///< Since the latest launch began.
  std::deque<Request> requests_ TUTTI_GUARDED_BY(exec::kTurn);
  bool isAwaiting_ TUTTI_GUARDED_BY(exec::kTurn) = false; ///< An answer.
  RangeSet brought_ TUTTI_GUARDED_BY(exec::kTurn);        ///< By the latest answer, so far.
};

} // namespace tutti::protocol
