// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether what an item names moves by a constant number of bytes from one iteration to the next:
/// then two iterations tell of all. When unsure, no.
#pragma once

#include "compiler/frontend/ompss/items.h"

#include "clang/AST/Decl.h"

namespace tutti::compiler::ompss {

/// Whether an expression is a sum of products of which one at most has `variable`, once.
bool isLinear(TokensRef expression, llvm::StringRef variable);

/// The same for the address of an item that begins with `first`, or with nothing that is known if
/// that is null; its size may not depend on `variable` at all.
bool isAffine(const clang::ASTContext &context, const clang::ValueDecl *first, const Item &item,
              llvm::StringRef variable);

} // namespace tutti::compiler::ompss
