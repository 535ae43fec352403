// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/held.h"

#include <utility>

namespace tutti::model::fragments {

/// Of a program that failed much is left.
Held::~Held() {
  while (first_) {
    if (first_->late) {
      lates_.free(first_->late);
    }
    stretches_.free(std::exchange(first_, first_->behind));
  }
}

/// Whether there is much in front of the youngest call of a stretch.
bool Held::isFar(const Stretch &stretch) const {
  std::uint64_t others = stretch.count - 1;
  for (const Stretch *each = first_; each != &stretch && others < ahead_; each = each->behind) {
    if (each->call) {
      return true;
    }
    others += each->count + (each->late ? 1 : 0);
  }
  return others >= ahead_;
}

/// What follows in it, and what ends it, belongs to a new one behind it.
void Held::split(Stretch &stretch) {
  Stretch &rest = *stretches_.make();
  rest.late = std::exchange(stretch.late, nullptr);
  if (rest.late) {
    rest.late->stretch = &rest;
  }
  rest.before = &stretch;
  rest.behind = std::exchange(stretch.behind, &rest);
  (rest.behind ? rest.behind->before : last_) = &rest;
}

void Held::tryRemove(Stretch &stretch) {
  if (stretch.count > 0 || stretch.call || stretch.late || &stretch == last_) {
    return;
  }
  stretch.behind->before = stretch.before;
  (stretch.before ? stretch.before->behind : first_) = stretch.behind;
  stretches_.free(&stretch);
}

bool Held::tryHold(Call &call) {
  if (call.stretch != last_ && !call.stretch->late) {
    end(call);
    begin(call, nullptr);
  }
  Stretch &stretch = *call.stretch;
  if (!isFar(stretch)) {
    return false;
  }
  --stretch.count;
  split(stretch);
  stretch.call = &call;
  ++held_;
  return true;
}

void Held::release(Call &call) {
  Stretch &stretch = *call.stretch;
  stretch.call = nullptr;
  --held_;
  call.stretch = stretch.behind;
  ++call.stretch->count;
  tryRemove(stretch);
}

/// The oldest, of which there is one, if it is due.
Call *Held::takeNear() {
  std::uint64_t others = first_->count;
  const Stretch *each = first_;
  for (; !each->call && others < ahead_; others += each->count) {
    others += each->late ? 1 : 0;
    each = each->behind;
  }
  if (others >= ahead_) {
    return nullptr;
  }
  Call *call = each->call;
  release(*call);
  return call;
}

Call *Held::force() {
  if (held_ == 0) {
    return nullptr;
  }
  ahead_ *= 2;
  const Stretch *each = first_;
  while (!each->call) {
    each = each->behind;
  }
  Call *call = each->call;
  release(*call);
  return call;
}

Late *Held::await(Late *within) {
  if (within && within->users == 1) {
    return within;
  }
  Stretch &stretch = within ? *within->stretch : *last_;
  split(stretch);
  stretch.late = lates_.make();
  stretch.late->stretch = &stretch;
  if (within) {
    leave(*within);
  }
  return stretch.late;
}

void Held::leave(Late &late) {
  if (--late.users > 0) {
    return;
  }
  Stretch &stretch = *late.stretch;
  stretch.late = nullptr;
  lates_.free(&late);
  tryRemove(stretch);
}

} // namespace tutti::model::fragments
