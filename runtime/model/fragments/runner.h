// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs one rank's part of a program: ready calls on the engine's workers, messages in between, and
/// the agreement of all ranks that it is over.
#pragma once

#include "base/mutex.h"
#include "runtime/balance/probe.h"
#include "runtime/balance/shares.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/latch.h"
#include "runtime/model/fragments/call_tally.h"
#include "runtime/model/fragments/device_calls.h"
#include "runtime/model/fragments/handle.h"
#include "runtime/model/fragments/state.h"
#include "runtime/transport/transport.h"

#include <array>
#include <atomic>
#include <deque>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace tutti::model::fragments {

/// What the calling thread runs, for who finds that it cannot go on; null outside of procedures.
/// Async-signal-safe to read.
struct Running {
  const tutti_luna_procedure *procedure;
  const char *at; ///< Of the call.
};

extern thread_local constinit const Running *running;

/// Calls that devices take at once are the work of one worker at a time, the giver. It goes from
/// one to the next, and unfolds when there is none, or when devices have enough: others are woken
/// for what runs on the host alone.
///
/// Threading: `run` once, by the thread that made it; the rest is the engine's.
class Runner final : public engine::Client {
public:
  /// `devices` is null where there are none; it outlives all values.
  Runner(const Program &program, transport::Endpoint &endpoint,
         const engine::EngineSettings &engine, const StateSettings &state,
         DeviceCalls *devices = nullptr);
  ~Runner() = default;
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;

  /// Runs `main`, a sub, until all is over on all ranks. What is wrong, or nothing; if something
  /// is, other ranks may still run.
  std::optional<std::string> run(std::vector<Value> arguments);

  /// Runs only until it is known what a step takes, if the program has steps. Whatever is under way
  /// or waits then is left, so the process has to end behind `run`. Order: before that, on one
  /// rank.
  void probe();

  /// Of a step; 0 if that is not known. Order: after `run`.
  double probedSeconds();

  /// Order: after `run`.
  Counts counts();

  /// Lets each call be counted, and kept as an event. Order: before `run`.
  void countCalls(bool areKept);

  /// Of this rank. Order: after `run`.
  CallTally takeTally();

  engine::Work *run(engine::Worker &worker, engine::Work &work) override;
  bool poll() override;

private:
  /// What a message between ranks is.
  enum class Says : std::uint8_t {
    Data,
    Idle,
    Probe,
    Reply,
    LetGo,
    Dissolve,
    End,
    Collect,
    Waiting
  };

  /// What rank 0 knows of a rank.
  struct Report {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t letGo = 0;
    bool isIdle = false;
    bool isDone = false;
    bool isHolding = false;
    bool isGathering = false;
    bool isGated = false;
    friend bool operator==(const Report &, const Report &) = default;
  };

  using Reports = std::vector<std::optional<Report>>;
  static bool isQuiet(const Reports &all);

  Part partOf(const Call &call) const;
  engine::Work *unfold();
  void letOthersEnd();
  void unfoldSome() TUTTI_REQUIRES(mutex_);
  void queueUnfolding() TUTTI_REQUIRES(mutex_);

  bool isAnyEnding() const { return ending_.load(std::memory_order_relaxed) > 0; }

  void noteEnd(std::int32_t statement, double position) TUTTI_REQUIRES(mutex_);
  void noteStep(const Call &call) TUTTI_REQUIRES(mutex_);
  void noteWhoRan(const Call &call) TUTTI_REQUIRES(mutex_);
  bool isForGiver(const Call &call) TUTTI_REQUIRES(mutex_);
  void startGiving(Call &call) TUTTI_REQUIRES(mutex_);
  void stopGiving() TUTTI_REQUIRES(mutex_);
  engine::Work *goOnGiving();

  bool runOnDevice(Call &call, const tutti_luna_procedure &procedure,
                   const tutti_luna_argument *arguments, std::span<Handle> handles);

  /// What is wrong with a call that has run.
  struct Trouble {
    std::string text;
    std::string_view code = "E-UCODE";
  };

  Trouble notOnDevices(const tutti_luna_procedure &procedure);

