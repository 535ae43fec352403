// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One line when the program touches memory that it may not touch: where, from which instruction,
/// in which loop, on which rank.
#pragma once

#include "base/result.h"
#include "runtime/memory/window.h"

#include <csignal>
#include <cstdint>

namespace tutti::memory {

/// While it lives, threads of this process run iterations of the loop at `source`, which has to
/// outlive the process's crashes: a string of the program's image.
///
/// Threading: one loop at a time; the threads of its team are started while it lives.
class RunningLoop {
public:
  explicit RunningLoop(const char *source);
  ~RunningLoop();

  RunningLoop(const RunningLoop &) = delete;
  RunningLoop &operator=(const RunningLoop &) = delete;

private:
  const char *before_;
};

/// Whose crashes are described. `delta`: that of the window.
///
/// Order: before the other functions.
void setCrashContext(std::int32_t rank, std::int64_t delta);

/// Writes the line. May be called from a signal handler.
void sayCrash(const siginfo_t &info, const void *context);

/// What `sayCrash` calls when the line is written, on top of the function that crashed: for
/// breakpoints of debuggers, which have to let other faults pass (`tuttirun gdb`).
extern "C" __attribute__((noinline, visibility("default"))) void tutti_at_crash();

/// Lets faults of this process write the line and then end it as the kernel does, unless somebody
/// handles them already.
///
/// Errors: SystemFailed.
/// Source: sigaction.
Status installCrashHandler();

} // namespace tutti::memory
