// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Texts that other threads write while clang goes on with the module that they belong to.
///
/// Such a text is a constant that is only declared. The host's assembly printer defines it behind
/// all functions: there LLVM lets a garbage collector print its metadata, and one function of the
/// module claims to have that collector. A pass that writes the module itself (as IR or bitcode)
/// needs `placeTexts` first.
#pragma once

#include "compiler/target/kernel_target.h"
#include "compiler/target/kernel_text.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Support/ThreadPool.h"

#include <functional>
#include <future>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tutti::compiler {

/// The late texts of one module.
///
/// Threading: confined to the thread that compiles the module.
class LateTexts {
public:
  using Text = std::shared_future<target::KernelText>;

  /// Of `module`, which has none yet. Known until they are in place.
  static LateTexts &create(llvm::Module &module);

  /// A text of several parts, one behind the other.
  struct Parts {
    std::vector<Text> texts;
    std::function<std::string(const std::string &)> own; ///< As of `target::KernelDraft`.
  };

  /// Has the parts of `draft`, for devices of that format, written on other threads, unless those
  /// of an equal form are.
  Parts begin(unsigned format, target::KernelDraft draft);

  /// Declares the constant that will hold a text of these parts, and a zero behind it: only the
  /// zero, and a warning, if one cannot be written. `emitted` is a function that will be printed in
  /// any case.
  llvm::GlobalVariable *declare(Parts parts, const llvm::Twine &name, llvm::Function &emitted);

private:
  friend class TextPrinter;
  friend void placeTexts(llvm::Module &module);

  struct Entry {
    llvm::WeakVH declaration;
    llvm::Function *emitted;
    Parts parts;
  };

  LateTexts();

  Text begin(std::function<target::KernelText()> write);

  /// With the zero; waits for it.
  static std::string contents(const Entry &entry);

  /// Forgets that of `module`, and returns it, or null.
  static std::unique_ptr<LateTexts> take(const llvm::Module &module);

  std::vector<Entry> entries_;
  std::map<std::pair<unsigned, std::string>, std::vector<Text>> begun_; ///< By format and form.
  llvm::DefaultThreadPool threads_;
};

/// Waits for all late texts of `module`, and defines them in it.
void placeTexts(llvm::Module &module);

/// Whether the pass of this name writes its module out as it is.
bool writesModule(llvm::StringRef pass);

} // namespace tutti::compiler
