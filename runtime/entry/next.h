// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The functions behind those that this library puts itself in front of.
#pragma once

#include <dlfcn.h>

namespace tutti::entry {

/// The next definition of `name` behind this library; `F` is its pointer type.
template <typename F> F next(const char *name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

} // namespace tutti::entry
