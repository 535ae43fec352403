// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The form in which clang 19 hands a loop that is divided into tasks to libomp, read back: what
/// the loop is, and why it could not as well be a worksharing loop.
#pragma once

#include "compiler/frontend/openmp/libomp_calls.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tutti::compiler::openmp {

inline constexpr llvm::StringLiteral kAlloc = "__kmpc_omp_task_alloc";
inline constexpr llvm::StringLiteral kTaskloop = "__kmpc_taskloop";
inline constexpr llvm::StringLiteral kReduce = "__kmpc_taskred_init";
inline constexpr llvm::StringLiteral kPrivateCopy = "__kmpc_task_reduction_get_th_data";

/// Places of fields. Source: kmp_task_t of clang 19, for loops; kmp_taskred_input_t.
enum TaskField : unsigned {
  kTaskShareds = 0,
  kTaskPart = 16,
  kTaskLower = 40,
  kTaskStride = 56,
  kTaskLists = 72
};

/// A variable that the loop reduces, as `__kmpc_taskred_init` is told of it.
struct Reduced {
  llvm::Value *shared = nullptr;
  std::uint64_t bytes = 0;
  llvm::Function *initialise = nullptr;
  llvm::Function *combine = nullptr;
};

struct TaskLoop {
  llvm::CallBase *call = nullptr;
  llvm::CallBase *alloc = nullptr;
  llvm::CallBase *reductions = nullptr; ///< __kmpc_taskred_init; null without reductions.
  llvm::Function *entry = nullptr;
  llvm::CallBase *bodyCall = nullptr;    ///< In the entry.
  llvm::ConstantInt *bytes = nullptr;    ///< Of the task.
  std::optional<std::uint64_t> privates; ///< Where its variables begin; none if it has none.
  std::vector<Reduced> reduced;
};

/// The name of the function that `value` calls; empty if it calls none by name.
llvm::StringRef calleeName(const llvm::Value &value);

/// The variable that keeps the argument, which is used for nothing else.
llvm::AllocaInst *variableOf(const llvm::Argument &argument);

/// Loads at that place of what `base` leads to.
llvm::SmallVector<llvm::LoadInst *, 2> loadsOf(llvm::Value &base, std::uint64_t place);

/// Whether the instruction begins or ends the life of a variable.
bool isLifetime(const llvm::User &user);

/// Why `loop`, of which only the call is known, could not as well be a worksharing loop, or an
/// empty string. Fills in the rest.
std::string describeTaskLoop(TaskLoop &loop);

/// Whether each private copy that `body` asks for, in turn, is that of the next reduced variable.
/// Fills in `asked`.
bool asksInTurn(const TaskLoop &loop, llvm::Function &body,
                llvm::SmallVectorImpl<llvm::CallBase *> &asked);

} // namespace tutti::compiler::openmp
