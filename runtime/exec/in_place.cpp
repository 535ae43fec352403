// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/in_place.h"

#include "runtime/exec/survey.h"

#include <algorithm>

namespace tutti::exec {

namespace {

/// What is read is mostly written next, or lies beside.
void append(std::vector<Range> &ranges, Range next) {
  if (!ranges.empty() && next.begin <= ranges.back().end && ranges.back().begin <= next.end) {
    Range &last = ranges.back();
    last = {std::min(last.begin, next.begin), std::max(last.end, next.end)};
  } else {
    ranges.push_back(next);
  }
}

} // namespace

void InPlaceCheck::add(std::uint32_t flags, std::uint64_t object, std::uint64_t address,
                       std::uint64_t size, std::uint32_t ndims, const tutti_dim *dims) {
  const std::span all(dims, ndims);
  if ((flags & TUTTI_ANYWHERE) != 0) {
    holds_ = false;
  }
  if (!holds_ || isIdle(flags, object, window_) || size == 0 ||
      std::any_of(all.begin(), all.end(), [](const tutti_dim &dim) { return dim.count <= 0; })) {
    return;
  }
  constexpr std::uint32_t kRest = TUTTI_ANYWHERE | TUTTI_EVERYWHERE | TUTTI_ALLOCATION;
  const Range limit = limitOf(flags, object, window_);
  Range hull = memory::hullOf(address, size, all);
  hull = {std::max(hull.begin, limit.begin), std::min(hull.end, limit.end)};
  const bool isReduced = (flags & TUTTI_REDUCED) != 0;
  reduces_ = reduces_ || isReduced;
  const bool isScattered = (flags & TUTTI_SCATTERED) != 0 && launch_->shares.size() > 1;
  if ((flags & kRest) != 0 || isScattered || hull.empty() || !window_.contains(hull)) {
    holds_ = false;
    return;
  }
  const bool isWritten = (flags & TUTTI_WRITE) != 0;
  const memory::Directory::Standing &standing = standingOf(isReduced ? 0 : part_->place, hull);
  holds_ = isWritten ? standing.isAlone : standing.isValid;
  double bytes = static_cast<double>(size);
  for (const tutti_dim &dim : all) {
    bytes *= static_cast<double>(dim.count);
  }
  note(object, hull, isWritten, bytes, standing.isHome);
  if (!isReduced) {
    append(part_->touched, hull);
    if (isWritten) {
      append(part_->writes, hull);
    }
  }
}

/// Records follow each other that lie in the same run of the directory.
const memory::Directory::Standing &InPlaceCheck::standingOf(memory::Place place, Range hull) {
  if (place != standsAt_ || !standing_.alike.contains(hull)) {
    standing_ = directory_->standing(place, hull);
    standsAt_ = place;
  }
  return standing_;
}

std::uint64_t InPlaceCheck::follow(std::uint64_t, std::uint32_t) {
  holds_ = false;
  return 0;
}

void InPlaceCheck::note(std::uint64_t pointer, Range hull, bool isWritten, double bytes,
                        bool isHome) {
  const double notHome = isHome ? 0 : bytes;
  const auto known = std::ranges::find(objects_, pointer, &Object::pointer);
  if (known == objects_.end()) {
    objects_.push_back({pointer, hull, isWritten, bytes, notHome});
    return;
  }
  known->hull = {std::min(known->hull.begin, hull.begin), std::max(known->hull.end, hull.end)};
  known->isWritten = known->isWritten || isWritten;
  known->bytes += bytes;
  known->bytesNotHome += notHome;
}

double InPlaceCheck::sum(double Object::*bytes) const {
  double all = 0;
  for (const Object &object : objects_) {
    all += std::min(object.*bytes, static_cast<double>(object.hull.size()));
  }
  return all;
}

std::vector<Reach> InPlaceCheck::reaches() const {
  std::vector<Reach> reaches;
  reaches.reserve(objects_.size());
  for (const Object &object : objects_) {
    reaches.push_back({object.pointer, object.hull, object.isWritten});
  }
  return reaches;
}

bool InPlaceCheck::holds(const Launch &launch, const memory::Directory &directory) {
  holds_ = !launch.followed && !launch.widening.isAny() && launch.onlyShare < 0 &&
           launch.portion.count == 1 && !isChasing(*launch.region);
  reduces_ = false;
  hostWorks_ = false;
  launch_ = &launch;
  directory_ = &directory;
  standing_.alike = {};
  objects_.clear();
  count_ = 0;
  const std::vector<balance::Chunk> chunks = chunksOf(launch);
  if (parts_.size() < chunks.size()) {
    parts_.resize(chunks.size());
  }
  for (std::size_t index = 0; index < chunks.size() && holds_; ++index) {
    part_ = &parts_[count_++];
    part_->place = launch.shares[index].place;
    part_->chunk = chunks[index];
    part_->touched.clear();
    part_->writes.clear();
    if (!part_->chunk.empty()) {
      hostWorks_ = hostWorks_ || part_->place == 0;
      launch.region->accesses(launch.captures.data(), launch.values.data(), part_->chunk.lower,
                              part_->chunk.upper, launch.total, this);
    }
  }
  // What that host writes beside a reduction's variables has to be compared with those.
  holds_ = holds_ && !(reduces_ && hostWorks_);
  for (const BlockValue &block : launch.blocks) {
    const Range bytes{block.address, block.address + block.bytes};
    for (const Part &part : parts()) {
      holds_ = holds_ && std::ranges::none_of(part.writes, [&](const Range &range) {
                 return range.overlaps(bytes);
               });
    }
  }
  return holds_;
}

} // namespace tutti::exec
