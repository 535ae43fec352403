// What directives move, exactly: the first argument chooses one, the second how often it is done.
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmp.h>

#define N 48
#define ROW 10

double line[N][ROW], grid[N][N];
long block[N], cyclic[N];
#pragma xmp nodes p[*]
#ifdef GRID
#pragma xmp nodes q[*][2]
#else
#pragma xmp nodes q[*][1]
#endif
#pragma xmp template t[N]
#pragma xmp template c[N]
#pragma xmp template u[N][N]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute c[cyclic] onto p
#pragma xmp distribute u[block][block] onto q
#pragma xmp align line[i][*] with t[i]
#pragma xmp align grid[i][j] with u[i][j]
#pragma xmp align block[i] with t[i]
#pragma xmp align cyclic[i] with c[i]
#pragma xmp shadow line[3][0]
#pragma xmp shadow grid[1][1]

static void automatic(int k) {
  long own[N];
#pragma xmp align own[i] with c[i]
#pragma xmp loop on c[i]
  for (int i = 0; i < N; i++) {
    own[i] = i + k;
  }
#pragma xmp gmove
  block[:] = own[:];
}

/// Descriptors that each call makes anew, and what needs a communicator or a plan.
static void all_kinds(int k) {
  long own[N][4], other[4][N], count = k, numbers[N];
#pragma xmp template v[ : ]
#pragma xmp distribute v[block] onto p
#pragma xmp template_fix v[N]
#pragma xmp align own[i][*] with v[i]
#pragma xmp align other[*][i] with v[i]
#pragma xmp shadow own[1][0]
#pragma xmp array on v[0 : N]
  own [0:N] [0:4] = k;
#pragma xmp reflect(own) width(/ periodic / 1, 0)
#pragma xmp reflect(own) width(1, 0) async(1)
#pragma xmp wait_async(1)
#pragma xmp reduce_shadow(own)
#pragma xmp bcast(count) from p[1] on p[0 : 2]
#pragma xmp reduction(+ : count)
#pragma xmp loop on v[i] reduction(max : count)
  for (int i = 0; i < N; i++) {
    count = own[i][0] > count ? own[i][0] : count;
  }
#pragma xmp task on v[N / 2 : N / 2]
  {
#pragma xmp barrier
  }
#pragma xmp gmove
  numbers[:] = own[:][2];
#pragma xmp gmove in
  numbers [0:5] = block [N - 5:5];
#pragma xmp barrier
  xmp_transpose(xmp_desc_of(other), xmp_desc_of(own), 0);
}

static void copies(void) {
#pragma xmp acc replicate(line)
  {
#pragma xmp acc replicate_sync in(line)
#pragma xmp reflect(line) acc
#pragma xmp acc replicate_sync out(line)
  }
}

static void step(const char *what, int k) {
  if (!strcmp(what, "rows")) {
#pragma xmp reflect(line)
  } else if (!strcmp(what, "narrow")) {
#pragma xmp reflect(line) width(1, 0)
  } else if (!strcmp(what, "grid")) {
#pragma xmp reflect(grid)
  } else if (!strcmp(what, "gmove")) {
#pragma xmp gmove
    cyclic[:] = block[:];
  } else if (!strcmp(what, "same")) {
#pragma xmp gmove
    block [4:20] = block [4:20];
  } else if (!strcmp(what, "task")) {
#pragma xmp task on p[0 : 2]
    {
      long sum = k;
#pragma xmp reduction(+ : sum)
#pragma xmp barrier
    }
  } else if (!strcmp(what, "kinds")) {
    all_kinds(k);
  } else if (!strcmp(what, "copies")) {
    copies();
  } else {
    automatic(k);
  }
}

int main(int argc, char **argv) {
  size_t before = 0;
#pragma xmp loop on t[i]
  for (int i = 0; i < N; i++) {
    block[i] = i;
  }
  for (int k = 0; k < atoi(argv[2]); k++) {
    step(argv[1], k);
    if (k == 99) {
      before = mallinfo2().uordblks;
    }
  }
  const size_t after = mallinfo2().uordblks;
  if (before != 0 && after > before + 65536) {
    printf("%zu bytes after 100 steps, %zu at the end\n", before, after);
    return 3;
  }
  return argc != 3;
}
