// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/pragma/tutti_pragma.h"

#include "abi/backends.h"
#include "compiler/frontend/pragma/clause_lexer.h"

#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <limits>

using namespace clang;

namespace tutti::compiler::pragma {

namespace {

constexpr std::int64_t kMaxBlock = 1024; ///< Work-items; what all GPUs take.
constexpr std::int64_t kMaxGrid = std::numeric_limits<std::int32_t>::max();

constexpr llvm::StringRef kClauses[] = {"device", "grid", "block"};

/// The clauses of one pragma. Every member returns false after it has reported an error.
class Clauses {
public:
  Clauses(ClauseLexer &lexer, const Directive *before) : lexer_(lexer) {
    if (before) {
      directive_ = *before;
      hasGrid_ = before->grid[0] != 0;
      hasBlock_ = before->block[0] != 0;
      hasDevice_ = before->device != TUTTI_DEVICE_AUTO;
    }
  }

  bool read();

  const Directive &directive() const { return directive_; }

private:
  bool clause();
  bool device();
  bool sizes(llvm::StringRef clause, std::array<std::uint32_t, 3> &sizes);
  bool once(bool &seen, llvm::StringRef clause, SourceLocation where);
  bool unknown(llvm::StringRef what, llvm::ArrayRef<llvm::StringRef> valid);

