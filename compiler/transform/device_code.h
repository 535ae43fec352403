// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a region brings for devices (`tutti_device_code`, abi/abi.h): kernels as text for each
/// target, or the reason why there are none.
///
/// The environment variable TUTTI_TARGETS names the targets, separated by commas, or says none; not
/// set, it means all that were built. With print among them, the kernels' LLVM IR goes to standard
/// error.
#pragma once

#include "compiler/target/kernel_text.h"
#include "compiler/transform/kernel_function.h"
#include "compiler/transform/late_texts.h"

#include "llvm/IR/GlobalVariable.h"

#include <string>
#include <vector>

namespace tutti::compiler {

/// Device code of one region.
struct DeviceCode {
  llvm::GlobalVariable *descriptor = nullptr; ///< `tutti_device_code`; null if nobody asked for it.
  std::string reason;                         ///< Why no kernel was made, or empty.
  std::string lacking;     ///< The only target that the reason holds for; empty if for all.
  std::string limit;       ///< Why the best mapping divides no more loops, or empty.
  unsigned dimensions = 0; ///< Of the best mapping: loops that are divided together.
  bool byGroups = false;   ///< Groups may execute iterations of the parallel loop.
};

/// Device code in the making: texts that take long are written on other threads.
class DeviceWork {
public:
  DeviceWork() = default;

  /// Builds the kernels of `prepared`. `chases`, `isKnown`: as for `buildKernels`.
  DeviceWork(llvm::Function &prepared, const Worksharing &loop, ChunkModel &model,
             llvm::FunctionAnalysisManager &analyses, llvm::StringRef name, LateTexts &texts,
             bool chases, IsKnownForm isKnown);

  /// No kernels, because of `reason`.
  explicit DeviceWork(std::string reason);

  /// As of `RegionKernels`; empty, too, if other regions cannot have the same kernels.
  llvm::StringRef form() const { return reason_.empty() ? kernels_.form : llvm::StringRef(); }

  /// Describes the kernels in `module`, that of `prepared`. `name` is the region's.
  DeviceCode finish(llvm::Module &module, llvm::StringRef name, LateTexts &texts);

  /// The kernels of the region for one target.
  struct Text {
    unsigned format;
    target::KernelText kernels;
    LateTexts::Parts late; ///< If there are any, the text itself comes from here.
  };

private:
  void add(Text text);

  RegionKernels kernels_;
  std::vector<Text> texts_;
  std::string reason_;  ///< Why there is no kernel, for one target at least.
  std::string lacking_; ///< That target.
};

} // namespace tutti::compiler
