// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs programs one after the other, with a folder for what is there meanwhile.
#pragma once

#include "driver/command_line.h"

#include <string>

namespace tutti::driver {

/// A folder of one's own below the one for temporary files; goes with what is in it.
class TemporaryFolder {
public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();

  /// Empty if there is none.
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

/// As a shell would write it.
std::string quoted(const Command &command);

/// Runs a command to its end, and returns its exit status; 128 and the number of a signal that
/// ended it, 127 if it does not start, with a line that says so. Who interrupts ends the command,
/// and lets this process tidy up.
int runToEnd(const Command &command);

/// Becomes the command. Returns, with a line that says why, only if it does not start.
int become(const Command &command);

} // namespace tutti::driver
