// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/declared_reductions.h"

#include "compiler/frontend/ompss/brackets.h"
#include "compiler/frontend/ompss/names.h"

#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/Expr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/CharInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace tutti::compiler::ompss {

namespace {

/// The parts of `(id : types : combiner) initializer(expression)`.
struct Parts {
  TokensRef operation;
  std::vector<TokensRef> types;
  TokensRef combiner;
  TokensRef initializer; ///< Empty if there is none.
};

/// The index of the first colon in no brackets, or the number of tokens.
std::size_t colonIn(TokensRef tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is(tok::l_paren)) {
      i = closeOf(tokens, i);
    } else if (tokens[i].is(tok::colon)) {
      return i;
    }
  }
  return tokens.size();
}

std::optional<Parts> read(TokensRef tokens) {
  const std::size_t close = tokens.empty() ? 0 : closeOf(tokens, 0);
  if (close == 0 || close >= tokens.size() || tokens[0].isNot(tok::l_paren)) {
    return std::nullopt;
  }
  TokensRef inside = tokens.slice(1, close - 1);
  const std::size_t first = colonIn(inside);
  if (first == 0 || first == inside.size()) {
    return std::nullopt;
  }
  TokensRef after = inside.drop_front(first + 1);
  const std::size_t second = colonIn(after);
  if (second == 0 || second + 1 >= after.size()) {
    return std::nullopt;
  }
  Parts parts{inside.take_front(first),
              splitAtCommas(after.take_front(second)),
              after.drop_front(second + 1),
              {}};
  TokensRef rest = tokens.drop_front(close + 1);
  if (rest.size() > 2 && isWord(rest[0], "initializer")) {
    const std::size_t end = closeOf(rest, 1);
    if (rest[1].isNot(tok::l_paren) || end != rest.size() - 1) {
      return std::nullopt;
    }
    parts.initializer = rest.slice(2, end - 2);
  } else if (!rest.empty()) {
    return std::nullopt;
  }
  return parts;
}

/// An expression in which OpenMP's names stand for what two pointers lead to.
void writeExpression(TokenWriter &writer, TokensRef tokens) {
  for (const Token &token : tokens) {
    const llvm::StringRef word = wordOf(token);
    if (word == "omp_out" || word == "omp_in" || word == "omp_priv" || word == "omp_orig") {
      writer.text(("(*__tutti_" + word.drop_front(4) + ")").str());
    } else {
      writer.tokens(token);
    }
  }
}

/// The head of a function of two pointers, up to and with its `{`.
void writeHead(TokenWriter &writer, const std::string &name, TokensRef type,
               const std::string &first, const std::string &second) {
  writer.text("static __attribute__((__unused__)) void " + name + "(").tokens(type);
  writer.text("*" + first + ",").tokens(type).text("*" + second + ") {");
}

void writeCombine(TokenWriter &writer, const Parts &parts, TokensRef type,
                  const std::string &number) {
  writeHead(writer, "__tutti_reduction_combine_" + number, type, "__tutti_out", "__tutti_in");
  writeExpression(writer, parts.combiner);
  writer.text("; }");
}

void writeInitialize(TokenWriter &writer, const Parts &parts, TokensRef type,
                     const std::string &number) {
  writeHead(writer, "__tutti_reduction_initialize_" + number, type, "__tutti_priv", "__tutti_orig");
  writer.text("(void)__tutti_orig;");
  TokensRef initializer = parts.initializer;
  const bool isPriv = !initializer.empty() && isWord(initializer.front(), "omp_priv");
  const bool assigns = isPriv && initializer.size() > 2 && initializer[1].is(tok::equal);
  if (initializer.empty()) {
    writer.text("__builtin_memset((void*)__tutti_priv,0,sizeof *__tutti_priv);");
  } else if (assigns) {
    // May be a list in braces, which initialises but does not assign.
    writer.tokens(type).text("__tutti_value = ");
    writeExpression(writer, initializer.drop_front(2));
    writer.text("; __builtin_memcpy((void*)__tutti_priv,&__tutti_value,sizeof __tutti_value);");
  } else if (isPriv) { // `omp_priv(arguments)`.
    writer.tokens(type).text("__tutti_value");
    writeExpression(writer, initializer.drop_front(1));
    writer.text("; __builtin_memcpy((void*)__tutti_priv,&__tutti_value,sizeof __tutti_value);");
  } else {
    writeExpression(writer, initializer);
    writer.text(";");
  }
  writer.text("}");
}

/// A part of a name for each operation.
std::string wordFor(llvm::StringRef operation) {
  std::string word;
  for (const char letter : operation) {
    word += clang::isAsciiIdentifierContinue(letter) ? std::string(1, letter)
                                                     : "_" + llvm::utohexstr(letter);
  }
  return word;
}

