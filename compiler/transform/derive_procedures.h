// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Gives procedures of LuNA programs versions for devices, where it is seen that they are right.
///
///   c_step(n, u, v)   stays, and   tutti_luna_device_c_step(n, u, v)   appears
///
/// with the same parameters. The version asks for the same memory, decides with numbers alone, and
/// forks where the procedure touches what fragments hold: a sequential loop whose iterations are
/// independent is a parallel loop of its own, with what code behind it stores again of what they
/// made; what else lies between loops is one of one iteration. So
/// whoever calls the version, with forks that are recorded, has the kernels to run one after the
/// other, and no byte of a fragment has been touched.
///
/// A module that calls the version itself, of a procedure that it has in place, declares it: that
/// is the version then, or stays null.
///
/// A remark says of any other procedure why it has no version.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Copies procedures, for the passes below to work on, and keeps simplification from giving the
/// copies' loops another form.
///
/// Order: before simplification.
class CopyProceduresPass : public llvm::PassInfoMixin<CopyProceduresPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

/// Makes versions of the copies, or drops them.
///
/// Order: before launches are made of forks.
class DeriveProceduresPass : public llvm::PassInfoMixin<DeriveProceduresPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
