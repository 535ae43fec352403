// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/negotiator.h"

#include "runtime/exec/kernel_choice.h"
#include "runtime/exec/or_die.h"

#include <algorithm>
#include <map>

namespace tutti::model::forkjoin {

using namespace exec;

Negotiator::Outcome Negotiator::reserve(Progress::Lock &lock, const Launch &launch,
                                        const std::shared_ptr<const Plan> &plan) {
  std::vector<Leaving> leaving;
  std::vector<Leaving> lacking;
  const bool hasMemory = residency_.isLikeLatest(*plan);
  if (!hasMemory) {
    leaving = residency_.makeRoom(*plan);
    lacking = residency_.lacking(*plan);
  }
  const std::vector<Reservation> reservations = reservationsFor(launch, *plan, leaving, lacking);
  for (const Reservation &reservation : reservations) {
    job_.reservations.ask(reservation);
  }
  evictOwn(lock, leaving);
  Status own = hasMemory ? Status() : commitOwn(*plan, lacking);
  if (own) {
    own = loadOwn(launch, *plan);
  }
  const Status others = reservations.empty() ? Status() : awaitAnswers(lock, reservations);
  return {own ? others : own, !leaving.empty() || !reservations.empty()};
}

/// Kernels that the devices of other ranks lack for their parts of `plan`.
std::vector<Reservation> Negotiator::kernelsFor(const Launch &launch, const Plan &plan) const {
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
    const auto choice = chooseKernel(launch, part, decider_.formatOf(place), plan.isDisjoint);
    const KernelName name{launch.region->id, choice ? choice->mapping : 0};
    if (choice && !loaded_.contains({place, name})) {
      reservations.push_back({job_.finished, place, {}, {}, {}, {name}});
    }
  }
  return reservations;
}

/// What the devices of other ranks need before their parts of `plan`; none that need nothing.
/// Records that they give back what is `leaving`.
std::vector<Reservation> Negotiator::reservationsFor(const Launch &launch, const Plan &plan,
                                                     const std::vector<Leaving> &leaving,
                                                     const std::vector<Leaving> &lacking) {
  std::vector<Reservation> reservations = kernelsFor(launch, plan);
  const auto reservationOf = [&](Place place) TUTTI_IN_TURN -> Reservation & {
    const auto known = std::ranges::find(reservations, place, &Reservation::place);
    return known != reservations.end()
               ? *known
               : reservations.emplace_back(Reservation{job_.finished, place, {}, {}, {}, {}});
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
      release(units); // So that one of two devices that both give bytes back rescues them.
    }
  }
  return reservations;
}

/// Announces that units leave a device, and forgets them.
void Negotiator::release(const Leaving &leaving) {
  view_.record(protocol::eventsOf(leaving, job_.topology));
  residency_.left(leaving);
}

/// Takes what leaves this rank's devices off them.
void Negotiator::evictOwn(Progress::Lock &lock, const std::vector<Leaving> &leaving) {
  for (const Leaving &units : leaving) {
    if (job_.topology.rankOf(units.place) != 0) {
      continue;
    }
    const Status status = job_.evictions.evict(lock, units);
    if (status) {
      release(units);
    } else {
      // What is gone leaves the device only if somebody needs it.
      orDie(job_.devices.isLost(job_.topology.indexOf(units.place)) ? Status() : status);
    }
  }
}

/// Has this rank's devices take memory.
Status Negotiator::commitOwn(const Plan &plan, const std::vector<Leaving> &lacking) {
  for (const DevicePart &part : plan.devices) {
    TUTTI_TRY(job_.devices.commit(part.device, part.touched));
    const Place place = job_.topology.deviceOf(0, part.device);
    const auto units = std::ranges::find(lacking, place, &Leaving::place);
    if (units != lacking.end()) {
      residency_.holds(*units);
    }
  }
  return {};
}

/// Has them load the kernel.
Status Negotiator::loadOwn(const Launch &launch, const Plan &plan) {
  for (const DevicePart &part : plan.devices) {
    TUTTI_TRY(job_.devices.load(part.device, launch, part.chunk, plan.isDisjoint));
  }
  return {};
}

/// The first refusal. What was taken or loaded stays so in any case.
Status Negotiator::awaitAnswers(Progress::Lock &lock, const std::vector<Reservation> &asked) {
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

} // namespace tutti::model::forkjoin
