// Reductions that the program declares: of classes, of several types, of what the variable holds.
#include <cstdio>

static void busy(int n) {
  for (volatile int i = 0; i < n; i++) {
  }
}

struct Vector {
  double x, y;

  Vector(double a = 0, double b = 0) : x(a), y(b) {}

  Vector &operator+=(const Vector &o) {
    x += o.x;
    y += o.y;
    return *this;
  }
};

#pragma oss declare reduction(+ : Vector : omp_out += omp_in) initializer(omp_priv = Vector(0, 0))
#pragma oss declare reduction(least : int, long,                                                   \
                              double : omp_out = omp_in < omp_out ? omp_in : omp_out)              \
    initializer(omp_priv = omp_orig)

static void zero(Vector *v) { *v = Vector(); }

#pragma oss declare reduction(sum:Vector : omp_out += omp_in) initializer(zero(&omp_priv))

static void classes(int n) {
  Vector total(1, 2), several[3], *p = several;
  for (int i = 0; i < n; i++) {
#pragma oss task reduction(+ : total)
    total += Vector(i, 2 * i);
#pragma oss task reduction(sum : [3] p)
    {
      busy(50);
      p[i % 3] += Vector(1, i);
    }
  }
#pragma oss task in(total)inout(several)
  several[0] += total;
#pragma oss taskwait
  std::printf("classes %g %g %g %g\n", total.x, total.y, several[0].x, several[2].y);
}

static void originals(int n) {
  int x = 0;
  long y[2] = {0, 0};
  double z = -1;
  for (int round = 0; round < 3; round++) {
// What was there before these would be the least.
#pragma oss task out(x, y, z)
    {
      busy(20000);
      x = y[0] = y[1] = 100 + round;
      z = 50 + round;
    }
    for (int i = 0; i < n; i++) {
#pragma oss task reduction(least : x, y, z)
      {
        x = 60 + i < x ? 60 + i : x;
        y[i % 2] = 70 + i < y[i % 2] ? 70 + i : y[i % 2];
        z = 80.5 + i < z ? 80.5 + i : z;
      }
    }
#pragma oss taskwait in(x, y, z)
    std::printf("originals %d %ld %ld %g\n", x, y[0], y[1], z);
  }
#pragma oss taskwait
}

int main() {
  classes(20);
  originals(10);
}
