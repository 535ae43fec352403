// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions with worksharing loops that constructs call in several places. Each gets a conductor
/// of its own, which conductors of constructs call; else all that it does would be in each place:
///
///   void half(int n, double *u) {            // half.conducted(thread, thread, n, u):
///   #pragma omp for                          //   fork(half.step0, n, u)
///     for (int i = 0; i < n; i++) u[i] /= 2;
///   }
#pragma once

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

namespace tutti::compiler {

class OwnConductors {
public:
  /// The functions that `constructs` call, from whatever depth, for which a conductor saves more
  /// than it costs; callees first.
  static llvm::SmallVector<llvm::Function *, 8>
  candidates(llvm::ArrayRef<llvm::Function *> constructs);

  void add(llvm::Function &function, llvm::Function &conductor);

  /// Whether `function` leads to one that has a conductor.
  bool isCalledFrom(const llvm::Function &function) const;

  /// As long as this lives, calls of functions with conductors stay calls (kOwnConductor,
  /// kBesideLoops).
  class Kept {
  public:
    explicit Kept(const OwnConductors &all);
    ~Kept();

    Kept(const Kept &) = delete;
    Kept &operator=(const Kept &) = delete;

  private:
    const OwnConductors &all_;
  };

  /// Why `conductor` cannot call those that it would call, or an empty string.
  static std::string whyNotCalled(llvm::Function &conductor);

  /// Calls conductors in the place of functions.
  void callFrom(llvm::Function &conductor) const;

  /// Erases those that nobody calls, and steps that are theirs alone.
  void dropUnused();

private:
  struct Own {
    llvm::Function *conductor = nullptr;
    llvm::SmallVector<unsigned, 4> besideLoops; ///< Parameters of the function.
  };

  llvm::MapVector<llvm::Function *, Own> conductors_;
};

} // namespace tutti::compiler
