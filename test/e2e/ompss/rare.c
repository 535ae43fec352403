// Directives, clauses and calls that few programs use.
#include <stdio.h>
#include <stdlib.h>

#ifdef _OMPSS_2
#include <nanos6/bootstrap.h>
#include <nanos6/cuda_device.h>
#include <nanos6/final.h>
#include <nodes.h>
#else
#define nanos6_library_mode_init() NULL
#define nanos6_get_current_blocking_context() NULL
#define nanos6_unblock_task(context) (void)(context)
#define nanos6_block_current_task(context) (void)(context)
#define nanos6_get_current_event_counter() NULL
#define nanos6_increase_current_task_event_counter(counter, by) (void)(counter)
#define nanos6_decrease_task_event_counter(counter, by) (void)(counter)
#define nanos6_get_current_cuda_stream() NULL
#define nanos6_is_dlb_enabled() 0
#define nanos6_wait_for(microseconds) (microseconds)
#define nanos6_spawn_function(body, argument, done, more, label) (body(argument), done(more))
#define oss_device_alloc(device, index, size, stride, flags) malloc(size)
#define oss_device_free(address) free(address)
#endif

#pragma oss assert("version.dependencies==regions")

static int cells[64], asked, told;

// The linter's words say nothing here.
static void verified(void) {
#pragma oss task out(cells[0; 32]) verified cost(5) label("all", "first")
  {
#pragma oss lint in(cells[0; 8])
    for (int i = 0; i < 32; i++) {
      cells[i] = i;
    }
  }
#pragma oss task inout(cells[0; 32]) label(without quotes) no_copy_deps num_instances(1)
  cells[31] += 1;
#pragma oss task inout(cells[0; 32]) label(verified) verified(1) depend(weak, inout : cells[32 : 32]) copy_deps affinity(0)
  for (int i = 0; i < 32; i++) {
    cells[i] *= 3;
  }
#pragma oss taskwait depend(inout : cells[0 : 32])
  printf("verified %d\n", cells[31]);
}

// Called when the task could begin; what it binds holds the task back.
static int ask(int by) {
  void *counter = nanos6_get_current_event_counter();
  nanos6_increase_current_task_event_counter(counter, 1);
  asked = cells[0] + by;
  nanos6_decrease_task_event_counter(counter, 1);
  return asked;
}

static void asking(void) {
#pragma oss task inout(cells[0])
  cells[0] = 20;
#ifndef _OMPSS_2 // Who ignores the pragmas asks here.
  ask(2);
#endif
#pragma oss task inout(cells[0]) onready(ask(2))
  cells[0] += asked;
#ifndef _OMPSS_2
  told = cells[0];
#endif
#pragma oss task in(cells[0])onready((void)(told = cells[0])) if (0)
  told += cells[0];
#pragma oss taskwait
  printf("asked %d %d %d\n", asked, told, cells[0]);
}

// Any order, one at a time; below tasks that do nothing themselves, too.
static void commutative(void) {
  for (int i = 0; i < 12; i++) {
#pragma oss task weakcommutative(cells[40; 8])
    {
#pragma oss task commutative(cells[40; 4], cells[46])
      cells[40] += i, cells[46]++;
#pragma oss task commutative(cells[41; 7]) weakinout(cells[50])
      cells[41] += 2 * i, cells[46]++;
    }
#pragma oss task depend(mutexinoutset : cells[46]) depend(inoutset : cells[51])
    {
      cells[46] += 3;
#pragma oss atomic update
      cells[51] += i;
    }
#pragma oss task concurrent(cells[51]) default(firstprivate)
    {
      int before;
#pragma oss atomic capture
      {
        before = cells[51];
        cells[51] += 2;
      }
      (void)before;
    }
  }
#pragma oss taskwait on(cells[40; 12])
  printf("commutative %d %d %d %d\n", cells[40], cells[41], cells[46], cells[51]);
}

static void updated(int steps) {
  int value = 1;
#pragma oss taskiter update shared(value)
  for (int step = 0; step < steps; step++) {
#pragma oss task inout(value) firstprivate(step)
    value = value * 3 + step;
  }
#pragma oss taskwait noflush
  printf("updated %d\n", value);
}

