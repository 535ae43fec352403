// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/job.h"

#include "base/log.h"
#include "runtime/exec/tree.h"

#include <algorithm>
#include <utility>

namespace tutti::protocol {

using namespace exec;

namespace {

/// Every so many launches a rank tells its parent.
constexpr Sequence kAcknowledgeEvery = 32;

/// Adds what `device` gets from other devices in a launch: that has not come by the host.
void addFromDevices(std::vector<Range> &bytes, const Plan &plan, const memory::Topology &topology,
                    memory::Place device) {
  const auto add = [&](const RangeSet &more) {
    bytes.insert(bytes.end(), more.ranges().begin(), more.ranges().end());
  };
  for (const Copy &copy : plan.copies) {
    if (copy.to == device && !topology.isHost(copy.from)) {
      add(copy.ranges);
    }
  }
  for (const Borrowing &borrowing : plan.borrowings) {
    if (borrowing.device == topology.indexOf(device)) {
      add(borrowing.ranges);
    }
  }
}

} // namespace

void orDie(const Status &status) {
  if (!status) {
    log::fatal("{}", status.error().message);
  }
}

Job::Job(JobSetup setup)
    : endpoint(setup.endpoint), window(setup.window), topology(std::move(setup.topology)),
      rooms(window, std::move(setup.rooms)), keepsTime(setup.keepsTime),
      progress(queue, setup.isCrowded), streams(endpoint, window),
      devices(std::move(setup.devices), window, rooms, counters),
      loans(endpoint.rank(), topology, rooms, devices,
            [this](Rank to, std::span<const std::byte> message) { sendControl(to, message); }),
      planner(endpoint.rank(), topology, window, rooms), salvage(*this), rank_(endpoint.rank()),
      size_(endpoint.size()) {
  devices.setAtLoss(
      [this](std::int32_t device, const Error &why) { return noteLoss(device, why); });
  loans.connect(std::move(setup.handles));
  for (const Rank child : treeChildren(rank_, size_)) {
    acknowledgedBy_[child] = 0;
  }
}

void Job::start(Served more) {
  more_ = std::move(more);
  progress.start([this] { return poll(); },
                 [this] {
                   return !streams.isIdle() || !loans.isIdle() || rank_ != 0 ||
                          (more_.isBusy && more_.isBusy()) ||
                          (timesDevices && !orDie(devices.isIdle()));
                 },
                 // Whoever needs a device waits for it; but its failure should show some time.
                 [this] { orDie(devices.isIdle()); });
}

void Job::sendControl(Rank to, std::span<const std::byte> bytes) {
  ++counters.controlMessages;
  orDie(endpoint.sendControl(to, bytes));
}

void Job::passDown(std::span<const std::byte> bytes) {
  // The largest subtree first.
  const std::vector<Rank> children = treeChildren(rank_, size_);
  for (auto child = children.rbegin(); child != children.rend(); ++child) {
    sendControl(*child, bytes);
  }
}

bool Job::isIdle() {
  return streams.isIdle() && loans.isIdle() && loans.areReturned() && orDie(devices.isIdle());
}

void Job::leaveRoutes() {
  if (topology.hasRoutes()) {
    loans.close();
    static_cast<void>(orDie(endpoint.allGather({}))); // Devices keep their memory until then.
  }
}

void Job::finished(Sequence sequence) {
  finished_ = sequence;
  if (sequence % kAcknowledgeEvery == 0) {
    acknowledge();
  }
}

void Job::acknowledge() {
  Sequence all = finished_ - finished_ % kAcknowledgeEvery;
  for (const auto &[child, sequence] : acknowledgedBy_) {
    all = std::min(all, sequence);
  }
  if (all <= acknowledged_) {
    return;
  }
  acknowledged_ = all;
  if (rank_ != 0) {
    sendControl(treeParent(rank_), Writer().add(MessageKind::Acknowledge).add(all).bytes());
  }
}

/// What the device held and this rank's host did not. Of the launch that it is lost in nothing
/// counts: its part will be run anew.
RangeSet Job::noteLoss(std::int32_t device, const Error &why) {
  const memory::Place place = topology.deviceOf(rank_, device);
  std::vector<Range> gone;
  directoryNow().forEach({0, ~std::uint64_t{0}}, [&](Range run, const memory::Holders &holders) {
    if (std::ranges::binary_search(holders, place) &&
        !std::ranges::binary_search(holders, static_cast<memory::Place>(rank_))) {
      gone.push_back(run);
    }
  });
  if (running) {
    addFromDevices(gone, *running, topology, place);
  }
  Loss loss{place, RangeSet::of(std::move(gone)), why.message};
  RangeSet bytes = loss.gone;
  if (rank_ == 0) {
    inbox.losses.push_back(std::move(loss));
  } else {
    sendControl(0, encode(loss));
  }
  return bytes;
}

bool Job::poll() {
  orDie(endpoint.pollControl(arrived_));
  bool moved = !arrived_.empty();
  for (transport::Control &message : arrived_) {
    dispatch(message);
  }
  arrived_.clear();
  moved = orDie(streams.progress()) || moved;
  moved = orDie(loans.progress()) || moved;
  moved = salvage.progress() || moved;
  return (more_.poll && more_.poll()) || moved;
}

void Job::dispatch(transport::Control &message) {
  Reader reader(message.bytes);
  const auto kind = reader.take<MessageKind>();
  switch (kind) {
  case MessageKind::Launch:
  case MessageKind::Shutdown:
    passDown(message.bytes);
    inbox.launches.push_back(std::move(message.bytes));
    return;
  case MessageKind::Fetch:
    inbox.fetches.push_back(decodeFetch(reader));
    return;
  case MessageKind::Reserve:
    inbox.reservations.push_back(decodeReservation(reader));
    return;
  case MessageKind::Lost:
    inbox.losses.push_back(decodeLoss(reader));
    return;
  case MessageKind::Reserved: {
    Answer answer = decodeAnswer(reader);
    inbox.answers[answer.place] = std::move(answer.status);
    return;
  }
  case MessageKind::Partial: {
    const auto sequence = reader.take<Sequence>();
    partials[{sequence, message.from}].assign(reader.rest().begin(), reader.rest().end());
    return;
  }
  case MessageKind::Changes:
    inbox.changes.push_back(decodeChanges(reader));
    return;
  case MessageKind::Acknowledge:
    acknowledgedBy_[message.from] = reader.take<Sequence>();
    acknowledge();
    return;
  case MessageKind::Blocks:
  case MessageKind::Lent:
  case MessageKind::LentByHost:
  case MessageKind::Returned:
  case MessageKind::Recall:
  case MessageKind::Recalled:
    loans.take(kind, message.from, reader);
    return;
  case MessageKind::Salvage:
  case MessageKind::Salvaged:
    salvage.take(kind, message.from, reader);
    return;
  case MessageKind::Probe:
    if (rank_ == 0) {
      ++inbox.probes;
    } else {
      sendControl(message.from, message.bytes);
    }
    return;
  }
  TUTTI_CHECK(false, "understand a control message of rank {}", message.from);
}

} // namespace tutti::protocol
