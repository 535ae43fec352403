// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/parser.h"

#include "compiler/frontend/luna/cursor.h"
#include "compiler/frontend/luna/expression_parser.h"
#include "compiler/frontend/luna/rule_parser.h"
#include "compiler/frontend/luna/words.h"

#include <algorithm>
#include <array>

namespace tutti::compiler::luna {

namespace {

constexpr std::size_t kDeepestBlocks = 400;

constexpr auto kStatementWords =
    std::to_array<std::string_view>({"cf", "df", "for", "if", "let", "while"});

/// Functions that return a bool return false after an error.
class Parser {
public:
  Parser(const PreprocessedProgram &program, const std::vector<Token> &tokens, Messages &messages)
      : cursor_(program, tokens, messages), expressions_(cursor_, result_),
        rules_(cursor_, expressions_) {}

  Program run() {
    while (!cursor_.isEnd()) {
      if (!item()) {
        recoverItem();
      }
    }
    return std::move(result_);
  }

private:
  // Items.

  bool startsItem() const {
    const bool isForDevices =
        cursor_.is(kDeviceWord) && (cursor_.token(1).is("sub") || cursor_.token(1).is("head"));
    return cursor_.is("import") || cursor_.is("sub") || cursor_.is("C++") || isForDevices;
  }

  void recoverItem() {
    if (!startsItem() || cursor_.index() == itemBegin_) {
      cursor_.next();
    }
    while (!cursor_.isEnd() && !startsItem()) {
      cursor_.next();
    }
  }

  bool item() {
    itemBegin_ = cursor_.index();
    if (!startsItem()) {
      return cursor_.fail("'import', 'sub' or 'C++ sub'");
    }
    if (cursor_.take("import")) {
      return import();
    }
    if (cursor_.take("sub")) {
      return structured();
    }
    const Token &language = cursor_.token();
    cursor_.next();
    if (language.is(kDeviceWord)) {
      result_.additions.push_back({language.at, "code for devices in place"});
    }
    if (cursor_.take("sub")) {
      return inPlace(language.is(kDeviceWord));
    }
    if (!cursor_.is("head")) {
      return cursor_.fail("'sub' or 'head'");
    }
    cursor_.next();
    if (!foreignHere()) {
      return false;
    }
    result_.heads.push_back({language.is(kDeviceWord), foreigns_++});
    cursor_.next();
    return true;
  }

  bool foreignHere() {
    return cursor_.token().kind == Token::Kind::Foreign ||
           cursor_.fail("a text of another language, such as ${{ ... $}}");
  }

  bool name(Word &word, const char *what) {
    if (!cursor_.isName()) {
      return cursor_.fail(std::string("the name of ") + what);
    }
    word = {cursor_.token().text, cursor_.token().at};
    cursor_.next();
    return true;
  }

  bool import() {
    Sub &sub = result_.subNodes.emplace_back();
    sub.kind = Sub::Kind::Import;
    if (!name(sub.code, "a procedure") || !parameters(sub, false)) {
      return false;
    }
    sub.name = sub.code;
    if (cursor_.take("as") && !name(sub.name, "a fragment")) {
      return false;
    }
    if (cursor_.take(":")) {
      if (!cursor_.take(kDeviceWord)) {
        return cursor_.fail("'" + std::string(kDeviceWord) + "'");
      }
      sub.isForDevices = true;
      if (cursor_.take(",") && !(sub.isForDevicesOnly = cursor_.take("NOCPU"))) {
        return cursor_.fail("'NOCPU'");
      }
    }
    if (cursor_.is("@")) {
      result_.additions.push_back({cursor_.token().at, "advice at an import"});
    }
    if (!rules_.parse(sub.rules)) {
      return false;
    }
    result_.subs.push_back(&sub);
    return semicolon("behind the import");
  }

  bool inPlace(bool isForDevices) {
    Sub &sub = result_.subNodes.emplace_back();
    sub.kind = Sub::Kind::InPlace;
    sub.isForDevices = isForDevices;
    sub.isForDevicesOnly = isForDevices;
    if (!name(sub.name, "a fragment") || !parameters(sub, true) || !foreignHere()) {
      return false;
    }
    sub.code = sub.name;
    sub.foreign = foreigns_++;
    cursor_.next();
    result_.subs.push_back(&sub);
    return true;
  }

  bool structured() {
    Sub &sub = result_.subNodes.emplace_back();
    sub.kind = Sub::Kind::Structured;
    if (!pragma() || !name(sub.name, "a fragment") || !parameters(sub, true)) {
      return false;
    }
    for (Parameter &parameter : sub.parameters) {
      parameter.declaration = declare(Declaration::Kind::Parameter, parameter.name, parameter.type);
    }
    result_.subs.push_back(&sub);
    sub.body = block();
    return sub.body != nullptr;
  }

