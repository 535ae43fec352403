// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/task_function.h"

#include "compiler/frontend/ompss/brackets.h"
#include "compiler/frontend/ompss/directive.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace tutti::compiler::ompss {

namespace {

/// The index after the `>` that closes the `<` at `open`, or the number of tokens.
std::size_t afterAngle(TokensRef tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size();) {
    if (opens(tokens[i])) {
      i = afterClose(tokens, i);
      continue;
    }
    depth += tokens[i].is(tok::less);
    depth -= tokens[i].is(tok::greater) + 2 * tokens[i].is(tok::greatergreater);
    ++i;
    if (depth <= 0) {
      return i;
    }
  }
  return tokens.size();
}

/// The index after an attribute at `at`; `at` itself if there is none.
std::size_t afterAttribute(TokensRef tokens, std::size_t at) {
  if (tokens[at].isOneOf(tok::kw___attribute, tok::kw___declspec, tok::kw_alignas)) {
    return at + 1 < tokens.size() ? afterClose(tokens, at + 1) : tokens.size();
  }
  if (at + 1 < tokens.size() && tokens[at].is(tok::l_square) && tokens[at + 1].is(tok::l_square)) {
    return afterClose(tokens, at);
  }
  return at;
}

bool isSpecifier(const Token &token) {
  return token.isOneOf(tok::kw_static, tok::kw_inline, tok::kw_extern, tok::kw_virtual,
                       tok::kw_constexpr, tok::kw_friend, tok::kw_explicit, tok::kw__Noreturn,
                       tok::kw_const, tok::kw_volatile, tok::string_literal, tok::kw___extension__,
                       tok::kw___forceinline);
}

bool isBuiltinType(const Token &token) {
  return token.isOneOf(tok::kw_int, tok::kw_char, tok::kw_short, tok::kw_long, tok::kw_float,
                       tok::kw_double, tok::kw_signed, tok::kw_unsigned, tok::kw_bool,
                       tok::kw__Bool, tok::kw_struct, tok::kw_enum, tok::kw_union, tok::kw_class) ||
         token.isOneOf(tok::kw_auto, tok::kw_typename);
}

