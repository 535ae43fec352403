// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Borders between the ranks' segments of a rope, which follow what calls take.
#pragma once

#include "runtime/model/fragments/ask.h"
#include "runtime/model/fragments/call.h"
#include "runtime/model/fragments/names.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/state_settings.h"
#include "runtime/model/fragments/value.h"

#include <cstdint>
#include <span>
#include <unordered_set>

namespace tutti::model::fragments {

class Frames;
class Outbox;
class Scopes;
class Unfolding;
class Waiters;

/// Borders between the ranks' segments of a rope, which follow what calls take.
///
/// Threading: externally synchronised.
class Ropes {
public:
  Ropes(const Program &program, const StateSettings &settings, Counts &counts, Frames &frames,
        Waiters &waiters, Scopes &scopes, Unfolding &unfolding, Outbox &outbox)
      : program_(program), settings_(settings), counts_(counts), frames_(frames), waiters_(waiters),
        scopes_(scopes), unfolding_(unfolding), outbox_(outbox) {}

  Ropes(const Ropes &) = delete;
  Ropes &operator=(const Ropes &) = delete;

  static constexpr std::int32_t kBuckets = 1024; ///< Of a rope.

  /// Whether borders move at all.
  bool isBalanced() const { return settings_.balances && settings_.ranks > 1; }

  /// Of a loop that goes through steps.
  Rope &ropeOf(Frame &frame, std::int32_t loop);

  /// Order: before the frame goes.
  void forgetRopes(Frame &frame);

  /// Null in `out` if its borders never move. False if it has to be waited for what they are.
  bool cutOf(const Base &base, const Tuple &tuple, Ask &ask, const Cut *&out);

  /// Of the step that a frame belongs to. It has begun, so its borders are known.
  const Cut *cutOf(Frame *frame);

  /// Something waits for borders of a later round, which rank 0 knows once earlier ones are over.
  bool isGated() const;

  /// A loop's bounds are known.
  void beginRope(Activity &activity);

  /// Whether the iteration may come to life; it belongs to `activity.round` then, if that is not
  /// null.
  bool enterRound(Activity &activity, std::int64_t turn);

  void leaveRound(Activity &activity);

  /// Of a call that is about to end.
  static void noteSeconds(const Call &call, double seconds);

  /// All that this rank has of a round is over.
  void endRound(Scope &scope);

  /// On rank 0: what one rank says of a round. Those that all have told of decide, in their order,
  /// about the second next.
  void hearRound(Rope &rope, const Value &told);

  /// Rank 0 says what holds in the next round that nothing is known of.
  void hearCut(Rope &rope, const Value &told);

  /// On rank 0: nothing goes on anywhere, though no call is held back. So earlier rounds need later
  /// ones, and borders move no more.
  void freeze();

  void freezeHere();

private:
  bool doesMove(const Rope &rope) const;
  static const Cut &cutAt(const Rope &rope, std::int64_t step);
  static Entry &gateOf(Rope &rope, std::int64_t step);
  void openGates(Rope &rope);
  void decide(Rope &rope, std::span<const double> seconds);
  void extend(Rope &rope, balance::Borders borders) const;

  const Program &program_;
  const StateSettings &settings_;
  Counts &counts_;
  Frames &frames_;
  Waiters &waiters_;
  Scopes &scopes_;
  Unfolding &unfolding_;
  Outbox &outbox_;
  std::unordered_set<Rope *> all_; ///< All of them.
  bool isFrozen_ = false;          ///< Borders move no more.
};

} // namespace tutti::model::fragments
