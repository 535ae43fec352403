// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/sequential_view.h"

#include "runtime/exec/or_die.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti::model::forkjoin {

using namespace exec;

namespace {

using memory::Access;
using memory::kPageBytes;

} // namespace

SequentialView::SequentialView(Job &job, memory::PageTable &pages)
    : job_(job), window_(job.window), pages_(pages), fetcher_(job, pages), twins_(job.window),
      protectedStack_(job.window.stack().end) {}

void SequentialView::serve() {
  job_.salvage.setReadHost([this](std::uint64_t address, std::span<std::byte> target)
                               TUTTI_IN_TURN { return readShared(address, target); });
  job_.serve({[this]() TUTTI_IN_TURN { return fetcher_.progress(); },
              [this]() TUTTI_IN_TURN { return !fetcher_.isIdle(); }});
}

/// Copies bytes that other places have, too, as they were behind the latest launch. A launch that
/// is under way keeps the program from changing any; else it may have where no fault tells.
bool SequentialView::readShared(std::uint64_t address, std::span<std::byte> target) const {
  for (std::size_t done = 0; done < target.size();) {
    const std::uint64_t at = address + done;
    const std::uint64_t rest = kPageBytes - at % kPageBytes;
    const auto piece = target.subspan(done, std::min<std::size_t>(rest, target.size() - done));
    if (job_.running || pages_.at(at) != Access::Open) {
      std::memcpy(piece.data(), window_.view(at), piece.size());
    } else if (!twins_.read(at, piece)) {
      return false;
    }
    done += piece.size();
  }
  return true;
}

void SequentialView::recordWrites() {
  std::vector<memory::Event> changes;
  twins_.collect(job_.planner.directory(), changes);
  fetcher_.record(changes);
}

std::vector<memory::Event> SequentialView::takeEvents(Sequence sequence) {
  fetcher_.announced(sequence);
  return fetcher_.takeEvents();
}

void SequentialView::protect(const std::shared_ptr<const Plan> &plan) {
  homecoming_.nextOther(fetcher_.takeLooked());
  protectBut({}, plan);
}

void SequentialView::protectForetelling(const std::shared_ptr<const Plan> &plan) {
  if (plan->isInPlace || job_.pace == exec::Pace::PageByPage) {
    protect(plan);
    return;
  }
  const RangeSet expected = homecoming_.next(plan, fetcher_.takeLooked());
  fetcher_.expect(expected);
  protectBut(expected, plan);
}

void SequentialView::protectBut(const RangeSet &expected, const std::shared_ptr<const Plan> &plan) {
  if (plan->isInPlace) {
    return; // The pages are as the state asks already.
  }
  const auto known = protectedAt_.find(plan);
  if (known != protectedAt_.end() && known->second.version == pages_.version() &&
      (known->second.but.empty() || known->second.but == expected)) {
    return;
  }
  if (expected.empty()) {
    orDie(pages_.tighten(plan->absentPages, Access::None));
  } else {
    orDie(pages_.tighten(plan->absentPages.subtract(expected), Access::None));
    orDie(pages_.tighten(plan->absentPages.intersect(expected), Access::ReadOnly));
  }
  orDie(pages_.tighten(plan->readOnlyPages, Access::ReadOnly));
  twins_.drop(plan->absentPages);
  twins_.drop(plan->readOnlyPages);
  for (const RangeSet *pages : {&plan->absentPages, &plan->readOnlyPages}) {
    for (const Range &range : pages->ranges()) {
      if (window_.stack().contains(range)) {
        std::uint64_t lowest = protectedStack_.load(std::memory_order_relaxed);
        while (range.begin < lowest &&
               !protectedStack_.compare_exchange_weak(lowest, range.begin)) {
        }
      }
    }
  }
  constexpr std::size_t kMany = 64;
  if (protectedAt_.size() >= kMany) {
    protectedAt_.clear();
  }
  protectedAt_[plan] = {pages_.version(), expected};
}

void SequentialView::takeBack(const RangeSet &ranges, std::span<const std::byte> bytes) {
  for (const Range &range : ranges.ranges()) {
    std::memcpy(window_.view(range.begin), bytes.data(), range.size());
    bytes = bytes.subspan(range.size());
  }
  twins_.refresh(ranges);
}

void SequentialView::open(Range range, bool write, bool isExact) {
  if (range.empty() || !window_.contains(range) ||
      !pages_.anyStricter(range, write ? Access::Open : Access::ReadOnly)) {
    return;
  }
  memory::Touch touch;
  touch.range = range;
  touch.write = write;
  touch.isExact = isExact;
  job_.queue.await(touch);
}

void SequentialView::renew(Range range) {
  if (range.empty() || !window_.contains(range) || !pages_.anyStricter(range, Access::Open)) {
    return;
  }
  const Range inside = memory::pagesInside(range);
  if (inside.empty()) {
    open(range, true);
    return;
  }
  if (pages_.anyStricter(inside, Access::Open)) {
    memory::Touch touch;
    touch.range = inside;
    touch.write = true;
    touch.discards = true;
    job_.queue.await(touch);
  }
  // Their pages hold something else as well.
  open({range.begin, inside.begin}, true);
  open({inside.end, range.end}, true);
}

void SequentialView::takeOver(Range range) {
  const Range inside = memory::pagesInside(range);
  if (window_.contains(range) && !inside.empty()) {
    memory::Touch touch;
    touch.range = inside;
    touch.write = true;
    touch.discards = true;
    job_.queue.await(touch);
  }
  renew(range);
}

void SequentialView::renewStackBelow(std::uint64_t end) {
  std::uint64_t lowest = protectedStack_.load(std::memory_order_relaxed);
  const Range dead = memory::pagesInside({lowest, end});
  if (!dead.empty()) {
    renew(dead);
    protectedStack_.compare_exchange_strong(lowest, dead.end); // Unless more is protected now.
  }
}

} // namespace tutti::model::forkjoin
