// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/clang/link_command.h"

#include "compiler/frontend/openmp/libomp_calls.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/transform/import_functions.h"

#include "clang/Driver/Action.h"
#include "clang/Driver/Job.h"
#include "clang/Driver/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>

#include "tools/clang/compilation.h"
#include "tools/clang/link_inputs.h"

using namespace llvm;

namespace tutti::tools {

namespace {

/// Files that are gone when the link is done.
class TemporaryFiles {
public:
  TemporaryFiles() = default;
  TemporaryFiles(const TemporaryFiles &) = delete;
  TemporaryFiles &operator=(const TemporaryFiles &) = delete;

  ~TemporaryFiles() {
    for (const std::string &path : paths_) {
      sys::fs::remove(path);
      sys::DontRemoveFileOnSignal(path);
    }
  }

  /// The path of a new file, or nothing.
  std::optional<std::string> create(const char *ending) {
    SmallString<128> path;
    if (sys::fs::createTemporaryFile("tutti", ending, path)) {
      return std::nullopt;
    }
    sys::RemoveFileOnSignal(path);
    paths_.push_back(path.str().str());
    return paths_.back();
  }

private:
  std::vector<std::string> paths_;
};

/// LLVM would print what is in the way of linking two modules, and end the program.
struct Silence : DiagnosticHandler {
  bool handleDiagnostics(const DiagnosticInfo &) override { return true; }
};

std::unique_ptr<Module> parse(const compiler::CarriedCode &code, LLVMContext &context) {
  // In the object it need not be aligned.
  const auto buffer = MemoryBuffer::getMemBufferCopy(code.bitcode);
  Expected<std::unique_ptr<Module>> module = parseBitcodeFile(*buffer, context);
  if (!module) {
    consumeError(module.takeError());
    return nullptr;
  }
  return std::move(*module);
}

/// Where a linker's command line differs: argument and file.
using Replacements = std::map<unsigned, std::string>;

/// An object under way that takes the place of another one.
struct Compilation {
  const LinkedObject *replaced;
  std::string source; ///< What the user calls it.
  std::string output;
  std::string messages; ///< The file with what is to be said of it.
  pid_t process;
};

/// One link of an executable.
class Importing {
public:
  Importing(ArrayRef<const char *> arguments, const char *clang, bool isTold)
      : inputs_(arguments), clang_(clang), isTold_(isTold) {}

  /// Compiles again what has to be.
  Replacements run();

private:
  void compileAgain(const LinkedObject &linked);
  pid_t start(const compiler::CarriedCode &code, const std::string &input,
              const Compilation &compilation);
  void finishNext();
  void replaceMembers();
  bool replaceMembers(unsigned file);

