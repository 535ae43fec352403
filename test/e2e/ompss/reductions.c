// Reductions: every operation and type, arrays, shapes, weak ones, and what comes after them.
#include <complex.h>
#include <stdbool.h>
#include <stdio.h>

#define WORDS(T, NAME, FORMAT)                                                                     \
  static void NAME(void) {                                                                         \
    T sum = 3, difference = 1, product = 1, and = (T)0x7f, or = 1, xor = 5;                        \
    T conjunction = 1, disjunction = 0, least = 50, most = 2;                                      \
    for (int i = 1; i <= 12; i++) {                                                                \
      _Pragma("oss task reduction(+: sum) reduction(-: difference)") {                             \
        sum += i;                                                                                  \
        difference -= i % 3;                                                                       \
      }                                                                                            \
      _Pragma("oss task reduction(*: product) reduction(min: least) reduction(max: most)") {       \
        product *= i % 4 == 1 ? 2 : 1;                                                             \
        least = least < i + 3 ? least : i + 3;                                                     \
        most = most > i * 2 ? most : i * 2;                                                        \
      }                                                                                            \
      _Pragma("oss task reduction(&&: conjunction) reduction(||: disjunction)") {                  \
        conjunction = conjunction && i != 7;                                                       \
        disjunction = disjunction || i == 5;                                                       \
      }                                                                                            \
    }                                                                                              \
    BITS(T)                                                                                        \
    _Pragma("oss taskwait")                                                                        \
        printf(#T " " FORMAT " " FORMAT " " FORMAT " " FORMAT " " FORMAT " " FORMAT " " FORMAT     \
                  " " FORMAT " " FORMAT " " FORMAT "\n",                                           \
               sum, difference, product, and, or, xor, conjunction, disjunction, least, most);     \
  }

#define BITS(T)                                                                                    \
  for (int i = 1; i <= 6; i++) {                                                                   \
    _Pragma("oss task reduction(&: and) reduction(|: or) reduction(^: xor)") {                     \
      and &= ~(T)(1 << i % 4);                                                                     \
      or |= (T)(1 << i);                                                                           \
      xor ^= (T)(3 * i);                                                                           \
    }                                                                                              \
  }
WORDS(char, chars, "%d")
WORDS(signed char, signed_chars, "%d")
WORDS(unsigned char, bytes, "%d")
WORDS(short, shorts, "%d")
WORDS(unsigned short, unsigned_shorts, "%d")
WORDS(int, ints, "%d")
WORDS(unsigned, unsigneds, "%u")
WORDS(long, longs, "%ld")
WORDS(unsigned long, unsigned_longs, "%lu")
WORDS(long long, long_longs, "%lld")
WORDS(unsigned long long, unsigned_long_longs, "%llu")
#undef BITS
#define BITS(T)
WORDS(float, floats, "%g")
WORDS(double, doubles, "%g")
WORDS(long double, long_doubles, "%Lg")

static void complexes(void) {
  float complex f = 1;
  double complex d = 2 + I;
  long double complex l = 1 - I;
  bool any = false, all = true;
  for (int i = 0; i < 8; i++) {
#pragma oss task reduction(+ : f, d) reduction(* : l) reduction(|| : any) reduction(&& : all)
    {
      f += i + 2 * i * I;
      d += i * I;
      l *= I;
      any = any || i == 3;
      all = all && i < 7;
    }
  }
#pragma oss taskwait
  printf("complex %g %g %g %g %Lg %Lg %d %d\n", crealf(f), cimagf(f), creal(d), cimag(d), creall(l),
         cimagl(l), any, all);
}

static void arrays(int n) {
  int a[6] = {1, 2, 3, 4, 5, 6}, table[3][2] = {{0}};
  double v[8], *p = v;
  for (int i = 0; i < 8; i++) {
    v[i] = i;
  }
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 12; i++) {
#pragma oss task reduction(+ : a) reduction(+ : [n] p) reduction(max : table)
      {
        a[i % 6] += i;
        p[i % n] += 0.5;
        if (table[i % 3][i % 2] < i * round) {
          table[i % 3][i % 2] = i * round;
        }
      }
    }
// Somebody reads, then they go on.
#pragma oss task in(a[0; 6])inout(p[0; n])
    for (int i = 0; i < n; i++) {
      p[i] = p[i] * 2 + a[i % 6];
    }
