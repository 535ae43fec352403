// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An allocator in the place of the C library's, as programs may bring it. It never reuses memory,
/// and ends the process if it is given what is not its own.
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ARENA ((size_t)64 << 30)
#define HEADER 16

static char *arena;
static size_t used;

static void open_arena(void) {
  char *none = NULL;
  char *memory =
      mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!__atomic_compare_exchange_n(&arena, &none, memory, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    munmap(memory, ARENA);
  }
}

static size_t *size_of(void *memory) {
  char *bytes = memory;
  if (bytes < arena || bytes >= arena + ARENA) {
    static const char text[] = "memory of another allocator\n";
    _exit(write(STDERR_FILENO, text, sizeof text - 1) < 0 ? 76 : 77);
  }
  return (size_t *)(bytes - HEADER);
}

void *memalign(size_t alignment, size_t bytes) {
  if (__atomic_load_n(&arena, __ATOMIC_SEQ_CST) == NULL) {
    open_arena();
  }
  size_t before = __atomic_load_n(&used, __ATOMIC_RELAXED);
  size_t start = 0;
  do {
    start = (before + HEADER + alignment - 1) / alignment * alignment;
    if (bytes > ARENA || start + bytes > ARENA) {
      errno = ENOMEM;
      return NULL;
    }
  } while (!__atomic_compare_exchange_n(&used, &before, start + bytes, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  *size_of(arena + start) = bytes;
  return arena + start;
}

void *malloc(size_t bytes) { return memalign(HEADER, bytes); }

void *calloc(size_t count, size_t bytes) { return malloc(count * bytes); }

void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void **result, size_t alignment, size_t bytes) {
  *result = memalign(alignment, bytes);
  return *result == NULL ? ENOMEM : 0;
}

void free(void *memory) {
  if (memory != NULL) {
    *size_of(memory) = 0;
  }
}

void *realloc(void *memory, size_t bytes) {
  void *larger = malloc(bytes);
  if (larger != NULL && memory != NULL) {
    const size_t old = *size_of(memory);
    memcpy(larger, memory, old < bytes ? old : bytes);
    free(memory);
  }
  return larger;
}

size_t malloc_usable_size(void *memory) { return memory == NULL ? 0 : *size_of(memory); }
