// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/salvage.h"

#include "base/check.h"
#include "runtime/exec/or_die.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti::protocol {

using namespace exec;

namespace {

using memory::Event;

/// Bytes of one message at most.
constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;

RangeSet without(const RangeSet &bytes, std::span<const Event> events,
                 const std::function<bool(const Event &)> &counts) {
  std::vector<Range> taken;
  for (const Event &event : events) {
    if (counts(event)) {
      taken.push_back(event.range);
    }
  }
  return taken.empty() ? bytes : bytes.subtract(RangeSet::of(std::move(taken)));
}

} // namespace

Salvage::Salvage(Engine &engine, Mail &mail) : engine_(engine), mail_(mail) {
  engine_.serve({[this]() TUTTI_IN_TURN { return answerAll(); }, {}});
  mail_.on(kSalvage, [this](transport::Control &message, Reader &reader) TUTTI_IN_TURN {
    const auto after = reader.take<Sequence>();
    const auto place = reader.take<Place>();
    requests_.push_back({message.from, after, place, reader.takeRanges()});
  });
  mail_.on(kSalvaged, [this](transport::Control &message, Reader &reader)
                          TUTTI_IN_TURN { takePiece(message.from, reader); });
}

void Salvage::happened(std::span<const Event> events) {
  events_.insert(events_.end(), events.begin(), events.end());
}

void Salvage::begins(const Launch &launch, const std::shared_ptr<const Plan> &plan) {
  latest_ = launch.sequence;
  Entry &entry = entries_[latest_ % kRemembered];
  entry.sequence = latest_;
  entry.events.swap(events_);
  events_.clear();
  entry.plan = plan;
  entry.hostGot.clear();
}

void Salvage::hostGets(const RangeSet &bytes) {
  std::vector<Range> &got = entries_[latest_ % kRemembered].hostGot;
  got.insert(got.end(), bytes.ranges().begin(), bytes.ranges().end());
}

RangeSet Salvage::goneOf(std::int32_t device, const RangeSet &bytes) const {
  return engine_.devices.gone(device).intersect(bytes);
}

Status Salvage::bring(Progress::Lock &lock, std::int32_t device, const RangeSet &bytes) {
  const RangeSet missing = goneOf(device, bytes);
  if (missing.empty()) {
    return {};
  }
  // Of launches before, which have sent older ones.
  engine_.progress.waitUntil(lock, [&]() TUTTI_IN_TURN {
    return !engine_.streams.isReading(missing) && !orDie(engine_.devices.isStreaming(missing));
  });
  hostGets(missing);
  bringFromOwn(device, missing);
  for (Place place = 0; place < engine_.topology.places(); ++place) {
    if (engine_.topology.rankOf(place) != engine_.rank()) {
      bringFrom(lock, device, missing, place);
    }
  }
  return engine_.devices.require(device, bytes);
}

/// From other devices of this rank.
void Salvage::bringFromOwn(std::int32_t device, const RangeSet &bytes) {
  for (std::int32_t other = 0; other < engine_.devices.count(); ++other) {
    const Place place = engine_.topology.deviceOf(engine_.rank(), other);
    const RangeSet missing = goneOf(device, bytes);
    const RangeSet held = missing.subtract(engine_.directoryNow().missing(place, missing));
    if (held.empty() || engine_.devices.isLost(other)) {
      continue;
    }
    bool isRead = true;
    for (const Range &range : held.ranges()) {
      isRead = isRead &&
               read(place, range.begin,
                    {engine_.window.view(range.begin), static_cast<std::size_t>(range.size())});
    }
    if (isRead) {
      arrived(held);
    }
  }
}

void Salvage::bringFrom(Progress::Lock &lock, std::int32_t device, const RangeSet &bytes,
                        Place place) {
  const RangeSet missing = goneOf(device, bytes);
  const RangeSet held = missing.subtract(engine_.directoryNow().missing(place, missing));
  if (held.empty()) {
    return;
  }
  isAwaiting_ = true;
  mail_.send(engine_.topology.rankOf(place),
             Writer(kSalvage).add(engine_.finished).add(place).add(held).bytes());
  engine_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return !isAwaiting_; });
  arrived(std::exchange(brought_, {}));
}

/// The host has the bytes now, and serves for all lost devices.
void Salvage::arrived(const RangeSet &bytes) {
  engine_.counters.salvagedBytes += bytes.bytes();
  for (std::int32_t device = 0; device < engine_.devices.count(); ++device) {
    engine_.devices.wroteInPlaceOf(device, bytes);
  }
}

