// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/managed.h"

#include "abi/abi.h"
#include "abi/managed.h"
#include "base/mutex.h"
#include "runtime/entry/exports.h"

#include <cstdlib>
#include <unordered_set>

namespace tutti::entry {

namespace {

/// Pages of their own: other memory of the program must not move along.
constexpr std::size_t kPage = 4096;

bool isInHeap = false;

struct Allocations {
  Mutex mutex;
  std::unordered_set<void *> all TUTTI_GUARDED_BY(mutex);
};

/// As long as the process: exit handlers may free.
Allocations &allocations() {
  static auto *allocations = new Allocations;
  return *allocations;
}

} // namespace

void putManagedIntoHeap() { isInHeap = true; }

} // namespace tutti::entry

using tutti::ScopedLock;
using namespace tutti::entry;

TUTTI_EXPORT void *tutti_managed_allocate(std::size_t bytes) {
  if (!isInHeap || bytes == 0 || bytes > SIZE_MAX - kPage) {
    return nullptr;
  }
  void *memory = tutti_aligned_alloc(kPage, (bytes + kPage - 1) & ~(kPage - 1));
  if (memory) {
    Allocations &of = allocations();
    const ScopedLock lock(of.mutex);
    of.all.insert(memory);
  }
  return memory;
}

TUTTI_EXPORT int tutti_managed_free(void *memory) {
  if (!isInHeap || !memory) {
    return 0;
  }
  Allocations &of = allocations();
  {
    const ScopedLock lock(of.mutex);
    if (of.all.erase(memory) == 0) {
      return 0;
    }
  }
  std::free(memory);
  return 1;
}
