// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/rank_zero.h"

#include "base/check.h"
#include "base/log.h"
#include "runtime/balance/cut.h"
#include "runtime/exec/kernel_choice.h"
#include "runtime/exec/or_die.h"
#include "runtime/model/forkjoin/chunk_run.h"
#include "runtime/protocol/eviction.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace tutti::model::forkjoin {

using namespace exec;
using namespace protocol;

namespace {

using Clock = std::chrono::steady_clock;
using memory::Access;
using memory::kPageBytes;

/// First guesses of what a device does: hosts that it is worth, seconds to start a kernel and hear
/// of its end (over the levels of a tree, see balance::Machine), bytes per second to and fro.
constexpr std::int32_t kDeviceGuess = 16;
constexpr double kDeviceLatency = 4e-6;
constexpr double kDeviceBandwidth = 10e9;
constexpr double kDeviceMemoryBandwidth = 1e12;

/// From so many plans of a region on, its launches are taken to be new each time, and to move on
/// through what they touch.
constexpr std::uint32_t kManyPlans = 8;

/// What a new cut costs beside the bytes that it moves.
constexpr double kCutSeconds = 100e-6;
/// A loop stays where its data lies only if less than this fraction of what it touches moves.
constexpr std::uint64_t kMostMoved = 8;
/// Of the launches for which that fails in a row, the wait for another try doubles so often.
constexpr std::uint32_t kMostCutsMissed = 6;

/// Nobody but the host of rank 0.
bool isHome(const Placement &placement) {
  return placement.shares.size() == 1 && placement.shares.front().place == 0;
}

std::string_view reasonHome(const Placement &placement) {
  return placement.reason.empty() ? placement.alone : placement.reason;
}

constexpr std::string_view kCostsMore = "distributing it would cost more than it gains";
constexpr std::string_view kStrayed = "it follows a pointer to memory outside of unified memory";

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

} // namespace

RankZero::RankZero(Setup setup)
    : job_(std::move(setup.job)), window_(job_.window), pages_(setup.pages),
      finder_(window_, std::move(setup.objects)), policy_(setup.distribute),
      placer_(job_.topology, std::move(setup.devices), setup.wanted), fetcher_(job_, pages_),
      twins_(window_), residency_(job_.topology, job_.rooms), protectedStack_(window_.stack().end) {
  hosts_.ranks = job_.size();
  devices_.ranks = kDeviceGuess * (job_.topology.places() - job_.topology.ranks());
  devices_.latency = kDeviceLatency;
  devices_.bandwidth = kDeviceBandwidth;
  devices_.areAlike = false;
}

void RankZero::start() {
  job_.salvage.setReadHost([this](std::uint64_t address, std::span<std::byte> target) {
    return readShared(address, target);
  });
  job_.serve({[this] { return fetcher_.progress(); }, [this] { return !fetcher_.isIdle(); }});
  job_.start();
  if (policy_ == Distribute::Auto && job_.size() > 1) {
    Progress::Lock lock = job_.progress.lock();
    hosts_.latency = job_.probes.measure(lock, 1);
  }
}

/// Copies bytes that other places have, too, as they were behind the latest launch. A launch that
/// is under way keeps the program from changing any; else it may have where no fault tells.
bool RankZero::readShared(std::uint64_t address, std::span<std::byte> target) const {
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
  sayLost(job_.acknowledgements.byAll());
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
  if ((region.flags & TUTTI_REGION_THREADS) != 0 && captures[region.captures - 1] == 1) {
    staysHome(region, "it asks for one thread, which executes its iterations in their order");
    return std::nullopt;
  }
  Launch launch = std::move(spare_); // Whose vectors are empty then.
  launch.region = &region;
  launch.frame = frame;
  launch.onlyShare = Launch().onlyShare;
  launch.portion = {};
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

/// The same for all launches of a region, unless measured speeds decide.
const Placement &RankZero::placementOf(RegionRecord &record, const tutti_region &region,
                                       std::uint32_t wanted) const {
  const bool scatters = (region.flags & (TUTTI_REGION_SCATTERS | TUTTI_REGION_CHASES)) != 0;
  if (!record.placement && scatters && wanted == TUTTI_DEVICE_AUTO &&
      policy_ != Distribute::Always) {
    // What several places write travels at every launch; what one device writes stays there, or at
    // least is not read by others.
    record.placement = placer_.oneDevice(region);
  } else if (!record.placement || wanted == TUTTI_DEVICE_HYBRID) {
    record.placement = placer_.place(region, wanted, record.factors, record.shares);
  }
  return *record.placement;
}

RankZero::Option RankZero::hostsOnly(RegionRecord &record, std::string_view reason) const {
  Option option{placer_.hosts(), policy_ == Distribute::Always, &hosts_, &record.onHosts};
  option.placement.reason = reason;
  return option;
}

RankZero::Option &RankZero::optionFor(RegionRecord &record, const tutti_region &region) const {
  const std::uint32_t wanted = placer_.wantedFor(region);
  Option &option = record.option;
  if (!record.keptOff.empty()) {
    option = hostsOnly(record, record.keptOff);
    return option;
  }
  option.placement = placementOf(record, region, wanted);
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
                                       static_cast<double>(plan.bytesToStayHome),
                                       static_cast<double>(plan.bytesToMerge)});
}

