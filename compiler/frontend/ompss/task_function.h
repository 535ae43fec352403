// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Function tasks: `#pragma oss task` before a function, each call of which makes a task. The
/// function itself stays as it is, so that other files may define or call it. Beside it comes a
/// *creator* of the same parameters, whose body is the task that calls it:
///
///     static inline void __tutti_oss_task_3(int n, double *x) {
///       #pragma oss task in(x[0;n])
///       scale(n, x);
///     }
///
/// and calls of the function become calls of its creator (task_calls.h).
#pragma once

#include "compiler/frontend/ompss/token_writer.h"

#include "clang/Basic/Diagnostic.h"

#include <optional>
#include <string>

namespace tutti::compiler::ompss {

/// Whether tokens that stand after a pragma begin a declaration, not a statement. Of tokens that
/// are too few to tell: nothing.
std::optional<bool> beginsDeclaration(TokensRef tokens);

struct Parameter {
  Tokens declaration; ///< With a name, without a default argument.
  std::string name;
  Tokens defaultArgument;
  bool isReference = false;
  bool isForwarded = false; ///< A reference by `&&`: handed on as what it is declared as.
  bool isPack = false;
};

/// The declaration of a function, up to and without what ends it.
/// Always: returns void.
struct TaskFunction {
  Tokens templateHead;                         ///< `template <...>`, or empty.
  Tokens bareTemplateHead;                     ///< The same without default arguments.
  std::vector<std::string> templateParameters; ///< As arguments: `T`, `Ts...`.
  Tokens specifiers;                           ///< Up to and with `void`.
  clang::Token name;
  std::vector<Parameter> parameters;
  Tokens qualifiers;    ///< After the parameters.
  bool hasBody = false; ///< `{` comes next, not `;`.
  bool isStatic = false;
};

/// Reads tokens up to and with the `;` or `{` that ends the declaration. Nothing if an error was
/// reported.
std::optional<TaskFunction> readTaskFunction(clang::DiagnosticsEngine &diagnostics,
                                             TokensRef tokens);

/// Writes the declaration, with default arguments or without, up to what ends it.
void writeDeclaration(TokenWriter &writer, const TaskFunction &function, bool withDefaults);

/// Writes the head of the creator, up to its `{`.
void writeCreatorHead(TokenWriter &writer, const TaskFunction &function, llvm::StringRef name,
                      bool isMember);

/// Writes the call of the function with the creator's parameters.
void writeCall(TokenWriter &writer, const TaskFunction &function);

/// Whether the function can be a kernel; an error has been reported if not.
bool mayBeKernel(clang::DiagnosticsEngine &diagnostics, const TaskFunction &function);

/// Writes the body of a task that is a kernel: the runtime gets the parameters as they are in
/// memory. The call is there to name the kernel, whatever overloads it has, and never made.
void writeLaunch(TokenWriter &writer, const TaskFunction &function);

} // namespace tutti::compiler::ompss
