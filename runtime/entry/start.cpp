// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Comes before the program: takes the place of the C library's start.
#include "runtime/entry/cluster.h"
#include "runtime/entry/exports.h"
#include "runtime/entry/next.h"
#include "runtime/entry/nodes.h"
#include "runtime/entry/runtime.h"
#include "runtime/entry/solo.h"
#include "runtime/entry/tasks.h"

#include <cstdlib>

namespace {

using Main = int (*)(int argc, char **argv, char **environment);

Main userMain = nullptr;
void (*endOfLibraries)() = nullptr;

/// On one rank without devices.
int runMainAlone(int argc, char **argv, char **environment) {
  if (tutti::entry::nodes::isActive()) {
    tutti::entry::nodes::runStartUp();
  }
  const int status = userMain(argc, argv, environment);
  tutti::entry::nodes::noteStatus(status);
  tutti::entry::finishTasks();
  return status;
}

int runMain(int argc, char **argv, char **environment) {
  int status = 0;
  tutti::entry::Runtime::active()->runMain([&] { status = runMainAlone(argc, argv, environment); });
  tutti::entry::Runtime::waitForDevices();
  return status;
}

/// The first exit handler to be registered, hence the last to run: behind the program's own, before
/// the libraries' destructors.
void finishThenEndLibraries() {
  tutti::entry::Runtime::finish();
  tutti::entry::solo::finish();
  tutti::entry::nodes::finish();
  if (endOfLibraries) {
    endOfLibraries();
  }
}

} // namespace

TUTTI_EXPORT int __libc_start_main(Main main, int argc, char **argv, void (*init)(), void (*fini)(),
                                   void (*endLibraries)(), void *stackEnd) {
  const auto next = tutti::entry::next<decltype(&__libc_start_main)>("__libc_start_main");
  tutti::entry::setProgramArguments(argc, argv);
  tutti::entry::Runtime::start();
  const bool isActive = tutti::entry::Runtime::active() != nullptr;
  userMain = main;
  const bool mayEndAsItIs = !tutti::entry::solo::isCounting() && !tutti::entry::nodes::isActive();
  if (!isActive && mayEndAsItIs) {
    return next(runMainAlone, argc, argv, init, fini, endLibraries, stackEnd);
  }
  endOfLibraries = endLibraries;
  return next(isActive ? runMain : runMainAlone, argc, argv, init, fini, finishThenEndLibraries,
              stackEnd);
}

TUTTI_EXPORT void exit(int status) noexcept {
  tutti::entry::nodes::noteStatus(status);
  tutti::entry::finishTasks();
  tutti::entry::Runtime::waitForDevices();
  tutti::entry::next<void (*)(int)>("exit")(status);
  __builtin_unreachable();
}
