// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/stack.h"

#include "base/log.h"

#include <algorithm>
#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TUTTI_TSAN 1
#endif
#if __has_feature(address_sanitizer)
#define TUTTI_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define TUTTI_TSAN 1
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TUTTI_ASAN 1
#endif

#if defined(TUTTI_TSAN)
#include <sanitizer/tsan_interface.h>
#endif
#if defined(TUTTI_ASAN)
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tutti::engine {

namespace context = boost::context::detail;

namespace {

/// Stacks that have a page of their own below them. The kernel lets a process have 65,530 pieces of
/// address space, and each such page makes two; stacks side by side are one.
constexpr std::uint32_t kMostGuarded = 16'000;

std::atomic<std::uint32_t> guarded{0};

std::size_t pageBytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

} // namespace

/// From one stack to another.
struct Stack::Crossing {
  Stack &from;
  Stack &to;
};

Stack::Stack(std::size_t bytes) : bytes_(bytes) {
  const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  begin_ = frame - bytes;
#if defined(TUTTI_ASAN)
  pthread_attr_t attributes;
  void *lowest = nullptr;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &lowest, &bytes_);
  pthread_attr_destroy(&attributes);
  begin_ = reinterpret_cast<std::uint64_t>(lowest);
#endif
#if defined(TUTTI_TSAN)
  checked_ = __tsan_get_current_fiber();
#endif
}

Stack::Stack(std::size_t bytes, void (*body)(void *), void *argument)
    : body_(body), argument_(argument) {
  const bool isGuarded = guarded.load(std::memory_order_relaxed) < kMostGuarded;
  const std::size_t guard = isGuarded ? pageBytes() : 0;
  bytes_ = (bytes + pageBytes() - 1) & ~(pageBytes() - 1);
  mapped_ = bytes_ + guard;
  mapping_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping_ == MAP_FAILED) {
    log::fatal("no memory for the stack of one more task that waits: {}", std::strerror(errno));
  }
  begin_ = reinterpret_cast<std::uint64_t>(mapping_) + guard;
  // One page in use is not to cost a huge one.
  madvise(mapping_, mapped_, MADV_NOHUGEPAGE);
  if (isGuarded) {
    mprotect(mapping_, guard, PROT_NONE);
    guarded.fetch_add(1, std::memory_order_relaxed);
  }
  context_ = context::make_fcontext(reinterpret_cast<void *>(begin_ + bytes_), bytes_,
                                    [](context::transfer_t transfer) {
                                      auto &crossing = *static_cast<Crossing *>(transfer.data);
                                      crossing.from.context_ = transfer.fctx;
                                      begin(crossing);
                                    });
#if defined(TUTTI_TSAN)
  checked_ = __tsan_create_fiber(0);
#endif
}

Stack::~Stack() {
  if (!mapping_) {
    return;
  }
#if defined(TUTTI_TSAN)
  __tsan_destroy_fiber(checked_);
#endif
#if defined(TUTTI_ASAN)
  __asan_unpoison_memory_region(mapping_, mapped_); // What was left in the middle.
#endif
  if (mapped_ > bytes_) {
    guarded.fetch_sub(1, std::memory_order_relaxed);
  }
  munmap(mapping_, mapped_);
}

void Stack::switchTo(Stack &to) {
  Crossing crossing{*this, to};
#if defined(TUTTI_ASAN)
  __sanitizer_start_switch_fiber(&checked_, reinterpret_cast<void *>(to.begin_), to.bytes_);
#endif
#if defined(TUTTI_TSAN)
  // Stacks of one worker are one thread to the program: what one has done is done for the next.
  __tsan_switch_to_fiber(to.checked_, 0);
#endif
  const context::transfer_t transfer = context::jump_fcontext(to.context_, &crossing);
  const auto &back = *static_cast<Crossing *>(transfer.data);
  back.from.context_ = transfer.fctx;
  arrive(back);
}

void Stack::begin(Crossing &crossing) {
  Stack &own = crossing.to;
  arrive(crossing);
  own.body_(own.argument_);
  __builtin_unreachable();
}

void Stack::arrive([[maybe_unused]] const Crossing &crossing) {
#if defined(TUTTI_ASAN)
  __sanitizer_finish_switch_fiber(crossing.to.checked_, nullptr, nullptr);
  crossing.to.checked_ = nullptr;
#endif
}

void Stack::trim() {
  // The highest pages hold the place where the stack was left.
  constexpr std::size_t kKept = std::size_t{64} << 10;
  if (mapping_ && bytes_ > kKept) {
    madvise(reinterpret_cast<void *>(begin_), bytes_ - kKept, MADV_DONTNEED);
  }
}

std::size_t usualStackBytes() {
  constexpr std::size_t kUsual = std::size_t{8} << 20;
  constexpr std::size_t kLeast = std::size_t{256} << 10;
  constexpr std::size_t kMost = std::size_t{64} << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return kUsual;
  }
  return std::clamp<std::size_t>(limit.rlim_cur, kLeast, kMost);
}

} // namespace tutti::engine
