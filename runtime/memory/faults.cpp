// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/faults.h"

#include "runtime/memory/access_check.h"
#include "runtime/memory/crash.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <utility>

namespace tutti::memory {

namespace {

/// Handlers of the program run there, too.
constexpr std::size_t kSignalStackBytes = 8 << 20;

void futexWait(std::atomic<std::uint32_t> &word, std::uint32_t expected, const timespec *timeout) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, timeout, nullptr, 0);
}

void futexWake(std::atomic<std::uint32_t> &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

/// What the handler needs; written once before the handler is installed.
struct HandlerState {
  const Window *window;
  const PageTable *pages;
  TouchQueue *queue;
};

HandlerState handlerState;
std::atomic<std::uint64_t> faults{0};

enum class Touched { Read, Write, Unknown };

Touched touchedHow(const ucontext_t &context) {
#if defined(__x86_64__)
  constexpr greg_t kWriteBit = 2;
  return (context.uc_mcontext.gregs[REG_ERR] & kWriteBit) != 0 ? Touched::Write : Touched::Read;
#else
  static_cast<void>(context);
  return Touched::Unknown;
#endif
}

bool isInstructionFetch(const ucontext_t &context) {
#if defined(__x86_64__)
  constexpr greg_t kFetchBit = 16;
  return (context.uc_mcontext.gregs[REG_ERR] & kFetchBit) != 0;
#else
  static_cast<void>(context);
  return false;
#endif
}

/// The program's action for what is no touch. Read in handlers and set with all signals blocked, so
/// nobody waits for a thread that is interrupted.
class ProgramAction {
public:
  struct sigaction get() {
    const Lock lock(*this);
    return action_;
  }

  struct sigaction exchange(const struct sigaction &action) {
    const Lock lock(*this);
    return std::exchange(action_, action);
  }

private:
  struct Lock {
    explicit Lock(ProgramAction &action) : action(action) {
      while (action.isTaken_.test_and_set(std::memory_order_acquire)) {
        sched_yield();
      }
    }

    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

    // Pairs with the acquire of the next one.
    ~Lock() { action.isTaken_.clear(std::memory_order_release); }

    ProgramAction &action;
  };

  std::atomic_flag isTaken_ = ATOMIC_FLAG_INIT;
  struct sigaction action_ = {};
};

ProgramAction programAction;
std::atomic<bool> isInstalled{false};
/// Whether the program's action was called in this thread, and has not returned.
[[gnu::tls_model("initial-exec")]] thread_local volatile std::sig_atomic_t isPassedOn = 0;

/// Makes `action` the kernel's.
void setAction(const struct sigaction &action) {
  isInstalled.store(false, std::memory_order_relaxed); // So that it is not taken for the program's.
  sigaction(SIGSEGV, &action, nullptr);
}

/// The instruction runs again and meets the kernel's default; a signal that was sent is repeated.
void dieAsUsual(const siginfo_t &info, const void *context) {
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  setAction(usual);
  if (info.si_code > 0) {
    sayCrash(info, context);
  } else {
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSEGV);
  }
}

/// Whether the thread was on its stack for signals when it was interrupted.
bool wasInHandler(const ucontext_t &context) {
#if defined(__x86_64__)
  const auto stack = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  const std::uint64_t stack = context.uc_mcontext.sp;
#else
  const std::uint64_t stack = 0;
#endif
  const auto begin = reinterpret_cast<std::uint64_t>(context.uc_stack.ss_sp);
  return Range{begin, begin + context.uc_stack.ss_size}.contains({stack, stack + 1});
}

/// What is no touch goes to the program as the kernel would bring it: with its mask, but for
/// SIGSEGV, since its handler may touch what is protected. A fault of that handler itself ends the
/// process, as it does where the kernel blocks the signal.
void passOn(int number, siginfo_t *info, void *rawContext) {
  const auto &context = *static_cast<const ucontext_t *>(rawContext);
  const bool isSent = info->si_code <= 0;
  struct sigaction action = programAction.get();
  const bool isIgnored = action.sa_handler == SIG_IGN;
  if (isIgnored && isSent) {
    return;
  }
  if (isIgnored || action.sa_handler == SIG_DFL || (isPassedOn != 0 && wasInHandler(context))) {
    dieAsUsual(*info, rawContext);
    return;
  }
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    programAction.exchange({});
  }
  sigset_t mask;
  sigorset(&mask, &context.uc_sigmask, &action.sa_mask);
  sigdelset(&mask, SIGSEGV);
  isPassedOn = 1;
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(number, info, rawContext);
  } else {
    action.sa_handler(number);
  }
  isPassedOn = 0;
}