#pragma oss task inout(a)
    a[0] -= a[5];
  }
#pragma oss taskwait
  for (int i = 0; i < 6; i++) {
    printf("%d ", a[i]);
  }
  for (int i = 0; i < 8; i++) {
    printf("%g ", v[i]);
  }
  printf("%d %d arrays\n", table[2][1], table[0][0]);
}

static void between(void) {
  long x = 1, log[20];
  for (int i = 0; i < 20; i++) {
#pragma oss task reduction(+ : x)
    x += i;
#pragma oss task reduction(+ : x)
    x += 2 * i;
    if (i % 3 == 0) {
#pragma oss task reduction(* : x)
      x *= 3;
#pragma oss task reduction(* : x)
      x *= 2;
    }
#pragma oss task in(x)out(log[i])
    log[i] = x;
  }
#pragma oss taskwait
  for (int i = 0; i < 20; i++) {
    printf("%ld ", log[i]);
  }
  printf("between\n");
}

static void nested(void) {
  int x = 5, y[4] = {0};
  for (int round = 0; round < 4; round++) {
#pragma oss task weakreduction(+ : x) weakreduction(+ : y)
    {
      for (int i = 0; i < 5; i++) {
#pragma oss task reduction(+ : x) reduction(+ : y)
        {
          x += i;
          y[i % 4] += round;
        }
      }
    }
#pragma oss task reduction(+ : x)
    {
#pragma oss task reduction(+ : x)
      x += 100;
      x += 1000;
#pragma oss taskwait
    }
    if (round == 1) {
#pragma oss task inout(x)
      x *= 2;
    }
  }
#pragma oss taskwait
  printf("nested %d %d %d\n", x, y[0], y[3]);
}

static void loops(int n) {
  long s = 7, p[3] = {0};
#pragma oss taskloop grainsize(9) reduction(+ : s)
  for (int i = 0; i < n; i++) {
    s += i;
  }
#pragma oss taskloop grainsize(5) reduction(+ : p)
  for (int i = 0; i < n; i++) {
    p[i % 3] += i;
  }
#pragma oss task for reduction(+ : s) chunksize(3)
  for (int i = 0; i < n; i++) {
    s += 2;
  }
#pragma oss taskwait
  printf("loops %ld %ld %ld %ld\n", s, p[0], p[1], p[2]);
}

/// Shapes of arrays, which reduce while what comes before them still waits.
static long table[8];

static void shapes(int n) {
  long own[6] = {0}, rows[3][2] = {{0}};
#pragma oss task inout(table)
  for (int i = 0; i < 8; i++) {
    table[i] = 10;
  }
#pragma oss task out(own) out(rows)
  for (int i = 0; i < 6; i++) {
    own[i] = rows[i / 2][i % 2] = 7;
  }
  for (int i = 0; i < 9; i++) {
#pragma oss task reduction(+ : [8] table) reduction(* : [n] own) reduction(+ : [2] rows)
    {
      table[i % 8] += i;
      own[i % n] *= i + 1;
      rows[i % 2][i / 5] += i;
    }
  }
#pragma oss taskloop grainsize(2) reduction(+ : [8] table)
  for (int i = 0; i < 8; i++) {
    table[i] += i;
  }
#pragma oss taskwait
  for (int i = 0; i < 6; i++) {
    printf("%ld %ld %ld ", table[i + 2], own[i], rows[i / 2][i % 2]);
  }
  printf("shapes\n");
}

#pragma oss task reduction(+ : [1] p) reduction(max : [4] a)

void function(int by, long *p, int *a) {
  *p += by;
  for (int i = 0; i < 4; i++) {
    if (a[i] < by * (i + 1)) {
      a[i] = by * (i + 1);
    }
  }
}

int main(void) {
  chars();
  signed_chars();
  shapes(4);
  bytes();
  shorts();
  unsigned_shorts();
  ints();
  unsigneds();
  longs();
  unsigned_longs();
  long_longs();
  unsigned_long_longs();
  floats();
  doubles();
  long_doubles();
  complexes();
  arrays(5);
  between();
  nested();
  loops(100);
  long total = 2;
  int most[4] = {0, 50, 0, 0};
  for (int i = 0; i < 10; i++) {
    function(i, &total, most);
  }
#pragma oss taskwait
  printf("functions %ld %d %d\n", total, most[1], most[3]);
}
