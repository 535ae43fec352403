// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/rank_zero.h"

#include "base/log.h"
#include "runtime/balance/cut.h"
#include "runtime/exec/chunk_run.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace tutti::exec {

namespace {

using Clock = std::chrono::steady_clock;
using memory::Access;
using memory::kPageBytes;

constexpr std::uint64_t kProbes = 16;

/// First guesses of what a device does: hosts that it is worth, seconds to start a kernel and hear
/// of its end (over the levels of a tree, see balance::Machine), bytes per second to and fro.
constexpr std::int32_t kDeviceGuess = 16;
constexpr double kDeviceLatency = 4e-6;
constexpr double kDeviceBandwidth = 10e9;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

} // namespace

RankZero::RankZero(Setup setup)
    : job_(std::move(setup.job)), window_(job_.window), pages_(setup.pages),
      objects_(std::move(setup.objects)), policy_(setup.distribute),
      placer_(job_.topology, std::move(setup.devices), setup.wanted), fetcher_(job_, pages_),
      twins_(window_) {
  hosts_.ranks = job_.size();
  devices_.ranks = kDeviceGuess * (job_.topology.places() - job_.topology.ranks());
  devices_.latency = kDeviceLatency;
  devices_.bandwidth = kDeviceBandwidth;
}

void RankZero::start() {
  job_.start({[this] { return fetcher_.progress(); }, [this] { return !fetcher_.isIdle(); }});
  if (policy_ == Distribute::Auto && job_.size() > 1) {
    measureLatency();
  }
}

/// The shortest of a few round trips: the others met something else.
void RankZero::measureLatency() {
  const std::vector<std::byte> probe = Writer().add(MessageKind::Probe).bytes();
  double best = std::numeric_limits<double>::max();
  Progress::Lock lock = job_.progress.lock();
  for (std::uint64_t sent = 1; sent <= kProbes; ++sent) {
    const Clock::time_point begin = Clock::now();
    job_.sendControl(1, probe);
    job_.progress.waitUntil(lock, [&] { return job_.inbox.probes == sent; });
    best = std::min(best, secondsSince(begin) / 2);
  }
  hosts_.latency = best;
}

RankZero::RegionRecord &RankZero::recordOf(const tutti_region &region) {
  RegionRecord &record = regions_[&region];
  record.report.source = region.source;
  return record;
}

void RankZero::staysHome(const tutti_region &region, std::string_view reason) {
  trace::RegionReport &report = recordOf(region).report;
  ++report.launches;
  if (report.reasonHome != reason) {
    report.reasonHome = reason;
  }
}

void RankZero::ranHome(const tutti_region &region, double seconds) {
  recordOf(region).report.seconds += seconds;
}

void RankZero::ranHome(const Launch &launch, double seconds) {
  ranHome(*launch.region, seconds);
  RegionRecord &record = recordOf(*launch.region);
  record.onHosts.addHome(hosts_, launch.total, seconds, record.bytesToStayHome);
  record.onDevices.addHome(devices_, launch.total, seconds, record.bytesToStayHome);
}

std::optional<Launch> RankZero::prepare(const tutti_region &region, const std::uint64_t *captures,
                                        std::uint64_t frame) {
  if (policy_ == Distribute::Never) {
    staysHome(region, "distribution is switched off");
    return std::nullopt;
  }
  Launch launch = std::exchange(spare_, {});
  launch.region = &region;
  launch.frame = frame;
  launch.captures.assign(captures, captures + region.captures);
  launch.values.assign(region.values, 0);
  launch.blocks.clear();
  tutti_gather gather{&window_, std::move(launch.blocks), false};
  region.gather(captures, launch.values.data(), &gather);
  launch.blocks = std::move(gather.blocks);
  if (gather.isOutside) {
    staysHome(region, "it reads memory outside of unified memory");
    return std::nullopt;
  }
  launch.total = region.trip(captures, launch.values.data());
  if (launch.total < 2) {
    staysHome(region, "it has fewer than two iterations");
    return std::nullopt;
  }
  return launch;
}

