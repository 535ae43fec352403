// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the targets have in common: which kernels no device can run, and bringing the others into
/// the form that all targets start from.
#pragma once

#include "llvm/IR/Module.h"

#include <memory>
#include <string>

namespace tutti::compiler::target {

/// A copy of `kernels` in which entry points call nothing that has a body, and only entry points
/// are left; without debug information and without the host's attributes.
///
/// Errors: null, and `reason` says why; completes "it ...".
std::unique_ptr<llvm::Module> prepareKernels(const llvm::Module &kernels, std::string &reason);

/// Whether a target is to translate this entry point: not one with barriers under conditions and in
/// loops if it has none such, and else none that only stands in for one with them.
bool isTranslated(const llvm::Function &kernel, bool hasFreeBarriers);

/// Whether the kernels compute in double precision.
bool usesFp64(const llvm::Module &kernels);

} // namespace tutti::compiler::target
