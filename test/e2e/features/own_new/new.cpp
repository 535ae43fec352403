// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// operator new and delete in the place of the C++ library's, with a header in front of each
/// object.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

long alive = 0;

namespace {

constexpr std::uint64_t kMagic = 0x7455747469;
constexpr std::size_t kHeader = 16;

} // namespace

void *operator new(std::size_t bytes) {
  char *memory = static_cast<char *>(std::malloc(bytes + kHeader));
  if (!memory) {
    throw std::bad_alloc();
  }
  *reinterpret_cast<std::uint64_t *>(memory) = kMagic;
  __atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED);
  return memory + kHeader;
}

void operator delete(void *object) noexcept {
  if (!object) {
    return;
  }
  char *memory = static_cast<char *>(object) - kHeader;
  if (*reinterpret_cast<std::uint64_t *>(memory) != kMagic) {
    std::puts("an object of another operator new");
    std::_Exit(77);
  }
  __atomic_sub_fetch(&alive, 1, __ATOMIC_RELAXED);
  std::free(memory);
}

void operator delete(void *object, std::size_t) noexcept { operator delete(object); }
