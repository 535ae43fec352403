// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How often the calls of each statement have run, and when, for those who want to know where a
/// program's time goes.
#pragma once

#include "runtime/model/fragments/call.h"
#include "runtime/model/fragments/row_calls.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::model::fragments {

/// Of one statement.
struct CallCount {
  std::uint64_t calls = 0;
  std::uint64_t onDevices = 0;
  double seconds = 0; ///< Of those who ran them.
};

/// A call that has run, or several that have run as one.
///
/// Units: seconds, the first of a clock that starts anywhere.
struct CallEvent {
  std::int32_t statement = 0;
  std::uint32_t worker = 0;
  bool isOnDevice = false; ///< Which `seconds` is not of, but of giving it.
  double begin = 0;
  double seconds = 0;
};

/// Threading: externally synchronised.
class CallTally {
public:
  /// Events of later calls are not kept: 40 MB of them are more than anybody looks at.
  static constexpr std::size_t kMostEvents = 1'000'000;

  /// A call that stands for others counts as all of them.
  void add(const Call &call, const CallEvent &event, bool isKept) {
    const auto at = static_cast<std::size_t>(event.statement);
    counts_.resize(std::max(counts_.size(), at + 1));
    const std::size_t calls =
        call.rows ? call.rows->sizes.size() : std::max(call.members.size(), std::size_t{1});
    counts_[at].calls += calls;
    counts_[at].onDevices += event.isOnDevice ? calls : 0;
    counts_[at].seconds += event.seconds;
    if (isKept && events_.size() < kMostEvents) {
      events_.push_back(event);
    }
  }

  /// By the number of the statement; those behind the last one have had no calls.
  const std::vector<CallCount> &counts() const { return counts_; }

  const std::vector<CallEvent> &events() const { return events_; }

private:
  std::vector<CallCount> counts_;
  std::vector<CallEvent> events_;
};

} // namespace tutti::model::fragments
