// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/region_view.h"

#include "abi/order.h"
#include "base/check.h"
#include "runtime/exec/followed.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

std::uint64_t tutti_gather::read(std::uint64_t address, std::uint32_t bytes) {
  std::uint64_t value = 0;
  const tutti::Range read{address, address + bytes};
  const bool isOwn =
      std::ranges::any_of(own, [&](const tutti::Range &range) { return range.contains(read); });
  const auto elsewhere = std::ranges::find_if(moved, [&](const tutti::exec::HostCopy &copy) {
    return tutti::Range{copy.place, copy.place + copy.host.size()}.contains(read);
  });
  if (elsewhere != moved.end() && bytes <= sizeof value) {
    const std::uint64_t at = elsewhere->host.begin + (address - elsewhere->place);
    std::memcpy(&value, reinterpret_cast<const void *>(at), bytes);
  } else if (bytes > sizeof value || (!isOwn && !window->contains(read))) {
    isOutside = true;
  } else {
    // Through the window, not the view: a page that is not here faults and is fetched.
    std::memcpy(&value, reinterpret_cast<const void *>(address), bytes);
  }
  blocks.push_back({address, value, bytes});
  return value;
}

namespace tutti::exec {

namespace {

/// Takes what is followed from the launch.
class LaunchSink : public tutti_sink {
public:
  explicit LaunchSink(const Launch &launch) : reader_(launch.followed.get()) {}

  std::uint64_t follow(std::uint64_t address, std::uint32_t size) override {
    const std::optional<std::uint64_t> found = reader_.read(address, size);
    isLost_ = isLost_ || !found;
    return found.value_or(0);
  }

protected:
  /// Whether what is asked follows something that the whole loop does not.
  bool isLost() const { return isLost_; }

private:
  Followed::Reader reader_;
  bool isLost_ = false;
};

/// Collects what is touched.
class TouchSink final : public LaunchSink {
public:
  TouchSink(const Launch &launch, const memory::Window &window, std::int64_t lower,
            std::int64_t upper, const AllocationOf &allocationOf)
      : LaunchSink(launch), launch_(launch), window_(window), lower_(lower), upper_(upper),
        allocationOf_(allocationOf) {}

  void add(std::uint32_t flags, std::uint64_t object, std::uint64_t address, std::uint64_t size,
           std::uint32_t ndims, const tutti_dim *dims) override {
    if (isIdle(flags, object, window_)) {
      return;
    }
    if (const TouchedObject *listed = listOf(flags, address, size)) {
      if (std::ranges::find(listed_, listed) == listed_.end()) {
        listed_.push_back(listed);
      }
      return;
    }
    flags &= ~std::uint32_t{TUTTI_LISTED | TUTTI_INDEX};
    if ((flags & TUTTI_EVERYWHERE) != 0) {
      // Whoever strays says so there, and the others must not overwrite it.
      touched_.add(TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED, address, sizeof(tutti_reach), 0,
                   nullptr);
      reach_ = address;
      return;
    }
    const std::uint32_t widened =
        isWidened(launch_, flags, object, window_) ? noteWhole(flags, object) : flags;
    ((flags & TUTTI_REDUCED) != 0 ? reduced_ : touched_)
        .add(widened, address, size, ndims, dims, limitOf(flags, object, window_), call);
  }

  TouchRecords take() {
    addWholes();
    addListed();
    TouchRecords records{touched_.take(allocationOf_), reduced_.take(allocationOf_), reach_};
    records.touched.unresolved = records.touched.unresolved || isLost();
    if (reach_ != 0) {
      for (const Range &range : launch_.everywhere) {
        records.touched.records.push_back(
            {TUTTI_READ, memory::AccessCollector::kNoLimit, range, range.size(), {}});
      }
    }
    return records;
  }

private:
  /// Notes all of the object, if it is known, and gives the flags of what was said of it.
  std::uint32_t noteWhole(std::uint32_t flags, std::uint64_t object) {
    const Range whole = allocationOf_(object);
    if (whole.empty()) {
      return flags;
    }
    if ((flags & TUTTI_READ) != 0 && launch_.widening.reads) {
      readWholly_.push_back(whole);
    }
    if ((flags & TUTTI_WRITE) != 0 && launch_.widening.writes) {
      comparedWholly_.push_back(whole);
      return flags | kCompared;
    }
    return flags;
  }

  /// What is known of the object that a record is about, if that is more than the record says.
  const TouchedObject *listOf(std::uint32_t flags, std::uint64_t address,
                              std::uint64_t size) const {
    if ((flags & TUTTI_LISTED) == 0 || !launch_.followed) {
      return nullptr;
    }
    return launch_.followed->content().lists.find(
        (flags & TUTTI_ALLOCATION) != 0 ? allocationOf_(address) : Range{address, address + size});
  }

