// What libraries for tasks call: <alpi.h>.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#ifdef _OMPSS_2
#include <alpi.h>

static struct alpi_task *self(void) {
  struct alpi_task *task = NULL;
  return alpi_task_self(&task) == ALPI_SUCCESS ? task : NULL;
}

static void say(const char *what, int is) { printf("%s %s\n", what, is ? "yes" : "no"); }

static void versions(void) {
  int major = 0, minor = 0, length = 0;
  char text[64];
  say("version", alpi_version_get(&major, &minor) == 0 && alpi_version_check(major, 0) == 0);
  say("newer", alpi_version_check(major, minor + 1) == ALPI_ERR_VERSION &&
                   alpi_version_check(major + 1, 0) == ALPI_ERR_VERSION);
  say("name", alpi_info_get(ALPI_INFO_RUNTIME_NAME, text, sizeof text, &length) == 0 &&
                  length > 0 && (int)strlen(text) == length);
  say("cut off", alpi_info_get(ALPI_INFO_VERSION, text, 5, NULL) == 0 && strcmp(text, "ALPI") == 0);
  say("no buffer", alpi_info_get(ALPI_INFO_VERSION, NULL, 5, NULL) == ALPI_ERR_PARAMETER);
  say("features", alpi_feature_check(ALPI_FEATURE_BLOCKING | ALPI_FEATURE_EVENTS |
                                     ALPI_FEATURE_RESOURCES | ALPI_FEATURE_SUSPEND) == 0 &&
                      alpi_feature_check(ALPI_SUPPORTED_FEATURES) == 0);
  say("unknown feature",
      alpi_feature_check(ALPI_FEATURE_EVENTS | 1 << 20) == ALPI_ERR_FEATURE_UNKNOWN);
  say("texts",
      strcmp(alpi_error_string(ALPI_ERR_PARAMETER), alpi_error_string(ALPI_ERR_MAX)) != 0 &&
          alpi_error_string(-1)[0]);
}

static void *outside(void *argument) {
  *(int *)argument =
      self() == NULL && alpi_task_block(NULL) == ALPI_ERR_PARAMETER &&
      alpi_task_suspend(NULL) == ALPI_ERR_OUTSIDE_TASK &&
      alpi_task_suspend_mode_set(NULL, ALPI_SUSPEND_NONE, 0) == ALPI_ERR_OUTSIDE_TASK;
  return NULL;
}

static void handles(void) {
  int isOutside = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, outside, &isOutside);
  pthread_join(thread, NULL);
  say("no task", isOutside);
  struct alpi_task *own = self(), *other = NULL;
#pragma oss task out(other)
  other = self();
#pragma oss taskwait
  say("handles", own && other && own != other);
  say("null", alpi_task_self(NULL) == ALPI_ERR_PARAMETER &&
                  alpi_task_unblock(NULL) == ALPI_ERR_PARAMETER &&
                  alpi_task_events_increase(NULL, 1) == ALPI_ERR_PARAMETER &&
                  alpi_task_events_decrease(NULL, 1) == ALPI_ERR_PARAMETER &&
                  alpi_task_events_test(own, NULL) == ALPI_ERR_PARAMETER);
}

static void blocking(void) {
  struct alpi_task *blocked = NULL;
  int went = 0;
#pragma oss task shared(blocked, went)
  { // Unblocked once before it blocks, and once while it does.
    alpi_task_unblock(self());
    alpi_task_block(self());
    __atomic_store_n(&blocked, self(), __ATOMIC_RELEASE);
    alpi_task_block(self());
    went = 1;
  }
#pragma oss task shared(blocked)
  {
    uint64_t slept = 0;
    while (!__atomic_load_n(&blocked, __ATOMIC_ACQUIRE)) {
      alpi_task_waitfor_ns(10000, &slept);
    }
    alpi_task_unblock(blocked);
  }
#pragma oss taskwait
  say("unblocked", went);
}

static void events(void) {
  struct alpi_task *bound = NULL;
  uint64_t before = 1, after = 0;
  int value = 0, fulfilled = 0, seen = 0;
#pragma oss task out(value) shared(bound, before, after)
  {
    alpi_task_events_test(self(), &before);
    alpi_task_events_increase(self(), 3);
    alpi_task_events_test(self(), &after);
    value = 5;
    __atomic_store_n(&bound, self(), __ATOMIC_RELEASE);
  }
#pragma oss task in(value)shared(fulfilled, seen)
  seen = value + fulfilled;
#pragma oss task shared(bound, fulfilled)
  {
    while (!__atomic_load_n(&bound, __ATOMIC_ACQUIRE)) {
      alpi_task_waitfor_ns(10000, NULL);
    }
    alpi_task_events_decrease(bound, 1);
    alpi_task_waitfor_ns(100000, NULL);
    fulfilled = 10;
    alpi_task_events_decrease(bound, 2);
  }
#pragma oss taskwait
  say("held back by events", before == 0 && after == 1 && seen == 15);
}

