// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/items.h"

#include "abi/tasks.h"
#include "compiler/frontend/ompss/brackets.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace tutti::compiler::ompss {

namespace {

/// The index of the bracket that the one at `close` closes.
std::size_t openOf(TokensRef tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    depth += closes(tokens[i]) - opens(tokens[i]);
    if (depth == 0) {
      return i;
    }
  }
  return 0;
}

/// The first colon or semicolon outside of brackets and of `?:`, from `begin` on.
std::size_t separatorAfter(TokensRef tokens, std::size_t begin) {
  int depth = 0;
  int questions = 0;
  for (std::size_t i = begin; i < tokens.size(); ++i) {
    depth += opens(tokens[i]) - closes(tokens[i]);
    if (depth != 0) {
      continue;
    }
    if (tokens[i].is(tok::question)) {
      ++questions;
    } else if (tokens[i].is(tok::colon) && questions > 0) {
      --questions;
    } else if (tokens[i].isOneOf(tok::colon, tok::semi)) {
      return i;
    }
  }
  return tokens.size();
}

Tokens copy(TokensRef tokens) { return {tokens.begin(), tokens.end()}; }

/// Reads one item. Every member that returns a bool has reported an error if it is false.
class Reader {
public:
  Reader(Preprocessor &preprocessor, Colon colon)
      : preprocessor_(preprocessor), diagnostics_(preprocessor.getDiagnostics()), colon_(colon) {}

  bool item(TokensRef tokens, Item &item);

private:
  bool withIterators(TokensRef tokens, Item &item);
  bool iterator(TokensRef tokens, Item &item);
  bool shaped(TokensRef tokens, Item &item);
  bool subscript(TokensRef tokens, SourceLocation where, Item &item);
  bool plain(TokensRef tokens, Item &item);
  bool isLength(TokensRef tokens);

  Preprocessor &preprocessor_;
  DiagnosticsEngine &diagnostics_;
  Colon colon_;
};

bool Reader::isLength(TokensRef tokens) {
  if (literalOf(preprocessor_, tokens).value_or(0) < 0) {
    error(diagnostics_, tokens.front().getLocation(), "a length cannot be negative");
    return false;
  }
  return true;
}

bool Reader::item(TokensRef tokens, Item &item) {
  if (tokens.empty()) {
    error(diagnostics_, item.where, "expected a dependence item");
    return false;
  }
  item.where = tokens.front().getLocation();
  if (tokens.front().is(tok::l_brace)) {
    return withIterators(tokens, item);
  }
  if (tokens.front().is(tok::l_square)) {
    return shaped(tokens, item);
  }
  return plain(tokens, item);
}

bool Reader::withIterators(TokensRef tokens, Item &item) {
  const std::size_t close = closeOf(tokens, 0);
  if (close + 1 != tokens.size()) {
    error(diagnostics_, tokens[std::min(close + 1, tokens.size() - 1)].getLocation(),
          "expected ',' or ')' after '}'");
    return false;
  }
  const std::vector<TokensRef> parts = splitAtCommas(tokens.slice(1, close - 1));
  if (parts.size() < 2) {
    error(diagnostics_, item.where, "an item in braces needs iterators: {item, i=first:last}");
    return false;
  }
  for (TokensRef part : llvm::drop_begin(parts)) {
    if (!iterator(part, item)) {
      return false;
    }
  }
  Item inner{};
  inner.where = item.where;
  if (!this->item(parts.front(), inner)) {
    return false;
  }
  inner.iterators.insert(inner.iterators.begin(), item.iterators.begin(), item.iterators.end());
  item = std::move(inner);
  return true;
}

