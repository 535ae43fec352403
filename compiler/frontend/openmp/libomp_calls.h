// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// OpenMP as clang lowers it: calls of libomp, which nothing else in the compiler knows by name.
#pragma once

#include "compiler/ir/construct_calls.h"

namespace tutti::compiler::openmp {

const ConstructCalls &libompCalls();

} // namespace tutti::compiler::openmp
