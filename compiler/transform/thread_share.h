// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The share that one thread of a team has of a worksharing loop, in closed form.
#pragma once

#include "compiler/analysis/construct_code.h"

#include <string>

namespace tutti::compiler {

/// Lets `loop` run over what is the share of the thread `number` of `team` threads, as OpenMP's
/// static schedules deal out iterations: evenly, which dynamic ones may do as well, or in pieces in
/// turn. It is no worksharing loop any more. Returns why that cannot be done, and changes nothing
/// then; or an empty string.
std::string takeShare(const SequencedLoop &loop, llvm::Value &number, llvm::Value &team);

} // namespace tutti::compiler
