// What the runtime would answer, answered by the program: blocks of odd sizes, also where all fits.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct tutti_chunk;

static int asked;

static void tell(void) { fprintf(stderr, "blocks: %d\n", asked); }

void tell_blocks(void) {
  if (getenv("TELL_BLOCKS")) atexit(tell);
}

int64_t tutti_cache_block(const struct tutti_chunk *chunk, int64_t trip, int64_t moving, int64_t fixed,
                          int64_t column) {
  (void)chunk, (void)moving, (void)fixed, (void)column;
  __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
  const int64_t sizes[] = {1, 7, 64, trip / 2 + 1, trip, trip + 5};
  return sizes[(trip + (column != 0)) % 6];
}
