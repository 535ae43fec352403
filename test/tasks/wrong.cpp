// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a program may not do: each ends it with one line.
#include "include/tutti/ompss/nanos6/blocking.h"

#include <cstring>

#include "test/tasks/abi.h"

using namespace by_hand;

int main(int, char **argv) {
  static int named[4];
  if (std::strcmp(argv[1], "release") == 0) {
    task(
        [] {
          tutti_task_release_begin("wrong.cpp:7");
          tutti_task_access(TUTTI_TASK_OUT, &named[2], sizeof named[2]);
          tutti_task_release_end();
        },
        "the one")
        .out(named[0])
        .submit();
  } else if (std::strcmp(argv[1], "reduction") == 0) {
    auto making = task([] {}, "the one");
    tutti_task_reduction(0, named, sizeof named, TUTTI_REDUCE_BIT_AND, TUTTI_TYPE_DOUBLE);
    making.submit();
  } else if (std::strcmp(argv[1], "description") == 0) {
    tutti_task_access(TUTTI_TASK_OUT, named, sizeof named);
  }
  wait();
  std::puts("goes on");
}