/// Until nothing is under way that belongs to the state before: what is fetched, and what the
/// program has changed in pages that cannot be protected. Waiting lets events happen.
void RankZero::settle(Progress::Lock &lock) {
  job_.progress.waitUntil(lock, [this] {
    return fetcher_.isIdle() &&
           sequence_ < job_.acknowledgements.bySubtree() + Acknowledgements::kAhead;
  });
  // In a steady loop nobody looks into the directory.
  if (twins_.haveChanged()) {
    std::vector<memory::Event> changes;
    twins_.collect(job_.planner.directory(), changes);
    fetcher_.record(changes);
  }
}

/// The plan of `launch`, if it is known.
std::optional<Planner::Planned> RankZero::findPlan(const RegionRecord &record, Launch &launch) {
  launch.takesHulls = false;
  std::optional<Planner::Planned> known = job_.planner.find(launch);
  if (!known && record.plansMade >= kManyPlans) {
    launch.takesHulls = true;
    known = job_.planner.find(launch);
  }
  return known;
}

/// Known or not.
Planner::Planned RankZero::planOf(const RegionRecord &record, Launch &launch) {
  if (record.plansMade >= kManyPlans) {
    if (std::optional<Planner::Planned> known = findPlan(record, launch)) {
      return std::move(*known);
    }
  } else {
    launch.takesHulls = false;
  }
  return job_.planner.plan(launch);
}

/// The plan of `launch` as a whole where `option` places it, or on fewer devices if it is too short
/// for all: those that had the one before, and in any case not where nothing has to move.
Planner::Planned RankZero::planOnAll(RegionRecord &record, Launch &launch, const Option &option) {
  const auto drop = [&](std::uint64_t bytes) {
    launch.shares = option.placement.shares;
    return placer_.dropIdle(launch.shares, bytes);
  };
  if (record.bytesOnFewer > 0 && drop(record.bytesOnFewer)) {
    Planner::Planned planned = planOf(record, launch);
    const std::size_t devices = launch.shares.size();
    if (planned.plan->isInPlace && drop(planned.plan->bytesTouched) &&
        launch.shares.size() == devices) {
      return planned;
    }
  }
  record.bytesOnFewer = 0;
  // The parts of unlike places follow their speeds.
  const bool isHybrid = option.placement.usesDevices && option.placement.shares.front().place == 0;
  if (option.placement.shares.size() > 1 && !isHybrid) {
    if (auto known = planAsBefore(record, launch, option)) {
      return std::move(*known);
    }
    if (auto planned = planWhereDataIs(record, launch, option)) {
      noteCut(record, launch);
      return std::move(*planned);
    }
  }
  launch.shares = option.placement.shares;
  Planner::Planned planned = planOf(record, launch);
  noteCut(record, launch);
  if (planned.plan->reasonHome.empty() && !planned.plan->isInPlace &&
      placer_.dropIdle(launch.shares, planned.plan->bytesTouched)) {
    record.bytesOnFewer = planned.plan->bytesTouched;
    planned = planOf(record, launch);
  }
  return planned;
}

void RankZero::noteCut(RegionRecord &record, const Launch &launch) {
  if (record.cuts[0] != launch.shares) {
    record.cuts[1] = std::exchange(record.cuts[0], launch.shares);
  }
}

