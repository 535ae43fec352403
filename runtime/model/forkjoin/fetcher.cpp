// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/fetcher.h"

#include "runtime/exec/gaps.h"
#include "runtime/exec/or_die.h"

#include <algorithm>
#include <map>

namespace tutti::model::forkjoin {

using namespace exec;
using namespace protocol;

namespace {

using memory::Access;
using memory::Event;
using memory::kPageBytes;

/// How pieces of a walk grow: so fast that the first ones cost nothing beside the last ones.
constexpr std::uint64_t kGrowth = 32;

/// The same where steps are so wide that most of what comes along is not touched.
constexpr std::uint64_t kWideGrowth = 4;

/// Steps beyond this are wide: less is copied in the time that it takes to start another copy.
constexpr std::uint64_t kWide = 64 << 10;

/// Touches within this are near one another, if they have no order.
constexpr std::uint64_t kNeighbourhood = std::uint64_t{16} << 20;

/// Absent pages between others come together if they are no more than these: their bytes cost less
/// than a second touch.
constexpr std::uint64_t kSmallRunBytes = 4 * kPageBytes;

/// And so do all that are left of an object once more than one has been touched.
constexpr std::uint64_t kSmallObject = Stride::kNear;

/// What places of this rank get of others.
RangeSet broughtBy(const Plan &plan) {
  std::vector<Range> all;
  const auto add = [&](const RangeSet &bytes) {
    all.insert(all.end(), bytes.ranges().begin(), bytes.ranges().end());
  };
  for (const Link &link : plan.links) {
    if (!link.isSend) {
      add(link.ranges);
    }
  }
  std::ranges::for_each(plan.copies, add, &Copy::ranges);
  std::ranges::for_each(plan.borrowings, add, &Borrowing::ranges);
  return RangeSet::of(std::move(all));
}

/// Those pages of `run` around `page` that have nothing of `due`, as the page itself has not.
Range without(const RangeSet &due, Range run, std::uint64_t page) {
  for (const Range &range : due.ranges()) {
    const Range pages = memory::pagesAround(range);
    if (pages.end <= page) {
      run.begin = std::max(run.begin, pages.end);
    } else {
      run.end = std::min(run.end, std::max(pages.begin, page + kPageBytes));
    }
  }
  return run;
}

/// How far a run of pages is followed when the kernel has no mapping left for a part of it.
constexpr std::uint64_t kReachBytes = std::uint64_t{1} << 30;

} // namespace

template <typename Fits> bool Stride::toFront(Fits &&fits) {
  const auto at = std::ranges::find_if(
      walks_, [&](const Walk &walk) { return !walk.last.empty() && fits(walk); });
  if (at == walks_.end()) {
    return false;
  }
  std::rotate(walks_.begin(), at, at + 1);
  return true;
}

Range Stride::next(std::uint64_t address) {
  const Range page = memory::pagesAround({address, address + 1});
  if (toFront([&](const Walk &walk) { return walk.first == page.begin; })) {
    return beginAgain(page); // It has been closed since.
  }
  const auto isBehind = [&](const Walk &walk) {
    return page.begin >= walk.last.end && page.begin - walk.last.end < kNear;
  };
  const auto isBefore = [&](const Walk &walk) {
    return page.end <= walk.last.begin && walk.last.begin - page.end < kNear;
  };
  const bool isUpwards = toFront(isBehind);
  if (isUpwards || toFront(isBefore)) {
    Walk &walk = walks_.front();
    const std::uint64_t step = isUpwards ? page.begin - walk.last.end : walk.last.begin - page.end;
    walk.bytes = std::min((step < kWide ? kGrowth : kWideGrowth) * walk.bytes, most_);
    walk.isUpwards = isUpwards;
    return isUpwards ? Range{page.begin, page.begin + walk.bytes}
                     : Range{page.end - std::min(walk.bytes, page.end), page.end};
  }
  return begin(page);
}

/// Whether a walk that begins as `walk` did is going to take what that has taken.
bool Stride::isForetold(const Walk &walk) const {
  constexpr std::uint32_t kForetold = 3;
  const bool isInOnePiece = walk.whole.size() <= most_ || walk.whole.begin == walk.first;
  return walk.whole == walk.before && walk.whole.size() > kUnordered && isInOnePiece &&
         walk.foretold < kForetold;
}

/// What is taken where nothing tells of a walk, yet.
std::uint64_t Stride::bytesAt(Range page) const {
  const auto isNear = [&](const Walk &walk) {
    return walk.last.begin < page.end + kNeighbourhood &&
           page.begin < walk.last.end + kNeighbourhood;
  };
  const auto near = std::ranges::find_if(
      walks_, [&](const Walk &walk) { return !walk.last.empty() && isNear(walk); });
  return near == walks_.end() ? kPageBytes : std::min(kWideGrowth * near->bytes, kUnordered);
}

Range Stride::begin(Range page) {
  const std::uint64_t bytes = bytesAt(page);
  std::rotate(walks_.begin(), walks_.end() - 1, walks_.end());
  walks_.front() = {
      .last = {}, .bytes = bytes, .first = page.begin, .whole = {}, .before = {}, .ahead = {}};
  return {page.begin, page.begin + bytes};
}

/// The front walk's first page is touched once more.
Range Stride::beginAgain(Range page) {
  Walk &walk = walks_.front();
  if (isForetold(walk)) {
    ++walk.foretold;
    walk.bytes = std::min(walk.whole.size(), most_);
    return walk.whole.size() <= most_ ? walk.whole : Range{page.begin, page.begin + most_};
  }
  const std::uint64_t bytes = bytesAt(page);
  walk = {.last = {},
          .bytes = bytes,
          .first = page.begin,
          .whole = {},
          .before = walk.whole,
          .ahead = {}};
  return {page.begin, page.begin + bytes};
}

void Stride::took(Range run) {
  Walk &walk = walks_.front();
  walk.last = run;
  walk.whole = walk.whole.empty() ? run
                                  : Range{std::min(walk.whole.begin, run.begin),
                                          std::max(walk.whole.end, run.end)};
}

Range Stride::ahead() const {
  const Walk &walk = walks_.front();
  const std::uint64_t bytes = std::min(walk.whole.size() / 2 / kPageBytes * kPageBytes, most_);
  return walk.isUpwards && bytes >= kAhead ? Range{walk.last.end, walk.last.end + bytes} : Range{};
}

void Stride::wentAhead(Range run) { walks_.front().ahead = run; }

Range Stride::aheadOf(std::uint64_t end) const {
  const Range &ahead = walks_.front().ahead;
  return ahead.begin < end && end < ahead.end ? Range{end, ahead.end} : Range{};
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
  if (touch.discards && !job_.planner.directory().sharedBeyond(0, RangeSet::of({range})).empty()) {
    return range.begin;
  }
  for (std::uint64_t page = range.begin; page < range.end; page += kPageBytes) {
    if (pages_.at(page) > most) {
      return page;
    }
  }
  return std::nullopt;
}

/// Whether all that is fetched is there; what else devices do goes on.
bool Fetcher::hasArrived() {
  const auto isThere = [this](const FromDevice &part) TUTTI_IN_TURN {
    return !part.event || orDie(job_.devices.hasArrived(part.device, part.bytes, *part.event));
  };
  return std::ranges::all_of(fetch_->fromDevices, isThere) &&
         std::ranges::all_of(fetch_->streams, [this](Streams::Id id) TUTTI_IN_TURN {
           return job_.streams.hasEnded(id);
         });
}

bool Fetcher::progress() {
  bool moved = false;
  for (memory::Touch *touch = job_.queue.take(); touch; touch = touch->next) {
    touches_.push_back(touch);
  }
  if (fetch_ && hasArrived()) {
    finishFetch();
    moved = true;
  }
  if (isExpectedDue_ && !fetch_ && !orDie(job_.devices.isStreamingOut())) {
    startExpected();
    moved = true;
  }
  // What is streamed out may be older than what the program is about to get, or to write.
  while (!fetch_ && !touches_.empty() && !orDie(job_.devices.isStreamingOut())) {
    const auto next = std::ranges::find_if(
        touches_, [this](const memory::Touch *touch) TUTTI_IN_TURN { return !isTooEarly(*touch); });
    if (next == touches_.end()) {
      break;
    }
    memory::Touch &touch = **next;
    if (const auto page = firstUnready(touch)) {
      serve(touch, *page);
    } else {
      touches_.erase(next);
      memory::TouchQueue::answer(touch);
    }
    moved = true;
  }
  if (!fetch_ && !aheadDue_.empty()) {
    startAhead(std::exchange(aheadDue_, {}));
    moved = true;
  }
  return moved;
}

bool Fetcher::areDevicesDue() const { return job_.running && !job_.haveDevicesStarted; }

/// Whether it is about what the launch brings to a place of this rank, or what a device of it is
/// about to write: what it has is not yet what the directory says. Or about what is expected, whose
/// pages may be open although bytes are missing. Whoever waits here is no part of the launch, which
/// may read there, too, but touches it nowhere else.
bool Fetcher::isTooEarly(const memory::Touch &touch) const {
  if (!areDevicesDue() && !isExpecting()) {
    return false;
  }
  const RangeSet pages = RangeSet::of({memory::pagesAround(touch.range)});
  if (expected_.overlaps(pages)) {
    return true;
  }
  if (!areDevicesDue()) {
    return false;
  }
  const Plan &plan = *job_.running;
  return broughtBy(plan).overlaps(pages) ||
         std::ranges::any_of(plan.devices,
                             [&](const DevicePart &part) { return part.writes.overlaps(pages); });
}

void Fetcher::serve(const memory::Touch &touch, std::uint64_t page) {
  if (touch.discards) {
    claim(touch.range, false);
    return;
  }
  const Access before = pages_.at(page);
  const bool isRead = before == Access::None;
  const bool isAlone = job_.pace == exec::Pace::PageByPage;
  if (touch.isExact || isAlone || (areDevicesDue() && !job_.running->devices.empty())) {
    const std::uint64_t end = isAlone ? page + kPageBytes : memory::pagesAround(touch.range).end;
    const Range run = pages_.runAround(page, {page, end});
    if (isRead) {
      fetch({run}, false);
    } else {
      claim(run, false);
    }
    return;
  }
  Stride &stride = isRead ? reads_ : writes_;
  Range wanted = stride.next(std::max(page, touch.range.begin));
  const bool isWalk = wanted.size() > kPageBytes;
  wanted.end = std::max(wanted.end, memory::pagesAround(touch.range).end);
  Range run = pages_.runAround(page, wanted);
  if (isRead) {
    const std::uint64_t small = isWalk ? kSmallObject : kSmallRunBytes;
    const Range near =
        pages_.runAround(page, {page - std::min(page, small), page + kPageBytes + small});
    run = near.size() <= small ? near : run;
  }
  if (areDevicesDue()) {
    run = without(broughtBy(*job_.running), run, page);
  }
  const Range taken = isRead ? joinAhead(run) : run;
  stride.took(taken);
  if (isRead) {
    looked_.push_back(taken);
    fetch({run}, false);
    aheadDue_ = stride.ahead();
  } else {
    claim(run, false);
  }
}

/// Together with what has been brought ahead of it and is open still.
Range Fetcher::joinAhead(Range run) const {
  const Range ahead = reads_.aheadOf(run.end);
  const bool isOpen = !ahead.empty() && !pages_.anyStricter(ahead, Access::ReadOnly);
  return isOpen ? Range{run.begin, ahead.end} : run;
}

/// Not beside kernels, and not from other ranks, where tasks may run: what these write would be
/// there when they have ended, and touches and launches wait until nothing is on its way.
void Fetcher::startAhead(Range wanted) {
  if (!job_.window.contains(wanted) || pages_.at(wanted.begin) != Access::None || areDevicesDue() ||
      isExpecting() || !orDie(job_.devices.isIdle())) {
    return;
  }
  const Range run = pages_.runAround(wanted.begin, wanted);
  std::vector<std::pair<Range, memory::Place>> sources;
  job_.planner.directory().forEach(run, [&](Range part, const memory::Holders &holders) {
    sources.emplace_back(part, sourceOf(part, holders));
  });
  // On other ranks, or gone.
  const bool isElsewhere = std::ranges::any_of(sources, [&](const auto &source) TUTTI_IN_TURN {
    return job_.topology.rankOf(source.second) != 0 || !mayHave(source.second, source.first);
  });
  if (run.size() >= Stride::kAhead && !isElsewhere) {
    reads_.wentAhead(run);
    fetch({run}, false, Opens::Ahead);
  }
}

/// Not if the place is a device of this rank that the bytes are gone with.
bool Fetcher::mayHave(memory::Place place, Range run) const {
  return job_.topology.isHost(place) || job_.topology.rankOf(place) != 0 ||
         !job_.devices.gone(job_.topology.indexOf(place)).overlaps(RangeSet::of({run}));
}

/// The first that may have the bytes; the first one if none may.
memory::Place Fetcher::sourceOf(Range run, const memory::Holders &holders) const {
  const auto source = std::ranges::find_if(
      holders, [&](memory::Place place) TUTTI_IN_TURN { return mayHave(place, run); });
  return source == holders.end() ? holders.front() : *source;
}

/// Those of the pages that the program may not write.
RangeSet Fetcher::closedOf(const RangeSet &pages) const {
  std::vector<Range> closed;
  for (const Range &range : pages.ranges()) {
    for (std::uint64_t page = range.begin; page < range.end;) {
      const Range run = pages_.runAround(page, {page, range.end});
      if (pages_.at(page) != Access::Open) {
        closed.push_back(run);
      }
      page = run.end;
    }
  }
  return RangeSet::of(std::move(closed));
}

void Fetcher::bringHome(const RangeSet &pages) {
  const RangeSet closed = closedOf(pages);
  if (!closed.empty()) {
    fetch(closed.ranges(), false, Opens::AsOwn);
  }
}

void Fetcher::startExpected() {
  isExpectedDue_ = false;
  bool isAnyLost = false;
  for (std::int32_t device = 0; device < job_.devices.count(); ++device) {
    isAnyLost = isAnyLost || job_.devices.isLost(device);
  }
  if (!isAnyLost) {
    // Pages that the program may write are as they should be, and nothing may be written over
    // there.
    fetch(closedOf(expected_).ranges(), false, Opens::Expected);
    return;
  }
  // Perhaps the program does without; a touch asks for it.
  std::vector<Range> absent;
  for (const Range &run : job_.planner.directory().missing(0, expected_).ranges()) {
    absent.push_back(memory::pagesAround(run));
  }
  orDie(pages_.tighten(RangeSet::of(std::move(absent)), Access::None));
  expected_ = {};
}

/// The inside of a grid is as many runs as it has rows. What a device has between them, as rank 0
/// has it, comes with them, so that they are one copy: nobody else can write there, since the pages
/// are closed, and it has been brought to the device once that has started.
void Fetcher::fetch(std::vector<Range> pages, bool isWide, Opens opens) {
  std::map<Rank, std::vector<Range>> byOwner;
  std::map<memory::Place, std::vector<Range>> byDevice; // Of this rank.
  fetch_ = {{}, {}, {}, {}, isWide, opens};
  const bool takesGaps = !areDevicesDue();
  for (const Range &range : pages) {
    bool isMissing = false;
    std::optional<std::pair<Range, memory::Holders>> gap; // Right before the run.
    job_.planner.directory().forEach(range, [&](Range run, const memory::Holders &holders) {
      const memory::Place holder = sourceOf(run, holders);
      if (holder == 0) {
        gap.emplace(run, holders);
        return;
      }
      isMissing = true;
      if (const Rank owner = job_.topology.rankOf(holder); owner != 0) {
        byOwner[owner].push_back(run);
      } else {
        std::vector<Range> &runs = byDevice[holder];
        if (takesGaps && gap && mayComeAlong(gap->first, run) &&
            memory::holds(gap->second, holder)) {
          runs.push_back(gap->first);
        }
        runs.push_back(run);
      }
      gap.reset();
    });
    if (isMissing) {
      fetch_->missing.push_back(range);
    }
  }
  job_.salvage.hostGets(RangeSet::of(fetch_->missing));
  fetch_->pages = std::move(pages);
  for (auto &[owner, ranges] : byOwner) {
    const FetchRequest request{sequence_, RangeSet::of(std::move(ranges))};
    fetch_->streams.push_back(job_.fetches.ask(owner, request));
  }
  for (auto &[place, ranges] : byDevice) {
    const std::int32_t device = job_.topology.indexOf(place);
    RangeSet bytes = RangeSet::of(std::move(ranges));
    orDie(job_.devices.require(device, bytes));
    orDie(job_.devices.copyOut(device, bytes));
    auto event = orDie(job_.devices.record(device));
    fetch_->fromDevices.push_back({device, std::move(bytes), std::move(event)});
  }
  if (fetch_->streams.empty() && fetch_->fromDevices.empty()) {
    finishFetch();
  }
}

void Fetcher::finishFetch() {
  Fetch done = std::move(*fetch_);
  fetch_.reset();
  const bool isAllThere =
      std::ranges::all_of(done.fromDevices, [this](const FromDevice &part) TUTTI_IN_TURN {
        return !job_.devices.gone(part.device).overlaps(part.bytes);
      });
  if (!isAllThere && done.opens == Opens::Ahead) {
    return; // A touch asks, if the program comes so far.
  }
  if (!isAllThere) {
    // From others that have it, or from none.
    fetch(std::move(done.pages), done.isWide, done.opens);
    return;
  }
  std::vector<Event> fetched;
  for (const Range &range : done.missing) {
    fetched.push_back({Event::Kind::Fetched, range});
  }
  record(fetched);
  switch (done.opens) {
  case Opens::ForReading:
    openFetched(done);
    break;
  case Opens::AsOwn:
    openAsOwn(done);
    break;
  case Opens::Expected:
    openExpected(done);
    break;
  case Opens::Ahead:
    openAhead(done);
    break;
  }
}

void Fetcher::openFetched(const Fetch &done) {
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

void Fetcher::openAsOwn(const Fetch &done) {
  std::vector<Event> claimed;
  for (const Range &range : done.pages) {
    if (!job_.planner.directory().sharedBeyond(0, RangeSet::of({range})).empty()) {
      claimed.push_back({Event::Kind::Claimed, range});
    }
  }
  record(claimed);
  for (std::size_t first = 0, next = 0; first < done.pages.size(); first = next) {
    Range run = done.pages[first];
    for (next = first + 1; next < done.pages.size(); ++next) {
      const Range both{run.begin, done.pages[next].begin};
      if (!job_.window.contains(both) || pages_.anyStricter({run.end, both.end}, Access::Open)) {
        break;
      }
      run.end = done.pages[next].end;
    }
    pages_.open(run, Access::Open).ignore("a touch opens what the kernel has no mapping left for");
  }
}

void Fetcher::openExpected(const Fetch &done) {
  for (const Range &range : done.pages) {
    const bool isShared = !job_.planner.directory().sharedBeyond(0, RangeSet::of({range})).empty();
    const Access most = isShared ? Access::ReadOnly : Access::Open;
    for (std::uint64_t page = range.begin; page < range.end;) {
      const Range run = pages_.runAround(page, {page, range.end});
      if (pages_.at(page) > most) {
        pages_.open(run, most).ignore("a touch opens what the kernel has no mapping left for");
      }
      page = run.end;
    }
  }
  expected_ = {};
}

void Fetcher::openAhead(const Fetch &done) {
  for (const Range &range : done.pages) {
    const Range open{range.begin + Stride::kNear, range.end};
    const bool isShared = !job_.planner.directory().sharedBeyond(0, RangeSet::of({open})).empty();
    pages_.open(open, isShared ? Access::ReadOnly : Access::Open)
        .ignore("a touch opens what the kernel has no mapping left for");
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

} // namespace tutti::model::forkjoin
