// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/chunk_run.h"

#include "base/log.h"
#include "runtime/balance/cut.h"
#include "runtime/exec/devices.h"
#include "runtime/exec/kept_pieces.h"
#include "runtime/exec/or_die.h"
#include "runtime/exec/region_view.h"
#include "runtime/exec/survey.h"
#include "runtime/memory/crash.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <omp.h>
#include <optional>

namespace tutti::model::forkjoin {

using namespace exec;
using namespace protocol;

namespace {

/// Adds the time of a scope to a counter of nanoseconds of `job`, if the job keeps time: the clock
/// is a good part of what a steady launch costs.
class Timed {
public:
  using Clock = std::chrono::steady_clock;

  Timed(const Job &job, std::uint64_t &counter)
      : counter_(counter), begin_(job.keepsTime ? Clock::now() : Clock::time_point()),
        isOn_(job.keepsTime) {}

  ~Timed() {
    if (isOn_) {
      const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin_);
      counter_ += static_cast<std::uint64_t>(took.count());
    }
  }

  Timed(const Timed &) = delete;
  Timed &operator=(const Timed &) = delete;

private:
  std::uint64_t &counter_;
  Clock::time_point begin_;
  bool isOn_;
};

} // namespace

void ChunkRun::run(bool isKnown, bool waits) {
  job_.running = &plan_;
  job_.haveDevicesStarted = false;
  waitForReaders();
  if (job_.rank() != 0) {
    storeBlocks();
    for (const DevicePart &part : plan_.devices) {
      check(job_.devices.commit(part.device, part.touched));
    }
  }
  waitForBorrowers();
  if (waits && !plan_.devices.empty()) {
    waitForDevices(); // What they still run from before is no part of what this launch takes.
  }
  lend();
  orderDevices(waits);
  copy(false, isKnown);
  waitForCopies();
  startTransfers(isKnown);
  job_.haveDevicesStarted = plan_.devices.empty() && received_.empty();
  if ((launch_.region->flags & TUTTI_REGION_PRINTS) != 0) {
    // In the order of parts, nothing is to be printed before what the first one prints.
    output_.emplace(job_.rank() == 0 && plan_.chunk.lower == 0);
  }
  runParts(isKnown, waits);
  if (merging_.isAny()) {
    merging_.merge(!plan_.chunk.empty() || !stoodIn_.empty());
  }
  returnBytes();
  gatherOutput();
  job_.loans.launchEnded();
  job_.running = nullptr;
  streamOut();
}

void ChunkRun::finish() {
  const auto hasEnded = [this](Streams::Id id) TUTTI_IN_TURN { return job_.streams.hasEnded(id); };
  job_.progress.waitUntil(lock_, [&] {
    return std::all_of(received_.begin(), received_.end(), hasEnded) &&
           std::all_of(sent_.begin(), sent_.end(), hasEnded) &&
           std::all_of(others_.begin(), others_.end(), hasEnded);
  });
}

/// Sends and copies of earlier launches may still read what this one overwrites, and what has been
/// streamed out may still arrive there.
void ChunkRun::waitForReaders() {
  if (!job_.streams.isSending() && !job_.devices.streams()) {
    return;
  }
  std::vector<Range> blocks;
  for (const BlockValue &block : launch_.blocks) {
    blocks.push_back({block.address, block.address + block.bytes});
  }
  const RangeSet overwritten = RangeSet::of(std::move(blocks));
  const auto isUsed = [&](const RangeSet &bytes) TUTTI_IN_TURN {
    return job_.streams.isReading(bytes) || orDie(job_.devices.isStreaming(bytes));
  };
  job_.progress.waitUntil(lock_, [&]() TUTTI_IN_TURN {
    bool isAnyUsed = isUsed(plan_.overwritten) || isUsed(overwritten);
    for (const Return &returned : plan_.returns) {
      isAnyUsed = isAnyUsed || isUsed(returned.ranges);
    }
    return !isAnyUsed;
  });
}

/// What this launch itself streams to devices may be read where it writes to the host's memory.
void ChunkRun::waitForCopies() {
  if (isStreamed_) {
    job_.progress.waitUntil(lock_, [this]() TUTTI_IN_TURN {
      return !orDie(job_.devices.isStreaming(plan_.overwritten));
    });
  }
}

