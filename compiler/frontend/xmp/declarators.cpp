// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/declarators.h"

#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// Where the plain program chooses a size because the program's is not constant, nothing is known.
Constant sizeOf(ArrayTypeLoc bracket, const ASTContext &context) {
  const Expr *size = bracket.getSizeExpr();
  const Expr *inner = size ? size->IgnoreImpCasts() : nullptr;
  if (const auto *constant = dyn_cast_or_null<ConstantExpr>(inner)) {
    inner = constant->getSubExpr()->IgnoreImpCasts();
  }
  const auto *choice = dyn_cast_or_null<ChooseExpr>(inner);
  return choice && !choice->isConditionTrue() ? std::nullopt : constantOf(size, context);
}

/// Whether a token in brackets is one of those that a parameter may have in front of its size.
bool isOfParameter(const Token &token) {
  return token.isOneOf(tok::kw_static, tok::kw_const, tok::kw_volatile, tok::kw_restrict);
}

} // namespace

Declarator declaratorOf(const DeclaratorDecl *variable, const ASTContext &context) {
  Declarator declarator;
  const TypeSourceInfo *info = variable->getTypeSourceInfo();
  TypeLoc type = info ? info->getTypeLoc() : TypeLoc();
  while (!type.isNull()) {
    type = type.getUnqualifiedLoc().IgnoreParens();
    const bool isFirst = declarator.rank() == 0;
    if (const auto decayed = type.getAs<DecayedTypeLoc>()) {
      type = decayed.getOriginalLoc();
    } else if (const auto adjusted = type.getAs<AdjustedTypeLoc>()) {
      type = adjusted.getOriginalLoc();
    } else if (const auto pointer = type.getAs<PointerTypeLoc>(); pointer && isFirst) {
      declarator.isPointer = true;
      type = pointer.getPointeeLoc();
    } else if (const auto array = type.getAs<ArrayTypeLoc>()) {
      declarator.brackets.push_back(array);
      type = array.getElementLoc();
    } else {
      break;
    }
  }
  QualType rest = type.isNull() ? QualType() : type.getType();
  if (!rest.isNull() && rest->isPointerType() && declarator.rank() == 0) {
    declarator.isPointer = true;
    rest = rest->getPointeeType();
  }
  while (!rest.isNull() && rest->isArrayType()) {
    declarator.named.push_back(context.getAsArrayType(rest));
    rest = declarator.named.back()->getElementType();
  }
  return declarator;
}

QualType writtenType(const DeclaratorDecl *variable) {
  const auto *parameter = dyn_cast<ParmVarDecl>(variable);
  return parameter ? parameter->getOriginalType() : variable->getType();
}

/// The declared sizes, as C text that is right where the descriptor is made.
void Lowering::readExtents(const DeclaratorDecl *variable, Entity &array) {
  const Declarator declarator = declaratorOf(variable, context_);
  if (declarator.isPointer) {
    array.extents.push_back("-1");
    array.bounds.emplace_back();
  }
  for (const ArrayTypeLoc &bracket : declarator.brackets) {
    array.bounds.push_back(Bounds::ofCount(sizeOf(bracket, context_)));
    unsigned first = program_.at(bracket.getLBracketLoc()) + 1;
    while (isOfParameter(program_.plain[first])) {
      ++first;
    }
    const std::string size = edits_.text(first, program_.at(bracket.getRBracketLoc()));
    array.extents.push_back(size.empty() ? "-1" : "(long)(" + size + ")");
  }
  for (const clang::ArrayType *type : declarator.named) {
    const auto size =
        static_cast<std::int64_t>(cast<ConstantArrayType>(type)->getSize().getZExtValue());
    array.bounds.push_back(Bounds::ofCount(size));
    array.extents.push_back("(long)(" + std::to_string(size) + ")");
  }
  array.named = declarator.named.size();
}

/// `double a[N][M]` becomes `double (*a)`.
void Lowering::replaceDeclarator(const DeclaratorDecl *variable) {
  for (const Decl *declaration : variable->redecls()) {
    const auto *declared = cast<DeclaratorDecl>(declaration);
    const unsigned name = program_.at(declared->getLocation());
    for (const ArrayTypeLoc &bracket : declaratorOf(declared, context_).brackets) {
      edits_.erase(program_.at(bracket.getLBracketLoc()),
                   program_.at(bracket.getRBracketLoc()) + 1);
    }
    edits_.replace(name, "(*" + variable->getName().str() + ")");
  }
}

/// The `;` behind a declaration; of a parameter what ends it.
unsigned Lowering::declarationEnd(const DeclaratorDecl *variable) const {
  unsigned at = program_.at(variable->getLocation());
  for (int depth = 0;
       at + 1 < program_.plain.size() && (depth > 0 || program_.plain[at].isNot(tok::semi)); ++at) {
    depth += program_.plain[at].isOneOf(tok::l_paren, tok::l_brace, tok::l_square);
    depth -= program_.plain[at].isOneOf(tok::r_paren, tok::r_brace, tok::r_square);
    if (depth < 0) {
      break;
    }
  }
  return at;
}

} // namespace tutti::compiler::xmp
