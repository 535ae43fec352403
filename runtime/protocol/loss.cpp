// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/loss.h"

#include <algorithm>

namespace tutti::protocol {

using namespace exec;

namespace {

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

std::vector<std::byte> encode(const Loss &loss) {
  return Writer(kLost).add(loss.place).add(loss.gone).addText(loss.why).bytes();
}

Loss decodeLoss(Reader &reader) {
  Loss loss{reader.take<Place>(), reader.takeRanges(), {}};
  loss.why = reader.text();
  return loss;
}

Losses::Losses(Engine &engine, Mail &mail) : engine_(engine), mail_(mail) {
  engine_.devices.setAtLoss([this](std::int32_t device, const Error &why)
                                TUTTI_IN_TURN { return note(device, why); });
  mail_.on(kLost, [this](transport::Control &, Reader &reader)
                      TUTTI_IN_TURN { known_.push_back(decodeLoss(reader)); });
}

/// What the device held and this rank's host did not. Of the launch that it is lost in nothing
/// counts: its part will be run anew.
RangeSet Losses::note(std::int32_t device, const Error &why) {
  const Place place = engine_.topology.deviceOf(engine_.rank(), device);
  std::vector<Range> gone;
  engine_.directoryNow().forEach(
      {0, ~std::uint64_t{0}}, [&](Range run, const memory::Holders &holders) {
        if (memory::holds(holders, place) &&
            !memory::holds(holders, static_cast<Place>(engine_.rank()))) {
          gone.push_back(run);
        }
      });
  if (engine_.running) {
    addFromDevices(gone, *engine_.running, engine_.topology, place);
  }
  Loss loss{place, RangeSet::of(std::move(gone)), why.message};
  RangeSet bytes = loss.gone;
  if (engine_.rank() == 0) {
    known_.push_back(std::move(loss));
  } else {
    mail_.send(0, encode(loss));
  }
  return bytes;
}

} // namespace tutti::protocol