/// What the devices of this rank alone have now is going to leave them when they take one of the
/// next portions. After the launch: until then a lost device's part may have to be run anew.
void ChunkRun::streamOut() {
  if (!isStreamed_) {
    return;
  }
  for (const DevicePart &part : plan_.devices) {
    const Place place = job_.topology.deviceOf(job_.rank(), part.device);
    const RangeSet bytes = job_.planner.directory().onlyAt(place, part.writes);
    if (job_.devices.isLost(part.device) || job_.streams.isReading(bytes)) {
      continue;
    }
    job_.salvage.hostGets(bytes);
    check(job_.devices.streamOut(part.device, bytes));
  }
}

/// Devices of other ranks may still copy what this launch overwrites on devices.
void ChunkRun::waitForBorrowers() {
  job_.progress.waitUntil(lock_, [this]() TUTTI_IN_TURN { return job_.loans.areReturned(); });
}

/// Devices of other ranks may copy what launches before have written.
void ChunkRun::lend() {
  if (plan_.loans.empty()) {
    return;
  }
  {
    const Timed timed(job_, job_.counters.waitNanoseconds);
    job_.progress.waitUntil(lock_, [this] {
      return std::all_of(plan_.loans.begin(), plan_.loans.end(),
                         [this](const Loan &loan) TUTTI_IN_TURN {
                           const Result<bool> isIdle = job_.devices.isIdle(loan.device);
                           check(isIdle ? Status() : Status(isIdle.error()));
                           return *isIdle;
                         });
    });
  }
  for (const Loan &loan : plan_.loans) {
    check(job_.salvage.bring(lock_, loan.device, loan.ranges));
  }
  job_.loans.lend(lock_, launch_.sequence, plan_.loans);
}

/// Behind what the devices have been given so far. Owners may overwrite the bytes meanwhile: those
/// that this launch writes have no copy that counts.
void ChunkRun::borrow(bool isKnown) {
  if (plan_.borrowings.empty()) {
    return;
  }
  job_.progress.waitUntil(
      lock_, [this] { return job_.loans.areLent(launch_.sequence, plan_.borrowings); });
  standInForBorrowers();
  const Timed timed(job_, job_.counters.copyNanoseconds);
  check(job_.loans.borrow(launch_.sequence, plan_.borrowings));
  if (isKnown) {
    for (const Borrowing &borrowing : plan_.borrowings) {
      job_.counters.steadyDeviceBytes += borrowing.ranges.bytes();
      job_.counters.steadyDeviceCopies += borrowing.ranges.ranges().size();
    }
  }
}

/// A host that stands in gets what is borrowed itself; sends of launches before may still read
/// there.
void ChunkRun::standInForBorrowers() {
  for (const Borrowing &borrowing : plan_.borrowings) {
    if (job_.devices.isLost(borrowing.device)) {
      job_.progress.waitUntil(
          lock_, [&]() TUTTI_IN_TURN { return !job_.streams.isReading(borrowing.ranges); });
      job_.salvage.hostGets(borrowing.ranges);
    }
  }
}

void ChunkRun::storeBlocks() {
  for (const BlockValue &block : launch_.blocks) {
    std::memcpy(job_.window.view(block.address), &block.value, block.bytes);
  }
}

/// Calls `visit(copy, from, to)` for the copies from one device of this rank to another.
template <typename Visit> void ChunkRun::forCrossings(Visit &&visit) {
  const memory::Topology &topology = job_.topology;
  for (const Copy &copy : plan_.copies) {
    if (!topology.isHost(copy.from) && !topology.isHost(copy.to)) {
      visit(copy, topology.indexOf(copy.from), topology.indexOf(copy.to));
    }
  }
}

