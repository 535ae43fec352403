// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The memories of a job: the host memory of every rank, and its devices'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::memory {

/// A memory that holds copies: place r is the host memory of rank r, devices follow in the order
/// of their ranks.
using Place = std::int32_t;

/// Two devices of different ranks of which one copies from the memory of the other, with no host
/// between.
struct DeviceRoute {
  Place from;
  Place to;
};

/// Threading: immutable once built. The same on every rank.
class Topology {
public:
  /// One rank after the other with so many devices.
  explicit Topology(const std::vector<std::int32_t> &devicesOfRanks,
                    const std::vector<DeviceRoute> &routes = {})
      : ranks_(static_cast<std::int32_t>(devicesOfRanks.size())) {
    for (std::int32_t rank = 0; rank < ranks_; ++rank) {
      rankOf_.push_back(rank);
    }
    for (std::int32_t rank = 0; rank < ranks_; ++rank) {
      firstDevice_.push_back(static_cast<Place>(rankOf_.size()));
      for (std::int32_t device = 0; device < devicesOfRanks[static_cast<std::size_t>(rank)];
           ++device) {
        rankOf_.push_back(rank);
      }
    }
    firstDevice_.push_back(static_cast<Place>(rankOf_.size()));
    routes_.resize(routes.empty() ? 0 : rankOf_.size() * rankOf_.size());
    for (const DeviceRoute &route : routes) {
      routes_[indexOfRoute(route.from, route.to)] = true;
    }
  }

  /// Ranks without devices.
  static Topology ofHosts(std::int32_t ranks) {
    return Topology(std::vector<std::int32_t>(static_cast<std::size_t>(ranks)));
  }

  std::int32_t ranks() const { return ranks_; }

  std::int32_t places() const { return static_cast<std::int32_t>(rankOf_.size()); }

  std::int32_t rankOf(Place place) const { return rankOf_[static_cast<std::size_t>(place)]; }

  bool isHost(Place place) const { return place < ranks_; }

  Place deviceOf(std::int32_t rank, std::int32_t index) const {
    return firstDevice_[static_cast<std::size_t>(rank)] + index;
  }

  std::int32_t devicesOf(std::int32_t rank) const {
    return firstDevice_[static_cast<std::size_t>(rank) + 1] -
           firstDevice_[static_cast<std::size_t>(rank)];
  }

  /// Which of its rank's devices a place is.
  std::int32_t indexOf(Place place) const { return place - deviceOf(rankOf(place), 0); }

  bool hasDevices() const { return places() > ranks_; }

  /// Whether bytes go from one place to another of another rank with no host between.
  bool hasRoute(Place from, Place to) const {
    return !routes_.empty() && routes_[indexOfRoute(from, to)];
  }

  bool hasRoutes() const { return !routes_.empty(); }

private:
  std::size_t indexOfRoute(Place from, Place to) const {
    return static_cast<std::size_t>(from) * rankOf_.size() + static_cast<std::size_t>(to);
  }

  std::int32_t ranks_;
  std::vector<std::int32_t> rankOf_;
  std::vector<Place> firstDevice_; ///< By rank, and one more.
  std::vector<bool> routes_;       ///< By both places; empty if there are none.
};

} // namespace tutti::memory
