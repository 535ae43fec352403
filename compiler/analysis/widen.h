// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Takes narrow counters for wide ones: `sext i32 {a,+,b}` becomes `{sext a,+,sext b}`, which is
/// the same as long as the narrow one does not wrap.
#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

namespace tutti::compiler {

/// Moves recurrences out of sign and zero extensions, and notes what that assumes: those of loops
/// inside of `around`, or of all if it is null.
class Widen : public llvm::SCEVRewriteVisitor<Widen> {
public:
  struct Assumed {
    const llvm::SCEV *wide;
    unsigned bits;
    bool isSigned;
  };

  Widen(llvm::ScalarEvolution &scev, const llvm::Loop *around)
      : SCEVRewriteVisitor(scev), around_(around) {}

  const llvm::SCEV *visitSignExtendExpr(const llvm::SCEVSignExtendExpr *extension) {
    return visitExtension(extension, true);
  }

  const llvm::SCEV *visitZeroExtendExpr(const llvm::SCEVZeroExtendExpr *extension) {
    return visitExtension(extension, false);
  }

  llvm::ArrayRef<Assumed> assumed() const { return assumed_; }

private:
  /// Whether the loop counts in numbers as narrow as `recurrence`. What it does not count in, and
  /// is narrower than `int`, is the rest of a division by a power of two, `i & 63`: that does wrap.
  static bool isCounter(const llvm::SCEVAddRecExpr &recurrence) {
    constexpr unsigned kIntBits = 32;
    return recurrence.getType()->getIntegerBitWidth() >= kIntBits ||
           llvm::any_of(recurrence.getLoop()->getHeader()->phis(), [&](const llvm::PHINode &phi) {
             return phi.getType() == recurrence.getType();
           });
  }

  const llvm::SCEVAddRecExpr *asRecurrence(const llvm::SCEV *expression) const {
    const auto *recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(expression);
    const bool isMeant = recurrence && recurrence->isAffine() &&
                         (!around_ || (recurrence->getLoop() != around_ &&
                                       around_->contains(recurrence->getLoop())));
    return isMeant ? recurrence : nullptr;
  }

  const llvm::SCEV *visitExtension(const llvm::SCEVCastExpr *extension, bool isSigned) {
    const llvm::SCEV *operand = visit(extension->getOperand());
    const llvm::SCEVAddRecExpr *recurrence = asRecurrence(operand);
    if (!recurrence || (!isSigned && !isCounter(*recurrence))) {
      return extend(operand, extension->getType(), isSigned);
    }
    const llvm::SCEV *wide = widen(recurrence, extension->getType(), isSigned);
    assumed_.push_back(
        {wide, static_cast<unsigned>(operand->getType()->getIntegerBitWidth()), isSigned});
    return wide;
  }

  const llvm::SCEV *extend(const llvm::SCEV *operand, llvm::Type *type, bool isSigned) {
    return isSigned ? SE.getSignExtendExpr(operand, type) : SE.getZeroExtendExpr(operand, type);
  }

  /// The same recurrence modulo 2^bits. Steps are small, also those that count down.
  const llvm::SCEV *widen(const llvm::SCEV *expression, llvm::Type *type, bool isSigned) {
    const llvm::SCEVAddRecExpr *recurrence = asRecurrence(expression);
    if (!recurrence) {
      return extend(expression, type, isSigned);
    }
    return SE.getAddRecExpr(widen(recurrence->getStart(), type, isSigned),
                            SE.getSignExtendExpr(recurrence->getStepRecurrence(SE), type),
                            recurrence->getLoop(), llvm::SCEV::FlagAnyWrap);
  }

  const llvm::Loop *around_;
  llvm::SmallVector<Assumed, 1> assumed_;
};

} // namespace tutti::compiler
