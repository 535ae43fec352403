// Tasks that messages and events hold back, in all ways in which tasks are ordered.
#include <stdio.h>

#include "messages.h"

enum { Parts = 3, Blocks = 2, Cells = 8, Steps = 20, Row = Blocks * Cells + 2 };

static void smooth(double *cell, int count) {
  double left = cell[-1];
  for (int i = 0; i < count; i++) {
    const double old = cell[i];
    cell[i] = 0.25 * left + 0.5 * old + 0.25 * cell[i + 1];
    left = cell[i];
  }
}

static void print(const char *name, const double *all, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) {
    sum = sum * 0.75 + all[i];
  }
  printf("%s %.12f\n", name, sum);
}

static double start(int i) { return i * 7919 % 101; }

#ifdef _OMPSS_2
static void send(int blocks, const double *from, int tag) {
  (blocks ? sendBlocking : sendBound)(from, 1, tag);
}

static void receive(int blocks, double *to, int tag) {
  (blocks ? receiveBlocking : receiveBound)(to, 1, tag);
}

// Of each part the tasks of one step; ends of parts are exchanged.
static void step(double parts[Parts][Row], int blocks) {
  for (int p = 0; p < Parts; p++) {
    double *part = parts[p], *behind = part + Row - 1;
    if (p > 0) {
#pragma oss task in(part[1])
      send(blocks, part + 1, 2 * p);
#pragma oss task out(part[0]) priority(2)
      receive(blocks, part, 2 * p + 1);
    }
    if (p + 1 < Parts) {
#pragma oss task out(behind[0])
      receive(blocks, behind, 2 * p + 2);
    }
    for (int b = 0; b < Blocks; b++) {
      double *block = part + 1 + b * Cells;
#pragma oss task in(block[-1], block[Cells])inout(block[0; Cells])
      smooth(block, Cells);
    }
    if (p + 1 < Parts) {
#pragma oss task in(behind[-1])priority(1)
      send(blocks, behind - 1, 2 * p + 3);
    }
  }
}

static void exchanging(const char *name, int blocks, int repeats) {
  static double parts[Parts][Row];
  for (int p = 0; p < Parts; p++) {
    for (int i = 0; i < Row; i++) {
      parts[p][i] = start(p * Blocks * Cells + i);
    }
  }
  if (repeats) {
#pragma oss taskiter
    for (int t = 0; t < Steps; t++) {
      step(parts, blocks);
    }
  } else {
    for (int t = 0; t < Steps; t++) {
      step(parts, blocks);
    }
  }
#pragma oss taskwait
  double all[Parts * Blocks * Cells];
  for (int i = 0; i < Parts * Blocks * Cells; i++) {
    all[i] = parts[i / (Blocks * Cells)][1 + i % (Blocks * Cells)];
  }
  print(name, all, Parts * Blocks * Cells);
}
#else
void startMessages(void) {}

void stopMessages(void) {}

void bindLater(int count) { (void)count; }

static void exchanging(const char *name, int blocks, int repeats) {
  double all[Parts * Blocks * Cells + 2];
  (void)blocks, (void)repeats;
  for (int i = 0; i < Parts * Blocks * Cells + 2; i++) {
    all[i] = start(i);
  }
  for (int t = 0; t < Steps; t++) {
    smooth(all + 1, Parts * Blocks * Cells);
  }
  print(name, all + 1, Parts * Blocks * Cells);
}
#endif

// What is below a task that waits, or names weakly, holds back what follows the task.
static void nested(void) {
  double cells[4] = {0};
  for (int round = 0; round < 5; round++) {
#pragma oss task inout(cells[0; 4]) wait
    for (int i = 0; i < 4; i++) {
#pragma oss task inout(cells[i])
      {
        bindLater(2);
        cells[i] += 1;
      }
    }
#pragma oss task weakinout(cells[0; 4])
    for (int i = 0; i < 4; i++) {
#pragma oss task inout(cells[i])
      {
        bindLater(1 + i);
        cells[i] *= 3;
#pragma oss task inout(cells[i])
        {
          bindLater(1);
          cells[i] -= i;
        }
      }
    }
#pragma oss task inout(cells[0], cells[1])
    {
      cells[0] += cells[1];
#pragma oss release inout(cells[0])
      bindLater(3);
      cells[1] += 0.5;
    }
  }
#pragma oss taskwait
  print("nested", cells, 4);
}

