// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/spare_view.h"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <sys/resource.h>

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

/// What was mapped at `from` is mapped at `to` then; both stay mappings of the same file. The
/// kernel does so for files since 5.13.
bool movePages(std::uint64_t from, std::uint64_t to, std::size_t bytes) {
  return mremap(addressOf(from), bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
                addressOf(to)) != MAP_FAILED;
}

} // namespace

std::unique_ptr<SpareView> SpareView::create(const Window &window) {
  const Range heap = window.heap();
  rlimit addresses{};
  if (window.delta() == 0 || heap.empty() || getrlimit(RLIMIT_AS, &addresses) != 0 ||
      addresses.rlim_cur != RLIM_INFINITY) { // What is left is the program's.
    return nullptr;
  }
  const std::uint64_t spare = heap.begin + kSpareDelta;
  void *const at = reserve(spare, heap.size(), PROT_NONE, MAP_FIXED_NOREPLACE);
  if (at != addressOf(spare)) {
    if (at != MAP_FAILED) { // A kernel before 4.17 takes the address as a hint.
      munmap(at, heap.size());
    }
    return nullptr;
  }
  // A length of 0 maps the same file once more, and leaves what is there.
  if (mremap(addressOf(heap.begin), 0, heap.size(), MREMAP_MAYMOVE | MREMAP_FIXED, at) ==
      MAP_FAILED) {
    munmap(at, heap.size());
    return nullptr;
  }
  const std::size_t pages = heap.size() / kPageBytes;
  void *const isAway = reserve(0, pages, PROT_READ | PROT_WRITE, 0);
  if (isAway == MAP_FAILED) {
    munmap(at, heap.size());
    return nullptr;
  }
  return std::unique_ptr<SpareView>(new SpareView(heap, static_cast<bool *>(isAway), pages));
}

SpareView::~SpareView() {
  munmap(addressOf(heap_.begin + kSpareDelta), heap_.size());
  munmap(isAway_, pages_);
}

void SpareView::put(Range pages) {
  if (isRefused_ || pages.size() < kLeastBytes || !heap_.contains(pages)) {
    return;
  }
  if (movePages(pages.begin, pages.begin + kSpareDelta, pages.size())) {
    std::fill_n(&isAway(pages.begin), pages.size() / kPageBytes, true);
  } else {
    isRefused_ = errno == EINVAL;
  }
}

void SpareView::take(Range pages, bool isReadOnly) {
  if (pages.size() < kLeastTaken || !heap_.contains(pages)) {
    return;
  }
  bool *const end = &isAway(pages.begin) + pages.size() / kPageBytes;
  for (bool *first = &isAway(pages.begin); first != end;) {
    first = std::find(first, end, true);
    bool *const next = std::find(first, end, false);
    const Range run{heap_.begin + static_cast<std::uint64_t>(first - isAway_) * kPageBytes,
                    heap_.begin + static_cast<std::uint64_t>(next - isAway_) * kPageBytes};
    if (!run.empty()) {
      moveBack(run, isReadOnly);
      std::fill(first, next, false);
    }
    first = next;
  }
}

/// The view itself stays open, so that it stays one mapping.
void SpareView::moveBack(Range run, bool isReadOnly) {
  void *const spare = addressOf(run.begin + kSpareDelta);
  if (isReadOnly && mprotect(spare, run.size(), PROT_READ) != 0) {
    return;
  }
  if (movePages(run.begin + kSpareDelta, run.begin, run.size())) {
    takenBytes_ += run.size();
  }
  if (isReadOnly) {
    mprotect(spare, run.size(), PROT_READ | PROT_WRITE);
  }
}

} // namespace tutti::memory
