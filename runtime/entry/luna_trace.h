// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the calls of a LuNA program have done on this rank, by the lines of the program.
#pragma once

#include "runtime/model/fragments/call_tally.h"
#include "runtime/model/fragments/program.h"
#include "runtime/trace/calls.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tutti::entry::luna {

/// For the report of all ranks.
std::vector<trace::CallReport> reportOf(const model::fragments::Program &program,
                                        std::span<const model::fragments::CallCount> counts);

/// Writes the events of this rank to `path` with the rank behind it, as viewers of traces read them
/// (the JSON format of Chrome's). A file that cannot be written gets a warning.
void writeTrace(const std::string &path, const model::fragments::Program &program,
                std::span<const model::fragments::CallEvent> events, std::int32_t rank);

} // namespace tutti::entry::luna
