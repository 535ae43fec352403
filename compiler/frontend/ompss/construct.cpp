// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/construct.h"

#include "abi/backends.h"
#include "abi/tasks.h"
#include "compiler/frontend/ompss/brackets.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace tutti::compiler::ompss {

namespace {

/// Of clauses whose form is Items; `on` of a taskwait means inout.
std::uint32_t accessKindOf(ClauseKind kind) {
  switch (kind) {
  case ClauseKind::In:
    return TUTTI_TASK_IN;
  case ClauseKind::Out:
    return TUTTI_TASK_OUT;
  case ClauseKind::Concurrent:
    return TUTTI_TASK_CONCURRENT;
  case ClauseKind::Commutative:
    return TUTTI_TASK_COMMUTATIVE;
  case ClauseKind::WeakIn:
    return TUTTI_TASK_IN | TUTTI_TASK_WEAK;
  case ClauseKind::WeakOut:
    return TUTTI_TASK_OUT | TUTTI_TASK_WEAK;
  case ClauseKind::WeakInout:
    return TUTTI_TASK_INOUT | TUTTI_TASK_WEAK;
  case ClauseKind::WeakCommutative:
    return TUTTI_TASK_COMMUTATIVE | TUTTI_TASK_WEAK;
  default:
    return TUTTI_TASK_INOUT;
  }
}

/// What `device` may say: the host, the backends, and FPGAs.
std::vector<llvm::StringRef> deviceNames() {
  std::vector<llvm::StringRef> names = {"smp"};
  for (const abi::DeviceKind &kind : abi::kDeviceKinds) {
    if (abi::isBackend(kind.number)) {
      names.push_back(kind.name);
    }
  }
  names.push_back("fpga");
  return names;
}

/// Whether it is the name of a variable, qualified or not.
bool isName(TokensRef tokens) {
  bool isIdentifierNext = tokens.front().isNot(tok::coloncolon);
  for (const Token &token : tokens) {
    if (token.isNot(isIdentifierNext ? tok::identifier : tok::coloncolon)) {
      return false;
    }
    isIdentifierNext = !isIdentifierNext;
  }
  return tokens.back().is(tok::identifier);
}

/// The words of a name.
std::string spell(TokensRef name) {
  std::string text;
  for (const Token &token : name) {
    text += token.is(tok::coloncolon) ? "::" : wordOf(token).str();
  }
  return text;
}

/// Reads the arguments of clauses. Every member that returns a bool has reported an error if it is
/// false.
class Reader {
public:
  Reader(Preprocessor &preprocessor, Construct &construct)
      : preprocessor_(preprocessor), diagnostics_(preprocessor.getDiagnostics()),
        construct_(construct) {}

  bool read() {
    return llvm::all_of(construct_.directive.clauses,
                        [this](const Clause &clause) { return this->clause(clause); }) &&
           devices() && areApart();
  }

private:
  bool clause(const Clause &clause);
  bool number(const Clause &clause);
  bool devices();
  bool sizes();
  bool isAtLeast(std::int64_t least, TokensRef tokens, llvm::StringRef what);
  bool areApart();
  bool items(TokensRef tokens, std::uint32_t kind, Colon colon);
  bool depend(const Clause &clause);
  bool reduction(const Clause &clause);
  bool word(const Clause &clause, llvm::ArrayRef<llvm::StringRef> valid);
  bool label(const Clause &clause);

