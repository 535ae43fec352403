// Loops whose iterations make the same tasks again, or nearly the same.
#include <cstdio>
#include <utility>
#include <vector>

static unsigned mix(unsigned a, unsigned b) { return a * 31 + b; }

static unsigned sum(const unsigned *a, int n) {
  unsigned all = 0;
  for (int i = 0; i < n; i++) {
    all = mix(all, a[i]);
  }
  return all;
}

// Rows that need their neighbours, of this iteration above and of the one before below.
static void rows(int steps) {
  static unsigned a[12][16];
  for (int i = 0; i < 12; i++) {
    a[i][0] = i + 1;
  }
#pragma oss taskiter
  for (int step = 0; step < steps; step++) {
    for (int i = 1; i < 11; i++) {
#pragma oss task in(a[i - 1], a[i + 1]) inout(a[i])
      for (int j = 0; j < 16; j++) {
        a[i][j] = mix(a[i][j], a[i - 1][j] + 3 * a[i + 1][(j + 1) % 16]);
      }
    }
  }
#pragma oss taskwait
  std::printf("rows %u\n", sum(a[0], 12 * 16));
}

// Tiles of a matrix, with borders of their neighbours.
static void tiles(int steps) {
  static unsigned a[18][18];
  for (int i = 0; i < 18; i++) {
    a[i][i] = i;
  }
#pragma oss taskiter
  for (int step = 0; step < steps; step++) {
    for (int i = 1; i < 17; i += 4) {
      for (int j = 1; j < 17; j += 4) {
#pragma oss task in(a[i - 1; 1][j; 4], a[i + 4; 1][j; 4], a[i; 4][j - 1], a[i; 4][j + 4])          \
    inout(a[i; 4][j; 4])
        for (int k = i; k < i + 4; k++) {
          for (int l = j; l < j + 4; l++) {
            a[k][l] = mix(a[k][l], a[k - 1][l] + a[k + 1][l] + a[k][l - 1] + a[k][l + 1]);
          }
        }
      }
    }
#pragma oss task inout(a)
    a[0][0] = sum(a[0], 18 * 18);
  }
#pragma oss taskwait
  std::printf("tiles %u\n", sum(a[0], 18 * 18));
}

// Two buffers change places; iterations are alike in pairs.
static void buffers(int steps) {
  unsigned from[40], to[40];
  for (int i = 0; i < 40; i++) {
    from[i] = i, to[i] = 0;
  }
  unsigned *a = from, *b = to;
#pragma oss taskiter shared(from, to)
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < 40; i += 8) {
#pragma oss task in(a[i; 8], a[(i + 8) % 40]) out(b[i; 8])
      for (int k = i; k < i + 8; k++) {
        b[k] = mix(a[k], a[(k + 1) % 40]);
      }
    }
    std::swap(a, b);
  }
#pragma oss taskwait
  std::printf("buffers %u\n", mix(sum(from, 40), sum(to, 40)));
}

// Tasks that leave the memory to their children, give parts of it back, or end before their
// children.
static void nested(int steps) {
  static unsigned a[32], early;
  for (int i = 0; i < 32; i++) {
    a[i] = i;
  }
#pragma oss task weakinout(a) inout(early)
  {
    early++;
#pragma oss taskiter weakinout(a)
    for (int step = steps; step > 0; step--) {
      for (int i = 0; i < 32; i += 8) {
#pragma oss task weakinout(a[i; 8]) firstprivate(step)
        for (int k = i; k < i + 8; k += 2) {
#pragma oss task inout(a[k; 2])
          a[k] = mix(a[k], a[k + 1] + step);
        }
      }
#pragma oss task inout(a[4; 20])
      {
        a[4] = mix(a[5], a[23]);
#pragma oss release inout(a[4; 8])
#pragma oss task inout(a[16; 4])
        a[16] = mix(a[16], a[19]);
      }
#pragma oss task in(a[0; 32])inout(early) wait
      early = mix(early, sum(a, 32));
#pragma oss task inout(a[3]) if (0)
      a[3] += step;
#pragma oss taskwait in(a[3])
    }
#pragma oss task inout(a[0; 16])
    a[7] = mix(a[7], a[8]);
  }
#pragma oss task in(a)inout(early)
  early = mix(early, sum(a, 32));
#pragma oss taskwait
  std::printf("nested %u\n", mix(early, sum(a, 32)));
}

// Iterations of which some make other tasks, or fewer.
static void uneven(int steps) {
  static unsigned a[24];
#pragma oss taskiter unroll(2)
  for (int step = 0; step < steps; step++) {
    if (step == 5) {
      continue;
    }
    if (step == 17) {
      break;
    }
    for (int i = 0; i < 24 - (step % 7 == 6 ? step : 0); i += 3) {
#pragma oss task inout(a[i; 3]) in(a[(i + step / 4) % 24])
      a[i] = mix(a[i], a[(i + step / 4) % 24] + a[i + 2] + step);
    }
  }
#pragma oss taskwait
  std::printf("uneven %u\n", sum(a, 24));
}

// What is not replayed; and a loop over a container, of one statement.
static void others(int steps) {
  static unsigned a[8], any, total;
  std::vector<int> turns(steps);
#pragma oss taskiter
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < 8; i++) {
#pragma oss task inout(a[i]) commutative(any)
      any += a[i]++;
#pragma oss task in(a[i])reduction(+ : total)
      total += a[i];
    }
  }
#pragma oss taskwait
  unsigned *p = a;
#pragma oss taskiter
  for (int &turn : turns)
#pragma oss task inout(p[0; 8])
    p[1] = mix(p[1], p[0] + turn++);
#pragma oss taskwait
  std::printf("others %u %u %u\n", sum(a, 8), any, total);
}

static unsigned left, value;

static void conditions(int steps) {
  left = steps;
#pragma oss taskiter
  while (left > 0) {
    for (int i = 0; i < 3; i++) {
#pragma oss task inout(value)
      value = mix(value, i + left);
    }
#pragma oss task inout(left) in(value)
    left -= 1;
  }
#pragma oss taskwait
  std::printf("conditions %u %u\n", left, value);
}

int main() {
  for (int steps : {0, 1, 2, 3, 9, 20}) {
    rows(steps);
    tiles(steps);
    buffers(steps);
    nested(steps);
    uneven(steps);
    others(steps);
    conditions(steps);
  }
}
