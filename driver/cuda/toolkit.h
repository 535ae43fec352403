// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where the CUDA toolkit is, and which GPUs there are.
#pragma once

#include <string>
#include <vector>

namespace tutti::driver::cuda {

struct Toolkit {
  std::string root;    ///< Empty if there is none.
  std::string nvcc;    ///< Empty if the toolkit comes without.
  std::string include; ///< Has cuda_runtime.h.
  std::string library; ///< Has libcudart.
};

/// Looks at $CUDA_HOME, $CUDA_PATH, for nvcc in $PATH, and in /usr/local/cuda: the first with nvcc,
/// else the first.
Toolkit findToolkit();

/// Compute capabilities of this machine's GPUs, each once, the lowest first: 90 for 9.0.
///
/// Cost: starts the driver.
std::vector<int> nativeArchitectures();

} // namespace tutti::driver::cuda
