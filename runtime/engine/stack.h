// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Stacks that a thread can leave in the middle of a function and come back to.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::engine {

/// A stack, with the place where it was left. Floating point control words stay with it.
///
/// Threading: confined to the thread that first enters it, but for its construction.
class Stack {
public:
  /// The stack that the calling thread is on: `bytes` of it below here may be used.
  explicit Stack(std::size_t bytes);

  /// A new stack of `bytes`, above a page that cannot be touched. Who enters it first calls
  /// `body(argument)`, which never returns. Ends the job if there is no memory.
  Stack(std::size_t bytes, void (*body)(void *), void *argument);

  Stack(const Stack &) = delete;
  Stack &operator=(const Stack &) = delete;
  ~Stack();

  /// Leaves this stack, which the calling thread is on, and goes on where `to` was left. Returns
  /// when somebody switches back.
  void switchTo(Stack &to);

  /// Whether what runs at `frame` may call something that wants a stack of its own: a quarter of
  /// this one is in use at most.
  bool hasRoom(const void *frame) const {
    return reinterpret_cast<std::uint64_t>(frame) - begin_ > bytes_ - bytes_ / 4;
  }

  /// Gives back the memory that nobody uses while the stack lies idle.
  void trim();

private:
  struct Crossing;
  [[noreturn]] static void begin(Crossing &crossing);
  /// What is to be done on the stack that has been entered.
  static void arrive(const Crossing &crossing);

  std::uint64_t begin_ = 0;
  std::uint64_t bytes_ = 0;
  void *mapping_ = nullptr; ///< Null for a thread's own stack.
  std::size_t mapped_ = 0;
  void *context_ = nullptr; ///< Where it was left.
  void (*body_)(void *) = nullptr;
  void *argument_ = nullptr;
  [[maybe_unused]] void *checked_ = nullptr; ///< What sanitizers know the stack by, or keep of it.
};

/// Bytes of a stack that is like the main thread's: the limit for that, within reason.
std::size_t usualStackBytes();

} // namespace tutti::engine