static void spawnedBody(void *argument) { *(int *)argument += self() ? 1 : 100; }

static void spawnedEnd(void *argument) {
  __atomic_add_fetch((int *)argument, 10, __ATOMIC_RELEASE);
}

static void spawning(void) {
  int count = 0;
  struct alpi_attr *attributes = NULL;
  uint64_t bytes = 1;
  say("attributes", alpi_attr_create(&attributes) == 0 && alpi_attr_init(attributes) == 0 &&
                        alpi_attr_size(&bytes) == 0);
  alpi_task_spawn(spawnedBody, &count, spawnedEnd, &count, "spawned", attributes);
  alpi_attr_destroy(attributes);
  while (__atomic_load_n(&count, __ATOMIC_ACQUIRE) < 11) {
    alpi_task_waitfor_ns(10000, NULL);
  }
  say("spawned",
      count == 11 && alpi_task_spawn(NULL, NULL, NULL, NULL, NULL, NULL) == ALPI_ERR_PARAMETER);
}

// Bodies that are called again.
static void suspending(void) {
  struct alpi_task *own = self(), *asleep = NULL;
  int value = 0, runs = 0, seen = 0, others = 0, wrong = 0;
#pragma oss task out(value) shared(asleep, runs) firstprivate(own)
  { // Until another one says so.
    value = ++runs;
    if (runs < 3) {
      own = self();
      alpi_task_suspend(own);
      __atomic_store_n(&asleep, own, __ATOMIC_RELEASE);
    } else {
      value = own == self() ? 30 : -1; // Copies stay.
    }
  }
#pragma oss task shared(asleep)
  for (int i = 0; i < 2; i++) {
    struct alpi_task *task = NULL;
    while (!(task = __atomic_exchange_n(&asleep, NULL, __ATOMIC_ACQ_REL))) {
      alpi_task_waitfor_ns(1000, NULL);
    }
    alpi_task_unblock(task); // Perhaps before the body has returned.
  }
#pragma oss task in(value)shared(seen)
  seen = value;
#pragma oss taskwait
  say("suspended until unblocked", runs == 3 && seen == 30);

  runs = 0;
#pragma oss task shared(others, runs)
  if (++runs < 50000000 && !__atomic_load_n(&others, __ATOMIC_ACQUIRE)) {
    alpi_task_suspend_mode_set(self(), ALPI_SUSPEND_SUBMIT, runs % 2);
    alpi_task_suspend(self());
  }
#pragma oss task shared(others)
  __atomic_store_n(&others, 1, __ATOMIC_RELEASE);
#pragma oss taskwait
  say("others have their turn", others == 1 && runs < 50000000);

  runs = 0;
#pragma oss task shared(runs)
  { // How alone suspends nothing, and what was said holds once.
    runs++;
    alpi_task_suspend_mode_set(self(), ALPI_SUSPEND_NONE, 0);
    if (runs < 3) {
      alpi_task_suspend_mode_set(self(), ALPI_SUSPEND_TIMEOUT_SUBMIT, 20000);
      alpi_task_suspend(self());
    }
  }
#pragma oss taskwait
  say("suspended for a time", runs == 3);

  struct alpi_task *bound = NULL;
  int fulfilled = 0, early = 0;
  runs = 0;
#pragma oss task inout(value) shared(bound, fulfilled, early, runs)
  {
    __atomic_add_fetch(&early, __atomic_load_n(&fulfilled, __ATOMIC_ACQUIRE) != 2 * runs,
                       __ATOMIC_ACQ_REL);
    if (runs++ < 3) { // The third time there are no events.
      if (runs < 3) {
        alpi_task_events_increase(self(), 2);
        __atomic_store_n(&bound, self(), __ATOMIC_RELEASE);
      } else {
        fulfilled = 6;
      }
      alpi_task_suspend_mode_set(self(), ALPI_SUSPEND_EVENT_SUBMIT, 0);
      alpi_task_suspend(self());
    } else {
      alpi_task_events_increase(self(), 1); // These hold back its end.
      value = 70;
      __atomic_store_n(&bound, self(), __ATOMIC_RELEASE);
    }
  }
#pragma oss task in(value)shared(seen)
  seen = value;
#pragma oss task shared(bound, early, fulfilled, value)
  for (int i = 0; i < 3; i++) {
    struct alpi_task *task = NULL;
    while (!(task = __atomic_exchange_n(&bound, NULL, __ATOMIC_ACQ_REL))) {
      alpi_task_waitfor_ns(1000, NULL);
    }
    for (int k = 0; k < (i < 2 ? 2 : 1); k++) {
      alpi_task_waitfor_ns(20000, NULL);
      if (i < 2) { // It runs or is suspended, with one or two left.
        uint64_t isBound = 0;
        alpi_task_events_test(task, &isBound);
        __atomic_add_fetch(&early, isBound != 1, __ATOMIC_ACQ_REL);
        __atomic_add_fetch(&fulfilled, 1, __ATOMIC_ACQ_REL);
      } else {
        value++;
      }
      alpi_task_events_decrease(task, 1);
    }
  }
#pragma oss taskwait
  say("suspended until events", runs == 4 && early == 0 && seen == 71);

  runs = 0;
  for (int i = 0; i < 40; i++) {
#pragma oss task shared(runs) firstprivate(i) if (i % 3) final(i % 5 == 0)
    {
      int inner = 0;
#pragma oss task shared(inner, runs)
      if (++inner < 2) {
        alpi_task_suspend_mode_set(
            self(), i % 2 ? ALPI_SUSPEND_SUBMIT : ALPI_SUSPEND_TIMEOUT_SUBMIT, i % 2);
        alpi_task_suspend(self());
      }
#pragma oss taskwait
      __atomic_add_fetch(&runs, inner, __ATOMIC_RELAXED);
    }
  }
#pragma oss taskwait
  say("at once and below others", runs == 80);

  struct alpi_task *main = self();
#pragma oss task shared(wrong) firstprivate(main)
  wrong = alpi_task_suspend(main) == ALPI_ERR_PARAMETER &&
          alpi_task_suspend(NULL) == ALPI_ERR_PARAMETER &&
          alpi_task_suspend_mode_set(self(), (alpi_suspend_mode_t)4, 0) == ALPI_ERR_PARAMETER &&
          alpi_task_suspend_mode_set(self(), ALPI_SUSPEND_SUBMIT, 2) == ALPI_ERR_PARAMETER;
#pragma oss taskwait
  say("who may not", wrong && alpi_task_suspend(main) == ALPI_ERR_PARAMETER);
}

