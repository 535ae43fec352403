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
                                     ALPI_FEATURE_RESOURCES) == 0);
  say("unknown feature",
      alpi_feature_check(ALPI_FEATURE_EVENTS | 1 << 20) == ALPI_ERR_FEATURE_UNKNOWN);
  say("texts",
      strcmp(alpi_error_string(ALPI_ERR_PARAMETER), alpi_error_string(ALPI_ERR_MAX)) != 0 &&
          alpi_error_string(-1)[0]);
}

static void *outside(void *argument) {
  *(int *)argument = self() == NULL && alpi_task_block(NULL) == ALPI_ERR_PARAMETER;
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
                       "processors"};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    printf("%s yes\n", all[i]);
  }
}
#endif
