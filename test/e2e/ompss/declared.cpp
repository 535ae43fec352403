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

namespace inner {

struct Range {
  int first = 1 << 30, last = -(1 << 30);
};

typedef Range Bounds;

#pragma oss declare reduction(hull : Bounds : omp_out.first =                                      \
                                  omp_in.first < omp_out.first ? omp_in.first : omp_out.first,     \
                              omp_out.last = omp_in.last > omp_out.last ? omp_in.last              \
                                                                        : omp_out.last)            \
    initializer(omp_priv = Bounds())

template <class T> struct Pair {
  T a, b;
  Pair &operator+=(const Pair &o) {
    a += o.a;
    b += o.b;
    return *this;
  }
};

typedef Pair<long> Longs;
#pragma oss declare reduction(+ : Longs : omp_out += omp_in)

} // namespace inner

// What a namespace declares for its own classes holds outside of it.
template <class T> static void namespaces(int n) {
  inner::Range range;
  inner::Longs longs{1, 2};
  for (T i = 0; i < n; i++) {
#pragma oss task reduction(hull : range) reduction(+ : longs)
    {
      busy(50);
      range.first = i - 7 < range.first ? i - 7 : range.first;
      range.last = i * 3 > range.last ? i * 3 : range.last;
      longs.a += i;
      longs.b += 2 * i;
    }
  }
#pragma oss taskwait
  std::printf("namespaces %d %d %ld %ld\n", range.first, range.last, longs.a, longs.b);
}

// A template's argument decides whether the language or the program says how to add.
template <class T> static T sum(const T *values, int n) {
  T total{};
  for (int i = 0; i < n; i += 2) {
#pragma oss task reduction(+ : total) in(values[i; 2])
    {
      busy(50);
      total += values[i];
      total += values[i + 1];
    }
  }
#pragma oss taskwait
  return total;
}

static void templates() {
  const int ints[] = {1, 2, 3, 4};
  const double doubles[] = {1.5, 2, 3, 4};
  const Vector vectors[] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  const Vector total = sum(vectors, 4);
  std::printf("templates %d %g %g %g\n", sum(ints, 4), sum(doubles, 4), total.x, total.y);
}

/// Arrays whose elements are a template's argument, through references, too, and nested.
template <class T> static void arrays() {
  T cells[3][4] = {}, row[4] = {}, sum = 0;
  T(&referred)[4] = row;
  T &one = sum;
  for (int i = 0; i < 6; i++) {
#pragma oss task reduction(+ : cells)
    for (int k = 0; k < 12; k++) {
      cells[k / 4][k % 4] += static_cast<T>(i * k);
    }
#pragma oss task reduction(+ : referred, one)
    {
      referred[i % 4] += static_cast<T>(i);
      one += 2;
    }
#pragma oss task weakreduction(+ : cells)
    {
#pragma oss task reduction(+ : cells)
      cells[1][i % 4] += static_cast<T>(i);
    }
  }
#pragma oss taskwait
  std::printf("arrays %g %g %g\n", static_cast<double>(cells[2][1] + 1000 * cells[1][3]), static_cast<double>(row[1]),
              static_cast<double>(sum));
}

namespace deep::inner {
long total;
unsigned short bits[3];
Vector vector;
} // namespace deep::inner

static void qualified() {
  namespace other = deep::inner;
  for (int i = 0; i < 12; i++) {
#pragma oss task reduction(+ : deep::inner::total) reduction(| : ::deep::inner::bits)
    {
      deep::inner::total += i;
      deep::inner::bits[i % 3] |= 1 << i;
    }
#pragma oss task reduction(+ : other::vector)
    other::vector.x += i;
  }
#pragma oss taskwait
  std::printf("qualified %ld %d %g\n", other::total, other::bits[1], other::vector.x);
}

