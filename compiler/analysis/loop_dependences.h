// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Under which conditions the iterations of a loop in a kernel (compiler/ir/kernel.h) touch
/// different memory. What cannot be decided here becomes a condition to be evaluated at launch.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace tutti::compiler {

/// Holds if `left` >= `right` as signed 64-bit numbers; both are closed: made of constants and the
/// kernel's parameters lower, upper, total, captures, values and symbols.
struct AtLeast {
  const llvm::SCEV *left;
  const llvm::SCEV *right;
  friend bool operator==(const AtLeast &, const AtLeast &) = default;
};

enum class Truth { Never, AtLaunch, Always };

/// Conditions of a launch, and what holds under them.
///
/// Differences of addresses are exact modulo 2^64. Sums and products that are compared with them
/// must not wrap around: `limited` and `product` add the conditions which see to that.
class LaunchConditions {
public:
  explicit LaunchConditions(llvm::ScalarEvolution &scev);

  /// Decides `left` >= `right`, or adds it as a condition if both are closed.
  Truth atLeast(const llvm::SCEV *left, const llvm::SCEV *right);

  /// The largest or smallest value of `expression` over all iterations of all loops, as a closed
  /// expression; null if there is none.
  const llvm::SCEV *extreme(const llvm::SCEV *expression, bool largest);

  /// How often the loop's backedge is taken, at most; closed, or null.
  const llvm::SCEV *mostTaken(const llvm::Loop &loop);

  /// `factor * count` for closed operands, or null.
  const llvm::SCEV *product(const llvm::SCEV *factor, const llvm::SCEV *count);

  /// Makes `step` >= 0 or `step` <= 0 sure. Returns whether it is the former; nothing if unknown.
  std::optional<bool> isUpwards(const llvm::SCEV *step);

  /// `expression` with recurrences of loops inside of `around` moved out of sign and zero
  /// extensions; of all loops if it is null. Null if they might wrap around.
  const llvm::SCEV *widened(const llvm::SCEV *expression, const llvm::Loop *around);

  static bool isClosed(const llvm::SCEV *expression);

  llvm::ArrayRef<AtLeast> list() const { return list_; }

  /// Forgets all but the first `size` conditions: of an alternative that was not taken.
  void truncate(std::size_t size) { list_.truncate(size); }

private:
  const llvm::SCEV *constant(std::int64_t value);
  bool limited(const llvm::SCEV *expression, unsigned bits);
  const llvm::SCEV *extremeOfSum(const llvm::SCEVAddExpr *sum, bool largest);
  const llvm::SCEV *extremeOfProduct(const llvm::SCEVMulExpr *product, bool largest);
  const llvm::SCEV *extremeOfRecurrence(const llvm::SCEVAddRecExpr *recurrence, bool largest);
  const llvm::SCEV *extremeOfChoice(const llvm::SCEVMinMaxExpr *choice, bool largest);
  const llvm::SCEV *extremeInRange(const llvm::SCEV *expression, bool largest);

  llvm::ScalarEvolution &scev_;
  llvm::SmallVector<AtLeast, 16> list_;
};

/// An access to global memory: `bytes` bytes, `offset` behind the pointer `root`, in the addresses
/// of the program.
struct KernelAccess {
  llvm::Instruction *instruction;
  const llvm::Loop *loop; ///< The innermost one around it.
  bool writes;
  const llvm::SCEV *root;   ///< A parameter of the kernel, or what no parameter is known for.
  const llvm::SCEV *offset; ///< i64; null if not known.
  const llvm::SCEV *bytes;

  bool hasParameter() const;
};

/// The access of `bytes` bytes at `pointer`.
KernelAccess kernelAccess(llvm::Instruction &inst, llvm::Value *pointer, const llvm::SCEV *bytes,
                          const llvm::Loop *loop, llvm::ScalarEvolution &scev);

/// Compares accesses in iterations with different numbers of loops that run equally often, in the
/// same iteration of `parent`, which is around all of them, and of all loops around that.
class LoopDependences {
public:
  /// Apart: accesses that are a multiple of a row apart, which one is not known, count as
  /// independent if what each of them touches is shorter than a row.
  enum class Rows { Alike, Apart };

  LoopDependences(const llvm::Loop &parent, llvm::ArrayRef<llvm::Loop *> loops,
                  llvm::ScalarEvolution &scev, LaunchConditions &conditions,
                  Rows rows = Rows::Alike)
      : parent_(parent), loops_(loops), scev_(scev), conditions_(conditions), rows_(rows) {}

  /// Whether iterations with different numbers never touch the same byte by `store` and `other`; of
  /// an `other` outside of the loops, whether no iteration touches its bytes by `store`.
  bool areIndependent(const KernelAccess &store, const KernelAccess &other);

  /// Some accesses are independent only if they are far enough apart, which is guessed.
  bool isGuess() const { return isGuess_; }

  /// Some accesses are independent only if objects with different pointers do not overlap.
  bool needsDisjoint() const { return needsDisjoint_; }

private:
  /// The bytes from `start + low` up to `start + high`, moved by `stride` in each iteration.
  /// `start` may depend on the loops around, the others are closed.
  struct Lane {
    const llvm::SCEV *start;
    const llvm::SCEV *stride;
    const llvm::SCEV *low;
    const llvm::SCEV *high;
  };

  /// `start` of one lane less that of another, and the distances at which the lanes are disjoint:
  /// it is `above` or more, or its negative `below` or more.
  struct Distance {
    const llvm::SCEV *whole;
    const llvm::SCEV *exact; ///< The same; null unless closed.
    const llvm::SCEV *smallest;
    const llvm::SCEV *largest;
    const llvm::SCEV *above;
    const llvm::SCEV *below;
  };

  const llvm::SCEV *placeOf(const llvm::SCEV *root) const;
  bool isDisjointObject(const KernelAccess &one, const KernelAccess &other);

  bool isOutside(const llvm::Loop *loop) const { return loop->contains(&parent_); }

  /// The one of the loops that `access` is in, or null.
  const llvm::Loop *own(const KernelAccess &access) const;

  const llvm::SCEV *mostTaken() { return conditions_.mostTaken(*loops_.front()); }

  bool isSettled(const llvm::SCEV *expression, const KernelAccess &access) const;
  std::optional<Lane> lane(const KernelAccess &access);
  std::optional<Lane> smeared(Lane lane);
  std::optional<Distance> distance(const Lane &one, const Lane &other);
  bool keepsOwnLane(const Lane &one, const Lane &other);
  const llvm::SCEV *quotient(const llvm::SCEV *expression, const llvm::SCEV *factor);
  bool areRowsApart(const Distance &distance, const llvm::SCEV *stride, const llvm::SCEV *reach);
  Truth areNeighbours(const Distance &distance, const llvm::SCEV *stride);
  Truth areInterleaved(const Distance &distance, const llvm::SCEV *stride);
  Truth neverMeet(const Distance &distance, const llvm::SCEV *reach);
  bool isWholeStrides(const llvm::SCEV *distance, const llvm::SCEV *stride);

  const llvm::Loop &parent_;
  llvm::ArrayRef<llvm::Loop *> loops_;
  llvm::ScalarEvolution &scev_;
  LaunchConditions &conditions_;
  Rows rows_;
  bool needsDisjoint_ = false;
  bool isGuess_ = false;
};

} // namespace tutti::compiler
