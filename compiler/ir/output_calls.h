// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls that write text to the program's standard output or standard error, of which all is known
/// that they read.
///
/// Names are the C library's in every program that does not say -fno-builtin.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

#include <optional>
#include <string>

namespace tutti::compiler {

/// What such a call does.
struct OutputCall {
  /// The operand that is the stream; nothing: it is standard output.
  std::optional<unsigned> stream;
  llvm::SmallVector<unsigned, 2> read; ///< Operands that lead to text, or bytes, that is read.
  bool followsLocale = false;
  bool isInsertion = false; ///< Of the C++ library; its result is the stream.
};

/// What `call` writes, if it is known what it reads: its format is a constant, and nobody looks at
/// its result, but to write more to the same stream.
std::optional<OutputCall> asOutputCall(const llvm::CallBase &call);

/// Why `call`, of one of the C library's functions for output, does what a loop may not: that it
/// writes to another stream, say, or that it prints at all. Empty if it is none of these.
std::string whyNoOutput(const llvm::CallBase &call);

/// Whether `function` is one by which the C++ library's streams write a text or a number, or end a
/// line, and which looks at nothing else. It may have a body.
bool isInsertion(const llvm::Function &function);

/// Whether `value` is the address of `std::cout` or `std::cerr`: each rank's own.
bool isStreamObject(const llvm::Value *value);

/// The same for `std::cerr` alone.
bool isErrorObject(const llvm::Value *value);

/// Makes `call`, which is such a call, write to `stream`.
void redirect(llvm::CallInst &call, llvm::Value &stream);

/// Whether `value` is what the C library's variable `stdout` or `stderr` holds: each rank's own,
/// outside of the memory that ranks share and that has a compute view.
bool isStandardStream(const llvm::Value *value);

/// The same for `stderr` alone.
bool isErrorStream(const llvm::Value *value);

/// Whether `call` is one of `exit`.
bool isExit(const llvm::CallBase &call);

} // namespace tutti::compiler
