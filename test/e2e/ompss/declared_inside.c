// Reductions that functions of C declare: for their own types, with their own constants, hidden by
// inner ones.
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

struct vector {
  double x;
  int count;
};

struct total {
  long sum;
};

// Two behind one another, which are in no function.
#pragma oss declare reduction(outer : struct total : omp_out.sum += omp_in.sum)
#pragma oss declare reduction(add : struct vector : omp_out.x -= 100)

static double twice(double x) { return 2 * x; }

static void none(struct vector *v) {
  v->x = 0;
  v->count = 1;
}

static void several(const struct vector *v, int n) {
  struct vector sum = {0, 0};
  struct vector ones = {0, 1};
  struct own {
    int z;
  } own = {3};
  struct total total = {5};
  enum { ONE = 1 };
  typedef struct {
    float f[3];
  } three;
  three threes = {{1, 2, 3}};
  int most = 7;
  double complex c = 0;
  short latest[3] = {1, 2, 3};
#pragma oss declare reduction(add : struct vector : omp_out.x += omp_in.x,                         \
                              omp_out.count += omp_in.count) initializer(omp_priv = {0, 0})
#pragma oss declare reduction(add : struct own : omp_out.z += omp_in.z)
#pragma oss declare reduction(first : three : omp_out.f[0] += omp_in.f[0])                         \
    initializer(omp_priv = {{0, 0, 0}})
#pragma oss declare reduction(most : int, short : omp_out = omp_in > omp_out ? omp_in : omp_out)   \
    initializer(omp_priv = omp_orig)
#pragma oss declare reduction(plus : double complex : omp_out += omp_in) initializer(omp_priv = 0)
#pragma oss declare reduction(count : struct vector : omp_out.count += ONE * (omp_in.count - 1))   \
    initializer(none(&omp_priv))
  for (int i = 0; i < n; ++i) {
#pragma oss task reduction(add : sum, own) reduction(outer : total) reduction(plus : c) in(v[i])
    {
      sum.x += twice(v[i].x);
      sum.count++;
      own.z += i;
      total.sum += 2;
      c += i * I;
    }
#pragma oss task reduction(most : most, latest) reduction(first : threes)
    {
      most = i > most ? i : most;
      latest[i % 3] = latest[i % 3] > i ? latest[i % 3] : (short)i;
      threes.f[0] += (float)i;
    }
#pragma oss task reduction(count : ones)
    ones.count += i;
  }
#pragma oss taskwait
  printf("several %g %d %d %ld %g %d %d %d %d %g %d\n", sum.x, sum.count, own.z, total.sum, cimag(c),
         most, latest[0], latest[1], latest[2], threes.f[0], ones.count);
}

static void hidden(int n) {
  struct vector sum = {0, 0};
#pragma oss declare reduction(add : struct vector : omp_out.count += 1000)
  {
#pragma oss declare reduction(add : struct vector : omp_out.count += omp_in.count)
    for (int i = 0; i < n; ++i) {
#pragma oss task reduction(add : sum)
      sum.count += i;
    }
#pragma oss taskwait
  }
  printf("hidden %d\n", sum.count);
}

static void nested(int n) {
  struct vector *heap = calloc(4, sizeof *heap);
#pragma oss declare reduction(both : struct vector : omp_out.x += omp_in.x,                        \
                              omp_out.count += omp_in.count)
  for (int i = 0; i < n; ++i) {
#pragma oss task weakreduction(both : [4] heap)
    {
#pragma oss task reduction(both : [4] heap)
      {
        heap[i % 4].count++;
        heap[i % 4].x += i;
      }
#pragma oss task
      {
        long factorial = 1;
#pragma oss declare reduction(times : long : omp_out *= omp_in) initializer(omp_priv = 1)
#pragma oss taskloop reduction(times : factorial) grainsize(2)
        for (int k = 1; k <= 5; ++k) {
          factorial *= k;
        }
#pragma oss taskwait
        if (factorial != 120) {
          printf("wrong: %ld\n", factorial);
        }
      }
    }
  }
#pragma oss taskwait
  printf("nested %d %d %d %g\n", heap[0].count, heap[1].count, heap[3].count, heap[2].x);
  free(heap);
}

int main(void) {
  struct vector v[50];
  for (int i = 0; i < 50; ++i) {
    v[i].x = i;
    v[i].count = i;
  }
  several(v, 50);
  several(v, 3);
  hidden(20);
  nested(30);
  return 0;
}