// Commutative tasks exclude one another until they are complete.
static void excluding(void) {
  double sum = 0;
  int together = 0, most = 0;
  for (int i = 0; i < 20; i++) {
#pragma oss task commutative(sum) shared(together, most)
    {
      const int now = __atomic_add_fetch(&together, 1, __ATOMIC_SEQ_CST);
      most = now > most ? now : most;
      sum += i;
      bindLater(i % 3);
      __atomic_sub_fetch(&together, 1, __ATOMIC_SEQ_CST);
    }
  }
  for (int i = 0; i < 6; i++) {
#pragma oss task concurrent(sum)
    bindLater(i % 2);
  }
#pragma oss task inout(sum)
  sum *= 2;
#pragma oss taskwait
  printf("excluding %d %g\n", most, sum);
}

static int bindFirst(int count) {
  bindLater(count);
  return count;
}

static void ready(void) {
  double value = 1;
  for (int i = 0; i < 12; i++) {
#pragma oss task inout(value) onready(bindFirst(i % 3)) if (i % 4)
    {
      value = value * 1.5 + i;
      bindLater(i % 2);
    }
  }
#pragma oss task inout(value) final(1)
  {
    for (int i = 0; i < 3; i++) {
#pragma oss task inout(value)
      {
        bindLater(1);
        value += i;
      }
      value *= 2;
    }
    bindLater(1);
  }
#pragma oss taskwait
  print("ready", &value, 1);
}

// Chunks of loops, members of reductions, and tasks that come again.
static void repeated(void) {
  double cells[24], sum = 0;
  for (int i = 0; i < 24; i++) {
    cells[i] = i;
  }
  for (int round = 0; round < 4; round++) {
#pragma oss taskloop grainsize(4) inout(cells[i])
    for (int i = 0; i < 24; i++) {
      if (i % 8 == 0) {
        bindLater(1);
      }
      cells[i] += 1;
    }
#pragma oss taskloop grainsize(5) in(cells[i])reduction(+ : sum)
    for (int i = 0; i < 24; i++) {
      if (i % 7 == 0) {
        bindLater(1);
      }
      sum += cells[i];
    }
  }
#pragma oss task weakreduction(+ : sum)
  for (int i = 0; i < 6; i++) {
#pragma oss task reduction(+ : sum)
    {
      bindLater(i % 3);
      sum += i;
    }
  }
#pragma oss taskwait in(sum)
  printf("reduced %g\n", sum);
#pragma oss taskwait
#pragma oss taskiter shared(cells)
  for (int t = 0; t < 10; t++) {
    for (int i = 0; i < 24; i++) {
#pragma oss task inout(cells[i]) in(cells[(i + 1) % 24])
      {
        if (i % 4 == t % 4) {
          bindLater(1);
        }
        cells[i] = cells[i] * 0.5 + cells[(i + 1) % 24];
      }
    }
#pragma oss task weakinout(cells[0; 24])
    for (int i = 0; i < 24; i += 6) {
#pragma oss task inout(cells[i; 6])
      {
        bindLater(t % 2);
        cells[i] += t;
      }
    }
  }
#pragma oss taskwait
  print("repeated", cells, 24);
}

int main(void) {
  startMessages();
  exchanging("bound", 0, 0);
  exchanging("blocking", 1, 0);
  exchanging("bound, again", 0, 1);
  exchanging("blocking, again", 1, 1);
  nested();
  excluding();
  ready();
  repeated();
  stopMessages();
}
