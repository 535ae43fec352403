// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The body of a region's kernels: the outlined function with its loop over one chunk, its values
/// as arguments and its dereferences on the device. Which work-item executes what is left open.
#pragma once

#include "compiler/analysis/chunk_model.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/transform/kernel_module.h"

#include <string>
#include <vector>

namespace tutti::compiler {

/// i32 (): whether the work-item executes the last iteration of the whole loop.
inline constexpr llvm::StringLiteral kIsLastPlaceholder = "tutti.kernel.is.last";

class KernelBody {
public:
  KernelBody(KernelModule &kernels, llvm::Function &prepared, const Worksharing &loop,
             ChunkModel &model, llvm::FunctionAnalysisManager &analyses, bool chases);
  ~KernelBody();
  KernelBody(const KernelBody &) = delete;
  KernelBody &operator=(const KernelBody &) = delete;

  /// Brings the body into SSA form. Returns why kernels cannot have it, or nothing.
  std::string build();

  /// Makes the body an entry point; `build` found no reason. Globals that it refers to are
  /// appended to `symbols`.
  llvm::Function *finish(const llvm::Twine &name, std::vector<llvm::GlobalValue *> &symbols);

  /// The header of the loop over the chunk.
  llvm::BasicBlock *chunkLoop() const { return chunkLoop_; }

  /// `createCombiner`'s kernel for the loop's reduction; null if there is none, or if it would need
  /// variables of the program.
  llvm::Function *combiner() const { return combiner_; }

private:
  std::string replaceRuntimeCalls(llvm::ValueToValueMapTy &map);
  llvm::Function *importCombine(llvm::Function &combine);
  llvm::SmallVector<llvm::GlobalVariable *, 4> variablesOf(llvm::Function &function);
  void closeAddresses();

  ChunkBounds chunkBounds() const { return {isLast_, lower_, upper_, stride_}; }

  void replaceValues();
  std::string findChunkLoop();
  std::string checkMemory();
  std::string checkWrite(llvm::Instruction &inst);
  std::string checkUses();
  std::string checkReduction();
  std::string collectSymbols();
  void nameParameters(llvm::Function &entry) const;
  bool isForLastIteration(llvm::BasicBlock *block);
  void mapModel(llvm::ValueToValueMapTy &map);
  llvm::Instruction *entryEnd();

  KernelModule &kernels_;
  const Worksharing &loop_;
  ChunkModel &model_;
  llvm::FunctionAnalysisManager &analyses_;
  llvm::Function &prepared_;
  bool chases_; ///< It follows pointers that it finds in memory: they are marked.
  llvm::Function *function_ = nullptr;
  llvm::Function *combiner_ = nullptr;
  llvm::BasicBlock *chunkLoop_ = nullptr;
  unsigned captures_ = 0;
  llvm::Argument *isLast_ = nullptr;
  llvm::Argument *lower_ = nullptr;
  llvm::Argument *upper_ = nullptr; ///< Inclusive.
  llvm::Argument *stride_ = nullptr;
  llvm::Argument *arena_ = nullptr;
  llvm::Argument *low_ = nullptr;
  llvm::Argument *high_ = nullptr;
  llvm::Argument *partials_ = nullptr;
  llvm::SmallVector<llvm::Argument *, 16> values_;
  llvm::SmallVector<llvm::GlobalVariable *, 4> standIns_; ///< Of variables that the body uses.
};

} // namespace tutti::compiler