void RankZero::recycle(Launch &&launch) { spare_ = std::move(launch); }

/// Asks the whole loop which allocations it wants to know; the same for every part of it, and for
/// every launch with the same captures and values.
const std::map<std::uint64_t, tutti_sink::Asked> &
RankZero::allocationsAsked(RegionRecord &record, const Launch &launch) const {
  const auto isSame = [&](const RegionRecord::Asked &asked) {
    if (asked.captures != launch.captures || asked.values.size() != launch.values.size()) {
      return false;
    }
    for (std::size_t index = 0; index < launch.values.size(); ++index) {
      if (asked.values[index] != launch.values[index] && isShaping(*launch.region, index)) {
        return false;
      }
    }
    return true;
  };
  const auto known = std::find_if(record.asked.begin(), record.asked.end(), isSame);
  if (known != record.asked.end()) {
    return known->allocations;
  }
  constexpr std::size_t kMany = 8; // Buffers change places, and the like.
  if (record.asked.size() == kMany) {
    record.asked.erase(record.asked.begin());
  }
  const auto allocationOf = [&](std::uint64_t address) {
    return objects_.at(address, launch.frame);
  };
  record.asked.push_back(
      {launch.captures, launch.values, touchesOf(launch, window_, 0, 1, allocationOf).allocations});
  return record.asked.back().allocations;
}

void RankZero::findAllocations(RegionRecord &record, Launch &launch) const {
  launch.allocations.clear();
  for (const auto &[address, asked] : allocationsAsked(record, launch)) {
    const Range range = objects_.at(address, launch.frame);
    // Nobody may bring back all of the stack: rank 0 goes on writing there.
    if (!range.empty() && !(asked.isWritten && window_.stack().contains(range))) {
      launch.allocations.push_back({address, range});
    }
  }
}

/// The same for all launches of a region, unless measured speeds decide.
const Placement &RankZero::placementOf(RegionRecord &record, const tutti_region &region,
                                       std::uint32_t wanted) const {
  if (!record.placement || wanted == TUTTI_DEVICE_HYBRID) {
    record.placement = placer_.place(region, wanted, record.factors, record.shares);
  }
  return *record.placement;
}

RankZero::Option &RankZero::optionFor(RegionRecord &record, const tutti_region &region) const {
  const std::uint32_t wanted = placer_.wantedFor(region);
  Option &option = record.option;
  if (record.keptOff.empty()) {
    option.placement = placementOf(record, region, wanted);
  } else {
    option.placement = placer_.hosts();
    option.placement.reason = record.keptOff;
  }
  option.isWanted = false;
  option.machine = &hosts_;
  option.history = &record.onHosts;
  if (option.placement.usesDevices) {
    option.isWanted = wanted != TUTTI_DEVICE_AUTO;
    option.machine = &devices_;
    option.history = &record.onDevices;
  }
  option.isWanted = option.isWanted || policy_ == Distribute::Always;
  return option;
}

bool RankZero::isWorth(const Option &option, const Launch &launch, const Plan &plan) const {
  return option.isWanted ||
         balance::isWorthDistributing(*option.machine, *option.history,
                                      {launch.total, static_cast<double>(plan.bytesTouched),
                                       static_cast<double>(plan.bytesToDistribute),
                                       static_cast<double>(plan.bytesToStayHome)});
}

/// On this rank's devices; nothing has been announced yet.
Status RankZero::makeReady(const Launch &launch, const Plan &plan) {
  for (const DevicePart &part : plan.devices) {
    TUTTI_TRY(job_.devices.commit(part.device, part.touched));
    TUTTI_TRY(job_.devices.load(part.device, launch, part.chunk, plan.isDisjoint));
  }
  return {};
}