/// The index of the first token that is no specifier, attribute or template head.
std::size_t afterSpecifiers(TokensRef tokens) {
  std::size_t at = 0;
  while (at < tokens.size()) {
    const std::size_t next = afterAttribute(tokens, at);
    if (next != at) {
      at = next;
    } else if (tokens[at].is(tok::kw_template) && at + 1 < tokens.size()) {
      at = afterAngle(tokens, at + 1);
    } else if (isSpecifier(tokens[at])) {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

/// Parts between commas outside of brackets and angles.
std::vector<TokensRef> splitParameters(TokensRef tokens) {
  std::vector<TokensRef> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < tokens.size();) {
    if (opens(tokens[i])) {
      i = afterClose(tokens, i);
    } else if (tokens[i].is(tok::less) && i > 0 && tokens[i - 1].is(tok::identifier)) {
      i = afterAngle(tokens, i);
    } else if (tokens[i].is(tok::comma)) {
      parts.push_back(tokens.slice(begin, i - begin));
      begin = ++i;
    } else {
      ++i;
    }
  }
  if (!tokens.empty()) {
    parts.push_back(tokens.drop_front(begin));
  }
  return parts;
}

Tokens copy(TokensRef tokens) { return {tokens.begin(), tokens.end()}; }

/// Reads one function. Every member that returns a bool has reported an error if it is false.
class Reader {
public:
  Reader(DiagnosticsEngine &diagnostics, TokensRef tokens, TaskFunction &function)
      : diagnostics_(diagnostics), tokens_(tokens), function_(function) {}

  bool read();

private:
  void templateHead(std::size_t &at);
  bool returnsVoidBehind() const;
  bool specifiers(std::size_t &at);
  bool name(std::size_t &at);
  void parameter(TokensRef tokens);
  bool ending(std::size_t at);

  bool refuse(SourceLocation where, const char *why) {
    error(diagnostics_, where, "'#pragma oss task' cannot be used here: %0") << why;
    return false;
  }

  DiagnosticsEngine &diagnostics_;
  TokensRef tokens_;
  TaskFunction &function_;
};

void Reader::templateHead(std::size_t &at) {
  while (at + 1 < tokens_.size() && tokens_[at].is(tok::kw_template)) {
    const std::size_t end = afterAngle(tokens_, at + 1);
    Tokens &bare = function_.bareTemplateHead;
    bare.insert(bare.end(), tokens_.begin() + at, tokens_.begin() + at + 2);
    for (TokensRef part : splitParameters(tokens_.slice(at + 2, end - at - 3))) {
      const auto *equal = llvm::find_if(part, [](const Token &t) { return t.is(tok::equal); });
      const TokensRef declared(part.begin(), equal);
      bare.insert(bare.end(), declared.begin(), declared.end());
      if (part.end() != tokens_.begin() + end - 1) {
        bare.push_back(*part.end()); // The comma.
      }
      if (!declared.empty() && declared.back().is(tok::identifier)) {
        const bool isPack =
            llvm::any_of(declared, [](const Token &t) { return t.is(tok::ellipsis); });
        function_.templateParameters.push_back(wordOf(declared.back()).str() +
                                               (isPack ? "..." : ""));
      }
    }
    bare.push_back(tokens_[end - 1]);
    function_.templateHead.insert(function_.templateHead.end(), tokens_.begin() + at,
                                  tokens_.begin() + end);
    at = end;
  }
}

/// Whether the declaration ends in `-> void`.
bool Reader::returnsVoidBehind() const {
  const std::size_t last = tokens_.size() - 1; // The `;`, or the `{` of the body.
  return last >= 2 && tokens_[last - 2].is(tok::arrow) && tokens_[last - 1].is(tok::kw_void);
}

bool Reader::specifiers(std::size_t &at) {
  const std::size_t begin = at;
  at += afterSpecifiers(tokens_.drop_front(at));
  const bool isLate = at < tokens_.size() && tokens_[at].is(tok::kw_auto) && returnsVoidBehind();
  if (at >= tokens_.size() || (tokens_[at].isNot(tok::kw_void) && !isLate) ||
      (at + 1 < tokens_.size() && tokens_[at + 1].isOneOf(tok::star, tok::amp))) {
    error(diagnostics_, tokens_[std::min(at, tokens_.size() - 1)].getLocation(),
          "a function that is a task returns void");
    return false;
  }
  function_.specifiers = copy(tokens_.slice(begin, ++at - begin));
  for (const Token &token : function_.specifiers) {
    if (token.is(tok::kw_virtual)) {
      return refuse(token.getLocation(), "a virtual method cannot be a task");
    }
    function_.isStatic |= token.is(tok::kw_static);
  }
  return true;
}

bool Reader::name(std::size_t &at) {
  std::size_t last = at;
  while (at < tokens_.size() && tokens_[at].isNot(tok::l_paren)) {
    const std::size_t next = afterAttribute(tokens_, at);
    if (next != at) {
      function_.specifiers.insert(function_.specifiers.end(), tokens_.begin() + at,
                                  tokens_.begin() + next);
      at = next;
      continue;
    }
    if (tokens_[at].is(tok::kw_operator)) {
      return refuse(tokens_[at].getLocation(), "an operator cannot be a task");
    }
    if (tokens_[at].is(tok::coloncolon)) {
      return refuse(tokens_[at].getLocation(),
                    "the pragma belongs before the declaration in the class or namespace");
    }
    if (tokens_[at].isOneOf(tok::semi, tok::l_brace, tok::equal, tok::comma)) {
      return refuse(tokens_[at].getLocation(), "a function has to follow");
    }
    last = at++;
  }
  if (at >= tokens_.size() || tokens_[last].isNot(tok::identifier)) {
    return refuse(tokens_[std::min(last, tokens_.size() - 1)].getLocation(),
                  "a function has to follow");
  }
  function_.name = tokens_[last];
  return true;
}

void Reader::parameter(TokensRef tokens) {
  Parameter parameter;
  const auto *equal = llvm::find_if(tokens, [](const Token &t) { return t.is(tok::equal); });
  if (equal != tokens.end()) {
    parameter.defaultArgument = copy({equal + 1, tokens.end()});
    tokens = {tokens.begin(), equal};
  }
  parameter.isPack = llvm::any_of(tokens, [](const Token &t) { return t.is(tok::ellipsis); });
  // A declarator in parentheses holds the name: `void (*done)(int)`, `double (&a)[8]`.
  std::size_t begin = 0;
  std::size_t end = tokens.size();
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is(tok::l_paren) && tokens[i + 1].isOneOf(tok::star, tok::amp, tok::caret)) {
      begin = i + 1;
      end = afterClose(tokens, i) - 1;
      break;
    }
  }
  std::size_t nameEnd = begin;
  while (nameEnd < end && tokens[nameEnd].isNot(tok::l_square)) {
    ++nameEnd;
  }
  const bool isNamed = nameEnd > begin && tokens[nameEnd - 1].is(tok::identifier) &&
                       (begin > 0 || nameEnd > 1) &&
                       (nameEnd < 2 || tokens[nameEnd - 2].isNot(tok::coloncolon));
  // `T x` against `T`: a type that is one name has no declarator.
  parameter.declaration = copy(tokens);
  if (isNamed) {
    parameter.name = wordOf(tokens[nameEnd - 1]).str();
  } else {
    parameter.name = "__tutti_p" + std::to_string(function_.parameters.size());
    Token marker = tokens.empty() ? Token() : tokens.front();
    marker.setKind(tok::unknown); // Written as the name.
    parameter.declaration.insert(
        parameter.declaration.begin() + static_cast<std::ptrdiff_t>(nameEnd), marker);
  }
  const std::size_t reference = isNamed ? nameEnd - 1 : nameEnd;
  for (std::size_t i = begin; i < reference; ++i) {
    parameter.isReference |= tokens[i].isOneOf(tok::amp, tok::ampamp);
    parameter.isForwarded |= tokens[i].is(tok::ampamp);
  }
  function_.parameters.push_back(std::move(parameter));
}