  ClauseLexer &lexer_;
  Directive directive_;
  bool hasDevice_ = false;
  bool hasGrid_ = false;
  bool hasBlock_ = false;
};

bool Clauses::read() {
  if (lexer_.atEnd()) {
    lexer_.error(lexer_.token().getLocation(),
                 "'#pragma tutti' needs a clause: device, grid or block");
    return false;
  }
  while (!lexer_.atEnd()) {
    if (!clause()) {
      return false;
    }
  }
  return true;
}

bool Clauses::clause() {
  const SourceLocation where = lexer_.token().getLocation();
  const llvm::StringRef name = lexer_.word();
  if (name == "device") {
    return once(hasDevice_, name, where) && lexer_.open() && device() && lexer_.close();
  }
  if (name == "grid") {
    return once(hasGrid_, name, where) && lexer_.open() && sizes(name, directive_.grid);
  }
  if (name == "block") {
    return once(hasBlock_, name, where) && lexer_.open() && sizes(name, directive_.block);
  }
  return unknown("clause", kClauses);
}

bool Clauses::once(bool &seen, llvm::StringRef clause, SourceLocation where) {
  if (seen) {
    lexer_.error(where, "more than one clause '%0' for one construct") << clause;
    return false;
  }
  seen = true;
  return true;
}

bool Clauses::unknown(llvm::StringRef what, llvm::ArrayRef<llvm::StringRef> valid) {
  const Token &token = lexer_.token();
  const llvm::StringRef word = lexer_.word();
  if (word.empty()) {
    lexer_.error(token.getLocation(), "expected a %0: %1") << what << llvm::join(valid, ", ");
    return false;
  }
  const llvm::StringRef nearest = nearestWord(word, valid);
  if (nearest.empty()) {
    lexer_.error(token.getLocation(), "unknown %0 '%1'; valid are %2")
        << what << word << llvm::join(valid, ", ");
  } else {
    lexer_.error(token.getLocation(), "unknown %0 '%1'; did you mean '%2'? Valid are %3")
        << what << word << nearest << llvm::join(valid, ", ")
        << FixItHint::CreateReplacement(token.getLocation(), nearest);
  }
  return false;
}

bool Clauses::device() {
  const llvm::StringRef name = lexer_.word();
  const auto *found = llvm::find_if(abi::kDeviceKinds, [&](const abi::DeviceKind &kind) {
    return kind.name == std::string_view(name);
  });
  if (found == abi::kDeviceKinds.end()) {
    llvm::SmallVector<llvm::StringRef, 8> valid;
    for (const abi::DeviceKind &kind : abi::kDeviceKinds) {
      valid.push_back(kind.name);
    }
    return unknown("device kind", valid);
  }
  directive_.device = static_cast<tutti_device_kind>(found->number);
  lexer_.skip();
  return true;
}

bool Clauses::sizes(llvm::StringRef clause, std::array<std::uint32_t, 3> &sizes) {
  const SourceLocation begin = lexer_.token().getLocation();
  const bool isBlock = clause == "block";
  std::int64_t product = 1;
  // The runtime chooses sizes of groups that are not named.
  sizes.fill(isBlock ? 0 : 1);
  for (std::size_t dimension = 0;; ++dimension) {
    const SourceLocation where = lexer_.token().getLocation();
    const std::optional<std::int64_t> size = lexer_.integer();
    if (!size) {
      return false;
    }
    if (*size <= 0) {
      lexer_.error(where, "size of a %0 must be positive") << clause;
      return false;
    }
    if (dimension == sizes.size()) {
      lexer_.error(where, "a %0 has at most three sizes") << clause;
      return false;
    }
    if (*size > (isBlock ? kMaxBlock : kMaxGrid)) {
      lexer_.error(where, "size of a %0 is at most %1")
          << clause << (isBlock ? "1024" : "2147483647");
      return false;
    }
    sizes[dimension] = static_cast<std::uint32_t>(*size);
    product = isBlock ? product * *size : 1;
    if (!lexer_.accept(tok::comma)) {
      break;
    }
  }
  if (product > kMaxBlock) {
    lexer_.error(begin, "a block has at most 1024 work-items");
    return false;
  }
  return lexer_.close();
}

} // namespace

void DirectiveTable::add(const Directive &directive, SourceLocation pragma) {
  pending_ = {directive, pragma};
  isPending_ = true;
}

void DirectiveTable::look(const Token &token) {
  if (!isPending_) {
    return;
  }
  isPending_ = false;
  if (token.is(tok::annot_pragma_openmp)) {
    entries_[token.getLocation()] = pending_;
  } else {
    warn(pending_);
  }
}

const Directive *DirectiveTable::find(SourceLocation begin) {
  const auto found = entries_.find(begin);
  if (found == entries_.end()) {
    return nullptr;
  }
  found->second.isUsed = true;
  return &found->second.directive;
}

void DirectiveTable::finish() {
  if (diagnostics_.hasErrorOccurred()) {
    return;
  }
  for (const auto &[begin, entry] : entries_) {
    if (!entry.isUsed) {
      warn(entry);
    }
  }
}

void DirectiveTable::warn(const Entry &entry) {
  warning(diagnostics_, entry.pragma, "'#pragma tutti' is ignored: no OpenMP construct follows it");
}

PragmaHandler::PragmaHandler(std::shared_ptr<DirectiveTable> table)
    : clang::PragmaHandler("tutti"), table_(std::move(table)) {}

void PragmaHandler::HandlePragma(Preprocessor &preprocessor, PragmaIntroducer introducer,
                                 Token &first) {
  ClauseLexer lexer(preprocessor, first);
  Clauses clauses(lexer, table_->pending());
  // Without -fopenmp there are no constructs, and nobody expects an effect.
  if (clauses.read() && preprocessor.getLangOpts().OpenMP != 0) {
    table_->add(clauses.directive(), introducer.Loc);
  }
}

std::unique_ptr<ASTConsumer> install(CompilerInstance &compiler) {
  auto table = std::make_shared<DirectiveTable>(compiler.getDiagnostics());
  Preprocessor &preprocessor = compiler.getPreprocessor();
  preprocessor.AddPragmaHandler(new PragmaHandler(table)); // Owned by the preprocessor.
  preprocessor.setTokenWatcher([table](const Token &token) { table->look(token); });
  return std::make_unique<ConstructMarker>(table);
}

} // namespace tutti::compiler::pragma
