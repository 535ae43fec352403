// Loops of tasks: grain, dependences on the iteration, collapse, task for, taskiter.
#include <cstdio>
#include <vector>

static unsigned mix(unsigned value, unsigned by) { return value * 1664525u + by * 1013904223u + 1; }

template <class T> static unsigned sum(const T *p, int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    s = mix(s, static_cast<unsigned>(p[i]));
  }
  return s;
}

static void plain(int n) {
  std::vector<unsigned> storage(n, 1);
  unsigned *a = storage.data();
#pragma oss taskloop grainsize(7)
  for (int i = 0; i < n; i++) {
    a[i] = mix(a[i], i);
  }
#pragma oss taskwait
#pragma oss taskloop
  for (long i = n - 1; i >= 0; i -= 3) {
    a[i] = mix(a[i], i);
  }
#pragma oss taskwait
#pragma oss taskloop grainsize(4) shared(storage)
  for (unsigned i = 2; i < storage.size(); i += 2) {
    storage[i] += i;
  }
#pragma oss taskwait
#pragma oss taskloop if (0)
  for (int i = 0; i <= n / 2; ++i) {
    a[i] ^= 5;
  }
  std::printf("plain %u\n", sum(a, n));
}

static void dependent(int n) {
  unsigned a[64], b[64], *p = a, *q = b;
  for (int i = 0; i < 64; i++) {
    a[i] = i;
    b[i] = 7 * i;
  }
  for (unsigned round = 0; round < 5; round++) {
#pragma oss taskloop grainsize(6) in(p[i])inout(q[i])
    for (int i = 0; i < n; i++) {
      q[i] = mix(q[i], p[i]);
    }
#pragma oss taskloop grainsize(5) inout(p[i; 2]) in(q[n - 1 - i])
    for (int i = 0; i < n - 1; i += 2) {
      p[i] = mix(p[i], q[n - 1 - i]);
      p[i + 1] += p[i];
    }
#pragma oss taskloop grainsize(9) inout(a[2 * i]) in(b[0; n])
    for (int i = 0; i < n / 2; i++) {
      a[2 * i] = mix(a[2 * i], b[i]);
    }
#pragma oss taskloop grainsize(3) inout({p[k], k = 4 * i; 4})
    for (int i = 0; i < n / 4; i++) {
      for (int k = 4 * i; k < 4 * i + 4; k++) {
        p[k] = mix(p[k], round);
      }
    }
  }
#pragma oss taskwait
  std::printf("dependent %u %u\n", sum(a, 64), sum(b, 64));
}

// Each block is named by its first element alone, so parts have to begin where blocks do.
static void sentinels(int n) {
  constexpr int kBlock = 16;
  unsigned a[100], b[100];
  for (int i = 0; i < n; i++) {
    a[i] = b[i] = i;
  }
  for (unsigned round = 0; round < 4; round++) {
#pragma oss taskloop grainsize(kBlock) inout(a[i / kBlock * kBlock]) shared(a)
    for (int i = 0; i < n; i++) {
      a[i] = mix(a[i], round);
    }
#pragma oss taskloop grainsize(kBlock) in(a[i / kBlock * kBlock])inout(b[i]) shared(a, b)
    for (int i = 0; i < n; i++) {
      b[i] = mix(b[i], a[i]);
    }
  }
#pragma oss taskwait
  std::printf("sentinels %u %u\n", sum(a, n), sum(b, n));
}

static void nested(int n, int m) {
  static unsigned t[20][20];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      t[i][j] = i * 31 + j;
    }
  }
#pragma oss taskloop collapse(2) grainsize(11)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      t[i][j] = mix(t[i][j], i + j);
    }
  }
#pragma oss taskwait
  for (unsigned round = 0; round < 3; round++) {
#pragma oss taskloop collapse(2) grainsize(10) inout(t[i][j])
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < m; j++) {
        t[i][j] = mix(t[i][j], round);
      }
    }
#pragma oss task inout(t[2; 3][1; 4])
    for (int i = 2; i < 5; i++) {
      for (int j = 1; j < 5; j++) {
        t[i][j] = mix(t[i][j], t[2][1]);
      }
    }
  }
#pragma oss taskwait
  std::printf("nested %u\n", sum(&t[0][0], 400));
}