  Preprocessor &preprocessor_;
  DiagnosticsEngine &diagnostics_;
  Construct &construct_;
};

bool Reader::clause(const Clause &clause) {
  switch (formOf(clause.kind)) {
  case ClauseForm::Items:
    return items(clause.arguments, accessKindOf(clause.kind), Colon::Last);
  case ClauseForm::Depend:
    return depend(clause);
  case ClauseForm::Reduction:
    return reduction(clause);
  case ClauseForm::Word:
    return clause.kind == ClauseKind::Default
               ? word(clause, {"none", "shared", "private", "firstprivate"})
               : word(clause, deviceNames());
  case ClauseForm::Label:
    return label(clause);
  default:
    return number(clause);
  }
}

bool Reader::number(const Clause &clause) {
  const std::string what = "clause '" + wordOf(clause.kind).str() + "'";
  switch (clause.kind) {
  case ClauseKind::Cost:
    return isAtLeast(0, clause.arguments, what);
  case ClauseKind::Grainsize:
  case ClauseKind::Chunksize:
  case ClauseKind::Unroll:
    return isAtLeast(1, clause.arguments, what);
  default:
    return true;
  }
}

bool Reader::devices() {
  const Clause *device = construct_.directive.find(ClauseKind::Device);
  // There are no FPGAs here: the cores.
  if (device) {
    for (const abi::DeviceKind &kind : abi::kDeviceKinds) {
      if (abi::isBackend(kind.number) && isWord(device->arguments.front(), kind.name)) {
        construct_.device = kind.number;
      }
    }
  }
  for (ClauseKind kind : {ClauseKind::Ndrange, ClauseKind::Grid, ClauseKind::Shmem}) {
    const Clause *clause = construct_.directive.find(kind);
    if (clause && construct_.device == 0) {
      error(diagnostics_, clause->where,
            "clause '%0' needs device() with another one than the host")
          << wordOf(kind);
      return false;
    }
  }
  if (construct_.device != 0 && !construct_.reductions.empty()) {
    error(diagnostics_, construct_.reductions.front().item.where,
          "a task for a device cannot reduce: kernels know nothing of private copies");
    return false;
  }
  const Clause *shmem = construct_.directive.find(ClauseKind::Shmem);
  const Clause *grid = construct_.directive.find(ClauseKind::Grid);
  if (grid && construct_.directive.find(ClauseKind::Ndrange)) {
    error(diagnostics_, grid->where, "clauses 'ndrange' and 'grid' of one task");
    return false;
  }
  if (shmem && !construct_.shape()) {
    error(diagnostics_, shmem->where, "clause 'shmem' needs 'ndrange' or 'grid'");
    return false;
  }
  return sizes() && (!shmem || isAtLeast(0, shmem->arguments, "clause 'shmem'"));
}

bool Reader::isAtLeast(std::int64_t least, TokensRef tokens, llvm::StringRef what) {
  const std::optional<std::int64_t> value = literalOf(preprocessor_, tokens);
  if (value && *value < least) {
    error(diagnostics_, tokens.front().getLocation(), "%0 takes numbers from %1 on")
        << what << static_cast<int>(least);
    return false;
  }
  return true;
}

/// `ndrange(dimensions, sizes..., groups...)`.
bool Reader::sizes() {
  const Clause *shape = construct_.shape();
  if (!shape) {
    return true;
  }
  const std::string what = "clause '" + wordOf(shape->kind).str() + "'";
  const std::vector<TokensRef> parts = splitAtCommas(shape->arguments);
  for (TokensRef part : parts) {
    if (part.empty()) {
      error(diagnostics_, shape->close, "expected an expression between the commas of %0") << what;
      return false;
    }
  }
  const std::optional<std::int64_t> dimensions = literalOf(preprocessor_, parts.front());
  if (!dimensions || *dimensions < 1 || *dimensions > 3) {
    error(diagnostics_, parts.front().front().getLocation(),
          "%0 begins with the number of dimensions: 1, 2 or 3")
        << what;
    return false;
  }
  construct_.dimensions = static_cast<std::size_t>(*dimensions);
  const std::size_t given = parts.size() - 1;
  if (given != construct_.dimensions && given != 2 * construct_.dimensions) {
    error(diagnostics_, shape->where,
          "%0 of %1 dimension%s1 takes as many sizes, and as many of groups or none; there are %2")
        << what << static_cast<int>(*dimensions) << static_cast<int>(given);
    return false;
  }
  return llvm::all_of(llvm::ArrayRef(parts).drop_front(),
                      [&](TokensRef part) { return isAtLeast(1, part, what); });
}

/// A variable is reduced or used otherwise, not both.
bool Reader::areApart() {
  for (const ReducedItem &reduced : construct_.reductions) {
    for (const NamedItem &named : construct_.items) {
      if (isName(named.item.base) && named.item.iterators.empty() &&
          spell(named.item.base) == spell(reduced.item.base)) {
        error(diagnostics_, named.item.where, "'%0' is reduced and named as a dependence, too")
            << spell(named.item.base);
        return false;
      }
    }
  }
  return true;
}

bool Reader::word(const Clause &clause, llvm::ArrayRef<llvm::StringRef> valid) {
  const Token &first = clause.arguments.front();
  if (clause.arguments.size() == 1 && llvm::is_contained(valid, wordOf(first))) {
    return true;
  }
  error(diagnostics_, first.getLocation(), "clause '%0' takes one of %1")
      << wordOf(clause.kind) << llvm::join(valid, ", ");
  return false;
}

bool Reader::label(const Clause &clause) {
  const std::vector<TokensRef> parts = splitAtCommas(clause.arguments);
  if (parts.size() > 2 || llvm::any_of(parts, [](TokensRef part) { return part.empty(); })) {
    error(diagnostics_, clause.where, "clause 'label' takes a text, and maybe one of the instance");
    return false;
  }
  return true;
}

bool Reader::items(TokensRef tokens, std::uint32_t kind, Colon colon) {
  for (TokensRef part : splitAtCommas(tokens)) {
    if (part.empty()) {
      error(diagnostics_, tokens.front().getLocation(), "expected a dependence item");
      return false;
    }
    std::optional<Item> item = readItem(preprocessor_, part, colon);
    if (!item) {
      return false;
    }
    construct_.items.push_back({kind, std::move(*item)});
  }
  return true;
}

/// `depend([weak,] kind : items)`, or `depend(kind, weak : items)`.
bool Reader::depend(const Clause &clause) {
  Tokens tokens(clause.arguments.begin(), clause.arguments.end());
  std::uint32_t kind = 0;
  if (tokens.size() > 2 && tokens[1].is(tok::comma)) {
    const bool isLast = !isWord(tokens[0], "weak") && isWord(tokens[2], "weak");
    if (isLast || isWord(tokens[0], "weak")) {
      kind = TUTTI_TASK_WEAK;
      const auto first = tokens.begin() + (isLast ? 1 : 0);
      tokens.erase(first, first + 2);
    }
  }
  const std::uint32_t base = llvm::StringSwitch<std::uint32_t>(wordOf(tokens[0]))
                                 .Case("in", TUTTI_TASK_IN)
                                 .Case("out", TUTTI_TASK_OUT)
                                 .Case("inout", TUTTI_TASK_INOUT)
                                 .Case("inoutset", TUTTI_TASK_CONCURRENT)
                                 .Case("mutexinoutset", TUTTI_TASK_COMMUTATIVE)
                                 .Default(0);
  if (base == 0) {
    error(diagnostics_, tokens[0].getLocation(),
          "expected in, out, inout, inoutset or mutexinoutset");
    return false;
  }
  const DirectiveKind directive = construct_.directive.kind;
  const bool isOfSets = base == TUTTI_TASK_CONCURRENT || base == TUTTI_TASK_COMMUTATIVE;
  const bool isWeak = kind == TUTTI_TASK_WEAK;
  if ((isOfSets && (directive == DirectiveKind::Taskwait || directive == DirectiveKind::Release)) ||
      (isWeak && (directive == DirectiveKind::Taskwait || base == TUTTI_TASK_CONCURRENT))) {
    error(diagnostics_, clause.arguments[0].getLocation(),
          "'#pragma oss %0' takes no %select{|weak }1'%2' in depend()")
        << wordOf(directive) << isWeak << wordOf(tokens[0]);
    return false;
  }
  if (tokens.size() < 3 || tokens[1].isNot(tok::colon)) {
    error(diagnostics_, tokens.size() < 2 ? clause.close : tokens[1].getLocation(),
          "expected ':' and dependence items");
    return false;
  }
  return items(TokensRef(tokens).drop_front(2), kind | base, Colon::Count);
}

bool Reader::reduction(const Clause &clause) {
  TokensRef tokens = clause.arguments;
  const auto *colon = llvm::find_if(tokens, [](const Token &t) { return t.is(tok::colon); });
  if (colon == tokens.begin() || colon == tokens.end() || colon + 1 == tokens.end()) {
    error(diagnostics_, tokens.front().getLocation(),
          "expected an operation, ':' and what is reduced");
    return false;
  }
  const Tokens operation(tokens.begin(), colon);
  for (TokensRef part : splitAtCommas({colon + 1, tokens.end()})) {
    std::optional<Item> item =
        part.empty() ? std::nullopt : readItem(preprocessor_, part, Colon::Last);
    if (!item) {
      return false;
    }
    const bool isVariable = isName(item->base) && (item->base.size() == 1 || item->shape.empty());
    if (!isVariable || !item->subscripts.empty() || !item->iterators.empty()) {
      error(diagnostics_, item->where, "a reduction is of a variable or of a shape [n]p");
      return false;
    }
    for (const ReducedItem &other : construct_.reductions) {
      if (spell(other.item.base) == spell(item->base)) {
        error(diagnostics_, item->where, "'%0' is reduced twice") << spell(item->base);
        return false;
      }
    }
    construct_.reductions.push_back(
        {clause.kind == ClauseKind::WeakReduction, operation, std::move(*item)});
  }
  return true;
}

/// The number of a built-in operation, 0 of the program's own.
std::uint32_t operationOf(TokensRef tokens) {
  if (tokens.size() != 1) {
    return 0;
  }
  switch (tokens.front().getKind()) {
  case tok::plus:
    return TUTTI_REDUCE_ADD;
  case tok::minus:
    return TUTTI_REDUCE_SUBTRACT;
  case tok::star:
    return TUTTI_REDUCE_MULTIPLY;
  case tok::amp:
    return TUTTI_REDUCE_BIT_AND;
  case tok::pipe:
    return TUTTI_REDUCE_BIT_OR;
  case tok::caret:
    return TUTTI_REDUCE_BIT_XOR;
  case tok::ampamp:
    return TUTTI_REDUCE_AND;
  case tok::pipepipe:
    return TUTTI_REDUCE_OR;
  default:
    return llvm::StringSwitch<std::uint32_t>(wordOf(tokens.front()))
        .Case("min", TUTTI_REDUCE_MIN)
        .Case("max", TUTTI_REDUCE_MAX)
        .Default(0);
  }
}

/// Whether the language has the operation for the type, as far as that is known.
bool isOfLanguage(const ReducedItem &reduced, const Sharing::Reduced &type) {
  return operationOf(reduced.operation) != 0 && !(type.isKnown && type.type == 0);
}

/// Writes the calls and clauses of a construct.
class Writer {
public:
  Writer(TokenWriter &out, Preprocessor &preprocessor, const DeclaredReductions &declared,
         DeclaredReductions::IsSeen isSeen, const Construct &construct)
      : out_(out), preprocessor_(preprocessor), declared_(declared), isSeen_(isSeen),
        construct_(construct) {}

