// Teams in which one thread makes tasks, in all their forms.
#include <omp.h>
#include <stdio.h>

static int count;

static void make(int n) {
  for (int i = 0; i < n; i++) {
#pragma omp task
    {
#pragma omp atomic
      count++;
    }
  }
}

static void say(const char *what) {
  printf("%s %d\n", what, count);
  count = 0;
}

int main(int argc, char **argv) {
  int first = 7;
  int other = argc;
  (void)argv;
#pragma omp parallel
#pragma omp single nowait
  make(10);
  say("nowait");
#pragma omp parallel
  {
#pragma omp master
    make(11);
  }
  say("master");
#pragma omp parallel
  {
#pragma omp masked
    {
      make(12);
#pragma omp taskwait
      count += count == 12 ? 100 : 0;
    }
  }
  say("masked");
#pragma omp parallel masked
  make(13);
  say("parallel masked");
#pragma omp parallel firstprivate(first) private(other)
  {
    other = first * 2;
#pragma omp single
    make(first + other);
#pragma omp single
    count += count == 21 ? 100 : 0;
#pragma omp barrier
#pragma omp master
    make(5);
#pragma omp barrier
#pragma omp master
    count += count == 126 ? 1000 : 0;
  }
  say("several");
#pragma omp parallel
  for (int round = 0; round < 10; round++) {
#pragma omp single
    {
      count += count % 10 == 0 ? 0 : 100000;
      make(10);
    }
  }
  say("rounds");
#pragma omp parallel if (argc > 5)
#pragma omp single
  make(14);
  say("alone");
  for (int i = 0; i < 50; i++) {
#pragma omp parallel num_threads(1 + i % 3)
#pragma omp single
    make(i);
  }
  say("many");
  return 0;
}
