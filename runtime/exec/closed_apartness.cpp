// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/closed_apartness.h"

#include "abi/updates.h"
#include "runtime/exec/followed.h"
#include "runtime/exec/meeting.h"
#include "runtime/memory/access_record.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::exec {

namespace {

/// After iterations that are not alike so many more are asked one by one, at most.
constexpr int kMostSingle = 64;

/// One record as it was reported.
struct Reported {
  const void *call;
  std::uint32_t flags;
  std::uint64_t object;
  std::uint64_t address;
  std::uint64_t size;
  boost::container::small_vector<tutti_dim, 3> dims;
  Range hull;
};

/// Asks a region, and takes what is followed from the launch.
class Records final : public tutti_sink {
public:
  Records(const Launch &launch, const memory::Window &window, const AllocationOf &allocationOf,
          std::size_t most)
      : launch_(launch), window_(window), allocationOf_(allocationOf), most_(most),
        reader_(launch.followed.get()) {}

  std::vector<Reported> of(std::int64_t lower, std::int64_t upper) {
    found_.clear();
    launch_.region->accesses(launch_.captures.data(), launch_.values.data(), lower, upper,
                             launch_.total, this);
    asked_ += 1 + found_.size();
    return std::move(found_);
  }

  /// Leaves out from now on what lies apart from all that is written: rows that are only read, and
  /// may be very many.
  void dropApart();

  /// Whether all that was asked for is known, and was not too much.
  bool isKnown() const { return isKnown_ && asked_ <= most_; }

  bool readsEverywhere() const { return readsEverywhere_; }

  void add(std::uint32_t flags, std::uint64_t object, std::uint64_t address, std::uint64_t size,
           std::uint32_t ndims, const tutti_dim *dims) override {
    const bool isLater = (flags & TUTTI_REDUCED) != 0; // Behind all iterations.
    const bool isTold = (flags & TUTTI_LISTED) != 0 && (flags & TUTTI_WRITE) != 0;
    if (isIdle(flags, object, window_) || isLater || isTold || size == 0 || isApart(call) ||
        std::any_of(dims, dims + ndims, [](const tutti_dim &dim) { return dim.count <= 0; })) {
      return;
    }
    if ((flags & TUTTI_EVERYWHERE) != 0) {
      readsEverywhere_ = true;
      return;
    }
    Reported record{call, flags, object, address, size, {}, {}};
    if ((flags & TUTTI_ALLOCATION) != 0) {
      record.hull = allocationOf_(address);
      record.address = record.hull.begin;
      record.size = record.hull.size();
    } else if ((flags & TUTTI_ANYWHERE) == 0) {
      record.dims.assign(dims, dims + ndims);
      const Range limit = limitOf(flags, object, window_);
      const Range hull = memory::hullOf(address, size, {dims, ndims});
      isKnown_ = isKnown_ && !hull.empty();
      record.hull = {std::max(hull.begin, limit.begin), std::min(hull.end, limit.end)};
      if (record.hull.empty()) {
        return; // It lies beyond its object.
      }
    }
    isKnown_ = isKnown_ && !record.hull.empty();
    if ((flags & TUTTI_SCATTERED) != 0 && (flags & TUTTI_UPDATED) == 0) {
      // Flags are set to one value by whoever sets them, as if they were updated.
      isKnown_ = isKnown_ && (launch_.region->flags & TUTTI_REGION_SCATTERS) == 0;
      record.flags |= TUTTI_UPDATED;
    }
    if (isSumming_) {
      sum(record);
    } else {
      found_.push_back(std::move(record));
    }
  }

  std::uint64_t follow(std::uint64_t address, std::uint32_t size) override {
    const std::optional<std::uint64_t> found = reader_.read(address, size);
    isKnown_ = isKnown_ && found;
    return found.value_or(0);
  }

private:
  /// All that one place in `accesses` reports.
  struct Sum {
    const void *call;
    Range hull;
    bool isWritten;
  };