bool Reader::ending(std::size_t at) {
  const std::size_t begin = at;
  while (at < tokens_.size() && !tokens_[at].isOneOf(tok::semi, tok::l_brace)) {
    if (tokens_[at].is(tok::comma)) {
      return refuse(tokens_[at].getLocation(), "one function only may be declared");
    }
    if (tokens_[at].is(tok::equal)) {
      return refuse(tokens_[at].getLocation(), "this function has no body of its own");
    }
    at = tokens_[at].is(tok::l_paren) ? afterClose(tokens_, at) : at + 1;
  }
  function_.qualifiers = copy(tokens_.slice(begin, at - begin));
  function_.hasBody = at < tokens_.size() && tokens_[at].is(tok::l_brace);
  return true;
}

bool Reader::read() {
  std::size_t at = 0;
  templateHead(at);
  if (!specifiers(at) || !name(at)) {
    return false;
  }
  const std::size_t close = afterClose(tokens_, at);
  for (TokensRef part : splitParameters(tokens_.slice(at + 1, close - at - 2))) {
    if (part.size() == 1 && part.front().is(tok::kw_void)) {
      continue;
    }
    if (part.size() == 1 && part.front().is(tok::ellipsis)) {
      return refuse(part.front().getLocation(), "a task has no variable arguments");
    }
    parameter(part);
  }
  return ending(close);
}

/// A parameter's tokens, with the name where it has none of the user's.
void writeParameter(TokenWriter &writer, const Parameter &parameter) {
  for (const Token &token : parameter.declaration) {
    if (token.is(tok::unknown)) {
      writer.text(parameter.name);
    } else {
      writer.tokens(token);
    }
  }
}

} // namespace

std::optional<bool> beginsDeclaration(TokensRef tokens) {
  // Statements have attributes, too.
  if (tokens.size() == 1 && tokens.front().is(tok::l_square)) {
    return std::nullopt;
  }
  if (const std::size_t next = tokens.empty() ? 0 : afterAttribute(tokens, 0); next != 0) {
    return beginsDeclaration(tokens.drop_front(next));
  }
  const std::size_t at = afterSpecifiers(tokens);
  if (at >= tokens.size() || tokens[at].is(tok::kw_template)) {
    return std::nullopt;
  }
  if (tokens[at].is(tok::kw_void)) {
    return true;
  }
  // Of another type: a mistake that is reported as one of functions. `int (x)` is none.
  const bool isType = isBuiltinType(tokens[at]) || tokens[at].is(tok::identifier);
  if (at > 0 || !isType) {
    return at > 0;
  }
  if (tokens.size() < 2) {
    return std::nullopt;
  }
  if (tokens[1].isNot(tok::identifier)) {
    return false;
  }
  return tokens.size() < 3 ? std::nullopt : std::optional(tokens[2].is(tok::l_paren));
}

