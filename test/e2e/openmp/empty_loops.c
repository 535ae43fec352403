// Loops of tasks without iterations, which take no time. libomp makes 2^32 tasks of some of these,
// so the program checks itself.
#include <stdio.h>

int main(int argc, char **argv) {
  int none = argc - 1;
  int turns = 0;
  (void)argv;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < none; i++) {
      turns++;
    }
#pragma omp taskloop grainsize(1)
    for (unsigned i = 0; i < (unsigned)none; i++) {
      turns++;
    }
#pragma omp taskloop grainsize(1)
    for (unsigned long i = 3; i < (unsigned long)none; i++) {
      turns++;
    }
#pragma omp taskloop grainsize(1) collapse(2)
    for (unsigned i = 0; i < 10; i++) {
      for (unsigned k = 0; k < (unsigned)none; k++) {
        turns++;
      }
    }
#pragma omp task shared(turns)
    turns += 100;
  }
  printf("empty %d\n", turns);
  return 0;
}