  void sum(const Reported &record) {
    const bool isWritten = (record.flags & TUTTI_WRITE) != 0;
    const auto known = std::ranges::find(sums_, record.call, &Sum::call);
    if (known == sums_.end()) {
      sums_.push_back({record.call, record.hull, isWritten});
      return;
    }
    known->hull = {std::min(known->hull.begin, record.hull.begin),
                   std::max(known->hull.end, record.hull.end)};
    known->isWritten = known->isWritten || isWritten;
  }

  bool isApart(const void *call) const { return std::ranges::find(apart_, call) != apart_.end(); }

  const Launch &launch_;
  const memory::Window &window_;
  const AllocationOf &allocationOf_;
  std::size_t most_; ///< That are asked for.
  Followed::Reader reader_;
  std::vector<Reported> found_;
  bool isSumming_ = false;
  std::vector<Sum> sums_;
  std::vector<const void *> apart_; ///< Places whose records are left out.
  std::size_t asked_ = 0;
  bool isKnown_ = true;
  bool readsEverywhere_ = false;
};

void Records::dropApart() {
  isSumming_ = true;
  launch_.region->accesses(launch_.captures.data(), launch_.values.data(), 0, launch_.total,
                           launch_.total, this);
  isSumming_ = false;
  for (const Sum &sum : sums_) {
    const bool meets = std::ranges::any_of(
        sums_, [&](const Sum &other) { return other.isWritten && other.hull.overlaps(sum.hull); });
    if (!sum.isWritten && !meets) {
      apart_.push_back(sum.call);
    }
  }
}

/// What some iterations touch.
struct Touch {
  IterationBox box;
  bool isWritten;
  bool isUpdated;
};

bool mayCollide(const Touch &one, const Touch &other) {
  const bool matters = (one.isWritten || other.isWritten) && !(one.isUpdated && other.isUpdated);
  return matters && mayMeet(one.box, other.box);
}

/// What a record of iterations [lower, upper) says of each of them, if `first` and `last` are what
/// it says of the outermost ones alone: one dimension of it, at most, are the iterations. Where
/// none is, each of them may touch all.
std::optional<Touch> touchOf(const Reported &all, const Reported &first, const Reported &last,
                             std::int64_t lower, std::int64_t upper) {
  const std::int64_t count = upper - lower;
  const auto isOfSame = [&](const Reported &one) {
    return one.call == all.call && one.flags == all.flags && one.object == all.object &&
           one.size == all.size && one.dims.size() == all.dims.size();
  };
  if (!isOfSame(first) || !isOfSame(last) || first.address != all.address) {
    return std::nullopt;
  }
  std::int64_t step = 0;
  Touch touch{{all.address, all.size, {}, lower, count, 0, all.hull},
              (all.flags & TUTTI_WRITE) != 0,
              (all.flags & TUTTI_UPDATED) != 0};
  for (std::size_t index = 0; index < all.dims.size(); ++index) {
    const tutti_dim &dim = all.dims[index];
    const tutti_dim &one = first.dims[index];
    const tutti_dim &other = last.dims[index];
    if (one.stride != dim.stride || other.stride != dim.stride || one.count != other.count) {
      return std::nullopt;
    }
    if (one.count == dim.count) {
      touch.box.dims.push_back(dim);
    } else if (step == 0 && one.count == 1 && dim.count == count) {
      step = dim.stride;
    } else {
      return std::nullopt;
    }
  }
  const auto way = static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(count - 1);
  // What all may write only some may; one by one that may be known.
  const bool isShared = step == 0 && touch.isWritten && !touch.isUpdated;
  if (last.address != all.address + way || isShared) {
    return std::nullopt;
  }
  touch.box.step = step;
  return touch;
}

class Apart {
public:
  Apart(const Launch &launch, const memory::Window &window, const AllocationOf &allocationOf,
        std::size_t most)
      : launch_(launch), most_(most), records_(launch, window, allocationOf, most) {}

  bool holds();

private:
  void addValues();
  bool addAlike(std::int64_t lower, std::int64_t upper);
  void addSingle(std::int64_t iteration);
  bool survey();
  bool keepApart();