std::optional<TaskFunction> readTaskFunction(DiagnosticsEngine &diagnostics, TokensRef tokens) {
  TaskFunction function;
  return Reader(diagnostics, tokens, function).read() ? std::optional(std::move(function))
                                                      : std::nullopt;
}

void writeDeclaration(TokenWriter &writer, const TaskFunction &function, bool withDefaults) {
  writer.tokens(withDefaults ? function.templateHead : function.bareTemplateHead);
  writer.tokens(function.specifiers).tokens(function.name).text("(");
  bool isFirst = true;
  for (const Parameter &parameter : function.parameters) {
    writer.text(isFirst ? "" : ",");
    isFirst = false;
    writeParameter(writer, parameter);
    if (withDefaults && !parameter.defaultArgument.empty()) {
      writer.text("=").tokens(parameter.defaultArgument);
    }
  }
  if (function.parameters.empty() && !writer.isCxx()) {
    writer.text("void");
  }
  writer.text(")").tokens(function.qualifiers);
}

void writeCreatorHead(TokenWriter &writer, const TaskFunction &function, llvm::StringRef name,
                      bool isMember) {
  writer.tokens(function.templateHead);
  if (isMember) {
    writer.text(function.isStatic ? "static" : "");
  } else {
    writer.text("static inline");
  }
  writer.text("__attribute__((__unused__)) void").text(name).text("(");
  bool isFirst = true;
  for (const Parameter &parameter : function.parameters) {
    writer.text(isFirst ? "" : ",");
    isFirst = false;
    writeParameter(writer, parameter);
  }
  if (function.parameters.empty() && !writer.isCxx()) {
    writer.text("void");
  }
  writer.text(")");
  for (const Token &token : function.qualifiers) {
    if (token.isOneOf(tok::kw_const, tok::kw_volatile)) {
      writer.tokens(token);
    }
  }
}

void writeCall(TokenWriter &writer, const TaskFunction &function) {
  writer.tokens(function.name);
  if (!function.templateParameters.empty()) {
    writer.text("<");
    for (std::size_t i = 0; i < function.templateParameters.size(); ++i) {
      writer.text(i == 0 ? "" : ",").text(function.templateParameters[i]);
    }
    writer.text(">");
  }
  writer.text("(");
  bool isFirst = true;
  for (const Parameter &parameter : function.parameters) {
    writer.text(isFirst ? "" : ",")
        .text(parameter.isForwarded
                  ? "static_cast<decltype(" + parameter.name + ")>(" + parameter.name + ")"
                  : parameter.name)
        .text(parameter.isPack ? "..." : "");
    isFirst = false;
  }
  writer.text(")");
}

bool mayBeKernel(DiagnosticsEngine &diagnostics, const TaskFunction &function) {
  for (const Parameter &parameter : function.parameters) {
    if (parameter.isReference || parameter.isPack) {
      error(diagnostics, parameter.declaration.front().getLocation(),
            "a kernel takes values and pointers, no references and no packs");
      return false;
    }
  }
  return true;
}

void writeLaunch(TokenWriter &writer, const TaskFunction &function) {
  writer.text("{tutti_task_kernel_named();");
  writeCall(writer, function);
  writer.text(";tutti_task_launch(").number(static_cast<std::int64_t>(function.parameters.size()));
  constexpr int kPointerClass = 5; // Of __builtin_classify_type.
  for (const Parameter &parameter : function.parameters) {
    writer
        .text(",(const void*)__builtin_addressof(" + parameter.name + "),sizeof(" + parameter.name +
              "),__builtin_classify_type(" + parameter.name + ")==")
        .number(kPointerClass);
  }
  writer.text(");}");
}

} // namespace tutti::compiler::ompss
