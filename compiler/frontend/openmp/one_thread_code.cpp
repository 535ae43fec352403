// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/openmp/one_thread_code.h"

#include "compiler/frontend/openmp/task_loop_form.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tutti::compiler::openmp {

/// `if (call(...) != 0)`: the way into what one thread does.
OneThreadCode::OneThreadCode(Function &function) : tree_(function) {
  for (Instruction &instruction : instructions(function)) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    const StringRef name = calleeName(instruction);
    if (name != "__kmpc_single" && name != "__kmpc_master" && name != "__kmpc_masked") {
      continue;
    }
    if (name == "__kmpc_masked") { // Its last argument says which thread is meant.
      const auto *filter = dyn_cast<ConstantInt>(call->getArgOperand(2));
      isFirst_ &= filter && filter->isZero();
    }
    for (const User *user : call->users()) {
      const auto *compare = dyn_cast<ICmpInst>(user);
      if (!compare || compare->getPredicate() != CmpInst::ICMP_NE) {
        continue;
      }
      for (const User *of : compare->users()) {
        const auto *branch = dyn_cast<BranchInst>(of);
        if (branch && branch->isConditional()) {
          begins_.emplace_back(branch->getParent(), branch->getSuccessor(0));
        }
      }
    }
  }
}

} // namespace tutti::compiler::openmp
