// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/planner.h"

#include "base/check.h"
#include "runtime/exec/followed.h"
#include "runtime/exec/pieces.h"
#include "runtime/exec/protectable.h"
#include "runtime/exec/region_view.h"
#include "runtime/exec/task_work.h"
#include "runtime/exec/touched.h"
#include "runtime/exec/transfers.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tutti::exec {

namespace {

using memory::ChunkAccess;
using memory::Directory;
using memory::Event;

/// Commits that wait to be applied: more than a time loop is likely to have launches.
constexpr std::size_t kMostPending = 256;

RangeSet bytesOf(const std::vector<BlockValue> &blocks) {
  std::vector<Range> bytes;
  for (const BlockValue &block : blocks) {
    bytes.push_back({block.address, block.address + block.bytes});
  }
  return RangeSet::of(std::move(bytes));
}

bool usesDevices(const Launch &launch, const Site &site) {
  return std::ranges::any_of(
      launch.shares, [&](const Share &share) { return !site.topology.isHost(share.place); });
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
    : site_{self, topology, window, rooms}, inPlace_(std::make_unique<InPlacePlans>(site_)) {
  pending_.reserve(kMostPending);
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
  return launch.takesHulls || usesDevices(launch, site_) ? std::span<const Range>(launch.arrays)
                                                         : std::span<const Range>();
}

std::optional<Planner::Planned> Planner::find(const Launch &launch) {
  std::shared_ptr<const Plan> *const known =
      known_.find({state_, arraysVersion_}, launch, arraysOf(launch));
  if (!known) {
    return std::nullopt;
  }
  if ((*known)->mayHaveInteriors) {
    *known = withInteriors(**known, launch, site_);
  }
  return Planned{*known, true};
}

Planner::Planned Planner::plan(const Launch &launch) {
  if (std::optional<Planned> known = find(launch)) {
    return std::move(*known);
  }
  const bool isInPlace = inPlace_->holds(launch, directory());
  auto plan = isInPlace ? inPlace_->make(launch, unchanged()) : make(launch);
  known_.remember(plan);
  return {plan, false};
}

Division Planner::divide(const Launch &launch) {
  constexpr std::int64_t kMost = 4096;
  if (const Division *known = known_.findDivision(launch, arraysOf(launch))) {
    return *known;
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
  known_.rememberDivision(division);
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
      if (site_.topology.isHost(place)) {
        continue;
      }
      const memory::AccessSet sets =
          touchesOf(launch, site_.window, chunks[index].lower, chunks[index].upper, allocationOf)
              .sets;
      if (portions * footprint({sets.reads, sets.writes}).bytes() >
          site_.rooms.capacity(static_cast<std::size_t>(place - site_.topology.ranks()))) {
        return place;
      }
    }
  }
  return std::nullopt;
}

/// What is in place may be told apart only by its hulls. Where those are too large, or what is
/// taken is, all is told byte by byte. Devices may be full: they take no gaps.
Survey Planner::survey(const Launch &launch) {
  const bool takesGaps = launch.takesHulls && !usesDevices(launch, site_);
  RangeSet arrays;
  if (launch.takesHulls && launch.portion.count == 1) {
    const std::span<const Range> named = arraysOf(launch);
    arrays = arrays_.unite(RangeSet::of({named.begin(), named.end()}));
  }
  Survey survey = surveyOf(launch, site_.window, site_.topology, directory(),
                           takesGaps ? Telling::Hulls : Telling::InPlaceApart, arrays);
  if (survey.reasonHome.empty() && mustBeExact(launch, survey)) {
    survey = surveyOf(launch, site_.window, site_.topology, directory_, Telling::Nothing);
  }
  return survey;
}

bool Planner::mustBeExact(const Launch &launch, const Survey &survey) const {
  const RangeSet blocks = bytesOf(launch.blocks);
  for (Place place = 0; place < site_.topology.places(); ++place) {
    const ChunkAccess &inPlace = survey.inPlace[static_cast<std::size_t>(place)];
    if (inPlace.writes.overlaps(blocks) || (launch.takesHulls && survey.writes.overlaps(blocks))) {
      return true;
    }
    // A device has all of the hulls in place, but perhaps no room for what is to come beside them.
    if (!site_.topology.isHost(place) &&
        (launch.takesHulls || !(inPlace.reads.empty() && inPlace.writes.empty())) &&
        footprintAt(survey, place).bytes() >
            site_.rooms.capacity(static_cast<std::size_t>(place - site_.topology.ranks()))) {
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
  const std::optional<RangeSet> exact = writesOf(launch, site_.window, allocationsOf(launch));
  return !exact || exact->overlaps(words);
}

/// The outcome of launches that change nothing.
std::shared_ptr<const Outcome> Planner::unchanged() {
  if (!unchanged_ || unchanged_->after != directory_.identity()) {
    unchanged_ = std::make_shared<const Outcome>(Outcome{{}, directory_.identity()});
  }
  return unchanged_;
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
  const TouchedObjects touched = objectsOf(launch, site_.window, allocationsOf(launch));
  plan->isDisjoint = touched.areDisjoint;
  addParts(*plan, survey);
  if (survey.isInPlace()) {
    plan->isInPlace = true;
    plan->interior = plan->chunk;
    plan->outcome = unchanged();
  } else {
    addMoves(*plan, launch, survey, touched);
  }
  const auto self = static_cast<std::size_t>(site_.self);
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
  const RangeSet arrays = arrays_.unite(arraysAmong(objects, site_.window));
  plan.arrays = arrays.subtract(arrays_);
  objects.insert(objects.end(), arrays.ranges().begin(), arrays.ranges().end());
  const std::span<const Range> named = arraysOf(launch);
  objects.insert(objects.end(), named.begin(), named.end());
  const RangeSet protectable = protectableIn(launch, objects, site_.window);

  memory::Step step = directory_.step(survey.accesses, site_.topology);
  std::vector<memory::Transfer> &transfers = step.transfers;
  // Without the gaps that are going to travel, too: tasks of the host may be writing there.
  const RangeSet exchanged = site_.self == 0 ? unionOf(transfers) : RangeSet();
  if (launch.region != &exactTaskRegion()) {
    joinRuns(transfers, directory_, site_);
  }
  joinWrites(step.assignments, survey, directory_, protectable, site_);
  addReturns(plan, step.assignments, survey, protectable, site_);
  addLinks(plan, transfers, site_);
  addPieces(plan, launch, survey, site_);
  addCopies(plan, transfers, survey, site_);
  addLoans(plan, transfers, site_);
  if (std::binary_search(plan.contributors.begin(), plan.contributors.end(), site_.self)) {
    plan.reach = survey.reach;
    if (!survey.merged.empty()) {
      plan.merged = survey.mergedAt[static_cast<std::size_t>(site_.self)];
      plan.updates = survey.updates;
    }
  }
  plan.mayHaveInteriors = mayHaveInteriors(plan, launch, survey, site_);
  for (const memory::Transfer &transfer : transfers) {
    // What is taken spares later launches as much.
    plan.bytesToDistribute += transfer.ranges.subtract(survey.taken).bytes();
  }
  memory::Assignments undo;
  directory_.assign(step.assignments, &undo);
  plan.outcome =
      std::make_shared<const Outcome>(Outcome{directory_.now(undo), directory_.identity()});
  if (site_.self == 0) {
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
  plan.bytesTouched = survey.bytesTouched();
  if (site_.self != 0) {
    return;
  }
  // From the host of rank 0 to each and back.
  const auto parts = std::count_if(survey.chunks.begin() + 1, survey.chunks.end(),
                                   [](const balance::Chunk &chunk) { return !chunk.empty(); });
  plan.bytesToMerge = 2 * static_cast<std::uint64_t>(parts) * survey.merged.bytes();
  plan.bytesToStayHome = directory_.missing(0, survey.reads.subtract(survey.taken)).bytes() +
                         static_cast<std::uint64_t>(survey.bytesNotHome);
  for (Place place = site_.topology.ranks(); place < site_.topology.places(); ++place) {
    plan.footprints.push_back(footprintAt(survey, place));
    plan.parts.push_back(survey.chunks[static_cast<std::size_t>(place)]);
  }
}

/// What a device needs memory for.
RangeSet Planner::footprint(const ChunkAccess &access) const {
  return site_.rooms.around(access.reads.unite(access.writes));
}

RangeSet Planner::footprintAt(const Survey &survey, Place place) const {
  const auto at = static_cast<std::size_t>(place);
  const ChunkAccess &moving = survey.accesses[at];
  const ChunkAccess &inPlace = survey.inPlace[at];
  std::vector<Range> all;
  for (const RangeSet *bytes : {&moving.reads, &moving.writes, &inPlace.reads, &inPlace.writes}) {
    all.insert(all.end(), bytes->ranges().begin(), bytes->ranges().end());
  }
  return site_.rooms.around(RangeSet::of(std::move(all)));
}

void Planner::addParts(Plan &plan, const Survey &survey) const {
  plan.chunk = survey.chunks[static_cast<std::size_t>(site_.self)];
  for (std::int32_t device = 0; device < site_.topology.devicesOf(site_.self); ++device) {
    const auto place = static_cast<std::size_t>(site_.topology.deviceOf(site_.self, device));
    if (!survey.chunks[place].empty()) {
      plan.devices.push_back({device, survey.chunks[place],
                              footprintAt(survey, static_cast<Place>(place)),
                              survey.accesses[place].writes.unite(survey.inPlace[place].writes)});
    }
  }
  std::vector<bool> hasPart(static_cast<std::size_t>(site_.topology.ranks()));
  for (Place place = 0; place < site_.topology.places(); ++place) {
    if (!survey.chunks[static_cast<std::size_t>(place)].empty()) {
      hasPart[static_cast<std::size_t>(site_.topology.rankOf(place))] = true;
    }
  }
  addContributors(plan, hasPart);
}

} // namespace tutti::exec
