// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/held.h"

#include <utility>

namespace tutti::model::fragments {

bool Held::tryHold(Call &call) {
  if (call.number != numbers_) {
    end(call);
    call.number = begin();
  }
  const std::uint64_t others = behind_ - 1;
  if (held_.empty() && others < ahead_) {
    return false;
  }
  held_.emplace(call.number, Place{&call, others});
  behind_ = 0;
  return true;
}

void Held::end(const Call &call) {
  const auto younger = held_.upper_bound(call.number);
  --(younger == held_.end() ? behind_ : younger->second.before);
}

void Held::release(Call &call) {
  const auto at = held_.find(call.number);
  const std::uint64_t more = at->second.before + 1;
  const auto younger = held_.erase(at);
  (younger == held_.end() ? behind_ : younger->second.before) += more;
}

Call *Held::takeDue() {
  if (held_.empty() || held_.begin()->second.before >= ahead_) {
    return nullptr;
  }
  Call *call = held_.begin()->second.call;
  release(*call);
  return call;
}

Call *Held::force() {
  if (held_.empty()) {
    return nullptr;
  }
  ahead_ *= 2;
  Call *call = held_.begin()->second.call;
  release(*call);
  return call;
}

} // namespace tutti::model::fragments