bool Reader::iterator(TokensRef tokens, Item &item) {
  if (tokens.size() < 3 || tokens[0].isNot(tok::identifier) || tokens[1].isNot(tok::equal)) {
    error(diagnostics_, tokens.empty() ? item.where : tokens.front().getLocation(),
          "expected an iterator: name=first:last, name=first;count or name={values}");
    return false;
  }
  Iterator iterator;
  iterator.name = tokens[0];
  TokensRef range = tokens.drop_front(2);
  if (range.front().is(tok::l_brace)) {
    const std::size_t close = closeOf(range, 0);
    iterator.form = Iterator::Form::Values;
    for (TokensRef value : splitAtCommas(range.slice(1, close - 1))) {
      iterator.values.push_back(copy(value));
    }
    if (close + 1 != range.size() || iterator.values.empty()) {
      error(diagnostics_, range.front().getLocation(), "expected values of '%0' in braces")
          << wordOf(iterator.name);
      return false;
    }
    item.iterators.push_back(std::move(iterator));
    return true;
  }
  const std::size_t separator = separatorAfter(range, 0);
  if (separator == range.size() || separator == 0) {
    error(diagnostics_, range.front().getLocation(),
          "expected first:last or first;count after '%0='")
        << wordOf(iterator.name);
    return false;
  }
  iterator.form = range[separator].is(tok::colon) ? Iterator::Form::Last : Iterator::Form::Count;
  const std::size_t end = separatorAfter(range, separator + 1);
  iterator.first = copy(range.take_front(separator));
  iterator.second = copy(range.slice(separator + 1, end - separator - 1));
  if (end < range.size()) {
    iterator.step = copy(range.drop_front(end + 1));
  }
  if (iterator.second.empty() || (end < range.size() && iterator.step.empty())) {
    error(diagnostics_, range[separator].getLocation(),
          "the range of iterator '%0' is not complete")
        << wordOf(iterator.name);
    return false;
  }
  if (literalOf(preprocessor_, iterator.step) == 0) {
    error(diagnostics_, iterator.step.front().getLocation(), "iterator '%0' has a step of 0")
        << wordOf(iterator.name);
    return false;
  }
  item.iterators.push_back(std::move(iterator));
  return true;
}

/// `[n][m]p`: sizes, then what is shaped, which binds tighter.
bool Reader::shaped(TokensRef tokens, Item &item) {
  while (!tokens.empty() && tokens.front().is(tok::l_square)) {
    const std::size_t close = closeOf(tokens, 0);
    TokensRef size = tokens.slice(1, close - 1);
    if (size.empty() || separatorAfter(size, 0) != size.size()) {
      error(diagnostics_, tokens.front().getLocation(), "a shape needs a size in each bracket");
      return false;
    }
    if (!isLength(size)) {
      return false;
    }
    item.shape.push_back(copy(size));
    tokens = tokens.drop_front(std::min(close + 1, tokens.size()));
  }
  if (tokens.empty()) {
    error(diagnostics_, item.where, "expected an expression after the shape");
    return false;
  }
  item.base = copy(tokens);
  return true;
}

bool Reader::subscript(TokensRef tokens, SourceLocation where, Item &item) {
  Subscript subscript;
  subscript.where = where;
  const std::size_t separator = separatorAfter(tokens, 0);
  subscript.first = copy(tokens.take_front(separator));
  if (separator < tokens.size()) {
    const bool isSemicolon = tokens[separator].is(tok::semi);
    if (isSemicolon && colon_ == Colon::Count) {
      error(diagnostics_, tokens[separator].getLocation(),
            "a section in depend() is written [first:count], not with ';'");
      return false;
    }
    subscript.form =
        isSemicolon || colon_ == Colon::Count ? Subscript::Form::Count : Subscript::Form::Last;
    subscript.second = copy(tokens.drop_front(separator + 1));
    if (separatorAfter(subscript.second, 0) != subscript.second.size()) {
      error(diagnostics_, where, "a section has two parts: [first;count] or [first:last]");
      return false;
    }
    if (subscript.form == Subscript::Form::Count && !isLength(subscript.second)) {
      return false;
    }
  } else if (tokens.empty()) {
    error(diagnostics_, where, "expected an index or a section");
    return false;
  }
  item.subscripts.push_back(std::move(subscript));
  return true;
}

