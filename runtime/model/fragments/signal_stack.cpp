// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/signal_stack.h"

#include <csignal>
#include <cstddef>
#include <memory>

namespace tutti::model::fragments {

namespace {

class SignalStack {
public:
  SignalStack() {
    stack_t has{};
    if (sigaltstack(nullptr, &has) != 0 || (has.ss_flags & SS_DISABLE) == 0) {
      return;
    }
    constexpr std::size_t kBytes = std::size_t{64} << 10;
    memory_ = std::make_unique<std::byte[]>(kBytes);
    stack_t stack{};
    stack.ss_sp = memory_.get();
    stack.ss_size = kBytes;
    sigaltstack(&stack, nullptr);
  }

  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;

  ~SignalStack() {
    if (memory_) {
      stack_t none{};
      none.ss_flags = SS_DISABLE;
      sigaltstack(&none, nullptr);
    }
  }

private:
  std::unique_ptr<std::byte[]> memory_;
};

} // namespace

void ensureSignalStack() { static thread_local const SignalStack stack; }

} // namespace tutti::model::fragments