/// Declared inside of a function: for a type of its own, beside what holds for other types, and
/// hidden by another one.
template <class T> static void locals(int n) {
  struct Extent {
    T first, last;
  };
#pragma oss declare reduction(+ : Extent : omp_out.first = omp_in.first < omp_out.first            \
                                  ? omp_in.first : omp_out.first,                                  \
                              omp_out.last = omp_in.last > omp_out.last ? omp_in.last              \
                                                                        : omp_out.last)            \
    initializer(omp_priv = Extent{1000, -1000})
#pragma oss declare reduction(pick : T, long : omp_out = omp_in < omp_out ? omp_in : omp_out)      \
    initializer(omp_priv = 1000)
  Extent extent{50, 60}, extents[2] = {{1, 2}, {3, 4}};
  Vector vector(1, 2);
  T low = 500, high = -500;
  long lowest = 400;
  for (int i = 0; i < n; i++) {
#pragma oss task reduction(+ : extent, extents, vector) reduction(pick : low, lowest)
    {
      busy(50);
      extent.first = i - 7 < extent.first ? i - 7 : extent.first;
      extents[i % 2].last = i > extents[i % 2].last ? i : extents[i % 2].last;
      vector += Vector(i, 1);
      low = i + 3 < low ? i + 3 : low;
      lowest = i - 30 < lowest ? i - 30 : lowest;
    }
    {
#pragma oss declare reduction(pick : T : omp_out = omp_in > omp_out ? omp_in : omp_out)            \
    initializer(omp_priv = -1000)
      const auto one = [&high, i] {
#pragma oss task reduction(pick : high)
        high = 5 * i > high ? 5 * i : high;
#pragma oss taskwait
      };
      one();
    }
  }
#pragma oss taskwait
  std::printf("locals %g %g %g %g %g %g %ld\n", double(extent.first), double(extent.last),
              double(extents[1].last), vector.x, double(low), double(high), lowest);
}

/// What a parameter refers to is reduced as a variable is.
#pragma oss task reduction(* : product) reduction(max : most)

static void multiply(long &product, long by, int (&most)[3]) {
  product *= by;
  most[by % 3] = by > most[by % 3] ? static_cast<int>(by) : most[by % 3];
}

#pragma oss task reduction(+ : sum)

template <class T> void add(T &sum, T value) { sum += value; }

static void references() {
  long product = 1;
  int most[3] = {};
  double sum = 0.5;
  for (int i = 1; i < 10; i++) {
    multiply(product, i, most);
    add(sum, i * 0.25);
  }
#pragma oss taskwait
  std::printf("references %ld %d %d %d %g\n", product, most[0], most[1], most[2], sum);
}

// Bodies in a class are read when the class is complete.
template <typename T> struct Sums {
  T total{};

  void add(int n) {
    struct Own {
      T value;
    } own{total};
#pragma oss declare reduction(own : Own : omp_out.value += omp_in.value)                           \
    initializer(omp_priv = Own{T()})
#pragma oss declare reduction(times : T : omp_out *= omp_in) initializer(omp_priv = T(1))
    T product = 1;
    for (int i = 0; i < n; i++) {
#pragma oss task reduction(own : own) reduction(times : product)
      {
        own.value += T(i);
        product *= T(i % 3 + 1);
      }
    }
#pragma oss taskwait
    total = own.value + product;
    const auto again = [n](T start) {
#pragma oss declare reduction(more : T : omp_out += omp_in) initializer(omp_priv = T())
      for (int i = 0; i < n; i++) {
#pragma oss task reduction(more : start)
        start += T(1);
      }
#pragma oss taskwait
      return start;
    };
    total += again(T(2));
  }
};

static void methods(int n) {
  Sums<int> whole;
  Sums<double> real;
  whole.add(n);
  real.total = 0.5;
  real.add(n + 1);
  std::printf("methods %d %g\n", whole.total, real.total);
}

int main() {
  methods(9);
  templates();
  locals<int>(12);
  locals<double>(9);
  arrays<int>();
  arrays<double>();
  references();
  qualified();
  classes(20);
  originals(10);
  namespaces<int>(20);
}
