// Many tasks: ready at once, one after the other, inside of one another. They take bounded memory,
// which they do not with libomp, so the program checks itself.
#include <stdio.h>

enum { N = 300000, DEPTH = 50000, MOST_MEGABYTES = 200 };

static long deep(long n) {
  long below = 0;
  if (n > 0) {
#pragma omp task shared(below)
    below = deep(n - 1);
#pragma omp taskwait
  }
  return below + 1;
}

// The most that this program has had in memory. getrusage() says what the one that started it had, if that was more.
static long kilobytes(void) {
  char line[256];
  long most = -1;
  FILE *status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %ld", &most);
  fclose(status);
  return most;
}

int main(void) {
  long ready = 0;
  long chained = 0;
  long depth = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < N; i++) {
#pragma omp task shared(ready)
      {
#pragma omp atomic
        ready++;
      }
    }
#pragma omp taskwait
    for (int i = 0; i < N; i++) {
#pragma omp task depend(inout : chained) shared(chained)
      chained++;
    }
#pragma omp taskwait
    depth = deep(DEPTH);
  }
  const long most = kilobytes();
  printf("many %ld %ld %ld %d\n", ready, chained, depth, most > 0 && most < MOST_MEGABYTES * 1024);
  return 0;
}
