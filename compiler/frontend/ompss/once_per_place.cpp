// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/once_per_place.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

#include <set>
#include <utility>

using namespace clang;

namespace tutti::compiler::ompss {

namespace {

class Filter : public DiagnosticConsumer {
public:
  Filter(DiagnosticsEngine &diagnostics, std::shared_ptr<const Unit> unit)
      : unit_(std::move(unit)),
        owned_(diagnostics.ownsClient() ? diagnostics.takeClient() : nullptr),
        next_(owned_ ? owned_.get() : diagnostics.getClient()) {
    NumErrors = next_->getNumErrors();
    NumWarnings = next_->getNumWarnings();
  }

  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &info) override {
    if (level != DiagnosticsEngine::Note) { // Notes belong to what comes before.
      isHidden_ = isRepeated(level, info);
    }
    if (!isHidden_) {
      DiagnosticConsumer::HandleDiagnostic(level, info);
      next_->HandleDiagnostic(level, info);
    }
  }

  void clear() override {
    DiagnosticConsumer::clear();
    next_->clear();
  }

  void BeginSourceFile(const LangOptions &options, const Preprocessor *preprocessor) override {
    next_->BeginSourceFile(options, preprocessor);
  }

  void EndSourceFile() override { next_->EndSourceFile(); }

  void finish() override { next_->finish(); }

  bool IncludeInDiagnosticCounts() const override { return next_->IncludeInDiagnosticCounts(); }

private:
  bool isRepeated(DiagnosticsEngine::Level level, const Diagnostic &info) {
    if (level < DiagnosticsEngine::Warning || !isInConstruct(info)) {
      return false;
    }
    const unsigned what = level == DiagnosticsEngine::Warning ? info.getID() : 0;
    return !shown_.insert({placeOf(info).getRawEncoding(), what}).second;
  }

  /// Of what is made around the user's words the place is theirs.
  static SourceLocation placeOf(const Diagnostic &info) {
    const SourceManager &sources = info.getSourceManager();
    const SourceLocation place = info.getLocation();
    return place.isMacroID() && sources.isWrittenInScratchSpace(sources.getSpellingLoc(place))
               ? sources.getImmediateExpansionRange(place).getBegin()
               : place;
  }

  bool isInConstruct(const Diagnostic &info) const {
    if (info.getLocation().isInvalid() || !info.hasSourceManager()) {
      return false;
    }
    const SourceManager &sources = info.getSourceManager();
    const SourceLocation place = sources.getExpansionLoc(info.getLocation());
    return llvm::any_of(unit_->constructs, [&](const Construct &construct) {
      return sources.isPointWithin(place, sources.getExpansionLoc(construct.directive.where),
                                   sources.getExpansionLoc(construct.directive.end));
    });
  }

  std::shared_ptr<const Unit> unit_;
  std::unique_ptr<DiagnosticConsumer> owned_;
  DiagnosticConsumer *next_;
  std::set<std::pair<SourceLocation::UIntTy, unsigned>> shown_; ///< Place, and kind of warnings.
  bool isHidden_ = false;
};

} // namespace

void showOncePerPlace(DiagnosticsEngine &diagnostics, std::shared_ptr<const Unit> unit) {
  auto filter = std::make_unique<Filter>(diagnostics, std::move(unit));
  diagnostics.setClient(filter.release(), /*ShouldOwnClient=*/true);
}

} // namespace tutti::compiler::ompss