// A spawned body that polls, as libraries do.
struct Poll {
  int calls, isOver;
};

static void poll(void *argument) {
  struct Poll *of = argument;
  if (++of->calls < 20) {
    alpi_task_suspend_mode_set(self(), ALPI_SUSPEND_TIMEOUT_SUBMIT, 1000);
    alpi_task_suspend(self());
  }
}

static void pollOver(void *argument) {
  struct Poll *of = argument;
  const int isRefused = alpi_task_suspend(self()) == ALPI_ERR_PARAMETER; // Nothing is called again.
  __atomic_store_n(&of->isOver, isRefused ? of->calls : -1, __ATOMIC_RELEASE);
}

static void polling(void) {
  struct Poll of = {0, 0};
  alpi_task_spawn(poll, &of, pollOver, &of, "poll", NULL);
  while (!__atomic_load_n(&of.isOver, __ATOMIC_ACQUIRE)) {
    alpi_task_waitfor_ns(10000, NULL);
  }
  say("polled", of.isOver == 20);
}

static void processors(void) {
  uint64_t count = 0, logical = 1000, system = 0;
  say("processors", alpi_cpu_count(&count) == 0 && alpi_cpu_logical_id(&logical) == 0 &&
                        alpi_cpu_system_id(&system) == 0 && logical < count);
}

int main(void) {
  versions();
  handles();
  blocking();
  events();
  spawning();
  suspending();
  polling();
  processors();
}
#else
int main(void) {
  const char *all[] = {"version",
                       "newer",
                       "name",
                       "cut off",
                       "no buffer",
                       "features",
                       "unknown feature",
                       "texts",
                       "no task",
                       "handles",
                       "null",
                       "unblocked",
                       "held back by events",
                       "attributes",
                       "spawned",
                       "suspended until unblocked",
                       "others have their turn",
                       "suspended for a time",
                       "suspended until events",
                       "at once and below others",
                       "who may not",
                       "polled",
                       "processors"};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    printf("%s yes\n", all[i]);
  }
}
#endif
