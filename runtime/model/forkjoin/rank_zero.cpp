// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/rank_zero.h"

#include "base/check.h"
#include "runtime/exec/or_die.h"
#include "runtime/exec/region_view.h"
#include "runtime/exec/rest_threads.h"
#include "runtime/exec/run_alone.h"
#include "runtime/exec/survey.h"
#include "runtime/model/forkjoin/chunk_run.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <span>
#include <utility>

namespace tutti::model::forkjoin {

using namespace exec;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kStrayed = "it follows a pointer to memory outside of unified memory";

constexpr std::string_view kFollowsMany =
    "it follows so many pointers that planning it takes longer than it has taken so far";

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// How many threads the construct of a launch asks for; 0 if it leaves that open.
std::int32_t threadsAskedFor(const Launch &launch) {
  return (launch.region->flags & TUTTI_REGION_THREADS) != 0
             ? static_cast<std::int32_t>(launch.captures.back())
             : 0;
}

} // namespace

RankZero::RankZero(Setup setup)
    : widening_(setup.widening), job_(std::move(setup.job)),
      devices_(job_, {setup.devices.begin(), setup.devices.begin() + job_.topology.devicesOf(0)}),
      finder_(job_.window, std::move(setup.objects), Finder::kMostWords,
              static_cast<std::size_t>(job_.size())),
      decider_(job_, {std::move(setup.devices), setup.wanted, setup.distribute, setup.balances,
                      setup.explains, setup.cores, setup.threads}),
      view_(job_, setup.pages), negotiator_(job_, view_, decider_), announcer_(job_),
      lost_(job_, view_), statistics_(job_, setup.pages) {}

std::vector<exec::LockedMemory *> RankZero::lockedMemory() {
  const Progress::Lock lock = job_.progress.lock();
  return job_.devices.lockedMemory();
}

void RankZero::start() {
  {
    const Progress::Lock lock = job_.progress.lock();
    view_.serve();
  }
  job_.start();
  if (decider_.policy() != Distribute::Never && job_.size() > 1) {
    Progress::Lock lock = job_.progress.lock();
    decider_.setLatency(job_.probes.measure(lock, 1));
  }
}

RankZero::Region &RankZero::regionOf(const tutti_region &region) {
  Region &known = regions_[&region];
  known.report.source = region.source;
  return known;
}

void RankZero::staysHome(const tutti_region &region, std::string_view reason) {
  noteStaysHome(regionOf(region).report, reason);
}

/// False, for whoever is asked whether it is distributed.
bool RankZero::staysHome(Region &region, std::string_view reason) {
  noteStaysHome(region.report, reason);
  return false;
}

void RankZero::ranHome(const tutti_region &region, double seconds) {
  if (lost_.hasLines()) {
    const Progress::Lock lock = job_.progress.lock();
    lost_.say(job_.acknowledgements.byAll());
  }
  regionOf(region).report.addHome(seconds);
}

void RankZero::ranHome(const Launch &launch, double seconds) {
  ranHome(*launch.region, seconds);
  decider_.noteHome(regionOf(*launch.region).history, launch.total, seconds);
}

void RankZero::hasBegun(Launch &launch, std::int64_t iterations, double seconds) {
  LoopHistory &history = regionOf(*launch.region).history;
  history.begins(launch.total);
  decider_.noteSample(history, iterations, seconds);
  launch.first = iterations;
}

