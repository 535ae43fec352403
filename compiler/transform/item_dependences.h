// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which values of an item, the body of a nest as a function, depend on its numbers.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"

#include <cstdint>
#include <utility>

namespace tutti::compiler {

class ItemDependences {
public:
  using Dimensions = std::uint8_t; ///< A set of them, by bit.
  /// A value that is an item's number, and of which dimension.
  using Origin = std::pair<llvm::Value *, unsigned>;

  ItemDependences() = default;
  ItemDependences(const llvm::Function &item, llvm::ArrayRef<Origin> origins);

  /// Of nothing that came into the function later.
  Dimensions of(const llvm::Value *value) const { return known_.lookup(value); }

private:
  llvm::DenseMap<const llvm::Value *, Dimensions> known_;
};

} // namespace tutti::compiler
