// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What procedures of LuNA programs call to get at data fragments (include/tutti/luna/ucenv.h),
/// told apart by what they do.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"

#include <cstdint>

namespace tutti::compiler {

enum class FragmentCall : std::uint8_t {
  None,    ///< No call of the library.
  Address, ///< Of the bytes of the value: data, create.
  Inquiry, ///< What is known without them: size, is_set, int, real.
  Number,  ///< Makes the value a number: set_int, set_real; number, of what a kernel stores.
  Other,   ///< Anything else.
};

FragmentCall fragmentCallOf(const llvm::Value &value);

/// Whether the call makes a new value of bytes.
bool createsFragment(const llvm::CallBase &call);

/// The parameter of the function around it that `call`, of any kind but None, is about; null if it
/// is about something else.
const llvm::Argument *fragmentOf(const llvm::CallBase &call);

/// The parameter whose fragment's bytes `pointer` leads to; null if that is not known.
const llvm::Argument *fragmentBehind(const llvm::Value *pointer);

/// Whether `value` is where the library keeps a fragment, read from a parameter.
bool isHandle(const llvm::Value &value);

/// What begins the name of the version of a procedure for devices.
constexpr llvm::StringLiteral kDeviceVersion = "tutti_luna_device_";

/// What begins the name of a procedure that the program has in place.
constexpr llvm::StringLiteral kInPlace = "luna_in_place_";

/// Of outlined functions of such versions, whose data fragments need not be where the host can read
/// them: scalars that it does not need to know what is touched are no values.
constexpr llvm::StringLiteral kReadsInPlace = "tutti-reads-in-place";

} // namespace tutti::compiler
