// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// tutti: questions about a machine. Alone, or started on several ranks by tuttirun.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <unistd.h>

#include "tools/tutti/describe.h"
#include "tools/tutti/machine.h"
#include "tools/tutti/selection.h"

namespace {

using namespace tutti::tools;

int info(bool asJson) {
  const auto wanted = wantedDevices();
  if (!wanted) {
    std::fprintf(stderr, "tutti: %s\n", wanted.error().message.c_str());
    return 1;
  }
  const Machine machine = lookAround();
  const std::string text = asJson ? jsonOf(machine, *wanted) : textOf(machine, *wanted);
  // One write, so that the blocks of ranks do not mix.
  return ::write(STDOUT_FILENO, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0
                                                                                               : 1;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Questions about a machine that runs programs of tutticc.", "tutti");
  app.require_subcommand(1);
  bool asJson = false;
  CLI::App *infoCommand = app.add_subcommand(
      "info", "Cores, devices and MPI of this host, and what a rank would use; under tuttirun, a "
              "block for each rank. TUTTI_DEVICE counts as for programs.");
  infoCommand->add_flag("--json", asJson, "one line of JSON per rank");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &help) {
    return app.exit(help);
  } catch (const CLI::ParseError &error) {
    std::fprintf(stderr, "tutti: %s (see tutti --help)\n", error.what());
    return 1;
  }
  return info(asJson);
}