/// Behind launches before: what is copied from other devices has been written there, and what
/// others have copied from a device and this launch overwrites there has been read.
void ChunkRun::orderDevices(bool isTimed) {
  if (job_.devices.count() < 2) {
    return;
  }
  const Timed timed(job_, job_.counters.copyNanoseconds);
  isApart_ = plan_.hasInteriors && canRunApart();
  forCrossings([this](const Copy &, std::int32_t from, std::int32_t to) TUTTI_IN_TURN {
    check(isApart_ ? Status() : job_.devices.order(from, to));
    crosses_ = true;
  });
  for (const DevicePart &part : plan_.devices) {
    check(job_.devices.orderBehindReaders(part.device, part.writes));
    if (!plan_.merged.empty()) {
      check(job_.devices.orderBehindReaders(part.device, plan_.merged));
    }
  }
  for (const Copy &copy : plan_.copies) {
    if (!job_.topology.isHost(copy.to)) {
      check(job_.devices.orderBehindReaders(job_.topology.indexOf(copy.to), copy.ranges));
    }
  }
  for (const Borrowing &borrowing : plan_.borrowings) {
    check(job_.devices.orderBehindReaders(borrowing.device, borrowing.ranges));
  }
  if (isApart_) {
    startInteriors(isTimed);
  }
}

/// By way of the host copies would come behind the interiors of the devices that they are from.
bool ChunkRun::canRunApart() {
  bool haveRoutes = true;
  forCrossings([&](const Copy &, std::int32_t from, std::int32_t to)
                   TUTTI_IN_TURN { haveRoutes = haveRoutes && job_.devices.haveRoute(from, to); });
  return haveRoutes;
}

/// Devices that have nothing to do go first: nothing has to wait for what they have been given
/// before, and what others wait for takes time to be said.
void ChunkRun::startInteriors(bool isTimed) {
  std::vector<bool> isIdle;
  for (std::int32_t device = 0; device < job_.devices.count(); ++device) {
    isIdle.push_back(job_.devices.isKnownIdle(device));
  }
  for (const bool areIdle : {true, false}) {
    forCrossings([&](const Copy &, std::int32_t from, std::int32_t to) TUTTI_IN_TURN {
      if (isIdle[static_cast<std::size_t>(from)] == areIdle) {
        check(job_.devices.orderBorders(from, to));
      }
    });
    for (const DevicePart &part : plan_.devices) {
      if (isIdle[static_cast<std::size_t>(part.device)] != areIdle) {
        continue;
      }
      check(job_.devices.orderBorders(part.device, part.device));
      if (isTimed) {
        job_.devices.startClock(part.device);
      }
      check(job_.devices.runInterior(part, launch_, plan_.isDisjoint));
    }
  }
}

/// Moves bytes between memories of this rank: those that are here, or those that were received.
void ChunkRun::copy(bool late, bool isKnown) {
  const memory::Topology &topology = job_.topology;
  bool reachesHost = false;
  for (const Copy &copy : plan_.copies) {
    if (copy.isLate != late) {
      continue;
    }
    const Timed timed(job_, job_.counters.copyNanoseconds);
    if (topology.isHost(copy.from)) {
      const std::int32_t to = topology.indexOf(copy.to);
      check(isStreamed_ ? job_.devices.streamIn(to, copy.ranges)
                        : job_.devices.copyIn(to, copy.ranges, readingOfCopies()));
    } else if (topology.isHost(copy.to)) {
      check(job_.devices.copyOut(topology.indexOf(copy.from), copy.ranges));
      reachesHost = true;
    } else {
      copyAcross(topology.indexOf(copy.from), topology.indexOf(copy.to), copy.ranges);
    }
    if (isKnown) {
      job_.counters.steadyDeviceBytes += copy.ranges.bytes();
      job_.counters.steadyDeviceCopies += copy.ranges.ranges().size();
    }
  }
  // Of this launch only kernels write what is copied from where it is valid. What runs apart comes
  // behind copies anyway, but for interiors, which do not write there.
  forCrossings([&](const Copy &copy, std::int32_t from, std::int32_t to) TUTTI_IN_TURN {
    if (!late && copy.isOverwritten && !isApart_) {
      check(job_.devices.order(to, from));
    }
  });
  if (!reachesHost) {
    return;
  }
  waitForDevices(); // Sends and the host's own chunk read it.
  for (const Copy &copy : plan_.copies) {
    if (copy.isLate == late && topology.isHost(copy.to)) {
      check(job_.salvage.bring(lock_, topology.indexOf(copy.from), copy.ranges));
    }
  }
}

