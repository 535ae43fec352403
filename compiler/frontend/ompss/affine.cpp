// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/affine.h"

#include "compiler/frontend/ompss/brackets.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace tutti::compiler::ompss {

namespace {

/// Parts between tokens of these kinds that stand in no brackets. Signs do not divide.
std::vector<TokensRef> split(TokensRef tokens, llvm::ArrayRef<tok::TokenKind> kinds) {
  std::vector<TokensRef> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < tokens.size();) {
    if (opens(tokens[i])) {
      i = afterClose(tokens, i);
    } else if (i > begin && llvm::is_contained(kinds, tokens[i].getKind())) {
      parts.push_back(tokens.slice(begin, i - begin));
      begin = ++i;
    } else {
      ++i;
    }
  }
  parts.push_back(tokens.drop_front(begin));
  return parts;
}

/// The type that an item has as it goes on, and whether it has been moved by the variable.
class Path {
public:
  Path(const ASTContext &context, QualType type, llvm::StringRef variable)
      : context_(context), variable_(variable) {
    become(type);
  }

  bool follow(TokensRef tokens);

  /// `[index]`. False if the address is not affine.
  bool index(TokensRef index) {
    const bool moves = contains(index, variable_);
    if (moves && !isLinear(index, variable_)) {
      return false;
    }
    if (const ArrayType *array = context_.getAsArrayType(type_)) {
      become(array->getElementType());
    } else if (type_->isPointerType() && !isMoved_) { // Else the pointer is another one each time.
      become(type_->getPointeeType());
    } else {
      return false;
    }
    isMoved_ |= moves;
    return true;
  }

private:
  void become(QualType type) { type_ = type.getNonReferenceType().getCanonicalType(); }

  bool member(const Token &name, bool isArrow) {
    if (isArrow) {
      if (!type_->isPointerType() || isMoved_) {
        return false;
      }
      become(type_->getPointeeType());
    }
    const RecordDecl *record = type_->getAsRecordDecl();
    if (!record || !record->isCompleteDefinition() || !name.getIdentifierInfo()) {
      return false;
    }
    const auto found = record->lookup(name.getIdentifierInfo());
    const auto *field = found.empty() ? nullptr : dyn_cast<FieldDecl>(found.front());
    if (!field) {
      return false;
    }
    become(field->getType());
    return true;
  }

  const ASTContext &context_;
  QualType type_;
  llvm::StringRef variable_;
  bool isMoved_ = false;
};

bool Path::follow(TokensRef tokens) {
  for (std::size_t i = 0; i < tokens.size();) {
    if (tokens[i].is(tok::l_square)) {
      const std::size_t end = afterClose(tokens, i);
      if (!index(tokens.slice(i + 1, end - i - 2))) {
        return false;
      }
      i = end;
    } else if (tokens[i].isOneOf(tok::period, tok::arrow) && i + 1 < tokens.size()) {
      if (!member(tokens[i + 1], tokens[i].is(tok::arrow))) {
        return false;
      }
      i += 2;
    } else {
      return false;
    }
  }
  return true;
}

} // namespace

bool isLinear(TokensRef expression, llvm::StringRef variable) {
  for (TokensRef summand : split(expression, {tok::plus, tok::minus})) {
    if (!contains(summand, variable)) {
      continue;
    }
    int with = 0;
    for (TokensRef factor : split(summand, {tok::star})) {
      if (!contains(factor, variable)) {
        continue;
      }
      if (factor.front().isOneOf(tok::plus, tok::minus)) {
        factor = factor.drop_front();
      }
      const bool isGroup = factor.size() > 2 && factor.front().is(tok::l_paren) &&
                           afterClose(factor, 0) == factor.size();
      const bool isPlain = factor.size() == 1;
      if (++with > 1 ||
          !(isPlain || (isGroup && isLinear(factor.drop_front().drop_back(), variable)))) {
        return false;
      }
    }
  }
  return true;
}

bool isAffine(const ASTContext &context, const ValueDecl *first, const Item &item,
              llvm::StringRef variable) {
  const auto has = [&](const Tokens &tokens) { return contains(tokens, variable); };
  if (llvm::any_of(item.shape, has) ||
      llvm::any_of(item.subscripts,
                   [&](const Subscript &subscript) {
                     return has(subscript.second) || (subscript.form != Subscript::Form::Index &&
                                                      (subscript.second.empty() ||
                                                       subscript.form == Subscript::Form::Last) &&
                                                      has(subscript.first));
                   }) ||
      llvm::any_of(item.iterators, [&](const Iterator &iterator) {
        return has(iterator.first) || has(iterator.second) || has(iterator.step) ||
               llvm::any_of(iterator.values, has);
      })) {
    return false; // Another size each time.
  }
  if (!item.shape.empty()) {
    return !has(item.base) && llvm::all_of(item.subscripts, [&](const Subscript &subscript) {
      return isLinear(subscript.first, variable);
    });
  }
  if (!first) {
    return !has(item.base) && llvm::none_of(item.subscripts, [&](const Subscript &subscript) {
      return has(subscript.first);
    });
  }
  Path path(context, first->getType(), variable);
  return path.follow(TokensRef(item.base).drop_front()) &&
         llvm::all_of(item.subscripts,
                      [&](const Subscript &subscript) { return path.index(subscript.first); });
}

} // namespace tutti::compiler::ompss
