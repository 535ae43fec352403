// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// tuttic-luna: compiles a LuNA program with its C++ procedures.
#include "driver/commands.h"
#include "driver/luna_run.h"
#include "driver/toolchain.h"

#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace tutti::driver;

constexpr const char *kHelp =
    "usage: tuttic-luna PROGRAM.fa [FILE]... [OPTION]...\n"
    "\n"
    "Compiles a LuNA program with the C++ files of its procedures, and files of versions for\n"
    "devices (.cu); start it with tuttirun, or as it is on one rank. Options are those of\n"
    "tuttic++ (-o, -O, -g, -I, -D, -L, -l, -c, -Wall, -Rpass-missed=tutti, ...), and\n"
    "  -D NAME[=TEXT]           defines a macro of the program, too\n"
    "  -I FOLDER                is also for '#include' in the program\n"
    "  -fsyntax-only            says what is wrong with the program; needs no procedures\n"
    "  -fcheck                  overflow of integers is an error when the program runs\n"
    "  --std=luna               warns of what is an addition to the language\n"
    "  -Werror                  warnings are errors\n"
    "  -w                       no warnings\n"
    "  --disable-warning=CODE   none of this code, such as W-UNUSED\n"
    "  --help                   this text\n"
    "Exit status is 0, or 1 after an error.\n";

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> arguments = expanded({argv + 1, argv + argc});
  for (const std::string &argument : arguments) {
    if (argument == "--help" || argument == "-help") {
      std::fputs(kHelp, stdout);
      return 0;
    }
  }
  const FoundInstallation found = findInstallation();
  if (!found.problem.empty()) {
    std::fprintf(stderr, "tuttic-luna: fatal error: %s\n", found.problem.c_str());
    return 1;
  }
  const TemporaryFolder folder;
  if (folder.path().empty()) {
    std::fprintf(stderr, "tuttic-luna: fatal error: there is no folder for temporary files\n");
    return 1;
  }
  return buildLuna("tuttic-luna", arguments, found.installation, folder.path()) == 0 ? 0 : 1;
}
