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
#include <vector>

namespace tutti::exec {

/// How much one kind of touch takes at once: more and more while touches follow one another.
/// Several sequences may be under way, as in a loop over several arrays.
class Stride {
public:
  Stride(std::uint64_t least, std::uint64_t most) : least_(least), most_(most) {}

  /// What to take for a touch of the page at `page`, before it is cut to what is there.
  Range next(std::uint64_t page);

  /// What was taken in the end.
  void took(Range range);

private:
  struct Sequence {
    Range last;
    std::uint64_t bytes; ///< Taken at the last touch.
  };

  std::uint64_t least_;
  std::uint64_t most_;
  std::array<Sequence, 16> sequences_{}; ///< The latest first.
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
  void announced(Sequence sequence) { sequence_ = sequence; }

  /// Notes an event and applies it to the directory.
  void record(const memory::Event &event);

  /// Events since the last call.
  std::vector<memory::Event> takeEvents();

private:
  struct Fetch {
    Range pages;
    std::vector<Streams::Id> streams;
    bool isWide; ///< Nothing larger can be taken.
  };

  std::optional<std::uint64_t> firstUnready(const memory::Touch &touch) const;
  void serve(const memory::Touch &touch, std::uint64_t page);
  void fetch(Range pages, bool isWide);
  void finishFetch();
  void claim(Range pages, bool isWide);
  Range wholeRun(std::uint64_t page) const;

  Job &job_;
  memory::PageTable &pages_;
  Sequence sequence_ = 0;
  std::vector<memory::Event> events_;
  std::deque<memory::Touch *> touches_;
  std::optional<Fetch> fetch_;
  Stride reads_{64 << 10, 64 << 20};
  Stride writes_{memory::kPageBytes, 16 << 20};
};

} // namespace tutti::exec
