// Tasks of threads that the program starts itself; one of them makes the first task of the process.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int values[4];

static void *work(void *argument) {
  int *value = argument;
  long sum = 0;
#pragma oss task inout(*value)
  *value += 1;
  for (int i = 0; i < 10; i++) {
#pragma oss task in(*value)reduction(+ : sum)
    sum += *value * i;
  }
#pragma oss taskwait
  // What its parts name is asked for here.
  int cells[12] = {0};
#pragma oss taskloop grainsize(5) out(cells[i]) reduction(+ : sum)
  for (int i = 0; i < 12; i++) {
    cells[i] = i;
    sum += i;
  }
#pragma oss taskwait
  *value = sum + cells[11];
  return NULL;
}

// Nobody waits for what it makes.
static void *leave(void *argument) {
#pragma oss task firstprivate(argument)
  {
    usleep(2000);
    *(int *)argument += 1000;
  }
  return NULL;
}

static void run(void *(*body)(void *), int count) {
  pthread_t threads[4];
  for (int i = 0; i < count; i++) {
    values[i] = i;
    pthread_create(&threads[i], NULL, body, &values[i]);
  }
  for (int i = 0; i < count; i++) {
    pthread_join(threads[i], NULL);
  }
}

int main(void) {
  run(work, 1);
  printf("first %d\n", values[0]);
  run(work, 4);
  printf("together %d %d %d %d\n", values[0], values[1], values[2], values[3]);
  run(leave, 1);
  int own = 5;
#pragma oss task inout(own)
  own *= 2;
#pragma oss taskwait
  printf("main %d\n", own);
  // The process ends when these have run.
  static int order;
  for (int i = 0; i < 4; i++) {
#pragma oss task inout(order)
    {
      usleep(2000);
      printf("last %d\n", order++);
      fflush(stdout);
    }
  }
}
