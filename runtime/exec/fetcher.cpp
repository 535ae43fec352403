// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/fetcher.h"

#include <algorithm>
#include <map>

namespace tutti::exec {

namespace {

using memory::Access;
using memory::Event;
using memory::kPageBytes;

/// Touches further apart belong to different sequences.
constexpr std::uint64_t kNear = std::uint64_t{16} << 20;

/// How pieces grow where touches have no order.
constexpr std::uint64_t kGrowth = 4;

/// Absent pages between others come together if they are no more than these: their bytes cost less
/// than a second touch.
constexpr std::uint64_t kSmallRunBytes = 4 * kPageBytes;

/// How far a run of pages is followed when the kernel has no mapping left for a part of it.
constexpr std::uint64_t kReachBytes = std::uint64_t{1} << 30;

} // namespace

Stride::Piece Stride::next(std::uint64_t address) {
  const std::uint64_t page = address & ~(kPageBytes - 1);
  const auto isBeside = [&](const Sequence &sequence) {
    return !sequence.last.empty() &&
           (page == sequence.last.end || page + kPageBytes == sequence.last.begin);
  };
  const auto isExpected = [&](const Sequence &sequence) {
    return sequence.distance != 0 && address == sequence.address + sequence.distance;
  };
  // Distances of less than two pages lead beside the page before now and then.
  const auto isExpectedNear = [&](const Sequence &sequence) {
    return isExpected(sequence) &&
           std::min(sequence.distance, 0 - sequence.distance) < 2 * kPageBytes;
  };
  const auto toFront = [this](const auto &fits) {
    const auto at = std::find_if(sequences_.begin(), sequences_.end(), fits);
    if (at == sequences_.end()) {
      return false;
    }
    std::rotate(sequences_.begin(), at, at + 1);
    return true;
  };
  if (toFront(isExpectedNear)) {
    return foresee(sequences_.front(), address);
  }
  if (toFront(isBeside)) {
    return follow(sequences_.front(), address);
  }
  const bool isBehindOne = wasTakenAlone(page - kPageBytes);
  const bool isBeforeOne = wasTakenAlone(page + kPageBytes);
  if (!isBehindOne && !isBeforeOne && toFront(isExpected)) {
    return foresee(sequences_.front(), address);
  }
  const Sequence begun = begunAt(address);
  std::rotate(sequences_.begin(), sequences_.end() - 1, sequences_.end());
  sequences_.front() = begun;
  if (isBehindOne || isBeforeOne) {
    sequences_.front().last = isBehindOne ? Range{page - kPageBytes, page}
                                          : Range{page + kPageBytes, page + 2 * kPageBytes};
    return follow(sequences_.front(), address);
  }
  return {{page, page + begun.bytes}, {}};
}

bool Stride::wasTakenAlone(std::uint64_t page) const {
  return std::find(alone_.begin(), alone_.end(), page) != alone_.end();
}

void Stride::noteAlone(std::uint64_t page) {
  alone_[nextAlone_] = page;
  nextAlone_ = (nextAlone_ + 1) % alone_.size();
}

/// The touch is beside what was taken last: on, in the same direction.
Stride::Piece Stride::follow(Sequence &sequence, std::uint64_t address) {
  const std::uint64_t page = address & ~(kPageBytes - 1);
  const bool isUpwards = page == sequence.last.end;
  sequence.bytes = std::min(2 * std::max(sequence.bytes, least_), most_);
  sequence.distance = 0;
  sequence.ahead = 0;
  sequence.address = address;
  const std::uint64_t after = page + kPageBytes;
  return isUpwards ? Piece{{page, page + sequence.bytes}, {}}
                   : Piece{{after - std::min(sequence.bytes, after), after}, {}};
}

/// The touch is where the sequence led to: what it leads to next comes along.
Stride::Piece Stride::foresee(Sequence &sequence, std::uint64_t address) {
  constexpr std::size_t kFirst = 4;
  const std::uint64_t page = address & ~(kPageBytes - 1);
  sequence.address = address;
  sequence.ahead = std::min(sequence.ahead == 0 ? kFirst : 2 * sequence.ahead, mostAhead_ - ahead_);
  // Many single pages are a burden for the directory and the kernel; then what lies between comes
  // along.
  sequence.bytes =
      sequence.ahead > 0 ? kPageBytes : std::min(2 * std::max(sequence.bytes, least_), most_);
  Piece piece{{page, page + sequence.bytes}, {}};
  for (std::size_t step = 1; step <= sequence.ahead; ++step) {
    piece.ahead.push_back(address + step * sequence.distance);
  }
  return piece;
}

/// The touch is elsewhere. Compared with the nearest touch before it there is a distance, to be
/// confirmed; where touches keep coming near one another without order, pieces grow.
Stride::Sequence Stride::begunAt(std::uint64_t address) const {
  const Sequence *nearest = nullptr;
  std::uint64_t least = kNear;
  for (const Sequence &sequence : sequences_) {
    const std::uint64_t apart =
        address > sequence.address ? address - sequence.address : sequence.address - address;
    if (!sequence.last.empty() && apart < least) {
      nearest = &sequence;
      least = apart;
    }
  }
  Sequence begun;
  begun.address = address;
  begun.bytes = kPageBytes;
  if (nearest && nearest->ahead > 0) {
    begun.distance = nearest->distance; // Probably the next sweep over the same array.
  } else if (nearest) {
    begun.distance = address - nearest->address;
    begun.bytes = nearest->distance == 0 ? kPageBytes : std::min(kGrowth * nearest->bytes, least_);
  }
  return begun;
}

void Stride::took(Range run, std::size_t ahead) {
  Sequence &sequence = sequences_.front();
  sequence.last = run;
  if (run.size() == kPageBytes) {
    noteAlone(run.begin);
  }
  for (std::size_t step = 0; step < ahead; ++step) {
    sequence.address += sequence.distance;
    noteAlone(sequence.address & ~(kPageBytes - 1));
  }
  ahead_ += ahead;
}

void Fetcher::record(std::span<const Event> events) {
  job_.planner.apply(events);
  job_.salvage.happened(events);
  for (const Event &event : events) {
    const bool isLikeLast =
        !events_.empty() && events_.back().kind == event.kind && events_.back().from == event.from;
    if (isLikeLast && events_.back().range.end == event.range.begin) {
      events_.back().range.end = event.range.end;
    } else {
      events_.push_back(event);
    }
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
  if (fetch_ && (fetch_->fromDevices.empty() || orDie(job_.devices.isIdle())) &&
      std::all_of(fetch_->streams.begin(), fetch_->streams.end(),
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
  if (touch.discards) {
    claim(touch.range, false);
    return;
  }
  const Access before = pages_.at(page);
  Stride &stride = before == Access::None ? reads_ : writes_;
  Stride::Piece piece = stride.next(std::max(page, touch.range.begin));
  piece.run.end = std::max(piece.run.end, memory::pagesAround(touch.range).end);
  Range run = pages_.runAround(page, piece.run);
  if (before != Access::None) {
    stride.took(run, 0);
    claim(run, false);
    return;
  }
  const Range near = pages_.runAround(
      page, {page - std::min(page, kSmallRunBytes), page + kPageBytes + kSmallRunBytes});
  if (near.size() <= kSmallRunBytes) {
    run = near;
  }
  std::vector<Range> taken{run};
  std::size_t ahead = 0;
  for (const std::uint64_t address : piece.ahead) {
    const Range next = memory::pagesAround({address, address + 1});
    if (pages_.at(address) != Access::None || run.contains(next)) {
      break;
    }
    taken.push_back(next);
    ++ahead;
  }
  stride.took(run, ahead);
  fetch(RangeSet::of(std::move(taken)).ranges(), false);
}

/// The first that has the bytes, unless that is a device of this rank that they are gone with.
memory::Place Fetcher::sourceOf(Range run, const memory::Holders &holders) const {
  const auto isThere = [&](memory::Place place) {
    return job_.topology.isHost(place) || job_.topology.rankOf(place) != 0 ||
           !job_.devices.gone(job_.topology.indexOf(place)).overlaps(RangeSet::of({run}));
  };
  const auto source = std::ranges::find_if(holders, isThere);
  return source == holders.end() ? holders.front() : *source;
}

void Fetcher::fetch(std::vector<Range> pages, bool isWide) {
  std::map<Rank, std::vector<Range>> byOwner;
  std::map<memory::Place, std::vector<Range>> byDevice; // Of this rank.
  fetch_ = {{}, {}, {}, {}, isWide};
  for (const Range &range : pages) {
    bool isMissing = false;
    job_.planner.directory().forEach(range, [&](Range run, const memory::Holders &holders) {
      const memory::Place holder = sourceOf(run, holders);
      if (holder == 0) {
        return;
      }
      isMissing = true;
      if (const Rank owner = job_.topology.rankOf(holder); owner != 0) {
        byOwner[owner].push_back(run);
      } else {
        byDevice[holder].push_back(run);
      }
    });
    if (isMissing) {
      fetch_->missing.push_back(range);
    }
  }
  job_.salvage.hostGets(RangeSet::of(fetch_->missing));
  fetch_->pages = std::move(pages);
  for (auto &[owner, ranges] : byOwner) {
    const FetchRequest request{sequence_, RangeSet::of(std::move(ranges))};
    job_.sendControl(owner, encode(request));
    fetch_->streams.push_back(job_.streams.receive(Lane::Fetch, owner, request.ranges));
    job_.counters.fetchBytes += request.ranges.bytes();
    job_.counters.fetchMessages += Streams::messagesFor(request.ranges);
  }
  for (auto &[place, ranges] : byDevice) {
    const std::int32_t device = job_.topology.indexOf(place);
    RangeSet bytes = RangeSet::of(std::move(ranges));
    orDie(job_.devices.require(device, bytes));
    orDie(job_.devices.copyOut(device, bytes));
    fetch_->fromDevices.emplace_back(device, std::move(bytes));
  }
  if (fetch_->streams.empty() && fetch_->fromDevices.empty()) {
    finishFetch();
  }
}

void Fetcher::finishFetch() {
  Fetch done = std::move(*fetch_);
  fetch_.reset();
  const bool isAllThere = std::ranges::all_of(done.fromDevices, [this](const auto &part) {
    return !job_.devices.gone(part.first).overlaps(part.second);
  });
  if (!isAllThere) {
    fetch(std::move(done.pages), done.isWide); // From others that have it, or from none.
    return;
  }
  std::vector<Event> fetched;
  for (const Range &range : done.missing) {
    fetched.push_back({Event::Kind::Fetched, range});
  }
  record(fetched);
  for (const Range &range : done.pages) {
    const bool isShared = !job_.planner.directory().sharedBeyond(0, RangeSet::of({range})).empty();
    const Status status = pages_.open(range, isShared ? Access::ReadOnly : Access::Open);
    if (!status && !done.isWide) {
      // Whatever stays closed is opened by the touch that comes for it.
      fetch({wholeRun(range.begin)}, true);
      return;
    }
    orDie(status);
  }
}

void Fetcher::claim(Range pages, bool isWide) {
  if (!job_.planner.directory().sharedBeyond(0, RangeSet::of({pages})).empty()) {
    const Event claimed{Event::Kind::Claimed, pages};
    record({&claimed, 1});
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
