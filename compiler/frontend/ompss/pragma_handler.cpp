// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/pragma_handler.h"

#include "abi/tasks.h"
#include "compiler/frontend/ompss/names.h"

#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

#include <utility>

using namespace clang;

namespace tutti::compiler::ompss {

namespace {

/// The variable that a `for` header counts with: the one that its first part assigns or declares.
std::string iterationVariable(TokensRef header) {
  for (std::size_t i = 1; i < header.size() && header[i].isNot(tok::semi); ++i) {
    if (header[i].isOneOf(tok::equal, tok::l_brace, tok::l_paren) && i > 1 &&
        header[i - 1].is(tok::identifier)) {
      return wordOf(header[i - 1]).str();
    }
  }
  return {};
}

/// Whether what follows the directive is part of it.
bool takesMore(DirectiveKind kind) {
  return kind != DirectiveKind::Taskwait && kind != DirectiveKind::Release;
}

/// Whether a `for` header assigns a variable that is declared elsewhere.
bool isAssigned(TokensRef header) {
  return header.size() > 2 && header[1].is(tok::identifier) && header[2].is(tok::equal);
}

/// How many loops the construct takes, as far as that is a literal.
std::uint64_t depthOf(const Construct &construct, Preprocessor &preprocessor) {
  const Clause *collapse = construct.directive.find(ClauseKind::Collapse);
  std::uint64_t depth = 1;
  if (collapse && collapse->arguments.size() == 1 &&
      collapse->arguments.front().is(tok::numeric_constant)) {
    Token token = collapse->arguments.front();
    llvm::SmallString<16> buffer;
    if (preprocessor.getSpelling(token, buffer).getAsInteger(0, depth)) {
      depth = 1; // Clang reports it.
    }
  }
  return depth;
}

/// `assert("...")`.
void requireText(DiagnosticsEngine &diagnostics, const Directive &directive) {
  TokensRef rest = directive.rest;
  if (rest.size() < 3 || rest.front().isNot(tok::l_paren) || rest.back().isNot(tok::r_paren) ||
      !llvm::all_of(rest.slice(1, rest.size() - 2),
                    [](const Token &token) { return tok::isStringLiteral(token.getKind()); })) {
    error(diagnostics, rest.empty() ? directive.end : rest.front().getLocation(),
          "'#pragma oss assert' takes a text in parentheses");
  }
}

/// Whether a name of `critical` is one in parentheses, or is not there.
bool isLockName(TokensRef rest) {
  return rest.empty() || (rest.size() == 3 && rest[0].is(tok::l_paren) &&
                          rest[1].is(tok::identifier) && rest[2].is(tok::r_paren));
}

/// What a parameter that is passed by value holds is a copy: naming it orders nothing.
bool namesNoCopies(DiagnosticsEngine &diagnostics, const Construct &construct,
                   const TaskFunction &function) {
  const auto namesCopy = [&](const Item &item) {
    const bool isObject = item.shape.empty() && item.subscripts.empty() &&
                          llvm::all_of(item.base, [](const Token &token) {
                            return token.isOneOf(tok::identifier, tok::period);
                          });
    return isObject && llvm::any_of(function.parameters, [&](const Parameter &parameter) {
             return !parameter.isReference && wordOf(item.base.front()) == parameter.name;
           });
  };
  std::vector<const Item *> items;
  for (const NamedItem &named : construct.items) {
    items.push_back(&named.item);
  }
  for (const ReducedItem &reduced : construct.reductions) {
    items.push_back(&reduced.item);
  }
  const auto copied = llvm::find_if(items, [&](const Item *item) { return namesCopy(*item); });
  if (copied == items.end()) {
    return true;
  }
  error(diagnostics, (*copied)->where,
        "the task has a copy of '%0': name what it points to, or take a reference")
      << wordOf((*copied)->base.front());
  return false;
}

/// The body of a function reaches private copies by its parameters alone. What else is reduced it
/// finds under its own name: such tasks change the original, one after the other.
void takeTurns(Construct &construct, const TaskFunction &function) {
  const auto isReached = [&](const ReducedItem &reduced) {
    return llvm::any_of(function.parameters, [&](const Parameter &parameter) {
      return reduced.item.base.size() == 1 && wordOf(reduced.item.base.front()) == parameter.name;
    });
  };
  std::vector<ReducedItem> reached;
  for (ReducedItem &reduced : construct.reductions) {
    if (reduced.isWeak || isReached(reduced)) {
      reached.push_back(std::move(reduced));
    } else {
      construct.items.push_back({TUTTI_TASK_COMMUTATIVE, std::move(reduced.item)});
    }
  }
  construct.reductions = std::move(reached);
}

/// Whether the task has a copy of its own of what the parameter refers to, which is combined later.
bool isReduced(const Construct &construct, const Parameter &parameter) {
  return llvm::any_of(construct.reductions, [&](const ReducedItem &reduced) {
    return !reduced.isWeak && reduced.item.base.size() == 1 &&
           wordOf(reduced.item.base.front()) == parameter.name;
  });
}

/// Whether a context is a function, or the class around it, that has been made of a declared
/// reduction: no pragma stands in there, though the parser may not have left it yet.
bool isMade(const DeclContext &context) {
  const auto *named = dyn_cast<NamedDecl>(&context);
  return named && named->getIdentifier() && named->getName().starts_with(kReductionPrefix);
}

} // namespace

void PragmaHandler::HandlePragma(Preprocessor &preprocessor, PragmaIntroducer introducer,
                                 Token &first) {
  std::optional<Directive> directive = readDirective(preprocessor, introducer.Loc, first);
  if (!directive || preprocessor.getLangOpts().OpenMP == 0) {
    return;
  }
  TokenWriter writer(preprocessor, directive->where);
  switch (directive->kind) {
  case DirectiveKind::Atomic:
  case DirectiveKind::Critical:
  case DirectiveKind::Declare:
    plain(*directive, writer);
    break;
  case DirectiveKind::Assert:
    requireText(preprocessor.getDiagnostics(), *directive);
    return;
  case DirectiveKind::Lint:
    return;
  default: {
    std::optional<Construct> construct = readConstruct(preprocessor, std::move(*directive));
    if (!construct) {
      return;
    }
    if (takesMore(construct->directive.kind) && endsTooEarly(construct->directive)) {
      return;
    }
    if (construct->directive.kind != DirectiveKind::Task && isOutside()) {
      error(preprocessor.getDiagnostics(), construct->directive.where,
            "'#pragma oss %0' stands outside of any function")
          << wordOf(construct->directive.kind);
      return;
    }
    if (construct->isLoop()) {
      loop(std::move(*construct), writer);
    } else if (construct->directive.kind == DirectiveKind::Task) {
      task(std::move(*construct), writer);
    } else if (construct->directive.kind == DirectiveKind::Taskiter) {
      taskiter(std::move(*construct), writer);
    } else {
      waiting(*construct, writer);
    }
  }
  }
  enter(preprocessor, writer.take());
}

/// The directive up to the body, and the marker for the rest of its clauses.
void PragmaHandler::open(Construct construct, TokenWriter &writer) {
  const std::string marker = kMarkerPrefix.str() + std::to_string(unit_->constructs.size());
  const Clause *onready = construct.directive.find(ClauseKind::Onready);
  writer.at(construct.directive.where).annotation(tok::annot_pragma_openmp);
  writeOpening(writer, construct, marker);
  writer.at(construct.directive.end).annotation(tok::annot_pragma_openmp_end);
  if (onready && !construct.isLoop()) {
    // The runtime calls the body for the expression alone, before the task is ready.
    writer.at(onready->where).text("if(tutti_task_asks()) (void)").group(onready->arguments);
    writer.text("; else");
  }
  if (!construct.isLoop()) {
    writePrologue(writer, construct);
  }
  unit_->constructs.push_back(std::move(construct));
}

/// Whether the file has no more that the directive can be of. To lex to its end is no way to know:
/// the preprocessor takes a file away when that comes, and is still in it.
bool PragmaHandler::endsTooEarly(const Directive &directive) {
  const SourceManager &sources = unit_->preprocessor.getSourceManager();
  if (directive.where.isMacroID() || sources.isWrittenInScratchSpace(directive.where)) {
    return false;
  }
  const auto [file, offset] = sources.getDecomposedLoc(directive.where);
  const llvm::StringRef text = sources.getBufferData(file);
  Lexer lexer(sources.getLocForStartOfFile(file), unit_->preprocessor.getLangOpts(), text.begin(),
              text.begin() + offset, text.end());
  bool isInDirective = false;
  Token token;
  do {
    lexer.LexFromRawLexer(token);
    isInDirective = token.isAtStartOfLine() ? token.is(tok::hash) : isInDirective;
    if (!isInDirective && token.isOneOf(tok::semi, tok::l_brace, tok::r_brace)) {
      return false;
    }
  } while (token.isNot(tok::eof));
  error(unit_->preprocessor.getDiagnostics(), directive.where, "nothing follows '#pragma oss %0'")
      << wordOf(directive.kind);
  return true;
}

/// Whether no function or class surely is open. Behind the end of one the parser is still in it
/// when the pragma is read, so that it is Clang that refuses what stands there.
bool PragmaHandler::isOutside() const {
  return unit_->sema->CurContext->getRedeclContext()->isFileContext() &&
         !unit_->preprocessor.getLangOpts().DelayedTemplateParsing;
}

/// How many braces that were opened behind `begin` are open at `where`; nothing if they are not in
/// one file. Of the alternatives of a condition the first one counts.
std::optional<int> PragmaHandler::bracesBetween(SourceLocation begin, SourceLocation where) const {
  const SourceManager &sources = unit_->preprocessor.getSourceManager();
  if (where.isMacroID() || begin.isInvalid() || begin.isMacroID() ||
      !sources.isWrittenInSameFile(begin, where)) {
    return std::nullopt;
  }
  const auto [file, offset] = sources.getDecomposedLoc(begin);
  const unsigned end = sources.getFileOffset(where);
  const llvm::StringRef text = sources.getBufferData(file);
  Lexer lexer(sources.getLocForStartOfFile(file), unit_->preprocessor.getLangOpts(), text.begin(),
              text.begin() + offset, text.end());
  int depth = 0;
  llvm::SmallVector<bool> isOther; // For each condition, whether this is not its first alternative.
  bool isDirective = false;
  Token token;
  for (lexer.LexFromRawLexer(token);
       token.isNot(tok::eof) && sources.getFileOffset(token.getLocation()) < end;
       lexer.LexFromRawLexer(token)) {
    if (std::exchange(isDirective, token.is(tok::hash) && token.isAtStartOfLine())) {
      const llvm::StringRef word =
          token.is(tok::raw_identifier) ? token.getRawIdentifier() : llvm::StringRef();
      if (word.starts_with("if")) {
        isOther.push_back(false);
      } else if (word.starts_with("el") && !isOther.empty()) {
        isOther.back() = true;
      } else if (word == "endif" && !isOther.empty()) {
        isOther.pop_back();
      }
    }
    if (llvm::none_of(isOther, [](bool other) { return other; })) {
      depth += token.is(tok::l_brace);
      depth -= token.is(tok::r_brace);
    }
  }
  return depth;
}

/// Whether the class that is being parsed is the innermost thing around. Bodies of its methods are
/// lexed as parts of it, so braces are counted.
bool PragmaHandler::standsInClass(SourceLocation where) const {
  const auto *around = dyn_cast<CXXRecordDecl>(unit_->sema->CurContext);
  return around && bracesBetween(around->getLocation(), where) == 1;
}

/// Whether a function is around. Behind the end of one the parser is still in it when the pragma is
/// read, so braces are counted.
bool PragmaHandler::standsInFunction(SourceLocation where) const {
  const DeclContext *around = unit_->sema->CurContext;
  while (around &&
         (isMade(*around) || (!isa<FunctionDecl>(around) && around->isFunctionOrMethod()))) {
    around = around->getParent(); // What OpenMP's constructs outline.
  }
  if (const auto *record = dyn_cast_or_null<CXXRecordDecl>(around)) {
    return bracesBetween(record->getLocation(), where).value_or(0) >
           1; // In a body, kept for later.
  }
  const auto *function = dyn_cast_or_null<FunctionDecl>(around);
  return function && bracesBetween(function->getLocation(), where).value_or(1) > 0;
}

/// Whether statements are around, and not a class or the file, as far as braces tell.
bool PragmaHandler::standsSurelyInFunction(SourceLocation where) const {
  const auto *function = dyn_cast<FunctionDecl>(unit_->sema->CurContext);
  return function && bracesBetween(function->getLocation(), where).value_or(0) > 0;
}

/// Constructors and destructors begin with no word that declarations begin with.
bool PragmaHandler::refusesSpecialMember(SourceLocation where, TokensRef ahead) {
  const auto *around = dyn_cast<CXXRecordDecl>(unit_->sema->CurContext);
  const bool destroys = ahead.front().is(tok::tilde);
  TokensRef named = ahead.drop_front(destroys ? 1 : 0);
  if (!around || named.size() < 2 || named[0].isNot(tok::identifier) ||
      named[0].getIdentifierInfo() != around->getIdentifier() || named[1].isNot(tok::l_paren) ||
      !standsInClass(where)) {
    return false;
  }
  error(unit_->preprocessor.getDiagnostics(), ahead.front().getLocation(),
        "'#pragma oss task' cannot be used here: a %0 cannot be a task")
      << (destroys ? "destructor" : "constructor");
  return true;
}

void PragmaHandler::task(Construct construct, TokenWriter &writer) {
  Tokens ahead = lexUntilKnown();
  if (beginsDeclaration(ahead).value_or(false)) {
    ahead = lexDeclaration(std::move(ahead));
    function(std::move(construct), ahead, writer);
    return;
  }
  while (ahead.front().is(tok::tilde) && ahead.size() < 3 && ahead.back().isNot(tok::eof)) {
    Token token; // A name and a parenthesis, if it is a destructor.
    unit_->preprocessor.Lex(token);
    ahead.push_back(token);
  }
  if (refusesSpecialMember(construct.directive.where, ahead)) {
    writer.tokens(ahead);
    return;
  }
  if (isOutside() || standsInClass(construct.directive.where)) {
    error(unit_->preprocessor.getDiagnostics(), construct.directive.where,
          "'#pragma oss task' outside of any function needs a function that returns void");
    writer.tokens(ahead);
    return;
  }
  if (const Clause *shape = construct.shape()) {
    error(unit_->preprocessor.getDiagnostics(), shape->where,
          "the clause '%0' is for functions that are kernels of the device")
        << wordOf(shape->kind);
    writer.tokens(ahead);
    return;
  }
  open(std::move(construct), writer);
  writer.tokens(ahead);
}

/// A parameter of the function's own name hides the function where its creator calls it: it gets
/// another name there, and in the clauses. Whether there is one.
bool PragmaHandler::renameShadowing(TaskFunction &function, Directive &directive) {
  for (Parameter &parameter : function.parameters) {
    if (parameter.name != wordOf(function.name)) {
      continue;
    }
    const std::string shadowing = std::exchange(parameter.name, parameter.name + "_of_task");
    TokenWriter writer(unit_->preprocessor, directive.where);
    const Token name = writer.text(parameter.name).take().front();
    const auto rename = [&](Tokens &tokens) {
      for (Token &token : tokens) {
        if (token.is(tok::identifier) && wordOf(token) == shadowing) {
          const SourceLocation where = token.getLocation();
          token = name;
          token.setLocation(where);
        }
      }
    };
    for (Parameter &each : function.parameters) { // Lengths may name others.
      rename(each.declaration);
    }
    for (Clause &clause : directive.clauses) {
      rename(clause.arguments);
    }
    return true;
  }
  return false;
}

void PragmaHandler::function(Construct construct, TokensRef ahead, TokenWriter &writer) {
  std::optional<TaskFunction> function =
      readTaskFunction(unit_->preprocessor.getDiagnostics(), ahead);
  if (!function) {
    writer.tokens(ahead);
    return;
  }
  if (standsSurelyInFunction(construct.directive.where)) {
    error(unit_->preprocessor.getDiagnostics(), construct.directive.where,
          "'#pragma oss task' cannot be used here: declare '%0' outside of the function")
        << wordOf(function->name);
    writer.tokens(ahead);
    return;
  }
  for (const Clause &clause : construct.directive.clauses) {
    if (formOf(clause.kind) == ClauseForm::Names || clause.kind == ClauseKind::Default) {
      error(unit_->preprocessor.getDiagnostics(), clause.where,
            "the clause '%0' is not for functions: their parameters are copied, references shared")
          << wordOf(clause.kind);
      writer.tokens(ahead);
      return;
    }
  }
  TaskFunction called = *function; // As the creator has it.
  if (renameShadowing(called, construct.directive)) {
    std::optional<Construct> renamed =
        readConstruct(unit_->preprocessor, std::move(construct.directive));
    if (!renamed) {
      writer.tokens(ahead);
      return;
    }
    construct = std::move(*renamed);
  }
  if (!namesNoCopies(unit_->preprocessor.getDiagnostics(), construct, called)) {
    writer.tokens(ahead);
    return;
  }
  if (construct.shape() && !mayBeKernel(unit_->preprocessor.getDiagnostics(), *function)) {
    writer.tokens(ahead);
    return;
  }
  takeTurns(construct, called);
  const bool isMember = isa<CXXRecordDecl>(unit_->sema->CurContext);
  const std::string creator = kCreatorPrefix.str() + std::to_string(unit_->constructs.size());
  unit_->functions.add(function->name.getLocation(), construct.directive.where, creator);
  const Token ending = ahead.back();
  const SourceLocation where = construct.directive.where;
  if (!function->hasBody) {
    writer.tokens(ahead);
  } else if (!isMember) {
    writeDeclaration(writer, *function, /*withDefaults=*/true);
    writer.text(";");
  }
  // References are what the caller has, not copies.
  for (const Parameter &parameter : called.parameters) {
    if (parameter.isReference && !isReduced(construct, parameter)) {
      TokenWriter name(unit_->preprocessor, where);
      construct.directive.clauses.push_back(
          {ClauseKind::Shared, where, name.text(parameter.name).take(), where});
    }
  }
  construct.isOfFunction = true;
  writeCreatorHead(writer.at(where), called, creator, isMember);
  writer.text("{");
  const bool isKernel = construct.shape() != nullptr;
  open(std::move(construct), writer);
  writer.at(where);
  isKernel ? writeLaunch(writer, called) : writeCall(writer, called);
  writer.text("; }");
  if (function->hasBody) {
    writeDeclaration(writer, *function, /*withDefaults=*/isMember);
    writer.tokens(ending);
  }
}

/// Lexes what follows a pragma as far as it takes to know whether it is a declaration.
Tokens PragmaHandler::lexUntilKnown() {
  Tokens tokens;
  do {
    Token token;
    unit_->preprocessor.Lex(token);
    tokens.push_back(token);
  } while (!tokens.back().isOneOf(tok::eof, tok::semi, tok::r_brace) && !beginsDeclaration(tokens));
  return tokens;
}

/// Lexes a declaration up to and with its `;`, or the `{` of its body.
Tokens PragmaHandler::lexDeclaration(Tokens tokens) {
  int depth = 0;
  const auto isEnd = [&](const Token &token) {
    depth += token.isOneOf(tok::l_paren, tok::l_square);
    depth -= token.isOneOf(tok::r_paren, tok::r_square);
    return token.is(tok::eof) || (depth == 0 && token.isOneOf(tok::semi, tok::l_brace));
  };
  bool isComplete = llvm::any_of(tokens, isEnd);
  while (!isComplete) {
    Token token;
    unit_->preprocessor.Lex(token);
    tokens.push_back(token);
    isComplete = isEnd(token);
  }
  return tokens;
}

/// Lexes `( ... )`. False if something else follows; what was lexed is in `tokens` either way.
bool PragmaHandler::lexParentheses(Tokens &tokens) {
  int depth = 0;
  do {
    Token token;
    unit_->preprocessor.Lex(token);
    tokens.push_back(token);
    if (token.isOneOf(tok::eof, tok::r_brace)) {
      return false;
    }
    depth += token.is(tok::l_paren);
    depth -= token.is(tok::r_paren);
    if (depth == 0 && token.isNot(tok::r_paren)) {
      return false;
    }
  } while (depth > 0);
  return true;
}

/// Items that depend on the iteration are named by the body, when the runtime asks for them.
void PragmaHandler::loop(Construct construct, TokenWriter &writer) {
  const std::uint64_t depth = depthOf(construct, unit_->preprocessor);
  Tokens ahead;
  bool isLoop = true;
  bool isSkewed = false; // The bounds of one loop depend on another.
  for (std::uint64_t level = 0; level < depth && isLoop; ++level) {
    Token token;
    do {
      unit_->preprocessor.Lex(token);
      ahead.push_back(token);
    } while (level > 0 && token.is(tok::l_brace));
    Tokens header;
    isLoop = token.is(tok::kw_for) && lexParentheses(header);
    const std::string variable = iterationVariable(header);
    for (const std::string &outer : construct.iterationVariables) {
      isSkewed = isSkewed || contains(header, outer);
    }
    construct.assignsVariable = construct.assignsVariable || isAssigned(header);
    if (!variable.empty()) {
      construct.iterationVariables.push_back(variable);
    }
    ahead.insert(ahead.end(), header.begin(), header.end());
  }
  if (!isLoop && construct.iterationVariables.empty() && ahead.front().isNot(tok::kw_for)) {
    error(unit_->preprocessor.getDiagnostics(), ahead.front().getLocation(),
          "'#pragma oss %0' needs a for loop")
        << wordOf(construct.directive.kind);
    writer.tokens(ahead);
    return;
  }
  const bool namesIterations = isLoop && construct.namesIterations();
  if (isSkewed && namesIterations) {
    error(unit_->preprocessor.getDiagnostics(), construct.directive.where,
          "items name iterations of loops of which one bounds the other");
    writer.tokens(ahead);
    return;
  }
  const Construct copy = construct;
  open(std::move(construct), writer);
  writer.tokens(ahead);
  if (namesIterations) {
    writer.at(copy.directive.where).text("if(tutti_task_asks()) {");
    writeItems(writer, copy, ";");
    writer.text("} else");
  }
  writePrologue(writer, copy);
}

/// One task that runs the loop, whose iterations make the tasks, and say that they begin. A `while`
/// looks at what they wrote, so it waits for them.
void PragmaHandler::taskiter(Construct construct, TokenWriter &writer) {
  Tokens ahead(1);
  unit_->preprocessor.Lex(ahead.front());
  if (!ahead.front().isOneOf(tok::kw_for, tok::kw_while)) {
    error(unit_->preprocessor.getDiagnostics(), ahead.front().getLocation(),
          "'#pragma oss taskiter' needs a for or while loop");
    writer.tokens(ahead);
    return;
  }
  const SourceLocation where = construct.directive.where;
  const bool isWhile = ahead.front().is(tok::kw_while);
  const Clause *unroll = construct.directive.find(ClauseKind::Unroll);
  const Tokens period = unroll ? unroll->arguments : Tokens();
  open(std::move(construct), writer);
  Tokens header;
  if (!lexParentheses(header)) {
    writer.tokens(ahead).tokens(header);
    return;
  }
  writer.tokens(ahead).at(where);
  if (isWhile) {
    writer.text("((tutti_task_wait(");
    writeSource(writer, unit_->preprocessor, where);
    writer.text("),").tokens(header).text("))");
  } else {
    writer.tokens(header);
  }
  writer.text("if(tutti_task_iterate((unsigned)");
  unroll ? writer.group(period) : writer.text("1");
  writer.text(")) {} else");
}

/// Directives that stand alone are statements.
void PragmaHandler::waiting(const Construct &construct, TokenWriter &writer) {
  const bool isRelease = construct.directive.kind == DirectiveKind::Release;
  if (isRelease && construct.items.empty()) {
    error(unit_->preprocessor.getDiagnostics(), construct.directive.where,
          "'#pragma oss release' needs a clause that says what is released");
    return;
  }
  const std::string call = isRelease ? "tutti_task_release" : "tutti_task_wait";
  writer.text("{" + call + (construct.items.empty() ? "(" : "_begin("));
  writeSource(writer, unit_->preprocessor, construct.directive.where);
  writer.text(");");
  writeItems(writer, construct, ";");
  if (!construct.items.empty()) {
    writer.at(construct.directive.where).text(call + "_end();");
  }
  writer.text("}");
}

/// Directives that are those of OpenMP.
void PragmaHandler::plain(const Directive &directive, TokenWriter &writer) {
  if (directive.kind == DirectiveKind::Declare) {
    const Place place = standsInClass(directive.where)      ? Place::Class
                        : standsInFunction(directive.where) ? Place::Function
                                                            : Place::Namespace;
    unit_->reductions.declare(directive, place, writer);
    return;
  }
  if (directive.kind == DirectiveKind::Critical && !isLockName(directive.rest)) {
    error(unit_->preprocessor.getDiagnostics(), directive.rest.front().getLocation(),
          "'#pragma oss critical' takes one name in parentheses, or none");
    return;
  }
  writer.annotation(tok::annot_pragma_openmp).text(wordOf(directive.kind));
  if (directive.kind == DirectiveKind::Critical) {
    // One lock for each name, and not the one of OpenMP's construct of that name.
    const bool isNamed = directive.rest.size() == 3;
    writer.text(("(" + kCriticalPrefix + (isNamed ? wordOf(directive.rest[1]) : "") + ")").str());
  } else {
    writer.tokens(directive.rest);
  }
  writer.at(directive.end).annotation(tok::annot_pragma_openmp_end);
}

} // namespace tutti::compiler::ompss