/// The plan of `launch` cut as one of those before, if that is known.
std::optional<Planner::Planned> RankZero::planAsBefore(const RegionRecord &record, Launch &launch,
                                                       const Option &option) {
  const auto isSamePlace = [](const Share &a, const Share &b) { return a.place == b.place; };
  for (const std::vector<Share> &cut : record.cuts) {
    if (std::ranges::equal(cut, option.placement.shares, isSamePlace)) {
      launch.shares = cut;
      if (std::optional<Planner::Planned> known = findPlan(record, launch)) {
        return known;
      }
    }
  }
  return std::nullopt;
}

/// Whether a loop that lies as `owned` says is to be cut as `option` says, for whatever that moves.
bool RankZero::isCutDue(RegionRecord &record, const Launch &launch, const Option &option,
                        const Owned &owned) {
  std::vector<std::uint32_t> weights;
  for (const Share &share : option.placement.shares) {
    weights.push_back(share.weight);
  }
  const balance::Cuts cuts{owned.iterations, weights};
  const auto stride = static_cast<double>(owned.stride);
  const auto iterations = static_cast<double>(launch.total);
  double seconds = option.history->distributed.seconds() * iterations;
  if (seconds <= 0) {
    const double bandwidth =
        option.placement.usesDevices ? kDeviceMemoryBandwidth : option.machine->memoryBandwidth;
    seconds = stride * iterations / bandwidth / static_cast<double>(weights.size());
  }
  return record.recut.isDue(cuts.imbalance(), seconds,
                            cuts.moved() * stride / option.machine->bandwidth + kCutSeconds);
}

/// The plan of `launch` cut where its data lies, if that spares nearly all moves and the parts are
/// not too unequal; else nothing.
std::optional<Planner::Planned> RankZero::planWhereDataIs(RegionRecord &record, Launch &launch,
                                                          const Option &option) {
  // A loop that was not able to stay is asked more and more seldom.
  const std::uint32_t wait = (1U << std::min(record.cutsMissed, kMostCutsMissed)) - 1;
  if (record.cutsSkipped++ < wait) {
    return std::nullopt;
  }
  launch.shares = option.placement.shares;
  if (const auto owned = ownedBy(launch, window_, job_.planner.directory())) {
    if (isCutDue(record, launch, option, *owned)) {
      return std::nullopt;
    }
    for (std::size_t part = 0; part < launch.shares.size(); ++part) {
      launch.shares[part].weight = owned->iterations[part];
    }
    const Planner::Planned planned = planOf(record, launch);
    if (planned.plan->reasonHome.empty() &&
        planned.plan->bytesToDistribute <= planned.plan->bytesTouched / kMostMoved) {
      record.cutsMissed = 0;
      record.cutsSkipped = 0;
      return planned;
    }
  }
  record.cutsSkipped = 0;
  ++record.cutsMissed;
  return std::nullopt;
}

/// The plan of `launch` as a whole where `option` places it, less devices that can hold no portion
/// of it; nothing if that leaves nothing but home. Sets how many portions it takes.
std::optional<Planner::Planned> RankZero::plan(RegionRecord &record, Launch &launch,
                                               Option &option) {
  while (!isHome(option.placement)) {
    launch.portion = {};
    Planner::Planned planned = planOnAll(record, launch, option);
    if (!planned.plan->reasonHome.empty()) {
      staysHome(*launch.region, planned.plan->reasonHome);
      return std::nullopt;
    }
    if (residency_.fits(*planned.plan)) {
      return planned;
    }
    const Planner::Division division = job_.planner.divide(launch);
    if (!division.tooSmall) {
      launch.portion.count = division.portions;
      return planned;
    }
    passOver(*division.tooSmall, record, launch, option);
  }
  staysHome(*launch.region, reasonHome(option.placement));
  return std::nullopt;
}

/// Takes a device out of `option` that cannot hold the smallest portion of its part.
void RankZero::passOver(Place place, RegionRecord &record, const Launch &launch,
                        Option &option) const {
  constexpr std::string_view kReason = "a device cannot hold the smallest portion of it";
  if (!std::exchange(record.isTooLarge, true)) {
    log::warn("the loop at {} passes over a device of rank {}: the smallest portion of it takes "
              "more than the {} bytes that the device holds",
              launch.region->source, job_.topology.rankOf(place),
              job_.rooms.capacity(static_cast<std::size_t>(place - job_.topology.ranks())));
  }
  std::vector<Share> shares = launch.shares;
  std::erase_if(shares, [&](const Share &share) { return share.place == place; });
  const bool hasDevices = std::any_of(shares.begin(), shares.end(), [this](const Share &share) {
    return !job_.topology.isHost(share.place);
  });
  if (hasDevices) {
    option.placement.shares = std::move(shares);
  } else {
    option = hostsOnly(record, kReason);
  }
  option.placement.reason = kReason;
}

