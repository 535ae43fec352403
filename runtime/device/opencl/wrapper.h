// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Text around kernels that the user wrote.
///
/// All memory of the window is one buffer, and a pointer of the program may point to the middle of
/// it, which OpenCL has no argument for. So for each kernel there is one of ours, the *wrapper*,
/// which takes the buffer and offsets, and calls the user's:
///
///   __kernel void tutti_run_axpy(__global char *tutti_arena, long tutti_0, double tutti_1,
///                                ulong tutti_2, ulong tutti_3) {
///     axpy(tutti_0, tutti_1, (__global void *)(tutti_arena + tutti_2), ...);
///   }
#pragma once

#include "runtime/device/opencl/library.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::device::opencl {

struct Parameter {
  enum class Kind {
    Value,    ///< As it is.
    Global,   ///< An offset; `kNoOffset` for a null pointer.
    Constant, ///< A buffer that begins near the byte, and an offset.
    Local,    ///< Memory of the group.
    Other,    ///< What no task can give: images, samplers.
  };

  Kind kind;
  std::string type; ///< As the user's text calls it.
  std::string name; ///< Empty if the driver does not tell.
};

constexpr Ulong kNoOffset = ~Ulong{0};

/// A kernel of the user's, as the driver tells.
struct Signature {
  std::string name;
  std::vector<Parameter> parameters;
  std::array<Size, 3> group{}; ///< Work-items that groups must have; zeros if the text says none.

  bool canBeWrapped() const;
};

/// A type that the driver tells as it is written in `text`: drivers may leave the space out of
/// "struct pair". Source: CL_KERNEL_ARG_TYPE_NAME.
std::string spelled(const std::string &type, std::string_view text);

std::string wrapperNameOf(const std::string &kernel);

/// What stands behind the user's text.
std::string wrappersOf(std::span<const Signature> kernels);

/// What stands before the user's text where a driver does not see the local memory that the callee
/// of a wrapper declares: it takes local memory to be a kernel's by its name, `kernel.variable`,
/// and each kernel gets a name inside of its wrapper's here. Behind the text comes `endOfRenaming`.
std::string renamingOf(std::span<const Signature> kernels);
std::string endOfRenaming(std::span<const Signature> kernels);

} // namespace tutti::device::opencl
