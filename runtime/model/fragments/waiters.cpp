// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/waiters.h"

#include "runtime/model/fragments/calls.h"
#include "runtime/model/fragments/unfolding.h"

#include <utility>

namespace tutti::model::fragments {

void Waiters::wake(Entry &entry) {
  const auto waiters = std::move(entry.waiters);
  for (Waiter *waiter : waiters) {
    if (--waiter->missing > 0) {
      if (calls_.isHolding()) {
        calls_.demand(*waiter);
      }
      continue;
    }
    if (waiter->isCall) {
      calls_.advance(*static_cast<Call *>(waiter));
    } else {
      unfolding_.goOn(*static_cast<Activity *>(waiter));
    }
  }
}

bool Waiters::park(Waiter &waiter, Ask &ask) {
  for (Entry *entry : ask.missing) {
    entry->waiters.push_back(&waiter);
    ++waiter.missing;
    waiter.held += entry->maker ? 1 : 0;
    if (entry->maker && isStructure(waiter)) { // Without it nobody knows what else there is.
      calls_.makeNow(*entry->maker);
    }
  }
  return !ask.missing.empty();
}

} // namespace tutti::model::fragments