/// The plan of `launch`, or nothing if it is to run at home, for a reason that has been noted.
std::optional<Planner::Planned> RankZero::decide(Progress::Lock &lock, RegionRecord &record,
                                                 Launch &launch, Option &option) {
  settle(lock);
  const bool isWeighed = !option.isWanted;
  const Clock::time_point begin = isWeighed ? Clock::now() : Clock::time_point();
  std::optional<Planner::Planned> planned = plan(record, launch, option);
  record.report.reasonNoDevice = option.placement.reason;
  if (isWeighed && option.history) {
    option.history->planning.add(secondsSince(begin));
  }
  if (!planned) {
    return std::nullopt;
  }
  record.bytesToStayHome = static_cast<double>(planned->plan->bytesToStayHome);
  if (!isWorth(option, launch, *planned->plan)) {
    staysHome(*launch.region, kCostsMore);
    return std::nullopt;
  }
  return planned;
}

/// What the devices of other ranks need before their parts of `plan`; none that need nothing.
std::vector<Reservation> RankZero::reservationsFor(const Launch &launch, const Plan &plan) const {
  std::vector<Reservation> reservations;
  if (residency_.isRecent(plan)) {
    return reservations;
  }
  for (std::size_t device = 0; device < plan.parts.size(); ++device) {
    const Place place = job_.topology.ranks() + static_cast<Place>(device);
    const balance::Chunk &part = plan.parts[device];
    if (part.empty() || job_.topology.rankOf(place) == 0) {
      continue;
    }
    const auto choice = chooseKernel(launch, part, placer_.formatOf(place), plan.isDisjoint);
    const KernelName name{launch.region->id, choice ? choice->mapping : 0};
    if (choice && !loaded_.contains({place, name})) {
      reservations.push_back({sequence_, place, {}, {}, {}, {name}});
    }
  }
  return reservations;
}

/// Announces that units leave a device, and forgets them.
void RankZero::release(const Leaving &leaving) {
  fetcher_.record(eventsOf(leaving, job_.topology));
  residency_.left(leaving);
}

/// The first refusal. What was taken or loaded stays so in any case.
Status RankZero::awaitAnswers(Progress::Lock &lock, const std::vector<Reservation> &asked) {
  const std::map<Place, Status> answers = job_.reservations.await(lock);
  Status refusal;
  for (const Reservation &reservation : asked) {
    const Status &answer = answers.at(reservation.place);
    if (answer || answer.error().code != ErrorCode::OutOfMemory) {
      residency_.holds({reservation.place, reservation.units});
    }
    if (answer) {
      for (const KernelName &kernel : reservation.kernels) {
        loaded_.emplace(reservation.place, kernel);
      }
    } else if (refusal) {
      refusal = failure(answer.error().code, "rank {}: {}", job_.topology.rankOf(reservation.place),
                        answer.error().message);
    }
  }
  return refusal;
}

/// Has all devices make room, take memory and get the kernel ready. The portion has not been
/// announced yet, so all data is whole if one refuses.
Status RankZero::makeReady(Progress::Lock &lock, const Launch &launch, Planner::Planned &planned) {
  const std::shared_ptr<const Plan> plan = planned.plan;
  if (residency_.isRecent(*plan) && plan->merged.empty()) {
    return {}; // Nothing has left since it ran, and no device needs more for it than its units.
  }
  const std::vector<Leaving> leaving = residency_.makeRoom(*plan);
  const std::vector<Leaving> lacking = residency_.lacking(*plan);
  std::vector<Reservation> reservations = reservationsFor(launch, *plan);
  const auto reservationOf = [&](Place place) -> Reservation & {
    const auto known = std::ranges::find(reservations, place, &Reservation::place);
    return known != reservations.end()
               ? *known
               : reservations.emplace_back(Reservation{sequence_, place, {}, {}, {}, {}});
  };
  for (const Leaving &units : lacking) {
    if (job_.topology.rankOf(units.place) != 0) {
      reservationOf(units.place).units = units.units;
    }
  }
  for (const Leaving &units : leaving) {
    if (job_.topology.rankOf(units.place) != 0) {
      Reservation &reservation = reservationOf(units.place);
      reservation.leaving = units.units;
      reservation.rescued = job_.planner.directory().onlyAt(units.place, units.units);
      release(units);
    }
  }
  for (const Reservation &reservation : reservations) {
    job_.reservations.ask(reservation);
  }
  for (const Leaving &units : leaving) {
    if (job_.topology.rankOf(units.place) == 0) {
      const Status status = job_.evictions.evict(lock, units);
      if (status) {
        release(units);
      } else {
        // What is gone leaves the device only if somebody needs it.
        orDie(job_.devices.isLost(job_.topology.indexOf(units.place)) ? Status() : status);
      }
    }
  }
  const Status own = makeOwnReady(launch, *plan, lacking);
  const Status others = awaitAnswers(lock, reservations);
  if (!leaving.empty() || !reservations.empty()) {
    settle(lock); // Waiting has let events happen.
    const bool isKnown = planned.isKnown;
    planned = job_.planner.plan(launch);
    planned.isKnown = planned.isKnown && isKnown;
  }
  return own ? others : own;
}

