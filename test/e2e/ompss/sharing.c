// Which variables a task shares with its creator, and of which it has a copy.
#include <stdio.h>
#include <string.h>

// A program without tasks has no copies: it says what it would see.
static void expect(const char *what, long got, long want) {
#ifdef _OMPSS_2
  if (got != want) {
    printf("%s: %ld, not %ld\n", what, got, want);
  }
#endif
  printf("%s %ld\n", what, want);
}

static int global = 1;
static int globals[4] = {1, 2, 3, 4};

static void copies(void) {
  int x = 5, a[4] = {1, 2, 3, 4}, seen[8];

  struct {
    int m[3];
  } s = {{7, 8, 9}};

  for (int i = 0; i < 8; i++) {
#pragma oss task out(seen[i])
    {
      seen[i] = x * 100 + a[i % 4] * 10 + s.m[i % 3] + i;
      x = a[0] = s.m[0] = -1;
    }
    x++;
    a[i % 4]++;
    s.m[1]++;
  }
#pragma oss taskwait
  const int want[8] = {517, 630, 741, 850, 936, 1044, 1153, 1272};
  for (int i = 0; i < 8; i++) {
    expect("copies", seen[i], want[i]);
  }
  expect("left alone", x + a[0] + s.m[0], 13 + 3 + 7);
}

static void sized(int n) {
  int v[n], w[n][3], total = 0;
  for (int i = 0; i < n; i++) {
    v[i] = i;
    w[i][0] = w[i][1] = w[i][2] = 10 * i;
  }
  for (int round = 0; round < 5; round++) {
#pragma oss task inout(total)
    {
      for (int i = 0; i < n; i++) {
        total += v[i] * round + w[i][1];
        v[i] = w[i][1] = 0;
      }
    }
    v[0] = 100 * round;
    w[n - 1][1]++;
  }
#pragma oss task firstprivate(v) private(w) inout(total)
  {
    memset(w, 0, sizeof w);
    w[n - 1][2] = v[0];
    total += w[n - 1][2] + (int)sizeof w;
  }
#pragma oss task shared(v)
  v[1] = 77;
#pragma oss taskwait
  expect("sizes", total, 3382);
  expect("shared size", v[1], 77);
  expect("private size", w[n - 1][2], 50);
}

static void parameter(int n, int t[n][n]) {
  for (int i = 0; i < n; i++) {
#pragma oss task inout(t[i])
    for (int j = 0; j < n; j++) {
      t[i][j] += i * j;
    }
  }
#pragma oss taskwait
}

static void lists(void) {
  int a = 1, b = 2, c = 3, d = 4;
#pragma oss task shared(a) firstprivate(b) private(c) default(shared)
  {
    c = 9;
    a += b + c;
    b = c = 100;
    d = 40;
  }
#pragma oss taskwait
#pragma oss task default(none) shared(a) inout(d)
  {
    a++;
    d++;
  }
#pragma oss taskwait
#pragma oss task default(firstprivate) shared(a)
  {
    a += d;
    d = 0;
  }
#pragma oss taskwait
  expect("lists", a, 1 + 2 + 9 + 1 + 41);
  expect("copied lists", b * 100 + c * 10 + d, 200 + 30 + 41);
}

static void nested(void) {
  int x = 1, y = 10, kept[3] = {0};
#pragma oss task shared(x, kept)
  {
    x = 2;
// Inside, x is a copy again.
#pragma oss task out(kept[0])
    {
      kept[0] = x;
      x = 50;
    }
    x = 3;
#pragma oss taskwait
    kept[1] = x;
#pragma oss task shared(x)
    x = 4;
#pragma oss taskwait
    kept[2] = x + y;
  }
#pragma oss taskwait
  expect("nested", x, 4);
  expect("nested copy", kept[0], 2);
  expect("nested left alone", kept[1], 3);
  expect("nested shared", kept[2], 14);
}

static void statics(void) {
  static int calls = 0;
#pragma oss task
  {
    calls++;
    global++;
    globals[1]++;
  }
#pragma oss taskwait
  int seen = 0;
#pragma oss task firstprivate(global) shared(seen)
  {
    global = 100;
#pragma oss task shared(seen)
    {
      global++;
      seen = global;
    }
#pragma oss taskwait
    seen += global;
  }
#pragma oss taskwait
  expect("statics", calls * 100 + global * 10 + globals[1], 100 + 20 + 3);
  expect("copy of a copy", seen, 101 + 100);
}

static void pointers(void) {
  int a[6] = {0}, *p = a;
  for (int i = 0; i < 6; i++) {
#pragma oss task out(*p)
    *p = i * i;
    p++;
  }
  p = a;
#pragma oss task inout(p[0; 6])
  for (int i = 1; i < 6; i++) {
    p[i] += p[i - 1];
  }
  p = 0;
#pragma oss taskwait
  for (int i = 0; i < 6; i++) {
    expect("pointers", a[i], i * (i + 1) * (2 * i + 1) / 6);
  }
}

static void declared(void) {
  int out[4];
  for (int i = 0; i < 4; i++) {
#pragma oss task out(out[i])
    {
      int mine = i;
      static int ours = 0;
      int own[3] = {mine, mine + 1, mine + 2};
#pragma oss critical
      ours += mine;
      out[i] = own[0] + own[1] + own[2];
    }
  }
#pragma oss taskwait
  for (int i = 0; i < 4; i++) {
    expect("declared", out[i], 3 * i + 3);
  }
}

static void conditions(int c) {
  int r = 0;
  if (c)
#pragma oss task shared(r)
    r = 1;
  else
#pragma oss task shared(r)
    r = 2;
#pragma oss taskwait
  r += 10;
  for (int i = 0; i < 3; i++)
#pragma oss task inout(r)
    r = r * 3 + i;
#pragma oss taskwait
  expect("conditions", r, c ? 302 : 329);
}

int main(void) {
  copies();
  sized(6);
  int t[4][4];
  memset(t, 0, sizeof t);
  parameter(4, t);
  printf("parameter %d %d\n", t[3][3], t[2][3]);
  lists();
  nested();
  statics();
  pointers();
  declared();
  conditions(1);
  conditions(0);
}
