// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a chunk of a parallel loop reads and writes, in closed form: one record per access
/// instruction, with base, extents and conditions as expressions over captures, values and the
/// chunk's bounds.
#pragma once

#include "compiler/analysis/chunk_model.h"
#include "compiler/analysis/walks.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/InstrTypes.h"

#include <memory>
#include <string>
#include <vector>

namespace tutti::compiler {

/// Elements at `base + sum(i_d * stride_d)`, 0 <= i_d < count_d.
///
/// All expressions are invariant in every loop of the model: they consist of constants, captures,
/// values, `lower`, `upper` and `isLast`, and of what the record walks through.
struct AccessRecord {
  struct Dim {
    const llvm::SCEV *stride; ///< Bytes; may be negative at run time.
    const llvm::SCEV *count;  ///< Iterations; at least 1 where all conditions hold.
    friend bool operator==(const Dim &, const Dim &) = default;
  };

  /// `start + sum(i_d * stride_d)` in 64 bits must fit an integer of `bits` bits for the record to
  /// be right: the program computes it in that type, where it could wrap around.
  struct Assumption {
    const llvm::SCEV *start;
    llvm::SmallVector<Dim, 3> dims;
    unsigned bits;
    bool isSigned;
    friend bool operator==(const Assumption &, const Assumption &) = default;
  };

  /// The access happens only if this has the value `holds`: a closed value, or where that is null
  /// the comparison of two closed expressions.
  struct Guard {
    llvm::Value *condition;
    bool holds;
    llvm::CmpInst::Predicate predicate = llvm::CmpInst::BAD_ICMP_PREDICATE;
    const llvm::SCEV *left = nullptr;
    const llvm::SCEV *right = nullptr;
    friend bool operator==(const Guard &, const Guard &) = default;
  };

  unsigned flags;          ///< tutti_access_flags; 0: only assumptions and what is followed count.
  const llvm::SCEV *base;  ///< Pointer to the first element.
  const llvm::SCEV *bytes; ///< Size of an element.
  llvm::SmallVector<Dim, 3> dims;
  llvm::SmallVector<Guard, 4> guards;
  llvm::SmallVector<Assumption, 1> assumptions;
  Walks walks;                     ///< The record is one of each iteration of these loops.
  llvm::CallInst *touch = nullptr; ///< The marker of the access, if it is that of one.
  bool isWhole = false;            ///< It has no closed form: all of the object counts.

  /// Whether they say the same.
  friend bool operator==(const AccessRecord &one, const AccessRecord &other) {
    return one.flags == other.flags && one.base == other.base && one.bytes == other.bytes &&
           one.dims == other.dims && one.guards == other.guards &&
           one.assumptions == other.assumptions && one.walks == other.walks;
  }
};

/// Something that is accessed at addresses without a closed form, so that all of it counts as read,
/// or as read and written.
struct WholeObject {
  std::string name;  ///< What the source calls it, or empty.
  std::string place; ///< Where, as `describePlace` says it.
  bool isWritten;
  friend bool operator==(const WholeObject &, const WholeObject &) = default;
};

/// Pointers that a loop finds in memory while it runs, and follows to read.
struct FoundPointers {
  std::string table; ///< What the source calls the object that they are found in, or empty.
  std::string place; ///< Where they are followed first, as `describePlace` says it.
};

/// All accesses of a region to memory that other threads see.
struct RegionAccesses {
  std::vector<AccessRecord> records;
  std::vector<WholeObject> wholeObjects; ///< Those that look different in the source.
  std::vector<FoundPointers> found;      ///< If there are any, some record is TUTTI_EVERYWHERE.
  /// Records hold for single iterations only (`lower == upper`): report them one by one.
  bool perIteration = false;
  bool isByElement = false; ///< ...and there are about as many of them as of elements.
  /// What to report in place of single iterations where there are many of them: it tells less. Null
  /// where it would tell too little.
  std::shared_ptr<const RegionAccesses> ofMany;
  const llvm::SCEV *lastIteration = nullptr;            ///< Number of the last iteration...
  llvm::SmallVector<AccessRecord::Guard, 4> tripGuards; ///< ...if these hold; none runs otherwise.
  const llvm::SCEV *piece = nullptr; ///< What TUTTI_PIECE is; null if that is one iteration.
  std::string reason;                ///< Why the region stays home, or empty.
  bool scatters = false;             ///< Some records are TUTTI_SCATTERED.
  bool follows = false;              ///< Some records walk.
  llvm::DebugLoc location;           ///< Where the reason is seen in the source, if known.
};

/// Analyses the model. Nothing is assumed: an access without a closed form gives a reason, or is
/// one of the whole object that its pointer leads to.
/// `captured`: for each capture the bytes of the variable that it is the address of; 0 where that
/// is not known.
RegionAccesses analyseAccesses(ChunkModel &model, llvm::FunctionAnalysisManager &analyses,
                               llvm::ArrayRef<std::uint64_t> captured);

} // namespace tutti::compiler
