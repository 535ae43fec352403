// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/crash.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <ucontext.h>
#include <unistd.h>

namespace tutti::memory {

namespace {

std::atomic<const char *> runningLoop{nullptr};
std::int32_t crashedRank = 0;
std::int64_t windowDelta = 0;

/// Text that is put together without memory from the heap.
class Line {
public:
  Line &add(std::string_view text) {
    const std::size_t fitting = std::min(text.size(), text_.size() - used_);
    std::memcpy(text_.data() + used_, text.data(), fitting);
    used_ += fitting;
    return *this;
  }

  Line &addNumber(std::uint64_t number, unsigned base) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::array<char, 20> digits{};
    std::size_t at = digits.size();
    do {
      digits[--at] = kDigits[number % base];
      number /= base;
    } while (number != 0);
    return add({digits.data() + at, digits.size() - at});
  }

  Line &addAddress(std::uint64_t address) { return add("0x").addNumber(address, 16); }

  void write() const {
    const ssize_t written = ::write(STDERR_FILENO, text_.data(), used_);
    static_cast<void>(written); // Nobody can be told.
  }

private:
  std::array<char, 1024> text_{};
  std::size_t used_ = 0;
};

struct Fault {
  std::uint64_t instruction = 0; ///< 0: unknown.
  std::string_view how = "touched";
};

Fault faultOf(const ucontext_t &context) {
  Fault fault;
#if defined(__x86_64__)
  constexpr greg_t kWriteBit = 2;
  constexpr greg_t kFetchBit = 16;
  const greg_t error = context.uc_mcontext.gregs[REG_ERR];
  fault.instruction = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
  fault.how = (error & kFetchBit) != 0 ? "executed" : (error & kWriteBit) != 0 ? "written" : "read";
#elif defined(__aarch64__)
  fault.instruction = context.uc_mcontext.pc;
#else
  static_cast<void>(context);
#endif
  return fault;
}

/// As the program knows it: iterations of rank 0 access memory through a second mapping.
std::uint64_t addressOf(const siginfo_t &info) {
  const auto address = reinterpret_cast<std::uint64_t>(info.si_addr);
  const auto delta = static_cast<std::uint64_t>(windowDelta);
  return windowDelta > 0 && address >= delta ? address - delta : address;
}

void onCrash(int number, siginfo_t *info, void *context) {
  const bool isFault = info->si_code > 0;
  static std::atomic_flag isSaid = ATOMIC_FLAG_INIT;
  if (isFault && isSaid.test_and_set()) {
    sleep(1); // Another thread is about to say so, and ends the process.
  } else if (isFault) {
    sayCrash(*info, context);
  }
  // Not before: a fault of another thread would end the process at once.
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  sigaction(number, &usual, nullptr);
  if (!isFault) {
    raise(number);
  } // Else the instruction runs again and ends the process.
}

} // namespace

void tutti_at_crash() {
  asm volatile("" ::: "memory"); // Calls are not left out.
}

RunningLoop::RunningLoop(const char *source)
    : before_(runningLoop.load(std::memory_order_relaxed)) {
  runningLoop.store(source, std::memory_order_relaxed);
}

RunningLoop::~RunningLoop() { runningLoop.store(before_, std::memory_order_relaxed); }

void setCrashContext(std::int32_t rank, std::int64_t delta) {
  crashedRank = rank;
  windowDelta = delta;
}

void sayCrash(const siginfo_t &info, const void *context) {
  const Fault fault = faultOf(*static_cast<const ucontext_t *>(context));
  const char *const loop = runningLoop.load(std::memory_order_relaxed);
  Line line;
  line.add("tutti: rank ").addNumber(static_cast<std::uint64_t>(crashedRank), 10);
  line.add(": segmentation fault: ");
  // Such an address is none of those that machines can have, and the kernel does not tell it.
  if (info.si_code == SI_KERNEL) {
    line.add("an address that cannot exist");
  } else {
    line.addAddress(addressOf(info));
  }
  line.add(" is ").add(fault.how);
  if (loop) {
    line.add(" while the loop at ").add(loop).add(" runs");
  }
  if (fault.instruction != 0) {
    line.add(", by the instruction at ").addAddress(fault.instruction);
    line.add(" (addr2line -e PROGRAM tells its line)");
  }
  line.add("\n").write();
  tutti_at_crash();
}

Status installCrashHandler() {
  struct sigaction before = {};
  if (sigaction(SIGSEGV, nullptr, &before) != 0) {
    return nativeFailure(ErrorCode::SystemFailed, errno, "cannot read the action of a signal: {}",
                         std::strerror(errno));
  }
  if (before.sa_handler != SIG_DFL) {
    return {};
  }
  struct sigaction action = {};
  action.sa_sigaction = onCrash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGSEGV, &action, nullptr) != 0) {
    return nativeFailure(ErrorCode::SystemFailed, errno, "cannot set the action of a signal: {}",
                         std::strerror(errno));
  }
  return {};
}

} // namespace tutti::memory
