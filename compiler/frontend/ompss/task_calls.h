// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls of function tasks: each becomes one of the function's creator (task_function.h).
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace tutti::compiler::ompss {

/// Which functions are tasks, by where they are declared.
class TaskFunctions {
public:
  /// The function whose name stands at `name` has a creator of this name beside it. Calls after
  /// `pragma` are tasks.
  void add(clang::SourceLocation name, clang::SourceLocation pragma, std::string creator);

  bool isEmpty() const { return functions_.empty(); }

  struct Entry {
    clang::SourceLocation pragma;
    std::string creator;
  };

  /// What `add` was told of this declaration; null if nothing.
  const Entry *at(const clang::FunctionDecl &function) const;

  /// What `add` was told of any declaration of the function, or of what it is an instance of.
  const Entry *find(const clang::FunctionDecl &function) const;

private:
  llvm::DenseMap<clang::SourceLocation, Entry> functions_;
};

/// Warns where a function becomes a task that has been declared as none.
void warnOfEarlierDeclarations(clang::Sema &sema, const TaskFunctions &functions,
                               clang::DeclGroupRef group);

/// Redirects the calls in declarations that have just been parsed or instantiated.
/// Order: before the code generator sees them.
void redirectCalls(clang::Sema &sema, const TaskFunctions &functions, clang::DeclGroupRef group);

} // namespace tutti::compiler::ompss
