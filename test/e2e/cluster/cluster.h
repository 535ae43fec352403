/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What programs need of <nanos6/cluster.h> when their pragmas are ignored. */
#ifdef _OMPSS_2
#include <nanos6/cluster.h>
#else
#include <stdlib.h>
enum { nanos6_equpart_distribution };
static inline void *nanos6_dmalloc(size_t size, int policy, size_t count, size_t *dimensions) {
  (void)policy, (void)count, (void)dimensions;
  return malloc(size);
}
static inline void nanos6_dfree(void *memory, size_t size) { (void)size, free(memory); }
static inline void *nanos6_lmalloc(size_t size) { return malloc(size); }
static inline void nanos6_lfree(void *memory, size_t size) { (void)size, free(memory); }
#endif
