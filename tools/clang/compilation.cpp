// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/clang/compilation.h"

#include "compiler/plugin/pragma_action.h"
#include "compiler/transform/carry_code.h"

#include "clang/Basic/Stack.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendDiagnostic.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/FrontendTool/Utils.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/Timer.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::tools {

namespace {

/// What LLVM cannot go on after, such as inline assembly without a meaning, as Clang says it.
void sayAndEnd(void *user, const char *message, bool makesReport) {
  auto &diagnostics = *static_cast<clang::DiagnosticsEngine *>(user);
  diagnostics.Report(clang::diag::err_fe_error_backend) << message;
  llvm::sys::RunInterruptHandlers(); // Removes what has been written by half.
  llvm::sys::Process::Exit(makesReport ? 70 : 1);
}

/// Writes what `-ftime-trace` asks for.
void writeTimeTrace(clang::CompilerInstance &compiler) {
  if (!llvm::timeTraceProfilerEnabled()) {
    return;
  }
  const std::string path = compiler.getFrontendOpts().TimeTracePath;
  compiler.clearOutputFiles(/*EraseFiles=*/false);
  if (auto output = compiler.createOutputFile(path, /*Binary=*/false, /*RemoveFileOnSignal=*/false,
                                              /*UseTemporary=*/false)) {
    llvm::timeTraceProfilerWrite(*output);
    output.reset();
    llvm::timeTraceProfilerCleanup();
    compiler.clearOutputFiles(/*EraseFiles=*/false);
  }
}

/// With which arguments a module is compiled that was made as `compilation` makes one, but for
/// input and output.
std::vector<std::string> argumentsForModules(const clang::CompilerInvocation &compilation) {
  clang::CompilerInvocation again(compilation);
  again.getPreprocessorOpts() = clang::PreprocessorOptions();
  again.getHeaderSearchOpts() = clang::HeaderSearchOptions();
  again.getHeaderSearchOpts().ResourceDir = compilation.getHeaderSearchOpts().ResourceDir;
  again.getDependencyOutputOpts() = {};
  again.getDiagnosticOpts().DiagnosticSerializationFile.clear();
  again.getCodeGenOpts().OptRecordFile.clear();
  again.getFrontendOpts() = clang::FrontendOptions();
  again.getFrontendOpts().ProgramAction = clang::frontend::EmitObj;
  again.getFrontendOpts().DashX = clang::InputKind(clang::Language::LLVM_IR);
  return again.getCC1CommandLine();
}

/// Whether others may want the code of what is compiled: only objects have a place for it, and a
/// module that the link step has put together is wanted by nobody else.
bool isWorthCarrying(const clang::CompilerInvocation &compilation) {
  const clang::FrontendOptions &frontend = compilation.getFrontendOpts();
  const auto told = frontend.PluginArgs.find("tutti");
  return (told == frontend.PluginArgs.end() || !llvm::is_contained(told->second, "no-code")) &&
         frontend.ProgramAction == clang::frontend::EmitObj &&
         frontend.DashX.getLanguage() != clang::Language::LLVM_IR &&
         compilation.getLangOpts().Sanitize.empty() &&
         compilation.getCodeGenOpts().CoverageNotesFile.empty();
}

int compile(llvm::SmallVectorImpl<const char *> &arguments) {
  clang::noteBottomOfStack();
  compiler::registerPragmas();
  auto compiler = std::make_unique<clang::CompilerInstance>();
  // What is said while options are read cannot be printed as those options ask.
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options = new clang::DiagnosticOptions();
  auto *buffer = new clang::TextDiagnosticBuffer();
  clang::DiagnosticsEngine diagnostics(new clang::DiagnosticIDs(), options, buffer);
  const bool isUnderstood = clang::CompilerInvocation::CreateFromArgs(
      compiler->getInvocation(), llvm::ArrayRef(arguments).drop_front(2), diagnostics,
      arguments[0]);
  clang::FrontendOptions &frontend = compiler->getFrontendOpts();
  if (!frontend.TimeTracePath.empty()) {
    llvm::timeTraceProfilerInitialize(frontend.TimeTraceGranularity, arguments[0]);
  }
  compiler->createDiagnostics();
  if (!compiler->hasDiagnostics()) {
    return EXIT_FAILURE;
  }
  llvm::install_fatal_error_handler(sayAndEnd, &compiler->getDiagnostics());
  buffer->FlushDiagnostics(compiler->getDiagnostics());
  if (!isUnderstood) {
    compiler->getDiagnosticClient().finish();
    return EXIT_FAILURE;
  }
  if (isWorthCarrying(compiler->getInvocation())) {
    compiler::carryCode(argumentsForModules(compiler->getInvocation()));
  }
  compiler->getCodeGenOpts().PassBuilderCallbacks.push_back( // compiler/plugin/plugin.cpp
      llvmGetPassPluginInfo().RegisterPassBuilderCallbacks);
  bool isDone = false;
  {
    const llvm::TimeTraceScope whole("ExecuteCompiler");
    isDone = clang::ExecuteCompilerInvocation(compiler.get());
  }
  llvm::TimerGroup::printAll(llvm::errs()); // Those that no destructor will print.
  llvm::TimerGroup::clearAll();
  writeTimeTrace(*compiler);
  llvm::remove_fatal_error_handler();
  compiler.release(); // The process ends.
  return isDone ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

int runTool(llvm::SmallVectorImpl<const char *> &arguments) {
  if (llvm::StringRef(arguments[1]) == "-cc1") {
    return compile(arguments);
  }
  arguments.push_back(nullptr);
  ::execv(arguments[0], const_cast<char **>(arguments.data()));
  llvm::errs() << "error: cannot start " << arguments[0] << ": " << std::strerror(errno) << '\n';
  return EXIT_FAILURE;
}

pid_t startApart(llvm::function_ref<int()> work, int errors) {
  llvm::outs().flush();
  const pid_t child = ::fork();
  if (child < 0) {
    llvm::errs() << "error: cannot start a process: " << std::strerror(errno) << '\n';
  }
  if (child == 0) {
    if (errors >= 0) {
      ::dup2(errors, STDERR_FILENO);
    }
    const int status = work();
    llvm::outs().flush();
    std::fflush(nullptr);
    ::_exit(status);
  }
  return child;
}

pid_t startToolApart(llvm::SmallVectorImpl<const char *> &arguments, int errors) {
  return startApart([&] { return runTool(arguments); }, errors);
}

int waitFor(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

int finishTool(pid_t process) {
  constexpr int kCrash = -2;
  const int status = waitFor(process);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kCrash;
}

int runToolApart(llvm::SmallVectorImpl<const char *> &arguments) {
  const pid_t process = startToolApart(arguments, -1);
  return process < 0 ? EXIT_FAILURE : finishTool(process);
}

} // namespace tutti::tools
