// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of several kinds, for choices of places: each prints its name, the milliseconds of one
// round after it has settled, and a number to compare.
//
//   loops [name] [seconds]     all loops, or one; about so many seconds each (2)
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kOptions = 4000000, kPixels = 2048, kBodies = 20000, kSide = 256, kParticles = 4000000 };

typedef struct {
  float x, y, z, u, v, w, mass, charge;
} Particle;

static float *prices, *strikes, *years, *calls;
static int *image;
static float *posX, *posY, *posZ, *velX, *velY, *velZ;
static double *grid, *next;
static Particle *particles;
static double *streamA, *streamB, *streamC;

static void options_round(void) {
#pragma omp parallel for
  for (int i = 0; i < kOptions; ++i) {
    const float s = prices[i], k = strikes[i], t = years[i], r = 0.02f, v = 0.3f;
    const float root = sqrtf(t);
    const float d1 = (logf(s / k) + (r + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
    calls[i] =
        s * 0.5f * erfcf(-d1 * 0.70710678f) - k * expf(-r * t) * 0.5f * erfcf(-d2 * 0.70710678f);
  }
}

static void mandelbrot_round(void) {
#pragma omp parallel for
  for (int row = 0; row < kPixels; ++row) {
    for (int column = 0; column < kPixels; ++column) {
      const double cx = -2.0 + 2.6 * column / kPixels, cy = -1.3 + 2.6 * row / kPixels;
      double x = 0, y = 0;
      int steps = 0;
      while (steps < 256 && x * x + y * y < 4) {
        const double nx = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = nx;
        ++steps;
      }
      image[row * kPixels + column] = steps;
    }
  }
}

static void nbody_round(void) {
#pragma omp parallel for
  for (int i = 0; i < kBodies; ++i) {
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < kBodies; ++j) {
      const float dx = posX[j] - posX[i], dy = posY[j] - posY[i], dz = posZ[j] - posZ[i];
      const float square = dx * dx + dy * dy + dz * dz + 1e-3f;
      const float inverse = 1.0f / sqrtf(square);
      const float scale = inverse * inverse * inverse;
      ax += dx * scale;
      ay += dy * scale;
      az += dz * scale;
    }
    velX[i] += 1e-9f * ax;
    velY[i] += 1e-9f * ay;
    velZ[i] += 1e-9f * az;
  }
#pragma omp parallel for
  for (int i = 0; i < kBodies; ++i) {
    posX[i] += velX[i];
    posY[i] += velY[i];
    posZ[i] += velZ[i];
  }
}

static void stencil_round(void) {
  const long plane = (long)kSide * kSide;
#pragma omp parallel for
  for (int z = 1; z < kSide - 1; ++z) {
    for (int y = 1; y < kSide - 1; ++y) {
      for (int x = 1; x < kSide - 1; ++x) {
        double sum = 0;
        for (int dz = -1; dz <= 1; ++dz) {
          for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) {
              sum += grid[(z + dz) * plane + (y + dy) * kSide + x + dx];
            }
          }
        }
        next[z * plane + y * kSide + x] = sum / 27;
      }
    }
  }
  double *const swapped = grid;
  grid = next;
  next = swapped;
}

static void structures_round(void) {
#pragma omp parallel for
  for (int i = 0; i < kParticles; ++i) {
    Particle *const p = &particles[i];
    p->x += 1e-3f * p->u;
    p->y += 1e-3f * p->v;
    p->z += 1e-3f * p->w;
    p->u -= 1e-3f * p->x * p->charge / p->mass;
    p->v -= 1e-3f * p->y * p->charge / p->mass;
    p->w -= 1e-3f * p->z * p->charge / p->mass;
  }
}

static void triad_round(void) {
#pragma omp parallel for
  for (int i = 0; i < kOptions * 4; ++i) {
    streamA[i] = streamB[i] + 0.5 * streamC[i];
  }
}

static void triangle_round(void) {
#pragma omp parallel for
  for (int i = 0; i < kBodies; ++i) {
    float sum = 0;
    for (int j = 0; j < i; ++j) {
      sum += posX[j] * posY[i] + 0.5f * posZ[j];
    }
    velX[i] = sum;
  }
}