  void clauses(const Sharing &sharing);

private:
  void variables(const Clause &clause, const Sharing &sharing);
  void copies(const Sharing &sharing);
  void list(llvm::StringRef clause, llvm::ArrayRef<std::string> names);
  void pass(const Clause &clause);
  void calls(const Sharing &sharing);
  void begin(const Sharing &sharing);
  void option(const Clause &clause, std::uint32_t option);
  void device();
  void objects(const Sharing &sharing);
  void label(const Clause &clause);
  bool isDeclared(const ReducedItem &reduced, const Sharing::Reduced &type) const;
  bool isKnown(const ReducedItem &reduced, const Sharing::Reduced &type) const;
  void reduction(const ReducedItem &reduced, const Sharing::Reduced &type);
  bool isOpen(const ReducedItem &reduced, const Sharing::Reduced &type) const;
  Tokens element(const ReducedItem &reduced, const Sharing::Reduced &type) const;
  void elementType(const ReducedItem &reduced, const Sharing::Reduced &type, bool isOpen);
  void reductionCall(const ReducedItem &reduced, const Sharing::Reduced &type);
  void reducedMemory(const ReducedItem &reduced);
  void reductionOfLanguage(const ReducedItem &reduced, const Sharing::Reduced &type);
  void reductionOfProgram(const ReducedItem &reduced, const Sharing::Reduced &type);
  std::uint32_t traits(const Sharing &sharing) const;