void Salvage::takePiece(Rank from, Reader &reader) {
  const auto range = reader.take<Range>();
  if (range.empty()) {
    isAwaiting_ = false;
    return;
  }
  TUTTI_CHECK(reader.rest().size() == range.size(), "get {} bytes of rank {}: got {}", range.size(),
              from, reader.rest().size());
  std::memcpy(engine_.window.view(range.begin), reader.rest().data(), range.size());
  brought_ = brought_.unite(RangeSet::of({range}));
}

/// What can be answered now; whether there was any.
bool Salvage::answerAll() {
  bool moved = false;
  for (std::size_t left = requests_.size(); left > 0; --left) {
    Request request = std::move(requests_.front());
    requests_.pop_front();
    if (request.after <= engine_.finished) {
      answer(request);
      moved = true;
    } else {
      requests_.push_back(std::move(request));
    }
  }
  return moved;
}

/// What this rank still has, piece by piece, and an empty piece at the end.
void Salvage::answer(const Request &request) {
  const auto say = [&](Range range, std::span<const std::byte> bytes) TUTTI_IN_TURN {
    mail_.send(request.from, Writer(kSalvaged).add(range).addBytes(bytes).bytes());
  };
  std::vector<std::byte> buffer;
  const RangeSet bytes = unchanged(request.place, request.after, request.bytes);
  for (const Range &range : bytes.ranges()) {
    for (std::uint64_t begin = range.begin; begin < range.end; begin += kPiece) {
      const Range piece{begin, std::min(begin + kPiece, range.end)};
      buffer.resize(piece.size());
      if (read(request.place, begin, buffer)) {
        say(piece, buffer);
      }
    }
  }
  say({}, {});
}

/// Those of `bytes` that a place of this rank holds as they were behind launch `since`, when its
/// copy was valid.
RangeSet Salvage::unchanged(Place place, Sequence since, RangeSet bytes) const {
  if (latest_ - std::min(latest_, since) >= kRemembered) {
    return {};
  }
  const bool isHost = engine_.topology.isHost(place);
  const auto drop = [&](Sequence sequence, std::span<const Event> events) {
    bytes = without(bytes, events, [&](const Event &event) {
      switch (event.kind) {
      case Event::Kind::Claimed:
        return true;
      case Event::Kind::Fetched: // What is asked for may be so because of that.
        return isHost && sequence > since + 1;
      case Event::Kind::Evicted:
        return event.from == place;
      }
      return true;
    });
  };
  for (Sequence sequence = since + 1; sequence <= latest_; ++sequence) {
    const Entry &entry = entries_[sequence % kRemembered];
    const std::shared_ptr<const Plan> plan = entry.plan;
    if (!plan || entry.sequence != sequence) {
      return {};
    }
    drop(sequence, entry.events);
    bytes = unchangedBy(*plan, place, bytes);
    bytes = isHost ? bytes.subtract(RangeSet::of(entry.hostGot)) : bytes;
  }
  drop(latest_ + 1, events_);
  return bytes;
}

/// Less what changes there in one launch.
RangeSet Salvage::unchangedBy(const Plan &plan, Place place, const RangeSet &bytes) const {
  RangeSet left = bytes.subtract(plan.merged);
  for (const Return &returned : plan.returns) {
    left = left.subtract(returned.ranges);
  }
  if (engine_.topology.isHost(place)) {
    return left.subtract(plan.overwritten);
  }
  const std::int32_t device = engine_.topology.indexOf(place);
  for (const DevicePart &part : plan.devices) {
    left = part.device == device ? left.subtract(part.writes) : std::move(left);
  }
  for (const Copy &copy : plan.copies) {
    left = copy.to == place ? left.subtract(copy.ranges) : std::move(left);
  }
  for (const Borrowing &borrowing : plan.borrowings) {
    left = borrowing.device == device ? left.subtract(borrowing.ranges) : std::move(left);
  }
  return left;
}

/// False if it cannot be had.
bool Salvage::read(Place place, std::uint64_t address, std::span<std::byte> target) {
  if (!engine_.topology.isHost(place)) {
    const std::int32_t device = engine_.topology.indexOf(place);
    return !engine_.devices.isLost(device) && engine_.devices.read(device, address, target) &&
           !engine_.devices.isLost(device);
  }
  if (readHost_) {
    return readHost_(address, target);
  }
  std::memcpy(target.data(), engine_.window.view(address), target.size());
  return true;
}

} // namespace tutti::protocol
