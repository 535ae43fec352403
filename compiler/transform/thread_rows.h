// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory for the thread-private variables of a construct whose threads become iterations: a row
/// for each thread, which holds them while the construct is executed.
///
///   static double own[64];                  for each thread: rows[id] = own;
///   #pragma omp threadprivate(own)          #pragma omp parallel
///   #pragma omp parallel                    { ... rows[id][k] = ...; }
///   { ... own[k] = ...; }                   for each thread: own = rows[id];
///
/// Decides, too, whether the construct gets at the variables by their names alone.
#pragma once

#include "compiler/ir/forks.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::compiler {

/// The attribute of functions that threads execute at home in front of a construct and behind it:
/// no constructs of the program's.
inline constexpr const char *kMovesRows = "tutti.moves-rows";

/// The attribute of a construct that has another version for several ranks, of which remarks tell.
inline constexpr const char *kForOneRank = "tutti.for-one-rank";

/// Whether `function`, or one that it calls, uses thread-private variables.
bool usesThreadPrivate(const llvm::Function &function);

class ThreadRows {
public:
  /// For the construct that executes `outlined`.
  explicit ThreadRows(llvm::Function &outlined);

  bool empty() const { return variables_.empty(); }

  /// Lets `copy`, a promoted copy of the construct that `forks` start, find the variables in the
  /// row of thread `number` of those at `rows`. Returns why it cannot be, and sets `place`, or an
  /// empty string.
  std::string use(llvm::Function &copy, llvm::Value &rows, llvm::Instruction &number,
                  llvm::ArrayRef<llvm::CallInst *> forks, llvm::DebugLoc &place);

  /// Memory for the rows of `team` threads (i64), which they fill in front of `fork`, for which
  /// `requests` are made.
  /// Order: after `use`.
  llvm::Value *fill(llvm::IRBuilder<> &build, llvm::CallInst &fork, const ThreadRequests &requests,
                    llvm::Value &team);

  /// Takes the variables from `rows` again, which are no more then.
  void takeBack(llvm::IRBuilder<> &build, llvm::CallInst &fork, const ThreadRequests &requests,
                llvm::Value &team, llvm::Value &rows);

private:
  struct Variable {
    llvm::GlobalVariable *variable;
    std::uint64_t offset;
    std::uint64_t bytes;
    bool isCopiedIn; ///< From the first thread.
  };

  Variable *find(const llvm::Value *pointer);
  std::string dropCopyIn(llvm::Function &copy, llvm::ArrayRef<llvm::CallInst *> forks);
  bool isByName(llvm::Function &copy, llvm::ArrayRef<llvm::CallInst *> forks) const;
  llvm::Function *mover(llvm::CallInst &fork, bool fills);
  void forkMover(llvm::IRBuilder<> &build, llvm::CallInst &fork, const ThreadRequests &requests,
                 llvm::Function &mover, llvm::Value &rows, llvm::Value &team);

  llvm::Function &outlined_;
  std::vector<Variable> variables_;
  std::uint64_t rowBytes_ = 0;
  bool isUnusual_ = false; ///< Some variable cannot stand in a row.
  llvm::Function *filler_ = nullptr;
  llvm::Function *taker_ = nullptr;
};

} // namespace tutti::compiler
