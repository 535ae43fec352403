// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How far a node has come, for another thread of the process to read.
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti::model::spmd {

/// Threading: written by the thread that runs `main`, read by any.
class Progress {
public:
  enum class State : std::int64_t { Runs, Waits, Ended };

  /// The directive at `source` begins; the text lives as long as the program.
  void enter(const char *source) { source_.store(source, std::memory_order_relaxed); }

  /// The program has ended, what it waits for from now on is the others' end.
  void end() { state_.store(State::Ended, std::memory_order_relaxed); }

  /// The directive that began last; null before the first.
  const char *source() const { return source_.load(std::memory_order_relaxed); }

  State state() const { return state_.load(std::memory_order_relaxed); }

  /// Differs from what it was if the node has waited for something else in between.
  std::uint64_t waits() const { return waits_.load(std::memory_order_relaxed); }

  /// The node waits for others as long as it lives.
  class Waiting {
  public:
    explicit Waiting(Progress &progress) : progress_(progress) {
      progress_.waits_.fetch_add(1, std::memory_order_relaxed);
      progress_.change(State::Runs, State::Waits);
    }

    Waiting(const Waiting &) = delete;
    Waiting &operator=(const Waiting &) = delete;

    ~Waiting() { progress_.change(State::Waits, State::Runs); }

  private:
    Progress &progress_;
  };

private:
  void change(State from, State to) {
    if (state() == from) {
      state_.store(to, std::memory_order_relaxed);
    }
  }

  std::atomic<const char *> source_{nullptr};
  std::atomic<State> state_{State::Runs};
  std::atomic<std::uint64_t> waits_{0};
};

} // namespace tutti::model::spmd