  /// What the iterations touch of objects that are known page by page, and what that depends on.
  void addListed() {
    if (!launch_.followed || launch_.followed->content().lists.empty()) {
      return;
    }
    const TouchLists &lists = launch_.followed->content().lists;
    const auto addAll = [this](std::uint32_t flags, const RangeSet &bytes) {
      for (const Range &range : bytes.ranges()) {
        touched_.add(flags, range.begin, range.size(), 0, nullptr);
      }
    };
    for (const TouchedObject *object : listed_) {
      addAll(TUTTI_READ, lists.touchesOf(*object, lower_, upper_));
      addAll(kCompared, lists.writesOf(*object, lower_, upper_));
    }
    addAll(TUTTI_READ, lists.index);
  }

  /// Each once, though many rows may have said it.
  void addWholes() {
    for (const Range &range : RangeSet::of(std::move(readWholly_)).ranges()) {
      touched_.add(TUTTI_READ, range.begin, range.size(), 0, nullptr);
    }
    for (const Range &range : RangeSet::of(std::move(comparedWholly_)).ranges()) {
      touched_.add(kCompared, range.begin, range.size(), 0, nullptr);
    }
  }

  static constexpr std::uint32_t kCompared = TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED;

  const Launch &launch_;
  const memory::Window &window_;
  const std::int64_t lower_;
  const std::int64_t upper_;
  const AllocationOf &allocationOf_;
  std::vector<const TouchedObject *> listed_;
  std::vector<Range> readWholly_;
  std::vector<Range> comparedWholly_;
  memory::AccessCollector touched_;
  memory::AccessCollector reduced_;
  std::uint64_t reach_ = 0;
};

/// Collects what is touched through each pointer of the program.
class ObjectSink final : public LaunchSink {
public:
  ObjectSink(const Launch &launch, const memory::Window &window)
      : LaunchSink(launch), launch_(launch), window_(window) {}

  std::uint64_t follow(std::uint64_t address, std::uint32_t size) override {
    const std::uint64_t value = LaunchSink::follow(address, size);
    found_.push_back({value, address});
    return value;
  }

  void add(std::uint32_t flags, std::uint64_t object, std::uint64_t address, std::uint64_t size,
           std::uint32_t ndims, const tutti_dim *dims) override {
    const bool isEmpty = size == 0 || std::any_of(dims, dims + ndims, [](const tutti_dim &dim) {
                           return dim.count <= 0;
                         });
    if (isIdle(flags, object, window_) || isEmpty) {
      return;
    }
    if ((flags & TUTTI_EVERYWHERE) != 0) {
      readsEverywhere_ = true;
      return;
    }
    const bool isWritten = (flags & TUTTI_WRITE) != 0;
    const bool isFollowed = (flags & TUTTI_FOLLOWED) != 0;
    if ((flags & TUTTI_ALLOCATION) != 0) {
      asked_.push_back({object, address, isWritten});
      note({object, {}, {}, isWritten, isFollowed, !isFollowed});
      return;
    }
    if (isWidened(launch_, flags, object, window_)) {
      widened_.push_back(object);
    }
    const Range hull = memory::hullOf(address, size, {dims, ndims}); // Known not to wrap around.
    // On the stack live frames may lie beyond the object.
    const bool isInside = (flags & TUTTI_AT_MOST) == 0 || !window_.stack().overlaps(hull);
    note({object, isInside ? hull : Range{}, hull, isWritten, isFollowed, !isFollowed});
  }

  TouchedObjects take(const AllocationOf &allocationOf);

private:
  /// What is touched through one pointer.
  struct Seen {
    std::uint64_t object;
    Range hull;  ///< Of all that is surely inside the object; may be empty.
    Range reach; ///< Of all that may be touched.
    bool isWritten;
    bool isFollowed; ///< The pointer was found in memory,
    bool isDirect;   ///< or else; both if it came by two ways.

    void add(const Seen &other) {
      hull = around(hull, other.hull);
      reach = around(reach, other.reach);
      isWritten = isWritten || other.isWritten;
      isFollowed = isFollowed || other.isFollowed;
      isDirect = isDirect || other.isDirect;
    }

    static Range around(Range one, Range other) {
      if (one.empty() || other.empty()) {
        return one.empty() ? other : one;
      }
      return {std::min(one.begin, other.begin), std::max(one.end, other.end)};
    }
  };