/// The plan of `launch` where `option` places it. Where a device of this rank turns out too small,
/// or its driver too old, that of the hosts: nothing has been announced, so all data is whole.
Planner::Planned RankZero::plan(RegionRecord &record, Launch &launch, Option &option) {
  launch.shares = option.placement.shares;
  Planner::Planned planned = job_.planner.plan(launch);
  if (!planned.plan->reasonHome.empty()) {
    return planned;
  }
  if (placer_.dropIdle(launch.shares, planned.plan->bytesTouched)) {
    planned = job_.planner.plan(launch);
  }
  const Status status = makeReady(launch, *planned.plan);
  if (status) {
    return planned;
  }
  const ErrorCode code = status.error().code;
  if (code == ErrorCode::OutOfMemory) {
    record.keptOff = "a device cannot hold its part of the data";
  } else if (code == ErrorCode::WrongImage || code == ErrorCode::NotSupported) {
    record.keptOff = "the driver refuses its kernel";
  } else {
    orDie(status);
  }
  log::warn("the loop at {} is kept off devices: {}", launch.region->source,
            status.error().message);
  optionFor(record, *launch.region); // Sets `option`, which is the record's.
  launch.shares = option.placement.shares;
  return job_.planner.plan(launch);
}

bool RankZero::distribute(Launch &launch) {
  const tutti_region &region = *launch.region;
  RegionRecord &record = recordOf(region);
  Option &option = optionFor(record, region);
  record.report.reasonNoDevice = option.placement.reason;
  if ((region.flags & TUTTI_REGION_INDIVISIBLE) != 0 && !option.placement.usesDevices) {
    staysHome(region, region.reason);
    return false;
  }
  if (option.placement.shares.size() == 1 && option.placement.shares.front().place == 0) {
    staysHome(region,
              option.placement.reason.empty() ? "there is one rank only" : option.placement.reason);
    return false;
  }
  if (!option.isWanted && balance::isTooShort(*option.machine, *option.history, launch.total)) {
    record.bytesToStayHome = 0;
    staysHome(region, "it is too short");
    return false;
  }
  const Clock::time_point begin = Clock::now();
  findAllocations(record, launch);
  Progress::Lock lock = job_.progress.lock();
  // Before planning: what is fetched belongs to the state before, and waiting lets events happen.
  job_.progress.waitUntil(
      lock, [this] { return fetcher_.isIdle() && sequence_ < job_.acknowledged() + Job::kAhead; });
  std::vector<memory::Event> changes;
  twins_.collect(job_.planner.directory(), changes);
  fetcher_.record(changes);
  const auto [plan, isKnown] = this->plan(record, launch, option);
  if (!plan->reasonHome.empty()) {
    staysHome(region, plan->reasonHome);
    return false;
  }
  record.bytesToStayHome = static_cast<double>(plan->bytesToStayHome);
  if (!isWorth(option, launch, *plan)) {
    staysHome(region, "distributing it would cost more than it gains");
    return false;
  }
  const bool isMeasured = isToBeMeasured(option);
  if (isMeasured) {
    job_.progress.waitUntil(lock, [this] { return orDie(job_.devices.isIdle()); });
  }
  const Clock::time_point announced = Clock::now();
  announce(launch);
  job_.planner.commit(*plan);
  // A protected page needs no copy: a write to it faults.
  twins_.keep(plan->twinPages,
              [this](std::uint64_t page) { return pages_.at(page) == Access::Open; });
  ++(isKnown ? job_.counters.plansReused : job_.counters.plansMade);
  ChunkRun chunk(job_, lock, launch, *plan);
  chunk.run(isKnown, isMeasured);
  chunk.finish();
  job_.finished(launch.sequence);
  protect(plan);
  twins_.refresh(plan->exchanged);
  countSteps(isKnown);
  record.report.addDistributed(secondsSince(begin), isKnown, option.placement.usesDevices);
  record.shares = launch.shares;
  if (isKnown && isMeasured) {
    noteSpeeds(record, *plan, chunk.hostSeconds());
  }
  if (isMeasured) {
    option.history->addDistributed(*option.machine, launch.total, secondsSince(announced),
                                   static_cast<double>(plan->bytesToDistribute));
  }
  return true;
}

