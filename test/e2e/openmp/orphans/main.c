// Tasks that functions of other files make.
#include <stdio.h>

#include "fib.h"

int main(void) {
  int inside = 0;
  int outside = fib(12);
#pragma omp parallel
#pragma omp single
  inside = fib(18);
  printf("%d %d %d\n", inside, outside, fib(3));
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
      fibs(20);
    }
    printf("%d\n", total());
  }
  return 0;
}
