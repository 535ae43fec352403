// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What has been planned before, by all that it depends on, so that a loop of launches costs one
/// look-up per launch once it has gone round.
#pragma once

#include "runtime/exec/launch.h"
#include "runtime/exec/plan.h"
#include "runtime/memory/directory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace tutti::exec {

/// Equal portions of a launch, so that no device has to hold more than one at a time.
struct Division {
  std::int32_t portions;
  std::optional<Place> tooSmall; ///< A device that cannot hold one of even so many.
};

/// Forgets all when it holds too much.
///
/// Threading: externally synchronised.
class KnownPlans {
public:
  /// What plans depend on beside their launches.
  struct State {
    memory::Identity directory;
    std::uint64_t arrays; ///< Changes with the arrays that are known among the variables.
  };

  /// The plan of a launch; null if none is known. `arrays`: those that the launch names and that
  /// count.
  ///
  /// Ownership: until the next call of `remember`; whoever makes a better one may put it there.
  /// Cost:      one look-up.
  std::shared_ptr<const Plan> *find(const State &state, const Launch &launch,
                                    std::span<const Range> arrays);

  /// Remembers the plan of the launch that `find` was asked for last. One of which nothing moves
  /// is made nearly as fast as it is looked up, and may be one of very many that differ by an
  /// offset: it is kept only if it comes again.
  void remember(const std::shared_ptr<const Plan> &plan);

  /// How a launch is divided, in any state; null if that is not known.
  ///
  /// Ownership: until the next call.
  const Division *findDivision(const Launch &launch, std::span<const Range> arrays);

  /// Remembers it for the launch that `findDivision` was asked for last.
  void rememberDivision(const Division &division);

private:
  using Key = std::vector<std::uint64_t>;

  /// Hash and equality of keys, for look-ups without one being made.
  struct OfWords {
    using is_transparent = void;
    using Words = std::span<const std::uint64_t>;

    /// Hashed at every launch: a step for each word that the next one waits for as little as
    /// possible.
    std::size_t operator()(Words words) const {
      std::uint64_t hash = 0;
      for (const std::uint64_t word : words) {
        hash = (std::rotl(hash, 5) ^ word) * 0x9e3779b97f4a7c15ULL;
      }
      return hash;
    }

    bool operator()(Words a, Words b) const { return std::ranges::equal(a, b); }
  };

  bool isWorthIt(const Plan &plan);
  void forgetIfFull(std::size_t more);

  std::size_t remembered_ = 0; ///< Ranges held by what is remembered.
  std::unordered_map<Key, std::shared_ptr<const Plan>, OfWords, OfWords> plans_;
  std::unordered_map<Key, Division, OfWords, OfWords> divisions_;
  Key key_;                              ///< Of the latest launch; kept for its memory.
  Key divisionKey_;                      ///< Likewise.
  std::array<std::size_t, 4096> seen_{}; ///< Hashes of keys, by themselves: what came once.
};

} // namespace tutti::exec