/// The same for this rank's.
Status RankZero::makeOwnReady(const Launch &launch, const Plan &plan,
                              const std::vector<Leaving> &lacking) {
  for (const DevicePart &part : plan.devices) {
    TUTTI_TRY(job_.devices.commit(part.device, part.touched));
    const Place place = job_.topology.deviceOf(0, part.device);
    const auto units = std::ranges::find(lacking, place, &Leaving::place);
    if (units != lacking.end()) {
      residency_.holds(*units);
    }
    TUTTI_TRY(job_.devices.load(part.device, launch, part.chunk, plan.isDisjoint));
  }
  return {};
}

/// Devices get no more launches of a region for which one has no memory, or whose kernel its driver
/// refuses.
void RankZero::keepOff(RegionRecord &record, const Launch &launch, const Status &status) const {
  const ErrorCode code = status.error().code;
  if (code == ErrorCode::OutOfMemory) {
    record.keptOff = "a device has no memory left";
  } else if (code == ErrorCode::WrongImage || code == ErrorCode::NotSupported) {
    record.keptOff = "the driver refuses its kernel";
  } else {
    orDie(status);
  }
  log::warn("the loop at {} is kept off devices: {}", launch.region->source,
            status.error().message);
}

/// No later launch uses devices that are lost; their ranks' hosts have what they held, unless it is
/// gone. Whether there were any.
bool RankZero::dropLost(Progress::Lock &lock) {
  if (job_.losses.isEmpty()) {
    return false;
  }
  settle(lock);
  for (const Loss &loss : job_.losses.take()) {
    std::vector<Range> held;
    const memory::Directory &directory = job_.planner.directory();
    directory.forEach({0, ~std::uint64_t{0}}, [&](Range run, const memory::Holders &holders) {
      if (std::ranges::binary_search(holders, loss.place)) {
        held.push_back(run);
      }
    });
    const RangeSet gone = directory.onlyAt(loss.place, loss.gone);
    fetcher_.record(
        eventsOf({loss.place, RangeSet::of(std::move(held)).subtract(gone)}, job_.topology));
    placer_.drop(loss.place);
    lost_.emplace_back(sequence_, fmt::format("a device of rank {} is used no more: {}",
                                              job_.topology.rankOf(loss.place), loss.why));
  }
  for (auto &[region, record] : regions_) {
    record.placement.reset();
    record.shares.clear();
  }
  return true;
}

/// Of devices all of whose launches are finished: if one cannot be, there is a line about that.
void RankZero::sayLost(Sequence finished) {
  std::erase_if(lost_, [finished](const auto &line) {
    if (line.first > finished) {
      return false;
    }
    log::warn("{}", line.second);
    return true;
  });
}

/// What a launch may read that follows pointers, and tells it how far they may lead.
void RankZero::findEverything(Launch &launch) {
  launch.everywhere.clear();
  if (!isChasing(*launch.region)) {
    return;
  }
  const std::uint64_t address = touchesOf(launch, window_, 0, 1, allocationsOf(launch)).reach;
  const Range range{address, address + sizeof(tutti_reach)};
  if (!window_.contains(range)) {
    return; // It follows none this time, or stays home.
  }
  launch.everywhere = finder_.objects().all(launch.frame, window_.globals());
  ready(range, true);
  *reinterpret_cast<tutti_reach *>(address) = reachOf(window_);
}

