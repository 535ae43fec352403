// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What compiled code and runtime agree on for the tasks of OpenMP: a team of libomp that does
/// nothing but run tasks, and the structures that Clang fills in for calls of libomp. What makes
/// tasks and waits for them are libomp's own entry points, in front of which the runtime stands.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The function of a region. Source: kmpc_micro of libomp, with one captured pointer.
typedef void (*tutti_team_body)(int32_t *thread, int32_t *number, void *arguments);

/// Runs a parallel region in which one thread does all, apart from the tasks that it makes: one
/// thread of the team calls `body`, the others run tasks.
/// Source: __kmpc_fork_call of libomp.
void tutti_fork_tasks(void *place, tutti_team_body body, void *arguments);

/// The barrier in such a region: until all tasks of the team are complete.
/// Source: __kmpc_barrier of libomp.
void tutti_team_barrier(void *place, int32_t thread);

/// One item of a `depend` clause. Source: kmp_depend_info of libomp.
typedef struct omp_dependence {
  void *base;
  size_t bytes;
  uint8_t kind; ///< Of omp_dependence_kinds.
} omp_dependence;

enum omp_dependence_kinds {
  OMP_DEPENDS_IN = 1,
  OMP_DEPENDS_OUT = 2,
  OMP_DEPENDS_INOUT = 3,
  OMP_DEPENDS_MUTEXINOUTSET = 4,
  OMP_DEPENDS_INOUTSET = 8,
  OMP_DEPENDS_ALL_MEMORY = 0x80,
};

/// One variable that tasks of a group reduce. Source: kmp_taskred_input_t of libomp.
typedef struct omp_task_reduction {
  void *shared;
  void *original;
  size_t bytes;
  void (*initialize)(void *copy, void *original); ///< Null: zeros.
  void (*finalize)(void *copy);                   ///< Null: nothing.
  void (*combine)(void *shared, void *copy);
  uint32_t flags;
} omp_task_reduction;

#ifdef __cplusplus
}
#endif
