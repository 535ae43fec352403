// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/worker.h"

#include "runtime/exec/kernel_choice.h"
#include "runtime/model/forkjoin/chunk_run.h"
#include "runtime/protocol/eviction.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using namespace exec;
using namespace protocol;

void Worker::run() {
  job_.start({});
  Progress::Lock lock = job_.progress.lock();
  while (true) {
    job_.progress.waitUntil(lock, [this] {
      return !job_.inbox.launches.empty() || hasServableFetch() || hasServableReservation();
    });
    serveFetches(lock);
    serveReservations(lock);
    if (job_.inbox.launches.empty()) {
      continue;
    }
    const std::vector<std::byte> message = std::move(job_.inbox.launches.front());
    job_.inbox.launches.pop_front();
    Reader reader(message);
    if (reader.take<MessageKind>() == MessageKind::Shutdown) {
      break;
    }
    runLaunch(lock, reader);
  }
  job_.progress.waitUntil(lock, [this] { return job_.isIdle(); });
  lock.unlock();
  job_.progress.stop();
  job_.leaveRoutes();
  orDie(job_.endpoint.sum(job_.counters.all()));
  orDie(job_.endpoint.close());
}

void Worker::runLaunch(Progress::Lock &lock, Reader &reader) {
  const Launch launch = decodeLaunch(reader, regionOf_, job_.recentlyFollowed);
  job_.planner.apply(launch.events);
  job_.salvage.happened(launch.events);
  rescued_ = {};
  const auto [plan, isKnown] = job_.planner.plan(launch);
  TUTTI_CHECK(plan->reasonHome.empty(), "agree with rank 0 on launch {} of {}: {}", launch.sequence,
              launch.region->source, plan->reasonHome);
  job_.planner.commit(*plan);
  job_.salvage.begins(launch, plan);
  ChunkRun(job_, lock, launch, *plan).run(isKnown, false);
  finished_ = launch.sequence;
  job_.finished(finished_);
}

bool Worker::hasServableFetch() const {
  return !job_.inbox.fetches.empty() && job_.inbox.fetches.front().sequence <= finished_;
}

bool Worker::hasServableReservation() const {
  return !job_.inbox.reservations.empty() && job_.inbox.reservations.front().sequence <= finished_;
}

/// Behind the launches before, which may have made room.
void Worker::serveReservations(Progress::Lock &lock) {
  while (hasServableReservation()) {
    const Reservation wanted = std::move(job_.inbox.reservations.front());
    job_.inbox.reservations.pop_front();
    if (!wanted.leaving.empty()) {
      orDie(evict(job_, lock, {wanted.place, wanted.leaving}, [&] { return wanted.rescued; }));
      rescued_ = rescued_.unite(wanted.rescued);
    }
    job_.sendControl(0, encode(Answer{wanted.place, makeReady(wanted)}));
  }
}

Status Worker::makeReady(const Reservation &wanted) {
  const std::int32_t device = job_.topology.indexOf(wanted.place);
  TUTTI_TRY(job_.devices.commit(device, wanted.units));
  for (const KernelName &name : wanted.kernels) {
    const tutti_region *region = regionOf_(name.region);
    TUTTI_CHECK(region, "find region {:#x}", name.region);
    const tutti_kernel *kernel = kernelOf(*region, name.mapping, job_.devices.info(device).format);
    TUTTI_CHECK(kernel, "find kernel {} of the loop at {}", name.mapping, region->source);
    TUTTI_TRY(job_.devices.load(device, *region, *kernel));
  }
  return {};
}

void Worker::serveFetches(Progress::Lock &lock) {
  while (hasServableFetch()) {
    const FetchRequest request = std::move(job_.inbox.fetches.front());
    job_.inbox.fetches.pop_front();
    bringToHost(lock, request.ranges);
    job_.streams.send(Lane::Fetch, 0, request.ranges);
  }
}

/// What this rank's devices have and its host has not.
void Worker::bringToHost(Progress::Lock &lock, const RangeSet &ranges) {
  std::map<memory::Place, std::vector<Range>> byDevice;
  for (const Range &range : ranges.subtract(rescued_).ranges()) {
    job_.planner.directory().forEach(range, [&](Range run, const memory::Holders &holders) {
      const auto isOwn = [this](memory::Place place) {
        return job_.topology.rankOf(place) == job_.rank();
      };
      // The host comes before the devices.
      const auto own = std::find_if(holders.begin(), holders.end(), isOwn);
      if (own != holders.end() && !job_.topology.isHost(*own)) {
        byDevice[*own].push_back(run);
      }
    });
  }
  if (byDevice.empty()) {
    return;
  }
  for (const auto &[place, bytes] : byDevice) {
    job_.salvage.hostGets(RangeSet::of(bytes));
    orDie(job_.devices.copyOut(job_.topology.indexOf(place), RangeSet::of(bytes)));
  }
  job_.progress.waitUntil(lock, [this] { return orDie(job_.devices.isIdle()); });
  for (const auto &[place, bytes] : byDevice) {
    orDie(job_.salvage.bring(lock, job_.topology.indexOf(place), RangeSet::of(bytes)));
  }
}

} // namespace tutti::model::forkjoin
