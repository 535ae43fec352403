// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/fetcher.h"

#include <algorithm>
#include <map>

namespace tutti::exec {

namespace {

using memory::Access;
using memory::Event;
using memory::kPageBytes;

/// How far a run of pages is followed when the kernel has no mapping left for a part of it.
constexpr std::uint64_t kReachBytes = std::uint64_t{1} << 30;

} // namespace

Range Stride::next(std::uint64_t page) {
  const std::uint64_t after = page + kPageBytes;
  const auto known =
      std::find_if(sequences_.begin(), sequences_.end(), [&](const Sequence &sequence) {
        return !sequence.last.empty() &&
               (page == sequence.last.end || after == sequence.last.begin);
      });
  if (known == sequences_.end()) {
    std::rotate(sequences_.begin(), sequences_.end() - 1, sequences_.end());
    sequences_.front() = {{}, least_};
    return {page, page + least_};
  }
  std::rotate(sequences_.begin(), known, known + 1);
  Sequence &sequence = sequences_.front();
  sequence.bytes = std::min(2 * sequence.bytes, most_);
  const bool isUpwards = page == sequence.last.end;
  return isUpwards ? Range{page, page + sequence.bytes}
                   : Range{after - std::min(sequence.bytes, after), after};
}

void Stride::took(Range range) { sequences_.front().last = range; }

void Fetcher::record(const Event &event) {
  job_.planner.apply(event);
  if (!events_.empty() && events_.back().kind == event.kind &&
      events_.back().range.end == event.range.begin) {
    events_.back().range.end = event.range.end;
  } else {
    events_.push_back(event);
  }
}

std::vector<Event> Fetcher::takeEvents() { return std::exchange(events_, {}); }

std::optional<std::uint64_t> Fetcher::firstUnready(const memory::Touch &touch) const {
  const Access most = touch.write ? Access::Open : Access::ReadOnly;
  const Range range = memory::pagesAround(touch.range);
  for (std::uint64_t page = range.begin; page < range.end; page += kPageBytes) {
    if (pages_.at(page) > most) {
      return page;
    }
  }
  return std::nullopt;
}

bool Fetcher::progress() {
  bool moved = false;
  for (memory::Touch *touch = job_.queue.take(); touch; touch = touch->next) {
    touches_.push_back(touch);
  }
  if (fetch_ && std::all_of(fetch_->streams.begin(), fetch_->streams.end(),
                            [this](Streams::Id id) { return job_.streams.hasEnded(id); })) {
    finishFetch();
    moved = true;
  }
  while (!fetch_ && !touches_.empty()) {
    memory::Touch &touch = *touches_.front();
    if (const auto page = firstUnready(touch)) {
      serve(touch, *page);
    } else {
      touches_.pop_front();
      memory::TouchQueue::answer(touch);
    }
    moved = true;
  }
  return moved;
}

void Fetcher::serve(const memory::Touch &touch, std::uint64_t page) {
  Stride &stride = pages_.at(page) == Access::None ? reads_ : writes_;
  Range wanted = stride.next(page);
  wanted.end = std::max(wanted.end, memory::pagesAround(touch.range).end);
  const Range taken = pages_.runAround(page, wanted);
  stride.took(taken);
  if (pages_.at(page) == Access::None) {
    fetch(taken, false);
  } else {
    claim(taken, false);
  }
}

void Fetcher::fetch(Range pages, bool isWide) {
  std::map<Rank, std::vector<Range>> byOwner;
  job_.planner.directory().forEach(pages, [&](Range run, const memory::Holders &holders) {
    if (holders.front() != 0) {
      byOwner[holders.front()].push_back(run);
    }
  });
  fetch_ = {pages, {}, isWide};
  for (auto &[owner, ranges] : byOwner) {
    const FetchRequest request{sequence_, RangeSet::of(std::move(ranges))};
    job_.sendControl(owner, encode(request));
    fetch_->streams.push_back(job_.streams.receive(Lane::Fetch, owner, request.ranges));
    job_.counters.fetchBytes += request.ranges.bytes();
    job_.counters.fetchMessages += Streams::messagesFor(request.ranges);
  }
  if (fetch_->streams.empty()) {
    finishFetch();
  }
}

void Fetcher::finishFetch() {
  const Fetch done = std::move(*fetch_);
  fetch_.reset();
  if (!done.streams.empty()) {
    record({Event::Kind::Fetched, done.pages});
  }
  const bool isShared =
      !job_.planner.directory().sharedBeyond(0, RangeSet::of({done.pages})).empty();
  const Status status = pages_.open(done.pages, isShared ? Access::ReadOnly : Access::Open);
  if (!status && !done.isWide) {
    fetch(wholeRun(done.pages.begin), true);
  } else {
    orDie(status);
  }
}

void Fetcher::claim(Range pages, bool isWide) {
  if (!job_.planner.directory().sharedBeyond(0, RangeSet::of({pages})).empty()) {
    record({Event::Kind::Claimed, pages});
  }
  const Status status = pages_.open(pages, Access::Open);
  if (!status && !isWide) {
    claim(wholeRun(pages.begin), true);
  } else {
    orDie(status);
  }
}

Range Fetcher::wholeRun(std::uint64_t page) const {
  return pages_.runAround(page, {page - std::min(page, kReachBytes), page + kReachBytes});
}

} // namespace tutti::exec