  bool parameters(Sub &sub, bool needNames) {
    if (!cursor_.expect("(", "before the parameters")) {
      return false;
    }
    if (cursor_.take(")")) {
      return true;
    }
    do {
      Parameter &parameter = sub.parameters.emplace_back();
      if (!parameterType(parameter)) {
        return false;
      }
      if ((needNames || cursor_.isName()) && !name(parameter.name, "a parameter")) {
        return false;
      }
    } while (cursor_.take(","));
    return cursor_.expect(")", "behind the parameters");
  }

  bool parameterType(Parameter &parameter) {
    constexpr auto kTypes =
        std::to_array<std::string_view>({"int", "real", "string", "name", "value"});
    parameter.at = cursor_.token().at;
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
      if (cursor_.take(kTypes[i])) {
        parameter.type = static_cast<ParameterType>(i);
        cursor_.take("&");
        return true;
      }
    }
    return cursor_.fail("a type: int, real, string, value or name");
  }

  Declaration *declare(Declaration::Kind kind, Word word,
                       ParameterType type = ParameterType::Name) {
    Declaration &declaration = result_.declarations.emplace_back();
    declaration.kind = kind;
    declaration.name = word;
    declaration.type = type;
    declaration.sub = &result_.subNodes.back();
    return &declaration;
  }

  // Blocks and statements. A block is null after an error that its reader cannot go on from.

  Block *block() {
    if (blocks_ >= kDeepestBlocks) {
      cursor_.stopTooDeep();
      return nullptr;
    }
    ++blocks_;
    Block *inner = innerBlock();
    --blocks_;
    return inner;
  }

  Block *innerBlock() {
    Block &block = result_.blocks.emplace_back();
    block.at = cursor_.token().at;
    if (!cursor_.is("{")) {
      Statement *only = statement();
      if (only != nullptr) {
        block.statements.push_back(only);
      }
      return only == nullptr ? nullptr : &block;
    }
    cursor_.next();
    while (!cursor_.is("}") && !cursor_.isEnd() && !startsItem()) {
      const std::size_t begin = cursor_.index();
      if (!(cursor_.is("df") ? fragments(block) : statementOf(block))) {
        recoverStatement(begin);
      }
    }
    if (!cursor_.expect("}", "at the end of the block") || !rules_.parse(block.rules)) {
      return nullptr;
    }
    return &block;
  }

  bool fragments(Block &block) {
    if (!block.statements.empty() || !block.fragments.empty()) {
      result_.additions.push_back({cursor_.token().at, "a 'df' here"});
    }
    cursor_.next();
    do {
      Word word;
      if (!name(word, "a data fragment")) {
        return false;
      }
      block.fragments.push_back(declare(Declaration::Kind::Fragment, word));
    } while (cursor_.take(","));
    return semicolon("behind the names");
  }

  bool statementOf(Block &block) {
    Statement *next = statement();
    if (next != nullptr) {
      block.statements.push_back(next);
    }
    return next != nullptr;
  }

  bool startsStatement() const {
    return std::ranges::any_of(kStatementWords,
                               [&](std::string_view word) { return cursor_.is(word); });
  }

  /// Skips what is left of a statement.
  void recoverStatement(std::size_t begin) {
    std::size_t depth = 0;
    while (!cursor_.isEnd() && !startsItem()) {
      const bool isFirst = cursor_.index() == begin;
      if (depth == 0 && (cursor_.is("}") || (startsStatement() && !isFirst))) {
        return;
      }
      const bool isEnd = cursor_.is(";") || cursor_.is("}");
      depth += cursor_.is("{") ? 1 : 0;
      depth -= cursor_.is("}") ? 1 : 0;
      cursor_.next();
      if (depth == 0 && isEnd) {
        return;
      }
    }
  }

  bool semicolon(const char *where) {
    if (cursor_.take(";")) {
      return true;
    }
    cursor_.failBehind(std::string("';' ") + where);
    // As if it were there, where something new begins.
    const bool isCall = cursor_.isName() && cursor_.token(1).is("(");
    return cursor_.is("}") || startsStatement() || startsItem() || isCall;
  }

  Statement *make(Statement::Kind kind) {
    Statement &statement = result_.statements.emplace_back();
    statement.kind = kind;
    statement.at = cursor_.token().at;
    return &statement;
  }

