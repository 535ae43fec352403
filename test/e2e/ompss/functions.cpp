// Functions that are tasks: declared, defined, recursive, methods, templates, references.
#include <cstdio>
#ifdef _OMPSS_2
#include <nanos6.h>
#endif
#include <string>
#include <vector>

#pragma oss task inout([n] x) label("scale")
void scale(int n, double *x, double by = 2.0);

#pragma oss task in([n] x)inout(*sum)

void add(int n, const double *x, double *sum) {
  for (int i = 0; i < n; i++) {
    if (x[i] > 1e9) {
      return; // Leaves the function, as it may.
    }
    *sum += x[i];
  }
}

void scale(int n, double *x, double by) {
  for (int i = 0; i < n; i++) {
    x[i] = x[i] * by + i;
  }
}

#pragma oss task inout(value) in(step)

static void bump(int &value, const int &step, int times) { value = value * 3 + step * times; }

#pragma oss task out(*result)
void fibonacci(int n, long *result);

void fibonacci(int n, long *result) {
  if (n < 2) {
    *result = n;
    return;
  }
  long a, b;
  fibonacci(n - 1, &a);
  fibonacci(n - 2, &b);
#pragma oss taskwait
  *result = a + b;
}

#pragma oss task inout(*x)
[[maybe_unused]] static void attributed(int *x) noexcept { *x = *x * 3 + 1; }

#pragma oss task inout(x)
auto trailing(int &x, int by) -> void;

auto trailing(int &x, int by) -> void { x = x * 2 + by; }

struct Point {
  double x, y;
  std::string name;
};

struct Vector {
  int size;
  double *data;

#pragma oss task inout(data[0; size])
  void fill(double value);

#pragma oss task inout(data[first; count]) in(*this)

  void shift(int first, int count, double by) const {
    for (int i = first; i < first + count; i++) {
      data[i] = data[i] * 0.5 + by;
    }
  }

#pragma oss task in([n] from)inout([n] to)

  static void copy(int n, const double *from, double *to) {
    for (int i = 0; i < n; i++) {
      to[i] += from[i];
    }
  }

#pragma oss task inout(data[0])

  void overloaded(int by) { data[0] += by; }

#pragma oss task inout(data[0])

  void overloaded(double by) { data[0] *= by; }
};

void Vector::fill(double value) {
  for (int i = 0; i < size; i++) {
    data[i] = value + i;
  }
}

namespace deep {
#pragma oss task inout(*p)

template <class T, int N> void advance(T *p, T by) { *p = *p * N + by; }

#pragma oss task inout(to[0; n])

template <class It = int *, int by = 2> void double_all(It to, int n = by) {
  for (int i = 0; i < n; i++) {
    to[i] *= by;
  }
}

template <class T> struct Box {
  T value[4];

#pragma oss task inout(value[i])

  void set(int i, T to) { value[i] = value[i] * 2 + to; }

  void all() {
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 4; i++) {
        set(i, static_cast<T>(i + round));
      }
    }
  }
};
} // namespace deep

#pragma oss task inout(*out)

void by_value(Point p, std::vector<int> v, int *out) {
  p.x += 1;
  v.push_back(3);
  *out = *out * 5 + static_cast<int>(p.x + p.y) + static_cast<int>(v.size() + p.name.size());
}

#pragma oss task inout(*out) if (0)

void at_once(int *out, int (*with)(int), int (&array)[3]) { *out = with(*out) + array[1]; }

static int twice(int x) { return 2 * x; }

/// A parameter that hides its function.
#pragma oss task inout(hidden[0]) in(part[0; n])

static void hidden(int n, const int *part, int *hidden) {
  for (int i = 0; i < n; i++) {
    *hidden += part[i];
  }
}

/// A reference by `&&` is shared, too, and handed on as what it is.
#pragma oss task inout(to)

static void moved(int &&to, const int &by) { to = to * 3 + by; }

#pragma oss task inout(to)

template <class T> void forwarded(T &&to, int by) { to = to * 2 + by; }

/// Default arguments of tasks that templates call.
struct Defaults {
  int value = 1;

#pragma oss task inout(value)
  void next(int by = 2) { value = value * 3 + by; }

  template <class T> void twice(T by) {
    next();
    next(by);
    [this](auto) { next(); }(by);
  }
};

static long turns;

