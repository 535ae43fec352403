/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * A stencil with a sum on devices: kernels in OpenCL C, over rows and over points; between launches
 * sequential code reads and writes some points. Whole numbers, so that every division gives the
 * same sums. Without a device it runs on the hosts and must be right, too.
 *
 * Arguments: rows, columns, launches, every how many launches sequential code looks at points.
 */
#include "runtime/exec/test/hand_region.h"

#include <string.h>

/* Captures: from, to, rows, columns, &sum. Iteration i is row i + 1. */
static void rows(const uint64_t *captures, const tutti_chunk *chunk, int64_t first, int64_t last,
                 void *context) {
  const uint64_t *from = VIEW(const uint64_t, captures[0], chunk);
  uint64_t *to = VIEW(uint64_t, captures[1], chunk);
  const int64_t m = (int64_t)captures[3];
  uint64_t *sum = context;
  for (int64_t i = first + 1; i <= last + 1; ++i) {
    for (int64_t j = 1; j < m - 1; ++j) {
      to[i * m + j] = (from[(i - 1) * m + j] + from[(i + 1) * m + j] + 3 * from[i * m + j - 1] +
                       from[i * m + j + 1]) %
                      1000003;
      *sum += to[i * m + j];
    }
  }
}

static void combine(void *left, void *right) { **(uint64_t **)left += **(uint64_t **)right; }

static void relaxRun(const uint64_t *captures, const tutti_chunk *chunk) {
#pragma omp parallel
  {
    uint64_t sum = 0;
    forShare(captures, chunk, rows, &sum);
    void *list[1] = {&sum};
    const uint64_t sizes[1] = {sizeof sum};
    if (tutti_reduce(chunk, &kLoop, 0, 1, sizes, list, combine) == 1) {
      *VIEW(uint64_t, captures[4], chunk) += sum;
    }
  }
}

static int64_t relaxTrip(const uint64_t *captures, const uint64_t *values) {
  (void)values;
  return (int64_t)captures[2] - 2;
}

static void relaxHome(const uint64_t *captures) {
  const tutti_chunk whole = {0,    0,   relaxTrip(captures, NULL), relaxTrip(captures, NULL),
                             NULL, NULL};
  uint64_t sum = 0;
#pragma omp parallel num_threads(1)
  forShare(captures, &whole, rows, &sum);
  *(uint64_t *)(uintptr_t)captures[4] += sum;
}

#define relaxGather noValues

static void relaxAccesses(const uint64_t *captures, const uint64_t *values, int64_t lower,
                          int64_t upper, int64_t total, tutti_sink *sink) {
  (void)values;
  (void)total;
  const int64_t m = (int64_t)captures[3];
  const tutti_dim dims[2] = {{8 * m, upper - lower}, {8, m - 2}};
  const int64_t offsets[4] = {-m, m, -1, 1};
  const uint64_t inner = (uint64_t)(8 * ((lower + 1) * m + 1));
  for (int k = 0; k < 4; ++k) {
    tutti_access(sink, TUTTI_READ, captures[0], captures[0] + inner + (uint64_t)(8 * offsets[k]), 8,
                 2, dims);
  }
  tutti_access(sink, TUTTI_WRITE, captures[1], captures[1] + inner, 8, 2, dims);
}

static const char kText[] =
    "#define AT(p) ((__global ulong *)(arena + ((p) + ((p) < 0x100000000ul ? low : high))))\n"
    "#define PARAMETERS __global uchar *arena, ulong low, ulong high, long lower, long upper, \\\n"
    "                   long total, __global uchar *partials, ulong c0, ulong c1, ulong c2, \\\n"
    "                   ulong c3, ulong c4, __local ulong2 *local_memory\n"
    "#define POINT(i, j) \\\n"
    "  ulong v = (from[(i - 1) * m + j] + from[(i + 1) * m + j] + 3 * from[i * m + j - 1] + \\\n"
    "             from[i * m + j + 1]) % 1000003; \\\n"
    "  to[i * m + j] = v; \\\n"
    "  sum += v;\n"
    "void finish(ulong sum, __local ulong *all, __global ulong *partials) {\n"
    "  int n = get_local_size(0) * get_local_size(1);\n"
    "  int id = get_local_id(1) * get_local_size(0) + get_local_id(0);\n"
    "  all[2 * id] = sum;\n"
    "  for (int s = n / 2; s > 0; s /= 2) {\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (id < s) all[2 * id] += all[2 * (id + s)];\n"
    "  }\n"
    "  if (id == 0) partials[2 * (get_group_id(1) * get_num_groups(0) + get_group_id(0))] = "
    "all[0];\n"
    "}\n"
    "__kernel void relax_points(PARAMETERS) {\n"
    "  long m = c3; ulong sum = 0;\n"
    "  __global ulong *from = AT(c0); __global ulong *to = AT(c1);\n"
    "  for (long i = lower + 1 + get_global_id(1); i <= upper; i += get_global_size(1))\n"
    "    for (long j = 1 + get_global_id(0); j < m - 1; j += get_global_size(0)) { POINT(i, j) }\n"
    "  finish(sum, (__local ulong *)local_memory, (__global ulong *)partials);\n"
    "}\n"
    "__kernel void relax_rows(PARAMETERS) {\n"
    "  long m = c3; ulong sum = 0;\n"
    "  __global ulong *from = AT(c0); __global ulong *to = AT(c1);\n"
    "  for (long i = lower + 1 + get_global_id(0); i <= upper; i += get_global_size(0))\n"
    "    for (long j = 1; j < m - 1; ++j) { POINT(i, j) }\n"
    "  finish(sum, (__local ulong *)local_memory, (__global ulong *)partials);\n"
    "}\n";

