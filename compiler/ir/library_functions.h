// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls that reach no other memory than their arguments lead to: functions of the C library by
/// name, and functions of this module that are called where inlining would never end.
///
/// Names are the C library's in every program that does not say -fno-builtin; LLVM's own list of
/// library functions lacks many of them.
#pragma once

#include "llvm/IR/InstrTypes.h"

#include <optional>

namespace tutti::compiler {

/// What a call does with the memory that its arguments lead to.
struct ArgumentUse {
  /// Bits of the arguments that are only read through, and whose addresses the call does not
  /// leave anywhere, in its result neither. Memory behind the others may be written.
  unsigned onlyRead = 0;
  bool givesFirst = false; ///< Its result leads to where the first argument does, or is null.
  /// No address that it gets is left anywhere, in its result neither. False if that is not known.
  bool keepsNothing = false;
  /// Bits of the arguments that lead to objects with pointers in them: strings, whose characters it
  /// uses and may put elsewhere, into memory that it allocates.
  unsigned follows = 0;
  /// Likewise of parts of a tree or a list, all of which it may reach, and link to each other.
  unsigned links = 0;
  /// Its result leads to where a pointer does, or may do, that stands behind this argument.
  std::optional<unsigned> givesFound = std::nullopt;
  bool keepsFirst = false; ///< It leaves the first argument behind that one.

  /// Whether it uses more memory than its arguments lead to, but what can be reached from there. A
  /// loop may hold such calls only if `isMarkedOwn` (compiler/ir/private_memory.h).
  bool goesOn() const { return (follows | links) != 0; }
};

/// That of `call`, if it computes from its arguments and what they lead to alone. `errno` and
/// clocks do not count.
std::optional<ArgumentUse> argumentUse(const llvm::CallBase &call);

/// Whether what `call` does depends on the program's locale. Ranks do not call what the program
/// calls to choose one.
bool followsLocale(const llvm::CallBase &call);

/// Whether `object` is one of the C library's tables of characters, or the variable that leads to
/// it: each thread has them for itself.
bool isCharacterTable(const llvm::Value &object);

/// Whether `function` has a body that need not be inlined into a loop: it calls itself, directly or
/// through others, and reaches no other memory than its arguments lead to, or what can be reached
/// from there.
bool isCalledInPlace(const llvm::Function &function);

} // namespace tutti::compiler
