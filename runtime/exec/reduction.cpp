// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/reduction.h"

#include "base/check.h"
#include "runtime/exec/tree.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace tutti::exec {

namespace {

/// Each variable at a multiple of this in a partial result.
constexpr std::uint64_t kAlignment = 16;

std::uint64_t padded(std::uint64_t bytes) { return (bytes + kAlignment - 1) & ~(kAlignment - 1); }

std::uint64_t bytesOf(std::span<const std::uint64_t> sizes) {
  std::uint64_t bytes = 0;
  for (const std::uint64_t size : sizes) {
    bytes += padded(size);
  }
  return bytes;
}

} // namespace

/// A list as `combine` wants it, over a partial result; slots that are no pointers as in the
/// caller's list.
std::vector<void *> Reduction::slotsOf(const Contribution &contribution, std::byte *bytes) const {
  std::vector<void *> slots;
  for (std::size_t index = 0; index < contribution.sizes.size(); ++index) {
    const std::uint64_t size = contribution.sizes[index];
    slots.push_back(size == 0 ? contribution.list[index] : bytes);
    bytes += padded(size);
  }
  return slots;
}

void Reduction::accumulate(const Contribution &contribution, void **list) {
  const std::vector<void *> own = slotsOf(contribution, sum_.data());
  if (isFirst_) {
    isFirst_ = false;
    for (std::size_t index = 0; index < contribution.sizes.size(); ++index) {
      if (contribution.sizes[index] > 0) {
        std::memcpy(own[index], list[index], contribution.sizes[index]);
      }
    }
    return;
  }
  std::vector<void *> target = own;
  contribution.combine(target.data(), list);
}

bool Reduction::add(const Contribution &contribution) {
  const ScopedLock lock(mutex_);
  if (sum_.empty()) {
    sum_.resize(bytesOf(contribution.sizes));
  }
  // Code beside the loop may add to the result as well, but no data has been brought for it here:
  // the pieces with iterations have executed it, too.
  if (!contribution.isEmpty) {
    accumulate(contribution, contribution.list);
  }
  if (++threadsArrived_ < contribution.threads) {
    return false;
  }
  threadsArrived_ = 0;
  if (++piecesDone_ < site_.pieces) {
    return false;
  }
  if (!combineRanks(contribution) || site_.self != 0) {
    return false;
  }
  const std::vector<void *> own = slotsOf(contribution, sum_.data());
  for (std::size_t index = 0; index < contribution.sizes.size(); ++index) {
    if (contribution.sizes[index] > 0) {
      std::memcpy(contribution.list[index], own[index], contribution.sizes[index]);
    }
  }
  return true;
}

void Reduction::addPiece() {
  const ScopedLock lock(mutex_);
  ++site_.pieces;
}

void Reduction::addPartials(const Contribution &contribution, std::span<std::byte> partials) {
  const ScopedLock lock(mutex_);
  const std::uint64_t bytes = bytesOf(contribution.sizes);
  if (partials.size() < bytes) {
    return;
  }
  sum_.resize(bytes);
  std::vector<void *> list = slotsOf(contribution, partials.data());
  accumulate(contribution, list.data());
  // There may be thousands: no allocation for each.
  std::vector<void *> target = slotsOf(contribution, sum_.data());
  for (std::size_t at = bytes; at + bytes <= partials.size(); at += bytes) {
    for (void *&slot : list) {
      slot = static_cast<std::byte *>(slot) + bytes;
    }
    contribution.combine(target.data(), list.data());
  }
}

double Reduction::waited() const {
  const ScopedLock lock(mutex_);
  return waited_;
}

/// Whether there is a result.
bool Reduction::combineRanks(const Contribution &contribution) {
  bool hasResult = !site_.strayed || *site_.strayed == 0;
  // The tree is over positions in the list of ranks.
  const auto at = static_cast<Rank>(
      std::lower_bound(site_.ranks.begin(), site_.ranks.end(), site_.self) - site_.ranks.begin());
  const auto rankAt = [this](Rank index) { return site_.ranks[static_cast<std::size_t>(index)]; };
  // Nearest child first: the ranks are combined in their order.
  for (const Rank index : treeChildren(at, static_cast<Rank>(site_.ranks.size()))) {
    const Rank child = rankAt(index);
    std::vector<std::byte> part;
    {
      const auto begin = std::chrono::steady_clock::now();
      Progress::Lock lock = progress_.lock();
      const std::pair key{site_.sequence, child};
      progress_.waitUntil(lock, [&]() TUTTI_IN_TURN { return arrived_.contains(key); });
      part = std::move(arrived_.extract(key).mapped());
      waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    if (part.empty()) {
      hasResult = false;
      continue;
    }
    TUTTI_CHECK(part.size() == sum_.size(), "combine {} bytes of rank {} with {}", part.size(),
                child, sum_.size());
    std::vector<void *> list = slotsOf(contribution, part.data());
    accumulate(contribution, list.data());
  }
  if (isFirst_) {
    accumulate(contribution, contribution.list);
  }
  if (site_.self != 0) {
    const Progress::Lock lock = progress_.lock();
    send_(rankAt(treeParent(at)), hasResult ? sum_ : std::vector<std::byte>());
  }
  return hasResult;
}

} // namespace tutti::exec
