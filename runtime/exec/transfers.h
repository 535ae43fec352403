// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What has to move for a launch, as one rank sees it: what it sends and receives, copies between
/// its own memories, lends and borrows, and which pages of rank 0 that closes.
#pragma once

#include "base/range.h"
#include "runtime/exec/plan.h"
#include "runtime/exec/site.h"
#include "runtime/exec/survey.h"
#include "runtime/memory/directory.h"

#include <vector>

namespace tutti::exec {

/// A copy to or from a device costs microseconds, however short it is: pieces that touch a device
/// travel in as few runs as can be.
void joinRuns(std::vector<memory::Transfer> &transfers, const memory::Directory &directory,
              const Site &site);

/// Where one device alone runs a launch and writes run by run, as the inside of a grid, it becomes
/// the only one with a valid copy of the gaps too, if it has one and all pages around them are
/// closed in any case: the directory then has a run where it would have one for each row.
void joinWrites(memory::Assignments &assignments, const Survey &survey,
                const memory::Directory &directory, const RangeSet &protectable, const Site &site);

/// Adds what is exchanged with other ranks' hosts, and what of this one's that overwrites.
void addLinks(Plan &plan, const std::vector<memory::Transfer> &transfers, const Site &site);

/// Adds what is copied between memories of this rank, and what of its host's that overwrites.
void addCopies(Plan &plan, const std::vector<memory::Transfer> &transfers, const Survey &survey,
               const Site &site);

/// Adds what devices of this rank and of others copy from one another.
void addLoans(Plan &plan, const std::vector<memory::Transfer> &transfers, const Site &site);

/// What places write on pages of rank 0 that cannot be protected returns to it.
void addReturns(Plan &plan, memory::Assignments &assignments, const Survey &survey,
                const RangeSet &protectable, const Site &site);

/// Adds the pages that rank 0 closes, of `protectable` ones, and those that it compares with twins.
///
/// `after`: the directory behind the launch.
void addPages(Plan &plan, const memory::Directory &after, const RangeSet &transferred,
              const RangeSet &writtenElsewhere, const RangeSet &protectable);

} // namespace tutti::exec
