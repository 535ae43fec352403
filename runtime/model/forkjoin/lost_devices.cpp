// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/lost_devices.h"

#include "base/log.h"

#include <algorithm>

namespace tutti::model::forkjoin {

using namespace exec;

std::vector<Place> LostDevices::retire(Sequence latest) {
  std::vector<Place> lost;
  for (const protocol::Loss &loss : job_.losses.take()) {
    std::vector<Range> held;
    const memory::Directory &directory = job_.planner.directory();
    directory.forEach({0, ~std::uint64_t{0}}, [&](Range run, const memory::Holders &holders) {
      if (memory::holds(holders, loss.place)) {
        held.push_back(run);
      }
    });
    const RangeSet gone = directory.onlyAt(loss.place, loss.gone);
    view_.record(protocol::eventsOf({loss.place, RangeSet::of(std::move(held)).subtract(gone)},
                                    job_.topology));
    lost.push_back(loss.place);
    // A job of one rank may be one node of several, of which the line's begin says which.
    const std::string whose = job_.topology.ranks() > 1
                                  ? fmt::format(" of rank {}", job_.topology.rankOf(loss.place))
                                  : "";
    lines_.emplace_back(latest, fmt::format("a device{} is used no more: {}", whose, loss.why));
  }
  return lost;
}

void LostDevices::sayFinished(Sequence finished) {
  std::erase_if(lines_, [finished](const auto &line) {
    if (line.first > finished) {
      return false;
    }
    log::warn("{}", line.second);
    return true;
  });
}

} // namespace tutti::model::forkjoin
