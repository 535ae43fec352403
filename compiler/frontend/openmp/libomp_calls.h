// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// OpenMP as clang lowers it: calls of libomp, which nothing else in the compiler knows by name.
#pragma once

#include "compiler/ir/construct_calls.h"

namespace tutti::compiler::openmp {

/// Arguments of __kmpc_omp_task_alloc.
enum AllocArgument : unsigned { kFlags = 2, kBytes, kShareds, kEntry };

/// Arguments of __kmpc_taskloop; kTask is that of all calls that take a task.
enum LoopArgument : unsigned {
  kPlace = 0,
  kThread,
  kTask,
  kCondition,
  kLower,
  kUpper,
  kStride,
  kNoGroup,
  kSchedule,
  kNumber, ///< Iterations of a task, or tasks, as the schedule says.
  kDuplicate
};

/// Arguments of the function that has the iterations of a task.
enum BodyArgument : unsigned {
  kBodyPart = 1,
  kBodyPrivates,
  kBodyMap,
  kBodyTask,
  kBodyLower,
  kBodyUpper,
  kBodyStride,
  kBodyLast,
  kBodyLists,
  kBodyShareds,
  kBodyArguments
};

const ConstructCalls &libompCalls();

} // namespace tutti::compiler::openmp
