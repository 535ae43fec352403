// Every form of a dependence item: what a task names orders it among the others.
#include <stdio.h>
#include <stdlib.h>

static unsigned table[8][16];
static unsigned cube[4][4][4];

struct pair {
  unsigned first, second[4];
  unsigned *third;
};

static unsigned mix(unsigned value, unsigned by) { return value * 1664525u + by * 1013904223u + 1; }

static void busy(void) {
  for (volatile int i = 0; i < 300; i++) {
  }
}

static unsigned sum(const unsigned *p, long n) {
  unsigned s = 0;
  for (long i = 0; i < n; i++) {
    s = mix(s, p[i]);
  }
  return s;
}

static void scalars(void) {
  unsigned x = 1, y = 2, *p = &y;
  for (unsigned i = 0; i < 50; i++) {
#pragma oss task inout(x)
    {
      busy();
      x = mix(x, i);
    }
#pragma oss task in(x)inout(*p)
    {
      busy();
      *p = mix(*p, x);
    }
  }
#pragma oss taskwait
  printf("scalars %u %u\n", x, y);
}

static void sections(long n) {
  unsigned a[40];
  unsigned *p = malloc(n * sizeof *p);
  for (int i = 0; i < 40; i++) {
    a[i] = i;
  }
  for (long i = 0; i < n; i++) {
    p[i] = i;
  }
  for (unsigned round = 0; round < 6; round++) {
    for (long i = 0; i < n; i += 5) {
#pragma oss task inout(p[i; 5]) in(a[round; 8])
      {
        busy();
        for (long k = i; k < i + 5; k++) {
          p[k] = mix(p[k], a[round + k % 8]);
        }
      }
    }
    for (long i = 1; i + 3 < n; i += 4) {
#pragma oss task inout(p[i : i + 3])
      {
        busy();
        for (long k = i; k <= i + 3; k++) {
          p[k] = mix(p[k], p[i]);
        }
      }
    }
#pragma oss task inout(a[ : ]) in(p[0; n])
    {
      busy();
      for (int k = 0; k < 40; k++) {
        a[k] = mix(a[k], p[k % n]);
      }
    }
#pragma oss task inout(a[4 : ], a[ : 3])
    {
      busy();
      for (int k = 0; k < 40; k++) {
        a[k] = mix(a[k], 7);
      }
    }
#pragma oss task depend(inout : p[2 : 7]) depend(in : a[0 : 2])
    {
      busy();
      for (int k = 2; k < 9; k++) {
        p[k] = mix(p[k], a[k % 2]);
      }
    }
#pragma oss task inout(a)
    {
      busy();
      a[0] = sum(a, 40);
    }
  }
#pragma oss taskwait
  printf("sections %u %u\n", sum(a, 40), sum(p, n));
  free(p);
}

static void blocks(void) {
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 16; j++) {
      table[i][j] = i * 16 + j;
    }
  }
  for (unsigned round = 0; round < 4; round++) {
    for (int i = 0; i < 8; i += 2) {
      for (int j = 0; j < 16; j += 4) {
#pragma oss task inout(table[i; 2][j; 4])
        {
          busy();
          for (int k = i; k < i + 2; k++) {
            for (int l = j; l < j + 4; l++) {
              table[k][l] = mix(table[k][l], round);
            }
          }
        }
      }
    }
#pragma oss task inout(table[1 : 6][3 : 12])
    {
      busy();
      for (int k = 1; k <= 6; k++) {
        for (int l = 3; l <= 12; l++) {
          table[k][l] = mix(table[k][l], table[k][3]);
        }
      }
    }
#pragma oss task inout(table[3][ : ]) in(table[4][0; 16])
    {
      busy();
      for (int l = 0; l < 16; l++) {
        table[3][l] = mix(table[3][l], table[4][l]);
      }
    }
#pragma oss task inout(cube[1; 2][0; 4][2; 2])
    {
      busy();
      for (int i = 1; i < 3; i++) {
        for (int j = 0; j < 4; j++) {
          for (int k = 2; k < 4; k++) {
            cube[i][j][k] = mix(cube[i][j][k], round);
          }
        }
      }
    }
#pragma oss task inout(cube[2]) in(cube[1][0][2])
    {
      busy();
      for (int k = 0; k < 16; k++) {
        (&cube[2][0][0])[k] = mix((&cube[2][0][0])[k], cube[1][0][2]);
      }
    }
  }
