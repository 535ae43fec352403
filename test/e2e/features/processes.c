// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Other programs, started between loops from data that loops have written.
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

static int spawn(char *const arguments[]) {
  pid_t child = 0;
  int status = 0;
  if (posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ) != 0 ||
      waitpid(child, &status, 0) != child) {
    return -1;
  }
  return WEXITSTATUS(status);
}

int main(void) {
  const int n = 20000;
  int local = 7;
  char *text = malloc(n + 1);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    text[i] = (char)('a' + i % 26);
  }
  text[n] = '\0';
  text[10] = '\0';
  char *const print[] = {"echo", text, NULL};
  fflush(stdout);
  const int printed = spawn(print);
  char *const compare[] = {"test", text, "=", "other", NULL};
  printf("spawned %d %d\n", printed, spawn(compare));

  char command[64];
  char answer[64] = "";
  snprintf(command, sizeof command, "echo '%s' | tr a-j A-J", text);
  FILE *pipe = popen(command, "r");
  if (pipe && fgets(answer, sizeof answer, pipe)) {
    printf("piped %s", answer);
  }
  printf("closed %d system %d local %d\n", pclose(pipe), system("exit 3") >> 8, local);

  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    sum += text[i];
  }
  printf("sum %ld\n", sum);
  free(text);
  return 0;
}
