// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds functions of a module that do the same, instruction by instruction: regions that are
/// written alike have parts that are.
///
/// LLVM's own comparison takes nodes of metadata for equal of which it only knows that they are
/// nodes, so what it merges may rely on what holds for one of the functions alone.
#pragma once

#include "llvm/IR/Function.h"

#include <map>
#include <vector>

namespace tutti::compiler {

/// Whether `a` and `b` are the same but for their names and for places in sources.
bool areEqual(const llvm::Function &a, const llvm::Function &b);

/// Functions that may stand for equal ones.
class EqualFunctions {
public:
  /// The first function that equals `function`, or that itself.
  llvm::Function &firstOf(llvm::Function &function);

private:
  std::map<std::size_t, std::vector<llvm::Function *>> known_; ///< By what is quickly compared.
};

} // namespace tutti::compiler
