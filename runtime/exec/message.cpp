// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/message.h"

namespace tutti::exec {

std::vector<std::byte> encode(const Launch &launch) {
  return Writer()
      .add(MessageKind::Launch)
      .add(launch.sequence)
      .add(launch.region->id)
      .add(launch.captures)
      .add(launch.values)
      .add(launch.blocks)
      .add(launch.allocations)
      .add(launch.total)
      .add(launch.shares)
      .add(launch.onlyShare)
      .add(launch.portion)
      .add(launch.events)
      .bytes();
}

Launch decodeLaunch(Reader &reader, RegionOf regionOf) {
  Launch launch;
  launch.sequence = reader.take<Sequence>();
  const auto id = reader.take<std::uint64_t>();
  launch.region = regionOf(id);
  TUTTI_CHECK(launch.region, "find region {:#x}", id);
  launch.captures = reader.takeVector<std::uint64_t>();
  launch.values = reader.takeVector<std::uint64_t>();
  launch.blocks = reader.takeVector<BlockValue>();
  launch.allocations = reader.takeVector<Allocation>();
  launch.total = reader.take<std::int64_t>();
  launch.shares = reader.takeVector<Share>();
  launch.onlyShare = reader.take<std::int32_t>();
  launch.portion = reader.take<balance::Portion>();
  launch.events = reader.takeVector<memory::Event>();
  return launch;
}

std::vector<std::byte> encode(const FetchRequest &request) {
  return Writer()
      .add(MessageKind::Fetch)
      .add(request.sequence)
      .add(request.ranges.ranges())
      .bytes();
}

FetchRequest decodeFetch(Reader &reader) {
  const auto sequence = reader.take<Sequence>();
  return {sequence, RangeSet::of(reader.takeVector<Range>())};
}

std::vector<std::byte> encodeChanges(Sequence sequence, bool isLast,
                                     std::span<const std::byte> bytes) {
  return Writer()
      .add(MessageKind::Changes)
      .add(sequence)
      .add(std::uint32_t{isLast})
      .addBytes(bytes)
      .bytes();
}

Changes decodeChanges(Reader &reader) {
  Changes changes{reader.take<Sequence>(), reader.take<std::uint32_t>(), {}};
  changes.bytes.assign(reader.rest().begin(), reader.rest().end());
  return changes;
}

std::vector<std::byte> encode(const Reservation &reservation) {
  return Writer()
      .add(MessageKind::Reserve)
      .add(reservation.sequence)
      .add(reservation.place)
      .add(reservation.units.ranges())
      .bytes();
}

Reservation decodeReservation(Reader &reader) {
  const auto sequence = reader.take<Sequence>();
  const auto place = reader.take<memory::Place>();
  return {sequence, place, RangeSet::of(reader.takeVector<Range>())};
}

} // namespace tutti::exec
