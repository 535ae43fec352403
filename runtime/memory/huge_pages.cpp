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

/// The kernel clears 4 to 5 GB/s for one thread and 13 to 14 for four; more get in each other's
/// way.
constexpr std::uint64_t kMostThreads = 4;

/// A thread starts in a tenth of the time that a page takes.
constexpr std::uint64_t kPagesOfAThread = 2;

/// Whether hardly any page of the huge one at `view` has been touched.
bool isFresh(std::byte *view) {
  std::array<unsigned char, kPages> flags;
  return ::mincore(view, kHugePageBytes, flags.data()) == 0 &&
         std::ranges::count_if(flags, [](unsigned char flag) { return (flag & 1) != 0; }) <=
             kMostPresent;
}

/// The one at `view`. False if the kernel makes none.
bool makeOne(std::byte *view) {
  if (!isFresh(view)) {
    return true;
  }
  // Nothing is made of what holds nothing at all.
  static_cast<void>(*const_cast<const volatile std::byte *>(view));
  return ::madvise(view, kHugePageBytes, MADV_COLLAPSE) == 0 || errno == EAGAIN;
}

} // namespace

bool makeHuge(const Window &window, Range bytes) {
  if (window.delta() == 0) {
    return false;
  }
  const std::uint64_t first = (bytes.begin + kHugePageBytes - 1) & ~(kHugePageBytes - 1);
  const std::uint64_t end = bytes.end & ~(kHugePageBytes - 1);
  const std::uint64_t count = end > first ? (end - first) / kHugePageBytes : 0;
  const std::uint64_t threads =
      std::clamp<std::uint64_t>(std::min<std::uint64_t>(count / kPagesOfAThread, kMostThreads), 1,
                                std::max(std::thread::hardware_concurrency(), 1U));
  std::atomic<bool> isRefused = false; // Without a partner: whoever sees it late does more.
  std::atomic<std::uint64_t> next = 0; // Whoever there is takes it.
  const auto makeEach = [&] {
    for (std::uint64_t page = 0; !isRefused.load(std::memory_order_relaxed) &&
                                 (page = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      if (!makeOne(window.view(first + page * kHugePageBytes))) {
        isRefused.store(true, std::memory_order_relaxed);
      }
    }
  };
  std::vector<std::thread> helpers;
  for (std::uint64_t helper = 1; helper < threads; ++helper) {
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

} // namespace tutti::memory