/// The name of what finds functions of a kind, as `__tutti_reduction_combine`, for an operation.
std::string finderName(const std::string &kind, llvm::StringRef operation) {
  return kind + "r_" + wordFor(operation);
}

/// Says in a function which one it is.
constexpr llvm::StringLiteral kPart = "tutti_task_reduction_part";

/// The two functions of a declaration, as numbers.
std::string partOf(const std::string &number, bool isCombiner) {
  return std::to_string(2 * std::stoul(number) + (isCombiner ? 1 : 0));
}

/// OpenMP's declaration for one type. `isNumbered`: Clang's functions for it are those of ours.
void writeDeclaration(TokenWriter &writer, const Parts &parts, TokensRef type,
                      const std::string &number, bool isNumbered) {
  const auto part = [&](bool isCombiner) {
    writer.text("(" + kPart.str() + "(" + partOf(number, isCombiner) + "),");
  };
  writer.annotation(tok::annot_pragma_openmp).text("declare reduction(");
  writer.tokens(parts.operation).text(":").tokens(type).text(":");
  TokensRef initializer = parts.initializer;
  if (!isNumbered) {
    writer.tokens(parts.combiner).text(")");
    if (!initializer.empty()) {
      writer.text("initializer(").tokens(initializer).text(")");
    }
    return;
  }
  part(true);
  writer.text("(").tokens(parts.combiner).text("))) initializer(");
  const bool isPriv = !initializer.empty() && isWord(initializer.front(), "omp_priv");
  const bool isValue = isPriv && initializer.size() > 2 && initializer[1].is(tok::equal);
  if (isPriv && !isValue) { // Clang says what is wrong with it.
    writer.tokens(initializer).text(")");
    return;
  }
  if (isValue || initializer.empty()) {
    writer.text("omp_priv=");
  }
  part(false);
  initializer = initializer.drop_front(isValue ? 2 : 0);
  if (initializer.empty()) {
    writer.text("__extension__(").tokens(type).text("){0}");
  } else if (initializer.front().is(tok::l_brace)) {
    writer.text("__extension__(").tokens(type).text(")").tokens(initializer);
  } else {
    writer.tokens(initializer);
  }
  writer.text("))");
}

/// Marks what is numbered as used: else Clang makes functions for a clause that combines, not for
/// one that takes part.
class Keeper : public RecursiveASTVisitor<Keeper> {
public:
  bool VisitOMPDeclareReductionDecl(OMPDeclareReductionDecl *declaration) {
    const Expr *combiner = declaration->getCombiner();
    const auto *comma =
        dyn_cast_or_null<BinaryOperator>(combiner ? combiner->IgnoreParens() : nullptr);
    const auto *call = comma ? dyn_cast<CallExpr>(comma->getLHS()) : nullptr;
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (callee && callee->getIdentifier() && callee->getName() == kPart) {
      declaration->setIsUsed();
    }
    return true;
  }
};

/// The name that tells where a declaration inside of a function is seen: a class in C++.
std::string localName(const std::string &number) { return kReductionPrefix.str() + number; }

/// `static void (*NAME(TYPE *))(void *, void *) { return FUNCTION; }`
void writeFinder(TokenWriter &writer, const std::string &name, TokensRef type,
                 const std::string &function) {
  writer.text("static __attribute__((__unused__)) void (*" + name + "(").tokens(type);
  writer.text("*))(void*,void*) { return (void (*)(void*,void*))" + function + "; }");
}

/// For what templates reduce by the language's own operation, where the call is not made.
void writeFallback(TokenWriter &writer, const std::string &name) {
  writer.text("void (*" + name + "(const volatile void*))(void*,void*);");
}

} // namespace

std::string operationName(TokensRef operation) {
  std::string name;
  for (const Token &token : operation) {
    const char *punctuation = tok::getPunctuatorSpelling(token.getKind());
    name += wordOf(token).empty() && punctuation ? punctuation : wordOf(token).str();
  }
  return name;
}