std::optional<Launch> RankZero::prepare(const tutti_region &region, const std::uint64_t *captures,
                                        std::uint64_t frame) {
  if (decider_.policy() == Distribute::Never) {
    staysHome(region, "distribution is switched off");
    return std::nullopt;
  }
  if (exec::asksForOneThread(region, captures)) {
    staysHome(region, "it asks for one thread, which executes its iterations in their order");
    return std::nullopt;
  }
  Launch launch = std::move(spare_); // Whose vectors are empty then.
  launch.region = &region;
  launch.frame = frame;
  launch.onlyShare = Launch().onlyShare;
  launch.portion = {};
  launch.first = 0;
  launch.widening = widening_;
  launch.captures.assign(captures, captures + region.captures);
  launch.values.assign(region.values, 0);
  launch.blocks.clear();
  tutti_gather gather{&job_.window, std::move(launch.blocks), false};
  region.gather(captures, launch.values.data(), &gather);
  launch.blocks = std::move(gather.blocks);
  if (gather.isOutside) {
    staysHome(region, "it reads memory outside of unified memory");
    return std::nullopt;
  }
  launch.total = region.trip(captures, launch.values.data());
  if (launch.total < 1 || (launch.total < 2 && !mayLeaveAlone(region))) {
    staysHome(region, Decider::kSingle);
    return std::nullopt;
  }
  if (frame == job_.window.stack().end && namesStack(launch)) {
    staysHome(
        region,
        "another thread than the program's first executes it, and it works on that one's stack");
    return std::nullopt;
  }
  return launch;
}

/// Whether a single iteration may run elsewhere: where devices have had the loop, they may have its
/// data, too.
bool RankZero::mayLeaveAlone(const tutti_region &region) const {
  const auto known = regions_.find(&region);
  return known != regions_.end() && known->second.history.candidate.placement.usesDevices;
}

/// Whether anything that the launch knows before it follows pointers may be an address of main's
/// stack, where the main thread goes on.
bool RankZero::namesStack(const Launch &launch) const {
  const auto isOnStack = [this](std::uint64_t value) {
    return job_.window.stack().contains({value, value + 1});
  };
  return std::ranges::any_of(launch.captures, isOnStack) ||
         std::ranges::any_of(launch.values, isOnStack) ||
         std::ranges::any_of(launch.blocks,
                             [&](const BlockValue &block) { return isOnStack(block.address); });
}

void RankZero::recycle(Launch &&launch) { spare_ = std::move(launch); }

/// Undoes what a loop has left behind that is given up: else each page of it would cost a fault as
/// soon as the program touches it. What that takes is part of the price of trying once more.
void RankZero::endTrial(Progress::Lock &lock, Region &region) {
  const RangeSet pages = region.trial.end();
  if (pages.empty()) {
    return;
  }
  const Clock::time_point begin = Clock::now();
  bringHome(lock, pages);
  region.history.onHosts.undoing = secondsSince(begin);
  region.history.bytesToStayHome = 0;
}

/// Makes pages writable that nobody waits for.
void RankZero::bringHome(Progress::Lock &lock, const RangeSet &pages) {
  job_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN {
    return view_.isIdle() && !orDie(job_.devices.isStreamingOut());
  });
  view_.bringHome(pages);
  job_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return view_.isIdle(); });
}

/// What the program is going to look at, as it seems, comes home with its launch.
void RankZero::bringExpected(Progress::Lock &lock) {
  view_.bringExpected();
  job_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return !view_.isExpecting(); });
}

/// What a launch may read that follows pointers, and tells it how far they may lead.
void RankZero::findEverything(Launch &launch) {
  launch.everywhere.clear();
  if (!isChasing(*launch.region)) {
    return;
  }
  const std::uint64_t address = touchesOf(launch, job_.window, 0, 1, allocationsOf(launch)).reach;
  const Range range{address, address + sizeof(tutti_reach)};
  if (!job_.window.contains(range)) {
    return; // It follows none this time, or stays home.
  }
  launch.everywhere = finder_.objects().all(launch.frame, job_.window.globals());
  view_.open(range, true);
  *reinterpret_cast<tutti_reach *>(address) = reachOf(job_.window);
}

/// Completes the launch. Why it stays home; or empty.
std::string_view RankZero::follow(Launch &launch, const Candidate &candidate) {
  std::string_view reason;
  if ((launch.region->flags & TUTTI_REGION_FOLLOWS) == 0) {
    reason = finder_.complete(launch).reasonHome;
  } else {
    const Clock::time_point begin = Clock::now();
    const Finder::Found found = finder_.complete(launch, Decider::mostWords(candidate));
    Decider::noteFollowing(candidate, secondsSince(begin), found.share);
    reason = found.share < 1 ? kFollowsMany : found.reasonHome;
  }
  return reason.empty() ? inspect(launch, candidate) : reason;
}