/// A choice that rests on time needs the time of whole launches: of some, because waiting for their
/// end lets the devices idle in between.
bool RankZero::isToBeMeasured(const Option &option) const {
  constexpr Sequence kEvery = 16;
  const bool isHybrid = option.placement.shares.front().place == 0;
  return !option.placement.usesDevices || isHybrid ||
         (!option.isWanted && (!option.history->distributed.isKnown() || sequence_ % kEvery == 0));
}

/// Of this rank's places, for the next cut.
void RankZero::noteSpeeds(RegionRecord &record, const Plan &plan, double seconds) {
  record.factors.add(0, plan.chunk.upper - plan.chunk.lower, seconds);
  for (const DevicePart &part : plan.devices) {
    record.factors.add(job_.topology.deviceOf(0, part.device), part.chunk.upper - part.chunk.lower,
                       job_.devices.seconds(part.device));
  }
}

void RankZero::announce(Launch &launch) {
  launch.sequence = ++sequence_;
  launch.events = fetcher_.takeEvents();
  fetcher_.announced(sequence_);
  if (job_.size() > 1) {
    job_.passDown(encode(launch));
  }
}

void RankZero::protect(const std::shared_ptr<const Plan> &plan) {
  const auto known = protectedAt_.find(plan);
  if (known != protectedAt_.end() && known->second == pages_.version()) {
    return;
  }
  orDie(pages_.tighten(plan->absentPages, Access::None));
  orDie(pages_.tighten(plan->readOnlyPages, Access::ReadOnly));
  twins_.drop(plan->absentPages);
  twins_.drop(plan->readOnlyPages);
  constexpr std::size_t kMany = 64;
  if (protectedAt_.size() >= kMany) {
    protectedAt_.clear();
  }
  protectedAt_[plan] = pages_.version();
}

void RankZero::countSteps(bool isKnown) {
  const std::uint64_t faults = memory::faultCount();
  const std::uint64_t protections = pages_.protections();
  if (isKnown) {
    job_.counters.steadyFaults += faults - faultsBefore_;
    job_.counters.steadyProtections += protections - protectionsBefore_;
  }
  faultsBefore_ = faults;
  protectionsBefore_ = protections;
}

void RankZero::ready(Range range, bool write) {
  if (range.empty() || !window_.contains(range) ||
      !pages_.anyStricter(range, write ? Access::Open : Access::ReadOnly)) {
    return;
  }
  memory::Touch touch;
  touch.range = range;
  touch.write = write;
  job_.queue.await(touch);
}

trace::Report RankZero::finish() {
  {
    Progress::Lock lock = job_.progress.lock();
    job_.progress.waitUntil(lock, [this] { return fetcher_.isIdle(); });
    job_.passDown(Writer().add(MessageKind::Shutdown).bytes());
    job_.progress.waitUntil(
        lock, [this] { return job_.streams.isIdle() && orDie(job_.devices.isIdle()); });
  }
  job_.progress.stop();
  trace::Report report;
  report.ranks = job_.size();
  job_.counters.faults = memory::faultCount();
  job_.counters.protections = pages_.protections();
  report.counters = job_.counters;
  orDie(job_.endpoint.sum(report.counters.all()));
  for (const auto &[region, record] : regions_) {
    report.regions.push_back(record.report);
  }
  std::sort(report.regions.begin(), report.regions.end(),
            [](const auto &a, const auto &b) { return a.source < b.source; });
  orDie(job_.endpoint.close());
  return report;
}

} // namespace tutti::exec
