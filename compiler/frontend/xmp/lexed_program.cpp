// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/program.h"

#include "clang/Lex/Pragma.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// Takes pragmas out, with macros expanded where the language of the pragma does so.
class Collector : public PragmaHandler {
public:
  Collector(llvm::StringRef name, llvm::StringRef prefix, bool expands, Lexed &lexed)
      : PragmaHandler(name), prefix_(prefix), expands_(expands), lexed_(lexed) {}

  void HandlePragma(Preprocessor &preprocessor, PragmaIntroducer introducer,
                    Token &first) override {
    Pragma pragma{lexed_.tokens.size(), introducer.Loc, {}, prefix_ == "xmp"};
    Token token = first;
    if (!prefix_.empty() && !pragma.isXmp && getName().empty()) {
      Token prefix = first; // Of a name space the name is gone.
      prefix.setKind(tok::identifier);
      prefix.setIdentifierInfo(preprocessor.getIdentifierInfo(prefix_));
      pragma.tokens.push_back(prefix);
    }
    const bool isName = !getName().empty();
    if (isName && pragma.isXmp) {
      lex(preprocessor, token);
    }
    while (token.isNot(tok::eod)) {
      add(token, pragma);
      lex(preprocessor, token);
    }
    if (pragma.isXmp) {
      pragma.tokens.push_back(token);
    }
    lexed_.pragmas.push_back(std::move(pragma));
  }

private:
  /// In XcalableMP `::` are two colons, which may be those of a triplet.
  static void add(Token token, Pragma &pragma) {
    const bool isPair = pragma.isXmp && token.is(tok::coloncolon);
    if (isPair) {
      token.setKind(tok::colon);
      token.setLength(1);
    }
    pragma.tokens.push_back(token);
    if (isPair) {
      token.setLocation(token.getLocation().getLocWithOffset(1));
      pragma.tokens.push_back(token);
    }
  }

  void lex(Preprocessor &preprocessor, Token &token) const {
    if (expands_) {
      preprocessor.Lex(token);
    } else {
      preprocessor.LexUnexpandedToken(token);
    }
  }

  std::string prefix_;
  bool expands_;
  Lexed &lexed_;
};

} // namespace

Lexed lexProgram(Preprocessor &preprocessor) {
  Lexed lexed;

  struct Entry {
    llvm::StringRef space;
    std::unique_ptr<Collector> handler;
  };

  std::vector<Entry> entries;
  const auto add = [&](llvm::StringRef space, llvm::StringRef name, llvm::StringRef prefix,
                       bool expands) {
    entries.push_back({space, std::make_unique<Collector>(name, prefix, expands, lexed)});
    preprocessor.AddPragmaHandler(space, entries.back().handler.get());
  };
  add("", "xmp", "xmp", true);
  for (llvm::StringRef name : {"omp", "tutti", "oss"}) {
    add("", name, name, true);
  }
  for (llvm::StringRef space : {"GCC", "clang"}) {
    add(space, "", space, false);
  }
  add("", "", "", false);

  preprocessor.EnterMainSourceFile();
  Token token;
  do {
    preprocessor.Lex(token);
    lexed.tokens.push_back(token);
  } while (token.isNot(tok::eof));

  for (const Entry &entry : entries) {
    preprocessor.RemovePragmaHandler(entry.space, entry.handler.get());
  }
  return lexed;
}

} // namespace tutti::compiler::xmp
