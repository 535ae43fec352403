// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/planner.h"

#include "base/check.h"
#include "runtime/exec/followed.h"
#include "runtime/exec/streams.h"
#include "runtime/exec/task_work.h"
#include "runtime/memory/heap.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace tutti::exec {

namespace {

using memory::ChunkAccess;
using memory::Directory;
using memory::Event;
using memory::pagesAround;
using memory::pagesInside;

/// Ranges that remembered plans may hold together before all are forgotten.
constexpr std::size_t kRememberedRanges = std::size_t{2} << 20;

/// Commits that wait to be applied: more than a time loop is likely to have launches.
constexpr std::size_t kMostPending = 256;

/// Gaps up to here between arrays of the heap count as one of them. Protecting a page of the heap
/// too many costs a fault, and only what is given to system calls that are not the runtime's must
/// not be there; rows may be thousands among as many objects of the program, and get no such gaps.
constexpr std::uint64_t kArrayGap = 64 << 10;

/// Plans of launches in place that are kept for their memory: more than others remember of the
/// latest launches.
constexpr std::size_t kMostInPlace = 192;

/// Bytes that are copied to or from a device in the time that it takes to start another copy.
constexpr std::uint64_t kCopyGap = 64 << 10;

/// Iterations that wait are divided into so many pieces at most, and none for less than so many
/// bytes that are received.
constexpr std::int64_t kMostPieces = 8;
constexpr std::uint64_t kBytesOfAPiece = 2 * Packing::kSegmentBytes;

/// A launch that touches less is over before it is known which of its iterations need not wait.
/// That is worth finding out where it comes again.
constexpr std::uint64_t kLeastToDivide = 64 << 10;

/// A device that touches less is done before copies between devices and the further kernels of a
/// part in pieces have been given to them.
constexpr std::uint64_t kLeastApart = 64 << 20;

/// Variables of less than this are scalars and small arrays, which sequential code touches between
/// launches: a page of them is better off twinned.
constexpr std::uint64_t kLeastArray = memory::kPageBytes;

/// Appends all that decides what the places touch in `launch`, but for its portion.
void appendKey(std::vector<std::uint64_t> &key, const Launch &launch,
               std::span<const Range> arrays) {
  const auto add = [&key](auto word) { key.push_back(static_cast<std::uint64_t>(word)); };
  add(launch.region->id);
  add(launch.total);
  add(launch.first);
  // The numbers of captures and values are the region's.
  key.insert(key.end(), launch.captures.begin(), launch.captures.end());
  for (std::size_t index = 0; index < launch.values.size(); ++index) {
    if (isShaping(*launch.region, index)) { // Data of the same shape needs no new plan.
      add(launch.values[index]);
    }
  }
  add(launch.blocks.size());
  for (const BlockValue &block : launch.blocks) {
    // They may depend on values that shape nothing else, and the launch must not write there.
    add(block.address);
  }
  add(launch.allocations.size());
  for (const auto &[address, range] : launch.allocations) {
    add(address);
    add(range.begin);
    add(range.end);
  }
  add(launch.followed ? launch.followed->id() + 1 : 0);
  add(launch.everywhere.size());
  for (const Range &range : launch.everywhere) {
    add(range.begin);
    add(range.end);
  }
  add(arrays.size());
  for (const Range &range : arrays) {
    add(range.begin);
    add(range.end);
  }
  for (const Share &share : launch.shares) {
    add(share.place);
    add(share.weight);
  }
}

RangeSet pagesAround(const RangeSet &bytes) {
  std::vector<Range> pages;
  for (const Range &range : bytes.ranges()) {
    pages.push_back(memory::pagesAround(range));
  }
  return RangeSet::of(std::move(pages));
}

RangeSet bytesOf(const std::vector<BlockValue> &blocks) {
  std::vector<Range> bytes;
  for (const BlockValue &block : blocks) {
    bytes.push_back({block.address, block.address + block.bytes});
  }
  return RangeSet::of(std::move(bytes));
}

/// Whole pages that hold little but `arrays` of the heap, sorted. Whole pages around a large one
/// are its own (heap.h).
void addPagesOfArrays(std::vector<Range> &pages, const std::vector<Range> &arrays) {
  Range joined;
  const auto addJoined = [&] {
    pages.push_back(joined.size() > memory::Heap::kSmall ? memory::pagesAround(joined)
                                                         : pagesInside(joined));
  };
  for (const Range &array : arrays) {
    if (!joined.empty() && array.begin <= joined.end + kArrayGap) {
      joined.end = std::max(joined.end, array.end);
    } else {
      addJoined();
      joined = array;
    }
  }
  addJoined();
}

/// Whole pages that hold nothing but `rows`, sorted, and what is `known` to be as good as those.
/// What lies between two rows is theirs, or not used, if it is smaller than either: small objects
/// have neighbours of nearly their size (heap.h).
void addPagesOfRows(std::vector<Range> &pages, const std::vector<Range> &rows,
                    const RangeSet &known) {
  std::vector<Range> held = known.ranges();
  Range last;
  for (const Range &row : rows) {
    const bool isNext =
        row.begin <= last.end || row.begin - last.end < std::min(last.size(), row.size());
    held.push_back({isNext ? last.begin : row.begin, row.end});
    if (row.size() > memory::Heap::kSmall) {
      held.push_back(memory::pagesAround(row));
    }
    last = last.end > row.end ? last : row;
  }
  const RangeSet all = RangeSet::of(std::move(held));
  for (const Range &range : all.ranges()) {
    pages.push_back(pagesInside(range));
  }
}

/// Pages that hold objects of the user that the launch touches, and so no live stack frame.
/// `objects`: parts of one each.
RangeSet protectablePages(const std::vector<Range> &objects, Range heap, const Followed *followed) {
  std::vector<Range> pages;
  std::vector<Range> inHeap;
  for (const Range &object : objects) {
    if (heap.contains(object)) {
      inHeap.push_back(object);
    } else {
      pages.push_back(pagesInside(object));
    }
  }
  std::ranges::sort(inHeap, {}, &Range::begin);
  if (followed) {
    addPagesOfRows(pages, inHeap, followed->content().objects);
  } else {
    addPagesOfArrays(pages, inHeap);
  }
  return RangeSet::of(std::move(pages));
}

/// Those of `objects` that lie in `heap`. Tasks name blocks of arrays: what shares a page with one
/// is mostly the block beside it, and were it a small object, its touch is a fault and nothing
/// else.
std::vector<Range> inside(const std::vector<Range> &objects, Range heap) {
  std::vector<Range> found;
  std::ranges::copy_if(objects, std::back_inserter(found),
                       [&](const Range &object) { return heap.contains(object); });
  return found;
}

/// Pages of what is alive that are full of allocations, or of one array among the variables.
RangeSet protectableOf(const std::vector<Range> &everywhere, const memory::Window &window) {
  std::vector<Range> pages;
  for (const Range &range : everywhere) {
    const Range inside = pagesInside(range);
    if (!inside.empty() && !window.stack().contains(range)) {
      pages.push_back(inside);
    }
  }
  return RangeSet::of(std::move(pages));
}

/// Those of `objects` that are arrays among the variables of the program, whose places never
/// change.
RangeSet arraysAmong(const std::vector<Range> &objects, const memory::Window &window) {
  std::vector<Range> arrays;
  for (const Range &object : objects) {
    const auto holdsIt = [&](const Range &globals) { return globals.contains(object); };
    if (object.size() >= kLeastArray &&
        std::any_of(window.globals().begin(), window.globals().end(), holdsIt)) {
      arrays.push_back(object);
    }
  }
  return RangeSet::of(std::move(arrays));
}

/// Those of `ranges` behind their first bytes.
RangeSet behind(const RangeSet &ranges, std::uint64_t bytes) {
  std::vector<Range> rest;
  for (const Range &range : ranges.ranges()) {
    const std::uint64_t skipped = std::min(bytes, range.size());
    bytes -= skipped;
    if (skipped < range.size()) {
      rest.push_back({range.begin + skipped, range.end});
    }
  }
  return RangeSet::of(std::move(rest));
}

/// How many first bytes of `received`, in whole segments, hold all of it that is touched.
std::uint64_t neededOf(const RangeSet &received, const memory::AccessRecords &touched) {
  const std::uint64_t all = received.bytes();
  if (touched.wrapsAround || touched.unresolved) {
    return all;
  }
  const auto isTouched = [&](const RangeSet &bytes) {
    return std::ranges::any_of(touched.records, [&](const memory::AccessRecord &record) {
      return record.overlaps(bytes);
    });
  };
  std::uint64_t needed = 0; // Units: segments.
  std::uint64_t enough = Packing(received).segments();
  while (needed < enough) {
    const std::uint64_t middle = needed + (enough - needed) / 2;
    if (isTouched(behind(received, middle * Packing::kSegmentBytes))) {
      needed = middle + 1;
    } else {
      enough = middle;
    }
  }
  return std::min(needed * Packing::kSegmentBytes, all);
}

/// About how many bytes a launch touches.
std::uint64_t touchedBytes(const Survey &survey) {
  return survey.reads.bytes() + survey.writes.bytes() +
         static_cast<std::uint64_t>(survey.bytesInPlace);
}

/// Makes a set one of `ranges`, in the memory that it has.
void assign(RangeSet &set, std::span<const Range> ranges) {
  std::vector<Range> memory = std::move(set).ranges();
  memory.assign(ranges.begin(), ranges.end());
  set = RangeSet::of(std::move(memory));
}

RangeSet unionOf(const std::vector<memory::Transfer> &transfers) {
  std::vector<Range> all;
  std::optional<std::uint32_t> piece;
  for (const memory::Transfer &transfer : transfers) {
    if (piece != transfer.piece) {
      const auto &ranges = transfer.ranges.ranges();
      all.insert(all.end(), ranges.begin(), ranges.end());
      piece = transfer.piece;
    }
  }
  return RangeSet::of(std::move(all));
}

} // namespace