/// Finds out what the launch touches at computed addresses, and whether iterations that may count
/// on their order keep apart. Why it stays home; or empty.
std::string_view RankZero::inspect(Launch &launch, const Candidate &candidate) {
  const bool usesDevices = candidate.placement.usesDevices;
  launch.mayCountOnOrder = launch.mayCountOnOrder || (launch.piece > 1 && usesDevices);
  if (launch.region->inspect && (launch.mayCountOnOrder || (job_.size() > 1 && !usesDevices))) {
    {
      Progress::Lock lock = job_.progress.lock();
      const Launching launching(*this, lock);
      catchUp(lock); // What it depends on may have changed in pages that cannot be protected.
    }
  }
  if (!launch.mayCountOnOrder) {
    return finder_.inspect(launch, usesDevices);
  }
  const Clock::time_point begin = Clock::now();
  const std::string_view reason = finder_.inspect(launch, usesDevices);
  Decider::noteOrdering(candidate, secondsSince(begin), reason.empty());
  return reason;
}

bool RankZero::distribute(Launch &launch) {
  Region &region = regionOf(*launch.region);
  if (decider_.asksForTime(region.history, *launch.region, launch.total)) {
    waitForDevices();
    const double now = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
    if (decider_.tellTime(now)) {
      restThreads(threadsAskedFor(launch));
    }
  }
  if (decider_.awaitsTimes()) {
    awaitTimes(region);
  }
  Candidate &candidate = decider_.candidateFor(region.history, *launch.region, launch.total);
  region.report.reasonNoDevice = candidate.placement.reason;
  std::string_view reason = decider_.reasonToStay(region.history, candidate, launch);
  if (reason.empty() && region.hasStrayed) {
    reason = kStrayed;
  }
  if (!reason.empty()) {
    if (region.trial.endsWith(launch.total)) {
      Progress::Lock lock = job_.progress.lock();
      const Launching launching(*this, lock);
      endTrial(lock, region);
    }
    return staysHome(region, reason);
  }
  const bool isMeasured = decider_.isToBeMeasured(region.history, candidate);
  const Clock::time_point begin = job_.keepsTime || isMeasured ? Clock::now() : Clock::time_point();
  if (reason = follow(launch, candidate); !reason.empty()) {
    return staysHome(region, reason);
  }
  findEverything(launch);
  if (candidate.placement.usesDevices || region.history.cuts.plansEachLaunch()) {
    finder_.findArrays(launch);
  }
  Progress::Lock lock = job_.progress.lock();
  const Launching launching(*this, lock);
  std::optional<Planner::Planned> planned = agree(lock, region, launch, candidate);
  if (!planned) {
    if (region.trial.endsWith(launch.total)) {
      endTrial(lock, region);
    }
    return finishHere(lock, region, launch);
  }
  noteCrossing(region, launch);
  if (!candidate.isWanted && !candidate.placement.usesDevices) {
    region.trial.launched(*planned->plan, launch.total);
  }
  const double planning =
      planned->isKnown ? 0 : planned->plan->secondsToMake + candidate.history->following;
  double waited = 0; // For launches before.
  if (isMeasured) {
    const Clock::time_point beginOfWait = Clock::now();
    job_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return orDie(job_.devices.isIdle()); });
    waited = secondsSince(beginOfWait);
  }
  const auto went = runPortions(lock, region, launch, *planned, isMeasured);
  // The program may write there as soon as it goes on.
  job_.progress.waitUntil(lock,
                          [this]() TUTTI_IN_TURN { return !orDie(job_.devices.isReading()); });
  const double seconds = isMeasured && launch.first == 0 ? secondsSince(begin) - waited : 0;
  bringExpected(lock);
  if (!went) {
    region.hasStrayed = true;
    return staysHome(region, kStrayed);
  }
  const double atHome = region.history.onHosts.home.seconds() * static_cast<double>(launch.total);
  region.report.addDistributed(job_.keepsTime ? secondsSince(begin) : 0,
                               job_.keepsTime ? atHome : 0, went->isKnown,
                               candidate.placement.usesDevices);
  if (isMeasured && launch.first == 0) {
    decider_.noteDistributed(region.history, launch, seconds, static_cast<double>(went->bytes),
                             planning);
    region.history.rope.seconds += seconds;
  }
  learn();
  return true;
}

