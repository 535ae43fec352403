// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/routes.h"

#include "base/hash.h"
#include "runtime/transport/gather.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace tutti::entry {

namespace {

using exec::HandleSocket;
using memory::Place;
using memory::Topology;
using transport::Rank;

/// One rank's words; sent as they are.
struct SharingHello {
  HandleSocket::Address address;
  std::uint64_t sharers; ///< A bit for each of its devices that can share memory.
};

/// What a device writes for the others to copy.
using Sample = std::array<std::uint64_t, 8>;

Sample sampleOf(Place place, const HandleSocket::Address &address) {
  Sample sample{};
  for (std::size_t index = 0; index < sample.size(); ++index) {
    sample[index] =
        Hash().add(address.secret + index).add(static_cast<std::uint64_t>(place)).value();
  }
  return sample;
}

Status meet(transport::Endpoint &endpoint) {
  const auto met = endpoint.allGather({});
  return met ? Status() : Status(met.error());
}

/// Room for everybody's sample, which every device can give back.
Range blockFor(const Topology &topology, const std::vector<exec::Room> &rooms,
               const memory::Window &window) {
  std::uint64_t granule = 1;
  for (const exec::Room &room : rooms) {
    granule = std::max(granule, room.granule);
  }
  const std::uint64_t bytes = sizeof(Sample) * static_cast<std::uint64_t>(topology.places());
  const std::uint64_t begin = window.heap().begin;
  return {begin, begin + (bytes + granule - 1) / granule * granule};
}

/// This rank's part of the trial.
class Trial {
public:
  Trial(Rank self, const Topology &topology, Range block, const std::vector<exec::OpenDevice> &own,
        const std::vector<SharingHello> &hellos)
      : self_(self), topology_(topology), own_(own), hellos_(hellos), block_(block),
        reached_(static_cast<std::size_t>(topology.places())) {}

  /// Puts samples onto the devices that share.
  void prepare() {
    for (std::size_t index = 0; index < own_.size(); ++index) {
      queues_.push_back(preparedQueue(index));
    }
  }

  /// Sends handles of all devices that share. If it does not work, nobody gets anything.
  void offer(const HandleSocket &socket, Rank to) const {
    std::vector<Descriptor> handles;
    for (std::size_t index = 0; index < own_.size(); ++index) {
      if (!isSharer(self_, index)) {
        continue;
      }
      auto handle = own_[index].device->share(block_);
      if (!handle) {
        return;
      }
      handles.push_back(std::move(*handle));
    }
    if (!handles.empty()) {
      static_cast<void>(socket.send(hellos_[static_cast<std::size_t>(to)].address, self_, handles));
    }
  }

  /// Tries each device on what has come from another rank.
  void accept(HandleSocket &socket, Rank from) {
    const auto handles = socket.receive(from);
    if (!handles) {
      return;
    }
    std::size_t next = 0;
    for (std::int32_t theirs = 0; theirs < topology_.devicesOf(from); ++theirs) {
      if (!isSharer(from, static_cast<std::size_t>(theirs)) || next == handles->size()) {
        continue;
      }
      const Descriptor &handle = (*handles)[next++];
      const Place place = topology_.deviceOf(from, theirs);
      for (std::size_t index = 0; index < own_.size(); ++index) {
        const std::uint64_t bit = copies(index, place, handle) ? 1 : 0;
        reached_[static_cast<std::size_t>(place)] |= bit << index;
      }
    }
  }

  /// By place: a bit for each of this rank's devices that copies from there.
  const std::vector<std::uint64_t> &reached() const { return reached_; }

  /// Gives the memory back.
  void end() {
    queues_.clear();
    for (const exec::OpenDevice &open : own_) {
      open.device->release(block_).ignore("whoever needs the memory will see");
    }
  }

private:
  bool isSharer(Rank rank, std::size_t index) const {
    return (hellos_[static_cast<std::size_t>(rank)].sharers >> index & 1) != 0;
  }

  std::uint64_t sampleAt(Place place) const {
    return block_.begin + sizeof(Sample) * static_cast<std::uint64_t>(place);
  }

  /// Null if the device cannot take part.
  std::unique_ptr<device::Queue> preparedQueue(std::size_t index) const {
    device::Device &device = *own_[index].device;
    auto queue = device.makeQueue();
    if (!queue || !device.commit(block_)) {
      return nullptr;
    }
    const Place place = topology_.deviceOf(self_, static_cast<std::int32_t>(index));
    const Sample sample = sampleOf(place, hellos_[static_cast<std::size_t>(self_)].address);
    const Status status = (*queue)->copyIn(std::as_bytes(std::span(sample)), sampleAt(place));
    return status && (*queue)->finish() ? std::move(*queue) : nullptr;
  }