  const Launch &launch_;
  std::size_t most_;
  Records records_;
  std::vector<Touch> touches_;
};

/// Values are read before the loop, and stand for what iterations read.
void Apart::addValues() {
  for (const BlockValue &block : launch_.blocks) {
    const Range range{block.address, block.address + block.bytes};
    touches_.push_back(
        {{block.address, block.bytes, {}, 0, launch_.total, 0, range}, false, false});
  }
}

/// Adds what iterations [lower, upper) touch, if they do so alike.
bool Apart::addAlike(std::int64_t lower, std::int64_t upper) {
  const std::vector<Reported> all = records_.of(lower, upper);
  const std::vector<Reported> first = records_.of(lower, lower + 1);
  const std::vector<Reported> last = records_.of(upper - 1, upper);
  if (all.size() != first.size() || all.size() != last.size()) {
    return false;
  }
  const std::size_t mark = touches_.size();
  for (std::size_t index = 0; index < all.size(); ++index) {
    const auto touch = touchOf(all[index], first[index], last[index], lower, upper);
    if (!touch) {
      touches_.resize(mark);
      return false;
    }
    touches_.push_back(*touch);
  }
  return true;
}

void Apart::addSingle(std::int64_t iteration) {
  for (const Reported &record : records_.of(iteration, iteration + 1)) {
    touches_.push_back({{record.address, record.size, record.dims, iteration, 1, 0, record.hull},
                        (record.flags & TUTTI_WRITE) != 0,
                        (record.flags & TUTTI_UPDATED) != 0});
  }
}

/// Adds what all iterations touch, in pieces that are alike: rows, or all of them. False if that is
/// not known, or if already the first two collide.
bool Apart::survey() {
  addSingle(0);
  if (launch_.total > 1) {
    addSingle(1);
  }
  if (!records_.isKnown() || !keepApart()) {
    return false;
  }
  touches_.clear();
  records_.dropApart();
  std::int64_t length = launch_.total;
  int single = 1; // Iterations that are asked one by one before more are.
  int left = 0;
  for (std::int64_t lower = 0; lower < launch_.total && records_.isKnown();) {
    const std::int64_t upper = std::min(lower + length, launch_.total);
    if (upper - lower == 1) {
      addSingle(lower++);
      length = --left > 0 ? 1 : 2;
    } else if (addAlike(lower, upper)) {
      lower = upper;
      length *= 2;
      single = 1;
    } else {
      length = (upper - lower) / 2;
      if (length == 1) {
        left = single;
        single = std::min(2 * single, kMostSingle);
      }
    }
  }
  return records_.isKnown();
}

/// Whether nobody touches what another iteration writes.
bool Apart::keepApart() {
  std::ranges::sort(touches_, {}, [](const Touch &touch) { return touch.box.hull.begin; });
  std::vector<const Touch *> writes; // By their begin,
  std::vector<std::uint64_t> ends;   // and how far they reach so far.
  for (const Touch &touch : touches_) {
    if (touch.isWritten) {
      writes.push_back(&touch);
      ends.push_back(std::max(touch.box.hull.end, ends.empty() ? 0 : ends.back()));
    }
  }
  std::size_t pairs = 0;
  for (const Touch &touch : touches_) {
    auto at = static_cast<std::size_t>(
        std::ranges::lower_bound(writes, touch.box.hull.end, {},
                                 [](const Touch *write) { return write->box.hull.begin; }) -
        writes.begin());
    for (; at > 0 && ends[at - 1] > touch.box.hull.begin; --at) {
      if (++pairs > 2 * most_ || mayCollide(*writes[at - 1], touch)) {
        return false;
      }
    }
  }
  return true;
}

bool Apart::holds() {
  if (!survey()) {
    return false;
  }
  const bool writes =
      std::ranges::any_of(touches_, [](const Touch &touch) { return touch.isWritten; });
  addValues();
  return !(writes && records_.readsEverywhere()) && keepApart();
}

} // namespace

bool keepApartInRecords(const Launch &launch, const memory::Window &window,
                        const AllocationOf &allocationOf, std::size_t most) {
  return Apart(launch, window, allocationOf, most).holds();
}

} // namespace tutti::exec
