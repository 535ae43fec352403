// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the texts that the link step has put into the program.
#include "abi/tasks.h"

#include <stdio.h>

extern const tutti_task_text __start_tutti_texts[] __attribute__((weak));
extern const tutti_task_text __stop_tutti_texts[] __attribute__((weak));

int main(void) {
  for (const tutti_task_text *text = __start_tutti_texts; text != __stop_tutti_texts; ++text) {
    printf("== %s\n%s", text->file, text->text);
  }
  return 0;
}
