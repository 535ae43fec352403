// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/residency.h"

#include "base/check.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tutti::exec {

namespace {

/// Plans whose use is noted by comparing addresses: those of a loop over some launches.
constexpr std::size_t kRecent = 16;

/// Whether `units` are all of `others`. Cost: allocates nothing if they are.
bool cover(const RangeSet &units, const RangeSet &others) { return others.subtract(units).empty(); }

/// Of both together.
std::uint64_t bytesOf(const RangeSet &units, const RangeSet &others) {
  return cover(units, others) ? units.bytes() : units.unite(others).bytes();
}

} // namespace

Residency::Residency(const memory::Topology &topology, const Rooms &rooms)
    : topology_(topology), rooms_(rooms), held_(rooms.devices()), uses_(rooms.devices()) {}

bool Residency::fits(const Plan &plan) const {
  for (std::size_t device = 0; device < plan.footprints.size(); ++device) {
    if (plan.footprints[device].bytes() > rooms_.capacity(device)) {
      return false;
    }
  }
  return true;
}

void Residency::remove(Uses &uses, const RangeSet &units) {
  for (Use &use : uses) {
    if (use.units.overlaps(units)) {
      use.units = use.units.subtract(units);
    }
  }
  std::erase_if(uses, [](const Use &use) { return use.units.empty(); });
}

bool Residency::isRecent(const Plan &plan) const {
  return std::any_of(recent_.begin(), recent_.end(),
                     [&](const auto &recent) { return recent.get() == &plan; });
}

bool Residency::isLikeLatest(const Plan &plan) const {
  if (recent_.empty() || plan.isPortion || !plan.merged.empty()) {
    return false;
  }
  const Plan &latest = *recent_.back();
  return !latest.isPortion && latest.footprints == plan.footprints;
}

std::vector<Leaving> Residency::lacking(const Plan &plan) const {
  std::vector<Leaving> lacking;
  for (std::size_t device = 0; device < plan.footprints.size() && !isRecent(plan); ++device) {
    RangeSet units = plan.footprints[device].subtract(held_[device]);
    if (!units.empty()) {
      lacking.push_back({topology_.ranks() + static_cast<Place>(device), std::move(units)});
    }
  }
  return lacking;
}

void Residency::holds(const Leaving &units) {
  const auto device = static_cast<std::size_t>(units.place - topology_.ranks());
  held_[device] = held_[device].unite(units.units);
  uses_[device].insert(uses_[device].begin(), Use{units.units, false});
}

/// What a device may hold while `plan` runs: less what it takes for a copy of what is merged, if it
/// can hold that at all.
std::uint64_t Residency::mostFor(const Plan &plan, std::size_t device) const {
  const std::uint64_t capacity = rooms_.capacity(device);
  const std::uint64_t own = plan.footprints[device].bytes();
  const std::uint64_t copy = own > 0 ? rooms_.around(plan.merged).bytes() : 0;
  return own + copy <= capacity ? capacity - copy : capacity;
}

/// Portions of loops that the device holds and that are not all part of `plan`; none if it is no
/// portion itself.
std::size_t Residency::portionsBeside(const Plan &plan, std::size_t device) const {
  if (!plan.isPortion || plan.footprints[device].empty()) {
    return 0;
  }
  return static_cast<std::size_t>(std::ranges::count_if(uses_[device], [&](const Use &use) {
    return use.isPortion && !use.units.subtract(plan.footprints[device]).empty();
  }));
}

std::vector<Leaving> Residency::makeRoom(const Plan &plan) {
  if (isRecent(plan) && plan.merged.empty()) {
    return {}; // Nothing has left since.
  }
  if (plan.isPortion) {
    foldRecent();
  }
  bool isRoom = true;
  for (std::size_t device = 0; device < plan.footprints.size(); ++device) {
    isRoom = isRoom && bytesOf(held_[device], plan.footprints[device]) <= mostFor(plan, device) &&
             portionsBeside(plan, device) < kPortionsAtOnce;
  }
  if (isRoom) {
    return {};
  }
  foldRecent();
  std::vector<Leaving> leaving;
  for (std::size_t device = 0; device < plan.footprints.size(); ++device) {
    const std::uint64_t most = mostFor(plan, device);
    std::uint64_t bytes = bytesOf(held_[device], plan.footprints[device]);
    std::size_t portions = portionsBeside(plan, device);
    std::vector<Range> units;
    for (const Use &use : uses_[device]) {
      const RangeSet others = use.units.subtract(plan.footprints[device]);
      const bool isTooMany = use.isPortion && !others.empty() && portions >= kPortionsAtOnce;
      portions -= isTooMany ? 1 : 0;
      for (const Range &unit : rooms_.single(others)) {
        if (bytes <= most && !isTooMany) {
          break;
        }
        units.push_back(unit);
        bytes -= unit.size();
      }
    }
    TUTTI_CHECK(bytes <= most, "make room in {} bytes of a device", most);
    if (!units.empty()) {
      leaving.push_back(
          {topology_.ranks() + static_cast<Place>(device), RangeSet::of(std::move(units))});
    }
  }
  return leaving;
}

void Residency::left(const Leaving &leaving) {
  foldRecent();
  const auto device = static_cast<std::size_t>(leaving.place - topology_.ranks());
  remove(uses_[device], leaving.units);
  held_[device] = held_[device].subtract(leaving.units);
}

void Residency::use(const std::shared_ptr<const Plan> &plan) {
  const auto known = std::find(recent_.begin(), recent_.end(), plan);
  if (known != recent_.end()) {
    std::rotate(known, known + 1, recent_.end());
    return;
  }
  if (recent_.size() == kRecent) {
    foldRecent();
  }
  recent_.push_back(plan);
  for (std::size_t device = 0; device < plan->footprints.size(); ++device) {
    if (!cover(held_[device], plan->footprints[device])) {
      held_[device] = held_[device].unite(plan->footprints[device]);
    }
  }
}

/// Brings `uses_` up to date. From the latest plan back, as a unit counts for the last that used
/// it: most launches use what the ones behind them use, too.
void Residency::foldRecent() {
  for (std::size_t device = 0; device < held_.size(); ++device) {
    RangeSet later;
    Uses latest; // The last one first.
    for (auto plan = recent_.rbegin(); plan != recent_.rend(); ++plan) {
      const auto &footprints = (*plan)->footprints;
      if (device >= footprints.size() || cover(later, footprints[device])) {
        continue;
      }
      const RangeSet &units = footprints[device];
      latest.push_back({units.subtract(later), (*plan)->isPortion});
      later = later.unite(units);
    }
    Uses &uses = uses_[device];
    remove(uses, later);
    uses.insert(uses.end(), std::make_move_iterator(latest.rbegin()),
                std::make_move_iterator(latest.rend()));
  }
  recent_.clear();
}

} // namespace tutti::exec
