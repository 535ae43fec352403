// Calls of libomp that other compilers make: blocks whose bounds lie elsewhere, and reductions as
// older ones name them.
#include <omp.h>
#include <stdio.h>

struct Shared {
  int *touched;
  long *total;
};

struct Loop {
  struct Shared *shared;
  int (*routine)(int, struct Loop *);
  int part;
  int isLast;
  unsigned long long before, lower, between, upper;
  int seen;
};

struct Reduction {
  void *shared;
  size_t bytes;
  void *initialize, *finalize, *combine;
  unsigned flags;
};

int __kmpc_global_thread_num(void *place);
void *__kmpc_omp_task_alloc(void *place, int thread, int flags, size_t bytes, size_t sharedBytes,
                            int (*routine)(int, struct Loop *));
void __kmpc_taskloop(void *place, int thread, void *block, int isDeferred,
                     unsigned long long *lower, unsigned long long *upper, long long stride,
                     int hasNoGroup, int schedule, unsigned long long size, void *duplicate);
void *__kmpc_task_reduction_init(int thread, int count, void *reductions);
void *__kmpc_task_reduction_get_th_data(int thread, void *group, void *item);

static int runPart(int thread, struct Loop *loop) {
  (void)thread;
  for (long i = loop->lower; i <= (long)loop->upper; i += 3) {
    loop->shared->touched[i]++;
    loop->seen++;
  }
  __atomic_fetch_add(loop->shared->total,
                     loop->seen + (loop->before == 71 && loop->between == 72) * 1000 +
                         loop->isLast * 100000,
                     __ATOMIC_RELAXED);
  return 0;
}

static void duplicate(struct Loop *to, const struct Loop *from, int isLast) {
  to->isLast = isLast;
  to->seen = from->seen;
}

static void makeLoop(int *touched, long *total) {
  const int thread = __kmpc_global_thread_num(NULL);
  struct Loop *loop =
      __kmpc_omp_task_alloc(NULL, thread, 1, sizeof(struct Loop), sizeof(struct Shared), runPart);
  *loop->shared = (struct Shared){touched, total};
  loop->before = 71, loop->between = 72, loop->seen = 0;
  loop->lower = 2, loop->upper = 119;
  __kmpc_taskloop(NULL, thread, loop, 1, &loop->lower, &loop->upper, 3, 0, 2, 5, (void *)duplicate);
}

static void one(double *copy) { *copy = 1; }

static void multiply(double *to, const double *by) { *to *= *by; }

static void add(long *to, const long *by) { *to += *by; }

static void reduce(long *sum, double *product) {
  struct Reduction all[] = {{sum, sizeof *sum, NULL, NULL, (void *)add, 0},
                            {product, sizeof *product, (void *)one, NULL, (void *)multiply, 0}};
#pragma omp taskgroup
  {
    void *group = __kmpc_task_reduction_init(__kmpc_global_thread_num(NULL), 2, all);
    for (int i = 1; i <= 40; i++) {
#pragma omp task firstprivate(i)
      {
        const int thread = __kmpc_global_thread_num(NULL);
        long *own = __kmpc_task_reduction_get_th_data(thread, group, sum);
        *own += i;
        *(double *)__kmpc_task_reduction_get_th_data(thread, NULL, product) *= i % 2 ? 2 : 0.5;
        if (__kmpc_task_reduction_get_th_data(thread, group, own) != own) {
          *own += 1000000;
        }
      }
    }
  }
}

int main(void) {
  int touched[128] = {0};
  long total = 0, sum = 5, wrong = 0;
  double product = 3;
#pragma omp parallel
#pragma omp single
  {
    makeLoop(touched, &total);
    reduce(&sum, &product);
  }
  for (int i = 0; i < 128; i++) {
    wrong += touched[i] != (i >= 2 && i <= 119 && i % 3 == 2);
  }
  printf("%ld wrong, total %ld, sum %ld, product %g\n", wrong, total, sum, product);
}
