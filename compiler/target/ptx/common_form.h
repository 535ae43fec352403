// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The form that kernels have in common which do the same: loops of equal bodies differ in their
/// names and in which of the program's variables they get.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace tutti::compiler::target {

/// What an entry point is called, and the place of each of its parameters in its own form.
struct OwnEntry {
  std::string name;
  std::vector<unsigned> parameters;
};

/// While it exists, entry points of `kernels` have names by their order, and use captures, values
/// and symbols in the order in which they first occur. Then all is as before.
class CommonForm {
public:
  explicit CommonForm(llvm::Module &kernels);
  ~CommonForm();
  CommonForm(const CommonForm &) = delete;
  CommonForm &operator=(const CommonForm &) = delete;

  const std::vector<OwnEntry> &entries() const { return entries_; }

private:
  llvm::Module &kernels_;
  std::string source_;
  std::vector<llvm::Function *> functions_;
  std::vector<OwnEntry> entries_;
};

/// A PTX text of kernels in common form, with names and parameters of their own.
std::string withOwnEntries(llvm::StringRef text, llvm::ArrayRef<OwnEntry> entries);

} // namespace tutti::compiler::target
