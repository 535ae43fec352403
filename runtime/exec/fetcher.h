// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Serves what touches protected pages of rank 0: brings missing bytes from their owners, claims
/// pages that are written, opens them.
#pragma once

#include "runtime/exec/job.h"
#include "runtime/memory/faults.h"
#include "runtime/memory/protection.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::exec {

/// What one kind of touch takes at once: a touch alone its page, touches that follow one another
/// more and more, touches at equal distances the pages ahead of them, and others near one another
/// some more than their page. Several sequences may be under way, as in a loop over several arrays.
class Stride {
public:
  struct Piece {
    Range run;                        ///< Around the touched page.
    std::vector<std::uint64_t> ahead; ///< Addresses that are expected to be touched next, in order.
  };

  /// `least` bytes are taken once touches follow one another, at most `most`; of pages ahead at
  /// most `mostAhead` between two calls of `renew`.
  Stride(std::uint64_t least, std::uint64_t most, std::size_t mostAhead)
      : least_(least), most_(most), mostAhead_(mostAhead) {}

  /// What to take for a touch of the byte at `address`, before it is cut to what is there.
  Piece next(std::uint64_t address);

  /// What was taken in the end: the run, and how many of the addresses ahead.
  void took(Range run, std::size_t ahead);

  /// Forgets how many pages ahead were taken.
  void renew() { ahead_ = 0; }

private:
  struct Sequence {
    std::uint64_t address = 0;  ///< The last that was touched or taken ahead.
    std::uint64_t distance = 0; ///< From touch to touch, perhaps; 0 if not known.
    std::size_t ahead = 0;      ///< Addresses ahead at the last touch; the distance is confirmed.
    Range last;
    std::uint64_t bytes = 0; ///< Taken at the last touch.
  };

  Piece follow(Sequence &sequence, std::uint64_t address);
  Piece foresee(Sequence &sequence, std::uint64_t address);
  Sequence begunAt(std::uint64_t address) const;
  bool wasTakenAlone(std::uint64_t page) const;
  void noteAlone(std::uint64_t page);

  std::uint64_t least_;
  std::uint64_t most_;
  std::size_t mostAhead_;
  std::size_t ahead_ = 0;                ///< Since `renew`.
  std::array<Sequence, 32> sequences_{}; ///< The latest first.
  /// The latest pages that were taken without others beside them: arrays of one size, read side by
  /// side, look like touches at equal distances until a page beside one of these is touched.
  std::array<std::uint64_t, 256> alone_{};
  std::size_t nextAlone_ = 0;
};

/// Threading: guarded by the lock of the job's progress.
class Fetcher {
public:
  Fetcher(Job &job, memory::PageTable &pages) : job_(job), pages_(pages) {}

  /// Moves touches on; whether anything moved.
  bool progress();

  /// Whether no bytes are on their way.
  bool isIdle() const { return !fetch_; }

  /// Launches announced so far; owners answer when they have finished them.
  void announced(Sequence sequence) {
    sequence_ = sequence;
    reads_.renew();
  }

  /// Notes events and applies them to the directory.
  void record(std::span<const memory::Event> events);

  /// Events since the last call.
  std::vector<memory::Event> takeEvents();

private:
  struct Fetch {
    std::vector<Range> pages;   ///< To be opened.
    std::vector<Range> missing; ///< Those of them that are on their way.
    std::vector<Streams::Id> streams;
    std::vector<std::pair<std::int32_t, RangeSet>> fromDevices; ///< Of this rank.
    bool isWide;                                                ///< Nothing larger can be taken.
  };

  std::optional<std::uint64_t> firstUnready(const memory::Touch &touch) const;
  void serve(const memory::Touch &touch, std::uint64_t page);
  memory::Place sourceOf(Range run, const memory::Holders &holders) const;
  void fetch(std::vector<Range> pages, bool isWide);
  void finishFetch();
  void claim(Range pages, bool isWide);
  Range wholeRun(std::uint64_t page) const;

  Job &job_;
  memory::PageTable &pages_;
  Sequence sequence_ = 0;
  std::vector<memory::Event> events_;
  std::deque<memory::Touch *> touches_;
  std::optional<Fetch> fetch_;
  Stride reads_{64 << 10, 64 << 20, 4096};
  Stride writes_{memory::kPageBytes, 16 << 20, 0};
};

} // namespace tutti::exec