Planner::Planner(Rank self, const memory::Topology &topology, const memory::Window &window,
                 const Rooms &rooms)
    : self_(self), topology_(topology), window_(window), rooms_(rooms),
      inPlace_(std::make_unique<InPlaceCheck>(window)) {
  pending_.reserve(kMostPending);
}

void Planner::forgetIfFull(std::size_t more) {
  remembered_ += more;
  if (remembered_ > kRememberedRanges) {
    plans_.clear();
    divisions_.clear();
    remembered_ = more;
  }
}

void Planner::apply(std::span<const Event> events) {
  if (events.empty()) {
    return;
  }
  static_cast<void>(directory());
  for (const Event &event : events) {
    noteChange(std::span(&event.range, 1));
    directory_.apply(event, &undo_);
  }
  state_ = directory_.identity();
}

bool Planner::watch(const std::shared_ptr<Watched> &watched) {
  bool isShared = true;
  directory().forEach(watched->bytes, [&](Range, const memory::Holders &holders) {
    isShared = isShared && holders.size() > 1;
    return isShared;
  });
  if (isShared) {
    std::erase_if(watched_, [](const auto &known) { return known.use_count() == 1; });
    watched->hasChanged = false;
    watched_.push_back(watched);
  }
  return isShared;
}

/// Of bytes that several places hold nobody writes any without being the only one that does then.
void Planner::noteChange(std::span<const Range> ranges) {
  std::erase_if(watched_, [&](const std::shared_ptr<Watched> &watched) {
    const std::vector<Range> &bytes = watched->bytes.ranges();
    watched->hasChanged = std::ranges::any_of(ranges, [&](const Range &range) {
      const auto next = std::ranges::upper_bound(bytes, range.begin, {}, &Range::end);
      return next != bytes.end() && next->begin < range.end;
    });
    return watched->hasChanged;
  });
}

