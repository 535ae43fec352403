// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Task constructs for devices: each gets the record that says which kernel it is (abi/tasks.h),
/// and an entry among the regions of the image, so that the runtime knows of it before `main`.
#pragma once

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace tutti::compiler::openmp {

/// Describes one construct. `device` is its call of tutti_task_device, `entry` the function of its
/// tasks.
void describeDeviceTask(llvm::Module &module, llvm::CallBase &device, llvm::Function &entry);

} // namespace tutti::compiler::openmp
