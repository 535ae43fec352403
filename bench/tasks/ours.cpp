// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The shapes with the calls that the compiler writes for `#pragma oss task`.
#include "abi/tasks.h"

#include <cstddef>

#include "bench/tasks/shapes.h"

namespace {

struct Tasks {
  template <typename Body> static std::int32_t run(std::int32_t, void *) {
    Body()();
    return 0;
  }

  template <typename Body> static tutti_task_block *create(Body) {
    tutti_task_block *block =
        tutti_task_create(TUTTI_TASK_TIED, sizeof(tutti_task_block), 0, run<Body>);
    tutti_task_begin("ours.cpp:1", nullptr, 0);
    return block;
  }

  template <typename Body> static void make(Body body) { tutti_task_submit(create(body)); }

  template <typename Body> static void makeWith(std::uint32_t kind, Body body, long *cell) {
    tutti_task_block *block = create(body);
    tutti_task_access(kind, cell, sizeof *cell);
    tutti_task_submit(block);
  }

  template <typename Body> static void makeInOut(Body body, long *cell) {
    makeWith(TUTTI_TASK_INOUT, body, cell);
  }

  template <typename Body> static void makeIn(Body body, long *cell) {
    makeWith(TUTTI_TASK_IN, body, cell);
  }

  template <typename Body> static void makeOut(Body body, long *cell) {
    makeWith(TUTTI_TASK_OUT, body, cell);
  }

  static void wait() { tutti_task_wait("ours.cpp:2"); }

  template <typename Body> static void team(Body body) { body(); }
};

} // namespace

int main(int argc, char **argv) { return shapes::main<Tasks>(argc, argv); }
