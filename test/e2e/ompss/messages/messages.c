#ifdef _OMPSS_2
#include "messages.h"

#include <alpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum Kind { Sends, Receives, Event };

typedef struct Request {
  struct Request *next;
  enum Kind kind;
  int tag, blocks, turns;
  void *memory;
  size_t bytes;
  struct alpi_task *task;
} Request;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static Request *first;
static int stop, stopped;

static void require(int status) {
  if (status != ALPI_SUCCESS) {
    abort();
  }
}

static void add(enum Kind kind, void *memory, size_t bytes, int tag, int blocks, int turns) {
  Request *request = malloc(sizeof *request);
  struct alpi_task *task;
  require(alpi_task_self(&task));
  *request = (Request){NULL, kind, tag, blocks, turns, memory, bytes, task};
  if (!blocks) {
    require(alpi_task_events_increase(task, 1));
  }
  pthread_mutex_lock(&mutex);
  Request **last = &first;
  while (*last) {
    last = &(*last)->next;
  }
  *last = request;
  pthread_mutex_unlock(&mutex);
  if (blocks) {
    require(alpi_task_block(task));
  }
}

static Request *take(Request **at) {
  Request *request = *at;
  *at = request->next;
  return request;
}

static void answer(Request *request) {
  require(request->blocks ? alpi_task_unblock(request->task)
                          : alpi_task_events_decrease(request->task, 1));
  free(request);
}

// The other half of the message; null if it has not come.
static Request **partner(Request *request) {
  for (Request **at = &request->next; *at; at = &(*at)->next) {
    if ((*at)->kind == (request->kind == Sends ? Receives : Sends) && (*at)->tag == request->tag) {
      return at;
    }
  }
  return NULL;
}

static void look(void) {
  Request *done = NULL;
  pthread_mutex_lock(&mutex);
  for (Request **at = &first; *at;) {
    Request *request = *at;
    Request **other = request->kind == Event ? NULL : partner(request);
    if (request->kind == Event ? request->turns-- > 0 : other == NULL) {
      at = &request->next;
      continue;
    }
    if (other) {
      Request *second = take(other);
      Request *to = request->kind == Receives ? request : second;
      memcpy(to->memory, (to == request ? second : request)->memory, request->bytes);
      second->next = done;
      done = second;
    }
    take(at)->next = done;
    done = request;
  }
  pthread_mutex_unlock(&mutex);
  while (done) {
    answer(take(&done));
  }
}

static void poll(void *nothing) {
  (void)nothing;
  while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
    look();
    require(alpi_task_waitfor_ns(20000, NULL));
  }
}

// The same by a body that is called again.
static void pollOnce(void *nothing) {
  (void)nothing;
  if (__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
    return;
  }
  look();
  struct alpi_task *task;
  require(alpi_task_self(&task));
  require(alpi_task_suspend_mode_set(task, ALPI_SUSPEND_TIMEOUT_SUBMIT, 20000));
  require(alpi_task_suspend(task));
}

static void end(void *nothing) {
  (void)nothing;
  __atomic_add_fetch(&stopped, 1, __ATOMIC_RELEASE);
}

void startMessages(void) {
  require(alpi_task_spawn(poll, NULL, end, NULL, "polling", NULL));
  require(alpi_task_spawn(pollOnce, NULL, end, NULL, "polling again", NULL));
}

void stopMessages(void) {
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(&stopped, __ATOMIC_ACQUIRE) < 2) {
    require(alpi_task_waitfor_ns(20000, NULL));
  }
}

void sendBound(const double *from, long count, int tag) {
  add(Sends, (void *)from, count * sizeof *from, tag, 0, 0);
}

void receiveBound(double *to, long count, int tag) {
  add(Receives, to, count * sizeof *to, tag, 0, 0);
}

void sendBlocking(const double *from, long count, int tag) {
  add(Sends, (void *)from, count * sizeof *from, tag, 1, 0);
}

void receiveBlocking(double *to, long count, int tag) {
  add(Receives, to, count * sizeof *to, tag, 1, 0);
}

void bindLater(int count) {
  for (int i = 0; i < count; i++) {
    add(Event, NULL, 0, 0, 0, i % 3);
  }
}
#endif
