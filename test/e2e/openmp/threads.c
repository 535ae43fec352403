// What tasks may ask of their threads and teams, and constructs inside of tasks.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 400 };

static void numbers(void) {
  int most = omp_get_max_threads();
  long *sums = calloc(most, sizeof *sums);
  long total = 0;
  int wrong = 0;
#pragma omp parallel
#pragma omp single
  {
    wrong += omp_get_num_threads() != most;
    for (int i = 0; i < N; i++) {
#pragma omp task shared(wrong)
      {
        int number = omp_get_thread_num();
        if (number < 0 || number >= most || omp_get_num_threads() != most ||
            omp_in_parallel() != (most > 1) || omp_get_level() != 1 || omp_in_final() ||
            omp_get_team_size(1) != most || omp_get_ancestor_thread_num(1) != number) {
#pragma omp atomic
          wrong++;
        } else {
          sums[number] += i; // Nobody else has this number meanwhile.
        }
      }
    }
  }
  for (int i = 0; i < most; i++) {
    total += sums[i];
  }
  free(sums);
  printf("numbers %ld %d\n", total, wrong);
}

static void asked(void) {
  int threads[3] = {0};
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    threads[0] = omp_get_num_threads();
#pragma omp task shared(threads)
    threads[1] = omp_get_num_threads();
  }
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp task shared(threads)
  threads[2] = omp_get_num_threads();
  printf("asked %d %d %d\n", threads[0], threads[1], threads[2]);
}

static void sections(void) {
  long sums[20] = {0};
  int counts[3] = {0}; // One for each lock: they do not exclude each other.
  long total = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task shared(sums, counts)
    {
      long sum = 0;
#pragma omp parallel for reduction(+ : sum)
      for (int k = 0; k < 1000; k++) {
        sum += k * i;
      }
      sums[i] = sum;
#pragma omp critical
      counts[0]++;
#pragma omp critical(named)
      counts[1]++;
#pragma omp atomic
      counts[2]++;
    }
  }
  for (int i = 0; i < 20; i++) {
    total += sums[i];
  }
  printf("constructs %ld %d %d %d\n", total, counts[0], counts[1], counts[2]);
}

// Tasks of a region inside of a task are that region's.
static void inside(void) {
  int counts[10] = {0};
  int levels = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task shared(counts, levels)
    {
#pragma omp parallel num_threads(2)
#pragma omp single
      {
        for (int k = 0; k < 5; k++) {
#pragma omp task shared(counts)
          {
#pragma omp atomic
            counts[i]++;
          }
        }
#pragma omp taskwait
#pragma omp atomic
        levels += omp_get_level();
        for (int k = 0; k < 5; k++) {
#pragma omp task shared(counts)
          {
#pragma omp atomic
            counts[i]++;
          }
        }
      }
#pragma omp atomic
      levels += counts[i];
#pragma omp task shared(levels)
      {
#pragma omp atomic
        levels++;
      }
    }
  }
  printf("inside %d\n", levels);
}

static int own = 3;
#pragma omp threadprivate(own)

// What each thread of one region has written to its own variable is there in tasks of the next.
static void kept(void) {
  int wrong = 0;
  omp_set_dynamic(0);
#pragma omp parallel
  own = 100 + omp_get_thread_num();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < N; i++) {
#pragma omp task shared(wrong)
    if (own != 100 + omp_get_thread_num()) {
#pragma omp atomic
      wrong++;
    }
  }
  printf("kept %d\n", wrong);
}

int main(void) {
  numbers();
  asked();
  sections();
  inside();
  kept();
  return 0;
}
