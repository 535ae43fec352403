// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a target makes of a module of kernels.
#pragma once

#include <string>

namespace tutti::compiler::target {

/// The text of all kernels of a module, or why there is none.
struct KernelText {
  std::string text;
  std::string reason; ///< Not empty: `text` is not set. Completes "it ...".
  bool usesFp64 = false;
};

} // namespace tutti::compiler::target
