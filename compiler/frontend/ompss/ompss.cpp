// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/ompss.h"

#include "compiler/frontend/ompss/names.h"
#include "compiler/frontend/ompss/nests.h"
#include "compiler/frontend/ompss/once_per_place.h"
#include "compiler/frontend/ompss/pragma_handler.h"
#include "compiler/frontend/ompss/sharing.h"
#include "compiler/frontend/ompss/unseen_uses.h"

#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/SemaConsumer.h"

using namespace clang;

namespace tutti::compiler::ompss {

namespace {

/// What the tokens that are made refer to; abi/tasks.h says what it means.
constexpr llvm::StringLiteral kDeclarations = R"(
#ifdef __cplusplus
extern "C" {
#endif
#define TUTTI_NOTHROW __attribute__((__nothrow__))
extern char tutti_task_marker;
char *tutti_task_begin(const char *, const char *, unsigned) TUTTI_NOTHROW;
char *tutti_task_option(unsigned, long) TUTTI_NOTHROW;
char *tutti_task_instance(const char *) TUTTI_NOTHROW;
char *tutti_task_access(unsigned, const volatile void *, unsigned long) TUTTI_NOTHROW;
char *tutti_task_section(unsigned, const volatile void *, unsigned, ...) TUTTI_NOTHROW;
struct tutti_task_kernel;
char *tutti_task_device(const struct tutti_task_kernel *, unsigned, unsigned, unsigned, long, long,
                        long, long, long, long) TUTTI_NOTHROW;
void tutti_task_launch(unsigned, ...);
void tutti_task_kernel_named(void) TUTTI_NOTHROW;
char *tutti_task_copy(const volatile void *, unsigned long, int) TUTTI_NOTHROW;
char *tutti_task_object(const volatile void *) TUTTI_NOTHROW;
char *tutti_task_reduction(unsigned, void *, unsigned long, unsigned, unsigned) TUTTI_NOTHROW;
char *tutti_task_reduction_by(unsigned, void *, unsigned long, unsigned long,
                              void (*)(void *, void *), void (*)(void *, void *)) TUTTI_NOTHROW;
void tutti_task_reduction_part(unsigned);
void (*tutti_task_reduction_function(unsigned))(void *, void *);
char *tutti_task_described(void) TUTTI_NOTHROW;
void *tutti_task_private(void *) TUTTI_NOTHROW __attribute__((__const__)); // While a task runs.
unsigned tutti_task_asks(void) TUTTI_NOTHROW;
int tutti_task_iterate(unsigned) TUTTI_NOTHROW;
void tutti_task_wait(const char *);
char *tutti_task_wait_begin(const char *) TUTTI_NOTHROW;
void tutti_task_wait_end(void);
char *tutti_task_release_begin(const char *) TUTTI_NOTHROW;
void tutti_task_release_end(void) TUTTI_NOTHROW;
#undef TUTTI_NOTHROW
#ifdef __cplusplus
}
#endif
)";

/// Is asked for names that nobody has declared. A marker means that the parser is about to read the
/// clauses of a construct: now the types of its items can be known.
class Source : public ExternalSemaSource {
public:
  explicit Source(std::shared_ptr<Unit> unit) : unit_(std::move(unit)) {}

  bool LookupUnqualified(LookupResult &result, Scope *scope) override {
    const IdentifierInfo *name = result.getLookupName().getAsIdentifierInfo();
    llvm::StringRef digits = name ? name->getName() : llvm::StringRef();
    std::size_t number = 0;
    if (!digits.consume_front(kMarkerPrefix) || digits.getAsInteger(10, number) ||
        number >= unit_->constructs.size()) {
      return false;
    }
    addClauses(number, scope);
    Sema &sema = *unit_->sema;
    IdentifierInfo &variable = sema.getASTContext().Idents.get(kMarkerVariable);
    for (NamedDecl *found : sema.getASTContext().getTranslationUnitDecl()->lookup(&variable)) {
      result.addDecl(found);
      return true;
    }
    return false;
  }

private:
  void addClauses(std::size_t number, Scope *scope) {
    const Construct construct = unit_->constructs[number]; // Templates in items may add others.
    TokenWriter writer(unit_->preprocessor, construct.directive.where);
    const Sharing sharing = unit_->nesting.share(*unit_->sema, scope, construct);
    for (const Sharing::Reduced &reduced : sharing.reduced) {
      if (reduced.staticMember) {
        unit_->staticMembers.add(construct.directive.where, *reduced.staticMember);
      }
    }
    const auto isSeen = [&](llvm::StringRef name) {
      Sema &sema = *unit_->sema;
      LookupResult found(sema, &sema.getASTContext().Idents.get(name), construct.directive.where,
                         Sema::LookupOrdinaryName);
      found.suppressDiagnostics();
      return sema.LookupName(found, scope);
    };
    writeClauses(writer, unit_->preprocessor, unit_->reductions, isSeen, construct, sharing);
    enter(unit_->preprocessor, writer.take());
  }

  std::shared_ptr<Unit> unit_;
};

class Consumer : public SemaConsumer {
public:
  explicit Consumer(std::shared_ptr<Unit> unit) : unit_(std::move(unit)) {}

  void InitializeSema(Sema &sema) override {
    unit_->sema = &sema;
    sema.addExternalSource(new Source(unit_)); // Counts its references.
  }

  void ForgetSema() override { unit_->sema = nullptr; }

  bool HandleTopLevelDecl(DeclGroupRef group) override {
    if (unit_->sema) {
      warnOfEarlierDeclarations(*unit_->sema, unit_->functions, group);
      redirectCalls(*unit_->sema, unit_->functions, group);
      unit_->staticMembers.makePrivate(*unit_->sema, group);
      if (!unit_->sema->getLangOpts().CPlusPlus) {
        DeclaredReductions::keepFunctions(group);
      }
      unseenUses_.copy(*unit_->sema, unit_->constructs, group);
      nests_.check(unit_->sema->getDiagnostics(), unit_->constructs, group);
    }
    return true;
  }

  void HandleInlineFunctionDefinition(FunctionDecl *function) override {
    HandleTopLevelDecl(DeclGroupRef(function));
  }

private:
  std::shared_ptr<Unit> unit_;
  Nests nests_;
  UnseenUses unseenUses_;
};

} // namespace

std::unique_ptr<ASTConsumer> install(CompilerInstance &compiler) {
  Preprocessor &preprocessor = compiler.getPreprocessor();
  auto unit = std::make_shared<Unit>(Unit{preprocessor, nullptr, {}, {}, {}, {}, {}});
  preprocessor.AddPragmaHandler(new PragmaHandler(unit)); // Owned by the preprocessor.
  showOncePerPlace(compiler.getDiagnostics(), unit);
  preprocessor.setPredefines(preprocessor.getPredefines() + kDeclarations.str());
  return std::make_unique<Consumer>(unit);
}

} // namespace tutti::compiler::ompss