void ChunkRun::copyAcross(std::int32_t from, std::int32_t to, const RangeSet &bytes) {
  const Status status = job_.devices.copyAcross(from, to, bytes);
  if (status || !job_.devices.isLost(from)) {
    check(status);
    return;
  }
  check(job_.salvage.bring(lock_, from, bytes));
  check(job_.devices.copyAcross(from, to, bytes));
}

void ChunkRun::startTransfers(bool isKnown) {
  if (plan_.links.empty() && (plan_.returns.empty() || isParcel())) {
    return;
  }
  trace::Counters &counters = job_.counters;
  for (const Link &link : plan_.links) {
    if (link.isSend) {
      const auto after = link.after ? std::optional(links_[*link.after]) : std::nullopt;
      links_.push_back(job_.streams.send(Lane::Launch, link.peer, link.ranges, after));
      sent_.push_back(links_.back());
      continue;
    }
    links_.push_back(job_.streams.receive(Lane::Launch, link.peer, link.ranges));
    received_.push_back(links_.back());
    const std::uint64_t bytes = link.ranges.bytes();
    const std::uint64_t messages = job_.streams.messagesFor(link.ranges);
    counters.exchangeBytes += bytes;
    counters.exchangeMessages += messages;
    if (isKnown) {
      counters.steadyExchangeBytes += bytes;
      counters.steadyExchangeMessages += messages;
    }
  }
  if (job_.rank() == 0 && !isParcel()) {
    for (const Return &returned : plan_.returns) {
      const Rank from = job_.topology.rankOf(returned.from);
      if (from == 0) {
        continue;
      }
      others_.push_back(job_.streams.receive(Lane::Launch, from, returned.ranges));
      counters.twinBytes += returned.ranges.bytes();
      counters.twinMessages += job_.streams.messagesFor(returned.ranges);
    }
  }
  orDie(job_.streams.progress());
}

protocol::LaunchTimes ChunkRun::times() const {
  protocol::LaunchTimes times{launch_.sequence, {}};
  if (!plan_.chunk.empty()) {
    times.places.push_back({job_.rank(), hostSeconds_});
  }
  for (const DevicePart &part : plan_.devices) {
    times.places.push_back(
        {job_.topology.deviceOf(job_.rank(), part.device), job_.devices.seconds(part.device)});
  }
  return times;
}

void ChunkRun::waitForReceived() {
  job_.progress.waitUntil(lock_, [this] {
    return std::all_of(received_.begin(), received_.end(),
                       [this](Streams::Id id) TUTTI_IN_TURN { return job_.streams.hasEnded(id); });
  });
}

/// Until what a piece needs is there, of which more may still come.
void ChunkRun::waitFor(const exec::Piece &piece) {
  job_.progress.waitUntil(lock_, [&] {
    return std::ranges::all_of(piece.needs, [this](const exec::Need &need) TUTTI_IN_TURN {
      return job_.streams.hasBrought(links_[need.link], need.bytes);
    });
  });
}

void ChunkRun::waitForDevices() {
  const Timed timed(job_, job_.counters.waitNanoseconds);
  job_.progress.waitUntil(lock_, [this]() TUTTI_IN_TURN {
    const Result<bool> isIdle = job_.devices.isIdle();
    check(isIdle ? Status() : Status(isIdle.error()));
    return *isIdle;
  });
}

void ChunkRun::runPiece(const balance::Chunk &piece, Reduction *reduction) {
  const tutti_chunk arguments{job_.window.delta(), piece.lower, piece.upper,
                              launch_.total,       reduction,   output_ ? &*output_ : nullptr};
  job_.progress.giveAway(lock_, [&] {
    const auto begin = std::chrono::steady_clock::now();
    const memory::RunningLoop running(launch_.region->source);
    const exec::KeptPieces kept(launch_.piece);
    launch_.region->run(launch_.captures.data(), &arguments);
    hostSeconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  });
}

/// A piece that runs beside devices: when they end is compared with what it takes.
void ChunkRun::runBesideDevices(const balance::Chunk &piece, Reduction *reduction, bool isTimed) {
  if (isTimed) {
    job_.timesDevices = true;
    job_.queue.wake();
  }
  runPiece(piece, reduction);
  job_.timesDevices = false;
}