/// Takes into account what parts of launches have taken, as far as that has been told.
void RankZero::learn() {
  while (const auto times = job_.times.takeNext()) {
    job_.counters.recuts += decider_.learn(*times) ? 1 : 0;
  }
}

/// The same before a launch, and what has to be known for it is waited for.
void RankZero::awaitTimes(const Region &region) {
  Progress::Lock lock = job_.progress.lock();
  job_.progress.waitUntil(lock, [&]() TUTTI_IN_TURN {
    learn();
    return !decider_.needsTimes(region.history);
  });
}

/// Counts what has crossed since the latest launch on devices as caused by that one: by what it
/// moved itself, and by whatever touched its results.
void RankZero::noteCrossing(Region &region, const Launch &launch) {
  const std::uint64_t crossed = job_.counters.deviceInBytes + job_.counters.deviceOutBytes;
  if (latest_) {
    latest_->crossed += crossed - crossed_;
  }
  crossed_ = crossed;
  if (!region.history.candidate.placement.usesDevices) {
    return;
  }
  latest_ = &region;
  const auto because = static_cast<double>(std::exchange(region.crossed, 0));
  if (decider_.asksForCrossing(region.history, *launch.region) &&
      decider_.noteCrossing(region.history, because)) {
    decider_.noteRounds(region.history, launch.total, secondsSince({}));
  }
}

/// Until nothing is under way that belongs to the state before: what is fetched, and what the
/// program has changed in pages that cannot be protected. Waiting lets events happen.
void RankZero::catchUp(Progress::Lock &lock) {
  job_.progress.waitUntil(
      lock, [this]() TUTTI_IN_TURN { return view_.isIdle() && announcer_.mayAnnounce(); });
  view_.collectWrites();
}

/// No later launch uses devices that are lost.
void RankZero::retireLost(Progress::Lock &lock) {
  catchUp(lock);
  for (const Place place : lost_.retire(announcer_.latest())) {
    decider_.drop(place);
  }
  for (auto &[key, region] : regions_) {
    region.history.placement.reset();
  }
}

/// What has to be there before a launch, or a portion of it, is announced: all data is whole if a
/// device refuses. Waiting lets events happen, after which there may be no plan any more: then
/// nothing has to be there.
Status RankZero::reserve(Progress::Lock &lock, const Launch &launch, Planner::Planned &planned) {
  if (!planned.plan->reasonHome.empty() || negotiator_.isReserved(*planned.plan)) {
    return {};
  }
  Negotiator::Outcome outcome = negotiator_.reserve(lock, launch, planned.plan);
  if (outcome.hasWaited) {
    catchUp(lock);
    const bool isKnown = planned.isKnown;
    planned = job_.planner.plan(launch);
    planned.isKnown = planned.isKnown && isKnown;
  }
  return std::move(outcome.status);
}

/// The plan of the first portion, which all devices are ready for; nothing if the launch is to run
/// at home, for a reason that has been noted.
std::optional<Planner::Planned> RankZero::agree(Progress::Lock &lock, Region &region,
                                                Launch &launch, Candidate &candidate) {
  while (true) {
    if (lost_.isAny()) {
      retireLost(lock);
      decider_.candidateFor(region.history, *launch.region,
                            launch.total); // Sets `candidate`, the region's.
    }
    catchUp(lock);
    const auto onDevices = decider_.planOnDevices(region.history, launch);
    const bool isOnDevices =
        onDevices && decider_.notePlanOnDevices(region.history, launch, *onDevices->plan);
    Decision decision = decider_.decide(region.history, launch, candidate, negotiator_.residency());
    if (isOnDevices && decision.planned.plan == onDevices->plan) {
      decision.planned.isKnown = onDevices->isKnown; // Not because it was made above.
    }
    region.report.reasonNoDevice = candidate.placement.reason;
    if (decision.sample > 0) {
      takeSample(lock, region, launch, decision.sample);
      continue;
    }
    if (!decision.reasonHome.empty()) {
      staysHome(region, decision.reasonHome);
      return std::nullopt;
    }
    if (launch.portion.count > 1) {
      launch.portion.index = goesBackwards_ ? launch.portion.count - 1 : 0;
      decision.planned = job_.planner.plan(launch);
    }
    const Status status = reserve(lock, launch, decision.planned);
    if (status && !decision.planned.plan->reasonHome.empty()) {
      staysHome(region, decision.planned.plan->reasonHome);
      return std::nullopt;
    }
    if (status && !lost_.isAny()) {
      return std::move(decision.planned);
    }
    if (!status) {
      decider_.keepOff(region.history, *launch.region, status);
      decider_.candidateFor(region.history, *launch.region, launch.total);
    }
  }
}