// Waits by `out` and `inout`, a release in OpenMP's words, orders of atomics, and a default.
static void spelled(void) {
  int seen = 0, own = 7;
#pragma oss task out(cells[60]) device(smp)
  cells[60] = 5;
#pragma oss taskwait out(cells[60])
  seen += cells[60];
#pragma oss task inout(cells[60]) in(cells[61]) default(private)
  {
    own = 1;
    cells[60] += own;
#pragma oss release depend(inout : cells[60])
  }
#ifndef _OMPSS_2 // The task has written to a variable of its own.
  own = 7;
#endif
#pragma oss task in(cells[60]) shared(seen)
  {
    int read;
#pragma oss atomic read seq_cst
    read = cells[60];
#pragma oss atomic update release
    seen += read * 10;
  }
#pragma oss taskwait inout(cells[60])
  printf("spelled %d %d\n", seen, own);
}

static int spawned;

static void spawn(void *by) { spawned += *(int *)by; }

static void over(void *flag) { __atomic_store_n((int *)flag, 1, __ATOMIC_RELEASE); }

static void calls(void) {
  static int by = 9, isOver;
  int ran = 0;
  int *memory = oss_device_alloc(0, 0, 100 * sizeof *memory, 0, 0);
  nanos6_spawn_function(spawn, &by, over, &isOver, "spawned");
  while (!__atomic_load_n(&isOver, __ATOMIC_ACQUIRE)) {
    nanos6_wait_for(100);
  }
#pragma oss task out(memory[0; 100]) shared(ran)
  {
    void *context = nanos6_get_current_blocking_context();
    nanos6_unblock_task(context); // May come first.
    nanos6_block_current_task(context);
    for (int i = 0; i < 100; i++) {
      memory[i] = i;
    }
    ran = nanos6_get_current_cuda_stream() == NULL && !nanos6_is_dlb_enabled();
  }
#pragma oss taskwait
  printf("calls %d %d %d\n", spawned, memory[99], ran);
  oss_device_free(memory);
}

static long once(long x) { return x; }
static long ten(long x) { return 10 * x; }
static long (*const table[2])(long) = {once, ten};

/// What only says which function is called, or how large arrays of a type are, is copied as everything
/// else is.
static void called(long (*how)(long)) {
  struct { long (*of[2])(long); } record = {{ten, once}};
  long (*local[2])(long) = {once, ten};
  long a[8], b[8] = {0};
  for (int i = 0; i < 8; i++) {
    int k = i % 2;
#pragma oss task out(a[i])
    a[i] = table[k](i) + local[k](1) + record.of[k](2) + (k ? once : how)(3);
#pragma oss task in(a[i]) out(b[i]) wait
    {
#pragma oss task out(b[i])
      b[i] = (*how)(a[i]) + local[1 - k](1);
    }
#pragma oss task inout(b[i])
    {
      char cells[64] = "abcdefghijklmnopqrstuvwxyz";
      b[i] += ((char (*)[k + 2])cells)[1][0];
    }
#pragma oss task inout(b[i])
    {
      char cells[64] = "abcdefghijklmnopqrstuvwxyz";
      char (*rows)[k + 4] = (char (*)[k + 4])cells;
      b[i] += rows[2][1];
    }
    k = 7;
    local[0] = i < 5 ? once : ten;
  }
#pragma oss taskloop inout(b[j]) grainsize(3)
  for (int j = 0; j < 8; j++) {
    b[j] += (*how)(j) + record.of[j % 2](5);
  }
  how = once;
  record.of[0] = once;
#pragma oss taskwait
  long sum = 0;
  for (int i = 0; i < 8; i++) {
    sum = sum * 3 + a[i] + b[i];
  }
  printf("called %ld\n", sum);
}

int main(void) {
  if (nanos6_library_mode_init() != NULL) {
    return 1;
  }
  verified();
  asking();
  commutative();
  spelled();
  updated(6);
  calls();
  called(ten);
}
