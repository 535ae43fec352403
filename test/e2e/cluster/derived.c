/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks over the program's own memory, which may go to any rank because the compiler knows what their code
   touches; some name more than they touch, or less. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBlocks = 8, kBlock = 700, kCells = kBlocks * kBlock, kSide = 24, kTiles = 3 };

static double table[64];
static int rounds = 3, width = 5;
static double tiles[kTiles][kTiles][kSide][kSide];

struct Pair {
  int first;
  double second;
};

static void stencil(double *a, double *b) {
  for (int step = 0; step < rounds; step++) {
    for (int k = 0; k < kBlocks; k++) {
      int first = k == 0 ? 1 : k * kBlock, last = k == kBlocks - 1 ? kCells - 1 : (k + 1) * kBlock;
#pragma oss task in(a[first - 1;last - first + 2]) out(b[first;last - first])
      for (int i = first; i < last; i++) b[i] = a[i - 1] * 0.25 + a[i] * 0.5 + a[i + 1] * 0.25;
    }
    double *other = a;
    a = b, b = other;
  }
}

#pragma oss task in([kSide][kSide]a, [kSide][kSide]b) inout([kSide][kSide]c)
static void multiply(double (*a)[kSide], double (*b)[kSide], double (*c)[kSide]) {
  for (int i = 0; i < kSide; i++)
    for (int j = 0; j < kSide; j++)
      for (int k = 0; k < kSide; k++) c[i][j] += a[i][k] * b[k][j];
}

/* Tiles of one matrix, in rows that are apart. */
static void in_place(double *m, int n, int tile) {
  for (int i = 0; i + tile <= n; i += tile)
    for (int j = 0; j + tile <= n; j += tile) {
      double (*rows)[n] = (double (*)[n])m;
#pragma oss task inout(rows[i;tile][j;tile])
      for (int y = i; y < i + tile; y++)
        for (int x = j; x < j + tile; x++) rows[y][x] = rows[y][x] * 2 + y - x;
    }
}

/* What is written in part keeps the rest; what is first read and then written is not only written. */
static void parts(double *m) {
  for (int k = 0; k < kBlocks; k++) {
#pragma oss task out(m[k * kBlock;kBlock])
    for (int i = k * kBlock; i < (k + 1) * kBlock; i += 2) m[i] = i;
  }
  for (int k = 0; k < kBlocks; k++) {
#pragma oss task out(m[k * kBlock;kBlock])
    for (int i = k * kBlock; i < (k + 1) * kBlock; i++) m[i] = m[i] + 1;
  }
  for (int k = 0; k < kBlocks; k++) {
    int limit = k * kBlock + 333;
#pragma oss task out(m[k * kBlock;kBlock])
    for (int i = k * kBlock; i < (k + 1) * kBlock; i++)
      if (i < limit) m[i] = -i;
  }
}

/* Order by one cell: what lies beside it is read without being named, or written. */
static void sentinels(double *m, double *sums) {
  for (int k = 0; k < kBlocks; k++) {
    double *own = m + k * kBlock;
#pragma oss task inout(own[0])
    for (int i = 0; i < kBlock; i++) own[i] += k;
#pragma oss task in(own[0]) out(sums[k])
    {
      double sum = 0;
      for (int i = 0; i < kBlock; i++) sum += own[i];
      sums[k] = sum;
    }
  }
}

/* How far a task goes stands in memory that tasks before it write. */
static void lengths(double *m, int *length) {
  for (int k = 0; k < kBlocks; k++) {
#pragma oss task inout(*length)
    *length += 17;
#pragma oss task in(*length) inout(m[k * kBlock;kBlock])
    for (int i = 0; i < *length; i++) m[k * kBlock + i] += *length;
#pragma oss task inout(width) in(m[k * kBlock])
    width += m[k * kBlock] > 0;
#pragma oss task in(width) inout(m[k * kBlock;kBlock])
    for (int i = 0; i < width; i++) m[k * kBlock + i] -= width;
  }
}

/* Copies with signs, wherever in the block they lie. */
static void signs(double *m) {
  double *end = m + kCells;
  for (int k = 1; k <= kBlocks; k++) {
    int a = -k * kBlock, b = a + 7, c = b + 5, d = c + 100;
    long e = a + 300, f = e + 50;
#pragma oss task inout(end[a;kBlock])
    {
      for (int i = a; i < b; i++) end[i] += 1;
      for (int i = c; i < d; i++) end[i] -= 2;
      for (long i = e; i < f; i++) end[i] *= 1.5;
    }
  }
}

static void counting(double *m, double *sum, double *most) {
  for (int k = 0; k < kBlocks; k++) {
#pragma oss task in(m[k * kBlock;kBlock]) reduction(+: [1]sum) reduction(max: [1]most)
    for (int i = k * kBlock; i < (k + 1) * kBlock; i++) {
      sum[0] += m[i];
      if (m[i] > most[0]) most[0] = m[i];
    }
  }
}

int main(void) {
  double *a = malloc(kCells * sizeof *a), *b = malloc(kCells * sizeof *b), *m = malloc(kCells * sizeof *m);
  double sums[kBlocks] = {0}, sum = 1, most = -1;
  int length = 3;
  struct Pair pair[4] = {{0, 0}};
  for (int i = 0; i < kCells; i++) a[i] = b[i] = sin(i), m[i] = i % 100;
  for (int i = 0; i < 64; i++) table[i] = i * 0.5;
  for (int i = 0; i < kTiles * kTiles * kSide * kSide; i++) ((double *)tiles)[i] = i % 7;
  stencil(a, b);
  for (int i = 0; i < kTiles; i++)
    for (int j = 0; j < kTiles; j++)
      if (i != j) multiply(tiles[i][i], tiles[j][j], tiles[i][j]);
  in_place(m, 70, 10);
#pragma oss taskwait
  parts(m);
  sentinels(m, sums);
#pragma oss taskwait
  lengths(m, &length);
  signs(m);
  counting(m, &sum, &most);
#pragma oss taskloop inout(b[i]) grainsize(512)
  for (int i = 0; i < kCells; i++) b[i] += table[i & 63];
  for (int k = 0; k < 4; k++) {
    struct Pair by = {k, k * 0.5};
    double local[16];
    for (int i = 0; i < 16; i++) local[i] = i * k;
#pragma oss task inout(pair[k]) firstprivate(by, local)
    {
      by.first += 3;
      pair[k].first = by.first;
      for (int i = 0; i < 16; i++) local[i] += by.second, pair[k].second += local[i];
    }
#pragma oss task commutative(pair[0].first) in(pair[k].second)
    pair[0].first += (int)pair[k].second;
  }
#pragma oss taskwait
  double all = 0;
  for (int i = 0; i < kCells; i++) all += a[i] * (i % 3) + b[i] * (i % 5) + m[i] * (i % 7);
  for (int i = 0; i < kTiles * kTiles * kSide * kSide; i++) all += ((double *)tiles)[i] * (i % 3);
  for (int k = 0; k < kBlocks; k++) all += sums[k] * k;
  for (int k = 0; k < 4; k++) all += pair[k].first + pair[k].second;
  printf("%.10g %.10g %g %d %d\n", all, sum, most, length, width);
  free(a), free(b), free(m);
}
