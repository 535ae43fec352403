// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Prints one kernel as an OpenCL C function: a variable per value, a label per block.
///
/// Blocks end in `goto`, which every compiler of OpenCL C takes as long as loops have one entry;
/// they bring functions into the form that the kernel had in LLVM IR anyway.
#pragma once

#include "compiler/target/opencl/expressions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"

namespace tutti::compiler::target::opencl {

class KernelPrinter {
public:
  KernelPrinter(const llvm::Function &kernel, Expressions &expressions);

  /// The whole function. Order: once; of no use if `Expressions::reason` is set then.
  std::string print();

private:
  std::string parameters();
  void declare(const llvm::Instruction &inst);
  void printBlock(const llvm::BasicBlock &block, const llvm::BasicBlock *next);
  void printInstruction(const llvm::Instruction &inst);
  void printCall(const llvm::CallBase &call);
  void printCopy(const llvm::MemTransferInst &copy);
  void printFill(const llvm::MemSetInst &fill);
  void printBranch(const llvm::BranchInst &branch, const llvm::BasicBlock *next);
  void printSwitch(const llvm::SwitchInst &inst);
  std::string edge(const llvm::BasicBlock &from, const llvm::BasicBlock &to,
                   const llvm::BasicBlock *next);
  std::string phiCopies(const llvm::BasicBlock &from, const llvm::BasicBlock &to);
  void line(const llvm::Twine &text);
  void assign(const llvm::Value &value, const std::string &text);

  const llvm::Function &kernel_;
  Expressions &expressions_;
  llvm::DenseMap<const llvm::BasicBlock *, std::string> labels_;
  llvm::StringSet<> localArrays_; ///< That are declared.
  std::string declarations_;
  std::string body_;
  unsigned variables_ = 0;
};

} // namespace tutti::compiler::target::opencl
