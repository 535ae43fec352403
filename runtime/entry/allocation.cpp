// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Allocation by user code, and the functions of the C library that may meet what it gave.
///
/// On rank 0 of several, user code gets memory of the window; everybody else what `malloc` gives:
/// the C library's, or that of an allocator which the program brings.
#include "runtime/entry/allocation.h"

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
#include <string_view>

// This library's `free`, whichever one of the process the name leads to.
extern "C" __attribute__((visibility("hidden"))) void tutti_own_free(void *memory) noexcept;

namespace {

using tutti::entry::Next;
using tutti::entry::Runtime;

constinit Next<void (*)(void *)> nextFree("free");
constinit Next<void *(*)(void *, std::size_t)> nextRealloc("realloc");
constinit Next<std::size_t (*)(void *)> nextUsableSize("malloc_usable_size");

/// Whether `malloc` of user code, and `new` of user code, may give memory of the window. Set before
/// user code runs.
constinit bool mallocIsOurs = true;
constinit bool newIsOurs = true;

/// The file that the first definition of `name` in the process belongs to.
std::string_view definerOf(const char *name) {
  Dl_info info{};
  const void *definition = dlsym(RTLD_DEFAULT, name);
  return definition && dladdr(definition, &info) != 0 && info.dli_fname ? info.dli_fname : "";
}

bool isOfCxxLibrary(std::string_view file) {
  const std::string_view name = file.substr(file.find_last_of('/') + 1);
  return name.starts_with("libstdc++.") || name.starts_with("libc++.") ||
         name.starts_with("libc++abi.");
}

/// The runtime whose heap `malloc` of user code takes from, or null.
Runtime *mallocOwner() { return mallocIsOurs ? Runtime::active() : nullptr; }

Runtime *newOwner() { return newIsOurs ? Runtime::active() : nullptr; }

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
  if (tutti::memory::AccessCheck *check = tutti::memory::AccessCheck::current()) [[unlikely]] {
    check->allow({address, end});
  }
  const bool isUntouched = address >= before;
  if (!isUntouched) {
    runtime.renew({address, end});
  }
  runtime.noteAllocated({address, end});
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

void *allocateAligned(Runtime &runtime, std::size_t alignment, std::size_t bytes) {
  constexpr std::size_t kLeast = alignof(std::max_align_t);
  return allocate(runtime, bytes, std::bit_ceil(std::max(alignment, kLeast))).memory;
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

void freeForeign(void *memory) {
  // dlsym frees the message of its last failure: that one is lost. Finding a variable of the thread
  // must not call anything: __tls_get_addr frees, too, after libraries have been loaded.
  [[gnu::tls_model("initial-exec")]] thread_local bool isLookingUp = false;
  if (isLookingUp) {
    return;
  }
  isLookingUp = true;
  const auto freeMemory = nextFree.get();
  isLookingUp = false;
  freeMemory(memory);
}

constexpr std::size_t kNewAlignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

} // namespace

namespace tutti::entry {

void respectAllocators() {
  if (dlsym(RTLD_DEFAULT, "free") != reinterpret_cast<void *>(&tutti_own_free)) {
    mallocIsOurs = false;
    newIsOurs = false;
    log::warn("{} brings its own free(): what the program allocates stays on rank 0",
              definerOf("free"));
    return;
  }
  // `operator new`, of arrays, of aligned objects.
  for (const char *name : {"_Znwm", "_Znam", "_ZnwmSt11align_val_t"}) {
    if (const std::string_view definer = definerOf(name); !isOfCxxLibrary(definer)) {
      newIsOurs = false;
      log::warn("{} brings its own operator new: what it allocates stays on rank 0", definer);
      return;
    }
  }
}

} // namespace tutti::entry

TUTTI_EXPORT void *tutti_malloc(std::size_t size) {
  Runtime *runtime = mallocOwner();
  return runtime ? allocate(*runtime, size, alignof(std::max_align_t)).memory : malloc(size);
}

TUTTI_EXPORT void *tutti_calloc(std::size_t count, std::size_t size) {
  Runtime *runtime = mallocOwner();
  if (!runtime) {
    return calloc(count, size);
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
  Runtime *runtime = mallocOwner();
  return runtime ? allocateAligned(*runtime, alignment, size) : memalign(alignment, size);
}

TUTTI_EXPORT void *tutti_aligned_alloc(std::size_t alignment, std::size_t size) {
  Runtime *runtime = mallocOwner();
  if (!runtime) {
    return aligned_alloc(alignment, size);
  }
  if (!isPowerOfTwo(alignment)) {
    errno = EINVAL;
    return nullptr;
  }
  return allocateAligned(*runtime, alignment, size);
}

TUTTI_EXPORT void *tutti_valloc(std::size_t size) {
  Runtime *runtime = mallocOwner();
  return runtime ? allocateAligned(*runtime, tutti::memory::kPageBytes, size) : valloc(size);
}

TUTTI_EXPORT int tutti_posix_memalign(void **result, std::size_t alignment, std::size_t size) {
  Runtime *runtime = mallocOwner();
  if (!runtime) {
    return posix_memalign(result, alignment, size);
  }
  if (!isPowerOfTwo(alignment) || alignment % sizeof(void *) != 0) {
    return EINVAL;
  }
  const int before = errno;
  void *memory = allocateAligned(*runtime, alignment, size);
  errno = before;
  if (!memory) {
    return ENOMEM;
  }
  *result = memory;
  return 0;
}

TUTTI_EXPORT void *tutti_new(std::size_t size) {
  Runtime *runtime = newOwner();
  return runtime ? newOwn(*runtime, size, kNewAlignment) : ::operator new(size);
}

TUTTI_EXPORT void *tutti_new_nothrow(std::size_t size, const void *) {
  Runtime *runtime = newOwner();
  return runtime ? newOwnNothrow(*runtime, size, kNewAlignment)
                 : ::operator new(size, std::nothrow);
}

TUTTI_EXPORT void *tutti_new_aligned(std::size_t size, std::size_t alignment) {
  Runtime *runtime = newOwner();
  return runtime ? newOwn(*runtime, size, alignment)
                 : ::operator new(size, std::align_val_t(alignment));
}

TUTTI_EXPORT void *tutti_new_aligned_nothrow(std::size_t size, std::size_t alignment,
                                             const void *) {
  Runtime *runtime = newOwner();
  return runtime ? newOwnNothrow(*runtime, size, alignment)
                 : ::operator new(size, std::align_val_t(alignment), std::nothrow);
}

// In front of the C library's: anybody may free or grow what user code has allocated.

TUTTI_EXPORT void free(void *memory) noexcept {
  if (Runtime *runtime = ownerOf(memory)) {
    freeOwn(*runtime, memory);
  } else {
    freeForeign(memory);
  }
}

extern "C" void tutti_own_free(void *memory) noexcept __attribute__((alias("free")));

TUTTI_EXPORT void *realloc(void *memory, std::size_t size) noexcept {
  Runtime *runtime = ownerOf(memory);
  return runtime ? reallocateOwn(*runtime, memory, size) : nextRealloc.get()(memory, size);
}

TUTTI_EXPORT void *reallocarray(void *memory, std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  return overflows(count, size, bytes) ? outOfMemory() : realloc(memory, bytes);
}

TUTTI_EXPORT std::size_t malloc_usable_size(void *memory) noexcept {
  if (Runtime *runtime = ownerOf(memory)) {
    return runtime->heap().sizeOf(addressOf(memory));
  }
  return nextUsableSize.get()(memory);
}