#pragma oss taskwait
  printf("blocks %u %u\n", sum(&table[0][0], 128), sum(&cube[0][0][0], 64));
}

static void shapes(int n, int m) {
  unsigned *p = calloc(n * m, sizeof *p);
  unsigned rows[6][5];
  for (int i = 0; i < 30; i++) {
    (&rows[0][0])[i] = i;
  }
  for (unsigned round = 0; round < 5; round++) {
#pragma oss task inout([n * m] p)
    {
      busy();
      for (int i = 0; i < n * m; i++) {
        p[i] = mix(p[i], i);
      }
    }
    for (int i = 0; i < n; i++) {
#pragma oss task inout(([n][m] p)[i])
      {
        busy();
        for (int j = 0; j < m; j++) {
          p[i * m + j] = mix(p[i * m + j], round);
        }
      }
#pragma oss task inout(([n][m] p)[i][1; 2])
      {
        busy();
        for (int j = 1; j < 3; j++) {
          p[i * m + j] = mix(p[i * m + j], p[i * m + 1]);
        }
      }
    }
#pragma oss task inout(([n][m] p)[0; n][m - 1 : m - 1])
    {
      busy();
      for (int i = 0; i < n; i++) {
        p[i * m + m - 1] = mix(p[i * m + m - 1], i);
      }
    }
#pragma oss task inout([2] rows) in([n][m] p)
    {
      busy();
      for (int j = 0; j < 10; j++) {
        (&rows[0][0])[j] = mix((&rows[0][0])[j], p[j % (n * m)]);
      }
    }
#pragma oss task inout([n * m](unsigned *) p)
    {
      busy();
      p[0] = sum(p, n * m);
    }
  }
#pragma oss taskwait
  printf("shapes %u %u\n", sum(p, n * m), sum(&rows[0][0], 30));
  free(p);
}

#define CELL(of, at) (of[(at)])

// What is shaped has rows of its own; what is named by an address is a part of the variable.
static void rows(int n) {
  unsigned table[4][6], first[5] = {1, 2, 3, 4, 5}, second[5] = {6, 7, 8, 9, 10}, x = 1;
  unsigned(*p)[6] = table;
  for (int i = 0; i < 24; i++) {
    (&table[0][0])[i] = i;
  }
  for (unsigned round = 0; round < 5; round++) {
#pragma oss task inout(([n] p)[1][0; 3]) in(([n] p)[0][2])
    {
      busy();
      for (int j = 0; j < 3; j++) {
        p[1][j] = mix(p[1][j], p[0][2]);
      }
    }
#pragma oss task inout(([2] p)[ : ][2 : ]) inout(([n] p)[n - 1])
    {
      busy();
      for (int j = 0; j < 6; j++) {
        p[0][2 + j % 4] = mix(p[0][2 + j % 4], p[1][2]);
        p[1][2 + j % 4] ^= round;
        p[n - 1][j] = mix(p[n - 1][j], p[1][3]);
      }
    }
#pragma oss task inout(*(first + 2), ((unsigned *)second)[1; 2])
    {
      busy();
      first[2] = mix(first[2], second[1]++);
      second[2] += first[2];
    }
#pragma oss task inout((x), ((first)[1])) inout(CELL(second, round % 4))
    {
      busy();
      x = mix(x, first[1]++);
      second[round % 4] += x;
    }
#pragma oss task inout((round % 2 ? first : second)[2]) inout(*&x)
    {
      busy();
      x = mix(x, (round % 2 ? first : second)[2]++);
    }
  }
#pragma oss taskwait
  printf("rows %u %u %u %u\n", sum(&table[0][0], 24), sum(first, 5), sum(second, 5), x);
}

