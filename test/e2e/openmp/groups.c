// Groups of tasks: waiting for descendants, and what they reduce.
#include <omp.h>
#include <stdio.h>

typedef struct {
  double least;
  int at;
} Least;

static void takeLess(Least *to, const Least *from) {
  if (from->least < to->least || (from->least == to->least && from->at < to->at)) {
    *to = *from;
  }
}

#pragma omp declare reduction(less:Least : takeLess(&omp_out, &omp_in))                            \
    initializer(omp_priv = (Least){1e300, -1})

static int counted;

static void tree(int depth) {
#pragma omp task
  {
    if (depth > 0) {
      tree(depth - 1);
      tree(depth - 1);
    }
#pragma omp atomic
    counted++;
  }
}

static void descendants(void) {
  int inside = 0;
#pragma omp parallel
#pragma omp single
  {
    tree(3);
#pragma omp taskgroup
    {
#pragma omp taskgroup
      {
        tree(6);
      }
#pragma omp atomic read
      inside = counted;
      tree(5);
    }
#pragma omp taskwait
  }
  printf("descendants %d %d\n", inside >= 127, counted);
}

static long sumOf(int first, int last) {
  long sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  {
    for (int i = first; i < last; i++) {
#pragma omp task in_reduction(+ : sum)
      {
        sum += i;
#pragma omp task in_reduction(+ : sum)
        sum += 1;
      }
    }
  }
  return sum;
}

static void reductions(void) {
  long sum = 5;
  int array[4] = {1, 2, 3, 4};
  Least least = {1e9, 1000};
  double values[200];
  for (int i = 0; i < 200; i++) {
    values[i] = (i * 37 + 11) % 200;
  }
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum, array) task_reduction(less : least)
    {
      for (int i = 0; i < 200; i++) {
#pragma omp task in_reduction(+ : sum) in_reduction(+ : array) in_reduction(less : least)
        {
          sum += i;
          array[i % 4] += i;
          Least mine = {values[i], i};
          takeLess(&least, &mine);
        }
      }
#pragma omp task in_reduction(+ : sum)
      {
#pragma omp taskgroup task_reduction(+ : array[0 : 2])
        {
          for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : array[0 : 2]) in_reduction(+ : sum)
            {
              sum += 100;
            }
          }
        }
      }
    }
#pragma omp task shared(sum)
    {
      long more = sumOf(0, 100);
#pragma omp atomic
      sum += more;
    }
  }
  printf("reductions %ld %d %d %d %d %g %d\n", sum, array[0], array[1], array[2], array[3],
         least.least, least.at);
}

// Without OMP_CANCELLATION nothing is cancelled; with it nothing is begun once it is.
static void cancels(void) {
  int found = -1;
  int begun = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (int i = 0; i < 1000; i++) {
#pragma omp task shared(found, begun)
        {
#pragma omp cancellation point taskgroup
#pragma omp atomic
          begun++;
          if (i == 500) {
#pragma omp atomic write
            found = i;
#pragma omp cancel taskgroup
          }
        }
      }
    }
#pragma omp task shared(begun)
    {
#pragma omp atomic
      begun++;
    }
  }
  printf("cancels %d %d\n", found, omp_get_cancellation() ? begun <= 1001 : begun == 1001);
}

int main(void) {
  descendants();
  reductions();
  cancels();
  return 0;
}
