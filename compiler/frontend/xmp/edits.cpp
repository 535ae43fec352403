// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/edits.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

constexpr unsigned kMostEmptyLines = 8;

std::string quoted(llvm::StringRef text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      result += '\\';
    }
    result += letter;
  }
  return result;
}

} // namespace

void Edits::replace(unsigned at, std::string text) {
  edits_[at].text = std::move(text);
  edits_[at].isReplaced = true;
}

void Edits::before(unsigned at, const std::string &text) { edits_[at].before.insert(0, text); }

void Edits::after(unsigned at, const std::string &text) { edits_[at].after += text; }

void Edits::pragma(unsigned at, SourceLocation place, const std::string &text) {
  pragmas_.insert({at, {place, text}});
}

void Edits::erase(unsigned begin, unsigned end) {
  for (unsigned at = begin; at < end; ++at) {
    Edit &edit = edits_[at];
    edit = {};
    edit.isReplaced = true;
  }
}

const Edits::Edit *Edits::find(unsigned at) const {
  const auto found = edits_.find(at);
  return found == edits_.end() ? nullptr : &found->second;
}

std::string Edits::spelling(unsigned at) const {
  return preprocessor_.getSpelling(program_.plain[at]);
}

std::string Edits::text(unsigned begin, unsigned end) const {
  std::string text;
  const auto add = [&](const std::string &part) {
    if (!part.empty()) {
      text += (text.empty() ? "" : " ") + part;
    }
  };
  for (unsigned at = begin; at < end; ++at) {
    const Edit *edit = find(at);
    if (edit) {
      add(edit->before);
    }
    if (edit && edit->isReplaced) {
      add(edit->text);
    } else if (program_.isUsers[at]) {
      add(spelling(at));
    }
    if (edit) {
      add(edit->after);
    }
  }
  return text;
}

void Edits::moveTo(llvm::raw_ostream &out, SourceLocation place, bool atLineStart) {
  SourceManager &sources = preprocessor_.getSourceManager();
  const SourceLocation expansion = sources.getExpansionLoc(place);
  if (expansion == last_ && line_ == lastLine_ && !atLineStart) {
    return; // As of all tokens of a macro, of which headers of the system have many.
  }
  const PresumedLoc presumed = sources.getPresumedLoc(expansion);
  if (presumed.isInvalid()) {
    return;
  }
  last_ = expansion;
  lastLine_ = presumed.getLine();
  const bool isSameFile = file_ == presumed.getFilename();
  const bool mayStay = isSameFile && line_ == presumed.getLine() && (!atLineStart || column_ == 0);
  if (mayStay) {
    return;
  }
  if (isSameFile && line_ < presumed.getLine() && presumed.getLine() - line_ <= kMostEmptyLines) {
    for (; line_ < presumed.getLine(); ++line_) {
      out << '\n';
    }
  } else {
    file_ = presumed.getFilename();
    line_ = presumed.getLine();
    const SrcMgr::CharacteristicKind kind = sources.getFileCharacteristic(expansion);
    out << (column_ > 0 ? "\n" : "") << "# " << line_ << " \"" << quoted(file_) << '"'
        << (SrcMgr::isSystem(kind) ? " 3" : "") << '\n';
  }
  column_ = 0;
  const unsigned indent = atLineStart ? 0 : presumed.getColumn() - 1;
  for (; column_ < indent && indent < 60; ++column_) {
    out << ' ';
  }
}

void Edits::printToken(llvm::raw_ostream &out, unsigned at) {
  const Edit *edit = find(at);
  const Token &token = program_.plain[at];
  const bool isUsers = program_.isUsers[at] && token.isNot(tok::eof);
  if (!isUsers && !edit) {
    return;
  }
  const auto [first, last] = pragmas_.equal_range(at);
  for (auto pragma = first; pragma != last; ++pragma) {
    beginPragma(out, pragma->second.place);
    out << ' ' << pragma->second.text << '\n';
    ++line_;
    column_ = 0;
  }
  if (isUsers) {
    moveTo(out, token.getLocation(), false);
  }
  const auto put = [&](const std::string &text) {
    if (!text.empty()) {
      out << (column_ > 0 ? " " : "") << text;
      column_ += text.size() + 1;
    }
  };
  if (edit) {
    put(edit->before);
  }
  if (edit && edit->isReplaced) {
    put(edit->text);
  } else if (isUsers) {
    put(spelling(at));
  }
  if (edit) {
    put(edit->after);
  }
}

void Edits::beginPragma(llvm::raw_ostream &out, SourceLocation place) {
  moveTo(out, place, true);
  out << "#pragma";
}

void Edits::printPragma(llvm::raw_ostream &out, const Pragma &pragma) {
  if (pragma.tokens.empty()) {
    return;
  }
  beginPragma(out, pragma.place);
  for (const Token &token : pragma.tokens) {
    out << ' ' << preprocessor_.getSpelling(token);
  }
  out << '\n';
  ++line_;
  column_ = 0;
}

void Edits::print(llvm::raw_ostream &out, const std::string &end) {
  // The user has been warned, of the program as it was.
  const SourceManager &sources = preprocessor_.getSourceManager();
  const PresumedLoc main =
      sources.getPresumedLoc(sources.getLocForStartOfFile(sources.getMainFileID()));
  out << "# 1 \"" << quoted(main.getFilename())
      << "\"\n#pragma clang diagnostic ignored \"-Weverything\"\n";
  std::size_t pragma = 0;
  std::size_t directive = 0;
  std::size_t omitted = 0;
  const auto &directives = program_.directives;
  for (unsigned at = 0; at < program_.plain.size();) {
    const bool isDirective = directive < directives.size() && directives[directive].at == at;
    // Other languages' pragmas in front of `loop` are for its `for` as those behind it are.
    const bool isLoop = isDirective && directives[directive].kind == DirectiveKind::Loop;
    for (; !isLoop && pragma < program_.pragmas.size() && program_.pragmas[pragma].at <= at;
         ++pragma) {
      printPragma(out, program_.pragmas[pragma]);
    }
    if (isDirective) {
      std::string text;
      for (const unsigned edge : {at, directives[directive].end - 1}) {
        if (const Edit *edit = find(edge)) {
          text += edit->before + edit->after;
        }
      }
      if (!text.empty()) {
        moveTo(out, directives[directive].place, false);
        out << ' ' << text;
        column_ += text.size() + 1;
      }
      at = directives[directive].end;
      ++directive;
      continue;
    }
    if (omitted < omitted_.size() && omitted_[omitted].first == at) {
      at = omitted_[omitted++].second;
      continue;
    }
    printToken(out, at);
    ++at;
  }
  out << '\n' << end;
}

} // namespace tutti::compiler::xmp
