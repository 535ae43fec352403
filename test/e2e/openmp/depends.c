// Dependences of OpenMP's tasks, in all their forms.
#include <omp.h>
#include <stdio.h>

enum { N = 64 };

static unsigned mix(unsigned value, unsigned by) { return value * 1664525u + by * 1013904223u + 1; }

static void busy(int turns) {
  for (volatile int i = 0; i < turns; i++) {
  }
}

static void print(const char *name, const unsigned *values, int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; i++) {
    sum = mix(sum, values[i]);
  }
  printf("%s %u\n", name, sum);
}

// Writers and readers of cells, in the order of the program.
static void cells(void) {
  unsigned a[N] = {0};
  unsigned b[N] = {0};
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < N; i++) {
#pragma omp task depend(inout : a[i]) firstprivate(i, round)
      {
        busy(i * 7 % 50);
        a[i] = mix(a[i], round);
      }
#pragma omp task depend(in : a[i], a[(i + 1) % N]) depend(out : b[i])
      b[i] = mix(a[i], a[(i + 1) % N]);
    }
#pragma omp task depend(inout : a[0 : N]) depend(in : b[0 : N])
    for (int i = 0; i < N; i++) {
      a[i] = mix(a[i], b[i]);
    }
  }
  print("cells a", a, N);
  print("cells b", b, N);
}

// Members of a set run in any order, never together; before and behind them is order.
static void exclusive(void) {
  long sum = 0;
  int inside = 0;
  int together = 0;
  long seen = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : sum)
    {
      busy(5000);
      sum = 1000;
    }
    for (int i = 1; i <= 100; i++) {
#pragma omp task depend(mutexinoutset : sum) firstprivate(i)
      {
        together += inside++;
        busy(100);
        sum += i;
        inside--;
      }
    }
#pragma omp task depend(in : sum)
    seen = sum;
  }
  printf("exclusive %ld %ld %d\n", sum, seen, together);
}

// Members of two sets that share memory, and tasks in them that do the same among themselves.
static void exclusiveInside(void) {
  int x = 0;
  int y = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task depend(mutexinoutset : x)
    {
      x++;
#pragma omp task depend(mutexinoutset : y)
      {
#pragma omp atomic
        y++;
      }
#pragma omp taskwait
    }
#pragma omp task depend(mutexinoutset : y)
    {
#pragma omp atomic
      y++;
      int z = 0;
#pragma omp task depend(mutexinoutset : x) shared(z)
      z++;
#pragma omp task depend(mutexinoutset : x) shared(z)
      z++;
#pragma omp taskwait
#pragma omp atomic
      y += z;
    }
  }
  printf("exclusive inside %d %d\n", x, y);
}

// Members of an inoutset run together.
static void sets(void) {
  int values[8] = {0};
  int total = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 1; round <= 10; round++) {
    for (int i = 0; i < 8; i++) {
#pragma omp task depend(inoutset : values) firstprivate(i)
      values[i] += round;
    }
#pragma omp task depend(in : values) depend(inout : total)
    for (int i = 0; i < 8; i++) {
      total += values[i];
    }
  }
  printf("sets %d\n", total);
}

static void iterators(void) {
  unsigned a[N];
  unsigned total = 0;
  for (int i = 0; i < N; i++) {
    a[i] = i;
  }
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < N; i++) {
#pragma omp task depend(inout : a[i])
      {
        busy(300);
        a[i] = mix(a[i], 3);
      }
    }
    for (int half = 0; half < 2; half++) {
#pragma omp task depend(iterator(k = half:N : 2), inout : a[k]) firstprivate(half)
      for (int i = half; i < N; i += 2) {
        a[i] = mix(a[i], i);
      }
    }
#pragma omp task depend(iterator(int k = 0 : 8, j = 0 : 8), in : a[8 * k + j]) shared(total)
    for (int i = 0; i < N; i++) {
      total = mix(total, a[i]);
    }
  }
  printf("iterators %u\n", total);
}

static void objects(void) {
  int x = 1;
  int y = 2;
  omp_depend_t writes;
  omp_depend_t reads;
#pragma omp depobj(writes) depend(inout : x)
#pragma omp depobj(reads) depend(in : x)
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(depobj : writes)
      {
        busy(1000);
        x = x * 3 + 1;
      }
#pragma omp task depend(depobj : reads) depend(inout : y)
      y += x;
    }
#pragma omp taskwait
#pragma omp depobj(reads) update(inout)
#pragma omp task depend(depobj : reads)
    {
      busy(1000);
      x++;
    }
#pragma omp task depend(in : x)
    y += x;
  }
#pragma omp depobj(writes) destroy
#pragma omp depobj(reads) destroy
  printf("objects %d %d\n", x, y);
}

static void allMemory(void) {
  int x = 0;
  int y = 0;
  int z = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task depend(out : x)
    {
      busy(2000);
      x += i;
    }
#pragma omp task depend(out : y)
    {
      busy(2000);
      y += 2 * i;
    }
#pragma omp task depend(inout : omp_all_memory)
    z = z * 3 + x + y;
#pragma omp task depend(in : z)
    x += z % 7;
  }
  printf("all memory %d %d %d\n", x, y, z);
}

// Waiting for some tasks, and tasks that are run at once.
static void waits(void) {
  int x = 0;
  int y = 0;
  int seen[3];
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    {
      busy(20000);
      x = 1;
    }
#pragma omp task depend(out : y)
    {
      busy(20000);
      y = 2;
    }
#pragma omp taskwait depend(in : x)
    seen[0] = x;
#pragma omp task depend(inout : y) if (0)
    seen[1] = ++y;
#pragma omp task depend(inout : x, y)
    {
      busy(20000);
      x = y = 7;
    }
#pragma omp taskwait depend(inout : x)
    seen[2] = x + y;
  }
  printf("waits %d %d %d\n", seen[0], seen[1], seen[2]);
}

// Who comes behind a task does not wait for that one's children.
static void behindChildren(void) {
  int x = 0;
  int result = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task depend(inout : x) shared(result, event)
    {
      omp_event_handle_t mine;
      x = 1;
#pragma omp task depend(inout : x) detach(mine) shared(result)
      {
#pragma omp atomic
        result += 10;
      }
      event = mine;
    }
#pragma omp task depend(inout : x)
    {
#pragma omp atomic
      result += x;
    }
#pragma omp taskwait
    omp_fulfill_event(event);
  }
  printf("behind children %d\n", result);
}

int main(void) {
  cells();
  exclusive();
  exclusiveInside();
  sets();
  iterators();
  objects();
  allMemory();
  waits();
  behindChildren();
  return 0;
}