/// An lvalue, with sections at its end.
bool Reader::plain(TokensRef tokens, Item &item) {
  std::vector<std::pair<std::size_t, std::size_t>> brackets; // From the end backwards.
  std::size_t end = tokens.size();
  while (end > 0 && tokens[end - 1].is(tok::r_square)) {
    const std::size_t open = openOf(tokens, end - 1);
    brackets.emplace_back(open, end - 1);
    end = open;
  }
  std::reverse(brackets.begin(), brackets.end());
  // `([n]p)[i]`: all subscripts are of the shape.
  const bool isShaped = end > 2 && tokens[0].is(tok::l_paren) && tokens[1].is(tok::l_square) &&
                        closeOf(tokens, 0) == end - 1;
  const auto isSection = [&](const auto &bracket) {
    TokensRef inside = tokens.slice(bracket.first + 1, bracket.second - bracket.first - 1);
    return separatorAfter(inside, 0) != inside.size();
  };
  auto first = isShaped ? brackets.begin() : llvm::find_if(brackets, isSection);
  const std::size_t baseEnd = first == brackets.end() ? tokens.size() : first->first;
  if (isShaped) {
    if (!shaped(tokens.slice(1, end - 2), item)) {
      return false;
    }
  } else {
    item.base = copy(tokens.take_front(baseEnd));
  }
  if (item.base.empty()) {
    error(diagnostics_, item.where, "expected an expression");
    return false;
  }
  for (auto bracket = brackets.begin(); bracket != first; ++bracket) {
    if (bracket->first + 1 == bracket->second) {
      error(diagnostics_, tokens[bracket->first].getLocation(), "expected an index or a section");
      return false;
    }
  }
  for (; first != brackets.end(); ++first) {
    if (!subscript(tokens.slice(first->first + 1, first->second - first->first - 1),
                   tokens[first->first].getLocation(), item)) {
      return false;
    }
  }
  return true;
}

/// Writes what an item means.
class Writer {
public:
  Writer(TokenWriter &out, const Item &item) : out_(out), item_(item) {}

  void access(std::uint32_t kind);
  void address();
  void size();

private:
  void call(std::uint32_t kind);
  void loopBegin(const Iterator &iterator, std::size_t depth);
  void element(std::size_t depth);
  void bytesBetween(std::size_t dimension);
  void extent(std::size_t dimension);
  void count(const Subscript &subscript, std::size_t dimension);
  void integer(TokensRef tokens);
  void requireArray(std::size_t dimension, llvm::StringRef otherwise);

  /// Whether the dimension is one of the shape. What is shaped may be rows, which have more.
  bool isShaped(std::size_t dimension) const { return dimension < item_.shape.size(); }

  TokenWriter &out_;
  const Item &item_;
};

/// The base with `depth` zeros as subscripts, all that the shape has among them: never evaluated.
void Writer::element(std::size_t depth) {
  if (!item_.shape.empty()) {
    out_.text("(*").group(item_.base).text(")");
  } else {
    out_.group(item_.base);
  }
  for (std::size_t i = item_.shape.size(); i < depth; ++i) {
    out_.text("[0]");
  }
}

/// Types that are no integers have no `|`.
void Writer::integer(TokensRef tokens) { out_.text("(").group(tokens).text("|0)"); }

/// In a statement expression: what has the elements of the dimension is an array.
void Writer::requireArray(std::size_t dimension, llvm::StringRef otherwise) {
  out_.text("_Static_assert(");
  out_.text(out_.isCxx() ? "__is_array(__typeof__(" : "!__builtin_types_compatible_p(__typeof__(");
  element(dimension);
  if (!out_.isCxx()) {
    out_.text("),__typeof__(&");
    element(dimension + 1);
  }
  out_.text((")),\"" + otherwise + "\");").str());
}

