// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/item_dependences.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tutti::compiler {

ItemDependences::ItemDependences(const Function &item, ArrayRef<Origin> origins) {
  for (auto [number, dimension] : origins) {
    known_[number] = static_cast<Dimensions>(1U << dimension);
  }
  bool changed = true;
  while (changed) {
    changed = false;
    for (const Instruction &inst : instructions(item)) {
      Dimensions all = 0;
      for (const Use &use : inst.operands()) {
        all |= of(use.get());
      }
      Dimensions &known = known_[&inst];
      changed = changed || known != all;
      known = all;
    }
  }
}

} // namespace tutti::compiler
