// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Allocation by user code, and the functions of the C library that may meet what it gave.
///
/// On rank 0 of several, user code gets memory of the window; everybody else the C library's.
#include "abi/abi.h"
#include "base/log.h"
#include "runtime/entry/exports.h"
#include "runtime/entry/next.h"
#include "runtime/entry/runtime.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>

extern "C" void *__libc_malloc(std::size_t);
extern "C" void __libc_free(void *);
extern "C" void *__libc_calloc(std::size_t, std::size_t);
extern "C" void *__libc_realloc(void *, std::size_t);
extern "C" void *__libc_memalign(std::size_t, std::size_t);

namespace {

using tutti::entry::Runtime;

/// Allocations end below it: memory above is as the kernel gave it.
std::atomic<std::uint64_t> everUsed{0};

void *pointer(std::uint64_t address) { return reinterpret_cast<void *>(address); }

std::uint64_t addressOf(const void *memory) { return reinterpret_cast<std::uint64_t>(memory); }

bool overflows(std::size_t count, std::size_t size, std::size_t &bytes) {
  return __builtin_mul_overflow(count, size, &bytes);
}

void *outOfMemory() {
  errno = ENOMEM;
  return nullptr;
}

struct Allocated {
  void *memory;     ///< Null if the heap is full.
  bool isUntouched; ///< Nobody has had it before; it is zero.
};

Allocated allocate(Runtime &runtime, std::size_t bytes, std::size_t alignment) {
  const std::uint64_t address = runtime.heap().allocate(bytes, alignment);
  if (address == 0) {
    static std::atomic<bool> isSaid{false};
    if (!isSaid.exchange(true)) {
      tutti::log::warn("the heap of {} bytes is full: cannot allocate {} bytes; raise TUTTI_HEAP",
                       runtime.heap().interval().size(), bytes);
    }
    outOfMemory();
    return {nullptr, false};
  }
  const std::uint64_t end = address + std::max<std::uint64_t>(bytes, 1);
  std::uint64_t before = everUsed.load(std::memory_order_relaxed);
  while (before < end && !everUsed.compare_exchange_weak(before, end, std::memory_order_relaxed)) {
  }
  const bool isUntouched = address >= before;
  if (!isUntouched) {
    runtime.renew({address, end});
  }
  return {pointer(address), isUntouched};
}

void freeOwn(Runtime &runtime, void *memory) {
  if (!runtime.heap().free(addressOf(memory))) {
    tutti::log::warn("free(): invalid pointer {}", memory);
    std::abort();
  }
}

/// The runtime if `memory` is its own, else null.
Runtime *ownerOf(const void *memory) {
  Runtime *runtime = Runtime::active();
  return runtime && runtime->ownsAddress(memory) ? runtime : nullptr;
}

void *reallocateOwn(Runtime &runtime, void *memory, std::size_t bytes) {
  const std::uint64_t usable = runtime.heap().sizeOf(addressOf(memory));
  if (usable == 0) {
    tutti::log::warn("realloc(): invalid pointer {}", memory);
    std::abort();
  }
  if (bytes == 0) {
    freeOwn(runtime, memory);
    return nullptr;
  }
  // In place, unless most of it would lie idle.
  if (bytes <= usable && bytes >= usable / 4) {
    return memory;
  }
  void *target = allocate(runtime, bytes, alignof(std::max_align_t)).memory;
  if (target) {
    std::memcpy(target, memory, std::min<std::uint64_t>(bytes, usable));
    freeOwn(runtime, memory);
  }
  return target;
}

bool isPowerOfTwo(std::size_t value) { return std::has_single_bit(value); }

/// As `operator new` does: asks the new handler until there is memory, or throws.
void *newOwn(Runtime &runtime, std::size_t bytes, std::size_t alignment) {
  while (true) {
    if (void *memory = allocate(runtime, bytes, alignment).memory) {
      return memory;
    }
    const std::new_handler handler = std::get_new_handler();
    if (!handler) {
      throw std::bad_alloc();
    }
    handler();
  }
}

void *newOwnNothrow(Runtime &runtime, std::size_t bytes, std::size_t alignment) noexcept {
  try {
    return newOwn(runtime, bytes, alignment);
  } catch (...) {
    return nullptr;
  }
}

constexpr std::size_t kNewAlignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

} // namespace

