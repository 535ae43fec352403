// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/times.h"

#include "runtime/exec/tree.h"

#include <utility>

namespace tutti::protocol {

Times::Times(exec::Engine &engine, Mail &mail)
    : engine_(engine), mail_(mail),
      tellers_(1 + exec::treeChildren(engine.rank(), engine.size()).size()) {
  mail_.on(kTimes, [this](transport::Control &, Reader &reader) TUTTI_IN_TURN {
    const auto sequence = reader.take<Sequence>();
    gather({sequence, reader.takeVector<PlaceTime>()});
  });
}

void Times::tell(LaunchTimes own) { gather(std::move(own)); }

void Times::gather(LaunchTimes times) {
  Gathered &gathered = gathering_[times.sequence];
  gathered.places.insert(gathered.places.end(), times.places.begin(), times.places.end());
  if (++gathered.told < tellers_) {
    return;
  }
  LaunchTimes all{times.sequence, std::move(gathered.places)};
  gathering_.erase(times.sequence);
  if (engine_.rank() == 0) {
    complete_.push_back(std::move(all));
  } else {
    mail_.send(exec::treeParent(engine_.rank()),
               Writer(kTimes).add(all.sequence).add(all.places).bytes());
  }
}

std::optional<LaunchTimes> Times::takeNext() {
  if (complete_.empty()) {
    return std::nullopt;
  }
  LaunchTimes next = std::move(complete_.front());
  complete_.erase(complete_.begin());
  return next;
}

} // namespace tutti::protocol