/// `isAskedFor`: somebody is going to wait for them, if only another device at the next launch.
/// Whether they are to be waited for because it is the first time: what fails does so then, and
/// while the host has all that the kernel needs, it can stand in.
bool ChunkRun::startDevices(bool isAskedFor, bool isTimed) {
  const Timed timed(job_, job_.counters.kernelNanoseconds);
  bool isFirst = false;
  for (const DevicePart &part : plan_.devices) {
    if (isTimed && !isApart_) {
      job_.devices.startClock(part.device);
    }
    check(isStreamed_ ? job_.devices.runStreamed(part, launch_, plan_.isDisjoint)
                      : job_.devices.run(part, launch_, plan_.isDisjoint));
    isFirst = isFirst || (!launch_.task && job_.devices.isUntried(part.device));
    if (isAskedFor) {
      check(job_.devices.mark(part.device));
    }
  }
  job_.haveDevicesStarted = true;
  return isFirst;
}

/// Runs the parts of lost devices on this rank's host, which holds what they held.
void ChunkRun::standIn(Reduction *reduction) {
  for (const DevicePart &part : plan_.devices) {
    if (!hasLost(part) || launch_.task) {
      continue; // A task that fails says so.
    }
    const memory::AccessSet sets =
        touchesOf(launch_, job_.window, part.chunk.lower, part.chunk.upper, allocationsOf(launch_))
            .sets;
    // What the host has received or written itself.
    job_.devices.wroteInPlaceOf(part.device, plan_.overwritten);
    check(job_.salvage.bring(lock_, part.device, sets.reads));
    // The gaps of hulls were to move, and nobody else is going to have them. What the device alone
    // had between its writes is gone, which matters only to who needs it.
    const RangeSet gaps = part.writes.subtract(sets.writes);
    const Place place = job_.topology.deviceOf(job_.rank(), part.device);
    check(job_.salvage.bring(lock_, part.device,
                             gaps.subtract(job_.directoryNow().onlyAt(place, gaps))));
    job_.salvage.hostGets(sets.writes);
    merging_.keepForStandIn();
    job_.progress.waitUntil(lock_, [&]() TUTTI_IN_TURN {
      return !job_.streams.isReading(sets.writes) && !orDie(job_.devices.isStreaming(sets.writes));
    });
    if (reduction) {
      reduction->addPiece();
    }
    runPiece(part.chunk, reduction);
    job_.devices.wroteInPlaceOf(part.device, sets.writes);
    stoodIn_.push_back(part.device);
  }
}

/// Whether the device of a part is lost and has left its part undone.
bool ChunkRun::hasLost(const DevicePart &part) const {
  return job_.devices.isLost(part.device) &&
         std::ranges::find(stoodIn_, part.device) == stoodIn_.end();
}

void ChunkRun::addPartials(Reduction &reduction) {
  const tutti_device_code &code = *launch_.region->device;
  const Contribution shape{{code.sizes, code.slots}, nullptr, code.combine, 1, false};
  for (const DevicePart &part : plan_.devices) {
    if (!job_.devices.isLost(part.device)) {
      job_.devices.forPartials(part.device, [&](std::span<std::byte> partials) {
        reduction.addPartials(shape, partials);
      });
    }
  }
}

