// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls that read nothing could all run as soon as they unfold, long before anybody needs what
/// they make. Those with many older calls in front of them are held back.
///
/// A statement that waits for a data fragment, say a loop for its bound, counts as a call. What it
/// leads to belongs where it stands, in front of all that has unfolded while it waited.
#pragma once

#include "runtime/model/fragments/call.h"
#include "runtime/model/fragments/pool.h"

#include <cstdint>

namespace tutti::model::fragments {

/// A part of the order of all that unfolds. It ends with a call that is held, or with a statement
/// that has waited, until that is over; the youngest has no end.
struct Stretch {
  Stretch *before = nullptr;
  Stretch *behind = nullptr;
  std::uint64_t count = 0; ///< Calls in it that are not held.
  Call *call = nullptr;    ///< That ends it, and is held.
  Late *late = nullptr;    ///< Or the statement.
};

/// A statement that has waited, and what it leads to.
struct Late {
  Stretch *stretch = nullptr; ///< In which is what comes to life next, and which it ends.
  std::uint64_t users = 1;    ///< Activities that are part of it.
};

/// Threading: externally synchronised.
class Held {
public:
  /// Calls are held that have at least so much in front of them: older calls that are not held,
  /// and statements that have waited and are not over.
  explicit Held(std::uint64_t ahead) : ahead_(ahead), first_(stretches_.make()), last_(first_) {}

  Held(const Held &) = delete;
  Held &operator=(const Held &) = delete;
  ~Held();

  bool isEmpty() const { return held_ == 0; }

  /// A call has unfolded, perhaps below a statement that has waited; else it is the youngest.
  void begin(Call &call, const Late *late) {
    call.stretch = late ? late->stretch : last_;
    ++call.stretch->count;
  }

  /// Whether the call is held. All of its stretch is in front of it; if that has ended meanwhile,
  /// it counts as the youngest of all. So one whose names have come late has in front of it what
  /// has unfolded until then.
  bool tryHold(Call &call);

  /// A call that is not held is over.
  void end(const Call &call) {
    if (--call.stretch->count == 0) {
      tryRemove(*call.stretch);
    }
  }

  /// It is to run all the same.
  void release(Call &call);

  /// The oldest, if there is little in front of it; it is not held any more.
  Call *takeDue() { return isEmpty() ? nullptr : takeNear(); }

  /// Nothing goes on: lets the oldest one go and holds less from now on. Null if none is held.
  Call *force();

  /// A statement waits, which is perhaps part of what has waited before.
  Late *await(Late *within);

  /// Another activity is part of it, if there is something.
  static Late *share(Late *late) {
    if (late) {
      ++late->users;
    }
    return late;
  }

  /// An activity is over that was part of it.
  void leave(Late &late);

private:
  bool isFar(const Stretch &stretch) const;
  Call *takeNear();
  void split(Stretch &stretch);
  void tryRemove(Stretch &stretch);

  Pool<Stretch> stretches_;
  Pool<Late> lates_;
  std::uint64_t ahead_;
  std::uint64_t held_ = 0;
  Stretch *first_; ///< Of a list; all but the last have an end, or calls.
  Stretch *last_;
};

} // namespace tutti::model::fragments