/// Distance of neighbours in a dimension.
void Writer::bytesBetween(std::size_t dimension) {
  if (!isShaped(dimension)) {
    if (dimension > 0) { // Where nothing is evaluated: the size stays a constant.
      out_.text("0*sizeof(__extension__({");
      requireArray(dimension, "what has more sections or subscripts is not an array");
      out_.text("0;}))+");
    }
    out_.text("sizeof(");
    element(dimension + 1);
    out_.text(")");
    return;
  }
  out_.text("sizeof(*");
  out_.group(item_.base).text(")");
  for (std::size_t i = dimension + 1; i < item_.shape.size(); ++i) {
    out_.text("*(unsigned long)");
    integer(item_.shape[i]);
  }
}

/// Number of elements in a dimension.
void Writer::extent(std::size_t dimension) {
  if (isShaped(dimension)) {
    integer(item_.shape[dimension]);
    return;
  }
  // A pointer has no end.
  out_.text("__extension__({");
  requireArray(dimension, "a section of a pointer needs its last element or its length");
  out_.text("(long)(sizeof(");
  element(dimension);
  out_.text(")/(sizeof(");
  element(dimension + 1);
  out_.text(")));})");
}

void Writer::count(const Subscript &subscript, std::size_t dimension) {
  out_.text(", (long)(");
  if (subscript.form == Subscript::Form::Index) {
    out_.text("1");
  } else if (!subscript.second.empty()) {
    integer(subscript.second);
    if (subscript.form == Subscript::Form::Last) {
      out_.text("+1");
    }
  } else {
    extent(dimension);
  }
  // A number of elements, or the first one after the end.
  const bool isEnd = subscript.form == Subscript::Form::Last || subscript.second.empty();
  if (isEnd && subscript.form != Subscript::Form::Index && !subscript.first.empty()) {
    out_.text("-(long)");
    integer(subscript.first);
  }
  out_.text(")");
}

void Writer::call(std::uint32_t kind) {
  if (item_.subscripts.empty()) {
    out_.text("tutti_task_access(").number(kind).text(",");
    address();
    out_.text(",");
    size();
    out_.text(")");
    return;
  }
  // A shape that is not subscripted to its last dimension goes on with whole rows.
  const std::size_t dimensions = std::max(item_.subscripts.size(), item_.shape.size());
  out_.text("tutti_task_section(").number(kind).text(",(const volatile void*)");
  if (item_.shape.empty()) {
    out_.text("(&");
    element(1);
    out_.text(")");
  } else {
    out_.group(item_.base);
  }
  out_.text(",").number(static_cast<std::int64_t>(dimensions));
  for (std::size_t i = 0; i < dimensions; ++i) {
    out_.text(",(unsigned long)(");
    bytesBetween(i);
    out_.text("), (long)(");
    const Subscript *subscript = i < item_.subscripts.size() ? &item_.subscripts[i] : nullptr;
    if (subscript && !subscript->first.empty()) {
      integer(subscript->first);
    } else {
      out_.text("0");
    }
    out_.text(")");
    if (subscript) {
      count(*subscript, i);
    } else {
      out_.text(", (long)");
      integer(item_.shape[i]);
    }
  }
  out_.text(")");
}

void Writer::address() {
  if (item_.shape.empty()) {
    out_.text("(const volatile void*)&").group(item_.base);
  } else {
    out_.text("(const volatile void*)").group(item_.base);
  }
}

void Writer::size() {
  if (item_.shape.empty()) {
    out_.text("sizeof").group(item_.base);
    return;
  }
  out_.text("sizeof(*").group(item_.base).text(")");
  for (const Tokens &size : item_.shape) {
    out_.text("*(unsigned long)");
    integer(size);
  }
}