  TokenWriter &out_;
  Preprocessor &preprocessor_;
  const DeclaredReductions &declared_;
  DeclaredReductions::IsSeen isSeen_;
  const Construct &construct_;
};

void Writer::list(llvm::StringRef clause, llvm::ArrayRef<std::string> names) {
  for (const std::string &name : names) {
    out_.text(clause).text("(").text(name).text(")");
  }
}

/// A clause that OpenMP has too.
void Writer::pass(const Clause &clause) {
  out_.at(clause.where).text(wordOf(clause.kind)).group(clause.arguments);
  out_.at(construct_.directive.where);
}

std::uint32_t Writer::traits(const Sharing &sharing) const {
  const auto has = [&](ClauseKind kind, std::uint32_t trait) {
    return construct_.directive.find(kind) ? trait : 0;
  };
  return has(ClauseKind::Wait, TUTTI_TASK_WAITS) | has(ClauseKind::Onready, TUTTI_TASK_ONREADY) |
         (construct_.namesIterations() ? TUTTI_TASK_ACCESSES : 0) |
         (sharing.isAffine ? TUTTI_TASK_AFFINE : 0) |
         (construct_.directive.kind == DirectiveKind::TaskFor ? TUTTI_TASK_WHOLE : 0);
}

void Writer::begin(const Sharing &sharing) {
  out_.text("tutti_task_begin(");
  writeSource(out_, preprocessor_, construct_.directive.where);
  out_.text(",");
  const Clause *label = construct_.directive.find(ClauseKind::Label);
  if (!sharing.label.empty()) {
    out_.text("\"" + sharing.label + "\"");
  } else {
    label ? out_.tokens(splitAtCommas(label->arguments).front()) : out_.text("(const char*)0");
  }
  out_.text(",").number(traits(sharing)).text("),");
}

void Writer::label(const Clause &clause) {
  const std::vector<TokensRef> parts = splitAtCommas(clause.arguments);
  if (parts.size() > 1) {
    out_.text("tutti_task_instance(").tokens(parts[1]).text("),");
  }
}

/// Sizes are integers: other types have no `|`.
void Writer::device() {
  const Clause *shape = construct_.shape();
  std::vector<TokensRef> parts;
  std::uint32_t kind = 0;
  if (shape) {
    out_.at(shape->where);
    kind = shape->kind == ClauseKind::Grid ? TUTTI_TASK_GRID : TUTTI_TASK_NDRANGE;
    parts = splitAtCommas(shape->arguments);
  }
  out_.text("tutti_task_device((const struct tutti_task_kernel*)0,")
      .number(construct_.device)
      .text(",")
      .number(kind);
  out_.text(",").number(static_cast<std::int64_t>(construct_.dimensions));
  constexpr std::size_t kMost = 3;
  for (std::size_t i = 0; i < 2 * kMost; ++i) {
    const std::size_t part = 1 + i % kMost + i / kMost * construct_.dimensions;
    out_.text(",");
    if (i % kMost < construct_.dimensions && part < parts.size()) {
      out_.at(parts[part].front().getLocation());
      out_.text("(long)(").group(parts[part]).text("|0)").at(shape->where);
    } else {
      out_.number(i < kMost ? 1 : 0);
    }
  }
  out_.text("),").at(construct_.directive.where);
}

/// Conditions are of any scalar type, other options integers.
void Writer::option(const Clause &clause, std::uint32_t option) {
  out_.at(clause.where).text("tutti_task_option(").number(option).text(",(long)(");
  const bool isCondition = option == TUTTI_TASK_IF || option == TUTTI_TASK_FINAL;
  out_.group(clause.arguments).text(isCondition ? "?1:0" : "|0").text(")),");
  out_.at(construct_.directive.where);
}

/// Items make variables shared of which they may name a part that is not the first one.
void Writer::objects(const Sharing &sharing) {
  for (const std::string &name : sharing.shared) {
    out_.text("tutti_task_object((const volatile void*)&" + name + "),");
  }
}

/// The first element of what is reduced.
Tokens Writer::element(const ReducedItem &reduced, const Sharing::Reduced &type) const {
  TokenWriter element(preprocessor_, reduced.item.where);
  element.group(reduced.item.base).text(reduced.item.shape.empty() ? "" : "[0]");
  for (unsigned i = 0; i < type.dimensions; ++i) {
    element.text("[0]");
  }
  return element.take();
}

/// A type that templates leave open is known when they are instantiated. Zero, if that is allowed,
/// for one that is not the language's.
void Writer::elementType(const ReducedItem &reduced, const Sharing::Reduced &type, bool isOpen) {
  static constexpr std::pair<const char *, int> kTypes[] = {
      {"char", TUTTI_TYPE_INT8},
      {"signed char", TUTTI_TYPE_INT8},
      {"unsigned char", TUTTI_TYPE_UINT8},
      {"short", TUTTI_TYPE_INT16},
      {"unsigned short", TUTTI_TYPE_UINT16},
      {"int", TUTTI_TYPE_INT32},
      {"unsigned", TUTTI_TYPE_UINT32},
      {"long", TUTTI_TYPE_INT64},
      {"long long", TUTTI_TYPE_INT64},
      {"unsigned long", TUTTI_TYPE_UINT64},
      {"unsigned long long", TUTTI_TYPE_UINT64},
      {"float", TUTTI_TYPE_FLOAT},
      {"double", TUTTI_TYPE_DOUBLE},
      {"long double", TUTTI_TYPE_LONG_DOUBLE},
      {"_Complex float", TUTTI_TYPE_COMPLEX_FLOAT},
      {"_Complex double", TUTTI_TYPE_COMPLEX_DOUBLE},
      {"_Complex long double", TUTTI_TYPE_COMPLEX_LONG_DOUBLE},
  };
  out_.text("__extension__ _Generic(");
  out_.tokens(element(reduced, type));
  for (const auto &[name, number] : kTypes) {
    out_.text(",").text(name).text(":").number(number);
  }
  out_.text(out_.isCxx() ? ",bool:" : ",_Bool:").number(TUTTI_TYPE_BOOL);
  out_.text(isOpen ? ",default:0)" : ")");
}

/// Whether the program says how to reduce it.
bool Writer::isDeclared(const ReducedItem &reduced, const Sharing::Reduced &type) const {
  return !isOfLanguage(reduced, type) && declared_.has(operationName(reduced.operation), isSeen_);
}

bool Writer::isKnown(const ReducedItem &reduced, const Sharing::Reduced &type) const {
  return isOfLanguage(reduced, type) || isDeclared(reduced, type);
}

/// Whether a template's arguments decide if it is the language or the program that says how.
bool Writer::isOpen(const ReducedItem &reduced, const Sharing::Reduced &type) const {
  return out_.isCxx() && isOfLanguage(reduced, type) && !type.isKnown &&
         declared_.has(operationName(reduced.operation), isSeen_);
}

void Writer::reductionCall(const ReducedItem &reduced, const Sharing::Reduced &type) {
  if (!isKnown(reduced, type)) {
    error(preprocessor_.getDiagnostics(), reduced.item.where,
          "no reduction '%0' is declared for the type of '%1'")
        << operationName(reduced.operation) << spell(reduced.item.base);
    return;
  }
  out_.at(reduced.item.where);
  if (isOpen(reduced, type)) {
    out_.text("(");
    elementType(reduced, type, /*isOpen=*/true);
    out_.text("?");
    reductionOfLanguage(reduced, type);
    out_.text(":");
    reductionOfProgram(reduced, type);
    out_.text(")");
  } else if (isDeclared(reduced, type)) {
    reductionOfProgram(reduced, type);
  } else {
    reductionOfLanguage(reduced, type);
  }
  out_.text(",").at(construct_.directive.where);
}

void Writer::reducedMemory(const ReducedItem &reduced) {
  out_.number(reduced.isWeak ? TUTTI_TASK_WEAK : 0).text(",(void*)");
  writeAddress(out_, reduced.item);
  out_.text(",");
  writeSize(out_, reduced.item);
  out_.text(",");
}

void Writer::reductionOfLanguage(const ReducedItem &reduced, const Sharing::Reduced &type) {
  out_.text("tutti_task_reduction(");
  reducedMemory(reduced);
  out_.number(operationOf(reduced.operation)).text(",");
  if (type.isKnown) {
    out_.number(type.type);
  } else {
    elementType(reduced, type, isOpen(reduced, type));
  }
  out_.text(")");
}

void Writer::reductionOfProgram(const ReducedItem &reduced, const Sharing::Reduced &type) {
  out_.text("tutti_task_reduction_by(");
  reducedMemory(reduced);
  const Tokens tokens = element(reduced, type);
  out_.text("sizeof(").tokens(tokens).text("),");
  declared_.writeFunctions(out_, operationName(reduced.operation), tokens, isSeen_);
  out_.text(")");
}

/// A list of variables, without those that the runtime copies.
void Writer::variables(const Clause &clause, const Sharing &sharing) {
  const bool isShared = clause.kind == ClauseKind::Shared;
  const std::vector<TokensRef> parts = splitAtCommas(clause.arguments);
  for (TokensRef part : parts) {
    const bool isCopied = !isShared && part.size() == 1 &&
                          llvm::any_of(sharing.copies, [&](const Sharing::Copy &copy) {
                            return copy.name == wordOf(part.front());
                          });
    if (!isCopied) {
      out_.at(clause.where).text(wordOf(clause.kind)).group(part);
    }
  }
  out_.at(construct_.directive.where);
}

void Writer::copies(const Sharing &sharing) {
  for (const Sharing::Copy &copy : sharing.copies) {
    out_.text("tutti_task_copy((const volatile void*)&" + copy.name + ",sizeof(__typeof__(" +
              copy.name + "))," + (copy.isInitialised ? "1" : "0") + "),");
  }
}

void Writer::calls(const Sharing &sharing) {
  begin(sharing);
  copies(sharing);
  for (const Clause &clause : construct_.directive.clauses) {
    switch (clause.kind) {
    case ClauseKind::If:
      option(clause, TUTTI_TASK_IF);
      break;
    case ClauseKind::Final:
      option(clause, TUTTI_TASK_FINAL);
      break;
    case ClauseKind::Priority:
      option(clause, TUTTI_TASK_PRIORITY);
      break;
    case ClauseKind::Cost:
      option(clause, TUTTI_TASK_COST);
      break;
    case ClauseKind::Node:
      option(clause, TUTTI_TASK_NODE);
      objects(sharing);
      break;
    case ClauseKind::Chunksize:
      option(clause, TUTTI_TASK_CHUNKSIZE);
      break;
    case ClauseKind::Shmem:
      option(clause, TUTTI_TASK_SHMEM);
      break;
    case ClauseKind::Label:
      label(clause);
      break;
    default:
      break;
    }
  }
  if (construct_.device != 0) {
    device();
  }
  if (!construct_.namesIterations() && !sharing.isWrong) {
    writeItems(out_, construct_, ",");
  }
  out_.at(construct_.directive.where);
  for (std::size_t i = 0; i < construct_.reductions.size(); ++i) {
    reductionCall(construct_.reductions[i], sharing.reduced[i]);
  }
}

/// Clang then looks up the private copy in the body.
/// Clang finds private copies of sections for pointers and unknown types only: of an array the
/// whole is named, which is where the shape begins.
void Writer::reduction(const ReducedItem &reduced, const Sharing::Reduced &type) {
  out_.at(reduced.item.where).text("in_reduction(").tokens(reduced.operation).text(":");
  out_.tokens(reduced.item.base);
  if (!reduced.item.shape.empty() && !type.isArray) {
    out_.text("[0:");
    for (std::size_t i = 0; i < reduced.item.shape.size(); ++i) {
      out_.text(i == 0 ? "" : "*").group(reduced.item.shape[i]);
    }
    out_.text("]");
  }
  out_.text(")").at(construct_.directive.where);
}

void Writer::clauses(const Sharing &sharing) {
  for (const Clause &clause : construct_.directive.clauses) {
    switch (clause.kind) {
    case ClauseKind::Private:
    case ClauseKind::Firstprivate:
    case ClauseKind::Shared:
      variables(clause, sharing);
      break;
    case ClauseKind::Default:
    case ClauseKind::Collapse:
    case ClauseKind::Grainsize:
      pass(clause);
      break;
    default:
      break;
    }
  }
  list("shared", sharing.shared);
  list("firstprivate", sharing.firstprivate);
  for (const Sharing::Copy &copy : sharing.copies) {
    out_.text("shared(" + copy.name + ")");
  }
  for (std::size_t i = 0; i < construct_.reductions.size(); ++i) {
    if (!construct_.reductions[i].isWeak && !sharing.reduced[i].isPointer &&
        !sharing.reduced[i].staticMember && isKnown(construct_.reductions[i], sharing.reduced[i])) {
      reduction(construct_.reductions[i], sharing.reduced[i]);
    }
  }
  // A taskloop takes no dependences; both forms are evaluated once the task has been made.
  out_.text(construct_.isLoop() ? "if((" : "depend(out:*(");
  calls(sharing);
  out_.text(construct_.isLoop() ? "tutti_task_described()==(char*)0))"
                                : "tutti_task_described()))");
}

} // namespace

