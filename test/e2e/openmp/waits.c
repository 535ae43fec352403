// The ways in which tasks wait, and what may happen meanwhile.
#include <omp.h>
#include <stdio.h>

static void busy(int turns) {
  for (volatile int i = 0; i < turns; i++) {
  }
}

// Waiting for children is no waiting for grandchildren: one of these ends only after it.
static void childrenOnly(void) {
  omp_event_handle_t event;
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(event, done)
    {
      omp_event_handle_t mine;
#pragma omp task detach(mine) shared(done)
      {
#pragma omp atomic
        done++;
      }
      event = mine;
    }
#pragma omp taskwait
    omp_fulfill_event(event);
  }
  printf("children only %d\n", done);
}

static void events(void) {
  int x = 0;
  int inOrder = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 20; i++) {
      omp_event_handle_t event;
#pragma omp task detach(event) depend(inout : x) firstprivate(i)
      {
        inOrder += x == 2 * i;
        x++;
      }
#pragma omp task firstprivate(event) depend(in : inOrder)
      {
        busy(500);
        omp_fulfill_event(event);
      }
#pragma omp task depend(inout : x)
      x++;
    }
  }
  printf("events %d %d\n", x, inOrder);
}

// A task that waits with a lock is not met by others that want it, as these are not below it.
static void locks(void) {
  omp_lock_t lock;
  omp_nest_lock_t nested;
  int inside = 0;
  int together = 0;
  int count = 0;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nested);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; i++) {
#pragma omp task
    {
      omp_set_lock(&lock);
      together += inside++;
#pragma omp task shared(count)
      {
        busy(50);
#pragma omp critical
        count++;
      }
#pragma omp task shared(count)
      {
        omp_set_nest_lock(&nested);
        omp_set_nest_lock(&nested);
        busy(50);
        omp_unset_nest_lock(&nested);
        omp_unset_nest_lock(&nested);
      }
#pragma omp taskwait
      inside--;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nested);
  printf("locks %d %d\n", together, count);
}

static int own;
#pragma omp threadprivate(own)

// So it is with variables of the thread.
static void threads(void) {
  int wrong = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; i++) {
#pragma omp task shared(wrong)
    {
      own = i;
#pragma omp task
      busy(100);
#pragma omp task
      busy(10);
#pragma omp taskyield
#pragma omp taskwait
      if (own != i) {
#pragma omp atomic
        wrong++;
      }
    }
  }
  printf("threads %d\n", wrong);
}

static void atOnce(int yes) {
  int order[16];
  int n = 0;
#pragma omp parallel
#pragma omp single
  {
    int copy = 5;
#pragma omp task if (!yes) firstprivate(copy) shared(n)
    {
      copy++;
      order[n++] = copy;
#pragma omp task shared(n)
      {
        busy(1000);
        order[n++] = 2;
      }
#pragma omp taskwait
    }
    order[n++] = copy;
#pragma omp task final(yes) shared(n)
    {
      order[n++] = omp_in_final();
#pragma omp task shared(n) depend(out : n)
      {
        order[n++] = omp_in_final();
#pragma omp task shared(n)
        order[n++] = 11;
        order[n++] = 12;
      }
      order[n++] = 13;
    }
#pragma omp taskwait
#pragma omp task mergeable if (!yes) shared(n)
    order[n++] = 14;
  }
  printf("at once");
  for (int i = 0; i < n; i++) {
    printf(" %d", order[i]);
  }
  printf("\n");
}

static int deep(int n) {
  int below = 0;
  if (n > 0) {
#pragma omp task shared(below)
    below = deep(n - 1);
#pragma omp taskwait
  }
  return below + 1;
}

int main(int argc, char **argv) {
  int result = 0;
  (void)argv;
  childrenOnly();
  events();
  locks();
  threads();
  atOnce(argc);
#pragma omp parallel
#pragma omp single
  result = deep(500);
  printf("deep %d\n", result);
  return 0;
}
