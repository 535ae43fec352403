// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// For tests that bound how often memory is taken. Replaces the program's operator new, so one file
/// of a test program includes it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace tutti::test {

/// Threading: of programs whose tests take memory on one thread.
inline std::uint64_t allocations = 0;

} // namespace tutti::test

void *operator new(std::size_t size) {
  ++tutti::test::allocations;
  if (void *memory = std::malloc(std::max<std::size_t>(size, 1))) {
    return memory;
  }
  throw std::bad_alloc();
}

/// The library asks so for what algorithms may use; a sanitizer's own would not go with `delete`
/// here.
void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
  ++tutti::test::allocations;
  return std::malloc(std::max<std::size_t>(size, 1));
}

void operator delete(void *memory) noexcept { std::free(memory); }

void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
