// One thread runs what has the highest priority first, where OMP_MAX_TASK_PRIORITY allows for it.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int order[20];
  int n = 0;
  int inOrder = 1;
#pragma omp parallel num_threads(1)
#pragma omp single
  {
    for (int i = 0; i < 20; i++) {
#pragma omp task priority((i * 7) % 20 + 1) shared(n) if (1)
      order[n++] = (i * 7) % 20 + 1;
    }
  }
  for (int i = 1; i < n; i++) {
    inOrder &= order[i] < order[i - 1];
  }
  for (int i = 0; i < 200; i++) { // So many that a queue is worth its name.
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp task priority(i)
    n++;
  }
  printf("priorities %d %d\n", n, omp_get_max_task_priority() == 0 || inOrder);
  return 0;
}
