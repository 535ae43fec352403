// Thread-private variables of a construct that is executed often: what they hold outlives the
// change from rows to the variables themselves, once rows were in vain for long enough.
#include <stdio.h>

enum { kSize = 1000, kTimes = 40 };

static int own[8];
#pragma omp threadprivate(own)
static long out[kSize];

static void construct(int size, int time) {
#pragma omp parallel
  {
    own[0] += 1;
#pragma omp for
    for (int i = 0; i < size; i++) {
      own[1] = i % 17;
      out[i] += own[1] * time + (own[0] == time + 1);
    }
  }
}

int main(void) {
  for (int time = 0; time < kTimes; time++) {
    construct(kSize, time);
  }
  long sum = 0;
  for (int i = 0; i < kSize; i++) {
    sum += out[i] * (i % 3 + 1);
  }
  int isComplete = 1;
#pragma omp parallel reduction(&& : isComplete)
  isComplete = isComplete && own[0] == kTimes;
  printf("%ld %d\n", sum, isComplete);
  return 0;
}