void onFault(int number, siginfo_t *info, void *rawContext) {
  const int savedErrno = errno;
  const auto &context = *static_cast<const ucontext_t *>(rawContext);
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  const Range byte{address, address + 1};
  if (info->si_code != SEGV_ACCERR || !handlerState.window->contains(byte) ||
      isInstructionFetch(context)) {
    passOn(number, info, rawContext);
    errno = savedErrno;
    return;
  }
  const Access access = handlerState.pages->at(address);
  const Touched how = touchedHow(context);
  // Where the machine does not say, a page that may be read already must have been written.
  const bool write =
      how == Touched::Write || (how == Touched::Unknown && access == Access::ReadOnly);
  if (AccessCheck *check = AccessCheck::current();
      check && check->takeFault(address, write, rawContext)) {
    errno = savedErrno;
    return;
  }
  const bool isStale = access == Access::Open || (access == Access::ReadOnly && !write);
  if (!isStale) { // Otherwise another thread's touch has opened the page meanwhile.
    faults.fetch_add(1, std::memory_order_relaxed);
    Touch touch;
    touch.range = byte;
    touch.write = write;
    handlerState.queue->await(touch);
  }
  errno = savedErrno;
}

} // namespace

void TouchQueue::await(Touch &touch) {
  Touch *before = newest_.load(std::memory_order_relaxed);
  do {
    touch.next = before;
    // Pairs with the acquire in `take`.
  } while (!newest_.compare_exchange_weak(before, &touch, std::memory_order_release,
                                          std::memory_order_relaxed));
  wake();
  // Pairs with the release in `answer`.
  while (touch.answer.load(std::memory_order_acquire) == 0) {
    futexWait(touch.answer, 0, nullptr);
  }
}

void TouchQueue::answer(Touch &touch) {
  std::atomic<std::uint32_t> &word = touch.answer;
  // The waiter may return and reuse its stack right after the store; waking an address that nobody
  // waits at is harmless.
  word.store(1, std::memory_order_release);
  futexWake(word);
}

Touch *TouchQueue::take() {
  Touch *rest = newest_.exchange(nullptr, std::memory_order_acquire);
  Touch *oldest = nullptr;
  while (rest) {
    Touch *next = rest->next;
    rest->next = oldest;
    oldest = rest;
    rest = next;
  }
  return oldest;
}

void TouchQueue::listen(std::uint32_t nanoseconds) {
  const std::uint32_t signals = signals_.load(std::memory_order_acquire);
  if (signals == heard_) {
    const timespec timeout{0, static_cast<long>(nanoseconds)};
    futexWait(signals_, signals, &timeout);
  }
  heard_ = signals_.load(std::memory_order_acquire);
}

void TouchQueue::wake() {
  // Pairs with the acquires in `listen`.
  signals_.fetch_add(1, std::memory_order_release);
  futexWake(signals_);
}

Status installFaultHandler(const Window &window, const PageTable &pages, TouchQueue &queue) {
  handlerState = {&window, &pages, &queue};
  if (isFaultHandlerInstalled()) {
    return {}; // Our own `sigaction` would take it for the program's.
  }
  void *memory =
      mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return nativeFailure(ErrorCode::SystemFailed, errno, "cannot map a stack for signals: {}",
                         std::strerror(errno));
  }
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kSignalStackBytes;
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  // Another fault while one waits is a fault of the handler itself.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  // Neither may a handler of the program touch what is protected while this one waits.
  sigfillset(&action.sa_mask);
  if (sigaltstack(&stack, nullptr) != 0 || sigaction(SIGSEGV, &action, nullptr) != 0) {
    return nativeFailure(ErrorCode::SystemFailed, errno, "cannot install the fault handler: {}",
                         std::strerror(errno));
  }
  isInstalled.store(true, std::memory_order_relaxed);
  return {};
}

void removeFaultHandler() { setAction(programAction.get()); }

bool isFaultHandlerInstalled() { return isInstalled.load(std::memory_order_relaxed); }

void exchangeFaultAction(const struct sigaction *action, struct sigaction *before) {
  struct sigaction was = {};
  const struct sigaction wanted = action ? *action : was; // May touch what is protected.
  sigset_t all;
  sigset_t mask;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  was = action ? programAction.exchange(wanted) : programAction.get();
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  if (before) {
    *before = was;
  }
}

std::uint64_t faultCount() { return faults.load(std::memory_order_relaxed); }

} // namespace tutti::memory
