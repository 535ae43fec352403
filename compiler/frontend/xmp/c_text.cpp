// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/pragma/clause_lexer.h"
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace tutti::compiler::xmp {

llvm::StringRef Lowering::wordOf(const Token &token) {
  const IdentifierInfo *info =
      token.isAnnotation() || token.isLiteral() ? nullptr : token.getIdentifierInfo();
  return info ? info->getName() : llvm::StringRef();
}

namespace {

/// Whether C text consists of numbers, enumerators of abi/xmp.h, casts to long, and sums and
/// products of these, which are constants whatever their values.
bool isConstantText(llvm::StringRef text) {
  while (!text.empty()) {
    const llvm::StringRef word =
        text.take_while([](char letter) { return llvm::isAlnum(letter) || letter == '_'; });
    const bool isName = !word.empty() && !llvm::isDigit(word.front());
    if ((isName && word != "long" && !word.starts_with("TUTTI_XMP_")) ||
        (word.empty() && !llvm::StringRef(" (){},+-*").contains(text.front()))) {
      return false;
    }
    text = text.drop_front(std::max<std::size_t>(word.size(), 1));
  }
  return true;
}

} // namespace

std::string listText(llvm::StringRef type, llvm::StringRef elements) {
  return isConstantText(elements)
             ? ("({ static const " + type + " tutti_list[] = {" + elements + "}; tutti_list; })")
                   .str()
             : ("(const " + type + "[]){" + elements + "}").str();
}

std::string Lowering::unique(llvm::StringRef name) {
  return ("tutti_" + name + "_" + llvm::Twine(++names_)).str();
}

std::string Lowering::text(const Directive &directive, ExpressionId id) const {
  const Expression &expression = directive[id];
  return edits_.text(expression.begin, expression.end);
}

std::string Lowering::text(const Expr *expr) const {
  return edits_.text(program_.at(expr->getBeginLoc()), program_.at(expr->getEndLoc()) + 1);
}

std::string Lowering::longOf(const Directive &directive, ExpressionId id) const {
  return "(long)(" + text(directive, id) + ")";
}

std::string Lowering::source(SourceLocation place) const {
  const SourceManager &sources = context_.getSourceManager();
  const PresumedLoc presumed = sources.getPresumedLoc(sources.getExpansionLoc(place));
  if (presumed.isInvalid()) {
    return "\"\"";
  }
  std::string escaped;
  for (const char letter : std::string_view(presumed.getFilename())) {
    escaped += letter == '"' || letter == '\\' ? std::string{'\\', letter} : std::string(1, letter);
  }
  return "\"" + escaped + ":" + std::to_string(presumed.getLine()) + ":" +
         std::to_string(presumed.getColumn()) + "\"";
}

/// `{kind, first, second, step}`.
std::string Lowering::subscript(const Directive &directive, const Item &item, bool isRound,
                                bool isNodes) const {
  const std::string shift = isRound && isNodes ? " - 1" : "";
  const std::string step = item.step ? longOf(directive, item.step) : "1";
  switch (item.kind) {
  case Item::Kind::Colon:
    return "{TUTTI_XMP_ALL, 0, 0, 1}";
  case Item::Kind::Star:
    return "{TUTTI_XMP_MINE, 0, 0, 1}";
  case Item::Kind::Triplet: {
    const char *kind = !item.first && !item.second ? "ALL"
                       : !item.first               ? (isRound ? "UNTIL" : "UPTO")
                       : !item.second              ? "FROM"
                                                   : (isRound ? "LAST" : "COUNT");
    const std::string first = item.first ? longOf(directive, item.first) + shift : "0";
    const std::string second =
        item.second ? longOf(directive, item.second) + (isRound ? shift : "") : "0";
    return std::string("{TUTTI_XMP_") + kind + ", " + first + ", " + second + ", " + step + "}";
  }
  default:
    return "{TUTTI_XMP_INDEX, " + longOf(directive, item.first) + shift + ", 0, 1}";
  }
}

Entity *Lowering::find(const Token &name, bool mayBeNodes, bool mayBeTemplate) {
  const llvm::StringRef word = wordOf(name);
  Entity *found = scopes_.find(word);
  const char *what = mayBeNodes && mayBeTemplate ? "node array or template"
                     : mayBeNodes                ? "node array"
                                                 : "template";
  const bool fits = found && ((found->kind == Entity::Kind::Nodes && mayBeNodes) ||
                              (found->kind == Entity::Kind::Template && mayBeTemplate));
  if (fits) {
    return found;
  }
  if (found) {
    error(name.getLocation(), "'%0' is not a %1") << word << what;
    note(found->place, "'%0' is declared here") << word;
    return nullptr;
  }
  const auto visible = scopes_.names();
  const llvm::StringRef nearest = pragma::nearestWord(word, visible);
  if (nearest.empty()) {
    error(name.getLocation(), "'%0' is not declared as a %1") << word << what;
  } else {
    error(name.getLocation(), "'%0' is not declared as a %1; did you mean '%2'?")
        << word << what << nearest << FixItHint::CreateReplacement(name.getLocation(), nearest);
  }
  return nullptr;
}

/// Null after an error.
Entity *Lowering::checkedRef(const Directive &directive, const Ref &ref) {
  Entity *entity = find(ref.name, true, true);
  if (!entity) {
    return nullptr;
  }
  if (entity->kind == Entity::Kind::Template && !entity->distribution) {
    error(ref.name.getLocation(), "template '%0' is not distributed") << entity->name;
    note(entity->place, "'%0' is declared here") << entity->name;
    return nullptr;
  }
  if (!ref.subscripts.empty() && ref.subscripts.size() != entity->rank) {
    error(ref.subscripts.place, "too %select{few|many}0 dimensions: '%1' has %2, not %3")
        << (ref.subscripts.size() > entity->rank) << entity->name << entity->rank
        << ref.subscripts.size();
    note(entity->place, "'%0' is declared here") << entity->name;
    return nullptr;
  }
  constants_.ref(directive, ref, *entity);
  return entity;
}

/// The address of a tutti_xmp_ref; nothing after an error. `ref` absent: the executing set.
std::optional<std::string> Lowering::ref(const Directive &directive,
                                         const std::optional<Ref> &ref) {
  if (!ref) {
    return "&(const tutti_xmp_ref){0, 0, 0}";
  }
  const Entity *entity = checkedRef(directive, *ref);
  if (!entity) {
    return std::nullopt;
  }
  const Items &list = ref->subscripts;
  if (list.empty()) {
    return "&(const tutti_xmp_ref){" + entity->handle + ", 0, 0}";
  }
  std::string subscripts;
  for (const Item &item : list.items) {
    subscripts += (subscripts.empty() ? "" : ", ") +
                  subscript(directive, item, list.isRound, entity->kind == Entity::Kind::Nodes);
  }
  return "&(const tutti_xmp_ref){" + entity->handle + ", " + std::to_string(list.size()) + ", " +
         listText("tutti_xmp_subscript", subscripts) + "}";
}

std::string Lowering::typeCode(QualType type) const {
  type = type.getCanonicalType().getUnqualifiedType();
  const auto *builtin = type->getAs<BuiltinType>();
  if (const auto *complex = type->getAs<clang::ComplexType>()) {
    builtin = complex->getElementType()->getAs<BuiltinType>();
    switch (builtin ? builtin->getKind() : BuiltinType::Void) {
    case BuiltinType::Float:
      return "TUTTI_XMP_COMPLEX_FLOAT";
    case BuiltinType::Double:
      return "TUTTI_XMP_COMPLEX_DOUBLE";
    case BuiltinType::LongDouble:
      return "TUTTI_XMP_COMPLEX_LONG_DOUBLE";
    default:
      return "TUTTI_XMP_OTHER";
    }
  }
  if (const auto *enumeration = type->getAs<EnumType>()) {
    return typeCode(enumeration->getDecl()->getIntegerType());
  }
  if (!builtin) {
    return "TUTTI_XMP_OTHER";
  }
  switch (builtin->getKind()) {
  case BuiltinType::Bool:
    return "TUTTI_XMP_BOOL";
  case BuiltinType::Float:
    return "TUTTI_XMP_FLOAT";
  case BuiltinType::Double:
    return "TUTTI_XMP_DOUBLE";
  case BuiltinType::LongDouble:
    return "TUTTI_XMP_LONG_DOUBLE";
  default:
    break;
  }
  if (!builtin->isInteger() || context_.getTypeSize(type) > 64) {
    return "TUTTI_XMP_OTHER";
  }
  return std::string("TUTTI_XMP_") + (builtin->isUnsignedInteger() ? "UINT" : "INT") +
         std::to_string(context_.getTypeSize(type));
}

/// Behind its last token, `;` included.
unsigned Lowering::statementEnd(const Stmt *statement) const {
  unsigned at = program_.at(statement->getEndLoc());
  if (program_.plain[at].isNot(tok::semi) && at + 1 < program_.plain.size() &&
      program_.plain[at + 1].is(tok::semi)) {
    ++at;
  }
  return at + 1;
}

} // namespace tutti::compiler::xmp
