// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What each rank is started through: runs the program and says so if a signal kills it.
#pragma once

#include <string>
#include <vector>

namespace tutti::driver {

/// What tuttirun is called with, in front of `--` and the program, to be a monitor. The announcing
/// one says on standard error, for `ErrorRelay`, that its rank has started.
inline constexpr const char *kMonitorOption = "--monitor";
inline constexpr const char *kAnnouncingMonitorOption = "--announcing-monitor";

/// Runs `program` until it ends and returns the exit status for this rank.
///
/// A program that cannot be started gives one line on standard error and status 126 or 127; one
/// that is killed by a signal that nobody passed to this monitor gives one line and status 128 +
/// signal, upon which the launcher ends the other ranks. Unless the user has said how many threads
/// a rank has, the ranks of a host share its cores evenly; with TUTTI_BIND=cores each is bound to
/// its own.
int monitor(const std::vector<std::string> &program, bool announces);

/// Threads for each of `localRanks` ranks on `cores` cores; at least 1.
int threadsPerRank(int cores, int localRanks);

} // namespace tutti::driver
