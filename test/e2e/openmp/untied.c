// Untied tasks. libomp fails on some of these, so the program checks itself.
#include <stdio.h>

static int fib(int n) {
  int x = 0;
  int y = 0;
  if (n < 2) {
    return n;
  }
#pragma omp task untied shared(x)
  {
    int part = fib(n - 1);
#pragma omp taskyield
    x = part;
  }
#pragma omp task untied shared(y) if (n > 6)
  {
    int before = n;
#pragma omp task untied shared(y)
    y = fib(n - 2);
#pragma omp taskwait
    y += before - n;
  }
#pragma omp taskwait
  return x + y;
}

int main(void) {
  int result = 0;
  int copies = 0;
#pragma omp parallel
#pragma omp single
  {
    result = fib(16);
#pragma omp taskloop untied firstprivate(result) grainsize(10)
    for (int i = 0; i < 1000; i++) {
      int mine = result + i;
#pragma omp task shared(copies) firstprivate(mine)
      {
#pragma omp atomic
        copies += mine == result + i;
      }
#pragma omp taskyield
    }
  }
  printf("untied %d %d\n", result, copies);
  return 0;
}
