// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Serves what touches protected pages of rank 0: brings missing bytes from their owners, claims
/// pages that are written, opens them.
#pragma once

#include "runtime/device/device.h"
#include "runtime/memory/faults.h"
#include "runtime/memory/protection.h"
#include "runtime/protocol/job.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using exec::Rank;
using exec::Sequence;
using exec::Streams;
using protocol::Job;

/// How many pages one touch of a protected page takes with it.
///
/// A touch alone takes its page. A *walk* is a series of touches of which each lies at most kNear
/// behind (or, downwards, before) what the one before it took, whatever its steps are: what it
/// takes grows by a factor, up to a limit, so that a walk through all of an object costs one copy
/// of it in few pieces. Several walks may be under way, as in a loop over several arrays. Touches
/// near one another without order take up to kUnordered, and touches far apart a page each: so
/// scattered elements never bring more than kUnordered for each touch.
///
/// What two walks in a row have taken from the same first page on, in steps, the ones after them
/// take at once; but each fourth one takes steps again, since nothing else tells how far it goes.
///
/// What lies ahead of a walk upwards may be brought while the program reads what the walk has, so
/// that it hardly waits: at most half as much as it has been through. The next touch, of what was
/// left closed there (the *wire*), tells that the program has come so far.
class Stride {
public:
  /// What is brought ahead is at least this: less is not worth a copy of its own.
  static constexpr std::uint64_t kAhead = std::uint64_t{4} << 20;

  /// Steps of a walk are at most this: beyond it a page for each touch is cheaper.
  static constexpr std::uint64_t kNear = std::uint64_t{2} << 20;

  /// What is copied in the time that a fault takes: nobody loses much by taking as much.
  static constexpr std::uint64_t kUnordered = 64 << 10;

  explicit Stride(std::uint64_t most) : most_(most) {}

  /// The pages to take for a touch of the byte at `address`, before they are cut to what is there.
  Range next(std::uint64_t address);

  /// What was taken in the end.
  void took(Range run);

  /// What to bring ahead of what the latest walk has; empty if nothing.
  Range ahead() const;

  /// That was brought, for the latest walk.
  void wentAhead(Range run);

  /// What has been brought ahead for the latest walk behind `end`; empty if nothing.
  Range aheadOf(std::uint64_t end) const;

private:
  struct Walk {
    Range last;                 ///< Taken at the last touch.
    std::uint64_t bytes = 0;    ///< Wanted then.
    std::uint64_t first = 0;    ///< The page that it began with.
    Range whole;                ///< Taken since,
    Range before;               ///< and by the walk from there before the latest.
    std::uint32_t foretold = 0; ///< Walks that were taken to go as far, since one took steps.
    bool isUpwards = false;
    Range ahead; ///< Brought for it before it was touched.
  };

  /// Makes the first walk of which `fits` the front one; false if there is none.
  template <typename Fits> bool toFront(Fits &&fits);

  bool isForetold(const Walk &walk) const;
  std::uint64_t bytesAt(Range page) const;
  Range begin(Range page);
  Range beginAgain(Range page);

  std::uint64_t most_;
  std::array<Walk, 32> walks_{}; ///< The latest first.
};

/// Threading: guarded by the lock of the job's progress.
class Fetcher {
public:
  Fetcher(Job &job, memory::PageTable &pages) : job_(job), pages_(pages) {}

  /// Moves touches on; whether anything moved.
  bool progress() TUTTI_IN_TURN;

  /// Whether no bytes are on their way, and nobody waits for any.
  bool isIdle() const TUTTI_IN_TURN { return !fetch_ && touches_.empty(); }

  /// Whether bytes are on their way, which nobody may wait for.
  bool isFetching() const TUTTI_IN_TURN { return fetch_.has_value(); }

  /// Makes pages writable for which nobody waits, in one piece: one request to each owner of what
  /// is missing, one call for closed pages that have no other closed ones between them.
  ///
  /// Order: while it is idle; done once it is idle again.
  void bringHome(const RangeSet &pages) TUTTI_IN_TURN;

  /// Pages that a launch which is about to begin leaves open, although it writes there on other
  /// places, and others, that `bringExpected` brings home behind it. Touches of them wait until
  /// then. Order: while nothing is expected.
  void expect(RangeSet pages) TUTTI_IN_TURN { expected_ = std::move(pages); }