  /// Whose allocation is asked for.
  struct Asked {
    std::uint64_t object;
    std::uint64_t address;
    bool isWritten;
  };

  /// A pointer, or a number beside one, and where it was found.
  struct Found {
    std::uint64_t value;
    std::uint64_t address;
    auto operator<=>(const Found &) const = default;
  };

  void note(const Seen &seen);
  void joinSame();
  bool areToldApart();

  const Launch &launch_;
  const memory::Window &window_;
  std::vector<Found> found_;
  std::vector<Seen> seen_;
  std::vector<Asked> asked_;
  std::vector<std::uint64_t> widened_; ///< Pointers to objects of which all is taken.
  bool readsEverywhere_ = false;
};

void ObjectSink::note(const Seen &seen) {
  // Rows are touched one after the other.
  if (!seen_.empty() && seen_.back().object == seen.object) {
    seen_.back().add(seen);
  } else {
    seen_.push_back(seen);
  }
}

/// Whether each object that is followed to has one way to it, if it is written. Entries are joined.
bool ObjectSink::areToldApart() {
  if (!std::ranges::is_sorted(found_)) { // Rows often are, and there may be very many.
    std::ranges::sort(found_);
  }
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  return std::none_of(seen_.begin(), seen_.end(), [&](const Seen &seen) {
    if (!seen.isFollowed || !seen.isWritten) {
      return false;
    }
    const auto places = std::ranges::equal_range(found_, seen.object, {}, &Found::value);
    return seen.isDirect || places.size() > 1;
  });
}

/// One entry for each pointer.
void ObjectSink::joinSame() {
  if (!std::ranges::is_sorted(seen_, {}, &Seen::object)) {
    std::ranges::sort(seen_, {}, &Seen::object);
  }
  std::size_t kept = 0;
  for (const Seen seen : seen_) {
    if (kept > 0 && seen_[kept - 1].object == seen.object) {
      seen_[kept - 1].add(seen);
    } else {
      seen_[kept++] = seen;
    }
  }
  seen_.erase(seen_.begin() + static_cast<std::ptrdiff_t>(kept), seen_.end());
}

/// The two reaches through different pointers that end last.
class Latest {
public:
  void add(const Reach &reach) {
    if (!first_ || reach.range.end > first_->range.end) {
      if (first_ && first_->object != reach.object) {
        second_ = first_;
      }
      first_ = reach;
    } else if (reach.object != first_->object &&
               (!second_ || reach.range.end > second_->range.end)) {
      second_ = reach;
    }
  }

