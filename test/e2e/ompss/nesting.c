// Tasks in tasks: weak accesses, early release, wait, release, final, if.
#include <stdio.h>
#include <stdlib.h>

#ifdef _OMPSS_2
#include <nanos6.h>
#else
static int nanos6_in_final(void) { return 1; }
#endif

static unsigned mix(unsigned value, unsigned by) { return value * 1664525u + by * 1013904223u + 1; }

static void busy(void) {
  for (volatile int i = 0; i < 500; i++) {
  }
}

static unsigned sum(const unsigned *p, int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    s = mix(s, p[i]);
  }
  return s;
}

// Halves, quarters and so on of an array, each level a task that touches nothing itself.
static void halves(unsigned *a, int n, unsigned round) {
  if (n <= 3) {
#pragma oss task inout(a[0; n])
    {
      busy();
      for (int i = 0; i < n; i++) {
        a[i] = mix(a[i], round + i);
      }
    }
    return;
  }
#pragma oss task weakinout(a[0; n])
  {
    halves(a, n / 2, round);
    halves(a + n / 2, n - n / 2, round);
  }
}

static void weak(void) {
  unsigned a[50], b[50];
  for (int i = 0; i < 50; i++) {
    a[i] = i;
    b[i] = 100 + i;
  }
  for (unsigned round = 0; round < 8; round++) {
    halves(a, 50, round);
#pragma oss task weakin(a[0; 50]) weakinout(b[0; 50])
    for (int i = 0; i < 50; i += 7) {
      int n = i + 7 < 50 ? 7 : 50 - i;
#pragma oss task in(a[i; n])inout(b[i; n])
      {
        busy();
        for (int k = i; k < i + n; k++) {
          b[k] = mix(b[k], a[k]);
        }
      }
    }
#pragma oss task in(b[10 : 20])inout(a[5; 30])
    {
      busy();
      for (int k = 5; k < 35; k++) {
        a[k] = mix(a[k], b[10 + k % 11]);
      }
    }
  }
#pragma oss taskwait
  printf("weak %u %u\n", sum(a, 50), sum(b, 50));
}

// What weak tasks release is free once the children that have it have ended.
static void given(void) {
  unsigned a[24] = {0}, log = 0;
  for (unsigned round = 0; round < 6; round++) {
#pragma oss task weakout(a[0; 24])
    {
#pragma oss task out(a[0; 12])
      {
        busy();
        for (int k = 0; k < 12; k++) {
          a[k] = mix(round, k);
        }
      }
#pragma oss release weakout(a[0; 12])
#pragma oss task out(a[12; 12])
      {
        busy();
        for (int k = 12; k < 24; k++) {
          a[k] = mix(round, k);
        }
      }
    }
#pragma oss task weakin(a[0; 24])weakinout(log)
    {
#pragma oss task in(a[0; 12])inout(log)
      log = mix(log, sum(a, 12));
#pragma oss release weakin(a[0; 12])
#pragma oss task in(a[12; 12])inout(log)
      log = mix(log, sum(a + 12, 12));
#pragma oss release weakinout(log) depend(in, weak : a[12 : 12])
    }
  }
#pragma oss taskwait
  printf("given %u\n", log);
}

// The outer task writes first; what its children still write is released when they end.
static void early(void) {
  unsigned a[20] = {0}, log[4] = {0};
  for (unsigned round = 0; round < 6; round++) {
#pragma oss task inout(a[0; 20])
    {
      for (int i = 0; i < 20; i++) {
        a[i] = mix(a[i], round);
      }
      for (int i = 0; i < 10; i += 5) {
#pragma oss task inout(a[i; 5])
        {
          busy();
          for (int k = i; k < i + 5; k++) {
            a[k] = mix(a[k], k);
          }
        }
      }
    }
#pragma oss task in(a[10; 10])inout(log[0])
    log[0] = mix(log[0], sum(a + 10, 10));
#pragma oss task in(a[0; 5])inout(log[1])
    log[1] = mix(log[1], sum(a, 5));
// A child whose access lies partly in its parent's only.
#pragma oss task weakinout(a[3; 6])
    {
#pragma oss task inout(a[3; 6])
      {
        busy();
        for (int k = 3; k < 9; k++) {
          a[k] = mix(a[k], 3);
        }
      }
    }
#pragma oss task wait inout(a[0; 20]) inout(log[2])
    {
#pragma oss task inout(a[7; 3])
      {
        busy();
        a[8] = mix(a[8], 5);
      }
#pragma oss task inout(log[2])
      {
        busy();
        log[2] = mix(log[2], round);
      }
    }
#pragma oss task in(log[2])in(a[8])inout(log[3])
    log[3] = mix(log[3], log[2] + a[8]);
  }
#pragma oss taskwait
  printf("early %u %u\n", sum(a, 20), sum(log, 4));
}

static void released(void) {
  unsigned a[10] = {0}, b = 0;
  for (unsigned round = 0; round < 5; round++) {
#pragma oss task inout(a[0; 10])
    {
      for (int i = 0; i < 5; i++) {
        a[i] = mix(a[i], round);
      }
#pragma oss release inout(a[0; 5])
      busy();
      for (int i = 5; i < 10; i++) {
        a[i] = mix(a[i], round);
      }
    }
#pragma oss task in(a[0; 5])inout(b)
    b = mix(b, sum(a, 5));
#pragma oss task in(a[5; 5])inout(b)
    b = mix(b, sum(a + 5, 5));
  }
#pragma oss taskwait
  printf("release %u\n", b);
}

static int depth(int n) {
  int below = 0;
  if (n == 0) {
    return nanos6_in_final() ? 100 : 0;
  }
#pragma oss task shared(below) final(n <= 3)
  below = depth(n - 1);
#pragma oss taskwait
  return below + 1;
}

static void conditions(void) {
  unsigned x = 1, y = 1, waited = 0;
  for (unsigned i = 0; i < 10; i++) {
#pragma oss task inout(x)
    {
      busy();
      x = mix(x, i);
    }
#pragma oss task inout(x) if (i % 2)
    {
      busy();
      x = mix(x, 2 * i);
    }
#pragma oss task inout(y) if (0)
    {
#pragma oss task inout(y)
      {
        busy();
        y = mix(y, i);
      }
    }
#pragma oss taskwait in(y)
    waited = mix(waited, y);
  }
#pragma oss taskwait
  printf("conditions %u %u %u depth %d\n", x, y, waited, depth(8));
}

static void waits(void) {
  unsigned a[6] = {0}, seen = 0;
  for (unsigned round = 0; round < 10; round++) {
    for (int i = 0; i < 6; i++) {
#pragma oss task inout(a[i]) priority(i) cost(i + 1)
      {
        busy();
        a[i] = mix(a[i], round);
      }
    }
#pragma oss taskwait in(a[2; 2])
    seen = mix(seen, a[2] + a[3]);
#pragma oss taskwait depend(inout : a[0 : 2])
    seen = mix(seen, a[0] + a[1]);
#pragma oss taskwait on(a)
    seen = mix(seen, sum(a, 6));
  }
#pragma oss taskwait
  printf("waits %u\n", seen);
}

static void counted(int n, int *leaves) {
  if (n == 0) {
#pragma oss atomic
    ++*leaves;
    return;
  }
  for (int i = 0; i < 3; i++) {
#pragma oss task
    counted(n - 1, leaves);
  }
}

int main(void) {
  weak();
  given();
  early();
  released();
  conditions();
  waits();
  int leaves = 0;
  counted(7, &leaves);
#pragma oss taskwait
  printf("leaves %d\n", leaves);
}
