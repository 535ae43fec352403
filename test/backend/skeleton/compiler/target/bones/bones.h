// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The least that a target consists of: its text is the kernels' names.
#pragma once

#include "compiler/target/kernel_target.h"

namespace tutti::compiler::target::bones {

extern const KernelTarget kTarget;

} // namespace tutti::compiler::target::bones
