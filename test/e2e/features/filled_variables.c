// Arrays that each thread has for itself, used by several loops of one construct, each of which fills them first
// or goes on with what it finds; and texts that an iteration divides into words.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kCount = 3000 };

static void report(const char *name, const double *values) {
  unsigned long hash = 7;
  for (int i = 0; i < kCount; i++) hash = hash * 1000003 + (unsigned long)(long)(values[i] * 16);
  printf("%s %lx\n", name, hash);
}

int main(void) {
  double *a = malloc(kCount * sizeof *a), *b = malloc(kCount * sizeof *b);
  for (int i = 0; i < kCount; i++) a[i] = (i * 7919L % 1013) * 0.25;

  for (int t = 0; t < 4; t++) {
    double row[5], square[3][4];
#pragma omp parallel private(row, square)
    {
#pragma omp for
      for (int i = 0; i < kCount; i++) {
        for (int m = 0; m < 5; m++) row[m] = a[i] + m;
        b[i] = row[i % 5] + row[4] - row[t];
      }
#pragma omp for schedule(static, 50)
      for (int i = 1; i < kCount - 1; i++) {
        for (int m = 0; m < 5; m++) row[m] = b[i] * m;
        for (int k = 0; k < 3; k++)
          for (int m = 0; m < 4; m++) square[k][m] = row[m] * (k + 1);
        a[i] += square[i % 3][i % 4] / 64;
      }
#pragma omp for
      for (int i = 0; i < kCount; i++) {
        for (int k = 0; k < 3; k++)
          for (int m = 0; m < 4; m++) square[k][m] = k * a[i] + m;
        row[0] = row[1] = row[2] = row[3] = row[4] = 0;
        for (int k = 0; k < 12; k++) row[k % 5] += square[k % 3][k / 3];
        b[i] = row[i % 5] / 8;
      }
    }
    report("filled", a);
    report("filled", b);
  }

  // The same thread has the same iterations of both loops.
  double kept[kCount];
#pragma omp parallel private(kept)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < kCount; i++) kept[i] = a[i] * 2;
#pragma omp for schedule(static)
    for (int i = 0; i < kCount; i++) b[i] = kept[i] + 1;
  }
  report("kept", b);

  char *lines = malloc(kCount * 40);
  for (int i = 0; i < kCount; i++) snprintf(lines + i * 40, 40, "%d,%d;%d x%d", i, i * 3, i % 7, i % 11);
#pragma omp parallel for
  for (int i = 0; i < kCount; i++) {
    char copy[40], *place;
    strcpy(copy, lines + i * 40);
    double sum = 0;
    for (char *word = strtok_r(copy, ",; x", &place); word; word = strtok_r(NULL, ",; x", &place)) sum = sum * 3 + atoi(word);
    b[i] = sum;
  }
  report("words", b);
}