  /// Adds to `outputs`; or says why there are none.
  std::optional<Trouble> runProcedure(Call &call, std::vector<Value> &outputs);
  std::optional<Trouble> runRows(Call &call, std::vector<Value> &outputs);
  std::optional<Trouble> runMembers(Call &call, std::vector<Value> &outputs);
  /// What has become possible by the last change of the state: queues calls, sends messages, finds
  /// the end. `next` takes one call that the caller is to run.
  void follow(Call **next) TUTTI_REQUIRES(mutex_);
  void settle() TUTTI_REQUIRES(mutex_);
  void end(std::optional<std::string> why) TUTTI_REQUIRES(mutex_);
  void post(std::int32_t to, Says says, std::span<const std::byte> bytes) TUTTI_REQUIRES(mutex_);
  void receive(const transport::Control &message) TUTTI_REQUIRES(mutex_);
  void consider() TUTTI_REQUIRES(mutex_);
  void agree() TUTTI_REQUIRES(mutex_);
  void letGo(bool areHeld) TUTTI_REQUIRES(mutex_);
  void hear(std::int32_t from, Says says, const Report &report) TUTTI_REQUIRES(mutex_);
  Report report() TUTTI_REQUIRES(mutex_);

  const Program &program_;
  DeviceCalls *const devices_;
  const State &names_; ///< What may be asked without the lock.
  transport::Endpoint &endpoint_;
  Mutex mutex_;
  State state_ TUTTI_GUARDED_BY(mutex_);
  engine::Work unfolding_;
  /// Calls that have run and have or want the lock; whoever unfolds looks, and relies on nothing.
  std::atomic<std::int32_t> ending_{0};
  bool isUnfolding_ TUTTI_GUARDED_BY(mutex_) = false;  ///< `unfolding_` is queued or runs.
  bool isGiving_ TUTTI_GUARDED_BY(mutex_) = false;     ///< Somebody is the giver.
  std::deque<Call *> toGive_ TUTTI_GUARDED_BY(mutex_); ///< Ready, and the giver's.
  /// Procedures whose last call has run on a device.
  std::unordered_set<std::int32_t> givenBefore_ TUTTI_GUARDED_BY(mutex_);
  std::optional<balance::Shares> shares_ TUTTI_GUARDED_BY(mutex_); ///< If they follow steps.
  std::optional<balance::Probe> probe_ TUTTI_GUARDED_BY(mutex_);
  bool countsCalls_ = false; ///< Not changed once it runs; nor is this:
  bool keepsEvents_ = false;
  CallTally tally_ TUTTI_GUARDED_BY(mutex_);
  bool isEnded_ TUTTI_GUARDED_BY(mutex_) = false;
  std::atomic<bool> isOver_{false}; ///< The same, for `poll`.
  std::optional<std::string> why_ TUTTI_GUARDED_BY(mutex_);
  std::uint64_t sent_ TUTTI_GUARDED_BY(mutex_) = 0;
  std::uint64_t received_ TUTTI_GUARDED_BY(mutex_) = 0;
  std::uint64_t letGo_ TUTTI_GUARDED_BY(mutex_) = 0;
  Report told_ TUTTI_GUARDED_BY(mutex_);
  bool hasTold_ TUTTI_GUARDED_BY(mutex_) = false;
  // Of rank 0.
  Reports reports_ TUTTI_GUARDED_BY(mutex_); ///< The last of each rank.
  Reports asked_ TUTTI_GUARDED_BY(mutex_);   ///< Those before the ranks were asked once more.
  Reports replies_ TUTTI_GUARDED_BY(mutex_);
  std::vector<std::vector<std::byte>> waiting_ TUTTI_GUARDED_BY(mutex_);
  std::int32_t described_ TUTTI_GUARDED_BY(mutex_) = 0;
  bool isProbing_ TUTTI_GUARDED_BY(mutex_) = false;
  bool isAgreed_ TUTTI_GUARDED_BY(mutex_) = false;
  engine::Engine engine_;
  engine::Latch done_; ///< Made by a thread that is a worker by then, and so goes on working.
};

} // namespace tutti::model::fragments
