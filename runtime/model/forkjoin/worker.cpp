// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/worker.h"

#include "base/check.h"
#include "runtime/exec/or_die.h"
#include "runtime/exec/region_view.h"
#include "runtime/model/forkjoin/chunk_run.h"

#include <algorithm>

namespace tutti::model::forkjoin {

using namespace exec;
using namespace protocol;

void Worker::run() {
  job_.start();
  Progress::Lock lock = job_.progress.lock();
  while (true) {
    job_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN {
      return job_.announcements.hasNext() || job_.shutdown.hasCome() || job_.fetches.isAsked() ||
             job_.reservations.isAsked();
    });
    job_.fetches.serve(lock, job_.reservations.rescued());
    job_.reservations.serve(lock, regionOf_);
    if (job_.announcements.hasNext()) {
      runLaunch(lock, job_.announcements.takeNext(regionOf_));
    } else if (job_.shutdown.hasCome()) {
      break;
    }
  }
  job_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return job_.isIdle(); });
  job_.shutdown.awaitOthers(lock);
  lock.unlock();
  job_.progress.stop();
  lock.lock();
  job_.loans.close();
  orDie(job_.endpoint.sum(job_.counters.all()));
  orDie(job_.endpoint.close());
}

void Worker::runLaunch(Progress::Lock &lock, const Launch &launch) {
  job_.planner.apply(launch.events);
  job_.salvage.happened(launch.events);
  job_.reservations.launchBegins();
  const auto [plan, isKnown] = job_.planner.plan(launch);
  TUTTI_CHECK(plan->reasonHome.empty(), "agree with rank 0 on launch {} of {}: {}", launch.sequence,
              launch.region->source, plan->reasonHome);
  job_.planner.commit(*plan);
  job_.salvage.begins(launch, plan);
  waitForTasks(lock, *plan);
  ChunkRun chunk(job_, lock, launch, *plan);
  chunk.run(isKnown, launch.isTimed);
  if (launch.isTimed) {
    job_.times.tell(chunk.times());
  }
  if (!launch.parcel.empty() && !plan->chunk.empty()) {
    startTask(lock, launch, *plan);
  }
  job_.acknowledgements.finish(launch.sequence);
}

/// What tasks name nobody else uses while they run; but a loop, or another task, may take along
/// what lies between the bytes that it names.
void Worker::waitForTasks(Progress::Lock &lock, const Plan &plan) {
  job_.progress.waitUntil(lock, [&]() TUTTI_IN_TURN {
    const HostTasks &tasks = job_.hostTasks;
    return !tasks.areTouched(plan.overwritten) &&
           std::ranges::none_of(plan.links,
                                [&](const Link &link)
                                    TUTTI_IN_TURN { return tasks.areWritten(link.ranges); }) &&
           std::ranges::none_of(plan.copies, [&](const Copy &copy) TUTTI_IN_TURN {
             return tasks.areWritten(copy.ranges);
           });
  });
}

void Worker::startTask(Progress::Lock &lock, const Launch &launch, const Plan &plan) {
  const memory::AccessSet sets =
      touchesOf(launch, job_.window, 0, launch.total, allocationsOf(launch)).sets;
  RangeSet returned;
  for (const Return &each : plan.returns) {
    returned = returned.unite(each.ranges);
  }
  job_.hostTasks.begin(launch.sequence,
                       {sets.reads.unite(sets.writes), sets.writes, std::move(returned)});
  job_.progress.giveAway(lock, [&] {
    tasks_.start(launch.parcel, [this, sequence = launch.sequence](TaskHost::Ended ended) {
      const Progress::Lock own = job_.progress.lock();
      job_.hostTasks.end({.sequence = sequence,
                          .workers = ended.workers,
                          .seconds = ended.seconds,
                          .returned = {},
                          .bytes = {},
                          .results = std::move(ended.results)});
    });
  });
}

} // namespace tutti::model::forkjoin
