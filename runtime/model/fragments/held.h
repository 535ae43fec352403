// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls that read nothing could all run as soon as they unfold, long before anybody needs what
/// they make. Those with many older calls in front of them are held back.
#pragma once

#include "runtime/model/fragments/call.h"

#include <cstdint>
#include <map>

namespace tutti::model::fragments {

/// Threading: externally synchronised.
class Held {
public:
  /// Calls are held that have at least so many older ones in front of them, which are not held.
  explicit Held(std::uint64_t ahead) : ahead_(ahead) {}

  bool isEmpty() const { return held_.empty(); }

  /// A call has unfolded; numbers grow.
  std::uint64_t begin() {
    ++behind_;
    return ++numbers_;
  }

  /// Whether the call is held. It counts as the youngest of all: one whose names have come late has
  /// all that has unfolded meanwhile in front of it.
  bool tryHold(Call &call);

  /// A call that is not held is over.
  void end(const Call &call);

  /// It is to run all the same.
  void release(Call &call);

  /// The oldest, if there are few calls in front of it; it is not held any more.
  Call *takeDue();

  /// Nothing goes on: lets the oldest one go and holds less from now on. Null if none is held.
  Call *force();

private:
  struct Place {
    Call *call = nullptr;
    std::uint64_t before = 0; ///< Calls that are not held, between the one held before and this.
  };

  std::uint64_t ahead_;
  std::uint64_t numbers_ = 0;
  std::uint64_t behind_ = 0; ///< Calls that are not held, younger than all that are.
  std::map<std::uint64_t, Place> held_;
};

} // namespace tutti::model::fragments
