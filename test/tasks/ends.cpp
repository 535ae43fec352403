// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The process ends when all tasks are over: before exit handlers and destructors. With "exit" it
/// is ended by that function; with "task" by a task.
#include "include/tutti/ompss/nanos6/blocking.h"
#include "include/tutti/ompss/nanos6/task-instantiation.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "test/tasks/abi.h"

using namespace by_hand;

namespace {

std::atomic<int> over{0};

void run() {
  nanos6_wait_for(1000);
  task([] {
    nanos6_wait_for(1000);
    ++over;
  }).submit();
}

struct Last {
  bool isChecked = false;

  ~Last() {
    if (isChecked) {
      expect(over == 40, "destructors come after all tasks");
      std::puts("passed");
      std::fflush(stdout);
    }
  }
};

Last last;

} // namespace

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "return";
  if (std::strcmp(how, "task") == 0) {
    task([] {
      std::puts("passed");
      std::exit(0);
    }).submit();
    wait();
    return 1;
  }
  std::atexit([] { expect(over == 40, "exit handlers come after all tasks"); });
  last.isChecked = true;
  for (int index = 0; index < 20; ++index) {
    task([] { run(); }).submit();
    nanos6_spawn_function([](void *) { run(); }, nullptr, nullptr, nullptr, "spawned");
  }
  if (std::strcmp(how, "exit") == 0) {
    std::exit(0);
  }
  return 0;
}
