// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/directive_parser.h"

#include "compiler/frontend/pragma/clause_lexer.h"
#include "compiler/frontend/xmp/combined_directive.h"
#include "compiler/frontend/xmp/directive_names.h"
#include "compiler/frontend/xmp/directive_reader.h"

using namespace clang;

namespace tutti::compiler::xmp {

bool DirectiveReader::unknown(llvm::StringRef what, llvm::ArrayRef<llvm::StringRef> valid) {
  const llvm::StringRef word = Cursor::wordOf(cursor_.token());
  if (word.empty()) {
    cursor_.error(cursor_.place(), "extra tokens at the end of '#pragma xmp %0'")
        << nameOf(directive_.kind);
    return false;
  }
  const llvm::StringRef nearest = pragma::nearestWord(word, valid);
  if (nearest.empty()) {
    cursor_.error(cursor_.place(), "unknown %0 '%1'") << what << word;
  } else {
    cursor_.error(cursor_.place(), "unknown %0 '%1'; did you mean '%2'?")
        << what << word << nearest << FixItHint::CreateReplacement(cursor_.place(), nearest);
  }
  return false;
}

bool DirectiveReader::kind() {
  directive_.place = cursor_.place();
  if (cursor_.acceptWord("acc") || cursor_.acceptWord("device")) {
    return accKind();
  }
  for (const DirectiveName &name : kDirectiveNames) {
    if (cursor_.acceptWord(name.text)) {
      directive_.kind = name.kind;
      return true;
    }
  }
  if (cursor_.isWord("local_alias")) {
    cursor_.error(
        cursor_.place(),
        "'local_alias' is of Fortran; in C the name without subscripts is the local part");
    return false;
  }
  for (const OtherDirective &other : kOtherDirectives) {
    if (cursor_.isWord(other.text)) {
      cursor_.error(cursor_.place(), "'#pragma xmp %0' is not supported: it belongs to %1")
          << other.text << other.of;
      return false;
    }
  }
  llvm::SmallVector<llvm::StringRef, 32> valid;
  for (const DirectiveName &name : kDirectiveNames) {
    valid.push_back(name.text);
  }
  if (Cursor::wordOf(cursor_.token()).empty()) {
    cursor_.error(cursor_.place(), "expected the name of a directive after '#pragma xmp'");
    return false;
  }
  return unknown("directive", valid);
}

/// Behind `acc`, which the first form of the language has, or `device`.
bool DirectiveReader::accKind() {
  llvm::SmallVector<llvm::StringRef, 5> valid;
  for (const DirectiveName &name : kAccDirectiveNames) {
    if (cursor_.acceptWord(name.text)) {
      directive_.kind = name.kind;
      directive_.isAcc = name.kind == DirectiveKind::Loop || name.kind == DirectiveKind::Reflect;
      return true;
    }
    valid.push_back(name.text);
  }
  if (Cursor::wordOf(cursor_.token()).empty()) {
    cursor_.error(cursor_.place(), "expected the name of a directive after 'acc'");
    return false;
  }
  return unknown("directive", valid);
}

bool DirectiveReader::parse() {
  if (!kind() || !body()) {
    return false;
  }
  if (!cursor_.atEnd()) {
    cursor_.error(cursor_.place(), "extra tokens at the end of '#pragma xmp %0'")
        << nameOf(directive_.kind);
    return false;
  }
  return true;
}

bool DirectiveReader::body() {
  switch (directive_.kind) {
  case DirectiveKind::Nodes:
    return nodes();
  case DirectiveKind::Template:
    return templates();
  case DirectiveKind::Distribute:
    return distribute();
  case DirectiveKind::Align:
    return align();
  case DirectiveKind::Shadow:
    return shadow();
  case DirectiveKind::StaticDesc:
    return staticDesc();
  case DirectiveKind::TemplateFix:
    return templateFix();
  case DirectiveKind::Task:
  case DirectiveKind::Array:
    return cursor_.expectWord("on") && ref(directive_.on) && clauses();
  case DirectiveKind::Loop:
    return loop() && clauses();
  case DirectiveKind::Reflect:
  case DirectiveKind::ReduceShadow:
  case DirectiveKind::Bcast:
    return operandList() && clauses();
  case DirectiveKind::Reduction:
    return reduction() && clauses();
  case DirectiveKind::Gmove:
    directive_.isIn = cursor_.acceptWord("in");
    directive_.isOut = !directive_.isIn && cursor_.acceptWord("out");
    return clauses();
  case DirectiveKind::Barrier:
    return clauses();
  case DirectiveKind::WaitAsync:
    return waitAsync() && clauses();
  case DirectiveKind::Tasks:
    return true;
  case DirectiveKind::Replicate:
    return operandList();
  case DirectiveKind::ReplicateSync:
    return replicateSync();
  }
  return false;
}

std::vector<Directive> parseDirectives(Preprocessor &preprocessor,
                                       const std::vector<Token> &tokens) {
  std::vector<Directive> directives;
  const auto parts = takeApart(preprocessor, tokens);
  for (const SingleDirective &part : parts.value_or(std::vector<SingleDirective>())) {
    DirectiveReader parser(preprocessor, part.tokens);
    if (parser.parse()) {
      directives.push_back(std::move(parser.result()));
      directives.back().place = part.place;
    } else if (parser.result().kind == DirectiveKind::Array ||
               parser.result().kind == DirectiveKind::Gmove) {
      // What follows is its assignment, which would be another error without it.
      Directive &broken = directives.emplace_back();
      broken.kind = parser.result().kind;
      broken.place = part.place;
      broken.isBroken = true;
    }
  }
  return directives;
}

} // namespace tutti::compiler::xmp
