// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/front_end.h"

#include "compiler/frontend/xmp/entry_points.h"
#include "compiler/frontend/xmp/lowering.h"
#include "compiler/frontend/xmp/uses_mpi.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Parse/Parser.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// What stands in front of the program: abi/xmp.h, and the marking functions.
std::string prologue() {
  return "# 1 \"tutti/xmp.h\" 3\n" + std::string(kEntryPoints) + "\nint " + kMark.str() +
         "(int, ...);\nint " + kSection.str() + "(int, ...);\nvoid *" + kDescriptor.str() +
         "(int);\n# 1 \"<built-in>\" 1\n";
}

/// Those of the plain program, without the end of the file.
std::vector<Token> parsedTokens(const Program &program) {
  std::vector<Token> tokens;
  tokens.reserve(program.plain.size());
  auto variant = program.variants.begin();
  for (unsigned at = 0; at + 1 < program.plain.size(); ++at) {
    while (variant != program.variants.end() && variant->second <= at) {
      ++variant;
    }
    if (variant == program.variants.end() || at < variant->first) {
      tokens.push_back(program.plain[at]);
    }
  }
  return tokens;
}

/// Parses the plain program as clang::ParseAST would, from its tokens.
void parse(CompilerInstance &compiler, const Program &program) {
  Preprocessor &preprocessor = compiler.getPreprocessor();
  SourceManager &sources = compiler.getSourceManager();
  Sema &sema = compiler.getSema();
  Parser parser(preprocessor, sema, /*SkipFunctionBodies=*/false);
  // The tokens end in front of an empty file, which ends the program.
  const FileID empty = sources.createFileID(llvm::MemoryBuffer::getMemBuffer("", "<end>"));
  preprocessor.EnterSourceFile(empty, nullptr, SourceLocation());
  const std::vector<Token> tokens = parsedTokens(program);
  preprocessor.EnterTokenStream(tokens, /*DisableMacroExpansion=*/true, /*IsReinject=*/false);
  parser.Initialize();
  Parser::DeclGroupPtrTy declarations;
  Sema::ModuleImportState state;
  for (bool atEnd = parser.ParseFirstTopLevelDecl(declarations, state); !atEnd;
       atEnd = parser.ParseTopLevelDecl(declarations, state)) {
  }
  sema.ActOnEndOfTranslationUnit();
}

} // namespace

std::unique_ptr<ASTConsumer> WriteAction::CreateASTConsumer(CompilerInstance &, llvm::StringRef) {
  return std::make_unique<ASTConsumer>();
}

bool WriteAction::BeginInvocation(CompilerInstance &compiler) {
  // A loop that owns a statement has the pragma's indentation, which means nothing.
  compiler.getDiagnosticOpts().Warnings.push_back("no-misleading-indentation");
  compiler.getDiagnosticOpts().Warnings.push_back("no-gnu-folding-constant");
  // Functions around directives at file scope; for the program's own what is written is asked
  // again.
  compiler.getDiagnosticOpts().Warnings.push_back("no-unused-function");
  // The options have been looked at before.
  ProcessWarningOptions(compiler.getDiagnostics(), compiler.getDiagnosticOpts());
  compiler.getPreprocessorOpts().addMacroDef("_XCALABLEMP=201705");
  const auto text = llvm::MemoryBuffer::getFile(getCurrentFile());
  if (text && !mayUseMpi((*text)->getBuffer(), compiler.getPreprocessorOpts())) {
    compiler.getPreprocessorOpts().addMacroDef("TUTTI_XMP_WITHOUT_MPI");
  }
  return true;
}

void WriteAction::ExecuteAction() {
  CompilerInstance &compiler = getCompilerInstance();
  Preprocessor &preprocessor = compiler.getPreprocessor();
  preprocessor.setPredefines(preprocessor.getPredefines() + prologue());
  Lexed lexed = lexProgram(preprocessor);
  Program program = makePlain(preprocessor, std::move(lexed));
  // OpenMP's pragmas are not among the tokens.
  compiler.createSema(TU_Complete, nullptr);
  parse(compiler, program);
  DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
  if (diagnostics.hasUncompilableErrorOccurred()) {
    return;
  }
  Edits edits(preprocessor, program);
  Lowering lowering(compiler.getASTContext(), preprocessor, program, edits);
  const std::string end = lowering.run();
  if (program.isLost && !diagnostics.hasErrorOccurred()) {
    const SourceManager &sources = compiler.getSourceManager();
    pragma::error(
        diagnostics, sources.getLocForStartOfFile(sources.getMainFileID()),
        "this program cannot be written as C: a part of it has no place; please report it");
  }
  if (diagnostics.hasUncompilableErrorOccurred()) {
    return;
  }
  const std::unique_ptr<llvm::raw_pwrite_stream> out =
      compiler.createOutputFile(output_, /*Binary=*/false, /*RemoveFileOnSignal=*/true,
                                /*UseTemporary=*/true);
  if (out) {
    edits.print(*out, end);
  }
}

int writeAsC(llvm::ArrayRef<const char *> arguments) {
  constexpr std::size_t kLeast = 3;
  if (arguments.size() < kLeast) {
    llvm::errs() << "error: expected OUTPUT CLANG ARGUMENTS...\n";
    return EXIT_FAILURE;
  }
  llvm::SmallVector<const char *, 64> forClang(arguments.drop_front());
  forClang.push_back("-fsyntax-only"); // One job, whatever the program asks for.
  CompilerInstance compiler;
  compiler.createDiagnostics();
  CreateInvocationOptions options;
  options.Diags = &compiler.getDiagnostics();
  std::shared_ptr<CompilerInvocation> invocation = createInvocation(forClang, std::move(options));
  if (!invocation || compiler.getDiagnostics().hasErrorOccurred()) {
    return EXIT_FAILURE;
  }
  compiler.setInvocation(std::move(invocation));
  compiler.createDiagnostics();
  WriteAction action(arguments[0]);
  return compiler.ExecuteAction(action) ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace tutti::compiler::xmp