/* Rows of an odd number of columns are good for one of the mappings only. */
static int32_t pointExtents(const uint64_t *captures, const uint64_t *values, int64_t lower,
                            int64_t upper, int64_t total, int64_t *extents) {
  (void)values;
  (void)total;
  extents[0] = (int64_t)captures[3] - 2;
  extents[1] = upper - lower;
  return captures[3] % 2 == 0;
}

static int32_t rowExtents(const uint64_t *captures, const uint64_t *values, int64_t lower,
                          int64_t upper, int64_t total, int64_t *extents) {
  (void)captures;
  (void)values;
  (void)total;
  extents[0] = upper - lower;
  return 1;
}

static const tutti_kernel kPoints = {TUTTI_KERNEL_OPENCL_C, 0, "relax_points", kText};
static const tutti_kernel kRows = {TUTTI_KERNEL_OPENCL_C, 0, "relax_rows", kText};
static const tutti_mapping kMappings[2] = {{2, TUTTI_MAPPING_DISJOINT, 1, &kPoints, pointExtents},
                                           {1, 0, 1, &kRows, rowExtents}};
static const uint64_t kSizes[1] = {sizeof(uint64_t)};
static const tutti_device_code kRelaxCode = {NULL, 2,      0,       kMappings, NULL, 16,
                                             1,    kSizes, combine, 0,         NULL};

USER_DEVICE_REGION(relax, 0x5701, 5, 0, TUTTI_REGION_REDUCES, &kRelaxCode);

/* On main's stack and in the program's variables, where devices reach them, too. */
USER_BSS static uint64_t globalFrom[64 * 48];

static uint64_t point(int64_t i) { return (uint64_t)(i * 7919) % 1009; }

static void relaxPlainly(const uint64_t *from, uint64_t *to, int64_t n, int64_t m, uint64_t *sum) {
  const uint64_t captures[4] = {(uintptr_t)from, (uintptr_t)to, (uint64_t)n, (uint64_t)m};
  const tutti_chunk whole = {0, 0, n - 2, n - 2, NULL, NULL};
  rows(captures, &whole, 0, n - 3, sum);
}

static uint64_t launch(const uint64_t *from, uint64_t *to, int64_t n, int64_t m, uint64_t *sum) {
  const uint64_t captures[5] = {(uintptr_t)from, (uintptr_t)to, (uint64_t)n, (uint64_t)m,
                                (uintptr_t)sum};
  tutti_launch(&relax, captures);
  return *sum;
}

static void timeLoop(int64_t n, int64_t m, int launches, int every) {
  const size_t bytes = sizeof(uint64_t) * (size_t)(n * m);
  uint64_t *a = tutti_malloc(bytes);
  uint64_t *b = tutti_malloc(bytes);
  uint64_t *c = malloc(bytes);
  uint64_t *d = malloc(bytes);
  for (int64_t i = 0; i < n * m; ++i) {
    a[i] = b[i] = c[i] = d[i] = point(i);
  }
  uint64_t *sum = tutti_malloc(sizeof *sum);
  uint64_t expected = 0;
  *sum = 0;
  for (int k = 0; k < launches; ++k) {
    CHECK(k % 2 == 0 ? launch(a, b, n, m, sum) : launch(b, a, n, m, sum));
    relaxPlainly(k % 2 == 0 ? c : d, k % 2 == 0 ? d : c, n, m, &expected);
    CHECK(*sum == expected);
    if (every > 0 && k % every == every - 1) {
      uint64_t *now = k % 2 == 0 ? b : a;
      uint64_t *expectedNow = k % 2 == 0 ? d : c;
      for (int64_t i = k; i < n * m; i += n * m / 5 + 1) {
        CHECK(now[i] == expectedNow[i]);
        now[i] += 3;
        expectedNow[i] += 3;
      }
    }
  }
  CHECK(memcmp(a, c, bytes) == 0);
  CHECK(memcmp(b, d, bytes) == 0);
  free(a);
  free(b);
  free(c);
  free(d);
  free(sum);
}

static void stackAndGlobals(void) {
  enum { n = 64, m = 48 };

  uint64_t to[n * m];
  static uint64_t expectedTo[n * m];
  uint64_t sum = 5;
  uint64_t expected = 5;
  for (int64_t i = 0; i < n * m; ++i) {
    globalFrom[i] = point(i);
    to[i] = expectedTo[i] = 1;
  }
  launch(globalFrom, to, n, m, &sum);
  relaxPlainly(globalFrom, expectedTo, n, m, &expected);
  CHECK(sum == expected);
  CHECK(memcmp(to, expectedTo, sizeof to) == 0);
}

int main(int argc, char **argv) {
  const int64_t n = argc > 1 ? atoll(argv[1]) : 130;
  const int64_t m = argc > 2 ? atoll(argv[2]) : 100;
  timeLoop(n, m, argc > 3 ? atoi(argv[3]) : 20, argc > 4 ? atoi(argv[4]) : 0);
  stackAndGlobals();
  printf("ok\n");
  return 0;
}
