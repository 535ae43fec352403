// Functions with worksharing loops that a conducted construct calls, and others: teams that are not
// conducted, through a pointer, one thread alone, and a construct inside of another one.
#include <omp.h>
#include <stdio.h>

enum { kSize = 3000 };
double from[kSize];
double to[kSize];
double sum;

void smooth(void) {
  double weights[3];
#pragma omp for
  for (int i = 1; i < kSize - 1; i++) {
    for (int k = 0; k < 3; k++) {
      weights[k] = 0.25 + 0.25 * (k == 1);
    }
    to[i] = 0;
    for (int k = 0; k < 3; k++) {
      to[i] += weights[k] * from[i - 1 + k];
    }
  }
#pragma omp for schedule(dynamic, 7) nowait
  for (int i = 0; i < kSize; i++) {
    from[i] += i % 5;
  }
#pragma omp barrier
}

void scale(double *values, double by, int size) {
  double twice = 2 * by;
#pragma omp for schedule(static, 3)
  for (int i = 0; i < size; i++) {
    values[i] *= twice;
  }
}

void add(void) {
#pragma omp for reduction(+ : sum)
  for (long i = 0; i < kSize; i++) {
    sum += to[i];
  }
}

static void print(const char *when) {
  double all = 0;
  for (int i = 0; i < kSize; i++) {
    all += i % 7 * (from[i] + to[i]);
  }
  printf("%s %.6f %.6f\n", when, all, sum);
}

typedef void Function(void);
Function *volatile called = smooth;
Function *volatile adds = add;
void (*volatile scales)(double *, double, int) = scale;

int main(void) {
  for (int i = 0; i < kSize; i++) {
    from[i] = i % 11;
  }
  const double by = 0.5 + (from[3] - 3);
  const int size = kSize + (int)(by - 0.5);
#pragma omp parallel
  for (int t = 0; t < 4; t++) {
    smooth();
    scale(to, by + 0.25, size);
    add();
  }
  print("conducted");
#pragma omp parallel num_threads(3)
  {
    called();
    adds();
    scales(from, 0.75, kSize / 2);
  }
  print("a team");
  called();
  scales(to, 0.25, kSize);
  adds();
  print("alone");
#pragma omp parallel if (kSize < by)
  for (int t = 0; t < 2; t++) {
    smooth();
    add();
  }
  print("an if clause");
#pragma omp parallel num_threads(2)
  {
#pragma omp single
#pragma omp parallel num_threads(2)
    {
      called();
      adds();
    }
  }
  print("inside");
  return 0;
}
