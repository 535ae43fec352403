// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the library of LuNA programs needs of a program that runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::entry::luna {

std::int32_t ranksHere();

/// The borders of pieces of this many cells of a rank's segment (model/fragments/parts.h).
std::vector<std::int64_t> cutSegment(std::int64_t cells);

/// What the procedure that the calling thread runs has done cannot be done: ends the job.
[[noreturn]] void failInProcedure(const std::string &text, const char *code);

} // namespace tutti::entry::luna