  /// Whether one through another pointer ends behind the begin of `reach`.
  bool meets(const Reach &reach) const {
    const auto &other = first_ && first_->object == reach.object ? second_ : first_;
    return other && other->range.end > reach.range.begin;
  }

private:
  std::optional<Reach> first_;
  std::optional<Reach> second_;
};

TouchedObjects ObjectSink::take(const AllocationOf &allocationOf) {
  joinSame();
  TouchedObjects objects;
  std::vector<Reach> reaches;
  bool areKnown = true;
  for (const Asked &asked : asked_) {
    const Range range = allocationOf(asked.address);
    areKnown = areKnown && !range.empty();
    reaches.push_back({asked.object, range, asked.isWritten});
    // What is live of the stack is no object, and there live frames are.
    if (!range.empty() && !window_.stack().contains(range)) {
      objects.ranges.push_back(range);
    }
  }
  for (const std::uint64_t object : widened_) {
    if (const Range range = allocationOf(object); !range.empty()) {
      objects.ranges.push_back(range);
    }
  }
  for (const Seen &seen : seen_) {
    if (!seen.reach.empty()) {
      reaches.push_back({seen.object, seen.reach, seen.isWritten});
    }
    if (!seen.hull.empty()) {
      objects.ranges.push_back(seen.hull);
    }
  }
  const bool isFree = !readsEverywhere_ || std::ranges::none_of(reaches, [](const Reach &reach) {
    return reach.isWritten;
  });
  objects.areDisjoint = isFree && areKnown && areToldApart() && areDisjoint(std::move(reaches));
  return objects;
}

} // namespace

bool areDisjoint(std::vector<Reach> reaches) {
  const auto begin = [](const Reach &reach) { return reach.range.begin; };
  if (!std::ranges::is_sorted(reaches, {}, begin)) {
    std::ranges::sort(reaches, {}, begin);
  }
  Latest all;
  Latest written;
  for (const Reach &reach : reaches) {
    if ((reach.isWritten ? all : written).meets(reach)) {
      return false;
    }
    all.add(reach);
    if (reach.isWritten) {
      written.add(reach);
    }
  }
  return true;
}

Range limitOf(std::uint32_t flags, std::uint64_t object, const memory::Window &window) {
  const Range segment = (flags & TUTTI_AT_MOST) != 0 ? window.segmentOf(object) : Range{};
  return segment.empty() ? memory::AccessCollector::kNoLimit : segment;
}

bool isWidened(const Launch &launch, std::uint32_t flags, std::uint64_t object,
               const memory::Window &window) {
  constexpr std::uint32_t kOwnWays =
      TUTTI_ANYWHERE | TUTTI_EVERYWHERE | TUTTI_ALLOCATION | TUTTI_REDUCED | TUTTI_UPDATED;
  const bool isAskedFor = (launch.widening.reads && (flags & TUTTI_READ) != 0) ||
                          (launch.widening.writes && (flags & TUTTI_WRITE) != 0);
  return isAskedFor && (flags & kOwnWays) == 0 && !window.segmentOf(object).empty() &&
         !window.stack().contains({object, object + 1});
}

bool isIdle(std::uint32_t flags, std::uint64_t object, const memory::Window &window) {
  return flags == 0 || ((flags & TUTTI_CONSTANT) != 0 && window.segmentOf(object).empty());
}

TouchRecords recordsOf(const Launch &launch, const memory::Window &window, std::int64_t lower,
                       std::int64_t upper, const AllocationOf &allocationOf) {
  if (lower >= upper) {
    return {};
  }
  TouchSink sink(launch, window, lower, upper, allocationOf);
  launch.region->accesses(launch.captures.data(), launch.values.data(), lower, upper, launch.total,
                          &sink);
  return sink.take();
}

std::int64_t pieceOf(const Launch &launch) {
  class Sink final : public tutti_sink {
  public:
    void add(std::uint32_t, std::uint64_t object, std::uint64_t address, std::uint64_t,
             std::uint32_t, const tutti_dim *) override {
      if (object == TUTTI_PIECE) {
        piece = static_cast<std::int64_t>(address);
      }
    }

    std::uint64_t follow(std::uint64_t, std::uint32_t) override { return 0; }

    std::int64_t piece = 1;
  };

  Sink sink;
  if ((launch.region->flags & TUTTI_REGION_PIECES) != 0) {
    launch.region->accesses(launch.captures.data(), launch.values.data(), 0, 0, launch.total,
                            &sink);
  }
  return sink.piece;
}

Touches touchesOf(const Launch &launch, const memory::Window &window, std::int64_t lower,
                  std::int64_t upper, const AllocationOf &allocationOf) {
  const TouchRecords records = recordsOf(launch, window, lower, upper, allocationOf);
  return {setOf(records.touched), setOf(records.reduced), records.reach};
}

std::optional<RangeSet> writesOf(const Launch &launch, const memory::Window &window,
                                 const AllocationOf &allocationOf) {
  const TouchRecords records = recordsOf(launch, window, 0, launch.total, allocationOf);
  constexpr std::size_t kMost = memory::AccessRanges::kMaxRanges;
  const memory::AccessSet sets = setOf(records.touched, memory::AccessRanges(kMost, kMost));
  if (sets.tooMany) {
    return std::nullopt;
  }
  return sets.writes.unite(setOf(records.reduced).writes);
}

TouchedObjects objectsOf(const Launch &launch, const memory::Window &window,
                         const AllocationOf &allocationOf) {
  ObjectSink sink(launch, window);
  launch.region->accesses(launch.captures.data(), launch.values.data(), 0, launch.total,
                          launch.total, &sink);
  return sink.take(allocationOf);
}

tutti_reach reachOf(const memory::Window &window) {
  std::vector<Range> segments{window.heap(), window.stack()};
  segments.insert(segments.end(), window.globals().begin(), window.globals().end());
  TUTTI_CHECK(segments.size() <= TUTTI_REACH_SEGMENTS, "tell where {} segments are",
              segments.size());
  tutti_reach reach{};
  for (std::size_t index = 0; index < segments.size(); ++index) {
    reach.begin[index] = segments[index].begin;
    reach.bytes[index] = segments[index].size();
  }
  return reach;
}

AllocationOf allocationsOf(const Launch &launch) {
  const std::vector<Allocation> &all =
      launch.followed ? launch.followed->content().allocations : launch.allocations;
  return [&all](std::uint64_t address) {
    const auto known = std::ranges::lower_bound(all, address, {}, &Allocation::address);
    return known == all.end() || known->address != address ? Range{} : known->range;
  };
}

} // namespace tutti::exec