const Clause *Construct::shape() const {
  const Clause *ndrange = directive.find(ClauseKind::Ndrange);
  return ndrange ? ndrange : directive.find(ClauseKind::Grid);
}

bool Construct::namesIterations() const {
  return isLoop() && llvm::any_of(items, [&](const NamedItem &named) {
           return llvm::any_of(iterationVariables,
                               [&](const std::string &name) { return mentions(named.item, name); });
         });
}

std::optional<Construct> readConstruct(Preprocessor &preprocessor, Directive directive) {
  Construct construct{};
  construct.directive = std::move(directive);
  return Reader(preprocessor, construct).read() ? std::optional(std::move(construct))
                                                : std::nullopt;
}

void writeSource(TokenWriter &writer, Preprocessor &preprocessor, SourceLocation at) {
  const PresumedLoc place = preprocessor.getSourceManager().getPresumedLoc(
      preprocessor.getSourceManager().getExpansionLoc(at));
  writer.literal(place.isInvalid()
                     ? std::string("?")
                     : std::string(place.getFilename()) + ":" + std::to_string(place.getLine()));
}

void writeItems(TokenWriter &writer, const Construct &construct, llvm::StringRef separator) {
  for (const NamedItem &named : construct.items) {
    writeAccess(writer, named.item, named.kind);
    writer.text(separator);
  }
}