bool RankZero::distribute(Launch &launch) {
  const tutti_region &region = *launch.region;
  RegionRecord &record = recordOf(region);
  Option &option = optionFor(record, region);
  record.report.reasonNoDevice = option.placement.reason;
  if (isHome(option.placement)) {
    staysHome(region, reasonHome(option.placement));
    return false;
  }
  if (!option.isWanted && balance::isTooShort(*option.machine, *option.history, launch.total)) {
    record.bytesToStayHome = 0;
    staysHome(region, "it is too short");
    return false;
  }
  if (!option.isWanted && !balance::isWorthALook(*option.history)) {
    record.bytesToStayHome = 0;
    staysHome(region, kCostsMore);
    return false;
  }
  if (record.hasStrayed) {
    staysHome(region, kStrayed);
    return false;
  }
  const bool isMeasured = isToBeMeasured(option);
  const Clock::time_point begin = job_.keepsTime || isMeasured ? Clock::now() : Clock::time_point();
  if (const std::string_view reason = finder_.complete(launch); !reason.empty()) {
    staysHome(region, reason);
    return false;
  }
  findEverything(launch);
  Progress::Lock lock = job_.progress.lock();
  std::optional<Planner::Planned> planned = ready(lock, record, launch, option);
  if (!planned) {
    return false;
  }
  double waited = 0; // For launches before.
  if (isMeasured) {
    const Clock::time_point beginOfWait = Clock::now();
    job_.progress.waitUntil(lock, [this] { return orDie(job_.devices.isIdle()); });
    waited = secondsSince(beginOfWait);
  }
  bool isKnown = true;
  std::uint64_t bytes = 0;
  while (true) {
    if (!run(lock, record, launch, *planned, isMeasured)) {
      record.hasStrayed = true;
      staysHome(region, kStrayed);
      return false;
    }
    isKnown = isKnown && planned->isKnown;
    // What is moved at each launch is part of what the loop takes.
    bytes += planned->plan->bytesToDistribute -
             std::min(planned->plan->bytesToDistribute, planned->plan->bytesToMerge);
    if (++launch.portion.index == launch.portion.count) {
      break;
    }
    settle(lock);
    planned = job_.planner.plan(launch);
    if (const Status status = makeReady(lock, launch, *planned); !status) {
      keepOff(record, launch, status);
      finishOnHosts(lock, record, launch);
      break;
    }
  }
  record.report.addDistributed(job_.keepsTime ? secondsSince(begin) : 0, isKnown,
                               option.placement.usesDevices);
  record.shares = launch.shares;
  if (isMeasured) {
    option.history->addDistributed(*option.machine, launch.total, secondsSince(begin) - waited,
                                   static_cast<double>(bytes));
  }
  return true;
}

/// Runs what is left of every part on the host of its rank.
void RankZero::finishOnHosts(Progress::Lock &lock, RegionRecord &record, Launch &launch) {
  const std::vector<Share> shares = launch.shares;
  for (; launch.portion.index < launch.portion.count; ++launch.portion.index) {
    for (std::size_t index = 0; index < shares.size(); ++index) {
      launch.shares[index].place = job_.topology.rankOf(shares[index].place);
      launch.onlyShare = static_cast<std::int32_t>(index);
      settle(lock);
      const bool isDone = run(lock, record, launch, job_.planner.plan(launch), false);
      TUTTI_CHECK(isDone, "undo a portion of the loop at {}", launch.region->source);
      launch.shares = shares;
    }
  }
}

/// The plan of the first portion, for which all is ready; nothing if the launch is to run at home.
std::optional<Planner::Planned> RankZero::ready(Progress::Lock &lock, RegionRecord &record,
                                                Launch &launch, Option &option) {
  while (true) {
    if (dropLost(lock)) {
      optionFor(record, *launch.region); // Sets `option`, which is the record's.
    }
    std::optional<Planner::Planned> planned = decide(lock, record, launch, option);
    if (!planned) {
      return std::nullopt;
    }
    if (launch.portion.count > 1) {
      planned = job_.planner.plan(launch);
    }
    const Status status = makeReady(lock, launch, *planned);
    if (status && job_.losses.isEmpty()) {
      return planned;
    }
    if (!status) {
      keepOff(record, launch, status);
      optionFor(record, *launch.region);
    }
  }
}