/// Goes on to the portion that follows; false if there is none. Devices still hold what the latest
/// portions of a launch have touched, so the next launch begins there and goes the other way.
bool RankZero::nextPortion(Launch &launch) {
  balance::Portion &portion = launch.portion;
  const bool isLast = goesBackwards_ ? portion.index == 0 : portion.index + 1 == portion.count;
  if (isLast) {
    goesBackwards_ = goesBackwards_ != (portion.count > 1);
    return false;
  }
  portion.index += goesBackwards_ ? -1 : 1;
  return true;
}

/// Nothing if the launch had to be undone.
std::optional<RankZero::Progressed> RankZero::runPortions(Progress::Lock &lock, Region &region,
                                                          Launch &launch, Planner::Planned &planned,
                                                          bool isMeasured) {
  Progressed went;
  while (true) {
    if (!run(lock, region, launch, planned, isMeasured)) {
      return std::nullopt;
    }
    went.isKnown = went.isKnown && planned.isKnown;
    // What is moved at each launch is part of what the loop takes.
    went.bytes += planned.plan->bytesToDistribute -
                  std::min(planned.plan->bytesToDistribute, planned.plan->bytesToMerge);
    if (!nextPortion(launch)) {
      return went;
    }
    catchUp(lock);
    planned = job_.planner.plan(launch);
    const Status status = reserve(lock, launch, planned);
    if (!status) {
      decider_.keepOff(region.history, *launch.region, status);
    }
    if (!status || !planned.plan->reasonHome.empty()) {
      finishOnHosts(lock, region, launch);
      return went;
    }
  }
}

/// Runs what is left of every part on the host of its rank, or here if there is no plan for that.
void RankZero::finishOnHosts(Progress::Lock &lock, Region &region, Launch &launch) {
  const std::vector<Share> shares = launch.shares;
  do {
    for (std::size_t index = 0; index < shares.size(); ++index) {
      launch.shares[index].place = job_.topology.rankOf(shares[index].place);
      launch.onlyShare = static_cast<std::int32_t>(index);
      catchUp(lock);
      const Planner::Planned planned = job_.planner.plan(launch);
      if (planned.plan->reasonHome.empty()) {
        const bool isDone = run(lock, region, launch, planned, false);
        TUTTI_CHECK(isDone, "undo a portion of the loop at {}", launch.region->source);
      } else {
        runHere(lock, launch, chunksOf(launch)[index]);
      }
      launch.shares = shares;
    }
  } while (nextPortion(launch));
}

/// Executes the first iterations of a launch at home, to see what they take there.
void RankZero::takeSample(Progress::Lock &lock, Region &region, Launch &launch,
                          std::int64_t iterations) {
  // A touch of a page that devices have, too, takes longer than what is to be measured.
  std::vector<Range> written;
  const memory::AccessSet touched =
      touchesOf(launch, job_.window, 0, iterations, allocationsOf(launch)).sets;
  for (const Range &range : touched.writes.ranges()) {
    written.push_back(memory::pagesAround(range));
  }
  bringHome(lock, RangeSet::of(std::move(written)));
  // The first half may be the first that runs on all cores: to start threads takes milliseconds.
  const std::int64_t middle = iterations / 2;
  double least = std::numeric_limits<double>::infinity(); // Of all, by what one half takes.
  for (const balance::Chunk &half : {balance::Chunk{0, middle}, {middle, iterations}}) {
    if (half.empty()) {
      continue;
    }
    const Clock::time_point begin = Clock::now();
    runHere(lock, launch, half);
    const double share =
        static_cast<double>(half.upper - half.lower) / static_cast<double>(iterations);
    least = std::min(least, secondsSince(begin) / share);
  }
  decider_.noteSample(region.history, iterations, least);
  launch.first = iterations;
}

