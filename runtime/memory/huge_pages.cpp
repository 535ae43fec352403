// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/huge_pages.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace tutti::memory {

namespace {

constexpr std::size_t kPages = kHugePageBytes / kPageBytes;

/// Copying more takes longer than what is gained.
constexpr std::ptrdiff_t kMostPresent = kPages / 8;

/// Whether hardly any page of the huge one at `view` has been touched.
bool isFresh(std::byte *view) {
  std::array<unsigned char, kPages> flags;
  return ::mincore(view, kHugePageBytes, flags.data()) == 0 &&
         std::ranges::count_if(flags, [](unsigned char flag) { return (flag & 1) != 0; }) <=
             kMostPresent;
}

} // namespace

bool makeHuge(const Window &window, Range bytes) {
  if (window.delta() == 0) {
    return false;
  }
  const std::uint64_t first = (bytes.begin + kHugePageBytes - 1) & ~(kHugePageBytes - 1);
  for (std::uint64_t page = first; page + kHugePageBytes <= bytes.end; page += kHugePageBytes) {
    std::byte *const view = window.view(page);
    if (!isFresh(view)) {
      continue;
    }
    // Nothing is made of what holds nothing at all.
    static_cast<void>(*const_cast<const volatile std::byte *>(view));
    if (::madvise(view, kHugePageBytes, MADV_COLLAPSE) != 0 && errno != EAGAIN) {
      return false;
    }
  }
  return true;
}

} // namespace tutti::memory