/// Lets other tasks run meanwhile.
static void others() {
#ifdef _OMPSS_2
  nanos6_wait_for(1);
#endif
}

// The body finds what it reduces under its own name.
#pragma oss task reduction(+ : turns)
static void turn(int i) {
  const long before = turns;
  others();
  turns = before + i;
}

struct Turns {
  long own = 0;

#pragma oss task reduction(+ : own)
  void turn(int i) {
    const long before = own;
    others();
    own = before + i;
  }
};

// Bodies in a class are read when it is complete, so what comes later in it is a task there, too.
template <class T> struct Later {
  T cells[2] = {1, 2};

  struct Inner {
    static void more(T *p) { Later::add(p); }
  };

  void run() {
    T *own = cells;
    for (int i = 0; i < 5; i++) {
#pragma oss task inout(own[0]) in(own[1])
      own[0] = own[0] * 3 + own[1];
      swap(own);
      Inner::more(own);
    }
  }

#pragma oss task inout([2] p)
  void swap(T *p) {
    T first = p[0];
    p[0] = p[1];
    p[1] = first;
  }

#pragma oss task inout(p[1])
  static void add(T *p) { p[1] += 4; }
};

int main() {
  double x[10], sum = 0;
  for (int i = 0; i < 10; i++) {
    x[i] = i;
  }
  scale(10, x);
  add(10, x, &sum);
  scale(5, x + 5, 3.0);
  add(10, x, &sum);
#pragma oss taskwait
  std::printf("free %.3f\n", sum);

  int value = 1, step = 2;
  for (int i = 0; i < 10; i++) {
    bump(value, step, i);
  }
  for (int i = 0; i < 3; i++) {
    moved(static_cast<int &&>(value), step);
    forwarded(value, step);
    forwarded(static_cast<int &&>(value), i);
  }
#pragma oss taskwait on(value)
  std::printf("references %d\n", value);

  long result;
  fibonacci(15, &result);
#pragma oss taskwait
  std::printf("recursive %ld\n", result);

  double memory[8], other[8] = {0};
  Vector v{8, memory};
  v.fill(1.5);
  for (int i = 0; i < 8; i += 2) {
    v.shift(i, 2, i);
  }
  Vector::copy(8, memory, other);
  v.overloaded(3);
  v.overloaded(1.5);
  Vector::copy(8, memory, other);
#pragma oss taskwait
  for (double d : other) {
    std::printf("%.4f ", d);
  }
  std::printf("methods\n");

  long l = 1;
  float f = 1;
  for (int i = 0; i < 5; i++) {
    deep::advance<long, 3>(&l, i);
    deep::advance<float, 2>(&f, i);
  }
  int numbers[3] = {1, 2, 3};
  for (int i = 0; i < 3; i++) {
    deep::double_all(numbers, 3);
    deep::double_all<int *, 3>(numbers + 1);
  }
#pragma oss taskwait
  std::printf("default arguments %d %d\n", numbers[0], numbers[2]);
  deep::Box<int> ints{{1, 2, 3, 4}};
  deep::Box<double> doubles{{1, 2, 3, 4}};
  ints.all();
  doubles.all();
#pragma oss taskwait
  std::printf("templates %ld %.1f %d %.1f\n", l, f, ints.value[3], doubles.value[2]);

  int out = 1;
  for (int i = 0; i < 5; i++) {
    Point p{1.0 * i, 2.0, "point"};
    by_value(p, std::vector<int>(i, 7), &out);
  }
  int array[3] = {1, 20, 3};
  at_once(&out, twice, array);
  std::printf("values %d\n", out);
  int found = 0;
  hidden(3, array, &found);
#pragma oss taskwait
  std::printf("hidden %d\n", found);
  for (int i = 0; i < 5; i++) {
    attributed(&found);
    trailing(found, i);
  }
#pragma oss taskwait
  std::printf("attributed %d\n", found);

  Turns object;
  for (int i = 0; i < 20; i++) {
    turn(i);
    object.turn(i);
#pragma oss task reduction(+ : turns)
    turns += i;
  }
#pragma oss taskwait
  std::printf("turns %ld %ld\n", turns, object.own);

  Defaults defaults;
  defaults.twice(4);
#pragma oss taskwait
  std::printf("defaults %d\n", defaults.value);

  Later<int> later;
  later.run();
#pragma oss taskwait
  std::printf("later %d %d\n", later.cells[0], later.cells[1]);
}
