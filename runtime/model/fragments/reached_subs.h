// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The subs that `main` leads to, as a walk over them finds their calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::model::fragments {

/// Gives each sub once.
///
/// Threading: externally synchronised.
class ReachedSubs {
public:
  explicit ReachedSubs(std::int32_t mainSub) : open_{mainSub} {}

  /// A call of it was found.
  void add(std::int32_t sub) { open_.push_back(sub); }

  /// One that is still to be walked; nothing if there is none.
  std::optional<std::size_t> next() {
    while (!open_.empty()) {
      const auto sub = static_cast<std::size_t>(open_.back());
      open_.pop_back();
      seen_.resize(std::max(seen_.size(), sub + 1));
      if (!seen_[sub]) {
        seen_[sub] = true;
        return sub;
      }
    }
    return std::nullopt;
  }

private:
  std::vector<std::int32_t> open_;
  std::vector<bool> seen_;
};

} // namespace tutti::model::fragments