static void members(void) {
  unsigned outside[6] = {1, 2, 3, 4, 5, 6};
  struct pair s = {1, {2, 3, 4, 5}, outside}, *q = &s;
  for (unsigned round = 0; round < 20; round++) {
#pragma oss task inout(s.first)
    {
      busy();
      s.first = mix(s.first, round);
    }
#pragma oss task in(q->first)inout(q -> second[1; 2])
    {
      busy();
      q->second[1] = mix(q->second[1], q->first);
      q->second[2] = mix(q->second[2], q->second[1]);
    }
#pragma oss task inout(s.third[0; 6]) in(s.second[2])
    {
      busy();
      for (int i = 0; i < 6; i++) {
        q->third[i] = mix(q->third[i], q->second[2]);
      }
    }
#pragma oss task inout(*q) in(outside[3])
    {
      busy();
      q->second[0] = mix(q->second[3], q->third[3]);
    }
  }
#pragma oss taskwait
  printf("members %u %u %u\n", s.first, sum(s.second, 4), sum(outside, 6));
}

static void several(int n) {
  unsigned v[12][6];
  for (int i = 0; i < 72; i++) {
    (&v[0][0])[i] = i;
  }
  for (unsigned round = 0; round < 5; round++) {
#pragma oss task inout({v[i][0], i = 0 : 11})
    {
      busy();
      for (int i = 0; i < 12; i++) {
        v[i][0] = mix(v[i][0], round);
      }
    }
#pragma oss task inout({v[i][1; 2], i = n; 4 : 2})
    {
      busy();
      for (int i = n; i < n + 4; i += 2) {
        for (int j = 1; j < 3; j++) {
          v[i][j] = mix(v[i][j], v[n][1]);
        }
      }
    }
#pragma oss task inout({v[i][j], i = 0 : 5, j = 0 : i})
    {
      busy();
      for (int i = 0; i < 6; i++) {
        for (int j = 0; j <= i; j++) {
          v[i][j] = mix(v[i][j], i);
        }
      }
    }
#pragma oss task inout({v[i][3], i = {1, 5, n}})
    {
      busy();
      v[1][3] = mix(v[1][3], 1);
      v[5][3] = mix(v[5][3], v[1][3]);
      v[n][3] = mix(v[n][3], v[5][3]);
    }
#pragma oss task inout({v[i][4], i = 8 : 2 : -3}) in({{v[a][b], a = 0; 2}, b = 2 : 3})
    {
      busy();
      for (int i = 8; i >= 2; i -= 3) {
        v[i][4] = mix(v[i][4], v[1][2] + v[0][3]);
      }
    }
    for (int i = 0; i < 12; i++) {
#pragma oss task inout(v[i])
      {
        busy();
        for (int j = 0; j < 6; j++) {
          v[i][j] = mix(v[i][j], j);
        }
      }
    }
  }
#pragma oss taskwait
  printf("several %u\n", sum(&v[0][0], 72));
}

static void variable(int n, int m, unsigned t[n][m]) {
  for (unsigned round = 0; round < 4; round++) {
    for (int i = 0; i < n; i++) {
#pragma oss task inout(t[i][0; m])
      {
        busy();
        for (int j = 0; j < m; j++) {
          t[i][j] = mix(t[i][j], round);
        }
      }
    }
#pragma oss task inout(t[0; n][1; 2])
    {
      busy();
      for (int i = 0; i < n; i++) {
        for (int j = 1; j < 3; j++) {
          t[i][j] = mix(t[i][j], t[0][1]);
        }
      }
    }
  }
#pragma oss taskwait
}

int main(void) {
  scalars();
  sections(23);
  blocks();
  shapes(3, 4);
  members();
  rows(3);
  several(3);
  unsigned t[5][7];
  for (int i = 0; i < 35; i++) {
    (&t[0][0])[i] = i;
  }
  variable(5, 7, t);
  printf("variable %u\n", sum(&t[0][0], 35));
}