  LinkInputs inputs_;
  const char *clang_;
  bool isTold_;
  TemporaryFiles temporary_;
  std::vector<Compilation> compilations_;
  std::size_t finished_ = 0; ///< So many of them, the first ones.
  Replacements replacements_;
  std::map<std::pair<unsigned, unsigned>, std::string> members_; ///< Of archives: new objects.
};

void warnOfLess(StringRef name) {
  errs() << "warning: parallel loops of '" << name << "' do without functions of other files\n";
}

/// Begins to compile the module in the file `input` as the object with `code` was.
pid_t Importing::start(const compiler::CarriedCode &code, const std::string &input,
                       const Compilation &compilation) {
  SmallVector<const char *, 64> arguments = {clang_};
  for (const std::string &argument : code.arguments) {
    arguments.push_back(argument.c_str());
  }
  // Warnings of loops have been printed when the source was compiled.
  for (const char *argument :
       {"-Wno-pass-failed", "-o", compilation.output.c_str(), "-x", "ir", input.c_str()}) {
    arguments.push_back(argument);
  }
  if (isTold_) {
    for (const char *argument : arguments) {
      sys::printArg(errs() << ' ', argument, /*Quote=*/true);
    }
    errs() << '\n';
  }
  int messages = -1;
  if (sys::fs::openFileForWrite(compilation.messages, messages)) {
    return -1;
  }
  const pid_t process = startToolApart(arguments, messages);
  sys::Process::SafelyCloseFileDescriptor(messages);
  return process;
}

/// Begins to make the object of `linked` with all functions that its loops get from other files, if
/// there are any.
void Importing::compileAgain(const LinkedObject &linked) {
  const compiler::CarriedCode &code = linked.codes.front();
  LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<Silence>());
  const std::unique_ptr<Module> module = parse(code, context);
  const auto definitionOf = [&](StringRef name) {
    const compiler::CarriedCode *definition = inputs_.definitionOf(name);
    return definition ? parse(*definition, context) : nullptr;
  };
  if (!module || !compiler::importFunctions(*module, definitionOf)) {
    return;
  }
  const std::optional<std::string> input = temporary_.create("bc");
  const std::optional<std::string> output = temporary_.create("o");
  const std::optional<std::string> messages = temporary_.create("txt");
  if (!input || !output || !messages) {
    warnOfLess(module->getSourceFileName());
    return;
  }
  std::error_code error;
  raw_fd_ostream stream(*input, error);
  WriteBitcodeToFile(*module, stream);
  stream.close();
  Compilation compilation{&linked, module->getSourceFileName(), *output, *messages, -1};
  if (!error && !stream.has_error()) {
    compilation.process = start(code, *input, compilation);
  }
  stream.clear_error();
  compilations_.push_back(std::move(compilation));
}

/// Waits for the first object that is under way, and says what was said of it.
void Importing::finishNext() {
  const Compilation &compilation = compilations_[finished_++];
  const bool isMade = compilation.process >= 0 && finishTool(compilation.process) == 0;
  if (const auto messages = MemoryBuffer::getFile(compilation.messages)) {
    errs() << (*messages)->getBuffer();
  }
  // One that crashes takes the temporary files of all with it.
  if (!isMade || !sys::fs::exists(compilation.output)) {
    warnOfLess(compilation.source);
    return;
  }
  const LinkedFile &file = inputs_.files()[compilation.replaced->file];
  if (file.archive) {
    members_[{compilation.replaced->file, compilation.replaced->member}] = compilation.output;
  } else {
    replacements_[file.argument] = compilation.output;
  }
}

/// A copy of the archive `number` with new objects in the place of its members.
bool Importing::replaceMembers(unsigned number) {
  const LinkedFile &file = inputs_.files()[number];
  std::vector<NewArchiveMember> contents;
  std::vector<std::unique_ptr<MemoryBuffer>> buffers;
  Error error = Error::success();
  unsigned at = 0;
  for (const object::Archive::Child &child : file.archive->children(error)) {
    auto member = NewArchiveMember::getOldMember(child, /*Deterministic=*/true);
    if (!member) {
      consumeError(member.takeError());
      return false;
    }
    if (const auto found = members_.find({number, at++}); found != members_.end()) {
      auto buffer = MemoryBuffer::getFile(found->second);
      if (!buffer) {
        return false;
      }
      member->Buf = MemoryBuffer::getMemBuffer((*buffer)->getBuffer(), member->MemberName,
                                               /*RequiresNullTerminator=*/false);
      buffers.push_back(std::move(*buffer));
    }
    contents.push_back(std::move(*member));
  }
  const std::optional<std::string> path = temporary_.create("a");
  if (error || !path) {
    consumeError(std::move(error));
    return false;
  }
  if (Error failed = writeArchive(*path, contents, SymtabWritingMode::NormalSymtab,
                                  object::Archive::K_GNU, /*Deterministic=*/true,
                                  /*Thin=*/false)) {
    consumeError(std::move(failed));
    return false;
  }
  replacements_[file.argument] = *path;
  return true;
}

void Importing::replaceMembers() {
  for (unsigned at = 0; at < inputs_.files().size(); ++at) {
    const bool isChanged =
        any_of(members_, [&](const auto &member) { return member.first.first == at; });
    if (isChanged && !replaceMembers(at)) {
      warnOfLess(inputs_.files()[at].path);
    }
  }
}

Replacements Importing::run() {
  if (!inputs_.hasNeeds()) {
    return {};
  }
  compiler::registerConstructCalls(compiler::openmp::libompCalls());
  for (const std::string &path : inputs_.unread()) {
    errs() << "warning: '" << path << "' was compiled by another version of Tutti: parallel loops "
           << "of other files that call its functions stay on rank 0\n";
  }
  const unsigned most = hardware_concurrency().compute_thread_count();
  for (const LinkedObject &linked : inputs_.objects()) {
    // Of several sources in one object (ld -r) none can be replaced.
    if (linked.codes.size() != 1 || linked.codes.front().needs.empty()) {
      continue;
    }
    if (compilations_.size() - finished_ >= most) {
      finishNext();
    }
    compileAgain(linked);
  }
  while (finished_ < compilations_.size()) {
    finishNext();
  }
  replaceMembers();
  return std::move(replacements_);
}

class LinkCommand : public clang::driver::Command {
public:
  LinkCommand(const clang::driver::Command &command, const char *clang, bool isTold)
      : Command(command), clang_(clang), isTold_(isTold) {}

  int Execute(ArrayRef<std::optional<StringRef>> redirects, std::string *message,
              bool *hasFailed) const override {
    Importing importing(getArguments(), clang_, isTold_);
    const Replacements replacements = importing.run();
    opt::ArgStringList arguments = getArguments();
    for (const auto &[at, path] : replacements) {
      arguments[at] = path.c_str();
    }
    Command command(*this);
    command.replaceArguments(std::move(arguments));
    return command.Execute(redirects, message, hasFailed);
  }

private:
  const char *clang_;
  bool isTold_;
};

bool makesExecutable(const clang::driver::Command &command) {
  return command.getSource().getKind() == clang::driver::Action::LinkJobClass &&
         none_of(command.getArguments(), [](const char *argument) {
           return StringRef(argument) == "-shared" || StringRef(argument) == "-r";
         });
}

} // namespace

void importAtLink(clang::driver::Compilation &compilation, const char *clang) {
  const bool isTold = compilation.getArgs().hasArg(clang::driver::options::OPT_v);
  // The list belongs to the compilation, which is not constant; it only has no other access to it.
  auto &jobs = const_cast<clang::driver::JobList::list_type &>(compilation.getJobs().getJobs());
  for (std::unique_ptr<clang::driver::Command> &job : jobs) {
    if (makesExecutable(*job)) {
      job = std::make_unique<LinkCommand>(*job, clang, isTold);
    }
  }
}

} // namespace tutti::tools
