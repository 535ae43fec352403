// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory as sequential code of rank 0 sees it: pages that are protected where other places have
/// newer bytes, copies of those that cannot be protected, and what touches bring.
#pragma once

#include "runtime/memory/protection.h"
#include "runtime/memory/twins.h"
#include "runtime/model/forkjoin/fetcher.h"
#include "runtime/model/forkjoin/homecoming.h"
#include "runtime/protocol/job.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace tutti::model::forkjoin {

using exec::Plan;

/// Threading: guarded by the lock of the job's progress; `open` and `renew` from any thread without
///            it, `renewStackBelow` from the program's main thread.
class SequentialView {
public:
  SequentialView(Job &job, memory::PageTable &pages);

  /// Serves touches from then on. Order: before the job's start.
  void serve() TUTTI_IN_TURN;

  /// Whether nothing is on its way for sequential code.
  bool isIdle() const TUTTI_IN_TURN { return fetcher_.isIdle(); }

  /// Whether bytes are on their way, which nobody may wait for.
  bool isFetching() const TUTTI_IN_TURN { return fetcher_.isFetching(); }

  /// Turns what sequential code has written where no fault tells into events.
  ///
  /// Cost: in a steady loop some comparisons; nobody looks into the directory.
  void collectWrites() TUTTI_IN_TURN {
    if (twins_.haveChanged()) {
      recordWrites();
    }
  }

  /// Makes pages writable for which nobody waits, in one piece. Order: while it is idle; done once
  /// it is idle again.
  void bringHome(const RangeSet &pages) TUTTI_IN_TURN { fetcher_.bringHome(pages); }

  /// Notes events and applies them to the directory.
  void record(std::span<const memory::Event> events) TUTTI_IN_TURN { fetcher_.record(events); }

  /// Events since the last call, for launch `sequence`, which is about to be announced.
  std::vector<memory::Event> takeEvents(Sequence sequence) TUTTI_IN_TURN;

  /// Keeps copies of pages that sequential code may write without a fault. Order: as `plan`'s
  /// launch begins.
  void keep(const Plan &plan) {
    // A protected page needs no copy: a write to it faults.
    twins_.keep(plan.twinPages,
                [this](std::uint64_t page) { return pages_.at(page) == memory::Access::Open; });
  }

  /// Protects pages as `plan` asks. Order: as its launch begins, before the lock is given away:
  /// other threads may not claim what is about to be somewhere else.
  void protect(const std::shared_ptr<const Plan> &plan) TUTTI_IN_TURN;

  /// The same, but for pages that the program is going to look at, as it seems: `bringExpected`
  /// brings them home behind the launch. Order: that comes behind it, whatever becomes of it; there
  /// is nothing in between that waits until nothing is on its way.
  void protectForetelling(const std::shared_ptr<const Plan> &plan) TUTTI_IN_TURN;

  /// Brings home what is expected, if anything is; done once nothing is.
  void bringExpected() TUTTI_IN_TURN { fetcher_.bringExpected(); }

  bool isExpecting() const TUTTI_IN_TURN { return fetcher_.isExpecting(); }

  /// Copies of pages that are not protected have what `plan` has brought. Order: as its launch
  /// ends.
  void refresh(const Plan &plan) { twins_.refresh(plan.exchanged); }

  /// Takes over bytes that another rank has written on pages that are not protected here; `bytes`
  /// has them one behind the other.
  void takeBack(const RangeSet &ranges, std::span<const std::byte> bytes) TUTTI_IN_TURN;

  /// Makes `range` readable, or writable, as a touch would. Does nothing outside of the window.
  void open(Range range, bool write) { open(range, write, false); }

  /// The same, and nothing around it.
  void openExactly(Range range, bool write) { open(range, write, true); }

  /// Makes `range`, in which nothing is alive, writable; what it holds may be lost. For the kernel
  /// a protected page is an error, and what will be there may be given to system calls.
  void renew(Range range);

  /// Renews `range`, and no other place keeps a byte of it: all of it will be written, and what
  /// comes next is the same whatever was written.
  void takeOver(Range range);

  /// Renews `main`'s stack below `end`.
  void renewStackBelow(std::uint64_t end);

  const memory::PageTable &pages() const { return pages_; }

private:
  void open(Range range, bool write, bool isExact);
  void protectBut(const RangeSet &expected, const std::shared_ptr<const Plan> &plan) TUTTI_IN_TURN;
  void recordWrites() TUTTI_IN_TURN;
  bool readShared(std::uint64_t address, std::span<std::byte> target) const TUTTI_IN_TURN;

  Job &job_;
  const memory::Window &window_;
  memory::PageTable &pages_;
  Fetcher fetcher_ TUTTI_GUARDED_BY(exec::kTurn);
  Homecoming homecoming_ TUTTI_GUARDED_BY(exec::kTurn);
  memory::Twins twins_;
  /// No page of `main`'s stack below is protected. Tasks' launches may lower it beside `main`.
  std::atomic<std::uint64_t> protectedStack_;

  /// That pages are protected as a plan asks.
  struct Protected {
    std::uint64_t version; ///< Of the page table then.
    RangeSet but;          ///< Pages that stayed open.
  };

  /// Shared with the planner, so that no other plan gets the address of one that it has forgotten.
  std::map<std::shared_ptr<const Plan>, Protected> protectedAt_ TUTTI_GUARDED_BY(exec::kTurn);
};

} // namespace tutti::model::forkjoin
