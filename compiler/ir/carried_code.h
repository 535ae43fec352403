// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What an object carries for the link step: the functions of its source as LLVM IR, because loops
/// of other files may call them (docs/adr/0037-objects-carry-code.md).
///
/// It stands in a section of the object that linkers leave out of what they make:
///
///   magic | bytes of names | bytes of IR | names | IR      once for each source in the object
///
/// Names are texts that end with a zero: the version, then three lists, of which the first two end
/// with an empty text.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace tutti::compiler {

constexpr llvm::StringLiteral kCarriedSection = ".tutti.code";

/// The code of one source.
struct CarriedCode {
  std::vector<std::string> provides;  ///< Functions that others may call, defined here.
  std::vector<std::string> needs;     ///< Functions that loops here call, not defined here.
  std::vector<std::string> arguments; ///< Of cc1, but for input and output; if there are needs.
  llvm::StringRef bitcode;            ///< The module as clang made it, before any pass.
};

/// One entry of the section.
std::string pack(const CarriedCode &code);

/// All entries of a section. Nothing if it was written by another version of Tutti or LLVM, or is
/// damaged.
///
/// \param section must live as long as the result: `bitcode` points into it.
std::optional<std::vector<CarriedCode>> unpack(llvm::StringRef section);

} // namespace tutti::compiler