static void *array(long count, size_t size) {
  void *const memory = malloc((size_t)count * size);
  if (!memory) {
    fprintf(stderr, "loops: no memory\n");
    exit(1);
  }
  memset(memory, 0, (size_t)count * size);
  return memory;
}

static void prepare(void) {
  prices = array(kOptions, 4), strikes = array(kOptions, 4), years = array(kOptions, 4);
  calls = array(kOptions, 4);
  image = array((long)kPixels * kPixels, 4);
  posX = array(kBodies, 4), posY = array(kBodies, 4), posZ = array(kBodies, 4);
  velX = array(kBodies, 4), velY = array(kBodies, 4), velZ = array(kBodies, 4);
  grid = array((long)kSide * kSide * kSide, 8), next = array((long)kSide * kSide * kSide, 8);
  particles = array(kParticles, sizeof(Particle));
  streamA = array(kOptions * 4L, 8), streamB = array(kOptions * 4L, 8);
  streamC = array(kOptions * 4L, 8);
#pragma omp parallel for
  for (int i = 0; i < kOptions; ++i) {
    prices[i] = 10 + i % 90, strikes[i] = 5 + i % 95, years[i] = 0.25f + 0.1f * (i % 100);
  }
#pragma omp parallel for
  for (int i = 0; i < kBodies; ++i) {
    posX[i] = i % 31 * 0.1f, posY[i] = i % 37 * 0.1f, posZ[i] = i % 41 * 0.1f;
  }
#pragma omp parallel for
  for (long i = 0; i < (long)kSide * kSide * kSide; ++i) {
    grid[i] = next[i] = (double)(i % 101);
  }
#pragma omp parallel for
  for (int i = 0; i < kParticles; ++i) {
    particles[i] = (Particle){i % 7, i % 11, i % 13, 1, 2, 3, 1.5f, 0.25f};
  }
#pragma omp parallel for
  for (int i = 0; i < kOptions * 4; ++i) {
    streamB[i] = i % 3, streamC[i] = i % 5;
  }
}

typedef struct {
  const char *name;
  void (*round)(void);
} Loop;

/// Waits for what is under way on all places.
static double touch(void) {
  double sum = 0;
  for (long part = 0; part < 64; ++part) {
    sum += calls[part * (kOptions / 64) + 1] + image[part * ((long)kPixels * kPixels / 64) + 1] +
           velX[part * (kBodies / 64) + 1] + next[part * ((long)kSide * kSide * kSide / 64) + 1] +
           particles[part * (kParticles / 64) + 1].x + streamA[part * (kOptions / 16) + 1];
  }
  return sum;
}

static volatile double touched;

int main(int argc, char **argv) {
  const Loop loops[] = {{"options", options_round},       {"mandelbrot", mandelbrot_round},
                        {"nbody", nbody_round},           {"stencil27", stencil_round},
                        {"structures", structures_round}, {"triad", triad_round},
                        {"triangle", triangle_round}};
  const double seconds = argc > 2 ? atof(argv[2]) : 2;
  prepare();
  for (size_t loop = 0; loop < sizeof loops / sizeof *loops; ++loop) {
    if (argc > 1 && strcmp(argv[1], "all") != 0 && strcmp(argv[1], loops[loop].name) != 0) {
      continue;
    }
    double begin = omp_get_wtime();
    long rounds = 0, many = 1;
    double last = 0, before = 0;
    while (omp_get_wtime() - begin < seconds || rounds < 40) {
      const double from = omp_get_wtime();
      for (long round = 0; round < many; ++round) {
        loops[loop].round();
      }
      touched = touch();
      const double took = omp_get_wtime() - from;
      rounds += many;
      before = last;
      last = took / (double)many;
      if (took < 0.2 * seconds / 4 && many < 1000000) {
        many *= 2;
      }
    }
    printf("%-12s %10.4f ms %ld rounds\n", loops[loop].name,
           1e3 * (before > 0 && before < last ? before : last), rounds);
    fflush(stdout);
  }
  return 0;
}
