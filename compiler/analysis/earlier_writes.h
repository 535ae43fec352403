// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which reads of a parallel loop find only what the same iteration has written before them. They
/// do not need the bytes that were there before the loop.
///
///   for (j = 0; j < n; j++) c[i][j] = 0;
///   for (k = 0; k < n; k++)
///     for (j = 0; j < n; j++) c[i][j] += a[i][k] * b[k][j];   // reads a and b, but not c
///
/// It holds in each iteration alone, so for every chunk. What is written in between does not
/// matter: it is written by the same iteration, too.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

#include <optional>
#include <utility>

namespace tutti::compiler {

/// Compares the accesses of a chunk model, which `ChunkModel::asTouch` knows and which stays as it
/// is meanwhile.
class EarlierWrites {
public:
  /// `chunkLoop` is the loop over the chunk's iterations.
  EarlierWrites(const llvm::Loop &chunkLoop, const llvm::LoopInfo &loops,
                llvm::ScalarEvolution &scev)
      : chunkLoop_(chunkLoop), loops_(loops), scev_(scev) {}

  /// Whether all bytes that `read` touches in an iteration of the chunk have been written by
  /// `write` in this iteration, each time before `read` gets there.
  ///
  /// Both may compute addresses in narrow integers: it holds only where neither wraps around.
  bool cover(llvm::CallInst &write, llvm::CallInst &read);

private:
  struct Dim {
    const llvm::SCEV *stride;
    const llvm::SCEV *count;
  };

  /// `bytes` bytes at `base + sum(i_d * stride_d)`, 0 <= i_d < count_d.
  struct Area {
    const llvm::SCEV *base;
    const llvm::SCEV *bytes;
    llvm::SmallVector<Dim, 3> dims;
  };

  bool isFixed(const llvm::SCEV *expression, const llvm::Loop &shared) const;
  bool isFixed(const llvm::Value *value, const llvm::Loop &shared) const;
  std::optional<Area> areaOf(const llvm::CallInst &touch, const llvm::Loop &shared);
  std::optional<Area> knownAreaOf(const llvm::CallInst &touch, const llvm::Loop &shared);
  void turnUpwards(Area &area);
  void joinRuns(Area &area);
  std::pair<const llvm::SCEV *, const llvm::SCEV *> divide(const llvm::SCEV *offset,
                                                           const llvm::SCEV *stride);
  bool fits(const llvm::SCEV *offset, const llvm::SCEV *size, const llvm::SCEV *room,
            const llvm::CallInst &read);
  bool contains(Area outer, Area inner, const llvm::CallInst &read);

  bool runsBefore(const llvm::CallInst &write, const llvm::CallInst &read,
                  const llvm::Loop &shared);
  bool mustPass(const llvm::BasicBlock &write, const llvm::CallInst &read,
                const llvm::Loop &shared);
  bool canAvoid(const llvm::Loop &loop, const llvm::BasicBlock &avoided,
                const llvm::BasicBlock *target, const llvm::Loop &shared,
                const llvm::CallInst &read);
  bool isRefuted(const llvm::Value *condition, bool holds, const llvm::Loop &shared,
                 const llvm::CallInst &read);

  const llvm::Loop &chunkLoop_;
  const llvm::LoopInfo &loops_;
  llvm::ScalarEvolution &scev_;

  /// Of accesses, within a loop: each is compared with many others.
  llvm::DenseMap<std::pair<const llvm::CallInst *, const llvm::Loop *>, std::optional<Area>> areas_;

  /// What has been found out of two blocks: many accesses stand in each. The loop that the question
  /// is about, the innermost one around both, follows from them.
  llvm::DenseMap<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>, bool> passed_;
  /// Of a condition (whether it holds), for reads in a block, within a loop.
  llvm::DenseMap<std::pair<llvm::PointerIntPair<const llvm::Value *, 1, bool>,
                           std::pair<const llvm::BasicBlock *, const llvm::Loop *>>,
                 bool>
      refuted_;
};

} // namespace tutti::compiler