TUTTI_EXPORT void *tutti_malloc(std::size_t size) {
  Runtime *runtime = Runtime::active();
  return runtime ? allocate(*runtime, size, alignof(std::max_align_t)).memory : __libc_malloc(size);
}

TUTTI_EXPORT void *tutti_calloc(std::size_t count, std::size_t size) {
  Runtime *runtime = Runtime::active();
  if (!runtime) {
    return __libc_calloc(count, size);
  }
  std::size_t bytes = 0;
  if (overflows(count, size, bytes)) {
    return outOfMemory();
  }
  const Allocated allocated = allocate(*runtime, bytes, alignof(std::max_align_t));
  if (allocated.memory && !allocated.isUntouched) {
    std::memset(allocated.memory, 0, bytes);
  }
  return allocated.memory;
}

TUTTI_EXPORT void *tutti_realloc(void *memory, std::size_t size) {
  return memory ? realloc(memory, size) : tutti_malloc(size);
}

TUTTI_EXPORT void *tutti_reallocarray(void *memory, std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  return overflows(count, size, bytes) ? outOfMemory() : tutti_realloc(memory, bytes);
}

TUTTI_EXPORT void *tutti_memalign(std::size_t alignment, std::size_t size) {
  Runtime *runtime = Runtime::active();
  return runtime
             ? allocate(*runtime, size, std::bit_ceil(std::max<std::size_t>(alignment, 16))).memory
             : __libc_memalign(alignment, size);
}

TUTTI_EXPORT void *tutti_aligned_alloc(std::size_t alignment, std::size_t size) {
  if (!isPowerOfTwo(alignment)) {
    errno = EINVAL;
    return nullptr;
  }
  return tutti_memalign(alignment, size);
}

TUTTI_EXPORT void *tutti_valloc(std::size_t size) {
  return tutti_memalign(tutti::memory::kPageBytes, size);
}

TUTTI_EXPORT int tutti_posix_memalign(void **result, std::size_t alignment, std::size_t size) {
  if (!isPowerOfTwo(alignment) || alignment % sizeof(void *) != 0) {
    return EINVAL;
  }
  const int before = errno;
  void *memory = tutti_memalign(alignment, size);
  errno = before;
  if (!memory) {
    return ENOMEM;
  }
  *result = memory;
  return 0;
}

TUTTI_EXPORT void *tutti_new(std::size_t size) {
  Runtime *runtime = Runtime::active();
  return runtime ? newOwn(*runtime, size, kNewAlignment) : ::operator new(size);
}

TUTTI_EXPORT void *tutti_new_nothrow(std::size_t size, const void *) {
  Runtime *runtime = Runtime::active();
  return runtime ? newOwnNothrow(*runtime, size, kNewAlignment)
                 : ::operator new(size, std::nothrow);
}

TUTTI_EXPORT void *tutti_new_aligned(std::size_t size, std::size_t alignment) {
  Runtime *runtime = Runtime::active();
  return runtime ? newOwn(*runtime, size, alignment)
                 : ::operator new(size, std::align_val_t(alignment));
}

TUTTI_EXPORT void *tutti_new_aligned_nothrow(std::size_t size, std::size_t alignment,
                                             const void *) {
  Runtime *runtime = Runtime::active();
  return runtime ? newOwnNothrow(*runtime, size, alignment)
                 : ::operator new(size, std::align_val_t(alignment), std::nothrow);
}

// In front of the C library's: anybody may free or grow what user code has allocated.

TUTTI_EXPORT void free(void *memory) noexcept {
  if (Runtime *runtime = ownerOf(memory)) {
    freeOwn(*runtime, memory);
  } else {
    __libc_free(memory);
  }
}

TUTTI_EXPORT void *realloc(void *memory, std::size_t size) noexcept {
  Runtime *runtime = ownerOf(memory);
  return runtime ? reallocateOwn(*runtime, memory, size) : __libc_realloc(memory, size);
}

TUTTI_EXPORT void *reallocarray(void *memory, std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  return overflows(count, size, bytes) ? outOfMemory() : realloc(memory, bytes);
}

TUTTI_EXPORT std::size_t malloc_usable_size(void *memory) noexcept {
  if (Runtime *runtime = ownerOf(memory)) {
    return runtime->heap().sizeOf(addressOf(memory));
  }
  static const auto next = tutti::entry::next<std::size_t (*)(void *)>("malloc_usable_size");
  return next(memory);
}