void DeclaredReductions::declare(const Directive &directive, Place place, TokenWriter &writer) {
  const std::optional<Parts> parts = read(directive.rest);
  if (!parts) {
    writer.annotation(tok::annot_pragma_openmp).text("declare reduction").tokens(directive.rest);
    writer.at(directive.end).annotation(tok::annot_pragma_openmp_end);
    return; // Clang says what is wrong with it.
  }
  for (TokensRef type : parts->types) {
    // One by one: Clang 19 reads the expressions of a second type with the first one's variables.
    const std::string number = std::to_string(count_++);
    const std::string operation = operationName(parts->operation);
    const bool isNumbered = place == Place::Function && !writer.isCxx();
    byOperation_[operation].push_back({{type.begin(), type.end()}, number, place});
    writer.at(directive.where);
    writeDeclaration(writer, *parts, type, number, isNumbered);
    writer.at(directive.end).annotation(tok::annot_pragma_openmp_end).at(directive.where);
    if (isNumbered) {
      writer.text("enum { " + localName(number) + " };");
      continue;
    }
    if (place == Place::Function) {
      writer.text("struct " + localName(number) + " {");
    }
    writeCombine(writer, *parts, type, number);
    writeInitialize(writer, *parts, type, number);
    if (place == Place::Function) {
      writer.text("};");
    } else if (writer.isCxx()) {
      for (const std::string kind : {"__tutti_reduction_combine", "__tutti_reduction_initialize"}) {
        const std::string finder = finderName(kind, operation);
        if (place == Place::Namespace) { // In a class nothing is declared twice.
          writeFallback(writer, finder);
        }
        writeFinder(writer, finder, type, kind + "_" + number);
      }
    }
  }
}

bool DeclaredReductions::has(llvm::StringRef operation, IsSeen isSeen) const {
  const auto found = byOperation_.find(operation);
  return found != byOperation_.end() && llvm::any_of(found->second, [&](const Declared &each) {
           return each.place != Place::Function || isSeen(localName(each.number));
         });
}

void DeclaredReductions::writeFunctions(TokenWriter &writer, llvm::StringRef operation,
                                        TokensRef element, IsSeen isSeen) const {
  writeFunction(writer, operation, element, "__tutti_reduction_initialize", isSeen);
  writer.text(",");
  writeFunction(writer, operation, element, "__tutti_reduction_combine", isSeen);
}

bool DeclaredReductions::declaresInNamespace(llvm::StringRef operation) const {
  return llvm::any_of(byOperation_.find(operation)->second,
                      [](const Declared &each) { return each.place != Place::Function; });
}

void DeclaredReductions::writeFunction(TokenWriter &writer, llvm::StringRef operation,
                                       TokensRef element, const std::string &kind,
                                       IsSeen isSeen) const {
  const std::string cast = "(void (*)(void*,void*))";
  const bool isCombiner = kind == "__tutti_reduction_combine";
  const auto local = [&](const Declared &each) {
    return writer.isCxx()
               ? cast + localName(each.number) + "::" + kind + "_" + each.number
               : "tutti_task_reduction_function(" + partOf(each.number, isCombiner) + ")";
  };
  const auto global = [&](const Declared &each) { return cast + kind + "_" + each.number; };
  if (writer.isCxx() && declaresInNamespace(operation)) {
    writeChoice(writer, operation, element, isSeen, local, {}, [&] {
      writer.text(finderName(kind, operation) + "(__builtin_addressof(").tokens(element).text("))");
    });
    return;
  }
  const auto one = [](const Declared &) { return "1"; };
  writer.text("__extension__({_Static_assert(");
  writeChoice(writer, operation, element, isSeen, one, one, [&] { writer.text("0"); });
  writer.text(",").literal(("no reduction '" + operation + "' is declared for this type").str());
  writer.text(");");
  writeChoice(writer, operation, element, isSeen, local, global, [&] { writer.text(cast + "0"); });
  writer.text(";})");
}

/// What a type is given, the innermost declaration first; `otherwise` writes what others are.
void DeclaredReductions::writeChoice(TokenWriter &writer, llvm::StringRef operation,
                                     TokensRef element, IsSeen isSeen, Chosen local, Chosen global,
                                     llvm::function_ref<void()> otherwise) const {
  std::string close;
  for (const Declared &each : llvm::reverse(byOperation_.find(operation)->second)) {
    const bool isLocal = each.place == Place::Function;
    if (isLocal ? isSeen(localName(each.number)) : static_cast<bool>(global)) {
      // By value, qualifiers do not count; objects of C++ may not have one.
      writer.text(writer.isCxx() ? "__extension__ _Generic(__builtin_addressof("
                                 : "__extension__ _Generic((");
      writer.tokens(element).text("),").tokens(each.type).text(writer.isCxx() ? "*:" : ":");
      writer.text((isLocal ? local : global)(each) + ",default:");
      close += ")";
    }
  }
  otherwise();
  writer.text(close);
}

void DeclaredReductions::keepFunctions(DeclGroupRef group) {
  for (Decl *declaration : group) {
    Keeper().TraverseDecl(declaration);
  }
}

} // namespace tutti::compiler::ompss