static void shared_out(int n) {
  std::vector<unsigned> storage(n, 3);
  unsigned *a = storage.data(), last = 0;
  for (int round = 0; round < 4; round++) {
#pragma oss task for inout(a[0; n]) chunksize(8)
    for (int i = 0; i < n; i++) {
      a[i] = mix(a[i], i);
    }
#pragma oss taskloop for inout(a[i]) grainsize(16) chunksize(4)
    for (int i = 0; i < n; i++) {
      a[i] = mix(a[i], round);
    }
#pragma oss task in(a[0; n])inout(last)
    last = mix(last, sum(a, n));
  }
#pragma oss taskwait
  std::printf("task for %u\n", last);
}

static void iterative(int n) {
  unsigned a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, total = 0;
  int left = n;
#pragma oss taskiter unroll(2) shared(a, total)
  for (int round = 0; round < n; round++) {
    for (int i = 0; i < 8; i++) {
#pragma oss task inout(a[i]) in(a[(i + 7) % 8])
      a[i] = mix(a[i], a[(i + 7) % 8] + round);
    }
#pragma oss task in(a)inout(total)
    total = mix(total, sum(a, 8));
  }
#pragma oss taskwait
#pragma oss taskiter shared(left, a)
  while (left > 0) {
#pragma oss task inout(left, a[0])
    {
      a[0] = mix(a[0], left);
      left--;
    }
  }
#pragma oss taskwait
  std::printf("taskiter %u %u %d\n", total, a[0], left);
}

struct Table {
  unsigned value[40];

  void run(int n) {
#pragma oss taskloop grainsize(3) inout(value[i])
    for (int i = 0; i < n; i++) {
      value[i] = mix(value[i], i);
    }
#pragma oss taskloop grainsize(4) inout(value[i])
    for (int i = n - 1; i >= 0; i--) {
      value[i] = mix(value[i], 2 * i);
    }
#pragma oss taskwait
  }
};

template <class T> static T generic(int n) {
  T a[32];
  for (int i = 0; i < n; i++) {
    a[i] = i;
  }
#pragma oss taskloop grainsize(5) inout(a[i]) shared(a)
  for (int i = 0; i < n; i++) {
    a[i] = a[i] * 2 + 1;
  }
  T total = 0;
#pragma oss task in(a[0; n])inout(total) shared(a)
  for (int i = 0; i < n; i++) {
    total += a[i];
  }
#pragma oss taskwait
  return total;
}

struct Object {
  int value;

  explicit Object(int v) : value(v) {}

  Object(const Object &other) = default;

  ~Object() { value = -1; }
};

static void objects() {
  int seen[12] = {0};
  Object object(4);
  int list[3] = {10, 20, 30};
#pragma oss taskloop grainsize(2) firstprivate(object, list) shared(seen)
  for (int i = 0; i < 12; i++) {
    seen[i] = object.value + list[i % 3] + i;
  }
#pragma oss taskwait
  std::printf("objects %u\n", sum(seen, 12));
}

/// Loops whose bounds leave nothing: constant ones, in numbers without signs, and others with steps.
static void empty(int none) {
  int runs = 0;
#pragma oss taskloop grainsize(1) shared(runs)
  for (int i = 5; i < none; i += 2) {
    ++runs;
  }
#pragma oss taskloop grainsize(1) shared(runs)
  for (long i = none; i > 5; i -= 3) {
    ++runs;
  }
#pragma oss taskloop grainsize(1) shared(runs)
  for (unsigned i = 0; i < 0U; ++i) {
    ++runs;
  }
#pragma oss taskloop for shared(runs)
  for (unsigned i = 7; i < 7U; i += 2) {
    ++runs;
  }
#pragma oss task for shared(runs)
  for (unsigned char i = 5; i > 9; --i) {
    ++runs;
  }
#pragma oss taskloop shared(runs) collapse(2)
  for (unsigned i = 0; i < 3U; ++i) {
    for (unsigned long j = 1; j < 1UL; ++j) {
      ++runs;
    }
  }
#pragma oss taskwait
  std::printf("empty %d\n", runs);
}

int main() {
  empty(-5);
  plain(100);
  plain(1);
  dependent(60);
  sentinels(99);
  nested(13, 17);
  shared_out(100);
  iterative(9);
  Table t{};
  t.run(33);
  std::printf("members %u\n", sum(t.value, 40));
  std::printf("generic %d %.1f\n", generic<int>(20), generic<double>(30));
  objects();
}
