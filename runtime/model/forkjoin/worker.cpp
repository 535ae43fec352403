// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/worker.h"

#include "base/check.h"
#include "runtime/exec/or_die.h"
#include "runtime/model/forkjoin/chunk_run.h"

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
  ChunkRun(job_, lock, launch, *plan).run(isKnown, false);
  job_.acknowledgements.finish(launch.sequence);
}

} // namespace tutti::model::forkjoin
