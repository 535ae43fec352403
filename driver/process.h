// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Starting other programs: lookup, output, and a child with signals passed on to it.
#pragma once

#include "driver/error_relay.h"

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tutti::driver {

/// Exit statuses for programs that cannot be started, as those of the shell.
inline constexpr int kNotExecutable = 126;
inline constexpr int kNotFound = 127;

/// The path of the program `name`, looked up in $PATH unless it contains a slash; empty if there is
/// none that may be executed.
std::string findProgram(const std::string &name);

/// What a command prints on its standard output; empty if it cannot be started.
std::string outputOf(const std::vector<std::string> &command);

/// Becomes `command`. Returns only on failure, with the line to print; errno says why.
std::string become(const std::vector<std::string> &command);

/// How a supervised child ended.
struct ChildEnd {
  std::string problem; ///< One line if the child could not be started.
  int exitCode = 0;
  int signal = 0;       ///< The signal that killed the child, or 0.
  int askedToEndBy = 0; ///< The signal that this process passed on, or 0.
  bool tookTooLong = false;
};

struct Supervision {
  /// What the line begins with that says that the child cannot be started.
  std::string speaker = "tuttirun";
  /// Whether a signal that a terminal sends to its whole foreground group is passed on too.
  bool forwardsTerminalSignals = false;
  /// Whether the child is killed when this process has lost its parent.
  bool endsWithParent = false;
  /// How long the child may take before it is told to end; 0: as long as it likes.
  std::chrono::milliseconds most{0};
  /// If set, the child's standard error passes through here. A child that goes on for some seconds
  /// after a report is told to end, then killed.
  ErrorRelay *errors = nullptr;
};

/// Runs `command` as a child until it ends. INT, TERM, HUP, USR1 and USR2 are passed on to it. The
/// child dies with this process.
///
/// Threading: for programs with a single thread.
ChildEnd supervise(const std::vector<std::string> &command, const Supervision &supervision);

} // namespace tutti::driver