void Planner::commit(const Plan &plan) {
  if (!watched_.empty()) {
    for (const memory::Assignment &assignment : plan.outcome->changes) {
      noteChange(assignment.ranges);
    }
  }
  if (state_ == directory_.identity()) {
    pending_.clear(); // A loop has gone round.
  } else if (pending_.size() == kMostPending) {
    static_cast<void>(directory());
  }
  undo_.clear();
  pending_.push_back(plan.outcome);
  state_ = plan.outcome->after;
  if (!plan.arrays.empty()) {
    arrays_ = arrays_.unite(plan.arrays);
    ++arraysVersion_;
  }
}

/// Applies the first `count` outcomes that are pending.
void Planner::applyPending(std::size_t count) {
  for (std::size_t next = 0; next < count; ++next) {
    // What lies between two times of the same state need not be applied.
    for (std::size_t later = count; later > next; --later) {
      if (pending_[later - 1]->after == directory_.identity()) {
        next = later;
        break;
      }
    }
    if (next < count) {
      directory_.assign(pending_[next]->changes);
    }
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
}

const Directory &Planner::directory() {
  if (!pending_.empty()) {
    applyPending(pending_.size() - 1);
    directory_.assign(pending_.front()->changes, &undo_);
    pending_.clear();
  }
  TUTTI_CHECK(directory_.identity() == state_, "reach the state that plans lead to");
  return directory_;
}

const Directory &Planner::directoryBefore() {
  if (!pending_.empty()) {
    applyPending(pending_.size() - 1);
  } else if (!undo_.empty()) {
    // What the latest commit has changed, and events since then, is pending once more.
    pending_.push_back(std::make_shared<const Outcome>(Outcome{directory_.now(undo_), state_}));
    directory_.revert(std::exchange(undo_, {}));
  }
  return directory_;
}

/// The arrays that a launch names, where they count. Where hosts take no hulls, a loop that goes
/// round is planned as it was before it named any.
std::span<const Range> Planner::arraysOf(const Launch &launch) const {
  const bool usesDevices = std::ranges::any_of(
      launch.shares, [this](const Share &share) { return !topology_.isHost(share.place); });
  return launch.takesHulls || usesDevices ? std::span<const Range>(launch.arrays)
                                          : std::span<const Range>();
}

/// Leaves the launch's key in `key_`.
std::optional<Planner::Planned> Planner::find(const Launch &launch) {
  key_.assign({state_.low, state_.high, arraysVersion_,
               static_cast<std::uint64_t>(launch.onlyShare),
               static_cast<std::uint64_t>(launch.takesHulls) |
                   static_cast<std::uint64_t>(launch.widening.reads) << 1 |
                   static_cast<std::uint64_t>(launch.widening.writes) << 2,
               static_cast<std::uint64_t>(launch.portion.index),
               static_cast<std::uint64_t>(launch.portion.count)});
  appendKey(key_, launch, arraysOf(launch));
  const auto known = plans_.find(std::span<const std::uint64_t>(key_));
  if (known == plans_.end()) {
    return std::nullopt;
  }
  if (known->second->mayHaveInteriors) {
    known->second = withInteriors(*known->second, launch);
  }
  return Planned{known->second, true};
}

Planner::Planned Planner::plan(const Launch &launch) {
  if (std::optional<Planned> known = find(launch)) {
    return std::move(*known);
  }
  const bool isInPlace = inPlace_->holds(launch, directory());
  auto plan = isInPlace ? makeInPlace(launch) : make(launch);
  if (isWorthRemembering(*plan)) {
    remember(plan);
  }
  return {plan, false};
}

/// A launch of which nothing moves is planned nearly as fast as it is looked up. It may be one of
/// very many that differ by an offset: only what comes again is kept.
bool Planner::isWorthRemembering(const Plan &plan) {
  if (!plan.isInPlace) {
    return true;
  }
  const std::size_t hash = OfWords()(key_);
  std::size_t &seen = seen_[hash % seen_.size()];
  return std::exchange(seen, hash) == hash;
}

void Planner::remember(const std::shared_ptr<const Plan> &plan) {
  std::size_t ranges = plan->overwritten.ranges().size() + plan->exchanged.ranges().size() + 16;
  for (const Link &link : plan->links) {
    ranges += link.ranges.ranges().size();
  }
  for (const Piece &piece : plan->waiting) {
    ranges += piece.needs.size();
  }
  for (const Copy &copy : plan->copies) {
    ranges += copy.ranges.ranges().size();
  }
  for (const DevicePart &part : plan->devices) {
    ranges += part.writes.ranges().size();
  }
  if (plan->outcome) { // A launch that stays home has none.
    for (const memory::Assignment &change : plan->outcome->changes) {
      ranges += change.ranges.size();
    }
  }
  forgetIfFull(ranges);
  plans_.emplace(key_, plan);
}

Planner::Division Planner::divide(const Launch &launch) {
  constexpr std::int64_t kMost = 4096;
  std::vector<std::uint64_t> key;
  appendKey(key, launch, arraysOf(launch));
  if (const auto known = divisions_.find(key); known != divisions_.end()) {
    return known->second;
  }
  Launch trial = launch;
  trial.portion = {};
  std::int64_t most = 1;
  for (const balance::Chunk &chunk : chunksOf(trial)) {
    most = std::clamp(chunk.upper - chunk.lower, most, kMost);
  }
  if (isChasing(*launch.region)) {
    most = 1; // No portion may stand if another one is undone, and each reads everywhere.
  }
  Division division{0, std::nullopt};
  for (const std::uint64_t atOnce : {kPortionsAtOnce, std::uint64_t{1}}) {
    trial.portion = {};
    do {
      division.portions =
          static_cast<std::int32_t>(std::min(most, 2 * std::int64_t{trial.portion.count}));
      trial.portion.count = division.portions;
      division.tooSmall = tooSmall(trial, atOnce);
    } while (division.tooSmall && division.portions < most);
    if (!division.tooSmall) {
      break;
    }
  }
  forgetIfFull(1);
  divisions_.emplace(std::move(key), division);
  return division;
}

/// A device that could not hold its parts of as many portions of `launch` as the largest if it held
/// nothing else.
std::optional<Place> Planner::tooSmall(Launch &launch, std::uint64_t portions) const {
  const AllocationOf allocationOf = allocationsOf(launch);
  for (launch.portion.index = 0; launch.portion.index < launch.portion.count;
       ++launch.portion.index) {
    const std::vector<balance::Chunk> chunks = chunksOf(launch);
    for (std::size_t index = 0; index < chunks.size(); ++index) {
      const Place place = launch.shares[index].place;
      if (topology_.isHost(place)) {
        continue;
      }
      const memory::AccessSet sets =
          touchesOf(launch, window_, chunks[index].lower, chunks[index].upper, allocationOf).sets;
      if (portions * footprint({sets.reads, sets.writes}).bytes() >
          rooms_.capacity(static_cast<std::size_t>(place - topology_.ranks()))) {
        return place;
      }
    }
  }
  return std::nullopt;
}

/// What places write on pages of rank 0 that cannot be protected returns to it.
void Planner::addReturns(Plan &plan, memory::Assignments &assignments, const Survey &survey,
                         const RangeSet &protectable) const {
  for (Place place = 1; place < topology_.places(); ++place) {
    const RangeSet &writes = survey.accesses[static_cast<std::size_t>(place)].writes;
    RangeSet returned = writes.intersect(pagesAround(writes).subtract(protectable));
    if (returned.empty()) {
      continue;
    }
    assignments.push_back({returned.ranges(), {0, place}});
    if (self_ == 0 || self_ == topology_.rankOf(place)) {
      plan.returns.push_back({place, std::move(returned)});
    }
  }
}

/// What is in place may be told apart only by its hulls. Where those are too large, all is taken
/// byte by byte.
Survey Planner::survey(const Launch &launch) {
  const Telling telling = launch.takesHulls ? Telling::Hulls : Telling::InPlaceApart;
  Survey survey = surveyOf(launch, window_, topology_, directory(), telling);
  if (survey.reasonHome.empty() && mustBeExact(launch, survey)) {
    survey = surveyOf(launch, window_, topology_, directory_, Telling::Nothing);
  }
  return survey;
}

bool Planner::mustBeExact(const Launch &launch, const Survey &survey) const {
  const RangeSet blocks = bytesOf(launch.blocks);
  for (Place place = 0; place < topology_.places(); ++place) {
    const ChunkAccess &inPlace = survey.inPlace[static_cast<std::size_t>(place)];
    if (inPlace.writes.overlaps(blocks) || (launch.takesHulls && survey.writes.overlaps(blocks))) {
      return true;
    }
    // A device has all of the hulls in place, but perhaps no room for what is to come beside them.
    if (!topology_.isHost(place) &&
        (launch.takesHulls || !(inPlace.reads.empty() && inPlace.writes.empty())) &&
        footprintAt(survey, place).bytes() >
            rooms_.capacity(static_cast<std::size_t>(place - topology_.ranks()))) {
      return true;
    }
  }
  return false;
}

/// A survey may hold more than is written: what a loop computes of each row may stand beside the
/// row's pointer.
bool Planner::writesWhatItFollows(const Launch &launch, const Survey &survey) const {
  if (!launch.followed) {
    return false;
  }
  const RangeSet &words = launch.followed->content().words;
  const bool mayWrite =
      survey.writes.overlaps(words) ||
      std::any_of(survey.inPlace.begin(), survey.inPlace.end(),
                  [&](const ChunkAccess &inPlace) { return inPlace.writes.overlaps(words); });
  if (!mayWrite) {
    return false;
  }
  const std::optional<RangeSet> exact = writesOf(launch, window_, allocationsOf(launch));
  return !exact || exact->overlaps(words);
}

/// The outcome of launches that change nothing.
std::shared_ptr<const Outcome> Planner::unchanged() {
  if (!unchanged_ || unchanged_->after != directory_.identity()) {
    unchanged_ = std::make_shared<const Outcome>(Outcome{{}, directory_.identity()});
  }
  return unchanged_;
}

/// A plan with nothing in it but memory: an earlier one that nobody has any more, or a new one.
std::shared_ptr<Plan> Planner::blankInPlace() {
  std::shared_ptr<Plan> plan;
  if (!madeInPlace_.empty() && madeInPlace_.front().use_count() == 1) {
    std::atomic_thread_fence(std::memory_order_acquire); // Whoever had it has read it before.
    plan = std::move(madeInPlace_.front());
    plan->chunk = plan->interior = {0, 0};
    assign(plan->overwritten, {});
    plan->contributors.clear();
  } else {
    plan = std::make_shared<Plan>();
    plan->isInPlace = true;
  }
  if (madeInPlace_.size() == kMostInPlace || (!madeInPlace_.empty() && !madeInPlace_.front())) {
    madeInPlace_.pop_front();
  }
  madeInPlace_.push_back(plan);
  return plan;
}

/// The plan of a launch for which `inPlace_` holds. All that is set here is set anew if the plan
/// was another launch's.
std::shared_ptr<const Plan> Planner::makeInPlace(const Launch &launch) {
  const std::shared_ptr<Plan> plan = blankInPlace();
  plan->isPortion = launch.portion.count > 1;
  plan->isDisjoint = areDisjoint(inPlace_->reaches());
  plan->outcome = unchanged();
  plan->bytesTouched = static_cast<std::uint64_t>(inPlace_->bytesTouched());
  const std::size_t devices = self_ == 0 ? rooms_.devices() : 0;
  plan->bytesToStayHome = self_ == 0 ? static_cast<std::uint64_t>(inPlace_->bytesNotHome()) : 0;
  plan->footprints.resize(devices);
  for (RangeSet &footprint : plan->footprints) {
    assign(footprint, {});
  }
  plan->parts.assign(devices, {0, 0});
  std::vector<bool> hasPart(static_cast<std::size_t>(topology_.ranks()));
  std::size_t own = 0; // Parts of this rank's devices.
  for (const InPlaceCheck::Part &part : inPlace_->parts()) {
    const Place place = part.place;
    if (place == self_) {
      plan->chunk = plan->interior = part.chunk;
      assign(plan->overwritten, part.writes);
    }
    if (part.chunk.empty()) {
      continue;
    }
    hasPart[static_cast<std::size_t>(topology_.rankOf(place))] = true;
    if (topology_.isHost(place)) {
      continue;
    }
    const RangeSet units = rooms_.around(std::span(part.touched));
    if (self_ == 0) {
      const auto index = static_cast<std::size_t>(place - topology_.ranks());
      plan->footprints[index] = units;
      plan->parts[index] = part.chunk;
    }
    if (topology_.rankOf(place) == self_) {
      if (own == plan->devices.size()) {
        plan->devices.emplace_back();
      }
      DevicePart &device = plan->devices[own++];
      device.device = topology_.indexOf(place);
      device.chunk = part.chunk;
      device.touched = units;
      assign(device.writes, part.writes);
    }
  }
  plan->devices.resize(own);
  std::ranges::sort(plan->devices, {}, &DevicePart::device);
  addContributors(*plan, hasPart);
  return plan;
}

std::shared_ptr<const Plan> Planner::make(const Launch &launch) {
  const auto begin = std::chrono::steady_clock::now();
  auto plan = std::make_shared<Plan>();
  plan->isPortion = launch.portion.count > 1;
  const Survey survey = this->survey(launch);
  if (!survey.reasonHome.empty()) {
    plan->reasonHome = survey.reasonHome;
    return plan;
  }
  // What the records are made of must not change while the loop runs.
  if (survey.writes.overlaps(bytesOf(launch.blocks))) {
    plan->reasonHome = "it writes a variable that its addresses depend on";
    return plan;
  }
  if (writesWhatItFollows(launch, survey)) {
    plan->reasonHome = "it writes pointers that it follows";
    return plan;
  }
  const TouchedObjects touched = objectsOf(launch, window_, allocationsOf(launch));
  plan->isDisjoint = touched.areDisjoint;
  addParts(*plan, survey);
  if (survey.isInPlace()) {
    plan->isInPlace = true;
    plan->interior = plan->chunk;
    plan->outcome = unchanged();
  } else {
    addMoves(*plan, launch, survey, touched);
  }
  const auto self = static_cast<std::size_t>(self_);
  plan->overwritten = plan->overwritten.unite(survey.accesses[self].writes)
                          .unite(survey.inPlace[self].writes)
                          .unite(plan->merged);
  addCosts(*plan, survey);
  plan->secondsToMake =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return plan;
}

/// What has to move before the launch, and what it changes.
void Planner::addMoves(Plan &plan, const Launch &launch, const Survey &survey,
                       const TouchedObjects &touched) {
  std::vector<Range> objects = touched.ranges;
  const RangeSet arrays = arrays_.unite(arraysAmong(objects, window_));
  plan.arrays = arrays.subtract(arrays_);
  objects.insert(objects.end(), arrays.ranges().begin(), arrays.ranges().end());
  const std::span<const Range> named = arraysOf(launch);
  objects.insert(objects.end(), named.begin(), named.end());
  const bool followsRows = launch.followed && launch.followed->content().lists.empty();
  RangeSet protectable =
      protectablePages(objects, window_.heap(), followsRows ? launch.followed.get() : nullptr)
          .unite(protectableOf(launch.everywhere, window_));
  if ((launch.region->flags & TUTTI_REGION_TASK) != 0) {
    protectable = protectable.unite(pagesAround(RangeSet::of(inside(objects, window_.heap()))));
  }

  memory::Step step = directory_.step(survey.accesses, topology_);
  std::vector<memory::Transfer> &transfers = step.transfers;
  // Without the gaps that are going to travel, too: tasks of the host may be writing there.
  const RangeSet exchanged = self_ == 0 ? unionOf(transfers) : RangeSet();
  if (launch.region != &exactTaskRegion()) {
    joinRuns(transfers);
  }
  addReturns(plan, step.assignments, survey, protectable);
  addLinks(plan, transfers);
  addPieces(plan, launch, survey);
  addCopies(plan, transfers, survey);
  addLoans(plan, transfers);
  if (std::binary_search(plan.contributors.begin(), plan.contributors.end(), self_)) {
    plan.reach = survey.reach;
    if (!survey.merged.empty()) {
      plan.merged = survey.mergedAt[static_cast<std::size_t>(self_)];
      plan.updates = survey.updates;
    }
  }
  plan.mayHaveInteriors = mayHaveInteriors(plan, launch);
  for (const memory::Transfer &transfer : transfers) {
    plan.bytesToDistribute += transfer.ranges.bytes();
  }
  memory::Assignments undo;
  directory_.assign(step.assignments, &undo);
  plan.outcome =
      std::make_shared<const Outcome>(Outcome{directory_.now(undo), directory_.identity()});
  if (self_ == 0) {
    addPages(plan, directory_, unionOf(transfers), survey.writtenElsewhere, protectable);
    plan.exchanged = exchanged;
    for (const Return &returned : plan.returns) {
      plan.exchanged = plan.exchanged.unite(returned.ranges);
    }
  }
  directory_.revert(undo);
}

/// For the decision, and for what devices hold.
void Planner::addCosts(Plan &plan, const Survey &survey) const {
  plan.bytesTouched = touchedBytes(survey);
  if (self_ != 0) {
    return;
  }
  // From the host of rank 0 to each and back.
  const auto parts = std::count_if(survey.chunks.begin() + 1, survey.chunks.end(),
                                   [](const balance::Chunk &chunk) { return !chunk.empty(); });
  plan.bytesToMerge = 2 * static_cast<std::uint64_t>(parts) * survey.merged.bytes();
  plan.bytesToStayHome =
      directory_.missing(0, survey.reads).bytes() + static_cast<std::uint64_t>(survey.bytesNotHome);
  for (Place place = topology_.ranks(); place < topology_.places(); ++place) {
    plan.footprints.push_back(footprintAt(survey, place));
    plan.parts.push_back(survey.chunks[static_cast<std::size_t>(place)]);
  }
}

/// What a device needs memory for.
RangeSet Planner::footprint(const ChunkAccess &access) const {
  return rooms_.around(access.reads.unite(access.writes));
}

RangeSet Planner::footprintAt(const Survey &survey, Place place) const {
  const auto at = static_cast<std::size_t>(place);
  const ChunkAccess &moving = survey.accesses[at];
  const ChunkAccess &inPlace = survey.inPlace[at];
  std::vector<Range> all;
  for (const RangeSet *bytes : {&moving.reads, &moving.writes, &inPlace.reads, &inPlace.writes}) {
    all.insert(all.end(), bytes->ranges().begin(), bytes->ranges().end());
  }
  return rooms_.around(RangeSet::of(std::move(all)));
}

void Planner::addParts(Plan &plan, const Survey &survey) const {
  plan.chunk = survey.chunks[static_cast<std::size_t>(self_)];
  for (std::int32_t device = 0; device < topology_.devicesOf(self_); ++device) {
    const auto place = static_cast<std::size_t>(topology_.deviceOf(self_, device));
    if (!survey.chunks[place].empty()) {
      plan.devices.push_back({device, survey.chunks[place],
                              footprintAt(survey, static_cast<Place>(place)),
                              survey.accesses[place].writes.unite(survey.inPlace[place].writes)});
    }
  }
  std::vector<bool> hasPart(static_cast<std::size_t>(topology_.ranks()));
  for (Place place = 0; place < topology_.places(); ++place) {
    if (!survey.chunks[static_cast<std::size_t>(place)].empty()) {
      hasPart[static_cast<std::size_t>(topology_.rankOf(place))] = true;
    }
  }
  addContributors(plan, hasPart);
}

void Planner::addContributors(Plan &plan, const std::vector<bool> &hasPart) const {
  for (Rank rank = 0; rank < topology_.ranks(); ++rank) {
    if (rank == 0 || hasPart[static_cast<std::size_t>(rank)]) {
      plan.contributors.push_back(rank);
    }
  }
}

/// `ranges` with the gaps between them that `source` has a valid copy of, too: wherever the bytes
/// go, these have the same value or none that counts. A gap smaller than a unit lies in units that
/// one of the ranges is in, too: there is memory for it.
RangeSet Planner::joined(const RangeSet &ranges, Place source) const {
  const std::uint64_t most = std::min(kCopyGap, rooms_.unit() - 1);
  std::vector<Range> joined;
  for (const Range &range : ranges.ranges()) {
    const bool isNear = !joined.empty() && range.begin - joined.back().end <= most &&
                        window_.contains({joined.back().begin, range.end});
    if (isNear &&
        directory_.missing(source, RangeSet::of({{joined.back().end, range.begin}})).empty()) {
      joined.back().end = range.end;
    } else {
      joined.push_back(range);
    }
  }
  return RangeSet::of(std::move(joined));
}

/// A copy to or from a device costs microseconds, however short it is: pieces that touch a device
/// travel in as few runs as can be.
void Planner::joinRuns(std::vector<memory::Transfer> &transfers) const {
  const auto isOfHosts = [this](const memory::Transfer &transfer) {
    return topology_.isHost(transfer.from) && topology_.isHost(transfer.to);
  };
  for (auto first = transfers.begin(); first != transfers.end();) {
    const auto last = std::find_if(first, transfers.end(), [&](const memory::Transfer &transfer) {
      return transfer.piece != first->piece;
    });
    if (!std::all_of(first, last, isOfHosts)) {
      const RangeSet ranges = joined(first->ranges, first->from);
      std::for_each(first, last, [&](memory::Transfer &transfer) { transfer.ranges = ranges; });
    }
    first = last;
  }
}

void Planner::addLinks(Plan &plan, const std::vector<memory::Transfer> &transfers) const {
  std::map<std::uint32_t, std::size_t> received; // By piece.
  for (const memory::Transfer &transfer : transfers) {
    if (topology_.rankOf(transfer.from) == topology_.rankOf(transfer.to)) {
      continue;
    }
    if (transfer.to == self_) {
      received[transfer.piece] = plan.links.size();
      plan.links.push_back({false, transfer.from, transfer.ranges, std::nullopt});
      plan.overwritten = plan.overwritten.unite(transfer.ranges);
    } else if (transfer.from == self_) {
      const auto first = received.find(transfer.piece);
      plan.links.push_back({true, transfer.to, transfer.ranges,
                            first == received.end() ? std::nullopt : std::optional(first->second)});
    }
  }
}

/// Between memories of this rank.
void Planner::addCopies(Plan &plan, const std::vector<memory::Transfer> &transfers,
                        const Survey &survey) const {
  std::set<std::uint32_t> received; // Pieces.
  std::vector<Copy> late;
  for (const memory::Transfer &transfer : transfers) {
    if (transfer.to == self_ && topology_.rankOf(transfer.from) != self_) {
      received.insert(transfer.piece);
    } else if (topology_.rankOf(transfer.from) == self_ && topology_.rankOf(transfer.to) == self_) {
      const bool isLate = transfer.from == self_ && received.contains(transfer.piece);
      const RangeSet &writes = survey.accesses[static_cast<std::size_t>(transfer.from)].writes;
      (isLate ? late : plan.copies)
          .push_back({transfer.from, transfer.to, transfer.ranges, isLate,
                      writes.overlaps(transfer.ranges)});
      if (transfer.to == self_) {
        plan.overwritten = plan.overwritten.unite(transfer.ranges);
      }
    }
  }
  // What one device gets is given to it at once. Nothing that is passed on is among these.
  std::sort(plan.copies.begin(), plan.copies.end(), [](const Copy &a, const Copy &b) {
    return std::tuple(a.to, a.from, a.ranges.hull().begin) <
           std::tuple(b.to, b.from, b.ranges.hull().begin);
  });
  plan.copies.insert(plan.copies.end(), late.begin(), late.end());
}

/// Between devices of this rank and of others.
void Planner::addLoans(Plan &plan, const std::vector<memory::Transfer> &transfers) const {
  for (const memory::Transfer &transfer : transfers) {
    const Rank owner = topology_.rankOf(transfer.from);
    const Rank borrower = topology_.rankOf(transfer.to);
    if (owner == borrower || topology_.isHost(transfer.from)) {
      continue;
    }
    if (owner == self_) {
      plan.loans.push_back({topology_.indexOf(transfer.from), transfer.to, transfer.ranges});
    } else if (borrower == self_) {
      plan.borrowings.push_back({transfer.from, topology_.indexOf(transfer.to), transfer.ranges});
    }
  }
  std::sort(plan.borrowings.begin(), plan.borrowings.end(),
            [](const Borrowing &a, const Borrowing &b) {
              return std::tuple(a.device, a.owner, a.ranges.hull().begin) <
                     std::tuple(b.device, b.owner, b.ranges.hull().begin);
            });
}

/// What needs nothing that is still to arrive, and what waits for what.
void Planner::addPieces(Plan &plan, const Launch &launch, const Survey &survey) const {
  const balance::Chunk chunk = plan.chunk;
  const RangeSet &pending = plan.overwritten; // Only what is received, so far.
  // All begin with the same bytes where they are merged; and the last piece combines: it must not
  // be one that waits for nothing.
  const bool waitsForAll =
      !survey.merged.empty() || (self_ == 0 && pending.overlaps(survey.reduced));
  if (waitsForAll && !chunk.empty()) {
    plan.interior = {chunk.lower, chunk.lower};
    addWaiting(plan, chunk);
    return;
  }
  if (pending.empty() || chunk.empty()) {
    plan.interior = chunk;
    return;
  }
  if (launch.takesHulls && touchedBytes(survey) < kLeastToDivide) {
    plan.interior = {chunk.lower, chunk.lower};
    addWaiting(plan, chunk);
    return;
  }
  plan.interior = interiorOf(launch, chunk, plan.overwritten);
  const balance::Chunk lower{chunk.lower, plan.interior.lower};
  const balance::Chunk upper{plan.interior.upper, chunk.upper};
  const bool isOneWait =
      std::ranges::count(plan.links, false, &Link::isSend) == 1 || lower.empty() || upper.empty();
  for (const balance::Chunk &border : {lower, upper}) {
    if (isOneWait && pending.bytes() < 2 * kBytesOfAPiece) {
      addWaiting(plan, border); // There is nothing to tell apart.
    } else {
      addPiecesThatWait(plan, launch, border);
    }
  }
}

/// Adds iterations that wait for all that is received.
void Planner::addWaiting(Plan &plan, const balance::Chunk &chunk) {
  if (chunk.empty()) {
    return;
  }
  Piece piece{chunk, {}};
  for (std::size_t link = 0; link < plan.links.size(); ++link) {
    if (!plan.links[link].isSend) {
      piece.needs.push_back({link, plan.links[link].ranges.bytes()});
    }
  }
  plan.waiting.push_back(std::move(piece));
}

/// Whether parts of this rank's devices may run apart (`DevicePart::interior`): nothing but what
/// they get from one another has to move before. Whoever is to receive something from elsewhere, or
/// to give it away, has it ordered around whole kernels.
bool Planner::mayHaveInteriors(const Plan &plan, const Launch &launch) const {
  const auto isAcross = [this](const Copy &copy) {
    return !copy.isLate && !topology_.isHost(copy.from) && !topology_.isHost(copy.to);
  };
  const auto isWorthIt = [](const DevicePart &part) { return part.touched.bytes() >= kLeastApart; };
  return !plan.copies.empty() && std::ranges::all_of(plan.copies, isAcross) && plan.links.empty() &&
         plan.loans.empty() && plan.borrowings.empty() && plan.merged.empty() && plan.reach == 0 &&
         !plan.isPortion && !launch.task && std::ranges::all_of(plan.devices, isWorthIt);
}

/// A plan that comes again, with the interiors of its devices where each has one.
std::shared_ptr<const Plan> Planner::withInteriors(const Plan &plan, const Launch &launch) const {
  auto made = std::make_shared<Plan>(plan);
  made->mayHaveInteriors = false;
  made->hasInteriors = true;
  std::size_t found = 0; // Copies to devices with an interior.
  for (DevicePart &part : made->devices) {
    const Place place = topology_.deviceOf(self_, part.device);
    RangeSet moving;
    for (const Copy &copy : plan.copies) {
      if (copy.to == place || (copy.from == place && copy.isOverwritten)) {
        moving = moving.unite(copy.ranges);
      }
      found += copy.to == place ? 1 : 0;
    }
    part.interior = moving.empty() ? part.chunk : interiorOf(launch, part.chunk, moving);
    made->hasInteriors = made->hasInteriors && !part.interior.empty();
  }
  made->hasInteriors = made->hasInteriors && found == plan.copies.size();
  return made;
}

/// Iterations of `chunk` that touch nothing of `moving`. Grows from a free one to both sides, by
/// halving: what more iterations touch includes what fewer do.
balance::Chunk Planner::interiorOf(const Launch &launch, const balance::Chunk &chunk,
                                   const RangeSet &moving) const {
  const AllocationOf allocationOf = allocationsOf(launch);
  // Of what is known to be free no more is asked: a loop over rows has records for each of them.
  const auto isFree = [&](std::int64_t lower, std::int64_t upper) {
    const memory::AccessRecords records =
        recordsOf(launch, window_, lower, upper, allocationOf).touched;
    return !records.wrapsAround && !records.unresolved &&
           std::none_of(
               records.records.begin(), records.records.end(),
               [&](const memory::AccessRecord &record) { return record.overlaps(moving); });
  };
  const std::int64_t count = chunk.upper - chunk.lower;
  const std::array<std::int64_t, 3> seeds{chunk.lower + count / 2, chunk.lower + count / 4,
                                          chunk.upper - 1 - count / 4};
  const auto *const seed =
      std::ranges::find_if(seeds, [&](std::int64_t each) { return isFree(each, each + 1); });
  if (seed == seeds.end()) {
    return {chunk.lower, chunk.lower};
  }
  std::int64_t blocked = chunk.lower - 1;
  std::int64_t lower = *seed;
  while (lower - blocked > 1) {
    const std::int64_t probe = blocked + (lower - blocked) / 2;
    (isFree(probe, lower) ? lower : blocked) = probe;
  }
  blocked = chunk.upper + 1;
  std::int64_t upper = *seed + 1;
  while (blocked - upper > 1) {
    const std::int64_t probe = upper + (blocked - upper) / 2;
    (isFree(upper, probe) ? upper : blocked) = probe;
  }
  return {lower, upper};
}

/// Adds iterations that wait for what they touch, in several pieces if that comes in many messages:
/// some run while bytes of others come.
void Planner::addPiecesThatWait(Plan &plan, const Launch &launch,
                                const balance::Chunk &chunk) const {
  if (chunk.empty()) {
    return;
  }
  const AllocationOf allocationOf = allocationsOf(launch);
  const std::int64_t count = chunk.upper - chunk.lower;
  const auto pieces =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(plan.overwritten.bytes() / kBytesOfAPiece),
                               1, std::min(kMostPieces, count));
  for (std::int64_t index = 0; index < pieces; ++index) {
    Piece piece{{chunk.lower + count * index / pieces, chunk.lower + count * (index + 1) / pieces},
                {}};
    const memory::AccessRecords touched =
        recordsOf(launch, window_, piece.chunk.lower, piece.chunk.upper, allocationOf).touched;
    for (std::size_t link = 0; link < plan.links.size(); ++link) {
      const std::uint64_t bytes =
          plan.links[link].isSend ? 0 : neededOf(plan.links[link].ranges, touched);
      if (bytes > 0) {
        piece.needs.push_back({link, bytes});
      }
    }
    plan.waiting.push_back(std::move(piece));
  }
}

void Planner::addPages(Plan &plan, const Directory &after, const RangeSet &transferred,
                       const RangeSet &writtenElsewhere, const RangeSet &protectable) const {
  const RangeSet absent = pagesAround(after.missing(0, writtenElsewhere));
  const RangeSet shared = pagesAround(after.sharedBeyond(0, transferred.unite(writtenElsewhere)));
  // Pages that are not protectable have no missing bytes that they had not before: all that other
  // ranks write there returns.
  plan.absentPages = absent.intersect(protectable);
  plan.readOnlyPages = shared.intersect(protectable).subtract(plan.absentPages);
  plan.twinPages = shared.subtract(protectable);
}

} // namespace tutti::exec