  /// Whether they are not home yet.
  bool isExpecting() const TUTTI_IN_TURN { return !expected_.empty(); }

  /// Brings them home as soon as can be, for reading; what a lost device may have had the only copy
  /// of is closed instead. Order: behind the launch; done once nothing is expected.
  void bringExpected() TUTTI_IN_TURN { isExpectedDue_ = isExpecting(); }

  /// Pages that touches which read have brought since the last call.
  RangeSet takeLooked() TUTTI_IN_TURN { return RangeSet::of(std::exchange(looked_, {})); }

  /// Launches announced so far; owners answer when they have finished them.
  void announced(Sequence sequence) TUTTI_IN_TURN { sequence_ = sequence; }

  /// Notes events and applies them to the directory.
  void record(std::span<const memory::Event> events) TUTTI_IN_TURN;

  /// Events since the last call.
  std::vector<memory::Event> takeEvents() TUTTI_IN_TURN;

private:
  /// What becomes of pages once their bytes are here.
  enum class Opens {
    ForReading,
    AsOwn,    ///< They become writable, and are nobody else's.
    Expected, ///< For reading, where they are not open yet.
    Ahead     ///< For reading, but for the wire.
  };

  /// Bytes that a device of this rank copies out.
  struct FromDevice {
    std::int32_t device;
    RangeSet bytes;
    std::unique_ptr<device::Event> event; ///< Behind the copies; null if the device is lost.
  };

  struct Fetch {
    std::vector<Range> pages;   ///< To be opened.
    std::vector<Range> missing; ///< Those of them that are on their way.
    std::vector<Streams::Id> streams;
    std::vector<FromDevice> fromDevices;
    bool isWide = false; ///< Nothing larger can be taken.
    Opens opens = Opens::ForReading;
  };

  std::optional<std::uint64_t> firstUnready(const memory::Touch &touch) const TUTTI_IN_TURN;
  bool hasArrived() TUTTI_IN_TURN;
  bool areDevicesDue() const TUTTI_IN_TURN;
  bool isTooEarly(const memory::Touch &touch) const TUTTI_IN_TURN;
  void serve(const memory::Touch &touch, std::uint64_t page) TUTTI_IN_TURN;
  bool mayHave(memory::Place place, Range run) const TUTTI_IN_TURN;
  memory::Place sourceOf(Range run, const memory::Holders &holders) const;
  RangeSet closedOf(const RangeSet &pages) const TUTTI_IN_TURN;
  void fetch(std::vector<Range> pages, bool isWide, Opens opens = Opens::ForReading) TUTTI_IN_TURN;
  void startExpected() TUTTI_IN_TURN;
  Range joinAhead(Range run) const TUTTI_IN_TURN;
  void startAhead(Range wanted) TUTTI_IN_TURN;
  void finishFetch() TUTTI_IN_TURN;
  void openFetched(const Fetch &done) TUTTI_IN_TURN;
  void openAsOwn(const Fetch &done) TUTTI_IN_TURN;
  void openExpected(const Fetch &done) TUTTI_IN_TURN;
  void openAhead(const Fetch &done) TUTTI_IN_TURN;
  void claim(Range pages, bool isWide) TUTTI_IN_TURN;
  Range wholeRun(std::uint64_t page) const;

  Job &job_;
  memory::PageTable &pages_;
  Sequence sequence_ TUTTI_GUARDED_BY(exec::kTurn) = 0;
  std::vector<memory::Event> events_ TUTTI_GUARDED_BY(exec::kTurn);
  std::deque<memory::Touch *> touches_ TUTTI_GUARDED_BY(exec::kTurn);
  std::optional<Fetch> fetch_ TUTTI_GUARDED_BY(exec::kTurn);
  RangeSet expected_ TUTTI_GUARDED_BY(exec::kTurn);
  bool isExpectedDue_ TUTTI_GUARDED_BY(exec::kTurn) = false;
  Range aheadDue_ TUTTI_GUARDED_BY(exec::kTurn); ///< To be brought when nobody waits.
  std::vector<Range> looked_ TUTTI_GUARDED_BY(exec::kTurn);
  Stride reads_ TUTTI_GUARDED_BY(exec::kTurn){std::uint64_t{64} << 20};
  Stride writes_ TUTTI_GUARDED_BY(exec::kTurn){std::uint64_t{16}
                                               << 20}; ///< What is claimed has to travel again.
};

} // namespace tutti::model::forkjoin
