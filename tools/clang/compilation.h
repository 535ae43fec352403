// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What Clang's driver runs of Clang itself: cc1, which compiles one source, and cc1as.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <sys/types.h>

namespace tutti::tools {

/// Compiles as `clang -cc1` does, with Tutti's pragmas and passes; becomes Clang for all else, as
/// `-cc1as`.
///
/// Once in a process: LLVM keeps options for itself in variables, and memory is not given back.
///
/// \param arguments Clang's path, `-cc1` and the rest.
/// \returns the exit status.
int runTool(llvm::SmallVectorImpl<const char *> &arguments);

/// The same in a process of its own.
///
/// \returns the exit status, or -2 if the process was ended by a signal.
int runToolApart(llvm::SmallVectorImpl<const char *> &arguments);

/// Begins `work`, which returns an exit status, in a process of its own.
///
/// \param errors descriptor of the file that gets what the process says, or -1.
/// \returns the process, or -1 with a message.
pid_t startApart(llvm::function_ref<int()> work, int errors);

/// Begins `runTool` so.
pid_t startToolApart(llvm::SmallVectorImpl<const char *> &arguments, int errors);

/// Waits for the end of a process. Returns what `waitpid` tells of it.
int waitFor(pid_t process);

/// Waits for that of `startToolApart`; as `runToolApart`.
int finishTool(pid_t process);

} // namespace tutti::tools
