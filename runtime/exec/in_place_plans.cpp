// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/in_place_plans.h"

#include "runtime/exec/touched.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>

namespace tutti::exec {

namespace {

/// Plans of launches in place that are kept for their memory: more than others remember of the
/// latest launches.
constexpr std::size_t kMostInPlace = 192;

/// Makes a set one of `ranges`, in the memory that it has.
void assign(RangeSet &set, std::span<const Range> ranges) {
  std::vector<Range> memory = std::move(set).ranges();
  memory.assign(ranges.begin(), ranges.end());
  set = RangeSet::of(std::move(memory));
}

/// Whether `units`, which are those around something, are those around `bytes`.
bool areAround(const RangeSet &units, std::span<const Range> bytes, std::uint64_t unit) {
  if (units.ranges().size() != 1 || bytes.size() != 1) {
    return false; // Or not known without listing them.
  }
  const Range &all = units.ranges().front();
  const Range &inside = bytes.front();
  return all.contains(inside) && (inside.begin & ~(unit - 1)) <= all.begin &&
         all.end <= ((inside.end + unit - 1) & ~(unit - 1));
}

} // namespace

void addContributors(Plan &plan, const std::vector<bool> &hasPart) {
  for (std::size_t rank = 0; rank < hasPart.size(); ++rank) {
    if (rank == 0 || hasPart[rank]) {
      plan.contributors.push_back(static_cast<Rank>(rank));
    }
  }
}

/// A plan with nothing in it but memory: an earlier one that nobody has any more, or a new one.
std::shared_ptr<Plan> InPlacePlans::blank() {
  std::shared_ptr<Plan> plan;
  if (!made_.empty() && made_.front().use_count() == 1) {
    std::atomic_thread_fence(std::memory_order_acquire); // Whoever had it has read it before.
    plan = std::move(made_.front());
    plan->chunk = plan->interior = {0, 0};
    assign(plan->overwritten, {});
    plan->contributors.clear();
  } else {
    plan = std::make_shared<Plan>();
    plan->isInPlace = true;
  }
  if (made_.size() == kMostInPlace || (!made_.empty() && !made_.front())) {
    made_.pop_front();
  }
  made_.push_back(plan);
  return plan;
}

/// `own`: parts of this rank's devices so far.
void InPlacePlans::addPart(Plan &plan, const InPlaceCheck::Part &part, std::size_t &own) const {
  if (part.place == site_.self) {
    plan.chunk = plan.interior = part.chunk;
    assign(plan.overwritten, part.writes);
  }
  if (part.chunk.empty() || site_.topology.isHost(part.place)) {
    return;
  }
  // An earlier launch has mostly touched the same units.
  const auto setUnits = [&](RangeSet &units) {
    if (!areAround(units, part.touched, site_.rooms.unit())) {
      units = site_.rooms.around(std::span(part.touched));
    }
  };
  if (site_.self == 0) {
    const auto index = static_cast<std::size_t>(part.place - site_.topology.ranks());
    setUnits(plan.footprints[index]);
    plan.parts[index] = part.chunk;
  }
  if (site_.topology.rankOf(part.place) == site_.self) {
    if (own == plan.devices.size()) {
      plan.devices.emplace_back();
    }
    DevicePart &device = plan.devices[own++];
    device.device = site_.topology.indexOf(part.place);
    device.chunk = part.chunk;
    setUnits(device.touched);
    assign(device.writes, part.writes);
  }
}

/// All that is set here is set anew if the plan was another launch's.
std::shared_ptr<const Plan> InPlacePlans::make(const Launch &launch,
                                               std::shared_ptr<const Outcome> unchanged) {
  const std::shared_ptr<Plan> plan = blank();
  plan->isPortion = launch.portion.count > 1;
  plan->isDisjoint = areDisjoint(check_.reaches());
  plan->outcome = std::move(unchanged);
  plan->bytesTouched = static_cast<std::uint64_t>(check_.bytesTouched());
  const std::size_t devices = site_.self == 0 ? site_.rooms.devices() : 0;
  plan->bytesToStayHome = site_.self == 0 ? static_cast<std::uint64_t>(check_.bytesNotHome()) : 0;
  plan->footprints.resize(devices);
  plan->parts.assign(devices, {0, 0});
  std::vector<bool> hasPart(static_cast<std::size_t>(site_.topology.ranks()));
  std::size_t own = 0; // Parts of this rank's devices.
  for (const InPlaceCheck::Part &part : check_.parts()) {
    addPart(*plan, part, own);
    if (!part.chunk.empty()) {
      hasPart[static_cast<std::size_t>(site_.topology.rankOf(part.place))] = true;
    }
  }
  for (std::size_t index = 0; index < devices; ++index) {
    if (plan->parts[index].empty()) {
      assign(plan->footprints[index], {});
    }
  }
  plan->devices.resize(own);
  if (!std::ranges::is_sorted(plan->devices, {}, &DevicePart::device)) {
    std::ranges::sort(plan->devices, {}, &DevicePart::device);
  }
  addContributors(*plan, hasPart);
  return plan;
}

} // namespace tutti::exec
