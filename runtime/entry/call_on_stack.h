// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs a function on another stack of the same thread.
#pragma once

#include <cstdint>

namespace tutti::entry {

/// Calls `function(argument)` with the stack growing down from `top`, a multiple of 16. Exceptions
/// and backtraces go on through the caller's stack.
extern "C" void tutti_call_on_stack(void (*function)(void *), void *argument, std::uint64_t top);

template <typename Function> void callOnStack(std::uint64_t top, Function &function) {
  tutti_call_on_stack([](void *argument) { (*static_cast<Function *>(argument))(); }, &function,
                      top);
}

} // namespace tutti::entry