void writePrologue(TokenWriter &writer, const Construct &construct) {
  for (const ReducedItem &reduced : construct.reductions) {
    if (reduced.isWeak || reduced.item.shape.empty()) {
      continue;
    }
    TokensRef base = reduced.item.base;
    writer.at(reduced.item.where).text("if(");
    if (writer.isCxx()) {
      writer.text("__is_pointer(__typeof__").group(base).text(")");
    } else {
      writer.text("__builtin_types_compatible_p(__typeof__").group(base).text(",__typeof__(&");
      writer.group(base).text("[0]))");
    }
    writer.text("&&(*(void**)(void*)&").group(base).text("=tutti_task_private((void*)");
    writer.group(base).text("),0)) {} else");
  }
}

void writeOpening(TokenWriter &writer, const Construct &construct, llvm::StringRef marker) {
  writer.text(construct.isLoop() ? "taskloop nogroup shared(" : "task shared(");
  writer.text(marker).text(")");
}

std::vector<std::string> namesOf(const Clause &clause) {
  std::vector<std::string> names;
  for (TokensRef part : splitAtCommas(clause.arguments)) {
    if (part.size() == 1) {
      names.push_back(wordOf(part.front()).str());
    }
  }
  return names;
}

void writeClauses(TokenWriter &writer, Preprocessor &preprocessor,
                  const DeclaredReductions &declared, DeclaredReductions::IsSeen isSeen,
                  const Construct &construct, const Sharing &sharing) {
  Writer(writer, preprocessor, declared, isSeen, construct).clauses(sharing);
}

} // namespace tutti::compiler::ompss
