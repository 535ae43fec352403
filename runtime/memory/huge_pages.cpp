// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/huge_pages.h"

#include "base/quiet_thread.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <sys/mman.h>
#include <system_error>
#include <thread>
#include <vector>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace tutti::memory {

namespace {

constexpr std::size_t kPages = kHugePageBytes / kPageBytes;

/// Copying more takes longer than what is gained.
constexpr std::ptrdiff_t kMostPresent = kPages / 8;

/// The kernel clears 4 to 5 GB/s for one thread, 13 to 16 for four, and up to 27 for eight.
/// One starts in a tenth of the time that a page takes.
constexpr std::size_t kMostThreads = 8;

/// Those that lie in a range as a whole.
struct HugePages {
  explicit HugePages(Range bytes)
      : first((bytes.begin + kHugePageBytes - 1) & ~(kHugePageBytes - 1)) {
    const std::uint64_t end = bytes.end & ~(kHugePageBytes - 1);
    count = end > first ? (end - first) / kHugePageBytes : 0;
  }

  std::uint64_t first;
  std::uint64_t count;
};

/// Whether hardly any page of the huge one at `view` has been touched.
bool isFreshAt(std::byte *view) {
  std::array<unsigned char, kPages> flags;
  return ::mincore(view, kHugePageBytes, flags.data()) == 0 &&
         std::ranges::count_if(flags, [](unsigned char flag) { return (flag & 1) != 0; }) <=
             kMostPresent;
}

/// The one at `view`, which is fresh. False if the kernel makes none.
bool makeOne(std::byte *view) {
  // Nothing is made of what holds nothing at all.
  static_cast<void>(*const_cast<const volatile std::byte *>(view));
  return ::madvise(view, kHugePageBytes, MADV_COLLAPSE) == 0 || errno == EAGAIN;
}

} // namespace

bool makeHuge(const Window &window, Range bytes) {
  if (window.delta() == 0) {
    return false;
  }
  std::vector<std::byte *> fresh;
  const HugePages all(bytes);
  for (std::uint64_t page = 0; page < all.count; ++page) {
    std::byte *const view = window.view(all.first + page * kHugePageBytes);
    if (isFreshAt(view)) {
      fresh.push_back(view);
    }
  }
  const std::size_t threads = std::clamp<std::size_t>(
      std::min(fresh.size(), kMostThreads), 1, std::max(std::thread::hardware_concurrency(), 1U));
  std::atomic<bool> isRefused = false; // Without a partner: whoever sees it late does more.
  std::atomic<std::size_t> next = 0;   // Whoever there is takes it.
  const auto makeEach = [&] {
    for (std::size_t page = 0;
         !isRefused.load(std::memory_order_relaxed) &&
         (page = next.fetch_add(1, std::memory_order_relaxed)) < fresh.size();) {
      if (!makeOne(fresh[page])) {
        isRefused.store(true, std::memory_order_relaxed);
      }
    }
  };
  std::vector<std::thread> helpers;
  for (std::size_t helper = 1; helper < threads; ++helper) {
    try {
      helpers.push_back(startQuietThread(makeEach));
    } catch (const std::system_error &) {
      break; // The system gives no more threads.
    }
  }
  makeEach();
  for (std::thread &helper : helpers) {
    helper.join();
  }
  return !isRefused.load(std::memory_order_relaxed);
}

bool isFresh(const Window &window, Range bytes) {
  const HugePages all(bytes);
  bool isFresh = window.delta() != 0 && all.count > 0;
  for (std::uint64_t page = 0; page < all.count && isFresh; ++page) {
    isFresh = isFreshAt(window.view(all.first + page * kHugePageBytes));
  }
  return isFresh;
}

} // namespace tutti::memory