/// One portion on all ranks, from its announcement. False if it had to be undone: then it is the
/// whole launch.
bool RankZero::run(Progress::Lock &lock, RegionRecord &record, Launch &launch,
                   const Planner::Planned &planned, bool isMeasured) {
  const auto &[plan, isKnown] = planned;
  announce(launch);
  job_.planner.commit(*plan);
  job_.salvage.begins(launch, plan);
  residency_.use(plan);
  // A protected page needs no copy: a write to it faults.
  twins_.keep(plan->twinPages,
              [this](std::uint64_t page) { return pages_.at(page) == Access::Open; });
  record.plansMade += isKnown || plan->isInPlace ? 0 : 1;
  ++(isKnown           ? job_.counters.plansReused
     : plan->isInPlace ? job_.counters.plansInPlace
                       : job_.counters.plansMade);
  job_.counters.portions += launch.portion.count > 1 ? 1 : 0;
  ChunkRun chunk(job_, lock, launch, *plan);
  chunk.run(isKnown, isMeasured);
  chunk.finish();
  job_.acknowledgements.finish(launch.sequence);
  protect(plan);
  twins_.refresh(plan->exchanged);
  countSteps(isKnown);
  sayLost(job_.acknowledgements.byAll());
  if ((isKnown || plan->isInPlace) && isMeasured) {
    noteSpeeds(record, *plan, chunk.hostSeconds());
  }
  return !chunk.hasStrayed();
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
    job_.announcements.send(launch);
  }
}

void RankZero::protect(const std::shared_ptr<const Plan> &plan) {
  if (plan->isInPlace) {
    return; // The pages are as the state asks already.
  }
  const auto known = protectedAt_.find(plan);
  if (known != protectedAt_.end() && known->second == pages_.version()) {
    return;
  }
  orDie(pages_.tighten(plan->absentPages, Access::None));
  orDie(pages_.tighten(plan->readOnlyPages, Access::ReadOnly));
  twins_.drop(plan->absentPages);
  twins_.drop(plan->readOnlyPages);
  for (const RangeSet *pages : {&plan->absentPages, &plan->readOnlyPages}) {
    for (const Range &range : pages->ranges()) {
      if (window_.stack().contains(range)) {
        protectedStack_ = std::min(protectedStack_, range.begin);
      }
    }
  }
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

void RankZero::renew(Range range) {
  if (range.empty() || !window_.contains(range) || !pages_.anyStricter(range, Access::Open)) {
    return;
  }
  const Range inside = memory::pagesInside(range);
  if (inside.empty()) {
    ready(range, true);
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
  ready({range.begin, inside.begin}, true);
  ready({inside.end, range.end}, true);
}

void RankZero::renewStackBelow(std::uint64_t end) {
  const Range dead = memory::pagesInside({protectedStack_, end});
  if (!dead.empty()) {
    renew(dead);
    protectedStack_ = dead.end;
  }
}

void RankZero::countRoutes(trace::Report &report) const {
  const memory::Topology &topology = job_.topology;
  for (Place from = topology.ranks(); from < topology.places(); ++from) {
    for (Place to = topology.ranks(); to < topology.places(); ++to) {
      report.devicePairs += topology.rankOf(from) != topology.rankOf(to) ? 1 : 0;
      report.routes += topology.hasRoute(from, to) ? 1 : 0;
    }
  }
}

void RankZero::settle() {
  Progress::Lock lock = job_.progress.lock();
  job_.progress.waitUntil(lock, [this] { return orDie(job_.devices.isIdle()); });
}

trace::Report RankZero::finish() {
  {
    Progress::Lock lock = job_.progress.lock();
    job_.progress.waitUntil(lock, [this] { return fetcher_.isIdle(); });
    dropLost(lock);
    job_.shutdown.send();
    job_.progress.waitUntil(lock, [this] { return job_.isIdle(); });
  }
  job_.progress.stop();
  job_.loans.close();
  trace::Report report;
  report.ranks = job_.size();
  countRoutes(report);
  job_.counters.faults = memory::faultCount();
  job_.counters.protections = pages_.protections();
  report.counters = job_.counters;
  orDie(job_.endpoint.sum(report.counters.all()));
  sayLost(sequence_);
  for (const auto &[region, record] : regions_) {
    report.regions.push_back(record.report);
  }
  report.sortRegions();
  orDie(job_.endpoint.close());
  return report;
}

} // namespace tutti::model::forkjoin
