// Loops that are one task, whose iterations several workers may take.
#include <cstdio>
#include <string>

enum { kCells = 600 };

static long a[kCells], b[kCells];

static long weight(long i) { return i % 7 + 1; }

// Chains of such tasks, each after the one before; of some length, downwards, of one iteration, of
// none.
static void chains() {
  long factor = 3;
  for (int turn = 0; turn < 6; turn++) {
#pragma oss task for inout(a) chunksize(32)
    for (int i = 0; i < kCells; i++) {
      a[i] = a[i] * factor + weight(i) + turn;
    }
    factor++;
#pragma oss task for in(a)out(b)
    for (long i = kCells - 1; i >= 0; i -= 1) {
      b[i] = a[kCells - 1 - i];
    }
#pragma oss task for inout(b) chunksize(1)
    for (unsigned i = 3; i < 90; i += 7) {
      b[i] += i;
    }
#pragma oss task for inout(a[5]) in(b)
    for (int i = 0; i < 1; i++) {
      a[5] += b[5];
    }
#pragma oss task for inout(a[5])
    for (int i = 0; i < turn - 9; i++) {
      a[5] = 0;
    }
#pragma oss taskloop for grainsize(200) chunksize(25) in(b[i])inout(a[i])
    for (int i = 0; i < kCells; i++) {
      a[i] ^= b[i];
    }
  }
#pragma oss taskwait
  long all = 0;
  for (int i = 0; i < kCells; i++) {
    all = all * 31 + a[i] + b[i];
  }
  std::printf("chains %ld\n", all);
}

static void reductions() {
  static long sum, most, rest[4];
  double product = 1;
  for (int turn = 0; turn < 5; turn++) {
#pragma oss task for reduction(+ : sum, rest) reduction(max : most) in(a)chunksize(17)
    for (int i = 0; i < kCells; i++) {
      sum += a[i] % 100;
      rest[i % 4] += i;
      if (a[i] % 1000 > most) {
        most = a[i] % 1000;
      }
    }
#pragma oss task for reduction(* : product)
    for (int i = 0; i < 10; i++) {
      product *= 2;
    }
    if (turn == 2) {
#pragma oss task inout(sum) in(most)
      sum = sum * 2 + most;
    }
  }
#pragma oss taskwait
  std::printf("reductions %ld %ld %ld %g\n", sum, most, rest[3], product);
}

// Bodies that make tasks, or whose copies are objects or of a size that is known late, stay whole.
static void whole(int n) {
  long sizes[n];
  std::string text = "text";
  static long c[40], count;
  for (int i = 0; i < n; i++) {
    sizes[i] = i;
  }
#pragma oss task for inout(c) chunksize(4)
  for (int i = 0; i < 40; i++) {
#pragma oss task inout(c[i])
    c[i] += i;
  }
#pragma oss task for inout(c) firstprivate(sizes, text) chunksize(4)
  for (int i = 0; i < 40; i++) {
    c[i] += sizes[i % n] + static_cast<long>(text.size());
  }
#pragma oss task for inout(c) final(true) chunksize(4)
  for (int i = 0; i < 40; i++) {
    c[i] *= 3;
  }
#pragma oss task for inout(c) if (0) chunksize(4)
  for (int i = 0; i < 40; i++) {
    c[i] += 2;
  }
#pragma oss task for inout(count) in(c)chunksize(2)
  for (int i = 0; i < 40; i++) {
#pragma oss critical
    count += c[i];
  }
#pragma oss task weakinout(c)
  {
#pragma oss task for inout(c) priority(3) chunksize(3)
    for (int i = 0; i < 40; i++) {
      c[i] -= i;
    }
  }
#pragma oss task in(c)inout(count)
  count = count * 7 + c[39];
#pragma oss taskwait
  std::printf("whole %ld %ld\n", count, c[11]);
}

int main() {
  chains();
  reductions();
  whole(7);
}