  /// Whether a device of this rank gets the sample of another.
  bool copies(std::size_t index, Place from, const Descriptor &handle) const {
    device::Queue *queue = queues_[index].get();
    auto foreign = own_[index].device->makeForeign();
    if (!queue || !foreign || !(*foreign)->add(block_, handle)) {
      return false;
    }
    const std::uint64_t at = sampleAt(from);
    Sample sample{};
    const bool isGiven = queue->copyForeign(**foreign, {at, at + sizeof sample}) &&
                         queue->copyOut(at, std::as_writable_bytes(std::span(sample)));
    // In any case before the memory goes.
    const bool isCopied = queue->finish() && isGiven;
    const Rank rank = topology_.rankOf(from);
    return isCopied && sample == sampleOf(from, hellos_[static_cast<std::size_t>(rank)].address);
  }

  Rank self_;
  const Topology &topology_;
  const std::vector<exec::OpenDevice> &own_;
  const std::vector<SharingHello> &hellos_;
  Range block_;
  std::vector<std::unique_ptr<device::Queue>> queues_;
  std::vector<std::uint64_t> reached_;
};

/// Whether devices of two ranks are on one host.
bool isMet(const std::vector<Hello> &hellos, const Topology &topology, Rank one, Rank other) {
  return one != other && topology.devicesOf(one) > 0 && topology.devicesOf(other) > 0 &&
         hellos[static_cast<std::size_t>(one)].host == hellos[static_cast<std::size_t>(other)].host;
}

bool isAnyMet(const std::vector<Hello> &hellos, const Topology &topology) {
  for (Rank one = 0; one < topology.ranks(); ++one) {
    for (Rank other = 0; other < one; ++other) {
      if (isMet(hellos, topology, one, other)) {
        return true;
      }
    }
  }
  return false;
}

std::vector<memory::DeviceRoute> routesOf(const Topology &topology,
                                          const std::vector<std::uint64_t> &reached) {
  std::vector<memory::DeviceRoute> routes;
  const auto places = static_cast<std::size_t>(topology.places());
  for (Place to = topology.ranks(); to < topology.places(); ++to) {
    for (Place from = topology.ranks(); from < topology.places(); ++from) {
      const auto rank = static_cast<std::size_t>(topology.rankOf(to));
      const std::uint64_t bits = reached[rank * places + static_cast<std::size_t>(from)];
      if ((bits >> topology.indexOf(to) & 1) != 0) {
        routes.push_back({from, to});
      }
    }
  }
  return routes;
}

} // namespace

Result<JobRoutes> findRoutes(transport::Endpoint &endpoint, const std::vector<Hello> &hellos,
                             const memory::Topology &topology, const std::vector<exec::Room> &rooms,
                             const memory::Window &window,
                             const std::vector<exec::OpenDevice> &own) {
  JobRoutes found;
  const Rank self = endpoint.rank();
  const Rank size = endpoint.size();
  if (!isAnyMet(hellos, topology)) {
    return found;
  }
  SharingHello hello{};
  if (auto socket = HandleSocket::open()) {
    found.handles.socket = std::move(*socket);
    hello.address = found.handles.socket.address();
    for (std::size_t index = 0; index < own.size(); ++index) {
      const bool shares = static_cast<bool>(own[index].device->allowSharing());
      hello.sharers |= std::uint64_t{shares ? 1U : 0U} << index;
    }
  }
  std::vector<SharingHello> all;
  TUTTI_ASSIGN(all, transport::gather(endpoint, hello));
  Trial trial(self, topology, blockFor(topology, rooms, window), own, all);
  trial.prepare();
  // In turns, so that never more than one message waits at a socket.
  for (Rank distance = 1; distance < size; ++distance) {
    const Rank to = (self + distance) % size;
    const Rank from = (self - distance + size) % size;
    if (isMet(hellos, topology, self, to)) {
      trial.offer(found.handles.socket, to);
    }
    TUTTI_TRY(meet(endpoint));
    if (isMet(hellos, topology, self, from)) {
      trial.accept(found.handles.socket, from);
    }
  }
  std::vector<std::uint64_t> reached;
  TUTTI_ASSIGN(reached, transport::gather(endpoint, std::span(trial.reached())));
  trial.end(); // Everybody has let go of it.
  found.routes = routesOf(topology, reached);
  for (const SharingHello &each : all) {
    found.handles.addresses.push_back(each.address);
  }
  return found;
}

} // namespace tutti::entry
