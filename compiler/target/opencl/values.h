// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Types and constants of kernel IR in OpenCL C.
///
/// An integer of N bits lives, zero-extended, in the smallest unsigned type that holds it; i1 is
/// `bool`. What an instruction reads as signed is converted where it is read.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"

#include <string>

namespace tutti::compiler::target::opencl {

/// Where a pointer leads to.
enum class Space {
  Any, ///< Null or undefined.
  Private,
  Local,
  Global,
  Constant,
  Unknown, ///< Loaded from memory: good for computing with, not for following.
};

llvm::StringRef keyword(Space space);

/// "__global uchar *"
std::string pointerType(Space space);

/// 8, 16, 32 or 64.
unsigned containerBits(unsigned bits);

/// Whether the integer fills its container, and is not `bool`.
bool fillsContainer(unsigned bits);

/// "uint"; also the type of memory that holds such an integer.
std::string unsignedType(unsigned bits);
std::string signedType(unsigned bits);

/// Of a number. Empty if OpenCL C has no such type.
std::string typeName(const llvm::Type &type);

/// Whether values of `type` can be printed: integers up to 64 bits, float, double, pointers.
bool isPrintable(const llvm::Type &type);

/// An integer of `bits` as the container's type has it.
std::string integer(uint64_t value, unsigned bits);

/// The lowest `bits` bits, as `ulong`.
std::string mask(unsigned bits);

/// C's operator for LLVM's, with spaces; `frem` has none.
llvm::StringRef symbol(unsigned opcode);

/// Exact.
std::string floating(const llvm::ConstantFP &value);

/// The bytes of a variable in memory. False if they are not known before the program runs.
bool bytesOf(const llvm::Constant &value, const llvm::DataLayout &layout,
             llvm::MutableArrayRef<uint8_t> bytes);

} // namespace tutti::compiler::target::opencl