/// What needs nothing that is still to arrive goes first.
void ChunkRun::runParts(bool isKnown, bool waits) {
  if (isParcel()) {
    waitForReceived(); // The rest is for who runs the task.
    job_.haveDevicesStarted = true;
    return;
  }
  const balance::Chunk inner = plan_.interior;
  const bool reduces = (launch_.region->flags & TUTTI_REGION_REDUCES) != 0;
  const bool contributes =
      std::binary_search(plan_.contributors.begin(), plan_.contributors.end(), job_.rank());
  auto pieces = static_cast<std::int32_t>(plan_.waiting.size()) + (inner.empty() ? 0 : 1);
  // What devices leave is combined by host code, which the last piece runs, if only for that.
  const bool endsWithoutIterations =
      reduces && contributes && (pieces == 0 || !plan_.devices.empty());
  pieces += endsWithoutIterations ? 1 : 0;
  Reduction reduction(
      {job_.rank(), plan_.contributors, launch_.sequence, pieces, merging_.strayed()},
      job_.progress, job_.partials.arrived,
      [this](Rank to, std::span<const std::byte> bytes)
          TUTTI_IN_TURN { job_.partials.send(to, launch_.sequence, bytes); });
  Reduction *const used = reduces ? &reduction : nullptr;
  const bool merges = merging_.isAny();
  const bool startsAtOnce = received_.empty() && !merges;
  const bool hasDevices =
      !plan_.devices.empty() || !plan_.copies.empty() || !plan_.borrowings.empty();
  bool isAwaited = waits || reduces || merges;
  if (startsAtOnce) {
    borrow(isKnown);
    isAwaited = startDevices(isAwaited || crosses_, waits) || isAwaited;
  }
  const bool isTimed = waits && !plan_.devices.empty();
  if (!inner.empty()) {
    runBesideDevices(inner, used, isTimed && startsAtOnce);
  }
  if (!startsAtOnce && (hasDevices || merges)) {
    waitForReceived();
    copy(true, isKnown);
    waitForCopies();
    borrow(isKnown);
    if (merges) {
      // Nobody writes before all that read the same bytes from here have them as they were.
      waitForSent();
      waitForDevices();
      waitForBorrowers();
      merging_.keep();
    }
    isAwaited = startDevices(isAwaited || crosses_, waits) || isAwaited;
  }
  for (const exec::Piece &piece : plan_.waiting) {
    waitFor(piece);
    runBesideDevices(piece.chunk, used, isTimed);
  }
  waitForReceived(); // What is passed on, too.
  job_.haveDevicesStarted = true;
  if (!plan_.devices.empty() && isAwaited) {
    waitForDevices();
    merging_.noteDeviceStrays();
    if (reduces) {
      addPartials(reduction);
    }
  }
  standIn(used);
  if (endsWithoutIterations) {
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1); // There is nothing to divide.
    runPiece({launch_.total, launch_.total}, used);
    omp_set_num_threads(threads);
  }
  hostSeconds_ -= reduction.waited();
}

void ChunkRun::waitForSent() {
  job_.progress.waitUntil(lock_, [this] {
    return std::all_of(sent_.begin(), sent_.end(),
                       [this](Streams::Id id) TUTTI_IN_TURN { return job_.streams.hasEnded(id); });
  });
}

/// Rank 0 gets what the parts have printed. Such a launch has parts on hosts only.
void ChunkRun::gatherOutput() {
  if (!output_) {
    return;
  }
  if (job_.rank() != 0) {
    if (!plan_.chunk.empty()) {
      job_.outputs.send(launch_.sequence, output_->take());
    }
    return;
  }
  const std::vector<balance::Chunk> chunks = chunksOf(launch_);
  for (std::size_t index = 0; index < chunks.size(); ++index) {
    const Rank rank = job_.topology.rankOf(launch_.shares[index].place);
    if (!chunks[index].empty()) {
      printed_.push_back(rank == 0 ? output_->take()
                                   : job_.outputs.await(lock_, launch_.sequence, rank));
    }
  }
}

/// Brings what places of this rank wrote on pages of rank 0 that cannot be protected to rank 0.
void ChunkRun::returnBytes() {
  bool reachesHost = false;
  for (const Return &returned : plan_.returns) {
    if (job_.topology.rankOf(returned.from) == job_.rank() &&
        !job_.topology.isHost(returned.from)) {
      check(job_.devices.copyOut(job_.topology.indexOf(returned.from), returned.ranges));
      reachesHost = true;
    }
  }
  if (reachesHost) {
    waitForDevices();
  }
  const bool hasEnded =
      (launch_.region->flags & TUTTI_REGION_REDUCES) != 0 || !plan_.merged.empty();
  for (const DevicePart &part : plan_.devices) {
    // What it has added to a result, or changed in what is merged, has gone out.
    check(hasLost(part) && hasEnded ? job_.devices.requireAlive(part.device) : Status());
  }
  standIn(nullptr);
  if (job_.rank() == 0 || isParcel()) {
    return;
  }
  for (const Return &returned : plan_.returns) {
    others_.push_back(job_.streams.send(Lane::Launch, 0, returned.ranges));
  }
}

} // namespace tutti::model::forkjoin
