// Teams that stay with libomp: tasks are made by all of their threads, or they do other things.
#include <omp.h>
#include <stdio.h>

static int fib(int n) {
  int x;
  int y;
  if (n < 2) {
    return n;
  }
#pragma omp task shared(x)
  x = fib(n - 1);
#pragma omp task shared(y)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}

int main(void) {
  int counts[4] = {0};
  int results[2];
  int copied = 0;
  int sum = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp task shared(counts)
    {
#pragma omp atomic
      counts[0]++;
    }
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(counts)
      {
#pragma omp atomic
        counts[1]++;
      }
    }
  }
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    results[0] = fib(10);
#pragma omp section
    results[1] = fib(11);
  }
#pragma omp parallel num_threads(2) reduction(+ : copied)
  {
    int mine;
#pragma omp single copyprivate(mine)
    {
      mine = 4;
#pragma omp task shared(counts)
      counts[2] = 1;
    }
    copied += mine;
  }
#pragma omp parallel num_threads(2) reduction(task, + : sum)
  {
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp atomic
    counts[3]++;
#pragma omp single
    results[0] += fib(8);
  }
#pragma omp task shared(sum)
  sum++;
  printf("%d %d %d %d %d %d %d %d\n", counts[0], counts[1], counts[2], counts[3], results[0],
         results[1], copied, sum + fib(5));
  return 0;
}
