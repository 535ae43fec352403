// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What `#pragma tutti` says about a construct, and how it travels from the front end to the
/// passes: as one of the assumptions that clang attaches to the construct's outlined functions.
#pragma once

#include "abi/abi.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tutti::compiler {

/// Sizes are 0 where nothing was said.
struct Directive {
  tutti_device_kind device = TUTTI_DEVICE_AUTO;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
};

/// The text of an assumption; without commas, which separate assumptions.
std::string encodeDirective(const Directive &directive);

/// Nothing if `assumption` is not one of ours.
std::optional<Directive> decodeDirective(llvm::StringRef assumption);

std::optional<Directive> directiveOf(const llvm::Function &function);

/// Gives `function` a directive in place of the one that it may have.
void setDirective(llvm::Function &function, const Directive &directive);

/// `tutti_directive` of abi/abi.h.
llvm::Constant *directiveConstant(llvm::LLVMContext &context, const Directive &directive);

} // namespace tutti::compiler
