// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/window.h"

#include "runtime/memory/huge_pages.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace tutti::memory {

namespace {

constexpr std::uint64_t kLeastHeapBytes = std::uint64_t{1} << 30;

/// Unmapped space between the stack and its neighbours; it turns an overflow into a fault.
constexpr std::uint64_t kGuardBytes = std::uint64_t{16} << 20;

void *pointer(std::uint64_t address) { return reinterpret_cast<void *>(address); }

/// Maps `range` of a file, or of nothing if `file` is negative, at exactly its addresses.
bool mapAt(Range range, int file, std::uint64_t offset, int extraFlags) {
  const int flags = (file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED) | MAP_NORESERVE;
  void *at = mmap(pointer(range.begin), range.size(), PROT_READ | PROT_WRITE, flags | extraFlags,
                  file, static_cast<off_t>(offset));
  if (at == MAP_FAILED) {
    return false;
  }
  if (at != pointer(range.begin)) { // A kernel before 4.17 takes the address as a hint.
    munmap(at, range.size());
    errno = EEXIST;
    return false;
  }
  return true;
}

Range shifted(Range range, std::int64_t delta) {
  return {range.begin + static_cast<std::uint64_t>(delta),
          range.end + static_cast<std::uint64_t>(delta)};
}

Error refused(const char *what, Range range) {
  return nativeFailure(ErrorCode::OutOfMemory, errno, "cannot map the {} ({} bytes at {:#x}): {}",
                       what, range.size(), range.begin, std::strerror(errno));
}

/// A file in memory, closed when it is no longer needed; mappings outlive it.
class MemoryFile {
public:
  MemoryFile() : descriptor_(memfd_create("tutti-window", MFD_CLOEXEC)) {}

  ~MemoryFile() {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }

  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  int descriptor() const { return descriptor_; }

private:
  int descriptor_;
};

} // namespace

Result<std::unique_ptr<Window>> Window::open(const WindowPlan &plan) {
  if (sysconf(_SC_PAGESIZE) != static_cast<long>(kPageBytes)) {
    return failure(ErrorCode::NotSupported, "this machine's pages are {} bytes, not {}",
                   sysconf(_SC_PAGESIZE), kPageBytes);
  }
  std::unique_ptr<Window> window(new Window);
  const std::uint64_t stackTop = kHeapBase - kGuardBytes;
  window->stack_ = {stackTop - plan.stackBytes, stackTop};
  window->globals_ = plan.globals;
  TUTTI_TRY(plan.mirrored ? window->mapMirrored(plan) : window->mapPrivate(plan));
  window->listSegments();
  return window;
}

Status Window::mapPrivate(const WindowPlan &plan) {
  std::uint64_t bytes = plan.heapBytes;
  for (;; bytes /= 2) {
    heap_ = {kHeapBase, kHeapBase + bytes};
    if (mapAt(heap_, -1, 0, MAP_FIXED_NOREPLACE)) {
      break;
    }
    if (bytes <= kLeastHeapBytes) {
      return refused("heap", heap_);
    }
  }
  madvise(pointer(heap_.begin), heap_.size(), MADV_HUGEPAGE);
  if (!mapAt(stack_, -1, 0, MAP_FIXED_NOREPLACE)) {
    return refused("stack of main", stack_);
  }
  return {};
}

Status Window::mapMirrored(const WindowPlan &plan) {
  const MemoryFile file;
  std::uint64_t globalBytes = 0;
  for (const Range &range : globals_) {
    globalBytes += range.size();
  }
  // Order in the file: stack, globals, heap, so that a smaller heap only shortens the file. A page
  // is huge only if its address and its place in the file are multiples of its size.
  const std::uint64_t heapOffset =
      (stack_.size() + globalBytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  std::uint64_t bytes = plan.heapBytes;
  for (;; bytes /= 2) {
    heap_ = {kHeapBase, kHeapBase + bytes};
    if (ftruncate(file.descriptor(), static_cast<off_t>(heapOffset + bytes)) == 0 &&
        mapAt(heap_, file.descriptor(), heapOffset, MAP_FIXED_NOREPLACE)) {
      if (mapAt(shifted(heap_, kViewDelta), file.descriptor(), heapOffset, MAP_FIXED_NOREPLACE)) {
        break;
      }
      munmap(pointer(heap_.begin), heap_.size());
    }
    if (bytes <= kLeastHeapBytes) {
      return refused("heap", heap_);
    }
  }
  madvise(pointer(heap_.begin), heap_.size(), MADV_HUGEPAGE);
  madvise(pointer(shifted(heap_, kViewDelta).begin), heap_.size(), MADV_HUGEPAGE);
  if (!mapAt(stack_, file.descriptor(), 0, MAP_FIXED_NOREPLACE) ||
      !mapAt(shifted(stack_, kViewDelta), file.descriptor(), 0, MAP_FIXED_NOREPLACE)) {
    return refused("stack of main", stack_);
  }
  std::uint64_t offset = stack_.size();
  for (const Range &range : globals_) {
    if (!mapAt(shifted(range, kViewDelta), file.descriptor(), offset, MAP_FIXED_NOREPLACE)) {
      return refused("variables of the program", range);
    }
    std::memcpy(pointer(shifted(range, kViewDelta).begin), pointer(range.begin), range.size());
    if (!mapAt(range, file.descriptor(), offset, MAP_FIXED)) {
      return refused("variables of the program", range);
    }
    offset += range.size();
  }
  delta_ = kViewDelta;
  return {};
}

void Window::listSegments() {
  segments_ = globals_;
  segments_.push_back(stack_);
  segments_.push_back(heap_);
  std::sort(segments_.begin(), segments_.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
}

bool Window::contains(Range range) const {
  // A range behind the last address wraps around.
  return range.begin <= range.end &&
         std::any_of(segments_.begin(), segments_.end(),
                     [&](const Range &segment) { return segment.contains(range); });
}

Range Window::segmentOf(std::uint64_t address) const {
  for (const Range &segment : segments_) {
    if (segment.contains({address, address + 1})) {
      return segment;
    }
  }
  return {};
}

void Window::limitHeap(std::uint64_t bytes) {
  heap_.end = std::min(heap_.end, heap_.begin + bytes);
  listSegments();
}

} // namespace tutti::memory
