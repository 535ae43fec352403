// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A `#pragma oss` that makes tasks, with its clauses read, and the tokens of OpenMP that stand for
/// it.
///
///     #pragma oss task in(x[0;n]) label("row")
///
/// becomes
///
///     #pragma omp task shared(__tutti_oss_3)
///
/// and, once the parser asks what `__tutti_oss_3` is and the types of `x` and `n` can be known,
///
///     depend(out: *(tutti_task_begin("file.c:7", "row", 0),
///                   tutti_task_section(TUTTI_TASK_IN, x, ...), tutti_task_described()))
///
/// which makes Clang check, capture and copy as for any OpenMP task, and the creating thread tell
/// the runtime what the clauses say (abi/tasks.h).
#pragma once

#include "compiler/frontend/ompss/declared_reductions.h"
#include "compiler/frontend/ompss/items.h"

#include "clang/AST/Decl.h"

namespace tutti::compiler::ompss {

struct NamedItem {
  std::uint32_t kind; ///< One of tutti_task_access_kinds.
  Item item;
};

struct ReducedItem {
  bool isWeak;
  Tokens operation;
  Item item;
};

/// Always: the directive makes tasks, or waits for or releases some.
struct Construct {
  Directive directive;
  std::vector<NamedItem> items;
  std::vector<ReducedItem> reductions;
  std::vector<std::string> iterationVariables; ///< Of loops.
  bool isOfFunction = false;    ///< A function's: variables without a clause are its copies.
  bool assignsVariable = false; ///< A loop counts with a variable that is declared elsewhere.
  std::uint32_t device = 0;     ///< The tutti_device_kind that it runs on; 0 on the host.
  std::size_t dimensions = 0;   ///< Of its kernel; 0 if it is none.

  /// The clause that says how many work-items run the kernel; null if the task is none.
  const Clause *shape() const;

  bool isLoop() const {
    return directive.kind == DirectiveKind::Taskloop || directive.kind == DirectiveKind::TaskFor ||
           directive.kind == DirectiveKind::TaskloopFor;
  }

  /// Whether its items depend on the iteration.
  bool namesIterations() const;
};

/// Reads the arguments of the clauses. Nothing if an error was reported.
std::optional<Construct> readConstruct(clang::Preprocessor &preprocessor, Directive directive);

/// What happens to variables beyond what the clauses say.
struct Sharing {
  struct Copy {
    std::string name;
    bool isInitialised;
  };

  bool isWrong = false; ///< An error about items was reported, which need not be written.
  std::vector<std::string> shared;
  std::vector<std::string> firstprivate;
  /// Those that Clang cannot copy into a task, as their size is known at run time only, and those
  /// that may not even be used: shared for Clang, copied by the runtime.
  std::vector<Copy> copies;

  struct Reduced {
    bool isKnown;        ///< Does not depend on a template's arguments.
    std::uint32_t type;  ///< One of tutti_reduction_types; 0 if it is another type.
    unsigned dimensions; ///< Of the array that the variable is, or that it points to.
    bool isPointer; ///< A shape of a pointer: the body's own copy of it leads to the private copy.
    bool isArray;   ///< The variable is one, shaped or not.
    /// The member of a class of which the body has a private copy, if it is one; else null.
    const clang::VarDecl *staticMember;
  };

  std::string label;            ///< The text of a label that is written without quotes.
  std::vector<Reduced> reduced; ///< One for each reduction.
  /// Of a loop whose items depend on the iteration: they move by constant distances.
  bool isAffine = false;
};

/// The names in a clause of variables.
std::vector<std::string> namesOf(const Clause &clause);

/// Writes `file:line` of the directive as a literal.
void writeSource(TokenWriter &writer, clang::Preprocessor &preprocessor, clang::SourceLocation at);

/// Writes calls that name all items, each followed by `separator`.
void writeItems(TokenWriter &writer, const Construct &construct, llvm::StringRef separator);

/// Writes what comes before the body: it lets pointers that are shaped by a reduction lead to the
/// task's private copy.
void writePrologue(TokenWriter &writer, const Construct &construct);

/// The words of OpenMP for the directive up to where the parser asks for `marker`.
void writeOpening(TokenWriter &writer, const Construct &construct, llvm::StringRef marker);

/// The clauses that come after it.
void writeClauses(TokenWriter &writer, clang::Preprocessor &preprocessor,
                  const DeclaredReductions &declared, DeclaredReductions::IsSeen isSeen,
                  const Construct &construct, const Sharing &sharing);

} // namespace tutti::compiler::ompss
