// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// tutti-clang: Clang 19, Tutti's pragmas and passes, and the step for XcalableMP in one program
/// that is linked statically: loading LLVM's libraries takes longer than compiling a short file.
/// Run by tutticc:
///
///     tutti-clang CLANG ARGUMENTS...
///     tutti-clang --xmp OUTPUT CLANG ARGUMENTS...
///     tutti-clang --first COUNT ... more of these
///
/// The last form is for several tasks, one behind the other as long as they succeed: COUNT words
/// are the first one, what is behind them the next. So the program is loaded once for all of them.
/// CLANG is the path of the Clang 19 whose headers, libraries and linker are used, ARGUMENTS are
/// what it would be given. Signals, exit status and messages are Clang's.
#include "compiler/frontend/xmp/front_end.h"

#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/ToolChain.h"
#include "clang/Frontend/ChainedDiagnosticConsumer.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/SerializedDiagnosticPrinter.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <cstdlib>
#include <sys/wait.h>

#include "tools/clang/compilation.h"
#include "tools/clang/link_command.h"

namespace {

/// What is asked of Clang, carried out. Returns the exit status.
int drive(llvm::SmallVectorImpl<const char *> &arguments) {
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  if (llvm::Error error =
          clang::driver::expandResponseFiles(arguments, /*ClangCLMode=*/false, memory)) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << '\n';
    return EXIT_FAILURE;
  }
  if (arguments.size() > 1 && llvm::StringRef(arguments[1]).starts_with("-cc1")) {
    return tutti::tools::runTool(arguments);
  }
  llvm::StringSet<> kept;
  if (const char *changes = std::getenv("CCC_OVERRIDE_OPTIONS")) {
    clang::driver::applyOverrideOptions(arguments, changes, kept, &llvm::errs());
  }
  const bool isCxx = llvm::is_contained(arguments, llvm::StringRef("--driver-mode=g++"));
  const bool keepsLinks = llvm::is_contained(arguments, llvm::StringRef("-no-canonical-prefixes"));
  llvm::SmallString<128> clang(arguments[0]);
  if (!keepsLinks) {
    llvm::sys::fs::real_path(arguments[0], clang);
  }
  arguments[0] = saver.save(clang.str()).data();

  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options =
      clang::CreateAndPopulateDiagOpts(arguments);
  auto *printer = new clang::TextDiagnosticPrinter(llvm::errs(), options.get());
  printer->setPrefix(isCxx ? "tuttic++" : "tutticc");
  clang::DiagnosticsEngine diagnostics(new clang::DiagnosticIDs(), options, printer);
  if (!options->DiagnosticSerializationFile.empty()) {
    diagnostics.setClient(new clang::ChainedDiagnosticConsumer(
        diagnostics.takeClient(),
        clang::serialized_diags::create(options->DiagnosticSerializationFile, options.get(),
                                        /*MergeChildRecords=*/true)));
  }
  const auto files = llvm::vfs::getRealFileSystem();
  clang::ProcessWarningOptions(diagnostics, *options, /*ReportDiags=*/false);

  clang::driver::Driver driver(clang, llvm::sys::getDefaultTargetTriple(), diagnostics,
                               "clang LLVM compiler", files);
  driver.setTargetAndMode(clang::driver::ToolChain::getTargetAndModeFromProgramName("clang"));
  driver.CC1Main = tutti::tools::runToolApart;
  const std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(arguments));
  if (!compilation || compilation->containsError()) {
    diagnostics.getClient()->finish();
    return EXIT_FAILURE;
  }
  // Clang would start itself again as soon as there are two jobs.
  for (clang::driver::Command &job : compilation->getJobs()) {
    job.InProcess = true;
  }
  tutti::tools::importAtLink(*compilation, arguments[0]);
  llvm::SmallVector<std::pair<int, const clang::driver::Command *>, 4> failed;
  int status = driver.ExecuteCompilation(*compilation, failed);
  for (const auto &[result, command] : failed) {
    status = status == 0 ? result : status;
    constexpr int kInternalError = 70;
    if (result < 0 || result == kInternalError) {
      driver.generateCompilationDiagnostics(*compilation, *command);
      status = EXIT_FAILURE;
      break;
    }
  }
  diagnostics.getClient()->finish();
  return status < 0 ? EXIT_FAILURE : status;
}

/// One task, the last one of this process. Returns the exit status.
int carryOut(llvm::SmallVectorImpl<const char *> &arguments) {
  if (!arguments.empty() && llvm::StringRef(arguments[0]) == "--xmp") {
    return tutti::compiler::xmp::writeAsC(llvm::ArrayRef(arguments).drop_front());
  }
  if (arguments.empty()) {
    llvm::errs() << "usage: tutti-clang CLANG ARGUMENTS...\n";
    return EXIT_FAILURE;
  }
  return drive(arguments);
}

/// Waits for a process that carries out a task. Returns as a shell would.
int finishTask(pid_t process) {
  const int status = tutti::tools::waitFor(process);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// All tasks but the last one, each in a process of its own, and cut off from `arguments`. Returns
/// the exit status of the first that fails, 128 and a signal's number if that ended it; 0 if none
/// does.
int carryOutFirst(llvm::SmallVectorImpl<const char *> &arguments) {
  while (!arguments.empty() && llvm::StringRef(arguments[0]) == "--first") {
    std::size_t count = 0;
    if (arguments.size() < 2 || llvm::StringRef(arguments[1]).getAsInteger(10, count) ||
        count > arguments.size() - 2) {
      llvm::errs() << "error: expected --first COUNT, and as many words\n";
      return EXIT_FAILURE;
    }
    auto *const begin = arguments.begin() + 2;
    llvm::SmallVector<const char *, 256> task(begin, begin + count);
    const pid_t process = tutti::tools::startApart([&] { return carryOut(task); }, -1);
    if (const int status = process < 0 ? EXIT_FAILURE : finishTask(process); status != 0) {
      return status;
    }
    arguments.erase(arguments.begin(), begin + count);
  }
  return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char **argv) {
  const llvm::InitLLVM setup(argc, argv);
  llvm::SmallVector<const char *, 256> arguments(argv + 1, argv + argc);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  const int status = carryOutFirst(arguments);
  return status != 0 ? status : carryOut(arguments);
}
