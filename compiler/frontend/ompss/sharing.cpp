// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/sharing.h"

#include "abi/tasks.h"
#include "compiler/frontend/ompss/affine.h"
#include "compiler/frontend/ompss/brackets.h"

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Sema/Lookup.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace tutti::compiler::ompss {

namespace {

/// What an item does with the variable that it begins with.
enum class Use {
  Object,  ///< Is it, or is a part of it.
  Pointer, ///< Follows it, as a pointer.
  Unknown, ///< Depends on a template's arguments.
};

class Walk {
public:
  Walk(Sema &sema, QualType type) : sema_(sema) { become(type); }

  /// Goes on with what comes after the variable, then with so many sections.
  Use follow(TokensRef tokens, std::size_t sections);

  bool isAtArray() const { return use_ == Use::Object && type_->isArrayType(); }

private:
  void become(QualType type) { type_ = type.getNonReferenceType().getCanonicalType(); }

  void index();
  void member(const Token &name);

  Sema &sema_;
  QualType type_;
  Use use_ = Use::Object;
};

void Walk::index() {
  if (use_ != Use::Object) {
    return;
  }
  if (const ArrayType *array = sema_.getASTContext().getAsArrayType(type_)) {
    become(array->getElementType());
  } else if (type_->isPointerType()) {
    use_ = Use::Pointer;
  } else if (type_->isDependentType()) {
    use_ = Use::Unknown;
  }
}

void Walk::member(const Token &name) {
  const RecordDecl *record = type_->getAsRecordDecl();
  if (!record || !record->isCompleteDefinition()) {
    use_ = type_->isDependentType() ? Use::Unknown : use_;
    return;
  }
  const auto found = record->lookup(name.getIdentifierInfo());
  if (!found.empty()) {
    if (const auto *field = dyn_cast<FieldDecl>(found.front())) {
      become(field->getType());
    }
  }
}

Use Walk::follow(TokensRef tokens, std::size_t sections) {
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size() && use_ == Use::Object; ++i) {
    if (tokens[i].isOneOf(tok::l_square, tok::l_paren)) {
      if (depth++ == 0 && tokens[i].is(tok::l_square)) {
        index();
      }
    } else if (tokens[i].isOneOf(tok::r_square, tok::r_paren)) {
      --depth;
    } else if (depth == 0 && tokens[i].is(tok::arrow)) {
      use_ = Use::Pointer;
    } else if (depth == 0 && tokens[i].is(tok::period) && i + 1 < tokens.size()) {
      member(tokens[i + 1]);
    }
  }
  for (std::size_t i = 0; i < sections; ++i) {
    index();
  }
  return use_;
}

/// Whether tokens are a name with subscripts and members behind it.
bool isPostfix(TokensRef tokens) {
  if (tokens.empty() || tokens.front().isNot(tok::identifier)) {
    return false;
  }
  for (std::size_t i = 1; i < tokens.size();) {
    if (tokens[i].is(tok::l_square)) {
      i = afterClose(tokens, i);
    } else if (tokens[i].isOneOf(tok::period, tok::arrow) && i + 1 < tokens.size()) {
      i += 2;
    } else {
      return false;
    }
  }
  return true;
}

/// `(a[i]).m` is what `a[i].m` is: macros have such parentheses.
Tokens withoutParentheses(TokensRef base) {
  Tokens tokens(base.begin(), base.end());
  if (base.empty() || base.front().isNot(tok::l_paren)) {
    return tokens;
  }
  const std::size_t end = afterClose(base, 0);
  Tokens inner = withoutParentheses(base.slice(1, end - 2));
  if (!isPostfix(inner)) {
    return tokens;
  }
  inner.insert(inner.end(), base.begin() + end, base.end());
  return inner;
}

/// What a name means if it is a variable or a member; else null.
ValueDecl *valueOf(Sema &sema, Scope *scope, const Token &name) {
  LookupResult found(sema, name.getIdentifierInfo(), name.getLocation(), Sema::LookupOrdinaryName);
  found.suppressDiagnostics();
  return sema.LookupName(found, scope) && found.isSingleResult()
             ? dyn_cast<ValueDecl>(found.getFoundDecl())
             : nullptr;
}

VarDecl *variableOf(Sema &sema, Scope *scope, const Token &name) {
  return dyn_cast_or_null<VarDecl>(valueOf(sema, scope, name));
}

/// Where the members of what `name` means are declared, in `context` or seen from `scope`; or null.
DeclContext *contextOf(Sema &sema, Scope *scope, DeclContext *context, const Token &name) {
  LookupResult found(sema, name.getIdentifierInfo(), name.getLocation(),
                     Sema::LookupNestedNameSpecifierName);
  found.suppressDiagnostics();
  const bool isFound =
      context ? sema.LookupQualifiedName(found, context) : sema.LookupName(found, scope);
  NamedDecl *declared = isFound && found.isSingleResult() ? found.getFoundDecl() : nullptr;
  if (const auto *alias = dyn_cast_or_null<NamespaceAliasDecl>(declared)) {
    return const_cast<NamespaceAliasDecl *>(alias)->getNamespace();
  }
  if (const auto *type = dyn_cast_or_null<TypeDecl>(declared)) {
    const QualType named = sema.getASTContext().getTypeDeclType(type);
    // What is an instance of a template is one now, at the latest.
    return sema.isCompleteType(name.getLocation(), named) ? named->getAsCXXRecordDecl() : nullptr;
  }
  return dyn_cast_or_null<NamespaceDecl>(declared);
}

/// Of `n::x`, `::x`, `C::x`. Null also if a template's argument decides.
VarDecl *qualifiedVariable(Sema &sema, Scope *scope, TokensRef name) {
  DeclContext *context = nullptr;
  if (name.front().is(tok::coloncolon)) {
    context = sema.getASTContext().getTranslationUnitDecl();
    name = name.drop_front();
  }
  for (; name.size() > 1; name = name.drop_front(2)) {
    context = contextOf(sema, scope, context, name.front());
    if (!context) {
      return nullptr;
    }
  }
  LookupResult found(sema, name.front().getIdentifierInfo(), name.front().getLocation(),
                     Sema::LookupOrdinaryName);
  found.suppressDiagnostics();
  return sema.LookupQualifiedName(found, context) && found.isSingleResult()
             ? dyn_cast<VarDecl>(found.getFoundDecl())
             : nullptr;
}

/// One of tutti_reduction_types; 0 for other types.
std::uint32_t typeNumberOf(QualType type) {
  const bool isComplex = type->isAnyComplexType();
  if (isComplex) {
    type = type->castAs<ComplexType>()->getElementType();
  }
  const auto *builtin = type->getAs<BuiltinType>();
  if (!builtin) {
    return 0;
  }
  switch (builtin->getKind()) {
  case BuiltinType::Bool:
    return TUTTI_TYPE_BOOL;
  case BuiltinType::Char_S:
  case BuiltinType::SChar:
    return TUTTI_TYPE_INT8;
  case BuiltinType::Char_U:
  case BuiltinType::UChar:
    return TUTTI_TYPE_UINT8;
  case BuiltinType::Short:
    return TUTTI_TYPE_INT16;
  case BuiltinType::UShort:
    return TUTTI_TYPE_UINT16;
  case BuiltinType::Int:
    return TUTTI_TYPE_INT32;
  case BuiltinType::UInt:
    return TUTTI_TYPE_UINT32;
  case BuiltinType::Long:
  case BuiltinType::LongLong:
    return TUTTI_TYPE_INT64;
  case BuiltinType::ULong:
  case BuiltinType::ULongLong:
    return TUTTI_TYPE_UINT64;
  case BuiltinType::Float:
    return isComplex ? TUTTI_TYPE_COMPLEX_FLOAT : TUTTI_TYPE_FLOAT;
  case BuiltinType::Double:
    return isComplex ? TUTTI_TYPE_COMPLEX_DOUBLE : TUTTI_TYPE_DOUBLE;
  case BuiltinType::LongDouble:
    return isComplex ? TUTTI_TYPE_COMPLEX_LONG_DOUBLE : TUTTI_TYPE_LONG_DOUBLE;
  default:
    return 0;
  }
}

/// One decision.
class Decision {
public:
  Decision(Sema &sema, Scope *scope, const Construct &construct)
      : sema_(sema), scope_(scope), construct_(construct) {}

  /// What the items share.
  void items();

  /// Variables whose size is known at run time only.
  void variableSizes();

  /// What constructs around this one share: this one does not inherit it.
  void inherited(const llvm::SmallPtrSetImpl<VarDecl *> &variables);

  /// How items depend on the iteration.
  void iterations();

  /// What the elements of reductions are.
  void reductions();

  /// What only types can tell to be wrong.
  void mistakes();

  /// All variables that are shared and live on a stack.
  llvm::SmallPtrSet<VarDecl *, 8> shared() const { return shared_; }

  Sharing take() { return std::move(sharing_); }

private:
  /// The clause that names the variable; null if none does.
  const Clause *clauseOf(llvm::StringRef name) const;
  bool isDecided(const VarDecl &variable) const;
  void item(const Item &item);
  void addresses(const Item &item);
  void object(VarDecl &variable, const Token &name);
  std::string bareText(TokensRef label);
  bool isText(TokensRef label);

  void copy(const VarDecl &variable, bool isInitialised) {
    sharing_.copies.push_back({variable.getName().str(), isInitialised});
  }

  Sema &sema_;
  Scope *scope_;
  const Construct &construct_;
  Sharing sharing_;
  llvm::SmallPtrSet<VarDecl *, 8> shared_;
};

const Clause *Decision::clauseOf(llvm::StringRef name) const {
  for (const Clause &clause : construct_.directive.clauses) {
    if (formOf(clause.kind) == ClauseForm::Names &&
        llvm::is_contained(namesOf(clause), name.str())) {
      return &clause;
    }
  }
  return nullptr;
}

/// Whether items or a reduction say what becomes of it.
bool Decision::isDecided(const VarDecl &variable) const {
  return shared_.contains(const_cast<VarDecl *>(&variable)) ||
         llvm::any_of(construct_.reductions, [&](const ReducedItem &reduced) {
           return reduced.item.base.size() == 1 &&
                  wordOf(reduced.item.base.front()) == variable.getName();
         });
}

void Decision::items() {
  for (const NamedItem &named : construct_.items) {
    item(named.item);
  }
  for (const Clause &clause : construct_.directive.clauses) {
    for (TokensRef part : clause.kind == ClauseKind::Shared ? splitAtCommas(clause.arguments)
                                                            : std::vector<TokensRef>()) {
      VarDecl *variable = part.size() == 1 && part.front().is(tok::identifier)
                              ? variableOf(sema_, scope_, part.front())
                              : nullptr;
      if (variable) {
        shared_.insert(variable);
      }
    }
  }
}

void Decision::item(const Item &item) {
  const Tokens base = withoutParentheses(item.base);
  const Token &first = base.front();
  const bool isOther = first.isNot(tok::identifier) ||
                       (base.size() > 1 && base[1].isOneOf(tok::coloncolon, tok::l_paren)) ||
                       llvm::any_of(item.iterators, [&](const Iterator &iterator) {
                         return wordOf(iterator.name) == wordOf(first);
                       });
  if (isOther) {
    addresses(item);
    return;
  }
  VarDecl *variable = variableOf(sema_, scope_, first);
  if (!variable || shared_.contains(variable)) {
    return; // Clang reports names that mean nothing where the access is evaluated.
  }
  const QualType type = variable->getType().getNonReferenceType();
  if (!item.shape.empty() && base.size() == 1 && type->isScalarType() && !type->isPointerType()) {
    error(sema_.getDiagnostics(), first.getLocation(),
          "'%0' is neither a pointer nor an array, so it has no shape")
        << wordOf(first);
    sharing_.isWrong = true;
    return;
  }
  const std::size_t sections = item.shape.empty() ? item.subscripts.size() : 1;
  const Use use = Walk(sema_, variable->getType()).follow(TokensRef(base).drop_front(), sections);
  const Clause *named = clauseOf(wordOf(first));
  if (use == Use::Object) {
    object(*variable, first);
  } else if (use == Use::Unknown && !named && !construct_.isOfFunction) {
    error(sema_.getDiagnostics(), first.getLocation(),
          "whether '%0' is the memory or a pointer to it depends on a template argument; name it "
          "in shared() or firstprivate()")
        << wordOf(first);
  }
}

/// Of `*(a + 1)`, `((char *)a)[4]`, `(c ? a : b)[i]`, `*&x`: what is named by an address is a part
/// of the variable.
void Decision::addresses(const Item &item) {
  TokensRef tokens = item.base;
  for (std::size_t i = 0; i < tokens.size();) {
    if (tokens[i].is(tok::l_square)) {
      i = afterClose(tokens, i); // An index is a value.
      continue;
    }
    if (tokens[i].is(tok::kw_sizeof) && i + 1 < tokens.size() && tokens[i + 1].is(tok::l_paren)) {
      i = afterClose(tokens, i + 1);
      continue;
    }
    const bool isName =
        tokens[i].is(tok::identifier) &&
        (i == 0 || !tokens[i - 1].isOneOf(tok::period, tok::arrow, tok::coloncolon));
    const bool isAddress = i > 0 && tokens[i - 1].is(tok::amp) &&
                           (i == 1 || !tokens[i - 2].isOneOf(tok::identifier, tok::r_paren,
                                                             tok::r_square, tok::numeric_constant));
    const Token &name = tokens[i++];
    VarDecl *variable = isName ? variableOf(sema_, scope_, name) : nullptr;
    if (!variable || shared_.contains(variable)) {
      continue;
    }
    const std::size_t begin = i;
    while (i < tokens.size() && tokens[i].isOneOf(tok::l_square, tok::period, tok::arrow)) {
      i = tokens[i].is(tok::l_square) ? afterClose(tokens, i) : std::min(i + 2, tokens.size());
    }
    Walk walk(sema_, variable->getType());
    const Use use = walk.follow(tokens.slice(begin, i - begin), 0);
    if (walk.isAtArray() || (isAddress && use == Use::Object)) {
      object(*variable, name);
    }
  }
}

/// The variable is named, or a part of it.
void Decision::object(VarDecl &variable, const Token &name) {
  const Clause *named = clauseOf(wordOf(name));
  if (!named) {
    sharing_.shared.push_back(wordOf(name).str());
    shared_.insert(&variable);
  } else if (named->kind != ClauseKind::Shared) {
    error(sema_.getDiagnostics(), name.getLocation(),
          "'%0' is %1, so other tasks do not see what this one does with it")
        << wordOf(name) << wordOf(named->kind);
  }
}

void Decision::variableSizes() {
  const Clause *byDefault = construct_.directive.find(ClauseKind::Default);
  const bool isShared = byDefault && isWord(byDefault->arguments.front(), "shared");
  const bool isPrivate = byDefault && isWord(byDefault->arguments.front(), "private");
  for (Scope *scope = scope_; scope; scope = scope->getParent()) {
    for (Decl *declaration : scope->decls()) {
      auto *variable = dyn_cast<VarDecl>(declaration);
      if (!variable || !variable->getType()->isVariablyModifiedType() || isDecided(*variable)) {
        continue;
      }
      const Clause *clause = clauseOf(variable->getName());
      if (clause ? clause->kind != ClauseKind::Shared : !isShared) {
        copy(*variable, clause ? clause->kind == ClauseKind::Firstprivate : !isPrivate);
        shared_.insert(variable);
      }
    }
    if (scope->isFunctionScope() && !scope->isOpenMPDirectiveScope()) {
      break;
    }
  }
}

void Decision::iterations() {
  // Of several loops the iterations are counted through: what moves at the end of a row differs.
  if (!construct_.namesIterations() || construct_.iterationVariables.size() != 1) {
    return;
  }
  sharing_.isAffine = llvm::all_of(construct_.items, [&](const NamedItem &named) {
    const Token &first = named.item.base.front();
    const ValueDecl *declared = first.is(tok::identifier) ? valueOf(sema_, scope_, first) : nullptr;
    return isAffine(sema_.getASTContext(), declared, named.item,
                    construct_.iterationVariables.front());
  });
}

void Decision::reductions() {
  for (const ReducedItem &reduced : construct_.reductions) {
    const bool isQualified = reduced.item.base.size() > 1;
    const VarDecl *variable = isQualified ? qualifiedVariable(sema_, scope_, reduced.item.base)
                                          : variableOf(sema_, scope_, reduced.item.base.front());
    QualType type = variable ? variable->getType().getNonReferenceType() : QualType();
    if (variable && !reduced.item.shape.empty()) {
      type = type->isPointerType() ? type->getPointeeType() : type; // Of an array its elements.
    }
    unsigned dimensions = 0;
    for (QualType of = type; !of.isNull(); ++dimensions) {
      const ArrayType *array = sema_.getASTContext().getAsArrayType(of);
      if (!array) {
        type = of;
        break;
      }
      of = array->getElementType();
    }
    const bool isKnown = !type.isNull() && !type->isDependentType();
    const bool isArray = variable && variable->getType().getNonReferenceType()->isArrayType();
    const bool isShaped = !reduced.item.shape.empty();
    const bool isPointer =
        isShaped && variable && variable->getType().getNonReferenceType()->isPointerType();
    // Clang would refuse them as well, but speak of a clause that nobody has written.
    if (isKnown &&
        (type.isConstQualified() || (!isPointer && variable->getTLSKind() != VarDecl::TLS_None))) {
      error(sema_.getDiagnostics(), reduced.item.where, "%0 cannot be reduced")
          << (type.isConstQualified() ? "a constant" : "a variable of each thread");
    }
    if (variable && !isQualified && !clauseOf(variable->getName())) {
      if (isPointer && !reduced.isWeak) {
        sharing_.firstprivate.push_back(variable->getName().str());
      } else if (!isPointer && reduced.isWeak) {
        sharing_.shared.push_back(variable->getName().str()); // Children reduce it.
        shared_.insert(const_cast<VarDecl *>(variable));
      }
    }
    const bool isMember = variable && variable->isStaticDataMember() && !isPointer &&
                          !reduced.isWeak && !variable->getType().isConstQualified() &&
                          variable->getTLSKind() == VarDecl::TLS_None;
    sharing_.reduced.push_back({isKnown, isKnown ? typeNumberOf(type) : 0,
                                isShaped && !isPointer ? dimensions - 1 : dimensions, isPointer,
                                isArray, isMember ? variable : nullptr});
  }
}

/// Words without quotes, as older programs write labels, if they mean nothing else.
std::string Decision::bareText(TokensRef label) {
  std::string text;
  for (const Token &token : label) {
    if (!token.getIdentifierInfo()) {
      return {};
    }
    text += (text.empty() ? "" : " ") + wordOf(token).str();
  }
  return label.size() == 1 && variableOf(sema_, scope_, label.front()) ? std::string() : text;
}

/// A literal, or a constant that is one.
bool Decision::isText(TokensRef label) {
  if (label.size() != 1 || label.front().isNot(tok::identifier)) {
    return llvm::any_of(label, [](const Token &token) {
      return tok::isStringLiteral(token.getKind()) || token.is(tok::coloncolon);
    });
  }
  const VarDecl *variable = variableOf(sema_, scope_, label.front());
  const QualType type = variable->getType();
  return type->isDependentType() || type->isArrayType() ||
         (type.isConstQualified() && variable->hasInit() &&
          !variable->getInit()->isValueDependent() &&
          variable->getInit()->isConstantInitializer(sema_.getASTContext(), false));
}

void Decision::mistakes() {
  const Clause *label = construct_.directive.find(ClauseKind::Label);
  sharing_.label = label ? bareText(splitAtCommas(label->arguments).front()) : std::string();
  if (label && sharing_.label.empty() && !isText(splitAtCommas(label->arguments).front())) {
    error(sema_.getDiagnostics(), label->arguments.front().getLocation(),
          "clause 'label' takes a text that is known when the program is compiled");
  }
  for (const std::string &name : construct_.iterationVariables) {
    Token token;
    token.startToken();
    token.setKind(tok::identifier);
    token.setIdentifierInfo(&sema_.getASTContext().Idents.get(name));
    token.setLocation(construct_.directive.where);
    if (construct_.assignsVariable && isa_and_nonnull<FieldDecl>(valueOf(sema_, scope_, token))) {
      error(sema_.getDiagnostics(), construct_.directive.where,
            "the loop counts with '%0', a member: take a variable of its own")
          << name;
    }
  }
}

void Decision::inherited(const llvm::SmallPtrSetImpl<VarDecl *> &variables) {
  for (VarDecl *variable : variables) {
    if (isDecided(*variable) || clauseOf(variable->getName()) || !variable->hasLocalStorage()) {
      continue;
    }
    Token name;
    name.startToken();
    name.setKind(tok::identifier);
    name.setIdentifierInfo(variable->getIdentifier());
    name.setLocation(construct_.directive.where);
    if (variableOf(sema_, scope_, name) != variable) {
      continue; // Another one hides it.
    }
    const QualType type = variable->getType().getNonReferenceType();
    if (type->isDependentType() || type.isTriviallyCopyableType(sema_.getASTContext())) {
      copy(*variable, true);
    } else {
      sharing_.firstprivate.push_back(variable->getName().str());
    }
  }
}

} // namespace

Sharing Nesting::share(Sema &sema, Scope *scope, const Construct &construct) {
  Decision decision(sema, scope, construct);
  decision.mistakes();
  decision.items();
  decision.reductions();
  decision.iterations();
  Variables all;
  if (!construct.directive.find(ClauseKind::Default)) {
    for (const DeclContext *context = sema.CurContext; context && !context->isFileContext();
         context = context->getParent()) {
      const auto around =
          isa<CapturedDecl>(context) ? shared_.find(context->getParent()) : shared_.end();
      if (around != shared_.end()) {
        all.insert(around->second.begin(), around->second.end());
      }
    }
  }
  decision.variableSizes();
  decision.inherited(all);
  shared_[sema.CurContext] = decision.shared();
  return decision.take();
}

} // namespace tutti::compiler::ompss
