// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether what a kernel reads is in the memory of its device: values of a region do not travel as
/// memory, so the access must be one that the region reports, or, where accesses have been joined,
/// each address that could be that of a value must be among what it reports.
#pragma once

#include "compiler/analysis/chunk_model.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#include <cstdint>

namespace tutti::compiler {

class ReportedReads {
public:
  /// `map` leads from what the model's addresses are made of to the same in `body`, where they are
  /// computed for as long as this lives.
  ReportedReads(ChunkModel &model, llvm::Function &body, llvm::ValueToValueMapTy &map,
                llvm::FunctionAnalysisManager &analyses);
  ~ReportedReads();
  ReportedReads(const ReportedReads &) = delete;
  ReportedReads &operator=(const ReportedReads &) = delete;

  /// Whether all that `inst`, of the body, may read at `pointer` is reported, or varies between
  /// iterations, which values do not. `everywhere`: all of unified memory is reported.
  bool cover(const llvm::Instruction &inst, llvm::Value *pointer, bool everywhere);

private:
  struct Read {
    const llvm::SCEV *address;
    std::uint64_t bytes;
  };

  void add(llvm::Value *address, std::uint64_t bytes, llvm::ValueToValueMapTy &map);
  bool isFixed(const llvm::SCEV *address) const;

  ChunkModel &model_;
  llvm::Function &body_;
  llvm::FunctionAnalysisManager &analyses_;
  llvm::SmallVector<Read, 8> reads_; ///< At addresses that are known before the loop.
  llvm::SmallVector<llvm::WeakTrackingVH, 8> copies_;
};

} // namespace tutti::compiler
