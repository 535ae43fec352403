// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The shapes with OpenMP's tasks, in a team of which one thread makes them: libomp runs them, or
/// Tutti, if its compiler has compiled this.
#include "bench/tasks/shapes.h"

namespace {

struct Tasks {
  template <typename Body> static void make(Body) {
#pragma omp task
    Body()();
  }

  template <typename Body> static void makeInOut(Body, long *cell) {
#pragma omp task depend(inout : *cell)
    Body()();
  }

  template <typename Body> static void makeIn(Body, long *cell) {
#pragma omp task depend(in : *cell)
    Body()();
  }

  template <typename Body> static void makeOut(Body, long *cell) {
#pragma omp task depend(out : *cell)
    Body()();
  }

  static void wait() {
#pragma omp taskwait
  }

  template <typename Body> static void team(Body body) {
#pragma omp parallel
#pragma omp single
    body();
  }
};

} // namespace

int main(int argc, char **argv) { return shapes::main<Tasks>(argc, argv); }
