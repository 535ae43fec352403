// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/declared_reductions.h"

#include "compiler/frontend/ompss/brackets.h"

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
  writeHead(writer, "__tutti_combine_" + number, type, "__tutti_out", "__tutti_in");
  writeExpression(writer, parts.combiner);
  writer.text("; }");
}

void writeInitialize(TokenWriter &writer, const Parts &parts, TokensRef type,
                     const std::string &number) {
  writeHead(writer, "__tutti_initialize_" + number, type, "__tutti_priv", "__tutti_orig");
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

/// The name of what finds functions of a kind, as `__tutti_combine`, for an operation.
std::string finderName(const std::string &kind, llvm::StringRef operation) {
  return kind + "r_" + wordFor(operation);
}

/// The class that a declaration inside of a function makes.
std::string localName(const std::string &number) { return "__tutti_reduction_" + number; }

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
    writer.at(directive.where).annotation(tok::annot_pragma_openmp).text("declare reduction(");
    writer.tokens(parts->operation).text(":").tokens(type).text(":").tokens(parts->combiner);
    writer.text(")");
    if (!parts->initializer.empty()) {
      writer.text("initializer(").tokens(parts->initializer).text(")");
    }
    writer.at(directive.end).annotation(tok::annot_pragma_openmp_end).at(directive.where);
    const std::string number = std::to_string(count_++);
    if (place == Place::Function) {
      writer.text("struct " + localName(number) + " {");
    }
    writeCombine(writer, *parts, type, number);
    writeInitialize(writer, *parts, type, number);
    const std::string operation = operationName(parts->operation);
    if (place == Place::Function) {
      writer.text("};");
    } else if (writer.isCxx()) {
      for (const std::string kind : {"__tutti_combine", "__tutti_initialize"}) {
        const std::string finder = finderName(kind, operation);
        if (place == Place::Namespace) { // In a class nothing is declared twice.
          writeFallback(writer, finder);
        }
        writeFinder(writer, finder, type, kind + "_" + number);
      }
    }
    byOperation_[operation].push_back({{type.begin(), type.end()}, number, place});
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
  writeFunction(writer, operation, element, "__tutti_initialize", isSeen);
  writer.text(",");
  writeFunction(writer, operation, element, "__tutti_combine", isSeen);
}

void DeclaredReductions::writeFunction(TokenWriter &writer, llvm::StringRef operation,
                                       TokensRef element, const std::string &kind,
                                       IsSeen isSeen) const {
  const auto &declared = byOperation_.find(operation)->second;
  if (!writer.isCxx()) {
    writer.text("(void (*)(void*,void*))__extension__ _Generic(").tokens(element);
    for (const Declared &each : declared) {
      writer.text(",").tokens(each.type).text(":" + kind + "_" + each.number);
    }
    writer.text(")");
    return;
  }
  // The innermost first.
  std::string close;
  std::string comma;
  for (const Declared &each : llvm::reverse(declared)) {
    const std::string local = localName(each.number);
    if (each.place == Place::Function && isSeen(local)) {
      writer.text(comma + "__extension__ _Generic(__builtin_addressof(").tokens(element);
      writer.text("),").tokens(each.type);
      writer.text("*:(void (*)(void*,void*))" + local + "::" + kind + "_" + each.number);
      comma = ",default:";
      close += ")";
    }
  }
  if (llvm::any_of(declared, [](const Declared &each) { return each.place != Place::Function; })) {
    writer.text(comma + finderName(kind, operation) + "(__builtin_addressof(");
    writer.tokens(element).text("))");
  } else { // What nothing is declared for Clang refuses when it looks for the private copy.
    writer.text(comma + "(void (*)(void*,void*))0");
  }
  writer.text(close);
}

} // namespace tutti::compiler::ompss