/// `for` over an iterator's values. Names that begin with two underscores are not the user's.
void Writer::loopBegin(const Iterator &iterator, std::size_t depth) {
  const std::string level = std::to_string(depth);
  TokensRef name = iterator.name;
  if (iterator.form == Iterator::Form::Values) {
    const std::string count = std::to_string(iterator.values.size());
    out_.text("{ __typeof__(0+")
        .group(iterator.values.front())
        .text(") __tutti_v" + level + "[]={");
    for (std::size_t i = 0; i < iterator.values.size(); ++i) {
      out_.text(i == 0 ? "" : ",").tokens(iterator.values[i]);
    }
    out_.text("}; for(unsigned long __tutti_i" + level + "=0;__tutti_i" + level + "<" + count +
              ";++__tutti_i" + level + ") { __typeof__(0+");
    out_.group(iterator.values.front()).text(") ").tokens(name);
    out_.text("=__tutti_v" + level + "[__tutti_i" + level + "]; (void)").tokens(name).text(";");
    return;
  }
  out_.text("{ const long __tutti_s" + level + "=(long)(");
  if (iterator.step.empty()) {
    out_.text("1");
  } else {
    integer(iterator.step);
  }
  out_.text("), __tutti_f" + level + "=(long)");
  integer(iterator.first);
  out_.text(", __tutti_l" + level + "=(long)");
  integer(iterator.second);
  if (iterator.form == Iterator::Form::Count) {
    out_.text("+__tutti_f" + level + "+(__tutti_s" + level + "<0 ? 1 : -1)");
  }
  out_.text("; for(long __tutti_i" + level + "=__tutti_f" + level + "; __tutti_s" + level +
            "<0 ? __tutti_i" + level + ">=__tutti_l" + level + " : __tutti_i" + level +
            "<=__tutti_l" + level + "; __tutti_i" + level + "+=__tutti_s" + level + ") {");
  out_.text("const __typeof__(0+").group(iterator.first).text(") ").tokens(name);
  out_.text("=(__typeof__(0+").group(iterator.first).text("))__tutti_i" + level + "; (void)");
  out_.tokens(name).text(";");
}

void Writer::access(std::uint32_t kind) {
  if (item_.iterators.empty()) {
    call(kind);
    return;
  }
  out_.text("__extension__({");
  for (std::size_t i = 0; i < item_.iterators.size(); ++i) {
    loopBegin(item_.iterators[i], i);
  }
  call(kind);
  out_.text(";");
  for (std::size_t i = 0; i < item_.iterators.size(); ++i) {
    out_.text("} }");
  }
  out_.text("(char*)0;})");
}

} // namespace

std::optional<Item> readItem(Preprocessor &preprocessor, TokensRef tokens, Colon colon) {
  Item item{};
  return Reader(preprocessor, colon).item(tokens, item) ? std::optional(std::move(item))
                                                        : std::nullopt;
}

void writeAccess(TokenWriter &writer, const Item &item, std::uint32_t kind) {
  Writer(writer.at(item.where), item).access(kind);
}

void writeAddress(TokenWriter &writer, const Item &item) {
  Writer(writer.at(item.where), item).address();
}

void writeSize(TokenWriter &writer, const Item &item) {
  Writer(writer.at(item.where), item).size();
}

bool mentions(const Item &item, llvm::StringRef name) {
  const auto isIn = [&](const Tokens &tokens) { return contains(tokens, name); };
  return isIn(item.base) || llvm::any_of(item.shape, isIn) ||
         llvm::any_of(item.subscripts,
                      [&](const Subscript &subscript) {
                        return isIn(subscript.first) || isIn(subscript.second);
                      }) ||
         llvm::any_of(item.iterators, [&](const Iterator &iterator) {
           return isIn(iterator.first) || isIn(iterator.second) || isIn(iterator.step) ||
                  llvm::any_of(iterator.values, isIn);
         });
}

} // namespace tutti::compiler::ompss