  Statement *statement() {
    Statement *result = nullptr;
    bool isRight = false;
    if (cursor_.is("let")) {
      result = make(Statement::Kind::Let);
      isRight = let(*result);
    } else if (cursor_.is("for")) {
      result = make(Statement::Kind::For);
      isRight = loop(*result);
    } else if (cursor_.is("while")) {
      result = make(Statement::Kind::While);
      isRight = whileLoop(*result);
    } else if (cursor_.is("if")) {
      result = make(Statement::Kind::If);
      isRight = condition(*result);
    } else if (cursor_.is("cf") || cursor_.isName()) {
      result = make(Statement::Kind::Call);
      isRight = call(*result);
    } else if (cursor_.is("else")) {
      cursor_.fail("a statement ('else' belongs to no 'if')");
    } else {
      cursor_.fail("a statement");
    }
    return isRight ? result : nullptr;
  }

  bool call(Statement &statement) {
    if (cursor_.take("cf")) {
      statement.label = expressions_.id();
      if (statement.label == nullptr || !cursor_.expect(":", "behind the label")) {
        return false;
      }
    }
    if (!name(statement.name, "a fragment") || !cursor_.expect("(", "before the arguments")) {
      return false;
    }
    if (!cursor_.take(")")) {
      do {
        statement.arguments.push_back(expressions_.expression());
        if (statement.arguments.back() == nullptr) {
          return false;
        }
      } while (cursor_.take(","));
      if (!cursor_.expect(")", "behind the arguments")) {
        return false;
      }
    }
    if (cursor_.take(">>") && !ids(statement.signals)) {
      return false;
    }
    if (cursor_.take("-->") && !ids(statement.deletions)) {
      return false;
    }
    return rules_.parse(statement.rules) && semicolon("behind the call");
  }

  bool ids(std::vector<Expression *> &list) {
    if (!cursor_.expect("(", "before the names")) {
      return false;
    }
    do {
      list.push_back(expressions_.id());
      if (list.back() == nullptr) {
        return false;
      }
    } while (cursor_.take(","));
    return cursor_.expect(")", "behind the names");
  }

  bool let(Statement &statement) {
    cursor_.next();
    do {
      Word word;
      if (!name(word, "a value") || !cursor_.expect("=", "behind the name")) {
        return false;
      }
      Declaration *declaration = declare(Declaration::Kind::Let, word);
      declaration->value = expressions_.expression();
      if (declaration->value == nullptr) {
        return false;
      }
      statement.lets.push_back(declaration);
    } while (cursor_.take(","));
    return body(statement);
  }

  bool body(Statement &statement) {
    statement.body = block();
    return statement.body != nullptr;
  }

  bool counter(Statement &statement) {
    Word word;
    if (!name(word, "a counter") || !cursor_.expect("=", "behind the counter")) {
      return false;
    }
    statement.counter = declare(Declaration::Kind::Counter, word, ParameterType::Int);
    statement.first = expressions_.expression();
    return statement.first != nullptr && cursor_.expect("..", "behind the first value");
  }

  bool loop(Statement &statement) {
    cursor_.next();
    if (!pragma() || !counter(statement)) {
      return false;
    }
    statement.last = expressions_.expression();
    return statement.last != nullptr && body(statement);
  }

  bool whileLoop(Statement &statement) {
    cursor_.next();
    if (!pragma()) {
      return false;
    }
    statement.condition = expressions_.expression();
    if (statement.condition == nullptr || !cursor_.expect(",", "behind the condition") ||
        !counter(statement) || !cursor_.expect("out", "behind '..'")) {
      return false;
    }
    statement.last = expressions_.id();
    return statement.last != nullptr && body(statement);
  }

  bool condition(Statement &statement) {
    cursor_.next();
    statement.condition = expressions_.expression();
    if (statement.condition == nullptr || !body(statement)) {
      return false;
    }
    if (cursor_.is("else")) {
      result_.additions.push_back({cursor_.token().at, "'else'"});
      cursor_.next();
      statement.otherwise = block();
      return statement.otherwise != nullptr;
    }
    return true;
  }

  /// `<<static, 1>>`: read, and of no effect.
  bool pragma() {
    if (!cursor_.take("<<")) {
      return true;
    }
    if (cursor_.token().kind != Token::Kind::Word) {
      return cursor_.fail("a word");
    }
    cursor_.next();
    while (cursor_.take(",")) {
      if (expressions_.expression() == nullptr) {
        return false;
      }
    }
    return cursor_.expect(">>", "at the end of '<<'");
  }

  Program result_;
  Cursor cursor_;
  ExpressionParser expressions_;
  RuleParser rules_;
  std::size_t itemBegin_ = 0;
  std::size_t blocks_ = 0;
  std::size_t foreigns_ = 0;
};

} // namespace

Program parse(const PreprocessedProgram &program, const std::vector<Token> &tokens,
              Messages &messages) {
  return Parser(program, tokens, messages).run();
}

} // namespace tutti::compiler::luna
