// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A scratch copy of an outlined function in which the worksharing loop runs over one chunk: the
/// form that the access analysis looks at. It is never executed.
///
///   call void @static_init_4(..., ptr %last, ptr %lb, ptr %ub, ...)
/// becomes
///   store i32 %lower, ptr %lb     ; new arguments of the copy
///   store i32 %upper, ptr %ub
///   store i32 %isLast, ptr %last
///
/// Pointers that the loop finds in memory, at addresses in closed form, are loaded in front of the
/// loops in which these do not vary: the runtime refuses a loop that writes there.
///
/// Every access to shared memory is announced by a marker, `tutti.model.touch(address, bytes,
/// flags)`, which no pass removes: what becomes dead in the copy is still accessed in the real
/// function. Of a reduction remains what it does to the original variables, in the first chunk;
/// bookkeeping calls vanish, loops that ask libomp for the next piece run once, and the usual
/// clean-up passes bring everything into SSA form. Loads of scalars at invariant addresses
/// ("values", abi.h) are moved to the entry.
#pragma once

#include "compiler/analysis/chunk_loop.h"
#include "compiler/analysis/worksharing.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#include <string>

namespace tutti::compiler {

/// Owns the copy; erases it when it goes.
class ChunkModel {
public:
  /// `outlined` has passed `findWorksharing` (or at least has no calls with a body).
  /// Shape: arguments 0 and 1 of `outlined` are libomp's thread ids, captures follow.
  ChunkModel(llvm::Function &outlined, const Worksharing &loop,
             llvm::FunctionAnalysisManager &analyses);
  ~ChunkModel();
  ChunkModel(const ChunkModel &) = delete;
  ChunkModel &operator=(const ChunkModel &) = delete;

  llvm::Function &function() { return *function_; }

  llvm::Argument *lower() const { return lower_; } ///< First iteration of the chunk.

  llvm::Argument *upper() const { return upper_; } ///< Its last iteration, inclusive.

  llvm::Argument *isLast() const { return isLast_; } ///< i32: it holds the loop's last iteration.

  /// How many loops a record may walk through (walks.h).
  static constexpr unsigned kCounters = 3;

  /// i64; nothing in the model uses it: it stands for the iteration of a loop that is walked.
  llvm::Argument *counter(unsigned position) const {
    return function_->getArg(isLast_->getArgNo() + 1 + position);
  }

  /// Position of a counter, or -1.
  int counterIndex(const llvm::Argument *argument) const;

  /// Marks where the loop starts; its operands are the number of the last iteration, and how many
  /// iterations have an order as one piece (TUTTI_PIECE).
  llvm::CallInst *tripMarker() const;

  /// The marker if `inst` is one of an access: operands address, bytes (i64), flags (i32).
  static llvm::CallInst *asTouch(llvm::Instruction &inst);

  /// The pointer, a load, whose place in the model is right only if the loop does not write where
  /// it is loaded from; null if `inst` does not mark one.
  static llvm::Value *asRaised(llvm::Instruction &inst);

  /// Whether all that the access with that number reads is announced, in whatever copies: none of
  /// them has become a value.
  bool announcesReads(unsigned number) const;

  bool isUnsigned() const { return isUnsigned_; }

  /// Index of a capture among those of the fork, or -1.
  int captureIndex(const llvm::Argument *argument) const;

  /// The loads that became values, in the order in which `gather` reads them: an address depends
  /// on earlier values only.
  llvm::ArrayRef<llvm::LoadInst *> values() const { return values_; }

  /// Whether `load`, of an outlined function, becomes a value wherever it stands: it reads a scalar
  /// at a fixed place of a variable, or of what a capture leads to.
  static bool isAlwaysValue(const llvm::LoadInst &load);

  /// `numerator / divisor` is the same for all iterations that the model looks at: the loop counter
  /// of an inner loop that `collapse` merged into this one stays inside one row.
  struct Row {
    llvm::Value *numerator; ///< In the first iteration; one more in each one that follows.
    llvm::Value *divisor;
    bool isSigned;
  };

  /// Whether it holds for single iterations only: of a loop over the threads of a construct, each
  /// of which computes its part of the work from its number.
  bool isOfOneIteration() const { return isOfOneIteration_; }

  /// Where chunks have to be cut for the model to hold; empty if it holds for any chunk.
  llvm::ArrayRef<Row> rows() const { return rows_; }

  /// Why the loop stays home although its calls are fine, or empty.
  const std::string &reason() const { return reason_; }

  const llvm::DebugLoc &reasonLocation() const { return reasonLocation_; }

private:
  llvm::SmallPtrSet<llvm::BasicBlock *, 8> reductionBlocks(const Worksharing &loop,
                                                           const llvm::ValueToValueMapTy &map);
  void markAccesses(const llvm::SmallPtrSetImpl<llvm::BasicBlock *> &reduction);
  void markReads(llvm::CallInst &call, bool isReduced);
  void markUpdate(llvm::AtomicRMWInst &update, bool isReduced);
  void markAccess(llvm::Instruction &inst, llvm::Value *pointer, llvm::Value *bytes,
                  unsigned flags);
  void replaceRuntimeCalls(const Worksharing &loop, const llvm::ValueToValueMapTy &map);
  void checkAfterReduction();
  void closeAddresses(llvm::FunctionAnalysisManager &analyses);

  ChunkBounds chunkBounds() const { return {isLast_, lower_, upper_, stride_}; }

  void hoistValues();
  bool raisePointers();
  bool raise(llvm::LoadInst &load, llvm::LoopInfo &loops);
  void adoptReads();
  llvm::SmallPtrSet<llvm::Value *, 32> shapers();
  void splitRows(llvm::FunctionAnalysisManager &analyses);
  void takeFirstIteration();
  bool isHoistable(llvm::Value *address);
  void moveToEntry(llvm::Value *value);

  llvm::Function *function_;
  llvm::FunctionAnalysisManager &analyses_;
  llvm::Argument *lower_ = nullptr;
  llvm::Argument *upper_ = nullptr;
  llvm::Argument *stride_ = nullptr; ///< Distance of pieces of a chunked schedule.
  llvm::Argument *isLast_ = nullptr;
  bool isUnsigned_ = false;
  bool isOfOneIteration_ = false;
  unsigned captureCount_ = 0;
  llvm::SmallVector<llvm::LoadInst *, 16> values_;
  llvm::SmallVector<Row, 2> rows_;
  llvm::SmallDenseSet<unsigned, 16> announced_; ///< Numbers of accesses that read.
  llvm::SmallDenseSet<unsigned, 4> adopted_;    ///< Of those that have become values.
  bool hasAdoptedAnother_ = false;              ///< One that has lost its number.
  std::string reason_;
  llvm::DebugLoc reasonLocation_;
};

/// Whether `pointer` leads to memory of the calling thread alone, to constants, or to memory that
/// all threads see.
enum class MemoryKind { Private, Constant, Shared, Mixed };
MemoryKind memoryKind(const llvm::Value *pointer);

} // namespace tutti::compiler
