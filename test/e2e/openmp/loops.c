// Loops of tasks.
#include <omp.h>
#include <stdio.h>

enum { N = 1000 };

static int fewest(const int *sizes, int n) {
  int least = N;
  for (int i = 0; i < n; i++) {
    least = sizes[i] < least ? sizes[i] : least;
  }
  return least;
}

// How a loop is divided, found out by how often a private variable is made.
static void sizes(void) {
  int of[N] = {0};
  int tasks = 0;
  int total = 0;
#pragma omp parallel
#pragma omp single
  {
    int number = -1;
#pragma omp taskloop grainsize(30) firstprivate(number)
    for (int i = 0; i < N; i++) {
      if (number < 0) {
#pragma omp atomic capture
        number = tasks++;
      }
      of[number]++;
    }
    for (int i = 0; i < tasks; i++) {
      total += of[i];
    }
    printf("grainsize %d %d %d\n", tasks, total, fewest(of, tasks) >= 30);
  }
  for (int i = 0; i < N; i++) {
    of[i] = 0;
  }
  tasks = 0;
#pragma omp parallel
#pragma omp single
  {
    int number = -1;
#pragma omp taskloop num_tasks(7) firstprivate(number)
    for (int i = 0; i < N; i++) {
      if (number < 0) {
#pragma omp atomic capture
        number = tasks++;
      }
      of[number]++;
    }
    printf("num_tasks %d %d\n", tasks, fewest(of, tasks));
  }
  tasks = 0;
#pragma omp parallel
#pragma omp single
  {
    int number = -1;
#pragma omp taskloop grainsize(strict : 300) firstprivate(number)
    for (int i = 0; i < N; i++) {
      if (number < 0) {
#pragma omp atomic capture
        number = tasks++;
      }
    }
    printf("strict grainsize %d\n", tasks);
    tasks = 0;
#pragma omp taskloop num_tasks(strict : 300) firstprivate(number)
    for (int i = 0; i < N; i++) {
      if (number < 0) {
#pragma omp atomic capture
        number = tasks++;
      }
    }
    printf("strict num_tasks %d\n", tasks);
  }
}

static void shapes(long none) {
  int a[20][30] = {{0}};
  long sum = 0;
  int last = -1;
  unsigned char small[200] = {0};
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop collapse(2) grainsize(7)
    for (int i = 0; i < 20; i++) {
      for (int j = 29; j >= 0; j -= 2) {
        a[i][j] = i * 100 + j;
      }
    }
#pragma omp taskloop lastprivate(last) num_tasks(5)
    for (int i = 10; i < 100; i += 3) {
      last = i;
    }
#pragma omp taskloop
    for (unsigned char i = 0; i < 200; i++) {
      small[i] += i;
    }
#pragma omp taskloop grainsize(1)
    for (long i = 0; i < none; i++) {
      last = -7;
    }
#pragma omp taskloop
    for (unsigned i = 5; i < (unsigned)none; i++) {
      last = -8;
    }
#pragma omp taskloop
    for (int i = 5; i > 5 + (int)none; i--) {
      last = -9;
    }
  }
  for (int i = 0; i < 20; i++) {
    for (int j = 0; j < 30; j++) {
      sum = sum * 3 % 1000003 + a[i][j];
    }
  }
  for (int i = 0; i < 200; i++) {
    sum += small[i] * i;
  }
  printf("shapes %ld %d\n", sum, last);
}

static void clauses(int yes) {
  int a[N] = {0};
  long sum = 0;
  long product = 1;
  int most = 0;
  int inOrder = 1;
  int before = -1;
  int finals = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop reduction(+ : sum) reduction(max : most) grainsize(10)
    for (int i = 0; i < N; i++) {
      sum += i;
      most = i * 7 % N > most ? i * 7 % N : most;
    }
#pragma omp taskgroup task_reduction(* : product)
    {
#pragma omp taskloop in_reduction(* : product) nogroup
      for (int i = 1; i < 10; i++) {
        product *= i;
      }
    }
#pragma omp taskloop if (!yes)
    for (int i = 0; i < N; i++) {
      inOrder &= i == before + 1;
      before = i;
    }
#pragma omp taskloop final(yes) grainsize(100)
    for (int i = 0; i < N; i += 100) {
#pragma omp atomic
      finals += omp_in_final();
#pragma omp task shared(finals)
      {
#pragma omp atomic
        finals += omp_in_final();
      }
    }
#pragma omp taskloop nogroup
    for (int i = 0; i < N; i++) {
      a[i] = i;
    }
#pragma omp taskwait
    for (int i = 0; i < N; i++) {
      sum += a[i];
    }
#pragma omp taskloop priority(3) untied
    for (int i = 0; i < N; i++) {
      a[i]++;
    }
    for (int i = 0; i < N; i++) {
      sum += a[i];
    }
  }
  printf("clauses %ld %ld %d %d %d\n", sum, product, most, inOrder, finals);
}

int main(int argc, char **argv) {
  (void)argv;
  sizes();
  shapes(argc - 1);
  clauses(argc);
  return 0;
}