/// Executes what a sample has left of a launch that stays home; false if none was taken.
bool RankZero::finishHere(Progress::Lock &lock, Region &region, const Launch &launch) {
  if (launch.first == 0) {
    return false;
  }
  const Clock::time_point begin = Clock::now();
  runHere(lock, launch, {launch.first, launch.total});
  const double seconds = secondsSince(begin);
  region.report.addHome(seconds);
  decider_.noteHome(region.history, launch.total - launch.first, seconds);
  return true;
}

/// Runs iterations as sequential code between launches: touches bring what they need.
void RankZero::runHere(Progress::Lock &lock, const Launch &launch, const balance::Chunk &chunk) {
  if (chunk.empty()) {
    return;
  }
  job_.progress.giveAway(
      lock, [&] { runAlone(*launch.region, launch.captures.data(), chunk, launch.total); });
}

/// One portion on all ranks, from its announcement. False if it had to be undone: then it is the
/// whole launch.
bool RankZero::run(Progress::Lock &lock, Region &region, Launch &launch,
                   const Planner::Planned &planned, bool isMeasured) {
  const auto &[plan, isKnown] = planned;
  launch.isTimed =
      !launch.task && launch.first == 0 && decider_.isToBeTimed(region.history, launch, planned);
  announcer_.announce(launch, view_);
  if (launch.isTimed) {
    decider_.beginsTimed(region.history, launch, *plan);
  }
  job_.planner.commit(*plan);
  if (const std::shared_ptr<Watched> index = finder_.unwatched(launch)) {
    job_.planner.watch(index);
  }
  job_.salvage.begins(launch, plan);
  negotiator_.use(plan, isKnown);
  view_.keep(*plan);
  // Before the lock is given away.
  if (launch.task || !launch.parcel.empty() || plan->isPortion) {
    view_.protect(plan);
  } else {
    view_.protectForetelling(plan);
  }
  decider_.notePlan(region.history, planned);
  statistics_.begins(planned, launch.portion.count > 1);
  ChunkRun chunk(job_, lock, launch, *plan);
  chunk.run(isKnown, isMeasured || launch.isTimed);
  if (launch.parcel.empty()) {
    chunk.finish();
  } // Else nobody writes what is on its way before the task has ended, which has it then.
  printed_ = chunk.takeOutput();
  job_.acknowledgements.finish(launch.sequence);
  view_.refresh(*plan);
  statistics_.ends(isKnown);
  lost_.say(job_.acknowledgements.byAll());
  if (launch.isTimed) {
    job_.times.tell(chunk.times());
  }
  return !chunk.hasStrayed();
}

void RankZero::waitForDevices() {
  Progress::Lock lock = job_.progress.lock();
  job_.progress.waitUntil(
      lock, [this]() TUTTI_IN_TURN { return !view_.isFetching() && orDie(job_.devices.isIdle()); });
}

trace::Report RankZero::finish() {
  {
    Progress::Lock lock = job_.progress.lock();
    job_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return view_.isIdle(); });
    if (lost_.isAny()) {
      retireLost(lock);
    }
    job_.shutdown.send();
    job_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return job_.isIdle(); });
    job_.shutdown.awaitOthers(lock);
  }
  job_.progress.stop();
  const Progress::Lock lock = job_.progress.lock();
  job_.loans.close();
  trace::Report report = statistics_.sum();
  lost_.say(announcer_.latest());
  for (const auto &[key, region] : regions_) {
    report.regions.push_back(region.report);
  }
  report.sortRegions();
  orDie(job_.endpoint.close());
  return report;
}

} // namespace tutti::model::forkjoin
