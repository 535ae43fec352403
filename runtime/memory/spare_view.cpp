// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/spare_view.h"

#include <algorithm>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace tutti::memory {

namespace {

/// From an address of the heap to the same byte here.
constexpr std::uint64_t kSpareDelta = 2 * static_cast<std::uint64_t>(kViewDelta);

/// Of pages that are opened; touches map as many in no more time.
constexpr std::uint64_t kLeastTaken = 16 * kPageBytes;

void *addressOf(std::uint64_t address) { return reinterpret_cast<void *>(address); }

void *reserve(std::uint64_t address, std::size_t bytes, int protection, int flags) {
  return mmap(addressOf(address), bytes, protection,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

/// Whether the process may have as many addresses as it has: else a move fails when the kernel has
/// unmapped the place for it.
bool areAddressesUnlimited() {
  rlimit addresses{};
  return getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur == RLIM_INFINITY;
}

/// `mremap` to a fixed place, not by way of the C library: UCX, which MPI libraries use, has it
/// replaced by a function that knows no fifth argument, and the place is any then.
bool remap(std::uint64_t from, std::size_t before, std::uint64_t to, std::size_t bytes, int flags) {
  return syscall(SYS_mremap, from, before, bytes, MREMAP_MAYMOVE | MREMAP_FIXED | flags, to) != -1;
}

/// What was mapped at `from` is mapped at `to` then; both stay mappings of the same file. The
/// kernel does so for files since 5.13.
bool movePages(std::uint64_t from, std::uint64_t to, std::size_t bytes) {
  return remap(from, bytes, to, bytes, MREMAP_DONTUNMAP);
}

/// Maps the file that is mapped at `from` at `to` once more: that is what a length of 0 is for.
bool mapAgain(std::uint64_t from, std::uint64_t to, std::size_t bytes) {
  return remap(from, 0, to, bytes, 0);
}

} // namespace

std::unique_ptr<SpareView> SpareView::create(const Window &window) {
  const Range heap = window.heap();
  if (window.delta() == 0 || heap.empty() || !areAddressesUnlimited()) {
    return nullptr; // What is left is the program's.
  }
  const std::uint64_t spare = heap.begin + kSpareDelta;
  void *const at = reserve(spare, heap.size(), PROT_NONE, MAP_FIXED_NOREPLACE);
  if (at != addressOf(spare)) {
    if (at != MAP_FAILED) { // A kernel before 4.17 takes the address as a hint.
      munmap(at, heap.size());
    }
    return nullptr;
  }
  if (!mapAgain(heap.begin, spare, heap.size())) {
    munmap(at, heap.size());
    return nullptr;
  }
  const std::size_t pages = heap.size() / kPageBytes;
  void *const moves = reserve(0, pages, PROT_READ | PROT_WRITE, 0);
  if (moves == MAP_FAILED) {
    munmap(at, heap.size());
    return nullptr;
  }
  return std::unique_ptr<SpareView>(
      new SpareView(heap, window.delta(), static_cast<std::uint8_t *>(moves), pages));
}

SpareView::~SpareView() {
  munmap(addressOf(heap_.begin + kSpareDelta), heap_.size());
  munmap(moves_, pages_);
}

void SpareView::put(Range pages) {
  if (isRefused_ || pages.size() < kLeastBytes || !heap_.contains(pages)) {
    return;
  }
  std::uint8_t *const first = moveOf(pages.begin);
  std::uint8_t *const end = first + pages.size() / kPageBytes;
  if (areAddressesUnlimited() && movePages(pages.begin, pages.begin + kSpareDelta, pages.size())) {
    // Another one than those beside it have.
    std::uint8_t move = 1;
    while ((first != moves_ && move == first[-1]) || (end != moves_ + pages_ && move == *end)) {
      ++move;
    }
    std::fill(first, end, move);
  } else { // The kernel may have unmapped the place.
    std::fill(first, end, kHere);
    isRefused_ = true;
  }
}

void SpareView::take(Range pages, bool isReadOnly) {
  if (pages.size() < kLeastTaken || !heap_.contains(pages)) {
    return;
  }
  std::uint8_t *const end = moveOf(pages.begin) + pages.size() / kPageBytes;
  for (std::uint8_t *first = moveOf(pages.begin); first != end;) {
    std::uint8_t *const next =
        std::find_if(first, end, [&](std::uint8_t move) { return move != *first; });
    if (*first != kHere) {
      const Range run{heap_.begin + static_cast<std::uint64_t>(first - moves_) * kPageBytes,
                      heap_.begin + static_cast<std::uint64_t>(next - moves_) * kPageBytes};
      moveBack(run, isReadOnly);
      std::fill(first, next, kHere);
    }
    first = next;
  }
}

/// The view itself stays open, so that it stays one mapping.
void SpareView::moveBack(Range run, bool isReadOnly) {
  void *const spare = addressOf(run.begin + kSpareDelta);
  if (!areAddressesUnlimited() || (isReadOnly && mprotect(spare, run.size(), PROT_READ) != 0)) {
    return;
  }
  if (movePages(run.begin + kSpareDelta, run.begin, run.size())) {
    takenBytes_ += run.size();
  } else { // The kernel may have unmapped the place.
    mapAgain(run.begin + static_cast<std::uint64_t>(delta_), run.begin, run.size());
  }
  if (isReadOnly) {
    mprotect(spare, run.size(), PROT_READ | PROT_WRITE);
  }
}

} // namespace tutti::memory
